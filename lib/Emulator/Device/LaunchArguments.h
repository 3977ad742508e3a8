//===- LaunchArguments.h - A launch's arguments for the machine -*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AMP_LIB_EMULATOR_DEVICE_LAUNCHARGUMENTS_H
#define AMP_LIB_EMULATOR_DEVICE_LAUNCHARGUMENTS_H

#include "Device/Emulator/EmulatorAbi.h"
#include "amp/Emulator/Kernel.h"

#include <list>

namespace mlir::amp {

/// The driver is given the address of each argument. The machine is, too, but
/// structs that are passed by value it reads through a pointer, and tensor maps
/// in its own form.
class LaunchArguments {
public:
  /// Returns what does not fit the kernel, or an empty text.
  std::string read(const LoweredKernel &kernel, const AmpRtLaunch &launch);

  void **getPointers() { return pointers.data(); }
  std::vector<const ::amp::emu::TensorMap *> getTensorMaps() const;

  /// Structs that are passed by value, which kernels may read.
  const std::vector<::amp::emu::Buffer> &getStructs() const { return structs; }

  /// "argument 2", or the address where no argument points to it.
  std::string nameBuffer(const ::amp::rt::emulator::MemoryRange &range) const;

private:
  void readStruct(const void *argument, int64_t bytes, size_t index);

  std::vector<void *> pointers;
  /// What pointers point to; lists, so that they stay where they are.
  std::list<::amp::emu::TensorMap> maps;
  std::list<const void *> addresses;
  std::vector<::amp::emu::Buffer> structs;
  /// Where pointers and tensor maps point to, by argument; 0 for others.
  std::vector<uintptr_t> targets;
};

} // namespace mlir::amp

#endif // AMP_LIB_EMULATOR_DEVICE_LAUNCHARGUMENTS_H
