//===- FakeProgram.h - A small network without a compiler -------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Linear, ReLU, Linear, mean cross entropy, SGD with momentum, written out in
// f32: what the driver needs of a compiled step, and close enough to the real
// one that a recorded FP32 run of Apex can be replayed with it.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_UNITTESTS_EXECUTION_FAKEPROGRAM_H
#define AMP_UNITTESTS_EXECUTION_FAKEPROGRAM_H

#include "amp-rt/Scaler.h"
#include "amp/Execution/Program.h"

#include <memory>
#include <optional>
#include <vector>

namespace amp_test {

struct FakeOptions {
  int64_t batch = 4;
  int64_t inputs = 6;
  int64_t hidden = 5;
  int64_t classes = 3;
  /// Rows that the evaluate function takes at once; 0: there is none.
  int64_t evaluateBatch = 0;
  /// Shape of a row of x0, if it is not flat.
  std::vector<int64_t> rowShape;
  /// Keep parameters in f16 beside f32 masters.
  bool hasMasters = false;
  /// Have a scaler with this configuration.
  std::optional<AmpRtScalerConfig> scaler;
  /// Show gradients.
  bool hasTaps = true;
  float learningRate = 0.1f;
  float momentum = 0.9f;
};

/// Defaults of a dynamic scaler.
AmpRtScalerConfig getDynamicScaler();
/// A static scaler.
AmpRtScalerConfig getStaticScaler(double scale);

class FakeProgram : public mlir::amp::Program {
public:
  explicit FakeProgram(FakeOptions options);
  ~FakeProgram() override;

  mlir::amp::CompiledFunction &getTrainStep() override;
  mlir::amp::CompiledFunction *getEvaluate() override;
  llvm::ArrayRef<ScalerSlot> getScalers() override { return scalers; }
  void setTap(std::function<void(const mlir::amp::Tap &)> callback) override {
    tap = std::move(callback);
  }
  MemoryReport getMemoryReport() const override { return {3 << 20, 1536, 100}; }

  /// Called before each train step; lets a test fail it.
  std::function<llvm::Error()> beforeStep;
  /// Specs that a test may bend before the driver sees them.
  llvm::SmallVectorImpl<mlir::amp::ValueSpec> &getTrainArguments();
  llvm::SmallVectorImpl<mlir::amp::ValueSpec> &getTrainResults();
  llvm::SmallVectorImpl<mlir::amp::ValueSpec> &getEvaluateResults();
  /// How many rows of outputs the evaluate function leaves out.
  int64_t missingRows = 0;
  /// Calls of the evaluate function.
  int64_t evaluations = 0;

private:
  class TrainStep;
  class Evaluate;

  FakeOptions options;
  std::vector<ScalerSlot> scalers;
  std::function<void(const mlir::amp::Tap &)> tap;
  std::unique_ptr<TrainStep> trainStep;
  std::unique_ptr<Evaluate> evaluateFunction;
};

} // namespace amp_test

#endif // AMP_UNITTESTS_EXECUTION_FAKEPROGRAM_H
