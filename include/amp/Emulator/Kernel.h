//===- Kernel.h - A kernel compiled for the emulator ------------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// From a gpu.module in the NVVM dialect to host code that runs on the machine
// of Launch.h. The IR is what would go on to PTX, one mechanical step earlier.
//
//   lowerKernel   finds the kernel, copies it out of its module, and rewrites
//                 every GPU instruction into a call of the machine; an
//                 instruction that has no model is an error at its location
//   JitKernel     compiles the result
//
//===----------------------------------------------------------------------===//

#ifndef AMP_EMULATOR_KERNEL_H
#define AMP_EMULATOR_KERNEL_H

#include "amp/Emulator/Launch.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/Support/Error.h"

#include <memory>
#include <optional>

namespace mlir {
class DialectRegistry;
class ExecutionEngine;
} // namespace mlir

namespace mlir::amp {

/// A parameter of the lowered function (a memref has several).
struct KernelParameter {
  /// ByValue is a struct that is passed by value through a pointer; a TMA
  /// descriptor looks like that.
  enum Kind { Pointer, ByValue, Integer, Float } kind = Pointer;
  unsigned bits = 64;
  std::string type; // as MLIR prints it
};

/// A kernel as host code, and what its module says of its launch.
struct LoweredKernel {
  OwningOpRef<ModuleOp> module;
  std::string name;
  std::vector<KernelParameter> parameters;
  std::vector<::amp::emu::Instruction> instructions;
  /// Dynamic shared memory begins after the static variables.
  unsigned staticShared = 0;
  bool usesDynamicShared = false;
  std::optional<::amp::emu::Dim3> block, cluster, grid;
  /// Whether `block` is only the maximum (nvvm.maxntid).
  bool blockIsMaximum = false;
  /// Registers that each thread begins with, where the module decides them: by
  /// nvvm.maxnreg, or because setmaxnreg makes the compiler take all that a
  /// block of this size can have. 0: not known.
  unsigned registers = 0;
  /// A variable of the module in global or constant memory.
  struct Global {
    std::string name;
    size_t size;
    bool isConstant;
  };
  std::vector<Global> globals;
};

/// Lowers the kernel `name`, or the only one if `name` is empty.
FailureOr<LoweredKernel> lowerKernel(ModuleOp module, StringRef name);

/// Names of the kernels of a module.
std::vector<std::string> getKernelNames(ModuleOp module);

class JitKernel {
public:
  static llvm::Expected<std::unique_ptr<JitKernel>>
  create(const LoweredKernel &kernel);
  ~JitKernel();

  void (*getEntry() const)(void **) { return entry; }
  /// The module's own variables.
  llvm::ArrayRef<::amp::emu::Buffer> getGlobals() const { return globals; }

private:
  JitKernel();
  std::unique_ptr<ExecutionEngine> engine;
  void (*entry)(void **) = nullptr;
  std::vector<::amp::emu::Buffer> globals;
};

} // namespace mlir::amp

#endif // AMP_EMULATOR_KERNEL_H
