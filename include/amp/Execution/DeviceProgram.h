//===- DeviceProgram.h - Compile a training step for a device ---*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// As JitProgram.h, for a GPU and for the emulator: kernels for the device, and
// a program on this CPU that asks the runtime to run them.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_EXECUTION_DEVICEPROGRAM_H
#define AMP_EXECUTION_DEVICEPROGRAM_H

#include "amp/Execution/JitProgram.h"

namespace mlir::amp {

/// Where a step runs.
struct DeviceTarget {
  /// A device of amp-rt/Device.h with kernels: "emulator" or "cuda".
  std::string device;
  /// What kernels are made for; empty: the device's chip, and for the emulator
  /// sm_90a.
  std::string chip;
  /// The CUDA toolkit, or empty for what PATH and CUDA_HOME name.
  std::string toolkit;
  /// Folder of compiled kernels, or empty.
  std::string cache;
  /// Whether products and convolutions may read f32 as tf32.
  bool tf32 = false;
  /// Whether the report of the compilation has the bytes that a step moves.
  bool countTraffic = false;
};

/// Sets the chip. Fails for a device that is not there, and for one whose chip
/// kernels cannot be made for.
llvm::Error completeTarget(DeviceTarget &target);

/// Compiles `module`, which is consumed, for a target that is complete.
/// Diagnostics go to the context's handlers.
llvm::Expected<std::unique_ptr<Program>>
compileForDevice(ModuleOp module, const MixedPrecisionOptions &precision,
                 const DeviceTarget &target, const JitOptions &options,
                 CompileReport *report = nullptr);

/// Fails for a chip that kernels cannot be made for.
llvm::Error checkChip(StringRef chip);

/// The same for a file (compileToHostObjects). No device is asked.
llvm::Expected<std::vector<ObjectCode>>
compileToDeviceObjects(ModuleOp module, const MixedPrecisionOptions &precision,
                       const DeviceTarget &target, const ObjectOptions &options,
                       CompileReport &report);

} // namespace mlir::amp

#endif // AMP_EXECUTION_DEVICEPROGRAM_H
