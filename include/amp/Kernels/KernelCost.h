//===- KernelCost.h - What a kernel is expected to take ---------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A roofline with tiles: from a problem, a configuration and the rates of a
// chip to the time that a kernel should take, and which resource it waits for.
// It exists to choose among configurations, so it needs to order them rightly
// more than to be right; docs/Rationale/Kernels.md has the model's equations
// and the origin of each number, of which several are fitted to what our
// kernels took on an H100.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_KERNELS_KERNELCOST_H
#define AMP_KERNELS_KERNELCOST_H

#include "amp/Kernels/AttentionProblem.h"
#include "amp/Kernels/ConvolutionProblem.h"
#include "amp/Kernels/EpilogueWork.h"
#include "amp/Kernels/GemmConfig.h"
#include "mlir/IR/Builders.h"

namespace mlir::amp {

/// Which resource a kernel waits for most.
enum class KernelBound {
  Latency,
  Arithmetic,
  SharedMemory,
  L2,
  Memory,
  Epilogue
};

StringRef stringifyKernelBound(KernelBound bound);

struct KernelCost {
  /// Multiplications and additions of the problem.
  double flops = 0;
  /// Bytes that must pass between memory and chip: each matrix once.
  double bytes = 0;
  /// Bytes that are expected to: what the L2 cache loses before other tiles
  /// read it too comes again.
  double traffic = 0;
  /// Tiles, and blocks that run at a time; without slots, a kernel that has no
  /// tiles of a product.
  int64_t items = 0, slots = 0;
  /// Cycles of one stage of one tile on a multiprocessor of its own.
  double tensorCycles = 0, sharedCycles = 0, l2Cycles = 0;
  /// Instructions of the epilogue for each element, and cycles that they take
  /// a tile.
  double epilogueInstructions = 0, epilogueCycles = 0;
  /// Time of all kernels of the problem, with their launches.
  double seconds = 0;
  /// What the chip's arithmetic could do at most with these types, FLOP/s.
  double peak = 0;
  KernelBound bound = KernelBound::Latency;

  bool hasTiles() const { return slots != 0; }
  /// Rounds in which tiles are computed; the last may be partly empty.
  double waves() const { return slots ? double(items) / double(slots) : 0; }
  /// The share of slots that have a tile, over all rounds.
  double waveEfficiency() const;
  double shareOfPeak() const {
    return seconds > 0 ? flops / seconds / peak : 0;
  }
};

/// The cost of one product by our kernel, with its epilogue.
KernelCost estimateGemm(const GemmProblem &problem, const GemmConfig &config,
                        const EpilogueWork &epilogue = {});

/// Rows of tiles that are walked together so that least of A and B comes from
/// memory more than once; the default unless others bring clearly less.
int64_t chooseRasterGroup(const GemmProblem &problem, const GemmConfig &config);

/// The cost of a depthwise convolution, or one of its gradients, by our kernel:
/// what memory and plain arithmetic take, without tiles. Not fitted to
/// measurements.
KernelCost estimateDepthwise(const ConvolutionProblem &problem,
                             const Chip &chip,
                             const EpilogueWork &epilogue = {});

/// The cost of an attention, or of its gradients: of all of its kernels.
KernelCost estimateAttention(const AttentionProblem &problem, const Chip &chip);

/// `amp.cost` of a gpu.module: what was chosen and what is expected of it (see
/// the pass convert-linalg-to-tensor-core). Kernels without tiles of a product
/// have no `config`.
DictionaryAttr describeCost(Builder &b, const Chip &chip,
                            const KernelCost &cost,
                            const GemmConfig *config = nullptr);

/// Seconds of a kernel that moves so many bytes between memory and chip and
/// reads what the one before it wrote.
double estimateMemoryPass(double bytes, const Chip &chip);

/// Seconds of one product by a kernel with one thread for each element of D,
/// what a contraction gets that no kernel of ours takes. A fusion group may
/// have the epilogue, too.
double estimatePlainGemm(const GemmProblem &problem, const Chip &chip,
                         const EpilogueWork &epilogue = {});

} // namespace mlir::amp

#endif // AMP_KERNELS_KERNELCOST_H
