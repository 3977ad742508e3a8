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
// ORC compiles the parts of a step (HostParts.h) in as many threads as the
// affinity mask allows. The parts are the same for each number of threads.
//
//===----------------------------------------------------------------------===//

#include "amp/Execution/HostCode.h"
#include "FunctionRecorder.h"
#include "HostParts.h"

#include "amp-rt/Blas.h"
#include "amp-rt/Half.h"
#include "amp-rt/Memory.h"
#include "amp-rt/Pool.h"
#include "amp-rt/Profile.h"
#include "amp-rt/Run.h"
#include "amp-rt/Scaler.h"
#include "amp/Conversion/HostMachine.h"
#include "llvm/ExecutionEngine/Orc/AbsoluteSymbols.h"
#include "llvm/ExecutionEngine/Orc/JITTargetMachineBuilder.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/ExecutionEngine/Orc/SelfExecutorProcessControl.h"
#include "llvm/ExecutionEngine/Orc/TaskDispatch.h"
#include "llvm/ExecutionEngine/Orc/ThreadSafeModule.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Support/ThreadPool.h"
#include "llvm/Support/Threading.h"

#include <mutex>
#include <utility>

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
  add("ampRtRunLaunch", reinterpret_cast<void *>(&ampRtRunLaunch));
  add("ampRtRunCopy", reinterpret_cast<void *>(&ampRtRunCopy));
  add("ampRtRunRead", reinterpret_cast<void *>(&ampRtRunRead));
  add("ampRtRunWrite", reinterpret_cast<void *>(&ampRtRunWrite));
  add("ampRtRunReportViolation",
      reinterpret_cast<void *>(&ampRtRunReportViolation));
  add("ampRtRunReadScaler", reinterpret_cast<void *>(&ampRtRunReadScaler));
  add("ampRtRunWriteScaler", reinterpret_cast<void *>(&ampRtRunWriteScaler));
  add("ampRtRunConstant", reinterpret_cast<void *>(&ampRtRunConstant));
  add("ampRtRunSgemm", reinterpret_cast<void *>(&ampRtRunSgemm));
  add("ampRtRunSbgemm", reinterpret_cast<void *>(&ampRtRunSbgemm));
  add("ampRtRunKernelBegin", reinterpret_cast<void *>(&ampRtRunKernelBegin));
  add("ampRtRunKernelEnd", reinterpret_cast<void *>(&ampRtRunKernelEnd));
  add("ampRtRunParallel", reinterpret_cast<void *>(&ampRtRunParallel));
  add("memrefCopy", reinterpret_cast<void *>(&ampRtMemoryCopyMemref));
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
/// Runs ORC's tasks in LLVM's own pool: where a thread cannot be had, that says
/// so as the rest of the compiler does, and ORC's would throw.
class PoolDispatcher : public llvm::orc::TaskDispatcher {
public:
  void dispatch(std::unique_ptr<llvm::orc::Task> task) override {
    pool.async([task = std::shared_ptr<llvm::orc::Task>(std::move(task))] {
      task->run();
    });
  }
  void shutdown() override { pool.wait(); }

private:
  llvm::DefaultThreadPool pool{llvm::hardware_concurrency()};
};

/// What ORC says while it compiles, from whichever thread.
class SessionErrors {
public:
  void add(llvm::Error error) {
    std::lock_guard<std::mutex> lock(mutex);
    errors = llvm::joinErrors(std::move(errors), std::move(error));
  }
  /// All of it, and `last`.
  llvm::Error take(llvm::Error last) {
    std::lock_guard<std::mutex> lock(mutex);
    return llvm::joinErrors(std::exchange(errors, llvm::Error::success()),
                            std::move(last));
  }
  ~SessionErrors() { llvm::consumeError(std::move(errors)); }

private:
  std::mutex mutex;
  llvm::Error errors = llvm::Error::success();
};
} // namespace

/// Gives `count` parts of `module` to `jit`. Returns a symbol of each: who asks
/// for all of them at once has them compiled at once.
static llvm::Expected<llvm::orc::SymbolLookupSet>
addParts(llvm::orc::LLJIT &jit, llvm::Module &module, unsigned count,
         llvm::orc::ThreadSafeContext context) {
  llvm::orc::SymbolLookupSet symbols;
  for (std::unique_ptr<llvm::Module> &part : divideIntoParts(module, count)) {
    auto defined = llvm::find_if(*part, [](llvm::Function &function) {
      return !function.isDeclarationForLinker() && !function.hasLocalLinkage();
    });
    if (defined != part->end())
      symbols.add(jit.mangleAndIntern(defined->getName()));
    // A context is used by one thread at a time.
    if (llvm::Error error = jit.addIRModule(llvm::orc::cloneToNewContext(
            llvm::orc::ThreadSafeModule(std::move(part), context))))
      return std::move(error);
  }
  return symbols;
}

static llvm::Expected<std::unique_ptr<llvm::orc::LLJIT>>
createJit(const llvm::orc::JITTargetMachineBuilder &target, unsigned level,
          bool isConcurrent, std::shared_ptr<SessionErrors> errors,
          std::shared_ptr<FunctionRecorder> functions) {
  llvm::orc::LLJITBuilder builder;
  builder
      .setJITTargetMachineBuilder(target)
      // Nothing is to be run when code is loaded or unloaded.
      .setPlatformSetUp(llvm::orc::setUpInactivePlatform);
  if (isConcurrent) {
    auto control = llvm::orc::SelfExecutorProcessControl::Create(
        /*SSP=*/nullptr, std::make_unique<PoolDispatcher>());
    if (!control)
      return control.takeError();
    builder.setExecutorProcessControl(std::move(*control))
        .setSupportConcurrentCompilation(true);
  }
  llvm::Expected<std::unique_ptr<llvm::orc::LLJIT>> jit = builder.create();
  if (!jit)
    return jit;
  (*jit)->getExecutionSession().setErrorReporter(
      [errors](llvm::Error error) { errors->add(std::move(error)); });
  // Where LLVM links by JITLink, as on x86-64; elsewhere functions stay
  // unknown.
  if (auto *linking = dyn_cast<llvm::orc::ObjectLinkingLayer>(
          &(*jit)->getObjLinkingLayer()))
    linking->addPlugin(functions);
  (*jit)->getIRTransformLayer().setTransform(
      [target, level](llvm::orc::ThreadSafeModule part,
                      const llvm::orc::MaterializationResponsibility &)
          -> llvm::Expected<llvm::orc::ThreadSafeModule> {
        auto machine =
            llvm::orc::JITTargetMachineBuilder(target).createTargetMachine();
        if (!machine)
          return machine.takeError();
        part.withModuleDo([&](llvm::Module &module) {
          optimizePart(module, **machine, level);
        });
        return part;
      });
  llvm::orc::JITDylib &library = (*jit)->getMainJITDylib();
  if (llvm::Error error = library.define(llvm::orc::absoluteSymbols(
          getRuntimeSymbols(llvm::orc::MangleAndInterner(
              (*jit)->getExecutionSession(), (*jit)->getDataLayout())))))
    return std::move(error);
  return jit;
}

/// Fails for instructions that this CPU has not: LLVM would end the process.
/// For those of AMX the system is asked in the name of this process, whoever
/// made the module.
static llvm::Error checkInstructions(const llvm::Module &module,
                                     bool usesTiles) {
  bool usesDot = callsIntrinsic(module, "llvm.x86.avx512bf16.");
  bool usesFp16Tiles = callsIntrinsic(module, "llvm.x86.tdpfp16ps");
  if (!usesTiles && !usesDot)
    return llvm::Error::success();
  const HostMachine machine = *HostMachine::get("native");
  if (usesTiles && !machine.hasAmxBf16)
    return llvm::createStringError(
        "the code multiplies in tiles of AMX, which this CPU has not, or the "
        "system does not let this process use; compile it for cpu=native, or "
        "with expand-tiles");
  if (usesFp16Tiles && !machine.hasAmxFp16)
    return llvm::createStringError(
        "the code multiplies by tdpfp16ps of AMX-FP16, which this CPU has not; "
        "compile it for cpu=native, or with expand-tiles");
  if (usesDot && !machine.hasAvx512Bf16)
    return llvm::createStringError(
        "the code multiplies by vdpbf16ps of AVX512-BF16, which this CPU has "
        "not; compile it for cpu=native");
  return llvm::Error::success();
}

llvm::Expected<HostCode> mlir::amp::generateHostCode(ModuleOp module,
                                                     unsigned level) {
  llvm::InitializeNativeTarget();
  llvm::InitializeNativeTargetAsmPrinter();
  auto target = llvm::orc::JITTargetMachineBuilder::detectHost();
  if (!target)
    return target.takeError();
  target->setCodeGenOptLevel(static_cast<llvm::CodeGenOptLevel>(level));
  auto errors = std::make_shared<SessionErrors>();
  llvm::orc::ThreadSafeContext context(std::make_unique<llvm::LLVMContext>());
  llvm::Expected<std::unique_ptr<llvm::Module>> translated =
      translateForHost(module, context);
  if (!translated)
    return translated.takeError();
  const bool usesTiles = callsIntrinsic(**translated, "llvm.x86.tile");
  if (llvm::Error error = checkInstructions(**translated, usesTiles))
    return std::move(error);
  // LLVM has no code for tiles that cross a branch without optimizing.
  if (level == 0 && usesTiles) {
    level = 1;
    target->setCodeGenOptLevel(llvm::CodeGenOptLevel::Less);
  }
  const unsigned numParts = countParts(**translated);
  auto functions = std::make_shared<FunctionRecorder>();
  auto jit = createJit(*target, level, /*isConcurrent=*/numParts > 1, errors,
                       functions);
  if (!jit)
    return jit.takeError();
  (*translated)->setTargetTriple((*jit)->getTargetTriple());
  (*translated)->setDataLayout((*jit)->getDataLayout());
  auto parts = addParts(**jit, **translated, numParts, context);
  if (!parts)
    return parts.takeError();
  llvm::orc::SymbolStringPtr entry =
      (*jit)->mangleAndIntern(AMP_RT_PROGRAM_SYMBOL);
  parts->add(entry);
  parts->removeDuplicates();
  llvm::Expected<llvm::orc::SymbolMap> found =
      (*jit)->getExecutionSession().lookup(
          {{&(*jit)->getMainJITDylib(),
            llvm::orc::JITDylibLookupFlags::MatchAllSymbols}},
          std::move(*parts));
  if (!found)
    return errors->take(found.takeError());
  auto *program =
      found->find(entry)->second.getAddress().toPtr<const AmpRtProgram *>();
  return HostCode{std::shared_ptr<void>(std::move(*jit)), program,
                  functions->take()};
}
