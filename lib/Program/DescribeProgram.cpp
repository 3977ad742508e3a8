//===- DescribeProgram.cpp - A program's signature as data ----------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Writes the structs of amp-rt/Program.h as constants, from the inside out:
// texts and extents, values, functions and scalers, and at last the program.
// The layout of each struct stands here once more, beside the name of the one
// it must equal; test/unittests/Execution and a C caller read it back.
//
// Beside each function stands one that takes an array of addresses, so that a
// driver need not know at compile time how many arguments there are:
//
//   llvm.func internal @amp_call_f(%run: i64, %arguments: !llvm.ptr) -> i32
//
// As it knows the description, it has the runtime compare the addresses with it
// before anything is read through them.
//
//===----------------------------------------------------------------------===//

#include "ConstantWriter.h"
#include "DescribeKernels.h"
#include "EntryPoints.h"

#include "amp-rt/Program.h"
#include "amp-rt/Version.h"
#include "amp/Dialect/Amp/IR/AmpRoles.h"
#include "amp/Program/ElementKind.h"
#include "amp/Program/Passes.h"
#include "amp/Program/ProgramSignature.h"
#include "mlir/Dialect/LLVMIR/FunctionCallUtils.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/MathExtras.h"

#define DEBUG_TYPE "amp-describe-program"

namespace mlir::amp {
#define GEN_PASS_DEF_DESCRIBEPROGRAMPASS
#include "amp/Program/Passes.h.inc"
} // namespace mlir::amp

using namespace mlir;
using namespace mlir::amp;

static AmpRtFunctionKind getFunctionKind(StringAttr kind) {
  return llvm::StringSwitch<AmpRtFunctionKind>(kind.getValue())
      .Case("train_step", AMP_RT_FUNCTION_TRAIN_STEP)
      .Case("evaluate", AMP_RT_FUNCTION_EVALUATE)
      .Default(AMP_RT_FUNCTION_OTHER);
}

namespace {
class Describer : public ConstantWriter {
public:
  using ConstantWriter::ConstantWriter;

  LogicalResult run();

private:
  std::string addValue(DictionaryAttr value);
  std::string addValues(StringRef function, StringRef what, ArrayAttr values);
  void addCheck(Location loc, LLVM::LLVMFuncOp call, StringRef function,
                int32_t count);
  std::string addCall(LLVM::LLVMFuncOp interface, StringRef name,
                      StringRef function);
  std::string addFunction(LLVM::LLVMFuncOp function);
  LogicalResult readCpu();
  std::string addVersions();
  std::string addScaler(DictionaryAttr scaler);
  std::string addKernel(DictionaryAttr kernel);

  /// The CPU that the module is compiled for; an empty name: this one.
  StringRef cpu;
  int64_t cpuFeatures = 0, numVersions = 0;
};
} // namespace

/// AmpRtValue.
std::string Describer::addValue(DictionaryAttr value) {
  auto getText = [&](StringRef key) {
    auto text = value.getAs<StringAttr>(key);
    return text ? text.getValue() : StringRef();
  };
  Type type = value.getAs<TypeAttr>("type").getValue();
  int32_t kind = AMP_RT_VALUE_OTHER, elementKind = -1;
  SmallVector<int64_t> extents, strides;
  if (auto tensor = dyn_cast<RankedTensorType>(type)) {
    kind = AMP_RT_VALUE_ARRAY;
    if (std::optional<AmpRtElementKind> known =
            getElementKind(tensor.getElementType()))
      elementKind = *known;
    int64_t stride = 1;
    for (int64_t extent : llvm::reverse(tensor.getShape())) {
      bool isDynamic = ShapedType::isDynamic(extent);
      strides.push_back(stride);
      extents.push_back(isDynamic ? -1 : extent);
      // An array with an extent of 0 may have others of any size.
      if (isDynamic || stride < 0 || llvm::MulOverflow(stride, extent, stride))
        stride = -1;
    }
    std::reverse(extents.begin(), extents.end());
    std::reverse(strides.begin(), strides.end());
  } else if (type.isInteger(64)) {
    // As convert-amp-to-runtime gives them.
    std::optional<Role> role = parseRole(getText("role"));
    kind = role == Role::ScalerState ? AMP_RT_VALUE_SCALER
           : role == Role::Hyper     ? AMP_RT_VALUE_TAP
                                     : AMP_RT_VALUE_OTHER;
  }
  std::string role = addText(getText("role")), name = addText(getText("name")),
              label = addText(getText("kind")), init = addText(getText("init")),
              extentsSymbol = addIntegers(extents),
              stridesSymbol = addIntegers(strides);
  auto overwritten = value.getAs<IntegerAttr>("overwrites");
  return addStruct(
      makeName("amp_value"),
      {Field::i32(sizeof(AmpRtValue)), Field::i32(kind), Field::address(role),
       Field::address(name), Field::address(label), Field::address(init),
       Field::i32(elementKind), Field::i32(extents.size()),
       Field::address(extentsSymbol), Field::address(stridesSymbol),
       Field::i64(overwritten ? overwritten.getInt() + 1 : 0)});
}

std::string Describer::addValues(StringRef function, StringRef what,
                                 ArrayAttr values) {
  SmallVector<std::string> symbols;
  for (auto value : values.getAsRange<DictionaryAttr>())
    symbols.push_back(addValue(value));
  return addPointers(("amp_" + what + "_" + function).str(), symbols);
}

/// Lets `call` return at once if its arguments do not fit the description
/// `function`, and continues behind that.
void Describer::addCheck(Location loc, LLVM::LLVMFuncOp call,
                         StringRef function, int32_t count) {
  constexpr StringLiteral kCheck = "ampRtProgramCheckArguments";
  Type i32 = builder.getI32Type();
  (void)LLVM::lookupOrCreateFn(builder, module, kCheck, {pointer, pointer, i32},
                               i32);
  Block *entry = &call.front(), *refused = builder.createBlock(&call.getBody()),
        *accepted = builder.createBlock(&call.getBody());
  builder.setInsertionPointToEnd(entry);
  auto getI32 = [&](int32_t value) {
    return LLVM::ConstantOp::create(builder, loc, i32,
                                    builder.getI32IntegerAttr(value));
  };
  Value description =
      LLVM::AddressOfOp::create(builder, loc, pointer, function);
  Value status =
      LLVM::CallOp::create(
          builder, loc, TypeRange(i32), kCheck,
          ValueRange{description, entry->getArgument(1), getI32(count)})
          .getResult();
  Value isRefused = LLVM::ICmpOp::create(builder, loc, LLVM::ICmpPredicate::ne,
                                         status, getI32(0));
  LLVM::CondBrOp::create(builder, loc, isRefused, refused, accepted);
  builder.setInsertionPointToEnd(refused);
  LLVM::ReturnOp::create(builder, loc, status);
  builder.setInsertionPointToEnd(accepted);
}

/// AmpRtFunctionCall. `function` is the symbol that the description will have.
std::string Describer::addCall(LLVM::LLVMFuncOp interface, StringRef name,
                               StringRef function) {
  Location loc = interface.getLoc();
  std::string symbol = ("amp_call_" + name).str();
  Type i64 = builder.getI64Type(), i32 = builder.getI32Type();
  builder.setInsertionPointToEnd(module.getBody());
  auto call = LLVM::LLVMFuncOp::create(
      builder, loc, symbol, LLVM::LLVMFunctionType::get(i32, {i64, pointer}),
      LLVM::Linkage::Internal);
  Block *body = call.addEntryBlock(builder);
  ArrayRef<Type> types = interface.getFunctionType().getParams().drop_front();
  addCheck(loc, call, function, types.size());
  SmallVector<Value> arguments = {body->getArgument(0)};
  for (auto [index, type] : llvm::enumerate(types)) {
    Value place =
        LLVM::GEPOp::create(builder, loc, pointer, pointer,
                            body->getArgument(1), LLVM::GEPArg(int32_t(index)));
    Value address = LLVM::LoadOp::create(builder, loc, pointer, place);
    // Descriptors are passed by their address, all else by value.
    arguments.push_back(
        type == pointer
            ? address
            : LLVM::LoadOp::create(builder, loc, type, address).getResult());
  }
  auto status = LLVM::CallOp::create(builder, loc, TypeRange(i32),
                                     interface.getName(), arguments);
  LLVM::ReturnOp::create(builder, loc, status.getResult());
  return symbol;
}

/// AmpRtFunction.
std::string Describer::addFunction(LLVM::LLVMFuncOp function) {
  StringRef name = function.getName();
  auto signature = function->getAttrOfType<DictionaryAttr>(kSignatureAttr);
  auto interface =
      module.lookupSymbol<LLVM::LLVMFuncOp>((kInterfacePrefix + name).str());
  if (!interface)
    return "";
  auto arguments = signature.getAs<ArrayAttr>("arguments"),
       results = signature.getAs<ArrayAttr>("results");
  auto workspace = function->getAttrOfType<IntegerAttr>(kWorkspaceAttr);
  std::string nameSymbol = addText(name),
              argumentsSymbol = addValues(name, "arguments", arguments),
              resultsSymbol = addValues(name, "results", results),
              symbol = ("amp_function_" + name).str(),
              callSymbol = addCall(interface, name, symbol);
  return addStruct(
      symbol, {Field::i32(sizeof(AmpRtFunction)),
               Field::i32(getFunctionKind(signature.getAs<StringAttr>("kind"))),
               Field::address(nameSymbol), Field::i32(arguments.size()),
               Field::i32(results.size()), Field::address(argumentsSymbol),
               Field::address(resultsSymbol), Field::address(callSymbol),
               Field::i64(workspace ? workspace.getInt() : 0),
               Field::i64(cpuFeatures)});
}

/// Whether the code multiplies in AMX's tiles.
static bool hasTiles(ModuleOp module) {
  return module
      .walk([](LLVM::CallIntrinsicOp call) {
        return call.getIntrin().starts_with("llvm.x86.tile")
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Takes the module's kCpuAttr.
LogicalResult Describer::readCpu() {
  Attribute given = module->removeAttr(kCpuAttr);
  if (!given)
    return success();
  auto members = dyn_cast<DictionaryAttr>(given);
  auto name = members ? members.getAs<StringAttr>("cpu") : StringAttr();
  auto getInt = [&](StringRef key) {
    return members ? members.getAs<IntegerAttr>(key) : IntegerAttr();
  };
  IntegerAttr features = getInt("features"),
              tileFeatures = getInt("tile_features"),
              versions = getInt("versions");
  constexpr int64_t kMaxVersions = 64;
  bool areIntegers = llvm::all_of(
      ArrayRef{features, tileFeatures, versions}, [](IntegerAttr attribute) {
        return attribute && attribute.getType().isInteger(64);
      });
  if (!name || !areIntegers || versions.getInt() < 0 ||
      versions.getInt() > kMaxVersions)
    return module.emitError()
           << "expected '" << kCpuAttr
           << "' to be {cpu = \"NAME\", features = N : i64, tile_features = N "
              ": i64, versions = N : i64}, with at most "
           << kMaxVersions << " versions, but got " << given
           << "; leave it to amp-compile";
  cpu = name.getValue();
  cpuFeatures = features.getInt();
  if (hasTiles(module))
    cpuFeatures |= tileFeatures.getInt();
  numVersions = versions.getInt();
  return success();
}

/// The descriptions of the versions before this one, which other modules have.
std::string Describer::addVersions() {
  SmallVector<std::string> versions;
  for (int64_t number = 0; number < numVersions; ++number) {
    std::string name = AMP_RT_PROGRAM_SYMBOL + getVersionSuffix(number);
    builder.setInsertionPointToEnd(module.getBody());
    auto global = LLVM::GlobalOp::create(
        builder, module.getLoc(), builder.getI8Type(), /*isConstant=*/true,
        LLVM::Linkage::External, name, Attribute());
    global.setVisibility_(LLVM::Visibility::Hidden);
    versions.push_back(name);
  }
  return addPointers("amp_versions", versions);
}

/// AmpRtProgramScaler and its AmpRtScalerConfig.
std::string Describer::addScaler(DictionaryAttr scaler) {
  auto getNumber = [&](StringRef key) {
    return scaler.getAs<FloatAttr>(key).getValueAsDouble();
  };
  auto getInt = [&](StringRef key) {
    return scaler.getAs<IntegerAttr>(key).getInt();
  };
  StringRef name = scaler.getAs<StringAttr>("name").getValue();
  std::string config = addStruct(
      ("amp_config_" + name).str(),
      {Field::i32(sizeof(AmpRtScalerConfig)), Field::i32(AMP_RT_SCALER_APEX),
       Field::i32(scaler.contains("static") ? AMP_RT_SCALER_STATIC
                                            : AMP_RT_SCALER_DYNAMIC),
       Field::i32(scaler.contains("skips") ? AMP_RT_SCALER_STATIC_SKIPS : 0),
       Field::f64(getNumber("initial_scale")),
       Field::f64(getNumber("growth_factor")),
       Field::f64(getNumber("backoff_factor")),
       Field::f64(getNumber("min_scale")), Field::f64(getNumber("max_scale")),
       Field::i64(getInt("growth_interval")), Field::i32(getInt("hysteresis")),
       Field::i32(0)});
  std::string nameSymbol = addText(name);
  return addStruct(("amp_scaler_" + name).str(),
                   {Field::i32(sizeof(AmpRtProgramScaler)), Field::i32(0),
                    Field::address(nameSymbol), Field::address(config)});
}

/// AmpRtProgramKernel.
std::string Describer::addKernel(DictionaryAttr kernel) {
  auto addPart = [&](StringRef key) {
    return addText(kernel.getAs<StringAttr>(key).getValue());
  };
  auto getInt = [&](StringRef key) {
    return kernel.getAs<IntegerAttr>(key).getInt();
  };
  std::string name = addPart("name"), what = addPart("what"),
              source = addPart("source");
  return addStruct(makeName("amp_kernel_info"),
                   {Field::i32(sizeof(AmpRtProgramKernel)), Field::i32(0),
                    Field::address(name), Field::address(what),
                    Field::address(source), Field::i64(getInt("operations")),
                    Field::i64(getInt("bytes"))});
}

/// Whether a signature says all that AmpRtFunction needs.
static bool isWhole(DictionaryAttr signature) {
  auto haveTypes = [&](StringRef key) {
    auto values = signature.getAs<ArrayAttr>(key);
    return values && llvm::all_of(values, [](Attribute value) {
             return bool(cast<DictionaryAttr>(value).getAs<TypeAttr>("type"));
           });
  };
  return signature.getAs<StringAttr>("kind") && haveTypes("arguments") &&
         haveTypes("results");
}

LogicalResult Describer::run() {
  if (failed(readCpu()))
    return failure();
  SmallVector<std::string> functions, scalers, kernels;
  for (auto function : llvm::to_vector(module.getOps<LLVM::LLVMFuncOp>())) {
    auto signature = function->getAttrOfType<DictionaryAttr>(kSignatureAttr);
    if (!signature)
      continue;
    bool isEntry =
        module.lookupSymbol((kInterfacePrefix + function.getName()).str());
    if (isEntry && !isWhole(signature))
      return function.emitError()
             << "expected '" << kSignatureAttr
             << "' to have a kind, and the types of all arguments and results, "
                "but got "
             << signature << "; leave it to amp-mark-entry-points";
    std::string symbol = addFunction(function);
    if (!symbol.empty())
      functions.push_back(symbol);
  }
  // The interfaces have copies of them.
  for (auto function : module.getOps<LLVM::LLVMFuncOp>()) {
    function->removeAttr(kSignatureAttr);
    function->removeAttr(kWorkspaceAttr);
  }
  if (auto given = module->getAttrOfType<ArrayAttr>(kScalersAttr))
    for (auto scaler : given.getAsRange<DictionaryAttr>())
      scalers.push_back(addScaler(scaler));
  module->removeAttr(kScalersAttr);
  if (auto given = module->getAttrOfType<ArrayAttr>(kKernelsAttr))
    for (auto kernel : given.getAsRange<DictionaryAttr>())
      kernels.push_back(addKernel(kernel));
  module->removeAttr(kKernelsAttr);
  KernelDescription device = describeKernels(*this, module);
  if (functions.empty())
    return success();
  std::string functionsSymbol = addPointers("amp_functions", functions),
              scalersSymbol = addPointers("amp_scalers", scalers),
              kernelsSymbol = addPointers("amp_kernels", kernels),
              cpuSymbol = cpu.empty() ? "" : addText(cpu),
              versionsSymbol = addVersions();
  addStruct(AMP_RT_PROGRAM_SYMBOL,
            {Field::i32(sizeof(AmpRtProgram)), Field::i32(AMP_RT_VERSION),
             Field::i32(functions.size()), Field::i32(scalers.size()),
             Field::address(functionsSymbol), Field::address(scalersSymbol),
             Field::i32(kernels.size()), Field::i32(0),
             Field::address(kernelsSymbol), Field::address(device.chip),
             Field::address(device.modules), Field::i32(device.count),
             Field::i32(0), Field::address(cpuSymbol), Field::i64(cpuFeatures),
             Field::address(versionsSymbol), Field::i32(numVersions),
             Field::i32(0)},
            /*isVisible=*/true);
  return success();
}

namespace {
struct DescribeProgram
    : public amp::impl::DescribeProgramPassBase<DescribeProgram> {
  void runOnOperation() override {
    if (failed(Describer(getOperation()).run()))
      signalPassFailure();
  }
};
} // namespace
