//===- LoopExprs.cpp - Indices as expressions of loops --------------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each sum is simplified as it is made: what is added to itself often is as
// short then as what is not.
//
//===----------------------------------------------------------------------===//

#include "amp/Analysis/LoopExprs.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::amp;

std::optional<AffineExpr> LoopExprs::compute(Value index) {
  MLIRContext *context = index.getContext();
  APInt constant;
  if (matchPattern(index, m_ConstantInt(&constant)))
    return getAffineConstantExpr(constant.getSExtValue(), context);
  Operation *definition = index.getDefiningOp();
  if (auto loop = dyn_cast_or_null<linalg::IndexOp>(definition)) {
    if (loop->getBlock() != op.getBlock())
      return std::nullopt; // of an operation around this one
    return getAffineDimExpr(loop.getDim(), context);
  }
  if (!isa_and_present<arith::AddIOp, arith::SubIOp, arith::MulIOp>(definition))
    return std::nullopt;
  std::optional<AffineExpr> lhs = read(definition->getOperand(0));
  std::optional<AffineExpr> rhs = read(definition->getOperand(1));
  if (!lhs || !rhs)
    return std::nullopt;
  auto simplify = [&](AffineExpr expr) {
    return simplifyAffineExpr(expr, op.getNumLoops(), /*numSymbols=*/0);
  };
  if (isa<arith::AddIOp>(definition))
    return simplify(*lhs + *rhs);
  if (isa<arith::SubIOp>(definition))
    return simplify(*lhs - *rhs);
  if (!isa<AffineConstantExpr>(*lhs) && !isa<AffineConstantExpr>(*rhs))
    return std::nullopt;
  return simplify(*lhs * *rhs);
}

std::optional<AffineExpr> LoopExprs::read(Value index) {
  if (auto found = known.find(index); found != known.end())
    return found->second;
  // In a block that nothing reaches, an index may be made of itself.
  known[index] = std::nullopt;
  std::optional<AffineExpr> expr = compute(index);
  known[index] = expr;
  return expr;
}
