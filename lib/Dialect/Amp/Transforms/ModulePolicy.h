//===- ModulePolicy.h - The policy that passes follow -----------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// After amp-initialize-opt-level every pass reads what to do from the module.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_LIB_DIALECT_AMP_TRANSFORMS_MODULEPOLICY_H
#define AMP_LIB_DIALECT_AMP_TRANSFORMS_MODULEPOLICY_H

#include "amp/Dialect/Amp/IR/AmpDialect.h"
#include "amp/Dialect/Amp/IR/AmpRoles.h"
#include "mlir/IR/BuiltinOps.h"

namespace mlir::amp {

/// The policy of `module`; null, after an error, if it has none.
inline PolicyAttr requirePolicy(ModuleOp module) {
  auto policy = module->getAttrOfType<PolicyAttr>(kPolicyAttr);
  if (!policy)
    module.emitError() << "expected a module with 'amp.policy'; run "
                          "amp-initialize-opt-level first";
  return policy;
}

} // namespace mlir::amp

#endif // AMP_LIB_DIALECT_AMP_TRANSFORMS_MODULEPOLICY_H
