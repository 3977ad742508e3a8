//===- EntryPoints.h - Names of a compiled program's functions --*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AMP_LIB_PROGRAM_ENTRYPOINTS_H
#define AMP_LIB_PROGRAM_ENTRYPOINTS_H

#include "llvm/ADT/StringRef.h"

namespace mlir::amp {

/// What convert-func-to-llvm puts before the name of a function for the one
/// that takes addresses of descriptors.
constexpr llvm::StringLiteral kInterfacePrefix = "_mlir_ciface_";

} // namespace mlir::amp

#endif // AMP_LIB_PROGRAM_ENTRYPOINTS_H
