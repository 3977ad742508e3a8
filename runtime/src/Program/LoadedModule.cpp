//===-- LoadedModule.cpp - A module of a program on a device --------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Program/LoadedModule.h"

#include "Support/Failure.h"
#include "Support/SizedStruct.h"

#include <cstdio>
#include <new>

using namespace amp::rt;

//===----------------------------------------------------------------------===//
// What the program says
//===----------------------------------------------------------------------===//

AmpRtStatus LoadedModule::readArgument(const char *call, int32_t number,
                                       Launch &launch) {
  const AmpRtProgramArgument *given = launch.known.arguments[number];
  if (!given)
    return failNull(call, "launch->arguments[...]");
  Argument &argument = launch.arguments[number];
  AmpRtProgramArgument &read = argument.known;
  if (AmpRtStatus status =
          readStruct(call, "AmpRtProgramArgument", *given, read))
    return status;
  void *&address = launch.addresses[number];
  int64_t &bytes = launch.bytes[number];
  bool isMap = read.kind == AMP_RT_ARGUMENT_TENSOR_MAP;
  bool hasOperand = read.operand >= 0 && read.operand < known.operandCount;
  bool isTable = read.kind == AMP_RT_ARGUMENT_TABLE && hasOperand &&
                 read.number >= 1 &&
                 read.number <= known.operandCount - read.operand;
  if (read.kind == AMP_RT_ARGUMENT_NUMBER) {
    address = &read.number;
    bytes = sizeof(read.number);
  } else if (read.kind == AMP_RT_ARGUMENT_POINTER && hasOperand) {
    bytes = sizeof(void *); // its address is among the operands
  } else if (isTable) {
    bytes = int64_t(sizeof(void *)) * read.number; // so are these, in a row
  } else if (isMap && hasOperand && read.map) {
    address = &argument.map;
    bytes = sizeof(argument.map);
    AmpRtStatus status = readStruct(call, "AmpRtTensorMapDescription",
                                    *read.map, argument.description);
    argument.description.address = nullptr;
    return status;
  } else {
    return fail(AMP_RT_INVALID_ARGUMENT,
                "%s: module '%s': kernel '%s': expected argument %d to be a "
                "number, the address or a described tensor map of one of %d "
                "operands, or the addresses of several, but got kind %d of "
                "operand %d and number %d; compile the program again",
                call, known.name, launch.known.kernel, number,
                known.operandCount, read.kind, read.operand, read.number);
  }
  return AMP_RT_OK;
}

AmpRtStatus LoadedModule::readLaunch(const char *call, int32_t number,
                                     Launch &launch) {
  const AmpRtProgramLaunch *given = known.launches[number];
  if (!given)
    return failNull(call, "module->launches[...]");
  AmpRtProgramLaunch &read = launch.known;
  if (AmpRtStatus status = readStruct(call, "AmpRtProgramLaunch", *given, read))
    return status;
  if (!read.kernel)
    return failNull(call, "launch->kernel");
  if (read.argumentCount < 0 || (read.argumentCount && !read.arguments))
    return fail(AMP_RT_INVALID_ARGUMENT,
                "%s: module '%s': kernel '%s': expected a list of arguments, "
                "but got %d of them at %p; compile the program again",
                call, known.name, read.kernel, read.argumentCount,
                static_cast<const void *>(read.arguments));
  auto count = static_cast<size_t>(read.argumentCount);
  launch.arguments.reset(new (std::nothrow) Argument[count]);
  launch.addresses.reset(new (std::nothrow) void *[count]);
  launch.bytes.reset(new (std::nothrow) int64_t[count]);
  if (!launch.arguments || !launch.addresses || !launch.bytes)
    return failNoMemory(call, "the arguments of a kernel");
  for (int32_t i = 0; i < read.argumentCount; ++i)
    if (AmpRtStatus status = readArgument(call, i, launch))
      return status;

  AmpRtLaunch &ready = launch.ready;
  ready = {};
  ready.structSize = sizeof(ready);
  ready.sharedBytes = read.sharedBytes;
  for (int i = 0; i < 3; ++i) {
    ready.grid[i] = read.grid[i];
    ready.threads[i] = read.threads[i];
    ready.cluster[i] = read.cluster[i];
  }
  ready.arguments = launch.addresses.get();
  ready.argumentBytes = launch.bytes.get();
  ready.argumentCount = read.argumentCount;
  return AMP_RT_OK;
}

AmpRtStatus LoadedModule::read(const char *call, const AmpRtProgram &program,
                               int32_t number) {
  const AmpRtProgramModule *given = program.modules[number];
  if (!given)
    return failNull(call, "program->modules[...]");
  if (AmpRtStatus status =
          readStruct(call, "AmpRtProgramModule", *given, known))
    return status;
  if (!known.name)
    return failNull(call, "module->name");
  if (!known.image || known.imageBytes < 1)
    return fail(AMP_RT_INVALID_ARGUMENT,
                "%s: module '%s': expected an image, but got %lld bytes at %p; "
                "compile the program again",
                call, known.name, static_cast<long long>(known.imageBytes),
                known.image);
  if (known.operandCount < 0 || known.launchCount < 0 ||
      (known.launchCount && !known.launches))
    return fail(AMP_RT_INVALID_ARGUMENT,
                "%s: module '%s': expected a list of launches and a count of "
                "operands, but got %d launches at %p and %d operands; compile "
                "the program again",
                call, known.name, known.launchCount,
                static_cast<const void *>(known.launches), known.operandCount);
  launches.reset(new (std::nothrow)
                     Launch[static_cast<size_t>(known.launchCount)]);
  if (!launches)
    return failNoMemory(call, "the launches of a module");
  for (int32_t i = 0; i < known.launchCount; ++i)
    if (AmpRtStatus status = readLaunch(call, i, launches[i]))
      return status;
  return AMP_RT_OK;
}

//===----------------------------------------------------------------------===//
// On the device
//===----------------------------------------------------------------------===//

/// A failure of the device, whose text says which call of it that was.
AmpRtStatus LoadedModule::failLaunch(AmpRtStatus status, const char *call,
                                     const Launch &launch) const {
  return status == AMP_RT_OK
             ? status
             : fail(status, "%s: module '%s': kernel '%s': %s", call,
                    known.name, launch.known.kernel, ampRtStatusText());
}

AmpRtStatus LoadedModule::load(AmpRtDevice &device) {
  return module ? AMP_RT_OK
                : ampRtModuleLoad(&device, known.name, known.image,
                                  known.imageBytes, &module);
}

AmpRtStatus LoadedModule::prepare(const char *call, AmpRtDevice &device,
                                  Launch &launch) {
  if (launch.ready.kernel)
    return AMP_RT_OK;
  AmpRtKernel *kernel = nullptr;
  AmpRtLaunch ready = launch.ready;
  AmpRtStatus status =
      ampRtModuleGetKernel(module, launch.known.kernel, &kernel);
  ready.kernel = kernel;
  if (status == AMP_RT_OK && launch.known.blocksPerProcessor != 0)
    status =
        ampRtDeviceFitGrid(&device, &ready, launch.known.blocksPerProcessor,
                           launch.known.gridMultiple);
  if (status == AMP_RT_OK)
    launch.ready = ready;
  return failLaunch(status, call, launch);
}

AmpRtStatus LoadedModule::run(AmpRtDevice &device, Launch &launch,
                              void *const *operands) {
  for (int32_t i = 0; i < launch.known.argumentCount; ++i) {
    Argument &argument = launch.arguments[i];
    if (argument.known.kind == AMP_RT_ARGUMENT_NUMBER)
      continue;
    void *const &operand = operands[argument.known.operand];
    if (argument.known.kind != AMP_RT_ARGUMENT_TENSOR_MAP) {
      launch.addresses[i] = const_cast<void **>(&operand);
      continue;
    }
    if (argument.description.address == operand)
      continue;
    argument.description.address = operand;
    AmpRtStatus status =
        ampRtTensorMapEncode(&device, &argument.description, &argument.map);
    if (status != AMP_RT_OK) {
      argument.description.address = nullptr;
      return status;
    }
  }
  return ampRtDeviceLaunch(&device, &launch.ready);
}

AmpRtStatus LoadedModule::launch(const char *call, AmpRtDevice &device,
                                 void *const *operands) {
  if (known.operandCount && !operands)
    return failNull(call, "operands");
  for (int32_t i = 0; i < known.operandCount; ++i)
    if (!operands[i])
      return fail(AMP_RT_INVALID_ARGUMENT,
                  "%s: module '%s': expected operand %d not to be null; give "
                  "memory of the device, to arrays without elements too",
                  call, known.name, i);
  std::lock_guard<std::mutex> lock(mutex);
  if (AmpRtStatus status = load(device))
    return fail(status, "%s: module '%s': %s", call, known.name,
                ampRtStatusText());
  for (int32_t i = 0; i < known.launchCount; ++i)
    if (AmpRtStatus status = prepare(call, device, launches[i]))
      return status;
  for (int32_t i = 0; i < known.launchCount; ++i)
    if (AmpRtStatus status = run(device, launches[i], operands))
      return failLaunch(status, call, launches[i]);
  return AMP_RT_OK;
}

AmpRtStatus LoadedModule::unload() {
  AmpRtModule *loaded = module;
  module = nullptr;
  return ampRtModuleUnload(loaded);
}
