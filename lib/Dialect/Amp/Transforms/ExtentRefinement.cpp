//===- ExtentRefinement.cpp - What follows from known extents -------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One walk in the order of the text. Each operation is made anew with operands
// of known extents, and with results whose extents follow from these; the
// verifier is asked whether that is an operation, and if not, the old one
// stays. Numbers that follow from extents become constants on the way, and a
// branch that such a number chooses takes the place of its scf.if.
//
// Upstream's canonical patterns are no help: they move casts to known extents
// into what produces the value, as claims that nobody checks any more. They are
// right about programs that are right. Here a wrong program has to stay wrong.
//
// A loop carries a refined value if its body, given that, yields that: a copy
// of the loop is tried, without the values for which it does not.
//
//===----------------------------------------------------------------------===//

#include "ExtentRefinement.h"

#include "amp/Dialect/Amp/IR/AmpDialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StructuredOpsUtils.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::amp;

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

/// Whether `type` says all that `other` says of the same tensor, and more.
static bool isMoreStatic(Type type, Type other) {
  return type != other && isa<RankedTensorType>(type) &&
         tensor::preservesStaticInformation(other, type) &&
         tensor::CastOp::areCastCompatible(type, other);
}

Value mlir::amp::getRefined(Value value) {
  auto cast = value.getDefiningOp<tensor::CastOp>();
  return cast && isMoreStatic(cast.getSource().getType(), value.getType())
             ? getRefined(cast.getSource())
             : value;
}

RankedTensorType mlir::amp::join(RankedTensorType a, RankedTensorType b) {
  if (a.getRank() != b.getRank())
    return {};
  SmallVector<int64_t> shape(a.getShape());
  for (auto [extent, other] : llvm::zip_equal(shape, b.getShape())) {
    if (ShapedType::isDynamic(extent))
      extent = other;
    else if (!ShapedType::isDynamic(other) && extent != other)
      return {};
  }
  return a.clone(shape);
}

void mlir::amp::refineInPlace(Value value, Type refined) {
  Type before = value.getType();
  if (before == refined)
    return;
  OpBuilder b(value.getContext());
  b.setInsertionPointAfterValue(value);
  value.setType(refined);
  auto cast = tensor::CastOp::create(b, value.getLoc(), before, value);
  value.replaceAllUsesExcept(cast, cast);
}

SmallVector<Type> mlir::amp::findRefined(ArrayRef<Operation *> ends,
                                         TypeRange types) {
  SmallVector<Type> found(types);
  for (unsigned i = 0; i != found.size(); ++i) {
    Type refined = getRefined(ends.front()->getOperand(i)).getType();
    if (llvm::all_of(ends, [&](Operation *end) {
          return getRefined(end->getOperand(i)).getType() == refined;
        }))
      found[i] = refined;
  }
  return found;
}

void mlir::amp::giveRefined(Operation *end, TypeRange types) {
  for (auto [operand, type] : llvm::zip_equal(end->getOpOperands(), types))
    if (operand.get().getType() != type)
      operand.set(getRefined(operand.get()));
}

static RankedTensorType getRefinedType(Value value) {
  return dyn_cast<RankedTensorType>(getRefined(value).getType());
}

//===----------------------------------------------------------------------===//
// Operations made anew
//===----------------------------------------------------------------------===//

/// `sizes` with attributes for what is constant.
static SmallVector<OpFoldResult> foldSizes(SmallVector<OpFoldResult> sizes) {
  (void)foldDynamicIndexList(sizes);
  return sizes;
}

/// The extents that `sizes`, which are folded, have, dynamic where they are not
/// known, without those that are `dropped`.
static SmallVector<int64_t>
getExtents(ArrayRef<OpFoldResult> sizes,
           const llvm::SmallBitVector &dropped = {}) {
  SmallVector<int64_t> extents;
  for (auto [i, extent] : llvm::enumerate(decomposeMixedValues(sizes).first))
    if (i >= dropped.size() || !dropped[i])
      extents.push_back(extent);
  return extents;
}

/// What `op` would be with operands of known extents: an operation in front of
/// it, to be verified, or null.
static Operation *makeRefined(OpBuilder &b, Operation *op) {
  Location loc = op->getLoc();
  using Made = Operation *;
  return llvm::TypeSwitch<Operation *, Operation *>(op)
      .Case([&](tensor::EmptyOp empty) -> Made {
        return tensor::EmptyOp::create(b, loc, foldSizes(empty.getMixedSizes()),
                                       empty.getType().getElementType(),
                                       empty.getType().getEncoding());
      })
      .Case([&](tensor::ExtractSliceOp slice) -> Made {
        SmallVector<OpFoldResult> sizes = foldSizes(slice.getMixedSizes());
        SmallVector<int64_t> shape = getExtents(sizes, slice.getDroppedDims());
        if (int64_t(shape.size()) != slice.getType().getRank() ||
            llvm::any_of(shape, [](int64_t extent) {
              return !ShapedType::isDynamic(extent) && extent < 0;
            }))
          return nullptr;
        return tensor::ExtractSliceOp::create(
            b, loc, slice.getType().clone(shape), getRefined(slice.getSource()),
            foldSizes(slice.getMixedOffsets()), sizes,
            foldSizes(slice.getMixedStrides()));
      })
      .Case([&](tensor::InsertSliceOp insert) -> Made {
        SmallVector<OpFoldResult> sizes = foldSizes(insert.getMixedSizes());
        // A source of known extents that are not those of the slice has to be
        // checked against them.
        Value source = getRefined(insert.getSource());
        if (getExtents(sizes, insert.getDroppedDims()) !=
            cast<RankedTensorType>(source.getType()).getShape()) {
          source = insert.getSource();
          sizes = insert.getMixedSizes();
        }
        return tensor::InsertSliceOp::create(
            b, loc, source, getRefined(insert.getDest()),
            foldSizes(insert.getMixedOffsets()), sizes,
            foldSizes(insert.getMixedStrides()));
      })
      .Case([&](tensor::CollapseShapeOp collapse) -> Made {
        auto type = join(tensor::CollapseShapeOp::inferCollapsedType(
                             getRefinedType(collapse.getSrc()),
                             collapse.getReassociationMaps()),
                         collapse.getResultType());
        if (!type)
          return nullptr;
        return tensor::CollapseShapeOp::create(
            b, loc, type, getRefined(collapse.getSrc()),
            collapse.getReassociationIndices());
      })
      .Case([&](tensor::ExpandShapeOp expand) -> Made {
        SmallVector<OpFoldResult> sizes = foldSizes(getMixedValues(
            expand.getStaticOutputShape(), expand.getOutputShape(), b));
        return tensor::ExpandShapeOp::create(
            b, loc, expand.getResultType().clone(getExtents(sizes)),
            getRefined(expand.getSrc()), expand.getReassociationIndices(),
            sizes);
      })
      .Case([&](tensor::PadOp pad) -> Made {
        SmallVector<OpFoldResult> low = foldSizes(pad.getMixedLowPad());
        SmallVector<OpFoldResult> high = foldSizes(pad.getMixedHighPad());
        RankedTensorType source = getRefinedType(pad.getSource());
        SmallVector<int64_t> shape(pad.getResultType().getShape());
        for (auto [extent, known, before, after] : llvm::zip_equal(
                 shape, source.getShape(), getExtents(low), getExtents(high))) {
          if (ShapedType::isDynamic(known) || ShapedType::isDynamic(before) ||
              ShapedType::isDynamic(after))
            continue;
          // What is cut off has to be there.
          if (known + std::min<int64_t>(before, 0) +
                  std::min<int64_t>(after, 0) <
              0)
            return nullptr;
          extent = known + before + after;
        }
        return tensor::PadOp::create(b, loc, pad.getResultType().clone(shape),
                                     getRefined(pad.getSource()), low, high,
                                     pad.getNofold());
      })
      .Case([&](tensor::ConcatOp concat) -> Made {
        SmallVector<Value> parts =
            llvm::map_to_vector(concat.getInputs(), getRefined);
        return tensor::ConcatOp::create(b, loc, concat.getDim(), parts);
      })
      .Case<tensor::GenerateOp, tensor::SplatOp>([&](auto whole) -> Made {
        // A splat has its element in front of the extents.
        const unsigned first = isa<tensor::SplatOp>(op);
        SmallVector<OpFoldResult> sizes = getMixedValues(
            whole.getType().getShape(), op->getOperands().drop_front(first), b);
        sizes = foldSizes(sizes);
        SmallVector<Value> operands(op->getOperands().take_front(first));
        llvm::append_range(operands, decomposeMixedValues(sizes).second);
        return cloneWithoutRegions(
            b, op, whole.getType().clone(getExtents(sizes)), operands);
      })
      .Case([&](tensor::ReshapeOp reshape) -> Made {
        auto numbers =
            reshape.getShape().getDefiningOp<tensor::FromElementsOp>();
        auto type = dyn_cast<RankedTensorType>(reshape.getResult().getType());
        RankedTensorType source = getRefinedType(reshape.getSource());
        if (!numbers || !type || !source || !source.hasStaticShape())
          return nullptr;
        SmallVector<int64_t> shape;
        for (Value number : numbers.getElements()) {
          std::optional<int64_t> extent = getConstantIntValue(number);
          if (!extent || *extent < 0)
            return nullptr;
          shape.push_back(*extent);
        }
        auto known = join(type, type.clone(shape));
        if (!known || known.getNumElements() != source.getNumElements())
          return nullptr;
        return tensor::ReshapeOp::create(
            b, loc, known, getRefined(reshape.getSource()), reshape.getShape());
      })
      .Case([&](tensor::InsertOp insert) -> Made {
        return tensor::InsertOp::create(b, loc, insert.getScalar(),
                                        getRefined(insert.getDest()),
                                        insert.getIndices());
      })
      .Case([&](tensor::ExtractOp extract) -> Made {
        return tensor::ExtractOp::create(
            b, loc, getRefined(extract.getTensor()), extract.getIndices());
      })
      .Case([&](DestinationStyleOpInterface structured) -> Made {
        SmallVector<Value> operands =
            llvm::map_to_vector(op->getOperands(), getRefined);
        if (op->getNumResults() != structured.getNumDpsInits())
          return nullptr;
        SmallVector<Type> types;
        for (int64_t i = 0, e = structured.getNumDpsInits(); i != e; ++i)
          types.push_back(
              getRefined(structured.getDpsInitOperand(i)->get()).getType());
        return cloneWithoutRegions(b, op, types, operands);
      })
      .Default([&](Operation *) -> Made {
        if (!OpTrait::hasElementwiseMappableTraits(op) ||
            op->getNumRegions() != 0)
          return nullptr;
        // Operands of other extents, or of unknown ones, have to be checked.
        SmallVector<Value> operands =
            llvm::map_to_vector(op->getOperands(), getRefined);
        std::optional<ArrayRef<int64_t>> shape;
        for (Value operand : operands) {
          auto type = dyn_cast<RankedTensorType>(operand.getType());
          if (!type)
            continue;
          if (shape && *shape != type.getShape())
            return nullptr;
          shape = type.getShape();
        }
        if (!shape)
          return nullptr;
        SmallVector<Type> types =
            llvm::map_to_vector(op->getResultTypes(), [&](Type type) -> Type {
              auto tensor = dyn_cast<RankedTensorType>(type);
              return tensor ? tensor.clone(*shape) : type;
            });
        return cloneWithoutRegions(b, op, types, operands);
      });
}

//===----------------------------------------------------------------------===//
// The walk
//===----------------------------------------------------------------------===//

namespace {
class Refinement {
public:
  void refine(Region &region) {
    for (Block &block : region)
      refine(block);
  }

private:
  void refine(Block &block) {
    for (Operation &op : llvm::make_early_inc_range(block))
      refine(&op);
  }
  void refine(Operation *op);
  bool foldNumber(Operation *op);
  bool takeBranch(scf::IfOp branch);
  void refineLoop(scf::ForOp loop);
  void refineYields(Operation *op);
  void replaceByRefined(Operation *op);

  /// Constants that stand where the program computed a number.
  llvm::DenseSet<Value> computed;
};
} // namespace

void Refinement::refine(Operation *op) {
  if (op->hasTrait<OpTrait::IsTerminator>() || foldNumber(op))
    return;
  if (auto branch = dyn_cast<scf::IfOp>(op); branch && takeBranch(branch))
    return;
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return refineLoop(loop);
  for (Region &region : op->getRegions())
    refine(region);
  if (isa<scf::IfOp, scf::IndexSwitchOp, scf::ExecuteRegionOp, AutocastOp>(op))
    return refineYields(op);
  replaceByRefined(op);
}

/// Replaces a number by a constant, where all that it is computed from is
/// known.
bool Refinement::foldNumber(Operation *op) {
  if (op->getNumResults() != 1 || op->getNumRegions() != 0 ||
      !op->getResult(0).getType().isIntOrIndex() || !isMemoryEffectFree(op) ||
      op->hasTrait<OpTrait::ConstantLike>())
    return false;
  OpBuilder b(op);
  OpFoldResult folded;
  if (auto dim = dyn_cast<tensor::DimOp>(op)) {
    RankedTensorType type = getRefinedType(dim.getSource());
    std::optional<int64_t> number = dim.getConstantIndex();
    if (!type || !number || *number < 0 || *number >= type.getRank() ||
        type.isDynamicDim(*number))
      return false;
    folded = b.getIndexAttr(type.getDimSize(*number));
  } else {
    SmallVector<Attribute> constants;
    for (Value operand : op->getOperands()) {
      Attribute constant;
      if (!operand.getType().isIntOrIndex() ||
          !matchPattern(operand, m_Constant(&constant)))
        return false;
      constants.push_back(constant);
    }
    SmallVector<OpFoldResult> results;
    if (constants.empty() || failed(op->fold(constants, results)) ||
        results.size() != 1)
      return false;
    folded = results.front();
  }
  auto number = dyn_cast_if_present<Attribute>(folded);
  if (!isa_and_present<IntegerAttr>(number))
    return false;
  // A pad or a size below 0 is an error where it is computed, and may be
  // written.
  if (op->getResult(0).getType().isIndex() &&
      cast<IntegerAttr>(number).getValue().isNegative())
    return false;
  Value constant =
      arith::ConstantOp::create(b, op->getLoc(), cast<TypedAttr>(number));
  computed.insert(constant);
  op->replaceAllUsesWith(ValueRange{constant});
  op->erase();
  return true;
}

/// Puts the branch that extents have chosen in the place of `branch`.
bool Refinement::takeBranch(scf::IfOp branch) {
  if (!computed.contains(branch.getCondition()))
    return false;
  Region &taken = matchPattern(branch.getCondition(), m_One())
                      ? branch.getThenRegion()
                      : branch.getElseRegion();
  if (!taken.empty()) {
    Block &block = taken.front();
    refine(block);
    Operation *end = block.getTerminator();
    branch->replaceAllUsesWith(end->getOperands());
    branch->getBlock()->getOperations().splice(
        branch->getIterator(), block.getOperations(), block.begin(),
        end->getIterator());
  }
  branch->erase();
  return true;
}

void Refinement::refineLoop(scf::ForOp loop) {
  SmallVector<unsigned> carried;
  for (auto [i, start] : llvm::enumerate(loop.getInitArgs()))
    if (getRefined(start) != start)
      carried.push_back(i);
  while (!carried.empty()) {
    OpBuilder b(loop);
    auto copy = cast<scf::ForOp>(b.clone(*loop));
    for (unsigned i : carried) {
      OpOperand &start = copy.getInitArgsMutable()[i];
      start.set(getRefined(start.get()));
      refineInPlace(copy.getRegionIterArg(i), start.get().getType());
    }
    refine(*copy.getBody());
    Operation *end = copy.getBody()->getTerminator();
    auto keeps = [&](unsigned i) {
      return getRefined(end->getOperand(i)).getType() ==
             copy.getRegionIterArg(i).getType();
    };
    const size_t tried = carried.size();
    llvm::erase_if(carried, [&](unsigned i) { return !keeps(i); });
    if (carried.size() != tried) {
      copy.erase();
      continue;
    }
    giveRefined(end, ValueRange(copy.getRegionIterArgs()).getTypes());
    loop.replaceAllUsesWith(copy.getResults());
    for (unsigned i : carried)
      refineInPlace(copy.getResult(i), copy.getRegionIterArg(i).getType());
    loop.erase();
    return;
  }
  refine(*loop.getBody());
}

/// What all regions yield with the same extents has them behind `op`.
void Refinement::refineYields(Operation *op) {
  SmallVector<Operation *> yields;
  for (Region &region : op->getRegions()) {
    if (!region.hasOneBlock())
      return;
    yields.push_back(region.front().getTerminator());
  }
  SmallVector<Type> types = findRefined(yields, op->getResultTypes());
  for (Operation *yield : yields)
    giveRefined(yield, types);
  for (auto [result, type] : llvm::zip_equal(op->getResults(), types))
    refineInPlace(result, type);
}

void Refinement::replaceByRefined(Operation *op) {
  // A cast to what is known is none, and one to less of it forgets the rest.
  if (auto cast = dyn_cast<tensor::CastOp>(op)) {
    Value refined = getRefined(cast.getSource());
    if (isMoreStatic(refined.getType(), cast.getType()))
      return cast.getSourceMutable().assign(refined);
    if (refined.getType() != cast.getType())
      return;
    cast.replaceAllUsesWith(refined);
    return cast.erase();
  }
  auto isUnknown = [](Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    return tensor && !tensor.hasStaticShape();
  };
  if (llvm::none_of(op->getResultTypes(), isUnknown) &&
      llvm::all_of(op->getOperands(), [](Value operand) {
        return getRefined(operand) == operand;
      }))
    return;
  OpBuilder b(op);
  Operation *refined = makeRefined(b, op);
  if (!refined)
    return;
  refined->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  auto move = [](Operation *from, Operation *to) {
    for (auto [source, target] :
         llvm::zip_equal(from->getRegions(), to->getRegions()))
      target.takeBody(source);
  };
  move(op, refined);
  bool holds =
      op->getNumResults() == refined->getNumResults() &&
      llvm::all_of(llvm::zip(refined->getResultTypes(), op->getResultTypes()),
                   [](auto types) {
                     auto [after, before] = types;
                     return after == before || isMoreStatic(after, before);
                   });
  if (holds) {
    ScopedDiagnosticHandler silence(op->getContext(),
                                    [](Diagnostic &) { return success(); });
    holds = succeeded(verify(refined, /*verifyRecursively=*/false));
  }
  if (!holds) {
    move(refined, op);
    refined->erase();
    return;
  }
  for (auto [before, after] :
       llvm::zip_equal(op->getResults(), refined->getResults())) {
    Value value = after;
    if (before.getType() != after.getType())
      value = tensor::CastOp::create(b, op->getLoc(), before.getType(), after);
    before.replaceAllUsesWith(value);
  }
  op->erase();
}

void mlir::amp::refineExtents(Region &region) { Refinement().refine(region); }

void mlir::amp::eraseForgetting(Region &region) {
  SmallVector<tensor::CastOp> casts;
  region.walk([&](tensor::CastOp cast) { casts.push_back(cast); });
  for (tensor::CastOp cast : llvm::reverse(casts))
    if (cast->use_empty() &&
        isMoreStatic(cast.getSource().getType(), cast.getType()))
      cast.erase();
}
