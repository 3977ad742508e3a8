//===-- EmulatorModule.h - Modules and kernels of the emulator --*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef AMP_RT_SRC_DEVICE_EMULATOR_EMULATORMODULE_H
#define AMP_RT_SRC_DEVICE_EMULATOR_EMULATORMODULE_H

#include "Device/Emulator/EmulatorDevice.h"

namespace amp::rt::emulator {

class EmulatorKernel final : public AmpRtKernel {
public:
  static constexpr uint32_t kTag = 0x656d756b; // "emuk"

  AmpRtStatus attributes(AmpRtKernelAttributes &attributes) override;

  /// Of live kernels, for launches that are given something else.
  uint32_t tag = kTag;
  char *name = nullptr;
  void *kernel = nullptr; ///< the library's
  KernelInfo info = {};
  EmulatorKernel *next = nullptr;
};

class EmulatorModule final : public AmpRtModule {
public:
  /// `name` is taken over. The device is locked.
  EmulatorModule(EmulatorDevice &device, void *module, char *name)
      : device(device), module(module), name(name) {
    ++device.liveModules;
  }

  AmpRtStatus unload(const char *call) override;
  AmpRtStatus kernel(const char *call, const char *name,
                     AmpRtKernel *&kernel) override;

private:
  EmulatorDevice &device;
  void *module; ///< the library's
  char *name;
  EmulatorKernel *kernels = nullptr;
};

} // namespace amp::rt::emulator

#endif // AMP_RT_SRC_DEVICE_EMULATOR_EMULATORMODULE_H
