/*===-- amp-rt/Load.h - Programs on a device -----------------------*- C -*-===
 *
 * Part of the mlir-amp project, under the Apache License v2.0 with LLVM
 * Exceptions. See LICENSE for license information.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===
 *
 * A program that was compiled for a device (Program.h) carries its kernels. To
 * run it, it is loaded on a device, and a run is told so:
 *
 *   ampRtDeviceGet("cuda", &device);
 *   ampRtProgramLoad(program, device, &loaded);
 *   ampRtRunCreate(&run);
 *   ampRtRunSetProgram(run, loaded);
 *   program->functions[0]->call(ampRtRunHandle(run), arguments);
 *   ampRtRunSynchronize(run);
 *
 * `arguments` are then of the device's memory. An image is given to the device
 * when its first kernel is launched, and the grid that fits the device is asked
 * for once. One loaded program serves several runs, on several threads.
 *
 * A call returns when its work is asked for, not when it is done, and its
 * status says what went wrong until then. Assertions that the device checks, of
 * indices that must lie inside of their tensors for one, are heard of by
 * ampRtRunSynchronize; what a step has computed before a failed one is heard of
 * is of no use. What the device does is in the order
 * of the calls, so arguments may be written by ampRtDeviceCopy before a call,
 * read by it after the call, given to the next call, and freed by
 * ampRtDeviceFree, without waiting. ampRtDeviceSynchronize is for what is not
 * the device's: before the host looks at what was copied to it or changes what
 * was copied from it, before memory that the caller has from elsewhere goes to
 * other hands, before the program's own code goes, and to hear of kernels that
 * failed after the call. Unloading waits too.
 *
 * Between calls a run keeps the memory that its calls have freed, for the next
 * one: it is live memory of the device, to be given back (by ampRtRunDestroy or
 * ampRtRunSetProgram) before ampRtDeviceClose, as is the loaded program.
 *===----------------------------------------------------------------------===*/
#ifndef AMP_RT_LOAD_H
#define AMP_RT_LOAD_H

#include "amp-rt/Conventions.h"
#include "amp-rt/Device.h"
#include "amp-rt/Program.h"
#include "amp-rt/Run.h"
#include "amp-rt/Status.h"

AMP_RT_BEGIN_DECLS

typedef struct AmpRtLoadedProgram AmpRtLoadedProgram;

/* Makes a program ready on a device. `program` has to live as long as *loaded,
 * which the caller unloads. AMP_RT_INVALID_ARGUMENT for a program for the host
 * and for one whose modules contradict themselves; AMP_RT_UNAVAILABLE for one
 * whose kernels the device cannot run (compiled for another chip, or text on a
 * GPU), and on the host device; AMP_RT_VERSION_MISMATCH for one that was
 * compiled for another libamp-rt (Version.h). Versions for several CPUs have
 * been chosen from before (ampRtProgramChoose). Kernels for sm_90a run on GPUs
 * of compute capability 9.0 only, those for sm_80 on all of 8.0 to 8.9. */
AMP_RT_API AmpRtStatus ampRtProgramLoad(const AmpRtProgram *program,
                                        AmpRtDevice *device,
                                        AmpRtLoadedProgram **loaded);

/* Waits for the device and gives back what the program has there, whatever is
 * returned. No run may use it any more. Null does nothing. */
AMP_RT_API AmpRtStatus ampRtProgramUnload(AmpRtLoadedProgram *loaded);

/* Lets the calls of a run work on the device of a loaded program; null: on the
 * host. Refused while a call uses the run. What calls before have kept of the
 * device's memory is given back; where that fails, the status says so, and the
 * program is set all the same. */
AMP_RT_API AmpRtStatus ampRtRunSetProgram(AmpRtRun *run,
                                          AmpRtLoadedProgram *loaded);

/* Waits for the device of the run's program, if it has one.
 * AMP_RT_PROGRAM_ERROR, with the message of the first, if assertions failed
 * there since the last time; other statuses as ampRtDeviceSynchronize's. To be
 * called where the host looks at results, as often as one likes: a run looks by
 * itself after 4096 assertions, and when it gets another program. */
AMP_RT_API AmpRtStatus ampRtRunSynchronize(AmpRtRun *run);

AMP_RT_END_DECLS

#endif /* AMP_RT_LOAD_H */
