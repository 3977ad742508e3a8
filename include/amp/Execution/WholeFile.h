//===- WholeFile.h - Files that are written whole or not at all  -*- C++
//-*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AMP_EXECUTION_WHOLEFILE_H
#define AMP_EXECUTION_WHOLEFILE_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace llvm {
class raw_ostream;
} // namespace llvm

namespace mlir::amp {

/// Writes a file so that it is either the old or the new one, whatever happens.
/// A link keeps its place.
llvm::Error
writeWholeFile(llvm::StringRef path,
               llvm::function_ref<llvm::Error(llvm::raw_ostream &)> write);

/// Fails as a write to `path` would for want of a folder or of permission: to
/// be asked before work is done whose result goes there.
llvm::Error checkCanWrite(llvm::StringRef path);

} // namespace mlir::amp

#endif // AMP_EXECUTION_WHOLEFILE_H
