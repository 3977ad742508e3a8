/*===-- amp-rt/Run.h - What one call of a compiled program needs ---*- C -*-===
 *
 * Part of the mlir-amp project, under the Apache License v2.0 with LLVM
 * Exceptions. See LICENSE for license information.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===
 *
 * A run is the context of one call: the memory that compiled code holds, and
 * what went wrong. Each entry point of a compiled program takes the handle of a
 * run as its first argument and returns an AmpRtStatus:
 *
 *   AmpRtRun *run;
 *   ampRtRunCreate(&run);
 *   if (_mlir_ciface_step(ampRtRunHandle(run), &x, &y) != AMP_RT_OK)
 *     puts(ampRtStatusText());             // results of step are undefined
 *   ampRtRunDestroy(run);
 *
 * Such a call asks nothing of the CPU: a program that was compiled ahead of
 * time for another one, or multiplies in AMX's tiles, is chosen first
 * (ampRtProgramChoose), and of several versions these are the last one's.
 *
 * A run serves one call after another, one at a time; calls on different
 * threads each have their own. A failed assertion, and an allocation for which
 * there is no memory, leave the program at once. Other errors (a handle that is
 * none, a tap that refused) are recorded, and the call fails at its end. In any
 * case, what the program still holds is freed when it returns.
 *
 * The handle reaches all functions of the program as an argument. So a program
 * that spreads a loop over threads hands it to them like any other value: the
 * functions marked "Program entry point" may be called by several threads of
 * one call at a time. Nothing here belongs to a thread.
 *===----------------------------------------------------------------------===*/
#ifndef AMP_RT_RUN_H
#define AMP_RT_RUN_H

#include "amp-rt/Conventions.h"
#include "amp-rt/Status.h"

#include <stdint.h>

AMP_RT_BEGIN_DECLS

typedef struct AmpRtRun AmpRtRun;

/* The caller owns *run and destroys it after its last call has returned. */
AMP_RT_API AmpRtStatus ampRtRunCreate(AmpRtRun **run);

/* Assertions that failed on a device (Load.h) and were not heard of are not any
 * more: synchronize the run before. */
AMP_RT_API void ampRtRunDestroy(AmpRtRun *run);

/* The handle of a run, to be passed to a compiled program; 0 for null. */
AMP_RT_API int64_t ampRtRunHandle(const AmpRtRun *run);

/* Memory of the latest call, which has returned. */
typedef struct AmpRtRunMemory {
  uint32_t structSize; /* sizeof this struct */
  uint32_t reserved;
  int64_t bytesPeak;   /* most that the program held at one time */
  int64_t allocations; /* how often it asked for memory */
  int64_t leaks;       /* allocations that were freed for it at the end */
} AmpRtRunMemory;

AMP_RT_STATIC_ASSERT(sizeof(AmpRtRunMemory) == 32,
                     "AmpRtRunMemory has no padding");

AMP_RT_API AmpRtStatus ampRtRunGetMemory(const AmpRtRun *run,
                                         AmpRtRunMemory *memory);

/*===----------------------------------------------------------------------===
 * Program entry points
 *
 * A handle that is no run's does nothing, and no memory is given for it, nor
 * outside of a call: then ampRtStatusText() says why.
 *===----------------------------------------------------------------------===*/

/* Program entry point: a call begins. Refused for a handle that is no run's,
 * and for a run that another call uses. */
AMP_RT_API AmpRtStatus ampRtRunBegin(int64_t run);

/* Program entry point: the call ends. Frees what the program holds. The status
 * is AMP_RT_OK if no error was recorded since the begin, else
 * AMP_RT_PROGRAM_ERROR, or AMP_RT_OUT_OF_MEMORY or the status of a device if
 * that is what came first, with the first message and how many followed it as
 * status text. AMP_RT_INVALID_ARGUMENT if no call has begun. A device is not
 * waited for (Load.h). */
AMP_RT_API AmpRtStatus ampRtRunEnd(int64_t run);

/* Program entry point: a cf.assert failed. `message` is a string that ends with
 * 0 and is copied; null means no text. The program leaves. */
AMP_RT_API void ampRtRunReportAssert(int64_t run, const char *message);

/* Program entry points: memory of the host (Memory.h), aligned to 64 or to
 * `alignment`, a power of two. Null if there is none left, which is recorded;
 * the program leaves. Of a run with a loaded program it is the device's, and
 * what is freed is kept by the run for the next request of the same size and
 * alignment, also of its next call: until the run is destroyed or gets another
 * program, or there would be no memory for a request otherwise. */
AMP_RT_API void *ampRtRunAllocate(int64_t run, int64_t bytes);
AMP_RT_API void *ampRtRunAllocateAligned(int64_t run, int64_t alignment,
                                         int64_t bytes);

/* Program entry point: frees what the two above gave for this run. Null does
 * nothing; another pointer, also one of another run or of ampRtDeviceAllocate,
 * is left alone and recorded. */
AMP_RT_API void ampRtRunFree(int64_t run, void *pointer);

/* Program entry point: what ampRtScalerGetScale gives for the scaler with this
 * handle. For a handle that is none NaN, which no later computation can mistake
 * for a scale; it is recorded. */
AMP_RT_API float ampRtRunScale(int64_t run, int64_t scaler);

/* Program entry point: one ampRtScalerUpdate. Only the lowest bit of foundInf
 * is read, because LLVM leaves the others of an i1 argument undefined; so it
 * may be declared with i1 or i8 in a compiled program. A handle that is none is
 * recorded, and nothing happens. */
AMP_RT_API void ampRtRunUpdateScale(int64_t run, int64_t scaler,
                                    uint8_t foundInf);

/* Program entry point: hands a tensor to the callback of the tap with this
 * handle (Tap.h). `name` and `point` are texts with lengths in bytes; `data`
 * points to elementCount contiguous elements of elementKind and is read back
 * afterwards. Of a run with a loaded program it is memory of the device: the
 * callback gets a copy on the host, for which the device is waited for. Handle
 * 0, or a tap without callback: nothing. A handle that is no tap's, an unknown
 * kind or a negative length or count is recorded. */
AMP_RT_API void ampRtRunTap(int64_t run, int64_t tap, const char *name,
                            int64_t nameLength, const char *point,
                            int64_t pointLength, void *data,
                            int32_t elementKind, int64_t elementCount);

/*===----------------------------------------------------------------------===
 * Program entry points of programs for a device
 *
 * Of a run with a loaded program (Load.h), on whose device they work; the
 * memory that ampRtRunAllocate and its like give is of that device. A status
 * other than AMP_RT_OK is recorded, and the program leaves. They may return
 * before the device has done it (Device.h, Load.h).
 *===----------------------------------------------------------------------===*/

/* Program entry point: runs the launches of the program's module with that
 * number, one after another. `operands` are addresses of the device's memory,
 * as many as the module's operandCount and none of them null; they are read
 * before the call returns. */
AMP_RT_API AmpRtStatus ampRtRunLaunch(int64_t run, int32_t module,
                                      void *const *operands);

/* Program entry point: copies memory of the device. The two may not overlap. */
AMP_RT_API AmpRtStatus ampRtRunCopy(int64_t run, void *target,
                                    const void *source, int64_t bytes);

/* Program entry point: copies a few bytes, a number, from the device's memory
 * to the host's, and waits for it. */
AMP_RT_API AmpRtStatus ampRtRunRead(int64_t run, void *target,
                                    const void *source, int64_t bytes);

/* Program entry point: copies a number, at most 16 bytes, from the host's
 * memory, which is free to change at once, to the device's. */
AMP_RT_API AmpRtStatus ampRtRunWrite(int64_t run, void *target,
                                     const void *source, int64_t bytes);

/* Program entry point: an assertion that the device has checked. `violated` is
 * a byte of its memory whose lowest bit is set if it failed, as it is when the
 * program comes here; `message`, `length` bytes, lives as long as the program.
 * Nobody waits: ampRtRunSynchronize (Load.h) says how it went. */
AMP_RT_API AmpRtStatus ampRtRunReportViolation(int64_t run,
                                               const void *violated,
                                               const char *message,
                                               int64_t length);

/* Program entry points: copy the AmpRtScalerRecord (Scaler.h) of the scaler
 * with this handle to the program's memory on the device, and from there back.
 * The host's state goes to the device at the first call and after the host has
 * changed it, for which the device is waited for; else nothing waits. A record
 * is refused if the host has changed the scaler since the program read it. */
AMP_RT_API AmpRtStatus ampRtRunReadScaler(int64_t run, int64_t scaler,
                                          void *target);
AMP_RT_API AmpRtStatus ampRtRunWriteScaler(int64_t run, int64_t scaler,
                                           const void *source);

/* Program entry point: the address on the device of a constant of the program,
 * which is copied there once for all runs. `source` and `bytes` are always the
 * same for a constant. Null, recorded, where there is no memory for it; the
 * program leaves. */
AMP_RT_API void *ampRtRunConstant(int64_t run, const void *source,
                                  int64_t bytes);

AMP_RT_END_DECLS

#endif /* AMP_RT_RUN_H */
