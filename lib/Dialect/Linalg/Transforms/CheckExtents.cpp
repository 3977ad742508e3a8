//===- CheckExtents.cpp - Extents that a run brings fit each other --------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What operations need of extents (ExtentRequirements.cpp) the verifier has
// looked at where numbers say it; the rest is asserted:
//
//   mul ins(%x : tensor<?xf32>, %w : tensor<3xf32>)  ->  assert dim(%x) == 3
//
// Extents are those of arguments wherever that can be seen, and what depends on
// nothing else is checked before anything is computed. Of checks that ask the
// same the first one is left.
//
// The canonicalizer takes what operations need for what there is: it folds
//
//   cast (extract_slice %x [0] [%n] [1]) to tensor<8xf32>
//
// to a slice of 8 elements. So the pipelines ask before it, %n == 8, and once
// more when functions are inlined.
//
//===----------------------------------------------------------------------===//

#include "ExtentRequirements.h"
#include "amp/Dialect/Linalg/Transforms/Passes.h"
#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tensor/Transforms/RuntimeOpVerification.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/CSE.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/TypeSwitch.h"

#define DEBUG_TYPE "amp-check-extents"

namespace mlir::amp {
#define GEN_PASS_DEF_CHECKEXTENTSPASS
#include "amp/Dialect/Linalg/Transforms/Passes.h.inc"
} // namespace mlir::amp

using namespace mlir;
using namespace mlir::amp;

namespace {
struct CheckExtents : public amp::impl::CheckExtentsPassBase<CheckExtents> {
  using Base::Base;

  void getDependentDialects(DialectRegistry &registry) const override {
    Base::getDependentDialects(registry);
    tensor::registerRuntimeVerifiableOpInterfaceExternalModels(registry);
  }

  void runOnOperation() override {
    SmallVector<Operation *> ops;
    llvm::DenseSet<Operation *> before;
    getOperation().walk([&](Operation *op) {
      if (isa<cf::AssertOp>(op))
        before.insert(op);
      else
        ops.push_back(op);
    });
    ExtentRequirements requirements;
    for (Operation *op : ops)
      requirements.require(op);
    if (getChecks(before).empty())
      return;
    resolveExtents();
    place(getChecks(before));
  }

private:
  /// All assertions but those of `before`.
  SmallVector<cf::AssertOp>
  getChecks(const llvm::DenseSet<Operation *> &before) {
    SmallVector<cf::AssertOp> checks;
    getOperation().walk([&](cf::AssertOp check) {
      if (!before.contains(check))
        checks.push_back(check);
    });
    return checks;
  }
  /// Extents of results are those of operands, if it can be seen.
  void resolveExtents() {
    MLIRContext *context = &getContext();
    RewritePatternSet patterns(context);
    memref::populateResolveRankedShapedTypeResultDimsPatterns(patterns);
    memref::populateResolveShapedTypeResultDimsPatterns(patterns);
    tensor::DimOp::getCanonicalizationPatterns(patterns, context);
    affine::AffineApplyOp::getCanonicalizationPatterns(patterns, context);
    // What has not come to an end by then is right as it is.
    (void)applyPatternsGreedily(getOperation(), std::move(patterns));
  }
  void place(ArrayRef<cf::AssertOp> checks);
};
} // namespace

/// True if `condition` holds whatever extents there are.
static bool isKnownToHold(Value condition) {
  if (matchPattern(condition, m_One()))
    return true;
  auto compare = condition.getDefiningOp<arith::CmpIOp>();
  if (!compare)
    return false;
  switch (compare.getPredicate()) {
  case arith::CmpIPredicate::eq:
  case arith::CmpIPredicate::sle:
    return compare.getLhs() == compare.getRhs();
  case arith::CmpIPredicate::sge:
    return matchPattern(compare.getRhs(), m_Zero()) &&
           compare.getLhs().getDefiningOp<tensor::DimOp>();
  default:
    return false;
  }
}

/// Whether `op` divides by what may be 0: no interface of affine's says so.
static bool dividesByUnknown(Operation *op) {
  auto map = TypeSwitch<Operation *, AffineMap>(op)
                 .Case<affine::AffineApplyOp, affine::AffineMinOp,
                       affine::AffineMaxOp>([](auto op) { return op.getMap(); })
                 .Default(AffineMap());
  bool divides = false;
  if (map)
    map.walkExprs([&](AffineExpr expr) {
      bool isDivision =
          llvm::is_contained({AffineExprKind::FloorDiv, AffineExprKind::CeilDiv,
                              AffineExprKind::Mod},
                             expr.getKind());
      divides |= isDivision && !isa<AffineConstantExpr>(
                                   cast<AffineBinaryOpExpr>(expr).getRHS());
    });
  return divides;
}

/// What `condition` is computed from in `entry`, in order, where that is
/// numbers and extents of arguments alone, none of which may fail: an assertion
/// in front of it may keep a divisor from being 0.
static std::optional<SetVector<Operation *>> findNumbers(Value condition,
                                                         Block &entry) {
  SetVector<Operation *> numbers;
  Operation *last = condition.getDefiningOp();
  if (!last)
    return numbers;
  BackwardSliceOptions options;
  options.inclusive = true;
  bool areNumbers = true;
  options.filter = [&](Operation *op) {
    bool isNumber =
        op->getBlock() == &entry && op->getNumRegions() == 0 && isPure(op) &&
        !dividesByUnknown(op) &&
        llvm::none_of(op->getResultTypes(), llvm::IsaPred<ShapedType>) &&
        (isa<tensor::DimOp>(op) ||
         llvm::none_of(op->getOperandTypes(), llvm::IsaPred<ShapedType>));
    areNumbers &= isNumber;
    return isNumber;
  };
  if (failed(getBackwardSlice(last, &numbers, options)) || !areNumbers)
    return std::nullopt;
  return numbers;
}

void CheckExtents::place(ArrayRef<cf::AssertOp> checks) {
  IRRewriter rewriter(&getContext());
  DominanceInfo dominance(getOperation());
  eliminateCommonSubExpressions(rewriter, dominance, getOperation());
  Block &entry = getOperation().getBody().front();
  llvm::DenseSet<Value> checked;
  llvm::DenseSet<Operation *> placed;
  Operation *next = &entry.front(); // in front of it is what was placed
  auto skipPlaced = [&] {
    while (placed.contains(next))
      next = next->getNextNode();
  };
  auto place = [&](Operation *op) {
    if (!placed.insert(op).second)
      return;
    if (next != op)
      rewriter.moveOpBefore(op, next);
    skipPlaced();
  };
  auto erase = [&](cf::AssertOp check) {
    if (next == check)
      next = check->getNextNode();
    skipPlaced();
    rewriter.eraseOp(check);
  };
  for (cf::AssertOp check : checks) {
    Value condition = check.getArg();
    bool isInEntry = check->getBlock() == &entry;
    bool isOptional = bool(check->removeAttr(ExtentRequirements::kOnlyInFront));
    if (isKnownToHold(condition) ||
        (isInEntry && checked.contains(condition))) {
      erase(check);
      continue;
    }
    if (!isInEntry)
      continue;
    std::optional<SetVector<Operation *>> numbers =
        findNumbers(condition, entry);
    if (!numbers && isOptional) {
      erase(check);
      continue;
    }
    checked.insert(condition);
    if (!numbers)
      continue;
    llvm::for_each(*numbers, place);
    place(check);
  }
  // What was asked by assertions that are gone.
  (void)runRegionDCE(rewriter, getOperation()->getRegions());
}
