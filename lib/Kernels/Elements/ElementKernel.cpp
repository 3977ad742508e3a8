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
// the first result, and a thread takes as many of them as one access does.
// Where an operand's rows lie along another loop, as those of a transpose, it
// takes a patch: as many iterations of that loop, too, so that all accesses are
// of rows. An iteration runs the loops of sums in their order and carries the
// results through them, so that the body is computed as it is written, with
// every rounding. Numbers are of 32 bits, those of the body (linalg.index)
// of 64. An i1 is a byte in memory. What a body reads by index is inside of its
// tensor, whatever the index is.
//
//===----------------------------------------------------------------------===//

#include "amp/Kernels/ElementKernel.h"

#include "Device/Sm80Instructions.h"
#include "Elements/ElementRules.h"
#include "Elements/GenericBody.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mlir::amp;

static constexpr int64_t kThreads = 256, kBlocksPerMultiprocessor = 8;
/// Patches that the lanes of a warp take, along each side.
static constexpr int64_t kPatchesAlongLanes = 8, kPatchesAlongRows = 4;

//===----------------------------------------------------------------------===//
// What has a kernel
//===----------------------------------------------------------------------===//

/// The tensor that an input is read from: that of a slice which begins where
/// the tensor does, in whatever shape, if strides lead to all elements.
static Value getSource(Value tensor) {
  Value source = tensor;
  // In a block that nothing reaches, views may be made of themselves.
  SmallPtrSet<Operation *, 4> seen;
  for (Value value = tensor; isView(value.getDefiningOp());) {
    if (!seen.insert(value.getDefiningOp()).second)
      break;
    auto slice = value.getDefiningOp<tensor::ExtractSliceOp>();
    if (slice &&
        (!slice.hasZeroOffset() || !slice.getSourceType().hasStaticShape() ||
         ShapedType::isDynamicShape(slice.getStaticStrides())))
      break;
    value = value.getDefiningOp()->getOperand(0);
    if (!checkRead(value).empty() ||
        !ElementLayout::get(tensor, [&](Value root) {
           return root == value;
         }).type)
      break;
    if (slice)
      source = value;
  }
  return source;
}

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
      kernel.inputs.push_back(
          {getInputName(*operand), getSource(operand->get())});
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
  ElementEmitter(DeviceBuilder &b, linalg::GenericOp op);

  void emit(StringRef name, ArrayRef<ElementKernel::Input> inputs,
            ArrayRef<std::string> outputs);

private:
  using Values = DeviceBuilder::Values;

  /// The elements of an operand at these iterations: their place, and they.
  Place getPlace(OpOperand &operand, StringRef name) {
    Value pointer = pointers.lookup(name);
    MemRefType type = getLayout(operand).type;
    return type.getLayout().isIdentity()
               ? placeTensor(b, pointer,
                             cast<RankedTensorType>(operand.get().getType()))
               : placeBuffer(b, pointer, type);
  }
  Values load(OpOperand &operand, StringRef name) {
    return loadLanes(b, op, operand, loops, lanes, getPlace(operand, name),
                     getLayout(operand));
  }
  const ElementLayout &getLayout(OpOperand &operand) {
    return layouts[operand.getOperandNumber()];
  }
  /// Whether the body has elements of an input.
  bool isRead(OpOperand *operand) {
    return op.payloadUsesValueFromOperand(operand) &&
           isa<RankedTensorType>(operand->get().getType());
  }
  Lanes chooseLanes();
  /// The other side of a patch; of one iteration if there is none.
  Lanes chooseRows();
  Access getAccessOf(OpOperand &operand, const Lanes &along) {
    return getAccess(op.getMatchingIndexingMap(&operand), getLayout(operand),
                     getElementTypeOrSelf(operand.get().getType()), loops.sizes,
                     along.loop, along.width);
  }
  /// Sets the loops to the first iteration of patch `number`.
  void setPatch(Number number);
  void emitPatch(ArrayRef<std::string> outputs);
  /// The results behind all loops from the given one of a sum on.
  Values runSums(unsigned sum, ValueRange results);
  /// Results are those of the first lane, of the second and so on.
  Values runBody(ValueRange results);

  DeviceBuilder &b;
  linalg::GenericOp op;
  GenericLoops loops;
  /// Of each operand, in the tensor that it is read from; of numbers none.
  SmallVector<ElementLayout> layouts;
  Lanes lanes, rows;
  llvm::StringMap<Value> pointers;
  /// Tensors that the body reads by index.
  DenseMap<Value, Place> tables;
  /// Numbers from outside, inside.
  IRMapping numbers;
};
} // namespace

ElementEmitter::ElementEmitter(DeviceBuilder &b, linalg::GenericOp op)
    : b(b), op(op), loops(op) {
  for (OpOperand &operand : op->getOpOperands()) {
    Value value = operand.get();
    ElementLayout &layout = layouts.emplace_back();
    if (!isa<RankedTensorType>(value.getType()))
      continue;
    Value source = op.isDpsInput(&operand) ? getSource(value) : value;
    layout =
        ElementLayout::get(value, [&](Value root) { return root == source; });
  }
}

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

Lanes ElementEmitter::chooseRows() {
  if (lanes.width == 1 || !loops.sums.empty())
    return {};
  for (OpOperand &init : op.getDpsInitsMutable())
    if (op.payloadUsesValueFromOperand(&init))
      return {};
  for (OpOperand *operand : op.getDpsInputOperands()) {
    if (!isRead(operand) || getAccessOf(*operand, lanes) != Access::Apart)
      continue;
    for (unsigned loop : loops.parallel) {
      int64_t bits = getStorage(getElementTypeOrSelf(operand->get().getType()))
                         .getIntOrFloatBitWidth();
      Lanes along{loop, kWideBytes * 8 / bits};
      while (along.width > 1 && getAccessOf(*operand, along) != Access::Row)
        along.width /= 2;
      if (loop != lanes.loop && along.width > 1)
        return along;
    }
  }
  return {};
}

void ElementEmitter::setPatch(Number number) {
  // Neighbours in a warp write a line of the caches together, and read two
  // sectors.
  auto getShare = [&](const Lanes &side, int64_t most) {
    int64_t count = loops.sizes[side.loop] / side.width;
    while (count % most)
      most /= 2;
    return most;
  };
  const int64_t shareOfLanes = getShare(lanes, kPatchesAlongLanes),
                shareOfRows = getShare(rows, kPatchesAlongRows);
  SmallVector<int64_t> extents;
  for (unsigned loop : loops.parallel) {
    int64_t extent = loops.sizes[loop];
    if (loop == lanes.loop)
      extent /= lanes.width * shareOfLanes;
    if (loop == rows.loop)
      extent /= rows.width * shareOfRows;
    extents.push_back(extent);
  }
  extents.append({shareOfRows, shareOfLanes});
  SmallVector<Number> indices = delinearize(b, extents, number);
  for (auto [loop, index] : llvm::zip(loops.parallel, indices)) {
    if (loop == lanes.loop)
      index = (index * shareOfLanes + indices.back()) * lanes.width;
    if (loop == rows.loop)
      index = (index * shareOfRows + indices[indices.size() - 2]) * rows.width;
    loops.set(loop, index);
  }
}

void ElementEmitter::emitPatch(ArrayRef<std::string> outputs) {
  const GenericLoops first = loops;
  auto getAt = [&](int64_t row, int64_t lane) {
    return lanes.at(b, rows.at(b, first, row), lane);
  };
  // Elements of an input by row and lane. All are read before any is written:
  // a compiler could not tell that these are others.
  DenseMap<OpOperand *, SmallVector<Values>> inputs;
  for (OpOperand *operand : op.getDpsInputOperands()) {
    if (!isRead(operand))
      continue;
    Place place = getPlace(*operand, getInputName(*operand));
    auto read = [&](const GenericLoops &from, const Lanes &along) {
      return loadLanes(b, op, *operand, from, along, place,
                       getLayout(*operand));
    };
    SmallVector<Values> elements(rows.width, Values(lanes.width));
    if (getAccessOf(*operand, lanes) == Access::Apart &&
        getAccessOf(*operand, rows) == Access::Row) {
      for (int64_t lane = 0; lane < lanes.width; ++lane)
        for (auto [row, value] : llvm::enumerate(read(getAt(0, lane), rows)))
          elements[row][lane] = value;
    } else {
      for (int64_t row = 0; row < rows.width; ++row)
        elements[row] = read(getAt(row, 0), lanes);
    }
    inputs[operand] = std::move(elements);
  }
  Values zeros;
  for (Value init : op.getDpsInits())
    zeros.push_back(b.zero(getElementTypeOrSelf(init.getType())));
  SmallVector<Values> results;
  for (int64_t row = 0; row < rows.width; ++row)
    for (int64_t lane = 0; lane < lanes.width; ++lane)
      results.push_back(emitBody(
          b, op, getAt(row, lane), zeros, numbers,
          {[&](OpOperand &operand) { return inputs[&operand][row][lane]; },
           [&](Value tensor, Numbers indices) {
             return loadElement(b, tables.lookup(tensor), indices);
           }}));
  for (auto [number, init] : llvm::enumerate(op.getDpsInitsMutable()))
    for (int64_t row = 0; row < rows.width; ++row) {
      Values parts;
      for (int64_t lane = 0; lane < lanes.width; ++lane)
        parts.push_back(results[row * lanes.width + lane][number]);
      storeLanes(b, op, init, getAt(row, 0), lanes,
                 getPlace(init, outputs[number]), getLayout(init), parts);
    }
}

ElementEmitter::Values ElementEmitter::runBody(ValueRange results) {
  DenseMap<OpOperand *, Values> inputs;
  for (OpOperand *operand : op.getDpsInputOperands())
    if (isRead(operand))
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
  rows = chooseRows();
  const int64_t count = loops.iterations / lanes.width / rows.width;
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
    if (rows.width > 1) {
      setPatch(iteration);
      return emitPatch(outputs);
    }
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
