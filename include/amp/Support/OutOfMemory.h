//===- OutOfMemory.h - How a tool ends without memory -----------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AMP_SUPPORT_OUTOFMEMORY_H
#define AMP_SUPPORT_OUTOFMEMORY_H

namespace mlir::amp {

/// From here on an allocation that fails, in our code or in LLVM's, and an
/// error that LLVM cannot return, end the program with one line and exit code
/// 1, and a crash asks for a report to this project. `tool` begins the line
/// ("amp-run"); `remedy` says how to need less ("use smaller batches"). Both
/// outlive the program. To be called once, by main; where that calls InitLLVM
/// itself, after it.
void installOutOfMemoryHandler(const char *tool, const char *remedy);

} // namespace mlir::amp

#endif // AMP_SUPPORT_OUTOFMEMORY_H
