//===- Sm90Gemm.cpp - Matrix products for sm_90a --------------------------===//
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

#include "amp/Kernels/Sm90Gemm.h"

#include "GemmDescription.h"
#include "KernelSignature.h"
#include "OperandTile.h"
#include "PipelineRing.h"
#include "ResultStore.h"
#include "SplitKReduction.h"
#include "TileScheduler.h"

using namespace mlir;
using namespace mlir::amp;

/// Bytes of K in one wgmma, and how many of them a stage of 128 bytes takes.
static constexpr int64_t kStepsPerStage = 4;
static constexpr int64_t kStagingBytes = 2 * 64 * 128;

namespace {
class Sm90GemmKernel {
public:
  Sm90GemmKernel(DeviceBuilder &b, const GemmProblem &problem,
                 const GemmConfig &config, const GemmEpilogue &epilogue)
      : b(b), problem(problem), config(config), epilogue(epilogue),
        tileA(problem.a, config.tileM, problem.transposeA),
        tileB(problem.b, config.tileN, !problem.transposeB),
        halfB(problem.b, config.tileN / config.cluster, !problem.transposeB),
        split(config.splitK > 1), batched(problem.batch > 1) {}

  void emit(StringRef name, int64_t multiprocessors);

private:
  /// Indices of the kernel's parameters.
  struct Parameters {
    unsigned a, b, d, operands, m, n, k, batch, lda, ldb, ldd;
  };

  LLVM::LLVMFuncOp createKernel(StringRef name, int64_t multiprocessors);
  void addMatrix(KernelSignature &signature, unsigned &index, StringRef name,
                 Type type, MatrixAccess access, int64_t inner, int64_t outer,
                 int64_t stride, int64_t boxColumns, int64_t boxRows);
  void readParameters(Block *entry);
  void layOutSharedMemory(StringRef name);
  void emitSetup(PipelineRing &ring);
  void emitProducer(PipelineRing &ring);
  SmallVector<Value> emitLoads(PipelineRing &ring, WorkItem item, Number k,
                               ValueRange position);
  void emitConsumer(PipelineRing &ring);
  SmallVector<Value> emitProducts(PipelineRing &ring, StageRange stages,
                                  ValueRange position, Value &accumulators);
  void emitResult(WorkItem item, Value accumulators);

  TileScheduler scheduler() {
    return {b,
            {config.tileM * config.cluster, config.tileN, config.rasterGroup,
             config.splitK},
            m,
            n,
            batches};
  }
  /// Which cluster this is, and of how many.
  Number walker() { return sm90::blockId(b) / config.cluster; }
  Number walkers() { return sm90::blockCount(b) / config.cluster; }
  /// The stages of K that belong to a work item.
  StageRange stagesOf(WorkItem item) {
    return getStages(b, item, ceilDiv(k, config.tileK), config.splitK);
  }
  Number rowOf(WorkItem item) {
    Number row = item.tileRow * (config.tileM * config.cluster);
    return config.cluster > 1 ? row + rank * config.tileM : row;
  }
  Number columnOf(WorkItem item) { return item.tileColumn * config.tileN; }
  bool byThreads() const {
    return config.loadA == MatrixAccess::Threads ||
           config.loadB == MatrixAccess::Threads;
  }
  bool byTma() const {
    return config.loadA == MatrixAccess::Tma ||
           config.loadB == MatrixAccess::Tma;
  }

  DeviceBuilder &b;
  const GemmProblem &problem;
  const GemmConfig &config;
  const GemmEpilogue &epilogue;
  OperandTile tileA, tileB, halfB;
  bool split, batched;

  Parameters index = {};
  OperandSource sourceA, sourceB;
  Value result;
  Number resultStride;
  SmallVector<Value> operands;
  Number m, n, k, batches, rank;
  Value memoryA, memoryB, staging, barriers;
  Number thread, warpgroup;
};
} // namespace

//===----------------------------------------------------------------------===//
// The function
//===----------------------------------------------------------------------===//

void Sm90GemmKernel::addMatrix(KernelSignature &signature, unsigned &index,
                               StringRef name, Type type, MatrixAccess access,
                               int64_t inner, int64_t outer, int64_t stride,
                               int64_t boxColumns, int64_t boxRows) {
  if (access == MatrixAccess::Threads) {
    index = signature.addBuffer(name, type, problem.batch * outer * stride);
    return;
  }
  SmallVector<int64_t> shape{inner, outer}, box{boxColumns, boxRows};
  SmallVector<int64_t> strides{stride * getElementBytes(type)};
  if (batched && !(split && name == "workspace")) {
    shape.push_back(problem.batch);
    strides.push_back(strides[0] * outer);
    box.push_back(1);
  }
  index = signature.addTensorMap(name, type, shape, strides, box);
}

LLVM::LLVMFuncOp Sm90GemmKernel::createKernel(StringRef name,
                                              int64_t multiprocessors) {
  KernelSignature signature(b);
  addMatrix(signature, index.a, "a", problem.a, config.loadA, problem.rowOfA(),
            problem.transposeA ? problem.k : problem.m, problem.strideOfA(),
            tileA.boxColumns(), tileA.boxRows());
  addMatrix(signature, index.b, "b", problem.b, config.loadB, problem.rowOfB(),
            problem.transposeB ? problem.n : problem.k, problem.strideOfB(),
            halfB.boxColumns(), halfB.boxRows());
  if (split)
    addMatrix(signature, index.d, "workspace", b.getF32Type(),
              MatrixAccess::Tma, problem.n, getWorkspaceRows(problem, config),
              getWorkspaceColumns(problem), 32, 64);
  else
    addMatrix(signature, index.d, "d", problem.d, config.storeD, problem.n,
              problem.m, problem.strideOfD(), 128 / getElementBytes(problem.d),
              64);
  if (!split)
    index.operands = addEpilogueOperands(signature, problem, epilogue);
  index.m = signature.addNumber("m", problem.m);
  index.n = signature.addNumber("n", problem.n, problem.n % 2 ? 1 : 2);
  index.k = signature.addNumber("k", problem.k);
  if (batched)
    index.batch = signature.addNumber("batch", problem.batch);
  if (config.loadA == MatrixAccess::Threads)
    index.lda = signature.addNumber("lda", problem.strideOfA());
  if (config.loadB == MatrixAccess::Threads)
    index.ldb = signature.addNumber("ldb", problem.strideOfB());
  if (config.storeD == MatrixAccess::Threads && !split)
    index.ldd = signature.addNumber("ldd", problem.strideOfD(),
                                    problem.strideOfD() % 2 ? 1 : 2);

  int64_t most = multiprocessors / config.cluster * config.cluster;
  int64_t minBlocks = config.blocksPerMultiprocessor();
  int64_t blocks =
      std::clamp<int64_t>(getWorkItems(problem, config) * config.cluster,
                          config.cluster, most * minBlocks);
  return signature.createKernel(name, {blocks, config.threads(), minBlocks,
                                       config.cluster,
                                       getSharedMemoryBytes(problem, config),
                                       /*order=*/0});
}

void Sm90GemmKernel::readParameters(Block *entry) {
  auto number = [&](unsigned i) { return b.number(entry->getArgument(i)); };
  m = number(index.m);
  n = number(index.n);
  k = number(index.k);
  batches = batched ? number(index.batch) : b.number(1);
  sourceA = {config.loadA, entry->getArgument(index.a),
             problem.transposeA ? m : k, problem.transposeA ? k : m, Number()};
  sourceB = {config.loadB, entry->getArgument(index.b),
             problem.transposeB ? k : n, problem.transposeB ? n : k, Number()};
  if (config.loadA == MatrixAccess::Threads)
    sourceA.stride = number(index.lda);
  if (config.loadB == MatrixAccess::Threads)
    sourceB.stride = number(index.ldb);
  result = entry->getArgument(index.d);
  if (config.storeD == MatrixAccess::Threads && !split)
    resultStride = number(index.ldd);
  if (!split)
    for (unsigned i = 0; i < epilogue.operands.size(); ++i)
      operands.push_back(entry->getArgument(index.operands + i));
  if (config.cluster > 1)
    rank = sm90::rankInCluster(b);
  thread = sm90::threadId(b) % 128;
  warpgroup = sm90::threadId(b) / 128;
}

void Sm90GemmKernel::layOutSharedMemory(StringRef name) {
  Value memory = LLVM::AddressOfOp::create(b, b.pointer(3), name);
  int64_t offset = 0;
  auto take = [&](int64_t bytes) {
    Value part = b.advance(memory, offset);
    offset += bytes;
    return part;
  };
  memoryA = take(config.stages * tileA.bytes());
  memoryB = take(config.stages * tileB.bytes());
  bool stages = split || config.storeD == MatrixAccess::Tma;
  staging = take(stages ? config.consumers() * kStagingBytes : 0);
  barriers = take(2 * 8 * config.stages);
  assert(offset == getSharedMemoryBytes(problem, config) &&
         "shared memory as announced");
}

void Sm90GemmKernel::emitSetup(PipelineRing &ring) {
  b.branch(sm90::threadId(b) == 0,
           [&] { ring.initialise(byThreads() ? 128 : 1, config.consumers()); });
  if (config.cluster > 1)
    sm90::clusterBarrier(b, /*aligned=*/true);
  else
    sm90::blockBarrier(b);
}

void Sm90GemmKernel::emit(StringRef name, int64_t multiprocessors) {
  std::string memory = (name + "_memory").str();
  LLVM::GlobalOp::create(b, LLVM::LLVMArrayType::get(b.getI8Type(), 0),
                         /*isConstant=*/false, LLVM::Linkage::External, memory,
                         Attribute(), /*alignment=*/1024, /*addrSpace=*/3);
  auto func = createKernel(name, multiprocessors);
  OpBuilder::InsertionGuard guard(b);
  Block *entry = func.addEntryBlock(b);
  b.setInsertionPointToStart(entry);
  readParameters(entry);
  layOutSharedMemory(memory);
  PipelineRing ring(b, barriers, config.stages, config.cluster);
  emitSetup(ring);
  b.branch(
      warpgroup == 0, [&] { emitProducer(ring); }, [&] { emitConsumer(ring); });
  // Not aligned: in a producer warp one lane comes later than the others.
  if (config.cluster > 1)
    sm90::clusterBarrier(b, /*aligned=*/false);
  LLVM::ReturnOp::create(b, ValueRange());
}

//===----------------------------------------------------------------------===//
// The producer
//===----------------------------------------------------------------------===//

SmallVector<Value> Sm90GemmKernel::emitLoads(PipelineRing &ring, WorkItem item,
                                             Number k, ValueRange carried) {
  PipelineRing::Position position = ring.at(carried);
  ring.waitUntilEmpty(position);
  Value full = ring.full(position.slot);
  Value slotA = b.advance(memoryA, position.slot * tileA.bytes());
  Value slotB = b.advance(memoryB, position.slot * tileB.bytes());
  Number row = rowOf(item), column = columnOf(item), depth = k * config.tileK;
  Value batch = batched ? Value(item.batch) : Value();
  auto loadByTma = [&] {
    int64_t bytes = (config.loadA == MatrixAccess::Tma ? tileA.bytes() : 0) +
                    (config.loadB == MatrixAccess::Tma ? tileB.bytes() : 0);
    if (byThreads())
      sm90::expect(b, full, bytes);
    else
      sm90::arriveAndExpect(b, full, bytes);
    if (config.loadA == MatrixAccess::Tma)
      tileA.loadByTma(b, sourceA, slotA, row, depth, batch, full, Value());
    if (config.loadB == MatrixAccess::Threads)
      return;
    Value everyBlock;
    if (config.cluster > 1) {
      // This block's share of B, for all.
      everyBlock = arith::ConstantOp::create(
          b, b.getI16IntegerAttr((1 << config.cluster) - 1));
      column = column + rank * (config.tileN / config.cluster);
      slotB = b.advance(slotB, rank * halfB.bytes());
    }
    halfB.loadByTma(b, sourceB, slotB, column, depth, batch, full, everyBlock);
  };
  if (!byThreads()) {
    loadByTma();
    return ring.next(position);
  }
  if (byTma())
    b.branch(thread == 0, loadByTma);
  Number matrix = batched ? item.batch : b.number(0);
  if (config.loadA == MatrixAccess::Threads)
    tileA.loadByThreads(b, sourceA, slotA, row, depth, matrix, thread, 128);
  if (config.loadB == MatrixAccess::Threads)
    tileB.loadByThreads(b, sourceB, slotB, column, depth, matrix, thread, 128);
  sm90::fenceForAsyncProxy(b);
  sm90::arrive(b, full);
  return ring.next(position);
}

void Sm90GemmKernel::emitProducer(PipelineRing &ring) {
  // Together with the consumers' share: the registers of the block's launch.
  sm90::decreaseRegisters(b, byThreads() ? 104 : 40);
  auto walk = [&] {
    scheduler().forEach(walker(), walkers(), ring.producerStart(),
                        [&](WorkItem item, ValueRange position) {
                          StageRange stages = stagesOf(item);
                          return b.loop(
                              stages.first, stages.last, b.number(1), position,
                              [&](Number k, ValueRange position) {
                                return emitLoads(ring, item, k, position);
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

SmallVector<Value> Sm90GemmKernel::emitProducts(PipelineRing &ring,
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

void Sm90GemmKernel::emitResult(WorkItem item, Value accumulators) {
  Number consumer = warpgroup - 1;
  ResultSlab slab{consumer,
                  thread,
                  accumulators,
                  config.tileN,
                  rowOf(item) + consumer * 64,
                  columnOf(item),
                  Value()};
  Number firstRow = batched ? item.batch * m : b.number(0);
  EpilogueShape shape{m, n, firstRow, problem.n % 2 == 0};
  if (split) {
    // The parts of a batch lie one below the other in the workspace.
    int64_t rowsPerTile = config.tileM * config.cluster;
    Number part = item.batch * config.splitK + item.part;
    Number workspaceRow = part * (ceilDiv(m, rowsPerTile) * rowsPerTile);
    GemmEpilogue none;
    EpilogueBuilder builder(b, none, {}, shape, b.getF32Type());
    return storeByTma(b, slab, builder, b.getF32Type(), result, staging,
                      config.consumers(), workspaceRow);
  }
  EpilogueBuilder builder(b, epilogue, operands, shape, problem.d);
  if (config.storeD == MatrixAccess::Threads)
    return storeByThreads(b, slab, builder, shape, result, resultStride,
                          problem.strideOfD() % 2 == 0);
  if (batched)
    slab.batch = item.batch;
  storeByTma(b, slab, builder, problem.d, result, staging, config.consumers(),
             b.number(0));
}

void Sm90GemmKernel::emitConsumer(PipelineRing &ring) {
  if (config.consumers() == 1)
    sm90::increaseRegisters(b, byThreads() ? 152 : 216);
  else
    sm90::increaseRegisters(b, byThreads() ? 200 : 232);
  scheduler().forEach(walker(), walkers(), ring.consumerStart(),
                      [&](WorkItem item, ValueRange position) {
                        Value accumulators;
                        SmallVector<Value> next = emitProducts(
                            ring, stagesOf(item), position, accumulators);
                        emitResult(item, accumulators);
                        return next;
                      });
  if (split || config.storeD == MatrixAccess::Tma)
    b.branch(thread == 0, [&] { sm90::waitStores(b, 0, /*read=*/false); });
}

//===----------------------------------------------------------------------===//
// The module
//===----------------------------------------------------------------------===//

gpu::GPUModuleOp
mlir::amp::emitSm90Gemm(OpBuilder &builder, Location loc, StringRef name,
                        const GemmProblem &problem, const GemmConfig &config,
                        const GemmEpilogue &epilogue, int64_t multiprocessors) {
  auto module = gpu::GPUModuleOp::create(builder, loc, name);
  module->setAttr("amp.problem",
                  describeGemm(builder, problem, config, epilogue));
  DeviceBuilder b(loc, builder);
  b.setInsertionPointToStart(module.getBody());
  Sm90GemmKernel(b, problem, config, epilogue).emit(name, multiprocessors);
  if (config.splitK > 1)
    emitSplitKReduction(b, (name + "_reduce").str(), problem, config, epilogue,
                        multiprocessors);
  return module;
}
