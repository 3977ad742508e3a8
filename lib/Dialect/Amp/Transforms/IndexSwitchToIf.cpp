//===- IndexSwitchToIf.cpp - scf.index_switch as scf.if -------------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One scf.if for each case, in the order of the cases, each in the else region
// of the one before; the default case is the last else. Regions move, nothing
// is copied.
//
//===----------------------------------------------------------------------===//

#include "amp/Dialect/Amp/Transforms/IndexSwitchToIf.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;

void mlir::amp::convertIndexSwitchToIf(scf::IndexSwitchOp op,
                                       RewriterBase &rewriter) {
  Location loc = op.getLoc();
  rewriter.setInsertionPoint(op);
  if (op.getCases().empty()) {
    Operation *end = op.getDefaultRegion().front().getTerminator();
    SmallVector<Value> results(end->getOperands());
    rewriter.inlineBlockBefore(&op.getDefaultRegion().front(), op);
    rewriter.eraseOp(end);
    rewriter.replaceOp(op, results);
    return;
  }
  scf::IfOp first, last;
  for (auto [value, region] :
       llvm::zip_equal(op.getCases(), op.getCaseRegions())) {
    if (last)
      rewriter.createBlock(&last.getElseRegion());
    Value number = arith::ConstantIndexOp::create(rewriter, loc, value);
    Value isCase = arith::CmpIOp::create(
        rewriter, loc, arith::CmpIPredicate::eq, op.getArg(), number);
    auto branch =
        scf::IfOp::create(rewriter, loc, op.getResultTypes(), isCase,
                          /*addThenBlock=*/false, /*addElseBlock=*/false);
    branch.getThenRegion().takeBody(region);
    if (last)
      scf::YieldOp::create(rewriter, loc, branch.getResults());
    else
      first = branch;
    last = branch;
  }
  last.getElseRegion().takeBody(op.getDefaultRegion());
  rewriter.replaceOp(op, first.getResults());
}
