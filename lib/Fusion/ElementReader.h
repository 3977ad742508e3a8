//===- ElementReader.h - Who computes on elements of a product --*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// While the sums of a product are in registers, an operation can take part that
// needs one of them for each number that it computes. What shape the tensors
// have does not matter then, nor in which order they are walked.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_LIB_FUSION_ELEMENTREADER_H
#define AMP_LIB_FUSION_ELEMENTREADER_H

#include "amp/Fusion/FusionNode.h"

namespace mlir::amp {

/// How many elements `node` computes of each result, each by itself; nothing
/// if it does not, or if that is not known.
std::optional<int64_t> countSeparateElements(const FusionNode &node);

/// True if `node`, which computes each element by itself, needs for it one
/// element of each tensor for which `isElements` holds, and another one for
/// each. It has to read one such tensor at least.
bool readsByElement(const FusionNode &node,
                    llvm::function_ref<bool(Value)> isElements);

} // namespace mlir::amp

#endif // AMP_LIB_FUSION_ELEMENTREADER_H
