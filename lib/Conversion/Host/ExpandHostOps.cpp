//===- ExpandHostOps.cpp - What no lowering to the host knows -------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One rewrite for each operation, by a walk: a greedy driver would fold what it
// passes, and what a program states is to be kept. All of it works on tensors
// and on the scalars of a body alike.
//
//===----------------------------------------------------------------------===//

#include "ElementType.h"
#include "amp/Conversion/Host/Passes.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Utils/StructuredOpsUtils.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/VectorInterfaces.h"
#include "llvm/ADT/TypeSwitch.h"

#define DEBUG_TYPE "expand-host-ops"

namespace mlir::amp {
#define GEN_PASS_DEF_EXPANDHOSTOPSPASS
#include "amp/Conversion/Host/Passes.h.inc"
} // namespace mlir::amp

using namespace mlir;
using namespace mlir::amp;

/// `number` in `type`, a scalar of its type or a static tensor of such; null
/// where its extents are not known.
static Value createConstant(OpBuilder &builder, Location loc, Type type,
                            TypedAttr number) {
  if (auto shaped = dyn_cast<ShapedType>(type)) {
    if (!shaped.hasStaticShape())
      return {};
    number = DenseElementsAttr::get(shaped, number);
  }
  return arith::ConstantOp::create(builder, loc, number);
}

/// |x| compared with a number that each float format has.
static Value
compareMagnitude(OpBuilder &builder, Operation *op,
                 arith::CmpFPredicate predicate,
                 function_ref<APFloat(const llvm::fltSemantics &)> getNumber) {
  Value x = op->getOperand(0);
  auto format = cast<FloatType>(getElementTypeOrSelf(x.getType()));
  Value number = createConstant(
      builder, x.getLoc(), x.getType(),
      FloatAttr::get(format, getNumber(format.getFloatSemantics())));
  if (!number)
    return {};
  Value magnitude = math::AbsFOp::create(builder, op->getLoc(), x);
  return arith::CmpFOp::create(builder, op->getLoc(), predicate, magnitude,
                               number);
}

static Value expand(math::IsInfOp op, OpBuilder &builder) {
  return compareMagnitude(
      builder, op, arith::CmpFPredicate::OEQ,
      [](const llvm::fltSemantics &f) { return APFloat::getInf(f); });
}

static Value expand(math::IsNormalOp op, OpBuilder &builder) {
  Value large = compareMagnitude(builder, op, arith::CmpFPredicate::OGE,
                                 [](const llvm::fltSemantics &f) {
                                   return APFloat::getSmallestNormalized(f);
                                 });
  Value finite = compareMagnitude(
      builder, op, arith::CmpFPredicate::OLT,
      [](const llvm::fltSemantics &f) { return APFloat::getInf(f); });
  if (!large || !finite)
    return {};
  return arith::AndIOp::create(builder, op.getLoc(), large, finite);
}

static Value expand(math::IsNaNOp op, OpBuilder &builder) {
  return arith::CmpFOp::create(builder, op.getLoc(), arith::CmpFPredicate::UNO,
                               op.getOperand(), op.getOperand());
}

/// Of infinities and NaNs the difference is NaN. No constant is needed, whose
/// shape would have to be known.
static Value expand(math::IsFiniteOp op, OpBuilder &builder) {
  Value zero = arith::SubFOp::create(builder, op.getLoc(), op.getOperand(),
                                     op.getOperand());
  return arith::CmpFOp::create(builder, op.getLoc(), arith::CmpFPredicate::ORD,
                               zero, zero);
}

/// The cosine; the sine replaces the first result.
static Value expand(math::SincosOp op, OpBuilder &builder) {
  Value x = op.getOperand();
  op.getSin().replaceAllUsesWith(
      math::SinOp::create(builder, op.getLoc(), x, op.getFastmath()));
  return math::CosOp::create(builder, op.getLoc(), x, op.getFastmath());
}

static Value expand(math::ClampFOp op, OpBuilder &builder) {
  Value raised = arith::MaximumFOp::create(builder, op.getLoc(), op.getValue(),
                                           op.getMin(), op.getFastmath());
  return arith::MinimumFOp::create(builder, op.getLoc(), raised, op.getMax(),
                                   op.getFastmath());
}

static bool isSquare(math::PowFOp op) {
  APFloat exponent(0.0);
  return matchPattern(op.getRhs(), m_ConstantFloat(&exponent)) &&
         exponent.isExactlyValue(2);
}

/// A square is a product: rounded once, it is the power to the last bit.
static Value expand(math::PowFOp op, OpBuilder &builder) {
  return arith::MulFOp::create(builder, op.getLoc(), op.getLhs(), op.getLhs(),
                               op.getFastmath());
}

/// LLVM's powi has an exponent of 32 bits. A narrower one is widened; of a
/// wider one, |x|^n is a power of f64, and the sign that of x where n is odd.
static Value expand(math::FPowIOp op, OpBuilder &builder) {
  Location loc = op.getLoc();
  Value x = op.getLhs(), n = op.getRhs();
  Type type = op.getType();
  auto withExponent = [&](Value n) -> Value {
    return math::FPowIOp::create(builder, loc, x, n, op.getFastmath());
  };
  IntegerType i32 = builder.getI32Type();
  APInt known;
  if (matchPattern(n, m_ConstantInt(&known)) && known.isSignedIntN(32))
    return withExponent(
        createConstant(builder, loc, withElement(n.getType(), i32),
                       builder.getIntegerAttr(i32, known.getSExtValue())));
  if (getElementTypeOrSelf(n).isIndex())
    n = arith::IndexCastOp::create(
        builder, loc, withElement(n.getType(), builder.getI64Type()), n);
  auto exponent = cast<IntegerType>(getElementTypeOrSelf(n));
  if (exponent.getWidth() < 32)
    return withExponent(
        arith::ExtSIOp::create(builder, loc, withElement(n.getType(), i32), n));
  Type f64 = withElement(type, builder.getF64Type());
  Value one = createConstant(builder, loc, n.getType(),
                             builder.getIntegerAttr(exponent, 1));
  if (!one)
    return {};
  Value magnitude = math::AbsFOp::create(builder, loc, x);
  if (!getElementTypeOrSelf(type).isF64())
    magnitude = arith::ExtFOp::create(builder, loc, f64, magnitude);
  Value power = math::PowFOp::create(
      builder, loc, magnitude, arith::SIToFPOp::create(builder, loc, f64, n));
  if (power.getType() != type)
    power = arith::TruncFOp::create(builder, loc, type, power);
  Value isOdd =
      arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                            arith::AndIOp::create(builder, loc, n, one), one);
  Value withSign = math::CopySignOp::create(builder, loc, power, x);
  return arith::SelectOp::create(builder, loc, isOdd, withSign, power);
}

/// On tensors of one shape an elementwise operation, which becomes a loop.
static Value expand(tensor::BitcastOp op, OpBuilder &builder) {
  auto from = dyn_cast<RankedTensorType>(op.getSource().getType());
  auto to = dyn_cast<RankedTensorType>(op.getType());
  if (!from || !to || from.getShape() != to.getShape())
    return {};
  return arith::BitcastOp::create(builder, op.getLoc(), to, op.getSource());
}

/// What is never read needs a place all the same where a loop or a branch hands
/// it on; extents that are not known are none.
static Value expand(ub::PoisonOp op, OpBuilder &builder) {
  auto type = dyn_cast<RankedTensorType>(op.getType());
  if (!type)
    return {};
  SmallVector<Value> extents;
  for (int64_t i = 0, e = type.getNumDynamicDims(); i != e; ++i)
    extents.push_back(arith::ConstantIndexOp::create(builder, op.getLoc(), 0));
  return tensor::EmptyOp::create(builder, op.getLoc(), type, extents);
}

/// Each element from the place that its slice and the indices name:
///   %r[batch..., slice...] = %x[%i[batch..., 0], ..., slice...]
static Value expand(tensor::GatherOp op, OpBuilder &builder) {
  RankedTensorType type = op.getResultType();
  if (!type.hasStaticShape())
    return {};
  Location loc = op.getLoc();
  int64_t sourceRank = op.getSourceType().getRank();
  int64_t batchRank = op.getIndicesType().getRank() - 1;
  ArrayRef<int64_t> dims = op.getGatherDims();
  bool keepsDims = type.getRank() == batchRank + sourceRank;
  Value empty = tensor::EmptyOp::create(builder, loc, type.getShape(),
                                        type.getElementType());
  SmallVector<utils::IteratorType> loops(type.getRank(),
                                         utils::IteratorType::parallel);
  AffineMap map = builder.getMultiDimIdentityMap(type.getRank());
  return linalg::GenericOp::create(
             builder, loc, type, ValueRange(), empty, map, loops,
             [&](OpBuilder &body, Location loc, ValueRange) {
               SmallVector<Value> batch;
               for (int64_t i = 0; i != batchRank; ++i)
                 batch.push_back(linalg::IndexOp::create(body, loc, i));
               SmallVector<Value> place;
               int64_t next = batchRank;
               for (int64_t i = 0; i != sourceRank; ++i) {
                 const auto *dim = llvm::find(dims, i);
                 if (dim == dims.end()) {
                   place.push_back(linalg::IndexOp::create(body, loc, next++));
                   continue;
                 }
                 next += keepsDims;
                 SmallVector<Value> at = batch;
                 at.push_back(arith::ConstantIndexOp::create(
                     body, loc, dim - dims.begin()));
                 Value index =
                     tensor::ExtractOp::create(body, loc, op.getIndices(), at);
                 if (!index.getType().isIndex())
                   index = arith::IndexCastOp::create(
                       body, loc, body.getIndexType(), index);
                 place.push_back(index);
               }
               Value element =
                   tensor::ExtractOp::create(body, loc, op.getSource(), place);
               linalg::YieldOp::create(body, loc, element);
             })
      .getResult(0);
}

/// A loop over the elements of the source, in their order: the last one counts
/// where places are equal, though the operation promises that none are.
static Value expand(tensor::ScatterOp op, OpBuilder &builder) {
  RankedTensorType type = op.getDestType(), source = op.getSourceType();
  if (!type.hasStaticShape() || !source.hasStaticShape())
    return {};
  const int64_t batchRank = op.getIndicesType().getRank() - 1;
  ArrayRef<int64_t> dims = op.getScatterDims();
  const bool keepsDims = source.getRank() == batchRank + type.getRank();
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(builder, op.getLoc(), value);
  };
  SmallVector<Value> zeros(source.getRank(), constant(0)),
      ones(source.getRank(), constant(1)),
      extents = llvm::map_to_vector(source.getShape(), constant);
  auto insert = [&](OpBuilder &body, Location loc, ValueRange at,
                    ValueRange carried) -> scf::ValueVector {
    SmallVector<Value> place;
    int64_t next = batchRank;
    for (int64_t i = 0; i != type.getRank(); ++i) {
      const auto *dim = llvm::find(dims, i);
      if (dim == dims.end()) {
        place.push_back(at[next++]);
        continue;
      }
      next += keepsDims;
      SmallVector<Value> of(at.take_front(batchRank));
      of.push_back(
          arith::ConstantIndexOp::create(body, loc, dim - dims.begin()));
      Value index = tensor::ExtractOp::create(body, loc, op.getIndices(), of);
      if (!index.getType().isIndex())
        index =
            arith::IndexCastOp::create(body, loc, body.getIndexType(), index);
      place.push_back(index);
    }
    Value element = tensor::ExtractOp::create(body, loc, op.getSource(), at);
    return {
        tensor::InsertOp::create(body, loc, element, carried.front(), place)};
  };
  return scf::buildLoopNest(builder, op.getLoc(), zeros, extents, ones,
                            op.getDest(), insert)
      .results.front();
}

/// The upper half of a product of 64 bits: a = a1 2^32 + a0, b likewise.
static Value multiplyHigh(OpBuilder &builder, Location loc, Value a, Value b) {
  auto number = [&](uint64_t value) {
    return createConstant(builder, loc, a.getType(),
                          builder.getI64IntegerAttr(value));
  };
  Value half = number(32), mask = number(0xffffffff);
  auto lower = [&](Value x) {
    return arith::AndIOp::create(builder, loc, x, mask).getResult();
  };
  auto upper = [&](Value x) {
    return arith::ShRUIOp::create(builder, loc, x, half).getResult();
  };
  auto add = [&](Value x, Value y) {
    return arith::AddIOp::create(builder, loc, x, y).getResult();
  };
  auto multiply = [&](Value x, Value y) {
    return arith::MulIOp::create(builder, loc, x, y).getResult();
  };
  Value a0 = lower(a), a1 = upper(a), b0 = lower(b), b1 = upper(b);
  Value mixed = multiply(a1, b0), other = multiply(a0, b1);
  // Less than 2^34: what is carried into the upper half.
  Value middle = add(add(upper(multiply(a0, b0)), lower(mixed)), lower(other));
  return add(add(multiply(a1, b1), upper(mixed)),
             add(upper(other), upper(middle)));
}

/// Whether both halves are made of operations with one result: such numbers as
/// kernels compute with, of known extents.
template <typename Op> static bool isExtendedOfNumbers(Op op) {
  auto shaped = dyn_cast<ShapedType>(op.getLhs().getType());
  auto type = dyn_cast<IntegerType>(getElementTypeOrSelf(op.getLhs()));
  return type && (type.getWidth() <= 32 || type.getWidth() == 64) &&
         (!shaped || shaped.hasStaticShape());
}

/// Gives `low` to who reads it, and returns the upper half.
template <typename Op>
static Value expandProduct(Op op, OpBuilder &builder, bool isSigned) {
  Location loc = op.getLoc();
  Value a = op.getLhs(), b = op.getRhs();
  Type type = a.getType(), element = getElementTypeOrSelf(type);
  const unsigned width = element.getIntOrFloatBitWidth();
  op.getLow().replaceAllUsesWith(arith::MulIOp::create(builder, loc, a, b));
  auto number = [&](Type type, int64_t value) {
    Type element = getElementTypeOrSelf(type);
    return createConstant(builder, loc, type,
                          builder.getIntegerAttr(element, value));
  };
  if (width <= 32) {
    Type wide = withElement(type, builder.getIntegerType(2 * width));
    auto extend = [&](Value x) -> Value {
      if (isSigned)
        return arith::ExtSIOp::create(builder, loc, wide, x);
      return arith::ExtUIOp::create(builder, loc, wide, x);
    };
    Value product = arith::MulIOp::create(builder, loc, extend(a), extend(b));
    Value high =
        arith::ShRUIOp::create(builder, loc, product, number(wide, width));
    return arith::TruncIOp::create(builder, loc, type, high);
  }
  Value high = multiplyHigh(builder, loc, a, b);
  if (!isSigned)
    return high;
  // -x is 2^64 - x: the other factor is too much in the upper half.
  Value zero = number(type, 0);
  for (auto [x, other] : {std::pair(a, b), std::pair(b, a)}) {
    Value negative =
        arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt, x, zero);
    Value less = arith::SelectOp::create(builder, loc, negative, other, zero);
    high = arith::SubIOp::create(builder, loc, high, less);
  }
  return high;
}

static Value expand(arith::MulUIExtendedOp op, OpBuilder &builder) {
  return expandProduct(op, builder, /*isSigned=*/false);
}

static Value expand(arith::MulSIExtendedOp op, OpBuilder &builder) {
  return expandProduct(op, builder, /*isSigned=*/true);
}

static Value expand(arith::AddUIExtendedOp op, OpBuilder &builder) {
  Value sum =
      arith::AddIOp::create(builder, op.getLoc(), op.getLhs(), op.getRhs());
  op.getSum().replaceAllUsesWith(sum);
  return arith::CmpIOp::create(builder, op.getLoc(), arith::CmpIPredicate::ult,
                               sum, op.getLhs());
}

/// Makes the stride of a single element 1, which says the same: upstream's
/// lowering of views takes another for a dimension that is dropped.
template <typename SliceOp> static void normalizeStrides(SliceOp slice) {
  SmallVector<int64_t> strides(slice.getStaticStrides());
  for (auto [stride, size] : llvm::zip_equal(strides, slice.getStaticSizes()))
    if (size == 1 && !ShapedType::isDynamic(stride))
      stride = 1;
  slice.setStaticStrides(strides);
}

/// A softmax of f16 or bf16 by f32, rounded once: its sums of exponentials are
/// as large as a row is long.
static FailureOr<SmallVector<Value>> decompose(linalg::SoftmaxOp op,
                                               OpBuilder &builder) {
  auto element = dyn_cast<FloatType>(op.getInputOperandType().getElementType());
  if (!element)
    return failure();
  if (element.getWidth() >= 32)
    return op.decomposeOperation(builder);
  Location loc = op.getLoc();
  auto from = cast<RankedTensorType>(op.getInput().getType());
  auto to = cast<RankedTensorType>(op.getOutput().getType());
  Value input = arith::ExtFOp::create(
      builder, loc, from.clone(builder.getF32Type()), op.getInput());
  Value empty = tensor::EmptyOp::create(
      builder, loc, tensor::getMixedSizes(builder, loc, op.getOutput()),
      builder.getF32Type());
  auto wide =
      linalg::SoftmaxOp::create(builder, loc, to.clone(builder.getF32Type()),
                                input, empty, op.getDimension());
  builder.setInsertionPoint(wide);
  FailureOr<SmallVector<Value>> parts = wide.decomposeOperation(builder);
  builder.setInsertionPoint(op);
  if (succeeded(parts))
    parts->front() = arith::TruncFOp::create(builder, loc, to, parts->front());
  wide.erase();
  return parts;
}

/// By upstream's rewrites of an operation on tensors into several.
static LogicalResult decompose(Operation *op) {
  if (!llvm::all_of(op->getOperandTypes(), [](Type type) {
        return !isa<ShapedType>(type) || isa<RankedTensorType>(type);
      }))
    return failure();
  IRRewriter rewriter(op);
  return TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](linalg::SoftmaxOp softmax) -> LogicalResult {
        FailureOr<SmallVector<Value>> parts = decompose(softmax, rewriter);
        if (failed(parts))
          return failure();
        rewriter.replaceOp(op, *parts);
        return success();
      })
      .Case([&](linalg::WinogradFilterTransformOp transform) {
        return linalg::decomposeWinogradFilterTransformOp(rewriter, transform);
      })
      .Case([&](linalg::WinogradInputTransformOp transform) {
        return linalg::decomposeWinogradInputTransformOp(rewriter, transform);
      })
      .Case([&](linalg::WinogradOutputTransformOp transform) {
        return linalg::decomposeWinogradOutputTransformOp(rewriter, transform);
      })
      .Case([&](linalg::PackOp pack) {
        return linalg::lowerPack(rewriter, pack);
      })
      .Case([&](linalg::UnPackOp unpack) {
        return linalg::lowerUnPack(rewriter, unpack);
      });
}

/// The error about an operation that is not taken apart.
static void refuse(Operation *op) {
  Type type = op->getOperand(0).getType();
  StringRef remedy = !isa<TensorType>(type) ? "write it on tensors"
                     : isa<linalg::SoftmaxOp>(op)
                         ? "convert its elements to floating point"
                         : "make its extents and tiles static, or write it as "
                           "linalg.generic";
  op->emitError() << "expected an operation that can be lowered to the host, "
                     "but got '"
                  << op->getName() << "' of " << type << "; " << remedy;
}

/// True if two parts of a dimension are not known: what upstream makes of it,
/// when it looks for its strides, crashes.
static bool dividesIntoUnknown(tensor::ExpandShapeOp op) {
  return llvm::any_of(op.getReassociationIndices(),
                      [&](const ReassociationIndices &parts) {
                        return llvm::count_if(parts, [&](int64_t part) {
                                 return op.getResultType().isDynamicDim(part);
                               }) > 1;
                      });
}

/// Whether a place is negative by its number: no code of the host asks that,
/// and upstream's folds say that it is in bounds (LLVM 22).
static bool beginsInFront(VectorTransferOpInterface transfer) {
  return llvm::any_of(transfer.getIndices(), [](Value index) {
    std::optional<int64_t> place = getConstantIntValue(index);
    return place && *place < 0;
  });
}

namespace {
struct ExpandHostOps : public amp::impl::ExpandHostOpsPassBase<ExpandHostOps> {
  void runOnOperation() override {
    WalkResult walk = getOperation()->walk([&](Operation *op) {
      if (auto power = dyn_cast<math::FPowIOp>(op)) {
        Type exponent = getElementTypeOrSelf(power.getRhs());
        if (exponent.isInteger(32))
          return WalkResult::advance();
        if (exponent.isInteger() && exponent.getIntOrFloatBitWidth() > 64) {
          power.emitError() << "expected an exponent of 64 bits at most, but "
                               "got one of "
                            << exponent;
          return WalkResult::interrupt();
        }
      }
      if (auto expand = dyn_cast<tensor::ExpandShapeOp>(op);
          expand && dividesIntoUnknown(expand)) {
        expand.emitError()
            << "expected a dimension to be divided into one unknown extent at "
               "most, to lower it to the host, but got "
            << expand.getResultType() << "; make the others known";
        return WalkResult::interrupt();
      }
      if (auto transfer = dyn_cast<VectorTransferOpInterface>(op);
          transfer && beginsInFront(transfer)) {
        op->emitError() << "expected a transfer that does not begin in front "
                           "of its tensor, to lower it to the host, but got a "
                           "negative place; begin at 0, with a mask";
        return WalkResult::interrupt();
      }
      if (isa<linalg::SoftmaxOp, linalg::WinogradFilterTransformOp,
              linalg::WinogradInputTransformOp,
              linalg::WinogradOutputTransformOp, linalg::PackOp,
              linalg::UnPackOp>(op)) {
        if (succeeded(decompose(op)))
          return WalkResult::skip(); // it is no more
        refuse(op);
        return WalkResult::interrupt();
      }
      TypeSwitch<Operation *>(op)
          .Case<tensor::ExtractSliceOp, tensor::InsertSliceOp>(
              [](auto slice) { normalizeStrides(slice); });
      OpBuilder builder(op);
      std::optional<Value> expanded =
          TypeSwitch<Operation *, std::optional<Value>>(op)
              .Case<math::IsFiniteOp, math::IsInfOp, math::IsNaNOp,
                    math::IsNormalOp, math::ClampFOp, math::FPowIOp,
                    math::SincosOp, tensor::BitcastOp, tensor::GatherOp,
                    tensor::ScatterOp>(
                  [&](auto op) { return expand(op, builder); })
              .Case<arith::MulUIExtendedOp, arith::MulSIExtendedOp,
                    arith::AddUIExtendedOp>(
                  [&](auto op) -> std::optional<Value> {
                    if (!isExtendedOfNumbers(op))
                      return std::nullopt;
                    return expand(op, builder);
                  })
              .Case([&](math::PowFOp op) -> std::optional<Value> {
                if (!isSquare(op))
                  return std::nullopt;
                return expand(op, builder);
              })
              .Case([&](ub::PoisonOp op) -> std::optional<Value> {
                if (!isa<TensorType>(op.getType()))
                  return std::nullopt; // a scalar's lowering is upstream's
                return expand(op, builder);
              })
              .Default(std::nullopt);
      if (!expanded)
        return WalkResult::advance();
      if (!*expanded) {
        op->emitError() << "expected '" << op->getName()
                        << "' to be of ranked tensors with known extents, to "
                           "lower it to the host, but got "
                        << op->getResult(0).getType();
        return WalkResult::interrupt();
      }
      op->getResults().back().replaceAllUsesWith(*expanded);
      op->erase();
      return WalkResult::advance();
    });
    if (walk.wasInterrupted())
      return signalPassFailure();
  }
};
} // namespace
