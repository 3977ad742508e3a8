//===- HostCode.cpp - Machine code in this process ------------------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM's JIT for the CPU that it runs on. Whatever the code calls is given to
// it by address, so that it does not matter how this binary exports its
// symbols.
//
//===----------------------------------------------------------------------===//

#include "amp/Execution/HostCode.h"

#include "amp-rt/Blas.h"
#include "amp-rt/Half.h"
#include "amp-rt/Pool.h"
#include "amp-rt/Profile.h"
#include "amp-rt/Run.h"
#include "amp-rt/Scaler.h"
#include "amp/Execution/StridedCopy.h"
#include "mlir/ExecutionEngine/ExecutionEngine.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "llvm/ExecutionEngine/Orc/JITTargetMachineBuilder.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/PassInstrumentation.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/TargetSelect.h"

using namespace mlir;
using namespace mlir::amp;

static llvm::orc::SymbolMap
getRuntimeSymbols(llvm::orc::MangleAndInterner interner) {
  llvm::orc::SymbolMap symbols;
  auto add = [&](StringRef name, void *address) {
    symbols[interner(name)] = {llvm::orc::ExecutorAddr::fromPtr(address),
                               llvm::JITSymbolFlags::Exported};
  };
  add("ampRtProgramCheckArguments",
      reinterpret_cast<void *>(&ampRtProgramCheckArguments));
  add("ampRtRunBegin", reinterpret_cast<void *>(&ampRtRunBegin));
  add("ampRtRunEnd", reinterpret_cast<void *>(&ampRtRunEnd));
  add("ampRtRunReportAssert", reinterpret_cast<void *>(&ampRtRunReportAssert));
  add("ampRtRunAllocate", reinterpret_cast<void *>(&ampRtRunAllocate));
  add("ampRtRunAllocateAligned",
      reinterpret_cast<void *>(&ampRtRunAllocateAligned));
  add("ampRtRunFree", reinterpret_cast<void *>(&ampRtRunFree));
  add("ampRtRunScale", reinterpret_cast<void *>(&ampRtRunScale));
  add("ampRtRunUpdateScale", reinterpret_cast<void *>(&ampRtRunUpdateScale));
  add("ampRtRunTap", reinterpret_cast<void *>(&ampRtRunTap));
  add("ampRtRunSgemm", reinterpret_cast<void *>(&ampRtRunSgemm));
  add("ampRtRunKernelBegin", reinterpret_cast<void *>(&ampRtRunKernelBegin));
  add("ampRtRunKernelEnd", reinterpret_cast<void *>(&ampRtRunKernelEnd));
  add("ampRtRunParallel", reinterpret_cast<void *>(&ampRtRunParallel));
  add("memrefCopy", reinterpret_cast<void *>(&copyDescribedArray));
  // The project's own conversions, so that results do not depend on the host's
  // compiler runtime.
  const AmpRtSymbol *conversions = nullptr;
  int64_t count = 0;
  if (ampRtHalfSymbols(&conversions, &count) == AMP_RT_OK)
    for (int64_t i = 0; i < count; ++i)
      add(conversions[i].name, conversions[i].address);
  return symbols;
}

namespace {
/// Keeps LLVM's advice to itself: a loop that stays scalar is no concern of who
/// trains, and has no location that they wrote.
struct SilentAdvice : llvm::DiagnosticHandler {
  bool handleDiagnostics(const llvm::DiagnosticInfo &info) override {
    return info.getSeverity() != llvm::DS_Error;
  }
};
} // namespace

/// LLVM's pipeline for `level`, without a pass that looks for the targets of
/// indirect calls: there are none, and its time grows with the square of a
/// step.
static void optimize(llvm::Module &module, llvm::TargetMachine *machine,
                     llvm::OptimizationLevel level) {
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager components;
  llvm::ModuleAnalysisManager modules;
  llvm::PassInstrumentationCallbacks callbacks;
  callbacks.registerShouldRunOptionalPassCallback(
      [](StringRef pass, llvm::Any) {
        return pass != "CalledValuePropagationPass";
      });
  llvm::PipelineTuningOptions tuning;
  tuning.LoopInterleaving = tuning.LoopVectorization = true;
  tuning.SLPVectorization = true;
  llvm::PassBuilder builder(machine, tuning, std::nullopt, &callbacks);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);
  builder.buildPerModuleDefaultPipeline(level).run(module, modules);
}

static llvm::OptimizationLevel getOptimizationLevel(unsigned level) {
  switch (level) {
  case 0:
    return llvm::OptimizationLevel::O0;
  case 1:
    return llvm::OptimizationLevel::O1;
  case 2:
    return llvm::OptimizationLevel::O2;
  default:
    return llvm::OptimizationLevel::O3;
  }
}

llvm::Expected<HostCode> mlir::amp::generateHostCode(ModuleOp module,
                                                     unsigned level) {
  llvm::InitializeNativeTarget();
  llvm::InitializeNativeTargetAsmPrinter();
  registerBuiltinDialectTranslation(*module.getContext());
  registerLLVMDialectTranslation(*module.getContext());
  auto builder = llvm::orc::JITTargetMachineBuilder::detectHost();
  if (!builder)
    return builder.takeError();
  auto machine = builder->createTargetMachine();
  if (!machine)
    return machine.takeError();
  ExecutionEngineOptions options;
  // The dump for perf goes to a new folder in the user's home each run, and its
  // stream ends the program at exit where it cannot be written.
  options.enablePerfNotificationListener = false;
  auto transform = [&](llvm::Module *llvmModule) {
    llvmModule->getContext().setDiagnosticHandler(
        std::make_unique<SilentAdvice>());
    optimize(*llvmModule, machine->get(), getOptimizationLevel(level));
    return llvm::Error::success();
  };
  options.transformer = transform;
  options.jitCodeGenOptLevel = static_cast<llvm::CodeGenOptLevel>(level);
  auto engine = ExecutionEngine::create(module, options);
  if (!engine)
    return engine.takeError();
  (*engine)->registerSymbols(getRuntimeSymbols);
  llvm::Expected<void *> program = (*engine)->lookup(AMP_RT_PROGRAM_SYMBOL);
  if (!program)
    return program.takeError();
  return HostCode{std::shared_ptr<void>(std::move(*engine)),
                  static_cast<const AmpRtProgram *>(*program)};
}
