//===-- Failure.h - How functions of the runtime fail -----------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each returns a status and leaves a text for ampRtStatusText(). Texts have the
// form "<call>: <resource>: expected X, but got Y; <remedy>".
//
//===----------------------------------------------------------------------===//
#ifndef AMP_RT_SRC_SUPPORT_FAILURE_H
#define AMP_RT_SRC_SUPPORT_FAILURE_H

#include "amp-rt/Status.h"

#include <cstdint>

namespace amp::rt {

/// Keeps the formatted text for this thread and returns `status`. Texts longer
/// than the buffer are cut; nothing is allocated, so this cannot fail itself.
AmpRtStatus fail(AmpRtStatus status, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/// A required pointer is null.
AmpRtStatus failNull(const char *call, const char *argument);

/// The host device has no memory for a block.
AmpRtStatus failNoHostMemory(const char *call, int64_t bytes);

/// The process has no memory for an object of the library's own.
AmpRtStatus failNoMemory(const char *call, const char *object);

} // namespace amp::rt

#endif // AMP_RT_SRC_SUPPORT_FAILURE_H
