//===- StepMemory.h - Memory of a running program ---------------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Intermediate buffers of one call: counted, and freed when the call is left
// early.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_LIB_EXECUTION_STEPMEMORY_H
#define AMP_LIB_EXECUTION_STEPMEMORY_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <map>

namespace mlir::amp {

/// Blocks that a program freed and will ask for again: a step wants the same
/// sizes as the step before, and fresh pages from the system cost more than the
/// work in them. Holds at most what one call had in use at one time.
class MemoryPool {
public:
  MemoryPool() = default;
  ~MemoryPool();
  MemoryPool(const MemoryPool &) = delete;
  MemoryPool &operator=(const MemoryPool &) = delete;

private:
  friend class StepMemory;
  /// A block of `bytes` bytes, used before or new.
  void *take(size_t bytes);
  void give(void *block, size_t bytes);

  std::multimap<size_t, void *> blocks;
  size_t bytes = 0, limit = 0;
};

/// While an object of this class lives, what compiled code allocates on this
/// thread belongs to it. Calls nest.
class StepMemory {
public:
  explicit StepMemory(MemoryPool &pool);
  ~StepMemory();
  StepMemory(const StepMemory &) = delete;
  StepMemory &operator=(const StepMemory &) = delete;

  /// Most bytes that were allocated at one time.
  int64_t getPeakBytes() const { return peakBytes; }

  /// Name and address of the functions that compiled code allocates and frees
  /// with (`use-generic-functions` of finalize-memref-to-llvm).
  static void
  forEachSymbol(llvm::function_ref<void(llvm::StringRef, void *)> add);

private:
  struct Block;
  static void *allocate(size_t bytes);
  static void *allocateAligned(size_t alignment, size_t bytes);
  static void release(void *data);

  MemoryPool &pool;
  StepMemory *outer;
  Block *blocks = nullptr;
  int64_t bytes = 0, peakBytes = 0;
  /// With headers and padding.
  size_t inUse = 0;
};

} // namespace mlir::amp

#endif // AMP_LIB_EXECUTION_STEPMEMORY_H
