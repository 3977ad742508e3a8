//===- PackSharedOperands.cpp - Pack once what several products read ------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A recurrent layer multiplies one weight by a few rows for each position. Each
// product packs the weight, which takes as long as a multiplication by three
// rows does. Here the tensor is packed where it is defined, by an operation of
// its own, and the products read panels:
//
//   %h1 = %h0 * %w                 %p = panels of %w
//   %h2 = %h1 * %w           ->    %h1 = %h0 * %p
//   ...                            %h2 = %h1 * %p
//
// A panel has all steps of the sum, each as wide as the micro-kernel of the
// machine, in f32: the kernels that multiply it find it by its strides
// (ContractionEmitter::isBInPanels) and add the same products in the same
// order. Panels of halves have other words and are left to each product.
//
// A product in a loop that the tensor is outside of counts as several, one in a
// branch as none.
//
//===----------------------------------------------------------------------===//

#include "KernelLibrary.h"
#include "amp/Analysis/Contraction.h"
#include "amp/Analysis/Fill.h"
#include "amp/Conversion/Host/Passes.h"
#include "amp/Conversion/LinalgToHostContraction.h"

#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/ADT/MapVector.h"

#define DEBUG_TYPE "amp-pack-shared-operands"

namespace mlir::amp {
#define GEN_PASS_DEF_PACKSHAREDOPERANDSPASS
#include "amp/Conversion/Host/Passes.h.inc"
} // namespace mlir::amp

using namespace mlir;
using namespace mlir::amp;

/// Rows of a product, at most, for which packing is worth saving: beyond, it is
/// a hundredth of the multiplication.
static constexpr int64_t kMostRows = 256;

namespace {
/// A tensor as the right operand of products: from a column and the steps of
/// the sum, in order, to its dimensions.
struct SharedMatrix {
  Value tensor;
  AffineMap map;

  RankedTensorType getType() const {
    return cast<RankedTensorType>(tensor.getType());
  }
  /// The dimension of columns.
  unsigned getColumnDim() const {
    return *map.getResultPosition(getAffineDimExpr(0, map.getContext()));
  }
};

/// The products that read it.
struct Readers {
  SmallVector<linalg::GenericOp> products;
  /// How many of them run, at least, where loops count as two.
  unsigned runs = 0;
};
} // namespace

/// The operand of `view` that panels can be made of; nothing if there is none.
static std::optional<SharedMatrix> findMatrix(const Contraction &view) {
  unsigned numLoops = view.b.map.getNumDims();
  if (!view.batch.empty() || view.n.size() != 1 ||
      !view.b.map.isProjectedPermutation() ||
      view.b.map.getNumResults() != 1 + view.k.size())
    return std::nullopt;
  MLIRContext *context = view.b.map.getContext();
  SmallVector<AffineExpr> matrixDims(numLoops,
                                     getAffineConstantExpr(0, context));
  matrixDims[view.n.front()] = getAffineDimExpr(0, context);
  for (auto [step, loop] : llvm::enumerate(view.k))
    matrixDims[loop] = getAffineDimExpr(1 + step, context);
  return SharedMatrix{view.b.value, view.b.map.replaceDimsAndSymbols(
                                        matrixDims, {}, 1 + view.k.size(), 0)};
}

/// True if products like `view` read panels, of `machine`, of whole columns.
static bool canReadPanels(const Contraction &view, const HostMachine &machine) {
  MicroKernel kernel = MicroKernel::get(machine, view.a.getElementType(),
                                        view.b.getElementType());
  linalg::LinalgOp op = view.op;
  bool areKnown = llvm::all_of(op->getOperandTypes(), [](Type type) {
    auto shaped = dyn_cast<ShapedType>(type);
    return shaped && shaped.hasStaticShape();
  });
  if (kernel.steps() != 1 || !areKnown)
    return false;
  SmallVector<int64_t> extents = op.getStaticLoopRanges();
  return !llvm::is_contained(extents, 0) &&
         extents[view.n.front()] % kernel.columns() == 0;
}

/// How often `op` runs for a value of `tensor`: 1, or 2 for several times, or 0
/// for maybe never. The tiles of a fusion group are one: what each of them
/// would pack is kept for all.
static unsigned countRuns(Operation *op, Value tensor) {
  unsigned runs = 1;
  Region *home = tensor.getParentRegion();
  for (Region *region = op->getParentRegion(); region != home;
       region = region->getParentRegion()) {
    Operation *parent = region->getParentOp();
    if (isa<scf::ForallOp>(parent))
      continue;
    runs = isa<LoopLikeOpInterface>(parent) ? std::min(runs * 2, 2u) : 0;
  }
  return runs;
}

/// The rows of `view` in all tiles.
static int64_t countRows(const Contraction &view) {
  linalg::LinalgOp op = view.op;
  SmallVector<int64_t> extents = op.getStaticLoopRanges();
  int64_t rows = 1;
  for (unsigned loop : view.m)
    rows *= extents[loop];
  for (auto tiles = op->getParentOfType<scf::ForallOp>(); tiles;
       tiles = tiles->getParentOfType<scf::ForallOp>())
    for (auto [begin, end, step] :
         llvm::zip_equal(tiles.getMixedLowerBound(), tiles.getMixedUpperBound(),
                         tiles.getMixedStep())) {
      std::optional<APInt> trips = constantTripCount(
          begin, end, step, /*isSigned=*/true, scf::computeUbMinusLb);
      rows *= trips ? trips->getSExtValue() : kMostRows + 1;
    }
  return rows;
}

/// `type` with dimension `dim` cut into pieces of `width`.
static RankedTensorType splitDim(RankedTensorType type, unsigned dim,
                                 int64_t width) {
  SmallVector<int64_t> shape(type.getShape());
  shape[dim] /= width;
  shape.insert(shape.begin() + dim + 1, width);
  return type.clone(shape);
}

/// Which dimensions of a split tensor were one.
static SmallVector<ReassociationIndices> getSplitGroups(unsigned rank,
                                                        unsigned dim) {
  SmallVector<ReassociationIndices> groups(rank);
  int64_t next = 0;
  for (unsigned i = 0; i < rank; ++i)
    for (unsigned part = 0; part < (i == dim ? 2 : 1); ++part)
      groups[i].push_back(next++);
  return groups;
}

/// The element as f32.
static Value widen(OpBuilder &b, Location loc, Value element) {
  return convertScalarToDtype(b, loc, element, b.getF32Type(),
                              /*isUnsignedCast=*/false);
}

/// Panels of `matrix`, `width` columns each: panels, steps of the sum, columns.
static Value makePanels(OpBuilder &b, const SharedMatrix &matrix,
                        int64_t width) {
  Location loc = matrix.tensor.getLoc();
  RankedTensorType type = matrix.getType();
  unsigned columnDim = matrix.getColumnDim(), numDims = type.getRank() + 1;
  Value columns = tensor::ExpandShapeOp::create(
      b, loc, splitDim(type, columnDim, width), matrix.tensor,
      getSplitGroups(type.getRank(), columnDim));

  SmallVector<int64_t> shape{type.getDimSize(columnDim) / width};
  SmallVector<AffineExpr> source;
  SmallVector<int64_t> extentsOfSteps(matrix.map.getNumDims() - 1);
  for (auto [dim, expr] : llvm::enumerate(matrix.map.getResults())) {
    source.push_back(expr); // a panel, or a step of the sum
    if (dim == columnDim)
      source.push_back(b.getAffineDimExpr(numDims - 1));
    else
      extentsOfSteps[cast<AffineDimExpr>(expr).getPosition() - 1] =
          type.getDimSize(dim);
  }
  llvm::append_range(shape, extentsOfSteps);
  shape.push_back(width);
  Value empty = tensor::EmptyOp::create(b, loc, shape, b.getF32Type());
  return linalg::GenericOp::create(
             b, loc, empty.getType(), columns, empty,
             ArrayRef<AffineMap>{
                 AffineMap::get(numDims, 0, source, b.getContext()),
                 b.getMultiDimIdentityMap(numDims)},
             SmallVector<utils::IteratorType>(numDims,
                                              utils::IteratorType::parallel),
             [](OpBuilder &b, Location loc, ValueRange elements) {
               linalg::YieldOp::create(b, loc, widen(b, loc, elements[0]));
             })
      .getResult(0);
}

/// What `init` holds, with dimension `dim` cut into pieces of `width`.
static Value splitInit(OpBuilder &b, Value init, unsigned dim, int64_t width) {
  Location loc = init.getLoc();
  auto type = cast<RankedTensorType>(init.getType());
  RankedTensorType split = splitDim(type, dim, width);
  auto fill = init.getDefiningOp<linalg::LinalgOp>();
  if (Value value = fill ? getFillValue(fill) : Value()) {
    Value empty = tensor::EmptyOp::create(b, loc, split.getShape(),
                                          split.getElementType());
    return linalg::FillOp::create(b, loc, value, empty).getResult(0);
  }
  return tensor::ExpandShapeOp::create(b, loc, split, init,
                                       getSplitGroups(type.getRank(), dim));
}

/// `product` with panels for B.
static void readPanels(linalg::GenericOp product, Value panels) {
  Contraction view = *matchContraction(product);
  OpBuilder b(product);
  Location loc = product.getLoc();
  int64_t width = cast<RankedTensorType>(panels.getType()).getShape().back();
  // The loop over columns becomes one over panels and one over their columns.
  unsigned panel = view.n.front(), column = panel + 1,
           numLoops = product.getNumLoops();
  auto getLoop = [&](unsigned loop) {
    return b.getAffineDimExpr(loop <= panel ? loop : loop + 1);
  };
  SmallVector<AffineExpr> loops;
  for (unsigned loop = 0; loop < numLoops; ++loop)
    loops.push_back(getLoop(loop));
  auto shift = [&](AffineMap map) {
    return map.replaceDimsAndSymbols(loops, {}, numLoops + 1, 0);
  };
  SmallVector<AffineExpr> ofPanels{getLoop(panel)};
  for (unsigned loop : view.k)
    ofPanels.push_back(getLoop(loop));
  ofPanels.push_back(b.getAffineDimExpr(column));

  AffineMap ofC = shift(view.c.map);
  unsigned columnDim = *ofC.getResultPosition(getLoop(panel));
  auto type = cast<RankedTensorType>(product.getResult(0).getType());
  Value init = splitInit(b, product.getDpsInits().front(), columnDim, width);
  SmallVector<utils::IteratorType> iterators = product.getIteratorTypesArray();
  iterators.insert(iterators.begin() + column, utils::IteratorType::parallel);
  Value split =
      linalg::GenericOp::create(
          b, loc, init.getType(), ValueRange{view.a.value, panels}, init,
          ArrayRef<AffineMap>{
              shift(view.a.map),
              AffineMap::get(numLoops + 1, 0, ofPanels, b.getContext()),
              ofC.insertResult(b.getAffineDimExpr(column), columnDim + 1)},
          iterators,
          [](OpBuilder &b, Location loc, ValueRange elements) {
            Value factor = widen(b, loc, elements[0]);
            Value term = arith::MulFOp::create(b, loc, factor, elements[1]);
            Value sum = arith::AddFOp::create(b, loc, elements[2], term);
            linalg::YieldOp::create(b, loc, sum);
          })
          .getResult(0);
  product.getResult(0).replaceAllUsesWith(tensor::CollapseShapeOp::create(
      b, loc, type, split, getSplitGroups(type.getRank(), columnDim)));
  Operation *fill = product.getDpsInits().front().getDefiningOp();
  product.erase();
  if (fill && isOpTriviallyDead(fill))
    fill->erase();
}

namespace {
struct PackSharedOperandsPass
    : public amp::impl::PackSharedOperandsPassBase<PackSharedOperandsPass> {
  using Base::Base;

  LogicalResult initialize(MLIRContext *context) override {
    if (failed(machine.choose(context, cpu, vectorBits)))
      return failure();
    machine.setProducts(bf16, f16);
    return success();
  }

  void runOnOperation() override {
    llvm::MapVector<std::pair<Value, AffineMap>, Readers> matrices;
    getOperation().walk([&](linalg::GenericOp op) {
      if (!op.hasPureTensorSemantics() || !isHostContraction(op))
        return;
      Contraction view = *matchContraction(op);
      std::optional<SharedMatrix> matrix = findMatrix(view);
      if (!matrix || !canReadPanels(view, machine))
        return;
      // One row is multiplied in place (convert-linalg-to-host-matvec).
      int64_t rows = countRows(view);
      if (rows == 1 || rows > kMostRows)
        return;
      Readers &readers = matrices[{matrix->tensor, matrix->map}];
      readers.products.push_back(op);
      readers.runs += countRuns(op, matrix->tensor);
    });
    for (Readers &readers : llvm::make_second_range(matrices)) {
      if (readers.runs < 2)
        continue;
      // The tensor may be the result of a product that reads panels by now.
      Contraction first = *matchContraction(readers.products.front());
      SharedMatrix matrix = *findMatrix(first);
      int64_t width = MicroKernel::get(machine, first.a.getElementType(),
                                       first.b.getElementType())
                          .columns();
      OpBuilder b(&getContext());
      b.setInsertionPointAfterValue(matrix.tensor);
      Value panels = makePanels(b, matrix, width);
      for (linalg::GenericOp product : readers.products)
        readPanels(product, panels);
      ++numPacked;
    }
  }

  HostMachine machine;
};
} // namespace
