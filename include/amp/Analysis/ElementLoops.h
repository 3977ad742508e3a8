//===- ElementLoops.h - Loops and branches on elements ----------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Loops and branches that compute with single elements of tensors or buffers
// become one kernel of a device, with all that is in them.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_ANALYSIS_ELEMENTLOOPS_H
#define AMP_ANALYSIS_ELEMENTLOOPS_H

#include "mlir/IR/Operation.h"

namespace mlir::amp {

/// Whether `op` or what is in it reads or writes a single element, of a tensor
/// or a buffer.
bool touchesElements(Operation *op);

/// Whether `op` is an scf.for, scf.if or scf.while in which there is nothing
/// but these, single elements, arithmetic without effects on numbers and what
/// `isAllowed` says.
bool isOfNumbers(
    Operation *op, llvm::function_ref<bool(Operation *)> isAllowed =
                       [](Operation *) { return false; });

} // namespace mlir::amp

#endif // AMP_ANALYSIS_ELEMENTLOOPS_H
