//===-- DeviceBlocks.cpp - Memory of a device that a run holds ------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Program/DeviceBlocks.h"

#include "Support/FirstFailure.h"

#include <new>

using namespace amp::rt;

DeviceBlocks::Block *DeviceBlocks::takeKept(int64_t bytes, int64_t alignment) {
  Block **link = &kept;
  while (*link && ((*link)->bytes != bytes || (*link)->alignment != alignment))
    link = &(*link)->next;
  Block *block = *link;
  if (block)
    *link = block->next;
  return block;
}

AmpRtStatus DeviceBlocks::takeNew(const char *call, AmpRtDevice &device,
                                  int64_t bytes, int64_t alignment,
                                  Block *&block) {
  auto *created = new (std::nothrow) Block{nullptr, bytes, alignment, nullptr};
  if (!created)
    return failNoMemory(call, "an allocation's record");
  AmpRtStatus status =
      device.allocate(call, bytes, alignment, created->pointer);
  // What is kept for later is worth less than a program that goes on. It is
  // free when the kernels before have ended.
  if (status == AMP_RT_OUT_OF_MEMORY && kept && pins == 0) {
    status = giveBackKept(call, device);
    if (status == AMP_RT_OK)
      status = device.synchronize(call);
    if (status == AMP_RT_OK)
      status = device.allocate(call, bytes, alignment, created->pointer);
  }
  if (status == AMP_RT_OK)
    block = created;
  else
    delete created;
  return status;
}

AmpRtStatus DeviceBlocks::allocate(const char *call, AmpRtDevice &device,
                                   int64_t bytes, int64_t alignment,
                                   void *&pointer) {
  std::lock_guard<std::mutex> lock(mutex);
  Block *block = takeKept(bytes, alignment);
  AmpRtStatus status =
      block ? AMP_RT_OK : takeNew(call, device, bytes, alignment, block);
  if (status != AMP_RT_OK)
    return status;
  block->next = live;
  live = block;
  ++allocations;
  bytesCurrent += bytes;
  if (bytesCurrent > bytesPeak)
    bytesPeak = bytesCurrent;
  pointer = block->pointer;
  return AMP_RT_OK;
}

void DeviceBlocks::keep(Block *block) {
  bytesCurrent -= block->bytes;
  block->next = kept;
  kept = block;
}

bool DeviceBlocks::free(const void *pointer) {
  std::lock_guard<std::mutex> lock(mutex);
  Block **link = &live;
  while (*link && (*link)->pointer != pointer)
    link = &(*link)->next;
  Block *block = *link;
  if (!block)
    return false;
  *link = block->next;
  keep(block);
  return true;
}

int64_t DeviceBlocks::freeAll() {
  std::lock_guard<std::mutex> lock(mutex);
  int64_t freed = 0;
  for (; live; ++freed) {
    Block *block = live;
    live = block->next;
    keep(block);
  }
  return freed;
}

AmpRtStatus DeviceBlocks::giveBackKept(const char *call, AmpRtDevice &device) {
  FirstFailure failure;
  while (Block *block = kept) {
    kept = block->next;
    failure.add(device.free(call, block->pointer));
    delete block;
  }
  return failure.report();
}

AmpRtStatus DeviceBlocks::giveBack(const char *call, AmpRtDevice &device) {
  std::lock_guard<std::mutex> lock(mutex);
  return giveBackKept(call, device);
}

void DeviceBlocks::pin() {
  std::lock_guard<std::mutex> lock(mutex);
  ++pins;
}

void DeviceBlocks::unpin() {
  std::lock_guard<std::mutex> lock(mutex);
  --pins;
}

bool DeviceBlocks::isPinned() {
  std::lock_guard<std::mutex> lock(mutex);
  return pins > 0;
}
