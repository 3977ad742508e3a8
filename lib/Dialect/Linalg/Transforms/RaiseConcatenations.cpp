//===- RaiseConcatenations.cpp - Bodies that put tensors side by side -----===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A linalg.generic is a concatenation if its body compares one loop with
// constants, and reads in each range of that loop another tensor, whole and in
// the order of the loops. The branches are followed with the range that reaches
// them. Where every part is made wider in its branch, all of them are behind
// the concatenation.
//
//===----------------------------------------------------------------------===//

#include "amp/Analysis/Contraction.h"
#include "amp/Analysis/Elementwise.h"
#include "amp/Analysis/LinearMap.h"
#include "amp/Analysis/LoopExprs.h"
#include "amp/Dialect/Linalg/Transforms/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"

#define DEBUG_TYPE "amp-raise-concatenations"

namespace mlir::amp {
#define GEN_PASS_DEF_RAISECONCATENATIONSPASS
#include "amp/Dialect/Linalg/Transforms/Passes.h.inc"
} // namespace mlir::amp

using namespace mlir;
using namespace mlir::amp;

namespace {
/// Tensors one behind the other along a dimension.
struct Concatenation {
  int64_t dim;
  SmallVector<Value> parts;
};

class BodyReader {
public:
  explicit BodyReader(linalg::GenericOp op)
      : op(op), extents(op.getStaticLoopRanges()), exprs(op) {}

  /// What the body says, if it is a concatenation and no more.
  std::optional<Concatenation> read();

private:
  /// The loop that `index` is but for a constant, which is added to it.
  std::optional<std::pair<int64_t, int64_t>> readLoop(Value index);
  /// Adds what `element` is for loops of the dimension from `begin` up to
  /// `end`.
  LogicalResult readElement(Value element, int64_t begin, int64_t end);
  LogicalResult readBranches(scf::IfOp branches, unsigned result, int64_t begin,
                             int64_t end);
  LogicalResult readPart(tensor::ExtractOp extract, int64_t begin, int64_t end);

  linalg::GenericOp op;
  SmallVector<int64_t> extents;
  LoopExprs exprs;
  Concatenation found = {-1, {}};
};
} // namespace

std::optional<std::pair<int64_t, int64_t>> BodyReader::readLoop(Value index) {
  std::optional<AffineExpr> expr = exprs.read(index);
  if (!expr)
    return std::nullopt;
  std::optional<LinearExpr> linear = LinearExpr::get(*expr, extents.size());
  if (!linear || llvm::count(linear->coefficients, 0) + 1 !=
                     int64_t(linear->coefficients.size()))
    return std::nullopt;
  auto *loop = llvm::find(linear->coefficients, 1);
  if (loop == linear->coefficients.end())
    return std::nullopt;
  return std::make_pair(loop - linear->coefficients.begin(), linear->constant);
}

LogicalResult BodyReader::readBranches(scf::IfOp branches, unsigned result,
                                       int64_t begin, int64_t end) {
  auto condition = branches.getCondition().getDefiningOp<arith::CmpIOp>();
  APInt bound;
  if (!condition || !matchPattern(condition.getRhs(), m_ConstantInt(&bound)))
    return failure();
  auto loop = readLoop(condition.getLhs());
  if (!loop || (found.dim >= 0 && loop->first != found.dim))
    return failure();
  auto [dim, constant] = *loop;
  if (found.dim < 0)
    end = extents[dim];
  found.dim = dim;
  // Of numbers that are not negative both say the same.
  bool isSigned = condition.getPredicate() == arith::CmpIPredicate::slt;
  bool isUnsigned = condition.getPredicate() == arith::CmpIPredicate::ult &&
                    begin + constant >= 0 && !bound.isNegative();
  if (!isSigned && !isUnsigned)
    return failure();
  int64_t border = std::clamp(bound.getSExtValue() - constant, begin, end);
  return success(succeeded(readElement(branches.thenYield().getOperand(result),
                                       begin, border)) &&
                 succeeded(readElement(branches.elseYield().getOperand(result),
                                       border, end)));
}

LogicalResult BodyReader::readPart(tensor::ExtractOp extract, int64_t begin,
                                   int64_t end) {
  RankedTensorType type = extract.getTensor().getType();
  if (op.getRegion().isAncestor(extract.getTensor().getParentRegion()) ||
      type.getRank() != int64_t(extents.size()))
    return failure();
  for (auto [dim, index] : llvm::enumerate(extract.getIndices())) {
    bool isSplit = int64_t(dim) == found.dim;
    auto loop = readLoop(index);
    // A loop of one round may be written as its only index.
    bool isLoop =
        loop ? loop->first == int64_t(dim) &&
                   loop->second == (isSplit ? -begin : 0)
             : !isSplit && extents[dim] == 1 && matchPattern(index, m_Zero());
    if (!isLoop ||
        type.getDimSize(dim) != (isSplit ? end - begin : extents[dim]))
      return failure();
  }
  found.parts.push_back(extract.getTensor());
  return success();
}

LogicalResult BodyReader::readElement(Value element, int64_t begin,
                                      int64_t end) {
  if (found.dim >= 0 && begin == end)
    return success();
  if (auto branches = element.getDefiningOp<scf::IfOp>())
    return readBranches(branches, cast<OpResult>(element).getResultNumber(),
                        begin, end);
  auto widening = element.getDefiningOp<arith::ExtFOp>();
  auto extract = (widening ? widening.getIn() : element)
                     .getDefiningOp<tensor::ExtractOp>();
  return extract && found.dim >= 0 ? readPart(extract, begin, end) : failure();
}

std::optional<Concatenation> BodyReader::read() {
  if (!op.hasPureTensorSemantics() || op.getNumResults() != 1 ||
      op.getNumParallelLoops() != op.getNumLoops() ||
      ShapedType::isDynamicShape(extents) || llvm::is_contained(extents, 0) ||
      !op.getMatchingIndexingMap(op.getDpsInitOperand(0)).isIdentity())
    return std::nullopt;
  // Whoever reaches an assertion wants it to be made.
  if (!llvm::all_of(*op.getBlock(), [](Operation &inner) {
        return isMemoryEffectFree(&inner);
      }))
    return std::nullopt;
  Value element = op.getBlock()->getTerminator()->getOperand(0);
  if (failed(readElement(element, /*begin=*/0, /*end=*/0)) ||
      found.parts.size() < 2)
    return std::nullopt;
  auto hasEncoding = [](Value tensor) {
    return bool(cast<RankedTensorType>(tensor.getType()).getEncoding());
  };
  if (hasEncoding(op.getResult(0)) || llvm::any_of(found.parts, hasEncoding))
    return std::nullopt;
  auto getType = [](Value part) {
    return getElementTypeOrSelf(part.getType());
  };
  if (!llvm::all_equal(llvm::map_range(found.parts, getType)))
    return std::nullopt;
  return found;
}

/// Whether `tensor` is what becomes of a contraction that nothing else reads,
/// by operations on its elements.
static bool isOfContraction(Value tensor) {
  SmallVector<Value> open = {tensor};
  // In a block that nothing reaches, a value may be made of itself.
  llvm::DenseSet<Value> seen;
  while (!open.empty()) {
    Value value = open.pop_back_val();
    Operation *op = value.getDefiningOp();
    if (!op || !value.hasOneUse() || !seen.insert(value).second)
      continue;
    auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
    if (linalgOp && succeeded(matchContraction(linalgOp)))
      return true;
    if (keepsElements(op))
      llvm::append_range(open, op->getOperands());
  }
  return false;
}

/// `tensor` with elements of `type`, which is as wide or wider.
static Value widen(OpBuilder &builder, Location loc, Value tensor, Type type) {
  auto source = cast<RankedTensorType>(tensor.getType());
  if (source.getElementType() == type)
    return tensor;
  Value init = tensor::EmptyOp::create(builder, loc, source.getShape(), type);
  SmallVector<AffineMap> maps(2,
                              builder.getMultiDimIdentityMap(source.getRank()));
  SmallVector<utils::IteratorType> loops(source.getRank(),
                                         utils::IteratorType::parallel);
  return linalg::GenericOp::create(
             builder, loc, init.getType(), tensor, init, maps, loops,
             [&](OpBuilder &inner, Location loc, ValueRange elements) {
               Value wide =
                   arith::ExtFOp::create(inner, loc, type, elements.front());
               linalg::YieldOp::create(inner, loc, wide);
             })
      .getResult(0);
}

namespace {
struct RaiseConcatenations
    : public amp::impl::RaiseConcatenationsPassBase<RaiseConcatenations> {
  void runOnOperation() override {
    SmallVector<linalg::GenericOp> ops;
    getOperation().walk([&](linalg::GenericOp op) { ops.push_back(op); });
    bool changed = false;
    for (linalg::GenericOp op : ops) {
      std::optional<Concatenation> found = BodyReader(op).read();
      if (!found || llvm::none_of(found->parts, isOfContraction))
        continue;
      OpBuilder builder(op);
      Location loc = op.getLoc();
      Value all =
          tensor::ConcatOp::create(builder, loc, found->dim, found->parts);
      Type type = getElementTypeOrSelf(op.getResultTypes().front());
      op->replaceAllUsesWith(ValueRange{widen(builder, loc, all, type)});
      op.erase();
      ++numRaised;
      changed = true;
    }
    // Constants that elements were compared with.
    IRRewriter rewriter(&getContext());
    if (changed)
      (void)runRegionDCE(rewriter, getOperation()->getRegions());
  }
};
} // namespace
