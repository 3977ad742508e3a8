//===- JsonFile.h - JSON files that a run reads -----------------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AMP_LIB_EXECUTION_JSONFILE_H
#define AMP_LIB_EXECUTION_JSONFILE_H

#include "llvm/Support/JSON.h"

namespace mlir::amp {

/// The value that the file `path` is. An error: it cannot be opened, or is no
/// JSON.
llvm::Expected<llvm::json::Value> readJsonFile(llvm::StringRef path);

/// What is said of a file that is JSON, but not what it should `hold`
/// ("tolerances"): `root` knows where and why.
llvm::Error makeJsonContentError(llvm::StringRef path, llvm::StringRef hold,
                                 const llvm::json::Path::Root &root);

} // namespace mlir::amp

#endif // AMP_LIB_EXECUTION_JSONFILE_H
