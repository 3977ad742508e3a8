//===- ChipFusion.h - A chip as the fusion plan sees it ---------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a multiprocessor can hold, and what our kernels do with a product, as
// the numbers that amp/Fusion/FusionPlan.h plans by.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_KERNELS_CHIPFUSION_H
#define AMP_KERNELS_CHIPFUSION_H

#include "amp/Fusion/FusionPlan.h"
#include "amp/Kernels/Gemm.h"

namespace mlir::amp {

/// Tiles fit the shared memory of a block. Sums of products are in registers,
/// and products may be convolutions.
FusionTarget getFusionTarget(const GemmChip &chip);

} // namespace mlir::amp

#endif // AMP_KERNELS_CHIPFUSION_H
