/*===-- captured_step.c - A compiled step as a graph ---------------*- C -*-===
 *
 * Part of the mlir-amp project, under the Apache License v2.0 with LLVM
 * Exceptions. See LICENSE for license information.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===
 *
 *   captured_step step.so
 *
 * Makes the train step of a program for a GPU once, captures it, and replays it
 * twice. Nobody writes what it reads: on the fake driver kernels do nothing.
 *===----------------------------------------------------------------------===*/
#include "amp-rt/Capture.h"
#include "amp-rt/Device.h"
#include "amp-rt/Element.h"
#include "amp-rt/Load.h"
#include "amp-rt/Scaler.h"

#include <dlfcn.h>
#include <err.h>
#include <stdlib.h>
#include <string.h>

enum { kMostValues = 256 };

static AmpRtDevice *device;
static AmpRtScaler *scalers[kMostValues];
static void *memory[kMostValues];
static int64_t handles[kMostValues];

static void check(AmpRtStatus status) {
  if (status != AMP_RT_OK)
    errx(1, "%s", ampRtStatusText());
}

/* What the step takes for value `i`: a descriptor of memory, or a handle. */
static void *place(const AmpRtProgram *program, const AmpRtValue *value,
                   int i) {
  if (value->kind != AMP_RT_VALUE_ARRAY) {
    for (int32_t j = 0; j < program->scalerCount; ++j)
      if (!strcmp(program->scalers[j]->name, value->name))
        handles[i] = ampRtScalerHandle(scalers[j]);
    return &handles[i];
  }
  int64_t *descriptor = calloc(3 + 2 * (size_t)value->rank, sizeof(int64_t));
  int64_t bytes = ampRtElementKindSize(value->elementKind);
  for (int32_t j = 0; j < value->rank; ++j) {
    descriptor[3 + j] = value->extents[j];
    descriptor[3 + value->rank + j] = value->strides[j];
    bytes *= value->extents[j];
  }
  check(ampRtDeviceAllocate(device, bytes, /*alignment=*/0, &memory[i]));
  memcpy(&descriptor[1], &memory[i], sizeof(void *));
  return descriptor;
}

int main(int argc, char **argv) {
  void *library = argc == 2 ? dlopen(argv[1], RTLD_NOW) : NULL;
  const AmpRtProgram *program =
      library ? dlsym(library, AMP_RT_PROGRAM_SYMBOL) : NULL;
  if (!program)
    errx(1, "expected captured_step step.so");
  AmpRtLoadedProgram *loaded;
  AmpRtRun *run;
  AmpRtCapture *capture;
  check(ampRtDeviceGet("cuda", &device));
  check(ampRtProgramLoad(program, device, &loaded));
  check(ampRtRunCreate(&run));
  check(ampRtRunSetProgram(run, loaded));
  for (int32_t i = 0; i < program->scalerCount; ++i)
    check(ampRtScalerCreate(program->scalers[i]->name,
                            program->scalers[i]->config, &scalers[i]));

  const AmpRtFunction *step = NULL;
  for (int32_t i = 0; i < program->functionCount; ++i)
    if (program->functions[i]->kind == AMP_RT_FUNCTION_TRAIN_STEP)
      step = program->functions[i];
  void *arguments[kMostValues];
  int32_t count = step->argumentCount + step->resultCount;
  for (int32_t i = 0; i < count; ++i)
    arguments[i] =
        place(program,
              i < step->argumentCount ? step->arguments[i]
                                      : step->results[i - step->argumentCount],
              i);

  check(step->call(ampRtRunHandle(run), arguments));
  check(ampRtRunSynchronize(run));
  check(ampRtCaptureCreate(run, step, arguments, &capture));
  for (int i = 0; i < 2; ++i)
    check(ampRtCaptureReplay(capture));
  check(ampRtRunSynchronize(run));

  check(ampRtCaptureDestroy(capture));
  ampRtRunDestroy(run);
  for (int32_t i = 0; i < program->scalerCount; ++i)
    ampRtScalerDestroy(scalers[i]);
  check(ampRtProgramUnload(loaded));
  for (int32_t i = 0; i < count; ++i) {
    check(ampRtDeviceFree(device, memory[i]));
    if (arguments[i] != &handles[i])
      free(arguments[i]);
  }
  return 0;
}
