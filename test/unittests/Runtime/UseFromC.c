/*===-- UseFromC.c - The runtime as a C program uses it --------------------===
 *
 * Part of the mlir-amp project, under the Apache License v2.0 with LLVM
 * Exceptions. See LICENSE for license information.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===
 *
 * Plain C11: includes every public header and uses each object once. Called by
 * HeadersTest.cpp; returns the line of the first check that fails, or 0.
 *===----------------------------------------------------------------------===*/

#include "amp-rt/Blas.h"
#include "amp-rt/Conventions.h"
#include "amp-rt/Cpu.h"
#include "amp-rt/Device.h"
#include "amp-rt/Event.h"
#include "amp-rt/Half.h"
#include "amp-rt/Kernel.h"
#include "amp-rt/Load.h"
#include "amp-rt/Memory.h"
#include "amp-rt/Pool.h"
#include "amp-rt/Profile.h"
#include "amp-rt/Program.h"
#include "amp-rt/Random.h"
#include "amp-rt/Run.h"
#include "amp-rt/Scaler.h"
#include "amp-rt/StartValue.h"
#include "amp-rt/Status.h"
#include "amp-rt/Tap.h"
#include "amp-rt/Training.h"
#include "amp-rt/Version.h"

#include <stddef.h>

static AmpRtStatus countEvents(void *user, const AmpRtTapEvent *event) {
  *(int64_t *)user += event->elementCount;
  return AMP_RT_OK;
}

#define CHECK(condition)                                                       \
  do {                                                                         \
    if (!(condition))                                                          \
      return __LINE__;                                                         \
  } while (0)

int useRuntimeFromC(void);

int useRuntimeFromC(void) {
  CHECK(ampRtVersionCheck(AMP_RT_VERSION) == AMP_RT_OK);

  AmpRtScalerConfig config;
  ampRtScalerConfigInit(&config);
  config.growthInterval = 2;
  AmpRtScaler *scaler = NULL;
  CHECK(ampRtScalerCreate("loss0", &config, &scaler) == AMP_RT_OK);
  bool skip = false;
  CHECK(ampRtScalerUpdate(scaler, true, &skip) == AMP_RT_OK && skip);
  int64_t handle = ampRtScalerHandle(scaler);
  AmpRtRun *run = NULL;
  CHECK(ampRtRunCreate(&run) == AMP_RT_OK);
  int64_t context = ampRtRunHandle(run);
  CHECK(ampRtRunBegin(context) == AMP_RT_OK);
  ampRtRunUpdateScale(context, handle, 0);
  CHECK(ampRtRunScale(context, handle) == 32768.0f);
  AmpRtScalerState state = {.structSize = sizeof state};
  CHECK(ampRtScalerGetState(scaler, &state) == AMP_RT_OK && state.steps == 2);
  AmpRtScalerVerdict verdict;
  const char *text = NULL;
  CHECK(ampRtScalerHealth(scaler, 5, &verdict, &text) == AMP_RT_OK);
  CHECK(verdict == AMP_RT_SCALER_HEALTHY && text);
  ampRtScalerDestroy(scaler);
  config.initialScale = 0;
  CHECK(ampRtScalerCreate("bad", &config, &scaler) == AMP_RT_INVALID_ARGUMENT);

  CHECK(ampRtHalfF16FromF32(1.0f) == 0x3c00);
  const AmpRtSymbol *symbols = NULL;
  int64_t count = 0;
  CHECK(ampRtHalfSymbols(&symbols, &count) == AMP_RT_OK);

  AmpRtDevice *device = NULL;
  CHECK(ampRtDeviceGet("host", &device) == AMP_RT_OK);
  void *memory = NULL;
  CHECK(ampRtDeviceAllocate(device, 100, 0, &memory) == AMP_RT_OK);
  CHECK(ampRtDeviceFree(device, memory) == AMP_RT_OK);
  _mlir_memref_to_llvm_free(_mlir_memref_to_llvm_alloc(10));
  ampRtRunFree(context, ampRtRunAllocate(context, 10));

  AmpRtProgram program = {.structSize = sizeof program,
                          .runtimeVersion = AMP_RT_VERSION,
                          .chip = ""};
  const AmpRtProgram *chosen = NULL;
  CHECK(ampRtProgramChoose(&program, &chosen) == AMP_RT_OK);
  CHECK(chosen == &program);
  program.runtimeVersion = AMP_RT_VERSION + 0x10000;
  CHECK(ampRtProgramChoose(&program, &chosen) == AMP_RT_VERSION_MISMATCH);
  program.runtimeVersion = AMP_RT_VERSION;
  CHECK(ampRtCpuGetFeatures(0) == 0);
  AmpRtLoadedProgram *loaded = NULL;
  CHECK(ampRtProgramLoad(&program, device, &loaded) == AMP_RT_UNAVAILABLE);
  CHECK(ampRtProgramUnload(loaded) == AMP_RT_OK);
  AmpRtRun *idle = NULL;
  CHECK(ampRtRunCreate(&idle) == AMP_RT_OK);
  CHECK(ampRtRunSetProgram(idle, NULL) == AMP_RT_OK);
  CHECK(!ampRtRunConstant(ampRtRunHandle(idle), &program, 4));
  ampRtRunDestroy(idle);

  AmpRtTap *tap = NULL;
  int64_t elements = 0;
  CHECK(ampRtTapCreate(&tap) == AMP_RT_OK);
  CHECK(ampRtTapSet(tap, countEvents, &elements) == AMP_RT_OK);
  float data[3] = {1, 2, 3};
  ampRtRunTap(context, ampRtTapHandle(tap), "w", 1, "grad", 4, data,
              AMP_RT_ELEMENT_F32, 3);
  CHECK(elements == 3);
  ampRtTapDestroy(tap);

  AmpRtBlas *blas = NULL;
  CHECK(ampRtBlasCreate(NULL, &blas) == AMP_RT_OK);
  ampRtBlasDestroy(blas);

  ampRtRunReportAssert(context, "from C");
  CHECK(ampRtRunEnd(context) == AMP_RT_PROGRAM_ERROR);
  ampRtRunDestroy(run);
  CHECK(AMP_RT_FUNCTION_EVALUATE == 2); /* Program.h serves C */
  return 0;
}
