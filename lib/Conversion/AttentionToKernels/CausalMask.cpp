//===- CausalMask.cpp - Conditions on loops -------------------------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Whole numbers are affine expressions of loops as long as they are sums,
// differences and multiples. Casts between their types are looked through where
// the numbers that they can have, of all rows and columns, stay the same; so no
// operation of a narrow type may wrap.
//
//===----------------------------------------------------------------------===//

#include "CausalMask.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::amp;

static std::optional<AffineExpr> getInteger(const Elements &elements,
                                            const Element &element);

/// Whether the numbers of an expression are those of a signed integer of the
/// type, and small enough to compute with.
static bool fits(const Elements &elements, AffineExpr expr, Type type) {
  const unsigned width = type.isIndex() ? 64 : type.getIntOrFloatBitWidth();
  const int64_t most = int64_t(1) << (std::min(width, 31u) - 1);
  auto range = elements.getRange(expr);
  return range && range->first >= -most && range->second < most;
}

/// What an operation computes of integers, before it is cut to its type.
static std::optional<AffineExpr> computeInteger(const Elements &elements,
                                                const Element &first) {
  Operation *op = first.value.getDefiningOp();
  if (isa<arith::IndexCastOp, arith::IndexCastUIOp, arith::ExtSIOp,
          arith::ExtUIOp, arith::TruncIOp>(op)) {
    std::optional<AffineExpr> x = getInteger(elements, first.operand(0));
    // Without signs, negative numbers are others.
    if (x && isa<arith::IndexCastUIOp, arith::ExtUIOp>(op)) {
      auto range = elements.getRange(*x);
      if (!range || range->first < 0)
        return std::nullopt;
    }
    return x;
  }
  if (!isa<arith::AddIOp, arith::SubIOp, arith::MulIOp>(op))
    return std::nullopt;
  std::optional<AffineExpr> x = getInteger(elements, first.operand(0)),
                            y = getInteger(elements, first.operand(1));
  if (!x || !y)
    return std::nullopt;
  if (isa<arith::AddIOp>(op))
    return *x + *y;
  if (isa<arith::SubIOp>(op))
    return *x - *y;
  if (!x->isSymbolicOrConstant() && !y->isSymbolicOrConstant())
    return std::nullopt;
  return *x * *y;
}

static std::optional<AffineExpr> getInteger(const Elements &elements,
                                            const Element &element) {
  Element first = elements.lookBack(element);
  APInt constant;
  if (matchPattern(first.value, m_ConstantInt(&constant)))
    return constant.isSignedIntN(31)
               ? std::optional(getAffineConstantExpr(constant.getSExtValue(),
                                                     first.value.getContext()))
               : std::nullopt;
  Operation *op = first.value.getDefiningOp();
  if (!op || isa<ShapedType>(first.value.getType()))
    return std::nullopt;
  if (auto index = dyn_cast<linalg::IndexOp>(op))
    return first.at[index.getDim()];
  std::optional<AffineExpr> number = computeInteger(elements, first);
  return number && fits(elements, *number, first.value.getType())
             ? number
             : std::nullopt;
}

std::optional<AffineExpr>
mlir::amp::getLinearCondition(const Elements &elements,
                              const Element &condition) {
  Element first = elements.lookBack(condition);
  Operation *op = first.value.getDefiningOp();
  if (!op || isa<ShapedType>(first.value.getType()))
    return std::nullopt;
  // A condition and another that always holds.
  if (isa<arith::AndIOp>(op))
    for (unsigned i = 0; i < 2; ++i)
      if (APInt constant;
          matchPattern(elements.lookBack(first.operand(i)).value,
                       m_ConstantInt(&constant)) &&
          constant.isAllOnes())
        return getLinearCondition(elements, first.operand(1 - i));
  auto compare = dyn_cast<arith::CmpIOp>(op);
  if (!compare || compare.getLhs().getType().isInteger(1))
    return std::nullopt;
  std::optional<AffineExpr> x = getInteger(elements, first.operand(0)),
                            y = getInteger(elements, first.operand(1));
  if (!x || !y)
    return std::nullopt;
  switch (compare.getPredicate()) {
  case arith::CmpIPredicate::sle:
    return *x - *y;
  case arith::CmpIPredicate::slt:
    return *x - *y + 1;
  case arith::CmpIPredicate::sge:
    return *y - *x;
  case arith::CmpIPredicate::sgt:
    return *y - *x + 1;
  default:
    return std::nullopt;
  }
}

bool mlir::amp::isCausal(const Elements &elements, const Element &condition,
                         AffineExpr query, AffineExpr key, bool otherwise) {
  std::optional<AffineExpr> expression =
      getLinearCondition(elements, condition);
  if (!expression)
    return false;
  AffineExpr expected = otherwise ? query - key + 1 : key - query;
  return simplifyAffineExpr(*expression - expected, elements.getNumLoops(),
                            0) == getAffineConstantExpr(0, query.getContext());
}
