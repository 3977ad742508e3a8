//===-- LoadedProgram.h - A program on a device -----------------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef AMP_RT_SRC_PROGRAM_LOADEDPROGRAM_H
#define AMP_RT_SRC_PROGRAM_LOADEDPROGRAM_H

#include "Device/Device.h"
#include "Program/LoadedModule.h"

struct AmpRtLoadedProgram {
  explicit AmpRtLoadedProgram(AmpRtDevice &device) : device(device) {}

  /// Copies what the program says, and refuses what cannot be run.
  AmpRtStatus read(const char *call, const AmpRtProgram &program);

  AmpRtStatus launch(const char *call, int32_t module, void *const *operands);

  /// The address of a constant on the device, copied there if it is not.
  AmpRtStatus constant(const char *call, const void *source, int64_t bytes,
                       void *&pointer);

  /// Waits for the device and gives back what is there.
  AmpRtStatus unload(const char *call);

  AmpRtDevice &device;

private:
  struct Constant {
    const void *source;
    int64_t bytes;
    void *pointer;
    /// The next of the bucket.
    Constant *next;
  };

  AmpRtStatus copyConstant(const char *call, Constant &constant);

  int32_t moduleCount = 0;
  std::unique_ptr<amp::rt::LoadedModule[]> modules;

  static constexpr unsigned kBucketBits = 7;

  /// Of the constants.
  std::mutex mutex;
  Constant *constants[1u << kBucketBits] = {};
};

#endif // AMP_RT_SRC_PROGRAM_LOADEDPROGRAM_H
