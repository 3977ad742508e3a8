//===- RecomputeElements.cpp - Values that follow from what is read -------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An operation that reads a tensor, and another that was computed from the
// first one element by element, reads the first alone:
//
//   %t = tanh(%h)                        %t = tanh(%h)
//   %y = f(%h, %t)                ->     %y = f(%h, %t)
//   ...                                  ...
//   %g = d(%dy, %h, %t)                  %own = tanh(%h)
//                                        %g = d(%dy, %h, %own)
//
// Elementwise fusion then takes the copy into its reader, and %t, which has one
// reader left, into %y. The backward pass of JAX's gelu keeps three such values
// of each element.
//
// A value may follow from others that do, as a chain. Rows and columns, of
// which there are few, may come from anywhere.
//
// A value of a few operations on one tensor, which another reads as well, is
// not kept at all: all who read it read the tensor instead.
//
//   %m = mean(%x)                        %m = mean(%x)
//   %c = %x - %m                  ->     %v = variance(%x - %m)
//   %v = variance(%c)                    %y = (%x - %m) * rsqrt(%v)
//   %y = %c * rsqrt(%v)
//
//===----------------------------------------------------------------------===//

#include "amp/Analysis/Contraction.h"
#include "amp/Analysis/Elementwise.h"
#include "amp/Conversion/Device/Passes.h"
#include "amp/Support/ShapedBytes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"

#define DEBUG_TYPE "amp-recompute-elements"

namespace mlir::amp {
#define GEN_PASS_DEF_RECOMPUTEELEMENTSPASS
#include "amp/Conversion/Device/Passes.h.inc"
} // namespace mlir::amp

using namespace mlir;
using namespace mlir::amp;

/// Operations on elements that a reader gets at most.
static constexpr int64_t kMostOperations = 64;
/// Elements below which a tensor costs no more than the launch that an
/// operation may become that is not shared any more.
static constexpr int64_t kFewElements = 4096;
/// Times that a tensor is larger than others that count as nothing beside it.
static constexpr int64_t kMuchLarger = 16;

/// Operations on numbers after which a tensor is worth more than what it is
/// computed from. Each of its readers would repeat them.
static constexpr int64_t kFewOperations = 4;
/// Those of a reader that has room for them: elementwise fusion stops at twice
/// as many.
static constexpr int64_t kMostOfReader = 128;

/// Whether `op` is an operation on elements. What may be heard of is computed
/// once.
static bool isElementwise(linalg::GenericOp op) {
  return readsByElement(op) && isMemoryEffectFree(op);
}

namespace {
/// Values that a reader can compute for itself.
class OwnValues {
public:
  explicit OwnValues(linalg::GenericOp reader);

  bool empty() const { return sources.empty(); }
  /// Has the reader compute them.
  void compute();

private:
  /// What computes `value`, if the reader could.
  linalg::GenericOp findSource(Value value) const;
  /// Operations on elements that it takes to compute `value`, one more than
  /// kMostOperations for more. `counts` has those that are known.
  int64_t countOperations(Value value, llvm::DenseMap<Value, int64_t> &counts);
  Value clone(OpBuilder &b, Value value);

  linalg::GenericOp reader;
  llvm::SetVector<Value> inputs;
  llvm::MapVector<Value, linalg::GenericOp> sources;
};
} // namespace

OwnValues::OwnValues(linalg::GenericOp reader)
    : reader(reader),
      inputs(reader.getInputs().begin(), reader.getInputs().end()) {
  for (Value input : inputs)
    if (linalg::GenericOp source = findSource(input))
      sources[input] = source;
  // Whoever needs one that takes too many takes more.
  llvm::DenseMap<Value, int64_t> counts;
  for (Value input : inputs)
    countOperations(input, counts);
  sources.remove_if([&](const auto &entry) {
    return counts.lookup(entry.first) > kMostOperations;
  });
}

linalg::GenericOp OwnValues::findSource(Value value) const {
  auto source = value.getDefiningOp<linalg::GenericOp>();
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!source || !type || !type.hasStaticShape() ||
      type.getNumElements() < kFewElements ||
      source->getBlock() != reader->getBlock() ||
      !source->isBeforeInBlock(reader) || value.hasOneUse() ||
      source->getNumResults() != 1 || !isElementwise(source) ||
      source.payloadUsesValueFromOperand(source.getDpsInitOperand(0)))
    return {};
  bool isRead = false;
  for (Value operand : source.getInputs()) {
    auto shaped = dyn_cast<RankedTensorType>(operand.getType());
    // In a block that nothing reaches, a value may be made of itself.
    Operation *maker = operand.getDefiningOp();
    bool isInput = inputs.contains(operand) &&
                   (!maker || maker->getBlock() != source->getBlock() ||
                    maker->isBeforeInBlock(source));
    bool isSmall = !shaped || (shaped.hasStaticShape() &&
                               shaped.getNumElements() <=
                                   type.getNumElements() / kMuchLarger);
    if (!isInput && !isSmall)
      return {};
    isRead |= isInput;
  }
  // What follows from rows and columns alone is another's concern.
  return isRead ? source : linalg::GenericOp();
}

int64_t OwnValues::countOperations(Value value,
                                   llvm::DenseMap<Value, int64_t> &counts) {
  auto found = sources.find(value);
  if (found == sources.end())
    return 0;
  if (auto known = counts.find(value); known != counts.end())
    return known->second;
  linalg::GenericOp source = found->second;
  int64_t count = source.getBody()->getOperations().size();
  for (Value operand : source.getInputs())
    count =
        std::min(kMostOperations + 1, count + countOperations(operand, counts));
  counts[value] = count;
  return count;
}

Value OwnValues::clone(OpBuilder &b, Value value) {
  auto found = sources.find(value);
  if (found == sources.end())
    return value;
  auto copy = cast<linalg::GenericOp>(b.clone(*found->second));
  b.setInsertionPoint(copy);
  for (OpOperand *operand : copy.getDpsInputOperands())
    operand->set(clone(b, operand->get()));
  b.setInsertionPointAfter(copy);
  return copy.getResult(0);
}

void OwnValues::compute() {
  OpBuilder b(reader);
  for (OpOperand *input : reader.getDpsInputOperands()) {
    b.setInsertionPoint(reader);
    input->set(clone(b, input->get()));
  }
}

/// Whether `value` is in memory though one reader less would read it, as it is
/// or in another shape.
static bool isInMemoryAnyway(Value value) {
  for (;;) {
    if (!value.hasOneUse() || isa<BlockArgument>(value))
      return true;
    Operation *maker = value.getDefiningOp();
    if (!isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(maker))
      return false;
    value = maker->getOperand(0);
  }
}

/// The one tensor that `op` computes elements of its size from, of no more
/// bytes, if others that it reads are rows and columns.
static Value getOneTensor(linalg::GenericOp op, RankedTensorType type) {
  Value tensor;
  for (Value input : op.getInputs()) {
    auto shaped = dyn_cast<RankedTensorType>(input.getType());
    if (!shaped)
      continue;
    if (!shaped.hasStaticShape())
      return {};
    if (shaped.getNumElements() <= type.getNumElements() / kMuchLarger)
      continue;
    if (tensor || shaped.getNumElements() > type.getNumElements() ||
        getElementBytes(shaped) > getElementBytes(type))
      return {};
    tensor = input;
  }
  return tensor;
}

/// Those who read `op`, if all can do without its result and read no more.
static llvm::SetVector<Operation *> getReadersWithout(linalg::GenericOp op) {
  if (!isCheapByElement(op) ||
      llvm::range_size(op.getBody()->without_terminator()) > kFewOperations)
    return {};
  auto type = cast<RankedTensorType>(op.getResult(0).getType());
  if (!type.hasStaticShape() || type.getNumElements() < kFewElements)
    return {};
  Value tensor = getOneTensor(op, type);
  if (!tensor || !isInMemoryAnyway(tensor))
    return {};
  std::optional<llvm::SetVector<Operation *>> readers = getGenericReaders(op);
  if (!readers || readers->size() < 2)
    return {};
  // A copy in front of each, which elementwise fusion takes into it. In a block
  // that nothing reaches a reader may be in front of what it reads.
  auto canCompute = [&](Operation *of) {
    auto reader = cast<linalg::GenericOp>(of);
    return reader->getBlock() == op->getBlock() &&
           op->isBeforeInBlock(reader) && failed(matchContraction(reader)) &&
           int64_t(reader.getBody()->getOperations().size()) <= kMostOfReader;
  };
  auto readsEachOnce = [](OpOperand &use) {
    auto reader = cast<linalg::GenericOp>(use.getOwner());
    return reader.getMatchingIndexingMap(&use).isPermutation();
  };
  if (!llvm::all_of(*readers, canCompute) ||
      !llvm::all_of(op->getUses(), readsEachOnce))
    return {};
  return *readers;
}

namespace {
struct RecomputeElements
    : public amp::impl::RecomputeElementsPassBase<RecomputeElements> {
  void runOnOperation() override {
    SmallVector<linalg::GenericOp> ops;
    getOperation().walk([&](linalg::GenericOp op) {
      if (isElementwise(op))
        ops.push_back(op);
    });
    // Readers first: what they compute themselves has fewer readers then, and
    // may be taken into one by elementwise fusion.
    for (linalg::GenericOp op : llvm::reverse(ops)) {
      OwnValues own(op);
      if (own.empty())
        continue;
      own.compute();
      ++numReaders;
    }
    // Last: readers of copies would not be seen to read the same.
    getOperation().walk([&](linalg::GenericOp op) {
      llvm::SetVector<Operation *> readers = getReadersWithout(op);
      if (readers.empty())
        return;
      for (Operation *reader : readers) {
        Operation *own = OpBuilder(reader).clone(*op);
        reader->replaceUsesOfWith(op->getResult(0), own->getResult(0));
      }
      op->erase();
      ++numLeftOut;
    });
  }
};
} // namespace
