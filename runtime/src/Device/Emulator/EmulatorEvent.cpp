//===- EmulatorEvent.cpp - Points in time of the emulator -----------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Everything has happened when a call returns, so an event is a reading of the
// host's clock. It measures the emulation and says nothing of a GPU.
//
//===----------------------------------------------------------------------===//

#include "Device/Emulator/EmulatorDevice.h"
#include "Support/Failure.h"

#include <chrono>
#include <mutex>
#include <new>
#include <optional>

namespace amp::rt::emulator {

class EmulatorEvent final : public AmpRtEvent {
public:
  explicit EmulatorEvent(EmulatorDevice &owner) : owner(owner) {}

  AmpRtStatus destroy(const char *) override {
    --owner.liveEvents;
    delete this;
    return AMP_RT_OK;
  }
  AmpRtStatus record(const char *call) override;
  AmpRtDevice &device() override { return owner; }
  AmpRtStatus elapsed(const char *call, AmpRtEvent &start,
                      double &milliseconds) override;

private:
  std::optional<std::chrono::steady_clock::time_point> get() {
    std::lock_guard<std::mutex> lock(mutex);
    return time;
  }

  EmulatorDevice &owner;
  std::mutex mutex;
  std::optional<std::chrono::steady_clock::time_point> time;
};

} // namespace amp::rt::emulator

using namespace amp::rt;
using namespace amp::rt::emulator;

AmpRtStatus EmulatorEvent::record(const char *) {
  std::lock_guard<std::mutex> lock(mutex);
  time = std::chrono::steady_clock::now();
  return AMP_RT_OK;
}

AmpRtStatus EmulatorEvent::elapsed(const char *call, AmpRtEvent &start,
                                   double &milliseconds) {
  auto first = static_cast<EmulatorEvent &>(start).get(), last = get();
  if (!first || !last)
    return fail(
        AMP_RT_INVALID_ARGUMENT,
        "%s: device 'emulator': expected events that are recorded, but '%s' "
        "is not; call ampRtEventRecord first",
        call, first ? "end" : "start");
  milliseconds =
      std::chrono::duration<double, std::milli>(*last - *first).count();
  return AMP_RT_OK;
}

AmpRtStatus EmulatorDevice::createEvent(const char *call, AmpRtEvent *&event) {
  auto *object = new (std::nothrow) EmulatorEvent(*this);
  if (!object)
    return failNoMemory(call, "an event");
  ++liveEvents;
  event = object;
  return AMP_RT_OK;
}
