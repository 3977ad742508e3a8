//===- Pairs.h - Numbers of 106 bits ----------------------------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sums of two f64 as numbers (T. J. Dekker, A Floating-Point Technique for
// Extending the Available Precision, 1971), for functions of f64 whose parts
// need more bits than their result.
//
// Here products are operands of sums, so these must be rounded each by itself:
// NVPTX's are (.rn), where nothing allows it to contract them.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_LIB_KERNELS_COMPILATION_PAIRS_H
#define AMP_LIB_KERNELS_COMPILATION_PAIRS_H

#include "Compilation/FunctionTerms.h"

namespace mlir::amp {

/// What is `high`, rounded, and the rest.
struct Pair {
  Term high, low;
};
/// One that is known.
struct PairConstant {
  double high, low;
  Pair like(Term x) const { return {x.constant(high), x.constant(low)}; }
};

inline constexpr PairConstant kLn2Pair = {0x1.62e42fefa39efp-1,
                                          0x1.abc9e3b39803fp-56};
inline constexpr PairConstant kLog2EPair = {0x1.71547652b82fep+0,
                                            0x1.777d0ffda0d24p-56};
inline constexpr PairConstant kThird = {0x1.5555555555555p-2,
                                        0x1.5555555555555p-56};

/// Exactly.
inline Pair sum(Term x, Term y) {
  Term high = x + y;
  Term part = high - x;
  Term rest = x - (high - part);
  return {high, rest + (y - part)};
}
/// Exactly, where |x| >= |y| or x is 0.
inline Pair sumOfOrdered(Term x, Term y) {
  Term high = x + y;
  return {high, y - (high - x)};
}
/// Exactly, where it is not subnormal.
inline Pair product(Term x, Term y) {
  Term high = x * y;
  return {high, fma(x, y, negate(high))};
}
inline Pair toPair(Term x) { return {x, x.constant(0)}; }
inline Pair negate(Pair x) { return {negate(x.high), negate(x.low)}; }
inline Pair select(Term condition, Pair x, Pair y) {
  return {select(condition, x.high, y.high), select(condition, x.low, y.low)};
}
inline Pair operator+(Pair x, Pair y) {
  Pair high = sum(x.high, y.high);
  Term low = x.low + y.low;
  return sumOfOrdered(high.high, high.low + low);
}
inline Pair operator+(Pair x, double y) {
  return x + toPair(x.high.constant(y));
}
inline Pair operator-(Pair x, Pair y) { return x + negate(y); }
inline Pair operator*(Pair x, Pair y) {
  Pair high = product(x.high, y.high);
  Term cross = fma(x.high, y.low, x.low * y.high);
  return sumOfOrdered(high.high, high.low + cross);
}
inline Pair operator*(Pair x, PairConstant y) { return x * y.like(x.high); }
inline Pair operator/(Pair x, Pair y) {
  Term quotient = x.high / y.high;
  Term rest = fma(negate(quotient), y.high, x.high);
  rest = fma(negate(quotient), y.low, rest + x.low);
  return sumOfOrdered(quotient, rest / y.high);
}
/// Exactly, of a power of 2.
inline Pair scale(Pair x, Term power) {
  return {x.high * power, x.low * power};
}
inline Pair scale(Pair x, double power) {
  return scale(x, x.high.constant(power));
}
/// Of a number that is not below 0.
inline Pair squareRoot(Pair x) {
  Term root = {x.high.b, math::SqrtOp::create(*x.high.b, x.high)};
  Term rest = fma(negate(root), root, x.high) + x.low;
  return {root, select(root == 0, 0, rest / (root + root))};
}
/// c[0] + x (c[1] + c[2] x + ...), of which the first has all bits and the rest
/// those of f64.
inline Pair polynomialOfPairs(Pair x, PairConstant first,
                              ArrayRef<double> rest) {
  Pair upper = first.like(x.high);
  Pair sum = sumOfOrdered(upper.high, x.high * polynomial(x.high, rest));
  sum.low = sum.low + upper.low;
  return sum;
}
/// The same with two that have all bits.
inline Pair polynomialOfPairs(Pair x, PairConstant first, PairConstant second,
                              ArrayRef<double> rest) {
  return first.like(x.high) + x * polynomialOfPairs(x, second, rest);
}

} // namespace mlir::amp

#endif // AMP_LIB_KERNELS_COMPILATION_PAIRS_H
