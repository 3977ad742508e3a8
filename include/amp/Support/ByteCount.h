//===- ByteCount.h - Bytes of arrays that may not fit ------------*- C++
//-*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Extents come from modules and files: their product may be beyond 63 bits, and
// is 0 as soon as one of them is, whatever the others are.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_SUPPORT_BYTECOUNT_H
#define AMP_SUPPORT_BYTECOUNT_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <cstdint>
#include <optional>

namespace mlir::amp {

/// Bytes of an array of `shape` with elements of `elementBytes`, as far as its
/// extents are known (negative ones are not, and count as 1); nothing if 63
/// bits do not hold them.
inline std::optional<int64_t> countBytes(llvm::ArrayRef<int64_t> shape,
                                         int64_t elementBytes) {
  if (llvm::is_contained(shape, 0))
    return 0;
  for (int64_t extent : shape)
    if (extent >= 0 && llvm::MulOverflow(elementBytes, extent, elementBytes))
      return std::nullopt;
  return elementBytes;
}

} // namespace mlir::amp

#endif // AMP_SUPPORT_BYTECOUNT_H
