//===- StoreF8AsI8.cpp - Floats of 8 bits by their bits -------------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Neither LLVM nor a kernel of ours has numbers of 8 bits with a point, and
// nobody needs them but for storage. First whatever computes with them is
// written as what it does: it extends, computes in f32, and rounds. For sums,
// differences, products, quotients and roots that is one rounding, as f32 has
// more than twice the bits and two (Figueroa, When is double rounding
// innocuous?, 1995); a fused multiply-add is exact in f64. Upstream's emulation
// does the same with fast-math flags that let a rounding be left out, so it is
// not used. Then extensions and roundings become operations on bits, and at
// last the type is i8 everywhere, in one replacement: no cast is left between
// the two.
//
// A rounding scales |x| by a power of two, so that the last place that the type
// has at this size is 1, and rounds to an integer: scaling is exact, and the
// one rounding is to the nearest, ties to even, from f64 as well. Exponent and
// integer add up to the code; a carry is the next exponent. What is greater
// than the code of the largest number is what APFloat makes of it: infinity, or
// NaN where a type has no infinity.
//
//===----------------------------------------------------------------------===//

#include "ElementType.h"
#include "amp/Conversion/Host/Passes.h"
#include "amp/Dialect/Amp/IR/AmpDialect.h"
#include "amp/Support/OperationTypes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/Support/FormatVariadic.h"

#include <cmath>

#define DEBUG_TYPE "amp-store-f8-as-i8"

namespace mlir::amp {
#define GEN_PASS_DEF_STOREF8ASI8PASS
#include "amp/Conversion/Host/Passes.h.inc"
} // namespace mlir::amp

using namespace mlir;
using namespace mlir::amp;

//===----------------------------------------------------------------------===//
// Formats
//===----------------------------------------------------------------------===//

/// The float of less than 16 bits that `type` has elements of, or none.
static FloatType getSmallFloat(Type type) {
  auto element = dyn_cast<FloatType>(getElementTypeOrSelf(type));
  return element && element.getWidth() < 16 ? element : FloatType();
}

/// What has small floats among the elements of operands, results and arguments
/// of `op`, each once: such floats, and complex numbers of them.
static SetVector<Type> findSmallFloats(Operation *op) {
  SetVector<Type> found;
  for (Type type : getValueTypes(op)) {
    Type element = getElementTypeOrSelf(type), part = element;
    if (auto complex = dyn_cast<ComplexType>(element))
      part = complex.getElementType();
    if (getSmallFloat(part))
      found.insert(element);
  }
  return found;
}

static int64_t getBits(const APFloat &number) {
  return number.bitcastToAPInt().getZExtValue();
}

namespace {
/// What there is to know of a type of 8 bits: a sign, an exponent with a bias,
/// and a fraction.
struct Format {
  explicit Format(FloatType type)
      : semantics(type.getFloatSemantics()),
        fraction(APFloat::semanticsPrecision(semantics) - 1),
        least(APFloat::semanticsMinExponent(semantics)),
        most(APFloat::semanticsMaxExponent(semantics)),
        largest(getBits(APFloat::getLargest(semantics))),
        nan(getBits(APFloat::getNaN(semantics))),
        hasInfinity(APFloat::semanticsHasInf(semantics)),
        overflow(hasInfinity ? getBits(APFloat::getInf(semantics)) : nan),
        hasNegativeZero(nan != 0x80) {}

  /// Whether a type is one of these.
  static bool has(FloatType type) {
    return type.getWidth() == 8 && !isa<Float8E8M0FNUType>(type);
  }

  const llvm::fltSemantics &semantics;
  /// Bits of the fraction.
  int64_t fraction;
  /// Exponents of the smallest normal number and of the largest.
  int64_t least, most;
  /// Codes, without a sign where there is one.
  int64_t largest, nan;
  bool hasInfinity;
  int64_t overflow;
  /// If not, its code is NaN, which has no sign.
  bool hasNegativeZero;
};

/// Arithmetic on numbers of a type, or on shaped values of them.
class Arithmetic {
public:
  Arithmetic(Operation *op, Type like) : b(op->getLoc(), op), like(like) {}

  Type type(Type element) { return withElement(like, element); }
  Type integer(unsigned width) { return type(b.getIntegerType(width)); }
  Value constant(TypedAttr value) {
    if (auto shaped = dyn_cast<ShapedType>(like))
      value = DenseElementsAttr::get(shaped.clone(value.getType()), value);
    return arith::ConstantOp::create(b, value);
  }
  Value number(unsigned width, int64_t value) {
    return constant(b.getIntegerAttr(b.getIntegerType(width),
                                     APInt(width, value, /*isSigned=*/true)));
  }
  Value real(Type element, double value) {
    return constant(b.getFloatAttr(element, value));
  }
  template <typename Op, typename... Args> Value make(Args &&...args) {
    return Op::create(b, std::forward<Args>(args)...);
  }
  Value is(arith::CmpIPredicate predicate, Value left, Value right) {
    return make<arith::CmpIOp>(predicate, left, right);
  }

private:
  ImplicitLocOpBuilder b;
  Type like;
};
} // namespace

//===----------------------------------------------------------------------===//
// Extension and rounding
//===----------------------------------------------------------------------===//

/// The number with the bits `code`, an i8, in f32, where each has a place.
static Value extend(Arithmetic &a, const Format &format, Value code) {
  constexpr int64_t kFraction = 23, kBias = 127, kInfinity = 0xff << kFraction;
  const int64_t fraction = format.fraction, bias = 1 - format.least;
  Type f32 = a.type(Float32Type::get(code.getContext()));
  auto number = [&](int64_t value) { return a.number(32, value); };
  Value bits = a.make<arith::ExtUIOp>(a.integer(32), code);
  Value size = a.make<arith::AndIOp>(bits, number(0x7f));
  Value moved = a.make<arith::ShLIOp>(size, number(kFraction - fraction));
  Value normal =
      a.make<arith::AddIOp>(moved, number((kBias - bias) << kFraction));
  // Numbers without an exponent are multiples of the smallest of them.
  Value multiple =
      a.make<arith::MulFOp>(a.make<arith::UIToFPOp>(f32, size),
                            a.real(getElementTypeOrSelf(f32),
                                   std::ldexp(1.0, format.least - fraction)));
  Value isSmall = a.is(arith::CmpIPredicate::ult, size, number(1 << fraction));
  Value result = a.make<arith::SelectOp>(
      isSmall, a.make<arith::BitcastOp>(a.integer(32), multiple), normal);
  Value special = format.hasInfinity
                      ? a.make<arith::OrIOp>(moved, number(kInfinity))
                      : number(0x7fc00000);
  Value isSpecial =
      format.hasNegativeZero
          ? a.is(arith::CmpIPredicate::ugt, size, number(format.largest))
          : a.is(arith::CmpIPredicate::eq, bits, number(format.nan));
  result = a.make<arith::SelectOp>(isSpecial, special, result);
  Value sign = a.make<arith::ShLIOp>(a.make<arith::AndIOp>(bits, number(0x80)),
                                     number(24));
  return a.make<arith::BitcastOp>(f32, a.make<arith::OrIOp>(result, sign));
}

/// The bits, an i8, of `x` of f32 or f64, to the nearest, ties to even.
static Value round(Arithmetic &a, const Format &format, Value x) {
  auto real = cast<FloatType>(getElementTypeOrSelf(x));
  const unsigned width = real.getWidth();
  const int64_t mantissa = real.getFPMantissaWidth() - 1,
                bias = APFloat::semanticsMaxExponent(real.getFloatSemantics());
  auto number = [&](int64_t value) { return a.number(width, value); };
  Type integers = a.integer(width);
  Value bits = a.make<arith::BitcastOp>(integers, x);
  Value isNegative = a.is(arith::CmpIPredicate::slt, bits, number(0));
  Value sizeBits = a.make<arith::AndIOp>(
      bits, a.number(width, width == 64 ? INT64_MAX : INT32_MAX));
  Value size = a.make<arith::BitcastOp>(x.getType(), sizeBits);
  Value isNaN = a.make<arith::CmpFOp>(arith::CmpFPredicate::UNO, x, x);
  // Nothing beyond twice the largest number is told apart, NaN included.
  Value most = a.real(real, std::ldexp(1.0, format.most + 2));
  size = a.make<arith::SelectOp>(
      a.make<arith::CmpFOp>(arith::CmpFPredicate::OLT, size, most), size, most);
  Value exponent = a.make<arith::ShRUIOp>(sizeBits, number(mantissa));
  exponent = a.make<arith::MaxUIOp>(exponent, number(format.least + bias));
  exponent = a.make<arith::MinUIOp>(exponent, number(format.most + 1 + bias));
  // 2^(fraction - exponent): its product with the size has the last place 1.
  Value scale = a.make<arith::BitcastOp>(
      x.getType(),
      a.make<arith::ShLIOp>(
          a.make<arith::SubIOp>(number(format.fraction + 2 * bias), exponent),
          number(mantissa)));
  Value places = a.make<arith::FPToSIOp>(
      integers, a.make<math::RoundEvenOp>(a.make<arith::MulFOp>(size, scale)));
  Value code = a.make<arith::AddIOp>(
      places, a.make<arith::ShLIOp>(
                  a.make<arith::SubIOp>(exponent, number(format.least + bias)),
                  number(format.fraction)));
  Value isOver = a.is(arith::CmpIPredicate::ugt, code, number(format.largest));
  code = a.make<arith::SelectOp>(isOver, number(format.overflow), code);
  code = a.make<arith::SelectOp>(isNaN, number(format.nan), code);
  Value negative = a.make<arith::OrIOp>(code, number(0x80));
  if (!format.hasNegativeZero)
    negative = a.make<arith::SelectOp>(
        a.is(arith::CmpIPredicate::eq, code, number(0)), code, negative);
  code = a.make<arith::SelectOp>(isNegative, negative, code);
  return a.make<arith::TruncIOp>(a.integer(8), code);
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

/// Whether `op` only moves numbers, converts them, or says what they are.
static bool isNoArithmetic(Operation *op) {
  return isa<arith::ExtFOp, arith::TruncFOp, arith::BitcastOp,
             arith::ConstantOp, arith::SelectOp>(op);
}

/// Whether `op` becomes operations on bits, with constants among them.
static bool computes(Operation *op) {
  return isa_and_present<arith::ArithDialect, math::MathDialect>(
             op->getDialect()) &&
         !isa<arith::BitcastOp, arith::ConstantOp, arith::SelectOp>(op);
}

/// A shaped value of `op` whose extents are not all known, or none.
static Type findUnknownExtents(Operation *op) {
  for (Type type : llvm::concat<Type>(SmallVector<Type>(op->getOperandTypes()),
                                      SmallVector<Type>(op->getResultTypes())))
    if (auto shaped = dyn_cast<ShapedType>(type);
        shaped && !shaped.hasStaticShape())
      return type;
  return {};
}

/// What is wrong with `op`, which has values of `element`, or nothing.
static std::string check(Operation *op, Type element) {
  auto type = dyn_cast<FloatType>(element);
  if (!type || !Format::has(type))
    return llvm::formatv("expected floats of 8 bits with a sign and a "
                         "fraction, but got {0}; use f8E4M3FN, f8E5M2 or f16",
                         element);
  if ((!isa_and_present<arith::ArithDialect,
                        bufferization::BufferizationDialect,
                        cf::ControlFlowDialect, func::FuncDialect,
                        linalg::LinalgDialect, math::MathDialect,
                        scf::SCFDialect, tensor::TensorDialect, ub::UBDialect>(
           op->getDialect()) &&
       !isa<LaunchKernelsOp>(op)) ||
      isa<arith::ScalingExtFOp, arith::ScalingTruncFOp>(op))
    return llvm::formatv("expected an operation that can take the bits of "
                         "numbers of {0}, but got '{1}'; extend them before "
                         "('arith.extf')",
                         type, op->getName());
  // There is no constant of unknown extents.
  if (Type unknown = findUnknownExtents(op); unknown && computes(op))
    return llvm::formatv("expected an operation on {0} to be of known extents, "
                         "but got {1}; make it a 'linalg.generic' before",
                         type, unknown);
  if (isa<arith::ExtFOp, arith::TruncFOp>(op))
    for (Value value : {op->getOperand(0), Value(op->getResult(0))}) {
      Type other = getElementTypeOrSelf(value.getType());
      if (other != type && !other.isF16() && !other.isBF16() &&
          !other.isF32() && !other.isF64())
        return llvm::formatv("expected a conversion between {0} and f16, bf16, "
                             "f32 or f64, but got {1}; convert to f64 first",
                             type, other);
    }
  auto round = dyn_cast<arith::TruncFOp>(op);
  if (round &&
      round.getRoundingmode().value_or(arith::RoundingMode::to_nearest_even) !=
          arith::RoundingMode::to_nearest_even)
    return llvm::formatv("expected a rounding to the nearest {0}, but got "
                         "another mode; leave 'roundingmode' out",
                         type);
  return "";
}

/// Writes an operation on small floats as one on wide ones.
static void widen(Operation *op) {
  OpBuilder b(op);
  Type wide = b.getF32Type();
  if (isa<math::FmaOp>(op))
    wide = b.getF64Type();
  Operation *copy = b.clone(*op);
  b.setInsertionPoint(copy);
  for (OpOperand &operand : copy->getOpOperands())
    if (Type type = operand.get().getType(); getSmallFloat(type))
      operand.set(arith::ExtFOp::create(
          b, op->getLoc(), withElement(type, wide), operand.get()));
  b.setInsertionPointAfter(copy);
  SmallVector<Value> results;
  for (Value result : copy->getResults()) {
    Type type = result.getType();
    if (!getSmallFloat(type)) {
      results.push_back(result);
      continue;
    }
    result.setType(withElement(type, wide));
    results.push_back(arith::TruncFOp::create(b, op->getLoc(), type, result));
  }
  op->replaceAllUsesWith(results);
  op->erase();
}

static void expandExtension(arith::ExtFOp op) {
  FloatType from = getSmallFloat(op.getIn().getType());
  Arithmetic a(op, op.getType());
  Type f32 = a.type(Float32Type::get(op.getContext()));
  Value code = a.make<arith::BitcastOp>(a.integer(8), op.getIn());
  Value result = extend(a, Format(from), code);
  const unsigned width =
      getElementTypeOrSelf(op.getType()).getIntOrFloatBitWidth();
  // Exact.
  if (width > 32)
    result = a.make<arith::ExtFOp>(op.getType(), result);
  else if (op.getType() != f32)
    result = a.make<arith::TruncFOp>(op.getType(), result);
  op.replaceAllUsesWith(result);
  op.erase();
}

static void expandRounding(arith::TruncFOp op) {
  Value x = op.getIn();
  Arithmetic a(op, op.getType());
  // Exact.
  if (getElementTypeOrSelf(x).getIntOrFloatBitWidth() < 32)
    x = a.make<arith::ExtFOp>(a.type(Float32Type::get(op.getContext())), x);
  Value code = round(a, Format(getSmallFloat(op.getType())), x);
  op.replaceAllUsesWith(a.make<arith::BitcastOp>(op.getType(), code));
  op.erase();
}

/// A constant by its bits.
static void storeConstant(arith::ConstantOp op) {
  Type i8 = IntegerType::get(op.getContext(), 8);
  auto toBits = [](const APFloat &value) { return value.bitcastToAPInt(); };
  if (auto number = dyn_cast<FloatAttr>(op.getValue()))
    op.setValueAttr(IntegerAttr::get(i8, toBits(number.getValue())));
  else if (auto numbers = dyn_cast<DenseFPElementsAttr>(op.getValue()))
    op.setValueAttr(numbers.mapValues(i8, toBits));
}

namespace {
struct StoreF8AsI8 : public amp::impl::StoreF8AsI8PassBase<StoreF8AsI8> {
  void runOnOperation() override {
    if (failed(collect()))
      return signalPassFailure();
    if (ops.empty())
      return;
    IRRewriter rewriter(&getContext());
    for (Operation *op : ops) {
      auto named = dyn_cast<linalg::LinalgOp>(op);
      if (!named || isa<linalg::GenericOp>(op))
        continue;
      rewriter.setInsertionPoint(op);
      (void)linalg::generalizeNamedOp(rewriter, named);
    }
    forEach([](Operation *op) {
      if (isa_and_present<arith::ArithDialect, math::MathDialect>(
              op->getDialect()) &&
          !isNoArithmetic(op))
        widen(op);
    });
    forEach([&](Operation *op) {
      ++numOperations;
      if (auto extension = dyn_cast<arith::ExtFOp>(op))
        expandExtension(extension);
      else if (auto rounding = dyn_cast<arith::TruncFOp>(op))
        expandRounding(rounding);
      else if (auto constant = dyn_cast<arith::ConstantOp>(op))
        storeConstant(constant);
    });
    AttrTypeReplacer replacer;
    replacer.addReplacement([](FloatType type) -> std::optional<Type> {
      if (!Format::has(type))
        return std::nullopt;
      return IntegerType::get(type.getContext(), 8);
    });
    replacer.recursivelyReplaceElementsIn(getOperation(), /*replaceAttrs=*/true,
                                          /*replaceLocs=*/false,
                                          /*replaceTypes=*/true);
    // Of bits to bits.
    getOperation().walk([](arith::BitcastOp op) {
      if (op.getType() != op.getIn().getType())
        return;
      op.replaceAllUsesWith(op.getIn());
      op.erase();
    });
  }

private:
  LogicalResult collect() {
    bool isRefused = false;
    ops.clear();
    getOperation().walk([&](Operation *op) {
      SetVector<Type> elements = findSmallFloats(op);
      if (elements.empty())
        return;
      ops.push_back(op);
      for (Type element : elements)
        if (std::string wrong = check(op, element); !wrong.empty()) {
          isRefused = true;
          op->emitError() << wrong;
          break;
        }
    });
    return failure(isRefused);
  }

  /// Calls `visit` for each operation with small floats, as there are now.
  void forEach(function_ref<void(Operation *)> visit) {
    ops.clear();
    getOperation().walk([&](Operation *op) {
      if (!findSmallFloats(op).empty())
        ops.push_back(op);
    });
    for (Operation *op : ops)
      visit(op);
  }

  SmallVector<Operation *> ops;
};
} // namespace
