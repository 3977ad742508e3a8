//===- WarpgroupLoop.cpp - Warpgroups with roles --------------------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A persistent kernel whose warpgroups have roles. One thread of the first
// keeps the ring of stages full: it waits until a slot is empty, announces the
// bytes and has TMA load a tile of A and of B into it (or all 128 threads load
// what TMA cannot address). The other warpgroups each own 64 rows of the
// block's tile: they wait until a slot is full, issue four wgmma on it, and
// when the group before has completed hand back the slot before, so that one
// group is always in flight. After the last stage of a tile they apply the
// epilogue and store, while the producer is already loading for the next.
//
// In a cluster of two, the blocks have tiles one above the other in M. Each
// loads its A and one half of their common B, which TMA writes into both. A
// slot is empty when the consumers of both blocks have released it. No block
// leaves before the other is done with its memory.
//
// Dynamic shared memory holds tiles of A, tiles of B, staging boxes and
// barriers, in this order: all but the last are multiples of 1 KiB, which the
// swizzle wants, and without static memory the first address is one, too.
//
//===----------------------------------------------------------------------===//

#include "Epilogue/ResultStore.h"
#include "MainLoop.h"
#include "PipelineRing.h"

using namespace mlir;
using namespace mlir::amp;

/// Bytes of K in one wgmma, and how many of them a stage of 128 bytes takes.
static constexpr int64_t kStepsPerStage = 4;

namespace {
class WarpgroupLoop {
public:
  WarpgroupLoop(DeviceBuilder &b, Product &product)
      : b(b), product(product), problem(product.problem),
        config(product.config), tileA(product.tileA), tileB(product.tileB) {}

  void emit(StringRef name);

private:
  void layOutSharedMemory();
  void emitSetup(PipelineRing &ring);
  void emitProducer(PipelineRing &ring);
  SmallVector<Value> emitLoads(PipelineRing &ring, Number stage,
                               ValueRange position);
  void emitConsumer(PipelineRing &ring);
  SmallVector<Value> emitProducts(PipelineRing &ring, StageRange stages,
                                  ValueRange position, Value &accumulators);
  void emitResult(WorkItem item, Value accumulators);

  /// Which cluster this is, and of how many.
  Number walker() { return sm90::blockId(b) / config.cluster; }
  Number walkers() { return sm90::blockCount(b) / config.cluster; }
  Number rowOf(WorkItem item) {
    Number row = item.tileRow * (config.tileM * config.cluster);
    return config.cluster > 1 ? row + rank * config.tileM : row;
  }
  Number columnOf(WorkItem item) { return item.tileColumn * config.tileN; }
  bool byThreads() const {
    return config.loadA != MatrixAccess::Tma ||
           config.loadB != MatrixAccess::Tma;
  }
  bool byTma() const {
    return config.loadA == MatrixAccess::Tma ||
           config.loadB == MatrixAccess::Tma;
  }

  DeviceBuilder &b;
  Product &product;
  const GemmProblem &problem;
  const GemmConfig &config;
  const OperandTile &tileA, &tileB;

  Number rank;
  Value memoryA, memoryB, staging, barriers;
  Number thread, warpgroup;
};
} // namespace

//===----------------------------------------------------------------------===//
// The function
//===----------------------------------------------------------------------===//

void WarpgroupLoop::layOutSharedMemory() {
  Value memory = product.sharedMemory();
  int64_t offset = 0;
  auto take = [&](int64_t bytes) {
    Value part = b.advance(memory, offset);
    offset += bytes;
    return part;
  };
  memoryA = take(config.stages * tileA.bytes());
  memoryB = take(config.stages * tileB.bytes());
  staging = take(product.storesByTma()
                     ? config.units() * config.schedule->stagingBytes
                     : 0);
  barriers = take(2 * 8 * config.stages);
  assert(offset == getSharedMemoryBytes(problem, config) &&
         "shared memory as announced");
}

void WarpgroupLoop::emitSetup(PipelineRing &ring) {
  b.branch(sm90::threadId(b) == 0, [&] {
    ring.initialise(byThreads() ? config.schedule->loaderThreads : 1,
                    config.units());
  });
  if (config.cluster > 1)
    sm90::clusterBarrierAfterInit(b);
  else
    sm90::blockBarrier(b);
}

void WarpgroupLoop::emit(StringRef name) {
  OpBuilder::InsertionGuard guard(b);
  product.enterKernel(name);
  if (config.cluster > 1)
    rank = sm90::rankInCluster(b);
  thread = sm90::threadId(b) % config.schedule->unitThreads;
  warpgroup = sm90::warpgroupId(b);
  layOutSharedMemory();
  PipelineRing ring(b, barriers, config.stages, config.cluster);
  emitSetup(ring);
  b.branch(
      warpgroup == 0, [&] { emitProducer(ring); }, [&] { emitConsumer(ring); });
  // Not aligned: in a producer warp one lane comes later than the others.
  if (config.cluster > 1)
    sm90::clusterBarrier(b);
  LLVM::ReturnOp::create(b, ValueRange());
}

//===----------------------------------------------------------------------===//
// The producer
//===----------------------------------------------------------------------===//

SmallVector<Value> WarpgroupLoop::emitLoads(PipelineRing &ring, Number stage,
                                            ValueRange carried) {
  PipelineRing::Position position = ring.at(carried);
  ring.waitUntilEmpty(position);
  Value full = ring.full(position.slot);
  Value slotA = b.advance(memoryA, position.slot * tileA.bytes());
  Value slotB = b.advance(memoryB, position.slot * tileB.bytes());
  auto loadByTma = [&] {
    int64_t bytes = (config.loadA == MatrixAccess::Tma ? tileA.bytes() : 0) +
                    (config.loadB == MatrixAccess::Tma ? tileB.bytes() : 0);
    if (byThreads())
      sm90::expect(b, full, bytes);
    else
      sm90::arriveAndExpect(b, full, bytes);
    if (config.loadA == MatrixAccess::Tma)
      product.loadByTma(Side::A, slotA, stage, full, Value());
    if (config.loadB != MatrixAccess::Tma)
      return;
    Value everyBlock;
    if (config.cluster > 1) {
      // This block's share of B, for all.
      everyBlock = arith::ConstantOp::create(
          b, b.getI16IntegerAttr((1 << config.cluster) - 1));
      slotB = b.advance(slotB, rank * product.shareOfB.bytes());
    }
    product.loadByTma(Side::B, slotB, stage, full, everyBlock);
  };
  if (!byThreads()) {
    loadByTma();
    return ring.next(position);
  }
  if (byTma())
    b.branch(thread == 0, loadByTma);
  if (config.loadA != MatrixAccess::Tma)
    product.loadByThreads(Side::A, slotA, stage);
  if (config.loadB != MatrixAccess::Tma)
    product.loadByThreads(Side::B, slotB, stage);
  if (config.loadA == MatrixAccess::Async ||
      config.loadB == MatrixAccess::Async) {
    sm90::commitCopies(b);
    sm90::waitCopies(b, 0);
  }
  sm90::fenceForAsyncProxy(b);
  sm90::arrive(b, full);
  return ring.next(position);
}

void WarpgroupLoop::emitProducer(PipelineRing &ring) {
  // Together with the consumers' share: the registers of the block's launch.
  sm90::decreaseRegisters(b, byThreads() ? 104 : 40);
  auto walk = [&] {
    product.scheduler().forEach(
        walker(), walkers(), ring.producerStart(),
        [&](WorkItem item, ValueRange position) {
          Number column = columnOf(item);
          if (config.cluster > 1)
            column = column + rank * (config.tileN / config.cluster);
          product.beginTile(item, rowOf(item), column, thread,
                            config.schedule->loaderThreads);
          StageRange stages = product.stagesOf(item);
          return b.loop(stages.first, stages.last, b.number(1), position,
                        [&](Number stage, ValueRange position) {
                          return emitLoads(ring, stage, position);
                        });
        });
  };
  if (byThreads())
    walk();
  else
    b.branch(thread == 0, walk);
}

//===----------------------------------------------------------------------===//
// A consumer
//===----------------------------------------------------------------------===//

SmallVector<Value> WarpgroupLoop::emitProducts(PipelineRing &ring,
                                               StageRange stages,
                                               ValueRange start,
                                               Value &accumulators) {
  sm90::WgmmaShape shape{config.tileN,       config.tileK / kStepsPerStage,
                         problem.a,          problem.b,
                         problem.transposeA, !problem.transposeB};
  Number consumer = warpgroup - 1;
  Value releases = thread < config.cluster;
  SmallVector<Value> carried(start);
  carried.push_back(
      LLVM::ZeroOp::create(b, sm90::accumulatorType(b, config.tileN)));
  carried.push_back(b.number(0)); // the slot before
  carried =
      b.loop(stages.first, stages.last, b.number(1), carried,
             [&](Number k, ValueRange carried) {
               PipelineRing::Position position = ring.at(carried);
               Value sums = carried[2];
               ring.waitUntilFull(position);
               Value slotA = b.advance(memoryA, position.slot * tileA.bytes() +
                                                    consumer * (64 * 128));
               Value slotB = b.advance(memoryB, position.slot * tileB.bytes());
               Value descriptorA = tileA.descriptor(b, slotA);
               Value descriptorB = tileB.descriptor(b, slotB);
               sm90::wgmmaFence(b);
               for (int64_t step = 0; step < kStepsPerStage; ++step)
                 sums =
                     sm90::wgmma(b, shape, tileA.advance(b, descriptorA, step),
                                 tileB.advance(b, descriptorB, step), sums);
               sm90::wgmmaCommit(b);
               // The group before this one is complete, its slot free.
               sm90::wgmmaWait(b, 1);
               b.branch(b.both(stages.first < k, releases),
                        [&] { ring.release(b.number(carried[3]), thread); });
               SmallVector<Value> next = ring.next(position);
               next.push_back(sums);
               next.push_back(position.slot);
               return next;
             });
  sm90::wgmmaWait(b, 0);
  b.branch(b.both(stages.first < stages.last, releases),
           [&] { ring.release(b.number(carried[3]), thread); });
  accumulators = carried[2];
  carried.resize(2);
  return carried;
}

void WarpgroupLoop::emitResult(WorkItem item, Value accumulators) {
  Number consumer = warpgroup - 1;
  ResultSlab slab{consumer,
                  thread,
                  accumulators,
                  config.tileN,
                  rowOf(item) + consumer * 64,
                  columnOf(item)};
  ResultMatrix matrix = product.resultOf(item);
  EpilogueBuilder builder = product.makeEpilogue(matrix);
  EpilogueOutputs outputs = product.makeOutputs(matrix, item, thread % 32);
  builder.setOutputs(&outputs);
  if (!product.storesByTma())
    return storeByThreads(b, slab, builder, matrix);
  if (product.split())
    return storeByTma(b, slab, builder, b.getF32Type(), matrix.pointer, staging,
                      config.units(), matrix.shape.firstRow, {});
  storeByTma(b, slab, builder, problem.d, matrix.pointer, staging,
             config.units(), b.number(0), matrix.mapCoordinates);
}

void WarpgroupLoop::emitConsumer(PipelineRing &ring) {
  if (config.units() == 1)
    sm90::increaseRegisters(b, byThreads() ? 152 : 216);
  else
    sm90::increaseRegisters(b, byThreads() ? 200 : 232);
  product.scheduler().forEach(walker(), walkers(), ring.consumerStart(),
                              [&](WorkItem item, ValueRange position) {
                                Value accumulators;
                                SmallVector<Value> next =
                                    emitProducts(ring, product.stagesOf(item),
                                                 position, accumulators);
                                emitResult(item, accumulators);
                                return next;
                              });
  if (product.storesByTma())
    b.branch(thread == 0, [&] { sm90::waitStores(b, 0, /*read=*/false); });
}

void mlir::amp::emitWarpgroupLoop(DeviceBuilder &b, StringRef name,
                                  Product &product) {
  WarpgroupLoop(b, product).emit(name);
}
