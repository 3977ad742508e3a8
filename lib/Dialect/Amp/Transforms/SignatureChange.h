//===- SignatureChange.h - May a function take other types ------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A level gives functions other types, and their calls change with them. That
// is all a pass can see: code that a declaration stands for, and what is called
// through a reference, would go on with the old types.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_LIB_DIALECT_AMP_TRANSFORMS_SIGNATURECHANGE_H
#define AMP_LIB_DIALECT_AMP_TRANSFORMS_SIGNATURECHANGE_H

#include "amp/Dialect/Amp/IR/AmpDialect.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/DenseMap.h"

namespace mlir::amp {

/// The first use of each function of a module that is no call of it. An
/// analysis: one walk serves the passes that change signatures.
class FunctionReferences {
public:
  /// One walk over the uses of symbols in `module`.
  explicit FunctionReferences(ModuleOp module);

  /// Whether every use of `function` is a func.call.
  bool isCalledOnly(func::FuncOp function) const {
    return !firstReference.contains(function.getSymNameAttr());
  }

  /// Success if `function` may take other types at the level of `policy`: it
  /// has a body, and every use of it is a func.call. Otherwise an error at the
  /// declaration, or at the use that is none. `change` says what would change,
  /// as "argument 0 ('param' 'w') becomes tensor<4xf16>".
  LogicalResult requireChangeable(func::FuncOp function, PolicyAttr policy,
                                  const Twine &change) const;

private:
  llvm::DenseMap<StringAttr, Operation *> firstReference;
};

} // namespace mlir::amp

#endif // AMP_LIB_DIALECT_AMP_TRANSFORMS_SIGNATURECHANGE_H
