//===- ElementKind.h - Element types as the runtime numbers them -*- C++
//-*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AMP_PROGRAM_ELEMENTKIND_H
#define AMP_PROGRAM_ELEMENTKIND_H

#include "amp-rt/Element.h"
#include "mlir/IR/BuiltinTypes.h"

#include <optional>

namespace mlir::amp {

/// The runtime's number of an element type, or nothing where it has none.
inline std::optional<AmpRtElementKind> getElementKind(Type type) {
  if (type.isInteger(1))
    return AMP_RT_ELEMENT_I1;
  if (type.isInteger(8))
    return AMP_RT_ELEMENT_I8;
  if (type.isInteger(16))
    return AMP_RT_ELEMENT_I16;
  if (type.isInteger(32))
    return AMP_RT_ELEMENT_I32;
  if (type.isInteger(64))
    return AMP_RT_ELEMENT_I64;
  if (type.isF16())
    return AMP_RT_ELEMENT_F16;
  if (type.isBF16())
    return AMP_RT_ELEMENT_BF16;
  if (type.isF32())
    return AMP_RT_ELEMENT_F32;
  if (type.isF64())
    return AMP_RT_ELEMENT_F64;
  return std::nullopt;
}

} // namespace mlir::amp

#endif // AMP_PROGRAM_ELEMENTKIND_H
