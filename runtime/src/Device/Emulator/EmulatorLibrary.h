//===-- EmulatorLibrary.h - The emulator, opened at run time ----*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef AMP_RT_SRC_DEVICE_EMULATOR_EMULATORLIBRARY_H
#define AMP_RT_SRC_DEVICE_EMULATOR_EMULATORLIBRARY_H

#include "Device/Emulator/EmulatorAbi.h"

namespace amp::rt::emulator {

/// Opens the file that the environment variable AMP_RT_EMULATOR names, else
/// libAmpEmulatorDevice.so in the folder of this library. It stays open.
AmpRtStatus openLibrary(const char *call, const Functions *&functions);

} // namespace amp::rt::emulator

#endif // AMP_RT_SRC_DEVICE_EMULATOR_EMULATORLIBRARY_H
