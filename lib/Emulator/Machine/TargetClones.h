//===- TargetClones.h - Inner loops for the CPU at hand ---------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A function marked AMP_EMU_CLONES is compiled for several generations of
// x86-64, one of which is chosen when the program starts.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_LIB_EMULATOR_MACHINE_TARGETCLONES_H
#define AMP_LIB_EMULATOR_MACHINE_TARGETCLONES_H

#if defined(__x86_64__) && !defined(__SANITIZE_ADDRESS__)
#define AMP_EMU_CLONES                                                         \
  __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define AMP_EMU_CLONES
#endif

#endif // AMP_LIB_EMULATOR_MACHINE_TARGETCLONES_H
