//===- ExpandFunctions.cpp - Functions as arithmetic in kernels -----------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A function of f32 is computed in f64 and rounded to f32 once: what the series
// below leave out, and what f64 rounds, is a small part of what the last
// rounding does. No result is further than 0.501 units in the last place from
// the true one, subnormal numbers, zeros, infinities and NaNs as C99 has them
// (test/Kernels/expand-functions.test measures it; the largest error that it
// found is 0.500001). exp, tanh and erf are made of the hardware's functions
// (HardwareFunctions.cpp), or are upstream's polynomials, as on the host; its
// log is not used, which is wrong for subnormal numbers.
//
// Straight-line code without branches: lanes of a warp have different numbers,
// and both sides of a branch would be computed anyway. Cases are selected.
//
// No product of floats is an operand of a sum, unless a selection stands
// between: sums of products are a math.fma. So there is nothing that a compiler
// could contract, and the emulator gives the bits of a GPU. Nor is a float
// converted to a whole number, which is not defined for NaN: the integer is in
// the lowest bits of a sum with 1.5 * 2^52.
//
// f16 and bf16 are computed by way of f32. Functions of f64 are in
// DoubleFunctions.cpp, DoubleAngles.cpp and DoubleErrorFunctions.cpp; those
// that steps hardly have are computed of f32 as they are of f64.
//
//===----------------------------------------------------------------------===//

#include "Compilation/ExpandFunctions.h"

#include "Compilation/DoubleFunctions.h"
#include "Compilation/FunctionTerms.h"
#include "Compilation/HardwareFunctions.h"
#include "amp/Kernels/DeviceFunctions.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"

#include <limits>

using namespace mlir;
using namespace mlir::amp;

/// The functions of f64, which hide those of the C library.
namespace function {
static Term log(Term x);
static Term log2(Term x);
static Term log10(Term x);
static Term log1p(Term x);
static Term exp2(Term x);
static Term expm1(Term x);
static Term sinh(Term x);
static Term cosh(Term x);
static Term cbrt(Term x);
static Term sin(Term x);
static Term cos(Term x);
static Term atan(Term x);
static Term powf(Term x, Term y);
static Term atan2(Term y, Term x);
} // namespace function

//===----------------------------------------------------------------------===//
// Logarithms
//===----------------------------------------------------------------------===//

static constexpr double kLn2 = 0x1.62e42fefa39efp-1;
static constexpr double kLn2Rest = 0x1.abc9e3b39803fp-56;
static constexpr double kLog2E = 0x1.71547652b82fep+0;
static constexpr double kLog10E = 0x1.bcb7b1526e50ep-2;
static constexpr double kLog10Of2 = 0x1.34413509f79ffp-2;

namespace {
/// x = 2^e m, m from sqrt(1/2) to sqrt(2), of a normal x above 0.
struct Logarithm {
  Term e;
  Term lnM;

  explicit Logarithm(Term x) {
    Term exponent = getExponent(x);
    Term m = fromBits(toBits(x) - (exponent << 52));
    e = fromInteger(exponent);
    // ln m = 2 artanh(s) = 2 (s + s^3 / 3 + s^5 / 5 + ...), |s| <= 0.172: what
    // is left out is 2^-54 of it.
    Term s = (m - 1) / (m + 1);
    Term square = s * s;
    Term rest = polynomial(square, {2. / 3, 2. / 5, 2. / 7, 2. / 9, 2. / 11,
                                    2. / 13, 2. / 15, 2. / 17, 2. / 19});
    lnM = fma(s * square, rest, s + s);
  }
};
} // namespace

Term function::log(Term x) {
  Logarithm parts(x);
  return withLimits(x, fma(parts.e, kLn2, parts.lnM));
}
Term function::log2(Term x) {
  Logarithm parts(x);
  return withLimits(x, fma(parts.lnM, kLog2E, parts.e));
}
Term function::log10(Term x) {
  Logarithm parts(x);
  return withLimits(x, fma(parts.e, kLog10Of2, parts.lnM * kLog10E));
}

/// With u = 1 + x, as it is rounded, log(u) x / (u - 1): the quotient, which
/// varies slowly, is the one of u (W. Kahan).
Term function::log1p(Term x) {
  Term u = x + 1;
  Term result = log(u) * (x / (u - 1));
  // Where u is 1, x, with its sign; infinity would be divided by itself.
  return select((u == 1) | (x == kInfinity), x, result);
}

//===----------------------------------------------------------------------===//
// Powers
//===----------------------------------------------------------------------===//

namespace {
/// 2^n and e^t - 1, of a whole n and a small t.
struct Exponential {
  Term scale;
  Term rest;

  /// |t| <= 0.347: what is left out of the series is 2^-56 of it.
  Exponential(Nearest n, Term t) {
    scale = fromBits((n.bits << 52) + t.word(0x3ff0000000000000));
    double factorial = 1;
    SmallVector<double> c;
    for (int k = 2; k <= 13; ++k)
      c.push_back(1 / (factorial *= k));
    rest = fma(t * t, polynomial(t, c), t);
  }

  /// Of e^x, |x| <= 700.
  static Exponential ofNatural(Term x) {
    Nearest n = Nearest::ofProduct(x, kLog2E);
    Term t = fma(n.number, -kLn2, x);
    return Exponential(n, fma(n.number, -kLn2Rest, t));
  }

  Term minusOne() const { return fma(scale, rest, scale - 1); }
  Term power() const { return fma(scale, rest, scale); }
};
} // namespace

/// Beyond these, e^x is 0 or infinite as f32, and 2^x is.
static constexpr double kLimit = 256;

Term function::exp2(Term x) {
  x = clamp(x, -kLimit, kLimit);
  Nearest n(x + Nearest::kShift);
  return Exponential(n, (x - n.number) * kLn2).power();
}

Term function::expm1(Term x) {
  Term result = Exponential::ofNatural(clamp(x, -kLimit, kLimit)).minusOne();
  // -0.0, whose sign the sum has lost.
  return select(x == 0, x, result);
}

Term function::sinh(Term x) {
  Term grown = expm1(clamp(absolute(x), 0, kLimit));
  return copySign((grown + grown / (grown + 1)) * 0.5, x);
}

Term function::cosh(Term x) {
  Term power = Exponential::ofNatural(clamp(absolute(x), 0, kLimit)).power();
  return (power + power.constant(1) / power) * 0.5;
}

Term function::cbrt(Term x) {
  return copySign(exp2(log2(absolute(x)) * (1. / 3)), x);
}

/// |x|^y = 2^(y log2 |x|): the product's error is at most 2^-45, an eighth of
/// it beyond the first overflow.
static Term power(Term x, Term y, Term yIsWhole, Term yIsOdd) {
  Term result = function::exp2(y * function::log2(absolute(x)));
  return withPowerLimits(x, y, yIsWhole, yIsOdd, result);
}

Term function::powf(Term x, Term y) {
  return power(x, y, isWhole(y), isOdd(y));
}

//===----------------------------------------------------------------------===//
// Angles
//===----------------------------------------------------------------------===//

static constexpr double kHalfPi = 0x1.921fb54442d18p+0;
static constexpr double kHalfPiRest = 0x1.1a62633145c07p-54;
static constexpr double kPi = 2 * kHalfPi;

namespace {
/// |x| = n pi/2 + r, |r| <= pi/4.
struct Quadrant {
  /// n in its two lowest bits.
  Term n;
  Term r;

  explicit Quadrant(Term x) {
    x = absolute(x);
    // n pi/2 has the first part exactly where x has, which is to 2^23; r is
    // then exact but for what the second part's product is rounded by.
    Nearest nearest = Nearest::ofProduct(x, 1 / kHalfPi);
    Term near = fma(nearest.number, -kHalfPi, x);
    near = fma(nearest.number, -kHalfPiRest, near);
    auto [farN, farR] = reduceLarge(x);
    Term isNear = x < 0x1p23;
    n = select(isNear, nearest.bits, farN);
    r = select(isNear, near, farR);
    r = select(x < kInfinity, r, r.constant(kNaN));
  }

private:
  /// Of x = m 2^e, m a whole number of 24 bits and e from 0 to 104. Quarters of
  /// a turn are m (2^e 2/pi), of which multiples of 4 do not count: with the
  /// bits of 2/pi/4 from the e-th on, the highest 128 of the product modulo 1
  /// are all that is needed (M. Payne and R. Hanek, Radian Reduction for
  /// Trigonometric Functions, 1983).
  static std::pair<Term, Term> reduceLarge(Term x) {
    const uint64_t bits[] = {0x28be60db9391054a, 0x7f09d5f47d4d3770,
                             0x36d8a5664f10e410, 0x7f9458eaf7aef158};
    Term word = toBits(x);
    // An f32's 24 bits, at the top of the 53.
    Term m = ((word >> 29) & 0x7fffff) | x.word(0x800000);
    Term e = (word >> 52) - x.word(1023 + 23);
    Term isLow = e < 64;
    e = e & 63;
    auto window = [&](int first) {
      Term high = select(isLow, x.word(bits[first]), x.word(bits[first + 1]));
      Term low =
          select(isLow, x.word(bits[first + 1]), x.word(bits[first + 2]));
      // Shifted twice, as no shift may be by 64.
      return (high << e) | ((low >> 1) >> (x.word(63) - e));
    };
    Term second = window(1);
    // m times 128 bits: the lowest word, and what it carries.
    Term low = m * second;
    Term carry =
        (m * (second >> 32) + ((m * (second & 0xffffffff)) >> 32)) >> 32;
    Term turns = m * window(0) + carry;
    // The two highest bits are quarters, once the nearest is taken.
    Term n = (turns + x.word(uint64_t(1) << 61)) >> 62;
    Term rest = turns - (n << 62);
    Term r = fma(fromInteger(low >> 1), 0x1p-63, fromInteger(rest));
    return {n, r * (kHalfPi * 0x1p-62)};
  }
};
} // namespace

/// The sine of x plus so many quarters of a turn, of an x above 0.
static Term sine(const Quadrant &x, uint64_t quarters) {
  // What is left out of the series is 2^-45 of them.
  Term square = x.r * x.r;
  Term rest = polynomial(square, {-1. / 6, 1. / 120, -1. / 5040, 1. / 362880,
                                  -1. / 39916800, 1. / 6227020800});
  Term sin = fma(x.r * square, rest, x.r);
  Term cos =
      polynomial(square, {1, -1. / 2, 1. / 24, -1. / 720, 1. / 40320,
                          -1. / 3628800, 1. / 479001600, -1. / 87178291200});
  Term n = x.n + x.n.word(quarters);
  Term result = select((n & 1) == 0, sin, cos);
  return select((n & 2) == 0, result, negate(result));
}

Term function::sin(Term x) {
  Term result = sine(Quadrant(x), 0);
  return select(isNegative(x), negate(result), result);
}

Term function::cos(Term x) { return sine(Quadrant(x), 1); }

/// The angle of the smaller to the larger coordinate is at most pi/4; above
/// pi/8 it is pi/4 less that of their difference to their sum.
Term function::atan2(Term y, Term x) {
  Term height = absolute(y), width = absolute(x);
  Term isSteep = width < height;
  Term small = select(isSteep, width, height);
  Term large = select(isSteep, height, width);
  // Two infinities are as two ones; at the origin there is no angle.
  Term areInfinite = small == kInfinity;
  small = select(areInfinite, 1, small);
  large = select(areInfinite, 1, large);
  large = select(large == 0, 1, large);
  const double tanOfPi8 = 0x1.a827999fcef32p-2;
  Term isWide = large * tanOfPi8 < small;
  Term t = select(isWide, small - large, small) /
           select(isWide, small + large, large);
  // t - t^3 / 3 + t^5 / 5 - ..., |t| <= 0.415: what is left out is 2^-47 of it.
  Term square = t * t;
  SmallVector<double> c;
  for (int k = 3; k <= 33; k += 2)
    c.push_back((k % 4 == 1 ? 1. : -1.) / k);
  Term angle = fma(t * square, polynomial(square, c), t);
  angle = select(isWide, angle + kHalfPi / 2, angle);
  angle = select(isSteep, angle.constant(kHalfPi) - angle, angle);
  angle = select(isNegative(x), angle.constant(kPi) - angle, angle);
  Term isNumber = (x == x) & (y == y);
  return select(isNumber, copySign(angle, y), y.constant(kNaN));
}

Term function::atan(Term x) { return atan2(x, x.constant(1)); }

//===----------------------------------------------------------------------===//
// Patterns
//===----------------------------------------------------------------------===//

static Term extend(ImplicitLocOpBuilder &b, Value x) {
  return {&b, arith::ExtFOp::create(b, withElement(x.getType(), b.getF64Type()),
                                    x)};
}

/// What other patterns expand, of f64.
template <typename Op> static Term asOfDouble(Term x) {
  return {x.b, Op::create(*x.b, x)};
}

namespace {
/// math.log %x : f32  ->  arith.truncf (log (arith.extf %x : f32 to f64))
template <typename Op, auto function>
struct ExpandFunction : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;
  LogicalResult matchAndRewrite(Op op,
                                PatternRewriter &rewriter) const override {
    Type type = op.getType();
    if (!getElementTypeOrSelf(type).isF32())
      return rewriter.notifyMatchFailure(op, "not of f32");
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    Term result;
    if constexpr (Op::template hasTrait<OpTrait::OneOperand>())
      result = function(extend(b, op.getOperand()));
    else
      result = function(extend(b, op.getLhs()), extend(b, op.getRhs()));
    rewriter.replaceOpWithNewOp<arith::TruncFOp>(op, type, result);
    return success();
  }
};

/// A known exponent is the host's sequence of multiplications (llvm.intr.powi),
/// so that the bits are the host's, and their roundings: for the squares and
/// cubes that programs have they are few. With one that is not known that would
/// be a multiplication for each of its bits, rounded each time: powf's code is
/// shorter and exact to the last place.
struct ExpandFPowI : OpRewritePattern<math::FPowIOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(math::FPowIOp op,
                                PatternRewriter &rewriter) const override {
    Type type = op.getType(), element = getElementTypeOrSelf(type);
    if (!element.isF32() && !element.isF64())
      return rewriter.notifyMatchFailure(op, "neither of f32 nor of f64");
    if (!hasExpansion(op))
      return rewriter.notifyMatchFailure(op, "an exponent without code");
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    APInt known;
    if (matchPattern(op.getRhs(), m_ConstantInt(&known))) {
      rewriter.replaceOp(op, multiply(b, op.getLhs(), known.getSExtValue()));
      return success();
    }
    Type i64 = withElement(type, b.getI64Type());
    Value exponent = op.getRhs();
    if (exponent.getType() != i64)
      exponent = arith::ExtSIOp::create(b, i64, exponent);
    Term n = {&b, exponent};
    if (element.isF64()) {
      rewriter.replaceOp(op, raiseDouble({&b, op.getLhs()}, n).value);
      return success();
    }
    Term result = power(extend(b, op.getLhs()), fromInteger(n),
                        /*yIsWhole=*/n == n, (n & 1) == 1);
    rewriter.replaceOpWithNewOp<arith::TruncFOp>(op, type, result);
    return success();
  }

private:
  static Value multiply(ImplicitLocOpBuilder &b, Value x, int64_t exponent) {
    Term base = {&b, x};
    Term one = base.constant(1.0), result;
    for (uint64_t n = exponent < 0 ? -uint64_t(exponent) : exponent; n;) {
      if (n & 1)
        result = result.value ? result * base : base;
      if (n >>= 1)
        base = base * base;
    }
    if (!result.value)
      return one;
    return exponent < 0 ? one / result : result;
  }
};

/// Squares and multiplications, of as many bits as the exponent has, without
/// branches. A negative exponent leaves a quotient of 1, which is 0 but for
/// bases of 1 and -1; the one by 0 has no value, and is 0.
struct ExpandIPowI : OpRewritePattern<math::IPowIOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(math::IPowIOp op,
                                PatternRewriter &rewriter) const override {
    if (!hasExpansion(op))
      return rewriter.notifyMatchFailure(op, "no integers with an expansion");
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    Type type = op.getType();
    const unsigned width = getElementTypeOrSelf(type).getIntOrFloatBitWidth();
    Value base = op.getLhs(), exponent = op.getRhs();
    auto constant = [&](int64_t value) -> Value {
      // A boolean's 1 is its -1.
      TypedAttr number = IntegerAttr::get(
          getElementTypeOrSelf(type),
          APInt(width, value, /*isSigned=*/true, /*implicitTrunc=*/true));
      if (auto shaped = dyn_cast<ShapedType>(type))
        number = DenseElementsAttr::get(shaped, number);
      return arith::ConstantOp::create(b, number);
    };
    Value zero = constant(0), one = constant(1), minusOne = constant(-1);
    auto compare = [&](arith::CmpIPredicate predicate, Value x,
                       Value y) -> Value {
      return b.createOrFold<arith::CmpIOp>(predicate, x, y);
    };
    auto select = [&](Value condition, Value x, Value y) -> Value {
      return b.createOrFold<arith::SelectOp>(condition, x, y);
    };
    auto isSet = [&](unsigned bit) {
      Value shifted = b.createOrFold<arith::ShRUIOp>(exponent, constant(bit));
      return compare(arith::CmpIPredicate::ne,
                     b.createOrFold<arith::AndIOp>(shifted, one), zero);
    };
    APInt known;
    const bool isKnown = matchPattern(exponent, m_ConstantInt(&known));
    Value square = base, result = one;
    for (unsigned bit = 0; bit < (isKnown ? known.getActiveBits() : width);
         ++bit) {
      if (bit != 0)
        square = b.createOrFold<arith::MulIOp>(square, square);
      result = select(isSet(bit), b.createOrFold<arith::MulIOp>(result, square),
                      result);
    }
    Value ofMinusOne = select(isSet(0), minusOne, one),
          inverse =
              select(compare(arith::CmpIPredicate::eq, base, one), one,
                     select(compare(arith::CmpIPredicate::eq, base, minusOne),
                            ofMinusOne, zero));
    rewriter.replaceOp(
        op, select(compare(arith::CmpIPredicate::slt, exponent, zero), inverse,
                   result));
    return success();
  }
};

/// math.log %x : f16  ->  arith.truncf (math.log (arith.extf %x : f16 to f32))
struct WidenFunction : RewritePattern {
  WidenFunction(MLIRContext *context)
      // Before upstream's polynomials, one of which takes f16 as it is.
      : RewritePattern(MatchAnyOpTypeTag(), /*benefit=*/2, context) {}
  LogicalResult matchAndRewrite(Operation *op,
                                PatternRewriter &rewriter) const override {
    if (!hasExpansion(op))
      return rewriter.notifyMatchFailure(op, "no function with an expansion");
    Type type = op->getResult(0).getType();
    Type element = getElementTypeOrSelf(type);
    if (!element.isF16() && !element.isBF16())
      return rewriter.notifyMatchFailure(op, "not of halves");
    Location loc = op->getLoc();
    IRMapping mapping;
    for (Value operand : op->getOperands())
      if (isa<FloatType>(getElementTypeOrSelf(operand)))
        mapping.map(operand,
                    arith::ExtFOp::create(
                        rewriter, loc,
                        withElement(operand.getType(), rewriter.getF32Type()),
                        operand));
    Operation *wide = rewriter.clone(*op, mapping);
    wide->getResult(0).setType(withElement(type, rewriter.getF32Type()));
    rewriter.replaceOpWithNewOp<arith::TruncFOp>(op, type, wide->getResult(0));
    return success();
  }
};
} // namespace

void mlir::amp::populateExpandFunctionsPatterns(RewritePatternSet &patterns,
                                                KernelFunctions functions) {
  if (functions == KernelFunctions::Hardware)
    populateHardwareFunctionsPatterns(patterns);
  else
    populateMathPolynomialApproximationPatterns(patterns, [](StringRef name) {
      return name == math::ExpOp::getOperationName() ||
             name == math::TanhOp::getOperationName() ||
             name == math::ErfOp::getOperationName();
    });
  populateDoubleFunctionsPatterns(patterns);
  populateDoubleAnglesPatterns(patterns);
  populateDoubleErrorFunctionsPatterns(patterns);
  patterns.add<ExpandFunction<math::AcosOp, asOfDouble<math::AcosOp>>,
               ExpandFunction<math::AcoshOp, asOfDouble<math::AcoshOp>>,
               ExpandFunction<math::AsinOp, asOfDouble<math::AsinOp>>,
               ExpandFunction<math::AsinhOp, asOfDouble<math::AsinhOp>>,
               ExpandFunction<math::AtanhOp, asOfDouble<math::AtanhOp>>,
               ExpandFunction<math::ErfcOp, asOfDouble<math::ErfcOp>>,
               ExpandFunction<math::TanOp, asOfDouble<math::TanOp>>>(
      patterns.getContext());
  patterns.add<WidenFunction, ExpandFPowI, ExpandIPowI,
               ExpandFunction<math::AtanOp, function::atan>,
               ExpandFunction<math::Atan2Op, function::atan2>,
               ExpandFunction<math::CbrtOp, function::cbrt>,
               ExpandFunction<math::CosOp, function::cos>,
               ExpandFunction<math::CoshOp, function::cosh>,
               ExpandFunction<math::ExpM1Op, function::expm1>,
               ExpandFunction<math::LogOp, function::log>,
               ExpandFunction<math::Log10Op, function::log10>,
               ExpandFunction<math::Log1pOp, function::log1p>,
               ExpandFunction<math::Log2Op, function::log2>,
               ExpandFunction<math::PowFOp, function::powf>,
               ExpandFunction<math::SinOp, function::sin>,
               ExpandFunction<math::SinhOp, function::sinh>>(
      patterns.getContext());
}
