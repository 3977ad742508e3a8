//===- Passes.h - Passes over the amp dialect -------------------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Declarations generated from Passes.td, where each pass is described, and what
// their options are made of.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_DIALECT_AMP_TRANSFORMS_PASSES_H
#define AMP_DIALECT_AMP_TRANSFORMS_PASSES_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace mlir::amp {

/// Who decides where casts stand.
enum class CastPlacement {
  /// Operation by operation, what Apex would do.
  Apex,
  /// One minimum cut over forward and backward; amp-insert-casts refuses it
  /// until there is a pass for it.
  MinCut
};

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "amp/Dialect/Amp/Transforms/Passes.h.inc"

/// amp-initialize-opt-level that prints the selection to `screen`, which
/// outlives the pass, and not to standard error.
std::unique_ptr<Pass>
createInitializeOptLevelPass(InitializeOptLevelPassOptions options,
                             raw_ostream &screen);

/// amp-verify-once with the passes that `populate` adds, for a pipeline whose
/// passes have more than their options (a stream, say).
std::unique_ptr<Pass>
createVerifyOncePass(llvm::function_ref<void(OpPassManager &)> populate);

} // namespace mlir::amp

#endif // AMP_DIALECT_AMP_TRANSFORMS_PASSES_H
