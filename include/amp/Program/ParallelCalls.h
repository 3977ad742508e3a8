//===- ParallelCalls.h - Calls of the parts of a loop -----------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AMP_PROGRAM_PARALLELCALLS_H
#define AMP_PROGRAM_PARALLELCALLS_H

#include "llvm/ADT/StringRef.h"

namespace mlir::amp {

/// On a call, between amp-outline-parallel-loops and
/// amp-convert-parallel-calls: the callee computes one part of a loop, whose
/// number is its first argument, and the call gives their count in its place.
/// On a function of the LLVM dialect after that: the runtime calls it.
constexpr llvm::StringLiteral kParallelAttr = "amp.parallel";

} // namespace mlir::amp

#endif // AMP_PROGRAM_PARALLELCALLS_H
