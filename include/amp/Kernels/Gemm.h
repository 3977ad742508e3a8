//===- Gemm.h - A matrix product and how to compute it ----------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// D = epilogue(A * B) as plain data: what is asked for (GemmProblem), how a
// kernel computes it (GemmConfig), and the rules that both obey. Nothing here
// knows an instruction; the emitters read it, and so does whoever chooses among
// them.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_KERNELS_GEMM_H
#define AMP_KERNELS_GEMM_H

#include "amp/Kernels/Schedule.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Diagnostics.h"

namespace mlir::amp {

/// D[M][N] = A * B for each of `batch` independent matrices.
struct GemmProblem {
  /// A has M x K elements, B has K x N. Zero is a legal size.
  int64_t m = 0, n = 0, k = 0;
  int64_t batch = 1;
  /// Not 0: so many products in one. Each has a run of the rows of A and D, as
  /// many as memory says when the kernel runs, and its own B.
  int64_t groups = 0;
  /// f16 and bf16 (both the same), f8E4M3FN and f8E5M2 (also mixed).
  Type a, b;
  /// f16, bf16 or f32. Sums are f32 always.
  Type d;
  /// A is stored [K][M] instead of [M][K].
  bool transposeA = false;
  /// B is stored [N][K] instead of [K][N].
  bool transposeB = false;
  /// Elements from one stored row to the next; 0 means that rows are dense.
  int64_t lda = 0, ldb = 0, ldd = 0;

  /// The stored row length of each matrix.
  int64_t rowOfA() const { return transposeA ? m : k; }
  int64_t rowOfB() const { return transposeB ? k : n; }
  int64_t strideOfA() const { return lda ? lda : rowOfA(); }
  int64_t strideOfB() const { return ldb ? ldb : rowOfB(); }
  int64_t strideOfD() const { return ldd ? ldd : n; }
};

/// The problem that is left when operands are copied, transposed, by a kernel
/// before the product's: those of 8 bits that are not stored with K innermost,
/// in rows that are multiples of 16 bytes apart.
GemmProblem getCopiedProblem(const GemmProblem &problem);

/// The parameters of one kernel.
struct GemmConfig {
  /// Set together, by setChip.
  const Chip *chip = nullptr;
  const Schedule *schedule = nullptr;
  /// Part of D that a block computes at a time, and depth of one stage.
  int64_t tileM = 128, tileN = 128, tileK = 0;
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
    bool extra = schedule->loader == Schedule::Loader::Warpgroup;
    return schedule->unitThreads * units() + (extra ? 128 : 0);
  }
  /// Blocks that shall run on a multiprocessor at a time: two of a small tile,
  /// where the chip has the shared memory for their shortest rings.
  int64_t blocksPerMultiprocessor() const;
};

/// Bytes of one element.
int64_t getElementBytes(Type type);

/// Whether TMA and asynchronous copies can address rows that are `stride`
/// elements of `type` apart.
bool isTmaStride(int64_t stride, Type type);

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

#endif // AMP_KERNELS_GEMM_H
