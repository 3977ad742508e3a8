//===- Modules.h - Modules of device code -----------------------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The emitters: a problem, a configuration and an epilogue become a module of
// device code, with all kernels that the problem takes, and with attributes
// that say what they compute and how they are launched.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_KERNELS_MODULES_H
#define AMP_KERNELS_MODULES_H

#include "amp/Kernels/AttentionProblem.h"
#include "amp/Kernels/ConvolutionProblem.h"
#include "amp/Kernels/GemmConfig.h"
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

/// Checks that the operands of an epilogue have a place in the convolution.
LogicalResult
verifyConvolutionEpilogue(const ConvolutionProblem &problem,
                          const GemmEpilogue &epilogue,
                          function_ref<InFlightDiagnostic()> emitError);

/// Adds a gpu.module `name` at the builder's insertion point, with kernels,
/// `amp.launch` and `amp.problem` as for a matrix product (emitGemm, and the
/// pass amp-generate-convolution). All of it is verified, `config` is
/// complete.
gpu::GPUModuleOp emitConvolution(OpBuilder &builder, Location loc,
                                 StringRef name,
                                 const ConvolutionProblem &problem,
                                 const GemmConfig &config,
                                 const GemmEpilogue &epilogue);

/// Adds a gpu.module `name` at the builder's insertion point, with the kernels
/// of an attention: `name`, or for a backward pass `<name>_queries` and
/// `<name>_keys`, with `amp.launch` as for a matrix product (the pass
/// amp-generate-attention says what their arguments are). The problem is
/// verified.
gpu::GPUModuleOp emitAttention(OpBuilder &builder, Location loc, StringRef name,
                               const AttentionProblem &problem);

} // namespace mlir::amp

#endif // AMP_KERNELS_MODULES_H
