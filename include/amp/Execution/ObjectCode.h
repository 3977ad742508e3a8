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

/// How a program is compiled for a file.
struct ObjectTarget {
  /// The CPU whose code it has: "native" or what LLVM calls it.
  std::string cpu = "native";
  /// Of several versions of a program, for CPUs that can do less and less, the
  /// number of this one, and of all. The last one has the program's own symbols
  /// and describes all of them; those of others are hidden (getVersionSuffix).
  int64_t version = 0, numVersions = 1;

  bool isLast() const { return version + 1 == numVersions; }
};

/// Compiles `module`, in the LLVM dialect and describing itself. The objects of
/// all versions together call libamp-rt, libc and libm alone. Fails where LLVM
/// does.
llvm::Expected<std::vector<ObjectCode>>
generateObjectCode(ModuleOp module, unsigned optimizationLevel,
                   const ObjectTarget &target);

} // namespace mlir::amp

#endif // AMP_EXECUTION_OBJECTCODE_H
