//===- PassWriter.cpp - Backward passes of a random step ------------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Layers are written through a tape, with the origins that a front end would
// give them; the tape writes their gradients.
//
//===----------------------------------------------------------------------===//

#include "StepBuilder.h"

#include "GradientTape.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir::amp;
using llvm::StringRef;
using llvm::Twine;

TensorWriter StepBuilder::makeWriter() {
  TensorWriter writer(random, helpers);
  writer.percentLinalg = percentLinalg;
  writer.percentHelpers = percentHelpers;
  return writer;
}

Field StepBuilder::makeField(StringRef role, StringRef name, const Shape &shape,
                             StringRef element, bool isBatchNorm) {
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

Field StepBuilder::parameterField(int param, StringRef role) {
  return makeField(role, params[param].name, params[param].shape, "f32",
                   role == "param" && params[param].isBatchNorm);
}

static std::string getAttributes(const Field &field) {
  std::string text =
      " {amp.role = \"" + field.role + "\", amp.name = \"" + field.name + "\"";
  if (field.isBatchNorm)
    text += ", amp.kind = \"batch_norm\"";
  return text + "}";
}

std::string StepBuilder::printFunction(StringRef name, bool isPrivate,
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

void StepBuilder::setOrigin(TensorWriter &writer, StringRef scope,
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

int StepBuilder::applyLayer(GradientTape &tape, TensorWriter &writer,
                            const Layer &layer, int x,
                            const Environment &values, std::map<int, int> &ids,
                            const Value *flag, Environment &newBuffers,
                            bool isTraining) {
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
    if (layer.params.size() > 1 && random.chance(40)) {
      Shape out = {count, tape.shape(param(0))[1]};
      return tape.matmulOnto(x, param(0), tape.broadcast(param(1), {0}, out));
    }
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
  case LayerKind::Gelu: {
    at("aten.gelu", "torch.nn.functional.gelu");
    int square = tape.binary("arith.mulf", x, x);
    int cube = tape.binary("arith.mulf", square, x);
    int inner = tape.binary("arith.addf", x, tape.scale(cube, 0.044715));
    int t = tape.unary("math.tanh", tape.scale(inner, 0.7978845608028654));
    int half = tape.scale(x, 0.5);
    return tape.binary("arith.mulf", half, tape.add(t, 1));
  }
  case LayerKind::Temperature:
    at("aten.mul", "torch.Tensor.mul");
    return tape.binary("arith.mulf", x,
                       tape.broadcast(param(0), {0, 1}, shape));
  case LayerKind::Stacked: {
    at("aten.mm", "torch.mm");
    int y = tape.matmul(x, tape.slice(param(0), 0, width));
    at("aten.mm", "torch.mm");
    return tape.matmul(y, tape.slice(param(0), width, width));
  }
  case LayerKind::Dropout: {
    at("aten.dropout", "torch.nn.functional.dropout");
    auto it = layerBatches.find(&layer);
    return it == layerBatches.end() ? x : tape.mask(it->second, x, 2);
  }
  case LayerKind::Embedding: {
    auto it = layerBatches.find(&layer);
    if (it == layerBatches.end())
      return x;
    at("aten.embedding", "torch.nn.functional.embedding");
    int rows = tape.gather(param(0), it->second);
    at("aten.add", "torch.Tensor.add");
    return tape.binary("arith.addf", x, rows);
  }
  case LayerKind::Function:
    at("aten.linear", "torch.nn.functional.linear");
    return tape.tanhLayer(x, param(0), layer.isOpen);
  case LayerKind::Recurrent:
    at("aten.rnn_tanh", "torch.rnn_tanh");
    return tape.recur(x, param(0), layer.rounds);
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

int StepBuilder::applyModel(GradientTape &tape, TensorWriter &writer,
                            const Model &model, int x,
                            const Environment &values, std::map<int, int> &ids,
                            const Value *flag, Environment &newBuffers,
                            bool isTraining) {
  for (const Layer &layer : model.layers)
    x = applyLayer(tape, writer, layer, x, values, ids, flag, newBuffers,
                   isTraining);
  return x;
}

std::vector<int> StepBuilder::getGradientParams(const Pass &pass) const {
  std::vector<int> found;
  for (int param : models[pass.model].params)
    if (!params[param].isFrozen)
      found.push_back(param);
  return found;
}

void StepBuilder::writePass(TensorWriter &writer, const Pass &pass,
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
  layerBatches.clear();
  for (auto [place, batch] : pass.reads)
    layerBatches[&models[place.first].layers[place.second]] =
        values.at(getKey("batch", batches[batch].name));
  Value given = values.at(getKey("batch", batches[pass.input].name));
  int x =
      tape.input(given.element == "f32" ? given : writer.widen(given), false);
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

std::vector<Field> StepBuilder::getPassArguments(const Pass &pass,
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
  for (auto [place, batch] : pass.reads)
    reads.push_back(batch);
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

void StepBuilder::writePassFunction(int number) {
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

void StepBuilder::writeEvaluate() {
  const Model &model = models[0];
  layerBatches.clear();
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
