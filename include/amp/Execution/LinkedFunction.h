//===- LinkedFunction.h - Where a compiled function lies --------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a profiler or debugger needs of a function that lies in no file: its
// address, size and symbol.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_EXECUTION_LINKEDFUNCTION_H
#define AMP_EXECUTION_LINKEDFUNCTION_H

#include <cstdint>
#include <string>

namespace mlir::amp {

/// A function of code in this process.
struct LinkedFunction {
  /// Its symbol; functions of different parts that nobody else calls may share
  /// one.
  std::string name;
  uint64_t address;
  /// In bytes, not 0.
  uint64_t size;
};

} // namespace mlir::amp

#endif // AMP_EXECUTION_LINKEDFUNCTION_H
