//===- DescribeKernels.h - A program's kernels as data ----------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The part of a program's description that a device reads.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_LIB_PROGRAM_DESCRIBEKERNELS_H
#define AMP_LIB_PROGRAM_DESCRIBEKERNELS_H

#include "ConstantWriter.h"

namespace mlir::amp {

/// Symbols of an AmpRtProgram's members; empty in a program for the host.
struct KernelDescription {
  std::string chip, modules;
  int64_t count = 0;
};

/// Writes what amp-record-launches and amp-embed-kernels left on `module`, and
/// takes it off.
KernelDescription describeKernels(ConstantWriter &writer, ModuleOp module);

} // namespace mlir::amp

#endif // AMP_LIB_PROGRAM_DESCRIBEKERNELS_H
