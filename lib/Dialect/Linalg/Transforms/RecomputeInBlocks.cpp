//===- RecomputeInBlocks.cpp - Scores again instead of kept ones ----------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The probabilities of an attention have a row for each query and a column for
// each key. Written for the backward pass they take far more memory than what
// they are computed from, and so do their gradients. Here the backward pass
// computes them again, for a block of queries at a time, and all that it does
// with them:
//
//   p = softmax(q k^T)             p = softmax(q k^T)    (for  o = p v  alone)
//   o = p v                        o = p v
//   ...                            ...
//   dv = p^T do                    forall heads: for a block [i] of rows:
//   dp = do v^T               ->     p'  = softmax(q[i] k^T)
//   ds = p (dp - sum(p dp))          dv += p'^T do[i]
//   dq = ds k                        dp  = do[i] v^T
//   dk = ds^T q                      ds  = p' (dp - sum(p' dp))
//                                    dq[i] = ds k
//                                    dk += ds^T q[i]
//
// No name says what an attention is. The seed is a product that sums over the
// rows of a large matrix (dv). In a block go: whoever computes a large operand
// of what is in it, and whoever reads a large result, unless the seed depends
// on that one: then it is of the forward pass, and what both read is computed
// twice. Everything else is read or written a block of rows at a time, if it
// has rows, or, if it is summed over them, added to from block to block.
//
// Rows that follow each other are summed in the order of before, from block to
// block.
//
//===----------------------------------------------------------------------===//

#include "TensorPart.h"
#include "amp/Analysis/Contraction.h"
#include "amp/Dialect/Linalg/Transforms/Passes.h"
#include "amp/Support/ShapedBytes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/LoopInvariantCodeMotionUtils.h"
#include "llvm/ADT/MapVector.h"

#define DEBUG_TYPE "amp-recompute-in-blocks"

namespace mlir::amp {
#define GEN_PASS_DEF_RECOMPUTEINBLOCKSPASS
#include "amp/Dialect/Linalg/Transforms/Passes.h.inc"
} // namespace mlir::amp

using namespace mlir;
using namespace mlir::amp;

/// A product is computed twice if its result has at least that many times the
/// elements of its operands together, which are kept.
static constexpr int64_t kLeastGain = 6;

/// For each loop of a region, a loop of an operation or a dimension of a value.
/// The last one is the rows.
using Ties = SmallVector<std::optional<unsigned>>;

namespace {
/// What the seed does with the rows of a matrix: o = p v keeps them, dv = p^T
/// do sums them.
enum class Rows { Kept, Summed };

/// An operation of a region.
struct BlockOp {
  linalg::GenericOp op;
  /// Its loops. Those in front of the rows are parallel.
  SmallVector<unsigned> loops;
  bool sumsRows = false;

  /// Dimensions of an operand along the loops; failure where a loop is a part
  /// of one.
  FailureOr<Ties> findDims(OpOperand &operand) const;
  /// The same of an operand or result of an operation that is in a region.
  Ties getDims(OpOperand &operand) const { return *findDims(operand); }
  Ties getDims(OpResult result) const {
    linalg::GenericOp owner = op;
    return getDims(*owner.getTiedOpOperand(result));
  }
};

/// The operations that are computed for a block of rows at a time.
class BlockRegion {
public:
  BlockRegion(linalg::GenericOp seed, Rows rowsOfSeed, int64_t blockRows)
      : seed(seed), rowsOfSeed(rowsOfSeed), blockRows(blockRows) {}

  /// Begins with the seed. Fails if that does not use rows as said of anything
  /// that has `minBytes`.
  LogicalResult start(int64_t minBytes);
  /// How many operations the seed depends on.
  unsigned getNumEarly() const { return early.size(); }
  /// Finds the others. Fails if something is in the way, or nothing large is
  /// computed twice, or a product whose sums have more than `maxSteps` steps.
  LogicalResult find(int64_t maxSteps);
  /// Adds the large values of the forward pass that the region computes again.
  void addKept(llvm::SetVector<Value> &kept) const;
  /// Adds its operations that are of no forward pass.
  void addLate(llvm::SmallPtrSetImpl<Operation *> &late) const;
  /// Puts loops in their place, and in `erased` what they compute.
  void compute(RewriterBase &rewriter,
               llvm::SmallPtrSetImpl<Operation *> &erased);

private:
  void findEarly();
  /// Adds all that belongs to what is in the region.
  LogicalResult close();
  LogicalResult add(linalg::GenericOp op, ArrayRef<unsigned> loops);
  LogicalResult addProducer(Value value, const Ties &dims);
  LogicalResult addReaders(OpResult value);
  /// Adds what the region reads and depends on it, and finds what else does.
  LogicalResult addBetween();
  bool isConsistent() const;
  /// True if something inside reads what others sum over the rows of a large
  /// result of `inside`, so that these are the columns of an attention.
  bool readsSumOfRows(const BlockOp &inside) const;
  bool isWorthIt(int64_t maxSteps) const;

  /// As large as what the seed sums.
  bool isLarge(Value value) const {
    auto type = dyn_cast<RankedTensorType>(value.getType());
    return type && type.hasStaticShape() &&
           type.getNumElements() >= numElements;
  }
  bool isInside(Operation *op) const { return ops.contains(op); }
  /// Of the forward pass: the seed depends on it.
  bool isEarly(Operation *op) const { return early.contains(op); }

  /// What `operand` of `inside` is in a block, unless it is computed there.
  Value readPart(RewriterBase &rewriter, const BlockOp &inside,
                 OpOperand &operand, ArrayRef<OpFoldResult> begins,
                 int64_t rows) const;
  /// One block; `results` have its part then.
  void computeBlock(RewriterBase &rewriter, ArrayRef<OpFoldResult> begins,
                    int64_t rows, MutableArrayRef<Value> results) const;
  /// All blocks of one position of the other loops.
  SmallVector<Value> computeBlocks(RewriterBase &rewriter,
                                   ArrayRef<OpFoldResult> batch) const;

  linalg::GenericOp seed;
  Rows rowsOfSeed;
  int64_t blockRows, numElements = 0;
  SmallVector<int64_t> extents;
  llvm::SmallPtrSet<Operation *, 32> early;
  llvm::MapVector<Operation *, BlockOp> ops;
  /// The same as they follow each other.
  SmallVector<BlockOp> order;
  SmallVector<Operation *> pending;
  /// Other operations that depend on the region, in front of its last one.
  SmallVector<Operation *> behind;
  /// Results for others.
  SmallVector<OpResult> outputs;
  Location loc = seed.getLoc();
};
} // namespace

//===----------------------------------------------------------------------===//
// Loops and dimensions
//===----------------------------------------------------------------------===//

FailureOr<Ties> BlockOp::findDims(OpOperand &operand) const {
  linalg::GenericOp owner = op;
  Ties dims;
  for (unsigned loop : loops) {
    FailureOr<std::optional<unsigned>> dim =
        getDimAlong(owner.getMatchingIndexingMap(&operand), loop);
    if (failed(dim))
      return failure();
    dims.push_back(*dim);
  }
  return dims;
}

/// The loops of an operation that walk `dims` of an operand with `map`; failure
/// where there is none.
static FailureOr<SmallVector<unsigned>> getLoops(AffineMap map,
                                                 const Ties &dims) {
  SmallVector<unsigned> loops;
  for (std::optional<unsigned> dim : dims) {
    if (!dim || !isa<AffineDimExpr>(map.getResult(*dim)))
      return failure();
    loops.push_back(map.getDimPosition(*dim));
  }
  return loops;
}

//===----------------------------------------------------------------------===//
// Which operations
//===----------------------------------------------------------------------===//

/// The one of `loops` that walks a matrix by `map`; nothing if there are more.
static std::optional<unsigned> getOnlyLoop(AffineMap map,
                                           ArrayRef<unsigned> loops) {
  std::optional<unsigned> only;
  for (unsigned loop : loops) {
    if (!map.isFunctionOfDim(loop))
      continue;
    if (only)
      return std::nullopt;
    only = loop;
  }
  return only;
}

LogicalResult BlockRegion::start(int64_t minBytes) {
  FailureOr<Contraction> product = matchContraction(seed);
  if (failed(product) || seed.hasDynamicShape())
    return failure();
  const ContractionOperand *matrix = nullptr;
  for (const ContractionOperand *operand : {&product->a, &product->b}) {
    auto type = cast<RankedTensorType>(operand->value.getType());
    if (!operand->value.getDefiningOp<linalg::GenericOp>() ||
        type.getNumElements() <= numElements ||
        countShapedBytes(type, 1) < minBytes)
      continue;
    numElements = type.getNumElements();
    matrix = operand;
  }
  if (!matrix)
    return failure();
  std::optional<unsigned> row =
      rowsOfSeed == Rows::Summed
          ? getOnlyLoop(matrix->map, product->k)
          : getOnlyLoop(matrix->map,
                        matrix == &product->a ? product->m : product->n);
  if (!row)
    return failure();
  SmallVector<unsigned> loops = product->batch;
  loops.push_back(*row);
  SmallVector<int64_t> ranges = seed.getStaticLoopRanges();
  for (unsigned loop : loops)
    extents.push_back(ranges[loop]);
  if (extents.back() <= blockRows)
    return failure();
  if (rowsOfSeed == Rows::Summed)
    findEarly();
  return add(seed, loops);
}

void BlockRegion::findEarly() {
  Block *block = seed->getBlock();
  for (Operation *op = seed; op; op = op->getPrevNode()) {
    if (op != seed && !isEarly(op))
      continue;
    op->walk([&](Operation *inner) {
      for (Value operand : inner->getOperands())
        if (Operation *producer = operand.getDefiningOp())
          if (Operation *inBlock = block->findAncestorOpInBlock(*producer);
              inBlock && inBlock != op)
            early.insert(inBlock);
    });
  }
}

LogicalResult BlockRegion::add(linalg::GenericOp op, ArrayRef<unsigned> loops) {
  if (auto *it = ops.find(op); it != ops.end())
    return success(ArrayRef(it->second.loops) == loops);
  // What a body does besides would be done twice, and later.
  if (op->getBlock() != seed->getBlock() || !op.hasPureTensorSemantics() ||
      op.hasDynamicShape() ||
      !llvm::all_of(op.getBody()->without_terminator(), [](Operation &inner) {
        return isMemoryEffectFree(&inner);
      }))
    return failure();
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  SmallVector<utils::IteratorType> kinds = op.getIteratorTypesArray();
  for (auto [number, loop, extent] : llvm::enumerate(loops, extents)) {
    bool isRow = number + 1 == loops.size();
    if (ranges[loop] != extent || llvm::count(loops, loop) != 1 ||
        (!isRow && kinds[loop] != utils::IteratorType::parallel))
      return failure();
  }
  BlockOp inside{op, llvm::to_vector(loops),
                 kinds[loops.back()] == utils::IteratorType::reduction};
  if (inside.sumsRows) {
    // Each block goes on where the one before it ended: rows are all that is
    // summed.
    FailureOr<Contraction> product = matchContraction(op);
    auto element =
        dyn_cast<FloatType>(getElementTypeOrSelf(op->getResult(0).getType()));
    if (failed(product) || product->k.size() != 1 || !element ||
        element.getWidth() < 32)
      return failure();
  }
  for (OpOperand &operand : op->getOpOperands()) {
    if (!isa<RankedTensorType>(operand.get().getType()))
      continue;
    FailureOr<Ties> dims = inside.findDims(operand);
    if (failed(dims))
      return failure();
    // A result is of one position of the loops.
    ArrayRef<std::optional<unsigned>> needed = *dims;
    if (op.isDpsInit(&operand) &&
        llvm::is_contained(inside.sumsRows ? needed.drop_back() : needed,
                           std::nullopt))
      return failure();
  }
  ops.insert({op, inside});
  pending.push_back(op);
  return success();
}

LogicalResult BlockRegion::addProducer(Value value, const Ties &dims) {
  // What is there anyway is read by parts, and what is filled is filled.
  if (isa<BlockArgument>(value) || isEmptyOrFilled(value))
    return success();
  auto op = value.getDefiningOp<linalg::GenericOp>();
  if (!op)
    return failure();
  FailureOr<SmallVector<unsigned>> loops =
      getLoops(op.getIndexingMapMatchingResult(cast<OpResult>(value)), dims);
  return failed(loops) ? failure() : add(op, *loops);
}

LogicalResult BlockRegion::addReaders(OpResult value) {
  const BlockOp &inside = ops.find(value.getOwner())->second;
  Ties dims = inside.getDims(value);
  for (OpOperand &use : value.getUses()) {
    Operation *user = seed->getBlock()->findAncestorOpInBlock(*use.getOwner());
    if (user && isEarly(user))
      continue;
    auto reader = dyn_cast<linalg::GenericOp>(use.getOwner());
    if (!reader)
      return failure();
    FailureOr<SmallVector<unsigned>> loops =
        getLoops(reader.getMatchingIndexingMap(&use), dims);
    if (failed(loops) || failed(add(reader, *loops)))
      return failure();
  }
  return success();
}

LogicalResult BlockRegion::close() {
  while (!pending.empty()) {
    // `add` moves what the map has.
    BlockOp inside = ops.find(pending.pop_back_val())->second;
    for (OpOperand &operand : inside.op->getOpOperands())
      if (isLarge(operand.get()) &&
          failed(addProducer(operand.get(), inside.getDims(operand))))
        return failure();
    if (inside.sumsRows)
      continue;
    for (OpResult result : inside.op->getResults())
      if (isLarge(result) && failed(addReaders(result)))
        return failure();
  }
  return success();
}

LogicalResult BlockRegion::addBetween() {
  auto isBefore = [](auto &x, auto &y) {
    return x.first->isBeforeInBlock(y.first);
  };
  auto [first, last] = std::minmax_element(ops.begin(), ops.end(), isBefore);
  llvm::SmallPtrSet<Operation *, 16> depends;
  behind.clear();
  for (Operation *op = first->first; op != last->first->getNextNode();
       op = op->getNextNode()) {
    // What is early depends on what is early.
    if (isEarly(op))
      continue;
    // In a body a tensor may be read whole.
    bool reads = false, readsInBody = false;
    op->walk([&](Operation *inner) {
      for (Value operand : inner->getOperands()) {
        Operation *producer = operand.getDefiningOp();
        if (!producer || !depends.contains(producer))
          continue;
        reads = true;
        readsInBody |= inner != op;
      }
    });
    auto *inside = ops.find(op);
    if (inside != ops.end() && readsInBody)
      return failure();
    if (inside == ops.end()) {
      if (!reads)
        continue;
      if (!isMemoryEffectFree(op))
        return failure();
      behind.push_back(op);
    } else {
      auto isBetween = [&](Value value) {
        Operation *producer = value.getDefiningOp();
        return producer && !isInside(producer) && depends.contains(producer);
      };
      // Again with all that it needs, if that can be there.
      SmallVector<Operation *> readers = {op};
      bool isAdded = false;
      while (!readers.empty()) {
        BlockOp reader = ops.find(readers.pop_back_val())->second;
        for (OpOperand &operand : reader.op->getOpOperands()) {
          Value value = operand.get();
          if (!isBetween(value))
            continue;
          if (failed(addProducer(value, reader.getDims(operand))) ||
              isBetween(value))
            return failure();
          readers.push_back(value.getDefiningOp());
          isAdded = true;
        }
      }
      if (isAdded)
        return failed(close()) ? failure() : addBetween();
    }
    depends.insert(op);
  }
  return success();
}

bool BlockRegion::isConsistent() const {
  for (auto &[op, reader] : ops) {
    for (OpOperand &operand : op->getOpOperands()) {
      auto *it = ops.find(operand.get().getDefiningOp());
      if (it == ops.end())
        continue;
      const BlockOp &producer = it->second;
      if (producer.sumsRows ||
          reader.getDims(operand) !=
              producer.getDims(cast<OpResult>(operand.get())))
        return false;
    }
  }
  return true;
}

bool BlockRegion::readsSumOfRows(const BlockOp &inside) const {
  for (OpResult result : inside.op->getResults()) {
    if (!isLarge(result))
      continue;
    for (OpOperand &use : result.getUses()) {
      auto reader = dyn_cast<linalg::GenericOp>(use.getOwner());
      if (!reader || isInside(reader))
        continue;
      FailureOr<SmallVector<unsigned>> loops =
          getLoops(reader.getMatchingIndexingMap(&use), inside.getDims(result));
      bool keepsRows =
          succeeded(loops) && reader.getIteratorTypesArray()[loops->back()] ==
                                  utils::IteratorType::parallel;
      if (!keepsRows && llvm::any_of(reader->getUsers(), [&](Operation *user) {
            return isInside(user);
          }))
        return true;
    }
  }
  return false;
}

bool BlockRegion::isWorthIt(int64_t maxSteps) const {
  if (rowsOfSeed == Rows::Kept)
    return true;
  unsigned numProducts = 0;
  for (auto &[op, inside] : ops) {
    if (!isEarly(op))
      continue;
    if (readsSumOfRows(inside))
      return false;
    FailureOr<Contraction> product = matchContraction(inside.op);
    if (failed(product))
      continue;
    SmallVector<int64_t> ranges = product->op.getStaticLoopRanges();
    int64_t steps = 1, kept = 0;
    for (unsigned loop : product->k)
      steps *= ranges[loop];
    for (const ContractionOperand &operand : {product->a, product->b})
      kept += cast<RankedTensorType>(operand.value.getType()).getNumElements();
    ++numProducts;
    if (steps > maxSteps || kept > numElements / kLeastGain)
      return false;
  }
  // Of more, one is of a backward pass that begins elsewhere.
  if (numProducts > 1)
    return false;
  llvm::SetVector<Value> kept;
  addKept(kept);
  return !kept.empty();
}

void BlockRegion::addKept(llvm::SetVector<Value> &kept) const {
  for (Operation *op : llvm::make_first_range(ops)) {
    if (isEarly(op))
      continue;
    for (Value operand : op->getOperands()) {
      Operation *producer = operand.getDefiningOp();
      if (producer && isInside(producer) && isEarly(producer) &&
          isLarge(operand))
        kept.insert(operand);
    }
  }
}

void BlockRegion::addLate(llvm::SmallPtrSetImpl<Operation *> &late) const {
  for (Operation *op : llvm::make_first_range(ops))
    if (!isEarly(op))
      late.insert(op);
}

LogicalResult BlockRegion::find(int64_t maxSteps) {
  if (failed(close()) || failed(addBetween()) || !isConsistent() ||
      !isWorthIt(maxSteps))
    return failure();
  order = llvm::to_vector(llvm::make_second_range(ops));
  llvm::sort(order, [](const BlockOp &x, const BlockOp &y) {
    return x.op->isBeforeInBlock(y.op);
  });
  for (const BlockOp &inside : order)
    for (OpResult result : inside.op->getResults())
      if (!isEarly(inside.op) &&
          llvm::any_of(result.getUsers(),
                       [&](Operation *user) { return !isInside(user); }))
        outputs.push_back(result);
  return success(!outputs.empty());
}

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

/// Leaves of a tensor with `dims` what `begins` say: one position each, and of
/// rows, which come last, `rows`. Rows may be left out.
static TensorPart getPart(Builder &b, RankedTensorType type, const Ties &dims,
                          ArrayRef<OpFoldResult> begins, int64_t rows) {
  TensorPart part(b, type);
  for (auto [number, begin] : llvm::enumerate(begins))
    if (dims[number])
      part.cut(*dims[number], begin, number + 1 == dims.size() ? rows : 1);
  return part;
}

Value BlockRegion::readPart(RewriterBase &rewriter, const BlockOp &inside,
                            OpOperand &operand, ArrayRef<OpFoldResult> begins,
                            int64_t rows) const {
  auto type = dyn_cast<RankedTensorType>(operand.get().getType());
  if (!type)
    return operand.get();
  linalg::GenericOp op = inside.op;
  TensorPart part =
      getPart(rewriter, type, inside.getDims(operand), begins, rows);
  if (op.isDpsInit(&operand) && !op.payloadUsesValueFromOperand(&operand))
    return tensor::EmptyOp::create(rewriter, op.getLoc(), part.getType(),
                                   ValueRange());
  if (part.isWhole())
    return operand.get();
  return part.extractOrFill(rewriter, op.getLoc(), operand.get());
}

void BlockRegion::computeBlock(RewriterBase &rewriter,
                               ArrayRef<OpFoldResult> begins, int64_t rows,
                               MutableArrayRef<Value> results) const {
  IRMapping parts;
  for (const BlockOp &inside : order) {
    linalg::GenericOp op = inside.op;
    auto *sum = llvm::find(outputs, op->getResult(0));
    if (inside.sumsRows && sum == outputs.end())
      continue;
    SmallVector<Value> operands;
    for (OpOperand &operand : op->getOpOperands()) {
      if (parts.contains(operand.get()))
        operands.push_back(parts.lookup(operand.get()));
      else if (inside.sumsRows && op.isDpsInit(&operand))
        operands.push_back(results[sum - outputs.begin()]);
      else
        operands.push_back(readPart(rewriter, inside, operand, begins, rows));
    }
    SmallVector<Type> types = llvm::to_vector(
        ValueRange(operands).drop_front(op.getNumDpsInputs()).getTypes());
    auto copy = cast<linalg::GenericOp>(clone(rewriter, op, types, operands));
    SmallVector<OpFoldResult> offsets(op.getNumLoops(),
                                      rewriter.getIndexAttr(0));
    for (auto [loop, begin] : llvm::zip_equal(inside.loops, begins))
      offsets[loop] = begin;
    offsetIndices(rewriter, copy, offsets);
    rewriter.setInsertionPointAfter(copy);
    parts.map(op->getResults(), copy->getResults());
    for (auto [output, result] : llvm::zip_equal(outputs, results)) {
      if (output.getOwner() != op)
        continue;
      Value part = copy->getResult(output.getResultNumber());
      if (inside.sumsRows) {
        result = part;
        continue;
      }
      Ties dims = inside.getDims(output);
      TensorPart place(rewriter, cast<RankedTensorType>(result.getType()));
      place.cut(*dims.back(), begins.back(), rows);
      result = place.insert(rewriter, op.getLoc(), part, result);
    }
  }
}

SmallVector<Value>
BlockRegion::computeBlocks(RewriterBase &rewriter,
                           ArrayRef<OpFoldResult> batch) const {
  SmallVector<Value> results;
  for (OpResult output : outputs) {
    const BlockOp &inside = ops.find(output.getOwner())->second;
    linalg::GenericOp op = inside.op;
    Value init = op.getTiedOpOperand(output)->get();
    TensorPart part =
        getPart(rewriter, cast<RankedTensorType>(output.getType()),
                inside.getDims(output), batch, 0);
    if (inside.sumsRows)
      results.push_back(part.extractOrFill(rewriter, op.getLoc(), init));
    else
      results.push_back(tensor::EmptyOp::create(rewriter, op.getLoc(),
                                                part.getType(), ValueRange()));
  }
  int64_t numRows = extents.back(), rest = numRows % blockRows;
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(rewriter, loc, value);
  };
  auto loop =
      scf::ForOp::create(rewriter, loc, constant(0), constant(numRows - rest),
                         constant(blockRows), results);
  SmallVector<OpFoldResult> begins(batch);
  begins.push_back(loop.getInductionVar());
  {
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPointToStart(loop.getBody());
    results = llvm::to_vector_of<Value>(loop.getRegionIterArgs());
    computeBlock(rewriter, begins, blockRows, results);
    scf::YieldOp::create(rewriter, loc, results);
  }
  // Packed once, if they are columns of a product.
  moveLoopInvariantCode(
      loop.getLoopRegions(),
      [&](Value value, Region *) { return loop.isDefinedOutsideOfLoop(value); },
      [](Operation *op, Region *) { return isa<tensor::ExtractSliceOp>(op); },
      [&](Operation *op, Region *) { loop.moveOutOfLoop(op); });
  results = llvm::to_vector_of<Value>(loop.getResults());
  if (rest != 0) {
    begins.back() = rewriter.getIndexAttr(numRows - rest);
    computeBlock(rewriter, begins, rest, results);
  }
  return results;
}

void BlockRegion::compute(RewriterBase &rewriter,
                          llvm::SmallPtrSetImpl<Operation *> &erased) {
  Operation *next = order.back().op->getNextNode();
  rewriter.setInsertionPoint(next);
  unsigned numBatch = extents.size() - 1;
  SmallVector<Value> results;
  if (numBatch == 0) {
    results = computeBlocks(rewriter, {});
  } else {
    SmallVector<Value> destinations;
    for (OpResult output : outputs) {
      auto type = cast<RankedTensorType>(output.getType());
      destinations.push_back(tensor::EmptyOp::create(rewriter, output.getLoc(),
                                                     type, ValueRange()));
    }
    SmallVector<OpFoldResult> begins(numBatch, rewriter.getIndexAttr(0)), ends,
        steps(numBatch, rewriter.getIndexAttr(1));
    for (int64_t extent : ArrayRef(extents).drop_back())
      ends.push_back(rewriter.getIndexAttr(extent));
    auto forall = scf::ForallOp::create(rewriter, loc, begins, ends, steps,
                                        destinations, /*mapping=*/std::nullopt);
    rewriter.setInsertionPointToStart(forall.getBody());
    SmallVector<OpFoldResult> batch =
        getAsOpFoldResult(forall.getInductionVars());
    SmallVector<Value> sums = computeBlocks(rewriter, batch);
    rewriter.setInsertionPointToStart(forall.getTerminator().getBody());
    for (auto [output, sum, destination] :
         llvm::zip_equal(outputs, sums, forall.getRegionIterArgs())) {
      const BlockOp &inside = ops.find(output.getOwner())->second;
      TensorPart part =
          getPart(rewriter, cast<RankedTensorType>(output.getType()),
                  inside.getDims(output), batch, 0);
      tensor::ParallelInsertSliceOp::create(rewriter, output.getLoc(), sum,
                                            destination, part.getOffsets(),
                                            part.getSizes(), part.getStrides());
    }
    results = llvm::to_vector_of<Value>(forall.getResults());
  }
  for (auto [output, result] : llvm::zip_equal(outputs, results))
    rewriter.replaceAllUsesWith(output, result);
  for (Operation *op : behind)
    rewriter.moveOpBefore(op, next);
  for (const BlockOp &inside : llvm::reverse(order)) {
    if (isEarly(inside.op))
      continue;
    erased.insert(inside.op);
    rewriter.eraseOp(inside.op);
  }
}

//===----------------------------------------------------------------------===//
// Pass
//===----------------------------------------------------------------------===//

namespace {
struct RecomputeInBlocks
    : public amp::impl::RecomputeInBlocksPassBase<RecomputeInBlocks> {
  using Base::Base;

  LogicalResult initialize(MLIRContext *context) override {
    for (auto [name, number] : {std::pair("rows", rows.getValue()),
                                std::pair("kept-bytes", keptBytes.getValue()),
                                std::pair("min-bytes", minBytes.getValue()),
                                std::pair("max-steps", maxSteps.getValue())})
      if (number < 1)
        return emitError(UnknownLoc::get(context))
               << "expected '" << name << "' to be at least 1, but got "
               << number;
    return success();
  }

  void runOnOperation() override {
    erased.clear();
    llvm::SetVector<Value> kept;
    SmallVector<linalg::GenericOp> summed = findSeeds(Rows::Summed);
    llvm::SmallPtrSet<Operation *, 16> late;
    for (linalg::GenericOp seed : summed) {
      BlockRegion region(seed, Rows::Summed, rows);
      if (late.contains(seed) || failed(region.start(minBytes)) ||
          failed(region.find(maxSteps)))
        continue;
      region.addKept(kept);
      region.addLate(late);
    }
    int64_t bytes = 0;
    for (Value value : kept)
      bytes += countShapedBytes(cast<ShapedType>(value.getType()), 1);
    if (bytes < keptBytes)
      return;
    // Found before there are loops, whose blocks have rows too.
    SmallVector<linalg::GenericOp> forward = findSeeds(Rows::Kept);
    computeAll(summed, Rows::Summed);
    // Nobody else reads the large matrices of the forward passes any more.
    computeAll(forward, Rows::Kept);
  }

private:
  /// Those that depend on the least first: of the gradients of an attention the
  /// one that depends on no other step of its backward pass.
  SmallVector<linalg::GenericOp> findSeeds(Rows ofSeeds) {
    SmallVector<std::tuple<unsigned, size_t, linalg::GenericOp>> seeds;
    getOperation().walk([&](linalg::GenericOp op) {
      BlockRegion region(op, ofSeeds, rows);
      if (succeeded(region.start(minBytes)))
        seeds.emplace_back(region.getNumEarly(), seeds.size(), op);
    });
    llvm::sort(seeds, [](auto &x, auto &y) {
      return std::tie(std::get<0>(x), std::get<1>(x)) <
             std::tie(std::get<0>(y), std::get<1>(y));
    });
    return llvm::map_to_vector(seeds,
                               [](auto &seed) { return std::get<2>(seed); });
  }

  void computeAll(ArrayRef<linalg::GenericOp> seeds, Rows ofSeeds) {
    IRRewriter rewriter(&getContext());
    for (linalg::GenericOp seed : seeds) {
      if (erased.contains(seed))
        continue;
      BlockRegion region(seed, ofSeeds, rows);
      if (failed(region.start(minBytes)) || failed(region.find(maxSteps)))
        continue;
      region.compute(rewriter, erased);
      ++numRegions;
    }
  }

  llvm::SmallPtrSet<Operation *, 16> erased;
};
} // namespace
