//===- TilePlaces.h - Where the elements of tensors are ---------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tensor in a kernel is a place: memory, and a rule by which indices lead to
// an element of it. Slices and other shapes of a tensor are rules on top of its
// own, so that reading through them copies nothing.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_LIB_KERNELS_ELEMENTS_TILEPLACES_H
#define AMP_LIB_KERNELS_ELEMENTS_TILEPLACES_H

#include "Device/DeviceBuilder.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include <functional>

namespace mlir::amp {

using Numbers = ArrayRef<Number>;

struct Place {
  Value pointer;
  Type element;
  /// The element's number, from the pointer on.
  std::function<Number(Numbers)> locate;

  explicit operator bool() const { return pointer != nullptr; }
};

/// All of a tensor, row by row.
Place placeTensor(DeviceBuilder &b, Value pointer, RankedTensorType type);

/// The elements of a buffer behind its first.
Place placeBuffer(DeviceBuilder &b, Value pointer, MemRefType type);

/// What `slice` leaves of `source`, at offsets that are numbers of the kernel.
Place placeSlice(const Place &source, OffsetSizeAndStrideOpInterface slice,
                 Numbers offsets, const llvm::SmallBitVector &dropped);

/// The same elements by other indices.
Place placeReshape(DeviceBuilder &b, const Place &source,
                   tensor::ExpandShapeOp reshape);
Place placeReshape(DeviceBuilder &b, const Place &source,
                   tensor::CollapseShapeOp reshape);

/// The index of element `number` of all, row by row.
SmallVector<Number> delinearize(DeviceBuilder &b, ArrayRef<int64_t> shape,
                                Number number);

/// An element as it is in memory, where an i1 is a byte, and back.
Value toStorage(DeviceBuilder &b, Value element);
Value fromStorage(DeviceBuilder &b, Value stored, Type element);

Value loadElement(DeviceBuilder &b, const Place &place, Numbers indices);
void storeElement(DeviceBuilder &b, Value value, const Place &place,
                  Numbers indices);

/// `width` elements that follow one another, by one access: see Access::Row.
SmallVector<Value> loadRow(DeviceBuilder &b, const Place &place,
                           Numbers indices, int64_t width);
void storeRow(DeviceBuilder &b, ValueRange values, const Place &place,
              Numbers indices);

} // namespace mlir::amp

#endif // AMP_LIB_KERNELS_ELEMENTS_TILEPLACES_H
