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
// the first result. An iteration runs the loops of sums in their order and
// carries the results through them, so that the body is computed as it is
// written, with every rounding. Numbers are of 32 bits, those of the body
// (linalg.index) of 64. An i1 is a byte in memory. What a body reads by index
// is inside of its tensor, whatever the index is.
//
//===----------------------------------------------------------------------===//

#include "amp/Kernels/ElementKernel.h"

#include "Device/KernelSignature.h"
#include "Device/Sm80Instructions.h"
#include "Elements/ElementRules.h"
#include "amp/Analysis/IndexBounds.h"
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
  ElementEmitter(DeviceBuilder &b, linalg::GenericOp op) : b(b), op(op) {}

  void emit(StringRef name, ArrayRef<ElementKernel::Input> inputs,
            ArrayRef<std::string> outputs);

private:
  using Values = DeviceBuilder::Values;

  /// Where an element of a tensor stands, behind the first.
  Number locate(RankedTensorType type, ArrayRef<Number> indices);
  Number evaluate(AffineExpr expression);
  /// An index of a body into a dimension of `size`. The check of an index may
  /// not have been read yet, so one that may lie outside is clamped.
  Number narrow(Value index, int64_t size, bool isInside);
  Value load(Value pointer, Type element, Number offset);
  void store(Value value, Value pointer, Type element, Number offset);
  /// The element of an operand at this iteration: its place, and itself.
  Number locate(OpOperand &operand);
  Value load(OpOperand &operand, StringRef name);
  /// Sets the parallel loops to an iteration.
  void setIteration(Number iteration);
  /// The results behind all loops from the given one of a sum on.
  Values runSums(unsigned sum, ValueRange results);
  Values runBody(ValueRange results);

  DeviceBuilder &b;
  linalg::GenericOp op;
  llvm::StringMap<Value> pointers;
  /// The pointers of tensors that the body reads by index.
  DenseMap<Value, Value> tables;
  /// Numbers from outside, inside.
  IRMapping numbers;
  SmallVector<Number> loops;
  SmallVector<unsigned> sums;
};
} // namespace

Number ElementEmitter::locate(RankedTensorType type, ArrayRef<Number> indices) {
  Number offset = b.number(0);
  for (auto [size, index] : llvm::zip(type.getShape(), indices))
    offset = offset * size + index;
  return offset;
}

Number ElementEmitter::evaluate(AffineExpr expression) {
  if (auto loop = dyn_cast<AffineDimExpr>(expression))
    return loops[loop.getPosition()];
  if (auto constant = dyn_cast<AffineConstantExpr>(expression))
    return b.number(constant.getValue());
  auto binary = cast<AffineBinaryOpExpr>(expression);
  Number left = evaluate(binary.getLHS()), right = evaluate(binary.getRHS());
  return binary.getKind() == AffineExprKind::Add ? left + right : left * right;
}

Number ElementEmitter::narrow(Value index, int64_t size, bool isInside) {
  // Before it has 32 bits: 2^32 is no 0. Unsigned: what is negative is large.
  if (!isInside)
    index = arith::MinUIOp::create(b, index,
                                   arith::ConstantIndexOp::create(b, size - 1));
  return b.number(
      arith::IndexCastOp::create(b, b.getI32Type(), index).getResult());
}

Value ElementEmitter::load(Value pointer, Type element, Number offset) {
  Type storage = getStorage(element);
  Value value = b.load(
      storage, b.element(pointer, storage, b.number(0), b.number(0), offset),
      llvm::divideCeil(storage.getIntOrFloatBitWidth(), 8));
  return storage == element
             ? value
             : arith::TruncIOp::create(b, element, value).getResult();
}

void ElementEmitter::store(Value value, Value pointer, Type element,
                           Number offset) {
  Type storage = getStorage(element);
  if (storage != element)
    value = arith::ExtUIOp::create(b, storage, value);
  b.store(value, b.element(pointer, storage, b.number(0), b.number(0), offset),
          llvm::divideCeil(storage.getIntOrFloatBitWidth(), 8));
}

Number ElementEmitter::locate(OpOperand &operand) {
  SmallVector<Number> indices;
  for (AffineExpr expression : op.getMatchingIndexingMap(&operand).getResults())
    indices.push_back(evaluate(expression));
  return locate(cast<RankedTensorType>(operand.get().getType()), indices);
}

Value ElementEmitter::load(OpOperand &operand, StringRef name) {
  return load(pointers.lookup(name),
              getElementTypeOrSelf(operand.get().getType()), locate(operand));
}

void ElementEmitter::setIteration(Number iteration) {
  SmallVector<int64_t> sizes = op.getStaticLoopRanges();
  loops.assign(sizes.size(), b.number(0));
  AffineMap map = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  for (AffineExpr expression : llvm::reverse(map.getResults())) {
    auto dimension = dyn_cast<AffineDimExpr>(expression);
    if (!dimension)
      continue;
    unsigned loop = dimension.getPosition();
    loops[loop] = iteration % sizes[loop];
    iteration = iteration / sizes[loop];
  }
}

ElementEmitter::Values ElementEmitter::runBody(ValueRange results) {
  IRMapping values = numbers;
  for (OpOperand *operand : op.getDpsInputOperands()) {
    BlockArgument inside = op.getMatchingBlockArgument(operand);
    Value value = operand->get();
    if (inside.use_empty())
      continue;
    if (isa<ShapedType>(value.getType()))
      values.map(inside, load(*operand, getInputName(*operand)));
    else if (isConstant(value))
      values.map(inside, b.clone(*value.getDefiningOp())->getResult(0));
    else
      values.map(inside, numbers.lookup(value));
  }
  for (auto [inside, value] : llvm::zip(op.getRegionOutputArgs(), results))
    values.map(inside, value);
  for (Operation &inner : op.getBody()->without_terminator()) {
    for (Value operand : inner.getOperands())
      if (!values.contains(operand) && isConstant(operand) &&
          operand.getParentBlock() != op.getBody())
        values.map(operand, b.clone(*operand.getDefiningOp())->getResult(0));
    if (auto index = dyn_cast<linalg::IndexOp>(inner)) {
      Value loop = loops[index.getDim()];
      values.map(
          index.getResult(),
          arith::IndexCastUIOp::create(b, b.getIndexType(), loop).getResult());
    } else if (auto extract = dyn_cast<tensor::ExtractOp>(inner)) {
      SmallVector<Number> indices;
      auto type = extract.getTensor().getType();
      for (auto [index, size] :
           llvm::zip(extract.getIndices(), type.getShape()))
        indices.push_back(narrow(values.lookup(index), size,
                                 /*isInside=*/isWithin(index, size)));
      values.map(extract.getResult(),
                 load(tables.lookup(extract.getTensor()), type.getElementType(),
                      locate(type, indices)));
    } else {
      b.clone(inner, values);
    }
  }
  return llvm::map_to_vector(
      op.getBody()->getTerminator()->getOperands(), [&](Value value) -> Value {
        if (!values.contains(value) && isConstant(value))
          return b.clone(*value.getDefiningOp())->getResult(0);
        return values.lookup(value);
      });
}

ElementEmitter::Values ElementEmitter::runSums(unsigned sum,
                                               ValueRange results) {
  if (sum == sums.size())
    return runBody(results);
  int64_t size = op.getStaticLoopRanges()[sums[sum]];
  return b.loop(b.number(0), b.number(size), b.number(1), results,
                [&](Number iteration, ValueRange carried) {
                  loops[sums[sum]] = iteration;
                  return runSums(sum + 1, carried);
                });
}

void ElementEmitter::emit(StringRef name, ArrayRef<ElementKernel::Input> inputs,
                          ArrayRef<std::string> outputs) {
  KernelSignature signature(b);
  auto addMemory = [&](StringRef name, Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    signature.addBuffer(name, getStorage(getElementTypeOrSelf(type)),
                        tensor ? tensor.getNumElements() : 1);
  };
  for (const ElementKernel::Input &input : inputs)
    addMemory(input.name, input.value.getType());
  for (auto [name, type] : llvm::zip(outputs, op.getResultTypes()))
    addMemory(name, type);
  int64_t count = 1;
  for (auto [loop, size, type] :
       llvm::enumerate(op.getStaticLoopRanges(), op.getIteratorTypesArray()))
    if (type == utils::IteratorType::parallel)
      count *= size;
    else
      sums.push_back(loop);
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
      numbers.map(input.value, load(argument, type, b.number(0)));
    else if (StringRef(input.name).starts_with("table"))
      tables[input.value] = argument;
  }
  for (auto [name, argument] :
       llvm::zip(outputs, entry->getArguments().drop_front(inputs.size())))
    pointers[name] = argument;

  Number first = sm80::blockId(b) * kThreads + sm80::threadId(b);
  Number step = sm80::blockCount(b) * kThreads;
  b.loop(first, b.number(count), step, [&](Number iteration) {
    setIteration(iteration);
    Values starts;
    for (auto [number, init] : llvm::enumerate(op.getDpsInitsMutable())) {
      std::string name = "start" + std::to_string(number);
      starts.push_back(pointers.contains(name) ? load(init, name)
                                               : b.zero(getElementTypeOrSelf(
                                                     init.get().getType())));
    }
    Values results = runSums(0, starts);
    for (auto [number, init] : llvm::enumerate(op.getDpsInitsMutable())) {
      store(results[number], pointers.lookup(outputs[number]),
            getElementTypeOrSelf(init.get().getType()), locate(init));
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
