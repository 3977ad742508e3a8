//===- SharedObject.h - Linked programs ----------------------- -*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AMP_EXECUTION_SHAREDOBJECT_H
#define AMP_EXECUTION_SHAREDOBJECT_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <string>

namespace mlir::amp {

/// The file of the runtime library that this process uses, and the name by
/// which programs ask for it: both fail if it is no library of its own.
llvm::Expected<std::string> findRuntimeLibrary();

/// The linker that linkSharedObject uses: ld.lld or a compiler in PATH. Fails
/// if there is none.
llvm::Expected<std::string> findLinker();

/// Links `objects` with `linker` to a shared object at `path`, written whole or
/// not at all. It asks for the runtime, libm and libc, which are all that it
/// may call, and looks for the runtime in its own folder first.
llvm::Error linkSharedObject(llvm::StringRef linker,
                             llvm::ArrayRef<llvm::ArrayRef<char>> objects,
                             llvm::StringRef path);

} // namespace mlir::amp

#endif // AMP_EXECUTION_SHAREDOBJECT_H
