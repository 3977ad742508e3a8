//===-- ApexTrainingLoop.h - Apex's loop around our scaler ---*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The training loop that the event traces were recorded from, as small as it
// can be: parameters are vectors, a loss is sum over optimizers of dot(w, x),
// the optimizer is SGD without momentum. It does what Apex's scale_loss does
// around its LossScaler (stashing, unscaling into masters, patched steps), and
// uses the runtime's scalers in LossScaler's place.
//
//===----------------------------------------------------------------------===//
#ifndef AMP_TEST_RUNTIME_APEXTRAININGLOOP_H
#define AMP_TEST_RUNTIME_APEXTRAININGLOOP_H

#include "amp-rt/Scaler.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace amp::rt::test {

using Vector = std::vector<float>;

/// One optimizer with its one parameter.
struct ApexOptimizer {
  /// What the model computes with: f16 values at O2 and O3.
  Vector model;
  /// What the optimizer updates; the model's own where there are no masters.
  Vector master;
  /// The gradient that backward writes, in the model's type.
  std::optional<Vector> modelGrad;
  /// O2 only: the unscaled gradient in f32.
  std::optional<Vector> masterGrad;
  /// An unscaled gradient of an earlier backward, put aside while the next one
  /// is computed.
  std::optional<Vector> stash;
  /// The gradients at hand are scaled: a backward with delay_unscale came last.
  bool hasScaledGradients = false;
  /// The next step is left out.
  bool skipPending = false;
  /// No overflow since the last step. Apex does not define gradients after one.
  bool gradientsDefined = true;
};

struct ApexBackward {
  int loss = 0;
  std::vector<int> optimizers;
  Vector x;
  /// Written over one element of the gradient before unscaling.
  std::optional<float> inject;
  bool delayUnscale = false;
  bool delayOverflowCheck = false;
};

class ApexTrainingLoop {
public:
  /// `level` is "O0" to "O3". The loop shares the scalers, one per loss.
  ApexTrainingLoop(const std::string &level, std::vector<AmpRtScaler *> scalers,
                   const std::vector<Vector> &initialParameters);

  void backward(const ApexBackward &pass);

  /// Steps and clears the gradients. Returns whether the step was skipped.
  bool step(int optimizer);

  /// What the optimizer would step with.
  const std::optional<Vector> &gradient(int optimizer) const;

  std::vector<ApexOptimizer> optimizers;

private:
  /// Whether scale_loss hands out the loss as it is and does nothing at exit.
  bool bypasses(const AmpRtScaler *scaler) const;
  /// Rounds to the model's type.
  float toModel(double value) const;
  void stashGradients(ApexOptimizer &optimizer) const;
  bool unscale(ApexOptimizer &optimizer, float scale) const;

  bool isHalfModel, hasMasters;
  std::vector<AmpRtScaler *> scalers;
};

} // namespace amp::rt::test

#endif // AMP_TEST_RUNTIME_APEXTRAININGLOOP_H
