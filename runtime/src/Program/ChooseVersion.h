//===-- ChooseVersion.h - What a program needs of the CPU -------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef AMP_RT_SRC_PROGRAM_CHOOSEVERSION_H
#define AMP_RT_SRC_PROGRAM_CHOOSEVERSION_H

#include "amp-rt/Program.h"
#include "amp-rt/Status.h"

#include <cstdint>

namespace amp::rt {

/// AMP_RT_UNAVAILABLE, with the names of what is missing, unless this process
/// can use all of `features` (amp-rt/Cpu.h), which the function or the CPU's
/// version of a program of that name needs.
AmpRtStatus checkCpu(const char *call, const char *name, uint64_t features);

/// AMP_RT_VERSION_MISMATCH if a program that was compiled for that `version` of
/// libamp-rt calls another.
AmpRtStatus checkRuntimeVersion(const char *call, uint32_t version);

/// ampRtProgramChoose for `call`.
AmpRtStatus chooseVersion(const char *call, const AmpRtProgram &program,
                          const AmpRtProgram *&chosen);

} // namespace amp::rt

#endif // AMP_RT_SRC_PROGRAM_CHOOSEVERSION_H
