//===-- DeviceBlocks.h - Memory of a device that a run holds ----*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef AMP_RT_SRC_PROGRAM_DEVICEBLOCKS_H
#define AMP_RT_SRC_PROGRAM_DEVICEBLOCKS_H

#include "Device/Device.h"

#include <mutex>

namespace amp::rt {

/// Memory of the device that the calls of one run allocate. What they free is
/// kept for the next request of exactly its size and alignment: each call of a
/// step asks for the same. Kernels of a call that has ended may still use what
/// the next one is given; the device's work is in order, so that is safe.
///
/// Two plain lists: a program for a device asks for few blocks, one for each
/// function and nothing for each tensor.
class DeviceBlocks {
public:
  AmpRtStatus allocate(const char *call, AmpRtDevice &device, int64_t bytes,
                       int64_t alignment, void *&pointer);

  /// False, and nothing done, if `pointer` is no live block's.
  bool free(const void *pointer);

  /// Frees what is live and returns how many blocks that were.
  int64_t freeAll();

  /// Gives what is kept back to the device, all of it even where that fails.
  AmpRtStatus giveBack(const char *call, AmpRtDevice &device);

  /// A graph uses blocks that are kept: they stay until it is gone.
  void pin();
  void unpin();
  bool isPinned();

  /// Bytes that are live, the most since the last resetCounts, and how often
  /// memory was asked for since then.
  int64_t bytesCurrent = 0, bytesPeak = 0, allocations = 0;
  void resetCounts() { bytesPeak = allocations = 0; }

private:
  struct Block {
    void *pointer;
    /// As it was asked for; a kept block serves requests of exactly these.
    int64_t bytes, alignment;
    /// The next of the live or of the kept blocks.
    Block *next;
  };

  Block *takeKept(int64_t bytes, int64_t alignment);
  AmpRtStatus takeNew(const char *call, AmpRtDevice &device, int64_t bytes,
                      int64_t alignment, Block *&block);
  AmpRtStatus giveBackKept(const char *call, AmpRtDevice &device);
  void keep(Block *block);

  std::mutex mutex;
  Block *live = nullptr, *kept = nullptr;
  int64_t pins = 0;
};

} // namespace amp::rt

#endif // AMP_RT_SRC_PROGRAM_DEVICEBLOCKS_H
