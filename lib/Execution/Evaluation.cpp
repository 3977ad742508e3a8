//===- Evaluation.cpp - A trained model on held-out data ------------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "amp/Execution/Evaluation.h"
#include "amp/Execution/ArrayBinding.h"
#include "amp/Support/ByteCount.h"

#include "llvm/ADT/STLExtras.h"

#include <cmath>
#include <numeric>

using namespace mlir::amp;
using llvm::createStringError;
using llvm::Error;
using llvm::Expected;
using llvm::StringRef;
using llvm::Twine;

//===----------------------------------------------------------------------===//
// Data
//===----------------------------------------------------------------------===//

namespace {

/// The arrays that an evaluation reads.
struct EvaluationData {
  /// The batch arguments of the evaluate function, then the labels.
  BoundDataset arrays;
  /// What errors call the labels; none if the data has none.
  std::optional<std::string> labels;
  /// The array of labels that the data lacks; empty if it lacks none.
  std::string missingLabels;
  /// The output that is scored.
  size_t outputIndex = 0;
};

} // namespace

/// Leading extent of the train step's batch, for an evaluate function that
/// leaves its own open; 1 if that is open too.
static int64_t getTrainingBatchSize(const FunctionSignature &trainStep) {
  for (const ValueSpec &spec : trainStep.arguments)
    if (spec.role == "batch" && !spec.shape.empty() && spec.shape[0] > 0)
      return spec.shape[0];
  return 1;
}

/// The integer batch argument of training that evaluation does not take: the
/// first whose array the data has, else the first.
static const ValueSpec *findLabels(const FunctionSignature &trainStep,
                                   const FunctionSignature &evaluate,
                                   const Dataset &data) {
  const ValueSpec *first = nullptr;
  for (const ValueSpec &spec : trainStep.arguments) {
    if (spec.role != "batch" || isFloatKind(spec.elementKind) ||
        spec.shape.empty())
      continue;
    const bool isInput =
        llvm::any_of(evaluate.arguments, [&](const ValueSpec &argument) {
          return argument.role == "batch" && argument.name == spec.name;
        });
    if (isInput)
      continue;
    if (data.contains(spec.name))
      return &spec;
    if (!first)
      first = &spec;
  }
  return first;
}

/// How many classes the labels of `rows` rows choose from.
static Expected<int64_t> getNumClasses(ArrayType output, int64_t rows,
                                       const HostArray &labels,
                                       StringRef origin) {
  const int64_t perRow = *countBytes(output.shape, 1) / rows;
  const int64_t labelsPerRow = labels.getNumElements() / labels.getShape()[0];
  if (labelsPerRow == 0 || perRow % labelsPerRow != 0)
    return createStringError(Twine("expected ") + origin +
                             " to have a label per row of logits, but it has " +
                             Twine(labelsPerRow) +
                             " per sample and the output, " + output.getText() +
                             ", has " + Twine(perRow) + " numbers");
  return perRow / labelsPerRow;
}

static Error checkLabels(const HostArray &labels, int64_t classes,
                         StringRef origin) {
  for (int64_t i = 0, e = labels.getNumElements(); i < e; ++i) {
    const int64_t label = labels.getAsInteger(i);
    if (label < 0 || label >= classes)
      return createStringError(Twine("expected labels from 0 to ") +
                               Twine(classes - 1) + " in " + origin +
                               ", but got " + Twine(label));
  }
  return Error::success();
}

static Expected<EvaluationData> bindData(const FunctionSignature &trainStep,
                                         const FunctionSignature &evaluate,
                                         const Dataset &data) {
  EvaluationData bound;
  const auto *output =
      llvm::find_if(evaluate.results, [](const ValueSpec &spec) {
        return spec.role == "output";
      });
  assert(output != evaluate.results.end() &&
         "an evaluate function has an output");
  bound.outputIndex = output - evaluate.results.begin();

  std::vector<ValueSpec> specs = getBatchSpecs(evaluate.arguments);
  const ValueSpec *labels = findLabels(trainStep, evaluate, data);
  if (labels && !data.contains(labels->name)) {
    bound.missingLabels = data.describe(labels->name);
  } else if (labels && !specs.empty() && !specs.front().shape.empty()) {
    // As many as the rows that are evaluated at once, not as in training.
    specs.push_back(*labels);
    specs.back().shape[0] = specs.front().shape[0];
    bound.labels = data.describe(labels->name);
  }
  Expected<BoundDataset> arrays =
      BoundDataset::bind(data, specs, getTrainingBatchSize(trainStep));
  if (!arrays)
    return arrays.takeError();
  bound.arrays = std::move(*arrays);
  if (bound.arrays.getNumRows() == 0)
    return createStringError(Twine("expected at least one row in ") +
                             data.getOrigin() + " to evaluate, but got 0");

  const bool isStatic =
      llvm::all_of(output->shape, [](int64_t extent) { return extent > 0; });
  if (bound.labels && isStatic && !output->shape.empty()) {
    Expected<std::shared_ptr<const HostArray>> array = data.get(specs.back());
    if (!array)
      return array.takeError();
    Expected<int64_t> classes =
        getNumClasses({output->elementKind, output->shape}, output->shape[0],
                      **array, *bound.labels);
    if (!classes)
      return classes.takeError();
    if (Error error = checkLabels(**array, *classes, *bound.labels))
      return error;
  }
  return bound;
}

//===----------------------------------------------------------------------===//
// State
//===----------------------------------------------------------------------===//

namespace {

/// Values for the arguments of the evaluate function. Batch arguments are null
/// until a chunk fills them in.
struct Arguments {
  llvm::SmallVector<const HostArray *> values;
  /// Owns what had to be converted: a half copy of a master, say.
  std::vector<std::unique_ptr<HostArray>> converted;
};

} // namespace

/// The role under which the other copy of a parameter is held; empty for values
/// of which there is one.
static StringRef getOtherRole(StringRef role) {
  return role == "param" ? "master" : role == "master" ? "param" : "";
}

static Error makeMissingError(const ValueSpec &spec, StringRef function) {
  return createStringError(Twine("expected the train step to have ") +
                           describeArgument(spec) + ", which '" + function +
                           "' takes; name and role must be the same in both");
}

/// Fails unless the train step has what `evaluate` takes.
static Error checkState(const FunctionSignature &trainStep,
                        const FunctionSignature &evaluate) {
  auto find = [&](StringRef role, StringRef name) {
    return llvm::find_if(trainStep.arguments, [&](const ValueSpec &spec) {
      return spec.role == role && spec.name == name;
    });
  };
  for (const ValueSpec &spec : evaluate.arguments) {
    if (spec.role == "batch")
      continue;
    const auto *held = find(spec.role, spec.name);
    if (held == trainStep.arguments.end())
      held = find(getOtherRole(spec.role), spec.name);
    if (held == trainStep.arguments.end() || !isStateRole(held->role))
      return makeMissingError(spec, evaluate.name);
    if (held->shape != spec.shape)
      return createStringError(
          Twine("expected ") + describeArgument(spec) + " of '" +
          evaluate.name + "' to have the shape that '" + trainStep.name +
          "' gives it, " + getTypeString(held->elementKind, held->shape) +
          ", but got " + getTypeString(spec.elementKind, spec.shape));
  }
  return Error::success();
}

/// The value of `state` for `spec`. A program may keep only the master of a
/// parameter that its evaluate function takes in half.
static Error bindState(const TrainingState &state, const ValueSpec &spec,
                       StringRef function, Arguments &arguments) {
  auto exact = state.find({spec.role, spec.name});
  if (exact != state.end() && exact->second.getKind() == spec.elementKind) {
    arguments.values.push_back(&exact->second);
    return Error::success();
  }
  auto source = exact;
  if (auto other = state.find({getOtherRole(spec.role).str(), spec.name});
      other != state.end())
    source = other;
  if (source == state.end())
    return makeMissingError(spec, function);
  arguments.converted.push_back(
      std::make_unique<HostArray>(source->second.convertTo(spec.elementKind)));
  arguments.values.push_back(arguments.converted.back().get());
  return Error::success();
}

//===----------------------------------------------------------------------===//
// Scores
//===----------------------------------------------------------------------===//

namespace {

/// Sums over all labels.
struct Score {
  int64_t count = 0;
  int64_t correct = 0;
  double crossEntropy = 0;

  /// Adds one label with the logits of its classes.
  void add(llvm::ArrayRef<double> logits, int64_t label) {
    ++count;
    size_t best = 0;
    for (size_t i = 1; i < logits.size() && !std::isnan(logits[best]); ++i)
      if (logits[i] > logits[best] || std::isnan(logits[i]))
        best = i;
    correct += int64_t(best) == label;
    // The largest logit is taken out, so that exp does not overflow.
    double sum = 0;
    for (double logit : logits)
      sum += std::exp(logit - logits[best]);
    crossEntropy += std::log(sum) + logits[best] - logits[label];
  }
};

} // namespace

/// Scores the first `rows` rows of `output` by those of `labels`.
static Error addScores(const HostArray &output, int64_t rows,
                       const HostArray &labels, StringRef origin,
                       Score &score) {
  Expected<int64_t> classes =
      getNumClasses(getType(output), output.getShape()[0], labels, origin);
  if (!classes)
    return classes.takeError();
  if (Error error = checkLabels(labels, *classes, origin))
    return error;
  std::vector<double> logits(*classes);
  const int64_t perRow = labels.getNumElements() / labels.getShape()[0];
  for (int64_t i = 0, e = rows * perRow; i < e; ++i) {
    for (int64_t c = 0; c < *classes; ++c)
      logits[c] = output.getAsDouble(i * *classes + c);
    score.add(logits, labels.getAsInteger(i));
  }
  return Error::success();
}

//===----------------------------------------------------------------------===//
// Evaluation
//===----------------------------------------------------------------------===//

Error mlir::amp::checkEvaluation(const FunctionSignature &trainStep,
                                 const FunctionSignature &evaluate,
                                 const Dataset &data) {
  if (Error error = checkState(trainStep, evaluate))
    return error;
  return bindData(trainStep, evaluate, data).takeError();
}

Expected<Evaluation> mlir::amp::evaluate(Program &program,
                                         const TrainingState &state,
                                         const Dataset &data,
                                         int64_t keepRows) {
  CompiledFunction *function = program.getEvaluate();
  assert(function && "the program has no evaluate function");

  const FunctionSignature &trainStep = program.getTrainStep().getSignature();
  Expected<EvaluationData> bound =
      bindData(trainStep, function->getSignature(), data);
  if (!bound)
    return bound.takeError();
  const BoundDataset &inputs = bound->arrays;
  Arguments arguments;
  for (const ValueSpec &spec : function->getArguments()) {
    if (spec.role == "batch") {
      arguments.values.push_back(nullptr);
      continue;
    }
    if (Error error = bindState(state, spec, function->getName(), arguments))
      return error;
  }
  Evaluation evaluation;
  evaluation.rows = inputs.getNumRows();
  evaluation.missingLabels = bound->missingLabels;
  Score score;
  const int64_t chunk = inputs.getBatchSize();
  for (int64_t first = 0; first < evaluation.rows; first += chunk) {
    const int64_t used = std::min(chunk, evaluation.rows - first);
    std::vector<int64_t> rows(chunk, first + used - 1);
    std::iota(rows.begin(), rows.begin() + used, first);
    Batch batch = inputs.gather(rows);
    size_t next = 0;
    for (auto [value, spec] :
         llvm::zip_equal(arguments.values, function->getArguments()))
      if (spec.role == "batch")
        value = &batch[next++];

    llvm::SmallVector<HostArray> results;
    if (Error error = function->call(arguments.values, results))
      return error;
    const HostArray &output = results[bound->outputIndex];
    if (Error error = output.fetch())
      return std::move(error);
    if (output.getShape().empty() || output.getShape()[0] != chunk)
      return createStringError(
          Twine("expected output '") +
          function->getResults()[bound->outputIndex].name + "' of '" +
          function->getName() + "' to have " + Twine(chunk) +
          " rows, one per sample, but got " + output.getTypeString());
    if (bound->labels)
      if (Error error =
              addScores(output, used, batch.back(), *bound->labels, score))
        return error;
    const int64_t perRow = output.getNumElements() / chunk;
    for (int64_t i = 0, e = std::min(used, keepRows - first) * perRow; i < e;
         ++i)
      evaluation.firstOutputs.push_back(output.getAsDouble(i));
  }
  if (score.count > 0) {
    evaluation.accuracy = double(score.correct) / double(score.count);
    evaluation.crossEntropy = score.crossEntropy / double(score.count);
  }
  return evaluation;
}
