//===- GemmKernel.h - Kernels of matrix products ----------------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The emitter: a module of device code that computes one product.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_KERNELS_GEMMKERNEL_H
#define AMP_KERNELS_GEMMKERNEL_H

#include "amp/Kernels/Gemm.h"
#include "amp/Kernels/GemmEpilogue.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace mlir::amp {

/// Adds a gpu.module `name` at the builder's insertion point. It holds a kernel
/// of the same name, and what has to run before and after it: kernels that copy
/// operands (`<name>_copy_a`, `<name>_copy_b`), list the tiles of groups
/// (`<name>_tiles`), add the parts of a split K (`<name>_reduce`) and of sums
/// (`<name>_sums`). Each carries `amp.launch`, which says how to call it, and
/// the module `amp.problem`, which says what they compute (see the pass
/// amp-generate-gemm). All of it is verified, `config` is complete.
gpu::GPUModuleOp emitGemm(OpBuilder &builder, Location loc, StringRef name,
                          const GemmProblem &problem, const GemmConfig &config,
                          const GemmEpilogue &epilogue);

} // namespace mlir::amp

#endif // AMP_KERNELS_GEMMKERNEL_H
