//===- StepMemory.cpp - Memory of a running program -----------------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A header before each block links it into the call's list, so that a call that
// is left by an assertion can free what it holds. Blocks are 64-byte aligned, the
// width of a cache line and of the widest vector register.
//
//===----------------------------------------------------------------------===//

#include "StepMemory.h"

#include <algorithm>
#include <cstdlib>
#include <new>

using namespace mlir::amp;

static constexpr size_t kAlignment = 64;

/// Stands before the bytes of a block, itself one alignment unit long.
struct alignas(kAlignment) StepMemory::Block {
  StepMemory *owner;
  Block *next, *previous;
  size_t bytes;
};

static thread_local StepMemory *current = nullptr;

StepMemory::StepMemory() : outer(current) { current = this; }

StepMemory::~StepMemory() {
  current = outer;
  while (blocks) {
    Block *next = blocks->next;
    std::free(blocks);
    blocks = next;
  }
}

void *StepMemory::allocateAligned(size_t, size_t bytes) {
  size_t total = sizeof(Block) + (bytes + kAlignment - 1) / kAlignment * kAlignment;
  void *memory = std::aligned_alloc(kAlignment, total);
  if (!memory)
    std::abort(); // as operator new would under -fno-exceptions
  StepMemory *owner = current;
  auto *block = new (memory) Block{owner, owner->blocks, nullptr, bytes};
  if (block->next)
    block->next->previous = block;
  owner->blocks = block;
  owner->bytes += bytes;
  owner->peakBytes = std::max(owner->peakBytes, owner->bytes);
  return block + 1;
}

void *StepMemory::allocate(size_t bytes) { return allocateAligned(kAlignment, bytes); }

void StepMemory::release(void *data) {
  if (!data)
    return;
  Block *block = static_cast<Block *>(data) - 1;
  StepMemory *owner = block->owner;
  (block->previous ? block->previous->next : owner->blocks) = block->next;
  if (block->next)
    block->next->previous = block->previous;
  owner->bytes -= block->bytes;
  std::free(block);
}

void StepMemory::forEachSymbol(llvm::function_ref<void(llvm::StringRef, void *)> add) {
  add("_mlir_memref_to_llvm_alloc", reinterpret_cast<void *>(&StepMemory::allocate));
  add("_mlir_memref_to_llvm_aligned_alloc",
      reinterpret_cast<void *>(&StepMemory::allocateAligned));
  add("_mlir_memref_to_llvm_free", reinterpret_cast<void *>(&StepMemory::release));
}
