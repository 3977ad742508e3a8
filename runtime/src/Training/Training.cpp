//===-- Training.cpp - Steps of a compiled program --------------------------===
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Arguments and results have memory of their own. After a step, a result that
// is an argument of the next one changes places with it: nothing is copied, and
// a step that fails has left the arguments alone.
//
//===----------------------------------------------------------------------===//

#include "amp-rt/Training.h"

#include "Program/ChooseVersion.h"
#include "Support/Failure.h"
#include "Support/SizedStruct.h"
#include "Support/ValueBytes.h"
#include "Training/StartValue.h"
#include "amp-rt/Device.h"
#include "amp-rt/Load.h"
#include "amp-rt/StartValue.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <new>

using namespace amp::rt;

namespace {
/// An argument or a result.
struct Value {
  const AmpRtValue *description = nullptr;
  /// Of an array: MLIR's memref descriptor, two addresses, an offset, sizes and
  /// strides. Of a handle: the handle. Null until it is known.
  std::unique_ptr<int64_t[]> call;
  int64_t bytes = 0;
  /// There is a value to be read.
  bool isSet = false;
  /// Of a parameter: its master. Of a result: the argument that it becomes.
  Value *origin = nullptr;

  bool isArray() const { return description->kind == AMP_RT_VALUE_ARRAY; }
  void *data() const { return reinterpret_cast<void *>(call[1]); }
  void setData(void *data) {
    call[0] = call[1] = reinterpret_cast<intptr_t>(data);
  }
  int64_t count() const {
    return bytes / ampRtElementKindSize(description->elementKind);
  }
  bool is(const char *role, const char *name) const {
    return !std::strcmp(description->role, role) &&
           !std::strcmp(description->name, name);
  }
};
} // namespace

struct AmpRtTraining {
  ~AmpRtTraining();

  AmpRtStatus open(const char *call, const char *deviceName);
  AmpRtStatus createScalers(const char *call);
  AmpRtStatus describe(const char *call);
  AmpRtStatus start(const char *call, uint64_t seed);

  AmpRtStatus prepare(const char *call, Value &value, bool isResult);
  AmpRtStatus prepareHandle(const char *call, Value &value);
  AmpRtStatus resize(Value &value, int64_t bytes, const void *source);
  AmpRtStatus copyTo(void *target, const void *source, int64_t bytes);
  AmpRtStatus write(Value &value, const void *source);
  AmpRtStatus roundMaster(const char *call, Value &parameter,
                          const void *source);
  AmpRtStatus read(const char *call, const Value &value, void *target,
                   int64_t bytes);
  Value *find(const char *role, const char *name, int32_t count) const;
  /// An argument or, failing that, a result.
  AmpRtStatus find(const char *call, const char *role, const char *name,
                   Value *&value) const;

  Value *begin() const { return values.get(); }
  Value *results() const { return begin() + function->argumentCount; }
  Value *end() const { return results() + function->resultCount; }

  AmpRtProgram program;
  const AmpRtFunction *function = nullptr;
  AmpRtDevice *device = nullptr;
  AmpRtLoadedProgram *loaded = nullptr;
  AmpRtRun *run = nullptr;
  std::unique_ptr<AmpRtScaler *[]> scalers;
  int32_t scalerCount = 0;
  /// The arguments, and then the results.
  std::unique_ptr<Value[]> values;
  std::unique_ptr<void *[]> addresses;
};

template <typename T> static std::unique_ptr<T[]> makeArray(int64_t count) {
  return std::unique_ptr<T[]>(new (std::nothrow)
                                  T[static_cast<size_t>(count)]());
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

Value *AmpRtTraining::find(const char *role, const char *name,
                           int32_t count) const {
  Value *last = begin() + count;
  Value *found = std::find_if(
      begin(), last, [&](const Value &value) { return value.is(role, name); });
  return found == last ? nullptr : found;
}

AmpRtStatus AmpRtTraining::find(const char *call, const char *role,
                                const char *name, Value *&value) const {
  if (!role)
    return failNull(call, "role");
  if (!name)
    return failNull(call, "name");
  value = find(role, name, static_cast<int32_t>(end() - begin()));
  if (value && value->isArray())
    return AMP_RT_OK;
  return fail(AMP_RT_NOT_FOUND,
              "%s: expected an argument or a result of '%s', but it has no %s "
              "'%s'",
              call, function->name, role, name);
}

/// Gives an array memory for `bytes`, with those of `source` unless that is
/// null; its first extent, if the caller chooses it, follows from them. Where
/// that fails the array keeps what it has.
AmpRtStatus AmpRtTraining::resize(Value &value, int64_t bytes,
                                  const void *source) {
  const AmpRtValue &description = *value.description;
  void *data = nullptr;
  if (AmpRtStatus status = ampRtDeviceAllocate(device, bytes, 64, &data))
    return status;
  if (source)
    if (AmpRtStatus status = copyTo(data, source, bytes)) {
      (void)ampRtDeviceFree(device, data);
      return status;
    }
  (void)ampRtDeviceFree(device, value.data());
  value.setData(data);
  value.bytes = bytes;
  int64_t stride = 1, *sizes = &value.call[3];
  for (int32_t i = description.rank; i-- > 0; stride *= sizes[i]) {
    sizes[i] = description.extents[i] < 0 ? value.count() / stride
                                          : description.extents[i];
    sizes[description.rank + i] = stride;
    if (sizes[i] == 0) // the strides of no elements are never used
      break;
  }
  return AMP_RT_OK;
}

/// A handle that the program is given: a scaler's, or no tap's.
AmpRtStatus AmpRtTraining::prepareHandle(const char *call, Value &value) {
  value.isSet = true;
  if (value.description->kind == AMP_RT_VALUE_TAP)
    return AMP_RT_OK;
  for (int32_t i = 0; i < scalerCount; ++i)
    if (!std::strcmp(ampRtScalerName(scalers[i]), value.description->name)) {
      value.call[0] = ampRtScalerHandle(scalers[i]);
      return AMP_RT_OK;
    }
  return fail(AMP_RT_INVALID_ARGUMENT,
              "%s: expected '%s' to take arrays, scalers of the program and "
              "taps, but it takes '%s'",
              call, function->name, value.description->name);
}

AmpRtStatus AmpRtTraining::prepare(const char *call, Value &value,
                                   bool isResult) {
  const AmpRtValue &description = *value.description;
  value.call = makeArray<int64_t>(3 + 2 * description.rank);
  if (!value.call)
    return failNoMemory(call, "a training");
  if (!value.isArray() && !isResult)
    return prepareHandle(call, value);
  int64_t bytes = 0;
  if (AmpRtStatus status = countValueBytes(call, description, bytes))
    return status;
  if (bytes >= 0)
    return resize(value, bytes, /*source=*/nullptr);
  for (int32_t i = isResult ? 0 : 1; i < description.rank; ++i)
    if (description.extents[i] < 0)
      return fail(AMP_RT_UNAVAILABLE,
                  "%s: %s '%s': expected the extents of results, and those of "
                  "arguments but for the first, to be known; fix them in the "
                  "module",
                  call, description.role, description.name);
  return AMP_RT_OK; // until rows are written
}

AmpRtStatus AmpRtTraining::copyTo(void *target, const void *source,
                                  int64_t bytes) {
  if (bytes == 0)
    return AMP_RT_OK;
  if (AmpRtStatus status =
          ampRtDeviceCopy(device, target, source, bytes, AMP_RT_COPY_TO_DEVICE))
    return status;
  return ampRtDeviceSynchronize(device);
}

AmpRtStatus AmpRtTraining::write(Value &value, const void *source) {
  if (AmpRtStatus status = copyTo(value.data(), source, value.bytes))
    return status;
  value.isSet = true;
  return AMP_RT_OK;
}

/// Writes a parameter, rounded from the elements of its master at `source`.
AmpRtStatus AmpRtTraining::roundMaster(const char *call, Value &parameter,
                                       const void *source) {
  std::unique_ptr<char[]> rounded = makeArray<char>(parameter.bytes);
  if (!rounded)
    return failNoMemory(call, "a parameter");
  const int32_t from = parameter.origin->description->elementKind;
  for (int64_t i = 0, e = parameter.count(); i < e; ++i)
    ampRtElementStore(parameter.description->elementKind, rounded.get(), i,
                      ampRtElementLoad(from, source, i));
  return write(parameter, rounded.get());
}

AmpRtStatus AmpRtTraining::read(const char *call, const Value &value,
                                void *target, int64_t bytes) {
  if (!value.isSet)
    return fail(AMP_RT_INVALID_ARGUMENT,
                "%s: %s '%s': expected a value, which it has once it is "
                "written or a step gives it",
                call, value.description->role, value.description->name);
  if (bytes != value.bytes)
    return failValueBytes(call, *value.description, value.bytes, bytes);
  if (bytes == 0)
    return AMP_RT_OK;
  if (!target)
    return failNull(call, "data");
  if (AmpRtStatus status = ampRtRunSynchronize(run))
    return status;
  if (AmpRtStatus status = ampRtDeviceCopy(device, target, value.data(), bytes,
                                           AMP_RT_COPY_FROM_DEVICE))
    return status;
  return ampRtDeviceSynchronize(device);
}

//===----------------------------------------------------------------------===//
// Life
//===----------------------------------------------------------------------===//

AmpRtStatus AmpRtTraining::open(const char *call, const char *deviceName) {
  for (int32_t i = 0; i < program.functionCount && !function; ++i)
    if (program.functions[i]->kind == AMP_RT_FUNCTION_TRAIN_STEP)
      function = program.functions[i];
  if (!function)
    return fail(AMP_RT_NOT_FOUND,
                "%s: expected a train step among the %d functions of the "
                "program: one with a loss_seed argument and parameters among "
                "its results",
                call, program.functionCount);
  if (AmpRtStatus status = ampRtDeviceGet(deviceName, &device))
    return status;
  if (AmpRtStatus status = ampRtRunCreate(&run))
    return status;
  if (!program.chip && !std::strcmp(deviceName, "host"))
    return AMP_RT_OK;
  // Also refuses a program that is not for this device.
  if (AmpRtStatus status = ampRtProgramLoad(&program, device, &loaded))
    return status;
  return ampRtRunSetProgram(run, loaded);
}

AmpRtStatus AmpRtTraining::createScalers(const char *call) {
  scalers = makeArray<AmpRtScaler *>(program.scalerCount);
  if (!scalers)
    return failNoMemory(call, "the scalers of a training");
  for (; scalerCount < program.scalerCount; ++scalerCount) {
    const AmpRtProgramScaler &wanted = *program.scalers[scalerCount];
    if (AmpRtStatus status = ampRtScalerCreate(wanted.name, wanted.config,
                                               &scalers[scalerCount]))
      return status;
  }
  return AMP_RT_OK;
}

/// Gives each value its memory and finds which belong together.
AmpRtStatus AmpRtTraining::describe(const char *call) {
  const int64_t count =
      int64_t(function->argumentCount) + function->resultCount;
  values = makeArray<Value>(count);
  addresses = makeArray<void *>(count);
  if (!values || !addresses)
    return failNoMemory(call, "the values of a training");
  for (int64_t i = 0; i < count; ++i)
    begin()[i].description =
        i < function->argumentCount
            ? function->arguments[i]
            : function->results[i - function->argumentCount];
  for (Value &value : *this) {
    const bool isResult = &value >= results();
    if (AmpRtStatus status = prepare(call, value, isResult))
      return status;
    addresses[&value - begin()] = value.call.get();
    const AmpRtValue &description = *value.description;
    const bool isParameter = !std::strcmp(description.role, "param");
    if (!isResult && !isParameter)
      continue;
    Value *origin = find(isResult ? description.role : "master",
                         description.name, function->argumentCount);
    if (!origin || !origin->isArray())
      continue;
    const AmpRtValue &other = *origin->description;
    const bool isSameShape =
        other.rank == description.rank &&
        std::equal(other.extents, other.extents + other.rank,
                   description.extents);
    if (!isSameShape ||
        (isResult && other.elementKind != description.elementKind))
      return fail(AMP_RT_INVALID_ARGUMENT,
                  "%s: %s '%s': expected the type of %s '%s', whose value it "
                  "takes",
                  call, description.role, description.name, other.role,
                  other.name);
    value.origin = origin;
  }
  return AMP_RT_OK;
}

AmpRtStatus AmpRtTraining::start(const char *call, uint64_t seed) {
  for (Value *value = begin(); value != results(); ++value) {
    // A parameter takes its master's numbers.
    const Value &source = value->origin ? *value->origin : *value;
    if (!value->isArray() || !value->data() ||
        !hasStartValue(*source.description))
      continue;
    std::unique_ptr<char[]> made = makeArray<char>(source.bytes);
    if (!made)
      return failNoMemory(call, "a start value");
    if (AmpRtStatus status = ampRtStartValueFill(source.description, seed,
                                                 made.get(), source.bytes))
      return status;
    if (AmpRtStatus status = value->origin
                                 ? roundMaster(call, *value, made.get())
                                 : write(*value, made.get()))
      return status;
  }
  return AMP_RT_OK;
}

AmpRtTraining::~AmpRtTraining() {
  for (Value *value = begin(); value && value != end(); ++value)
    if (value->call && value->isArray())
      (void)ampRtDeviceFree(device, value->data());
  ampRtRunDestroy(run);
  (void)ampRtProgramUnload(loaded);
  for (int32_t i = 0; i < scalerCount; ++i)
    ampRtScalerDestroy(scalers[i]);
}

AmpRtStatus ampRtTrainingCreate(const AmpRtProgram *program, const char *device,
                                uint64_t seed, AmpRtTraining **training) {
  const char *call = "ampRtTrainingCreate";
  if (!program)
    return failNull(call, "program");
  if (!training)
    return failNull(call, "training");
  std::unique_ptr<AmpRtTraining> made(new (std::nothrow) AmpRtTraining);
  if (!made)
    return failNoMemory(call, "a training");
  if (AmpRtStatus status = chooseVersion(call, *program, program))
    return status;
  if (AmpRtStatus status =
          readStruct(call, "AmpRtProgram", *program, made->program))
    return status;
  if (AmpRtStatus status = made->open(call, device ? device : "host"))
    return status;
  if (AmpRtStatus status = made->createScalers(call))
    return status;
  if (AmpRtStatus status = made->describe(call))
    return status;
  if (AmpRtStatus status = made->start(call, seed))
    return status;
  *training = made.release();
  return AMP_RT_OK;
}

void ampRtTrainingDestroy(AmpRtTraining *training) { delete training; }

const AmpRtFunction *ampRtTrainingFunction(const AmpRtTraining *training) {
  return training ? training->function : nullptr;
}

AmpRtRun *ampRtTrainingRun(AmpRtTraining *training) {
  return training ? training->run : nullptr;
}

AmpRtStatus ampRtTrainingGetScaler(const AmpRtTraining *training,
                                   const char *name, AmpRtScaler **scaler) {
  const char *call = "ampRtTrainingGetScaler";
  if (!training)
    return failNull(call, "training");
  if (!scaler)
    return failNull(call, "scaler");
  for (int32_t i = 0; i < training->scalerCount; ++i)
    if (name ? !std::strcmp(ampRtScalerName(training->scalers[i]), name)
             : training->scalerCount == 1) {
      *scaler = training->scalers[i];
      return AMP_RT_OK;
    }
  return fail(AMP_RT_NOT_FOUND,
              "%s: expected the name of one of the program's %d scalers, but "
              "got '%s'",
              call, training->scalerCount, name ? name : "(null)");
}

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

AmpRtStatus ampRtTrainingGetBytes(const AmpRtTraining *training,
                                  const char *role, const char *name,
                                  int64_t *bytes) {
  const char *call = "ampRtTrainingGetBytes";
  if (!training)
    return failNull(call, "training");
  if (!bytes)
    return failNull(call, "bytes");
  Value *value;
  if (AmpRtStatus status = training->find(call, role, name, value))
    return status;
  *bytes = value->bytes;
  return AMP_RT_OK;
}

AmpRtStatus ampRtTrainingWrite(AmpRtTraining *training, const char *role,
                               const char *name, const void *data,
                               int64_t bytes) {
  const char *call = "ampRtTrainingWrite";
  if (!training)
    return failNull(call, "training");
  Value *value;
  if (AmpRtStatus status = training->find(call, role, name, value))
    return status;
  const AmpRtValue &description = *value->description;
  if (value >= training->results())
    return fail(AMP_RT_NOT_FOUND,
                "%s: expected an argument of '%s', but %s '%s' is a result",
                call, training->function->name, role, name);
  if (value->origin)
    return fail(AMP_RT_INVALID_ARGUMENT,
                "%s: %s '%s': expected the master of that name to be written, "
                "whose rounded copy it is",
                call, role, name);
  if (!data && bytes != 0)
    return failNull(call, "data");
  const bool hasRows = description.rank > 0 && description.extents[0] < 0;
  if (hasRows) {
    int64_t row = ampRtElementKindSize(description.elementKind);
    for (int32_t i = 1; i < description.rank; ++i)
      row *= description.extents[i];
    if (bytes < 0 || row == 0 || bytes % row != 0)
      return fail(AMP_RT_INVALID_ARGUMENT,
                  "%s: %s '%s': expected a multiple of %lld bytes, the size of "
                  "a row, but got %lld",
                  call, role, name, static_cast<long long>(row),
                  static_cast<long long>(bytes));
    if (!value->data() || bytes != value->bytes) {
      if (AmpRtStatus status = training->resize(*value, bytes, data))
        return status;
      value->isSet = true;
      return AMP_RT_OK;
    }
  } else if (bytes != value->bytes) {
    return failValueBytes(call, description, value->bytes, bytes);
  }
  if (AmpRtStatus status = training->write(*value, data))
    return status;
  for (Value *other = training->begin(); other != training->results(); ++other)
    if (other->origin == value)
      return training->roundMaster(call, *other, data);
  return AMP_RT_OK;
}

AmpRtStatus ampRtTrainingRead(AmpRtTraining *training, const char *role,
                              const char *name, void *data, int64_t bytes) {
  const char *call = "ampRtTrainingRead";
  if (!training)
    return failNull(call, "training");
  Value *value;
  if (AmpRtStatus status = training->find(call, role, name, value))
    return status;
  return training->read(call, *value, data, bytes);
}

AmpRtStatus ampRtTrainingStep(AmpRtTraining *training) {
  const char *call = "ampRtTrainingStep";
  if (!training)
    return failNull(call, "training");
  Value *results = training->results();
  for (Value *value = training->begin(); value != results; ++value)
    if (!value->isSet)
      return fail(AMP_RT_INVALID_ARGUMENT,
                  "%s: %s '%s': expected a value before the first step; give "
                  "it by ampRtTrainingWrite",
                  call, value->description->role, value->description->name);
  // What a call writes that fails is undefined.
  for (Value *value = results; value != training->end(); ++value)
    value->isSet = false;
  if (AmpRtStatus status = training->function->call(
          ampRtRunHandle(training->run), training->addresses.get()))
    return status;
  for (Value *value = results; value != training->end(); ++value) {
    value->isSet = !value->origin;
    if (!value->origin)
      continue;
    void *old = value->origin->data();
    value->origin->setData(value->data());
    value->setData(old);
  }
  return AMP_RT_OK;
}

AmpRtStatus ampRtTrainingGetLoss(AmpRtTraining *training, const char *name,
                                 double *loss) {
  const char *call = "ampRtTrainingGetLoss";
  if (!training)
    return failNull(call, "training");
  if (!loss)
    return failNull(call, "loss");
  for (Value *value = training->results(); value != training->end(); ++value) {
    if (!value->is("loss", name ? name : value->description->name) ||
        value->count() != 1)
      continue;
    alignas(double) char element[sizeof(double)];
    if (AmpRtStatus status =
            training->read(call, *value, element, value->bytes))
      return status;
    *loss = ampRtElementLoad(value->description->elementKind, element, 0);
    return AMP_RT_OK;
  }
  return fail(AMP_RT_NOT_FOUND,
              "%s: expected a loss among the results of '%s', a single number, "
              "but it has no '%s'",
              call, training->function->name, name ? name : "loss");
}
