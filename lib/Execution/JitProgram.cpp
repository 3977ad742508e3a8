//===- JitProgram.cpp - Compile a training step for this CPU --------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What is compiled describes itself (amp-rt/Program.h), and is read from there
// like a program from a shared object. Types that no driver can feed are
// refused before, where they can be shown as the user wrote them.
//
//===----------------------------------------------------------------------===//

#include "amp/Execution/JitProgram.h"

#include "ProgramCompilation.h"
#include "amp/Analysis/PrecisionSummary.h"
#include "amp/Dialect/Amp/IR/AmpDialect.h"
#include "amp/Dialect/Amp/IR/AmpRoles.h"
#include "amp/Dialect/Amp/Transforms/Passes.h"
#include "amp/Execution/CpuFeatures.h"
#include "amp/Execution/DescribedProgram.h"
#include "amp/Execution/HostCode.h"
#include "amp/Execution/ObjectCode.h"
#include "amp/Program/ElementKind.h"
#include "amp/Program/ProgramSignature.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

#include "llvm/TargetParser/Host.h"

#include <chrono>

using namespace mlir;
using namespace mlir::amp;

static llvm::Error makeError(const Twine &text) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), text);
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

/// One argument or result of `function`. Refuses what no driver could feed or
/// take.
static llvm::Expected<ValueSpec> makeSpec(func::FuncOp function, Type type,
                                          DictionaryAttr attrs, StringRef where,
                                          unsigned index) {
  auto getText = [&](StringRef name) {
    auto text = attrs ? attrs.getAs<StringAttr>(name) : StringAttr();
    return text ? text.getValue().str() : std::string();
  };
  auto tensor = dyn_cast<RankedTensorType>(type);
  std::optional<ElementKind> kind =
      tensor ? getElementKind(tensor.getElementType()) : std::nullopt;
  if (!kind) {
    std::string typeText;
    llvm::raw_string_ostream(typeText) << type;
    return makeError(
        "expected each " + where + " of '" + function.getName() +
        "' to be a ranked tensor of i1, i8, i16, i32, i64, f16, bf16, f32 or "
        "f64, but " +
        where + " " + Twine(index) + " is " + typeText);
  }
  ValueSpec spec;
  spec.role = getText(kRoleAttr);
  spec.name = getText(kNameAttr);
  spec.kind = getText(kKindAttr);
  spec.init = getText(kInitAttr);
  spec.elementKind = *kind;
  for (int64_t extent : tensor.getShape())
    spec.shape.push_back(ShapedType::isDynamic(extent) ? -1 : extent);
  if (llvm::Error error = checkByteCount(spec, function.getName()))
    return std::move(error);
  return spec;
}

/// What a driver has to feed to a function.
static llvm::Expected<FunctionSignature> readArguments(func::FuncOp function) {
  FunctionSignature signature;
  signature.name = function.getName().str();
  for (unsigned i = 0, e = function.getNumArguments(); i != e; ++i) {
    Type type = function.getArgumentTypes()[i];
    RoleInfo info = getArgRole(function, i);
    // As convert-amp-to-runtime gives them.
    if (type.isInteger(64) &&
        (info.is(Role::ScalerState) || info.is(Role::Hyper)))
      continue;
    llvm::Expected<ValueSpec> spec =
        makeSpec(function, type, function.getArgAttrDict(i), "argument", i);
    if (!spec)
      return spec.takeError();
    signature.arguments.push_back(std::move(*spec));
  }
  return signature;
}

/// What a driver has to feed to a function and gets of it.
static llvm::Expected<FunctionSignature> readSignature(func::FuncOp function) {
  llvm::Expected<FunctionSignature> signature = readArguments(function);
  if (!signature)
    return signature.takeError();
  for (unsigned i = 0, e = function.getNumResults(); i != e; ++i) {
    llvm::Expected<ValueSpec> spec =
        makeSpec(function, function.getResultTypes()[i],
                 function.getResultAttrDict(i), "result", i);
    if (!spec)
      return spec.takeError();
    if (llvm::Error error = checkResultShape(*spec, function.getName()))
      return std::move(error);
    signature->results.push_back(std::move(*spec));
  }
  return signature;
}

//===----------------------------------------------------------------------===//
// Compilation
//===----------------------------------------------------------------------===//

/// The only function of `kind`; null if there is none, an error if there are
/// two: which of them would be run?
static llvm::Expected<func::FuncOp> findFunction(ModuleOp module,
                                                 FunctionKind kind) {
  func::FuncOp found;
  for (auto function : module.getOps<func::FuncOp>()) {
    if (getFunctionKind(function) != kind)
      continue;
    if (found)
      return makeError("expected one " +
                       StringRef(kind == FunctionKind::TrainStep
                                     ? "train step"
                                     : "evaluate function") +
                       " in the module, but got '" + found.getName() +
                       "' and '" + function.getName() +
                       "'; take the roles off the arguments of one of them");
    found = function;
  }
  return found;
}

static llvm::Error makeNoTrainStepError() {
  return makeError(
      "the module has no train step: expected a function whose arguments "
      "have 'amp.role' attributes, among them a 'loss_seed', and with 'param' "
      "results");
}

static llvm::Error makeNotCompiledError() {
  return makeError("the module cannot be compiled for this opt level");
}

/// A copy of `module` whose step takes the rows of all its micro-batches, and
/// the extents that are given.
static FailureOr<OwningOpRef<ModuleOp>>
shapeBatch(ModuleOp module, const MixedPrecisionOptions &precision) {
  // The same passes run on the module itself, and speak then.
  ScopedDiagnosticHandler onlyErrors(
      module.getContext(), [](Diagnostic &diagnostic) {
        return success(diagnostic.getSeverity() != DiagnosticSeverity::Error);
      });
  MixedPrecisionOptions silent;
  silent.copyOptionValuesFrom(precision);
  silent.screen = &llvm::nulls();
  OwningOpRef<ModuleOp> shaped = module.clone();
  PassManager pm(module.getContext());
  buildMicroBatchPipeline(pm, silent);
  if (failed(pm.run(*shaped)))
    return failure();
  return shaped;
}

/// What `read` says of the functions of `module` that a driver calls.
static llvm::Expected<ModuleSignature> readFunctions(
    ModuleOp module,
    llvm::Expected<FunctionSignature> (*read)(func::FuncOp function)) {
  auto readOne = [&](FunctionKind kind)
      -> llvm::Expected<std::optional<FunctionSignature>> {
    llvm::Expected<func::FuncOp> function = findFunction(module, kind);
    if (!function)
      return function.takeError();
    if (!*function)
      return std::nullopt;
    llvm::Expected<FunctionSignature> signature = read(*function);
    if (!signature)
      return signature.takeError();
    return std::move(*signature);
  };
  llvm::Expected<std::optional<FunctionSignature>> trainStep =
      readOne(FunctionKind::TrainStep);
  if (!trainStep)
    return trainStep.takeError();
  if (!*trainStep)
    return makeNoTrainStepError();
  llvm::Expected<std::optional<FunctionSignature>> evaluate =
      readOne(FunctionKind::Evaluate);
  if (!evaluate)
    return evaluate.takeError();
  return ModuleSignature{std::move(**trainStep), std::move(*evaluate)};
}

llvm::Expected<ModuleSignature> mlir::amp::readArguments(ModuleOp module) {
  return readFunctions(module, ::readArguments);
}

llvm::Expected<ModuleSignature>
mlir::amp::readSignatures(ModuleOp module,
                          const MixedPrecisionOptions &precision) {
  FailureOr<OwningOpRef<ModuleOp>> shaped = OwningOpRef<ModuleOp>();
  if (precision.microBatches != 1 || !precision.extents.empty()) {
    shaped = shapeBatch(module, precision);
    if (failed(shaped))
      return makeNotCompiledError();
    module = **shaped;
  }
  return readFunctions(module, readSignature);
}

static double secondsSince(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
      .count();
}

/// Removes the number that `name` stands for on `module`.
static std::optional<int64_t> takeNumber(ModuleOp module, StringRef name) {
  auto number = module->getAttrOfType<IntegerAttr>(name);
  if (!number)
    return std::nullopt;
  module->removeAttr(name);
  return number.getInt();
}

/// The module with its precision decided, as functions that a host can call,
/// whatever the target; one of them is a train step, and all can be fed.
static llvm::Error prepare(ModuleOp module,
                           const MixedPrecisionOptions &precision,
                           StringRef target, bool insertTaps,
                           CompileReport &report) {
  auto start = std::chrono::steady_clock::now();
  {
    PassManager pm(module.getContext());
    buildMixedPrecisionPipeline(pm, precision);
    if (insertTaps)
      pm.addPass(createInsertTapsPass());
    if (failed(pm.run(module)))
      return makeNotCompiledError();
  }
  llvm::raw_string_ostream decisions(report.decisions);
  PrecisionSummary(module).print(decisions);
  {
    PassManager pm(module.getContext());
    buildHostPreparationPipeline(pm);
    if (failed(pm.run(module)))
      return makeError("the module cannot be prepared for the " + target);
  }
  bool hasTrainStep = false;
  for (FunctionKind kind : {FunctionKind::TrainStep, FunctionKind::Evaluate}) {
    llvm::Expected<func::FuncOp> function = findFunction(module, kind);
    if (!function)
      return function.takeError();
    if (!*function)
      continue;
    llvm::Expected<FunctionSignature> read = readSignature(*function);
    if (!read)
      return read.takeError();
    hasTrainStep |= kind == FunctionKind::TrainStep;
  }
  report.preparation = secondsSince(start);
  return hasTrainStep ? llvm::Error::success() : makeNoTrainStepError();
}

/// Leaves what is prepared as a program in the LLVM dialect that describes
/// itself.
static llvm::Error
lowerPrepared(ModuleOp module, llvm::function_ref<void(OpPassManager &)> lower,
              StringRef target, CompileReport &report) {
  auto start = std::chrono::steady_clock::now();
  {
    PassManager pm(module.getContext());
    lower(pm);
    if (failed(pm.run(module)))
      return makeError("the module cannot be lowered for the " + target);
  }
  report.lowering += secondsSince(start);
  report.kernelTraffic = takeNumber(module, kKernelTrafficAttr);
  report.leastTraffic = takeNumber(module, kLeastTrafficAttr);
  report.kernelMemoryBound = takeNumber(module, kKernelMemoryBoundAttr);
  report.leastMemoryBound = takeNumber(module, kLeastMemoryBoundAttr);
  module->removeAttr(kExpectedSecondsAttr);
  return llvm::Error::success();
}

llvm::Expected<std::unique_ptr<Program>> mlir::amp::compileProgram(
    ModuleOp module, const MixedPrecisionOptions &precision,
    llvm::function_ref<void(OpPassManager &)> lower, StringRef target,
    const JitOptions &options, const ProgramOptions &resources,
    CompileReport *report) {
  CompileReport ignored;
  if (!report)
    report = &ignored;
  if (llvm::Error error =
          prepare(module, precision, target, options.insertTaps, *report))
    return std::move(error);
  if (llvm::Error error = lowerPrepared(module, lower, target, *report))
    return std::move(error);

  auto start = std::chrono::steady_clock::now();
  llvm::Expected<HostCode> code =
      generateHostCode(module, options.optimizationLevel);
  if (!code)
    return code.takeError();
  report->codegen = secondsSince(start);
  report->functions = std::move(code->functions);
  return openProgram(*code->program, std::move(code->memory), resources);
}

llvm::Expected<std::unique_ptr<Program>>
mlir::amp::compileForHost(ModuleOp module,
                          const MixedPrecisionOptions &precision,
                          const HostLoweringOptions &lowering,
                          const JitOptions &options, CompileReport *report) {
  ProgramOptions resources;
  resources.threads = static_cast<int32_t>(lowering.threads);
  resources.keptCalls = options.keptCalls;
  resources.scalers = options.scalers;
  return compileProgram(
      module, precision,
      [&](OpPassManager &pm) { buildHostLoweringPipeline(pm, lowering); },
      "host", options, resources, report);
}

/// kCpuAttr.
static DictionaryAttr describeCpu(MLIRContext *context,
                                  const ObjectTarget &version,
                                  const CpuFeatures &features) {
  Builder b(context);
  auto name = [&](StringRef key, Attribute value) {
    return b.getNamedAttr(key, value);
  };
  auto number = [&](uint64_t value) {
    return b.getI64IntegerAttr(static_cast<int64_t>(value));
  };
  StringRef cpu = version.cpu == "native" ? llvm::sys::getHostCPUName()
                                          : StringRef(version.cpu);
  int64_t others = version.isLast() ? version.numVersions - 1 : 0;
  return b.getDictionaryAttr({name("cpu", b.getStringAttr(cpu)),
                              name("features", number(features.plain)),
                              name("tile_features", number(features.tiles)),
                              name("versions", number(others))});
}

llvm::Expected<std::vector<ObjectCode>> mlir::amp::compileToObjects(
    ModuleOp module, const MixedPrecisionOptions &precision,
    llvm::function_ref<void(OpPassManager &, StringRef cpu)> lower,
    StringRef target, const ObjectOptions &options, CompileReport &report) {
  if (llvm::Error error =
          prepare(module, precision, target, options.insertTaps, report))
    return std::move(error);
  std::vector<ObjectCode> objects;
  ObjectTarget version;
  version.numVersions = static_cast<int64_t>(options.cpus.size());
  for (const std::string &cpu : options.cpus) {
    version.cpu = cpu;
    llvm::Expected<CpuFeatures> features = getCpuFeatures(cpu);
    if (!features)
      return features.takeError();
    OwningOpRef<ModuleOp> copy = module.clone();
    (*copy)->setAttr(kCpuAttr,
                     describeCpu(module.getContext(), version, *features));
    if (llvm::Error error = lowerPrepared(
            *copy, [&](OpPassManager &pm) { lower(pm, cpu); }, target, report))
      return std::move(error);
    auto start = std::chrono::steady_clock::now();
    llvm::Expected<std::vector<ObjectCode>> code =
        generateObjectCode(*copy, options.optimizationLevel, version);
    if (!code)
      return code.takeError();
    report.codegen += secondsSince(start);
    llvm::move(*code, std::back_inserter(objects));
    ++version.version;
  }
  return objects;
}

llvm::Expected<std::vector<ObjectCode>> mlir::amp::compileToHostObjects(
    ModuleOp module, const MixedPrecisionOptions &precision,
    const HostLoweringOptions &lowering, const ObjectOptions &options,
    CompileReport &report) {
  return compileToObjects(
      module, precision,
      [&](OpPassManager &pm, StringRef cpu) {
        HostLoweringOptions own;
        own.copyOptionValuesFrom(lowering);
        own.cpu = cpu.str();
        buildHostLoweringPipeline(pm, own);
      },
      "host", options, report);
}
