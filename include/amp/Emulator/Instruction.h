//===- Instruction.h - An instruction as the emulator sees it ---*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The lowering reads an instruction's immediates from its MLIR attributes once
// and keeps them here; at run time the lowered kernel hands over the index of
// the instruction, its operands packed into an argument block, and room for the
// result. Nothing here depends on MLIR, so that tests build instructions by
// hand.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_EMULATOR_INSTRUCTION_H
#define AMP_EMULATOR_INSTRUCTION_H

#include <cstdint>
#include <string>
#include <vector>

namespace amp::emu {

enum class Opcode : uint8_t {
  // Ordinary accesses. Loads and stores happen in the lowered code; these are
  // their checks.
  Access,
  Atomic,
  Fence,
  LocalVariable,
  LoopRound,
  // Collectives of a warp.
  LoadMatrix,
  StoreMatrix,
  MultiplyMatrix,
  Shuffle,
  Vote,
  Reduce,
  Match,
  SyncWarp,
  Elect,
  // Collectives of a warpgroup.
  WarpgroupMultiply,
  WarpgroupFence,
  WarpgroupCommit,
  WarpgroupWait,
  AccumulatorRead,
  // Barriers of a block or cluster.
  Barrier,
  BarrierArrive,
  ClusterArrive,
  ClusterArriveRelaxed,
  ClusterWait,
  // Barriers in shared memory that count arrivals and bytes (mbarrier).
  MBarrierInit,
  MBarrierInvalidate,
  MBarrierArrive,
  MBarrierArriveExpectTx,
  MBarrierExpectTx,
  MBarrierCompleteTx,
  MBarrierWait,
  MBarrierTryWait,
  MBarrierTestWait,
  // Copies.
  CopyAsync,
  CopyCommit,
  CopyWait,
  CopyArrive,
  TensorLoad,
  TensorStore,
  BulkLoad,
  BulkLoadShared,
  BulkStore,
  BulkCommit,
  BulkWait,
  // The rest.
  ProxyFence,
  TensorMapFence,
  MBarrierInitFence,
  MapToCluster,
  SetMaxRegisters,
  Convert,
  PermuteBytes,
  MoveMemory,
  Trap,
  Exit,
  Sleep,
  Nothing,
};

/// Number formats of matrix operands.
enum class Format : uint8_t {
  F16,
  BF16,
  TF32,
  F32,
  F64,
  E4M3,
  E5M2,
  S8,
  U8,
  S32,
};

enum class ShuffleKind : uint8_t { Butterfly, Up, Down, Index };
enum class VoteKind : uint8_t { Any, All, Ballot, Uniform };
enum class MatchKind : uint8_t { Any, All };
/// Of prmt.b32, in the manual's order.
enum class PermuteKind : uint8_t {
  Index,
  Forward4,
  Backward4,
  Replicate8,
  ClampLeft,
  ClampRight,
  Replicate16,
};
/// Of redux.sync, of a barrier with a reduction, and of reducing copies.
enum class ReduceKind : uint8_t {
  None,
  Add,
  And,
  Or,
  Xor,
  Min,
  Max,
  UnsignedMin,
  UnsignedMax,
  FloatMin,
  FloatMax,
  Increment,
  Decrement,
  PopulationCount,
};

/// Of fence.proxy.async: the objects that it orders.
enum class FencedSpace : uint8_t { All, Global, SharedBlock, SharedCluster };

/// How far an ordering reaches.
enum class Scope : uint8_t { Block, Cluster, Device };
constexpr int numScopes = 3;

/// C11 orders, as bits. Total: a fence.sc.
enum MemoryOrder : uint8_t { Relaxed = 0, Acquire = 1, Release = 2, Total = 4 };

/// Why a thread cannot go on.
enum class StopKind : uint8_t {
  Trap,
  Unreachable,
  FalseAssumption,
  DivisionByZero,
  DivisionOverflow
};

/// One instruction of a kernel: what does not change while it runs.
struct Instruction {
  Opcode opcode = Opcode::Nothing;
  std::string name;  // "wgmma.mma_async", for messages
  std::string where; // "gemm.mlir:12:3"

  /// Byte offset of each operand in the argument block.
  std::vector<unsigned> offsets;
  /// Index of the operand that switches the instruction off, or -1.
  int predicate = -1;
  /// Indices of up to three optional operands, in the order of the opcode's
  /// model, or -1.
  int optional[3] = {-1, -1, -1};

  /// The one number most instructions have: matrices of a ldmatrix, bytes of a
  /// cp.async, groups of a wait, coordinates of a tensor copy.
  int number = 0;
  /// The opcode's own enumeration (ShuffleKind, VoteKind, ReduceKind...).
  uint8_t kind = 0;
  Scope scope = Scope::Block;
  uint8_t order = Relaxed;
  bool writes = false;
  /// Accesses: their bytes, and what their address must be a multiple of.
  unsigned bytes = 0, alignment = 1;
  /// Accesses: through a pointer into shared memory.
  bool isShared = false;
  /// Atomic: an ordinary access that is volatile, which takes its turn as
  /// atomics do.
  bool isVolatile = false;
  /// Atomic: it writes, and what was there before matters.
  bool needsOld = false;
  bool transposed = false;
  /// Convert: negative numbers become zero.
  bool relu = false;
  /// Convert: all sources are one operand, the first in its lowest bits.
  /// Otherwise each is one, the highest first.
  bool packed = false;
  /// wait_group.read: sources have been read, results need not be visible.
  bool readOnly = false;
  bool im2col = false;

  // Matrix multiplies.
  int m = 0, n = 0, k = 0;
  Format formatA = Format::F16, formatB = Format::F16,
         formatAccumulator = Format::F32;
  /// wgmma: the operand is contiguous in M or N instead of K.
  bool transposedA = false, transposedB = false;
  bool registersA = false;
  bool zeroAccumulator = false, negateA = false, negateB = false;
  /// Index of the first register operand of B and of the accumulator.
  int firstB = 0, firstAccumulator = 0;
  /// Accumulator read: the multiplies whose result it may be.
  std::vector<unsigned> sources;
};

} // namespace amp::emu

#endif // AMP_EMULATOR_INSTRUCTION_H
