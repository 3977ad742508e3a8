//===-- SizedStruct.h - Structs of older and newer callers ------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A struct of the public headers begins with its size as the caller knows it
// (amp-rt/Conventions.h). Members are only ever added at the end, and 0 always
// means what the library did before it knew the member. So a function takes the
// caller's struct apart once, here, and works with a whole one of its own:
//
//   AmpRtLaunch launch;
//   if (AmpRtStatus status = readStruct(call, "AmpRtLaunch", *given, launch))
//     return status;
//
//===----------------------------------------------------------------------===//
#ifndef AMP_RT_SRC_SUPPORT_SIZEDSTRUCT_H
#define AMP_RT_SRC_SUPPORT_SIZEDSTRUCT_H

#include "amp-rt/Status.h"

#include <cstdint>
#include <type_traits>

namespace amp::rt {

/// Refuses a size that no struct of this interface ever had.
AmpRtStatus checkStructSize(const char *call, const char *name, uint32_t given,
                            uint32_t known);

/// The parts of the templates below that do not depend on the type.
AmpRtStatus readStructBytes(const char *call, const char *name,
                            const void *given, void *known, uint32_t size);
void writeStructBytes(const void *known, uint32_t size, void *given);

/// What the caller set: members that it does not know are 0. Refuses a member
/// that this library does not know unless it is 0.
template <typename Struct>
AmpRtStatus readStruct(const char *call, const char *name, const Struct &given,
                       Struct &known) {
  static_assert(std::is_trivially_copyable<Struct>::value);
  return readStructBytes(call, name, &given, &known, sizeof(Struct));
}

/// Gives the caller as much of `known` as it knows, and 0 for members that this
/// library does not. The size, which was checked before, stays the caller's.
template <typename Struct>
void writeStruct(const Struct &known, Struct &given) {
  static_assert(std::is_trivially_copyable<Struct>::value);
  writeStructBytes(&known, sizeof(Struct), &given);
}

} // namespace amp::rt

#endif // AMP_RT_SRC_SUPPORT_SIZEDSTRUCT_H
