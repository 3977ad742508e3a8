//===-- CudaEvent.cpp - Places in the order of the CUDA stream ---------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Device/Cuda/CudaDevice.h"
#include "Support/Failure.h"

#include <new>

namespace amp::rt::cuda {

class CudaEvent final : public AmpRtEvent {
public:
  CudaEvent(CudaDevice &owner, Event event) : owner(owner), event(event) {
    ++owner.liveObjects;
  }

  AmpRtStatus destroy(const char *call) override;
  AmpRtStatus record(const char *call) override;
  AmpRtDevice &device() override { return owner; }
  AmpRtStatus elapsed(const char *call, AmpRtEvent &start,
                      double &milliseconds) override;

private:
  CudaDevice &owner;
  Event event;
  std::atomic<bool> isRecorded{false};
};

} // namespace amp::rt::cuda

using namespace amp::rt;
using namespace amp::rt::cuda;

AmpRtStatus CudaEvent::destroy(const char *call) {
  CudaDevice &device = owner;
  Event handle = event;
  --device.liveObjects;
  delete this;
  Scope scope(device, call);
  if (scope.status != AMP_RT_OK)
    return scope.status;
  Result result = device.driver.EventDestroy(handle);
  return result == kSuccess
             ? AMP_RT_OK
             : device.driver.fail(result, call, "cuEventDestroy");
}

AmpRtStatus CudaEvent::record(const char *call) {
  if (owner.isCapturing())
    return owner.refuseInCapture(call, "a time");
  Scope scope(owner, call);
  if (scope.status != AMP_RT_OK)
    return scope.status;
  Result result = owner.driver.EventRecord(event, owner.stream);
  if (result != kSuccess)
    return owner.driver.fail(result, call, "cuEventRecord");
  isRecorded = true;
  return AMP_RT_OK;
}

AmpRtStatus CudaEvent::elapsed(const char *call, AmpRtEvent &start,
                               double &milliseconds) {
  Scope scope(owner, call);
  if (scope.status != AMP_RT_OK)
    return scope.status;
  auto &first = static_cast<CudaEvent &>(start);
  if (!first.isRecorded || !isRecorded)
    return fail(
        AMP_RT_INVALID_ARGUMENT,
        "%s: device 'cuda': expected events that are recorded, but '%s' "
        "is not; call ampRtEventRecord first",
        call, first.isRecorded ? "end" : "start");
  Result result = owner.driver.EventSynchronize(event);
  if (result != kSuccess)
    return owner.driver.fail(result, call, "cuEventSynchronize");
  float elapsed = 0;
  result = owner.driver.EventElapsedTime(&elapsed, first.event, event);
  if (result != kSuccess)
    return owner.driver.fail(result, call, "cuEventElapsedTime");
  milliseconds = static_cast<double>(elapsed);
  return AMP_RT_OK;
}

AmpRtStatus CudaDevice::createEvent(const char *call, AmpRtEvent *&event) {
  Scope scope(*this, call);
  if (scope.status != AMP_RT_OK)
    return scope.status;
  Event created = nullptr;
  Result result = driver.EventCreate(&created, kEventDefault);
  if (result != kSuccess)
    return driver.fail(result, call, "cuEventCreate");
  auto *object = new (std::nothrow) CudaEvent(*this, created);
  if (!object) {
    driver.EventDestroy(created);
    return failNoMemory(call, "an event");
  }
  event = object;
  return AMP_RT_OK;
}
