//===- SameOwner.h - The updates of one owner -------------------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A block that has one update of many runs all that have its owner, in their
// order, if it is the first of them.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_LIB_KERNELS_ELEMENTS_SAMEOWNER_H
#define AMP_LIB_KERNELS_ELEMENTS_SAMEOWNER_H

#include "Device/DeviceBuilder.h"

namespace mlir::amp {

struct OwnedUpdates {
  /// How many updates there are, and how many threads of a block look.
  int64_t count, threads;
  /// Shared memory of getOwnedUpdatesBytes().
  Value memory;
  /// Who owns an update, the same for all threads: kNobody if nobody does.
  function_ref<Number(Number update)> getOwner;
};

static constexpr int64_t kNobody = -1;

int64_t getOwnedUpdatesBytes(int64_t count);

/// Runs `run` for each update with the owner of `update`, in their order, if
/// `update` is the first of them; `owner` is its owner. All threads of the
/// block take part, and all run all of them.
void runSameOwner(DeviceBuilder &b, const OwnedUpdates &updates, Number update,
                  Number owner, function_ref<void(Number)> run);

} // namespace mlir::amp

#endif // AMP_LIB_KERNELS_ELEMENTS_SAMEOWNER_H
