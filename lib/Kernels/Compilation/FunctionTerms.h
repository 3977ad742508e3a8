//===- FunctionTerms.h - Functions written as arithmetic --------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Operators that make operations of arith and math, on numbers and on vectors
// of them, so that a function reads like its formula.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_LIB_KERNELS_COMPILATION_FUNCTIONTERMS_H
#define AMP_LIB_KERNELS_COMPILATION_FUNCTIONTERMS_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/TypeUtilities.h"

#include <limits>

namespace mlir::amp {

/// `type`, or a vector of its shape, with elements of another type.
inline Type withElement(Type type, Type element) {
  if (auto vector = dyn_cast<VectorType>(type))
    return vector.clone(element);
  return element;
}

/// A value of f64, f32 or whole numbers of as many bits, or of i1, or a vector
/// of them, with operators.
struct Term {
  ImplicitLocOpBuilder *b = nullptr;
  Value value;

  operator Value() const { return value; }

  template <typename FloatOp, typename IntOp>
  static Term apply(Term x, Term y) {
    if (isa<FloatType>(getElementTypeOrSelf(x.value)))
      return {x.b, FloatOp::create(*x.b, x.value, y.value)};
    return {x.b, IntOp::create(*x.b, x.value, y.value)};
  }
  template <typename Op> static Term apply(Term x, Term y) {
    return {x.b, Op::create(*x.b, x.value, y.value)};
  }
  /// A constant of this term's type.
  Term constant(double number) const {
    Type type = value.getType(), element = getElementTypeOrSelf(type);
    if (isa<IntegerType>(element))
      return constant(b->getIntegerAttr(element, static_cast<int64_t>(number)));
    return constant(b->getFloatAttr(element, number));
  }
  Term constant(TypedAttr attribute) const {
    if (auto vector = dyn_cast<VectorType>(value.getType()))
      attribute = DenseElementsAttr::get(vector.clone(attribute.getType()),
                                         ArrayRef<Attribute>(attribute));
    return {b, arith::ConstantOp::create(*b, attribute)};
  }
  /// A constant of as many bits as this term has.
  Term word(uint64_t bits) const {
    return constant(b->getIntegerAttr(getWordType(), APInt(getWidth(), bits)));
  }
  unsigned getWidth() const {
    return getElementTypeOrSelf(value).getIntOrFloatBitWidth();
  }
  Type getWordType() const { return b->getIntegerType(getWidth()); }
  Type like(Type element) const {
    return withElement(value.getType(), element);
  }

  friend Term operator+(Term x, Term y) {
    return apply<arith::AddFOp, arith::AddIOp>(x, y);
  }
  friend Term operator-(Term x, Term y) {
    return apply<arith::SubFOp, arith::SubIOp>(x, y);
  }
  friend Term operator*(Term x, Term y) {
    return apply<arith::MulFOp, arith::MulIOp>(x, y);
  }
  friend Term operator/(Term x, Term y) { return apply<arith::DivFOp>(x, y); }
  friend Term operator&(Term x, Term y) { return apply<arith::AndIOp>(x, y); }
  friend Term operator|(Term x, Term y) { return apply<arith::OrIOp>(x, y); }
  friend Term operator<<(Term x, Term y) { return apply<arith::ShLIOp>(x, y); }
  friend Term operator>>(Term x, Term y) { return apply<arith::ShRUIOp>(x, y); }
  friend Term operator+(Term x, double y) { return x + x.constant(y); }
  friend Term operator-(Term x, double y) { return x - x.constant(y); }
  friend Term operator*(Term x, double y) { return x * x.constant(y); }
  friend Term operator&(Term x, int64_t y) { return x & x.word(y); }
  friend Term operator<<(Term x, int64_t y) { return x << x.word(y); }
  friend Term operator>>(Term x, int64_t y) { return x >> x.word(y); }
  // Comparisons; none holds for a NaN.
  friend Term operator<(Term x, Term y) {
    return compare(x, y, arith::CmpFPredicate::OLT, arith::CmpIPredicate::slt);
  }
  friend Term operator==(Term x, Term y) {
    return compare(x, y, arith::CmpFPredicate::OEQ, arith::CmpIPredicate::eq);
  }
  friend Term operator<(Term x, double y) { return x < x.constant(y); }
  friend Term operator>(Term x, double y) { return x.constant(y) < x; }
  friend Term operator==(Term x, double y) { return x == x.constant(y); }

private:
  static Term compare(Term x, Term y, arith::CmpFPredicate floats,
                      arith::CmpIPredicate integers) {
    if (isa<FloatType>(getElementTypeOrSelf(x.value)))
      return {x.b, arith::CmpFOp::create(*x.b, floats, x.value, y.value)};
    return {x.b, arith::CmpIOp::create(*x.b, integers, x.value, y.value)};
  }
};
inline constexpr double kInfinity = std::numeric_limits<double>::infinity();
inline constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

inline Term select(Term condition, Term x, Term y) {
  return {x.b, arith::SelectOp::create(*x.b, condition, x, y)};
}
inline Term select(Term condition, double x, Term y) {
  return select(condition, y.constant(x), y);
}
inline Term logicalNot(Term x) {
  return Term::apply<arith::XOrIOp>(
      x, x.constant(x.b->getIntegerAttr(x.b->getI1Type(), 1)));
}
inline Term fma(Term x, Term y, Term z) {
  return {x.b, math::FmaOp::create(*x.b, x, y, z)};
}
inline Term fma(Term x, double y, Term z) { return fma(x, x.constant(y), z); }
inline Term negate(Term x) { return {x.b, arith::NegFOp::create(*x.b, x)}; }
inline Term absolute(Term x) { return {x.b, math::AbsFOp::create(*x.b, x)}; }
inline Term floor(Term x) { return {x.b, math::FloorOp::create(*x.b, x)}; }
inline Term copySign(Term x, Term sign) {
  return Term::apply<math::CopySignOp>(x, sign);
}
inline Term toBits(Term x) {
  return {x.b,
          arith::BitcastOp::create(*x.b, x.like(x.getWordType()), x.value)};
}
inline Term fromBits(Term x) {
  Type type = x.getWidth() == 32 ? Type(x.b->getF32Type()) : x.b->getF64Type();
  return {x.b, arith::BitcastOp::create(*x.b, x.like(type), x.value)};
}
inline Term fromInteger(Term x) {
  return {x.b,
          arith::SIToFPOp::create(*x.b, x.like(x.b->getF64Type()), x.value)};
}
/// The sign that a zero has too.
inline Term isNegative(Term x) { return toBits(x) < 0; }

/// c[0] + c[1] x + c[2] x^2 + ...
inline Term polynomial(Term x, ArrayRef<double> c) {
  Term sum = x.constant(c.back());
  for (double next : llvm::reverse(c.drop_back()))
    sum = fma(sum, x, x.constant(next));
  return sum;
}

/// The integer nearest to an f64, below 2^51 in magnitude.
struct Nearest {
  Term number;
  /// Its bits stand in the lowest ones of these.
  Term bits;

  explicit Nearest(Term shifted)
      : number(shifted - kShift), bits(toBits(shifted)) {}
  static Nearest ofProduct(Term x, double factor) {
    return Nearest(fma(x, factor, x.constant(kShift)));
  }

  static constexpr double kShift = 0x1.8p52;
};

/// Of a normal x = 2^e m above 0 with m from sqrt(1/2) to sqrt(2), e as a whole
/// number of 64 bits: numbers from sqrt(1/2) on have the exponent of 1/2.
inline Term getExponent(Term x) {
  const uint64_t least = 0x3fe6a09e667f3bcd; // sqrt(1/2)
  return Term::apply<arith::ShRSIOp>(toBits(x) - x.word(least), x.word(52));
}

/// A number between two; NaN stays.
inline Term clamp(Term x, double least, double largest) {
  x = select(x < least, least, x);
  return select(x > largest, largest, x);
}

/// Whether a number has a logarithm that is a number.
inline Term isPositive(Term x) { return (x > 0) & (x < kInfinity); }

/// `result` for numbers above 0, and what logarithms are elsewhere.
inline Term withLimits(Term x, Term result) {
  Term other = select(x < 0, kNaN, select(x == 0, -kInfinity, x));
  return select(isPositive(x), result, other);
}

inline Term isWhole(Term x) { return floor(x) == x; }
inline Term isOdd(Term x) {
  Term half = x * 0.5;
  return isWhole(x) & logicalNot(isWhole(half));
}

/// x^y, given |x|^y: sign and domain are C99's (F.9.4.4).
inline Term withPowerLimits(Term x, Term y, Term yIsWhole, Term yIsOdd,
                            Term result) {
  result = select(isNegative(x) & yIsOdd, negate(result), result);
  Term outside = (x < 0) & (x > -kInfinity) & logicalNot(yIsWhole);
  result = select(outside, kNaN, result);
  Term isOne =
      (x == 1) | (y == 0) | ((absolute(x) == 1) & (absolute(y) == kInfinity));
  return select(isOne, 1, result);
}

/// An operation on elements of type `Float` becomes `function` of its operands,
/// terms.
template <typename Op, auto function, typename Float>
struct ReplaceFunction : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;
  LogicalResult matchAndRewrite(Op op,
                                PatternRewriter &rewriter) const override {
    if (!isa<Float>(getElementTypeOrSelf(op.getType())))
      return rewriter.notifyMatchFailure(op, "of another type");
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    if constexpr (Op::template hasTrait<OpTrait::OneOperand>())
      rewriter.replaceOp(op, function({&b, op.getOperand()}).value);
    else
      rewriter.replaceOp(op,
                         function({&b, op.getLhs()}, {&b, op.getRhs()}).value);
    return success();
  }
};

} // namespace mlir::amp

#endif // AMP_LIB_KERNELS_COMPILATION_FUNCTIONTERMS_H
