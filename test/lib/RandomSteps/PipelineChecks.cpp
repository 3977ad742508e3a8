//===- PipelineChecks.cpp - What holds of a step's text -------------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pipeline runs on three clones: one for the text, one for a second text
// that has to be the same, and the first again for the second run.
//
//===----------------------------------------------------------------------===//

#include "PipelineChecks.h"

#include "KnownRefusals.h"

#include "amp/Dialect/Amp/IR/AmpDialect.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"

using namespace mlir;
using namespace mlir::amp;

ErrorCollector::ErrorCollector(MLIRContext *context)
    : handler(context, [this](Diagnostic &diagnostic) {
        if (diagnostic.getSeverity() != DiagnosticSeverity::Error)
          return success();
        if (!text.empty())
          text += " | ";
        text += diagnostic.str();
        return success();
      }) {}

OwningOpRef<ModuleOp> mlir::amp::parseStep(MLIRContext *context,
                                           const GeneratedStep &step,
                                           Report &report) {
  ErrorCollector errors(context);
  OwningOpRef<ModuleOp> module =
      parseSourceString<ModuleOp>(step.text, ParserConfig(context));
  if (!module)
    report.fail("parse", errors.getText());
  return module;
}

void mlir::amp::setOptions(const GeneratedStep &step,
                           MixedPrecisionOptions &options) {
  std::string text = "verbosity=0";
  for (const auto &[name, value] : step.options)
    text += " " + name + "=" + value;
  if (failed(options.parseFromString(text)))
    llvm_unreachable("the generator knows the options");
  options.screen = &llvm::nulls();
}

/// Each pass is verified in the first run; the others take the same way.
static LogicalResult runPipeline(ModuleOp module, const GeneratedStep &step,
                                 bool verifies = false) {
  MixedPrecisionOptions options;
  setOptions(step, options);
  options.verifyEach = verifies;
  PassManager pm(module.getContext());
  pm.enableVerifier(verifies);
  buildMixedPrecisionPipeline(pm, options);
  return pm.run(module);
}

static std::string print(ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  module.print(stream);
  return text;
}

/// The first line in which two texts differ.
static std::string findDifference(StringRef a, StringRef b) {
  while (!a.empty() || !b.empty()) {
    auto [lineA, restA] = a.split('\n');
    auto [lineB, restB] = b.split('\n');
    if (lineA != lineB)
      return ("'" + lineA.trim() + "' and '" + lineB.trim() + "'").str();
    a = restA;
    b = restB;
  }
  return "nothing";
}

Verdict mlir::amp::checkPipeline(ModuleOp module, const GeneratedStep &step,
                                 Report &report) {
  ErrorCollector errors(module.getContext());
  report.beginPhase("pipeline");
  OwningOpRef<ModuleOp> first = module.clone();
  bool isAccepted = succeeded(runPipeline(*first, step, true));
  report.count(isAccepted ? "accepted" : "refused");
  if (!isAccepted) {
    std::string text = errors.getText();
    if (!step.mistake.empty()) {
      report.count("refused, and wrong by '" + step.mistake + "'");
      return Verdict::Refused;
    }
    report.refuse(text);
    if (!isKnownRefusal(text, step.getPipeline()))
      report.fail("refused", text);
    return Verdict::Refused;
  }
  if (failed(verify(*first)))
    report.fail("valid", errors.getText());
  std::string text = print(*first);

  report.beginPhase("second clone");
  OwningOpRef<ModuleOp> second = module.clone();
  if (failed(runPipeline(*second, step)))
    report.fail("same-output", "refused the second time: " + errors.getText());
  else if (std::string again = print(*second); again != text)
    report.fail("same-output", findDifference(text, again));

  report.beginPhase("second run");
  if (failed(runPipeline(*first, step)))
    report.fail("second-run", errors.getText());
  else if (std::string again = print(*first); again != text)
    report.fail("second-run", findDifference(text, again));

  // What is scaled nowhere has no scale to get wrong.
  if (!step.mistake.empty() && !step.findsGradients &&
      StringRef(text).contains("amp.scale_loss"))
    report.fail("wrong-accepted", step.mistake);
  return Verdict::Accepted;
}
