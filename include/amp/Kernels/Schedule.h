//===- Schedule.h - Who does what in a main loop ----------------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A main loop brings tiles of A and B through a ring of slots in shared memory,
// multiplies them, and stores the sums. Who loads, who multiplies and with
// what, who stores, how a slot passes from one to the other and in how many
// turns is said here as data, one row for each way in which kernels are made:
//
//   schedule    loads                    multiplies             stores
//   warpgroups  a warpgroup, by TMA      warpgroups, wgmma      boxes of TMA
//   warps       all, by cp.async         warps, mma.sync        each its part
//   threads     all, by cp.async         threads, plain f32     each its part
//
// Rules, sizes, costs and emitters ask a schedule what it has, and no chip
// which schedule it is: a new one is a row, and a main loop where none has its
// roles.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_KERNELS_SCHEDULE_H
#define AMP_KERNELS_SCHEDULE_H

#include "amp/Kernels/Chip.h"
#include "mlir/IR/Types.h"

namespace mlir::amp {

/// How the elements of a matrix reach shared memory, or leave it.
enum class MatrixAccess {
  Tma,     ///< by the copy engine: rows lie on multiples of 16 bytes
  Async,   ///< by asynchronous copies of 16 bytes: rows as for TMA
  Threads, ///< by ordinary loads and stores, element by element
};

/// The instruction that products are made of.
enum class ProductInstruction {
  Wgmma,   ///< of a warpgroup: Tensor Cores that read shared memory
  MmaSync, ///< of a warp: Tensor Cores that read registers
  Fma,     ///< of a thread
};

/// The main loop that knows a schedule's roles.
enum class MainLoopKind {
  Warpgroups, ///< some load, others multiply, slots by barriers
  Warps,      ///< all load and multiply
};

struct Schedule {
  /// A tile's rows, or its columns, in parts: `count` of any length, or as many
  /// as there are of length `size`. The other is 0.
  struct Division {
    int64_t count, size;
    int64_t partsOf(int64_t extent) const {
      return count ? count : extent / size;
    }
  };
  struct Tile {
    int64_t m, n;
  };
  enum class Storer {
    CopyEngine, ///< boxes that those who multiply leave in shared memory
    Everyone,   ///< each its part, from registers or through the ring
  };
  /// Kinds of operands, as bits.
  enum Operand : unsigned {
    Half = 1 << 0,  ///< f16, bf16
    Eight = 1 << 1, ///< f8E4M3FN, f8E5M2
    Tf32 = 1 << 2,
    F32 = 1 << 3,
  };

  /// As keys of kernels have it: no two are alike.
  StringRef name;
  MainLoopKind loop;
  /// What a chip must have, bits of Chip::Feature.
  unsigned needs;
  /// What it multiplies, bits of Operand.
  unsigned operands;

  /// Threads that load and do nothing else. Without them all that multiply
  /// load, ahead of what they read.
  int64_t loaderThreads;
  /// How rows on multiples of 16 bytes are loaded; others by threads.
  MatrixAccess alignedLoad;
  /// Barriers that hand a slot over: when it is full, and when it is empty.
  /// Without them all threads meet at the block's.
  int64_t slotBarriers;

  ProductInstruction instruction;
  /// Who multiplies comes in units of so many threads, each of which has one
  /// part of the tile along M and along N.
  int64_t unitThreads;
  Division rows, columns;
  /// Tiles of D that a block has in work at a time, each with units of its own.
  int64_t turns;

  Storer storer;
  /// Shared memory of a unit for what the copy engine stores.
  int64_t stagingBytes;

  /// The shortest ring.
  int64_t minStages;
  /// Blocks that can share tiles of B.
  int64_t maxCluster;
  /// Largest first: between equals they read less.
  ArrayRef<Tile> tiles;

  bool takes(Type operand) const;
  /// Those who multiply load.
  bool allLoad() const { return loaderThreads == 0; }
  /// How D is stored where its rows lie on multiples of 16 bytes.
  MatrixAccess alignedStore() const {
    return storer == Storer::CopyEngine ? MatrixAccess::Tma
                                        : MatrixAccess::Threads;
  }
};

/// How products of `operand`s are computed on a chip, unless something else is
/// said or chosen.
const Schedule &getSchedule(const Chip &chip, Type operand);

/// From what there is to choose on a chip: that one, and all others with its
/// instruction whose needs the chip has.
SmallVector<const Schedule *> getSchedules(const Chip &chip, Type operand);

/// The rows of the table.
ArrayRef<const Schedule *> getSchedules();

} // namespace mlir::amp

#endif // AMP_KERNELS_SCHEDULE_H
