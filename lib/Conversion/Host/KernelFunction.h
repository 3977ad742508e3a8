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

namespace mlir::amp {

/// An empty function of the module alone, which is never inlined. Memrefs of
/// static layout are passed by their address if all of `types` can be.
/// Inserted where `builder` stands, or nowhere.
func::FuncOp createKernelFunction(OpBuilder &builder, Location loc,
                                  StringRef name, ArrayRef<Type> types);

} // namespace mlir::amp

#endif // AMP_LIB_CONVERSION_HOST_KERNELFUNCTION_H
