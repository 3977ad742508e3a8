//===- OracleRuns.h - Recorded Apex runs ------------------------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A file of recorded runs (training_apex.json) says for each run its level and
// properties, its injections, and loss, scale and gradient norm of each step.
// Beside it lie weights_and_batches.npz (start weights, batch order) and
// digits.npz (images, labels).
//
//===----------------------------------------------------------------------===//

#ifndef AMP_EXECUTION_ORACLERUNS_H
#define AMP_EXECUTION_ORACLERUNS_H

#include "amp/Execution/ArrayArchive.h"
#include "amp/Execution/BatchSource.h"
#include "amp/Execution/TrainingLoop.h"

#include <optional>
#include <string>
#include <vector>

namespace mlir::amp {

/// One step as it was recorded.
struct OracleStep {
  double loss = 0;
  double scaleBefore = 1;
  double scaleAfter = 1;
  int64_t unskipped = 0;
  bool skipped = false;
  /// None when the step was skipped.
  std::optional<double> gradNorm;
};

/// One recorded run.
struct OracleRun {
  std::string id;
  std::string model;
  std::string optimizer;
  int64_t seed = 0;
  int64_t batchSize = 0;
  std::string optLevel;
  /// The scale in force was dynamic; otherwise it stayed at `staticScale`.
  bool isDynamic = false;
  double staticScale = 1;
  /// The arguments of Apex's initialize as options of the pipeline, in the
  /// order of the file: {"opt-level", "O2"}, {"loss-scale", "128"}. Booleans
  /// are "true" and "false".
  std::vector<std::pair<std::string, std::string>> properties;
  /// Name of the module it was recorded for: "oracle_cnn_adam_eps1e-4".
  std::string moduleName;
  std::vector<Injection> injections;
  std::vector<OracleStep> steps;
  double finalMasterNorm = 0;
  double testLoss = 0;
  double testAccuracy = 0;
  /// Logits of the first test images, flat, and how many images.
  std::vector<double> testOutputs;
  int64_t numTestOutputs = 0;
};

/// A file of runs with its weights and images.
class Oracle {
public:
  /// `dataDirectory` holds the two .npz files; empty: the folder of `path`.
  static llvm::Expected<Oracle> load(llvm::StringRef path,
                                     llvm::StringRef dataDirectory);

  llvm::ArrayRef<OracleRun> getRuns() const { return runs; }
  /// The runs that `selection` names: "all" for those of the module
  /// `moduleName`, otherwise ids separated by commas.
  llvm::Expected<std::vector<const OracleRun *>>
  select(llvm::StringRef selection, llvm::StringRef moduleName) const;
  /// Prints id, module and properties of each run (`--run list`).
  void printList(llvm::raw_ostream &os) const;

  const ArrayArchive &getWeights() const { return weights; }
  const Dataset &getTrainingData() const { return trainingData; }
  const Dataset &getTestData() const { return testData; }

private:
  Oracle(std::string path, std::vector<OracleRun> runs, ArrayArchive weights,
         Dataset trainingData, Dataset testData);

  std::string path;
  std::vector<OracleRun> runs;
  ArrayArchive weights;
  Dataset trainingData;
  Dataset testData;
};

} // namespace mlir::amp

#endif // AMP_EXECUTION_ORACLERUNS_H
