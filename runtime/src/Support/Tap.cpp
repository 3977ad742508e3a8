//===-- Tap.cpp - Handing values of a running program to the host ---------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "amp-rt/Tap.h"

#include "Device/Device.h"
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

/// Lets the callback see what the program has in memory of a device: a copy on
/// the host, which afterwards takes the place of the elements. `answer` is the
/// callback's, if it was called.
static AmpRtStatus callOnDevice(AmpRtDevice &device, const AmpRtTap &tap,
                                AmpRtTapEvent event, AmpRtStatus &answer) {
  const char *call = "ampRtRunTap";
  void *data = event.data;
  int64_t bytes = 0;
  if (__builtin_mul_overflow(event.elementCount,
                             ampRtElementKindSize(event.elementKind), &bytes))
    bytes = INT64_MAX; // no memory has as many
  event.data = bytes ? hostHeap().allocate(bytes, 0) : nullptr;
  if (bytes && !event.data)
    return failNoHostMemory(call, bytes);
  AmpRtStatus status =
      copyBytes(call, device, event.data, data, bytes, AMP_RT_COPY_FROM_DEVICE);
  if (status == AMP_RT_OK)
    status = device.synchronize(call);
  if (status == AMP_RT_OK) {
    answer = tap.function(tap.user, &event);
    status =
        copyBytes(call, device, data, event.data, bytes, AMP_RT_COPY_TO_DEVICE);
  }
  // The copy has to be over before its source goes.
  if (status == AMP_RT_OK)
    status = device.synchronize(call);
  if (event.data)
    hostHeap().free(event.data);
  return status;
}

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
  AmpRtStatus status = AMP_RT_OK;
  const AmpRtRun *state = fromHandle<AmpRtRun>(run);
  if (!state || !state->device)
    status = tap->function(tap->user, &event);
  else if (AmpRtStatus failed =
               callOnDevice(*state->device, *tap, event, status))
    recordError(run, failed, "%s (tensor '%.*s' at '%.*s')", ampRtStatusText(),
                textLength(nameLength), name, textLength(pointLength), point);
  if (status != AMP_RT_OK)
    recordError(run, AMP_RT_PROGRAM_ERROR,
                "ampRtRunTap: callback refused tensor '%.*s' at '%.*s': %s",
                textLength(nameLength), name, textLength(pointLength), point,
                ampRtStatusName(status));
}
