//===-- EmulatorMemory.h - What kernels on the emulator may touch -*- C++ -*-=//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef AMP_RT_SRC_DEVICE_EMULATOR_EMULATORMEMORY_H
#define AMP_RT_SRC_DEVICE_EMULATOR_EMULATORMEMORY_H

#include "Device/Emulator/EmulatorAbi.h"
#include "Device/Host/HostHeap.h"

namespace amp::rt::emulator {

/// Host memory, and a list of what is live with whether anybody has written it.
/// The caller has locked the device.
class EmulatorMemory {
public:
  /// As the driver's allocations.
  static constexpr int64_t kAlignment = 256;

  /// Null if there is no memory.
  void *allocate(int64_t bytes, int64_t alignment);
  bool free(void *pointer);
  /// The allocation that has all of these bytes, or null.
  MemoryRange *find(const void *pointer, int64_t bytes);

  const MemoryRange *ranges() const { return live; }
  int64_t count() const { return liveCount; }
  const HostHeap &counts() const { return heap; }
  void resetPeak() { heap.resetPeak(); }

private:
  /// What is read or written right behind an allocation is in none.
  HostHeap heap{/*gap=*/kAlignment};
  MemoryRange *live = nullptr;
  int64_t liveCount = 0, capacity = 0;
};

} // namespace amp::rt::emulator

#endif // AMP_RT_SRC_DEVICE_EMULATOR_EMULATORMEMORY_H
