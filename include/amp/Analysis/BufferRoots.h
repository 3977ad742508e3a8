//===- BufferRoots.h - Which buffer a memref belongs to ---------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Views followed to the buffer they look at, when two buffers are known to
// share no byte, and how many bytes a buffer has.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_ANALYSIS_BUFFERROOTS_H
#define AMP_ANALYSIS_BUFFERROOTS_H

#include "mlir/IR/Value.h"

namespace mlir::amp {

/// What `memref` is a view of; null if it is none.
Value getViewedBuffer(Value memref);

/// The value that `memref` is a view of, through any number of views.
Value getBufferRoot(Value memref);

/// Whether a buffer is on the stack of its function. In the program of a device
/// that is memory of the host, and all other buffers are the device's.
bool isOnStack(Value memref);

/// Where a root comes from: a result of a branch or a call, or an iteration
/// argument, is of unknown origin, and may be any buffer.
enum class BufferOrigin { Allocation, Argument, Global, Unknown };
BufferOrigin getBufferOrigin(Value root);

/// True if no byte belongs to both. Allocations, globals of different names and
/// arguments of a function are apart: the callers of an entry point allocate
/// its results and hand no argument as a result. So are parts of one arena
/// whose places are known.
bool areBuffersApart(Value a, Value b);

/// Bytes of a buffer's elements; 0 if their number is not known.
int64_t countBufferBytes(Value buffer);

/// The same of a launch's operand. One that has strides is given as a window,
/// from the first of its elements to the last; those between them are not
/// touched, and do not count.
int64_t countViewedBytes(Value buffer);

} // namespace mlir::amp

#endif // AMP_ANALYSIS_BUFFERROOTS_H
