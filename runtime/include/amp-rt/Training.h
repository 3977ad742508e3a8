/*===-- amp-rt/Training.h - Steps of a compiled program -------------*- C -*-===
 *
 * Part of the mlir-amp project, under the Apache License v2.0 with LLVM
 * Exceptions. See LICENSE for license information.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===
 *
 * A program describes its train step (Program.h), so its state can be made,
 * carried from step to step and read by role and name, whatever the step is and
 * at whatever opt level it was compiled:
 *
 *   ampRtTrainingCreate(program, NULL, seed, &training);
 *   ampRtTrainingWrite(training, "batch", "x0", images, bytes);
 *   ampRtTrainingStep(training);
 *   ampRtTrainingGetLoss(training, NULL, &loss);
 *
 * Masters and optimizer states are arguments like others, scalers are created
 * as the program wants them, and taps are none. A training may be used by one
 * thread at a time.
 *===----------------------------------------------------------------------===*/
#ifndef AMP_RT_TRAINING_H
#define AMP_RT_TRAINING_H

#include "amp-rt/Conventions.h"
#include "amp-rt/Program.h"
#include "amp-rt/Run.h"
#include "amp-rt/Scaler.h"
#include "amp-rt/Status.h"

#include <stdint.h>

AMP_RT_BEGIN_DECLS

typedef struct AmpRtTraining AmpRtTraining;

/* Makes the first train step of `program`, of the version that is for this CPU
 * (ampRtProgramChoose), ready on the device of that name (Device.h); null:
 * "host". Memory of all arguments and results is allocated there, and the state
 * begins with the start values of `seed` (StartValue.h), a parameter as the
 * rounded copy of its master. `program` has to live as long as *training, which
 * the caller owns. AMP_RT_NOT_FOUND for a program without a
 * train step, AMP_RT_UNAVAILABLE for one with results of unknown size, with
 * arguments that have another extent than the first for the caller to choose,
 * or without a version that this CPU can run. Other statuses as those of
 * ampRtProgramLoad. */
AMP_RT_API AmpRtStatus ampRtTrainingCreate(const AmpRtProgram *program,
                                           const char *device, uint64_t seed,
                                           AmpRtTraining **training);

AMP_RT_API void ampRtTrainingDestroy(AmpRtTraining *training);

/* The step's description, for its roles, names and shapes; null for null. It
 * belongs to the program. */
AMP_RT_API const AmpRtFunction *
ampRtTrainingFunction(const AmpRtTraining *training);

/* The run of the steps, for its memory, a pool or a profile; null for null. It
 * belongs to the training and is not to be used while a step runs. */
AMP_RT_API AmpRtRun *ampRtTrainingRun(AmpRtTraining *training);

/* The loss scaler of that name; a null name means the only one. It belongs to
 * the training. AMP_RT_NOT_FOUND if there is none. */
AMP_RT_API AmpRtStatus ampRtTrainingGetScaler(const AmpRtTraining *training,
                                              const char *name,
                                              AmpRtScaler **scaler);

/* The bytes of an argument or a result of the step; where the caller chooses an
 * extent those of the value that was written, and 0 before. AMP_RT_NOT_FOUND if
 * there is none of that role and name. */
AMP_RT_API AmpRtStatus ampRtTrainingGetBytes(const AmpRtTraining *training,
                                             const char *role, const char *name,
                                             int64_t *bytes);

/* Copies an argument from the host's memory: a batch, or a state that is to
 * begin with another value. It stays until it is written again or a step gives
 * its next value, also where there is no memory for another one. `bytes` is the
 * array's size, or whole rows where the caller chooses their number. A master's
 * parameter follows it, and is not written itself. AMP_RT_NOT_FOUND if there is
 * no argument of that role and name. */
AMP_RT_API AmpRtStatus ampRtTrainingWrite(AmpRtTraining *training,
                                          const char *role, const char *name,
                                          const void *data, int64_t bytes);

/* Copies a state, or a result of the latest step, to the host's memory. Waits
 * for the step. AMP_RT_INVALID_ARGUMENT if it has no value yet. */
AMP_RT_API AmpRtStatus ampRtTrainingRead(AmpRtTraining *training,
                                         const char *role, const char *name,
                                         void *data, int64_t bytes);

/* One step. Each result with the role and name of an argument is that argument
 * of the next step. AMP_RT_INVALID_ARGUMENT if an argument has no value yet, as
 * batches before they are written. Other statuses as those of a call (Run.h);
 * the state is then as it was before. On a device the step may still be under
 * way, and what went wrong there is heard of by ampRtTrainingRead. */
AMP_RT_API AmpRtStatus ampRtTrainingStep(AmpRtTraining *training);

/* The loss of the latest step, not scaled; a null name means the first. As
 * ampRtTrainingRead. */
AMP_RT_API AmpRtStatus ampRtTrainingGetLoss(AmpRtTraining *training,
                                            const char *name, double *loss);

AMP_RT_END_DECLS

#endif /* AMP_RT_TRAINING_H */
