//===-- ChooseVersion.cpp - The version of a program for this CPU ---------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Versions are asked in their order: the first whose features this process can
// use is taken. A call of a function asks for the function's once more, which
// is what keeps a driver that chose nothing from an illegal instruction.
//
//===----------------------------------------------------------------------===//

#include "Program/ChooseVersion.h"

#include "Support/Failure.h"
#include "Support/SizedStruct.h"
#include "amp-rt/Cpu.h"
#include "amp-rt/Program.h"
#include "amp-rt/Version.h"

#include <cstdio>

using namespace amp::rt;

static bool hasAll(uint64_t features) {
  return ampRtCpuGetFeatures(features) == features;
}

AmpRtStatus amp::rt::checkCpu(const char *call, const char *name,
                              uint64_t features) {
  const uint64_t missing = features & ~ampRtCpuGetFeatures(features);
  if (!missing)
    return AMP_RT_OK;
  // As many as say which CPU is meant.
  constexpr int kMostNames = 8;
  char names[400] = "";
  size_t used = 0;
  int count = 0;
  for (int32_t number = 0; number < 64; ++number) {
    if (!(missing >> number & 1) || ++count > kMostNames)
      continue;
    const char *feature = ampRtCpuFeatureName(number);
    used += std::snprintf(names + used, sizeof(names) - used, "%s%s",
                          used ? ", " : "",
                          feature ? feature : "what is newer than libamp-rt");
  }
  if (count > kMostNames)
    std::snprintf(names + used, sizeof(names) - used, " and %d more",
                  count - kMostNames);
  return fail(AMP_RT_UNAVAILABLE,
              "%s: the code for '%s' needs %s, which this CPU has not, or the "
              "system does not let this process use; compile the step for this "
              "CPU too (amp-compile --cpu)",
              call, name, names);
}

AmpRtStatus amp::rt::checkRuntimeVersion(const char *call, uint32_t version) {
  if (ampRtVersionCheck(version) == AMP_RT_OK)
    return AMP_RT_OK;
  return fail(AMP_RT_VERSION_MISMATCH,
              "%s: expected a program that was compiled for libamp-rt %s, "
              "which is loaded, but it was for %u.%u.%u; load the libamp-rt of "
              "the program's bundle, or compile the step again (amp-compile)",
              call, ampRtVersionText(), version >> 16, version >> 8 & 0xff,
              version & 0xff);
}

AmpRtStatus amp::rt::chooseVersion(const char *call,
                                   const AmpRtProgram &program,
                                   const AmpRtProgram *&chosen) {
  AmpRtProgram known;
  if (AmpRtStatus status = readStruct(call, "AmpRtProgram", program, known))
    return status;
  if (AmpRtStatus status = checkRuntimeVersion(call, known.runtimeVersion))
    return status;
  for (int32_t i = 0; i < known.versionCount; ++i) {
    if (!known.versions || !known.versions[i])
      return fail(AMP_RT_INVALID_ARGUMENT,
                  "%s: the program says that it has %d versions, but version "
                  "%d is null",
                  call, known.versionCount, i);
    AmpRtProgram version;
    if (AmpRtStatus status =
            readStruct(call, "AmpRtProgram", *known.versions[i], version))
      return status;
    if (!hasAll(version.cpuFeatures))
      continue;
    chosen = known.versions[i];
    return AMP_RT_OK;
  }
  if (AmpRtStatus status =
          checkCpu(call, known.cpu ? known.cpu : "this CPU", known.cpuFeatures))
    return status;
  chosen = &program;
  return AMP_RT_OK;
}

AmpRtStatus ampRtProgramChoose(const AmpRtProgram *program,
                               const AmpRtProgram **chosen) {
  const char *call = "ampRtProgramChoose";
  if (!program)
    return failNull(call, "program");
  if (!chosen)
    return failNull(call, "chosen");
  return chooseVersion(call, *program, *chosen);
}
