//===- FakeProgram.cpp - A small network without a compiler ---------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FakeProgram.h"
#include "TestFiles.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <cmath>
#include <map>

using namespace amp_test;
using namespace mlir::amp;

AmpRtScalerConfig amp_test::getDynamicScaler() {
  AmpRtScalerConfig config;
  ampRtScalerConfigInit(&config);
  return config;
}

AmpRtScalerConfig amp_test::getStaticScaler(double scale) {
  AmpRtScalerConfig config = getDynamicScaler();
  config.mode = AMP_RT_SCALER_STATIC;
  config.initialScale = scale;
  return config;
}

//===----------------------------------------------------------------------===//
// The network
//===----------------------------------------------------------------------===//

namespace {

using Matrix = std::vector<float>;

/// Activations of one forward pass.
struct Activations {
  Matrix hidden;
  Matrix logits;
};

/// out[rows x outputs] = in * weight^T + bias
Matrix applyLinear(const Matrix &in, const Matrix &weight, const Matrix &bias) {
  const size_t outputs = bias.size(), inputs = weight.size() / outputs;
  const size_t rows = in.size() / inputs;
  Matrix out(rows * outputs);
  for (size_t r = 0; r < rows; ++r)
    for (size_t o = 0; o < outputs; ++o) {
      float sum = 0;
      for (size_t i = 0; i < inputs; ++i)
        sum += in[r * inputs + i] * weight[o * inputs + i];
      out[r * outputs + o] = sum + bias[o];
    }
  return out;
}

Activations runForward(const std::map<std::string, Matrix> &params,
                       const Matrix &x) {
  Activations act;
  act.hidden = applyLinear(x, params.at("fc1.weight"), params.at("fc1.bias"));
  for (float &value : act.hidden)
    value = std::max(value, 0.0f);
  act.logits =
      applyLinear(act.hidden, params.at("fc2.weight"), params.at("fc2.bias"));
  return act;
}

/// Gradients of a linear layer's weight and bias.
void addLinearGradients(const Matrix &outGrad, const Matrix &in, size_t outputs,
                        Matrix &weightGrad, Matrix &biasGrad) {
  const size_t rows = outGrad.size() / outputs, inputs = in.size() / rows;
  weightGrad.assign(outputs * inputs, 0);
  biasGrad.assign(outputs, 0);
  for (size_t r = 0; r < rows; ++r)
    for (size_t o = 0; o < outputs; ++o) {
      const float g = outGrad[r * outputs + o];
      biasGrad[o] += g;
      for (size_t i = 0; i < inputs; ++i)
        weightGrad[o * inputs + i] += g * in[r * inputs + i];
    }
}

/// Mean cross entropy; `grad` gets `seed` times its gradient.
float runLoss(const Matrix &logits, const HostArray &labels, size_t classes,
              float seed, Matrix &grad) {
  const size_t rows = logits.size() / classes;
  double loss = 0;
  grad.assign(logits.size(), 0);
  for (size_t r = 0; r < rows; ++r) {
    const float *row = logits.data() + r * classes;
    const float largest = *std::max_element(row, row + classes);
    float sum = 0;
    for (size_t c = 0; c < classes; ++c)
      sum += std::exp(row[c] - largest);
    const size_t label = size_t(labels.getAsDouble(int64_t(r)));
    loss += std::log(sum) + largest - row[label];
    for (size_t c = 0; c < classes; ++c)
      grad[r * classes + c] =
          (std::exp(row[c] - largest) / sum - (c == label ? 1.0f : 0.0f)) *
          seed / float(rows);
  }
  return float(loss / double(rows));
}

Matrix toMatrix(const HostArray &array) {
  Matrix values(array.getNumElements());
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = float(array.getAsDouble(int64_t(i)));
  return values;
}

HostArray toArray(const Matrix &values, const ValueSpec &spec) {
  HostArray array(spec.elementKind, spec.shape);
  for (size_t i = 0; i < values.size(); ++i)
    array.setFromDouble(int64_t(i), values[i]);
  return array;
}

} // namespace

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

/// Parameters of both functions.
static std::vector<ValueSpec> getParamSpecs(const FakeOptions &options,
                                            llvm::StringRef role,
                                            ElementKind kind) {
  const int64_t in = options.inputs, mid = options.hidden,
                out = options.classes;
  return {makeSpec(role, "fc1.weight", kind, {mid, in}),
          makeSpec(role, "fc1.bias", kind, {mid}),
          makeSpec(role, "fc2.weight", kind, {out, mid}),
          makeSpec(role, "fc2.bias", kind, {out})};
}

static ValueSpec getInputSpec(const FakeOptions &options, int64_t rows) {
  llvm::SmallVector<int64_t, 4> shape{rows};
  if (options.rowShape.empty())
    shape.push_back(options.inputs);
  else
    llvm::append_range(shape, options.rowShape);
  return makeSpec("batch", "x0", AMP_RT_ELEMENT_F32, shape);
}

class FakeProgram::TrainStep : public CompiledFunction {
public:
  explicit TrainStep(FakeProgram &program) : program(program) {
    const FakeOptions &options = program.options;
    name = "train_step";
    paramKind = options.hasMasters ? AMP_RT_ELEMENT_F16 : AMP_RT_ELEMENT_F32;
    auto addState = [&](llvm::ArrayRef<ValueSpec> specs) {
      llvm::append_range(arguments, specs);
      llvm::append_range(results, specs);
    };
    results.push_back(makeSpec("loss", "loss", AMP_RT_ELEMENT_F32, {}));
    addState(getParamSpecs(options, "param", paramKind));
    if (options.hasMasters)
      addState(getParamSpecs(options, "master", AMP_RT_ELEMENT_F32));
    addState({makeSpec("buffer", "calls", AMP_RT_ELEMENT_F32, {})});
    std::vector<ValueSpec> momenta =
        getParamSpecs(options, "opt_state", AMP_RT_ELEMENT_F32);
    for (ValueSpec &spec : momenta)
      spec.name += ".momentum";
    addState(momenta);
    arguments.push_back(getInputSpec(options, options.batch));
    arguments.push_back(
        makeSpec("batch", "x1", AMP_RT_ELEMENT_I64, {options.batch}));
    arguments.push_back(makeSpec("loss_seed", "loss", AMP_RT_ELEMENT_F32, {}));
  }

  llvm::SmallVectorImpl<ValueSpec> &getMutableArguments() { return arguments; }
  llvm::SmallVectorImpl<ValueSpec> &getMutableResults() { return results; }

  llvm::Error call(llvm::ArrayRef<const HostArray *> values,
                   llvm::SmallVectorImpl<HostArray> &out) override;

private:
  FakeProgram &program;
  ElementKind paramKind;
};

llvm::Error
FakeProgram::TrainStep::call(llvm::ArrayRef<const HostArray *> values,
                             llvm::SmallVectorImpl<HostArray> &out) {
  if (program.beforeStep)
    if (llvm::Error error = program.beforeStep())
      return error;
  std::map<std::pair<std::string, std::string>, const HostArray *> in;
  for (auto [spec, value] : llvm::zip_equal(arguments, values)) {
    if (value->getShape() != llvm::ArrayRef(spec.shape) ||
        value->getKind() != spec.elementKind)
      return llvm::createStringError("wrong type for '" + spec.name + "'");
    in[{spec.role, spec.name}] = value;
  }

  const FakeOptions &options = program.options;
  std::map<std::string, Matrix> params;
  for (const char *param : {"fc1.weight", "fc1.bias", "fc2.weight", "fc2.bias"})
    params[param] = toMatrix(*in.at({"param", param}));
  AmpRtScaler *scaler =
      program.scalers.empty() ? nullptr : program.scalers.front().scaler;
  float scale = 1;
  if (scaler)
    ampRtScalerGetScale(scaler, &scale);

  const Matrix x = toMatrix(*in.at({"batch", "x0"}));
  const float seed = float(in.at({"loss_seed", "loss"})->getAsDouble(0));
  Activations act = runForward(params, x);
  Matrix logitGrad;
  const float loss = runLoss(act.logits, *in.at({"batch", "x1"}),
                             size_t(options.classes), seed * scale, logitGrad);
  std::map<std::string, Matrix> grads;
  addLinearGradients(logitGrad, act.hidden, size_t(options.classes),
                     grads["fc2.weight"], grads["fc2.bias"]);
  Matrix hiddenGrad(act.hidden.size(), 0);
  const size_t mid = size_t(options.hidden), classes = size_t(options.classes);
  for (size_t r = 0; r < size_t(options.batch); ++r)
    for (size_t h = 0; h < mid; ++h)
      for (size_t c = 0; c < classes && act.hidden[r * mid + h] > 0; ++c)
        hiddenGrad[r * mid + h] +=
            logitGrad[r * classes + c] * params["fc2.weight"][c * mid + h];
  addLinearGradients(hiddenGrad, x, mid, grads["fc1.weight"],
                     grads["fc1.bias"]);

  // Round to the parameter's type, show, unscale, show again.
  bool foundInf = false;
  for (auto &entry : grads) {
    const std::string &param = entry.first;
    Matrix &grad = entry.second;
    HostArray rounded = toArray(
        grad, makeSpec("grad", param, paramKind, {int64_t(grad.size())}));
    auto show = [&](llvm::StringRef point, ElementKind kind, void *data) {
      if (program.tap && options.hasTaps)
        program.tap({point, param, kind, data, int64_t(grad.size())});
    };
    if (scaler)
      show("scaled_grad", paramKind, rounded.data());
    grad = toMatrix(rounded);
    for (float &value : grad) {
      foundInf |= !std::isfinite(value);
      value /= scale;
    }
    show("grad", AMP_RT_ELEMENT_F32, grad.data());
  }
  bool skip = false;
  if (scaler)
    ampRtScalerUpdate(scaler, foundInf, &skip);

  std::map<std::pair<std::string, std::string>, Matrix> next;
  for (auto &[param, grad] : grads) {
    const HostArray &held =
        *in.at({options.hasMasters ? "master" : "param", param});
    Matrix weight = toMatrix(held);
    Matrix momentum = toMatrix(*in.at({"opt_state", param + ".momentum"}));
    for (size_t i = 0; i < grad.size() && !skip; ++i) {
      momentum[i] = options.momentum * momentum[i] + grad[i];
      weight[i] -= options.learningRate * momentum[i];
    }
    next[{"param", param}] = weight;
    next[{"master", param}] = weight;
    next[{"opt_state", param + ".momentum"}] = momentum;
  }
  next[{"loss", "loss"}] = {loss};
  next[{"buffer", "calls"}] = {
      float(in.at({"buffer", "calls"})->getAsDouble(0) + 1)};
  for (const ValueSpec &spec : results) {
    auto value = next.find({spec.role, spec.name});
    out.push_back(value == next.end() ? HostArray(spec.elementKind, spec.shape)
                                      : toArray(value->second, spec));
  }
  return llvm::Error::success();
}

class FakeProgram::Evaluate : public CompiledFunction {
public:
  explicit Evaluate(FakeProgram &program) : program(program) {
    const FakeOptions &options = program.options;
    name = "evaluate";
    const ElementKind paramKind =
        options.hasMasters ? AMP_RT_ELEMENT_F16 : AMP_RT_ELEMENT_F32;
    llvm::append_range(arguments, getParamSpecs(options, "param", paramKind));
    arguments.push_back(getInputSpec(options, options.evaluateBatch));
    results.push_back(makeSpec("output", "y0", AMP_RT_ELEMENT_F32,
                               {options.evaluateBatch, options.classes}));
  }

  llvm::SmallVectorImpl<ValueSpec> &getMutableResults() { return results; }

  llvm::Error call(llvm::ArrayRef<const HostArray *> values,
                   llvm::SmallVectorImpl<HostArray> &out) override {
    ++program.evaluations;
    std::map<std::string, Matrix> params;
    for (auto [spec, value] : llvm::zip_equal(arguments, values))
      params[spec.name] = toMatrix(*value);
    ValueSpec spec = results[0];
    spec.shape[0] -= program.missingRows;
    Matrix logits = runForward(params, params["x0"]).logits;
    logits.resize(size_t(spec.shape[0] * program.options.classes));
    out.push_back(toArray(logits, spec));
    return llvm::Error::success();
  }

private:
  FakeProgram &program;
};

//===----------------------------------------------------------------------===//
// Program
//===----------------------------------------------------------------------===//

FakeProgram::FakeProgram(FakeOptions options) : options(std::move(options)) {
  if (this->options.scaler) {
    AmpRtScaler *scaler = nullptr;
    if (ampRtScalerCreate("loss", &*this->options.scaler, &scaler) == AMP_RT_OK)
      scalers.push_back({"loss", scaler});
  }
  trainStep = std::make_unique<TrainStep>(*this);
  if (this->options.evaluateBatch)
    evaluateFunction = std::make_unique<Evaluate>(*this);
}

FakeProgram::~FakeProgram() {
  for (ScalerSlot &slot : scalers)
    ampRtScalerDestroy(slot.scaler);
}

CompiledFunction &FakeProgram::getTrainStep() { return *trainStep; }
CompiledFunction *FakeProgram::getEvaluate() { return evaluateFunction.get(); }
llvm::SmallVectorImpl<ValueSpec> &FakeProgram::getTrainArguments() {
  return trainStep->getMutableArguments();
}
llvm::SmallVectorImpl<ValueSpec> &FakeProgram::getTrainResults() {
  return trainStep->getMutableResults();
}
llvm::SmallVectorImpl<ValueSpec> &FakeProgram::getEvaluateResults() {
  return evaluateFunction->getMutableResults();
}
