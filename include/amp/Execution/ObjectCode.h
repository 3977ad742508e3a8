//===- ObjectCode.h - Machine code for later ------------------ -*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// As HostCode.h, but for a file: from what amp-to-host and amp-to-gpu left to
// relocatable objects, the same code for the same CPU.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_EXECUTION_OBJECTCODE_H
#define AMP_EXECUTION_OBJECTCODE_H

#include "mlir/IR/BuiltinOps.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Error.h"

namespace mlir::amp {

/// The bytes of an object file.
using ObjectCode = llvm::SmallVector<char, 0>;

/// Compiles `module`, in the LLVM dialect and describing itself, for `cpu`:
/// "native" or what LLVM calls it. The objects together call libamp-rt, libc
/// and libm alone. Fails where LLVM does, and for code that multiplies in tiles
/// of AMX: nobody asks the system for them where it will run.
llvm::Expected<std::vector<ObjectCode>>
generateObjectCode(ModuleOp module, unsigned optimizationLevel, StringRef cpu);

} // namespace mlir::amp

#endif // AMP_EXECUTION_OBJECTCODE_H
