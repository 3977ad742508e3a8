//===- HostParts.cpp - Parts of a step, and how LLVM optimizes them -------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HostParts.h"

#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/ExecutionEngine/Orc/ThreadSafeModule.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/PassInstrumentation.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/Utils/SplitModule.h"

using namespace mlir;
using namespace mlir::amp;

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

/// Leaves functions without loops to LLVM's quick code generation. A step is
/// one block of calls: what it does once is not worth scheduling, which takes
/// the square of its length.
static void generateQuicklyWithoutLoops(llvm::Module &module) {
  for (llvm::Function &function : module) {
    if (function.isDeclaration() ||
        !llvm::LoopInfo(llvm::DominatorTree(function)).empty())
      continue;
    function.addFnAttr(llvm::Attribute::OptimizeNone);
    function.addFnAttr(llvm::Attribute::NoInline); // which that asks for
  }
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

/// Uses vectors as wide as the CPU has them. LLVM tunes Intel's CPUs with
/// AVX-512 for code that has a few of them here and there, and would take 256
/// bits; on others it is all the same.
static void preferWideVectors(llvm::Module &module) {
  for (llvm::Function &function : module)
    if (!function.isDeclaration())
      function.addFnAttr("prefer-vector-width", "512");
}

void mlir::amp::optimizePart(llvm::Module &part, llvm::TargetMachine &machine,
                             unsigned level) {
  part.getContext().setDiagnosticHandler(std::make_unique<SilentAdvice>());
  preferWideVectors(part);
  optimize(part, &machine, getOptimizationLevel(level));
  generateQuicklyWithoutLoops(part);
}

llvm::Expected<std::unique_ptr<llvm::Module>>
mlir::amp::translateForHost(ModuleOp module,
                            llvm::orc::ThreadSafeContext &context) {
  registerBuiltinDialectTranslation(*module.getContext());
  registerLLVMDialectTranslation(*module.getContext());
  std::unique_ptr<llvm::Module> translated =
      context.withContextDo([&](llvm::LLVMContext *inner) {
        return translateModuleToLLVMIR(module, *inner);
      });
  if (!translated)
    return llvm::createStringError(
        "the module cannot be translated to LLVM IR");
  return std::move(translated);
}

unsigned mlir::amp::countParts(const llvm::Module &module) {
  // One part of a small step is not worth a thread.
  constexpr unsigned kSmallStep = 2000, kNumParts = 8;
  return module.getInstructionCount() < kSmallStep ? 1 : kNumParts;
}

bool mlir::amp::callsIntrinsic(const llvm::Module &module, StringRef prefix) {
  return llvm::any_of(module, [&](const llvm::Function &function) {
    return function.isDeclaration() && function.getName().starts_with(prefix);
  });
}

SmallVector<std::unique_ptr<llvm::Module>>
mlir::amp::divideIntoParts(llvm::Module &module, unsigned count) {
  for (llvm::Function &function : module) {
    if (function.isDeclaration() || !function.isDiscardableIfUnused())
      continue;
    bool isShared = function.hasFnAttribute(llvm::Attribute::NoInline);
    function.setLinkage(isShared ? llvm::GlobalValue::ExternalLinkage
                                 : llvm::GlobalValue::InternalLinkage);
    function.setVisibility(isShared ? llvm::GlobalValue::HiddenVisibility
                                    : llvm::GlobalValue::DefaultVisibility);
  }
  SmallVector<std::unique_ptr<llvm::Module>> parts;
  llvm::SplitModule(
      module, count,
      [&](std::unique_ptr<llvm::Module> part) {
        parts.push_back(std::move(part));
      },
      /*PreserveLocals=*/true);
  return parts;
}
