//===- PowersOfTwo.cpp - log2 and 2^x of 106 bits -------------------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// log2 by the series of artanh on what is left of a number without its power of
// 2, 2^x by that of e^x on what is left of x without its whole number. What has
// 53 bits is the rest of a power from t^3 on, at most 0.008, which is rounded
// five times; beside 2^x - 1 that is up to four times as much.
//
//===----------------------------------------------------------------------===//

#include "Compilation/PowersOfTwo.h"

using namespace mlir;
using namespace mlir::amp;

static constexpr PairConstant kTwiceLog2E = {2 * kLog2EPair.high,
                                             2 * kLog2EPair.low};

/// artanh(s), |s| <= 0.172: s + s^3 / 3 + s^5 / 5 + ... What is left out is
/// 2^-71 of it. From s^5 on, f64 has all that is needed, but for the sum with
/// 1/3.
static Pair artanh(Pair s) {
  Pair square = s * s;
  SmallVector<double> c;
  for (int k = 5; k <= 25; k += 2)
    c.push_back(1. / k);
  return s + s * (square * polynomialOfPairs(square, kThird, c));
}

Pair mlir::amp::log2Of(Term x) {
  // x = 2^e m, m from sqrt(1/2) to sqrt(2); subnormal numbers times 2^54.
  Term isSubnormal = x < 0x1p-1022;
  Term normal = select(isSubnormal, x * 0x1p54, x);
  Term exponent = getExponent(normal);
  Term m = fromBits(toBits(normal) - (exponent << 52));
  Term e = fromInteger(exponent);
  e = select(isSubnormal, e - 54, e);
  // ln m = 2 artanh((m - 1) / (m + 1)), where m - 1 is exact.
  Pair s = toPair(m - 1) / sum(m, x.constant(1));
  return toPair(e) + artanh(s) * kTwiceLog2E;
}

Pair mlir::amp::lnOfOnePlus(Pair x) {
  // As above with 1 + x = 2^e m; or, where that would have too few bits of x,
  // of 1 + x itself.
  Pair one = x + 1;
  Term exponent = getExponent(one.high);
  Term inverse = fromBits((exponent.word(1023) - exponent) << 52);
  Pair m = scale(one, inverse);
  Term isSmall = x.high < 0.4;
  Pair s = select(isSmall, x, m + -1) / select(isSmall, x + 2, m + 1);
  Term e = select(isSmall, 0, fromInteger(exponent));
  return toPair(e) * kLn2Pair + scale(artanh(s), 2);
}

Pair mlir::amp::toPowerOf2(Term x) {
  Pair high = product(x, x.constant(kLog2EPair.high));
  return {high.high, fma(x, kLog2EPair.low, high.low)};
}
Pair mlir::amp::toPowerOf2(Pair x) { return x * kLog2EPair; }

/// Beyond these, a result is 0 or infinite.
static constexpr double kLimit = 1100;

Power::Power(Pair x) {
  Term high = clamp(x.high, -kLimit, kLimit);
  // Beyond the limits it may be no number.
  Term low = select(high == x.high, x.low, x.high.constant(0));
  Nearest whole(high + Nearest::kShift);
  exponent = whole.bits - toBits(high.constant(Nearest::kShift));
  Pair fraction = sumOfOrdered(high - whole.number, low);
  t = fraction.high * kLn2Pair.high;
  Term tLow = fma(fraction.high, kLn2Pair.high, negate(t));
  tLow = fma(fraction.high, kLn2Pair.low, tLow);
  tLow = fma(fraction.low, kLn2Pair.high, tLow);
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

/// 1 + t + rest.
Pair Power::getSignificand() const {
  Pair one = sumOfOrdered(t.constant(1), t);
  Pair parts = sumOfOrdered(one.high, rest.high);
  return sumOfOrdered(parts.high, rest.low + (parts.low + one.low));
}

Term Power::round(Pair significand) const {
  Term half = Term::apply<arith::ShRSIOp>(exponent, exponent.constant(1));
  return (significand.high + significand.low) * powerOf2(half) *
         powerOf2(exponent - half);
}

Pair Power::getMinusOne() const {
  Term power = powerOf2(exponent);
  Pair one = sum(power, power.constant(-1));
  Pair linear = sum(one.high, power * t);
  Pair parts = sum(linear.high, power * rest.high);
  Term low = fma(power, rest.low, one.low) + (parts.low + linear.low);
  return sumOfOrdered(parts.high, low);
}
