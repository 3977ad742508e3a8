//===- ShapedBytes.h - Memory of tensors and buffers ------------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Bytes of MLIR's shaped types.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_SUPPORT_SHAPEDBYTES_H
#define AMP_SUPPORT_SHAPEDBYTES_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/Support/MathExtras.h"

namespace mlir::amp {

/// Bytes of an element of `type` in memory, of which tf32 is f32; of one that
/// is neither an integer nor a float, those of an address.
inline int64_t getElementBytes(Type type) {
  Type element = getElementTypeOrSelf(type);
  if (isa<FloatTF32Type>(element))
    return 4;
  return element.isIntOrFloat()
             ? llvm::divideCeil(element.getIntOrFloatBitWidth(), 8)
             : 8;
}

/// Bytes of `type`, in which an extent that is not known counts as
/// `unknownExtent`.
inline int64_t countShapedBytes(ShapedType type, int64_t unknownExtent) {
  int64_t bytes = getElementBytes(type);
  for (int64_t extent : type.getShape())
    bytes *= ShapedType::isDynamic(extent) ? unknownExtent : extent;
  return bytes;
}

} // namespace mlir::amp

#endif // AMP_SUPPORT_SHAPEDBYTES_H
