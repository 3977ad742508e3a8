//===- HostMemory.h - Buffers of a host beside a device ---------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In the program of a device all buffers are the device's but those on the
// stack of a function.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_ANALYSIS_HOSTMEMORY_H
#define AMP_ANALYSIS_HOSTMEMORY_H

#include "mlir/IR/Value.h"

namespace mlir::amp {

/// What `memref.cast`s are casts of.
Value getBehindCasts(Value buffer);

/// Whether a buffer is a `memref.alloca`, or a cast of one.
bool isHostMemory(Value buffer);

} // namespace mlir::amp

#endif // AMP_ANALYSIS_HOSTMEMORY_H
