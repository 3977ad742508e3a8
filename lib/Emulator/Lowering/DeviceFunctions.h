//===- DeviceFunctions.h - Mathematics and other functions that kernels call -*-
// C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Addresses for the JIT's linker.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_LIB_EMULATOR_LOWERING_DEVICEFUNCTIONS_H
#define AMP_LIB_EMULATOR_LOWERING_DEVICEFUNCTIONS_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"

namespace mlir::amp {

void forEachDeviceFunction(
    llvm::function_ref<void(llvm::StringRef, void *)> act);

} // namespace mlir::amp

#endif // AMP_LIB_EMULATOR_LOWERING_DEVICEFUNCTIONS_H
