//===-- EmulatorMemory.cpp - What kernels on the emulator may touch -------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Device/Emulator/EmulatorMemory.h"

#include <cstdlib>

using namespace amp::rt::emulator;

void *EmulatorMemory::allocate(int64_t bytes, int64_t alignment) {
  if (liveCount == capacity) {
    int64_t larger = capacity ? 2 * capacity : 64;
    void *grown =
        std::realloc(live, static_cast<size_t>(larger) * sizeof(MemoryRange));
    if (!grown)
      return nullptr;
    live = static_cast<MemoryRange *>(grown);
    capacity = larger;
  }
  void *pointer =
      heap.allocate(bytes, alignment < kAlignment ? kAlignment : alignment);
  if (pointer)
    live[liveCount++] = {pointer, bytes, false};
  return pointer;
}

bool EmulatorMemory::free(void *pointer) {
  if (!heap.free(pointer))
    return false;
  for (int64_t i = 0; i < liveCount; ++i)
    if (live[i].data == pointer) {
      live[i] = live[--liveCount];
      break;
    }
  return true;
}

MemoryRange *EmulatorMemory::find(const void *pointer, int64_t bytes) {
  auto address = reinterpret_cast<uintptr_t>(pointer);
  for (int64_t i = 0; i < liveCount; ++i) {
    auto begin = reinterpret_cast<uintptr_t>(live[i].data);
    auto size = static_cast<uintptr_t>(live[i].bytes);
    if (address >= begin && address - begin <= size &&
        static_cast<uintptr_t>(bytes) <= size - (address - begin))
      return &live[i];
  }
  return nullptr;
}
