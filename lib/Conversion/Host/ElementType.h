//===- ElementType.h - Types with elements of another type ------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AMP_LIB_CONVERSION_HOST_ELEMENTTYPE_H
#define AMP_LIB_CONVERSION_HOST_ELEMENTTYPE_H

#include "mlir/IR/BuiltinTypeInterfaces.h"

namespace mlir::amp {

/// `type`, a scalar's or a shaped one, with elements of type `element`.
inline Type withElement(Type type, Type element) {
  if (auto shaped = dyn_cast<ShapedType>(type))
    return shaped.clone(element);
  return element;
}

} // namespace mlir::amp

#endif // AMP_LIB_CONVERSION_HOST_ELEMENTTYPE_H
