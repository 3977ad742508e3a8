//===-- ApexTrainingLoop.cpp - Apex's scale_loss around our scaler --------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ApexTrainingLoop.h"

#include "amp-rt/Half.h"

#include <gtest/gtest.h>

#include <cmath>

using namespace amp::rt::test;

static constexpr double learningRate = 0x1p-4;

ApexTrainingLoop::ApexTrainingLoop(const std::string &level,
                                   std::vector<AmpRtScaler *> scalers,
                                   const std::vector<Vector> &initialParameters)
    : isHalfModel(level == "O2" || level == "O3"), hasMasters(level == "O2"),
      scalers(std::move(scalers)) {
  for (const Vector &parameter : initialParameters) {
    ApexOptimizer optimizer;
    optimizer.master = parameter;
    for (float value : parameter)
      optimizer.model.push_back(toModel(value));
    if (!hasMasters)
      optimizer.master = optimizer.model;
    optimizers.push_back(optimizer);
  }
}

float ApexTrainingLoop::toModel(double value) const {
  return isHalfModel ? ampRtHalfF32FromF16(ampRtHalfF16FromF64(value))
                     : static_cast<float>(value);
}

bool ApexTrainingLoop::bypasses(const AmpRtScaler *scaler) const {
  AmpRtScalerConfig config;
  config.structSize = sizeof(config);
  EXPECT_EQ(ampRtScalerGetConfig(scaler, &config), AMP_RT_OK);
  return !hasMasters && config.mode == AMP_RT_SCALER_STATIC &&
         config.initialScale == 1.0;
}

/// scale_loss's entry: the new gradient must not be added to an unscaled one.
void ApexTrainingLoop::stashGradients(ApexOptimizer &optimizer) const {
  // With masters the earlier gradient is the master's and stays where it is;
  // the half gradient it came from is dropped.
  if (!hasMasters)
    optimizer.stash = std::move(optimizer.modelGrad);
  optimizer.modelGrad.reset();
}

/// Divides the new gradient by `scale` and adds what was there before. Returns
/// whether the new gradient had a value that is not finite.
bool ApexTrainingLoop::unscale(ApexOptimizer &optimizer, float scale) const {
  if (!optimizer.modelGrad) {
    if (!hasMasters)
      optimizer.modelGrad = std::move(optimizer.stash);
    optimizer.stash.reset();
    return false;
  }
  const Vector &scaled = *optimizer.modelGrad;
  const std::optional<Vector> &earlier =
      hasMasters ? optimizer.masterGrad : optimizer.stash;
  float inverse = 1.0f / scale;
  bool foundInf = false;
  Vector sum(scaled.size());
  for (size_t i = 0; i < scaled.size(); ++i) {
    foundInf |= !std::isfinite(scaled[i]);
    float value = scaled[i] * inverse;
    // In the type of the result, as torch's out-of-place multiply and add.
    if (!hasMasters)
      value = toModel(value);
    if (earlier)
      value += (*earlier)[i];
    sum[i] = hasMasters ? value : toModel(value);
  }
  (hasMasters ? optimizer.masterGrad : optimizer.modelGrad) = sum;
  optimizer.stash.reset();
  return foundInf;
}

void ApexTrainingLoop::backward(const ApexBackward &pass) {
  AmpRtScaler *scaler = scalers[pass.loss];
  bool bypass = bypasses(scaler);
  // Read as a compiled program reads it.
  float scale = 0;
  ampRtScalerGetScale(scaler, &scale);

  if (!bypass && !pass.delayUnscale)
    for (int index : pass.optimizers)
      if (!optimizers[index].hasScaledGradients)
        stashGradients(optimizers[index]);

  for (int index : pass.optimizers) {
    std::optional<Vector> &grad = optimizers[index].modelGrad;
    Vector fresh;
    for (float x : pass.x)
      fresh.push_back(toModel(bypass ? x : toModel(x) * scale));
    if (!grad)
      grad = fresh;
    else
      for (size_t i = 0; i < fresh.size(); ++i)
        (*grad)[i] = toModel((*grad)[i] + fresh[i]);
  }
  if (pass.inject) {
    (*optimizers[pass.optimizers[0]].modelGrad)[0] = *pass.inject;
    for (int index : pass.optimizers)
      optimizers[index].gradientsDefined = false;
  }
  if (bypass)
    return;
  if (pass.delayUnscale) {
    for (int index : pass.optimizers)
      optimizers[index].hasScaledGradients = true;
    return;
  }

  EXPECT_EQ(ampRtScalerClearFoundInf(scaler), AMP_RT_OK);
  for (int index : pass.optimizers) {
    bool foundInf = unscale(optimizers[index], scale);
    EXPECT_EQ(ampRtScalerAccumulateFoundInf(scaler, foundInf), AMP_RT_OK);
    optimizers[index].hasScaledGradients = false;
  }
  bool skip = false;
  if (!pass.delayOverflowCheck) {
    EXPECT_EQ(ampRtScalerUpdate(scaler, /*foundInf=*/false, &skip), AMP_RT_OK);
  }
  if (skip)
    for (int index : pass.optimizers)
      optimizers[index].skipPending = true;
}

bool ApexTrainingLoop::step(int index) {
  ApexOptimizer &optimizer = optimizers[index];
  bool skipped = optimizer.skipPending;
  const std::optional<Vector> &grad = gradient(index);
  if (!skipped && grad)
    for (size_t i = 0; i < grad->size(); ++i) {
      double updated = optimizer.master[i] - learningRate * (*grad)[i];
      optimizer.master[i] =
          hasMasters ? static_cast<float>(updated) : toModel(updated);
      optimizer.model[i] = toModel(optimizer.master[i]);
    }
  optimizer.skipPending = false;
  optimizer.modelGrad.reset();
  optimizer.masterGrad.reset();
  optimizer.gradientsDefined = true;
  return skipped;
}

const std::optional<Vector> &ApexTrainingLoop::gradient(int optimizer) const {
  return hasMasters ? optimizers[optimizer].masterGrad
                    : optimizers[optimizer].modelGrad;
}
