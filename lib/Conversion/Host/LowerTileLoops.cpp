//===- LowerTileLoops.cpp - Tiles of a group, one after the other ---------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An scf.forall on buffers (amp-tile-fusion-groups) says that its tiles may be
// computed in any order. Here they are numbered and divided into pieces of
// consecutive ones:
//
//   forall (%i, %j) = (0, 0) to (4, 64) step (1, 8) { ... }
//   ->  parallel (%piece) = (0) to (8) {
//         for %tile = 4 %piece to 4 %piece + 4 { %i, 8 %j = delinearize %tile }
//       }
//
// With one thread, or where there is too little to do, there is one piece, and
// no scf.parallel. Which tiles are in a piece changes no result: each tile
// computes the same, wherever it runs.
//
// What a tile needs for itself is allocated on the stack once for each piece,
// up to a megabyte; the rest is left to who frees buffers, once for each tile.
// Buffers of one type that are not needed at the same time are one: a tile of
// a product with the softmax behind it stays in a cache. So are those that an
// elementwise operation reads last and writes first, element by element. What
// stands in loops inside of a tile is needed once for each tile, too.
//
//===----------------------------------------------------------------------===//

#include "amp/Conversion/Host/Passes.h"
#include "amp/Conversion/LinalgToHostContraction.h"
#include "amp/Support/ByteCount.h"
#include "amp/Support/ShapedBytes.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

#define DEBUG_TYPE "amp-lower-tile-loops"

namespace mlir::amp {
#define GEN_PASS_DEF_LOWERTILELOOPSPASS
#include "amp/Conversion/Host/Passes.h.inc"
} // namespace mlir::amp

using namespace mlir;
using namespace mlir::amp;

/// What a piece may have on the stack of whatever thread it runs on.
static constexpr int64_t kStackBytes = 1 << 20;

/// Bytes of `type`; nothing if its extents are not known, or too large.
static std::optional<int64_t> getBytes(MemRefType type) {
  if (!type.hasStaticShape() || !type.getElementType().isIntOrFloat())
    return std::nullopt;
  return countBytes(type.getShape(), getElementBytes(type));
}

/// Points of the loops of all operations in a tile.
static int64_t countTileWork(scf::ForallOp forall) {
  int64_t work = 0;
  forall.walk([&](linalg::LinalgOp op) {
    work += ShapedType::getNumElements(op.getStaticLoopRanges());
  });
  return work;
}

namespace {
/// From the first to the last operation of a tile's body that uses a buffer.
struct Lifetime {
  memref::AllocOp alloc;
  Operation *first = nullptr, *last = nullptr;
  /// Nobody else can have a view of it.
  bool isKnown = true;
};
} // namespace

/// The lifetime of `alloc`, which stands in `body`, with all views of it; all
/// of the body where an operation gives memory that may be another view.
static Lifetime getLifetime(memref::AllocOp alloc, Block *body) {
  Lifetime life{alloc};
  SmallVector<Value> views{alloc.getMemref()};
  while (!views.empty()) {
    for (Operation *user : views.pop_back_val().getUsers()) {
      if (isa<ViewLikeOpInterface>(user))
        llvm::append_range(views, user->getResults());
      else if (llvm::any_of(user->getResultTypes(),
                            llvm::IsaPred<BaseMemRefType>) ||
               (user->hasTrait<OpTrait::IsTerminator>() &&
                user->getBlock() != body))
        return {alloc, &body->front(), body->getTerminator(), false};
      Operation *inBody = body->findAncestorOpInBlock(*user);
      if (!life.first || inBody->isBeforeInBlock(life.first))
        life.first = inBody;
      if (!life.last || life.last->isBeforeInBlock(inBody))
        life.last = inBody;
    }
  }
  return life;
}

/// True if `of` computes each element of `written` from the same element of
/// `read` and is done with that element then. What reads a view of either, or
/// in its body where it likes, may not be.
static bool mayWriteOver(Operation *of, Value read, Value written) {
  auto op = dyn_cast<linalg::LinalgOp>(of);
  if (!op || op.getNumParallelLoops() != op.getNumLoops())
    return false;
  for (Value buffer : {read, written})
    for (Operation *user : buffer.getUsers())
      if (isa<ViewLikeOpInterface>(user) || op->isProperAncestor(user))
        return false;
  AffineMap map;
  for (OpOperand &out : op.getDpsInitsMutable()) {
    if (out.get() != written)
      continue;
    if (map || !op.getMatchingIndexingMap(&out).isPermutation())
      return false;
    map = op.getMatchingIndexingMap(&out);
  }
  return map && llvm::all_of(op->getOpOperands(), [&](OpOperand &operand) {
           return operand.get() != read ||
                  op.getMatchingIndexingMap(&operand) == map;
         });
}

/// Buffers that may have one memory, in groups: of one type, each needed when
/// those before it in its group are not any more.
static SmallVector<SmallVector<Lifetime>> groupBuffers(Block *body) {
  SmallVector<Lifetime> lives;
  for (auto alloc : body->getOps<memref::AllocOp>())
    if (!alloc->use_empty() && getBytes(alloc.getType()))
      lives.push_back(getLifetime(alloc, body));
  llvm::sort(lives, [](Lifetime x, Lifetime y) {
    return x.first == y.first ? x.alloc->isBeforeInBlock(y.alloc)
                              : x.first->isBeforeInBlock(y.first);
  });
  SmallVector<SmallVector<Lifetime>> groups;
  for (const Lifetime &life : lives) {
    auto *group = llvm::find_if(groups, [&](ArrayRef<Lifetime> group) {
      const Lifetime &before = group.back();
      memref::AllocOp alloc = life.alloc, other = before.alloc;
      return alloc.getType() == other.getType() &&
             alloc.getAlignment() == other.getAlignment() &&
             (before.last->isBeforeInBlock(life.first) ||
              (before.last == life.first &&
               mayWriteOver(life.first, other.getMemref(), alloc.getMemref())));
    });
    if (group == groups.end())
      groups.push_back({life});
    else
      group->push_back(life);
  }
  return groups;
}

/// Lets all of `group` be `buffer`.
static void replaceGroup(ArrayRef<Lifetime> group, Value buffer) {
  for (Lifetime life : group) {
    life.alloc.replaceAllUsesWith(buffer);
    life.alloc.erase();
  }
}

/// Moves in front of `loop`, which stands in a tile, what each of its
/// iterations needs for itself.
static void hoistBuffers(LoopLikeOpInterface loop) {
  OpBuilder builder(loop);
  Block *body = &loop.getLoopRegions().front()->front();
  for (ArrayRef<Lifetime> group : groupBuffers(body)) {
    memref::AllocOp first = group.front().alloc;
    // An iteration may hand on what is not.
    if (!llvm::all_of(group, [&](const Lifetime &life) {
          return life.isKnown && life.last != body->getTerminator();
        }))
      continue;
    replaceGroup(group, cast<memref::AllocOp>(builder.clone(*first)));
  }
}

/// The number of tiles along each loop.
static SmallVector<Value> getCounts(OpBuilder &builder, scf::ForallOp forall) {
  SmallVector<Value> counts;
  Location loc = forall.getLoc();
  for (auto [begin, end, step] :
       llvm::zip_equal(forall.getMixedLowerBound(), forall.getMixedUpperBound(),
                       forall.getMixedStep())) {
    AffineExpr e, b, s;
    bindSymbols(builder.getContext(), b, e, s);
    OpFoldResult count = affine::makeComposedFoldedAffineApply(
        builder, loc, (e - b).ceilDiv(s), {begin, end, step});
    counts.push_back(getValueOrCreateConstantIndexOp(builder, loc, count));
  }
  return counts;
}

namespace {
struct LowerTileLoops
    : public amp::impl::LowerTileLoopsPassBase<LowerTileLoops> {
  using Base::Base;

  LogicalResult initialize(MLIRContext *context) override {
    return checkThreadOptions(context, threads, partWork);
  }

  void runOnOperation() override {
    SmallVector<scf::ForallOp> loops;
    getOperation().walk([&](scf::ForallOp forall) {
      if (forall.getNumResults() == 0)
        loops.push_back(forall);
    });
    getOperation().walk([](LoopLikeOpInterface loop) {
      if (isa<scf::ForOp, scf::ForallOp>(loop) &&
          loop->getParentOfType<scf::ForallOp>())
        hoistBuffers(loop);
    });
    for (scf::ForallOp forall : loops)
      lower(forall);
    numLowered += loops.size();
  }

  /// How many pieces `tiles` are divided into; nothing if it is known at run
  /// time only.
  int64_t getNumPieces(scf::ForallOp forall, Value tiles) const {
    int64_t most = threads * kPiecesPerThread;
    if (threads < 2 || forall->getParentOfType<scf::ParallelOp>() ||
        forall->getParentOfType<scf::ForallOp>())
      return 1;
    std::optional<int64_t> count = getConstantIntValue(tiles);
    if (!count)
      return most;
    int64_t work = countTileWork(forall) * *count;
    return std::max<int64_t>(1, std::min({most, *count, work / partWork}));
  }

  void lower(scf::ForallOp forall) {
    OpBuilder builder(forall);
    Location loc = forall.getLoc();
    auto constant = [&](int64_t value) -> Value {
      return arith::ConstantIndexOp::create(builder, loc, value);
    };
    SmallVector<Value> counts = getCounts(builder, forall);
    Value tiles = counts.front();
    for (Value count : ArrayRef(counts).drop_front())
      tiles = builder.createOrFold<arith::MulIOp>(loc, tiles, count);
    int64_t numPieces = getNumPieces(forall, tiles);

    Value begin = constant(0), end = tiles;
    if (numPieces > 1) {
      Value pieces = constant(numPieces);
      Value length =
          builder.createOrFold<arith::CeilDivUIOp>(loc, tiles, pieces);
      auto parallel =
          scf::ParallelOp::create(builder, loc, begin, pieces, constant(1));
      builder.setInsertionPointToStart(parallel.getBody());
      Value piece = parallel.getInductionVars().front();
      begin = arith::MulIOp::create(builder, loc, piece, length);
      end = arith::MinUIOp::create(
          builder, loc, tiles,
          arith::AddIOp::create(builder, loc, begin, length));
    }
    int64_t onStack = 0;
    for (ArrayRef<Lifetime> group : groupBuffers(forall.getBody())) {
      memref::AllocOp first = group.front().alloc;
      int64_t bytes = *getBytes(first.getType());
      if (bytes > kStackBytes - onStack)
        continue;
      onStack += bytes;
      auto alloca = memref::AllocaOp::create(
          builder, first.getLoc(), first.getType(), first.getAlignmentAttr());
      replaceGroup(group, alloca);
    }

    auto loop = scf::ForOp::create(builder, loc, begin, end, constant(1));
    builder.setInsertionPointToStart(loop.getBody());
    SmallVector<Value> numbers = {loop.getInductionVar()};
    if (counts.size() > 1)
      numbers =
          llvm::to_vector_of<Value>(affine::AffineDelinearizeIndexOp::create(
                                        builder, loc, numbers.front(), counts)
                                        .getResults());
    SmallVector<Value> indices;
    for (auto [number, first, step] : llvm::zip_equal(
             numbers, forall.getMixedLowerBound(), forall.getMixedStep())) {
      AffineExpr n, b, s;
      bindSymbols(builder.getContext(), n, b, s);
      indices.push_back(getValueOrCreateConstantIndexOp(
          builder, loc,
          affine::makeComposedFoldedAffineApply(builder, loc, b + n * s,
                                                {number, first, step})));
    }
    for (auto [from, to] : llvm::zip_equal(forall.getInductionVars(), indices))
      from.replaceAllUsesWith(to);
    loop.getBody()->getOperations().splice(
        loop.getBody()->getTerminator()->getIterator(),
        forall.getBody()->getOperations(), forall.getBody()->begin(),
        forall.getBody()->getTerminator()->getIterator());
    forall.erase();
  }
};
} // namespace
