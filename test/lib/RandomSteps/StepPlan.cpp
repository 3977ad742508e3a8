//===- StepPlan.cpp - What a random step consists of ----------------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// From the outside in: models with their layers, backward passes through them
// with their losses, optimizers over groups of parameters, options.
//
//===----------------------------------------------------------------------===//

#include "StepBuilder.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir::amp;
using llvm::StringRef;
using llvm::Twine;

int StepBuilder::addParameter(StringRef stem, Shape shape, bool isBatchNorm) {
  std::string name = stem.str() + std::to_string(params.size());
  params.push_back({name, std::move(shape), isBatchNorm, random.chance(6)});
  return int(params.size()) - 1;
}

int StepBuilder::addBatch(Shape shape, StringRef element) {
  batches.push_back(
      {"x" + std::to_string(batches.size()), std::move(shape), element.str()});
  return int(batches.size()) - 1;
}

void StepBuilder::drawLayer(Model &model, int64_t &width) {
  Layer layer;
  auto take = [&](StringRef stem, Shape shape, bool isBatchNorm = false) {
    // Sometimes a weight that the model has already.
    if (random.chance(15))
      for (int known : model.params)
        if (params[known].shape == shape &&
            params[known].isBatchNorm == isBatchNorm) {
          layer.params.push_back(known);
          return;
        }
    int number = addParameter(stem, std::move(shape), isBatchNorm);
    model.params.push_back(number);
    layer.params.push_back(number);
  };
  layer.kind = random.pick<LayerKind>(
      {LayerKind::Linear,    LayerKind::Linear,     LayerKind::Linear,
       LayerKind::Relu,      LayerKind::Tanh,       LayerKind::Sigmoid,
       LayerKind::LayerNorm, LayerKind::BatchNorm,  LayerKind::Softmax,
       LayerKind::Attention, LayerKind::Residual,   LayerKind::Scale,
       LayerKind::Loop,      LayerKind::LoopMatmul, LayerKind::Branch,
       LayerKind::Reshape,   LayerKind::Gelu,       LayerKind::Temperature,
       LayerKind::Stacked,   LayerKind::Dropout,    LayerKind::Embedding,
       LayerKind::Function,  LayerKind::Recurrent});
  switch (layer.kind) {
  case LayerKind::Linear: {
    int64_t next = random.between(2, 4);
    take("w", {width, next});
    if (random.chance(50))
      take("b", {next});
    width = next;
    break;
  }
  case LayerKind::Residual:
    take("w", {width, width});
    break;
  case LayerKind::LayerNorm:
  case LayerKind::BatchNorm: {
    bool isBatch = layer.kind == LayerKind::BatchNorm;
    take("gamma", {width}, isBatch);
    take("beta", {width}, isBatch);
    if (isBatch && random.chance(70))
      for (StringRef stem : {"mean", "var"}) {
        layer.buffers.push_back(int(buffers.size()));
        buffers.push_back(
            {stem.str() + std::to_string(buffers.size()), {width}});
      }
    break;
  }
  case LayerKind::Temperature:
    take("t", {});
    break;
  case LayerKind::Stacked:
    take("q", {2 * width, width});
    break;
  case LayerKind::Dropout:
    layer.batch = {rows, width};
    break;
  case LayerKind::Embedding:
    take("e", {3, width});
    layer.batch = {rows};
    break;
  case LayerKind::Function: {
    int64_t next = random.between(2, 4);
    take("w", {width, next});
    width = next;
    layer.isOpen = random.chance(60);
    break;
  }
  case LayerKind::Recurrent:
    take("r", {width, width});
    layer.rounds = random.between(1, 3);
    break;
  case LayerKind::Scale:
    take("s", {width});
    break;
  case LayerKind::LoopMatmul: {
    // Its rounds are not kept, so its weight is frozen.
    int number = addParameter("f", {width, width});
    params[number].isFrozen = true;
    model.params.push_back(number);
    layer.params.push_back(number);
    layer.rounds = random.between(0, 2);
    break;
  }
  case LayerKind::Loop:
    layer.factor = random.pick({0.5, 2.0, -1.0, 0.75});
    layer.rounds = random.between(0, 3);
    break;
  case LayerKind::Branch:
    layer.factor = random.pick({0.5, 2.0, -1.0, 0.75});
    layer.other = random.pick({0.25, 1.0, -1.5});
    break;
  default:
    break;
  }
  model.layers.push_back(std::move(layer));
}

void StepBuilder::drawModels() {
  rows = random.between(2, 4);
  unsigned count = random.chance(30) ? 2 : 1;
  if (!isOneOf({StepForm::Calls, StepForm::LoopOfSteps, StepForm::Blocks}))
    count = 1;
  for (unsigned i = 0; i < count; ++i) {
    Model model;
    // The second often takes what the first gives.
    model.inputs =
        i && random.chance(60) ? models[0].outputs : random.between(2, 4);
    int64_t width = model.inputs;
    // A weight at the front, so that the batch reaches every gradient.
    Layer first;
    first.kind = LayerKind::Linear;
    int64_t next = random.between(2, 4);
    int weight = addParameter("w", {width, next});
    params[weight].isFrozen = false;
    first.params = {weight};
    model.params = {weight};
    model.layers.push_back(first);
    width = next;
    for (unsigned j = random.below(5); j > 0; --j)
      drawLayer(model, width);
    model.outputs = width;
    models.push_back(std::move(model));
  }
}

void StepBuilder::drawPasses() {
  unsigned count = unsigned(models.size());
  if (form == StepForm::Calls && random.chance(30))
    count += 1 + random.below(2);
  if (isOneOf({StepForm::Fused, StepForm::LoopOfBatches,
               StepForm::WhileOfBatches, StepForm::PipelinedLoop}))
    count = 1;
  if (isOneOf({StepForm::Branches, StepForm::Twice}))
    count = 2;
  unsigned nextLoss = 0;
  for (unsigned i = 0; i < count; ++i) {
    Pass pass;
    pass.model = int(i % models.size());
    if (models.size() == 2 && pass.model == 0 &&
        models[0].outputs == models[1].inputs && random.chance(60))
      pass.through = 1;
    const Model &last = models[pass.through < 0 ? pass.model : pass.through];
    // Sometimes a batch that another pass has read.
    int input = -1;
    if (random.chance(20))
      for (const Pass &earlier : passes)
        if (batches[earlier.input].shape[1] == models[pass.model].inputs)
          input = earlier.input;
    StringRef element = random.chance(85)
                            ? StringRef("f32")
                            : random.pick<StringRef>({"f16", "bf16", "f64"});
    pass.input = input >= 0
                     ? input
                     : addBatch({rows, models[pass.model].inputs}, element);
    unsigned losses = random.chance(15) ? 2 : 1;
    for (unsigned j = 0; j < losses; ++j) {
      LossKind kind =
          random.pick({LossKind::MeanSquare, LossKind::MeanSquareError,
                       LossKind::CrossEntropy});
      pass.kinds.push_back(kind);
      pass.losses.push_back("loss" + std::to_string(nextLoss++));
      pass.targets.push_back(
          kind == LossKind::MeanSquare ? -1
          : kind == LossKind::MeanSquareError
              ? addBatch({rows, last.outputs}, "f32")
              : addBatch({rows}, random.pick({"i64", "i32"})));
    }
    if (random.chance(15))
      pass.penalty = models[pass.model].params[0];
    for (int model : {pass.model, pass.through})
      if (model >= 0)
        for (auto [i, layer] : llvm::enumerate(models[model].layers))
          if (layer.kind == LayerKind::Dropout ||
              layer.kind == LayerKind::Embedding)
            pass.reads[{model, i}] = addBatch(
                layer.batch, layer.kind == LayerKind::Dropout ? "i1" : "i64");
    for (int model : {pass.model, pass.through})
      if (model >= 0)
        for (const Layer &layer : models[model].layers)
          if (layer.kind == LayerKind::Branch && pass.flag < 0)
            pass.flag = addBatch({}, "i1");
    passes.push_back(std::move(pass));
  }
  if (isOneOf({StepForm::Branches, StepForm::Blocks}))
    branchFlag = addBatch({}, "i1");
  // A pass may leave its unscaling, or its check, to the next of its model.
  if (form == StepForm::Calls && !isEager && !isScaledByHand)
    for (size_t i = 0; i + 1 < passes.size(); ++i)
      if (passes[i].model == passes[i + 1].model && random.chance(40) &&
          // Not on top of what was unscaled.
          llvm::all_of(llvm::ArrayRef(passes).take_front(i),
                       [&](const Pass &pass) {
                         return pass.model != passes[i].model ||
                                pass.delay == Delay::Unscaling;
                       }))
        passes[i].delay = random.pick({Delay::Unscaling, Delay::OverflowCheck});
}

void StepBuilder::drawGroups() {
  for (unsigned i = 0; i < models.size(); ++i) {
    std::vector<int> trained;
    for (int param : models[i].params)
      if (!params[param].isFrozen)
        trained.push_back(param);
    size_t cut = trained.size() > 1 && random.chance(25)
                     ? 1 + random.below(unsigned(trained.size()) - 1)
                     : trained.size();
    for (auto part : {llvm::ArrayRef<int>(trained).take_front(cut),
                      llvm::ArrayRef<int>(trained).drop_front(cut)}) {
      if (part.empty())
        continue;
      Group group;
      group.params.assign(part.begin(), part.end());
      group.kind = random.pick({OptimizerKind::Descent, OptimizerKind::Descent,
                                OptimizerKind::Decay, OptimizerKind::Momentum,
                                OptimizerKind::Adam, OptimizerKind::AdamW});
      group.clipping =
          random.pick({Clipping::None, Clipping::None, Clipping::None,
                       Clipping::Value, Clipping::Norm});
      group.form = random.pick(
          {UpdateForm::Called, UpdateForm::Called, UpdateForm::Called,
           UpdateForm::Inline, UpdateForm::Inline, UpdateForm::Helper,
           UpdateForm::Branch, UpdateForm::InlineBranch, UpdateForm::Select,
           UpdateForm::Window, UpdateForm::WindowSelect});
      if (form == StepForm::Fused)
        group.form =
            random.pick({UpdateForm::Inline, UpdateForm::Inline,
                         UpdateForm::Select, UpdateForm::WindowSelect});
      bool isWindow = group.form == UpdateForm::Window ||
                      group.form == UpdateForm::WindowSelect;
      if (isWindow && isOneOf({StepForm::LoopOfSteps, StepForm::PipelinedLoop}))
        group.form = UpdateForm::Inline;
      bool isAdam = group.kind == OptimizerKind::Adam ||
                    group.kind == OptimizerKind::AdamW;
      group.countsOutside =
          isAdam && random.chance(25) &&
          llvm::is_contained(
              {UpdateForm::Called, UpdateForm::Helper, UpdateForm::Inline},
              group.form);
      group.readsRate = random.chance(30);
      group.averages = random.chance(10);
      group.counter = random.pick({"f32", "i32", "i64"});
      group.name = "step" + std::to_string(groups.size());
      if (llvm::is_contained({UpdateForm::Branch, UpdateForm::InlineBranch,
                              UpdateForm::Select, UpdateForm::Window,
                              UpdateForm::WindowSelect},
                             group.form))
        group.flag = addBatch({}, "i1");
      groups.push_back(std::move(group));
    }
  }
}

void StepBuilder::drawOptions() {
  auto &options = made.options;
  StringRef level = random.pick(
      {"O0", "O1", "O1", "O1", "O1", "O2", "O2", "O2", "O2", "O3", "O4", "O5"});
  options["opt-level"] = level.str();
  if (random.chance(15))
    options["loss-scale"] = random.pick({"128.0", "1.0", "dynamic"});
  if ((level == "O2" || level == "O3") && random.chance(20))
    options["keep-batchnorm-fp32"] = random.pick({"True", "False"});
  if ((level == "O2" || level == "O5") && random.chance(10))
    options["master-weights"] = "False";
  if (random.chance(10))
    options["cast-model-outputs"] = random.pick({"float32", "float16"});
  if (random.chance(20))
    options["skip-on-overflow"] = "true";
  if (random.chance(20))
    options["keep-finite-sums"] = "true";
  size_t losses = 0;
  for (const Pass &pass : passes)
    losses += pass.losses.size();
  bool isDelayed = llvm::any_of(
      passes, [](const Pass &pass) { return pass.delay != Delay::None; });
  if (losses > 1 && !isDelayed && random.chance(50))
    options["num-losses"] = std::to_string(losses);
}
