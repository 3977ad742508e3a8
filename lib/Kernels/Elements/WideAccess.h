//===- WideAccess.h - What one instruction reads or writes ------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A thread that computes iterations of a loop that follow one another reads and
// writes their elements by one instruction of up to 16 bytes, where they follow
// one another in memory and begin where such an access may. Both are proved
// from types and offsets, before a kernel is written.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_LIB_KERNELS_ELEMENTS_WIDEACCESS_H
#define AMP_LIB_KERNELS_ELEMENTS_WIDEACCESS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include <optional>

namespace mlir::amp {

/// Bytes of the widest access, and what the memory of a tensor begins at a
/// multiple of: launches of tensors have such operands alone
/// (BufferizeLaunches.cpp), and so has a tile in shared memory.
inline constexpr int64_t kWideBytes = 16;

/// Slices and other shapes.
bool isView(Operation *op);

/// Where elements of a tensor are in the memory of another, its root, whose
/// elements lie row by row.
struct ElementLayout {
  /// The elements from the first on. Null if their strides are unknown.
  MemRefType type;
  /// The first is a multiple of this many elements behind the root's; 0 if it
  /// is the root's.
  int64_t unit = 0;

  /// Of a tensor that views lead to; of what `isRoot` holds for, its own
  /// memory.
  static ElementLayout get(Value tensor, function_ref<bool(Value)> isRoot);
  static ElementLayout getWhole(RankedTensorType type);
  /// Of what `slice` leaves of these elements.
  ElementLayout slice(OffsetSizeAndStrideOpInterface slice,
                      RankedTensorType result) const;
};

/// The number of the element in the root that an operation reads or writes, by
/// its loops.
struct ElementNumber {
  /// How far an iteration of each loop leads.
  SmallVector<int64_t> steps;
  /// Elements at the first iteration, and of what they are a multiple beside.
  int64_t start = 0, unit = 0;

  static std::optional<ElementNumber> get(AffineMap map,
                                          const ElementLayout &layout);
};

/// How iterations of a loop that follow one another, from a multiple of their
/// number on, find their elements.
enum class Access {
  /// All have the same.
  Same,
  /// In a row that one access takes.
  Row,
  /// Anywhere.
  Apart,
};

/// Of `width` iterations of `loop`, among loops of `sizes`; `element` is what
/// memory holds.
Access getAccess(AffineMap map, const ElementLayout &layout, Type element,
                 ArrayRef<int64_t> sizes, unsigned loop, int64_t width);

/// The largest number that is known to divide an index or number; 0 for 0.
int64_t getDivisor(Value number);

} // namespace mlir::amp

#endif // AMP_LIB_KERNELS_ELEMENTS_WIDEACCESS_H
