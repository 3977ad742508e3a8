//===- Passes.h - Programs that a host calls --------------------*- C++ -*-===//
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

#ifndef AMP_PROGRAM_PASSES_H
#define AMP_PROGRAM_PASSES_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace mlir::amp {

#define GEN_PASS_DECL
#include "amp/Program/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "amp/Program/Passes.h.inc"

} // namespace mlir::amp

#endif // AMP_PROGRAM_PASSES_H
