//===-- EmulatorAbi.h - What libAmpEmulatorDevice.so offers -----*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The runtime knows no compiler. The emulator compiles kernels, so it is a
// library of its own, which the device opens at run time. Between the two there
// are these plain structs and functions only. A function that does not return
// AMP_RT_OK has written what it expected into `text`.
//
//===----------------------------------------------------------------------===//
#ifndef AMP_RT_SRC_DEVICE_EMULATOR_EMULATORABI_H
#define AMP_RT_SRC_DEVICE_EMULATOR_EMULATORABI_H

#include "amp-rt/Kernel.h"

namespace amp::rt::emulator {

/// Of this file; another one's library is refused.
constexpr uint32_t kAbiVersion = 1;
constexpr const char *kEntryName = "ampEmulatorFunctions";

/// Of sm_90, in bytes of a block.
constexpr int64_t kSharedBytesLimit = 232448;

struct Text {
  char *data;
  int64_t capacity;
};

struct KernelInfo {
  int32_t argumentCount;
  int32_t threadsLimit;
  int64_t staticSharedBytes;
};

/// Memory of the device that kernels may touch.
struct MemoryRange {
  void *data;
  int64_t bytes;
  /// Reading what nobody has written is a finding.
  bool isInitialised;
};

struct Functions {
  uint32_t version;
  /// Text in the NVVM dialect. `name` is how findings call it.
  AmpRtStatus (*load)(const char *name, const void *image, int64_t bytes,
                      void **module, Text text);
  void (*unload)(void *module);
  /// Compiles the kernel. It belongs to the module.
  AmpRtStatus (*kernel)(void *module, const char *name, void **kernel,
                        KernelInfo *info, Text text);
  /// Runs it to its end; `launch.kernel` is this side's. A finding is
  /// AMP_RT_DEVICE_ERROR.
  AmpRtStatus (*launch)(const AmpRtLaunch *launch, const MemoryRange *ranges,
                        int64_t rangeCount, Text text);
};

/// The type of the library's one symbol.
using Entry = const Functions *(*)();

/// What an AmpRtTensorMap holds: a description that obeys the rules, in fewer
/// bits.
struct PackedTensorMap {
  static constexpr uint64_t kMagic = UINT64_C(0x50414d554d45504d);

  uint64_t magic;
  uint64_t address;
  uint64_t strides[4];
  uint32_t lastIndices[5]; // sizes less 1
  uint16_t box[5];
  uint16_t channels, pixels;
  int16_t lowerCorner[3], upperCorner[3];
  uint8_t elementSteps[5];
  uint8_t kind, elementType, rank, swizzle, fill;
  uint8_t unused[24];
};
static_assert(sizeof(PackedTensorMap) == sizeof(AmpRtTensorMap),
              "takes the place of the driver's");

} // namespace amp::rt::emulator

#endif // AMP_RT_SRC_DEVICE_EMULATOR_EMULATORABI_H
