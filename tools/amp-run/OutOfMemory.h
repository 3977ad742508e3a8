//===- OutOfMemory.h - How amp-run ends without memory ----------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AMP_TOOLS_AMP_RUN_OUTOFMEMORY_H
#define AMP_TOOLS_AMP_RUN_OUTOFMEMORY_H

namespace mlir::amp {

/// From here on an allocation that fails, in our code or in LLVM's, and an
/// error that LLVM cannot return, end the program with one line and exit code
/// 1, and a crash asks for a report to this project. To be called after
/// InitLLVM, which sets others.
void installOutOfMemoryHandler();

} // namespace mlir::amp

#endif // AMP_TOOLS_AMP_RUN_OUTOFMEMORY_H
