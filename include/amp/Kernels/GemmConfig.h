//===- GemmConfig.h - How a kernel computes a product -----------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The parameters of one kernel: a chip, a schedule, and the numbers that the
// schedule leaves open. What follows from them and a problem is computed here,
// and checked by rules. Nothing here emits an instruction; the emitters read
// it, and so does whoever chooses among them.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_KERNELS_GEMMCONFIG_H
#define AMP_KERNELS_GEMMCONFIG_H

#include "amp/Kernels/GemmProblem.h"
#include "amp/Kernels/Schedule.h"
#include "mlir/IR/Diagnostics.h"

namespace mlir::amp {

/// The parameters of one kernel.
struct GemmConfig {
  /// Set together, by setChip.
  const Chip *chip = nullptr;
  const Schedule *schedule = nullptr;
  /// Part of D that a block computes at a time, and depth of one stage.
  int64_t tileM = 128, tileN = 128, tileK = 0;
  /// The longest ring.
  static constexpr int64_t kMaxStages = 8;
  /// Slots of the ring through which tiles of A and B pass.
  int64_t stages = 0;
  /// Blocks, one above the other in M, that share tiles of B.
  int64_t cluster = 1;
  /// Parts of K that are summed apart and added up by a second kernel.
  int64_t splitK = 1;
  /// Rows of tiles that are walked together, column by column, so that the
  /// tiles in flight share rows of A and columns of B in the L2 cache.
  int64_t rasterGroup = 8;
  MatrixAccess loadA = MatrixAccess::Tma, loadB = MatrixAccess::Tma,
               storeD = MatrixAccess::Tma;

  /// Sets the chip, and its schedule for these operands.
  void setChip(const Chip &target, Type operand) {
    chip = &target;
    schedule = &getSchedule(target, operand);
  }

  /// Units that multiply one tile, along M and along N, and all of a block.
  int64_t unitsM() const { return schedule->rows.partsOf(tileM); }
  int64_t unitsN() const { return schedule->columns.partsOf(tileN); }
  int64_t units() const { return schedule->turns * unitsM() * unitsN(); }
  int64_t threads() const {
    return schedule->unitThreads * units() + schedule->loaderThreads;
  }
  /// Blocks that shall run on a multiprocessor at a time: two of a small tile,
  /// where the chip has the shared memory for their rings, or the shortest ones
  /// while `stages` is 0.
  int64_t blocksPerMultiprocessor() const;
};

/// Dynamic shared memory of the kernel.
int64_t getSharedMemoryBytes(const GemmProblem &problem,
                             const GemmConfig &config);

/// Tiles of D, over all batches and parts of K.
int64_t getWorkItems(const GemmProblem &problem, const GemmConfig &config);

/// Rows of the workspace that one part of K takes: M rounded up to tiles. With
/// groups, the most rows that they can have when each is rounded up.
int64_t getPaddedRows(const GemmProblem &problem, const GemmConfig &config);

/// Uses what the chip has for aligned rows where rows are aligned, else
/// threads.
void chooseGemmAccess(const GemmProblem &problem, GemmConfig &config);

/// Fills in what is 0: the depth of a stage, and as many stages as fit.
void completeGemmConfig(const GemmProblem &problem, GemmConfig &config);

/// Checks the rules of the chip's kernel. Says what is wrong and what to
/// do about it.
LogicalResult verifyGemm(const GemmProblem &problem, const GemmConfig &config,
                         function_ref<InFlightDiagnostic()> emitError);

} // namespace mlir::amp

#endif // AMP_KERNELS_GEMMCONFIG_H
