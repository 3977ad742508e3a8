//===- ConvolutionKernel.h - Kernels of convolutions ------------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The emitter: a module of device code that computes one convolution, or one of
// its gradients.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_KERNELS_CONVOLUTIONKERNEL_H
#define AMP_KERNELS_CONVOLUTIONKERNEL_H

#include "amp/Kernels/Convolution.h"
#include "amp/Kernels/GemmEpilogue.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace mlir::amp {

/// Checks that the operands of an epilogue have a place in the convolution.
LogicalResult
verifyConvolutionEpilogue(const ConvolutionProblem &problem,
                          const GemmEpilogue &epilogue,
                          function_ref<InFlightDiagnostic()> emitError);

/// Adds a gpu.module `name` at the builder's insertion point, with kernels,
/// `amp.launch` and `amp.problem` as for a matrix product (GemmKernel.h, and
/// the pass amp-generate-convolution). All of it is verified, `config` is
/// complete.
gpu::GPUModuleOp emitConvolution(OpBuilder &builder, Location loc,
                                 StringRef name,
                                 const ConvolutionProblem &problem,
                                 const GemmConfig &config,
                                 const GemmEpilogue &epilogue);

} // namespace mlir::amp

#endif // AMP_KERNELS_CONVOLUTIONKERNEL_H
