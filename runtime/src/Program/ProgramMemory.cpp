//===-- ProgramMemory.cpp - Memory of compiled programs -------------------===//
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
  AmpRtDevice &device = run->device ? *run->device : hostDevice();
  AmpRtStatus status = checkAllocation(call, device, bytes, alignment);
  if (status == AMP_RT_OK && run->device) {
    void *pointer = nullptr;
    status = run->blocks.allocate(call, device, bytes, alignment, pointer);
    if (status == AMP_RT_OK)
      return pointer;
  } else if (status == AMP_RT_OK) {
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
  if (!pointer || !run)
    return;
  if (run->device ? run->blocks.free(pointer)
                  : hostHeap().free(pointer, &run->memory))
    return;
  recordError(handle, AMP_RT_PROGRAM_ERROR,
              "ampRtRunFree: device '%s': expected a pointer that this run "
              "allocated and that is not freed yet, but got %p",
              run->device ? run->device->name() : "host", pointer);
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
