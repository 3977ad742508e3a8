//===- ProgramManifest.h - A program for readers of JSON ------ -*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AMP_EXECUTION_PROGRAMMANIFEST_H
#define AMP_EXECUTION_PROGRAMMANIFEST_H

#include "amp-rt/Program.h"

#include "llvm/Support/JSON.h"

namespace mlir::amp {

/// What `program` says of itself: its functions with their arguments and
/// results, its loss scalers, the version of the runtime that it is for, the
/// CPUs that it has code for, the chip and the kernels of a program for a
/// device. `target` is as amp-compile was given it.
llvm::json::Value makeManifest(const AmpRtProgram &program,
                               llvm::StringRef target);

} // namespace mlir::amp

#endif // AMP_EXECUTION_PROGRAMMANIFEST_H
