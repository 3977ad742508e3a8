//===- Passes.h - Passes over linalg on tensors -----------------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What Passes.td declares.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_DIALECT_LINALG_TRANSFORMS_PASSES_H
#define AMP_DIALECT_LINALG_TRANSFORMS_PASSES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"

namespace mlir::amp {

#define GEN_PASS_DECL
#include "amp/Dialect/Linalg/Transforms/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "amp/Dialect/Linalg/Transforms/Passes.h.inc"

} // namespace mlir::amp

#endif // AMP_DIALECT_LINALG_TRANSFORMS_PASSES_H
