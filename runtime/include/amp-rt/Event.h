/*===-- amp-rt/Event.h - Times of a device's work ---------------------- -*- C
 * -*-===
 *
 * Part of the mlir-amp project, under the Apache License v2.0 with LLVM
 * Exceptions. See LICENSE for license information.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===
 *
 * An event marks a place in the order of a device's copies and launches, so
 * that the time between two places can be asked for. The host device has none:
 * its work is done when a call returns. Those of the emulator measure the
 * emulation, on the host's clock.
 *===----------------------------------------------------------------------===*/
#ifndef AMP_RT_EVENT_H
#define AMP_RT_EVENT_H

#include "amp-rt/Conventions.h"
#include "amp-rt/Device.h"
#include "amp-rt/Status.h"

AMP_RT_BEGIN_DECLS

typedef struct AmpRtEvent AmpRtEvent;

/* The caller destroys *event. */
AMP_RT_API AmpRtStatus ampRtEventCreate(AmpRtDevice *device,
                                        AmpRtEvent **event);

/* Destroys it, whatever is returned. Null does nothing. */
AMP_RT_API AmpRtStatus ampRtEventDestroy(AmpRtEvent *event);

/* Marks the place behind everything asked of the device so far. */
AMP_RT_API AmpRtStatus ampRtEventRecord(AmpRtEvent *event);

/* Waits for `end` and gives the time from `start` to it. Both must be recorded,
 * on the same device. */
AMP_RT_API AmpRtStatus ampRtEventElapsed(AmpRtEvent *start, AmpRtEvent *end,
                                         double *milliseconds);

AMP_RT_END_DECLS

#endif /* AMP_RT_EVENT_H */
