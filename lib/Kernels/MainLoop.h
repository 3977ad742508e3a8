//===- MainLoop.h - The kernels that multiply -------------------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What turns a Product into sums, one main loop for each kind of schedule. All
// take every product, and all have the same contract: the module gets its
// dynamic shared memory, named `<name>_memory`, and a persistent kernel `name`
// that is right with any number of blocks that its `amp.launch` allows.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_LIB_KERNELS_MAINLOOP_H
#define AMP_LIB_KERNELS_MAINLOOP_H

#include "Product.h"

namespace mlir::amp {

/// Adds a kernel `name` that computes the product, with the main loop that its
/// configuration asks for.
void emitMainLoop(DeviceBuilder &b, StringRef name, Product &product);

// What it chooses from.
/// With mma.sync or plain arithmetic.
void emitSm80Kernel(DeviceBuilder &b, StringRef name, Product &product);
/// With wgmma.
void emitSm90Kernel(DeviceBuilder &b, StringRef name, Product &product);

} // namespace mlir::amp

#endif // AMP_LIB_KERNELS_MAINLOOP_H
