//===- IndexSwitchToIf.h - scf.index_switch as scf.if -----------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A switch as a chain of branches: passes that follow values through scf.if
// need no case for switches, and hosts lower nothing else.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_DIALECT_AMP_TRANSFORMS_INDEXSWITCHTOIF_H
#define AMP_DIALECT_AMP_TRANSFORMS_INDEXSWITCHTOIF_H

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/PatternMatch.h"

namespace mlir::amp {

/// Puts a chain of scf.if in the place of `op`, one for each case.
void convertIndexSwitchToIf(scf::IndexSwitchOp op, RewriterBase &rewriter);

} // namespace mlir::amp

#endif // AMP_DIALECT_AMP_TRANSFORMS_INDEXSWITCHTOIF_H
