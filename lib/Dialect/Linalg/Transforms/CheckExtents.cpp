//===- CheckExtents.cpp - Extents that a run brings fit each other --------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A loop of a linalg operation has one extent in all tensors that it walks, and
// a window lies inside of its tensor. Where a number says so, the verifier has
// looked; the rest is asserted here:
//
//   mul ins(%x : tensor<?xf32>, %w : tensor<3xf32>)  ->  assert dim(%x) == 3
//
// What casts and slices claim is upstream's to check
// (RuntimeVerifiableOpInterface).
//
// Extents are those of arguments wherever that can be seen, and what depends on
// nothing else is checked before anything is computed. Of checks that ask the
// same the first one is left.
//
//===----------------------------------------------------------------------===//

#include "amp/Analysis/LinearMap.h"
#include "amp/Dialect/Linalg/Transforms/Passes.h"
#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tensor/Transforms/RuntimeOpVerification.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/RuntimeVerifiableOpInterface.h"
#include "mlir/Transforms/CSE.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/Support/raw_ostream.h"

#define DEBUG_TYPE "amp-check-extents"

namespace mlir::amp {
#define GEN_PASS_DEF_CHECKEXTENTSPASS
#include "amp/Dialect/Linalg/Transforms/Passes.h.inc"
} // namespace mlir::amp

using namespace mlir;
using namespace mlir::amp;

/// What a run says where `op` does not get the extents that it needs.
static std::string getMessage(Operation *op, StringRef what) {
  std::string message;
  llvm::raw_string_ostream stream(message);
  stream << what << " of '" << op->getName() << "' at " << op->getLoc()
         << ": expected a batch of the shape that the step is written for";
  return message;
}

namespace {
/// A dimension of an operand.
struct OperandDim {
  OpOperand *operand = nullptr;
  int64_t dim = 0;

  bool isKnown() const { return !type().isDynamicDim(dim); }
  RankedTensorType type() const {
    return cast<RankedTensorType>(operand->get().getType());
  }
  Value getExtent(ImplicitLocOpBuilder &b) const {
    return getValueOrCreateConstantIndexOp(
        b, b.getLoc(),
        tensor::getMixedSize(b, b.getLoc(), operand->get(), dim));
  }
  std::string describe() const {
    return "dimension " + std::to_string(dim) + " of operand " +
           std::to_string(operand->getOperandNumber());
  }
};

/// Asserts what the extents of one linalg operation have to be.
class LoopChecker {
public:
  explicit LoopChecker(linalg::LinalgOp op)
      : op(op), b(op.getLoc(), op), dimOfLoop(op.getNumLoops()) {}

  void check() {
    forEachDim([&](OperandDim at, AffineExpr index) {
      if (auto loop = dyn_cast<AffineDimExpr>(index))
        choose(dimOfLoop[loop.getPosition()], at);
    });
    forEachDim([&](OperandDim at, AffineExpr index) {
      if (auto loop = dyn_cast<AffineDimExpr>(index))
        checkLoop(dimOfLoop[loop.getPosition()], at);
      else if (!isa<AffineConstantExpr>(index))
        checkWindow(at, index);
    });
  }

private:
  void forEachDim(function_ref<void(OperandDim, AffineExpr)> visit) {
    for (OpOperand &operand : op->getOpOperands())
      if (isa<RankedTensorType>(operand.get().getType()))
        for (auto [dim, index] :
             llvm::enumerate(op.getMatchingIndexingMap(&operand).getResults()))
          visit({&operand, static_cast<int64_t>(dim)}, index);
  }

  /// A number if there is one, else what comes first.
  static void choose(OperandDim &chosen, OperandDim at) {
    if (!chosen.operand || (!chosen.isKnown() && at.isKnown()))
      chosen = at;
  }

  void checkLoop(const OperandDim &chosen, const OperandDim &at) {
    if (at.operand == chosen.operand && at.dim == chosen.dim)
      return;
    if (at.isKnown()) // so is the other one
      return;
    Value fits = arith::CmpIOp::create(b, arith::CmpIPredicate::eq,
                                       at.getExtent(b), chosen.getExtent(b));
    cf::AssertOp::create(b, fits,
                         getMessage(op, at.describe() +
                                            " has another extent than " +
                                            chosen.describe()));
  }

  /// The last element that a window reads is in the tensor.
  void checkWindow(const OperandDim &at, AffineExpr index) {
    std::optional<LinearExpr> linear = LinearExpr::get(index, op.getNumLoops());
    if (!linear || llvm::any_of(linear->coefficients,
                                [](int64_t factor) { return factor < 0; }))
      return;
    bool isKnown = at.isKnown();
    Value last = arith::ConstantIndexOp::create(b, linear->constant);
    Value one = arith::ConstantIndexOp::create(b, 1);
    for (auto [loop, factor] : llvm::enumerate(linear->coefficients)) {
      if (factor == 0)
        continue;
      const OperandDim &walked = dimOfLoop[loop];
      if (!walked.operand)
        return;
      isKnown &= walked.isKnown();
      Value steps = arith::SubIOp::create(b, walked.getExtent(b), one);
      last = arith::AddIOp::create(
          b, last,
          arith::MulIOp::create(b, steps,
                                arith::ConstantIndexOp::create(b, factor)));
    }
    if (isKnown)
      return;
    Value fits = arith::CmpIOp::create(b, arith::CmpIPredicate::slt, last,
                                       at.getExtent(b));
    cf::AssertOp::create(
        b, fits,
        getMessage(op, at.describe() + " is shorter than the windows"));
  }

  linalg::LinalgOp op;
  ImplicitLocOpBuilder b;
  /// Where the extent of each loop is looked up.
  SmallVector<OperandDim> dimOfLoop;
};
} // namespace

/// Asserts what `op` needs.
static void checkOperation(Operation *op) {
  auto isUnknown = [](Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    return tensor && !tensor.hasStaticShape();
  };
  if (!llvm::any_of(op->getOperandTypes(), isUnknown) &&
      !llvm::any_of(op->getResultTypes(), isUnknown))
    return;
  if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op)) {
    if (linalgOp.hasPureTensorSemantics())
      LoopChecker(linalgOp).check();
    return;
  }
  auto verifiable = dyn_cast<RuntimeVerifiableOpInterface>(op);
  if (!verifiable || !isa<tensor::CastOp, tensor::ExtractSliceOp>(op))
    return;
  OpBuilder builder(op);
  verifiable.generateRuntimeVerification(builder, op->getLoc(), getMessage);
}

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
    llvm::for_each(ops, checkOperation);
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
  auto compare = condition.getDefiningOp<arith::CmpIOp>();
  bool isOfItself = compare &&
                    compare.getPredicate() == arith::CmpIPredicate::eq &&
                    compare.getLhs() == compare.getRhs();
  return isOfItself || matchPattern(condition, m_One());
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
        llvm::none_of(op->getResultTypes(), llvm::IsaPred<ShapedType>);
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
  auto place = [&](Operation *op) {
    if (!placed.insert(op).second)
      return;
    Operation *next = &entry.front();
    while (next != op && placed.contains(next))
      next = next->getNextNode();
    if (next != op)
      rewriter.moveOpBefore(op, next);
  };
  for (cf::AssertOp check : checks) {
    Value condition = check.getArg();
    bool isInEntry = check->getBlock() == &entry;
    if (isKnownToHold(condition) ||
        (isInEntry && checked.contains(condition))) {
      rewriter.eraseOp(check);
      continue;
    }
    if (!isInEntry)
      continue;
    checked.insert(condition);
    std::optional<SetVector<Operation *>> numbers =
        findNumbers(condition, entry);
    if (!numbers)
      continue;
    llvm::for_each(*numbers, place);
    place(check);
  }
}
