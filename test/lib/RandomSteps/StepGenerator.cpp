//===- StepGenerator.cpp - Random training steps --------------------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A step is drawn from the outside in: models with their layers, backward
// passes through them with their losses, optimizers over groups of parameters,
// then the form of the train step that brings them together (calls, one fused
// function, a loop of steps, a loop over micro-batches). Values carry which
// backward passes they are computed from; what a guard has to do follows.
//
//===----------------------------------------------------------------------===//

#include "StepGenerator.h"

#include "GradientTape.h"
#include "TensorWriter.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir::amp;
using llvm::StringRef;
using llvm::Twine;

namespace {
struct Parameter {
  std::string name;
  Shape shape;
  bool isBatchNorm = false, isFrozen = false;
};

enum class LayerKind {
  Linear,
  Relu,
  Tanh,
  Sigmoid,
  LayerNorm,
  BatchNorm,
  Softmax,
  Attention,
  Residual,
  Scale,
  Loop,
  LoopMatmul,
  Branch,
  Reshape,
};

struct Layer {
  LayerKind kind;
  /// Numbers of parameters; what they are depends on the kind.
  std::vector<int> params;
  /// Running mean and variance of a batch normalisation.
  std::vector<int> buffers;
  double factor = 1, other = 1;
  int64_t rounds = 1;
};

struct Model {
  int64_t inputs = 0, outputs = 0;
  std::vector<Layer> layers;
  std::vector<int> params;
};

enum class LossKind { MeanSquare, MeanSquareError, CrossEntropy };

struct Batch {
  std::string name;
  Shape shape;
  std::string element;
};

struct Pass {
  int model = 0;
  /// Applied to the output of `model`, or -1; takes no gradients here.
  int through = -1;
  std::vector<LossKind> kinds;
  std::vector<std::string> losses;
  /// Input, then targets; -1 for a loss without one.
  int input = -1, flag = -1;
  std::vector<int> targets;
  /// Parameter of a squared penalty in the loss, or -1.
  int penalty = -1;
};

enum class OptimizerKind { Descent, Decay, Momentum, Adam, AdamW };
enum class Clipping { None, Value, Norm };
enum class UpdateForm {
  Called,       ///< an optimizer step
  Inline,       ///< written out
  Helper,       ///< an optimizer step behind a function without roles
  Branch,       ///< an optimizer step in a branch that depends on the batch
  InlineBranch, ///< written out in such a branch
  Select,       ///< written out, and taken by a select
};

struct Group {
  std::vector<int> params;
  OptimizerKind kind = OptimizerKind::Descent;
  Clipping clipping = Clipping::None;
  UpdateForm form = UpdateForm::Called;
  bool readsRate = false, averages = false;
  /// Element type of Adam's count of steps.
  std::string counter = "f32";
  std::string name;
  int flag = -1;
};

/// How a train step brings its parts together.
enum class StepForm { Calls, Fused, LoopOfSteps, LoopOfBatches };

/// One argument or result of a function.
struct Field {
  Value value;
  std::string role, name;
  bool isBatchNorm = false;
};

using Environment = std::map<std::string, Value>;

class StepGenerator {
public:
  explicit StepGenerator(uint64_t seed) : random(seed) {}
  GeneratedStep run();

private:
  // What there is.
  void drawModels();
  void drawLayer(Model &model, int64_t &width);
  void drawPasses();
  void drawGroups();
  void drawOptions();
  int addParameter(StringRef stem, Shape shape, bool isBatchNorm = false);
  int addBatch(Shape shape, StringRef element);

  // Functions.
  std::string printFunction(StringRef name, bool isPrivate,
                            llvm::ArrayRef<Field> arguments,
                            llvm::ArrayRef<Field> results,
                            const TensorWriter &writer,
                            StringRef attributes = "");
  Field makeField(StringRef role, StringRef name, const Shape &shape,
                  StringRef element = "f32", bool isBatchNorm = false);
  Field parameterField(int param, StringRef role);
  std::vector<Field> getPassArguments(const Pass &pass, bool withSeeds);
  std::vector<Field> getStateFields(const Group &group);
  void setOrigin(TensorWriter &writer, StringRef scope, StringRef function,
                 StringRef layer);
  TensorWriter makeWriter();

  // Bodies.
  int applyLayer(GradientTape &tape, TensorWriter &writer, const Layer &layer,
                 int x, const Environment &values, std::map<int, int> &params,
                 const Value *flag, Environment &newBuffers, bool isTraining);
  int applyModel(GradientTape &tape, TensorWriter &writer, const Model &model,
                 int x, const Environment &values, std::map<int, int> &params,
                 const Value *flag, Environment &newBuffers, bool isTraining);
  /// Losses, gradients by parameter and new buffers of one backward pass.
  void writePass(TensorWriter &writer, const Pass &pass,
                 const Environment &values, Environment &results);
  void writeUpdate(TensorWriter &writer, const Group &group,
                   const Environment &values, Environment &results);
  void writePassFunction(int number);
  void writeStepFunction(const Group &group);
  void writeEvaluate();

  // The train step.
  void callPass(TensorWriter &writer, int number, Environment &values);
  void update(TensorWriter &writer, const Group &group, Environment &values);
  void runParts(TensorWriter &writer, Environment &values);
  void writeTrainStep();
  void writeLoopOfSteps(TensorWriter &writer, Environment &values);
  void writeLoopOfBatches(TensorWriter &writer, Environment &values);
  std::vector<Field> getTrainStates();
  uint64_t getPassBit(int number) const { return uint64_t(1) << number; }
  std::vector<int> getGradientParams(const Pass &pass) const;
  std::string makeFields(llvm::ArrayRef<Field> fields);

  Random random;
  GeneratedStep made;
  HelperFunctions helpers;
  std::string functions, scalers;

  int64_t rows = 2;
  std::vector<Parameter> params;
  std::vector<std::pair<std::string, Shape>> buffers;
  std::vector<Batch> batches;
  std::vector<Model> models;
  std::vector<Pass> passes;
  std::vector<Group> groups;
  StepForm form = StepForm::Calls;
  /// 0 none, 1 as PyTorch has them, 2 as JAX, 3 phases only, 4 some.
  unsigned origins = 0;
  unsigned nextScope = 0, percentLinalg = 50, percentHelpers = 5;
  /// The step has scale_loss, unscale and update_scale itself.
  bool isScaledByHand = false;
  bool marksGradients = false, isEager = false;
  int64_t microBatches = 1, rounds = 1;
  std::string mistake;
};
} // namespace

//===----------------------------------------------------------------------===//
// What there is
//===----------------------------------------------------------------------===//

int StepGenerator::addParameter(StringRef stem, Shape shape, bool isBatchNorm) {
  std::string name = stem.str() + std::to_string(params.size());
  params.push_back({name, std::move(shape), isBatchNorm, random.chance(6)});
  return int(params.size()) - 1;
}

int StepGenerator::addBatch(Shape shape, StringRef element) {
  batches.push_back(
      {"x" + std::to_string(batches.size()), std::move(shape), element.str()});
  return int(batches.size()) - 1;
}

void StepGenerator::drawLayer(Model &model, int64_t &width) {
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
      {LayerKind::Linear, LayerKind::Linear, LayerKind::Linear, LayerKind::Relu,
       LayerKind::Tanh, LayerKind::Sigmoid, LayerKind::LayerNorm,
       LayerKind::BatchNorm, LayerKind::Softmax, LayerKind::Attention,
       LayerKind::Residual, LayerKind::Scale, LayerKind::Loop,
       LayerKind::LoopMatmul, LayerKind::Branch, LayerKind::Reshape});
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

void StepGenerator::drawModels() {
  rows = random.between(2, 4);
  unsigned count = random.chance(30) ? 2 : 1;
  if (form == StepForm::Fused || form == StepForm::LoopOfBatches)
    count = 1;
  for (unsigned i = 0; i < count; ++i) {
    Model model;
    // The second often takes what the first gives.
    model.inputs =
        i && random.chance(60) ? models[0].outputs : random.between(2, 4);
    int64_t width = model.inputs;
    // A weight at the front, so that the batch reaches every gradient.
    Layer first{LayerKind::Linear, {}, {}, 1, 1, 1};
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

void StepGenerator::drawPasses() {
  unsigned count = unsigned(models.size());
  if (form == StepForm::Calls && random.chance(30))
    count += 1 + random.below(2);
  if (form == StepForm::Fused || form == StepForm::LoopOfBatches)
    count = 1;
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
    pass.input =
        input >= 0 ? input : addBatch({rows, models[pass.model].inputs}, "f32");
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
        for (const Layer &layer : models[model].layers)
          if (layer.kind == LayerKind::Branch && pass.flag < 0)
            pass.flag = addBatch({}, "i1");
    passes.push_back(std::move(pass));
  }
}

void StepGenerator::drawGroups() {
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
           UpdateForm::Branch, UpdateForm::InlineBranch, UpdateForm::Select});
      if (form == StepForm::Fused)
        group.form = random.pick(
            {UpdateForm::Inline, UpdateForm::Inline, UpdateForm::Select});
      group.readsRate = random.chance(30);
      group.averages = random.chance(10);
      group.counter = random.pick({"f32", "i32", "i64"});
      group.name = "step" + std::to_string(groups.size());
      if (llvm::is_contained({UpdateForm::Branch, UpdateForm::InlineBranch,
                              UpdateForm::Select},
                             group.form))
        group.flag = addBatch({}, "i1");
      groups.push_back(std::move(group));
    }
  }
}

void StepGenerator::drawOptions() {
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
  if (losses > 1 && random.chance(50))
    options["num-losses"] = std::to_string(losses);
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

TensorWriter StepGenerator::makeWriter() {
  TensorWriter writer(random, helpers);
  writer.percentLinalg = percentLinalg;
  writer.percentHelpers = percentHelpers;
  return writer;
}

Field StepGenerator::makeField(StringRef role, StringRef name,
                               const Shape &shape, StringRef element,
                               bool isBatchNorm) {
  Field field;
  field.role = role.str();
  field.name = name.str();
  field.isBatchNorm = isBatchNorm;
  field.value.shape = shape;
  field.value.element = element.str();
  std::string plain;
  for (char c : name)
    plain += c == '.' ? '_' : c;
  field.value.name = "%" + role.str() + "_" + plain;
  return field;
}

Field StepGenerator::parameterField(int param, StringRef role) {
  return makeField(role, params[param].name, params[param].shape, "f32",
                   role == "param" && params[param].isBatchNorm);
}

static std::string getKey(StringRef role, StringRef name) {
  return (role + "/" + name).str();
}

static std::string getKey(const Field &field) {
  return getKey(field.role, field.name);
}

static std::string getAttributes(const Field &field) {
  std::string text =
      " {amp.role = \"" + field.role + "\", amp.name = \"" + field.name + "\"";
  if (field.isBatchNorm)
    text += ", amp.kind = \"batch_norm\"";
  return text + "}";
}

std::string StepGenerator::printFunction(StringRef name, bool isPrivate,
                                         llvm::ArrayRef<Field> arguments,
                                         llvm::ArrayRef<Field> results,
                                         const TensorWriter &writer,
                                         StringRef attributes) {
  std::string text = "  func.func " + std::string(isPrivate ? "private " : "") +
                     "@" + name.str() + "(";
  for (auto [i, field] : llvm::enumerate(arguments))
    text += (i ? ",\n      " : "") + field.value.name + ": " +
            field.value.type() + getAttributes(field);
  text += ")\n      -> (";
  for (auto [i, field] : llvm::enumerate(results))
    text +=
        (i ? ",\n          " : "") + field.value.type() + getAttributes(field);
  text += ")" + attributes.str() + " {\n" + writer.print(4) + "    return ";
  for (auto [i, field] : llvm::enumerate(results))
    text += (i ? ", " : "") + field.value.name;
  text += " : ";
  for (auto [i, field] : llvm::enumerate(results))
    text += (i ? ", " : "") + field.value.type();
  return text + "\n  }\n";
}

void StepGenerator::setOrigin(TensorWriter &writer, StringRef scope,
                              StringRef function, StringRef layer) {
  ++nextScope;
  writer.origin.clear();
  if (origins == 0 || (origins == 4 && random.chance(40)))
    return;
  std::string phase = "amp.phase = \"forward\"";
  if (origins == 3) {
    writer.origin = phase;
    return;
  }
  writer.origin = "amp.scope = \"" + scope.str() +
                  "\", amp.scope_id = " + std::to_string(nextScope) +
                  " : i64, " + phase;
  if (origins != 2)
    writer.origin += ", amp.function = \"" + function.str() + "\"";
  if (!layer.empty())
    writer.origin += ", amp.layer = \"" + layer.str() + "\"";
}

static std::string toBackward(StringRef origin) {
  std::string text = origin.str();
  size_t at = text.find("\"forward\"");
  return at == std::string::npos ? text : text.replace(at, 9, "\"backward\"");
}

//===----------------------------------------------------------------------===//
// Models
//===----------------------------------------------------------------------===//

int StepGenerator::applyLayer(GradientTape &tape, TensorWriter &writer,
                              const Layer &layer, int x,
                              const Environment &values,
                              std::map<int, int> &ids, const Value *flag,
                              Environment &newBuffers, bool isTraining) {
  auto param = [&](size_t i) { return ids.at(layer.params[i]); };
  std::string path = "layers." + std::to_string(nextScope);
  auto at = [&](StringRef scope, StringRef function) {
    setOrigin(writer, scope, function, path);
  };
  Shape shape = tape.shape(x);
  const int64_t count = shape[0], width = shape[1];
  switch (layer.kind) {
  case LayerKind::Linear: {
    at("aten.addmm", "torch.nn.functional.linear");
    int y = tape.matmul(x, param(0));
    if (layer.params.size() > 1) {
      Shape out = tape.shape(y);
      y = tape.binary("arith.addf", y, tape.broadcast(param(1), {0}, out));
    }
    return y;
  }
  case LayerKind::Relu:
    at("aten.relu", "torch.nn.functional.relu");
    return tape.relu(x);
  case LayerKind::Tanh:
    at("aten.tanh", "torch.tanh");
    return tape.unary("math.tanh", x);
  case LayerKind::Sigmoid: {
    at("aten.sigmoid", "torch.sigmoid");
    int e = tape.unary("math.exp", tape.unary("arith.negf", x));
    int below = tape.add(e, 1);
    int one = tape.input(writer.constant(1, shape), false);
    return tape.binary("arith.divf", one, below);
  }
  case LayerKind::LayerNorm:
  case LayerKind::BatchNorm: {
    bool isBatch = layer.kind == LayerKind::BatchNorm;
    at(isBatch ? "aten.native_batch_norm" : "aten.native_layer_norm",
       isBatch ? "torch.nn.functional.batch_norm"
               : "torch.nn.functional.layer_norm");
    int64_t over = isBatch ? 0 : 1;
    double part = 1.0 / double(isBatch ? count : width);
    int mean, variance, centred;
    if (isBatch && !isTraining && !layer.buffers.empty()) {
      auto read = [&](int i) {
        return tape.input(
            values.at(getKey("buffer", buffers[layer.buffers[i]].first)),
            false);
      };
      mean = read(0);
      centred =
          tape.binary("arith.subf", x, tape.broadcast(mean, {over}, shape));
      variance = read(1);
    } else {
      mean = tape.scale(tape.sum(x, {over}), part);
      centred =
          tape.binary("arith.subf", x, tape.broadcast(mean, {over}, shape));
      int square = tape.binary("arith.mulf", centred, centred);
      variance = tape.scale(tape.sum(square, {over}), part);
    }
    if (isBatch && isTraining)
      for (auto [i, buffer] : llvm::enumerate(layer.buffers)) {
        std::string key = getKey("buffer", buffers[buffer].first);
        const Value &old =
            newBuffers.count(key) ? newBuffers.at(key) : values.at(key);
        Value kept = writer.scale(old, 0.75);
        Value fresh = writer.scale(tape.get(i ? variance : mean), 0.25);
        newBuffers[key] = writer.binary("arith.addf", kept, fresh);
      }
    int inverse = tape.unary("math.rsqrt", tape.add(variance, 0.0625));
    int normal = tape.binary("arith.mulf", centred,
                             tape.broadcast(inverse, {over}, shape));
    int scaled =
        tape.binary("arith.mulf", normal, tape.broadcast(param(0), {0}, shape));
    return tape.binary("arith.addf", scaled,
                       tape.broadcast(param(1), {0}, shape));
  }
  case LayerKind::Softmax:
  case LayerKind::Attention: {
    int scores = x;
    Shape square = shape;
    if (layer.kind == LayerKind::Attention) {
      at("aten.bmm", "torch.bmm");
      scores = tape.matmul(x, x, true);
      square = {count, count};
      scores = tape.scale(scores, 0.5);
    }
    at("aten._softmax", "torch.nn.functional.softmax");
    int top = tape.broadcast(tape.maximum(scores, {1}), {1}, square);
    int e = tape.unary("math.exp", tape.binary("arith.subf", scores, top));
    int total = tape.broadcast(tape.sum(e, {1}), {1}, square);
    int p = tape.binary("arith.divf", e, total);
    if (layer.kind == LayerKind::Softmax)
      return p;
    at("aten.bmm", "torch.bmm");
    return tape.matmul(p, x);
  }
  case LayerKind::Residual: {
    at("aten.mm", "torch.mm");
    int y = tape.matmul(x, param(0));
    at("aten.add", "torch.Tensor.add");
    return tape.binary("arith.addf", x, y);
  }
  case LayerKind::Scale:
    at("aten.mul", "torch.Tensor.mul");
    return tape.binary("arith.mulf", x, tape.broadcast(param(0), {0}, shape));
  case LayerKind::Loop:
    at("aten.mul", "torch.Tensor.mul");
    return tape.scaleInLoop(x, layer.factor, layer.rounds);
  case LayerKind::LoopMatmul:
    at("aten.mm", "torch.mm");
    return tape.multiplyInLoop(x, param(0), layer.rounds);
  case LayerKind::Branch:
    at("aten.mul", "torch.Tensor.mul");
    if (!flag)
      return tape.scale(x, layer.factor);
    return tape.scaleInBranch(*flag, x, layer.factor, layer.other);
  case LayerKind::Reshape: {
    at("aten.view", "torch.Tensor.view");
    int flat = tape.reshape(x, {count * width});
    flat = tape.scale(flat, 1.25);
    int back = tape.reshape(flat, shape);
    if (count < 3)
      return back;
    // The same as a sum of two parts of the rows.
    int first = tape.slice(back, 0, count - 1);
    int mixed = tape.sum(first, {0});
    return tape.binary("arith.addf", back, tape.broadcast(mixed, {0}, shape));
  }
  }
  return x;
}

int StepGenerator::applyModel(GradientTape &tape, TensorWriter &writer,
                              const Model &model, int x,
                              const Environment &values,
                              std::map<int, int> &ids, const Value *flag,
                              Environment &newBuffers, bool isTraining) {
  for (const Layer &layer : model.layers)
    x = applyLayer(tape, writer, layer, x, values, ids, flag, newBuffers,
                   isTraining);
  return x;
}

std::vector<int> StepGenerator::getGradientParams(const Pass &pass) const {
  std::vector<int> found;
  for (int param : models[pass.model].params)
    if (!params[param].isFrozen)
      found.push_back(param);
  return found;
}

void StepGenerator::writePass(TensorWriter &writer, const Pass &pass,
                              const Environment &values, Environment &results) {
  GradientTape tape(writer);
  tape.toBackward = toBackward;
  std::map<int, int> ids;
  for (int model : {pass.model, pass.through})
    if (model >= 0)
      for (int param : models[model].params)
        ids[param] = tape.input(values.at(getKey("param", params[param].name)),
                                model == pass.model && !params[param].isFrozen);
  const Value *flag =
      pass.flag < 0 ? nullptr
                    : &values.at(getKey("batch", batches[pass.flag].name));
  int x =
      tape.input(values.at(getKey("batch", batches[pass.input].name)), false);
  int y = applyModel(tape, writer, models[pass.model], x, values, ids, flag,
                     results, true);
  if (pass.through >= 0)
    y = applyModel(tape, writer, models[pass.through], y, values, ids, flag,
                   results, true);
  std::vector<int> losses;
  for (auto [i, kind] : llvm::enumerate(pass.kinds)) {
    Shape shape = tape.shape(y);
    double part = 1.0 / double(shape[0]);
    int loss = -1;
    const Value *target =
        pass.targets[i] < 0
            ? nullptr
            : &values.at(getKey("batch", batches[pass.targets[i]].name));
    switch (kind) {
    case LossKind::MeanSquare:
    case LossKind::MeanSquareError: {
      setOrigin(writer, "aten.mse_loss", "torch.nn.functional.mse_loss", "");
      int d = y;
      if (target)
        d = tape.binary("arith.subf", y, tape.input(*target, false));
      loss =
          tape.scale(tape.sum(tape.binary("arith.mulf", d, d), {0, 1}), part);
      break;
    }
    case LossKind::CrossEntropy: {
      setOrigin(writer, "aten._log_softmax",
                "torch.nn.functional.cross_entropy", "");
      int top = tape.broadcast(tape.maximum(y, {1}), {1}, shape);
      int shifted = tape.binary("arith.subf", y, top);
      int total = tape.sum(tape.unary("math.exp", shifted), {1});
      int logs = tape.broadcast(tape.unary("math.log", total), {1}, shape);
      int logp = tape.binary("arith.subf", shifted, logs);
      int onehot = tape.input(writer.oneHot(*target, shape[1]), false);
      int picked = tape.binary("arith.mulf", logp, onehot);
      loss = tape.scale(tape.sum(picked, {0, 1}), -part);
      break;
    }
    }
    if (i == 0 && pass.penalty >= 0) {
      setOrigin(writer, "aten.mul", "torch.Tensor.mul", "");
      int w = ids.at(pass.penalty);
      int square = tape.binary("arith.mulf", w, w);
      loss = tape.binary("arith.addf", loss,
                         tape.scale(tape.sum(square, {0, 1}), 0.125));
    }
    losses.push_back(loss);
  }
  for (auto [i, loss] : llvm::enumerate(losses)) {
    results[getKey("loss", pass.losses[i])] = tape.get(loss);
    Value seed = values.at(getKey("loss_seed", pass.losses[i]));
    if (mistake == "seed-ignored")
      seed = writer.constant(1, {});
    tape.addCotangent(loss, seed);
  }
  tape.writeBackward();
  writer.origin.clear();
  for (int param : getGradientParams(pass)) {
    const Value *gradient = tape.getGradient(ids.at(param));
    Value value =
        gradient ? *gradient : writer.constant(0, params[param].shape);
    if (mistake == "decay-in-backward")
      value = writer.binary(
          "arith.addf", value,
          writer.scale(values.at(getKey("param", params[param].name)), 0.25));
    else if (mistake == "gradient-squared")
      value = writer.binary("arith.mulf", value, value);
    results[getKey("grad", params[param].name)] = value;
  }
}

std::vector<Field> StepGenerator::getPassArguments(const Pass &pass,
                                                   bool withSeeds) {
  std::vector<Field> fields;
  for (int model : {pass.model, pass.through})
    if (model >= 0) {
      for (int param : models[model].params)
        fields.push_back(parameterField(param, "param"));
      for (const Layer &layer : models[model].layers)
        for (int buffer : layer.buffers)
          fields.push_back(makeField("buffer", buffers[buffer].first,
                                     buffers[buffer].second, "f32", true));
    }
  std::vector<int> reads = {pass.input, pass.flag};
  if (withSeeds)
    llvm::append_range(reads, pass.targets);
  for (int batch : reads)
    if (batch >= 0)
      fields.push_back(makeField("batch", batches[batch].name,
                                 batches[batch].shape, batches[batch].element));
  if (withSeeds)
    for (const std::string &loss : pass.losses)
      fields.push_back(makeField("loss_seed", loss, {}));
  return fields;
}

static Environment getArguments(llvm::ArrayRef<Field> fields) {
  Environment values;
  for (const Field &field : fields)
    values[getKey(field)] = field.value;
  return values;
}

void StepGenerator::writePassFunction(int number) {
  const Pass &pass = passes[number];
  std::vector<Field> arguments = getPassArguments(pass, true);
  TensorWriter writer = makeWriter();
  Environment results;
  writePass(writer, pass, getArguments(arguments), results);
  std::vector<Field> fields;
  for (auto &[key, value] : results) {
    auto [role, name] = StringRef(key).split('/');
    Field field = makeField(role, name, value.shape, "f32", role == "buffer");
    field.value = value;
    fields.push_back(std::move(field));
  }
  functions += printFunction("pass" + std::to_string(number), false, arguments,
                             fields, writer);
}

void StepGenerator::writeEvaluate() {
  const Model &model = models[0];
  Pass pass;
  pass.model = 0;
  pass.input = addBatch({rows, model.inputs}, "f32");
  std::vector<Field> arguments = getPassArguments(pass, false);
  batches.pop_back();
  TensorWriter writer = makeWriter();
  GradientTape tape(writer);
  Environment values = getArguments(arguments), newBuffers;
  std::map<int, int> ids;
  for (int param : model.params)
    ids[param] =
        tape.input(values.at(getKey("param", params[param].name)), false);
  int x = tape.input(arguments.back().value, false);
  int y = applyModel(tape, writer, model, x, values, ids, nullptr, newBuffers,
                     false);
  Field output = makeField("output", "y0", tape.shape(y));
  output.value = tape.get(y);
  functions += printFunction("evaluate", false, arguments, {output}, writer);
}

//===----------------------------------------------------------------------===//
// Updates
//===----------------------------------------------------------------------===//

std::vector<Field> StepGenerator::getStateFields(const Group &group) {
  std::vector<Field> fields;
  bool isAdam =
      group.kind == OptimizerKind::Adam || group.kind == OptimizerKind::AdamW;
  for (int param : group.params) {
    const auto &[name, shape, isBatchNorm, isFrozen] = params[param];
    if (group.kind == OptimizerKind::Momentum)
      fields.push_back(makeField("opt_state", name + ".momentum", shape));
    if (isAdam) {
      fields.push_back(makeField("opt_state", name + ".exp_avg", shape));
      fields.push_back(makeField("opt_state", name + ".exp_avg_sq", shape));
    }
    if (group.averages)
      fields.push_back(makeField("opt_state", name + ".ema", shape));
  }
  if (isAdam)
    fields.push_back(
        makeField("opt_state", group.name + ".step", {}, group.counter));
  return fields;
}

/// 0 up to the rank of `value`.
static llvm::SmallVector<int64_t> getAllDimensions(const Value &value) {
  llvm::SmallVector<int64_t> all;
  for (size_t i = 0; i < value.shape.size(); ++i)
    all.push_back(int64_t(i));
  return all;
}

void StepGenerator::writeUpdate(TensorWriter &writer, const Group &group,
                                const Environment &values,
                                Environment &results) {
  if (origins && origins != 4)
    writer.origin = "amp.phase = \"optimizer\"";
  std::map<int, Value> gradients;
  for (int param : group.params)
    gradients[param] = values.at(getKey("grad", params[param].name));
  if (group.clipping == Clipping::Value) {
    for (int param : group.params) {
      Value &g = gradients[param];
      g = writer.binary("arith.minimumf", g, writer.constant(0.5, g.shape));
      g = writer.binary("arith.maximumf", g, writer.constant(-0.5, g.shape));
    }
  } else if (group.clipping == Clipping::Norm) {
    Value total;
    for (int param : group.params) {
      const Value &g = gradients[param];
      llvm::SmallVector<int64_t> all = getAllDimensions(g);
      Value sum =
          writer.reduce("arith.addf", writer.binary("arith.mulf", g, g), all);
      total =
          total.name.empty() ? sum : writer.binary("arith.addf", total, sum);
    }
    Value norm = writer.add(writer.unary("math.sqrt", total), 0.0078125);
    Value bound = writer.constant(1, {});
    Value ratio = writer.binary("arith.divf", bound, norm);
    Value one = writer.constant(1, {});
    Value factor = writer.binary("arith.minimumf", ratio, one);
    for (int param : group.params) {
      Value &g = gradients[param];
      llvm::SmallVector<int64_t> all = getAllDimensions(g);
      g = writer.binary("arith.mulf", g,
                        writer.broadcast(factor, all, g.shape));
    }
  }
  Value count;
  if (group.kind == OptimizerKind::Adam || group.kind == OptimizerKind::AdamW) {
    std::string key = getKey("opt_state", group.name + ".step");
    const Value &old = values.at(key);
    bool isFloat = group.counter == "f32";
    std::string one = writer.fresh();
    writer.write(one + " = arith.constant dense<" + (isFloat ? "1.0" : "1") +
                 "> : " + old.type());
    Value next =
        writer.define((isFloat ? "arith.addf " : "arith.addi ") + old.name +
                          ", " + one + "\x01 : " + old.type(),
                      {}, {&old});
    next.element = group.counter;
    results[key] = next;
    count = isFloat ? next : writer.toFloat(next);
  }
  auto correct = [&](const Value &moment, double beta) {
    Value base = writer.constant(beta, {});
    Value power = writer.binary("math.powf", base, count);
    Value one = writer.constant(1, {});
    Value below = writer.binary("arith.subf", one, power);
    llvm::SmallVector<int64_t> all = getAllDimensions(moment);
    return writer.binary("arith.divf", moment,
                         writer.broadcast(below, all, moment.shape));
  };
  for (int param : group.params) {
    const std::string &name = params[param].name;
    const Value &old = values.at(getKey("param", name));
    Value g = gradients[param];
    auto state = [&](StringRef suffix) {
      return getKey("opt_state", name + suffix.str());
    };
    Value step = g;
    switch (group.kind) {
    case OptimizerKind::Descent:
      break;
    case OptimizerKind::Decay:
      step = writer.binary("arith.addf", g, writer.scale(old, 0.125));
      break;
    case OptimizerKind::Momentum:
      step = writer.binary("arith.addf",
                           writer.scale(values.at(state(".momentum")), 0.5), g);
      results[state(".momentum")] = step;
      break;
    case OptimizerKind::Adam:
    case OptimizerKind::AdamW: {
      Value m = writer.scale(values.at(state(".exp_avg")), 0.75);
      m = writer.binary("arith.addf", m, writer.scale(g, 0.25));
      Value v = writer.scale(values.at(state(".exp_avg_sq")), 0.5);
      Value square = writer.binary("arith.mulf", g, g);
      v = writer.binary("arith.addf", v, writer.scale(square, 0.5));
      results[state(".exp_avg")] = m;
      results[state(".exp_avg_sq")] = v;
      Value root = writer.unary("math.sqrt", correct(v, 0.5));
      root = writer.add(root, 0.03125);
      step = writer.binary("arith.divf", correct(m, 0.75), root);
      if (group.kind == OptimizerKind::AdamW)
        step = writer.binary("arith.addf", step, writer.scale(old, 0.0625));
      break;
    }
    }
    Value change;
    if (group.readsRate) {
      llvm::SmallVector<int64_t> all = getAllDimensions(old);
      change = writer.binary(
          "arith.mulf", step,
          writer.broadcast(values.at("hyper/rate"), all, old.shape));
    } else {
      change = writer.scale(step, 0.125);
    }
    Value next = writer.binary("arith.subf", old, change);
    results[getKey("param", name)] = next;
    if (group.averages) {
      Value kept = writer.scale(values.at(state(".ema")), 0.5);
      results[state(".ema")] =
          writer.binary("arith.addf", kept, writer.scale(next, 0.5));
    }
  }
  writer.origin.clear();
}

/// The arguments of an optimizer step, and its results.
void StepGenerator::writeStepFunction(const Group &group) {
  std::vector<Field> arguments;
  for (int param : group.params)
    arguments.push_back(parameterField(param, "param"));
  for (int param : group.params)
    arguments.push_back(parameterField(param, "grad"));
  llvm::append_range(arguments, getStateFields(group));
  if (group.readsRate)
    arguments.push_back(makeField("hyper", "rate", {}));
  TensorWriter writer = makeWriter();
  Environment results;
  writeUpdate(writer, group, getArguments(arguments), results);
  std::vector<Field> fields;
  for (const Field &argument : arguments) {
    auto it = results.find(getKey(argument));
    if (it == results.end())
      continue;
    Field field = argument;
    field.value = it->second;
    fields.push_back(std::move(field));
  }
  functions += printFunction(group.name, false, arguments, fields, writer);
  if (group.form != UpdateForm::Helper)
    return;
  // The same behind a function without roles, of two blocks.
  std::string heads, names, types, results_, yields;
  for (auto [i, field] : llvm::enumerate(arguments)) {
    heads += (i ? ", " : "") + field.value.name + ": " + field.value.type();
    names += (i ? ", " : "") + field.value.name;
    types += (i ? ", " : "") + field.value.type();
  }
  for (auto [i, field] : llvm::enumerate(fields)) {
    results_ += (i ? ", " : "") + field.value.type();
    yields += (i ? ", %n#" : "%n#") + std::to_string(i);
  }
  if (fields.size() == 1)
    yields = "%n";
  functions += "  func.func private @apply_" + group.name + "(" + heads +
               ") -> (" + results_ + ") {\n    %n" +
               (fields.size() == 1 ? std::string()
                                   : ":" + std::to_string(fields.size())) +
               " = call @" + group.name + "(" + names + ") : (" + types +
               ") -> (" + results_ + ")\n    cf.br ^end\n  ^end:\n    return " +
               yields + " : " + results_ + "\n  }\n";
}

//===----------------------------------------------------------------------===//
// The train step
//===----------------------------------------------------------------------===//

/// Writes the call of backward pass `number` and adds its gradients to those
/// that are there.
void StepGenerator::callPass(TensorWriter &writer, int number,
                             Environment &values) {
  const Pass &pass = passes[number];
  std::vector<Field> arguments = getPassArguments(pass, true);
  std::string scaler = "@by_hand" + std::to_string(number);
  if (isScaledByHand)
    scalers += "  amp.scaler " + scaler + " {initial_scale = 64.0 : f64}\n";
  std::string names, types;
  uint64_t changes = 0;
  for (auto [i, field] : llvm::enumerate(arguments)) {
    Value value = values.at(getKey(field));
    if (isScaledByHand && field.role == "loss_seed") {
      std::string scaled = writer.fresh();
      writer.write(scaled + " = amp.scale_loss " + value.name + " using " +
                   scaler + " : tensor<f32>");
      value.name = scaled;
    }
    changes |= value.changes;
    names += (i ? ", " : "") + value.name;
    types += (i ? ", " : "") + value.type();
  }
  // Results in the order of writePassFunction: sorted by key.
  Environment results;
  for (const std::string &loss : pass.losses)
    results[getKey("loss", loss)] = Value{"", {}, "f32"};
  for (int param : getGradientParams(pass)) {
    Value &gradient = results[getKey("grad", params[param].name)];
    gradient.shape = params[param].shape;
    gradient.overflows = getPassBit(number);
  }
  for (const Field &field : arguments)
    if (field.role == "buffer")
      results[getKey(field)].shape = field.value.shape;
  std::string resultTypes, base = writer.fresh();
  unsigned index = 0;
  for (auto &[key, value] : results) {
    value.changes = changes | value.overflows;
    resultTypes += (index ? ", " : "") + value.type();
    value.name =
        results.size() == 1 ? base : base + "#" + std::to_string(index);
    ++index;
  }
  writer.write(base +
               (results.size() == 1 ? std::string()
                                    : ":" + std::to_string(results.size())) +
               " = func.call @pass" + Twine(number) + "(" + names + ") : (" +
               types + ") -> (" + resultTypes + ")");
  if (isScaledByHand) {
    std::string list, listTypes;
    unsigned count = 0;
    auto gradients = [&] {
      std::vector<Value *> found;
      for (auto &[key, value] : results)
        if (StringRef(key).starts_with("grad/"))
          found.push_back(&value);
      return found;
    }();
    if (mistake == "decay-before-unscaling" || mistake == "clipped-scaled")
      for (auto &[key, value] : results)
        if (StringRef(key).starts_with("grad/")) {
          const Value &old =
              values.at("param/" + StringRef(key).split('/').second.str());
          value =
              mistake == "clipped-scaled"
                  ? writer.binary("arith.minimumf", value,
                                  writer.constant(0.25, value.shape))
                  : writer.binary("arith.addf", value, writer.scale(old, 0.25));
        }
    std::string other = scaler;
    if (mistake == "other-scaler") {
      other = "@other" + std::to_string(number);
      scalers += "  amp.scaler " + other + " {initial_scale = 16.0 : f64}\n";
    }
    unsigned times = mistake == "unscaled-twice"   ? 2
                     : mistake == "never-unscaled" ? 0
                                                   : 1;
    for (unsigned time = 0; time < times && !gradients.empty(); ++time) {
      list.clear();
      listTypes.clear();
      for (auto [i, value] : llvm::enumerate(gradients)) {
        list += (i ? ", " : "") + value->name;
        listTypes += (i ? ", " : "") + value->type();
      }
      count = unsigned(gradients.size());
      std::string unscaled = writer.fresh(), found = writer.fresh();
      writer.write(unscaled + (count == 1 ? "" : ":" + std::to_string(count)) +
                   ", " + found + " = amp.unscale " + list + " using " + other +
                   " : (" + listTypes + ") -> (" + listTypes + ")");
      if (mistake != "never-advanced" && time == 0)
        writer.write("amp.update_scale " + other + ", " + found);
      for (auto [i, value] : llvm::enumerate(gradients))
        value->name =
            count == 1 ? unscaled : unscaled + "#" + std::to_string(i);
    }
  }
  for (auto &[key, value] : results) {
    auto it = values.find(key);
    if (!StringRef(key).starts_with("grad/") || it == values.end())
      values[key] = value;
    else
      it->second = writer.binary("arith.addf", it->second, value);
  }
}

/// Writes the update of `group` in its form, and says what a guard has to keep.
void StepGenerator::update(TensorWriter &writer, const Group &group,
                           Environment &values) {
  uint64_t overflows = 0, changes = 0;
  for (int param : group.params) {
    const Value &g = values.at(getKey("grad", params[param].name));
    overflows |= g.overflows;
    changes |= g.changes;
    changes |= values.at(getKey("param", params[param].name)).changes;
  }
  bool isAdam =
      group.kind == OptimizerKind::Adam || group.kind == OptimizerKind::AdamW;
  // Parameters that are written out have a predicate of their own, unless
  // something joins them.
  bool isJoined = isAdam || group.clipping == Clipping::Norm ||
                  group.form == UpdateForm::Called ||
                  group.form == UpdateForm::Helper ||
                  group.form == UpdateForm::Branch;

  std::vector<Field> arguments;
  for (int param : group.params)
    arguments.push_back(parameterField(param, "param"));
  for (int param : group.params)
    arguments.push_back(parameterField(param, "grad"));
  std::vector<Field> states = getStateFields(group);
  llvm::append_range(arguments, states);
  if (group.readsRate)
    arguments.push_back(makeField("hyper", "rate", {}));
  std::vector<Field> news;
  for (int param : group.params)
    news.push_back(parameterField(param, "param"));
  llvm::append_range(news, states);
  std::string names, types, newTypes;
  for (auto [i, field] : llvm::enumerate(arguments)) {
    names += (i ? ", " : "") + values.at(getKey(field)).name;
    types += (i ? ", " : "") + field.value.type();
  }
  for (auto [i, field] : llvm::enumerate(news))
    newTypes += (i ? ", " : "") + field.value.type();
  auto call = [&](StringRef callee, StringRef into) {
    return (into + (news.size() == 1 ? "" : ":" + std::to_string(news.size())) +
            " = func.call @" + callee + "(" + names + ") : (" + types +
            ") -> (" + newTypes + ")")
        .str();
  };
  auto part = [&](const std::string &base, size_t i) {
    return news.size() == 1 ? base : base + "#" + std::to_string(i);
  };
  Environment results;
  auto takeResults = [&](const std::string &base) {
    for (auto [i, field] : llvm::enumerate(news)) {
      Value value = field.value;
      value.name = part(base, i);
      results[getKey(field)] = value;
    }
  };
  auto listOld = [&] {
    std::string text;
    for (auto [i, field] : llvm::enumerate(news))
      text += (i ? ", " : "") + values.at(getKey(field)).name;
    return text;
  };
  switch (group.form) {
  case UpdateForm::Called:
  case UpdateForm::Helper: {
    std::string base = writer.fresh();
    writer.write(call(
        (group.form == UpdateForm::Helper ? "apply_" : "") + group.name, base));
    takeResults(base);
    break;
  }
  case UpdateForm::Inline:
    writeUpdate(writer, group, values, results);
    break;
  case UpdateForm::Select: {
    writeUpdate(writer, group, values, results);
    const Value &flag = values.at(getKey("batch", batches[group.flag].name));
    std::string test = writer.fresh();
    writer.write(test + " = tensor.extract " + flag.name + "[] : tensor<i1>");
    for (auto &[key, value] : results) {
      const Value &old = values.at(key);
      Value taken = writer.define("arith.select " + test + ", " + value.name +
                                      ", " + old.name + " : " + value.type(),
                                  value.shape, {&value, &old});
      taken.element = value.element;
      value = taken;
    }
    break;
  }
  case UpdateForm::Branch:
  case UpdateForm::InlineBranch: {
    const Value &flag = values.at(getKey("batch", batches[group.flag].name));
    std::string test = writer.fresh(), base = writer.fresh();
    writer.write(test + " = tensor.extract " + flag.name + "[] : tensor<i1>");
    TensorWriter inner = makeWriter();
    inner.counter() = writer.counter();
    std::string yields;
    if (group.form == UpdateForm::Branch) {
      std::string taken = inner.fresh();
      inner.write(call(group.name, taken));
      for (size_t i = 0; i < news.size(); ++i)
        yields += (i ? ", " : "") + part(taken, i);
    } else {
      Environment fresh;
      writeUpdate(inner, group, values, fresh);
      for (auto [i, field] : llvm::enumerate(news))
        yields += (i ? ", " : "") + fresh.at(getKey(field)).name;
    }
    writer.counter() = inner.counter();
    writer.write(base +
                 (news.size() == 1 ? "" : ":" + std::to_string(news.size())) +
                 " = scf.if " + test + " -> (" + newTypes + ") {\n" +
                 inner.print(6) + "      scf.yield " + yields + " : " +
                 newTypes + "\n    } else {\n      scf.yield " + listOld() +
                 " : " + newTypes + "\n    }");
    takeResults(base);
    break;
  }
  }
  for (auto &[key, value] : results) {
    auto [role, fullName] = StringRef(key).split('/');
    uint64_t kept = overflows, changed = changes;
    if (!isJoined) {
      StringRef name = role == "param" ? fullName : fullName.rsplit('.').first;
      const Value &g = values.at(getKey("grad", name));
      kept = g.overflows;
      changed = g.changes | values.at(getKey("param", name)).changes;
    }
    value.overflows = 0;
    value.changes = kept | changed;
    made.states.push_back({role.str(), fullName.str(), kept, value.changes});
  }
  for (auto &[key, value] : results)
    values[key] = value;
}

/// All backward passes and updates, in one block.
void StepGenerator::runParts(TensorWriter &writer, Environment &values) {
  std::vector<bool> isDone(groups.size());
  auto updateWhere = [&](auto isReady) {
    for (auto [i, group] : llvm::enumerate(groups))
      if (!isDone[i] && isReady(group)) {
        isDone[i] = true;
        update(writer, group, values);
      }
  };
  for (unsigned i = 0; i < passes.size(); ++i) {
    callPass(writer, int(i), values);
    if (!isEager)
      continue;
    updateWhere([&](const Group &group) {
      for (size_t later = i + 1; later < passes.size(); ++later)
        if (llvm::is_contained(models[passes[later].model].params,
                               group.params[0]))
          return false;
      return llvm::all_of(group.params, [&](int param) {
        return values.count(getKey("grad", params[param].name)) != 0;
      });
    });
  }
  updateWhere([](const Group &) { return true; });
}

std::vector<Field> StepGenerator::getTrainStates() {
  std::vector<Field> fields;
  for (unsigned i = 0; i < params.size(); ++i)
    fields.push_back(parameterField(int(i), "param"));
  for (const auto &[name, shape] : buffers)
    fields.push_back(makeField("buffer", name, shape, "f32", true));
  for (const Group &group : groups)
    llvm::append_range(fields, getStateFields(group));
  return fields;
}

/// Rounds of all parts: each takes the states of the one before.
void StepGenerator::writeLoopOfSteps(TensorWriter &writer,
                                     Environment &values) {
  std::vector<Field> carried;
  for (const Field &field : getTrainStates())
    if (field.role != "param" || llvm::any_of(groups, [&](const Group &group) {
          return llvm::any_of(group.params, [&](int param) {
            return params[param].name == field.name;
          });
        }))
      carried.push_back(field);
  for (const Pass &pass : passes)
    for (const std::string &loss : pass.losses) {
      carried.push_back(makeField("loss", loss, {}));
      values[getKey("loss", loss)] = writer.constant(0, {});
    }
  std::string c0 = writer.fresh(), c1 = writer.fresh(), cn = writer.fresh();
  writer.write(c0 + " = arith.constant 0 : index");
  writer.write(c1 + " = arith.constant 1 : index");
  writer.write(cn + " = arith.constant " + Twine(rounds) + " : index");
  std::string base = writer.fresh(), starts, types, yields;
  TensorWriter inner = makeWriter();
  inner.counter() = writer.counter();
  Environment inside = values;
  for (auto [i, field] : llvm::enumerate(carried)) {
    Value start = values.at(getKey(field));
    Value argument = start;
    argument.name = inner.fresh();
    starts += (i ? ", " : "") + argument.name + " = " + start.name;
    types += (i ? ", " : "") + field.value.type();
    inside[getKey(field)] = argument;
  }
  runParts(inner, inside);
  for (auto [i, field] : llvm::enumerate(carried))
    yields += (i ? ", " : "") + inside.at(getKey(field)).name;
  writer.counter() = inner.counter();
  writer.write(
      base + (carried.size() == 1 ? "" : ":" + std::to_string(carried.size())) +
      " = scf.for %round = " + c0 + " to " + cn + " step " + c1 +
      " iter_args(" + starts + ") -> (" + types + ") {\n" + inner.print(6) +
      "      scf.yield " + yields + " : " + types + "\n    }");
  for (auto [i, field] : llvm::enumerate(carried)) {
    Value value = inside.at(getKey(field));
    value.name = carried.size() == 1 ? base : base + "#" + std::to_string(i);
    values[getKey(field)] = value;
  }
}

/// One backward pass for each part of the rows, whose gradients are added.
void StepGenerator::writeLoopOfBatches(TensorWriter &writer,
                                       Environment &values) {
  const Pass &pass = passes[0];
  std::string c0 = writer.fresh(), c1 = writer.fresh(), cn = writer.fresh(),
              cr = writer.fresh();
  writer.write(c0 + " = arith.constant 0 : index");
  writer.write(c1 + " = arith.constant 1 : index");
  writer.write(cn + " = arith.constant " + Twine(rounds) + " : index");
  writer.write(cr + " = arith.constant " + Twine(rows) + " : index");
  std::vector<Field> carried;
  for (int param : getGradientParams(pass)) {
    carried.push_back(parameterField(param, "grad"));
    values[getKey(carried.back())] = writer.constant(0, params[param].shape);
  }
  for (const auto &[name, shape] : buffers)
    carried.push_back(makeField("buffer", name, shape, "f32", true));
  for (const std::string &loss : pass.losses) {
    carried.push_back(makeField("loss", loss, {}));
    values[getKey("loss", loss)] = writer.constant(0, {});
  }
  std::string base = writer.fresh(), starts, types, yields;
  TensorWriter inner = makeWriter();
  inner.counter() = writer.counter();
  Environment inside = values;
  for (auto [i, field] : llvm::enumerate(carried)) {
    Value start = values.at(getKey(field));
    Value argument = start;
    argument.name = inner.fresh();
    starts += (i ? ", " : "") + argument.name + " = " + start.name;
    types += (i ? ", " : "") + field.value.type();
    inside[getKey(field)] = argument;
  }
  std::string offset = inner.fresh();
  inner.write(offset + " = arith.muli %part, " + cr + " : index");
  for (const Batch &batch : batches) {
    if (batch.shape.empty())
      continue;
    std::string key = getKey("batch", batch.name);
    Value all = inside.at(key);
    std::string offsets = offset, sizes = std::to_string(rows), strides = "1";
    for (int64_t extent : llvm::drop_begin(batch.shape)) {
      offsets += ", 0";
      sizes += ", " + std::to_string(extent);
      strides += ", 1";
    }
    Value some =
        inner.define("tensor.extract_slice " + all.name + "[" + offsets +
                         "] [" + sizes + "] [" + strides + "] : " + all.type() +
                         " to " + getTensorType(batch.shape, batch.element),
                     batch.shape, {&all});
    some.element = batch.element;
    inside[key] = some;
  }
  callPass(inner, 0, inside);
  for (auto [i, field] : llvm::enumerate(carried))
    yields += (i ? ", " : "") + inside.at(getKey(field)).name;
  writer.counter() = inner.counter();
  writer.write(
      base + (carried.size() == 1 ? "" : ":" + std::to_string(carried.size())) +
      " = scf.for %part = " + c0 + " to " + cn + " step " + c1 + " iter_args(" +
      starts + ") -> (" + types + ") {\n" + inner.print(6) +
      "      scf.yield " + yields + " : " + types + "\n    }");
  for (auto [i, field] : llvm::enumerate(carried)) {
    Value value = inside.at(getKey(field));
    value.name = carried.size() == 1 ? base : base + "#" + std::to_string(i);
    values[getKey(field)] = value;
  }
  for (const Group &group : groups)
    update(writer, group, values);
}

void StepGenerator::writeTrainStep() {
  std::vector<Field> arguments = getTrainStates();
  for (const Batch &batch : batches) {
    Shape shape = batch.shape;
    if (form == StepForm::LoopOfBatches && !shape.empty())
      shape[0] *= rounds;
    arguments.push_back(makeField("batch", batch.name, shape, batch.element));
  }
  if (llvm::any_of(groups, [](const Group &group) { return group.readsRate; }))
    arguments.push_back(makeField("hyper", "rate", {}));
  for (const Pass &pass : passes)
    for (const std::string &loss : pass.losses)
      arguments.push_back(makeField("loss_seed", loss, {}));
  Environment values = getArguments(arguments);
  TensorWriter writer = makeWriter();
  switch (form) {
  case StepForm::Calls:
    runParts(writer, values);
    break;
  case StepForm::Fused: {
    Environment results;
    writePass(writer, passes[0], values, results);
    for (auto &[key, value] : results) {
      auto [role, name] = StringRef(key).split('/');
      if (role == "grad") {
        value.overflows = value.changes = getPassBit(0);
        if (marksGradients) {
          std::string mark = "amp.grad = [\"" + name.str() + "\"]";
          // One value may be the gradient of two parameters, and not every
          // operation can be marked.
          unsigned users = 0;
          for (const auto &other : results)
            users += StringRef(other.first).starts_with("grad/") &&
                     other.second.name == value.name;
          bool isTaken = users > 1;
          if (isTaken || value.line < 0) {
            Value same =
                writer.define("arith.mulf " + value.name + ", " +
                                  writer.constant(1, value.shape).name +
                                  "\x01 : " + value.type(),
                              value.shape, {&value});
            value = same;
          }
          writer.mark(value, mark);
        }
      }
      values[key] = value;
    }
    for (const Group &group : groups)
      update(writer, group, values);
    break;
  }
  case StepForm::LoopOfSteps:
    writeLoopOfSteps(writer, values);
    break;
  case StepForm::LoopOfBatches:
    writeLoopOfBatches(writer, values);
    break;
  }
  std::vector<Field> results;
  auto give = [&](Field field) {
    field.value = values.at(getKey(field));
    results.push_back(std::move(field));
  };
  for (const Pass &pass : passes)
    for (const std::string &loss : pass.losses)
      give(makeField("loss", loss, {}));
  for (const Field &field : getTrainStates()) {
    bool isChanged = values.at(getKey(field)).name != field.value.name;
    // What nothing changes may be returned all the same.
    if (field.role == "param" && !isChanged)
      continue;
    give(field);
  }
  if (form == StepForm::Fused && !marksGradients)
    for (int param : getGradientParams(passes[0]))
      give(parameterField(param, "grad"));
  functions += printFunction("train_step", false, arguments, results, writer);
  for (const auto &[name, shape] : buffers)
    made.states.push_back(
        {"buffer", name, 0, values.at(getKey("buffer", name)).changes});
}

//===----------------------------------------------------------------------===//
// A step
//===----------------------------------------------------------------------===//

std::string GeneratedStep::getPipeline() const {
  std::string text = "amp-mixed-precision{";
  for (const auto &[name, value] : options)
    text += name + "=" + value + " ";
  return text + "verbosity=0}";
}

GeneratedStep StepGenerator::run() {
  form = random.pick({StepForm::Calls, StepForm::Calls, StepForm::Calls,
                      StepForm::Calls, StepForm::Calls, StepForm::Fused,
                      StepForm::Fused, StepForm::LoopOfSteps,
                      StepForm::LoopOfBatches});
  origins = random.pick({0u, 0u, 1u, 1u, 2u, 3u, 4u});
  percentLinalg = random.pick({0u, 30u, 60u, 100u});
  percentHelpers = random.pick({0u, 0u, 10u});
  rounds = random.between(1, 3);
  marksGradients = random.chance(70);
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
      if (llvm::is_contained(
              {UpdateForm::Called, UpdateForm::Helper, UpdateForm::Branch},
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
    made.passes.push_back(std::move(rule));
  }
  const char *forms[] = {"calls", "fused", "loop of steps", "loop of batches"};
  made.form = forms[int(form)];
  made.mistake = mistake;
  made.text = "module {\n" + scalers;
  for (const auto &[name, text] : helpers)
    made.text += text;
  made.text += functions + "}\n";
  return std::move(made);
}

GeneratedStep mlir::amp::generateStep(uint64_t seed) {
  return StepGenerator(seed).run();
}
