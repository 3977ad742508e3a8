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

namespace mlir::amp {

/// While an object of this class lives, what compiled code allocates on this
/// thread belongs to it. Calls nest.
class StepMemory {
public:
  StepMemory();
  ~StepMemory();
  StepMemory(const StepMemory &) = delete;
  StepMemory &operator=(const StepMemory &) = delete;

  /// Most bytes that were allocated at one time.
  int64_t getPeakBytes() const { return peakBytes; }

  /// Name and address of the functions that compiled code allocates and frees
  /// with (`use-generic-functions` of finalize-memref-to-llvm).
  static void forEachSymbol(llvm::function_ref<void(llvm::StringRef, void *)> add);

private:
  struct Block;
  static void *allocate(size_t bytes);
  static void *allocateAligned(size_t alignment, size_t bytes);
  static void release(void *data);

  StepMemory *outer;
  Block *blocks = nullptr;
  int64_t bytes = 0, peakBytes = 0;
};

} // namespace mlir::amp

#endif // AMP_LIB_EXECUTION_STEPMEMORY_H
