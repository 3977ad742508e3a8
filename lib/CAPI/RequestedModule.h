//===- RequestedModule.h - A module that a caller sent ----------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What every request of the C interface begins with: a module is read, and a
// pipeline runs over it. Each has a context of its own, without threads: what
// one module leaves behind cannot reach another, and the host decides about
// threads.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_LIB_CAPI_REQUESTEDMODULE_H
#define AMP_LIB_CAPI_REQUESTEDMODULE_H

#include "amp-c/Compiler.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/Support/SourceMgr.h"

namespace mlir::amp {

class RequestedModule {
public:
  /// Diagnostics go to `diagnostics` as long as this lives.
  explicit RequestedModule(llvm::raw_ostream &diagnostics);

  /// Reads the module of `request` and runs its pipeline. AMP_COMPILER_OK, or
  /// what went wrong, with a diagnostic. `isLinked` if its functions will be in
  /// memory.
  AmpCompilerStatus prepare(const AmpCompilerRequest *request, bool isLinked);

  /// After AMP_COMPILER_OK.
  ModuleOp get() { return *module; }

private:
  AmpCompilerStatus runPipeline(StringRef pipeline);

  llvm::raw_ostream &diagnostics;
  MLIRContext context;
  llvm::SourceMgr sources;
  SourceMgrDiagnosticHandler handler;
  OwningOpRef<ModuleOp> module;
};

} // namespace mlir::amp

#endif // AMP_LIB_CAPI_REQUESTEDMODULE_H
