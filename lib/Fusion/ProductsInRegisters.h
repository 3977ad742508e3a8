//===- ProductsInRegisters.h - Who reads sums in registers ------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// On a target whose products have their sums in registers, what needs them
// there joins a product before pairs of groups are looked at.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_LIB_FUSION_PRODUCTSINREGISTERS_H
#define AMP_LIB_FUSION_PRODUCTSINREGISTERS_H

#include "GroupOrder.h"
#include "Lifetimes.h"

namespace mlir::amp {

/// Gives `product`, which is alone, what is computed on its elements, and what
/// is made for that.
void joinElementReaders(unsigned product, const BlockGraph &graph,
                        const Lifetimes &lifetimes, GroupOrder &groups);

} // namespace mlir::amp

#endif // AMP_LIB_FUSION_PRODUCTSINREGISTERS_H
