//===-- LoadedProgram.cpp - A program on a device -------------------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Program/LoadedProgram.h"

#include "Program/ChooseVersion.h"
#include "Support/FirstFailure.h"
#include "Support/SizedStruct.h"

#include <new>

using namespace amp::rt;

//===----------------------------------------------------------------------===//
// Life
//===----------------------------------------------------------------------===//

AmpRtStatus AmpRtLoadedProgram::read(const char *call,
                                     const AmpRtProgram &program) {
  if (program.moduleCount < 0 || (program.moduleCount && !program.modules))
    return fail(AMP_RT_INVALID_ARGUMENT,
                "%s: expected the program to have a list of modules, but got "
                "%d of them at %p; compile it again",
                call, program.moduleCount,
                static_cast<const void *>(program.modules));
  modules.reset(new (std::nothrow)
                    LoadedModule[static_cast<size_t>(program.moduleCount)]);
  if (!modules)
    return failNoMemory(call, "the modules of a program");
  moduleCount = program.moduleCount;
  for (int32_t i = 0; i < moduleCount; ++i)
    if (AmpRtStatus status = modules[i].read(call, program, i))
      return status;
  return AMP_RT_OK;
}

AmpRtStatus ampRtProgramLoad(const AmpRtProgram *program, AmpRtDevice *device,
                             AmpRtLoadedProgram **loaded) {
  const char *call = "ampRtProgramLoad";
  if (!program)
    return failNull(call, "program");
  if (!device)
    return failNull(call, "device");
  if (!loaded)
    return failNull(call, "loaded");
  AmpRtProgram known;
  if (AmpRtStatus status = readStruct(call, "AmpRtProgram", *program, known))
    return status;
  if (AmpRtStatus status = checkRuntimeVersion(call, known.runtimeVersion))
    return status;
  if (!known.chip)
    return fail(AMP_RT_INVALID_ARGUMENT,
                "%s: device '%s': expected a program for a device, but got one "
                "for the host; call its functions without loading it, or "
                "compile it for the device",
                call, device->name());
  if (AmpRtStatus status = device->checkChip(call, known.chip))
    return status;
  std::unique_ptr<AmpRtLoadedProgram> result(new (std::nothrow)
                                                 AmpRtLoadedProgram(*device));
  if (!result)
    return failNoMemory(call, "a program");
  if (AmpRtStatus status = result->read(call, known))
    return status;
  *loaded = result.release();
  return AMP_RT_OK;
}

AmpRtStatus AmpRtLoadedProgram::unload(const char *call) {
  FirstFailure failure;
  failure.add(device.synchronize(call));
  for (Constant *&bucket : constants)
    while (Constant *constant = bucket) {
      bucket = constant->next;
      failure.add(device.free(call, constant->pointer));
      delete constant;
    }
  for (int32_t i = 0; i < moduleCount; ++i)
    failure.add(modules[i].unload());
  return failure.report();
}

AmpRtStatus ampRtProgramUnload(AmpRtLoadedProgram *loaded) {
  if (!loaded)
    return AMP_RT_OK;
  AmpRtStatus status = loaded->unload("ampRtProgramUnload");
  delete loaded;
  return status;
}

//===----------------------------------------------------------------------===//
// Launches and constants
//===----------------------------------------------------------------------===//

AmpRtStatus AmpRtLoadedProgram::launch(const char *call, int32_t module,
                                       void *const *operands) {
  if (module < 0 || module >= moduleCount)
    return fail(AMP_RT_INVALID_ARGUMENT,
                "%s: device '%s': expected a module of the %d that the loaded "
                "program has, but got %d; set the run's program to the one "
                "that is called",
                call, device.name(), moduleCount, module);
  return modules[module].launch(call, device, operands);
}

AmpRtStatus AmpRtLoadedProgram::copyConstant(const char *call,
                                             Constant &constant) {
  AmpRtStatus status =
      device.allocate(call, constant.bytes, /*alignment=*/0, constant.pointer);
  if (status != AMP_RT_OK || constant.bytes == 0)
    return status;
  FirstFailure failure;
  failure.add(device.copy(call, constant.pointer, constant.source,
                          constant.bytes, AMP_RT_COPY_TO_DEVICE));
  if (failure.report() != AMP_RT_OK)
    failure.add(device.free(call, constant.pointer));
  return failure.report();
}

AmpRtStatus AmpRtLoadedProgram::constant(const char *call, const void *source,
                                         int64_t bytes, void *&pointer) {
  if (AmpRtStatus status = checkAllocation(call, device, bytes, 0))
    return status;
  if (!source && bytes > 0)
    return failNull(call, "source");
  uint64_t product =
      reinterpret_cast<uintptr_t>(source) * UINT64_C(0x9e3779b97f4a7c15);
  std::lock_guard<std::mutex> lock(mutex);
  Constant *&bucket = constants[product >> (64 - kBucketBits)];
  // With its size: an empty constant may lie where another one begins.
  for (Constant *known = bucket; known; known = known->next)
    if (known->source == source && known->bytes == bytes) {
      pointer = known->pointer;
      return AMP_RT_OK;
    }
  auto *created = new (std::nothrow) Constant{source, bytes, nullptr, bucket};
  if (!created)
    return failNoMemory(call, "a constant's record");
  AmpRtStatus status = copyConstant(call, *created);
  if (status != AMP_RT_OK) {
    delete created;
    return status;
  }
  bucket = created;
  pointer = created->pointer;
  return AMP_RT_OK;
}
