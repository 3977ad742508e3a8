//===- DescribedProgram.cpp - A program by its own description ------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A call packs descriptors on the stack of the caller; results are allocated
// here, not filled with anything, and written by the program. What the caller
// drops of older results is what the next ones are made of (amp-rt/Memory.h).
//
// A program for a device is given the device's memory: an argument is copied
// there unless it has a copy, which it keeps, and results stay there until
// somebody looks at them. So what a step hands to the next never leaves the
// device.
//
//===----------------------------------------------------------------------===//

#include "amp/Execution/DescribedProgram.h"

#include "amp-rt/Load.h"
#include "amp-rt/Pool.h"
#include "amp-rt/Profile.h"
#include "amp-rt/Run.h"
#include "amp-rt/Tap.h"
#include "amp-rt/Version.h"
#include "amp/Execution/ArrayBinding.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir::amp;
using llvm::ArrayRef;
using llvm::createStringError;
using llvm::Error;
using llvm::Expected;
using llvm::SmallVector;
using llvm::SmallVectorImpl;
using llvm::StringRef;
using llvm::Twine;

namespace {
class DescribedProgram;

/// An argument that the program supplies itself.
struct HandleArgument {
  /// Its place among all arguments.
  int32_t index;
  /// The scaler, or null for the tap.
  const AmpRtScaler *scaler;
};

class DescribedFunction : public CompiledFunction {
public:
  DescribedFunction(DescribedProgram &program, const AmpRtFunction &function)
      : program(program), description(function) {
    name = function.name;
  }
  /// Reads arguments and results.
  Error read();

  Error call(ArrayRef<const HostArray *> arguments,
             SmallVectorImpl<HostArray> &results) override;
  int64_t getWorkspaceBytes() const override {
    return description.workspaceBytes;
  }
  bool takesTap() const {
    return llvm::any_of(
        handles, [](const HandleArgument &handle) { return !handle.scaler; });
  }

private:
  Expected<ValueSpec> readValue(const AmpRtValue &value, StringRef where,
                                int32_t index) const;
  Error checkArguments(ArrayRef<const HostArray *> given) const;
  /// Where the elements of an argument are for the program.
  Expected<void *> placeArgument(const HostArray &array) const;
  Expected<HostArray> makeResult(const ValueSpec &spec) const;

  DescribedProgram &program;
  const AmpRtFunction &description;
  SmallVector<HandleArgument> handles;
};

/// MLIR's memref descriptor: two pointers, an offset, sizes and strides.
class Descriptor {
public:
  Descriptor(void *data, ArrayRef<int64_t> shape) {
    fields.push_back(reinterpret_cast<intptr_t>(data));
    fields.push_back(reinterpret_cast<intptr_t>(data));
    fields.push_back(0);
    llvm::append_range(fields, shape);
    SmallVector<int64_t> strides(shape.size(), 1);
    for (size_t i = shape.size(); i-- > 1;)
      // Wraps at most where an extent of 0 leaves no element to be found.
      (void)llvm::MulOverflow(strides[i], shape[i], strides[i - 1]);
    llvm::append_range(fields, strides);
  }
  void *get() { return fields.data(); }

private:
  SmallVector<int64_t, 11> fields;
};

class DescribedProgram : public Program {
public:
  explicit DescribedProgram(std::shared_ptr<void> code)
      : code(std::move(code)) {}
  ~DescribedProgram() override {
    for (AmpRtScaler *scaler : ownScalers)
      ampRtScalerDestroy(scaler);
    ampRtTapDestroy(tap);
    ampRtRunDestroy(run);
    ampRtProgramUnload(loaded);
    ampRtPoolDestroy(pool);
    ampRtProfileDestroy(profile);
  }
  Error open(const AmpRtProgram &description, const ProgramOptions &options);
  Error load(const AmpRtProgram &description, StringRef deviceName);
  /// One of `shared`, or one of its own if there are none.
  Error addScaler(const AmpRtProgramScaler &wanted,
                  ArrayRef<ScalerSlot> shared);

  CompiledFunction &getTrainStep() override { return *trainStep; }
  CompiledFunction *getEvaluate() override { return evaluate.get(); }
  ArrayRef<ScalerSlot> getScalers() override { return scalers; }
  void setTap(std::function<void(const Tap &)> callback) override;
  bool hasTaps() const override { return trainStep->takesTap(); }
  MemoryReport getMemoryReport() const override { return memory; }
  Error releaseMemory() override;
  std::vector<KernelTime> getKernelTimes() const override;
  std::vector<KernelCall> getKernelCalls() const override;
  void resetKernelTimes() override {
    if (profile)
      ampRtProfileReset(profile);
  }

  int64_t getTapHandle() const { return tapCallback ? ampRtTapHandle(tap) : 0; }
  static AmpRtStatus onTap(void *user, const AmpRtTapEvent *event);

  /// Unloaded last.
  std::shared_ptr<void> code;
  std::unique_ptr<DescribedFunction> trainStep, evaluate;
  SmallVector<ScalerSlot> scalers;
  SmallVector<AmpRtScaler *> ownScalers;
  ArrayRef<const AmpRtProgramKernel *> kernels;
  AmpRtProfile *profile = nullptr;
  AmpRtPool *pool = nullptr;
  AmpRtRun *run = nullptr;
  /// Of a program for a device.
  AmpRtDevice *device = nullptr;
  AmpRtLoadedProgram *loaded = nullptr;
  AmpRtTap *tap = nullptr;
  std::function<void(const Tap &)> tapCallback;
  MemoryReport memory;
};
} // namespace

static Error makeRuntimeError() { return createStringError(ampRtStatusText()); }

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

Expected<ValueSpec> DescribedFunction::readValue(const AmpRtValue &value,
                                                 StringRef where,
                                                 int32_t index) const {
  if (value.kind != AMP_RT_VALUE_ARRAY ||
      !ampRtElementKindName(value.elementKind))
    return createStringError(
        Twine("expected each ") + where + " of '" + name +
        "' to be an array of i1, i8, i16, i32, i64, f16, bf16, f32 or f64, but "
        "the program describes " +
        where + " " + Twine(index) + " as another value");
  ValueSpec spec;
  spec.role = value.role;
  spec.name = value.name;
  spec.kind = value.label;
  spec.init = value.init;
  spec.elementKind = ElementKind(value.elementKind);
  spec.shape.assign(value.extents, value.extents + value.rank);
  return spec;
}

Error mlir::amp::checkResultShape(const ValueSpec &result, StringRef function) {
  if (!llvm::is_contained(result.shape, -1))
    return Error::success();
  return createStringError(
      Twine("expected the results of '") + function +
      "' to have static shapes, for the host allocates them before the call, "
      "but " +
      describeArgument(result) + " is " +
      mlir::amp::getTypeString(result.elementKind, result.shape) +
      "; give the extents of the batch ('extents'), fix them in the module, or "
      "leave the result out");
}

Error mlir::amp::checkByteCount(const ValueSpec &value, StringRef function) {
  if (getByteCount(value.elementKind, value.shape))
    return Error::success();
  return createStringError(
      Twine("expected the arguments and results of '") + function +
      "' to have less than 2^63 bytes, but " + describeArgument(value) +
      " is " + mlir::amp::getTypeString(value.elementKind, value.shape));
}

Error DescribedFunction::read() {
  for (int32_t i = 0; i < description.argumentCount; ++i) {
    const AmpRtValue &value = *description.arguments[i];
    if (value.kind == AMP_RT_VALUE_TAP) {
      handles.push_back({i, nullptr});
      continue;
    }
    if (value.kind == AMP_RT_VALUE_SCALER) {
      const auto *slot = llvm::find_if(
          program.scalers, [&](const Program::ScalerSlot &candidate) {
            return candidate.name == value.name;
          });
      if (slot == program.scalers.end())
        return createStringError(Twine("expected the program to describe "
                                       "scaler '") +
                                 value.name + "', which '" + name + "' takes");
      handles.push_back({i, slot->scaler});
      continue;
    }
    Expected<ValueSpec> spec = readValue(value, "argument", i);
    if (!spec)
      return spec.takeError();
    arguments.push_back(std::move(*spec));
  }
  for (int32_t i = 0; i < description.resultCount; ++i) {
    Expected<ValueSpec> spec = readValue(*description.results[i], "result", i);
    if (!spec)
      return spec.takeError();
    if (Error error = checkResultShape(*spec, name))
      return error;
    if (Error error = checkByteCount(*spec, name))
      return error;
    results.push_back(std::move(*spec));
  }
  return Error::success();
}

Error DescribedFunction::checkArguments(
    ArrayRef<const HostArray *> given) const {
  if (given.size() != arguments.size())
    return createStringError(Twine("call of '") + name + "' with " +
                             Twine(given.size()) + " arguments; expected " +
                             Twine(arguments.size()));
  for (auto [spec, array] : llvm::zip_equal(arguments, given)) {
    if (spec.elementKind != array->getKind() ||
        !fitsShape(spec, array->getShape()))
      return createStringError(
          Twine("call of '") + name + "': expected argument '" + spec.name +
          "' (" + spec.role + ") to be " +
          mlir::amp::getTypeString(spec.elementKind, spec.shape) +
          ", but got " + array->getTypeString());
  }
  return Error::success();
}

Expected<void *>
DescribedFunction::placeArgument(const HostArray &array) const {
  if (!program.device)
    return const_cast<void *>(array.data());
  const DeviceMemory *known = array.getDeviceMemory();
  if (known && known->getDevice() == program.device)
    return known->get();
  Expected<std::unique_ptr<DeviceMemory>> memory =
      DeviceMemory::allocate(program.device, array.getNumBytes());
  if (!memory)
    return memory.takeError();
  if (Error error = (*memory)->write(array.data()))
    return std::move(error);
  void *place = (*memory)->get();
  array.keepDeviceMemory(std::move(*memory));
  return place;
}

Expected<HostArray> DescribedFunction::makeResult(const ValueSpec &spec) const {
  if (!program.device)
    return HostArray::uninitialized(spec.elementKind, spec.shape);
  Expected<std::unique_ptr<DeviceMemory>> memory = DeviceMemory::allocate(
      program.device, *getByteCount(spec.elementKind, spec.shape));
  if (!memory)
    return memory.takeError();
  return HostArray::onDevice(spec.elementKind, spec.shape, std::move(*memory));
}

Error DescribedFunction::call(ArrayRef<const HostArray *> given,
                              SmallVectorImpl<HostArray> &outputs) {
  if (Error error = checkArguments(given))
    return error;
  outputs.clear();

  Program::MemoryReport report;
  if (program.device && ampRtDeviceResetPeak(program.device) != AMP_RT_OK)
    return makeRuntimeError();
  SmallVector<Descriptor> descriptors;
  descriptors.reserve(given.size() + results.size());
  for (const HostArray *array : given) {
    Expected<void *> place = placeArgument(*array);
    if (!place)
      return place.takeError();
    descriptors.emplace_back(*place, array->getShape());
    report.argumentBytes += array->getNumBytes();
  }
  for (const ValueSpec &spec : results) {
    Expected<HostArray> array = makeResult(spec);
    if (!array)
      return array.takeError();
    const DeviceMemory *memory = array->getDeviceMemory();
    descriptors.emplace_back(memory ? memory->get() : array->data(),
                             spec.shape);
    report.resultBytes += array->getNumBytes();
    outputs.push_back(std::move(*array));
  }
  SmallVector<int64_t> handleValues;
  for (const HandleArgument &handle : handles)
    handleValues.push_back(handle.scaler ? ampRtScalerHandle(handle.scaler)
                                         : program.getTapHandle());

  SmallVector<void *> packed;
  size_t nextDescriptor = 0, nextHandle = 0;
  for (int32_t i = 0, e = int32_t(descriptors.size() + handles.size()); i != e;
       ++i) {
    if (nextHandle < handles.size() && handles[nextHandle].index == i)
      packed.push_back(&handleValues[nextHandle++]);
    else
      packed.push_back(descriptors[nextDescriptor++].get());
  }

  AmpRtStatus status =
      description.call(ampRtRunHandle(program.run), packed.data());
  std::string text = status == AMP_RT_OK ? "" : ampRtStatusText();
  // A failed assertion is why the rest went wrong.
  AmpRtStatus heard = ampRtRunSynchronize(program.run);
  if (heard == AMP_RT_PROGRAM_ERROR || status == AMP_RT_OK) {
    status = heard;
    text = ampRtStatusText();
  }
  AmpRtRunMemory memory;
  memory.structSize = sizeof(memory);
  if (ampRtRunGetMemory(program.run, &memory) == AMP_RT_OK)
    report.peakBytes = memory.bytesPeak;
  AmpRtDeviceStatistics statistics;
  statistics.structSize = sizeof(statistics);
  if (program.device &&
      ampRtDeviceGetStatistics(program.device, &statistics) == AMP_RT_OK)
    report.deviceBytes = statistics.bytesPeak;
  program.memory = report;
  if (status != AMP_RT_OK)
    return createStringError(Twine("'") + name + "': " + text);
  return Error::success();
}

//===----------------------------------------------------------------------===//
// Program
//===----------------------------------------------------------------------===//

AmpRtStatus DescribedProgram::onTap(void *user, const AmpRtTapEvent *event) {
  auto *program = static_cast<DescribedProgram *>(user);
  program->tapCallback({StringRef(event->point, event->pointLength),
                        StringRef(event->name, event->nameLength),
                        ElementKind(event->elementKind), event->data,
                        event->elementCount});
  return AMP_RT_OK;
}

void DescribedProgram::setTap(std::function<void(const Tap &)> callback) {
  tapCallback = std::move(callback);
  if (!tap && ampRtTapCreate(&tap) != AMP_RT_OK)
    return;
  ampRtTapSet(tap, tapCallback ? &DescribedProgram::onTap : nullptr, this);
}

std::vector<KernelTime> DescribedProgram::getKernelTimes() const {
  std::vector<KernelTime> times;
  for (auto [index, kernel] : llvm::enumerate(kernels)) {
    AmpRtKernelTime time = {};
    time.structSize = sizeof(time);
    ampRtProfileGetTime(profile, int32_t(index), &time);
    times.push_back({kernel->name, kernel->what, kernel->source,
                     kernel->operations, kernel->bytes, time.calls,
                     double(time.nanoseconds) * 1e-9});
  }
  return times;
}

std::vector<KernelCall> DescribedProgram::getKernelCalls() const {
  std::vector<KernelCall> calls;
  for (int64_t i = 0, e = ampRtProfileCountCalls(profile); i < e; ++i) {
    AmpRtKernelCall call = {};
    call.structSize = sizeof(call);
    ampRtProfileGetCall(profile, i, &call);
    calls.push_back({call.kernel, call.begin, call.end});
  }
  return calls;
}

Error DescribedProgram::load(const AmpRtProgram &description,
                             StringRef deviceName) {
  if (ampRtDeviceGet(deviceName.str().c_str(), &device) != AMP_RT_OK ||
      ampRtProgramLoad(&description, device, &loaded) != AMP_RT_OK ||
      ampRtRunSetProgram(run, loaded) != AMP_RT_OK)
    return makeRuntimeError();
  return Error::success();
}

Error DescribedProgram::releaseMemory() {
  // Which gives it back, whatever program it is.
  if (loaded && ampRtRunSetProgram(run, loaded) != AMP_RT_OK)
    return makeRuntimeError();
  return Error::success();
}

Error DescribedProgram::addScaler(const AmpRtProgramScaler &wanted,
                                  ArrayRef<ScalerSlot> shared) {
  if (shared.empty()) {
    AmpRtScaler *scaler = nullptr;
    if (ampRtScalerCreate(wanted.name, wanted.config, &scaler) != AMP_RT_OK)
      return makeRuntimeError();
    ownScalers.push_back(scaler);
    scalers.push_back({wanted.name, scaler});
    return Error::success();
  }
  const auto *slot = llvm::find_if(shared, [&](const ScalerSlot &candidate) {
    return candidate.name == wanted.name;
  });
  if (slot == shared.end())
    return createStringError(Twine("expected a scaler '") + wanted.name +
                             "' among those that the program is to share");
  scalers.push_back(*slot);
  return Error::success();
}

Error DescribedProgram::open(const AmpRtProgram &description,
                             const ProgramOptions &options) {
  if (ampRtVersionCheck(description.runtimeVersion) != AMP_RT_OK ||
      ampRtRunCreate(&run) != AMP_RT_OK)
    return makeRuntimeError();
  const bool isForDevice =
      description.structSize >=
          offsetof(AmpRtProgram, chip) + sizeof(description.chip) &&
      description.chip;
  if (isForDevice != (options.device != "host"))
    return createStringError(
        isForDevice
            ? "expected a program for the host, but it has kernels of a "
              "device; choose the device"
            : "expected a program with kernels for device '" + options.device +
                  "', but it was compiled for the host");
  if (isForDevice)
    if (Error error = load(description, options.device))
      return error;
  if (options.threads > 1 &&
      (ampRtPoolCreate(options.threads, &pool) != AMP_RT_OK ||
       ampRtRunSetPool(run, pool) != AMP_RT_OK))
    return makeRuntimeError();
  if (description.structSize >=
      offsetof(AmpRtProgram, kernels) + sizeof(description.kernels))
    kernels = ArrayRef(description.kernels, description.kernelCount);
  if (!kernels.empty() &&
      (ampRtProfileCreate(description.kernelCount, options.keptCalls,
                          &profile) != AMP_RT_OK ||
       ampRtRunSetProfile(run, profile) != AMP_RT_OK))
    return makeRuntimeError();
  for (int32_t i = 0; i < description.scalerCount; ++i)
    if (Error error = addScaler(*description.scalers[i], options.scalers))
      return error;
  for (int32_t i = 0; i < description.functionCount; ++i) {
    const AmpRtFunction &function = *description.functions[i];
    std::unique_ptr<DescribedFunction> *place =
        function.kind == AMP_RT_FUNCTION_TRAIN_STEP ? &trainStep
        : function.kind == AMP_RT_FUNCTION_EVALUATE ? &evaluate
                                                    : nullptr;
    if (!place)
      continue;
    *place = std::make_unique<DescribedFunction>(*this, function);
    if (Error error = (*place)->read())
      return error;
  }
  if (!trainStep)
    return createStringError("the program describes no train step");
  return Error::success();
}

Expected<std::unique_ptr<Program>>
mlir::amp::openProgram(const AmpRtProgram &description,
                       std::shared_ptr<void> code,
                       const ProgramOptions &options) {
  auto program = std::make_unique<DescribedProgram>(std::move(code));
  if (Error error = program->open(description, options))
    return error;
  return program;
}
