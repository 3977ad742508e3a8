//===- JitProgram.h - Compile a training step for this CPU ------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// From a module to a Program: mixed precision, host lowering, LLVM, and the
// runtime's scalers beside the code.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_EXECUTION_JITPROGRAM_H
#define AMP_EXECUTION_JITPROGRAM_H

#include "amp/Execution/LinkedFunction.h"
#include "amp/Execution/ObjectCode.h"
#include "amp/Execution/Program.h"
#include "amp/Pipelines/HostLowering.h"
#include "amp/Pipelines/MixedPrecision.h"
#include "mlir/IR/BuiltinOps.h"

#include <optional>
#include <string>
#include <vector>

namespace mlir::amp {

struct JitOptions {
  /// Show gradients to `Program::setTap`. Costs a little time.
  bool insertTaps = false;
  /// LLVM's optimisation level, 0 to 3.
  unsigned optimizationLevel = 3;
  /// Calls of kernels that a program with a profile keeps.
  int64_t keptCalls = 0;
  /// As in ProgramOptions: the scalers of a program that was compiled before
  /// from the same module.
  llvm::ArrayRef<Program::ScalerSlot> scalers;
};

/// What a compilation did: seconds of each phase, bytes that the kernels of a
/// train step move and those that any plan moves, where they were counted
/// (HostLoweringOptions::countTraffic), the decisions of mixed precision as
/// text (PrecisionSummary), empty at O0, and the functions that it made, by
/// address.
struct CompileReport {
  double preparation = 0;
  double lowering = 0;
  double codegen = 0;
  std::optional<int64_t> kernelTraffic, leastTraffic;
  /// Of both, what contractions do not have to move; of kernels for a device
  /// alone.
  std::optional<int64_t> kernelMemoryBound, leastMemoryBound;
  std::string decisions;
  std::vector<LinkedFunction> functions;
};

/// Compiles `module`, which is consumed. The program has the threads that
/// `lowering` divides loops among. Diagnostics go to the context's
/// handlers; the error then only says which phase failed.
llvm::Expected<std::unique_ptr<Program>>
compileForHost(ModuleOp module, const MixedPrecisionOptions &precision,
               const HostLoweringOptions &lowering, const JitOptions &options,
               CompileReport *report = nullptr);

/// How a program is compiled for a file.
struct ObjectOptions {
  /// As in JitOptions.
  bool insertTaps = false;
  unsigned optimizationLevel = 3;
  /// The CPUs whose code it has, at least one: "native" or what LLVM calls it.
  /// Each has a version of its own, and takes the first that it can run.
  std::vector<std::string> cpus = {"native"};
};

/// Compiles `module`, which is consumed, to objects that linkSharedObject makes
/// a program of; as compileForHost, to the same code. `lowering` is that of
/// each version but for its CPU.
llvm::Expected<std::vector<ObjectCode>>
compileToHostObjects(ModuleOp module, const MixedPrecisionOptions &precision,
                     const HostLoweringOptions &lowering,
                     const ObjectOptions &options, CompileReport &report);

/// What the functions of a module take and give.
struct ModuleSignature {
  FunctionSignature trainStep;
  std::optional<FunctionSignature> evaluate;
};

/// The signatures of a module that has not been compiled yet, for all that can
/// be checked before: they are those of the program, but for the types of
/// parameters. Fails if there is no train step, or none that can be compiled.
llvm::Expected<ModuleSignature>
readSignatures(ModuleOp module, const MixedPrecisionOptions &precision);

/// The arguments of these functions as they stand in `module`, without results:
/// for who has to find the extents that types leave unknown. Fails if there is
/// no train step.
llvm::Expected<ModuleSignature> readArguments(ModuleOp module);

} // namespace mlir::amp

#endif // AMP_EXECUTION_JITPROGRAM_H
