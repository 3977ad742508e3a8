//===- DoubleAngles.cpp - Angles of f64 in kernels ------------------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sine, cosine and tangent of f64, and their inverses, with pairs (Pairs.h): a
// result is within 0.51 units in the last place of the true one, a subnormal
// one within 0.77. Zeros, infinities and NaNs are as C99 has them.
// test/Kernels/expand-functions.test measures all of it.
//
// Straight-line code, as in ExpandFunctions.cpp.
//
//===----------------------------------------------------------------------===//

#include "Compilation/DoubleFunctions.h"

#include "Compilation/Pairs.h"

using namespace mlir;
using namespace mlir::amp;

static constexpr PairConstant kTwoPi = {0x1.921fb54442d18p+2,
                                        0x1.1a62633145c07p-52};
static constexpr PairConstant kPi = {kTwoPi.high / 2, kTwoPi.low / 2};
static constexpr PairConstant kHalfPi = {kTwoPi.high / 4, kTwoPi.low / 4};
static constexpr PairConstant kQuarterPi = {kTwoPi.high / 8, kTwoPi.low / 8};
static constexpr PairConstant kMinusThird = {-kThird.high, -kThird.low};
static constexpr PairConstant kFifth = {0x1.999999999999ap-3,
                                        -0x1.999999999999ap-57};
static constexpr PairConstant kMinusSixth = {-kThird.high / 2, -kThird.low / 2};
static constexpr PairConstant kTwentyFourth = {kThird.high / 8, kThird.low / 8};
static constexpr PairConstant kOneOf120 = {0x1.1111111111111p-7,
                                           0x1.1111111111111p-63};
static constexpr PairConstant kMinusOneOf720 = {-0x1.6c16c16c16c17p-10,
                                                0x1.f49f49f49f49fp-65};

//===----------------------------------------------------------------------===//
// Quarters of a turn
//===----------------------------------------------------------------------===//

/// 1 / (2 pi), of which an f64 meets up to the 1216th bit.
static constexpr std::array<uint64_t, 20> kTurn = {
    0x28be60db9391054a, 0x7f09d5f47d4d3770, 0x36d8a5664f10e410,
    0x7f9458eaf7aef158, 0x6dc91b8e909374b8, 0x01924bba82746487,
    0x3f877ac72c4a69cf, 0xba208d7d4baed121, 0x3a671c09ad17df90,
    0x4e64758e60d4ce7d, 0x272117e2ef7e4a0e, 0xc7fe25fff7816603,
    0xfbcbc462d6829b47, 0xdb4d9fb3c9f2c26d, 0xd3d18fd9a797fa8b,
    0x5d49eeb1faf97c5e, 0xcf41ce7de294a4ba, 0x9afed7ec47e35742,
    0x1580cc11bf1edaea, 0xfc33ef0826bd0d87,
};

/// The upper word of the product of an `m` below 2^53 and a word.
static Term multiplyHigh(Term m, Term word) {
  const int64_t lower = 0xffffffff;
  Term mHigh = m >> 32, mLow = m & lower;
  Term wordHigh = word >> 32, wordLow = word & lower;
  Term middle = mHigh * wordLow + ((mLow * wordLow) >> 32);
  Term other = mLow * wordHigh + (middle & lower);
  return mHigh * wordHigh + (middle >> 32) + (other >> 32);
}

/// Whether the sum of `addend` and another word, of 64 bits, has carried.
static Term carryOf(Term sum, Term addend) {
  Term isBelow = {sum.b, arith::CmpIOp::create(
                             *sum.b, arith::CmpIPredicate::ult, sum, addend)};
  return select(isBelow, sum.word(1), sum.word(0));
}

namespace {
/// |x| = n pi/2 + r, |r| <= pi/4.
struct Quadrant {
  /// n in its two lowest bits.
  Term n;
  Pair r;

  /// Of x = m 2^e, m a whole number of 53 bits and e from -53 on, turns are
  /// m 2^e / (2 pi), of which whole ones do not count: with 192 bits of 1 / (2
  /// pi) from the e-th on, 139 bits of what is left of the product are right
  /// (M. Payne and R. Hanek, Radian Reduction for Trigonometric Functions,
  /// 1983). No f64 is nearer to a multiple of pi/2 than 2^-61 (J.-M. Muller,
  /// Elementary Functions, ch. 11).
  explicit Quadrant(Term x) {
    x = absolute(x);
    Term bits = toBits(x);
    Term m = (bits & 0xfffffffffffff) | bits.word(uint64_t(1) << 52);
    // Bits are counted from a word of zeros in front of the table.
    Term first = (bits >> 52) - bits.word(1023 + 52 - 64);
    std::array<Term, 3> turns = multiply(m, readTable(first));
    // The two highest bits are quarters, once the nearest is taken.
    n = (turns[0] + bits.word(uint64_t(1) << 61)) >> 62;
    turns[0] = turns[0] - (n << 62);
    Pair rest =
        sum(fromInteger(Term::apply<arith::ShRSIOp>(turns[0], bits.word(32))) *
                0x1p-32,
            fromInteger(turns[0] & 0xffffffff) * 0x1p-64);
    double unit = 0x1p-64;
    for (Term word : {turns[1], turns[2]})
      for (Term half : {word >> 32, word & 0xffffffff}) {
        unit *= 0x1p-32;
        rest = rest + toPair(fromInteger(half) * unit);
      }
    // What is no angle has no quarter.
    Term isSmall = x < kQuarterPi.high;
    n = select(isSmall, n.word(0), n);
    r = select(isSmall, toPair(x), rest * kTwoPi);
    r.high = select(x < kInfinity, r.high, r.high.constant(kNaN));
  }

private:
  /// Three words from bit `first` on, below 1088.
  static std::array<Term, 3> readTable(Term first) {
    SmallVector<Term> words = {first.word(0)};
    for (uint64_t word : kTurn)
      words.push_back(first.word(word));
    Term index = first >> 6, shift = first & 63;
    for (int64_t step = 16; step; step /= 2) {
      Term isFar = logicalNot((index & step) == 0);
      // So many are left to choose from that a word more can be shifted in.
      for (size_t i = 0; i < size_t(step) + 3; ++i)
        if (i + step < words.size())
          words[i] = select(isFar, words[i + step], words[i]);
      words.truncate(step + 3);
    }
    std::array<Term, 3> result;
    for (size_t i = 0; i < 3; ++i) // twice, as no shift may be by 64
      result[i] = (words[i] << shift) |
                  ((words[i + 1] >> 1) >> (shift.word(63) - shift));
    return result;
  }

  /// m times three words, the highest first, without what is above them.
  static std::array<Term, 3> multiply(Term m, const std::array<Term, 3> &word) {
    Term low = m * word[2];
    Term carried = multiplyHigh(m, word[2]);
    Term middle = m * word[1] + carried;
    Term carry = carryOf(middle, carried);
    Term high = m * word[0] + multiplyHigh(m, word[1]) + carry;
    return {high, middle, low};
  }
};
} // namespace

/// Every second term of sine and cosine from 1 / k! on, where the one before is
/// 1 / `factorial`: eight, with their signs.
static SmallVector<double> getTerms(int k, double factorial) {
  SmallVector<double> terms;
  for (int i = 0; i < 8; ++i, k += 2)
    terms.push_back((k / 2 % 2 == 0 ? 1. : -1.) / (factorial *= k * (k - 1)));
  return terms;
}

/// Of |r| <= pi/4. What is left out of the series is 2^-66 of them.
static Pair sineOf(Pair r) {
  Pair square = r * r;
  SmallVector<double> c = getTerms(7, /*factorial=*/120);
  return r +
         r * (square * polynomialOfPairs(square, kMinusSixth, kOneOf120, c));
}
static Pair cosineOf(Pair r) {
  Pair square = r * r;
  SmallVector<double> c = getTerms(8, /*factorial=*/720);
  Pair rest = square * square *
              polynomialOfPairs(square, kTwentyFourth, kMinusOneOf720, c);
  return (scale(square, -0.5) + 1) + rest;
}

/// The sine of x plus so many quarters of a turn, of an x above 0.
static Term sine(const Quadrant &x, uint64_t quarters) {
  Term n = x.n + x.n.word(quarters);
  Term result = select((n & 1) == 0, sineOf(x.r).high, cosineOf(x.r).high);
  return select((n & 2) == 0, result, negate(result));
}

//===----------------------------------------------------------------------===//
// Angles of coordinates
//===----------------------------------------------------------------------===//

/// Of a point in the first quadrant, neither coordinate infinite. That of the
/// smaller to the larger is at most pi/4; above pi/8 it is pi/4 less that of
/// their difference to their sum.
static Pair angleOf(Pair height, Pair width) {
  Term isSteep = width.high < height.high;
  Pair small = select(isSteep, width, height);
  Pair large = select(isSteep, height, width);
  large.high = select(large.high == 0, 1, large.high); // there is no angle
  const double tanOfPi8 = 0x1.a827999fcef32p-2;
  Term isWide = large.high * tanOfPi8 < small.high;
  Pair opposite = select(isWide, small - large, small);
  Pair adjacent = select(isWide, small + large, large);
  // The rest of a quotient that is nearly subnormal would be rounded itself.
  Term quotient = opposite.high / adjacent.high;
  Pair t = select(absolute(quotient) < 0x1p-900, toPair(quotient),
                  opposite / adjacent);
  // t - t^3 / 3 + t^5 / 5 - ..., |t| <= 0.415: what is left out is 2^-66 of it.
  Pair square = t * t;
  SmallVector<double> c;
  for (int k = 7; k <= 49; k += 2)
    c.push_back((k % 4 == 1 ? 1. : -1.) / k);
  Pair angle =
      t + t * (square * polynomialOfPairs(square, kMinusThird, kFifth, c));
  angle = select(isWide, angle + kQuarterPi.like(t.high), angle);
  return select(isSteep, kHalfPi.like(t.high) - angle, angle);
}

/// Of a point anywhere above, to the right if not `isLeft`.
static Term angleOf(Pair height, Pair width, Term isLeft) {
  Pair angle = angleOf(height, width);
  return select(isLeft, kPi.like(angle.high) - angle, angle).high;
}

/// sqrt(1 - x^2) of an |x| up to 1.
static Pair getOther(Term x) { return squareRoot(negate(product(x, x)) + 1); }

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

/// The functions of f64, which hide those of the C library.
namespace function {
static Term sin(Term x) {
  Term result = sine(Quadrant(x), 0);
  return select(isNegative(x), negate(result), result);
}
static Term cos(Term x) { return sine(Quadrant(x), 1); }
static Term tan(Term x) {
  Quadrant quadrant(x);
  Pair sin = sineOf(quadrant.r), cos = cosineOf(quadrant.r);
  Term isEven = (quadrant.n & 1) == 0;
  Term result =
      (select(isEven, sin, negate(cos)) / select(isEven, cos, sin)).high;
  return select(isNegative(x), negate(result), result);
}

static Term atan2(Term y, Term x) {
  Term height = absolute(y), width = absolute(x);
  Term larger = select(width < height, height, width);
  // An infinity is as a one beside a zero, two as two ones. What would leave
  // the range of f64 in a sum, or in the rest of a quotient, is moved into it.
  Term factor = select(larger > 0x1p500, 0x1p-200, y.constant(0x1p300));
  auto bound = [&](Term size) {
    Term isInfinite = size == kInfinity;
    return select(larger == kInfinity, select(isInfinite, 1, size.constant(0)),
                  size * factor);
  };
  Term angle =
      angleOf(toPair(bound(height)), toPair(bound(width)), isNegative(x));
  Term isNumber = (x == x) & (y == y);
  return select(isNumber, copySign(angle, y), y.constant(kNaN));
}
static Term atan(Term x) { return atan2(x, x.constant(1)); }

static Term asin(Term x) {
  Term size = absolute(x);
  Term angle = angleOf(toPair(size), getOther(size)).high;
  return copySign(select(size > 1, kNaN, angle), x);
}
static Term acos(Term x) {
  Term size = absolute(x);
  Term angle = angleOf(getOther(size), toPair(size), isNegative(x));
  return select(size > 1, kNaN, angle);
}
} // namespace function

void mlir::amp::populateDoubleAnglesPatterns(RewritePatternSet &patterns) {
  patterns.add<ExpandDouble<math::AcosOp, function::acos>,
               ExpandDouble<math::AsinOp, function::asin>,
               ExpandDouble<math::AtanOp, function::atan>,
               ExpandDouble<math::Atan2Op, function::atan2>,
               ExpandDouble<math::CosOp, function::cos>,
               ExpandDouble<math::SinOp, function::sin>,
               ExpandDouble<math::TanOp, function::tan>>(patterns.getContext());
}
