//===- AllocationOrder.h - Tables of what lies in a row ---------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Hash tables keyed by operations and values, for walks over whole functions.
// Operations that follow each other were mostly made one after the other, so
// their addresses grow. LLVM's hash of a pointer scatters them, and at 100,000
// operations each look-up misses the cache. Here neighbours within 64 KiB of
// memory keep their order in the table, and such pieces are scattered.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_SUPPORT_ALLOCATIONORDER_H
#define AMP_SUPPORT_ALLOCATIONORDER_H

#include "mlir/IR/Value.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

namespace mlir::amp {

/// As DenseMapInfo of `Key`, an operation's pointer or a value.
template <typename Key> struct AllocationOrderInfo : llvm::DenseMapInfo<Key> {
  static unsigned getHashValue(const void *key) {
    auto address = reinterpret_cast<uintptr_t>(key);
    // An operation is at least 64 bytes; the factor is 2^32 by the golden
    // ratio (Knuth, The Art of Computer Programming 3, section 6.4).
    return static_cast<unsigned>(address >> 6) +
           static_cast<unsigned>(address >> 16) * 0x9E3779B1u;
  }
  static unsigned getHashValue(Value key) {
    return getHashValue(key.getAsOpaquePointer());
  }
};

template <typename Key, typename Value>
using AllocationOrderMap = llvm::DenseMap<Key, Value, AllocationOrderInfo<Key>>;
template <typename Key>
using AllocationOrderSet = llvm::DenseSet<Key, AllocationOrderInfo<Key>>;

} // namespace mlir::amp

#endif // AMP_SUPPORT_ALLOCATIONORDER_H
