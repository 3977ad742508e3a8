//===- GemmConfig.cpp - How a kernel computes a product -------------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sizes that follow from a problem and a configuration, and the rules. A stage
// is 128 bytes of K deep whatever the element type: that is the widest swizzle
// of TMA and of the Tensor Cores, and one swizzle serves all operands.
//
//===----------------------------------------------------------------------===//

#include "amp/Kernels/GemmConfig.h"

#include "amp/Support/ShapedBytes.h"

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::amp;

/// Bytes of one row of a tile in shared memory.
static constexpr int64_t kSwizzleBytes = 128;
/// The shortest ring with which two blocks are planned for a multiprocessor:
/// one slot is read, one waited for, one in flight.
static constexpr int64_t kShortRing = 3;
/// A barrier in shared memory.
static constexpr int64_t kBarrierBytes = 8;

/// A product that stays at the largest number instead of wrapping round.
static int64_t multiply(int64_t x, int64_t y) {
  int64_t product;
  return llvm::MulOverflow(x, y, product) ? INT64_MAX : product;
}

static int64_t getStageBytes(const GemmConfig &config) {
  return (config.tileM + config.tileN) * kSwizzleBytes;
}

int64_t mlir::amp::getSharedMemoryBytes(const GemmProblem &problem,
                                        const GemmConfig &config) {
  const Schedule &schedule = *config.schedule;
  bool staged = schedule.storer == Schedule::Storer::CopyEngine &&
                (config.storeD == MatrixAccess::Tma || config.splitK > 1);
  int64_t staging = staged ? config.units() * schedule.stagingBytes : 0;
  int64_t slot = getStageBytes(config) + schedule.slotBarriers * kBarrierBytes;
  return config.stages * slot + staging;
}

int64_t mlir::amp::getPaddedRows(const GemmProblem &problem,
                                 const GemmConfig &config) {
  if (problem.groups)
    return (problem.m / config.tileM + problem.groups) * config.tileM;
  return llvm::alignTo(problem.m, config.tileM * config.cluster);
}

int64_t mlir::amp::getWorkItems(const GemmProblem &problem,
                                const GemmConfig &config) {
  int64_t rows =
      getPaddedRows(problem, config) / (config.tileM * config.cluster);
  int64_t columns = llvm::divideCeil(problem.n, config.tileN);
  return multiply(multiply(rows, columns), problem.batch * config.splitK);
}

/// What each of several blocks may take. The system keeps a kilobyte of each
/// block for itself.
static int64_t getSharedMemoryShare(const Chip &chip, int64_t blocks) {
  return (chip.limits.sharedMemory + 1024) / blocks - 1024;
}

int64_t GemmConfig::blocksPerMultiprocessor() const {
  bool fits = std::max(stages, kShortRing) * getStageBytes(*this) <=
              getSharedMemoryShare(*chip, 2);
  return tileM * tileN < 128 * 128 && fits ? 2 : 1;
}

/// What a block may take so that as many blocks run on a multiprocessor as the
/// emitter plans for.
static int64_t getSharedMemoryBudget(const GemmConfig &config) {
  return getSharedMemoryShare(*config.chip, config.blocksPerMultiprocessor());
}

void mlir::amp::chooseGemmAccess(const GemmProblem &problem,
                                 GemmConfig &config) {
  GemmProblem read = getCopiedProblem(problem);
  auto choose = [](int64_t stride, ArrayRef<int64_t> batchStrides, Type type,
                   MatrixAccess aligned) {
    return isTmaStride(stride, type) && areTmaStrides(batchStrides, type)
               ? aligned
               : MatrixAccess::Threads;
  };
  MatrixAccess load = config.schedule->alignedLoad;
  config.loadA =
      choose(read.strideOfA(), problem.batchStridesA, problem.a, load);
  config.loadB =
      choose(read.strideOfB(), problem.batchStridesB, problem.b, load);
  // A box of the copy engine would reach into the next group.
  config.storeD = problem.groups
                      ? MatrixAccess::Threads
                      : choose(problem.strideOfD(), problem.batchStridesD,
                               problem.d, config.schedule->alignedStore());
}

void mlir::amp::completeGemmConfig(const GemmProblem &problem,
                                   GemmConfig &config) {
  if (!config.tileK)
    config.tileK = kSwizzleBytes / getElementBytes(problem.a);
  if (!config.stages) {
    const int64_t budget = getSharedMemoryBudget(config);
    config.stages = 1;
    GemmConfig more = config;
    while (++more.stages <= GemmConfig::kMaxStages &&
           getSharedMemoryBytes(problem, more) <= budget)
      config.stages = more.stages;
  }
}

static LogicalResult verifyTypes(const GemmProblem &problem,
                                 const GemmConfig &config,
                                 function_ref<InFlightDiagnostic()> emitError) {
  auto isEight = [](Type type) {
    return isa<Float8E4M3FNType, Float8E5M2Type>(type);
  };
  bool sixteen = isa<Float16Type, BFloat16Type>(problem.a);
  bool plain = problem.a.isF32() && problem.b.isF32() &&
               config.schedule->takes(problem.a);
  bool tf32 = isa<FloatTF32Type>(problem.a) && problem.a == problem.b;
  if (!(sixteen && problem.a == problem.b) && !plain && !tf32 &&
      !(isEight(problem.a) && isEight(problem.b)))
    return emitError()
           << "expected operands of type f16, of type bf16, of type tf32, or "
              "each of type f8E4M3FN or f8E5M2, but got "
           << problem.a << " and " << problem.b << "; cast one of them";
  if (!config.schedule->takes(problem.a))
    return emitError()
           << "expected operands of type f16, bf16, f32 or tf32 for "
           << config.chip->name << ", but got " << problem.a
           << "; cast them, or use 'chip=sm_90a'";
  if (!isa<Float16Type, BFloat16Type, Float32Type>(problem.d))
    return emitError() << "expected a result of type f16, bf16 or f32, but got "
                       << problem.d << "; cast it after the product";
  if (tf32 && config.schedule->instruction == ProductInstruction::Wgmma &&
      (problem.transposeA || !problem.transposeB))
    return emitError()
           << "expected layout 'nt' for operands of type tf32, because wgmma "
              "reads 32 bits with K innermost only, but got '"
           << (problem.transposeA ? 't' : 'n')
           << (problem.transposeB ? 't' : 'n')
           << "'; transpose the operands first, or use 'chip=sm_90'";
  return success();
}

static LogicalResult verifySizes(const GemmProblem &problem,
                                 function_ref<InFlightDiagnostic()> emitError) {
  for (auto [name, size] : {std::pair("m", problem.m),
                            {"n", problem.n},
                            {"k", problem.k},
                            {"batch", problem.batch}})
    // Tiles are rounded up in 32 bits.
    if (size < 0 || size > INT32_MAX - 1024)
      return emitError() << "expected '" << name
                         << "' from 0 to 2147482623, but got " << size;
  for (auto [name, stride, row] :
       {std::tuple("lda", problem.strideOfA(), problem.rowOfA()),
        {"ldb", problem.strideOfB(), problem.rowOfB()},
        {"ldd", problem.strideOfD(), problem.n}})
    if (stride < row || stride > INT32_MAX)
      return emitError() << "expected '" << name << "' from the row length "
                         << row << " to 2147483647, but got " << stride;
  return success();
}

/// Whether matrices of D that are stored so share no element: each loop steps
/// over all that those inside it reach.
static bool isInjective(const GemmProblem &problem) {
  SmallVector<std::pair<int64_t, int64_t>> loops{
      {1, problem.n}, {problem.strideOfD(), problem.m}};
  for (auto [size, stride] :
       llvm::zip_equal(problem.batchShape, problem.batchStridesD))
    loops.push_back({stride, size});
  llvm::sort(loops);
  int64_t reached = 0;
  for (auto [stride, size] : loops) {
    if (size > 1 && stride <= reached)
      return false;
    reached += (size - 1) * stride;
  }
  return true;
}

/// The rules of loops over a batch.
static LogicalResult
verifyBatchLoops(const GemmProblem &problem,
                 function_ref<InFlightDiagnostic()> emitError) {
  ArrayRef<int64_t> shape = problem.batchShape;
  if (shape.size() > GemmProblem::kMaxBatchLoops)
    return emitError() << "expected 'batch-shape' of at most "
                       << GemmProblem::kMaxBatchLoops
                       << " loops, as many as a tensor map has room for, but "
                          "got "
                       << shape.size();
  for (auto [name, strides, isRead] :
       {std::tuple("batch-strides-a", ArrayRef(problem.batchStridesA), true),
        {"batch-strides-b", ArrayRef(problem.batchStridesB), true},
        {"batch-strides-d", ArrayRef(problem.batchStridesD), false}}) {
    if (strides.size() != shape.size())
      return emitError() << "expected '" << name << "' to have a stride for "
                         << "each of the " << shape.size()
                         << " loops of 'batch-shape', but got "
                         << strides.size();
    for (int64_t stride : strides)
      if (stride < (isRead ? 0 : 1) || stride > INT32_MAX)
        return emitError() << "expected strides from " << (isRead ? 0 : 1)
                           << " to 2147483647 in '" << name << "', but got "
                           << stride;
  }
  if (shape.empty())
    return success();
  int64_t matrices = 1;
  for (int64_t size : shape) {
    if (size < 1)
      return emitError() << "expected sizes of at least 1 in 'batch-shape', "
                            "but got "
                         << size;
    matrices = multiply(matrices, size);
  }
  if (matrices != problem.batch)
    return emitError() << "expected loops over as many matrices as 'batch', "
                       << problem.batch << ", but 'batch-shape' has "
                       << matrices;
  if (getElementBytes(problem.a) == 1 &&
      (problem.transposeA || !problem.transposeB))
    return emitError() << "expected layout 'nt' for a batch of 8 bits with "
                          "strides of its own, because other layouts are "
                          "copied first; use it, or leave out 'batch-shape'";
  if (!isInjective(problem))
    return emitError() << "expected matrices of D that share no element, but "
                          "'batch-strides-d' makes them overlap";
  return success();
}

static LogicalResult
verifyAccess(const GemmProblem &problem, const GemmConfig &config,
             function_ref<InFlightDiagnostic()> emitError) {
  for (auto [name, access, stride, batchStrides, type] :
       {std::tuple("A", config.loadA, problem.strideOfA(),
                   ArrayRef(problem.batchStridesA), problem.a),
        {"B", config.loadB, problem.strideOfB(),
         ArrayRef(problem.batchStridesB), problem.b},
        {"D", config.storeD, problem.strideOfD(),
         ArrayRef(problem.batchStridesD), problem.d}}) {
    if (access == MatrixAccess::Threads)
      continue;
    StringRef by = config.schedule->alignedLoad == MatrixAccess::Tma
                       ? "TMA"
                       : "asynchronous copies";
    if (!isTmaStride(stride, type))
      return emitError() << "expected rows of " << name
                         << " to be multiples of 16 bytes for " << by
                         << ", but got " << stride * getElementBytes(type)
                         << " bytes; pad the rows, or use 'access=auto'";
    for (int64_t step : batchStrides)
      if (!isTmaStride(step, type))
        return emitError() << "expected matrices of " << name
                           << " to be multiples of 16 bytes apart for " << by
                           << ", but got " << step * getElementBytes(type)
                           << " bytes; pad them, or use 'access=auto'";
  }
  if (config.cluster > 1 &&
      (config.loadA != MatrixAccess::Tma || config.loadB != MatrixAccess::Tma))
    return emitError()
           << "expected TMA for A and B in a cluster, because nothing else "
              "reaches the other block; pad rows to multiples of 16 bytes, or "
              "use 'cluster=1'";
  // Where N is innermost a box has 128 bytes of it, however few are asked for.
  int64_t share = config.tileN / config.cluster;
  if (config.cluster > 1 && !problem.transposeB &&
      share * getElementBytes(problem.b) < kSwizzleBytes)
    return emitError() << "expected each block of a cluster to load "
                       << kSwizzleBytes << " bytes of N or more, which is "
                       << "innermost in B, but got " << share
                       << " elements; use a wider tile, or 'cluster=1'";
  return success();
}

/// The rules of groups, whose rows begin anywhere.
static LogicalResult
verifyGroups(const GemmProblem &problem, const GemmConfig &config,
             function_ref<InFlightDiagnostic()> emitError) {
  if (problem.groups < 0 || problem.groups > 65536)
    return emitError() << "expected 'groups' from 0 to 65536, but got "
                       << problem.groups;
  if (!problem.groups)
    return success();
  if (problem.transposeA)
    return emitError() << "expected layout 'nn' or 'nt' for groups, whose rows "
                          "begin anywhere, but got 't"
                       << (problem.transposeB ? 't' : 'n')
                       << "'; transpose A first";
  if (problem.batch != 1 || config.splitK != 1 || config.cluster != 1)
    return emitError() << "expected 'batch', 'split-k' and 'cluster' to be 1 "
                          "for groups, but got "
                       << problem.batch << ", " << config.splitK << " and "
                       << config.cluster;
  if (!problem.batchShape.empty())
    return emitError() << "expected no 'batch-shape' for groups, whose "
                          "matrices follow one another";
  if (config.storeD == MatrixAccess::Tma)
    return emitError() << "expected D of groups to be stored by threads, "
                          "because a box of TMA reaches into the next group; "
                          "use 'access=auto'";
  return success();
}

/// The tile is one of the schedule's. One that f32 alone cannot have is refused
/// for f32, any other for the chip.
static LogicalResult verifyTile(const GemmProblem &problem,
                                const GemmConfig &config,
                                function_ref<InFlightDiagnostic()> emitError) {
  auto isTile = [&](Schedule::Tile tile) {
    return config.tileM == tile.m && config.tileN == tile.n;
  };
  ArrayRef<Schedule::Tile> tiles = config.schedule->tiles;
  if (llvm::any_of(tiles, isTile))
    return success();
  Type half = Float16Type::get(problem.a.getContext());
  ArrayRef<Schedule::Tile> ofHalf = getSchedule(*config.chip, half).tiles;
  bool forOperands = llvm::any_of(ofHalf, isTile);
  if (!forOperands)
    tiles = ofHalf;
  InFlightDiagnostic error = emitError() << "expected tile ";
  for (auto [i, tile] : llvm::enumerate(tiles))
    error << (i == 0                  ? ""
              : i + 1 == tiles.size() ? " or "
                                      : ", ")
          << tile.m << "x" << tile.n;
  if (forOperands)
    error << " for operands of type f32";
  else if (config.schedule->allLoad())
    error << " for " << config.chip->name;
  return error << ", but got " << config.tileM << "x" << config.tileN;
}

LogicalResult
mlir::amp::verifyGemm(const GemmProblem &problem, const GemmConfig &config,
                      function_ref<InFlightDiagnostic()> emitError) {
  if (failed(verifyTypes(problem, config, emitError)) ||
      failed(verifySizes(problem, emitError)) ||
      failed(verifyBatchLoops(problem, emitError)))
    return failure();
  const Schedule &schedule = *config.schedule;
  if (failed(verifyTile(problem, config, emitError)))
    return failure();
  int64_t depth = kSwizzleBytes / getElementBytes(problem.a);
  if (config.tileK != depth)
    return emitError() << "expected a tile " << depth << " deep, which is 128 "
                       << "bytes of K in " << problem.a << ", but got "
                       << config.tileK;
  if (config.cluster != 1 && config.cluster != 2)
    return emitError() << "expected 'cluster' to be 1 or 2, but got "
                       << config.cluster;
  if (config.cluster > schedule.maxCluster)
    return emitError() << "expected 'cluster' to be 1 for " << config.chip->name
                       << ", but got " << config.cluster;
  if (schedule.allLoad() && config.stages < schedule.minStages)
    return emitError() << "expected 'stages' from " << schedule.minStages
                       << " to " << GemmConfig::kMaxStages << " for "
                       << config.chip->name
                       << ", so that a copy is in flight while the kernel "
                          "waits for another, but got "
                       << config.stages;
  if (config.stages < schedule.minStages ||
      config.stages > GemmConfig::kMaxStages)
    return emitError() << "expected 'stages' from 2 to "
                       << GemmConfig::kMaxStages << ", but got "
                       << config.stages;
  if (config.splitK < 1 || config.splitK > 64)
    return emitError() << "expected 'split-k' from 1 to 64, but got "
                       << config.splitK;
  if (config.rasterGroup < 1)
    return emitError() << "expected 'raster-group' to be at least 1, but got "
                       << config.rasterGroup;
  int64_t bytes = getSharedMemoryBytes(problem, config);
  int64_t limit = config.chip->limits.sharedMemory;
  if (bytes > limit)
    return emitError() << "expected at most " << limit
                       << " bytes of shared memory, but tile " << config.tileM
                       << "x" << config.tileN << " with " << config.stages
                       << " stages takes " << bytes << "; use at most "
                       << config.stages -
                              llvm::divideCeil(bytes - limit,
                                               getStageBytes(config))
                       << " stages";
  if (getWorkItems(problem, config) > INT32_MAX)
    return emitError() << "expected at most 2147483647 tiles, but got "
                       << getWorkItems(problem, config)
                       << "; split the product";
  // The second kernel numbers pairs of elements in 32 bits.
  int64_t elements = multiply(multiply(problem.batch, problem.m), problem.n);
  if (config.splitK > 1 && elements > INT32_MAX)
    return emitError() << "expected at most 2147483647 elements of D with a "
                          "split K, but got "
                       << elements << "; use 'split-k=1'";
  if (failed(verifyGroups(problem, config, emitError)))
    return failure();
  return verifyAccess(getCopiedProblem(problem), config, emitError);
}
