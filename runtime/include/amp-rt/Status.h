/*===-- amp-rt/Status.h - How runtime functions report failure -----*- C -*-===
 *
 * Part of the mlir-amp project, under the Apache License v2.0 with LLVM
 * Exceptions. See LICENSE for license information.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===
 *
 * Every function that can fail returns an AmpRtStatus. The code is for
 * programs; ampRtStatusText() is for people and names the call, the resource
 * and the remedy. A missing library or device is an ordinary status: nothing in
 * this library prints, aborts or exits.
 *===----------------------------------------------------------------------===*/
#ifndef AMP_RT_STATUS_H
#define AMP_RT_STATUS_H

#include "amp-rt/Conventions.h"

AMP_RT_BEGIN_DECLS

typedef enum AmpRtStatus {
  AMP_RT_OK = 0,
  /* An argument breaks the rule stated in the text. Nothing was changed. */
  AMP_RT_INVALID_ARGUMENT = 1,
  /* A struct or a header is of a release that this library cannot serve. */
  AMP_RT_VERSION_MISMATCH = 2,
  /* No object, library or symbol of that name. */
  AMP_RT_NOT_FOUND = 3,
  /* Known, but not offered by this build, or switched off by an option. */
  AMP_RT_UNAVAILABLE = 4,
  /* The device or the process has no memory left for the request. */
  AMP_RT_OUT_OF_MEMORY = 5,
  /* A compiled program reported an error while it ran (Run.h). */
  AMP_RT_PROGRAM_ERROR = 6,
  /* The device or its driver failed; the text has the driver's own words. */
  AMP_RT_DEVICE_ERROR = 7
} AmpRtStatus;

AMP_RT_STATIC_ASSERT(sizeof(AmpRtStatus) == 4,
                     "AmpRtStatus crosses the boundary as a 32-bit integer");

/* The text of the latest call on this thread that did not return AMP_RT_OK; an
 * empty string before the first one. A call that succeeds leaves it alone. It
 * stays valid until the next failing call on the same thread. */
AMP_RT_API const char *ampRtStatusText(void);

/* "ok", "invalid argument", ...; "unknown status" for other numbers. */
AMP_RT_API const char *ampRtStatusName(AmpRtStatus status);

AMP_RT_END_DECLS

#endif /* AMP_RT_STATUS_H */
