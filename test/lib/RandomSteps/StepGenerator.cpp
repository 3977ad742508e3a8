//===- StepGenerator.cpp - Random training steps --------------------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Draws the form of a step first, since what fits into it depends on that.
//
//===----------------------------------------------------------------------===//

#include "StepBuilder.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir::amp;
using llvm::StringRef;
using llvm::Twine;

std::string GeneratedStep::getPipeline() const {
  std::string text = "amp-mixed-precision{";
  for (const auto &[name, value] : options)
    text += name + "=" + value + " ";
  return text + "verbosity=0}";
}

GeneratedStep StepBuilder::run() {
  form = random.pick({StepForm::Calls, StepForm::Calls, StepForm::Calls,
                      StepForm::Calls, StepForm::Calls, StepForm::Calls,
                      StepForm::Calls, StepForm::Fused, StepForm::Fused,
                      StepForm::Fused, StepForm::LoopOfSteps,
                      StepForm::PipelinedLoop, StepForm::LoopOfBatches,
                      StepForm::LoopOfBatches, StepForm::WhileOfBatches,
                      StepForm::Blocks, StepForm::Branches, StepForm::Twice});
  origins = random.pick({0u, 0u, 1u, 1u, 2u, 3u, 4u});
  percentLinalg = random.pick({0u, 30u, 60u, 100u});
  percentHelpers = random.pick({0u, 0u, 10u});
  rounds = random.between(1, 3);
  marksGradients = random.chance(60);
  hidesGradients = !marksGradients && random.chance(40);
  isEager = random.chance(50);
  if (random.chance(12)) {
    isScaledByHand = form != StepForm::Fused && random.chance(60);
    mistake = isScaledByHand
                  ? random.pick({"unscaled-twice", "decay-before-unscaling",
                                 "clipped-scaled", "other-scaler",
                                 "never-unscaled", "never-advanced"})
                  : random.pick({"seed-ignored", "decay-in-backward",
                                 "gradient-squared"});
  } else if (form != StepForm::Fused) {
    isScaledByHand = random.chance(10);
  }
  drawModels();
  drawPasses();
  drawGroups();
  drawOptions();
  if (form == StepForm::Calls && passes.size() == 1 && !isScaledByHand &&
      random.chance(10))
    made.options["micro-batches"] = std::to_string(random.between(2, 3));

  if (form != StepForm::Fused) {
    for (unsigned i = 0; i < passes.size(); ++i)
      writePassFunction(int(i));
    for (const Group &group : groups)
      if (llvm::is_contained({UpdateForm::Called, UpdateForm::Helper,
                              UpdateForm::Branch, UpdateForm::Window},
                             group.form))
        writeStepFunction(group);
  }
  writeTrainStep();
  if (random.chance(25))
    writeEvaluate();

  for (const Pass &pass : passes) {
    PassRule rule;
    for (int batch : {pass.input})
      rule.batches.push_back(batches[batch].name);
    for (int param : getGradientParams(pass))
      rule.gradients.push_back(params[param].name);
    rule.losses = pass.losses;
    if (form == StepForm::Branches) {
      rule.flag = batches[branchFlag].name;
      rule.runsIf = made.passes.empty();
    }
    made.passes.push_back(std::move(rule));
  }
  const char *forms[] = {
      "calls",          "fused",           "loop of steps",
      "pipelined loop", "loop of batches", "while of batches",
      "blocks",         "branches",        "twice"};
  made.form = forms[int(form)];
  made.mistake = mistake;
  made.findsGradients = form == StepForm::Fused && hidesGradients;
  made.text = "module {\n" + scalers;
  for (const auto &[name, text] : helpers)
    made.text += text;
  made.text += functions + "}\n";
  return std::move(made);
}

GeneratedStep mlir::amp::generateStep(uint64_t seed) {
  return StepBuilder(seed).run();
}
