//===- HostArray.cpp - A dense array in host memory -----------------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "amp/Execution/HostArray.h"

#include "amp-rt/Device.h"
#include "amp/Support/ByteCount.h"

#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/raw_ostream.h"

#include <cstring>

using namespace mlir::amp;

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

int64_t mlir::amp::getElementSize(ElementKind kind) {
  return ampRtElementKindSize(int32_t(kind));
}

llvm::StringRef mlir::amp::getElementName(ElementKind kind) {
  return ampRtElementKindName(int32_t(kind));
}

std::optional<int64_t> mlir::amp::getByteCount(ElementKind kind,
                                               llvm::ArrayRef<int64_t> shape) {
  return countBytes(shape, getElementSize(kind));
}

bool mlir::amp::isFloatKind(ElementKind kind) {
  return kind == AMP_RT_ELEMENT_F16 || kind == AMP_RT_ELEMENT_BF16 ||
         kind == AMP_RT_ELEMENT_F32 || kind == AMP_RT_ELEMENT_F64;
}

double mlir::amp::loadElement(ElementKind kind, const void *data,
                              int64_t index) {
  return ampRtElementLoad(kind, data, index);
}

int64_t mlir::amp::loadInteger(ElementKind kind, const void *data,
                               int64_t index) {
  assert(!isFloatKind(kind) && "expected integers");
  // What is narrower than i64 is a double as it is.
  return kind == AMP_RT_ELEMENT_I64 ? static_cast<const int64_t *>(data)[index]
                                    : int64_t(loadElement(kind, data, index));
}

void mlir::amp::storeElement(ElementKind kind, void *data, int64_t index,
                             double value) {
  ampRtElementStore(kind, data, index, value);
}

//===----------------------------------------------------------------------===//
// HostArray
//===----------------------------------------------------------------------===//

static AmpRtDevice *getHost() {
  static AmpRtDevice *host = [] {
    AmpRtDevice *device = nullptr;
    (void)ampRtDeviceGet("host", &device); // is in every build
    return device;
  }();
  return host;
}

void HostArray::Deleter::operator()(void *memory) const {
  (void)ampRtDeviceFree(getHost(), memory);
}

HostArray HostArray::uninitialized(ElementKind kind,
                                   llvm::ArrayRef<int64_t> shape) {
  HostArray array;
  array.kind = kind;
  array.shape.assign(shape.begin(), shape.end());
  std::optional<int64_t> size = getByteCount(kind, shape);
  void *memory = nullptr;
  if (!size || ampRtDeviceAllocate(getHost(), *size, 0, &memory) != AMP_RT_OK)
    llvm::report_bad_alloc_error(
        ("an array of " + array.getTypeString()).c_str());
  array.bytes.reset(memory);
  return array;
}

HostArray HostArray::onDevice(ElementKind kind, llvm::ArrayRef<int64_t> shape,
                              std::unique_ptr<DeviceMemory> memory) {
  HostArray array;
  array.kind = kind;
  array.shape.assign(shape.begin(), shape.end());
  array.device = std::move(memory);
  return array;
}

llvm::Error HostArray::fetch() const {
  if (bytes || !device)
    return llvm::Error::success();
  HostArray here = uninitialized(kind, shape);
  if (llvm::Error error = device->read(here.bytes.get()))
    return error;
  bytes = std::move(here.bytes);
  return llvm::Error::success();
}

void HostArray::fetchOrEnd() const {
  if (llvm::Error error = fetch())
    llvm::report_fatal_error(std::move(error));
}

HostArray::HostArray(ElementKind kind, llvm::ArrayRef<int64_t> shape)
    : HostArray(uninitialized(kind, shape)) {
  std::memset(data(), 0, getNumBytes());
}

HostArray HostArray::clone() const {
  HostArray copy = uninitialized(kind, shape);
  std::memcpy(copy.data(), data(), getNumBytes());
  return copy;
}

int64_t HostArray::getNumElements() const {
  return *countBytes(shape, 1); // its bytes fit
}

double HostArray::getAsDouble(int64_t index) const {
  return loadElement(kind, data(), index);
}

int64_t HostArray::getAsInteger(int64_t index) const {
  return loadInteger(kind, data(), index);
}

void HostArray::setFromDouble(int64_t index, double value) {
  storeElement(kind, data(), index, value);
}

HostArray HostArray::convertTo(ElementKind target) const {
  if (target == kind)
    return clone();
  HostArray result = uninitialized(target, shape);
  const int64_t count = getNumElements();
  for (int64_t i = 0; i < count; ++i)
    result.setFromDouble(i, getAsDouble(i));
  return result;
}

std::string HostArray::getTypeString() const {
  return mlir::amp::getTypeString(kind, shape);
}

std::string mlir::amp::getTypeString(ElementKind kind,
                                     llvm::ArrayRef<int64_t> shape) {
  std::string text;
  llvm::raw_string_ostream os(text);
  for (int64_t extent : shape) {
    if (extent < 0)
      os << "?x";
    else
      os << extent << 'x';
  }
  os << getElementName(kind);
  return text;
}
