//===- SplitMaskedRows.cpp - Causal attentions without what is masked -----===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Row i of a causal attention's scores counts up to column i, and what follows
// is masked: half of all products, exponentials and memory is for nothing. Rows
// are cut in blocks, and each operation on scores, in the forward and in the
// backward pass, is computed for each block with as many columns as its last
// row has:
//
//   s = q k^T + mask            s0 = q[0:r] k[0:r]^T + mask[0:r, 0:r]
//   p = softmax(s)         ->   p0 = softmax(s0)
//   o = p v                     o[0:r] = p0 v[0:r]
//                               s1 = q[r:2r] k[0:2r]^T + mask[r:2r, 0:2r]  ...
//
// Which operations those are is found by what their elements are beyond the
// diagonal (MaskedElements.h). It begins with one that makes minus infinity of
// them by a comparison of two indices. Behind it come those that make them
// minus infinity or zero, sums and maxima along a row or a column to which
// they add nothing, and products along a row or a column whose elements are
// zero; in front of these, products whose elements nobody reads but they. What
// is read elsewhere is put together from its blocks, over zeros.
//
// Zeros times what stands in masked places are left out: an infinity or NaN
// there does not become one of the result. A row that is masked as a whole has
// a softmax of NaN, also beyond the diagonal: where it is not known that there
// is none, nothing that is read elsewhere may be zero there. Where a large
// negative number stands for minus infinity, it has to be known.
//
//===----------------------------------------------------------------------===//

#include "MaskedElements.h"
#include "TensorPart.h"
#include "amp/Analysis/Contraction.h"
#include "amp/Analysis/Fill.h"
#include "amp/Dialect/Linalg/Transforms/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"

#define DEBUG_TYPE "amp-split-masked-rows"

namespace mlir::amp {
#define GEN_PASS_DEF_SPLITMASKEDROWSPASS
#include "amp/Dialect/Linalg/Transforms/Passes.h.inc"
} // namespace mlir::amp

using namespace mlir;
using namespace mlir::amp;

namespace {
/// Dimensions of a tensor along rows and columns, where it has them, and what
/// its elements beyond the diagonal are.
struct MaskedValue {
  std::optional<unsigned> row, column;
  MaskedElement::Kind kind = MaskedElement::Unknown;
  /// Elements that are not beyond the diagonal are numbers.
  bool isFinite = false;

  bool isMatrix() const { return row && column; }
};

/// An operation on scores, and which of its loops are rows and columns.
struct MaskedOp {
  linalg::GenericOp op;
  unsigned row, column;
};

/// A block of rows, and the columns that its last one has.
struct RowBlock {
  int64_t begin, rows, columns;
};

/// All operations on the scores of one attention.
class MaskedRegion {
public:
  explicit MaskedRegion(linalg::GenericOp seed) : seed(seed) {}

  /// Finds the operations; fails if there is nothing to split.
  LogicalResult find();
  /// Puts blocks in their place.
  void split(RewriterBase &rewriter, ArrayRef<RowBlock> blocks);
  SmallVector<RowBlock> makeBlocks(int64_t mostBlocks,
                                   int64_t fewestRows) const;

private:
  /// Whether each operand of `op`, with rows and columns as said, that is of
  /// the region is read by the rows and columns that it has there.
  bool readsAlong(linalg::GenericOp op, unsigned row, unsigned column) const;
  /// True if `op`, with rows and columns as said, does the same for each block,
  /// and then what its results are.
  bool add(linalg::GenericOp op, unsigned row, unsigned column);
  /// The same of an operation that reads some of the region.
  bool addReader(linalg::GenericOp op);
  /// Takes products that only the region reads.
  void addProducers();
  bool isInside(Operation *op) const {
    return llvm::any_of(
        ops, [&](const MaskedOp &masked) { return masked.op == op; });
  }
  /// What the block reads, or begins with, of `operand`.
  Value getPart(RewriterBase &rewriter, const MaskedOp &masked,
                OpOperand &operand, const RowBlock &block, unsigned number);
  void splitOp(RewriterBase &rewriter, const MaskedOp &masked,
               ArrayRef<RowBlock> blocks);
  /// `result` of all rows, for who reads it elsewhere.
  Value assemble(RewriterBase &rewriter, OpResult result,
                 ArrayRef<RowBlock> blocks);

  linalg::GenericOp seed;
  int64_t offset = 0, numRows = 0, numColumns = 0;
  /// No row is masked as a whole, whose softmax would be NaN, masked or not,
  /// or, of numbers in the place of minus infinity, anything.
  bool areRowsSeen = true, needRowsSeen = false;
  SmallVector<MaskedOp> ops;
  DenseMap<Value, MaskedValue> values;
  /// Of each value with rows, its blocks.
  DenseMap<Value, SmallVector<Value>> parts;
};
} // namespace

//===----------------------------------------------------------------------===//
// Which operations
//===----------------------------------------------------------------------===//

bool MaskedRegion::readsAlong(linalg::GenericOp op, unsigned row,
                              unsigned column) const {
  return llvm::all_of(op->getOpOperands(), [&](OpOperand &operand) {
    auto it = values.find(operand.get());
    if (it == values.end())
      return true;
    AffineMap map = op.getMatchingIndexingMap(&operand);
    FailureOr<std::optional<unsigned>> rowDim = getDimAlong(map, row),
                                       columnDim = getDimAlong(map, column);
    return succeeded(rowDim) && succeeded(columnDim) &&
           *rowDim == it->second.row && *columnDim == it->second.column;
  });
}

/// True if `op` takes nothing but a maximum.
static bool isMaximum(linalg::GenericOp op) {
  return llvm::all_of(
      op.getBody()->without_terminator(),
      llvm::IsaPred<arith::MaximumFOp, arith::MaxNumFOp, arith::ExtFOp>);
}

bool MaskedRegion::add(linalg::GenericOp op, unsigned row, unsigned column) {
  SmallVector<int64_t> extents = op.getStaticLoopRanges();
  if (row == column || extents[row] != numRows ||
      extents[column] != numColumns || !op.hasPureTensorSemantics() ||
      op.hasDynamicShape() || !readsAlong(op, row, column))
    return false;
  SmallVector<MaskedValue> operands;
  bool readsZeros = false;
  for (OpOperand &operand : op->getOpOperands()) {
    AffineMap map = op.getMatchingIndexingMap(&operand);
    FailureOr<std::optional<unsigned>> rowDim = getDimAlong(map, row),
                                       columnDim = getDimAlong(map, column);
    if (failed(rowDim) || failed(columnDim))
      return false;
    MaskedValue seen{*rowDim, *columnDim};
    auto type = dyn_cast<RankedTensorType>(operand.get().getType());
    if (!type || (seen.row && type.getDimSize(*seen.row) != numRows) ||
        (seen.column && type.getDimSize(*seen.column) != numColumns))
      return false;
    if (auto it = values.find(operand.get()); it != values.end()) {
      seen = it->second;
      readsZeros |= seen.kind == MaskedElement::Zero && seen.isMatrix();
    } else if (auto product = operand.get().getDefiningOp<linalg::LinalgOp>()) {
      seen.isFinite = succeeded(matchContraction(product));
    }
    operands.push_back(seen);
  }

  SmallVector<utils::IteratorType> kinds = op.getIteratorTypesArray();
  bool sumsRows = kinds[row] == utils::IteratorType::reduction;
  bool sumsColumns = kinds[column] == utils::IteratorType::reduction;
  Diagonal diagonal{row, column, offset};
  BodyElements beyond = evaluateMasked(
      op, diagonal, Side::Beyond, [&](OpOperand &operand) -> MaskedElement {
        const MaskedValue &seen = operands[operand.getOperandNumber()];
        return {seen.isMatrix() ? seen.kind : MaskedElement::Unknown, {}};
      });
  BodyElements within = evaluateMasked(
      op, diagonal, Side::Within, [&](OpOperand &operand) -> MaskedElement {
        const MaskedValue &seen = operands[operand.getOperandNumber()];
        return {seen.isFinite ? MaskedElement::Finite : MaskedElement::Unknown,
                {}};
      });
  bool readsFinite = llvm::all_of(operands, [](const MaskedValue &seen) {
    return seen.isFinite || !seen.isMatrix();
  });
  bool isProduct = succeeded(matchContraction(op));
  SmallVector<std::pair<Value, MaskedValue>> made;
  for (auto [result, out, element, inside] :
       llvm::zip_equal(op->getResults(), op.getDpsInitsMutable(),
                       beyond.yielded, within.yielded)) {
    MaskedValue seen = operands[out.getOperandNumber()];
    if (sumsRows || sumsColumns) {
      bool addsNothing = element.kind == MaskedElement::Sum &&
                         element.result == result.getResultNumber();
      if (isProduct ? !readsZeros : !addsNothing)
        return false;
      // Only whole results have no rows: blocks add to them.
      if (!sumsRows && !seen.row)
        return false;
      if (!sumsRows)
        made.push_back({result,
                        {seen.row, std::nullopt, MaskedElement::Unknown,
                         readsFinite && isMaximum(op)}});
      continue;
    }
    if (!seen.isMatrix() || !element.isMasked())
      return false;
    made.push_back({result,
                    {seen.row, seen.column, element.kind,
                     inside.kind == MaskedElement::Finite}});
  }
  // What is masked is a number elsewhere; so is what a maximum is taken from.
  for (auto [outside, inside] : llvm::zip_equal(beyond.values, within.values)) {
    auto &[inner, element] = outside;
    if (!element.isLowest() || isa<arith::SubFOp>(inner))
      continue;
    areRowsSeen &= inside.second.isNumber();
    needRowsSeen |= element.kind == MaskedElement::Lowest;
  }
  for (auto &[result, seen] : made)
    values[result] = seen;
  ops.push_back({op, row, column});
  return true;
}

bool MaskedRegion::addReader(linalg::GenericOp op) {
  for (OpOperand &operand : op->getOpOperands()) {
    auto it = values.find(operand.get());
    if (it == values.end() || !it->second.isMatrix())
      continue;
    AffineMap map = op.getMatchingIndexingMap(&operand);
    auto row = dyn_cast<AffineDimExpr>(map.getResult(*it->second.row));
    auto column = dyn_cast<AffineDimExpr>(map.getResult(*it->second.column));
    return row && column && add(op, row.getPosition(), column.getPosition());
  }
  return false;
}

void MaskedRegion::addProducers() {
  for (unsigned i = 0; i < ops.size(); ++i) {
    MaskedOp reader = ops[i];
    for (OpOperand &operand : reader.op->getOpOperands()) {
      auto producer = operand.get().getDefiningOp<linalg::GenericOp>();
      if (!producer || isInside(producer) ||
          producer->getBlock() != reader.op->getBlock() ||
          producer->getNumResults() != 1 ||
          !producer.hasPureTensorSemantics() ||
          failed(matchContraction(producer)) ||
          !llvm::all_of(producer->getUsers(),
                        [&](Operation *user) { return isInside(user); }))
        continue;
      AffineMap read = reader.op.getMatchingIndexingMap(&operand);
      FailureOr<std::optional<unsigned>> row = getDimAlong(read, reader.row),
                                         column =
                                             getDimAlong(read, reader.column);
      AffineMap written =
          producer.getMatchingIndexingMap(producer.getDpsInitOperand(0));
      if (failed(row) || failed(column) || !*row || !*column ||
          !written.isProjectedPermutation())
        continue;
      MaskedOp masked{producer, written.getDimPosition(**row),
                      written.getDimPosition(**column)};
      bool isSliced =
          llvm::all_of(producer->getOpOperands(), [&](OpOperand &input) {
            AffineMap map = producer.getMatchingIndexingMap(&input);
            return isa<RankedTensorType>(input.get().getType()) &&
                   !values.contains(input.get()) &&
                   succeeded(getDimAlong(map, masked.row)) &&
                   succeeded(getDimAlong(map, masked.column));
          });
      SmallVector<int64_t> extents = producer.getStaticLoopRanges();
      if (!isSliced || extents[masked.row] != numRows ||
          extents[masked.column] != numColumns || producer.hasDynamicShape())
        continue;
      // All that read it have the rows of one block, as rows.
      Value result = producer->getResult(0);
      values[result] = {*row, *column};
      if (llvm::all_of(ops, [&](const MaskedOp &other) {
            return readsAlong(other.op, other.row, other.column);
          }))
        ops.push_back(masked);
      else
        values.erase(result);
    }
  }
}

LogicalResult MaskedRegion::find() {
  if (!seed.hasPureTensorSemantics() || !seed.isAllParallelLoops() ||
      seed.hasDynamicShape())
    return failure();
  std::optional<Diagonal> diagonal = findDiagonal(seed);
  if (!diagonal)
    return failure();
  SmallVector<int64_t> extents = seed.getStaticLoopRanges();
  offset = diagonal->offset;
  numRows = extents[diagonal->row];
  numColumns = extents[diagonal->column];
  areRowsSeen = offset >= 0;
  if (!add(seed, diagonal->row, diagonal->column))
    return failure();
  for (Operation *op = seed->getNextNode(); op; op = op->getNextNode())
    if (auto reader = dyn_cast<linalg::GenericOp>(op))
      addReader(reader);
  addProducers();
  llvm::sort(ops, [](const MaskedOp &x, const MaskedOp &y) {
    return x.op->isBeforeInBlock(y.op);
  });
  // What others read is put together over zeros.
  bool hasProduct = false;
  for (const MaskedOp &masked : ops) {
    hasProduct |= succeeded(matchContraction(masked.op));
    for (Value result : masked.op->getResults()) {
      auto it = values.find(result);
      if (it == values.end() || !it->second.isMatrix() ||
          (it->second.kind == MaskedElement::Zero && areRowsSeen))
        continue;
      if (!llvm::all_of(result.getUsers(),
                        [&](Operation *user) { return isInside(user); }))
        return failure();
    }
  }
  return success(hasProduct && (areRowsSeen || !needRowsSeen));
}

SmallVector<RowBlock> MaskedRegion::makeBlocks(int64_t mostBlocks,
                                               int64_t fewestRows) const {
  int64_t count = std::min(mostBlocks, numRows / fewestRows);
  SmallVector<RowBlock> blocks;
  if (count < 2)
    return blocks;
  int64_t rows = llvm::divideCeil(numRows, count);
  for (int64_t begin = 0; begin < numRows; begin += rows) {
    int64_t size = std::min(rows, numRows - begin);
    int64_t columns = std::min(begin + size + offset, numColumns);
    if (columns < 1)
      return {};
    blocks.push_back({begin, size, columns});
  }
  return blocks;
}

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

/// What `block` has of a tensor of `type` with such dimensions.
static TensorPart getPartOf(Builder &b, RankedTensorType type,
                            std::optional<unsigned> row,
                            std::optional<unsigned> column,
                            const RowBlock &block) {
  TensorPart part(b, type);
  if (row)
    part.cut(*row, b.getIndexAttr(block.begin), block.rows);
  if (column)
    part.cut(*column, b.getIndexAttr(0), block.columns);
  return part;
}

Value MaskedRegion::getPart(RewriterBase &rewriter, const MaskedOp &masked,
                            OpOperand &operand, const RowBlock &block,
                            unsigned number) {
  Value whole = operand.get();
  if (auto it = parts.find(whole); it != parts.end())
    return it->second[number];
  linalg::GenericOp op = masked.op;
  AffineMap map = op.getMatchingIndexingMap(&operand);
  std::optional<unsigned> row = *getDimAlong(map, masked.row),
                          column = *getDimAlong(map, masked.column);
  if (!row && !column)
    return whole;
  Location loc = op.getLoc();
  auto type = cast<RankedTensorType>(whole.getType());
  return getPartOf(rewriter, type, row, column, block)
      .extractOrFill(rewriter, loc, whole);
}

Value MaskedRegion::assemble(RewriterBase &rewriter, OpResult result,
                             ArrayRef<RowBlock> blocks) {
  const MaskedValue &seen = values.at(result);
  Location loc = result.getLoc();
  auto type = cast<RankedTensorType>(result.getType());
  Value whole = tensor::EmptyOp::create(rewriter, loc, type.getShape(),
                                        type.getElementType());
  if (seen.column) {
    Value zero = arith::ConstantOp::create(
        rewriter, loc, rewriter.getZeroAttr(type.getElementType()));
    whole = linalg::FillOp::create(rewriter, loc, zero, whole).getResult(0);
  }
  for (auto [block, value] : llvm::zip_equal(blocks, parts.at(result))) {
    whole = getPartOf(rewriter, type, seen.row, seen.column, block)
                .insert(rewriter, loc, value, whole);
  }
  return whole;
}

/// Lets the body of `op` count `loop` from `begin` on.
static void moveIndices(RewriterBase &rewriter, linalg::GenericOp op,
                        unsigned loop, int64_t begin) {
  OpBuilder::InsertionGuard guard(rewriter);
  SmallVector<linalg::IndexOp> indices(op.getBody()->getOps<linalg::IndexOp>());
  for (linalg::IndexOp index : indices) {
    if (index.getDim() != loop || begin == 0)
      continue;
    rewriter.setInsertionPointAfter(index);
    Value distance =
        arith::ConstantIndexOp::create(rewriter, index.getLoc(), begin);
    auto moved =
        arith::AddIOp::create(rewriter, index.getLoc(), index, distance);
    rewriter.replaceAllUsesExcept(index, moved, moved);
  }
}

void MaskedRegion::splitOp(RewriterBase &rewriter, const MaskedOp &masked,
                           ArrayRef<RowBlock> blocks) {
  linalg::GenericOp op = masked.op;
  Location loc = op.getLoc();
  rewriter.setInsertionPoint(op);
  // Sums of all rows so far.
  SmallVector<Value> sums(op.getDpsInits());
  // The last block has most columns: its sums begin as they are, and others are
  // added to a part of them.
  bool sumsRows =
      op.getIteratorTypesArray()[masked.row] == utils::IteratorType::reduction;
  SmallVector<unsigned> order =
      llvm::to_vector(llvm::seq<unsigned>(0, blocks.size()));
  if (sumsRows)
    std::reverse(order.begin(), order.end());
  for (unsigned number : order) {
    const RowBlock &block = blocks[number];
    // Where `out` has sums of all rows, the part that the block adds to.
    auto getSums = [&](OpOperand &out) {
      return getPartOf(
          rewriter, cast<RankedTensorType>(out.get().getType()), std::nullopt,
          *getDimAlong(op.getMatchingIndexingMap(&out), masked.column), block);
    };
    SmallVector<Value> operands;
    for (OpOperand *input : op.getDpsInputOperands())
      operands.push_back(getPart(rewriter, masked, *input, block, number));
    for (auto [result, sum, out] :
         llvm::zip_equal(op->getResults(), sums, op.getDpsInitsMutable()))
      operands.push_back(values.contains(result)
                             ? getPart(rewriter, masked, out, block, number)
                             : getSums(out).extract(rewriter, loc, sum));
    auto types = llvm::to_vector(
        ValueRange(operands).drop_front(op.getNumDpsInputs()).getTypes());
    auto copy = cast<linalg::GenericOp>(clone(rewriter, op, types, operands));
    moveIndices(rewriter, copy, masked.row, block.begin);
    for (auto [result, part, sum, out] :
         llvm::zip_equal(op->getResults(), copy->getResults(), sums,
                         op.getDpsInitsMutable())) {
      if (values.contains(result))
        parts[result].push_back(part);
      else
        sum = getSums(out).insert(rewriter, loc, part, sum);
    }
  }
  for (auto [result, sum] : llvm::zip_equal(op->getResults(), sums)) {
    bool isReadElsewhere = llvm::any_of(
        result.getUsers(), [&](Operation *user) { return !isInside(user); });
    if (!values.contains(result))
      rewriter.replaceAllUsesWith(result, sum);
    else if (isReadElsewhere)
      rewriter.replaceUsesWithIf(
          result, assemble(rewriter, result, blocks),
          [&](OpOperand &use) { return !isInside(use.getOwner()); });
  }
}

void MaskedRegion::split(RewriterBase &rewriter, ArrayRef<RowBlock> blocks) {
  for (const MaskedOp &masked : ops)
    splitOp(rewriter, masked, blocks);
  for (const MaskedOp &masked : llvm::reverse(ops))
    rewriter.eraseOp(masked.op);
}

//===----------------------------------------------------------------------===//
// Pass
//===----------------------------------------------------------------------===//

namespace {
struct SplitMaskedRows
    : public amp::impl::SplitMaskedRowsPassBase<SplitMaskedRows> {
  using Base::Base;

  LogicalResult initialize(MLIRContext *context) override {
    if (blocks < 1 || rows < 1)
      return emitError(UnknownLoc::get(context))
             << "expected 'blocks' and 'rows' to be at least 1, but got "
             << blocks.getValue() << " and " << rows.getValue();
    return success();
  }

  void runOnOperation() override {
    SmallVector<linalg::GenericOp> seeds;
    getOperation().walk([&](linalg::GenericOp op) { seeds.push_back(op); });
    llvm::SmallPtrSet<Operation *, 16> gone;
    IRRewriter rewriter(&getContext());
    struct Listener : RewriterBase::Listener {
      explicit Listener(llvm::SmallPtrSetImpl<Operation *> &gone)
          : gone(gone) {}
      void notifyOperationErased(Operation *op) override { gone.insert(op); }
      llvm::SmallPtrSetImpl<Operation *> &gone;
    } listener(gone);
    rewriter.setListener(&listener);
    for (linalg::GenericOp seed : seeds) {
      if (gone.contains(seed))
        continue;
      MaskedRegion region(seed);
      if (failed(region.find()))
        continue;
      SmallVector<RowBlock> parts = region.makeBlocks(blocks, rows);
      if (!parts.empty())
        region.split(rewriter, parts);
    }
  }
};
} // namespace
