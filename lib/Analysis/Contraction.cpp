//===- Contraction.cpp - Recognise matrix products ------------------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Named operations carry the same region and maps as a linalg.generic, so there
// is one matcher and no list of operations. Upstream's inferContractionDims and
// inferConvolutionDims are not used: between them they leave out what we take
// (a reduction in one input alone, reversed dimensions, maps with constants),
// and they take what we leave (dot products).
//
//===----------------------------------------------------------------------===//

#include "amp/Analysis/Contraction.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace mlir::amp;

//===----------------------------------------------------------------------===//
// Linear maps
//===----------------------------------------------------------------------===//

static bool isLinear(AffineMap map) {
  return llvm::all_of(map.getResults(), [&](AffineExpr expr) {
    return LinearExpr::get(expr, map.getNumDims()).has_value();
  });
}

LinearExpr ContractionOperand::getIndex(unsigned dim) const {
  std::optional<LinearExpr> index =
      LinearExpr::get(map.getResult(dim), map.getNumDims());
  assert(index && "matchContraction accepts linear maps only");
  return *index;
}

//===----------------------------------------------------------------------===//
// Body
//===----------------------------------------------------------------------===//

/// `value` without the arith.extf to f32 that an input of half type needs.
static Value lookThroughWidening(Value value) {
  if (auto extend = value.getDefiningOp<arith::ExtFOp>())
    return extend.getIn();
  return value;
}

std::optional<std::pair<Value, Value>> amp::matchMultiplyAdd(Value value,
                                                             Value out) {
  if (auto fma = value.getDefiningOp<math::FmaOp>()) {
    if (fma.getC() != out)
      return std::nullopt;
    return std::pair(fma.getA(), fma.getB());
  }
  auto sum = value.getDefiningOp<arith::AddFOp>();
  if (!sum || (sum.getLhs() != out && sum.getRhs() != out))
    return std::nullopt;
  Value product = sum.getLhs() == out ? sum.getRhs() : sum.getLhs();
  auto multiply = product.getDefiningOp<arith::MulFOp>();
  if (!multiply)
    return std::nullopt;
  return std::pair(multiply.getLhs(), multiply.getRhs());
}

/// True if the body yields `out + a * b` of its three arguments, where a and b
/// may be widened first, and does nothing else.
static bool isMultiplyAccumulate(Block *body) {
  if (body->getNumArguments() != 3 ||
      !llvm::all_of(*body,
                    llvm::IsaPred<arith::AddFOp, arith::MulFOp, math::FmaOp,
                                  arith::ExtFOp, linalg::YieldOp>))
    return false;
  auto yield = dyn_cast<linalg::YieldOp>(body->getTerminator());
  if (!yield || yield->getNumOperands() != 1)
    return false;
  auto factors = matchMultiplyAdd(yield->getOperand(0), body->getArgument(2));
  if (!factors)
    return false;
  Value lhs = lookThroughWidening(factors->first);
  Value rhs = lookThroughWidening(factors->second);
  Value a = body->getArgument(0), b = body->getArgument(1);
  return (lhs == a && rhs == b) || (lhs == b && rhs == a);
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

/// Sorts `loops` by the dimension of C in which they stand.
static void sortByOutput(SmallVectorImpl<unsigned> &loops, AffineMap output) {
  llvm::sort(loops, [&](unsigned x, unsigned y) {
    auto position = [&](unsigned loop) {
      return *output.getResultPosition(
          getAffineDimExpr(loop, output.getContext()));
    };
    return position(x) < position(y);
  });
}

FailureOr<Contraction> amp::matchContraction(linalg::LinalgOp op) {
  if (op.getNumDpsInputs() != 2 || op.getNumDpsInits() != 1 ||
      !isMultiplyAccumulate(op.getBlock()))
    return failure();

  Contraction view;
  view.op = op;
  view.a = {op.getDpsInputOperand(0)->get(),
            op.getMatchingIndexingMap(op.getDpsInputOperand(0))};
  view.b = {op.getDpsInputOperand(1)->get(),
            op.getMatchingIndexingMap(op.getDpsInputOperand(1))};
  view.c = {op.getDpsInitOperand(0)->get(),
            op.getMatchingIndexingMap(op.getDpsInitOperand(0))};
  if (!isLinear(view.a.map) || !isLinear(view.b.map) ||
      !view.c.map.isProjectedPermutation(/*allowZeroInResults=*/true))
    return failure();

  for (auto [loop, kind] : llvm::enumerate(op.getIteratorTypesArray())) {
    bool inA = view.a.map.isFunctionOfDim(loop);
    bool inB = view.b.map.isFunctionOfDim(loop);
    bool inC = view.c.map.isFunctionOfDim(loop);
    // Parallel loops index the output and an input, reductions an input alone.
    if (inC != (kind == utils::IteratorType::parallel) || (!inA && !inB))
      return failure();
    if (!inC)
      view.k.push_back(loop);
    else if (inA && inB)
      view.batch.push_back(loop);
    else
      (inA ? view.m : view.n).push_back(loop);
  }
  if (view.k.empty() || (view.m.empty() && view.n.empty()))
    return failure();

  sortByOutput(view.m, view.c.map);
  sortByOutput(view.n, view.c.map);
  auto innermost = [&](ArrayRef<unsigned> loops) -> int {
    return loops.empty()
               ? -1
               : static_cast<int>(*view.c.map.getResultPosition(
                     getAffineDimExpr(loops.back(), op.getContext())));
  };
  if (innermost(view.m) > innermost(view.n)) {
    std::swap(view.a, view.b);
    std::swap(view.m, view.n);
  }
  return view;
}

bool amp::isMatrixVector(const Contraction &contraction) {
  auto isWindowed = [](const ContractionOperand &operand) {
    return !operand.map.isProjectedPermutation(/*allowZeroInResults=*/true);
  };
  if (isWindowed(contraction.a) || isWindowed(contraction.b))
    return false;
  linalg::LinalgOp op = contraction.op;
  SmallVector<int64_t> extents = op.getStaticLoopRanges();
  auto isOne = [&](unsigned loop) { return extents[loop] == 1; };
  return llvm::all_of(contraction.m, isOne) ||
         llvm::all_of(contraction.n, isOne);
}
