//===-- EmulatorDevice.h - GPU kernels on the CPU, checked ------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef AMP_RT_SRC_DEVICE_EMULATOR_EMULATORDEVICE_H
#define AMP_RT_SRC_DEVICE_EMULATOR_EMULATORDEVICE_H

#include "Device/Device.h"
#include "Device/Emulator/EmulatorMemory.h"

#include <atomic>

namespace amp::rt::emulator {

class EmulatorDevice final : public AmpRtDevice {
public:
  AmpRtStatus open(const char *call);

  const char *name() const override { return "emulator"; }
  AmpRtStatus properties(AmpRtDeviceProperties &properties) const override;
  AmpRtStatus allocate(const char *call, int64_t bytes, int64_t alignment,
                       void *&pointer) override;
  AmpRtStatus free(const char *call, void *pointer) override;
  AmpRtStatus copy(const char *call, void *target, const void *source,
                   int64_t bytes, AmpRtCopyKind kind) override;
  void statistics(AmpRtDeviceStatistics &statistics) const override {
    memory.counts().statistics(statistics);
  }
  void resetPeak() override { memory.resetPeak(); }
  AmpRtStatus launch(const AmpRtLaunch &launch) override;
  AmpRtStatus synchronize(const char *) override { return AMP_RT_OK; }
  AmpRtStatus close(const char *call) override;
  AmpRtStatus checkChip(const char *call, const char *chip) const override;
  AmpRtStatus loadModule(const char *call, const char *name, const void *image,
                         int64_t bytes, AmpRtModule *&module) override;
  AmpRtStatus encodeTensorMap(const char *call,
                              const AmpRtTensorMapDescription &description,
                              AmpRtTensorMap &map) override;
  AmpRtStatus createEvent(const char *call, AmpRtEvent *&event) override;

private:
  friend class EmulatorModule;
  friend class EmulatorEvent;

  AmpRtStatus checkSide(const char *call, const char *side, const void *pointer,
                        int64_t bytes, MemoryRange *&range);
  void markArguments(const AmpRtLaunch &launch);

  const Functions *functions = nullptr;
  EmulatorMemory memory;
  int64_t liveModules = 0;
  std::atomic<int64_t> liveEvents{0};
  /// Of everything: one launch at a time, and none while memory changes.
  std::mutex mutex;
};

} // namespace amp::rt::emulator

#endif // AMP_RT_SRC_DEVICE_EMULATOR_EMULATORDEVICE_H
