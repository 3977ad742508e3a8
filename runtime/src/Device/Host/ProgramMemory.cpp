//===-- ProgramMemory.cpp - Memory of compiled programs on the host -------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "amp-rt/Memory.h"

#include "Device/Device.h"
#include "Support/Failure.h"
#include "Support/ProgramErrors.h"

using namespace amp::rt;

static void *allocate(const char *call, int64_t bytes, int64_t alignment) {
  void *pointer = nullptr;
  AmpRtDevice &host = hostDevice();
  if (checkAllocation(call, host, bytes, alignment) != AMP_RT_OK ||
      host.allocate(call, bytes, alignment, pointer) != AMP_RT_OK)
    recordProgramError("%s", ampRtStatusText());
  return pointer;
}

void *ampRtMemoryAllocate(int64_t bytes) {
  return allocate("ampRtMemoryAllocate", bytes, 0);
}

void *ampRtMemoryAllocateAligned(int64_t alignment, int64_t bytes) {
  return allocate("ampRtMemoryAllocateAligned", bytes, alignment);
}

void ampRtMemoryFree(void *pointer) {
  if (pointer && hostDevice().free("ampRtMemoryFree", pointer) != AMP_RT_OK)
    recordProgramError("%s", ampRtStatusText());
}

static const AmpRtSymbol memorySymbols[] = {
    {"_mlir_memref_to_llvm_alloc",
     reinterpret_cast<void *>(&ampRtMemoryAllocate)},
    {"_mlir_memref_to_llvm_aligned_alloc",
     reinterpret_cast<void *>(&ampRtMemoryAllocateAligned)},
    {"_mlir_memref_to_llvm_free", reinterpret_cast<void *>(&ampRtMemoryFree)},
};

AmpRtStatus ampRtMemorySymbols(const AmpRtSymbol **symbols, int64_t *count) {
  if (!symbols)
    return failNull("ampRtMemorySymbols", "symbols");
  if (!count)
    return failNull("ampRtMemorySymbols", "count");
  *symbols = memorySymbols;
  *count = sizeof(memorySymbols) / sizeof(memorySymbols[0]);
  return AMP_RT_OK;
}
