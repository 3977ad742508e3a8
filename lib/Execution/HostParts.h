//===- HostParts.h - Parts of a step, for LLVM ---------------- -*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A step is hundreds of kernels that are never inlined. They are divided into
// parts that are compiled apart, each a module. What is compiled in this
// process and what is compiled ahead of time have the same parts, and so the
// same code.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_LIB_EXECUTION_HOSTPARTS_H
#define AMP_LIB_EXECUTION_HOSTPARTS_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/Error.h"

#include <memory>

namespace llvm {
class Module;
class TargetMachine;
namespace orc {
class ThreadSafeContext;
} // namespace orc
} // namespace llvm

namespace mlir::amp {

/// The LLVM dialect of `module` as LLVM IR in `context`.
llvm::Expected<std::unique_ptr<llvm::Module>>
translateForHost(ModuleOp module, llvm::orc::ThreadSafeContext &context);

/// How many parts `module` is worth.
unsigned countParts(const llvm::Module &module);

/// Divides `module` into `count` parts that are compiled apart. What is never
/// inlined (kernels, and what they share) is seen by all of them; other
/// functions that nobody outside asks for, and constants, stay with whoever
/// uses them.
SmallVector<std::unique_ptr<llvm::Module>> divideIntoParts(llvm::Module &module,
                                                           unsigned count);

/// LLVM's pipeline for `level`, 0 to 3, as a step needs it.
void optimizePart(llvm::Module &part, llvm::TargetMachine &machine,
                  unsigned level);

/// Whether `module` calls an intrinsic whose name begins so.
bool callsIntrinsic(const llvm::Module &module, StringRef prefix);

} // namespace mlir::amp

#endif // AMP_LIB_EXECUTION_HOSTPARTS_H
