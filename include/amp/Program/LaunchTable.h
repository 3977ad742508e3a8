//===- LaunchTable.h - The kernels of a program by numbers ------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A program for a device calls its kernels by the number of their module and
// gives it the addresses of operands in an order of its own. What makes the
// calls and what describes the program (amp-rt/Program.h) read both here.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_PROGRAM_LAUNCHTABLE_H
#define AMP_PROGRAM_LAUNCHTABLE_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinOps.h"

#include <optional>

namespace mlir::amp {

/// What `amp-record-launches` left on a module (`amp.launches`).
class LaunchTable {
public:
  /// A launch: a kernel's name and its `amp.launch`.
  struct Launch {
    StringAttr kernel;
    DictionaryAttr description;
  };
  struct Module {
    StringAttr name;
    /// Names of what the launches take, each once, in the order in which they
    /// take them.
    SmallVector<StringAttr> operands;
    /// By their order.
    SmallVector<Launch> launches;

    std::optional<unsigned> findOperand(StringRef operand) const;
  };

  explicit LaunchTable(ModuleOp module);

  ArrayRef<Module> getModules() const { return modules; }
  /// The number of the module of that name.
  std::optional<unsigned> find(StringRef name) const;

private:
  SmallVector<Module> modules;
};

} // namespace mlir::amp

#endif // AMP_PROGRAM_LAUNCHTABLE_H
