//===- RunChecks.h - What holds of a step's numbers -------------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Properties that are checked by running a step that the project's own JIT
// compiled, from start values that follow from its number:
//
//   o0-bits      O0 computes what the program computes without the pipeline
//   bounds       each level computes what f64 computes, within what its
//                roundings can do
//   scale-bits   another power of two as loss scale changes no bit
//   guard        an overflow in one backward pass keeps the states that are
//                computed from its gradients, and changes no other
//   device       a device gives the host's integers, and the same numbers are
//                finite
//
//===----------------------------------------------------------------------===//

#ifndef AMP_TEST_RANDOMSTEPS_RUNCHECKS_H
#define AMP_TEST_RANDOMSTEPS_RUNCHECKS_H

#include "Report.h"
#include "StepGenerator.h"

#include "amp/Execution/DeviceProgram.h"
#include "mlir/IR/BuiltinOps.h"

namespace mlir::amp {

/// Checks all of the above; `isAccepted`: at the step's own level too. With a
/// target also the step's kernels on it: bounds, scale-bits and guard.
void checkRuns(ModuleOp module, const GeneratedStep &step, uint64_t seed,
               bool isAccepted, const DeviceTarget *target, Report &report);

} // namespace mlir::amp

#endif // AMP_TEST_RANDOMSTEPS_RUNCHECKS_H
