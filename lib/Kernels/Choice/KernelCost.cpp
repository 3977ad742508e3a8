//===- KernelCost.cpp - What a kernel is expected to take -----------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A stage of a tile takes as long as the slowest of Tensor Cores, shared memory
// and the multiprocessor's part of the L2 cache; a tile takes its stages and
// its epilogue; a slot takes its tiles one after the other. Rows that no copy
// engine takes are loaded by threads, which wait for them. Memory serves all
// slots at once, so it bounds the whole, and delays it where the two are close;
// it brings A and B again where tiles that share them are walked too far apart
// for the L2 cache.
// The constants are fitted to what was measured on an H100.
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

KernelCost mlir::amp::estimateGemm(const GemmProblem &problem,
                                   const GemmConfig &config,
                                   int64_t operandBytes) {
  const ChipRates &rates = config.chip->rates;
  double multiprocessors = rates.multiprocessors;
  double rate = getPeakRate(problem, rates);
  int64_t resident = config.blocksPerMultiprocessor();
  double l2 = rates.l2 / multiprocessors;

  KernelCost cost;
  cost.flops = getFlops(problem);
  cost.bytes = getBytes(problem) + operandBytes;
  cost.traffic = countTraffic(problem, config) + operandBytes;
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
                      : double(operandBytes) / getResultElements(problem) *
                            config.tileM * config.tileN;
  double tile = kTileCycles + stages * stage + (written + read) * sharers / l2;

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
  }

  if (memory > compute)
    cost.bound = KernelBound::Memory;
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
                                        int64_t operandBytes) {
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
               result * getElementBytes(problem.d) + operandBytes;
  cost.traffic = cost.bytes;
  cost.peak = rates.plain * rates.multiprocessors * rates.clock;
  double compute = (kBlockCycles + kFirstLatency) / rates.clock +
                   cost.flops / (kSustainedPlain * cost.peak);
  double memory = cost.bytes / (rates.memory * kSustainedMemory);
  cost.seconds = combine(compute, memory);
  // The sums of its blocks are added by a kernel of its own.
  if (problem.kind == ConvolutionKind::WeightGradient)
    cost.seconds += kDependentLaunch;
  if (memory > compute)
    cost.bound = KernelBound::Memory;
  else if (compute > cost.seconds / 2)
    cost.bound = KernelBound::Arithmetic;
  return cost;
}

DictionaryAttr mlir::amp::describeCost(Builder &b, const GemmConfig &config,
                                       const KernelCost &cost) {
  NamedAttrList result;
  auto number = [&](StringRef name, int64_t value) {
    result.set(name, b.getI64IntegerAttr(value));
  };
  auto real = [&](StringRef name, double value) {
    result.set(name, b.getF64FloatAttr(value));
  };
  result.set("chip", b.getStringAttr(config.chip->name));
  if (cost.hasTiles()) {
    result.set("tile", b.getDenseI64ArrayAttr(
                           {config.tileM, config.tileN, config.tileK}));
    number("stages", config.stages);
    number("cluster", config.cluster);
    number("split_k", config.splitK);
    number("raster_group", config.rasterGroup);
    real("waves", cost.waves());
    real("wave_efficiency", cost.waveEfficiency());
    real("tensor_cycles", cost.tensorCycles);
    real("shared_cycles", cost.sharedCycles);
    real("l2_cycles", cost.l2Cycles);
  }
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
                                    const Chip &chip) {
  const ChipRates &rates = chip.rates;
  double compute =
      getFlops(problem) / (kPlainRate * rates.multiprocessors * rates.clock);
  double chain = problem.k * kPlainStep / rates.clock;
  double memory = getBytes(problem) / (rates.memory * kSustainedMemory);
  return kLaunch + (kBlockCycles + kFirstLatency) / rates.clock +
         std::max({compute, chain, memory});
}
