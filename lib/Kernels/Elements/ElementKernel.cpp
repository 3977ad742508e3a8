//===- ElementKernel.cpp - A thread for each element ----------------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The parallel loops become one loop over their iterations, which the threads
// of all blocks share; iterations that follow one another are neighbours in
// the first result, and a thread takes as many of them as one access does. An
// iteration runs the loops of sums in their order and carries the results
// through them, so that the body is computed as it is written, with every
// rounding. Numbers are of 32 bits, those of the body (linalg.index) of 64. An
// i1 is a byte in memory. What a body reads by index is inside of its tensor,
// whatever the index is.
//
//===----------------------------------------------------------------------===//

#include "amp/Kernels/ElementKernel.h"

#include "Device/Sm80Instructions.h"
#include "Elements/ElementRules.h"
#include "Elements/GenericBody.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mlir::amp;

static constexpr int64_t kThreads = 256, kBlocksPerMultiprocessor = 8;

//===----------------------------------------------------------------------===//
// What has a kernel
//===----------------------------------------------------------------------===//

static std::string getInputName(OpOperand &operand) {
  return "in" + std::to_string(operand.getOperandNumber());
}

std::optional<ElementKernel> ElementKernel::match(linalg::GenericOp op,
                                                  std::string &reason) {
  auto refuse = [&](const Twine &text) {
    reason = text.str();
    return std::nullopt;
  };
  if (!op.hasPureTensorSemantics() || op.getNumResults() == 0)
    return refuse("expected an operation whose results are tensors, but got "
                  "one without");
  for (Value operand : op->getOperands())
    if (std::string wrong = checkRead(operand); !wrong.empty())
      return refuse(wrong);
  if (std::string wrong = checkLoops(op); !wrong.empty())
    return refuse(wrong);
  for (Operation &inner : *op.getBody())
    if (!isScalarOperation(inner))
      return refuse(llvm::formatv("expected operations on numbers that kernels "
                                  "have code for, but got '{0}'",
                                  inner.getName()));

  ElementKernel kernel(op);
  for (OpOperand *operand : op.getDpsInputOperands())
    if (op.payloadUsesValueFromOperand(operand) && !isConstant(operand->get()))
      kernel.inputs.push_back({getInputName(*operand), operand->get()});
  for (auto [number, init] : llvm::enumerate(op.getDpsInitsMutable()))
    if (op.payloadUsesValueFromOperand(&init))
      kernel.inputs.push_back({"start" + std::to_string(number), init.get()});
  llvm::SetVector<Value> captured;
  getUsedValuesDefinedAbove(op.getRegion(), captured);
  unsigned tables = 0, numbers = 0;
  for (Value value : captured) {
    if (isConstant(value))
      continue;
    if (std::string wrong = checkRead(value); !wrong.empty())
      return refuse(wrong);
    kernel.inputs.push_back({isa<ShapedType>(value.getType())
                                 ? "table" + std::to_string(tables++)
                                 : "number" + std::to_string(numbers++),
                             value});
  }
  return kernel;
}

SmallVector<std::string> ElementKernel::getOutputNames() const {
  SmallVector<std::string> names;
  for (unsigned i = 0, e = linalg::GenericOp(op).getNumResults(); i < e; ++i)
    names.push_back("out" + std::to_string(i));
  return names;
}

//===----------------------------------------------------------------------===//
// Writing it
//===----------------------------------------------------------------------===//

namespace {
class ElementEmitter {
public:
  ElementEmitter(DeviceBuilder &b, linalg::GenericOp op)
      : b(b), op(op), loops(op) {}

  void emit(StringRef name, ArrayRef<ElementKernel::Input> inputs,
            ArrayRef<std::string> outputs);

private:
  using Values = DeviceBuilder::Values;

  /// The elements of an operand at these iterations: their place, and they.
  Place getPlace(OpOperand &operand, StringRef name) {
    return placeTensor(b, pointers.lookup(name),
                       cast<RankedTensorType>(operand.get().getType()));
  }
  Values load(OpOperand &operand, StringRef name) {
    return loadLanes(b, op, operand, loops, lanes, getPlace(operand, name),
                     getLayout(operand));
  }
  static ElementLayout getLayout(OpOperand &operand) {
    return ElementLayout::getWhole(
        cast<RankedTensorType>(operand.get().getType()));
  }
  Lanes chooseLanes();
  /// The results behind all loops from the given one of a sum on.
  Values runSums(unsigned sum, ValueRange results);
  /// Results are those of the first lane, of the second and so on.
  Values runBody(ValueRange results);

  DeviceBuilder &b;
  linalg::GenericOp op;
  GenericLoops loops;
  Lanes lanes;
  llvm::StringMap<Value> pointers;
  /// Tensors that the body reads by index.
  DenseMap<Value, Place> tables;
  /// Numbers from outside, inside.
  IRMapping numbers;
};
} // namespace

Lanes ElementEmitter::chooseLanes() {
  if (loops.parallel.empty())
    return {};
  LaneLoop candidate{op, loops.parallel.back(), {}};
  for (OpOperand &operand : op->getOpOperands())
    if (isa<RankedTensorType>(operand.get().getType()) &&
        (op.isDpsInit(&operand) || op.payloadUsesValueFromOperand(&operand)))
      candidate.operands.push_back({&operand, getLayout(operand)});
  return {candidate.loop, chooseWidth(candidate)};
}

ElementEmitter::Values ElementEmitter::runBody(ValueRange results) {
  DenseMap<OpOperand *, Values> inputs;
  for (OpOperand *operand : op.getDpsInputOperands())
    if (op.payloadUsesValueFromOperand(operand) &&
        isa<RankedTensorType>(operand->get().getType()))
      inputs[operand] = load(*operand, getInputName(*operand));
  Values next;
  const unsigned count = results.size() / lanes.width;
  for (int64_t lane = 0; lane < lanes.width; ++lane)
    llvm::append_range(
        next,
        emitBody(b, op, lanes.at(b, loops, lane),
                 results.slice(lane * count, count), numbers,
                 {[&](OpOperand &operand) { return inputs[&operand][lane]; },
                  [&](Value tensor, Numbers indices) {
                    return loadElement(b, tables.lookup(tensor), indices);
                  }}));
  return next;
}

ElementEmitter::Values ElementEmitter::runSums(unsigned sum,
                                               ValueRange results) {
  if (sum == loops.sums.size())
    return runBody(results);
  unsigned loop = loops.sums[sum];
  return b.loop(b.number(0), b.number(loops.sizes[loop]), b.number(1), results,
                [&](Number iteration, ValueRange carried) {
                  loops.set(loop, iteration);
                  return runSums(sum + 1, carried);
                });
}

void ElementEmitter::emit(StringRef name, ArrayRef<ElementKernel::Input> inputs,
                          ArrayRef<std::string> outputs) {
  KernelSignature signature(b);
  for (const ElementKernel::Input &input : inputs)
    addMemory(signature, input.name, input.value.getType());
  for (auto [name, type] : llvm::zip(outputs, op.getResultTypes()))
    addMemory(signature, name, type);
  lanes = chooseLanes();
  const int64_t count = loops.iterations / lanes.width;
  int64_t blocks = llvm::divideCeil(count, kThreads);
  auto func = signature.createKernel(name, {{blocks, kBlocksPerMultiprocessor},
                                            kThreads,
                                            /*minBlocks=*/1,
                                            /*cluster=*/1,
                                            /*sharedMemory=*/0,
                                            /*order=*/0});
  OpBuilder::InsertionGuard guard(b);
  Block *entry = func.addEntryBlock(b);
  b.setInsertionPointToStart(entry);
  for (auto [input, argument] : llvm::zip(inputs, entry->getArguments())) {
    pointers[input.name] = argument;
    Type type = input.value.getType();
    if (!isa<ShapedType>(type))
      numbers.map(input.value, loadNumber(b, argument, type));
    else if (StringRef(input.name).starts_with("table"))
      tables[input.value] =
          placeTensor(b, argument, cast<RankedTensorType>(type));
  }
  for (auto [name, argument] :
       llvm::zip(outputs, entry->getArguments().drop_front(inputs.size())))
    pointers[name] = argument;

  Number first = sm80::blockId(b) * kThreads + sm80::threadId(b);
  Number step = sm80::blockCount(b) * kThreads;
  b.loop(first, b.number(count), step, [&](Number iteration) {
    loops.set(b, loops.parallel, iteration, lanes.width);
    Values starts(op.getNumResults() * lanes.width);
    for (auto [number, init] : llvm::enumerate(op.getDpsInitsMutable())) {
      std::string name = "start" + std::to_string(number);
      Values parts =
          pointers.contains(name)
              ? load(init, name)
              : Values(lanes.width,
                       b.zero(getElementTypeOrSelf(init.get().getType())));
      for (auto [lane, part] : llvm::enumerate(parts))
        starts[lane * op.getNumResults() + number] = part;
    }
    Values results = runSums(0, starts);
    for (auto [number, init] : llvm::enumerate(op.getDpsInitsMutable())) {
      Values parts;
      for (int64_t lane = 0; lane < lanes.width; ++lane)
        parts.push_back(results[lane * op.getNumResults() + number]);
      storeLanes(b, op, init, loops, lanes, getPlace(init, outputs[number]),
                 getLayout(init), parts);
    }
  });
  LLVM::ReturnOp::create(b, ValueRange());
}

gpu::GPUModuleOp ElementKernel::emit(OpBuilder &builder, StringRef name) const {
  linalg::GenericOp generic = op;
  auto module = gpu::GPUModuleOp::create(builder, generic.getLoc(), name);
  DeviceBuilder b(generic.getLoc(), builder);
  b.setInsertionPointToStart(module.getBody());
  ElementEmitter(b, generic).emit(name, inputs, getOutputNames());
  numberLaunches(module);
  return module;
}
