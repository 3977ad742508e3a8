//===- Evaluation.cpp - A trained model on held-out data ------------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "amp/Execution/Evaluation.h"
#include "amp/Execution/ArrayBinding.h"

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
// Arguments
//===----------------------------------------------------------------------===//

namespace {

/// Values for the arguments of the evaluate function. Batch arguments are null
/// until a chunk fills them in.
struct Arguments {
  llvm::SmallVector<const HostArray *> values;
  /// Owns what had to be converted: a half copy of a master, say.
  std::vector<std::unique_ptr<HostArray>> converted;
};

/// Labels of a data set, flat, and how many each row has.
struct Labels {
  std::shared_ptr<const HostArray> array;
  std::string origin;
  int64_t perRow = 1;
};

} // namespace

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
  if (spec.role == "param" || spec.role == "master") {
    auto other =
        state.find({spec.role == "param" ? "master" : "param", spec.name});
    if (other != state.end())
      source = other;
  }
  if (source == state.end())
    return createStringError(Twine("expected the train step to have ") +
                             describeArgument(spec) + ", which '" + function +
                             "' takes; name and role must be the same in both");
  arguments.converted.push_back(
      std::make_unique<HostArray>(source->second.convertTo(spec.elementKind)));
  arguments.values.push_back(arguments.converted.back().get());
  return Error::success();
}

/// The integer batch argument of training that evaluation does not take, if the
/// data has it.
static std::optional<Labels> findLabels(Program &program,
                                        const CompiledFunction &function,
                                        const Dataset &data) {
  for (const ValueSpec &spec : program.getTrainStep().getArguments()) {
    if (spec.role != "batch" || isFloatKind(spec.elementKind))
      continue;
    const bool isInput =
        llvm::any_of(function.getArguments(), [&](const ValueSpec &argument) {
          return argument.role == "batch" && argument.name == spec.name;
        });
    auto found = data.getArrays().find(spec.name);
    if (isInput || found == data.getArrays().end() ||
        found->second->getShape().empty() ||
        isFloatKind(found->second->getKind()))
      continue;
    Labels labels;
    labels.array = found->second;
    labels.origin =
        (Twine("array '") + spec.name + "' in " + data.getOrigin()).str();
    for (int64_t extent : found->second->getShape().drop_front())
      labels.perRow *= extent;
    return labels;
  }
  return std::nullopt;
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

/// Scores the first `rows` rows of `output`, whose labels start at row
/// `firstRow`.
static Error addScores(const HostArray &output, int64_t rows, int64_t firstRow,
                       const Labels &labels, Score &score) {
  const int64_t perRow = output.getNumElements() / output.getShape()[0];
  if (labels.perRow == 0 || perRow % labels.perRow != 0)
    return createStringError(
        Twine("expected ") + labels.origin +
        " to have a label per row of logits, but it has " +
        Twine(labels.perRow) + " per sample and the output, " +
        output.getTypeString() + ", has " + Twine(perRow) + " numbers");
  const int64_t classes = perRow / labels.perRow;
  std::vector<double> logits(classes);
  for (int64_t i = 0, e = rows * labels.perRow; i < e; ++i) {
    for (int64_t c = 0; c < classes; ++c)
      logits[c] = output.getAsDouble(i * classes + c);
    const double label =
        labels.array->getAsDouble(firstRow * labels.perRow + i);
    if (label < 0 || label >= double(classes))
      return createStringError(Twine("expected labels from 0 to ") +
                               Twine(classes - 1) + " in " + labels.origin +
                               ", but got " + Twine(int64_t(label)));
    score.add(logits, int64_t(label));
  }
  return Error::success();
}

//===----------------------------------------------------------------------===//
// Evaluation
//===----------------------------------------------------------------------===//

/// Leading extent of the train step's batch, for an evaluate function that
/// leaves its own open; 0 if that is open too.
static int64_t getTrainingBatchSize(Program &program) {
  for (const ValueSpec &spec : program.getTrainStep().getArguments())
    if (spec.role == "batch" && !spec.shape.empty() && spec.shape[0] > 0)
      return spec.shape[0];
  return 0;
}

Expected<Evaluation> mlir::amp::evaluate(Program &program,
                                         const TrainingState &state,
                                         const Dataset &data,
                                         int64_t keepRows) {
  CompiledFunction *function = program.getEvaluate();
  assert(function && "the program has no evaluate function");

  const int64_t trainingBatch = getTrainingBatchSize(program);
  Expected<BoundDataset> inputs =
      BoundDataset::bind(data, getBatchSpecs(function->getArguments()),
                         trainingBatch ? trainingBatch : 1);
  if (!inputs)
    return inputs.takeError();
  Arguments arguments;
  for (const ValueSpec &spec : function->getArguments()) {
    if (spec.role == "batch") {
      arguments.values.push_back(nullptr);
      continue;
    }
    if (Error error = bindState(state, spec, function->getName(), arguments))
      return error;
  }
  const std::optional<Labels> labels = findLabels(program, *function, data);
  const auto *outputSpec =
      llvm::find_if(function->getResults(), [](const ValueSpec &spec) {
        return spec.role == "output";
      });
  assert(outputSpec != function->getResults().end() &&
         "an evaluate function has an output");
  const size_t outputIndex = outputSpec - function->getResults().begin();

  Evaluation evaluation;
  evaluation.rows = inputs->getNumRows();
  Score score;
  const int64_t chunk = inputs->getBatchSize();
  for (int64_t first = 0; first < evaluation.rows; first += chunk) {
    const int64_t used = std::min(chunk, evaluation.rows - first);
    std::vector<int64_t> rows(chunk, first + used - 1);
    std::iota(rows.begin(), rows.begin() + used, first);
    Batch batch = inputs->gather(rows);
    size_t next = 0;
    for (auto [value, spec] :
         llvm::zip_equal(arguments.values, function->getArguments()))
      if (spec.role == "batch")
        value = &batch[next++];

    llvm::SmallVector<HostArray> results;
    if (Error error = function->call(arguments.values, results))
      return error;
    const HostArray &output = results[outputIndex];
    if (output.getShape().empty() || output.getShape()[0] != chunk)
      return createStringError(
          Twine("expected output '") + outputSpec->name + "' of '" +
          function->getName() + "' to have " + Twine(chunk) +
          " rows, one per sample, but got " + output.getTypeString());
    if (labels)
      if (Error error = addScores(output, used, first, *labels, score))
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
