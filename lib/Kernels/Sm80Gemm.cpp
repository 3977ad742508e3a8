//===- Sm80Gemm.cpp - Matrix products for sm_80 and later -----------------===//
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
// A stage is four steps, 16 of K each. The operands of a step are loaded into
// registers while the step before is multiplied. So the first operands of stage
// k + 1 are loaded during the last step of stage k, and right before that the
// threads wait for the stage's group and meet at a barrier: the copies of all
// of them are visible then, and nobody reads slot k any more, which the next
// turn fills.
//
// Copies outside the matrices write zeros, and a stage past the last is outside
// altogether. So the loop needs no case for the end: it loads zeros that nobody
// multiplies.
//
// Products of f32 use the same ring, and plain arithmetic in place of matrix
// instructions.
//
//===----------------------------------------------------------------------===//

#include "amp/Kernels/Sm80Gemm.h"

#include "KernelSignature.h"
#include "OperandTile.h"
#include "ResultStore.h"
#include "SplitKReduction.h"
#include "ThreadProducts.h"
#include "TileScheduler.h"

using namespace mlir;
using namespace mlir::amp;

/// How often the 16 of K of one instruction are in a stage of 128 bytes.
static constexpr int64_t kStepsPerStage = 4;
/// What one instruction computes.
static constexpr int64_t kRows = 16, kColumns = 8;

namespace {
class Sm80GemmKernel {
public:
  Sm80GemmKernel(DeviceBuilder &b, const GemmProblem &problem,
                 const GemmConfig &config, const GemmEpilogue &epilogue)
      : b(b), problem(problem), config(config), epilogue(epilogue),
        tileA(problem.a, config.tileM, problem.transposeA),
        tileB(problem.b, config.tileN, !problem.transposeB),
        split(config.splitK > 1), batched(problem.batch > 1) {}

  void emit(StringRef name, int64_t multiprocessors);

private:
  /// Indices of the kernel's parameters.
  struct Parameters {
    unsigned a, b, d, operands, m, n, k, batch, lda, ldb, ldd;
  };
  using Values = SmallVector<Value>;

  LLVM::LLVMFuncOp createKernel(StringRef name, int64_t multiprocessors);
  void readParameters(Block *entry);
  OperandSource source(MatrixAccess access, Value pointer, Number inner,
                       Number outer, Number stride, int64_t row, Type type);
  void emitLoads(WorkItem item, Number stage, Number slot);
  Values loadFragments(Number slot, int64_t step);
  void multiply(Values &sums, ArrayRef<Value> fragments);
  Values emitProducts(WorkItem item);
  Values emitPlainProducts(WorkItem item);
  ThreadProducts threadProducts();
  void emitResult(WorkItem item, ArrayRef<Value> sums);

  TileScheduler scheduler() {
    return {b,
            {config.tileM, config.tileN, config.rasterGroup, config.splitK},
            m,
            n,
            batches};
  }
  /// The stages of K that belong to a work item.
  StageRange stagesOf(WorkItem item) {
    return getStages(b, item, ceilDiv(k, config.tileK), config.splitK);
  }
  Number next(Number slot) {
    Number after = slot + 1;
    return b.select(after == config.stages, b.number(0), after);
  }

  /// A warp's part of the tile, and its instructions along M and N.
  int64_t warpRows() const { return config.tileM / config.warpsM(); }
  int64_t warpColumns() const { return config.tileN / config.warpsN(); }
  int64_t instructionsM() const { return warpRows() / kRows; }
  int64_t instructionsN() const { return warpColumns() / kColumns; }
  bool plain() const { return problem.a.isF32(); }
  int64_t sumCount() const { return instructionsM() * instructionsN() * 4; }

  DeviceBuilder &b;
  const GemmProblem &problem;
  const GemmConfig &config;
  const GemmEpilogue &epilogue;
  OperandTile tileA, tileB;
  bool split, batched;

  Parameters index = {};
  OperandSource sourceA, sourceB;
  Value result;
  Number resultStride;
  SmallVector<Value> operands;
  Number m, n, k, batches;
  Value memoryA, memoryB;
  Number thread, lane, warpRow, warpColumn;
};
} // namespace

//===----------------------------------------------------------------------===//
// The function
//===----------------------------------------------------------------------===//

LLVM::LLVMFuncOp Sm80GemmKernel::createKernel(StringRef name,
                                              int64_t multiprocessors) {
  KernelSignature signature(b);
  auto elements = [&](int64_t rows, int64_t stride) {
    return problem.batch * rows * stride;
  };
  // Copies of 16 bytes rely on rows of whole chunks where they found them.
  auto multiple = [&](int64_t size, Type type) {
    return isTmaStride(size, type) ? 16 / getElementBytes(type) : 1;
  };
  index.a =
      signature.addBuffer("a", problem.a,
                          elements(problem.transposeA ? problem.k : problem.m,
                                   problem.strideOfA()));
  index.b =
      signature.addBuffer("b", problem.b,
                          elements(problem.transposeB ? problem.n : problem.k,
                                   problem.strideOfB()));
  if (split)
    index.d = signature.addBuffer("workspace", b.getF32Type(),
                                  getWorkspaceRows(problem, config) *
                                      getWorkspaceColumns(problem));
  else
    index.d = signature.addBuffer("d", problem.d,
                                  elements(problem.m, problem.strideOfD()));
  if (!split)
    index.operands = addEpilogueOperands(signature, problem, epilogue);
  int64_t multipleM = problem.transposeA ? multiple(problem.m, problem.a) : 1;
  int64_t multipleN = problem.transposeB ? 1 : multiple(problem.n, problem.b);
  int64_t multipleK = problem.transposeA && !problem.transposeB
                          ? 1
                          : multiple(problem.k, problem.a);
  index.m = signature.addNumber("m", problem.m, multipleM);
  index.n = signature.addNumber(
      "n", problem.n, std::max<int64_t>(multipleN, problem.n % 2 ? 1 : 2));
  index.k = signature.addNumber("k", problem.k, multipleK);
  if (batched)
    index.batch = signature.addNumber("batch", problem.batch);
  index.lda = signature.addNumber("lda", problem.strideOfA(),
                                  multiple(problem.strideOfA(), problem.a));
  index.ldb = signature.addNumber("ldb", problem.strideOfB(),
                                  multiple(problem.strideOfB(), problem.b));
  if (!split)
    index.ldd = signature.addNumber("ldd", problem.strideOfD(),
                                    problem.strideOfD() % 2 ? 1 : 2);

  int64_t perMultiprocessor = config.blocksPerMultiprocessor();
  int64_t blocks = std::clamp<int64_t>(getWorkItems(problem, config), 1,
                                       multiprocessors * perMultiprocessor);
  return signature.createKernel(name, {blocks, config.threads(),
                                       perMultiprocessor, /*cluster=*/1,
                                       getSharedMemoryBytes(problem, config),
                                       /*order=*/0});
}

OperandSource Sm80GemmKernel::source(MatrixAccess access, Value pointer,
                                     Number inner, Number outer, Number stride,
                                     int64_t row, Type type) {
  return {access, pointer, inner, outer, stride, isTmaStride(row, type)};
}

void Sm80GemmKernel::readParameters(Block *entry) {
  auto number = [&](unsigned i) { return b.number(entry->getArgument(i)); };
  m = number(index.m);
  n = number(index.n);
  k = number(index.k);
  batches = batched ? number(index.batch) : b.number(1);
  sourceA = source(config.loadA, entry->getArgument(index.a),
                   problem.transposeA ? m : k, problem.transposeA ? k : m,
                   number(index.lda), problem.rowOfA(), problem.a);
  sourceB = source(config.loadB, entry->getArgument(index.b),
                   problem.transposeB ? k : n, problem.transposeB ? n : k,
                   number(index.ldb), problem.rowOfB(), problem.b);
  result = entry->getArgument(index.d);
  resultStride = split ? ceilDiv(n, 4) * 4 : number(index.ldd);
  if (!split)
    for (unsigned i = 0; i < epilogue.operands.size(); ++i)
      operands.push_back(entry->getArgument(index.operands + i));
  thread = sm80::threadId(b);
  lane = thread % 32;
  Number warp = thread / 32;
  warpRow = warp % config.warpsM() * warpRows();
  warpColumn = warp / config.warpsM() * warpColumns();
}

void Sm80GemmKernel::emit(StringRef name, int64_t multiprocessors) {
  std::string memory = (name + "_memory").str();
  LLVM::GlobalOp::create(b, LLVM::LLVMArrayType::get(b.getI8Type(), 0),
                         /*isConstant=*/false, LLVM::Linkage::External, memory,
                         Attribute(), /*alignment=*/1024, /*addrSpace=*/3);
  auto func = createKernel(name, multiprocessors);
  OpBuilder::InsertionGuard guard(b);
  Block *entry = func.addEntryBlock(b);
  b.setInsertionPointToStart(entry);
  readParameters(entry);
  memoryA = LLVM::AddressOfOp::create(b, b.pointer(3), memory);
  memoryB = b.advance(memoryA, config.stages * tileA.bytes());
  scheduler().forEach(sm80::blockId(b), sm80::blockCount(b), ValueRange(),
                      [&](WorkItem item, ValueRange) {
                        emitResult(item, plain() ? emitPlainProducts(item)
                                                 : emitProducts(item));
                        return Values();
                      });
  LLVM::ReturnOp::create(b, ValueRange());
}

//===----------------------------------------------------------------------===//
// The main loop
//===----------------------------------------------------------------------===//

/// Copies a stage into a slot, as one group.
void Sm80GemmKernel::emitLoads(WorkItem item, Number stage, Number slot) {
  Number matrix = batched ? item.batch : b.number(0);
  Number depth = stage * config.tileK;
  tileA.loadByThreads(b, sourceA, b.advance(memoryA, slot * tileA.bytes()),
                      item.tileRow * config.tileM, depth, matrix, thread,
                      config.threads());
  tileB.loadByThreads(b, sourceB, b.advance(memoryB, slot * tileB.bytes()),
                      item.tileColumn * config.tileN, depth, matrix, thread,
                      config.threads());
  sm80::commitCopies(b);
}

/// The warp's operands of one step: four registers for each 16 rows, then four
/// for each 16 columns.
SmallVector<Value> Sm80GemmKernel::loadFragments(Number slot, int64_t step) {
  Value slotA = b.advance(memoryA, slot * tileA.bytes());
  Value slotB = b.advance(memoryB, slot * tileB.bytes());
  Values fragments;
  for (int64_t row = 0; row < warpRows(); row += 16)
    fragments.append(
        tileA.loadMatrices(b, slotA, warpRow, row, step, lane,
                           OperandTile::MatrixOrder::PositionFirst));
  for (int64_t column = 0; column < warpColumns(); column += 16)
    fragments.append(tileB.loadMatrices(b, slotB, warpColumn, column, step,
                                        lane,
                                        OperandTile::MatrixOrder::KFirst));
  return fragments;
}

void Sm80GemmKernel::multiply(Values &sums, ArrayRef<Value> fragments) {
  ArrayRef<Value> partB = fragments.drop_front(4 * instructionsM());
  for (int64_t i = 0; i < instructionsM(); ++i)
    for (int64_t j = 0; j < instructionsN(); ++j) {
      int64_t first = (i * instructionsN() + j) * 4;
      Values products = sm80::multiply(b, problem.a, fragments.slice(4 * i, 4),
                                       partB.slice(2 * j, 2),
                                       ArrayRef<Value>(sums).slice(first, 4));
      llvm::copy(products, sums.begin() + first);
    }
}

SmallVector<Value> Sm80GemmKernel::emitProducts(WorkItem item) {
  StageRange stages = stagesOf(item);
  int64_t ahead = config.stages - 1;
  for (int64_t i = 0; i < ahead; ++i)
    emitLoads(item, stages.first + i, b.number(i));
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
                     emitLoads(item, stage + ahead, filled);
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

ThreadProducts Sm80GemmKernel::threadProducts() {
  int64_t warpsM = config.tileM / ThreadProducts::kWarpRows;
  Number warp = thread / 32;
  return {b,
          tileA,
          tileB,
          lane,
          warp % warpsM * ThreadProducts::kWarpRows,
          warp / warpsM * ThreadProducts::kWarpColumns};
}

/// The same ring without Tensor Cores. The wait for a stage comes right before
/// it: a stage takes long enough that no operands need to be loaded ahead.
SmallVector<Value> Sm80GemmKernel::emitPlainProducts(WorkItem item) {
  StageRange stages = stagesOf(item);
  int64_t ahead = config.stages - 1;
  for (int64_t i = 0; i < ahead; ++i)
    emitLoads(item, stages.first + i, b.number(i));
  ThreadProducts products = threadProducts();
  Values carried{b.number(0), b.number(ahead)};
  carried.append(ThreadProducts::kSums, b.zero(b.getF32Type()));
  carried = b.loop(
      stages.first, stages.last, b.number(1), carried,
      [&](Number stage, ValueRange carried) {
        Number slot = b.number(carried[0]), filled = b.number(carried[1]);
        sm80::waitCopies(b, ahead - 1);
        sm80::blockBarrier(b);
        emitLoads(item, stage + ahead, filled);
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

void Sm80GemmKernel::emitResult(WorkItem item, ArrayRef<Value> sums) {
  GemmEpilogue none;
  Number firstRow = batched ? item.batch * m : b.number(0);
  if (split) {
    // The parts of a batch lie one below the other in the workspace.
    Number part = item.batch * config.splitK + item.part;
    firstRow = part * (ceilDiv(m, config.tileM) * config.tileM);
  }
  EpilogueShape shape{m, n, firstRow, problem.n % 2 == 0};
  EpilogueBuilder builder(b, split ? none : epilogue, operands, shape,
                          split ? b.getF32Type() : problem.d);
  bool evenStride = split || problem.strideOfD() % 2 == 0;
  if (plain())
    return threadProducts().store(sums, builder, shape, result, resultStride,
                                  evenStride, item.tileRow * config.tileM,
                                  item.tileColumn * config.tileN);
  // Sixteen rows of a warp lie in its registers as wgmma leaves them.
  int64_t perSlab = instructionsN() * 4;
  SmallVector<Type> types(perSlab, b.getF32Type());
  Type slabType = LLVM::LLVMStructType::getLiteral(b.getContext(), types);
  for (int64_t i = 0; i < instructionsM(); ++i) {
    Value slabSums = LLVM::PoisonOp::create(b, slabType);
    for (int64_t j = 0; j < perSlab; ++j)
      slabSums =
          LLVM::InsertValueOp::create(b, slabSums, sums[i * perSlab + j], j);
    Number row = item.tileRow * config.tileM + warpRow + i * kRows;
    Number column = item.tileColumn * config.tileN + warpColumn;
    ResultSlab slab{b.number(0), lane,   slabSums, warpColumns(),
                    row,         column, Value()};
    storeByThreads(b, slab, builder, shape, result, resultStride, evenStride);
  }
}

//===----------------------------------------------------------------------===//
// The module
//===----------------------------------------------------------------------===//

gpu::GPUModuleOp
mlir::amp::emitSm80Gemm(OpBuilder &builder, Location loc, StringRef name,
                        const GemmProblem &problem, const GemmConfig &config,
                        const GemmEpilogue &epilogue, int64_t multiprocessors) {
  auto module = gpu::GPUModuleOp::create(builder, loc, name);
  DeviceBuilder b(loc, builder);
  b.setInsertionPointToStart(module.getBody());
  Sm80GemmKernel(b, problem, config, epilogue).emit(name, multiprocessors);
  if (config.splitK > 1)
    emitSplitKReduction(b, (name + "_reduce").str(), problem, config, epilogue,
                        multiprocessors);
  return module;
}
