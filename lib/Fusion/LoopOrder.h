//===- LoopOrder.h - In which order the loops of a group run ----*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tiles follow each other in the order of the loops of their group, the last
// one innermost. These functions choose it.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_LIB_FUSION_LOOPORDER_H
#define AMP_LIB_FUSION_LOOPORDER_H

#include "Candidate.h"
#include "TileChoice.h"

namespace mlir::amp {

/// Puts the loops in the order of the dimensions of the largest tensor that all
/// of them walk; leaves them if there is none.
void orderLoops(Candidate &candidate);

/// Puts the loops of `candidate`, which has a tile, in an order in which its
/// `products` pack least.
void orderProductLoops(Candidate &candidate, ArrayRef<ProductSides> products);

} // namespace mlir::amp

#endif // AMP_LIB_FUSION_LOOPORDER_H
