//===- BatchExtents.cpp - What sizes the batches of a run have ------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kernels of a device are made for known extents. A data set has batches of one
// size; those of a replay may differ.
//
//===----------------------------------------------------------------------===//

#include "BatchExtents.h"

#include "amp/Execution/ArrayBinding.h"
#include "amp/Execution/BatchSource.h"
#include "amp/Execution/JitProgram.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::amp;

static bool hasUnknownExtents(const ValueSpec &spec) {
  return llvm::is_contained(spec.shape, -1);
}

static std::string describe(const ValueSpec &spec, ArrayRef<int64_t> shape) {
  return spec.name + "=" +
         llvm::join(
             llvm::map_range(
                 shape, [](int64_t extent) { return Twine(extent).str(); }),
             "x");
}

/// The shapes of the batches of a run, those that are alike in a row once.
static llvm::Expected<std::vector<BatchShapes>>
readShapes(const RunOptions &options, ArrayRef<ValueSpec> arguments) {
  std::vector<BatchShapes> all;
  if (options.mode != Replaying) {
    llvm::Expected<Dataset> data = Dataset::open(options.sourceFile);
    if (!data)
      return data.takeError();
    llvm::Expected<BatchShapes> shapes =
        BoundDataset::fit(*data, getBatchSpecs(arguments), options.batchSize);
    if (!shapes)
      return shapes.takeError();
    all.push_back(std::move(*shapes));
    return all;
  }
  llvm::Expected<Replay> replay = openReplay(options.sourceFile, arguments);
  if (!replay)
    return replay.takeError();
  const int64_t there = replay->batches->getNumSteps().value_or(0);
  const int64_t steps = std::min(options.numSteps.value_or(there), there);
  for (int64_t step = 0; step < std::max<int64_t>(steps, 1); ++step) {
    llvm::Expected<BatchShapes> shapes = replay->batches->getBatchShapes(step);
    if (!shapes)
      return shapes.takeError();
    if (all.empty() || all.back() != *shapes)
      all.push_back(std::move(*shapes));
  }
  return all;
}

/// What `shapes` say of the arguments of the train step, and the rows of a
/// batch of it, 1 if that is known.
static llvm::Expected<std::pair<ExtentList, int64_t>>
describeStep(ArrayRef<ValueSpec> specs, const BatchShapes &shapes,
             int64_t microBatches) {
  ExtentList list;
  int64_t rows = 1;
  for (const auto &[spec, given] : llvm::zip_equal(specs, shapes)) {
    if (!hasUnknownExtents(spec))
      continue;
    SmallVector<int64_t, 4> shape(given);
    // The rows of a batch are those of all its parts.
    if (spec.shape[0] == -1 && shape[0] % microBatches != 0)
      return llvm::createStringError(
          Twine("expected the rows of ") + describeArgument(spec) +
          " to be a multiple of --micro-batches, but got " +
          getTypeString(spec.elementKind, given));
    if (spec.shape[0] == -1)
      rows = shape[0] /= microBatches;
    list.push_back(describe(spec, shape));
  }
  return std::make_pair(std::move(list), rows);
}

/// The extents of what `evaluate` alone takes, but for those of its rows.
static llvm::Expected<std::vector<ValueSpec>>
readEvaluation(const FunctionSignature &evaluate, ArrayRef<ValueSpec> ofStep,
               const RunOptions &options) {
  std::optional<Dataset> testData;
  if (!options.testFile.empty()) {
    llvm::Expected<Dataset> opened = Dataset::open(options.testFile);
    if (!opened)
      return opened.takeError();
    testData.emplace(std::move(*opened));
  }
  std::vector<ValueSpec> own;
  for (ValueSpec &spec : getBatchSpecs(evaluate.arguments)) {
    const bool isTaken = llvm::any_of(ofStep, [&](const ValueSpec &other) {
      return other.name == spec.name;
    });
    if (isTaken || !hasUnknownExtents(spec))
      continue;
    if (testData && testData->contains(spec.name)) {
      llvm::Expected<ArrayType> type = testData->getType(spec);
      if (!type)
        return type.takeError();
      if (type->shape.size() == spec.shape.size())
        std::copy(type->shape.begin() + (spec.shape[0] == -1),
                  type->shape.end(),
                  spec.shape.begin() + (spec.shape[0] == -1));
    }
    own.push_back(std::move(spec));
  }
  return own;
}

/// Whether one of the extents that a step leaves open is 0 in a batch.
static bool hasNoElements(ArrayRef<ValueSpec> specs,
                          const BatchShapes &shapes) {
  return llvm::any_of(llvm::zip_equal(specs, shapes), [](auto pair) {
    return hasUnknownExtents(std::get<0>(pair)) &&
           llvm::is_contained(std::get<1>(pair), 0);
  });
}

llvm::Expected<std::vector<ExtentList>>
mlir::amp::findBatchExtents(ModuleOp module, const RunOptions &options,
                            int64_t microBatches) {
  std::vector<ExtentList> lists;
  // The pipeline refuses what is no number of micro-batches.
  if (options.isOnHost() || microBatches < 1)
    return lists;
  llvm::Expected<ModuleSignature> signature = readArguments(module);
  if (!signature)
    return llvm::createStringError("'" + options.inputFile + "': " +
                                   llvm::toString(signature.takeError()));
  const std::vector<ValueSpec> specs =
      getBatchSpecs(signature->trainStep.arguments);
  if (llvm::none_of(specs, hasUnknownExtents))
    return lists;
  // Rows that the module says are those of one part of a batch.
  SmallVector<ValueSpec> whole(signature->trainStep.arguments);
  for (ValueSpec &spec : whole)
    if (spec.role == "batch" && !spec.shape.empty() && spec.shape[0] > 0)
      spec.shape[0] *= microBatches;
  llvm::Expected<std::vector<BatchShapes>> batches = readShapes(options, whole);
  if (!batches)
    return batches.takeError();
  std::vector<ValueSpec> evaluation;
  if (signature->evaluate) {
    llvm::Expected<std::vector<ValueSpec>> own =
        readEvaluation(*signature->evaluate, specs, options);
    if (!own)
      return own.takeError();
    evaluation = std::move(*own);
  }
  bool hasFirst = false;
  for (const BatchShapes &shapes : *batches) {
    auto described = describeStep(specs, shapes, microBatches);
    if (!described)
      return described.takeError();
    auto &[list, rows] = *described;
    for (const ValueSpec &spec : evaluation) {
      SmallVector<int64_t, 4> shape(spec.shape);
      if (shape[0] == -1)
        shape[0] = rows;
      if (!llvm::is_contained(shape, -1))
        list.push_back(describe(spec, shape));
    }
    if (llvm::is_contained(lists, list))
      continue;
    // An evaluation needs rows: the first list is one that has elements.
    const bool isFirst = !hasFirst && !hasNoElements(specs, shapes);
    hasFirst |= isFirst;
    lists.insert(isFirst ? lists.begin() : lists.end(), std::move(list));
  }
  return lists;
}

llvm::Error mlir::amp::openBatchExtents(FunctionSignature &trainStep,
                                        ModuleOp module) {
  llvm::Expected<ModuleSignature> written = readArguments(module);
  if (!written)
    return written.takeError();
  for (const ValueSpec &open : getBatchSpecs(written->trainStep.arguments))
    for (ValueSpec &spec : trainStep.arguments)
      if (spec.role == "batch" && spec.name == open.name &&
          spec.shape.size() == open.shape.size())
        for (auto [extent, known] : llvm::zip_equal(spec.shape, open.shape))
          if (known == -1)
            extent = -1;
  return llvm::Error::success();
}
