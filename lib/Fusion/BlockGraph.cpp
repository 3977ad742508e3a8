//===- BlockGraph.cpp - Operations of a block, and who waits for whom -----===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An operation waits for those that compute what it reads, and, if what it does
// depends on what was done before it, for the last such operation: effects, and
// reads by index that an assertion guards.
//
//===----------------------------------------------------------------------===//

#include "BlockGraph.h"

#include "amp/Analysis/IndexBounds.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlir::amp;

/// True if what `op` does depends on what was done before it in ways that no
/// value shows: effects, and reads by index that an assertion may guard, since
/// data say where they are.
static bool isOrdered(Operation *op) {
  if (!isMemoryEffectFree(op))
    return true;
  WalkResult result = op->walk([](Operation *inner) {
    bool readsByIndex = false;
    if (auto extract = dyn_cast<tensor::ExtractOp>(inner))
      readsByIndex = !llvm::all_of(
          llvm::zip_equal(extract.getIndices(),
                          extract.getTensor().getType().getShape()),
          [](auto pair) {
            return isWithin(std::get<0>(pair), std::get<1>(pair));
          });
    if (auto slice = dyn_cast<OffsetSizeAndStrideOpInterface>(inner))
      readsByIndex = llvm::any_of(
          llvm::concat<const int64_t>(slice.getStaticOffsets(),
                                      slice.getStaticSizes(),
                                      slice.getStaticStrides()),
          [](int64_t number) { return ShapedType::isDynamic(number); });
    bool mayFail = inner->getNumRegions() == 0 &&
                   !inner->hasTrait<OpTrait::IsTerminator>() &&
                   !isSpeculatable(inner);
    return readsByIndex || mayFail ? WalkResult::interrupt()
                                   : WalkResult::advance();
  });
  return result.wasInterrupted();
}

/// What alone reads `op`, and starts from it, if `op` reads no tensor.
static Operation *getStarted(Operation *op) {
  if (op->getNumResults() != 1 || !op->getResult(0).hasOneUse() ||
      isOrdered(op))
    return nullptr;
  OpOperand &use = *op->getResult(0).use_begin();
  auto reader = dyn_cast<linalg::GenericOp>(use.getOwner());
  if (!reader || reader->getBlock() != op->getBlock() ||
      !reader.isDpsInit(&use))
    return nullptr;
  // What it is written over may stand with it itself.
  std::optional<FusionNode> node = FusionNode::get(op);
  bool isFill = node && node->reads.empty() &&
                !cast<linalg::GenericOp>(op)
                     .getDpsInits()[0]
                     .getDefiningOp<linalg::GenericOp>();
  return isFill ? reader : nullptr;
}

BlockGraph::BlockGraph(Block &block, const FusionForms &forms) {
  llvm::DenseMap<Operation *, unsigned> vertexOf;
  auto getInputs = [](Operation &op) {
    llvm::SetVector<Value> inputs(op.operand_begin(), op.operand_end());
    getUsedValuesDefinedAbove(op.getRegions(), inputs);
    return inputs;
  };
  llvm::DenseMap<Operation *, SmallVector<Operation *>> startsOf;
  for (Operation &op : block.without_terminator()) {
    if (Operation *started = getStarted(&op)) {
      startsOf[started].push_back(&op);
      continue;
    }
    // A reshape stands with what it reshapes, if that is all that it needs.
    Operation *source =
        isReshape(&op) ? op.getOperand(0).getDefiningOp() : nullptr;
    if (source && source->getBlock() == &block && op.getNumOperands() == 1) {
      unsigned vertex = vertexOf.lookup(source);
      vertexOf[&op] = vertex;
      reshapes[vertex].push_back(&op);
      continue;
    }
    starts.push_back(startsOf.lookup(&op));
    for (Operation *start : starts.back())
      vertexOf[start] = ops.size();
    vertexOf[&op] = ops.size();
    ops.push_back(&op);
    nodes.push_back(FusionNode::get(&op, forms));
    if (nodes.back())
      llvm::erase_if(nodes.back()->reads, [&](const TensorWalk &walk) {
        return llvm::is_contained(starts.back(), walk.value.getDefiningOp());
      });
    successors.emplace_back();
    predecessors.emplace_back();
    reshapes.emplace_back();
  }
  std::optional<unsigned> lastOrdered;
  for (auto [vertex, op] : llvm::enumerate(ops)) {
    llvm::SetVector<Value> inputs = getInputs(*op);
    for (Operation *start : starts[vertex])
      inputs.insert_range(getInputs(*start));
    for (Value input : inputs) {
      Operation *producer = input.getDefiningOp();
      if (producer && producer->getBlock() == &block)
        addEdge(vertexOf.lookup(producer), vertex);
      readers[getReshapeRoot(input)].push_back(vertex);
    }
    if (isOrdered(op)) {
      if (lastOrdered)
        addEdge(*lastOrdered, vertex);
      lastOrdered = vertex;
    }
  }
  for (Value value : getInputs(*block.getTerminator()))
    yielded.insert(getReshapeRoot(value));
}
