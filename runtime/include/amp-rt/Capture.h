/*===-- amp-rt/Capture.h - Calls that a device repeats -------------*- C -*-===
 *
 * Part of the mlir-amp project, under the Apache License v2.0 with LLVM
 * Exceptions. See LICENSE for license information.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===
 *
 * A step of a network is hundreds of launches, and a GPU is often done with one
 * before the host has asked for the next. A capture has the device note all
 * that a call asks for, as a CUDA graph, and repeats it with one request:
 *
 *   function->call(ampRtRunHandle(run), arguments);      // once, as usual
 *   ampRtCaptureCreate(run, function, arguments, &capture);
 *   for (...) {
 *     // new contents of the batch's buffer
 *     ampRtCaptureReplay(capture);
 *   }
 *   ampRtRunSynchronize(run);
 *   ampRtCaptureDestroy(capture);
 *
 * The same addresses are read and written each time, and numbers that the
 * program was given by value stay what they were. A caller whose state moves
 * from one buffer to another and back makes a capture for each direction.
 *===----------------------------------------------------------------------===*/
#ifndef AMP_RT_CAPTURE_H
#define AMP_RT_CAPTURE_H

#include "amp-rt/Conventions.h"
#include "amp-rt/Program.h"
#include "amp-rt/Run.h"
#include "amp-rt/Status.h"

AMP_RT_BEGIN_DECLS

typedef struct AmpRtCapture AmpRtCapture;

/* Calls `function` of the run's program, which is on a device with graphs, and
 * notes what it asks for; nothing of that is done. AMP_RT_INVALID_ARGUMENT if
 * it asks for what a graph cannot have: a number that the host reads, a tap with
 * a callback, a scale of the host's, or memory or a scaler's first record, which
 * the same call before would have left behind. AMP_RT_UNAVAILABLE on a device without graphs. The caller destroys
 * *capture before the run, its program, the arguments and the scalers whose
 * handles are among them. */
AMP_RT_API AmpRtStatus ampRtCaptureCreate(AmpRtRun *run,
                                          const AmpRtFunction *function,
                                          void *const *arguments,
                                          AmpRtCapture **capture);

/* As the call, and like it one at a time for a run: returns when the work is
 * asked for. Scalers that the host has
 * changed go to the device first; checks are heard of as a call's. */
AMP_RT_API AmpRtStatus ampRtCaptureReplay(AmpRtCapture *capture);

/* Destroys it, whatever is returned. Null does nothing. */
AMP_RT_API AmpRtStatus ampRtCaptureDestroy(AmpRtCapture *capture);

AMP_RT_END_DECLS

#endif /* AMP_RT_CAPTURE_H */
