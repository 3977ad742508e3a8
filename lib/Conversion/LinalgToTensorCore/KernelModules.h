//===- KernelModules.h - The kernels of a module, equal ones once -*- C++
//-*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel is known by all that it is made of: problem, configuration and
// epilogue. The same again is the same gpu.module.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_LIB_CONVERSION_LINALGTOTENSORCORE_KERNELMODULES_H
#define AMP_LIB_CONVERSION_LINALGTOTENSORCORE_KERNELMODULES_H

#include "amp/Kernels/ConvolutionProblem.h"
#include "amp/Kernels/GemmConfig.h"
#include "amp/Kernels/GemmEpilogue.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "llvm/ADT/StringMap.h"

namespace mlir::amp {

class KernelModules {
public:
  explicit KernelModules(ModuleOp module) : module(module), symbols(module) {}

  /// The gpu.module with the kernels for this product, at the end of the
  /// module. `epilogue` may be null; `loc` is that of the first that asks.
  FailureOr<gpu::GPUModuleOp> getGemm(Location loc, const GemmProblem &problem,
                                      const GemmConfig &config,
                                      func::FuncOp epilogue);

  /// The same for a convolution. Fails if the epilogue has no place in it;
  /// `reason` then says why.
  FailureOr<gpu::GPUModuleOp> getConvolution(Location loc,
                                             const ConvolutionProblem &problem,
                                             const GemmConfig &config,
                                             func::FuncOp epilogue,
                                             std::string &reason);

  unsigned size() const { return kernels.size(); }

private:
  /// Emits a kernel under a new name, which begins with `prefix`.
  gpu::GPUModuleOp
  add(StringRef prefix,
      function_ref<gpu::GPUModuleOp(OpBuilder &, StringRef)> emit);

  ModuleOp module;
  SymbolTable symbols;
  /// By the text of what they are made of, which is compared whole.
  llvm::StringMap<gpu::GPUModuleOp> kernels;
};

} // namespace mlir::amp

#endif // AMP_LIB_CONVERSION_LINALGTOTENSORCORE_KERNELMODULES_H
