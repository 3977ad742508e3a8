//===- TilePlaces.cpp - Where the elements of tensors are -----------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rules are closures, evaluated once for each access: what they compute from
// loops is left to CSE.
//
//===----------------------------------------------------------------------===//

#include "Elements/TilePlaces.h"

#include "Elements/ElementRules.h"

using namespace mlir;
using namespace mlir::amp;

/// Of an index along each of `shape`.
static Number linearize(DeviceBuilder &b, ArrayRef<int64_t> shape,
                        Numbers indices) {
  Number offset = b.number(0);
  for (auto [size, index] : llvm::zip_equal(shape, indices))
    offset = size == 1 ? offset : offset * size + index;
  return offset;
}

Place mlir::amp::placeTensor(DeviceBuilder &b, Value pointer,
                             RankedTensorType type) {
  SmallVector<int64_t> shape(type.getShape());
  return {pointer, type.getElementType(), [&b, shape](Numbers indices) {
            return linearize(b, shape, indices);
          }};
}

Place mlir::amp::placeSlice(const Place &source,
                            OffsetSizeAndStrideOpInterface slice,
                            Numbers offsets,
                            const llvm::SmallBitVector &dropped) {
  SmallVector<Number> starts(offsets);
  SmallVector<int64_t> strides(slice.getStaticStrides());
  return {source.pointer, source.element,
          [locate = source.locate, starts, strides, dropped](Numbers indices) {
            SmallVector<Number> inside;
            const Number *next = indices.begin();
            for (auto [i, start] : llvm::enumerate(starts))
              inside.push_back(dropped[i] ? start
                                          : start + *next++ * strides[i]);
            return locate(inside);
          }};
}

Place mlir::amp::placeReshape(DeviceBuilder &b, const Place &source,
                              tensor::ExpandShapeOp reshape) {
  SmallVector<int64_t> shape(reshape.getResultType().getShape());
  SmallVector<ReassociationIndices> groups = reshape.getReassociationIndices();
  return {source.pointer, source.element,
          [&b, locate = source.locate, shape, groups](Numbers indices) {
            SmallVector<Number> inside;
            for (const ReassociationIndices &group : groups)
              inside.push_back(linearize(
                  b, ArrayRef(shape).slice(group.front(), group.size()),
                  indices.slice(group.front(), group.size())));
            return locate(inside);
          }};
}

Place mlir::amp::placeReshape(DeviceBuilder &b, const Place &source,
                              tensor::CollapseShapeOp reshape) {
  SmallVector<int64_t> shape(reshape.getSrcType().getShape());
  SmallVector<ReassociationIndices> groups = reshape.getReassociationIndices();
  return {source.pointer, source.element,
          [&b, locate = source.locate, shape, groups](Numbers indices) {
            SmallVector<Number> inside(shape.size(), b.number(0));
            for (auto [group, index] : llvm::zip_equal(groups, indices)) {
              Number rest = index;
              // Of one element there is no index but 0.
              auto dims = llvm::make_filter_range(
                  llvm::reverse(group),
                  [&](int64_t dim) { return shape[dim] != 1; });
              for (auto it = dims.begin(); it != dims.end();) {
                int64_t dim = *it++;
                bool isLast = it == dims.end();
                inside[dim] = isLast ? rest : rest % shape[dim];
                if (!isLast)
                  rest = rest / shape[dim];
              }
            }
            return locate(inside);
          }};
}

Place mlir::amp::placeBuffer(DeviceBuilder &b, Value pointer, MemRefType type) {
  SmallVector<int64_t> strides(type.getStridesAndOffset().first);
  return {pointer, type.getElementType(), [&b, strides](Numbers indices) {
            Number place = b.number(0);
            for (auto [index, stride] : llvm::zip_equal(indices, strides))
              place = place + index * stride;
            return place;
          }};
}

SmallVector<Number> mlir::amp::delinearize(DeviceBuilder &b,
                                           ArrayRef<int64_t> shape,
                                           Number number) {
  SmallVector<Number> indices(shape.size(), b.number(0));
  for (unsigned i = shape.size(); i-- > 0;) {
    indices[i] = i == 0 ? number : number % shape[i];
    if (i != 0)
      number = number / shape[i];
  }
  return indices;
}

Value mlir::amp::toStorage(DeviceBuilder &b, Value element) {
  Type type = element.getType(), storage = getStorage(type);
  return storage == type
             ? element
             : arith::ExtUIOp::create(b, storage, element).getResult();
}

Value mlir::amp::fromStorage(DeviceBuilder &b, Value stored, Type element) {
  return stored.getType() == element
             ? stored
             : arith::TruncIOp::create(b, element, stored).getResult();
}

static Value getAddress(DeviceBuilder &b, const Place &place, Numbers indices,
                        Type storage) {
  return b.element(place.pointer, storage, b.number(0), b.number(0),
                   place.locate(indices));
}

static unsigned getAlignment(Type storage) {
  return llvm::divideCeil(storage.getIntOrFloatBitWidth(), 8);
}

Value mlir::amp::loadElement(DeviceBuilder &b, const Place &place,
                             Numbers indices) {
  Type storage = getStorage(place.element);
  return fromStorage(b,
                     b.load(storage, getAddress(b, place, indices, storage),
                            getAlignment(storage)),
                     place.element);
}

void mlir::amp::storeElement(DeviceBuilder &b, Value value, const Place &place,
                             Numbers indices) {
  Value stored = toStorage(b, value);
  Type storage = stored.getType();
  b.store(stored, getAddress(b, place, indices, storage),
          getAlignment(storage));
}

SmallVector<Value> mlir::amp::loadRow(DeviceBuilder &b, const Place &place,
                                      Numbers indices, int64_t width) {
  if (width == 1)
    return {loadElement(b, place, indices)};
  Type storage = getStorage(place.element);
  Value row = b.load(VectorType::get(width, storage),
                     getAddress(b, place, indices, storage),
                     width * getAlignment(storage));
  SmallVector<Value> values;
  for (int64_t i = 0; i < width; ++i)
    values.push_back(fromStorage(b, b.extract(row, i), place.element));
  return values;
}

void mlir::amp::storeRow(DeviceBuilder &b, ValueRange values,
                         const Place &place, Numbers indices) {
  if (values.size() == 1)
    return storeElement(b, values.front(), place, indices);
  auto stored = llvm::map_to_vector(
      values, [&](Value value) { return toStorage(b, value); });
  Type storage = stored.front().getType();
  b.store(b.gather(stored), getAddress(b, place, indices, storage),
          stored.size() * getAlignment(storage));
}
