//===- GemmDescription.h - What a product's kernel computes -----*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `amp.problem` of a gpu.module: with it whoever has the kernel can check its
// numbers. The pass amp-generate-gemm documents the attribute.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_LIB_KERNELS_GEMMDESCRIPTION_H
#define AMP_LIB_KERNELS_GEMMDESCRIPTION_H

#include "amp/Kernels/Gemm.h"
#include "amp/Kernels/GemmEpilogue.h"

namespace mlir::amp {

/// An array of steps, or the text "other".
Attribute describeEpilogue(Builder &b, Region &body);

DictionaryAttr describeGemm(Builder &b, const GemmProblem &problem,
                            const GemmConfig &config,
                            const GemmEpilogue &epilogue);

} // namespace mlir::amp

#endif // AMP_LIB_KERNELS_GEMMDESCRIPTION_H
