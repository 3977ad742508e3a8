//===- Registration.h - What a library of ours knows ------------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Implemented twice. libAmpC.so knows all of MLIR, which lies beside it; the
// Python package carries its own copy and knows what programs for a CPU need.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_LIB_CAPI_REGISTRATION_H
#define AMP_LIB_CAPI_REGISTRATION_H

#include "mlir/IR/DialectRegistry.h"

namespace mlir::amp {

/// Dialects that a module may have, and what passes ask of them.
void registerKnownDialects(DialectRegistry &registry);

/// Passes and pipelines that a pipeline may name. To be called once.
void registerKnownPasses();

} // namespace mlir::amp

#endif // AMP_LIB_CAPI_REGISTRATION_H
