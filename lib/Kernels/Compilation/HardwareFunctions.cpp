//===- HardwareFunctions.cpp - By the hardware's functions ----------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// ex2.approx.f32 has a relative error of 2^-22.5, rcp.approx.ftz.f32 one of
// 2^-23, and div.full.f32 2 units in the last place (PTX ISA, Floating Point
// Instructions). What is made of them here is off by so many units at most,
// where the first figure is without these errors, as on the emulator, whose 2^x
// and quotients are rounded right (test/Kernels/expand-functions.test measures
// it), and the second has both at their worst for each argument:
//
//   exp   0.9  3.4
//   tanh  1.8  3.9
//   erf   1.3  1.8
//
// Upstream's polynomials, which these replace, are off by 5.3, 4.8 and 4.7. A
// quotient that is rounded to f16 or bf16 is off by half a unit of that type
// and 2^-12 of one.
//
// As in ExpandFunctions.cpp there are no branches, no product is an operand of
// a sum, and no float is converted to a whole number. The coefficients are of
// least largest relative error on their intervals, found by weighted least
// squares.
//
//===----------------------------------------------------------------------===//

#include "Compilation/HardwareFunctions.h"

#include "Compilation/FunctionTerms.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace mlir::amp;

static constexpr double kLog2E = 0x1.71547652b82fep+0;

/// ln 2 in 10 bits, whose products with exponents are exact, and what is left.
static constexpr double kLn2 = 0x1.63p-1, kLn2Rest = -0x1.bd0106p-13;

/// Numbers whose e^x is normal.
static constexpr double kLeast = -87.33654, kLargest = 88.72283;

static Term exp2(Term x) { return {x.b, math::Exp2Op::create(*x.b, x)}; }

/// `op` of each element.
static Value forEach(ImplicitLocOpBuilder &b, Type type, ValueRange operands,
                     function_ref<Value(ValueRange)> op) {
  auto vector = dyn_cast<VectorType>(type);
  if (!vector)
    return op(operands);
  Value result = LLVM::PoisonOp::create(b, type);
  for (int64_t i = 0, e = vector.getNumElements(); i < e; ++i) {
    Value index = arith::ConstantIntOp::create(b, i, 32);
    auto elements = llvm::map_to_vector(operands, [&](Value operand) -> Value {
      return LLVM::ExtractElementOp::create(b, operand, index);
    });
    result = LLVM::InsertElementOp::create(b, result, op(elements), index);
  }
  return result;
}

static Term reciprocal(Term x) {
  ImplicitLocOpBuilder &b = *x.b;
  return {&b, forEach(b, x.value.getType(), x.value, [&](ValueRange element) {
            return NVVM::RcpApproxFtzF32Op::create(b, b.getF32Type(),
                                                   element.front())
                .getResult();
          })};
}

namespace hardware {
/// 2^n 2^(t log2 e), x = n ln 2 + t: n is added to the exponent of the other
/// power, which is normal, and the product is too.
static Term exp(Term x) {
  const double shift = 0x1.8p23;
  Term shifted = fma(x, kLog2E, x.constant(shift));
  Term n = shifted - shift;
  Term t = fma(n, -kLn2, x);
  t = fma(n, -kLn2Rest, t);
  Term power = exp2(t * kLog2E);
  Term result = fromBits(toBits(power) + (toBits(shifted) << 23));
  Term isLarge = x > kLargest, isSmall = x < kLeast;
  result = select(isSmall, 0, result);
  result = select(isLarge, kInfinity, result);
  return select(x == x, result, x);
}

/// Near 0 a polynomial; beyond, 1 - 2 / (e^2|x| + 1), whose quotient is at most
/// half of the result.
static Term tanh(Term x) {
  Term size = absolute(x), square = size * size;
  Term near =
      fma(size * square,
          polynomial(square, {-0x1.55554ap-2, 0x1.110d26p-3, -0x1.b9287ap-5,
                              0x1.593d06p-6, -0x1.9b303cp-8}),
          size);
  Term far = fma(reciprocal(exp2(size * (2 * kLog2E)) + 1), -2, x.constant(1));
  return copySign(select(size < 0.55, near, far), x);
}

/// Near 0 a polynomial; beyond, 1 - 2^(-|x| p(|x|)). From 4 on it is 1.
static Term erf(Term x) {
  Term size = absolute(x), square = size * size;
  Term near =
      fma(size,
          polynomial(square, {0x1.06eba6p-3, -0x1.8126dcp-2, 0x1.ce1904p-4,
                              -0x1.b676dp-6, 0x1.46c252p-8, -0x1.382628p-11}),
          size);
  Term inside = select(size > 4, 4, size);
  Term rest =
      exp2(negate(inside) *
           polynomial(inside,
                      {0x1.a0d886p+0, 0x1.d524c6p-1, 0x1.3a014p-3, -0x1.1939p-5,
                       0x1.59dbf2p-8, -0x1.ee1b46p-12, 0x1.19119p-16}));
  Term far = x.constant(1) - rest;
  return copySign(select(size < 0.93, near, far), x);
}
} // namespace hardware

template <typename Op, auto function>
using UseHardware = ReplaceFunction<Op, function, Float32Type>;

namespace {
/// arith.truncf (arith.divf %x, %y : f32) to f16  ->  by div.full
struct DivideForHalf : OpRewritePattern<arith::TruncFOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(arith::TruncFOp op,
                                PatternRewriter &rewriter) const override {
    Type type = getElementTypeOrSelf(op.getType());
    auto quotient = op.getIn().getDefiningOp<arith::DivFOp>();
    if (!quotient || !quotient->hasOneUse() ||
        !getElementTypeOrSelf(quotient.getType()).isF32() ||
        !(type.isF16() || type.isBF16()))
      return rewriter.notifyMatchFailure(op, "no quotient of f32 for a half");
    ImplicitLocOpBuilder b(quotient.getLoc(), rewriter);
    rewriter.setInsertionPoint(quotient);
    rewriter.replaceOp(
        quotient, forEach(b, quotient.getType(), quotient->getOperands(),
                          [&](ValueRange operands) {
                            return LLVM::CallIntrinsicOp::create(
                                       b, b.getF32Type(),
                                       b.getStringAttr("llvm.nvvm.div.full"),
                                       operands)
                                .getResult(0);
                          }));
    return success();
  }
};
} // namespace

void mlir::amp::populateHardwareFunctionsPatterns(RewritePatternSet &patterns) {
  patterns.add<UseHardware<math::ExpOp, hardware::exp>,
               UseHardware<math::TanhOp, hardware::tanh>,
               UseHardware<math::ErfOp, hardware::erf>, DivideForHalf>(
      patterns.getContext());
}
