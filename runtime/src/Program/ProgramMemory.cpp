//===-- ProgramMemory.cpp - Memory of compiled programs on the host -------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "amp-rt/Memory.h"

#include "Device/Device.h"
#include "Device/Host/HostHeap.h"
#include "Program/RunState.h"
#include "Support/Failure.h"
#include "Support/Handle.h"

using namespace amp::rt;

//===----------------------------------------------------------------------===//
// For a run
//===----------------------------------------------------------------------===//

static void *allocate(const char *call, int64_t handle, int64_t bytes,
                      int64_t alignment) {
  AmpRtRun *run = fromHandle<AmpRtRun>(handle);
  if (!run) {
    failNoRun(call, handle);
    return nullptr;
  }
  if (!run->isRunning) { // nobody would free it, nor read what is recorded
    failNoCall(call);
    return nullptr;
  }
  AmpRtStatus status = checkAllocation(call, hostDevice(), bytes, alignment);
  if (status == AMP_RT_OK) {
    if (void *pointer = hostHeap().allocate(bytes, alignment, &run->memory))
      return pointer;
    status = failNoHostMemory(call, bytes);
  }
  recordError(handle, status, "%s", ampRtStatusText());
  return nullptr;
}

void *ampRtRunAllocate(int64_t run, int64_t bytes) {
  return allocate("ampRtRunAllocate", run, bytes, 0);
}

void *ampRtRunAllocateAligned(int64_t run, int64_t alignment, int64_t bytes) {
  return allocate("ampRtRunAllocateAligned", run, bytes, alignment);
}

void ampRtRunFree(int64_t handle, void *pointer) {
  AmpRtRun *run = fromHandle<AmpRtRun>(handle);
  if (!pointer || !run || hostHeap().free(pointer, &run->memory))
    return;
  recordError(handle, AMP_RT_PROGRAM_ERROR,
              "ampRtRunFree: device 'host': expected a pointer that this run "
              "allocated and that is not freed yet, but got %p",
              pointer);
}

//===----------------------------------------------------------------------===//
// Without one
//===----------------------------------------------------------------------===//

void *_mlir_memref_to_llvm_alloc(uint64_t bytes) {
  return _mlir_memref_to_llvm_aligned_alloc(0, bytes);
}

void *_mlir_memref_to_llvm_aligned_alloc(uint64_t alignment, uint64_t bytes) {
  void *pointer = nullptr;
  (void)ampRtDeviceAllocate(&hostDevice(), static_cast<int64_t>(bytes),
                            static_cast<int64_t>(alignment), &pointer);
  return pointer;
}

void _mlir_memref_to_llvm_free(void *pointer) {
  (void)ampRtDeviceFree(&hostDevice(), pointer);
}
