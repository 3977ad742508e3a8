//===- ObjectCode.cpp - Machine code for later ----------------------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The parts that the JIT would compile (HostParts.h), by the same passes and
// for the same target, each to an object. One more object has the functions
// that the JIT registers under names which the runtime does not export: LLVM
// calls them where the CPU has no instruction. They are hidden, so that they
// take nobody's place, and call the runtime's functions, so that both ways to
// compile give the same bits.
//
// A program may have versions for several CPUs. Each is compiled as a whole,
// with names of its own, so that one shared object has all of them.
//
//===----------------------------------------------------------------------===//

#include "amp/Execution/ObjectCode.h"
#include "HostParts.h"

#include "amp/Execution/CpuFeatures.h"
#include "amp/Program/ProgramSignature.h"

#include "llvm/ExecutionEngine/Orc/JITTargetMachineBuilder.h"
#include "llvm/ExecutionEngine/Orc/ThreadSafeModule.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Support/ThreadPool.h"
#include "llvm/Support/Threading.h"

using namespace mlir;
using namespace mlir::amp;
using llvm::orc::JITTargetMachineBuilder;

/// As LLJIT has it where it links by JITLink.
static void setPlacement(JITTargetMachineBuilder &target) {
  target.setRelocationModel(llvm::Reloc::PIC_);
  target.setCodeModel(llvm::CodeModel::Small);
}

static llvm::Expected<JITTargetMachineBuilder> getTarget(StringRef cpu) {
  llvm::Expected<JITTargetMachineBuilder> target =
      JITTargetMachineBuilder::detectHost();
  if (!target)
    return target;
  if (cpu == "native") {
    for (const std::string &feature : findUnaskedFeatures())
      target->getFeatures().AddFeature(feature, /*Enable=*/false);
  } else {
    *target = JITTargetMachineBuilder(target->getTargetTriple());
    target->setCPU(cpu.str());
  }
  setPlacement(*target);
  return target;
}

/// Compiles what is optimized.
static llvm::Error emitObject(llvm::Module &module,
                              llvm::TargetMachine &machine,
                              ObjectCode &object) {
  llvm::raw_svector_ostream stream(object);
  llvm::legacy::PassManager passes;
  if (machine.addPassesToEmitFile(passes, stream, nullptr,
                                  llvm::CodeGenFileType::ObjectFile))
    return llvm::createStringError("LLVM writes no objects for this target");
  passes.run(module);
  return llvm::Error::success();
}

//===----------------------------------------------------------------------===//
// Functions under names that the runtime does not export
//===----------------------------------------------------------------------===//

namespace {
/// A conversion that LLVM calls by `name`, and the runtime's function for it,
/// which takes and gives halves as their bits.
struct Conversion {
  StringLiteral name, function;
  llvm::Type::TypeID from, to;
};
} // namespace

/// Those of amp-rt/Half.h.
static constexpr Conversion kConversions[] = {
    {"__extendhfsf2", "ampRtHalfF32FromF16", llvm::Type::HalfTyID,
     llvm::Type::FloatTyID},
    {"__truncsfhf2", "ampRtHalfF16FromF32", llvm::Type::FloatTyID,
     llvm::Type::HalfTyID},
    {"__truncdfhf2", "ampRtHalfF16FromF64", llvm::Type::DoubleTyID,
     llvm::Type::HalfTyID},
    {"__truncsfbf2", "ampRtHalfBF16FromF32", llvm::Type::FloatTyID,
     llvm::Type::BFloatTyID},
    {"__truncdfbf2", "ampRtHalfBF16FromF64", llvm::Type::DoubleTyID,
     llvm::Type::BFloatTyID},
};

/// A hidden function of `module`, and a builder in its body.
static llvm::Function *createHidden(llvm::Module &module, StringRef name,
                                    llvm::FunctionType *type,
                                    llvm::IRBuilder<> &builder) {
  auto *function = llvm::Function::Create(
      type, llvm::GlobalValue::ExternalLinkage, name, module);
  function->setVisibility(llvm::GlobalValue::HiddenVisibility);
  builder.SetInsertPoint(
      llvm::BasicBlock::Create(module.getContext(), "", function));
  return function;
}

static void addConversion(llvm::Module &module, const Conversion &conversion) {
  llvm::LLVMContext &context = module.getContext();
  llvm::IRBuilder<> builder(context);
  llvm::Type *from = llvm::Type::getPrimitiveType(context, conversion.from);
  llvm::Type *to = llvm::Type::getPrimitiveType(context, conversion.to);
  auto getCarrier = [&](llvm::Type *type) -> llvm::Type * {
    return type->is16bitFPTy() ? builder.getInt16Ty() : type;
  };
  llvm::Function *function =
      createHidden(module, conversion.name,
                   llvm::FunctionType::get(to, from, false), builder);
  auto *called = llvm::cast<llvm::Function>(
      module
          .getOrInsertFunction(
              conversion.function,
              llvm::FunctionType::get(getCarrier(to), getCarrier(from), false))
          .getCallee());
  // As C passes a uint16_t.
  if (from->is16bitFPTy())
    called->addParamAttr(0, llvm::Attribute::ZExt);
  llvm::CallInst *call = builder.CreateCall(
      called, builder.CreateBitCast(function->getArg(0), getCarrier(from)));
  call->setAttributes(called->getAttributes());
  builder.CreateRet(builder.CreateBitCast(call, to));
}

/// What finalize-memref-to-llvm calls where a copy is no row of memory.
static void addCopy(llvm::Module &module) {
  llvm::IRBuilder<> builder(module.getContext());
  auto *type = llvm::FunctionType::get(
      builder.getVoidTy(),
      {builder.getInt64Ty(), builder.getPtrTy(), builder.getPtrTy()}, false);
  llvm::Function *function = createHidden(module, "memrefCopy", type, builder);
  builder.CreateCall(
      module.getOrInsertFunction("ampRtMemoryCopyMemref", type),
      {function->getArg(0), function->getArg(1), function->getArg(2)});
  builder.CreateRetVoid();
}

/// For any CPU of the architecture: all versions of a program call them.
static llvm::Expected<ObjectCode>
generateNamedFunctions(const llvm::Triple &triple) {
  JITTargetMachineBuilder target(triple);
  setPlacement(target);
  // The linker keeps those that are called.
  target.getOptions().FunctionSections = true;
  auto machine = target.createTargetMachine();
  if (!machine)
    return machine.takeError();
  llvm::LLVMContext context;
  llvm::Module module("functions", context);
  module.setTargetTriple((*machine)->getTargetTriple());
  module.setDataLayout((*machine)->createDataLayout());
  // Elsewhere halves are passed in other ways (amp-rt/Half.h).
  if (target.getTargetTriple().getArch() == llvm::Triple::x86_64)
    for (const Conversion &conversion : kConversions)
      addConversion(module, conversion);
  addCopy(module);
  ObjectCode object;
  if (llvm::Error error = emitObject(module, **machine, object))
    return std::move(error);
  return object;
}

//===----------------------------------------------------------------------===//
// Parts
//===----------------------------------------------------------------------===//

/// Gives all that a version before the last defines a name that no other one
/// has, and keeps it inside the shared object.
static void renameVersion(llvm::Module &module, const std::string &suffix) {
  auto rename = [&](llvm::GlobalValue &value) {
    if (value.isDeclaration())
      return;
    value.setName(value.getName() + suffix);
    if (!value.hasLocalLinkage())
      value.setVisibility(llvm::GlobalValue::HiddenVisibility);
  };
  for (llvm::Function &function : module)
    rename(function);
  for (llvm::GlobalVariable &variable : module.globals())
    rename(variable);
}

static llvm::Error generatePart(llvm::orc::ThreadSafeModule &part,
                                JITTargetMachineBuilder target, unsigned level,
                                ObjectCode &object) {
  auto machine = target.createTargetMachine();
  if (!machine)
    return machine.takeError();
  return part.withModuleDo([&](llvm::Module &module) {
    optimizePart(module, **machine, level);
    return emitObject(module, **machine, object);
  });
}

llvm::Expected<std::vector<ObjectCode>>
mlir::amp::generateObjectCode(ModuleOp module, unsigned level,
                              const ObjectTarget &version) {
  llvm::InitializeNativeTarget();
  llvm::InitializeNativeTargetAsmPrinter();
  llvm::Expected<JITTargetMachineBuilder> target = getTarget(version.cpu);
  if (!target)
    return target.takeError();
  target->setCodeGenOptLevel(static_cast<llvm::CodeGenOptLevel>(level));
  llvm::orc::ThreadSafeContext context(std::make_unique<llvm::LLVMContext>());
  llvm::Expected<std::unique_ptr<llvm::Module>> translated =
      translateForHost(module, context);
  if (!translated)
    return translated.takeError();
  if (!version.isLast())
    renameVersion(**translated, getVersionSuffix(version.version));
  auto machine = target->createTargetMachine();
  if (!machine)
    return machine.takeError();
  (*translated)->setTargetTriple((*machine)->getTargetTriple());
  (*translated)->setDataLayout((*machine)->createDataLayout());

  // A context is used by one thread at a time.
  std::vector<llvm::orc::ThreadSafeModule> parts;
  for (std::unique_ptr<llvm::Module> &part :
       divideIntoParts(**translated, countParts(**translated)))
    parts.push_back(llvm::orc::cloneToNewContext(
        llvm::orc::ThreadSafeModule(std::move(part), context)));
  std::vector<ObjectCode> objects(parts.size());
  std::vector<std::optional<llvm::Error>> failures(parts.size());
  {
    llvm::DefaultThreadPool pool(llvm::hardware_concurrency());
    for (size_t i = 0; i < parts.size(); ++i)
      pool.async([&, i] {
        failures[i].emplace(generatePart(parts[i], *target, level, objects[i]));
      });
    pool.wait();
  }
  llvm::Error failure = llvm::Error::success();
  for (std::optional<llvm::Error> &error : failures)
    failure = llvm::joinErrors(std::move(failure), std::move(*error));
  if (failure)
    return std::move(failure);
  if (!version.isLast())
    return objects;
  llvm::Expected<ObjectCode> functions =
      generateNamedFunctions(target->getTargetTriple());
  if (!functions)
    return functions.takeError();
  objects.push_back(std::move(*functions));
  return objects;
}
