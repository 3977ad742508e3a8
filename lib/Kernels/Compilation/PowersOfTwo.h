//===- PowersOfTwo.h - log2 and 2^x of 106 bits -----------------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What powers, logarithms and hyperbolic functions of f64 are made of.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_LIB_KERNELS_COMPILATION_POWERSOFTWO_H
#define AMP_LIB_KERNELS_COMPILATION_POWERSOFTWO_H

#include "Compilation/Pairs.h"

namespace mlir::amp {

/// Of a finite x above 0; of others, some numbers.
Pair log2Of(Term x);

/// ln(1 + x) of an x that is not below 0, up to 2^500.
Pair lnOfOnePlus(Pair x);

/// What a number is a power of e to, as one of 2.
Pair toPowerOf2(Term x);
Pair toPowerOf2(Pair x);

/// 2^x = 2^n (1 + t + rest), |t| <= 0.35.
class Power {
public:
  explicit Power(Pair x);

  /// Where that is no subnormal number, and n is below 1024.
  Pair get() const { return scale(getSignificand(), powerOf2(exponent)); }
  /// The same, rounded; wherever it is.
  Term getRounded() const { return round(getSignificand()); }
  /// 2^x times a number of about 1, rounded; wherever that is.
  Term getRoundedTimes(Pair factor) const {
    return round(getSignificand() * factor);
  }
  /// 2^x - 1, where n is below 1024.
  Pair getMinusOne() const;

private:
  Pair getSignificand() const;
  Term round(Pair significand) const;
  static Term powerOf2(Term n) { return fromBits((n + n.word(1023)) << 52); }

  /// n.
  Term exponent;
  Term t;
  Pair rest;
};

} // namespace mlir::amp

#endif // AMP_LIB_KERNELS_COMPILATION_POWERSOFTWO_H
