//===- InitAllDialects.h - Register the dialects of mlir-amp ----*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The one place where dialects, and the interfaces that ours gives to
// operations of others, are registered.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_INITALLDIALECTS_H
#define AMP_INITALLDIALECTS_H

#include "amp/Conversion/AmpToRuntime.h"
#include "amp/Conversion/LinalgToTensorCore.h"
#include "amp/Dialect/Amp/IR/AmpDialect.h"
#include "amp/Pipelines/KernelLowering.h"

namespace mlir::amp {

inline void registerAllDialects(DialectRegistry &registry) {
  registry.insert<AmpDialect>();
  registerBufferizableOpInterfaceExternalModels(registry);
  registerLaunchBufferization(registry);
  registerKernelInterfaces(registry);
}

} // namespace mlir::amp

#endif // AMP_INITALLDIALECTS_H
