//===- DoubleErrorFunctions.cpp - erf and erfc of f64 in kernels ----------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// erf(c + h) = erf(c) + erf'(c) times the integral of e^(-2 c t - t^2) from 0
// to h, where c is the nearest multiple of 1/4: erf and its derivative at these
// are a table, the integral is the series of its integrand. A result is within
// 0.54 units in the last place of the true one, a subnormal one within 0.77.
//
// erfc(x) is 1 - erf(x) below 1. From there on it is e^(-x^2) q / (1 + 2 x),
// where q is nearly constant, a polynomial in (x - K) / (x + K) (M. M. Shepherd
// and J. G. Laframboise, Chebyshev approximation of (1 + 2x) exp(x^2) erfc x,
// 1981), and within 0.65 units.
//
// Straight-line code, as in ExpandFunctions.cpp, whose test measures it.
//
//===----------------------------------------------------------------------===//

#include "Compilation/DoubleFunctions.h"

#include "Compilation/PowersOfTwo.h"

using namespace mlir;
using namespace mlir::amp;

namespace {
/// erf(c) and its derivative, 2 / sqrt(pi) e^(-c^2).
struct ErfAtCentre {
  PairConstant value, slope;
};
} // namespace

/// For c = 0, 1/4, 1/2, ... 6, from where on erf is 1.
static constexpr std::array<ErfAtCentre, 25> kCentres = {{
    {{0x0.0p+0, 0x0.0p+0}, {0x1.20dd750429b6dp+0, 0x1.1ae3a914fed80p-56}},
    {{0x1.1af54e232d609p-2, -0x1.bee921fa4172bp-56},
     {0x1.0f5d1602f7e41p+0, -0x1.3e41778d4b1eep-55}},
    {{0x1.0a7ef5c18edd2p-1, 0x1.5e809f1a31a28p-56},
     {0x1.c1efca49a5011p-1, 0x1.4c081d7f49500p-55}},
    {{0x1.6c1c9759d0e5fp-1, 0x1.b1432f2cbc455p-55},
     {0x1.492e42d78d2c5p-1, -0x1.8bd386a7ba3f6p-55}},
    {{0x1.af767a741088bp-1, -0x1.c97f778122797p-56},
     {0x1.a911f096fbc26p-2, -0x1.086a09f735b33p-56}},
    {{0x1.d8865d98abe01p-1, -0x1.fcec4afb974d9p-55},
     {0x1.e4652fadcb6b2p-3, -0x1.e950836901024p-61}},
    {{0x1.eea5557137ae0p-1, -0x1.385e445f2c96dp-55},
     {0x1.e723726b824a9p-4, -0x1.2203197eea764p-59}},
    {{0x1.f92d077f8d56dp-1, 0x1.8b55ef493fce7p-56},
     {0x1.b055303221015p-5, 0x1.cba9ea60ed019p-59}},
    {{0x1.fd9ae142795e3p-1, 0x1.972801904b9a3p-56},
     {0x1.529b9e8cf9a1ep-6, 0x1.b47becf12c4e4p-61}},
    {{0x1.ff404760319b4p-1, 0x1.f142071432025p-56},
     {0x1.d4143a9dfe965p-8, -0x1.6eec3c35c7ed7p-63}},
    {{0x1.ffcaa8f4c9beap-1, 0x1.b0cee160116f9p-55},
     {0x1.1d83170fbf6fbp-9, 0x1.ea3671efbb74ap-63}},
    {{0x1.fff2cfb0453d9p-1, 0x1.9a913686042a3p-55},
     {0x1.3360ccd23db3ap-11, 0x1.39e15444e9dddp-69}},
    {{0x1.fffd1ac4135f9p-1, 0x1.eeafa1ecd6cefp-55},
     {0x1.2408e9ba3327fp-13, -0x1.7e1d81587040cp-67}},
    {{0x1.ffff6f9f67e55p-1, 0x1.e1e4483ba034bp-55},
     {0x1.e9b5e8d00ce77p-16, -0x1.cbbe2ecd1cfacp-70}},
    {{0x1.ffffe710d565ep-1, 0x1.c9ea52d76dc04p-55},
     {0x1.6a597219a93dap-18, -0x1.cbf8fbc2cd5cdp-72}},
    {{0x1.fffffc2f171e3p-1, 0x1.85edd0395f475p-55},
     {0x1.d9371e2ff7c35p-21, 0x1.0aed0951e078dp-75}},
    {{0x1.ffffff7b91176p-1, 0x1.0b2865615db40p-56},
     {0x1.10b1488aeb235p-23, -0x1.cd75b4828c0c0p-81}},
    {{0x1.fffffff01a8b6p-1, 0x1.23370eca5ca6ap-60},
     {0x1.155a09065d4f7p-26, -0x1.7c5d6c7140f80p-81}},
    {{0x1.fffffffe4fa30p-1, 0x1.d166bcb681c7bp-57},
     {0x1.f1e3523b41d7dp-30, -0x1.7303536c50b37p-84}},
    {{0x1.ffffffffd759dp-1, 0x1.f7bee7eb23420p-55},
     {0x1.8a61745ec7d1dp-33, 0x1.9d509f787b50ep-88}},
    {{0x1.fffffffffc9e8p-1, -0x1.a759f7738935fp-56},
     {0x1.13af4f04f9998p-36, -0x1.0532e647cd418p-90}},
    {{0x1.ffffffffffc05p-1, 0x1.07ba96a6b2e1ap-55},
     {0x1.5422ef5d8949dp-40, 0x1.ff62258857350p-96}},
    {{0x1.fffffffffffbep-1, -0x1.182b326b228dcp-55},
     {0x1.7258610b3b233p-44, -0x1.60bc7761ca394p-101}},
    {{0x1.ffffffffffffcp-1, 0x1.8115fd1b12786p-56},
     {0x1.63daf8b4b1e0cp-48, 0x1.f38800a69fe98p-105}},
    {{0x1.0000000000000p+0, -0x1.8cf81557d20b6p-56},
     {0x1.2dc119095729fp-52, -0x1.1566d13fe4564p-106}},
}};

/// The one of the table whose number, from 0 to 24, stands in the lowest bits
/// of `index`.
static Pair lookUp(Term index, PairConstant ErfAtCentre::*member) {
  SmallVector<Pair> pairs;
  for (const ErfAtCentre &centre : kCentres)
    pairs.push_back((centre.*member).like(fromBits(index)));
  for (int64_t bit = 1; pairs.size() > 1; bit *= 2) {
    Term isOdd = logicalNot((index & bit) == 0);
    for (size_t i = 0; i < pairs.size(); i += 2)
      pairs[i / 2] = i + 1 < pairs.size()
                         ? select(isOdd, pairs[i + 1], pairs[i])
                         : pairs[i];
    pairs.truncate((pairs.size() + 1) / 2);
  }
  return pairs.front();
}

/// erf(x) of an x from 0 to 6.
static Pair erfOf(Term x) {
  Nearest centre = Nearest::ofProduct(x, 4);
  Term c = centre.number * 0.25;
  Term h = x - c;
  // b(0) + b(1) t + b(2) t^2 + ..., of which b(n + 1) is
  // -2 (c b(n) + b(n - 1)) / (n + 1). The integral is
  // h (1 - c h + h^2 (b(2) / 3 + h b(3) / 4 + ...)): what is left out is 2^-60
  // of erf.
  SmallVector<Term> b = {c.constant(1), c * -2};
  for (int n = 1; n < 19; ++n)
    b.push_back(fma(c, b[n], b[n - 1]) * (-2. / (n + 1)));
  Term sum = b.back() * (1. / b.size());
  for (size_t n = b.size() - 1; n-- > 2;)
    sum = fma(sum, h, b[n] * (1. / (n + 1)));
  Pair linear = product(h, negate(c));
  Pair mean = (linear + 1) + toPair(h * h * sum);
  return lookUp(centre.bits, &ErfAtCentre::value) +
         lookUp(centre.bits, &ErfAtCentre::slope) * (mean * toPair(h));
}

/// q(y) from x = 1/2 to 28, by its interpolation at Chebyshev's points: what is
/// left out is 1.4e-19.
static constexpr double kK = 3.75;
static constexpr PairConstant kQ0 = {0x1.3ccda0b5d5dc2p+0,
                                     0x1.e5bd7c70e004ep-54};
static constexpr PairConstant kQ1 = {-0x1.1f367683f89a7p-3,
                                     0x1.8fc46ae263c3bp-59};
/// Of y^2 and so on.
static constexpr double kQ[] = {
    0x1.d5f2948159d98p-9,   0x1.510169d096803p-4,   -0x1.bda9309a289b9p-4,
    0x1.7a14188a99b3fp-4,   -0x1.e0d0fa6dfc45dp-5,  0x1.d0b0037dcc04dp-6,
    -0x1.3f603c34e597bp-7,  0x1.cc3a0e22ba4e7p-10,  0x1.33fb25f7cc142p-12,
    -0x1.303f9da8db5d4p-12, 0x1.b143f72216fd4p-15,  0x1.778a32b618b10p-16,
    -0x1.8003322405939p-17, -0x1.05280e9dc1c46p-20, 0x1.d63d87d69f9c7p-20,
    -0x1.f399664b45c8ep-25, -0x1.1510123ff5f14p-22, 0x1.9e110890b174dp-26,
    0x1.3ff38dd47e7b4p-25,  -0x1.1f0284677f399p-28, -0x1.0d225d4054f3fp-28,
    0x1.c2ae1eb125ba1p-32,
};

/// The functions of f64, which hide those of the C library.
namespace function {
static Term erf(Term x) {
  Term size = absolute(x);
  Term result = erfOf(clamp(size, 0, 6)).high;
  // Of tiny numbers the rest of the product would be subnormal.
  Pair slope = kCentres[0].slope.like(x);
  Term tiny = (slope * toPair(size * 0x1p500)).high * 0x1p-500;
  return copySign(select(size < 0x1p-500, tiny, result), x);
}
static Term erfc(Term x) {
  Term near = clamp(x, -6, 1);
  Pair erf = erfOf(absolute(near));
  Term isBelow = near < 0;
  Pair signedErf = select(isBelow, negate(erf), erf);
  Term small = (negate(signedErf) + 1).high;

  Term far = clamp(x, 1, 28);
  Pair y = sum(far, far.constant(-kK)) / sum(far, far.constant(kK));
  Pair factor =
      polynomialOfPairs(y, kQ0, kQ1, kQ) / sum(x.constant(1), far + far);
  Term large =
      Power(toPowerOf2(negate(product(far, far)))).getRoundedTimes(factor);
  return select(x > 1, large, small);
}
} // namespace function

void mlir::amp::populateDoubleErrorFunctionsPatterns(
    RewritePatternSet &patterns) {
  patterns.add<ExpandDouble<math::ErfOp, function::erf>,
               ExpandDouble<math::ErfcOp, function::erfc>>(
      patterns.getContext());
}
