//===- JitProgram.cpp - Compile a training step for this CPU --------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Signatures are read between the two halves of the host lowering, when handles
// are arguments already and roles are still there. A call packs descriptors on
// the stack of the caller; results are allocated here and written by the
// program.
//
// A failed assertion inside compiled code must leave it at once (what follows
// may index out of bounds), and compiled code has no destructors, so the report
// jumps back to the call, which then frees what the program had allocated.
//
//===----------------------------------------------------------------------===//

#include "amp/Execution/JitProgram.h"

#include "StepMemory.h"
#include "amp-rt/Blas.h"
#include "amp-rt/Half.h"
#include "amp-rt/Program.h"
#include "amp-rt/Scaler.h"
#include "amp-rt/Tap.h"
#include "amp/Analysis/PrecisionSummary.h"
#include "amp/Dialect/Amp/IR/AmpDialect.h"
#include "amp/Dialect/Amp/IR/AmpRoles.h"
#include "amp/Dialect/Amp/Transforms/Passes.h"
#include "amp/Execution/ArrayBinding.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/ExecutionEngine/CRunnerUtils.h"
#include "mlir/ExecutionEngine/ExecutionEngine.h"
#include "mlir/ExecutionEngine/OptUtils.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "llvm/ExecutionEngine/Orc/JITTargetMachineBuilder.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/Support/TargetSelect.h"

#include <chrono>
#include <csetjmp>

using namespace mlir;
using namespace mlir::amp;

//===----------------------------------------------------------------------===//
// Leaving a program
//===----------------------------------------------------------------------===//

/// Where a failed assertion of the program that runs on this thread jumps to.
static thread_local jmp_buf *assertTarget = nullptr;

/// Stands in for the runtime's function of the same name in compiled code.
static void reportAssertAndLeave(const char *message) {
  ampRtReportAssert(message);
  longjmp(*assertTarget, 1);
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

static std::optional<ElementKind> getElementKind(Type type) {
  if (type.isInteger(1))
    return ElementKind::I1;
  if (type.isInteger(8))
    return ElementKind::I8;
  if (type.isInteger(16))
    return ElementKind::I16;
  if (type.isInteger(32))
    return ElementKind::I32;
  if (type.isInteger(64))
    return ElementKind::I64;
  if (type.isF16())
    return ElementKind::F16;
  if (type.isBF16())
    return ElementKind::BF16;
  if (type.isF32())
    return ElementKind::F32;
  if (type.isF64())
    return ElementKind::F64;
  return std::nullopt;
}

static std::optional<ElementKind> fromRuntime(int32_t kind) {
  switch (kind) {
  case AMP_RT_ELEMENT_F16:
    return ElementKind::F16;
  case AMP_RT_ELEMENT_BF16:
    return ElementKind::BF16;
  case AMP_RT_ELEMENT_F32:
    return ElementKind::F32;
  case AMP_RT_ELEMENT_F64:
    return ElementKind::F64;
  case AMP_RT_ELEMENT_I1:
    return ElementKind::I1;
  case AMP_RT_ELEMENT_I8:
    return ElementKind::I8;
  case AMP_RT_ELEMENT_I16:
    return ElementKind::I16;
  case AMP_RT_ELEMENT_I32:
    return ElementKind::I32;
  case AMP_RT_ELEMENT_I64:
    return ElementKind::I64;
  default:
    return std::nullopt;
  }
}

static llvm::Error makeError(const Twine &text) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), text);
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

namespace {
class JitProgram;

/// An argument of the compiled function that the program supplies itself.
struct HandleArgument {
  unsigned index;
  /// Name of the scaler, or empty for the tap.
  std::string scaler;
};

class JitFunction : public CompiledFunction {
public:
  static llvm::Expected<std::unique_ptr<JitFunction>>
  read(func::FuncOp function);

  llvm::Error call(ArrayRef<const HostArray *> arguments,
                   SmallVectorImpl<HostArray> &results) override;

  JitProgram *program = nullptr;
  void (*entry)(void **) = nullptr;
  /// In the order of the compiled function's arguments.
  SmallVector<HandleArgument> handles;
};

/// MLIR's memref descriptor: two pointers, an offset, sizes and strides.
class Descriptor {
public:
  explicit Descriptor(void *data, ArrayRef<int64_t> shape) {
    fields.push_back(reinterpret_cast<intptr_t>(data));
    fields.push_back(reinterpret_cast<intptr_t>(data));
    fields.push_back(0);
    llvm::append_range(fields, shape);
    SmallVector<int64_t> strides(shape.size(), 1);
    for (size_t i = shape.size(); i-- > 1;)
      strides[i - 1] = strides[i] * shape[i];
    llvm::append_range(fields, strides);
  }
  void *get() { return fields.data(); }

private:
  SmallVector<int64_t, 11> fields;
};

class JitProgram : public Program {
public:
  ~JitProgram() override {
    for (ScalerSlot &slot : scalers)
      ampRtScalerDestroy(slot.scaler);
    ampRtTapDestroy(tap);
  }

  CompiledFunction &getTrainStep() override { return *trainStep; }
  CompiledFunction *getEvaluate() override { return evaluate.get(); }
  ArrayRef<ScalerSlot> getScalers() override { return scalers; }
  void setTap(std::function<void(const Tap &)> callback) override;
  MemoryReport getMemoryReport() const override { return memory; }

  int64_t getHandle(const HandleArgument &argument) const;
  static AmpRtStatus onTap(void *user, const AmpRtTapEvent *event);

  /// Outlives the calls, whose freed blocks it holds.
  MemoryPool pool;
  std::unique_ptr<ExecutionEngine> engine;
  std::unique_ptr<JitFunction> trainStep, evaluate;
  SmallVector<ScalerSlot> scalers;
  AmpRtTap *tap = nullptr;
  std::function<void(const Tap &)> tapCallback;
  MemoryReport memory;
};
} // namespace

llvm::Expected<std::unique_ptr<JitFunction>>
JitFunction::read(func::FuncOp function) {
  auto result = std::make_unique<JitFunction>();
  result->name = function.getName().str();
  auto getText = [](DictionaryAttr attrs, StringRef name) {
    auto text = attrs ? attrs.getAs<StringAttr>(name) : StringAttr();
    return text ? text.getValue().str() : std::string();
  };
  auto makeSpec = [&](Type type, DictionaryAttr attrs, StringRef where,
                      unsigned index) -> llvm::Expected<ValueSpec> {
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
    spec.role = getText(attrs, kRoleAttr);
    spec.name = getText(attrs, kNameAttr);
    spec.kind = getText(attrs, kKindAttr);
    spec.init = getText(attrs, kInitAttr);
    spec.elementKind = *kind;
    spec.shape.assign(tensor.getShape().begin(), tensor.getShape().end());
    return spec;
  };
  for (unsigned i = 0, e = function.getNumArguments(); i != e; ++i) {
    Type type = function.getArgumentTypes()[i];
    DictionaryAttr attrs = function.getArgAttrDict(i);
    RoleInfo info = getArgRole(function, i);
    // As convert-amp-to-runtime gives them.
    if (type.isInteger(64) &&
        (info.is(Role::ScalerState) || info.is(Role::Hyper))) {
      result->handles.push_back(
          {i, info.is(Role::ScalerState) ? info.name.str() : ""});
      continue;
    }
    llvm::Expected<ValueSpec> spec = makeSpec(type, attrs, "argument", i);
    if (!spec)
      return spec.takeError();
    result->arguments.push_back(std::move(*spec));
  }
  for (unsigned i = 0, e = function.getNumResults(); i != e; ++i) {
    llvm::Expected<ValueSpec> spec =
        makeSpec(function.getResultTypes()[i], function.getResultAttrDict(i),
                 "result", i);
    if (!spec)
      return spec.takeError();
    if (llvm::is_contained(spec->shape, ShapedType::kDynamic))
      return makeError(
          "expected the results of '" + function.getName() +
          "' to have static shapes, for the host allocates them before the "
          "call, but " +
          describeArgument(*spec) + " is " +
          mlir::amp::getTypeString(spec->elementKind, spec->shape) +
          "; fix the extents in the module, or leave the result out");
    result->results.push_back(std::move(*spec));
  }
  return result;
}

llvm::Error JitFunction::call(ArrayRef<const HostArray *> given,
                              SmallVectorImpl<HostArray> &outputs) {
  if (given.size() != arguments.size())
    return makeError("call of '" + name + "' with " + Twine(given.size()) +
                     " arguments; expected " + Twine(arguments.size()));
  for (auto [spec, array] : llvm::zip_equal(arguments, given)) {
    bool fits = spec.elementKind == array->getKind() &&
                spec.shape.size() == array->getShape().size();
    for (size_t i = 0; fits && i < spec.shape.size(); ++i)
      fits = spec.shape[i] < 0 || spec.shape[i] == array->getShape()[i];
    if (!fits)
      return makeError("call of '" + name + "': expected argument '" +
                       spec.name + "' (" + spec.role + ") to be " +
                       mlir::amp::getTypeString(spec.elementKind, spec.shape) +
                       ", but got " + array->getTypeString());
  }
  outputs.clear();
  for (const ValueSpec &spec : results)
    outputs.emplace_back(spec.elementKind, spec.shape);

  Program::MemoryReport report;
  SmallVector<Descriptor> descriptors;
  descriptors.reserve(given.size() + outputs.size());
  for (const HostArray *array : given) {
    descriptors.emplace_back(const_cast<void *>(array->data()),
                             array->getShape());
    report.argumentBytes += array->getNumBytes();
  }
  for (HostArray &array : outputs) {
    descriptors.emplace_back(array.data(), array.getShape());
    report.resultBytes += array.getNumBytes();
  }
  SmallVector<int64_t> handleValues;
  for (const HandleArgument &handle : handles)
    handleValues.push_back(program->getHandle(handle));

  // The packed call takes addresses of values: of descriptor pointers, and of
  // handles at their places among them.
  SmallVector<void *> pointers;
  for (Descriptor &descriptor : descriptors)
    pointers.push_back(descriptor.get());
  SmallVector<void *> packed;
  size_t nextPointer = 0, nextHandle = 0;
  for (unsigned i = 0, e = pointers.size() + handles.size(); i != e; ++i) {
    if (nextHandle < handles.size() && handles[nextHandle].index == i)
      packed.push_back(&handleValues[nextHandle++]);
    else
      packed.push_back(static_cast<void *>(&pointers[nextPointer++]));
  }

  ampRtProgramClearError();
  StepMemory memory(program->pool);
  jmp_buf target;
  assertTarget = &target;
  if (setjmp(target) == 0)
    entry(packed.data());
  assertTarget = nullptr;
  report.peakBytes = memory.getPeakBytes();
  program->memory = report;
  if (ampRtProgramTakeError() != AMP_RT_OK)
    return makeError("'" + name + "': " + ampRtStatusText());
  return llvm::Error::success();
}

//===----------------------------------------------------------------------===//
// Program
//===----------------------------------------------------------------------===//

int64_t JitProgram::getHandle(const HandleArgument &argument) const {
  if (argument.scaler.empty())
    return tapCallback ? ampRtTapHandle(tap) : 0;
  for (const ScalerSlot &slot : scalers)
    if (slot.name == argument.scaler)
      return ampRtScalerHandle(slot.scaler);
  llvm_unreachable("every scaler of the program was created");
}

AmpRtStatus JitProgram::onTap(void *user, const AmpRtTapEvent *event) {
  std::optional<ElementKind> kind = fromRuntime(event->elementKind);
  if (!kind)
    return AMP_RT_INVALID_ARGUMENT;
  auto *program = static_cast<JitProgram *>(user);
  program->tapCallback({StringRef(event->point, event->pointLength),
                        StringRef(event->name, event->nameLength), *kind,
                        event->data, event->elementCount});
  return AMP_RT_OK;
}

void JitProgram::setTap(std::function<void(const Tap &)> callback) {
  tapCallback = std::move(callback);
  if (!tap && ampRtTapCreate(&tap) != AMP_RT_OK)
    return;
  ampRtTapSet(tap, tapCallback ? &JitProgram::onTap : nullptr, this);
}

static llvm::Error createScalers(ModuleOp module, JitProgram &program) {
  for (ScalerOp op : module.getOps<ScalerOp>()) {
    AmpRtScalerConfig config;
    ampRtScalerConfigInit(&config);
    config.mode =
        op.getStaticScale() ? AMP_RT_SCALER_STATIC : AMP_RT_SCALER_DYNAMIC;
    config.initialScale = op.getInitialScale().convertToDouble();
    config.growthFactor = op.getGrowthFactor().convertToDouble();
    config.backoffFactor = op.getBackoffFactor().convertToDouble();
    config.growthInterval = op.getGrowthInterval();
    config.hysteresis = op.getHysteresis();
    config.minScale =
        op.getMinScale() ? op.getMinScale()->convertToDouble() : 0;
    config.maxScale = op.getMaxScale().convertToDouble();
    AmpRtScaler *scaler = nullptr;
    if (ampRtScalerCreate(op.getSymName().str().c_str(), &config, &scaler) !=
        AMP_RT_OK)
      return makeError(ampRtStatusText());
    program.scalers.push_back({op.getSymName().str(), scaler});
  }
  return llvm::Error::success();
}

//===----------------------------------------------------------------------===//
// Compilation
//===----------------------------------------------------------------------===//

static llvm::orc::SymbolMap
getRuntimeSymbols(llvm::orc::MangleAndInterner interner) {
  llvm::orc::SymbolMap symbols;
  auto add = [&](StringRef name, void *address) {
    symbols[interner(name)] = {llvm::orc::ExecutorAddr::fromPtr(address),
                               llvm::JITSymbolFlags::Exported};
  };
  add("ampRtScalerScale", reinterpret_cast<void *>(&ampRtScalerScale));
  add("ampRtScalerUpdateFromProgram",
      reinterpret_cast<void *>(&ampRtScalerUpdateFromProgram));
  add("ampRtTap", reinterpret_cast<void *>(&ampRtTap));
  add("ampRtBlasSgemm", reinterpret_cast<void *>(&ampRtBlasSgemm));
  add("ampRtReportAssert", reinterpret_cast<void *>(&reportAssertAndLeave));
  add("memrefCopy", reinterpret_cast<void *>(&memrefCopy));
  StepMemory::forEachSymbol(add);
  // The project's own conversions, so that results do not depend on the host's
  // compiler runtime.
  const AmpRtSymbol *conversions = nullptr;
  int64_t count = 0;
  if (ampRtHalfSymbols(&conversions, &count) == AMP_RT_OK)
    for (int64_t i = 0; i < count; ++i)
      add(conversions[i].name, conversions[i].address);
  return symbols;
}

/// Leaves the C interface as the only way in. The function behind it takes
/// every field of every descriptor as an argument, more than a thousand for a
/// step; once nobody else can call it, it is inlined there and only the
/// addresses are left.
static void hideEntryPoints(ModuleOp module) {
  for (auto function : module.getOps<LLVM::LLVMFuncOp>()) {
    auto wrapped = module.lookupSymbol<LLVM::LLVMFuncOp>(
        ("_mlir_ciface_" + function.getName()).str());
    if (!wrapped || wrapped.isExternal())
      continue;
    function.setLinkage(LLVM::Linkage::Internal);
    function.setAlwaysInline(true);
  }
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

static llvm::Expected<std::unique_ptr<ExecutionEngine>>
generateCode(ModuleOp module, unsigned level) {
  hideEntryPoints(module);
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
  auto runPasses =
      makeOptimizingTransformer(level, /*sizeLevel=*/0, machine->get());
  auto optimize = [&](llvm::Module *llvmModule) {
    llvmModule->getContext().setDiagnosticHandler(
        std::make_unique<SilentAdvice>());
    return runPasses(llvmModule);
  };
  options.transformer = optimize;
  options.jitCodeGenOptLevel = static_cast<llvm::CodeGenOptLevel>(level);
  auto engine = ExecutionEngine::create(module, options);
  if (!engine)
    return engine.takeError();
  (*engine)->registerSymbols(getRuntimeSymbols);
  return engine;
}

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

/// A copy of `module` whose step takes the rows of all its micro-batches.
static FailureOr<OwningOpRef<ModuleOp>>
divideBatch(ModuleOp module, const MixedPrecisionOptions &precision) {
  // The same passes run on the module itself, and speak then.
  ScopedDiagnosticHandler onlyErrors(
      module.getContext(), [](Diagnostic &diagnostic) {
        return success(diagnostic.getSeverity() != DiagnosticSeverity::Error);
      });
  MixedPrecisionOptions silent;
  silent.copyOptionValuesFrom(precision);
  silent.screen = &llvm::nulls();
  OwningOpRef<ModuleOp> divided = module.clone();
  PassManager pm(module.getContext());
  buildMicroBatchPipeline(pm, silent);
  if (failed(pm.run(*divided)))
    return failure();
  return divided;
}

llvm::Expected<ModuleSignature>
mlir::amp::readSignatures(ModuleOp module,
                          const MixedPrecisionOptions &precision) {
  FailureOr<OwningOpRef<ModuleOp>> divided = OwningOpRef<ModuleOp>();
  if (precision.microBatches != 1) {
    divided = divideBatch(module, precision);
    if (failed(divided))
      return makeNotCompiledError();
    module = **divided;
  }
  auto readOne = [&](FunctionKind kind)
      -> llvm::Expected<std::optional<FunctionSignature>> {
    llvm::Expected<func::FuncOp> function = findFunction(module, kind);
    if (!function)
      return function.takeError();
    if (!*function)
      return std::nullopt;
    llvm::Expected<std::unique_ptr<JitFunction>> read =
        JitFunction::read(*function);
    if (!read)
      return read.takeError();
    return (*read)->getSignature();
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

static double secondsSince(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
      .count();
}

llvm::Expected<std::unique_ptr<Program>>
mlir::amp::compileForHost(ModuleOp module,
                          const MixedPrecisionOptions &precision,
                          const HostLoweringOptions &lowering,
                          const JitOptions &options, CompileReport *report) {
  CompileReport ignored;
  if (!report)
    report = &ignored;
  auto program = std::make_unique<JitProgram>();
  auto start = std::chrono::steady_clock::now();
  {
    PassManager pm(module.getContext());
    buildMixedPrecisionPipeline(pm, precision);
    if (options.insertTaps)
      pm.addPass(createInsertTapsPass());
    if (failed(pm.run(module)))
      return makeNotCompiledError();
  }
  report->mixedPrecision = secondsSince(start);
  llvm::raw_string_ostream decisions(report->decisions);
  PrecisionSummary(module).print(decisions);
  if (llvm::Error error = createScalers(module, *program))
    return std::move(error);

  start = std::chrono::steady_clock::now();
  {
    PassManager pm(module.getContext());
    buildHostPreparationPipeline(pm);
    if (failed(pm.run(module)))
      return makeError("the module cannot be prepared for the host");
  }
  for (auto [kind, slot] :
       {std::pair(FunctionKind::TrainStep, &program->trainStep),
        std::pair(FunctionKind::Evaluate, &program->evaluate)}) {
    llvm::Expected<func::FuncOp> function = findFunction(module, kind);
    if (!function)
      return function.takeError();
    if (!*function)
      continue;
    llvm::Expected<std::unique_ptr<JitFunction>> read =
        JitFunction::read(*function);
    if (!read)
      return read.takeError();
    *slot = std::move(*read);
    (*slot)->program = program.get();
  }
  if (!program->trainStep)
    return makeNoTrainStepError();
  {
    PassManager pm(module.getContext());
    buildHostLoweringPipeline(pm, lowering);
    if (failed(pm.run(module)))
      return makeError("the module cannot be lowered for the host");
  }
  report->lowering = secondsSince(start);

  start = std::chrono::steady_clock::now();
  llvm::Expected<std::unique_ptr<ExecutionEngine>> engine =
      generateCode(module, options.optimizationLevel);
  if (!engine)
    return engine.takeError();
  program->engine = std::move(*engine);
  for (JitFunction *function :
       {program->trainStep.get(), program->evaluate.get()}) {
    if (!function)
      continue;
    auto entry = program->engine->lookupPacked("_mlir_ciface_" +
                                               function->getName().str());
    if (!entry)
      return entry.takeError();
    function->entry = *entry;
  }
  report->codegen = secondsSince(start);
  return program;
}
