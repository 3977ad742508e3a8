//===-- Tap.cpp - Handing values of a running program to the host ---------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "amp-rt/Tap.h"

#include "Program/RunState.h"
#include "Support/Failure.h"
#include "Support/Handle.h"

#include <new>

using namespace amp::rt;

struct AmpRtTap {
  static constexpr uint32_t kTag = 0x50415441; // "ATAP"

  /// kTag while the object lives.
  uint32_t tag = kTag;
  /// What an event is handed to, or null for nothing.
  AmpRtTapFunction function = nullptr;
  void *user = nullptr;
};

AmpRtStatus ampRtTapCreate(AmpRtTap **tap) {
  if (!tap)
    return failNull("ampRtTapCreate", "tap");
  AmpRtTap *result = new (std::nothrow) AmpRtTap;
  if (!result)
    return failNoMemory("ampRtTapCreate", "a tap");
  *tap = result;
  return AMP_RT_OK;
}

void ampRtTapDestroy(AmpRtTap *tap) {
  if (!tap)
    return;
  clearTag(tap);
  delete tap;
}

AmpRtStatus ampRtTapSet(AmpRtTap *tap, AmpRtTapFunction function, void *user) {
  if (!tap)
    return failNull("ampRtTapSet", "tap");
  tap->function = function;
  tap->user = user;
  return AMP_RT_OK;
}

int64_t ampRtTapHandle(const AmpRtTap *tap) { return toHandle(tap); }

void ampRtRunTap(int64_t run, int64_t handle, const char *name,
                 int64_t nameLength, const char *point, int64_t pointLength,
                 void *data, int32_t elementKind, int64_t elementCount) {
  if (handle == 0)
    return;
  AmpRtTap *tap = fromHandle<AmpRtTap>(handle);
  if (!tap)
    return recordError(
        run, AMP_RT_PROGRAM_ERROR,
        "ampRtRunTap: expected the handle of a tap or 0, but got %#llx; pass what "
        "ampRtTapHandle gave, and destroy the tap after the program",
        static_cast<unsigned long long>(handle));
  if (!tap->function)
    return;
  if (nameLength < 0 || pointLength < 0 || elementCount < 0)
    return recordError(
        run, AMP_RT_PROGRAM_ERROR,
        "ampRtRunTap: expected lengths and count not to be negative, but got "
        "%lld, %lld and %lld",
        static_cast<long long>(nameLength), static_cast<long long>(pointLength),
        static_cast<long long>(elementCount));
  if ((!name && nameLength > 0) || (!point && pointLength > 0) ||
      (!data && elementCount > 0))
    return recordError(run, AMP_RT_PROGRAM_ERROR,
                       "ampRtRunTap: expected 'name', 'point' and 'data' "
                       "not to be null where their lengths are not 0");
  if (ampRtElementKindSize(elementKind) == 0)
    return recordError(
        run, AMP_RT_PROGRAM_ERROR,
        "ampRtRunTap: tensor '%.*s': expected an AmpRtElementKind, but got %d",
        textLength(nameLength), name, elementKind);

  AmpRtTapEvent event = {
      sizeof(AmpRtTapEvent), elementKind, name,        nameLength, point,
      pointLength,           data,        elementCount};
  AmpRtStatus status = tap->function(tap->user, &event);
  if (status != AMP_RT_OK)
    recordError(run, AMP_RT_PROGRAM_ERROR,
                "ampRtRunTap: callback refused tensor '%.*s' at '%.*s': %s",
                textLength(nameLength), name, textLength(pointLength), point,
                ampRtStatusName(status));
}
