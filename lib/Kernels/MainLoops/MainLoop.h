//===- MainLoop.h - The kernels that multiply -------------------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What turns a Product into sums, one main loop for each way to share the work.
// All take every product, and all have the same contract: the module gets its
// dynamic shared memory, named `<name>_memory`, and a persistent kernel `name`
// that is right with any number of blocks that its `amp.launch` allows.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_LIB_KERNELS_MAINLOOPS_MAINLOOP_H
#define AMP_LIB_KERNELS_MAINLOOPS_MAINLOOP_H

#include "Products/Product.h"

namespace mlir::amp {

/// Adds a kernel `name` that computes the product, with the main loop of its
/// schedule.
void emitMainLoop(DeviceBuilder &b, StringRef name, Product &product);

// What it chooses from.
/// All warps load, and multiply with mma.sync or plain arithmetic.
void emitWarpLoop(DeviceBuilder &b, StringRef name, Product &product);
/// A warpgroup loads, others multiply with wgmma.
void emitWarpgroupLoop(DeviceBuilder &b, StringRef name, Product &product);

} // namespace mlir::amp

#endif // AMP_LIB_KERNELS_MAINLOOPS_MAINLOOP_H
