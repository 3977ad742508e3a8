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
 *   ampRtDeviceSynchronize(device);
 *
 * `arguments` are then of the device's memory. An image is given to the device
 * when its first kernel is launched, and the grid that fits the device is asked
 * for once. One loaded program serves several runs, on several threads.
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
 * which the caller unloads. Refused: a program for the host, one whose kernels
 * the device cannot run (compiled for another chip, or text on a GPU), and the
 * host device. */
AMP_RT_API AmpRtStatus ampRtProgramLoad(const AmpRtProgram *program,
                                        AmpRtDevice *device,
                                        AmpRtLoadedProgram **loaded);

/* Waits for the device and gives back what the program has there, whatever is
 * returned. No run may use it any more. Null does nothing. */
AMP_RT_API AmpRtStatus ampRtProgramUnload(AmpRtLoadedProgram *loaded);

/* Lets the calls of a run work on the device of a loaded program; null: on the
 * host. Refused while a call uses the run. What calls before have kept of the
 * device's memory is given back. */
AMP_RT_API AmpRtStatus ampRtRunSetProgram(AmpRtRun *run,
                                          AmpRtLoadedProgram *loaded);

AMP_RT_END_DECLS

#endif /* AMP_RT_LOAD_H */
