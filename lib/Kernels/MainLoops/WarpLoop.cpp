//===- WarpLoop.cpp - Warps that load and multiply ------------------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A persistent kernel in which every warp does the same. Each owns a part of
// the block's tile, as sums in its registers. The tiles of A and B pass through
// a ring of slots in shared memory: while the warps multiply stage k, the
// copies of the stages up to k + stages - 1 are in flight, one group each.
//
// A stage is four steps, 32 bytes of K each. The operands of a step are loaded
// into registers while the step before is multiplied. So the first operands of
// stage k + 1 are loaded during the last step of stage k, and right before that
// the threads wait for the stage's group and meet at a barrier: the copies of
// all of them are visible then, and nobody reads slot k any more, which the
// next turn fills.
//
// Copies outside the matrices write zeros, and a stage past the last is outside
// altogether. So the loop needs no case for the end: it loads zeros that nobody
// multiplies.
//
// Products of f32 use the same ring, and plain arithmetic in place of matrix
// instructions.
//
//===----------------------------------------------------------------------===//

#include "Epilogue/ResultStore.h"
#include "MainLoop.h"
#include "ThreadProducts.h"
#include "amp/Support/ShapedBytes.h"

using namespace mlir;
using namespace mlir::amp;

/// How often the 32 bytes of K of one instruction are in a stage of 128.
static constexpr int64_t kStepsPerStage = 4;
/// What one instruction computes.
static constexpr int64_t kRows = 16, kColumns = 8;

namespace {
class WarpLoop {
public:
  WarpLoop(DeviceBuilder &b, Product &product)
      : b(b), product(product), config(product.config), tileA(product.tileA),
        tileB(product.tileB) {}

  void emit(StringRef name);

private:
  using Values = SmallVector<Value>;

  void emitLoads(Number stage, Number slot);
  Values loadFragments(Number slot, int64_t step);
  void multiply(Values &sums, ArrayRef<Value> fragments);
  Values emitProducts(WorkItem item);
  Values emitPlainProducts(WorkItem item);
  ThreadProducts threadProducts();
  void emitResult(WorkItem item, ArrayRef<Value> sums);

  Number rowOf(WorkItem item) { return item.tileRow * config.tileM; }
  Number columnOf(WorkItem item) { return item.tileColumn * config.tileN; }
  Number next(Number slot) {
    Number after = slot + 1;
    return b.select(after == config.stages, b.number(0), after);
  }

  /// Warps along M and N. Plain arithmetic has others (ThreadProducts): what is
  /// computed from these is not read then.
  int64_t warpsM() const { return plain() ? 2 : config.unitsM(); }
  int64_t warpsN() const { return config.threads() / 32 / warpsM(); }
  /// A warp's part of the tile, and its instructions along M and N.
  int64_t warpRows() const { return config.tileM / warpsM(); }
  int64_t warpColumns() const { return config.tileN / warpsN(); }
  int64_t instructionsM() const { return warpRows() / kRows; }
  int64_t instructionsN() const { return warpColumns() / kColumns; }
  bool isTf32() const { return isa<FloatTF32Type>(product.problem.a); }
  /// ldmatrix has no way to give out tf32 with M or N innermost.
  bool loadsWords() const {
    return isTf32() && (tileA.isTransposed() || tileB.isTransposed());
  }
  bool plain() const {
    return config.schedule->instruction == ProductInstruction::Fma;
  }
  int64_t sumCount() const { return instructionsM() * instructionsN() * 4; }

  DeviceBuilder &b;
  Product &product;
  const GemmConfig &config;
  const OperandTile &tileA, &tileB;

  Value memoryA, memoryB;
  Number thread, lane, warpRow, warpColumn;
};
} // namespace

void WarpLoop::emit(StringRef name) {
  OpBuilder::InsertionGuard guard(b);
  product.enterKernel(name);
  thread = sm80::threadId(b);
  lane = thread % 32;
  Number warp = thread / 32;
  warpRow = warp % warpsM() * warpRows();
  warpColumn = warp / warpsM() * warpColumns();
  memoryA = product.sharedMemory();
  memoryB = b.advance(memoryA, config.stages * tileA.bytes());
  product.scheduler().forEach(
      sm80::blockId(b), sm80::blockCount(b), ValueRange(),
      [&](WorkItem item, ValueRange) {
        product.beginTile(item, rowOf(item), columnOf(item), thread,
                          config.threads());
        emitResult(item,
                   plain() ? emitPlainProducts(item) : emitProducts(item));
        return Values();
      });
  LLVM::ReturnOp::create(b, ValueRange());
}

//===----------------------------------------------------------------------===//
// The main loop
//===----------------------------------------------------------------------===//

/// Copies a stage into a slot, as one group.
void WarpLoop::emitLoads(Number stage, Number slot) {
  product.loadByThreads(Side::A, b.advance(memoryA, slot * tileA.bytes()),
                        stage);
  product.loadByThreads(Side::B, b.advance(memoryB, slot * tileB.bytes()),
                        stage);
  sm80::commitCopies(b);
}

/// The warp's operands of one step: four registers for each 16 rows, then four
/// for each 16 columns. tf32 is rounded with the load, a step ahead of the
/// products: loads alone LLVM would move back behind the loop's edge.
SmallVector<Value> WarpLoop::loadFragments(Number slot, int64_t step) {
  Value slotA = b.advance(memoryA, slot * tileA.bytes());
  Value slotB = b.advance(memoryB, slot * tileB.bytes());
  Values fragments;
  auto load =
      loadsWords() ? &OperandTile::loadWords : &OperandTile::loadMatrices;
  for (int64_t row = 0; row < warpRows(); row += 16)
    fragments.append((tileA.*load)(b, slotA, warpRow, row, step, lane,
                                   OperandTile::MatrixOrder::PositionFirst));
  for (int64_t column = 0; column < warpColumns(); column += 16)
    fragments.append((tileB.*load)(b, slotB, warpColumn, column, step, lane,
                                   OperandTile::MatrixOrder::KFirst));
  if (isTf32())
    for (Value &word : fragments)
      word = sm80::roundToTf32(b, word);
  return fragments;
}

void WarpLoop::multiply(Values &sums, ArrayRef<Value> fragments) {
  ArrayRef<Value> partB = fragments.drop_front(4 * instructionsM());
  for (int64_t i = 0; i < instructionsM(); ++i)
    for (int64_t j = 0; j < instructionsN(); ++j) {
      int64_t first = (i * instructionsN() + j) * 4;
      Values products = sm80::multiply(
          b, product.problem.a, fragments.slice(4 * i, 4),
          partB.slice(2 * j, 2), ArrayRef<Value>(sums).slice(first, 4));
      llvm::copy(products, sums.begin() + first);
    }
}

SmallVector<Value> WarpLoop::emitProducts(WorkItem item) {
  StageRange stages = product.stagesOf(item);
  int64_t ahead = config.stages - 1;
  for (int64_t i = 0; i < ahead; ++i)
    emitLoads(stages.first + i, b.number(i));
  sm80::waitCopies(b, ahead - 1);
  sm80::blockBarrier(b);

  // The slot that is read and the one that is filled, sums, and the operands of
  // the next step.
  Values carried{b.number(0), b.number(ahead)};
  carried.append(sumCount(), b.zero(b.getF32Type()));
  carried.append(loadFragments(b.number(0), 0));
  carried = b.loop(stages.first, stages.last, b.number(1), carried,
                   [&](Number stage, ValueRange carried) {
                     Number slot = b.number(carried[0]),
                            filled = b.number(carried[1]);
                     Values sums(carried.slice(2, sumCount()));
                     Values fragments(carried.drop_front(2 + sumCount()));
                     emitLoads(stage + ahead, filled);
                     for (int64_t step = 0; step < kStepsPerStage; ++step) {
                       bool last = step == kStepsPerStage - 1;
                       if (last) {
                         sm80::waitCopies(b, ahead - 1);
                         sm80::blockBarrier(b);
                       }
                       Values after = last ? loadFragments(next(slot), 0)
                                           : loadFragments(slot, step + 1);
                       multiply(sums, fragments);
                       fragments = after;
                     }
                     Values results{next(slot), next(filled)};
                     results.append(sums);
                     results.append(fragments);
                     return results;
                   });
  // The zeros past the end, before the next tile's copies into their slots.
  sm80::waitCopies(b, 0);
  sm80::blockBarrier(b);
  return Values(ArrayRef<Value>(carried).slice(2, sumCount()));
}

//===----------------------------------------------------------------------===//
// The main loop for f32
//===----------------------------------------------------------------------===//

ThreadProducts WarpLoop::threadProducts() {
  assert(config.units() * ThreadProducts::kWarpRows *
                 ThreadProducts::kWarpColumns ==
             config.tileM * config.tileN &&
         "a schedule's warp has what ThreadProducts gives it");
  Number warp = thread / 32;
  return {b,
          tileA,
          tileB,
          lane,
          warp % config.unitsM() * ThreadProducts::kWarpRows,
          warp / config.unitsM() * ThreadProducts::kWarpColumns};
}

/// The same ring without Tensor Cores. The wait for a stage comes right before
/// it: a stage takes long enough that no operands need to be loaded ahead.
SmallVector<Value> WarpLoop::emitPlainProducts(WorkItem item) {
  StageRange stages = product.stagesOf(item);
  int64_t ahead = config.stages - 1;
  for (int64_t i = 0; i < ahead; ++i)
    emitLoads(stages.first + i, b.number(i));
  ThreadProducts products = threadProducts();
  Values carried{b.number(0), b.number(ahead)};
  carried.append(ThreadProducts::kSums, b.zero(b.getF32Type()));
  carried = b.loop(
      stages.first, stages.last, b.number(1), carried,
      [&](Number stage, ValueRange carried) {
        Number slot = b.number(carried[0]), filled = b.number(carried[1]);
        sm80::waitCopies(b, ahead - 1);
        sm80::blockBarrier(b);
        emitLoads(stage + ahead, filled);
        Values results{next(slot), next(filled)};
        results.append(products.multiplyStage(
            b.advance(memoryA, slot * tileA.bytes()),
            b.advance(memoryB, slot * tileB.bytes()), carried.drop_front(2)));
        return results;
      });
  sm80::waitCopies(b, 0);
  sm80::blockBarrier(b);
  return Values(ArrayRef<Value>(carried).drop_front(2));
}

//===----------------------------------------------------------------------===//
// The result
//===----------------------------------------------------------------------===//

void WarpLoop::emitResult(WorkItem item, ArrayRef<Value> sums) {
  ResultMatrix matrix = product.resultOf(item);
  EpilogueBuilder builder = product.makeEpilogue(matrix);
  EpilogueOutputs outputs = product.makeOutputs(matrix, item, lane);
  builder.setOutputs(&outputs);
  if (plain())
    return threadProducts().store(sums, builder, matrix, rowOf(item),
                                  columnOf(item));
  // 16-bit results go through the memory of the ring.
  bool staged = matrix.wholeChunks && getElementBytes(product.problem.d) == 2;
  // Sixteen rows of a warp lie in its registers as wgmma leaves them.
  int64_t perSlab = instructionsN() * 4;
  SmallVector<Type> types(perSlab, b.getF32Type());
  Type slabType = LLVM::LLVMStructType::getLiteral(b.getContext(), types);
  for (int64_t i = 0; i < instructionsM(); ++i) {
    Value slabSums = LLVM::PoisonOp::create(b, slabType);
    for (int64_t j = 0; j < perSlab; ++j)
      slabSums =
          LLVM::InsertValueOp::create(b, slabSums, sums[i * perSlab + j], j);
    Number row = rowOf(item) + warpRow + i * kRows;
    Number column = columnOf(item) + warpColumn;
    ResultSlab slab{b.number(0), lane, slabSums, warpColumns(), row, column};
    if (staged) {
      Number slabRow = thread / 32 * warpRows() + i * kRows;
      storeByRows(b, slab, builder, matrix,
                  b.advance(memoryA, slabRow * (32 * 2)));
    } else {
      storeByThreads(b, slab, builder, matrix);
    }
  }
  // Before the next tile's copies into the same memory.
  if (staged)
    sm80::blockBarrier(b);
}

void mlir::amp::emitWarpLoop(DeviceBuilder &b, StringRef name,
                             Product &product) {
  WarpLoop(b, product).emit(name);
}
