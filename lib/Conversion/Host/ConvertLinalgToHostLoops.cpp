//===- ConvertLinalgToHostLoops.cpp - Loop nests that LLVM vectorises -----===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM vectorises an innermost loop that runs over consecutive elements and is
// long enough. A linalg operation on static shapes says all that is needed to
// give it one: each operand is an address plus one stride per loop, so loops
// can be put in any order, and two neighbours in that order are one loop where,
// for every operand, the outer stride is the inner stride times the inner
// extent. An elementwise operation on 16x8x4x4 becomes one loop over 2048
// elements.
//
// Which loop is innermost:
//
//   no reduction       the one that walks the output by one
//   reduction, and     that parallel loop: the output is the accumulator, in
//   inputs walk by     memory, and sums have the order of the reference (bias
//   one with output    gradients, sums over a batch)
//   other reductions   the reduction loop with the smallest stride (the last
//                      one where the order matters, as in p = c p + x); the
//                      accumulators are registers, and the combining addition
//                      may be reassociated, so that the vectoriser uses several
//                      partial sums in a fixed order
//
// Sums in registers are partial sums of partial sums: the innermost loop starts
// at zero, and a long one is cut in blocks first. A mean of 10^6 values is then
// right to a few units in the last place of f32, where one running sum would
// lose three digits and a batch norm in half more than its rounding.
//
// An input that is transposed on the way (no reduction) is turned, a block at a
// time, into a buffer that the innermost loop walks by one: TurnedInputs.h.
//
// What the body computes of operands that no loop walks (of an Adam update the
// powers of beta) is computed in front of all loops: LLVM takes no function of
// the C library out of a loop, and moves nothing further than it has to.
//
// For several threads, the outermost parallel loop is cut in pieces that are
// iterations of an scf.parallel, outside of all other loops: where a reduction
// stands around it, each piece reduces for its own elements. Loops that reduce
// stay whole, so that each sum has one order.
//
// Only the addition (or product) that takes the accumulator carries `reassoc`.
// With the flag on the body too, LLVM could regroup values before a rounding.
//
//===----------------------------------------------------------------------===//

#include "amp/Conversion/Host/Passes.h"
#include "amp/Conversion/LinalgToHostContraction.h"
#include "amp/Conversion/StridedNest.h"
#include "amp/Conversion/TurnedInputs.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"

#define DEBUG_TYPE "convert-linalg-to-host-loops"

namespace mlir::amp {
#define GEN_PASS_DEF_CONVERTLINALGTOHOSTLOOPSPASS
#include "amp/Conversion/Host/Passes.h.inc"
} // namespace mlir::amp

using namespace mlir;
using namespace mlir::amp;

/// Extent from which a parallel loop is worth being innermost inside a
/// reduction: one vector register of f32.
static constexpr int64_t kVectorExtent = 8;

/// Extent up to which LLVM may unroll a loop completely: pooling windows and
/// filter taps. It would do the same to loops of 32, and nests of them, which
/// takes seconds of compilation and runs no faster than a vector loop.
static constexpr int64_t kUnrollExtent = 4;

/// Accumulators of a reduction in registers, and the extent from which there
/// are so many: one waits for its last operation, which for a maximum takes
/// twelve cycles.
static constexpr int64_t kAccumulators = 4, kAccumulatedExtent = 128;

/// Elements of a partial sum: blocks of a longer loop are as long as the
/// largest divisor of its extent in this range, if there is one.
static constexpr int64_t kMinBlock = 256, kMaxBlock = 4096;

/// What the extent of a piece of an innermost loop is a multiple of: a cache
/// line of bytes, and whole vectors.
static constexpr int64_t kPieceUnit = 64;

/// Name of the attribute on llvm.br.
static constexpr StringLiteral kLoopAnnotation = "loop_annotation";

namespace {
/// An operation as addresses and strides, and the order of its loops.
struct Nest : StridedNest {
  /// Reduction loops are innermost and hand the accumulators on.
  bool inRegisters = false;
  /// All outputs are sums, so that partial sums may start at zero.
  bool areSums = false;
  /// Reduction loops may be put in any order.
  bool isOrderFree = false;
  /// Inputs that the last loop but one walks by one, and not the last one.
  SmallVector<unsigned> turned = {};
};
} // namespace

//===----------------------------------------------------------------------===//
// Analysis
//===----------------------------------------------------------------------===//

/// The operation of the body that combines `accumulator` with a new value, in
/// whatever order they come, if nothing else sees what was combined so far: not
/// the accumulator, nor the result, which another output may be made of.
static Operation *getCombiner(Value result, Value accumulator) {
  Operation *combiner = result.getDefiningOp();
  bool combines =
      isa_and_present<arith::AddFOp, arith::MulFOp, arith::MaximumFOp,
                      arith::MinimumFOp, arith::MaxNumFOp, arith::MinNumFOp,
                      arith::AddIOp, arith::MulIOp, arith::MaxSIOp,
                      arith::MinSIOp, arith::MaxUIOp, arith::MinUIOp,
                      arith::AndIOp, arith::OrIOp, arith::XOrIOp>(combiner) &&
      llvm::is_contained(combiner->getOperands(), accumulator) &&
      accumulator.hasOneUse() && result.hasOneUse();
  return combines ? combiner : nullptr;
}

/// The combiner of each output of `op`, null where it has none.
static SmallVector<Operation *> getCombiners(linalg::LinalgOp op) {
  SmallVector<Operation *> combiners;
  for (auto [result, accumulator] :
       llvm::zip_equal(op.getBlock()->getTerminator()->getOperands(),
                       op.getRegionOutputArgs()))
    combiners.push_back(getCombiner(result, accumulator));
  return combiners;
}

static FailureOr<Nest> readNest(linalg::LinalgOp op) {
  FailureOr<StridedNest> strided = StridedNest::get(op);
  if (failed(strided))
    return failure();
  Nest nest{std::move(*strided)};
  SmallVector<Operation *> combiners = getCombiners(op);
  nest.areSums = llvm::all_of(combiners, [](Operation *combiner) {
    return isa_and_present<arith::AddFOp>(combiner);
  });
  nest.isOrderFree = !llvm::is_contained(combiners, nullptr);
  return nest;
}

/// True if `loop` walks the output and all that the reductions read by one
/// element, or not at all.
static bool walksByOne(const Nest &nest, const NestLoop &loop) {
  bool reads = false;
  for (unsigned i = 0; i < nest.numInputs; ++i) {
    if (!nest.operands[i].isRead)
      continue;
    if (loop.strides[i] > 1)
      return false;
    reads |= loop.strides[i] == 1;
  }
  return reads && loop.extent >= kVectorExtent &&
         llvm::all_of(ArrayRef(loop.strides).drop_front(nest.numInputs),
                      [](int64_t stride) { return stride == 1; });
}

/// Puts the loops in the order of the banner.
static void orderLoops(Nest &nest) {
  auto inputStride = [&](const NestLoop &loop) {
    int64_t largest = 0;
    for (unsigned i = 0; i < nest.numInputs; ++i)
      if (nest.operands[i].isRead)
        largest = std::max(largest, loop.strides[i]);
    return largest;
  };
  // What only checks has no output.
  auto outputStride = [&](const NestLoop &loop) {
    return nest.numInputs < nest.operands.size() ? loop.strides[nest.numInputs]
                                                 : inputStride(loop);
  };
  SmallVector<NestLoop> parallel, reductions;
  bool outputsAreSums = true;
  for (NestLoop &loop : nest.loops) {
    if (loop.isReduction)
      for (unsigned i = nest.numInputs, e = nest.operands.size(); i != e; ++i)
        outputsAreSums &= loop.strides[i] == 0;
    (loop.isReduction ? reductions : parallel).push_back(loop);
  }
  if (!outputsAreSums)
    return; // an order that was meant: several outputs of different ranks
  sortByStride(parallel, outputStride);
  std::optional<NestLoop> innermost;
  if (!reductions.empty() && !parallel.empty() &&
      walksByOne(nest, parallel.back()))
    innermost = parallel.pop_back_val();
  nest.inRegisters = !reductions.empty() && !innermost;
  if (nest.inRegisters && nest.isOrderFree)
    sortByStride(reductions, inputStride);
  nest.loops = std::move(parallel);
  nest.loops.append(reductions);
  if (innermost)
    nest.loops.push_back(*innermost);
}

/// Cuts the innermost loop of a long sum in blocks.
static void blockSum(Nest &nest) {
  if (!nest.inRegisters || !nest.areSums || nest.loops.back().indexedDim)
    return;
  NestLoop &inner = nest.loops.back();
  for (int64_t block = kMaxBlock; block >= kMinBlock; --block) {
    if (inner.extent <= block || inner.extent % block != 0)
      continue;
    NestLoop outer = inner;
    outer.extent /= block;
    for (int64_t &stride : outer.strides)
      stride *= block;
    inner.extent = block;
    nest.loops.insert(std::prev(nest.loops.end()), std::move(outer));
    return;
  }
}

//===----------------------------------------------------------------------===//
// Threads
//===----------------------------------------------------------------------===//

namespace {
/// The loop that is cut, and the extent of each piece but the last.
struct Cut {
  unsigned level;
  int64_t extent;
};
} // namespace

/// Where `nest` is divided among `threads`, if that is worth it. Pieces of
/// outputs that overlap would race.
static std::optional<Cut> findCut(const Nest &nest, unsigned threads,
                                  int64_t partWork) {
  int64_t work = 1;
  for (const NestLoop &loop : nest.loops)
    work *= loop.extent;
  int64_t pieces =
      std::min<int64_t>(threads * kPiecesPerThread, work / partWork);
  const NestLoop *loop = llvm::find_if(
      nest.loops, [](const NestLoop &loop) { return !loop.isReduction; });
  if (threads < 2 || pieces < 2 || loop == nest.loops.end())
    return std::nullopt;
  for (unsigned i = nest.numInputs, e = nest.operands.size(); i != e; ++i)
    if (loop->strides[i] == 0 || !nest.isInjective(i))
      return std::nullopt;
  unsigned level = std::distance(nest.loops.begin(), loop);
  int64_t extent = llvm::divideCeil(loop->extent, pieces);
  if (level + 1 == nest.loops.size())
    extent = llvm::alignTo(extent, kPieceUnit);
  if (extent >= loop->extent)
    return std::nullopt;
  return Cut{level, extent};
}

//===----------------------------------------------------------------------===//
// Rewrite
//===----------------------------------------------------------------------===//

namespace {
/// Writes the loops of one operation.
class NestBuilder {
public:
  NestBuilder(linalg::LinalgOp op, const Nest &nest, std::optional<Cut> cut,
              TurnedBlocks &blocks)
      : op(op), nest(nest), cut(cut), blocks(blocks), builder(op),
        loc(op.getLoc()) {}

  void build();

private:
  using Indices = SmallVector<Value>;
  /// Loops from `level` on. `accumulators` are the outputs' values where they
  /// are in registers, and so is what is returned.
  SmallVector<Value> buildLoops(unsigned level, const Indices &indices,
                                ArrayRef<Value> accumulators);
  /// The last two loops, by blocks of which the turned inputs are copied.
  void buildTurnedLoops(const Indices &indices);
  SmallVector<Value> buildBody(const Indices &indices,
                               ArrayRef<Value> accumulators);
  /// Fills in `uniform`, at the builder's place.
  void buildUniform();
  Value load(unsigned operand, const Indices &indices);
  void store(ArrayRef<Value> values, const Indices &indices);
  Value getConstant(int64_t value) {
    return arith::ConstantIndexOp::create(builder, loc, value);
  }
  /// Where `loop` goes at `iv`.
  Indices step(const Indices &indices, const NestLoop &loop, Value iv);
  /// The bounds of the loop at `level`, which may be cut.
  std::pair<Value, Value> getBounds(unsigned level);

  /// The scf.parallel over the pieces of the cut; the builder goes inside.
  void buildPieces();

  linalg::LinalgOp op;
  const Nest &nest;
  std::optional<Cut> cut;
  TurnedBlocks &blocks;
  /// The bounds of a piece.
  Value pieceBegin, pieceEnd;
  OpBuilder builder;
  Location loc;
  /// Operands as memrefs of rank 1, or scalars.
  SmallVector<Value> bases;
  llvm::SmallDenseMap<unsigned, Value> dimIndices;
  /// Values of the body that are the same at each point of the loops.
  IRMapping uniform;
};
} // namespace

Value NestBuilder::load(unsigned operand, const Indices &indices) {
  if (!isa<MemRefType>(bases[operand].getType()))
    return bases[operand];
  Value element =
      memref::LoadOp::create(builder, loc, bases[operand], indices[operand]);
  Type type = op.getBlock()->getArgument(operand).getType();
  if (element.getType() == type)
    return element;
  // Of a turned half.
  return arith::BitcastOp::create(builder, loc, type, element);
}

NestBuilder::Indices NestBuilder::step(const Indices &indices,
                                       const NestLoop &loop, Value iv) {
  Indices next = indices;
  auto flags =
      arith::IntegerOverflowFlags::nsw | arith::IntegerOverflowFlags::nuw;
  for (auto [index, stride] : llvm::zip_equal(next, loop.strides)) {
    if (stride == 0)
      continue;
    Value distance = iv;
    if (stride != 1)
      distance =
          arith::MulIOp::create(builder, loc, iv, getConstant(stride), flags);
    index = arith::AddIOp::create(builder, loc, index, distance, flags);
  }
  return next;
}

std::pair<Value, Value> NestBuilder::getBounds(unsigned level) {
  if (cut && cut->level == level)
    return {pieceBegin, pieceEnd};
  return {getConstant(0), getConstant(nest.loops[level].extent)};
}

void NestBuilder::store(ArrayRef<Value> values, const Indices &indices) {
  for (auto [i, value] : llvm::enumerate(values))
    memref::StoreOp::create(builder, loc, value, bases[nest.numInputs + i],
                            indices[nest.numInputs + i]);
}

/// Lets the operation that combines an accumulator with a new value be
/// regrouped.
static void allowRegrouping(Operation *combiner) {
  auto flags = cast<arith::ArithFastMathInterface>(combiner);
  combiner->setAttr(flags.getFastMathAttrName(),
                    arith::FastMathFlagsAttr::get(
                        combiner->getContext(), arith::FastMathFlags::reassoc));
}

void NestBuilder::buildUniform() {
  Block *body = op.getBlock();
  Indices begin(nest.operands.size(), getConstant(0));
  for (unsigned i = 0; i < nest.numInputs; ++i)
    if (nest.operands[i].isRead &&
        llvm::all_of(nest.loops, [&](const NestLoop &loop) {
          return loop.strides[i] == 0;
        }))
      uniform.map(body->getArgument(i), load(i, begin));
  auto isUniform = [&](Value value) {
    return uniform.contains(value) || value.getParentBlock() != body;
  };
  for (Operation &inner : body->without_terminator())
    if (!isa<linalg::IndexOp>(inner) && inner.getNumRegions() == 0 &&
        isPure(&inner) && llvm::all_of(inner.getOperands(), isUniform))
      builder.clone(inner, uniform);
}

SmallVector<Value> NestBuilder::buildBody(const Indices &indices,
                                          ArrayRef<Value> accumulators) {
  IRMapping mapping = uniform;
  Block *body = op.getBlock();
  for (auto [i, argument] : llvm::enumerate(body->getArguments())) {
    if (uniform.contains(argument))
      continue;
    if (i >= nest.numInputs && !accumulators.empty())
      mapping.map(argument, accumulators[i - nest.numInputs]);
    else if (nest.operands[i].isRead)
      mapping.map(argument, load(i, indices));
  }
  for (Operation &inner : body->without_terminator()) {
    if (auto index = dyn_cast<linalg::IndexOp>(inner))
      mapping.map(index.getResult(), dimIndices.lookup(index.getDim()));
    else if (inner.getNumResults() == 0 ||
             !uniform.contains(inner.getResult(0)))
      builder.clone(inner, mapping);
  }
  SmallVector<Value> results;
  for (Value result : body->getTerminator()->getOperands())
    results.push_back(mapping.lookupOrDefault(result));
  if (!accumulators.empty())
    for (auto [combiner, result] : llvm::zip_equal(getCombiners(op), results))
      if (isa_and_present<arith::AddFOp, arith::MulFOp>(combiner))
        allowRegrouping(result.getDefiningOp());
  return results;
}

/// What LLVM should know of `loop`. SCF hands the attribute on to the branch
/// that closes the loop.
static LLVM::LoopAnnotationAttr getAnnotation(MLIRContext *context,
                                              const NestLoop &loop,
                                              bool hasGathers,
                                              bool accumulates) {
  BoolAttr yes = BoolAttr::get(context, true),
           no = BoolAttr::get(context, false);
  LLVM::LoopUnrollAttr unroll;
  if (loop.extent > kUnrollExtent)
    unroll = LLVM::LoopUnrollAttr::get(context, yes, {}, {}, {}, {}, {}, {});
  LLVM::LoopVectorizeAttr vectorize;
  if (hasGathers)
    vectorize = LLVM::LoopVectorizeAttr::get(
        context, no, {}, {},
        IntegerAttr::get(IntegerType::get(context, 32), kVectorExtent), {}, {},
        {});
  // What is not unrolled is not interleaved either, unless it is asked for.
  LLVM::LoopInterleaveAttr interleave;
  if (accumulates && loop.extent >= kAccumulatedExtent)
    interleave = LLVM::LoopInterleaveAttr::get(
        context,
        IntegerAttr::get(IntegerType::get(context, 32), kAccumulators));
  return LLVM::LoopAnnotationAttr::get(context, {}, vectorize, interleave,
                                       unroll, {}, {}, {}, {}, {}, {}, {}, {},
                                       {}, {}, {});
}

/// True if an operand is not walked by one, which LLVM turns into one load or
/// store per element, and as many elements at a time as the narrowest type
/// allows.
static bool hasGathers(const Nest &nest, const NestLoop &loop) {
  for (auto [i, access] : llvm::enumerate(nest.operands))
    if ((access.isRead || i >= nest.numInputs) && loop.strides[i] > 1)
      return true;
  return false;
}

void NestBuilder::buildTurnedLoops(const Indices &indices) {
  unsigned level = nest.loops.size() - 2;
  NestLoop loops[] = {nest.loops[level], nest.loops[level + 1]};
  OpBuilder::InsertionGuard guard(builder);
  Indices block = indices;
  Value begins[2], counts[2];
  for (unsigned i : {0, 1}) {
    auto [begin, end] = getBounds(level + i);
    auto ofBlocks =
        scf::ForOp::create(builder, loc, begin, end, getConstant(kTurnedSide));
    builder.setInsertionPointToStart(ofBlocks.getBody());
    begins[i] = ofBlocks.getInductionVar();
    counts[i] = getConstant(kTurnedSide);
    bool isCut = cut && cut->level == level + i;
    if (isCut || loops[i].extent % kTurnedSide != 0)
      counts[i] = arith::MinSIOp::create(
          builder, loc, counts[i],
          arith::SubIOp::create(builder, loc, end, begins[i]));
    block = step(block, loops[i], begins[i]);
  }
  for (auto [number, input] : llvm::enumerate(nest.turned)) {
    auto type = cast<MemRefType>(bases[input].getType());
    Value buffer = blocks.get(begins[0].getParentBlock()->getParentOp(),
                              type.getElementType(), number);
    copyTurned(builder, loc, bases[input], block[input],
               loops[1].strides[input], counts[0], counts[1], buffer);
    bases[input] = buffer;
    block[input] = getConstant(0);
    loops[0].strides[input] = kTurnedSide;
    loops[1].strides[input] = 1;
  }
  for (unsigned i : {0, 1}) {
    auto inBlock = scf::ForOp::create(builder, loc, getConstant(0), counts[i],
                                      getConstant(1));
    inBlock->setAttr(kLoopAnnotation,
                     getAnnotation(builder.getContext(), loops[i],
                                   i == 1 && hasGathers(nest, loops[i]),
                                   false));
    builder.setInsertionPointToStart(inBlock.getBody());
    Value iv = inBlock.getInductionVar();
    if (loops[i].indexedDim)
      dimIndices[*loops[i].indexedDim] =
          arith::AddIOp::create(builder, loc, begins[i], iv);
    block = step(block, loops[i], iv);
  }
  store(buildBody(block, {}), block);
}

SmallVector<Value> NestBuilder::buildLoops(unsigned level,
                                           const Indices &indices,
                                           ArrayRef<Value> accumulators) {
  bool atSum = nest.inRegisters && accumulators.empty() &&
               (level == nest.loops.size() || nest.loops[level].isReduction);
  if (atSum) {
    SmallVector<Value> start;
    for (unsigned i = nest.numInputs, e = nest.operands.size(); i != e; ++i)
      start.push_back(load(i, indices));
    store(buildLoops(level, indices, start), indices);
    return {};
  }
  if (level == nest.loops.size()) {
    SmallVector<Value> results = buildBody(indices, accumulators);
    if (!accumulators.empty())
      return results;
    store(results, indices);
    return {};
  }
  if (!nest.turned.empty() && level + 2 == nest.loops.size()) {
    buildTurnedLoops(indices);
    return {};
  }

  const NestLoop &loop = nest.loops[level];
  bool isInnermost = level + 1 == nest.loops.size();
  bool isPartialSum = isInnermost && nest.areSums && !accumulators.empty() &&
                      level > 0 && nest.loops[level - 1].isReduction &&
                      loop.extent > kUnrollExtent;
  SmallVector<Value> start(accumulators);
  if (isPartialSum)
    for (Value &value : start)
      value = arith::ConstantOp::create(builder, loc,
                                        builder.getZeroAttr(value.getType()));
  auto [begin, end] = getBounds(level);
  auto forOp =
      scf::ForOp::create(builder, loc, begin, end, getConstant(1), start);
  forOp->setAttr(kLoopAnnotation,
                 getAnnotation(builder.getContext(), loop,
                               isInnermost && hasGathers(nest, loop),
                               isInnermost && !accumulators.empty()));
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(forOp.getBody());
  if (loop.indexedDim)
    dimIndices[*loop.indexedDim] = forOp.getInductionVar();
  Indices inner = step(indices, loop, forOp.getInductionVar());
  SmallVector<Value> carried = buildLoops(
      level + 1, inner, llvm::to_vector_of<Value>(forOp.getRegionIterArgs()));
  if (!accumulators.empty())
    scf::YieldOp::create(builder, loc, carried);
  auto results = llvm::to_vector_of<Value>(forOp.getResults());
  if (isPartialSum) {
    builder.setInsertionPointAfter(forOp);
    for (auto [result, accumulator] : llvm::zip_equal(results, accumulators))
      result = arith::AddFOp::create(builder, loc, accumulator, result);
  }
  return results;
}

void NestBuilder::buildPieces() {
  int64_t extent = nest.loops[cut->level].extent;
  auto pieces = scf::ParallelOp::create(
      builder, loc, ValueRange{getConstant(0)},
      ValueRange{getConstant(llvm::divideCeil(extent, cut->extent))},
      ValueRange{getConstant(1)});
  builder.setInsertionPointToStart(pieces.getBody());
  Value length = getConstant(cut->extent);
  pieceBegin = arith::MulIOp::create(builder, loc,
                                     pieces.getInductionVars().front(), length);
  pieceEnd = arith::AddIOp::create(builder, loc, pieceBegin, length);
  if (extent % cut->extent != 0)
    pieceEnd =
        arith::MinSIOp::create(builder, loc, pieceEnd, getConstant(extent));
}

void NestBuilder::build() {
  if (cut)
    buildPieces();
  for (const NestOperand &access : nest.operands) {
    bool isMemory = isa<MemRefType>(access.memref.getType());
    bases.push_back(isMemory ? access.flatten(builder, loc) : access.memref);
  }
  buildUniform();
  buildLoops(0, Indices(nest.operands.size(), getConstant(0)), {});
  op->erase();
}

/// Copies between buffers of known shape as operations with loops.
static void generalizeCopies(func::FuncOp function) {
  SmallVector<memref::CopyOp> copies;
  function.walk([&](memref::CopyOp copy) {
    if (isa<MemRefType>(copy.getSource().getType()) &&
        isa<MemRefType>(copy.getTarget().getType()))
      copies.push_back(copy);
  });
  for (memref::CopyOp copy : copies) {
    OpBuilder builder(copy);
    linalg::CopyOp::create(builder, copy.getLoc(), copy.getSource(),
                           copy.getTarget());
    copy.erase();
  }
}

namespace {
struct ConvertLinalgToHostLoops
    : public amp::impl::ConvertLinalgToHostLoopsPassBase<
          ConvertLinalgToHostLoops> {
  using Base::Base;

  LogicalResult initialize(MLIRContext *context) override {
    return checkThreadOptions(context, threads, partWork);
  }

  void runOnOperation() override {
    generalizeCopies(getOperation());
    SmallVector<linalg::LinalgOp> ops;
    getOperation().walk([&](linalg::LinalgOp op) { ops.push_back(op); });
    TurnedBlocks blocks(threads);
    for (linalg::LinalgOp op : ops) {
      FailureOr<Nest> nest = readNest(op);
      if (failed(nest)) {
        ++numLeft;
        continue;
      }
      orderLoops(*nest);
      nest->mergeLoops();
      blockSum(*nest);
      nest->turned = findTurnedInputs(*nest);
      // What runs in pieces already is not cut again.
      bool isPiece = op->getParentOfType<scf::ParallelOp>() != nullptr;
      NestBuilder(op, *nest, findCut(*nest, isPiece ? 1 : threads, partWork),
                  blocks)
          .build();
      ++numConverted;
    }
  }
};
} // namespace
