/*===-- train_from_c.c - Train a compiled step from C --------------*- C -*-===
 *
 * Part of the mlir-amp project, under the Apache License v2.0 with LLVM
 * Exceptions. See LICENSE for license information.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===
 *
 * Trains a step that amp-compile made, at any opt level, with the runtime
 * alone:
 *
 *   amp-compile share/digits/cnn.mlir --opt-level=O2 --bundle step
 *   cc -std=c11 -Iruntime/include examples/train_from_c.c -o train \
 *     -Lstep -lamp-rt -Wl,-rpath,step
 *   ./train step/step.so batches.bin
 *
 * The file has the batch arguments of the first step, one behind the other,
 * then those of the second, and so on: x0[:32].tobytes() + x1[:32].tobytes() +
 * ...
 *===----------------------------------------------------------------------===*/
#include "amp-rt/Training.h"

#include <dlfcn.h>
#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void check(AmpRtStatus status) {
  if (status != AMP_RT_OK)
    errx(1, "%s", ampRtStatusText());
}

int main(int argc, char **argv) {
  FILE *batches = argc == 3 ? fopen(argv[2], "rb") : NULL;
  void *library = batches ? dlopen(argv[1], RTLD_NOW) : NULL;
  void *program = library ? dlsym(library, AMP_RT_PROGRAM_SYMBOL) : NULL;
  if (!program)
    errx(1, "expected ./train ./step.so batches.bin, but got %s",
         batches ? dlerror() : "no file of batches");
  AmpRtTraining *training;
  check(ampRtTrainingCreate(program, /*device=*/NULL, /*seed=*/1, &training));
  const AmpRtFunction *function = ampRtTrainingFunction(training);
  for (int step = 0;; ++step) {
    for (int32_t i = 0; i < function->argumentCount; ++i) {
      const AmpRtValue *argument = function->arguments[i];
      if (strcmp(argument->role, "batch"))
        continue;
      int64_t bytes;
      check(ampRtTrainingGetBytes(training, "batch", argument->name, &bytes));
      void *data = malloc(bytes);
      if (fread(data, 1, bytes, batches) < (size_t)bytes)
        return 0; /* no batch is left; memory goes with the process */
      check(ampRtTrainingWrite(training, "batch", argument->name, data, bytes));
      free(data);
    }
    double loss;
    check(ampRtTrainingStep(training));
    check(ampRtTrainingGetLoss(training, NULL, &loss));
    printf("step %d: loss %.9g\n", step, loss);
  }
}
