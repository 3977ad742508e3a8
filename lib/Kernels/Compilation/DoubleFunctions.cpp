//===- DoubleFunctions.cpp - Functions of f64 in kernels ------------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Powers and logarithms of f64, such as Adam's beta^t, and roots and hyperbolic
// functions by way of them. All go by log2 and 2^x of sums of two f64, which
// have 106 bits (T. J. Dekker, A Floating-Point Technique for Extending the
// Available Precision, 1971), and are rounded at the end. So a result is within
// 0.54 units in the last place of the true one: what has 53 bits is the rest of
// a power from t^3 on, at most 0.008, which is rounded five times. Beside
// e^x - 1 that is up to four times as much, and expm1, sinh and tanh are within
// 0.65 units. A subnormal result is rounded twice, to 53 bits first, and is
// within 0.77. Zeros, infinities and NaNs are as C99 has them.
// test/Kernels/expand-functions.test measures all of it.
//
// Straight-line code, as in ExpandFunctions.cpp. Here products are operands of
// sums, so these must be rounded each by itself: NVPTX's are (.rn), where
// nothing allows it to contract them.
//
//===----------------------------------------------------------------------===//

#include "Compilation/DoubleFunctions.h"

#include "Compilation/FunctionTerms.h"

using namespace mlir;
using namespace mlir::amp;

//===----------------------------------------------------------------------===//
// Sums of two
//===----------------------------------------------------------------------===//

namespace {
/// A number of 106 bits: what is `high`, rounded, and the rest.
struct Pair {
  Term high, low;
};
/// One that is known.
struct PairConstant {
  double high, low;
  Pair like(Term x) const { return {x.constant(high), x.constant(low)}; }
};
} // namespace

static constexpr PairConstant kThird = {0x1.5555555555555p-2,
                                        0x1.5555555555555p-56};
static constexpr PairConstant kLn2 = {0x1.62e42fefa39efp-1,
                                      0x1.abc9e3b39803fp-56};
static constexpr PairConstant kLog2E = {0x1.71547652b82fep+0,
                                        0x1.777d0ffda0d24p-56};
static constexpr PairConstant kTwiceLog2E = {2 * kLog2E.high, 2 * kLog2E.low};
static constexpr PairConstant kLog10Of2 = {0x1.34413509f79ffp-2,
                                           -0x1.9dc1da994fd21p-59};

/// Exactly.
static Pair sum(Term x, Term y) {
  Term high = x + y;
  Term part = high - x;
  Term rest = x - (high - part);
  return {high, rest + (y - part)};
}
/// Exactly, where |x| >= |y| or x is 0.
static Pair sumOfOrdered(Term x, Term y) {
  Term high = x + y;
  return {high, y - (high - x)};
}
/// Exactly, where it is not subnormal.
static Pair product(Term x, Term y) {
  Term high = x * y;
  return {high, fma(x, y, negate(high))};
}
static Pair operator+(Pair x, Pair y) {
  Pair high = sum(x.high, y.high);
  Term low = x.low + y.low;
  return sumOfOrdered(high.high, high.low + low);
}
static Pair operator*(Pair x, Pair y) {
  Pair high = product(x.high, y.high);
  Term cross = fma(x.high, y.low, x.low * y.high);
  return sumOfOrdered(high.high, high.low + cross);
}
static Pair operator*(Pair x, PairConstant y) { return x * y.like(x.high); }
static Pair operator/(Pair x, Pair y) {
  Term quotient = x.high / y.high;
  Term rest = fma(negate(quotient), y.high, x.high);
  rest = fma(negate(quotient), y.low, rest + x.low);
  return sumOfOrdered(quotient, rest / y.high);
}
/// Exactly, of a power of 2.
static Pair scale(Pair x, Term power) {
  return {x.high * power, x.low * power};
}

//===----------------------------------------------------------------------===//
// log2 and 2^x
//===----------------------------------------------------------------------===//

/// Of a finite x above 0; of others, some numbers.
static Pair log2Of(Term x) {
  // x = 2^e m, m from sqrt(1/2) to sqrt(2); subnormal numbers times 2^54.
  Term isSubnormal = x < 0x1p-1022;
  Term normal = select(isSubnormal, x * 0x1p54, x);
  const uint64_t least = 0x3fe6a09e667f3bcd; // sqrt(1/2)
  Term bits = toBits(normal);
  Term exponent = Term::apply<arith::ShRSIOp>(bits - x.word(least), x.word(52));
  Term m = fromBits(bits - (exponent << 52));
  Term e = fromInteger(exponent);
  e = select(isSubnormal, e - 54, e);
  // With s = (m - 1) / (m + 1), |s| <= 0.172, ln m is 2 artanh(s), which is
  // 2 (s + s^3 / 3 + s^5 / 5 + ...): what is left out is 2^-71 of it. From s^5
  // on, f64 has all that is needed, but for the sum with 1/3. m - 1 is exact.
  Term zero = x.constant(0);
  Pair s = Pair{m - 1, zero} / sum(m, x.constant(1));
  Pair square = s * s;
  SmallVector<double> c;
  for (int k = 5; k <= 25; k += 2)
    c.push_back(1. / k);
  Pair third = kThird.like(x);
  Pair series =
      sumOfOrdered(third.high, square.high * polynomial(square.high, c));
  series.low = series.low + third.low;
  Pair halfLn = s + s * (square * series);
  return Pair{e, zero} + halfLn * kTwiceLog2E;
}

namespace {
/// 2^n (1 + t + rest), |t| <= 0.35, of 2^x.
struct Power {
  /// n.
  Term exponent;
  Term t;
  Pair rest;

  explicit Power(Pair x) {
    Term high = clamp(x.high, -kLimit, kLimit);
    // Beyond the limits it may be no number.
    Term low = select(high == x.high, x.low, x.high.constant(0));
    Term shifted = high + kShift;
    exponent = toBits(shifted) - toBits(high.constant(kShift));
    Pair fraction = sumOfOrdered(high - (shifted - kShift), low);
    t = fraction.high * kLn2.high;
    Term tLow = fma(fraction.high, kLn2.high, negate(t));
    tLow = fma(fraction.high, kLn2.low, tLow);
    tLow = fma(fraction.low, kLn2.high, tLow);
    // e^t - 1 - t = t^2 / 2 + t^3 (1 / 6 + t / 24 + ...), up to t^14: what is
    // left out is 2^-63. Of the first term all bits count.
    double factorial = 2;
    SmallVector<double> c;
    for (int k = 3; k <= 14; ++k)
      c.push_back(1 / (factorial *= k));
    Pair square = product(t, t);
    Term low3 = fma(square.high * t, polynomial(t, c), fma(tLow, t, tLow));
    rest = {square.high * 0.5, fma(square.low, 0.5, low3)};
  }

  /// Where that is no subnormal number, and n is below 1024.
  Pair get() const { return scale(getSignificand(), powerOf2(exponent)); }
  /// The same, rounded; wherever it is.
  Term getRounded() const {
    Pair parts = getSignificand();
    Term half = Term::apply<arith::ShRSIOp>(exponent, exponent.constant(1));
    return (parts.high + parts.low) * powerOf2(half) *
           powerOf2(exponent - half);
  }
  /// 2^x - 1, where n is below 1024.
  Pair getMinusOne() const {
    Term power = powerOf2(exponent);
    Pair one = sum(power, power.constant(-1));
    Pair linear = sum(one.high, power * t);
    Pair parts = sum(linear.high, power * rest.high);
    Term low = fma(power, rest.low, one.low) + (parts.low + linear.low);
    return sumOfOrdered(parts.high, low);
  }

private:
  /// Beyond these, a result is 0 or infinite.
  static constexpr double kLimit = 1100;
  /// A sum with it has a whole number in its lowest bits.
  static constexpr double kShift = 0x1.8p52;

  /// 1 + t + rest.
  Pair getSignificand() const {
    Pair one = sumOfOrdered(t.constant(1), t);
    Pair parts = sumOfOrdered(one.high, rest.high);
    return sumOfOrdered(parts.high, rest.low + (parts.low + one.low));
  }
  static Term powerOf2(Term n) { return fromBits((n + n.word(1023)) << 52); }
};
} // namespace

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

/// What `x` is a power of e to, as one of 2.
static Pair toPowerOf2(Term x) {
  Pair high = product(x, x.constant(kLog2E.high));
  return {high.high, fma(x, kLog2E.low, high.low)};
}

/// The functions of f64, which hide those of the C library.
namespace function {
static Term log(Term x) { return withLimits(x, (log2Of(x) * kLn2).high); }
static Term log2(Term x) { return withLimits(x, log2Of(x).high); }
static Term log10(Term x) {
  return withLimits(x, (log2Of(x) * kLog10Of2).high);
}

/// log(u + v) = log(u) + log1p(v / u), where u is the sum that is rounded.
static Term log1p(Term x) {
  Pair u = sum(x.constant(1), x);
  Term zero = x.constant(0);
  Pair r = Pair{u.low, zero} / Pair{u.high, zero};
  Pair small = sumOfOrdered(r.high, fma(r.high * -0.5, r.high, r.low));
  Term result = withLimits(u.high, (log2Of(u.high) * kLn2 + small).high);
  return select((x == 0) | (x == kInfinity), x, result);
}

static Term exp(Term x) { return Power(toPowerOf2(x)).getRounded(); }
static Term exp2(Term x) { return Power({x, x.constant(0)}).getRounded(); }

/// From where on e^x - 1 is e^x, as f64, and e^-x - 1 is -1; and e^x + e^-x is.
static constexpr double kLarge = 40;

static Term expm1(Term x) {
  Pair small = Power(toPowerOf2(clamp(x, -kLarge, kLarge))).getMinusOne();
  Term result = select(x > kLarge, exp(x), small.high);
  // With its sign, and without a product that may be subnormal.
  return select(absolute(x) < 0x1p-54, x, result);
}

/// e^|x| / 2, where |x| is so large that it is sinh and cosh, which may be
/// numbers where e^|x| is none.
static Term halfOfLarge(Term size) {
  Pair power = toPowerOf2(size);
  return Power({power.high - 1, power.low}).getRounded();
}
static Term sinh(Term x) {
  Term size = absolute(x), zero = x.constant(0);
  Pair grown = Power(toPowerOf2(clamp(size, 0, kLarge))).getMinusOne();
  Pair small = grown + grown / (Pair{x.constant(1), zero} + grown);
  Term result = select(size > kLarge, halfOfLarge(size), small.high * 0.5);
  return copySign(select(size < 0x1p-54, size, result), x);
}
static Term cosh(Term x) {
  Term size = absolute(x), zero = x.constant(0);
  Pair power = Power(toPowerOf2(clamp(size, 0, kLarge))).get();
  Pair small = power + Pair{x.constant(1), zero} / power;
  return select(size > kLarge, halfOfLarge(size), small.high * 0.5);
}
static Term tanh(Term x) {
  Term size = absolute(x), zero = x.constant(0);
  Pair grown = Power(toPowerOf2(clamp(size, 0, kLarge) * 2)).getMinusOne();
  Pair result = grown / (Pair{x.constant(2), zero} + grown);
  return copySign(select(size < 0x1p-54, size, result.high), x);
}

static Term cbrt(Term x) {
  Term size = absolute(x);
  Term root = Power(log2Of(size) * kThird).getRounded();
  return select(isPositive(size), copySign(root, x), x);
}

/// |x|^y = 2^(y log2 |x|).
static Term power(Term x, Pair y, Term yIsWhole, Term yIsOdd) {
  Term size = absolute(x);
  Pair log = log2Of(size);
  log.low = select(isPositive(size), log.low, x.constant(0));
  log.high = withLimits(size, log.high);
  Pair exponent = product(y.high, log.high);
  exponent.low = fma(y.low, log.high, exponent.low);
  exponent.low = fma(y.high, log.low, exponent.low);
  Term result = Power(exponent).getRounded();
  return withPowerLimits(x, y.high, yIsWhole, yIsOdd, result);
}
static Term powf(Term x, Term y) {
  return power(x, {y, y.constant(0)}, isWhole(y), isOdd(y));
}
} // namespace function

//===----------------------------------------------------------------------===//
// Patterns
//===----------------------------------------------------------------------===//

template <typename Op, auto function>
using ExpandDouble = ReplaceFunction<Op, function, Float64Type>;

Term mlir::amp::raiseDouble(Term x, Term n) {
  // An f64 has 53 of its bits.
  Term top = fromInteger(Term::apply<arith::ShRSIOp>(n, n.word(32)));
  Pair exponent = sum(top * 0x1p32, fromInteger(n & 0xffffffff));
  return function::power(x, exponent, /*yIsWhole=*/n == n, (n & 1) == 1);
}

void mlir::amp::populateDoubleFunctionsPatterns(RewritePatternSet &patterns) {
  patterns.add<ExpandDouble<math::CbrtOp, function::cbrt>,
               ExpandDouble<math::CoshOp, function::cosh>,
               ExpandDouble<math::ExpOp, function::exp>,
               ExpandDouble<math::Exp2Op, function::exp2>,
               ExpandDouble<math::ExpM1Op, function::expm1>,
               ExpandDouble<math::LogOp, function::log>,
               ExpandDouble<math::Log10Op, function::log10>,
               ExpandDouble<math::Log1pOp, function::log1p>,
               ExpandDouble<math::Log2Op, function::log2>,
               ExpandDouble<math::PowFOp, function::powf>,
               ExpandDouble<math::SinhOp, function::sinh>,
               ExpandDouble<math::TanhOp, function::tanh>>(
      patterns.getContext());
}
