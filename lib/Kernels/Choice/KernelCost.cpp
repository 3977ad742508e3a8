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
// its epilogue; a slot takes its tiles one after the other. Memory serves all
// slots at once, so it bounds the whole.
//
//===----------------------------------------------------------------------===//

#include "amp/Kernels/KernelCost.h"

#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <cmath>

using namespace mlir;
using namespace mlir::amp;

/// Bytes of shared memory that a multiprocessor reads or writes in a cycle.
static constexpr double kSharedBytes = 128;
/// Of the Tensor Cores' and the memory's peak, what long runs keep up.
static constexpr double kSustainedTensor = 0.8, kSustainedMemory = 0.9;
/// Cycles from the request of a stage to its arrival.
static constexpr double kLatency = 600;
/// Cycles of a block before its first stage, and of a tile beside its stages.
static constexpr double kBlockCycles = 500, kTileCycles = 300;
/// Seconds from the end of one kernel to the start of the next.
static constexpr double kLaunch = 3e-6;
/// A thread for each element: operations of a multiprocessor in a cycle (a warp
/// loads two words for 32 products), and cycles of one step of K.
static constexpr double kPlainRate = 32, kPlainStep = 4;

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

static double getBytes(const GemmProblem &problem) {
  double a = double(problem.m) * problem.k * getElementBytes(problem.a);
  double b = double(problem.k) * problem.n * getElementBytes(problem.b);
  return (a + b) * problem.batch +
         getResultElements(problem) * getElementBytes(problem.d);
}

/// Operations that a multiprocessor does in a cycle on the problem's types.
static double getPeakRate(const GemmProblem &problem, const ChipRates &rates) {
  if (problem.a.isF32())
    return rates.plain;
  return getElementBytes(problem.a) == 1 ? rates.eight : rates.half;
}

/// The share of it that the kernel's instructions reach.
static double getInstructionShare(const GemmProblem &problem,
                                  const GemmConfig &config) {
  if (problem.a.isF32())
    return 1;
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
  cost.peak = rate * multiprocessors * rates.clock;
  cost.items = getWorkItems(problem, config) * config.cluster;
  cost.slots =
      rates.multiprocessors / config.cluster * config.cluster * resident;
  if (cost.items == 0) {
    cost.seconds = kLaunch;
    return cost;
  }

  // One stage.
  cost.tensorCycles = 2.0 * config.tileM * config.tileN * config.tileK /
                      (rate * getInstructionShare(problem, config));
  cost.sharedCycles = getSharedBytes(config) / kSharedBytes;
  cost.l2Cycles =
      128.0 * (config.tileM + double(config.tileN) / config.cluster) / l2;
  // Blocks of one multiprocessor share it.
  double sharers = std::min<double>(
      resident, std::ceil(double(cost.items) / multiprocessors));
  double throughput =
      std::max({cost.tensorCycles, cost.sharedCycles, cost.l2Cycles}) * sharers;
  double latency = kLatency / config.stages;
  double stage = std::max(throughput, latency);

  // One tile.
  double stages = std::ceil(double(problem.k) / config.tileK / config.splitK);
  bool split = config.splitK > 1;
  double written = double(config.tileM) * config.tileN *
                   (split ? 4 : getElementBytes(problem.d));
  double read = split ? 0
                      : double(operandBytes) / getResultElements(problem) *
                            config.tileM * config.tileN;
  double tile = kTileCycles + stages * stage + (written + read) * sharers / l2;

  // One slot.
  double rounds = std::ceil(cost.waves());
  double compute = (kBlockCycles + kLatency + rounds * tile) / rates.clock;
  double memory = cost.bytes / (rates.memory * kSustainedMemory);
  cost.seconds = kLaunch + std::max(compute, memory);
  if (split) {
    // The workspace is written and read through the L2 cache.
    double workspace = 2.0 * 4 * config.splitK *
                       getPaddedRows(problem, config) * problem.n *
                       problem.batch;
    cost.seconds += kLaunch + workspace / (rates.l2 * rates.clock) +
                    (kBlockCycles + kLatency) / rates.clock;
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
  result.set("tile", b.getDenseI64ArrayAttr(
                         {config.tileM, config.tileN, config.tileK}));
  number("stages", config.stages);
  number("cluster", config.cluster);
  number("split_k", config.splitK);
  real("flops", cost.flops);
  real("bytes", cost.bytes);
  real("waves", cost.waves());
  real("wave_efficiency", cost.waveEfficiency());
  real("tensor_cycles", cost.tensorCycles);
  real("shared_cycles", cost.sharedCycles);
  real("l2_cycles", cost.l2Cycles);
  real("seconds", cost.seconds);
  real("share_of_peak", cost.shareOfPeak());
  result.set("bound", b.getStringAttr(stringifyKernelBound(cost.bound)));
  return result.getDictionary(b.getContext());
}

double mlir::amp::estimatePlainGemm(const GemmProblem &problem,
                                    const Chip &chip) {
  const ChipRates &rates = chip.rates;
  double compute =
      getFlops(problem) / (kPlainRate * rates.multiprocessors * rates.clock);
  double chain = problem.k * kPlainStep / rates.clock;
  double memory = getBytes(problem) / (rates.memory * kSustainedMemory);
  return kLaunch + (kBlockCycles + kLatency) / rates.clock +
         std::max({compute, chain, memory});
}
