//===- PipelineChecks.h - What holds of a step's text -----------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Properties that need no execution: a right step is accepted, or refused for a
// known reason; what comes out is valid; two runs give the same text; a second
// run changes nothing.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_TEST_RANDOMSTEPS_PIPELINECHECKS_H
#define AMP_TEST_RANDOMSTEPS_PIPELINECHECKS_H

#include "Report.h"
#include "StepGenerator.h"

#include "amp/Pipelines/MixedPrecision.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace mlir::amp {

/// Collects the errors of a scope instead of printing them.
class ErrorCollector {
public:
  explicit ErrorCollector(MLIRContext *context);
  /// All errors, on one line.
  const std::string &getText() const { return text; }

private:
  std::string text;
  ScopedDiagnosticHandler handler;
};

/// The module of `step`, or null after a failure has been reported.
OwningOpRef<ModuleOp> parseStep(MLIRContext *context, const GeneratedStep &step,
                                Report &report);

/// Sets the options of `step`, silent.
void setOptions(const GeneratedStep &step, MixedPrecisionOptions &options);

enum class Verdict { Accepted, Refused };

/// Checks all of the above; `module` stays as it is.
Verdict checkPipeline(ModuleOp module, const GeneratedStep &step,
                      Report &report);

} // namespace mlir::amp

#endif // AMP_TEST_RANDOMSTEPS_PIPELINECHECKS_H
