//===- JitKernel.cpp - Compiling a lowered kernel -------------------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// ORC, for the host's own processor, lightly optimised: most of the time goes
// into the machine, and a kernel is compiled for every run of the tool.
//
//===----------------------------------------------------------------------===//

#include "DeviceFunctions.h"

#include "amp-rt/Half.h"
#include "amp/Emulator/Kernel.h"

#include "mlir/ExecutionEngine/ExecutionEngine.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "llvm/ExecutionEngine/Orc/JITTargetMachineBuilder.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"

using namespace mlir;
using namespace mlir::amp;

JitKernel::JitKernel() = default;
JitKernel::~JitKernel() = default;

static llvm::orc::SymbolMap getSymbols(llvm::orc::MangleAndInterner interner) {
  llvm::orc::SymbolMap symbols;
  auto add = [&](StringRef name, void *address) {
    symbols[interner(name)] = {llvm::orc::ExecutorAddr::fromPtr(address),
                               llvm::JITSymbolFlags::Exported};
  };
#define MACHINE(NAME) add(#NAME, reinterpret_cast<void *>(&NAME))
  MACHINE(ampEmuExecute);
  MACHINE(ampEmuSpecialRegister);
  MACHINE(ampEmuClock);
  MACHINE(ampEmuShared);
  MACHINE(ampEmuSharedAddress);
  MACHINE(ampEmuAccess);
  MACHINE(ampEmuAtomic);
  MACHINE(ampEmuAtomicDone);
  MACHINE(ampEmuLocal);
  MACHINE(ampEmuLocalMark);
  MACHINE(ampEmuLocalRelease);
  MACHINE(ampEmuSteps);
  MACHINE(ampEmuStepsTaken);
#undef MACHINE
  forEachDeviceFunction(add);
  const AmpRtSymbol *conversions = nullptr;
  int64_t count = 0;
  if (ampRtHalfSymbols(&conversions, &count) == AMP_RT_OK)
    for (int64_t i = 0; i < count; ++i)
      add(conversions[i].name, conversions[i].address);
  return symbols;
}

/// Loops of a kernel are short and full of calls of the machine: unrolling and
/// vectorising them takes longer than they run.
static llvm::Error optimize(llvm::Module *module,
                            llvm::TargetMachine *machine) {
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager components;
  llvm::ModuleAnalysisManager modules;
  llvm::PipelineTuningOptions tuning;
  tuning.LoopUnrolling = tuning.LoopInterleaving = false;
  tuning.LoopVectorization = tuning.SLPVectorization = false;
  llvm::PassBuilder builder(machine, tuning);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);
  builder.buildPerModuleDefaultPipeline(llvm::OptimizationLevel::O1)
      .run(*module, modules);
  return llvm::Error::success();
}

llvm::Expected<std::unique_ptr<JitKernel>>
JitKernel::create(const LoweredKernel &kernel) {
  llvm::InitializeNativeTarget();
  llvm::InitializeNativeTargetAsmPrinter();
  ModuleOp module = *kernel.module;
  registerBuiltinDialectTranslation(*module.getContext());
  registerLLVMDialectTranslation(*module.getContext());
  auto builder = llvm::orc::JITTargetMachineBuilder::detectHost();
  if (!builder)
    return builder.takeError();
  // Intel's roundings to bf16 make subnormal numbers 0, which a GPU's do not.
  builder->getFeatures().AddFeature("avx512bf16", false);
  builder->getFeatures().AddFeature("avxneconvert", false);
  auto machine = builder->createTargetMachine();
  if (!machine)
    return machine.takeError();
  auto compiler = builder->createTargetMachine();
  if (!compiler)
    return compiler.takeError();
  ExecutionEngineOptions options;
  options.enablePerfNotificationListener = false; // writes to the user's home
  auto transformer = [&](llvm::Module *module) {
    return optimize(module, machine->get());
  };
  options.transformer = transformer;
  options.jitCodeGenOptLevel = llvm::CodeGenOptLevel::Less;
  auto engine = ExecutionEngine::create(module, options, std::move(*compiler));
  if (!engine)
    return engine.takeError();
  (*engine)->registerSymbols(getSymbols);

  std::unique_ptr<JitKernel> jit(new JitKernel());
  auto entry = (*engine)->lookupPacked(kernel.name);
  if (!entry)
    return entry.takeError();
  jit->entry = *entry;
  for (const auto &[name, size, isConstant] : kernel.globals) {
    auto address = (*engine)->lookup(name);
    if (!address)
      return address.takeError();
    ::amp::emu::Buffer buffer;
    buffer.name = name;
    buffer.data = *address;
    buffer.size = size;
    buffer.readOnly = isConstant;
    jit->globals.push_back(std::move(buffer));
  }
  jit->engine = std::move(*engine);
  return jit;
}
