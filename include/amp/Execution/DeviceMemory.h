//===- DeviceMemory.h - Memory of a device, freed by its owner --*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What of an array lies on a device of the runtime (amp-rt/Device.h).
//
//===----------------------------------------------------------------------===//

#ifndef AMP_EXECUTION_DEVICEMEMORY_H
#define AMP_EXECUTION_DEVICEMEMORY_H

#include "llvm/Support/Error.h"

#include <cstdint>
#include <memory>

struct AmpRtDevice;

namespace mlir::amp {

class DeviceMemory {
public:
  /// Fails, with the runtime's text, if the device has not so much left.
  static llvm::Expected<std::unique_ptr<DeviceMemory>>
  allocate(AmpRtDevice *device, int64_t bytes);
  ~DeviceMemory();
  DeviceMemory(const DeviceMemory &) = delete;
  DeviceMemory &operator=(const DeviceMemory &) = delete;

  AmpRtDevice *getDevice() const { return device; }
  void *get() const { return pointer; }
  int64_t getNumBytes() const { return bytes; }

  /// Copies all of it from the host's memory, or there; both are done on
  /// return.
  llvm::Error write(const void *source);
  llvm::Error read(void *target) const;

private:
  DeviceMemory(AmpRtDevice *device, void *pointer, int64_t bytes)
      : device(device), pointer(pointer), bytes(bytes) {}

  AmpRtDevice *device;
  void *pointer;
  int64_t bytes;
};

} // namespace mlir::amp

#endif // AMP_EXECUTION_DEVICEMEMORY_H
