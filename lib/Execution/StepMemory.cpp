//===- StepMemory.cpp - Memory of a running program -----------------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A header before each block links it into the call's list, so that a call that
// is left by an assertion can free what it holds. Blocks are 64-byte aligned,
// the width of a cache line and of the widest vector register.
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

/// Bytes of a block that holds `bytes`, with its header.
static size_t getTotal(size_t bytes) {
  return kAlignment + (bytes + kAlignment - 1) / kAlignment * kAlignment;
}

static thread_local StepMemory *current = nullptr;

MemoryPool::~MemoryPool() {
  for (auto [size, block] : blocks)
    std::free(block);
}

void *MemoryPool::take(size_t size) {
  auto known = blocks.find(size);
  if (known == blocks.end())
    return std::aligned_alloc(kAlignment, size);
  void *block = known->second;
  blocks.erase(known);
  bytes -= size;
  return block;
}

void MemoryPool::give(void *block, size_t size) {
  if (bytes + size > limit)
    return std::free(block);
  blocks.emplace(size, block);
  bytes += size;
}

StepMemory::StepMemory(MemoryPool &pool) : pool(pool), outer(current) {
  current = this;
}

StepMemory::~StepMemory() {
  current = outer;
  while (blocks) {
    Block *next = blocks->next;
    pool.give(blocks, getTotal(blocks->bytes));
    blocks = next;
  }
}

void *StepMemory::allocateAligned(size_t, size_t bytes) {
  StepMemory *owner = current;
  void *memory = owner->pool.take(getTotal(bytes));
  if (!memory)
    std::abort(); // as operator new would under -fno-exceptions
  auto *block = new (memory) Block{owner, owner->blocks, nullptr, bytes};
  if (block->next)
    block->next->previous = block;
  owner->blocks = block;
  owner->bytes += bytes;
  owner->peakBytes = std::max(owner->peakBytes, owner->bytes);
  owner->inUse += getTotal(bytes);
  owner->pool.limit = std::max(owner->pool.limit, owner->inUse);
  return block + 1;
}

void *StepMemory::allocate(size_t bytes) {
  return allocateAligned(kAlignment, bytes);
}

void StepMemory::release(void *data) {
  if (!data)
    return;
  Block *block = static_cast<Block *>(data) - 1;
  StepMemory *owner = block->owner;
  (block->previous ? block->previous->next : owner->blocks) = block->next;
  if (block->next)
    block->next->previous = block->previous;
  owner->bytes -= block->bytes;
  owner->inUse -= getTotal(block->bytes);
  owner->pool.give(block, getTotal(block->bytes));
}

void StepMemory::forEachSymbol(
    llvm::function_ref<void(llvm::StringRef, void *)> add) {
  add("_mlir_memref_to_llvm_alloc",
      reinterpret_cast<void *>(&StepMemory::allocate));
  add("_mlir_memref_to_llvm_aligned_alloc",
      reinterpret_cast<void *>(&StepMemory::allocateAligned));
  add("_mlir_memref_to_llvm_free",
      reinterpret_cast<void *>(&StepMemory::release));
}
