//===- OracleRuns.h - Recorded Apex runs ------------------------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A file of recorded runs (training_apex.json) says for each run its level and
// properties, its injections, and loss, scale and gradient norm of each step;
// and, if it has "tolerances", how far a replay may be off. Beside it lie
// weights_and_batches.npz (start weights, batch order, some final weights) and
// digits.npz (images, labels).
//
// A run with "micro_batches" accumulated the gradients of so many equal parts
// of each batch before a step of the optimizer, as amp-accumulate-gradients
// does.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_EXECUTION_ORACLERUNS_H
#define AMP_EXECUTION_ORACLERUNS_H

#include "amp/Execution/ArrayArchive.h"
#include "amp/Execution/BatchSource.h"
#include "amp/Execution/ReplayTolerances.h"
#include "amp/Execution/TrainingLoop.h"

#include <array>
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
  /// Rows of a step, all its micro-batches together.
  int64_t batchSize = 0;
  int64_t microBatches = 1;
  std::string optLevel;
  /// What conditions of tolerances ask for. The loss scale is the one in force:
  /// "dynamic", or the constant.
  RunFacts facts;
  /// The arguments of Apex's initialize as options of the pipeline, the level
  /// first: {"opt-level", "O2"}, {"loss-scale", "128"}; and {"micro-batches",
  /// "2"}. Booleans are "true" and "false".
  std::vector<std::pair<std::string, std::string>> properties;
  /// Name of the module it was recorded for: "oracle_cnn_adam_eps1e-4", or
  /// "oracle_mlp_sgd_b16" for micro-batches of another size than 32.
  std::string moduleName;
  /// What the run did that no replay does, or empty.
  std::string notReplayed;
  std::vector<Injection> injections;
  std::vector<OracleStep> steps;
  double finalMasterNorm = 0;
  /// Prefix of its final weights in the archive; empty: not recorded.
  std::string finalWeightsKey;
  double testLoss = 0;
  double testAccuracy = 0;
  /// Logits of the first test images, flat, and how many images.
  std::vector<double> testOutputs;
  int64_t numTestOutputs = 0;
};

/// A file of runs with its weights and images.
class Oracle {
public:
  /// The two .npz files that belong to the runs in `path`: weights and batches,
  /// then images. `dataDirectory` holds them; empty: the folder of `path`.
  static std::array<std::string, 2> getDataFiles(llvm::StringRef path,
                                                 llvm::StringRef dataDirectory);
  /// Reads the runs and opens getDataFiles().
  static llvm::Expected<Oracle> load(llvm::StringRef path,
                                     llvm::StringRef dataDirectory);

  llvm::ArrayRef<OracleRun> getRuns() const { return runs; }
  /// The tolerances of the file, empty where it has none.
  const ToleranceTable &getTolerances() const { return tolerances; }
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
  Oracle(std::string path, std::vector<OracleRun> runs,
         ToleranceTable tolerances, ArrayArchive weights, Dataset trainingData,
         Dataset testData);

  std::string path;
  std::vector<OracleRun> runs;
  ToleranceTable tolerances;
  ArrayArchive weights;
  Dataset trainingData;
  Dataset testData;
};

} // namespace mlir::amp

#endif // AMP_EXECUTION_ORACLERUNS_H
