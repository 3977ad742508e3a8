//===- ConvolutionConfig.h - How a kernel computes a convolution *- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A convolution is computed as a matrix product, by the same configurations;
// what is said here is what else they have to be for it: how operands that are
// images and filters are loaded, and the rules of that.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_LIB_KERNELS_CONFIG_CONVOLUTIONCONFIG_H
#define AMP_LIB_KERNELS_CONFIG_CONVOLUTIONCONFIG_H

#include "amp/Kernels/ConvolutionProblem.h"
#include "amp/Kernels/GemmConfig.h"

namespace mlir::amp {

/// Has TMA gather both operands where it can (Im2col.h). Else uses copies of 16
/// bytes for operands in which a tap's channels (or filters) are a multiple of
/// that, else threads.
void chooseConvolutionAccess(const ConvolutionProblem &problem,
                             GemmConfig &config);

/// Checks the rules of the kernel for a convolution that is verified.
LogicalResult
verifyConvolutionConfig(const ConvolutionProblem &problem,
                        const GemmConfig &config,
                        function_ref<InFlightDiagnostic()> emitError);

} // namespace mlir::amp

#endif // AMP_LIB_KERNELS_CONFIG_CONVOLUTIONCONFIG_H
