//===- UniqueKernels.h - Kernels of a module, equal ones once ---*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kernels that are compared as they are written, and the tensors that their
// launches take.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_LIB_CONVERSION_LINALGTOELEMENTKERNELS_UNIQUEKERNELS_H
#define AMP_LIB_CONVERSION_LINALGTOELEMENTKERNELS_UNIQUEKERNELS_H

#include "amp/Dialect/Amp/IR/AmpDialect.h"
#include "amp/Kernels/ElementKernel.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/StringMap.h"

namespace mlir::amp {

class UniqueKernels {
public:
  /// Names begin with `prefix`.
  UniqueKernels(ModuleOp module, StringRef prefix)
      : module(module), symbols(module), prefix(prefix) {}

  /// The kernel that `emit` writes at the end of the module, under the name
  /// that it is given: one that is there already, if it is the same.
  gpu::GPUModuleOp
  get(function_ref<gpu::GPUModuleOp(OpBuilder &builder, StringRef name)> emit);

  unsigned size() const { return kernels.size(); }

private:
  ModuleOp module;
  SymbolTable symbols;
  std::string prefix;
  /// By the text of what is in them.
  llvm::StringMap<gpu::GPUModuleOp> kernels;
};

/// A launch of `kernel` with results of `types`. Numbers are read from memory.
LaunchKernelsOp createLaunch(OpBuilder &builder, Location loc,
                             gpu::GPUModuleOp kernel,
                             ArrayRef<ElementKernel::Input> inputs,
                             ArrayRef<std::string> outputs, TypeRange types);

/// Replaces `op` by a launch of `kernel` that gives its results.
void replaceByLaunch(RewriterBase &rewriter, Operation *op,
                     gpu::GPUModuleOp kernel,
                     ArrayRef<ElementKernel::Input> inputs,
                     ArrayRef<std::string> outputs);

/// A buffer's elements from the first to the last, with those between them, in
/// one dimension: what a kernel takes of a buffer of any strides.
Value getWindow(OpBuilder &b, Location loc, Value buffer);

} // namespace mlir::amp

#endif // AMP_LIB_CONVERSION_LINALGTOELEMENTKERNELS_UNIQUEKERNELS_H
