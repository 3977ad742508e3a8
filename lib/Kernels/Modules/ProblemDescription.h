//===- ProblemDescription.h - What a module computes ------------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `amp.problem` of a gpu.module: what its kernels compute together, under the
// names that amp-kernel-bench knows. With it whoever has the kernels can check
// their numbers. The passes amp-generate-gemm and amp-generate-convolution
// document the attribute.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_LIB_KERNELS_MODULES_PROBLEMDESCRIPTION_H
#define AMP_LIB_KERNELS_MODULES_PROBLEMDESCRIPTION_H

#include "amp/Kernels/ConvolutionProblem.h"
#include "amp/Kernels/GemmConfig.h"
#include "amp/Kernels/GemmEpilogue.h"

namespace mlir::amp {

DictionaryAttr describeGemm(Builder &b, const GemmProblem &problem,
                            const GemmConfig &config,
                            const GemmEpilogue &epilogue);

/// The same of a convolution; the pass amp-generate-convolution documents it.
DictionaryAttr describeConvolution(Builder &b,
                                   const ConvolutionProblem &problem,
                                   const GemmConfig &config,
                                   const GemmEpilogue &epilogue);

} // namespace mlir::amp

#endif // AMP_LIB_KERNELS_MODULES_PROBLEMDESCRIPTION_H
