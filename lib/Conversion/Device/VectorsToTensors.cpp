//===- VectorsToTensors.cpp - Vectors of a step as tensors ----------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A vector is a value of known extents, as a small tensor is. Each operation on
// vectors is rewritten by itself, between casts from and to the tensors that
// are to be there: transfers are slices or choices (VectorTransfers.cpp),
// elementwise operations take tensors as they are, sums and products are
// linalg.generic, and moves are slices, reshapes and transpositions. What only
// hands vectors on, as loops, branches and calls, is left. Then every vector
// type is replaced by that of its tensor at once, and the casts are gone.
//
// Reductions start with the accumulator where there is one, else with the first
// element, so that no neutral element is needed.
//
//===----------------------------------------------------------------------===//

#include "VectorTransfers.h"
#include "amp/Conversion/Device/Passes.h"
#include "amp/Support/OperationTypes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/FormatVariadic.h"

#define DEBUG_TYPE "amp-vectors-to-tensors"

namespace mlir::amp {
#define GEN_PASS_DEF_VECTORSTOTENSORSPASS
#include "amp/Conversion/Device/Passes.h.inc"
} // namespace mlir::amp

using namespace mlir;
using namespace mlir::amp;

static RankedTensorType getTensor(VectorType type) {
  return RankedTensorType::get(type.getShape(), type.getElementType());
}

static bool hasVectorElements(Type type) {
  auto shaped = dyn_cast<ShapedType>(type);
  return shaped && isa<VectorType>(shaped.getElementType());
}

/// Whether `op` has a vector among its types.
static bool hasVectors(Operation *op) {
  return llvm::any_of(getValueTypes(op), [](Type type) {
    return isa<VectorType>(type) || hasVectorElements(type);
  });
}

namespace {
/// Rewrites one operation.
class Rewrite {
public:
  /// `mask`, of the vector.mask around it, may be missing.
  Rewrite(Operation *op, Value mask) : op(op), b(op), loc(op->getLoc()) {
    if (mask)
      this->mask = tensor(mask);
  }

  /// What stands for the results, numbers and tensors, or nothing and a reason
  /// against it. An operation that only hands vectors on has none of both.
  SmallVector<Value> run(std::string &reason);

private:
  using Body = function_ref<Value(OpBuilder &, Location, ValueRange)>;

  SmallVector<Value> elementwise();
  Value constant(arith::ConstantOp op);
  Value read(vector::TransferReadOp op);
  Value write(vector::TransferWriteOp op);
  Value contract(vector::ContractionOp op);
  Value reduceMany(vector::MultiDimReductionOp op);
  Value reduce(vector::ReductionOp op);
  Value outerProduct(vector::OuterProductOp op);
  Value broadcast(vector::BroadcastOp op);
  Value reshape(vector::ShapeCastOp op);
  Value extract(vector::ExtractOp op);
  Value insert(vector::InsertOp op);
  Value extractStrided(vector::ExtractStridedSliceOp op);
  Value insertStrided(vector::InsertStridedSliceOp op);
  Value transpose(vector::TransposeOp op);
  Value createMask(VectorType type, ArrayRef<OpFoldResult> ends);
  Value step(VectorType type);
  Value shuffle(vector::ShuffleOp op);
  SmallVector<Value> toElements(vector::ToElementsOp op);

  /// What stands for a value: the tensor of a vector, and a number itself.
  Value tensor(Value value);
  Value empty(RankedTensorType type) {
    return tensor::EmptyOp::create(b, loc, type.getShape(),
                                   type.getElementType());
  }
  /// A linalg.generic with one result, which starts with `init`.
  Value generic(ValueRange inputs, Value init, ArrayRef<AffineMap> maps,
                ArrayRef<utils::IteratorType> loops, Body body);
  /// Of one element for each of `type`'s, without the init.
  Value each(RankedTensorType type, ValueRange inputs, ArrayRef<AffineMap> maps,
             Body body);
  /// A tensor without dimensions for a number, and back if `type` is one's.
  Value box(Value value);
  Value unbox(Value value, Type type);
  static Value multiply(OpBuilder &b, Location loc, Value left, Value right,
                        Type type);
  Value slice(Value of, ArrayRef<OpFoldResult> offsets,
              ArrayRef<OpFoldResult> sizes, RankedTensorType type);
  Value put(Value part, Value into, ArrayRef<OpFoldResult> offsets,
            ArrayRef<OpFoldResult> sizes);

  Operation *op;
  OpBuilder b;
  Location loc;
  Value mask;
};
} // namespace

//===----------------------------------------------------------------------===//
// Pieces
//===----------------------------------------------------------------------===//

Value Rewrite::tensor(Value value) {
  auto vector = dyn_cast<VectorType>(value.getType());
  if (!vector)
    return value;
  return UnrealizedConversionCastOp::create(b, loc, getTensor(vector), value)
      .getResult(0);
}

Value Rewrite::generic(ValueRange inputs, Value init, ArrayRef<AffineMap> maps,
                       ArrayRef<utils::IteratorType> loops, Body body) {
  return linalg::GenericOp::create(
             b, loc, init.getType(), inputs, init, maps, loops,
             [&](OpBuilder &b, Location loc, ValueRange elements) {
               linalg::YieldOp::create(b, loc, body(b, loc, elements));
             })
      .getResult(0);
}

Value Rewrite::each(RankedTensorType type, ValueRange inputs,
                    ArrayRef<AffineMap> maps, Body body) {
  SmallVector<AffineMap> all(maps);
  all.push_back(b.getMultiDimIdentityMap(type.getRank()));
  SmallVector<utils::IteratorType> loops(type.getRank(),
                                         utils::IteratorType::parallel);
  return generic(inputs, empty(type), all, loops, body);
}

Value Rewrite::box(Value value) {
  if (isa<RankedTensorType>(value.getType()))
    return value;
  return tensor::FromElementsOp::create(
      b, loc, RankedTensorType::get({}, value.getType()), value);
}

Value Rewrite::unbox(Value value, Type type) {
  if (isa<VectorType>(type))
    return value;
  return tensor::ExtractOp::create(b, loc, value, ValueRange());
}

/// The product in `type`, to which both are extended.
Value Rewrite::multiply(OpBuilder &b, Location loc, Value left, Value right,
                        Type type) {
  auto extend = [&](Value value) -> Value {
    if (value.getType() == type)
      return value;
    if (isa<FloatType>(type))
      return arith::ExtFOp::create(b, loc, type, value);
    return arith::ExtSIOp::create(b, loc, type, value);
  };
  left = extend(left);
  right = extend(right);
  if (isa<FloatType>(type))
    return arith::MulFOp::create(b, loc, left, right);
  return arith::MulIOp::create(b, loc, left, right);
}

Value Rewrite::slice(Value of, ArrayRef<OpFoldResult> offsets,
                     ArrayRef<OpFoldResult> sizes, RankedTensorType type) {
  SmallVector<OpFoldResult> strides(offsets.size(), b.getIndexAttr(1));
  return tensor::ExtractSliceOp::create(b, loc, type, of, offsets, sizes,
                                        strides);
}

Value Rewrite::put(Value part, Value into, ArrayRef<OpFoldResult> offsets,
                   ArrayRef<OpFoldResult> sizes) {
  SmallVector<OpFoldResult> strides(offsets.size(), b.getIndexAttr(1));
  return tensor::InsertSliceOp::create(b, loc, part, into, offsets, sizes,
                                       strides);
}

//===----------------------------------------------------------------------===//
// Computing
//===----------------------------------------------------------------------===//

SmallVector<Value> Rewrite::elementwise() {
  Operation *copy = b.clone(*op);
  b.setInsertionPoint(copy);
  for (OpOperand &operand : copy->getOpOperands())
    operand.set(tensor(operand.get()));
  for (Value result : copy->getResults())
    if (auto vector = dyn_cast<VectorType>(result.getType()))
      result.setType(getTensor(vector));
  b.setInsertionPointAfter(copy);
  return SmallVector<Value>(copy->getResults());
}

Value Rewrite::constant(arith::ConstantOp op) {
  RankedTensorType type = getTensor(cast<VectorType>(op.getType()));
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(op.getValue()))
    return arith::ConstantOp::create(
        b, loc, DenseResourceElementsAttr::get(type, resource.getRawHandle()));
  auto numbers = cast<DenseElementsAttr>(op.getValue());
  return arith::ConstantOp::create(b, loc,
                                   cast<TypedAttr>(numbers.reshape(type)));
}

Value Rewrite::read(vector::TransferReadOp op) {
  return readAsTensor(b, op, op.getMask() ? tensor(op.getMask()) : mask);
}

Value Rewrite::write(vector::TransferWriteOp op) {
  return writeAsTensor(b, op, tensor(op.getVector()),
                       op.getMask() ? tensor(op.getMask()) : mask);
}

Value Rewrite::contract(vector::ContractionOp op) {
  Type type = getElementTypeOrSelf(op.getResultType());
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  SmallVector<Value> inputs = {tensor(op.getLhs()), tensor(op.getRhs())};
  const unsigned loops = maps[0].getNumDims();
  if (mask) {
    inputs.push_back(mask);
    maps.insert(maps.begin() + 2, b.getMultiDimIdentityMap(loops));
  }
  SmallVector<utils::IteratorType> kinds;
  for (vector::IteratorType kind : op.getIteratorTypesArray())
    kinds.push_back(kind == vector::IteratorType::parallel
                        ? utils::IteratorType::parallel
                        : utils::IteratorType::reduction);
  Value sum = generic(inputs, box(tensor(op.getAcc())), maps, kinds,
                      [&](OpBuilder &b, Location loc, ValueRange elements) {
                        Value product =
                            multiply(b, loc, elements[0], elements[1], type);
                        return vector::makeArithReduction(
                            b, loc, op.getKind(), product, elements.back(),
                            /*fastmath=*/nullptr, mask ? elements[2] : Value());
                      });
  return unbox(sum, op.getResultType());
}

Value Rewrite::reduceMany(vector::MultiDimReductionOp op) {
  const unsigned rank = op.getSourceVectorType().getRank();
  AffineMap all = b.getMultiDimIdentityMap(rank);
  SmallVector<AffineMap> maps(mask ? 2 : 1, all);
  SmallVector<utils::IteratorType> kinds;
  SmallVector<AffineExpr> kept;
  for (auto [dim, isReduced] : llvm::enumerate(op.getReductionMask())) {
    kinds.push_back(isReduced ? utils::IteratorType::reduction
                              : utils::IteratorType::parallel);
    if (!isReduced)
      kept.push_back(b.getAffineDimExpr(dim));
  }
  maps.push_back(AffineMap::get(rank, 0, kept, b.getContext()));
  SmallVector<Value> inputs = {tensor(op.getSource())};
  if (mask)
    inputs.push_back(mask);
  Value result =
      generic(inputs, box(tensor(op.getAcc())), maps, kinds,
              [&](OpBuilder &b, Location loc, ValueRange elements) {
                return vector::makeArithReduction(
                    b, loc, op.getKind(), elements[0], elements.back(),
                    /*fastmath=*/nullptr, mask ? elements[1] : Value());
              });
  return unbox(result, op.getDestType());
}

Value Rewrite::reduce(vector::ReductionOp op) {
  VectorType vector = op.getSourceVectorType();
  Value source = tensor(op.getVector()), start = op.getAcc();
  if (vector.getRank() == 0) {
    Value only = tensor::ExtractOp::create(b, loc, source, ValueRange());
    return start ? vector::makeArithReduction(b, loc, op.getKind(), only, start)
                 : only;
  }
  SmallVector<Value> inputs = {source};
  if (mask)
    inputs.push_back(mask);
  if (!start) {
    Value zero = arith::ConstantIndexOp::create(b, loc, 0);
    start = tensor::ExtractOp::create(b, loc, source, zero);
    const int64_t more = vector.getDimSize(0) - 1;
    if (more == 0)
      return start;
    inputs[0] = slice(source, OpFoldResult(b.getIndexAttr(1)),
                      OpFoldResult(b.getIndexAttr(more)),
                      RankedTensorType::get(more, vector.getElementType()));
  }
  AffineMap all = b.getMultiDimIdentityMap(1);
  SmallVector<AffineMap> maps(inputs.size(), all);
  maps.push_back(AffineMap::get(1, 0, b.getContext()));
  Value result =
      generic(inputs, box(start), maps, utils::IteratorType::reduction,
              [&](OpBuilder &b, Location loc, ValueRange elements) {
                return vector::makeArithReduction(
                    b, loc, op.getKind(), elements[0], elements.back(),
                    /*fastmath=*/nullptr, mask ? elements[1] : Value());
              });
  return unbox(result, op.getType());
}

Value Rewrite::outerProduct(vector::OuterProductOp op) {
  RankedTensorType type = getTensor(op.getResultVectorType());
  const unsigned rank = type.getRank();
  SmallVector<Value> inputs = {tensor(op.getLhs())};
  SmallVector<AffineMap> maps = {
      AffineMap::get(rank, 0, b.getAffineDimExpr(0), b.getContext())};
  Value number;
  if (isa<VectorType>(op.getOperandTypeRHS())) {
    inputs.push_back(tensor(op.getRhs()));
    maps.push_back(
        AffineMap::get(rank, 0, b.getAffineDimExpr(1), b.getContext()));
  } else {
    number = op.getRhs();
  }
  for (Value more : {mask, op.getAcc() ? tensor(op.getAcc()) : Value()}) {
    if (!more)
      continue;
    inputs.push_back(more);
    maps.push_back(b.getMultiDimIdentityMap(rank));
  }
  return each(type, inputs, maps,
              [&](OpBuilder &b, Location loc, ValueRange elements) {
                Value product =
                    multiply(b, loc, elements[0], number ? number : elements[1],
                             type.getElementType());
                if (!op.getAcc())
                  return product;
                ValueRange last = elements.drop_back().take_back(2);
                return vector::makeArithReduction(
                    b, loc, op.getKind(), product, last.back(),
                    /*fastmath=*/nullptr, mask ? last.front() : Value());
              });
}

//===----------------------------------------------------------------------===//
// Moving
//===----------------------------------------------------------------------===//

Value Rewrite::broadcast(vector::BroadcastOp op) {
  RankedTensorType type = getTensor(op.getResultVectorType());
  auto vector = dyn_cast<VectorType>(op.getSourceType());
  if (!vector)
    return tensor::SplatOp::create(b, loc, op.getSource(), type);
  // Extents of 1 are repeated as those are that are not there.
  const unsigned rank = type.getRank(), first = rank - vector.getRank();
  SmallVector<AffineExpr> places;
  for (auto [dim, extent] : llvm::enumerate(vector.getShape()))
    places.push_back(extent == 1 ? b.getAffineConstantExpr(0)
                                 : b.getAffineDimExpr(first + dim));
  return each(
      type, tensor(op.getSource()),
      AffineMap::get(rank, 0, places, b.getContext()),
      [](OpBuilder &, Location, ValueRange elements) { return elements[0]; });
}

Value Rewrite::reshape(vector::ShapeCastOp op) {
  RankedTensorType type = getTensor(op.getResultVectorType());
  Value value = tensor(op.getSource());
  auto all = [](int64_t rank) {
    SmallVector<ReassociationIndices> groups;
    if (rank > 0)
      groups.push_back(llvm::to_vector(llvm::seq<int64_t>(0, rank)));
    return groups;
  };
  auto from = cast<RankedTensorType>(value.getType());
  if (from.getRank() > 1) {
    from = type.getRank() == 0
               ? RankedTensorType::get({}, from.getElementType())
               : RankedTensorType::get(from.getNumElements(),
                                       from.getElementType());
    value = tensor::CollapseShapeOp::create(
        b, loc, from, value,
        type.getRank() == 0
            ? SmallVector<ReassociationIndices>()
            : all(cast<RankedTensorType>(value.getType()).getRank()));
  }
  if (from == type)
    return value;
  if (type.getRank() == 0)
    return tensor::CollapseShapeOp::create(b, loc, type, value,
                                           SmallVector<ReassociationIndices>());
  return tensor::ExpandShapeOp::create(b, loc, type, value,
                                       from.getRank() == 0
                                           ? SmallVector<ReassociationIndices>()
                                           : all(type.getRank()));
}

/// `places` and then zeros, as many as a tensor has dimensions.
static SmallVector<OpFoldResult>
getOffsets(OpBuilder &b, ArrayRef<OpFoldResult> places, unsigned rank) {
  SmallVector<OpFoldResult> offsets(places);
  // What is at no place may be anything.
  for (OpFoldResult &offset : offsets)
    if (std::optional<int64_t> known = getConstantIntValue(offset);
        known && *known < 0)
      offset = b.getIndexAttr(0);
  offsets.resize(rank, b.getIndexAttr(0));
  return offsets;
}

static SmallVector<OpFoldResult> getSizes(OpBuilder &b, unsigned ones,
                                          ArrayRef<int64_t> extents) {
  SmallVector<OpFoldResult> sizes(ones, b.getIndexAttr(1));
  for (int64_t extent : extents)
    sizes.push_back(b.getIndexAttr(extent));
  return sizes;
}

Value Rewrite::extract(vector::ExtractOp op) {
  VectorType from = op.getSourceVectorType();
  SmallVector<OpFoldResult> offsets =
      getOffsets(b, op.getMixedPosition(), from.getRank());
  Value source = tensor(op.getSource());
  auto part = dyn_cast<VectorType>(op.getType());
  if (!part)
    return tensor::ExtractOp::create(
        b, loc, source, getValueOrCreateConstantIndexOp(b, loc, offsets));
  const unsigned ones = op.getMixedPosition().size();
  return slice(source, offsets,
               getSizes(b, ones, from.getShape().drop_front(ones)),
               getTensor(part));
}

Value Rewrite::insert(vector::InsertOp op) {
  VectorType into = op.getDestVectorType();
  SmallVector<OpFoldResult> offsets =
      getOffsets(b, op.getMixedPosition(), into.getRank());
  Value dest = tensor(op.getDest());
  if (!isa<VectorType>(op.getValueToStoreType()))
    return tensor::InsertOp::create(
        b, loc, op.getValueToStore(), dest,
        getValueOrCreateConstantIndexOp(b, loc, offsets));
  const unsigned ones = op.getMixedPosition().size();
  return put(tensor(op.getValueToStore()), dest, offsets,
             getSizes(b, ones, into.getShape().drop_front(ones)));
}

Value Rewrite::extractStrided(vector::ExtractStridedSliceOp op) {
  auto type = cast<VectorType>(op.getType());
  SmallVector<OpFoldResult> offsets =
      getOffsets(b, getAsOpFoldResult(op.getOffsets()), type.getRank());
  return slice(tensor(op.getSource()), offsets, getSizes(b, 0, type.getShape()),
               getTensor(type));
}

Value Rewrite::insertStrided(vector::InsertStridedSliceOp op) {
  ArrayRef<int64_t> extents = op.getSourceVectorType().getShape();
  const unsigned rank = op.getDestVectorType().getRank();
  return put(tensor(op.getValueToStore()), tensor(op.getDest()),
             getOffsets(b, getAsOpFoldResult(op.getOffsets()), rank),
             getSizes(b, rank - extents.size(), extents));
}

Value Rewrite::transpose(vector::TransposeOp op) {
  return linalg::TransposeOp::create(b, loc, tensor(op.getVector()),
                                     empty(getTensor(op.getResultVectorType())),
                                     op.getPermutation())
      ->getResult(0);
}

Value Rewrite::createMask(VectorType type, ArrayRef<OpFoldResult> ends) {
  SmallVector<Value> limits = getValueOrCreateConstantIndexOp(b, loc, ends);
  return each(
      getTensor(type), {}, {}, [&](OpBuilder &b, Location loc, ValueRange) {
        Value isSet;
        for (auto [dim, end] : llvm::enumerate(limits)) {
          Value place =
              type.getRank() == 0
                  ? arith::ConstantIndexOp::create(b, loc, 0).getResult()
                  : linalg::IndexOp::create(b, loc, dim).getResult();
          Value isBefore = arith::CmpIOp::create(
              b, loc, arith::CmpIPredicate::slt, place, end);
          isSet =
              isSet ? arith::AndIOp::create(b, loc, isSet, isBefore) : isBefore;
        }
        return isSet;
      });
}

Value Rewrite::step(VectorType type) {
  return each(getTensor(type), {}, {},
              [](OpBuilder &b, Location loc, ValueRange) -> Value {
                return linalg::IndexOp::create(b, loc, 0);
              });
}

Value Rewrite::shuffle(vector::ShuffleOp op) {
  RankedTensorType type = getTensor(op.getResultVectorType());
  Value both = tensor::ConcatOp::create(
      b, loc, /*dim=*/0, ValueRange{tensor(op.getV1()), tensor(op.getV2())});
  SmallVector<int64_t> places;
  // What is at no place may be anything.
  for (int64_t place : op.getMask())
    places.push_back(std::max<int64_t>(place, 0));
  auto indices = RankedTensorType::get(type.getShape(), b.getIndexType());
  Value from = arith::ConstantOp::create(
      b, loc, DenseIntElementsAttr::get(indices, places));
  return each(type, from, b.getMultiDimIdentityMap(1),
              [&](OpBuilder &b, Location loc, ValueRange elements) -> Value {
                return tensor::ExtractOp::create(b, loc, both, elements[0]);
              });
}

SmallVector<Value> Rewrite::toElements(vector::ToElementsOp op) {
  auto type = cast<VectorType>(op.getSource().getType());
  Value source = tensor(op.getSource());
  SmallVector<int64_t> strides = computeStrides(type.getShape());
  SmallVector<Value> elements;
  for (int64_t number = 0; number < type.getNumElements(); ++number) {
    SmallVector<Value> places;
    for (int64_t place : delinearize(number, strides))
      places.push_back(arith::ConstantIndexOp::create(b, loc, place));
    elements.push_back(tensor::ExtractOp::create(b, loc, source, places));
  }
  return elements;
}

//===----------------------------------------------------------------------===//
// All of them
//===----------------------------------------------------------------------===//

/// Whether `op` only hands vectors on.
static bool handsOn(Operation *op) {
  return isa<UnrealizedConversionCastOp>(op) ||
         isa_and_present<cf::ControlFlowDialect, func::FuncDialect,
                         scf::SCFDialect, ub::UBDialect>(op->getDialect());
}

/// What no tensor stands for, or nothing.
static std::string check(Operation *op, bool isMasked) {
  for (Type type : getValueTypes(op)) {
    if (auto vector = dyn_cast<VectorType>(type); vector && vector.isScalable())
      return llvm::formatv("expected vectors of known extents, but got {0}",
                           type);
    if (hasVectorElements(type))
      return llvm::formatv("expected vectors that are no elements, but got {0}",
                           type);
  }
  if (auto transfer = dyn_cast<VectorTransferOpInterface>(op)) {
    Type base = transfer.getBase().getType();
    if (!isa<RankedTensorType>(base))
      return llvm::formatv("expected a transfer from or to a tensor, but got "
                           "{0}",
                           base);
    for (auto [dim, index] : llvm::enumerate(transfer.getIndices())) {
      std::optional<int64_t> place = getConstantIntValue(index);
      if (place && *place < 0 &&
          !transfer.getPermutationMap().isFunctionOfDim(dim))
        return llvm::formatv("expected a place in the tensor where the vector "
                             "has no extent, but got {0} in dimension {1}",
                             *place, dim);
    }
    return "";
  }
  if (auto constant = dyn_cast<arith::ConstantOp>(op);
      constant &&
      !isa<DenseElementsAttr, DenseResourceElementsAttr>(constant.getValue()))
    return "expected a constant of a vector to be 'dense' or "
           "'dense_resource', but got another";
  bool isKnown =
      isMasked
          ? isa<vector::ContractionOp, vector::MultiDimReductionOp>(op) ||
                (isa<vector::ReductionOp>(op) &&
                 cast<vector::ReductionOp>(op).getAcc()) ||
                (isa<vector::OuterProductOp>(op) &&
                 cast<vector::OuterProductOp>(op).getAcc())
          : handsOn(op) || isa<arith::ConstantOp>(op) ||
                (OpTrait::hasElementwiseMappableTraits(op) &&
                 isa_and_present<arith::ArithDialect, math::MathDialect>(
                     op->getDialect())) ||
                isa<vector::BroadcastOp, vector::ConstantMaskOp,
                    vector::ContractionOp, vector::CreateMaskOp,
                    vector::ExtractOp, vector::ExtractStridedSliceOp,
                    vector::FMAOp, vector::FromElementsOp, vector::InsertOp,
                    vector::InsertStridedSliceOp, vector::MultiDimReductionOp,
                    vector::OuterProductOp, vector::ReductionOp,
                    vector::ShapeCastOp, vector::StepOp, vector::ToElementsOp,
                    vector::TransposeOp>(op);
  if (auto cast = dyn_cast<vector::BitCastOp>(op))
    isKnown =
        !isMasked && cast.getSourceVectorType().getElementTypeBitWidth() ==
                         cast.getResultVectorType().getElementTypeBitWidth();
  if (auto shuffle = dyn_cast<vector::ShuffleOp>(op))
    isKnown = !isMasked && shuffle.getV1VectorType().getRank() == 1;
  if (isKnown)
    return "";
  return llvm::formatv("expected an operation on vectors that can be one on "
                       "tensors, but got '{0}'{1}",
                       op->getName(), isMasked ? " with a mask" : "");
}

SmallVector<Value> Rewrite::run(std::string &reason) {
  reason = check(op, bool(mask));
  if (!reason.empty() || handsOn(op))
    return {};
  using Values = SmallVector<Value>;
  return llvm::TypeSwitch<Operation *, Values>(op)
      .Case([&](arith::ConstantOp op) { return Values{constant(op)}; })
      .Case([&](vector::TransferReadOp op) { return Values{read(op)}; })
      .Case([&](vector::TransferWriteOp op) { return Values{write(op)}; })
      .Case([&](vector::ContractionOp op) { return Values{contract(op)}; })
      .Case([&](vector::MultiDimReductionOp op) {
        return Values{reduceMany(op)};
      })
      .Case([&](vector::ReductionOp op) { return Values{reduce(op)}; })
      .Case([&](vector::OuterProductOp op) { return Values{outerProduct(op)}; })
      .Case([&](vector::BroadcastOp op) { return Values{broadcast(op)}; })
      .Case([&](vector::ShapeCastOp op) { return Values{reshape(op)}; })
      .Case([&](vector::ExtractOp op) { return Values{extract(op)}; })
      .Case([&](vector::InsertOp op) { return Values{insert(op)}; })
      .Case([&](vector::ExtractStridedSliceOp op) {
        return Values{extractStrided(op)};
      })
      .Case([&](vector::InsertStridedSliceOp op) {
        return Values{insertStrided(op)};
      })
      .Case([&](vector::TransposeOp op) { return Values{transpose(op)}; })
      .Case([&](vector::CreateMaskOp op) {
        return Values{createMask(op.getVectorType(),
                                 getAsOpFoldResult(op.getOperands()))};
      })
      .Case([&](vector::ConstantMaskOp op) {
        return Values{createMask(
            op.getVectorType(),
            getAsIndexOpFoldResult(op.getContext(), op.getMaskDimSizes()))};
      })
      .Case([&](vector::StepOp op) {
        return Values{step(cast<VectorType>(op.getType()))};
      })
      .Case([&](vector::ShuffleOp op) { return Values{shuffle(op)}; })
      .Case([&](vector::FromElementsOp op) {
        return Values{tensor::FromElementsOp::create(
            b, loc, getTensor(cast<VectorType>(op.getType())),
            op.getElements())};
      })
      .Case([&](vector::ToElementsOp op) { return toElements(op); })
      .Case([&](vector::FMAOp op) {
        return Values{math::FmaOp::create(b, loc, tensor(op.getLhs()),
                                          tensor(op.getRhs()),
                                          tensor(op.getAcc()))};
      })
      .Case([&](vector::BitCastOp op) {
        return Values{arith::BitcastOp::create(
            b, loc, getTensor(op.getResultVectorType()),
            tensor(op.getSource()))};
      })
      .Default([&](Operation *) { return elementwise(); });
}

namespace {
struct VectorsToTensors
    : public amp::impl::VectorsToTensorsPassBase<VectorsToTensors> {
  void runOnOperation() override {
    SmallVector<Operation *> ops;
    getOperation().walk([&](Operation *op) {
      if (hasVectors(op) && !isa<vector::YieldOp>(op) &&
          !isa<vector::MaskOp>(op->getParentOp()))
        ops.push_back(op);
    });
    if (ops.empty())
      return;
    bool isRefused = false;
    for (Operation *op : ops)
      isRefused |= failed(rewrite(op));
    if (isRefused)
      return signalPassFailure();
    AttrTypeReplacer replacer;
    replacer.addReplacement(
        [](VectorType type) -> Type { return getTensor(type); });
    replacer.recursivelyReplaceElementsIn(getOperation(), /*replaceAttrs=*/true,
                                          /*replaceLocs=*/false,
                                          /*replaceTypes=*/true);
    getOperation().walk([](UnrealizedConversionCastOp cast) {
      if (cast.getOperandTypes() != cast.getResultTypes())
        return;
      cast.replaceAllUsesWith(cast.getOperands());
      cast.erase();
    });
    numOperations += ops.size();
  }

private:
  LogicalResult rewrite(Operation *op) {
    Value mask;
    if (auto masked = dyn_cast<vector::MaskOp>(op)) {
      Operation *inner = masked.getMaskableOp();
      if (!inner || masked.getPassthru())
        return refuse(op, "expected a mask around an operation, without a "
                          "'passthru'");
      mask = masked.getMask();
      inner->moveBefore(masked);
      masked.replaceAllUsesWith(inner->getResults());
      masked.erase();
      op = inner;
    }
    std::string reason;
    SmallVector<Value> results = Rewrite(op, mask).run(reason);
    if (!reason.empty())
      return refuse(op, reason);
    if (results.empty())
      return success();
    OpBuilder b(op);
    for (auto [before, after] : llvm::zip_equal(op->getResults(), results)) {
      if (before.getType() != after.getType())
        after = UnrealizedConversionCastOp::create(b, op->getLoc(),
                                                   before.getType(), after)
                    .getResult(0);
      before.replaceAllUsesWith(after);
    }
    op->erase();
    return success();
  }

  static LogicalResult refuse(Operation *op, StringRef reason) {
    return op->emitError() << reason
                           << "; write it on tensors, as 'linalg.generic', or "
                              "run the step on the host";
  }
};
} // namespace
