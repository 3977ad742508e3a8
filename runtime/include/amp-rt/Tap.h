/*===-- amp-rt/Tap.h - Looking into a running program --------------*- C -*-===
 *
 * Part of the mlir-amp project, under the Apache License v2.0 with LLVM
 * Exceptions. See LICENSE for license information.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===
 *
 * A tap lets the host see, and change, values inside a compiled step: tests
 * inject an infinity into one gradient, reports measure gradients before they
 * are unscaled, and the first value that is not finite can be named. The
 * program was compiled with calls of a tap at the points of interest and
 * takes the tap's handle as an argument; handle 0 makes these calls do nothing.
 *
 * Nothing here is global: two programs, or two calls of one program, can have
 * different taps. One tap must not be used by two threads at a time unless its
 * callback can take it.
 *===----------------------------------------------------------------------===*/
#ifndef AMP_RT_TAP_H
#define AMP_RT_TAP_H

#include "amp-rt/Conventions.h"
#include "amp-rt/Element.h"
#include "amp-rt/Status.h"

#include <stdint.h>

AMP_RT_BEGIN_DECLS

typedef struct AmpRtTap AmpRtTap;

/* One value at one point. All pointers are valid during the callback only. They
 * are the program's, but for `data` of a program on a device (Load.h), which is
 * a copy. */
typedef struct AmpRtTapEvent {
  uint32_t structSize; /* sizeof this struct */
  int32_t elementKind; /* an AmpRtElementKind */
  const char *name;    /* the value, e.g. "fc1.weight"; does not end with 0 */
  int64_t nameLength;
  const char *point; /* where in the step, e.g. "grad"; does not end with 0 */
  int64_t pointLength;
  void *data; /* elementCount elements, contiguous, of the host's memory; may
               * be overwritten; null only if elementCount is 0 */
  int64_t elementCount;
} AmpRtTapEvent;

AMP_RT_STATIC_ASSERT(sizeof(AmpRtTapEvent) == 32 + 3 * sizeof(void *),
                     "AmpRtTapEvent has no padding");

/* Called by the program for each event, on the program's thread. Whatever it
 * writes to event->data is what the program goes on with. Anything but
 * AMP_RT_OK is recorded as an error of the program (Run.h), which runs on.
 */
typedef AmpRtStatus (*AmpRtTapFunction)(void *user, const AmpRtTapEvent *event);

/* Makes a tap without a callback. The caller owns *tap and destroys it after
 * the last program that holds its handle has returned. */
AMP_RT_API AmpRtStatus ampRtTapCreate(AmpRtTap **tap);

AMP_RT_API void ampRtTapDestroy(AmpRtTap *tap);

/* Sets the callback and the pointer it is given; null callback: none. Not while
 * a program with this tap runs. */
AMP_RT_API AmpRtStatus ampRtTapSet(AmpRtTap *tap, AmpRtTapFunction function,
                                   void *user);

/* The handle of a tap, to be passed to a compiled program; 0 for null. */
AMP_RT_API int64_t ampRtTapHandle(const AmpRtTap *tap);

AMP_RT_END_DECLS

#endif /* AMP_RT_TAP_H */
