//===- ProgramCompilation.h - A step to a program of any target -*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What compilations for the host and for a device have in common: everything
// but the passes between tensors and the LLVM dialect.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_LIB_EXECUTION_PROGRAMCOMPILATION_H
#define AMP_LIB_EXECUTION_PROGRAMCOMPILATION_H

#include "amp/Execution/DescribedProgram.h"
#include "amp/Execution/JitProgram.h"

namespace mlir::amp {

/// Compiles `module`, which is consumed, for this process. `lower` adds the
/// passes that follow buildHostPreparationPipeline, for what errors call
/// `target`.
llvm::Expected<std::unique_ptr<Program>>
compileProgram(ModuleOp module, const MixedPrecisionOptions &precision,
               llvm::function_ref<void(OpPassManager &)> lower,
               StringRef target, const JitOptions &options,
               const ProgramOptions &resources, CompileReport *report);

/// The same for a file, where `lower` is told the CPU of each version.
llvm::Expected<std::vector<ObjectCode>>
compileToObjects(ModuleOp module, const MixedPrecisionOptions &precision,
                 llvm::function_ref<void(OpPassManager &, StringRef cpu)> lower,
                 StringRef target, const ObjectOptions &options,
                 CompileReport &report);

} // namespace mlir::amp

#endif // AMP_LIB_EXECUTION_PROGRAMCOMPILATION_H
