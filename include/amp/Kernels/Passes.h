//===- Passes.h - Passes that make device kernels ---------------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What Passes.td declares.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_KERNELS_PASSES_H
#define AMP_KERNELS_PASSES_H

#include "amp/Kernels/DeviceFunctions.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Pass/Pass.h"

namespace mlir::amp {

#define GEN_PASS_DECL
#include "amp/Kernels/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "amp/Kernels/Passes.h.inc"

} // namespace mlir::amp

#endif // AMP_KERNELS_PASSES_H
