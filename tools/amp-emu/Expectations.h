//===- Expectations.h - What the results of a kernel should be --*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   NAME=file.npy          the array in a file
//   NAME=matmul(A,B)       A * B in f64, rounded once to NAME's type; A is
//                          [M][K], or [K][M] with ,ta; B is [K][N], or [N][K]
//                          with ,tb
//
// The difference may be `tolerance` times the sum of |a| * |b| (or, from a
// file, times the magnitude), which is 0 by default: exact, as it should be on
// small integers.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_TOOLS_AMPEMU_EXPECTATIONS_H
#define AMP_TOOLS_AMPEMU_EXPECTATIONS_H

#include "Arguments.h"

namespace mlir::amp {

/// Compares, and describes the worst difference when there is one.
llvm::Error checkExpectation(GivenArguments &arguments, StringRef text,
                             double tolerance);

} // namespace mlir::amp

#endif // AMP_TOOLS_AMPEMU_EXPECTATIONS_H
