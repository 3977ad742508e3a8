//===- KernelFunction.h - Functions around pieces of a step -----*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AMP_LIB_CONVERSION_HOST_KERNELFUNCTION_H
#define AMP_LIB_CONVERSION_HOST_KERNELFUNCTION_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"

namespace mlir::amp {

/// What a function around a piece of code takes of the values that it uses: all
/// but constants, whose values are worth more to the optimiser than sharing
/// would be.
SmallVector<Value> getKernelArguments(const llvm::SetVector<Value> &inputs);

/// A function of the module alone, which is never inlined, with an argument for
/// each of `arguments` and copies of the constants among `inputs`; `mapping`
/// gets what stands for them. Memrefs of static layout are passed by their
/// address if all arguments can be. In no module yet; `builder` stands in it
/// afterwards.
func::FuncOp createKernelFunction(OpBuilder &builder, Location loc,
                                  StringRef name, ArrayRef<Value> arguments,
                                  const llvm::SetVector<Value> &inputs,
                                  IRMapping &mapping);

} // namespace mlir::amp

#endif // AMP_LIB_CONVERSION_HOST_KERNELFUNCTION_H
