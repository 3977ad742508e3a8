//===- TileFusionGroups.cpp - One loop nest for each group of the plan ----===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Does what the fusion plan says (amp/Fusion/FusionPlan.h). The operations of a
// group become an scf.forall over its tiles, with one operation after the other
// on parts of the tensors:
//
//   %m = max(%x)  %e = exp(%x - %m)  %s = sum(%e)  %y = %e / %s
//   ->
//   %y = forall (%row) {
//     %xr = %x[%row]  %mr = max(%xr)  %er = exp(%xr - %mr)  ...  %y[%row] = %yr
//   }
//
// A part that somebody outside reads is written to its tensor, which is a new
// one unless a loop carries what it starts from; others exist in a tile only.
// Of a sum that goes along the loops each tile writes a part, which begins with
// the neutral element; behind the loops the parts are added, in their order, to
// what the sum starts from:
//
//   %s = sum(%x)  ->  %p = forall (%rows) { %p[%rows / step] = sum(%x[%rows]) }
//                     %s = sum(%p)
//
// So it does not matter in which order tiles are computed, or by how many
// threads.
//
//===----------------------------------------------------------------------===//

#include "SharedBody.h"
#include "amp/Conversion/Host/Passes.h"
#include "amp/Fusion/FusionPlan.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/PatternMatch.h"

#define DEBUG_TYPE "amp-tile-fusion-groups"

namespace mlir::amp {
#define GEN_PASS_DEF_TILEFUSIONGROUPSPASS
#include "amp/Conversion/Host/Passes.h.inc"
} // namespace mlir::amp

using namespace mlir;
using namespace mlir::amp;

/// What a tile may hold at most, whatever the machine: it is on a stack.
static constexpr int64_t kMostBytes = 1 << 20;

/// The same of a tile with a product; what does not fit the stack is allocated.
static constexpr int64_t kMostProductBytes = 1 << 24;

namespace {
/// Where a part lies in its tensor.
struct Slice {
  SmallVector<OpFoldResult> offsets, sizes, strides;

  /// Puts a dimension in front, of which it has what is at `offset`.
  void prepend(OpFoldResult offset, Builder &b) {
    offsets.insert(offsets.begin(), offset);
    sizes.insert(sizes.begin(), b.getIndexAttr(1));
    strides.insert(strides.begin(), b.getIndexAttr(1));
  }
};

/// Writes the loops of one group.
class GroupTiler {
public:
  GroupTiler(const FusionGroup &group, bool carriedInPlace,
             RewriterBase &rewriter)
      : group(group), carriedInPlace(carriedInPlace), rewriter(rewriter),
        loc(rewriter.getFusedLoc(getLocations(group))) {
    for (const FusionNode &node : group.nodes)
      inside.insert(node.operation);
  }

  void tile();

private:
  static SmallVector<Location> getLocations(const FusionGroup &group) {
    SmallVector<Location> locations;
    for (const FusionNode &node : group.nodes)
      locations.push_back(node.operation->getLoc());
    return locations;
  }

  bool isInside(Operation *op) const { return inside.contains(op); }
  /// Results that somebody outside of the group reads.
  SmallVector<OpResult> findOutputs() const;
  bool isReadOutside(Value value) const;
  unsigned getNumber(OpResult result) const;
  SmallVector<int> getResultLoops(OpResult result) const;
  /// The loops that `result` is summed along: it has a part for each of their
  /// steps.
  SmallVector<int> getSummedLoops(OpResult result) const {
    return group.getSummedLoops(getNumber(result));
  }
  /// The end of `loop`, which walks `output` and so `destination`.
  OpFoldResult getExtent(unsigned loop, OpResult output,
                         Value destination) const;
  /// An empty tensor of the type of `result`, or of its parts, whose loops are
  /// the first dimensions; what a loop carries, if `result` goes on from there.
  Value createDestination(OpResult result);
  /// What a part of a sum starts from: tensors of `type` of the neutral element
  /// of `combiner`.
  Value createNeutral(RankedTensorType type, Operation *combiner);
  /// The sum of its `parts`.
  Value combineParts(OpResult result, Value parts);
  Slice getSlice(RankedTensorType type, ArrayRef<int> loops) const;
  void tileOperation(unsigned number);
  /// The part of `value` that a tile reads by loops `loops`.
  Value getPart(Value value, ArrayRef<int> loops);
  RankedTensorType getPartType(RankedTensorType type,
                               ArrayRef<int> loops) const;
  /// `reshape` of a part of its operand.
  Value reshapePart(Operation *reshape, Value source, ArrayRef<int> loops);

  const FusionGroup &group;
  /// Whether what a loop carries is a destination.
  bool carriedInPlace;
  llvm::SmallPtrSet<Operation *, 16> inside;
  RewriterBase &rewriter;
  Location loc;
  SmallVector<Value> indices;
  /// Parts of results of the group, in the tile.
  IRMapping parts;
  /// Of results that are computed in place of what they start from, that.
  IRMapping places;
};
} // namespace

/// The loops of the group that walk the dimensions which `map` indexes by the
/// loops of an operation.
static SmallVector<int> getLoops(AffineMap map, ArrayRef<int> loops) {
  return getGroupLoops(getIndexedLoops(map), loops);
}

bool GroupTiler::isReadOutside(Value value) const {
  return llvm::any_of(value.getUsers(), [&](Operation *user) {
    if (isReshape(user))
      return isReadOutside(user->getResult(0));
    return !isInside(user);
  });
}

SmallVector<OpResult> GroupTiler::findOutputs() const {
  SmallVector<OpResult> outputs;
  for (const FusionNode &node : group.nodes)
    for (OpResult result : node.operation->getResults())
      if (isReadOutside(result))
        outputs.push_back(result);
  return outputs;
}

/// What a loop carries, whose next value is `result`, which starts from it: a
/// new tensor would be a new buffer in each iteration.
static Value getCarried(OpResult result) {
  auto op = cast<linalg::GenericOp>(result.getOwner());
  OpOperand *init = op.getDpsInitOperand(result.getResultNumber());
  auto argument = dyn_cast<BlockArgument>(init->get());
  if (!argument || !op.payloadUsesValueFromOperand(init))
    return {};
  auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
  return loop && loop.getTiedLoopYieldedValue(argument)->get() == result
             ? argument
             : Value();
}

Value GroupTiler::createDestination(OpResult result) {
  auto type = cast<RankedTensorType>(result.getType());
  auto op = cast<linalg::GenericOp>(result.getOwner());
  if (Value carried = getCarried(result);
      carriedInPlace && carried && getSummedLoops(result).empty())
    return carried;
  // What is there before has the extents; it may be filled in the group.
  Value init =
      getFirstInit(op.getDpsInitOperand(result.getResultNumber())->get());
  SmallVector<OpFoldResult> sizes;
  for (int loop : getSummedLoops(result))
    sizes.push_back(
        rewriter.getIndexAttr(group.extents[loop] / group.tile[loop]));
  llvm::append_range(sizes, tensor::getMixedSizes(rewriter, loc, init));
  return tensor::EmptyOp::create(rewriter, loc, sizes, type.getElementType());
}

Value GroupTiler::createNeutral(RankedTensorType type, Operation *combiner) {
  Value empty = tensor::EmptyOp::create(rewriter, loc, type.getShape(),
                                        type.getElementType());
  Value neutral = arith::ConstantOp::create(
      rewriter, loc, *arith::getNeutralElement(combiner));
  SmallVector<utils::IteratorType> kinds(type.getRank(),
                                         utils::IteratorType::parallel);
  return linalg::GenericOp::create(
             rewriter, loc, type, ValueRange(), empty,
             rewriter.getMultiDimIdentityMap(type.getRank()), kinds,
             [&](OpBuilder &b, Location loc, ValueRange) {
               linalg::YieldOp::create(b, loc, neutral);
             })
      .getResult(0);
}

Value GroupTiler::combineParts(OpResult result, Value parts) {
  auto op = cast<linalg::GenericOp>(result.getOwner());
  unsigned number = result.getResultNumber();
  Operation *combiner = group.nodes[getNumber(result)].combiners[number];
  Value total = op.getRegionOutputArgs()[number];
  int64_t rank = cast<RankedTensorType>(parts.getType()).getRank(),
          numSummed = rank - cast<RankedTensorType>(result.getType()).getRank();
  AffineMap all = rewriter.getMultiDimIdentityMap(rank);
  SmallVector<utils::IteratorType> kinds(rank, utils::IteratorType::parallel);
  std::fill_n(kinds.begin(), numSummed, utils::IteratorType::reduction);
  return linalg::GenericOp::create(
             rewriter, op.getLoc(), result.getType(), parts,
             op.getDpsInitOperand(number)->get(),
             {all,
              AffineMap::get(rank, 0, all.getResults().drop_front(numSummed),
                             rewriter.getContext())},
             kinds,
             [&](OpBuilder &b, Location loc, ValueRange args) {
               IRMapping mapping;
               for (Value operand : combiner->getOperands())
                 mapping.map(operand, args[operand == total ? 1 : 0]);
               linalg::YieldOp::create(
                   b, loc, b.clone(*combiner, mapping)->getResults());
             })
      .getResult(0);
}

Slice GroupTiler::getSlice(RankedTensorType type, ArrayRef<int> loops) const {
  Slice slice;
  slice.strides.assign(type.getRank(), rewriter.getIndexAttr(1));
  for (auto [extent, loop] : llvm::zip_equal(type.getShape(), loops)) {
    if (loop == FusionGroup::kNoLoop) {
      slice.offsets.push_back(rewriter.getIndexAttr(0));
      slice.sizes.push_back(rewriter.getIndexAttr(extent));
      continue;
    }
    slice.offsets.push_back(indices[loop]);
    slice.sizes.push_back(rewriter.getIndexAttr(group.tile[loop]));
  }
  return slice;
}

RankedTensorType GroupTiler::getPartType(RankedTensorType type,
                                         ArrayRef<int> loops) const {
  SmallVector<int64_t> shape(type.getShape());
  for (auto [extent, loop] : llvm::zip_equal(shape, loops))
    if (loop != FusionGroup::kNoLoop)
      extent = group.tile[loop];
  return type.clone(shape);
}

Value GroupTiler::reshapePart(Operation *reshape, Value source,
                              ArrayRef<int> loops) {
  RankedTensorType type = getPartType(
      cast<RankedTensorType>(reshape->getResult(0).getType()), loops);
  if (auto expand = dyn_cast<tensor::ExpandShapeOp>(reshape))
    return tensor::ExpandShapeOp::create(rewriter, loc, type, source,
                                         expand.getReassociationIndices());
  return tensor::CollapseShapeOp::create(
      rewriter, loc, type, source,
      cast<tensor::CollapseShapeOp>(reshape).getReassociationIndices());
}

Value GroupTiler::getPart(Value value, ArrayRef<int> loops) {
  if (Value part = parts.lookupOrNull(value))
    return part;
  if (isReshape(value.getDefiningOp()) &&
      parts.contains(getReshapeRoot(value))) {
    // The chain from the part that is in the tile.
    SmallVector<Operation *> chain;
    for (Value source = value; !parts.contains(source);
         source = chain.back()->getOperand(0))
      chain.push_back(source.getDefiningOp());
    SmallVector<SmallVector<int>> walks = {SmallVector<int>(loops)};
    for (Operation *reshape : ArrayRef(chain).drop_back())
      walks.push_back(getSourceLoops(reshape, walks.back()));
    Value part = parts.lookup(chain.back()->getOperand(0));
    for (auto [reshape, walk] :
         llvm::zip_equal(llvm::reverse(chain), llvm::reverse(walks)))
      part = reshapePart(reshape, part, walk);
    return part;
  }
  auto type = cast<RankedTensorType>(value.getType());
  if (llvm::all_of(loops,
                   [](int loop) { return loop == FusionGroup::kNoLoop; }))
    return value;
  Slice slice = getSlice(type, loops);
  return tensor::ExtractSliceOp::create(rewriter, loc, getPartType(type, loops),
                                        value, slice.offsets, slice.sizes,
                                        slice.strides);
}

void GroupTiler::tileOperation(unsigned number) {
  auto op = cast<linalg::GenericOp>(group.nodes[number].operation);
  ArrayRef<int> loops = group.loops[number];
  SmallVector<Value> operands;
  SmallVector<Type> types;
  for (OpOperand &operand : op->getOpOperands()) {
    Value value = operand.get();
    auto type = dyn_cast<RankedTensorType>(value.getType());
    if (!type) {
      operands.push_back(value);
      continue;
    }
    SmallVector<int> walk =
        getLoops(op.getMatchingIndexingMap(&operand), loops);
    RankedTensorType partType = getPartType(type, walk);
    if (!op.isDpsInit(&operand)) {
      operands.push_back(getPart(value, walk));
      continue;
    }
    types.push_back(partType);
    unsigned result = op.getTiedOpResult(&operand).getResultNumber();
    Value place = places.lookupOrNull(op->getResult(result));
    if (!group.getSummedLoops(number).empty())
      operands.push_back(
          createNeutral(partType, group.nodes[number].combiners[result]));
    else if (op.payloadUsesValueFromOperand(&operand))
      operands.push_back(getPart(place ? place : value, walk));
    else
      operands.push_back(tensor::EmptyOp::create(
          rewriter, loc, partType.getShape(), type.getElementType()));
  }
  auto tiled = cast<linalg::GenericOp>(
      clone(rewriter, op.getOperation(), types, operands));
  SmallVector<OpFoldResult> offsets(loops.size(), rewriter.getIndexAttr(0));
  for (auto [offset, loop] : llvm::zip_equal(offsets, loops))
    if (loop != FusionGroup::kNoLoop)
      offset = indices[loop];
  offsetIndices(rewriter, tiled, offsets);
  rewriter.setInsertionPointAfter(tiled);
  parts.map(op->getResults(), tiled->getResults());
}

/// Erases `op` and reshapes of it, if they are reshapes that nobody reads.
static void eraseReshapes(RewriterBase &rewriter, Operation *op) {
  if (!isReshape(op))
    return;
  for (Operation *user : llvm::make_early_inc_range(op->getUsers()))
    eraseReshapes(rewriter, user);
  if (op->use_empty())
    rewriter.eraseOp(op);
}

OpFoldResult GroupTiler::getExtent(unsigned loop, OpResult output,
                                   Value destination) const {
  if (!ShapedType::isDynamic(group.extents[loop]))
    return rewriter.getIndexAttr(group.extents[loop]);
  SmallVector<int> walk = getResultLoops(output);
  int64_t dim = std::distance(walk.begin(), llvm::find(walk, int(loop)));
  // Parts of a sum are in front.
  dim += cast<RankedTensorType>(destination.getType()).getRank() - walk.size();
  return tensor::getMixedSize(rewriter, loc, destination, dim);
}

unsigned GroupTiler::getNumber(OpResult result) const {
  return std::distance(group.nodes.begin(),
                       llvm::find_if(group.nodes, [&](const FusionNode &node) {
                         return node.operation == result.getOwner();
                       }));
}

SmallVector<int> GroupTiler::getResultLoops(OpResult result) const {
  auto op = cast<linalg::GenericOp>(result.getOwner());
  return getLoops(op.getIndexingMapMatchingResult(result),
                  group.loops[getNumber(result)]);
}

void GroupTiler::tile() {
  SmallVector<OpResult> outputs = findOutputs();
  if (outputs.empty())
    return; // dead
  rewriter.setInsertionPoint(group.nodes.front().operation);
  SmallVector<Value> destinations;
  for (OpResult output : outputs)
    destinations.push_back(createDestination(output));
  SmallVector<OpFoldResult> begins(group.extents.size(),
                                   rewriter.getIndexAttr(0));
  SmallVector<OpFoldResult> ends, steps;
  for (unsigned loop = 0; loop < group.extents.size(); ++loop) {
    steps.push_back(rewriter.getIndexAttr(group.tile[loop]));
    ends.push_back(getExtent(loop, outputs.front(), destinations.front()));
  }
  auto forall = scf::ForallOp::create(rewriter, loc, begins, ends, steps,
                                      destinations, /*mapping=*/std::nullopt);
  rewriter.setInsertionPointToStart(forall.getBody());
  indices = llvm::to_vector_of<Value>(forall.getInductionVars());
  for (auto [output, destination, place] :
       llvm::zip_equal(outputs, destinations, forall.getRegionIterArgs()))
    if (destination == getCarried(output))
      places.map(output, place);
  for (unsigned number = 0; number < group.nodes.size(); ++number)
    tileOperation(number);
  // Which step of its loop a tile is, for parts of sums.
  llvm::SmallDenseMap<int, OpFoldResult> partIndices;
  AffineExpr index = rewriter.getAffineDimExpr(0);
  for (OpResult output : outputs)
    for (int loop : getSummedLoops(output))
      if (auto [it, isNew] = partIndices.try_emplace(loop); isNew)
        it->second = affine::makeComposedFoldedAffineApply(
            rewriter, loc, index.floorDiv(group.tile[loop]),
            OpFoldResult(indices[loop]));

  rewriter.setInsertionPointToStart(forall.getTerminator().getBody());
  for (auto [output, destination] :
       llvm::zip_equal(outputs, forall.getRegionIterArgs())) {
    Slice slice = getSlice(cast<RankedTensorType>(output.getType()),
                           getResultLoops(output));
    SmallVector<int> summed = getSummedLoops(output);
    for (int loop : llvm::reverse(summed))
      slice.prepend(partIndices[loop], rewriter);
    tensor::ParallelInsertSliceOp::create(rewriter, loc, parts.lookup(output),
                                          destination, slice.offsets,
                                          slice.sizes, slice.strides);
  }
  shareBodies(*forall.getBody(), rewriter);
  for (auto [output, result] : llvm::zip_equal(outputs, forall.getResults())) {
    rewriter.setInsertionPoint(output.getOwner());
    rewriter.replaceAllUsesWith(output, getSummedLoops(output).empty()
                                            ? Value(result)
                                            : combineParts(output, result));
  }
  // Readers first; reshapes of what is in tiles only are dead now, and so is
  // what the operations would have written to.
  for (const FusionNode &node : llvm::reverse(group.nodes)) {
    auto op = cast<linalg::GenericOp>(node.operation);
    for (Operation *user : llvm::make_early_inc_range(op->getUsers()))
      eraseReshapes(rewriter, user);
    llvm::SetVector<Value> inits;
    inits.insert_range(op.getDpsInits());
    rewriter.eraseOp(op);
    for (Value init : inits)
      if (auto empty = init.getDefiningOp<tensor::EmptyOp>();
          empty && empty->use_empty())
        rewriter.eraseOp(empty);
  }
}

namespace {
struct TileFusionGroups
    : public amp::impl::TileFusionGroupsPassBase<TileFusionGroups> {
  using Base::Base;

  LogicalResult initialize(MLIRContext *context) override {
    for (auto [name, number, most] :
         {std::tuple("close-bytes", closeBytes.getValue(), kMostBytes),
          std::tuple("tile-bytes", tileBytes.getValue(), kMostBytes),
          std::tuple("run-bytes", runBytes.getValue(), kMostBytes),
          std::tuple("tiles", tiles.getValue(), kMostBytes),
          std::tuple("product-bytes", productBytes.getValue(),
                     kMostProductBytes),
          std::tuple("packed-bytes", packedBytes.getValue(), kMostProductBytes),
          std::tuple("product-rows", productRows.getValue(), kMostBytes),
          std::tuple("product-columns", productColumns.getValue(), kMostBytes),
          std::tuple("product-tiles", productTiles.getValue(), kMostBytes)})
      if (number < 1 || number > most)
        return emitError(UnknownLoc::get(context))
               << "expected '" << name << "' to be from 1 to " << most
               << ", but got " << number;
    return success();
  }

  void runOnOperation() override {
    FusionTarget target;
    target.closeBytes = closeBytes;
    target.tileBytes = tileBytes;
    target.runBytes = runBytes;
    target.tiles = tiles;
    target.productBytes = productBytes;
    target.packedBytes = packedBytes;
    target.productRows = productRows;
    target.productColumns = productColumns;
    target.productTiles = productTiles;
    target.sumsAlone = sumsAlone;
    target.forms.vectorsAsSums = sumsAlone;
    SmallVector<Block *> blocks;
    getOperation().walk([&](Block *block) {
      if (llvm::hasNItemsOrMore(block->getOps<linalg::GenericOp>(),
                                sumsAlone ? 1 : 2))
        blocks.push_back(block);
    });
    IRRewriter rewriter(&getContext());
    for (Block *block : blocks) {
      FusionPlan plan = FusionPlan::compute(*block, target);
      for (Operation *op : plan.order)
        op->moveBefore(block, block->getTerminator()->getIterator());
      for (const FusionGroup &group : plan.groups)
        GroupTiler(group, carriedInPlace, rewriter).tile();
      numGroups += plan.groups.size();
      numBytesBefore += plan.bytesBefore;
      numBytesAfter += plan.bytesAfter;
      for (const FusionGroup &group : plan.groups)
        numOperations += group.nodes.size();
    }
  }
};
} // namespace
