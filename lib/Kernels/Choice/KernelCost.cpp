//===- KernelCost.cpp - What a kernel is expected to take -----------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A stage of a tile takes as long as the slowest of Tensor Cores, shared memory
// and the multiprocessor's part of the L2 cache; a tile takes its stages, then
// the instructions of its epilogue and what that reads and writes; a slot takes
// its tiles one after the other. Rows that no copy engine takes are loaded by
// threads, which wait for them. Memory serves all slots at once, so it bounds
// the whole, and delays it where the two are close; it brings A and B again
// where tiles that share them are walked too far apart for the L2 cache. The
// constants are fitted to what was measured on an H100.
//
//===----------------------------------------------------------------------===//

#include "amp/Kernels/KernelCost.h"

#include "amp/Support/ShapedBytes.h"

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <cmath>

using namespace mlir;
using namespace mlir::amp;

/// Bytes of shared memory that a multiprocessor reads or writes in a cycle.
static constexpr double kSharedBytes = 128;
/// Of the Tensor Cores' and the memory's peak, what long runs keep up.
static constexpr double kSustainedTensor = 0.8, kSustainedMemory = 0.9;
/// The same of f32's peak without Tensor Cores: operands pass through shared
/// memory and registers.
static constexpr double kSustainedPlain = 0.61;
/// Cycles from the request of a stage to its arrival while all multiprocessors
/// ask, and of the first one of a block.
static constexpr double kLatency = 2300, kFirstLatency = 600;
/// Cycles of a block before its first stage, of a tile beside its stages, and
/// of a cluster, whose blocks start and end together.
static constexpr double kBlockCycles = 500, kTileCycles = 300,
                        kClusterCycles = 2000;
/// Of the bytes that the other block of a cluster brings, what it spares the L2
/// cache: the rest costs the way from there.
static constexpr double kMulticastGain = 0.5;
/// Seconds from the end of one kernel to the start of the next, and to that of
/// one which reads its results.
static constexpr double kLaunch = 1.5e-6, kDependentLaunch = 2.5e-6;
/// What the workspace of a split K costs of the L2 cache's time, which it
/// passes once in each direction.
static constexpr double kWorkspacePasses = 3;
/// What an element costs of the L2 cache that a thread stores by itself, in
/// bytes: where rows of D are no multiple of 16 bytes.
static constexpr double kThreadStoreBytes = 54;
/// Cycles between the loads of 16 bytes that a thread has in flight, element by
/// element, and its next ones, for which it waits: where rows of A or B are no
/// multiple of 16 bytes. Convolutions of 3 channels on an H100 take 660 forward
/// (33.6 TFLOP/s) and 900 for their filters' gradients (9.0 TFLOP/s).
static constexpr double kThreadChunk = 700;
/// Of the L2 cache, what holds rows of A and columns of B for tiles to come:
/// each half of an H100's keeps what the other half's multiprocessors read,
/// too.
static constexpr double kKeptShare = 0.5;
/// Another raster has to bring less than this share of the default's bytes.
static constexpr double kClearlyLess = 0.95;
/// A thread for each element: operations of a multiprocessor in a cycle (a warp
/// loads two words for 32 products), and cycles of one step of K, which waits
/// for what it loads (178 to 209 on an H100).
static constexpr double kPlainRate = 32, kPlainStep = 180;
/// Of the f32 lanes' instructions, what an epilogue's warps issue: two or four
/// of a scheduler, each waiting for its last one. An estimate.
static constexpr double kEpilogueShare = 0.6;
/// Cycles from one tile of an attention to the block's next while one or two
/// blocks of a multiprocessor wait for products, exponentials and copies: the
/// six attentions of `gpt_mid` at O2, with their gradients, took 112 us on an
/// H100.
static constexpr double kAttentionTile = 2570;

StringRef mlir::amp::stringifyKernelBound(KernelBound bound) {
  switch (bound) {
  case KernelBound::Latency:
    return "latency";
  case KernelBound::Arithmetic:
    return "arithmetic";
  case KernelBound::SharedMemory:
    return "shared memory";
  case KernelBound::L2:
    return "l2";
  case KernelBound::Memory:
    return "memory";
  case KernelBound::Epilogue:
    return "epilogue";
  }
  llvm_unreachable("unknown bound");
}

double KernelCost::waveEfficiency() const {
  return items ? waves() / std::ceil(waves()) : 0;
}

static double getFlops(const GemmProblem &problem) {
  return 2.0 * problem.m * problem.n * problem.k * problem.batch;
}

static double getResultElements(const GemmProblem &problem) {
  return double(problem.m) * problem.n * problem.batch;
}

/// With A and B so many times.
static double getBytes(const GemmProblem &problem, double timesA = 1,
                       double timesB = 1) {
  double a = double(problem.m) * problem.k * getElementBytes(problem.a);
  double b = double(problem.k) * problem.n * getElementBytes(problem.b);
  return timesA * a * problem.matricesOfA() +
         timesB * b * problem.matricesOfB() +
         getResultElements(problem) * getElementBytes(problem.d);
}

/// Blocks that run at a time.
static int64_t getSlots(const GemmConfig &config) {
  return config.chip->rates.multiprocessors / config.cluster * config.cluster *
         config.blocksPerMultiprocessor();
}

/// Bytes that come from memory and go there. A group of rows of tiles is walked
/// column by column, so its rows of A are read again by each wave, and all of B
/// by each group, unless the L2 cache still has them.
static double countTraffic(const GemmProblem &problem,
                           const GemmConfig &config) {
  double rows = std::ceil(double(problem.m) / (config.tileM * config.cluster));
  double columns = std::ceil(double(problem.n) / config.tileN);
  double atATime = double(getSlots(config)) / config.cluster;
  double group = std::min(double(config.rasterGroup), rows);
  double together =
      std::min(rows, std::max(group, std::floor(atATime / columns)));
  double depth = std::ceil(double(problem.k) / config.splitK);
  double panel =
      std::min(together * config.tileM * config.cluster, double(problem.m)) *
      depth * getElementBytes(problem.a);
  double matrix = depth * problem.n * getElementBytes(problem.b);
  double kept = kKeptShare * config.chip->rates.l2Bytes;
  double timesA =
      panel <= kept ? 1 : std::ceil(std::max(1.0, group * columns / atATime));
  double timesB = panel + matrix <= kept ? 1 : std::ceil(rows / together);
  return getBytes(problem, timesA, timesB);
}

int64_t mlir::amp::chooseRasterGroup(const GemmProblem &problem,
                                     const GemmConfig &config) {
  GemmConfig candidate = config;
  candidate.rasterGroup = GemmConfig().rasterGroup;
  int64_t best = candidate.rasterGroup;
  double least = kClearlyLess * countTraffic(problem, candidate);
  for (int64_t group : {4, 16, 2, 32, 1, 64, 128}) {
    candidate.rasterGroup = group;
    double traffic = countTraffic(problem, candidate);
    if (traffic < least) {
      best = group;
      least = traffic;
    }
  }
  return best;
}

/// Operations that a multiprocessor does in a cycle on the problem's types.
static double getPeakRate(const GemmProblem &problem, const ChipRates &rates) {
  if (problem.a.isF32())
    return rates.plain;
  if (isa<FloatTF32Type>(problem.a))
    return rates.half / 2;
  return getElementBytes(problem.a) == 1 ? rates.eight : rates.half;
}

/// The share of it that the kernel's instructions reach.
static double getInstructionShare(const GemmProblem &problem,
                                  const GemmConfig &config) {
  if (problem.a.isF32())
    return kSustainedPlain;
  return kSustainedTensor *
         (config.schedule->instruction == ProductInstruction::MmaSync
              ? config.chip->rates.warpShare
              : 1);
}

/// Bytes that pass between shared memory and a multiprocessor for one stage of
/// a tile. Each unit that multiplies reads its rows of A and its columns of B.
/// Where they load too, their copies into shared memory are stores like any
/// other. Each row of a stage is 128 bytes.
static double getSharedBytes(const GemmConfig &config) {
  double read = 128.0 * config.unitsM() * config.unitsN() *
                (double(config.tileM) / config.unitsM() +
                 double(config.tileN) / config.unitsN());
  if (!config.schedule->allLoad())
    return read;
  return read + 128.0 * (config.tileM + config.tileN);
}

/// Cycles of a stage that its loaders wait for what they load element by
/// element. Each row of it is eight times 16 bytes.
static double getThreadLoadCycles(const GemmConfig &config) {
  double chunks = 0;
  if (config.loadA == MatrixAccess::Threads)
    chunks += 8.0 * config.tileM;
  if (config.loadB == MatrixAccess::Threads)
    chunks += 8.0 * config.tileN;
  const int64_t loaders = config.schedule->allLoad()
                              ? config.threads()
                              : config.schedule->loaderThreads;
  return std::ceil(chunks / loaders) * kThreadChunk;
}

/// What writing a tile costs of the L2 cache, in bytes.
static double getWrittenBytes(const GemmProblem &problem,
                              const GemmConfig &config) {
  double elements = double(config.tileM) * config.tileN;
  if (config.splitK > 1)
    return 4 * elements;
  // Kernels whose threads store anyway do so in rows of a warp.
  if (config.schedule->allLoad() || config.storeD != MatrixAccess::Threads ||
      problem.groups)
    return getElementBytes(problem.d) * elements;
  return kThreadStoreBytes * double(std::min(config.tileM, problem.m)) *
         double(std::min(config.tileN, problem.n));
}

/// Seconds of a kernel whose blocks take `compute` while memory takes `memory`:
/// the larger of both, and more where they are close.
static double combine(double compute, double memory) {
  return kLaunch +
         std::cbrt(compute * compute * compute + memory * memory * memory);
}

/// Cycles that a multiprocessor takes for the epilogue of so many elements.
static double getEpilogueCycles(const EpilogueWork &epilogue, double elements,
                                const ChipRates &rates) {
  double lanes = rates.plain / 2; // of two operations
  return elements * epilogue.instructions / (lanes * kEpilogueShare);
}

/// Seconds that all multiprocessors take for it together.
static double getEpilogueSeconds(const EpilogueWork &epilogue, double elements,
                                 const ChipRates &rates) {
  return getEpilogueCycles(epilogue, elements, rates) /
         (rates.multiprocessors * rates.clock);
}

KernelCost mlir::amp::estimateGemm(const GemmProblem &problem,
                                   const GemmConfig &config,
                                   const EpilogueWork &epilogue) {
  const ChipRates &rates = config.chip->rates;
  double multiprocessors = rates.multiprocessors;
  double rate = getPeakRate(problem, rates);
  int64_t resident = config.blocksPerMultiprocessor();
  double l2 = rates.l2 / multiprocessors;

  KernelCost cost;
  cost.flops = getFlops(problem);
  cost.bytes = getBytes(problem) + epilogue.bytes;
  cost.traffic = countTraffic(problem, config) + epilogue.bytes;
  cost.epilogueInstructions = epilogue.instructions;
  cost.peak = rate * multiprocessors * rates.clock;
  cost.items = getWorkItems(problem, config) * config.cluster;
  cost.slots = getSlots(config);
  if (cost.items == 0) {
    cost.seconds = kLaunch;
    return cost;
  }

  // One stage.
  cost.tensorCycles = 2.0 * config.tileM * config.tileN * config.tileK /
                      (rate * getInstructionShare(problem, config));
  cost.sharedCycles = getSharedBytes(config) / kSharedBytes;
  double brought = double(config.tileN) * (config.cluster - 1) / config.cluster;
  cost.l2Cycles =
      128.0 * (config.tileM + config.tileN - kMulticastGain * brought) / l2;
  // Blocks of one multiprocessor share it.
  double sharers = std::min<double>(
      resident, std::ceil(double(cost.items) / multiprocessors));
  double throughput =
      std::max({cost.tensorCycles, cost.sharedCycles, cost.l2Cycles}) * sharers;
  double latency =
      std::max(kLatency / config.stages, getThreadLoadCycles(config));
  double stage = std::max(throughput, latency);

  // One tile.
  double stages = std::ceil(double(problem.k) / config.tileK / config.splitK);
  bool split = config.splitK > 1;
  double written = getWrittenBytes(problem, config);
  double read = split ? 0
                      : double(epilogue.bytes) / getResultElements(problem) *
                            config.tileM * config.tileN;
  // With parts of K it is the reduction's.
  if (!split)
    cost.epilogueCycles =
        getEpilogueCycles(epilogue, double(config.tileM) * config.tileN, rates);
  double tile = kTileCycles + stages * stage +
                (cost.epilogueCycles + (written + read) / l2) * sharers;

  // One slot.
  double rounds = std::ceil(cost.waves());
  double start =
      kBlockCycles + kFirstLatency + (config.cluster > 1 ? kClusterCycles : 0);
  double compute = (start + rounds * tile) / rates.clock;
  double memory = cost.traffic / (rates.memory * kSustainedMemory);
  cost.seconds = combine(compute, memory);
  if (split) {
    double workspace = 2.0 * 4 * config.splitK *
                       getPaddedRows(problem, config) * problem.n *
                       problem.batch;
    cost.seconds += kDependentLaunch +
                    kWorkspacePasses * workspace / (rates.l2 * rates.clock) +
                    (kBlockCycles + kFirstLatency) / rates.clock;
    cost.seconds +=
        getEpilogueSeconds(epilogue, getResultElements(problem), rates);
  }

  if (memory > compute)
    cost.bound = KernelBound::Memory;
  else if (rounds * cost.epilogueCycles * sharers / rates.clock >
           cost.seconds / 2)
    cost.bound = KernelBound::Epilogue;
  else if (latency > throughput ||
           rounds * stages * stage / rates.clock < cost.seconds / 2)
    cost.bound = KernelBound::Latency;
  else if (cost.tensorCycles >= std::max(cost.sharedCycles, cost.l2Cycles))
    cost.bound = KernelBound::Arithmetic;
  else
    cost.bound = cost.sharedCycles >= cost.l2Cycles ? KernelBound::SharedMemory
                                                    : KernelBound::L2;
  return cost;
}

KernelCost mlir::amp::estimateDepthwise(const ConvolutionProblem &problem,
                                        const Chip &chip,
                                        const EpilogueWork &epilogue) {
  const ChipRates &rates = chip.rates;
  KernelCost cost;
  cost.flops = 2.0 * problem.outputPixels() * problem.filters * problem.taps();
  std::array<double, 3> elements = {
      double(problem.inputPixels()) * problem.channels,
      double(problem.filters) * problem.taps(),
      double(problem.outputPixels()) * problem.filters};
  // All operands but the result, whichever that is, have one type.
  double result = elements[problem.kind == ConvolutionKind::Forward        ? 2
                           : problem.kind == ConvolutionKind::DataGradient ? 0
                                                                           : 1];
  cost.bytes = (elements[0] + elements[1] + elements[2] - result) *
                   getElementBytes(problem.a) +
               result * getElementBytes(problem.d) + epilogue.bytes;
  cost.traffic = cost.bytes;
  cost.peak = rates.plain * rates.multiprocessors * rates.clock;
  cost.epilogueInstructions = epilogue.instructions;
  double epilogueSeconds = getEpilogueSeconds(epilogue, result, rates);
  double compute = (kBlockCycles + kFirstLatency) / rates.clock +
                   cost.flops / (kSustainedPlain * cost.peak) + epilogueSeconds;
  double memory = cost.bytes / (rates.memory * kSustainedMemory);
  cost.seconds = combine(compute, memory);
  // The sums of its blocks are added by a kernel of its own.
  if (problem.kind == ConvolutionKind::WeightGradient)
    cost.seconds += kDependentLaunch;
  if (memory > compute)
    cost.bound = KernelBound::Memory;
  else if (epilogueSeconds > cost.seconds / 2)
    cost.bound = KernelBound::Epilogue;
  else if (compute > cost.seconds / 2)
    cost.bound = KernelBound::Arithmetic;
  return cost;
}

namespace {
/// What a block of an attention does with each tile of 64 queries and 64 keys.
struct AttentionLoop {
  /// Products of 64 x 64 x depth.
  int64_t products;
  /// Instructions of a warp, and more of them for each element of a row, as
  /// ptxas 13.0 makes them of heads of 16 to 128.
  double instructions, perElement;
  /// Whether blocks have keys and walk over queries.
  bool byKeys;
};
} // namespace

static constexpr AttentionLoop kAttentionForward = {2, 290, 2.3, false};
static constexpr AttentionLoop kAttentionBackward[] = {{3, 290, 2.67, false},
                                                       {4, 365, 3.35, true}};

KernelCost mlir::amp::estimateAttention(const AttentionProblem &problem,
                                        const Chip &chip) {
  constexpr int64_t tile = 64;
  const ChipRates &rates = chip.rates;
  const double heads = double(problem.batch) * problem.heads,
               queries = heads * problem.rows * problem.depth,
               keys = heads * problem.columns * problem.depth;
  const bool isForward = problem.kind == AttentionKind::Forward;
  KernelCost cost;
  // Q and what is like it, K and V; of a backward pass the gradients too.
  cost.bytes = getElementBytes(problem.type) *
               (isForward ? 2 * queries + 2 * keys : 4 * queries + 4 * keys);
  if (!isForward || problem.keepsSums)
    cost.bytes += 2 * 4 * heads * problem.rows;
  if (problem.mask == AttentionMask::Additive)
    cost.bytes += double(problem.maskElements) *
                  getElementBytes(problem.maskType) * (isForward ? 1 : 2);
  cost.traffic = cost.bytes;
  cost.peak = rates.half * rates.multiprocessors * rates.clock;
  if (queries == 0 || keys == 0) {
    cost.seconds = kLaunch;
    return cost;
  }

  double compute = 0, waits = 0;
  auto addKernel = [&](const AttentionLoop &loop) {
    double own = loop.byKeys ? problem.columns : problem.rows,
           other = loop.byKeys ? problem.rows : problem.columns;
    double blocks = heads * std::ceil(own / tile);
    double longest = std::ceil(other / tile);
    // Of a causal mask's tiles those on the diagonal and below it.
    double tiles =
        problem.mask == AttentionMask::Causal ? (longest + 1) / 2 : longest;
    double flops = 2.0 * loop.products * tile * tile * problem.depth;
    cost.flops += blocks * tiles * flops;
    double tensor = flops / (rates.half * kSustainedTensor * rates.warpShare);
    // Four warps, one on each scheduler.
    double issued =
        (loop.instructions + loop.perElement * problem.depth) / kEpilogueShare;
    double busy = blocks * tiles * std::max(tensor, issued) /
                  std::min<double>(blocks, rates.multiprocessors);
    double slots =
        double(rates.multiprocessors) * problem.blocksPerMultiprocessor();
    double waiting =
        std::max(longest, std::ceil(blocks / slots) * tiles) * kAttentionTile;
    compute +=
        (kBlockCycles + kFirstLatency + std::max(busy, waiting)) / rates.clock;
    waits += std::max(0.0, waiting - busy) / rates.clock;
  };
  if (isForward)
    addKernel(kAttentionForward);
  else
    for (const AttentionLoop &loop : kAttentionBackward)
      addKernel(loop);
  double memory = cost.traffic / (rates.memory * kSustainedMemory);
  cost.seconds = combine(compute, memory);
  if (!isForward)
    cost.seconds += kDependentLaunch;
  if (memory > compute)
    cost.bound = KernelBound::Memory;
  else if (waits == 0)
    cost.bound = KernelBound::Arithmetic;
  return cost;
}

DictionaryAttr mlir::amp::describeCost(Builder &b, const Chip &chip,
                                       const KernelCost &cost,
                                       const GemmConfig *config) {
  NamedAttrList result;
  auto number = [&](StringRef name, int64_t value) {
    result.set(name, b.getI64IntegerAttr(value));
  };
  auto real = [&](StringRef name, double value) {
    result.set(name, b.getF64FloatAttr(value));
  };
  result.set("chip", b.getStringAttr(chip.name));
  if (config && cost.hasTiles()) {
    result.set("tile", b.getDenseI64ArrayAttr(
                           {config->tileM, config->tileN, config->tileK}));
    number("stages", config->stages);
    number("cluster", config->cluster);
    number("split_k", config->splitK);
    number("raster_group", config->rasterGroup);
    real("waves", cost.waves());
    real("wave_efficiency", cost.waveEfficiency());
    real("tensor_cycles", cost.tensorCycles);
    real("shared_cycles", cost.sharedCycles);
    real("l2_cycles", cost.l2Cycles);
    real("epilogue_cycles", cost.epilogueCycles);
  }
  real("epilogue_instructions", cost.epilogueInstructions);
  real("flops", cost.flops);
  real("bytes", cost.bytes);
  real("traffic", cost.traffic);
  real("seconds", cost.seconds);
  real("share_of_peak", cost.shareOfPeak());
  result.set("bound", b.getStringAttr(stringifyKernelBound(cost.bound)));
  return result.getDictionary(b.getContext());
}

double mlir::amp::estimateMemoryPass(double bytes, const Chip &chip) {
  return kDependentLaunch + bytes / (chip.rates.memory * kSustainedMemory);
}

double mlir::amp::estimatePlainGemm(const GemmProblem &problem,
                                    const Chip &chip,
                                    const EpilogueWork &epilogue) {
  const ChipRates &rates = chip.rates;
  double compute =
      getFlops(problem) / (kPlainRate * rates.multiprocessors * rates.clock);
  double chain = problem.k * kPlainStep / rates.clock;
  double memory = getBytes(problem) / (rates.memory * kSustainedMemory);
  return kLaunch + (kBlockCycles + kFirstLatency) / rates.clock +
         getEpilogueSeconds(epilogue, getResultElements(problem), rates) +
         std::max({compute, chain, memory});
}
