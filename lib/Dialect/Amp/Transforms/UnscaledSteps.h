//===- UnscaledSteps.h - Steps that no role tells ---------------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A train step is known by its loss seed and its new parameters, a backward
// pass by its seed and its gradients. Where one of them has no role, or the
// seed is a constant in the function, the loss would not be scaled, the update
// not guarded and no degree looked at, all in silence. Such functions are
// refused wherever a loss is scaled.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_LIB_DIALECT_AMP_TRANSFORMS_UNSCALEDSTEPS_H
#define AMP_LIB_DIALECT_AMP_TRANSFORMS_UNSCALEDSTEPS_H

#include "mlir/IR/BuiltinOps.h"

namespace mlir::amp {

/// Calls `emit` for each function that computes gradients and is neither a
/// train step nor a backward pass by its roles, and says in the diagnostic what
/// to do:
///
/// - it takes a loss seed, and gives neither gradients nor new parameters;
/// - it gives new parameters or masters without a loss seed or gradients among
///   its arguments, and scales a loss, calls a backward pass, or takes a batch
///   and is called by none.
void reportUnscaledSteps(ModuleOp module,
                         function_ref<InFlightDiagnostic(Location)> emit);

/// Warns of the backward passes of a module that has an optimizer step as well
/// and no train step that would call them: their callers are elsewhere, and
/// scale the loss or do not.
void warnOfCallersElsewhere(ModuleOp module);

} // namespace mlir::amp

#endif // AMP_LIB_DIALECT_AMP_TRANSFORMS_UNSCALEDSTEPS_H
