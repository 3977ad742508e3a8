//===-- ValueBytes.h - How large an array of a program is -------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef AMP_RT_SRC_SUPPORT_VALUEBYTES_H
#define AMP_RT_SRC_SUPPORT_VALUEBYTES_H

#include "Support/Failure.h"
#include "amp-rt/Program.h"

namespace amp::rt {

/// The bytes of an array, or -1 where the caller chooses an extent. Refuses
/// what is no array of an AmpRtElementKind.
inline AmpRtStatus countValueBytes(const char *call, const AmpRtValue &value,
                                   int64_t &bytes) {
  const int64_t size = ampRtElementKindSize(value.elementKind);
  if (value.kind != AMP_RT_VALUE_ARRAY || size == 0)
    return fail(AMP_RT_INVALID_ARGUMENT,
                "%s: %s '%s': expected an array of numbers, but the program "
                "describes another value",
                call, value.role, value.name);
  bytes = size;
  bool isEmpty = false, isFree = false, isLarge = false;
  for (int32_t i = 0; i < value.rank; ++i) {
    isFree |= value.extents[i] < 0;
    isEmpty |= value.extents[i] == 0;
    isLarge |= __builtin_mul_overflow(bytes, value.extents[i], &bytes);
  }
  if (isEmpty)
    bytes = 0;
  if (isFree)
    bytes = -1;
  else if (isLarge && !isEmpty)
    return fail(AMP_RT_INVALID_ARGUMENT,
                "%s: %s '%s': expected less than 2^63 bytes", call, value.role,
                value.name);
  return AMP_RT_OK;
}

/// A caller's memory is not as large as the array.
inline AmpRtStatus failValueBytes(const char *call, const AmpRtValue &value,
                                  int64_t wanted, int64_t given) {
  return fail(AMP_RT_INVALID_ARGUMENT,
              "%s: %s '%s': expected %lld bytes, the size of its elements, but "
              "got %lld",
              call, value.role, value.name, static_cast<long long>(wanted),
              static_cast<long long>(given));
}

} // namespace amp::rt

#endif // AMP_RT_SRC_SUPPORT_VALUEBYTES_H
