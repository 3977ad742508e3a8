//===- TransitionReports.h - What transitions are not told ------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AMP_LIB_DIALECT_AMP_TRANSFORMS_TRANSITIONREPORTS_H
#define AMP_LIB_DIALECT_AMP_TRANSFORMS_TRANSITIONREPORTS_H

#include "mlir/IR/BuiltinOps.h"

namespace mlir::amp {

class ScaleDegreeAnalysis;

/// Calls `emit` for each transition of a dynamic scaler that runs wrongly or
/// may not be told of what an unscaling found, for each guard that may not be
/// told of an overflow, and for each choice that goes by the negation of one;
/// warns of transitions that are told of one finding again.
void reportTransitions(ModuleOp module, const ScaleDegreeAnalysis &analysis,
                       function_ref<InFlightDiagnostic(Location)> emit);

} // namespace mlir::amp

#endif // AMP_LIB_DIALECT_AMP_TRANSFORMS_TRANSITIONREPORTS_H
