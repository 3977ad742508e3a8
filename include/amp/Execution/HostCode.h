//===- HostCode.h - Machine code in this process ----------------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The last step of every way to run a program here: from what amp-to-host left
// to code in memory, linked against the runtime that this binary has.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_EXECUTION_HOSTCODE_H
#define AMP_EXECUTION_HOSTCODE_H

#include "amp-rt/Program.h"
#include "amp/Execution/LinkedFunction.h"
#include "mlir/IR/BuiltinOps.h"

#include "llvm/Support/Error.h"

#include <memory>
#include <vector>

namespace mlir::amp {

/// Compiled code, and what it says of itself.
struct HostCode {
  /// What the code is unloaded with.
  std::shared_ptr<void> memory;
  /// Lies in that memory.
  const AmpRtProgram *program = nullptr;
  /// All that lies there, by address.
  std::vector<LinkedFunction> functions;
};

/// Compiles `module`, in the LLVM dialect as `amp-to-host` leaves it, for this
/// CPU. `optimizationLevel` is LLVM's, 0 to 3; code with tiles of AMX is
/// compiled at 1 at least. Fails where LLVM does, for a module without entry
/// points, and for matrix instructions that this process cannot use.
llvm::Expected<HostCode> generateHostCode(ModuleOp module,
                                          unsigned optimizationLevel);

} // namespace mlir::amp

#endif // AMP_EXECUTION_HOSTCODE_H
