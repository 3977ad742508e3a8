//===- MainLoop.cpp - The kernels that multiply ---------------------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The choice of a main loop.
//
//===----------------------------------------------------------------------===//

#include "MainLoop.h"

using namespace mlir;
using namespace mlir::amp;

void mlir::amp::emitMainLoop(DeviceBuilder &b, StringRef name,
                             Product &product) {
  auto emit = product.config.chip->wgmma ? emitSm90Kernel : emitSm80Kernel;
  emit(b, name, product);
}
