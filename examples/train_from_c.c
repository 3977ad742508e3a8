/* Trains a step that amp-compile made, with the runtime alone:
 *
 *   amp-compile share/digits/cnn.mlir --opt-level=O1 --bundle step
 *   cc -std=c11 -Iruntime/include examples/train_from_c.c -o train \
 *     -Lstep -lamp-rt -Wl,-rpath,step
 *   ./train step/step.so
 *
 * The data are made up. It takes steps for the host whose parameters are f32
 * (O0, O1 and O4); masters would begin as the values of their parameters. */
#include "amp-rt/Device.h"
#include "amp-rt/Program.h"
#include "amp-rt/Run.h"
#include "amp-rt/Version.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void check(AmpRtStatus status) {
  if (status != AMP_RT_OK) {
    fprintf(stderr, "%s\n", ampRtStatusText());
    exit(1);
  }
}

/* A memref descriptor (amp-rt/Program.h) of an array with values to begin with:
 * small ones for parameters, classes 0 and 1, 1 for the seed of the loss and
 * for batch norm's factors, 0 for what an optimizer keeps. */
static int64_t *makeArray(AmpRtDevice *host, const AmpRtValue *value) {
  int64_t *array = calloc(3 + 2 * value->rank, sizeof(int64_t)), count = 1;
  for (int32_t i = value->rank; i-- > 0; count *= array[3 + i]) {
    array[3 + i] = value->extents[i] < 0 ? 8 : value->extents[i];
    array[3 + value->rank + i] = count;
  }
  const int64_t bytes = count * ampRtElementKindSize(value->elementKind);
  void *data;
  check(ampRtDeviceAllocate(host, bytes, 64, &data));
  array[0] = array[1] = (intptr_t)memset(data, 0, bytes);
  const int isBatch = !strcmp(value->role, "batch");
  const int isOne = !strcmp(value->role, "loss_seed") ||
                    (!strcmp(value->label, "batch_norm") && !isBatch);
  const int isRandom = isBatch || !strcmp(value->role, "param");
  for (int64_t i = 0; i < count; ++i)
    if (value->elementKind == AMP_RT_ELEMENT_F32)
      ((float *)data)[i] = isOne      ? 1
                           : isRandom ? (float)(rand() % 1024) / 4096 - 0.125f
                                      : 0;
    else if (value->elementKind == AMP_RT_ELEMENT_I64 && isBatch)
      ((int64_t *)data)[i] = i % 2;
  return array;
}

int main(int argc, char **argv) {
  void *library = argc > 1 ? dlopen(argv[1], RTLD_NOW) : NULL;
  const AmpRtProgram *program =
      library ? dlsym(library, AMP_RT_PROGRAM_SYMBOL) : NULL;
  if (!program || program->chip) {
    fprintf(stderr, "expected a program for the host: train ./step.so (%s)\n",
            program    ? program->chip
            : argc > 1 ? dlerror()
                       : "no file");
    return 1;
  }
  check(ampRtVersionCheck(program->runtimeVersion));
  AmpRtRun *run;
  AmpRtDevice *host;
  check(ampRtRunCreate(&run));
  check(ampRtDeviceGet("host", &host));

  const AmpRtFunction *step = program->functions[0];
  for (int32_t i = 1; step->kind != AMP_RT_FUNCTION_TRAIN_STEP; ++i)
    step = program->functions[i];
  const int32_t inputs = step->argumentCount, results = step->resultCount;
  void **values = calloc(inputs + results, sizeof(void *)); /* of a call */
  for (int32_t i = 0; i < inputs; ++i) {
    const AmpRtValue *argument = step->arguments[i];
    if (argument->kind == AMP_RT_VALUE_ARRAY) {
      values[i] = makeArray(host, argument);
      continue;
    }
    int64_t *handle = values[i] = calloc(1, sizeof(int64_t)); /* no tap */
    for (int32_t j = 0; j < program->scalerCount; ++j) {
      const AmpRtProgramScaler *wanted = program->scalers[j];
      AmpRtScaler *scaler;
      if (argument->kind != AMP_RT_VALUE_SCALER ||
          strcmp(argument->name, wanted->name))
        continue;
      check(ampRtScalerCreate(wanted->name, wanted->config, &scaler));
      *handle = ampRtScalerHandle(scaler);
    }
  }
  for (int32_t i = 0; i < results; ++i)
    values[inputs + i] = makeArray(host, step->results[i]);

  for (int n = 0; n < 20; ++n) {
    check(step->call(ampRtRunHandle(run), values));
    for (int32_t i = 0; i < results; ++i) {
      const AmpRtValue *result = step->results[i];
      if (!strcmp(result->role, "loss"))
        printf("step %d: %s %.4f\n", n, result->name,
               *(float *)((int64_t *)values[inputs + i])[1]);
      for (int32_t j = 0; j < inputs; ++j) /* the next step's state */
        if (!strcmp(result->role, step->arguments[j]->role) &&
            !strcmp(result->name, step->arguments[j]->name)) {
          void *old = values[j];
          values[j] = values[inputs + i];
          values[inputs + i] = old;
        }
    }
  }
  ampRtRunDestroy(run); /* the rest goes with the process */
  return 0;
}
