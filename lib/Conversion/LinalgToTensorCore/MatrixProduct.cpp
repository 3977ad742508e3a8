//===- MatrixProduct.cpp - A contraction as a kernel sees it --------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each operand is three walks over its tensor: over the batch, over rows and
// over columns. Going up through producers changes the walks; wherever each of
// them is one loop and one of the inner two has stride 1, the tensor is a
// matrix that a kernel can read. The furthest such tensor is the best one,
// because what lies between need not be computed. An operand that is nowhere a
// matrix can be copied into one: that is a transpose of its own dimensions.
//
//===----------------------------------------------------------------------===//

#include "MatrixProduct.h"

#include "ElementMovement.h"
#include "StridedView.h"
#include "amp/Analysis/Fill.h"
#include "amp/Support/ShapedBytes.h"

using namespace mlir;
using namespace mlir::amp;

namespace {
/// Sizes and loops of a contraction.
struct Loops {
  SmallVector<int64_t> sizes;
  SmallVector<unsigned> batch, m, n, k;

  int64_t count(ArrayRef<unsigned> loops) const {
    int64_t count = 1;
    for (unsigned loop : loops)
      count *= sizes[loop];
    return count;
  }
};
} // namespace

static std::optional<unsigned> getDimension(const ContractionOperand &operand,
                                            unsigned loop) {
  return operand.map.getResultPosition(
      getAffineDimExpr(loop, operand.map.getContext()));
}

/// The walk of `loops` over the operand.
static StridedView getView(const ContractionOperand &operand,
                           const Loops &loops, ArrayRef<unsigned> group) {
  auto type = cast<RankedTensorType>(operand.value.getType());
  SmallVector<int64_t> strides = getDenseStrides(type.getShape());
  StridedView view;
  for (unsigned loop : group) {
    std::optional<unsigned> dim = getDimension(operand, loop);
    view.push_back({loops.sizes[loop], dim ? strides[*dim] : 0});
  }
  return view;
}

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

/// Bytes at multiples of which tensor maps and asynchronous copies start.
static constexpr int64_t kStartBytes = 16;

bool mlir::amp::isStart(int64_t place, Type type) {
  return place * getElementBytes(type) % kStartBytes == 0;
}

/// Adds the ways in which the walks over batch, rows and columns are a matrix.
static void addMatrices(Value value, const TensorWalks &walks,
                        SmallVectorImpl<MatrixSource> &sources) {
  StridedView batch = mergeLoops(walks.views[0]);
  StridedView rows = mergeLoops(walks.views[1]);
  StridedView columns = mergeLoops(walks.views[2]);
  auto type = cast<RankedTensorType>(value.getType());
  if (rows.size() > 1 || columns.size() > 1 ||
      !isStart(walks.place, type.getElementType()))
    return;
  auto loopOf = [](const StridedView &view, int64_t stride) {
    return view.empty() ? StridedLoop{1, stride} : view[0];
  };
  auto add = [&](const StridedView &outerView, const StridedView &innerView,
                 bool transposed) {
    StridedLoop inner = loopOf(innerView, 1);
    StridedLoop outer = loopOf(outerView, inner.size);
    if (inner.stride != 1 || outer.stride < inner.size)
      return;
    int64_t perMatrix = outer.size * outer.stride;
    StridedLoop all = loopOf(batch, perMatrix);
    bool readsWhole = walks.place == 0 && batch.size() <= 1 &&
                      all.stride == perMatrix &&
                      all.size * perMatrix == type.getNumElements();
    sources.push_back(
        {value, transposed, outer.stride, {}, batch, walks.place, readsWhole});
  };
  add(rows, columns, /*transposed=*/false);
  add(columns, rows, /*transposed=*/true);
}

/// Ways to read an operand with these loops over its rows and columns.
static SmallVector<MatrixSource> getSources(const ContractionOperand &operand,
                                            const Loops &loops,
                                            ArrayRef<unsigned> rows,
                                            ArrayRef<unsigned> columns) {
  TensorWalks walks{{getView(operand, loops, loops.batch),
                     getView(operand, loops, rows),
                     getView(operand, loops, columns)}};
  SmallVector<SmallVector<MatrixSource>> byDistance;
  for (Value value = operand.value; value; value = followMovement(value, walks))
    addMatrices(value, walks, byDistance.emplace_back());
  SmallVector<MatrixSource> sources;
  for (const SmallVector<MatrixSource> &found : llvm::reverse(byDistance))
    llvm::append_range(sources, found);

  // Copies: dimensions that no loop walks have one element and go first.
  auto addCopy = [&](ArrayRef<unsigned> outer, ArrayRef<unsigned> inner,
                     bool transposed) {
    SmallVector<int64_t> permutation;
    for (auto [dim, expr] : llvm::enumerate(operand.map.getResults()))
      if (!isa<AffineDimExpr>(expr))
        permutation.push_back(dim);
    for (ArrayRef<unsigned> group : {ArrayRef(loops.batch), outer, inner})
      for (unsigned loop : group) {
        std::optional<unsigned> dim = getDimension(operand, loop);
        if (!dim)
          return; // broadcast
        permutation.push_back(*dim);
      }
    int64_t perMatrix = loops.count(outer) * loops.count(inner);
    sources.push_back({operand.value,
                       transposed,
                       loops.count(inner),
                       permutation,
                       {{loops.count(loops.batch), perMatrix}}});
  };
  addCopy(rows, columns, /*transposed=*/false);
  addCopy(columns, rows, /*transposed=*/true);
  return sources;
}

int64_t mlir::amp::getPaddedStride(int64_t row, Type type) {
  return llvm::alignTo(row, kStartBytes / getElementBytes(type));
}

std::optional<unsigned> mlir::amp::countDimsBeforeRow(ArrayRef<int64_t> shape,
                                                      int64_t row) {
  int64_t elements = 1;
  for (unsigned dim = shape.size(); dim-- > 1;)
    if ((elements *= shape[dim]) == row)
      return dim;
  return std::nullopt;
}

std::optional<MatrixSource> mlir::amp::padRows(const MatrixSource &source,
                                               int64_t row) {
  auto type = cast<RankedTensorType>(source.value.getType());
  MatrixSource padded = source;
  padded.stride = getPaddedStride(row, type.getElementType());
  if (source.isCopy() || !source.readsWhole || source.stride != row ||
      padded.stride == row || !countDimsBeforeRow(type.getShape(), row))
    return std::nullopt;
  padded.paddedRow = row;
  for (StridedLoop &loop : padded.batch)
    loop.stride = loop.stride / row * padded.stride;
  return padded;
}

//===----------------------------------------------------------------------===//
// Result
//===----------------------------------------------------------------------===//

bool mlir::amp::isWritable(const TensorWalks &result) {
  StridedView rows = mergeLoops(result.views[1]);
  StridedView columns = mergeLoops(result.views[2]);
  return rows.size() <= 1 &&
         (columns.empty() || (columns.size() == 1 && columns[0].stride == 1));
}

TensorWalks mlir::amp::getTransposed(const TensorWalks &result) {
  return {{result.views[0], result.views[2], result.views[1]}, result.place};
}

/// Sets where the result lies. False if dimensions are missing.
static bool placeResult(const Contraction &contraction, const Loops &loops,
                        MatrixProduct &product) {
  product.result.views = {getView(contraction.c, loops, loops.batch),
                          getView(contraction.c, loops, loops.m),
                          getView(contraction.c, loops, loops.n)};
  if (isWritable(product.result))
    return true;
  if (isWritable(getTransposed(product.result))) {
    product = product.getTransposed();
    return true;
  }
  product.result.views.clear();
  SmallVector<unsigned> order;
  for (ArrayRef<unsigned> group :
       {ArrayRef(loops.batch), ArrayRef(loops.m), ArrayRef(loops.n)})
    llvm::append_range(order, group);
  if (!contraction.c.map.isPermutation() &&
      contraction.c.map.getNumResults() != order.size())
    return false;
  for (unsigned loop : order)
    product.resultShape.push_back(loops.sizes[loop]);
  for (AffineExpr expr : contraction.c.map.getResults()) {
    unsigned loop = cast<AffineDimExpr>(expr).getPosition();
    product.resultPermutation.push_back(llvm::find(order, loop) -
                                        order.begin());
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Product
//===----------------------------------------------------------------------===//

StridedView MatrixProduct::getResultOrder() const {
  if (result.views.empty())
    return mergeLoops(getIdentityView(batch * m * n));
  StridedView order;
  for (const StridedView &view : result.views)
    llvm::append_range(order, view);
  return mergeLoops(order);
}

bool MatrixProduct::isResultDense() const {
  StridedView order = getResultOrder();
  return order.empty() || (order.size() == 1 && order[0].stride == 1);
}

int64_t MatrixProduct::getResultSpan() const {
  int64_t last = 0;
  for (StridedLoop loop : getResultOrder())
    last += (loop.size - 1) * loop.stride;
  return last + 1;
}

MatrixProduct MatrixProduct::getTransposed() const {
  MatrixProduct other = *this;
  std::swap(other.m, other.n);
  std::swap(other.a, other.b);
  for (auto *sources : {&other.a, &other.b})
    for (MatrixSource &source : *sources)
      source.transposed = !source.transposed;
  other.result = amp::getTransposed(result);
  return other;
}

std::optional<GemmProblem> MatrixProduct::getProblem(const MatrixSource &a,
                                                     const MatrixSource &b,
                                                     Type type) const {
  GemmProblem problem;
  problem.m = m;
  problem.n = n;
  problem.k = k;
  problem.batch = batch;
  problem.a = getElementTypeOrSelf(a.value.getType());
  problem.b = getElementTypeOrSelf(b.value.getType());
  problem.d = type;
  problem.transposeA = a.transposed;
  problem.transposeB = b.transposed;
  // Dense rows are said as 0, so that equal problems are equal.
  problem.lda = a.stride == problem.rowOfA() ? 0 : a.stride;
  problem.ldb = b.stride == problem.rowOfB() ? 0 : b.stride;
  const bool isDense = isResultDense();
  if (a.readsWhole && b.readsWhole && isDense)
    return problem;

  StridedView rows = isDense ? StridedView() : mergeLoops(result.views[1]);
  problem.ldd = rows.empty() || rows[0].stride == n ? 0 : rows[0].stride;
  StridedView ofResult =
      isDense ? StridedView{{batch, m * n}} : result.views[0];
  std::optional<SmallVector<StridedView>> loops =
      alignLoops({a.batch, b.batch, ofResult});
  if (!loops)
    return std::nullopt;
  std::array strides{&problem.batchStridesA, &problem.batchStridesB,
                     &problem.batchStridesD};
  for (auto [view, ofOperand] : llvm::zip_equal(*loops, strides))
    for (StridedLoop loop : view)
      ofOperand->push_back(loop.stride);
  for (StridedLoop loop : loops->front())
    problem.batchShape.push_back(loop.size);
  if (problem.batchShape.size() > GemmProblem::kMaxBatchLoops)
    return std::nullopt;
  if (problem.batchShape.empty()) {
    // One matrix, in a part of a tensor.
    problem.batchShape = {1};
    problem.batchStridesA = problem.batchStridesB = {0};
    problem.batchStridesD = {m * n};
  }
  return problem;
}

LogicalResult mlir::amp::verifyContraction(const Contraction &contraction,
                                           std::string &reason) {
  auto decline = [&](StringRef text) {
    reason = text.str();
    return failure();
  };
  linalg::LinalgOp op = contraction.op;
  for (Value value : op->getOperands()) {
    auto type = dyn_cast<RankedTensorType>(value.getType());
    if (!type || !type.hasStaticShape())
      return decline("its shape is not static"); // Rule 1
    if (type.getEncoding())
      return decline("its tensors have an encoding"); // Rule 1
  }
  if (!contraction.c.getElementType().isF32())
    return decline("its sums are not f32"); // Rule 2
  if (llvm::is_contained(op.getStaticLoopRanges(), 0))
    return decline("it has no elements"); // Rule 1
  return success();
}

bool mlir::amp::isConvolution(const Contraction &contraction) {
  return !contraction.a.map.isProjectedPermutation(
             /*allowZeroInResults=*/true) ||
         !contraction.b.map.isProjectedPermutation(/*allowZeroInResults=*/true);
}

FailureOr<MatrixProduct>
mlir::amp::matchMatrixProduct(const Contraction &contraction,
                              std::string &reason) {
  auto decline = [&](StringRef text) {
    reason = text.str();
    return failure();
  };
  linalg::LinalgOp op = contraction.op;
  Loops loops{op.getStaticLoopRanges(), contraction.batch, contraction.m,
              contraction.n, contraction.k};
  llvm::sort(loops.batch, [&](unsigned x, unsigned y) {
    return getDimension(contraction.c, x) < getDimension(contraction.c, y);
  });

  MatrixProduct product;
  product.op = op;
  product.batch = loops.count(loops.batch);
  product.m = loops.count(loops.m);
  product.n = loops.count(loops.n);
  product.k = loops.count(loops.k);
  product.a = getSources(contraction.a, loops, loops.m, loops.k);
  product.b = getSources(contraction.b, loops, loops.k, loops.n);
  if (!isFilledWithZero(contraction.c.value))
    product.init = contraction.c.value;
  if (!placeResult(contraction, loops, product))
    return decline("its result is not one matrix in memory"); // Rule 3
  if (product.init &&
      (!product.isResultDense() || !product.resultPermutation.empty()))
    return decline(
        "its result lies in another order than the kernel's, and its "
        "sums do not start with zero"); // Rule 4
  return product;
}
