//===-- EmulatorModule.cpp - Modules and kernels of the emulator ----------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Device/Emulator/EmulatorModule.h"

#include "Support/Failure.h"
#include "Support/Handle.h"

#include <cstdlib>
#include <cstring>
#include <new>

using namespace amp::rt;
using namespace amp::rt::emulator;

AmpRtStatus EmulatorKernel::attributes(AmpRtKernelAttributes &attributes) {
  attributes.registers = 0; // not modelled
  attributes.threadsLimit = info.threadsLimit;
  attributes.argumentCount = info.argumentCount;
  attributes.staticSharedBytes = info.staticSharedBytes;
  attributes.localBytes = 0;
  attributes.sharedBytesLimit = kSharedBytesLimit - info.staticSharedBytes;
  return AMP_RT_OK;
}

AmpRtStatus EmulatorDevice::checkChip(const char *call,
                                      const char *chip) const {
  if (!*chip)
    return AMP_RT_OK;
  return fail(AMP_RT_UNAVAILABLE,
              "%s: device 'emulator': expected kernels as text, but the "
              "program's are compiled for '%s'; compile it for the emulator, "
              "or use device 'cuda'",
              call, chip);
}

AmpRtStatus EmulatorDevice::loadModule(const char *call, const char *name,
                                       const void *image, int64_t bytes,
                                       AmpRtModule *&module) {
  std::lock_guard<std::mutex> lock(mutex);
  char text[700] = "";
  void *loaded = nullptr;
  AmpRtStatus status =
      functions->load(name, image, bytes, &loaded, {text, sizeof(text)});
  if (status != AMP_RT_OK)
    return fail(status, "%s: module '%s': %s", call, name, text);
  char *copy = strdup(name);
  auto *object =
      copy ? new (std::nothrow) EmulatorModule(*this, loaded, copy) : nullptr;
  if (!object) {
    std::free(copy);
    functions->unload(loaded);
    return failNoMemory(call, "a module");
  }
  module = object;
  return AMP_RT_OK;
}

AmpRtStatus EmulatorModule::unload(const char *) {
  {
    std::lock_guard<std::mutex> lock(device.mutex);
    while (EmulatorKernel *kernel = kernels) {
      kernels = kernel->next;
      clearTag(kernel);
      std::free(kernel->name);
      delete kernel;
    }
    device.functions->unload(module);
    std::free(name);
    --device.liveModules;
  }
  delete this;
  return AMP_RT_OK;
}

AmpRtStatus EmulatorModule::kernel(const char *call, const char *kernelName,
                                   AmpRtKernel *&kernel) {
  std::lock_guard<std::mutex> lock(device.mutex);
  for (EmulatorKernel *known = kernels; known; known = known->next)
    if (std::strcmp(known->name, kernelName) == 0) {
      kernel = known;
      return AMP_RT_OK;
    }
  auto *created = new (std::nothrow) EmulatorKernel;
  char *copy = strdup(kernelName);
  char text[700] = "";
  AmpRtStatus status =
      !created || !copy
          ? failNoMemory(call, "a kernel")
          : device.functions->kernel(module, kernelName, &created->kernel,
                                     &created->info, {text, sizeof(text)});
  if (status != AMP_RT_OK) {
    if (*text)
      fail(status, "%s: module '%s': %s", call, name, text);
    std::free(copy);
    delete created;
    return status;
  }
  created->name = copy;
  created->next = kernels;
  kernels = created;
  kernel = created;
  return AMP_RT_OK;
}
