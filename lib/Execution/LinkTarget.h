//===- LinkTarget.h - Where a name of a new file leads ----------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A symbolic link may name a file that is not there yet: who opens it creates
// that file, and who renames another one over it would replace the link.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_LIB_EXECUTION_LINKTARGET_H
#define AMP_LIB_EXECUTION_LINKTARGET_H

#include "llvm/ADT/StringRef.h"

#include <string>

namespace mlir::amp {

/// The name at the end of the symbolic links that begin at `path`, whether or
/// not it is there; `path` if that is none. Links in its folders stay, for the
/// system follows them. Some link of the circle if they go round in one.
std::string getLinkTarget(llvm::StringRef path);

} // namespace mlir::amp

#endif // AMP_LIB_EXECUTION_LINKTARGET_H
