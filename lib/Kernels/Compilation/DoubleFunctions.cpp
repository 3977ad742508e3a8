//===- DoubleFunctions.cpp - Functions of f64 in kernels ------------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Powers and logarithms of f64, such as Adam's beta^t, and roots, hyperbolic
// functions and their inverses by way of them (PowersOfTwo.h). A result is
// within 0.54 units in the last place of the true one; expm1, sinh and tanh,
// where what a power has of 53 bits counts more, within 0.65. A subnormal
// result is rounded twice, to 53 bits first, and is within 0.77. Zeros,
// infinities and NaNs are as C99 has them. test/Kernels/expand-functions.test
// measures all of it.
//
// Straight-line code, as in ExpandFunctions.cpp.
//
//===----------------------------------------------------------------------===//

#include "Compilation/DoubleFunctions.h"

#include "Compilation/PowersOfTwo.h"

using namespace mlir;
using namespace mlir::amp;

static constexpr PairConstant kLog10Of2 = {0x1.34413509f79ffp-2,
                                           -0x1.9dc1da994fd21p-59};

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

/// The functions of f64, which hide those of the C library.
namespace function {
static Term log(Term x) { return withLimits(x, (log2Of(x) * kLn2Pair).high); }
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
  Term result = withLimits(u.high, (log2Of(u.high) * kLn2Pair + small).high);
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

/// From where on sqrt(x^2 + 1) and sqrt(x^2 - 1) are x, as f64.
static constexpr double kFar = 0x1p28;

/// ln(2 x), which asinh and acosh are far from 0.
static Term lnOfTwice(Term x) {
  return select(x < kInfinity, ((log2Of(x) + 1) * kLn2Pair).high, x);
}
/// ln(x + sqrt(x^2 + 1)), where sqrt(x^2 + 1) is 1 + x^2 / (1 + sqrt(x^2 + 1)).
static Term asinh(Term x) {
  Term size = absolute(x), near = clamp(size, 0, kFar);
  Pair square = product(near, near);
  Pair above = square / (squareRoot(square + 1) + 1);
  Term result = lnOfOnePlus(toPair(near) + above).high;
  result = select(size > kFar, lnOfTwice(size), result);
  return copySign(select(size < 0x1p-54, size, result), x);
}
/// With t = x - 1, ln(1 + t + sqrt(t (t + 2))).
static Term acosh(Term x) {
  Pair t = sum(clamp(x, 1, kFar), x.constant(-1));
  Term result = lnOfOnePlus(t + squareRoot(t * (t + 2))).high;
  result = select(x > kFar, lnOfTwice(x), result);
  return select(x < 1, kNaN, result);
}
/// ln((1 + x) / (1 - x)) / 2, which is 1 and 2 x / (1 - x).
static Term atanh(Term x) {
  Term size = absolute(x);
  Pair rest = sum(x.constant(1), negate(size));
  Term result = lnOfOnePlus(toPair(size + size) / rest).high * 0.5;
  result = select(size == 1, kInfinity, result);
  result = select(size > 1, kNaN, result);
  return copySign(select(size < 0x1p-54, size, result), x);
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

Term mlir::amp::raiseDouble(Term x, Term n) {
  // An f64 has 53 of its bits.
  Term top = fromInteger(Term::apply<arith::ShRSIOp>(n, n.word(32)));
  Pair exponent = sum(top * 0x1p32, fromInteger(n & 0xffffffff));
  return function::power(x, exponent, /*yIsWhole=*/n == n, (n & 1) == 1);
}

void mlir::amp::populateDoubleFunctionsPatterns(RewritePatternSet &patterns) {
  patterns.add<ExpandDouble<math::AcoshOp, function::acosh>,
               ExpandDouble<math::AsinhOp, function::asinh>,
               ExpandDouble<math::AtanhOp, function::atanh>,
               ExpandDouble<math::CbrtOp, function::cbrt>,
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
