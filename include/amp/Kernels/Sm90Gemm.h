//===- Sm90Gemm.h - Matrix products for sm_90a ------------------*- C++ -*-===//
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

#ifndef AMP_KERNELS_SM90GEMM_H
#define AMP_KERNELS_SM90GEMM_H

#include "amp/Kernels/Gemm.h"
#include "amp/Kernels/GemmEpilogue.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace mlir::amp {

/// Adds a gpu.module `name` at the builder's insertion point. It holds a kernel
/// of the same name, and with a split K a second one, `<name>_reduce`, to be
/// launched after it. Each carries `amp.launch`, which says how to call it, and
/// the module `amp.problem`, which says what they compute (see the pass
/// amp-generate-gemm). `config` is complete and verified.
gpu::GPUModuleOp emitSm90Gemm(OpBuilder &builder, Location loc, StringRef name,
                              const GemmProblem &problem,
                              const GemmConfig &config,
                              const GemmEpilogue &epilogue,
                              int64_t multiprocessors);

} // namespace mlir::amp

#endif // AMP_KERNELS_SM90GEMM_H
