//===-- Kernels.cpp - The C interface of modules, tensor maps, events
//---------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Device/Device.h"
#include "Support/Failure.h"
#include "Support/SizedStruct.h"

using namespace amp::rt;

//===----------------------------------------------------------------------===//
// Devices without kernels
//===----------------------------------------------------------------------===//

AmpRtStatus AmpRtDevice::failNotOffered(const char *call,
                                        const char *what) const {
  return fail(AMP_RT_UNAVAILABLE,
              "%s: device '%s': expected a device with %s, but it has none; "
              "use device 'cuda'",
              call, name(), what);
}

AmpRtStatus AmpRtDevice::checkChip(const char *call, const char *) const {
  return failNotOffered(call, "kernels");
}

AmpRtStatus AmpRtDevice::loadModule(const char *call, const char *,
                                    const void *, int64_t, AmpRtModule *&) {
  return failNotOffered(call, "modules");
}

AmpRtStatus AmpRtDevice::encodeTensorMap(const char *call,
                                         const AmpRtTensorMapDescription &,
                                         AmpRtTensorMap &) {
  return failNotOffered(call, "tensor maps");
}

AmpRtStatus AmpRtDevice::createEvent(const char *call, AmpRtEvent *&) {
  return failNotOffered(call, "events");
}

AmpRtStatus AmpRtDevice::beginCapture(const char *call) {
  return failNotOffered(call, "graphs");
}

AmpRtStatus AmpRtDevice::endCapture(const char *call, AmpRtGraph *&) {
  return failNotOffered(call, "graphs");
}

//===----------------------------------------------------------------------===//
// Modules
//===----------------------------------------------------------------------===//

AmpRtStatus ampRtModuleLoad(AmpRtDevice *device, const char *name,
                            const void *image, int64_t bytes,
                            AmpRtModule **module) {
  const char *call = "ampRtModuleLoad";
  if (!device)
    return failNull(call, "device");
  if (!name)
    return failNull(call, "name");
  if (!image)
    return failNull(call, "image");
  if (!module)
    return failNull(call, "module");
  if (bytes < 1)
    return fail(AMP_RT_INVALID_ARGUMENT,
                "%s: module '%s': expected 'bytes' to be at least 1, but got "
                "%lld",
                call, name, static_cast<long long>(bytes));
  return device->loadModule(call, name, image, bytes, *module);
}

AmpRtStatus ampRtModuleUnload(AmpRtModule *module) {
  return module ? module->unload("ampRtModuleUnload") : AMP_RT_OK;
}

AmpRtStatus ampRtModuleGetKernel(AmpRtModule *module, const char *name,
                                 AmpRtKernel **kernel) {
  const char *call = "ampRtModuleGetKernel";
  if (!module)
    return failNull(call, "module");
  if (!name)
    return failNull(call, "name");
  if (!kernel)
    return failNull(call, "kernel");
  return module->kernel(call, name, *kernel);
}

AmpRtStatus ampRtKernelGetAttributes(AmpRtKernel *kernel,
                                     AmpRtKernelAttributes *attributes) {
  const char *call = "ampRtKernelGetAttributes";
  if (!kernel)
    return failNull(call, "kernel");
  if (!attributes)
    return failNull(call, "attributes");
  AmpRtKernelAttributes known = {};
  if (AmpRtStatus status = checkStructSize(
          call, "AmpRtKernelAttributes", attributes->structSize, sizeof(known)))
    return status;
  if (AmpRtStatus status = kernel->attributes(known))
    return status;
  writeStruct(known, *attributes);
  return AMP_RT_OK;
}

//===----------------------------------------------------------------------===//
// Tensor maps
//===----------------------------------------------------------------------===//

AmpRtStatus ampRtTensorMapEncode(AmpRtDevice *device,
                                 const AmpRtTensorMapDescription *description,
                                 AmpRtTensorMap *map) {
  const char *call = "ampRtTensorMapEncode";
  if (!device)
    return failNull(call, "device");
  if (!description)
    return failNull(call, "description");
  if (!map)
    return failNull(call, "map");
  AmpRtTensorMapDescription known, normal;
  AmpRtStatus status =
      readStruct(call, "AmpRtTensorMapDescription", *description, known);
  if (status == AMP_RT_OK)
    status = checkTensorMap(call, device->name(), known, normal);
  return status == AMP_RT_OK ? device->encodeTensorMap(call, normal, *map)
                             : status;
}

//===----------------------------------------------------------------------===//
// Events
//===----------------------------------------------------------------------===//

AmpRtStatus ampRtEventCreate(AmpRtDevice *device, AmpRtEvent **event) {
  const char *call = "ampRtEventCreate";
  if (!device)
    return failNull(call, "device");
  if (!event)
    return failNull(call, "event");
  return device->createEvent(call, *event);
}

AmpRtStatus ampRtEventDestroy(AmpRtEvent *event) {
  return event ? event->destroy("ampRtEventDestroy") : AMP_RT_OK;
}

AmpRtStatus ampRtEventRecord(AmpRtEvent *event) {
  const char *call = "ampRtEventRecord";
  return event ? event->record(call) : failNull(call, "event");
}

AmpRtStatus ampRtEventElapsed(AmpRtEvent *start, AmpRtEvent *end,
                              double *milliseconds) {
  const char *call = "ampRtEventElapsed";
  if (!start)
    return failNull(call, "start");
  if (!end)
    return failNull(call, "end");
  if (!milliseconds)
    return failNull(call, "milliseconds");
  if (&start->device() != &end->device())
    return fail(AMP_RT_INVALID_ARGUMENT,
                "%s: expected events of one device, but got '%s' and '%s'",
                call, start->device().name(), end->device().name());
  return end->elapsed(call, *start, *milliseconds);
}
