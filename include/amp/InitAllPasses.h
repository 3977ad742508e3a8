//===- InitAllPasses.h - Register the passes of mlir-amp --------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The one place where passes and pipelines are registered.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_INITALLPASSES_H
#define AMP_INITALLPASSES_H

#include "amp/Conversion/Device/Passes.h"
#include "amp/Conversion/Host/Passes.h"
#include "amp/Conversion/Passes.h"
#include "amp/Dialect/Amp/Transforms/Passes.h"
#include "amp/Dialect/Linalg/Transforms/Passes.h"
#include "amp/Kernels/Passes.h"
#include "amp/Layout/Passes.h"
#include "amp/Pipelines/DeviceLowering.h"
#include "amp/Pipelines/HostLowering.h"
#include "amp/Pipelines/KernelLowering.h"
#include "amp/Pipelines/MixedPrecision.h"
#include "amp/Program/Passes.h"

namespace mlir::amp {

inline void registerAllPasses() {
  registerAmpTransformsPasses();
  registerAmpConversionPasses();
  registerAmpDeviceConversionPasses();
  registerAmpHostConversionPasses();
  registerAmpLinalgTransformsPasses();
  registerAmpKernelsPasses();
  registerAmpLayoutPasses();
  registerAmpProgramPasses();
  registerMixedPrecisionPipeline();
  registerHostLoweringPipeline();
  registerDeviceLoweringPipeline();
  registerKernelLoweringPipelines();
}

} // namespace mlir::amp

#endif // AMP_INITALLPASSES_H
