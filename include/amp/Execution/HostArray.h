//===- HostArray.h - A dense array in host memory ---------------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The currency between files, the training driver and compiled code: an element
// kind, a shape, and row-major bytes aligned for vector loads. It knows nothing
// of MLIR, so drivers and readers include it without paying for compiler
// headers.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_EXECUTION_HOSTARRAY_H
#define AMP_EXECUTION_HOSTARRAY_H

#include "amp-rt/Element.h"
#include "amp/Execution/DeviceMemory.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace mlir::amp {

/// Element types that cross the boundary of a compiled step: the runtime's.
using ElementKind = AmpRtElementKind;

/// Size of one element in bytes (`i1` is one byte, as MLIR stores it).
int64_t getElementSize(ElementKind kind);

/// Name as MLIR spells it: "f16", "i64".
llvm::StringRef getElementName(ElementKind kind);

bool isFloatKind(ElementKind kind);

/// Bytes of an array, as far as its extents are known (negative ones are not);
/// nothing if 63 bits do not hold them.
std::optional<int64_t> getByteCount(ElementKind kind,
                                    llvm::ArrayRef<int64_t> shape);

/// Element `index` of an array of `kind` at `data`, as a double (an `i64`
/// beyond 2^53 loses its low bits).
double loadElement(ElementKind kind, const void *data, int64_t index);
/// Element `index` of an array of integers of `kind` at `data`, as it is.
int64_t loadInteger(ElementKind kind, const void *data, int64_t index);
/// Stores `value` there, rounded to nearest, ties to even. Floats overflow to
/// infinity; integers saturate, and take NaN as 0.
void storeElement(ElementKind kind, void *data, int64_t index, double value);

/// A row-major array that owns its memory (64-byte aligned), which is the
/// runtime's: what one array gives back, the next of its size takes. A rank-0
/// array has one element; an array with a zero extent has none. Without memory
/// the program ends with LLVM's handler for it.
class HostArray {
public:
  HostArray() = default;
  /// Zero-filled array of the given type.
  HostArray(ElementKind kind, llvm::ArrayRef<int64_t> shape);
  /// An array whose elements somebody is going to write.
  static HostArray uninitialized(ElementKind kind,
                                 llvm::ArrayRef<int64_t> shape);

  /// An array that a program left on a device.
  static HostArray onDevice(ElementKind kind, llvm::ArrayRef<int64_t> shape,
                            std::unique_ptr<DeviceMemory> memory);

  HostArray(HostArray &&) = default;
  HostArray &operator=(HostArray &&) = default;
  /// Copies are explicit, for they can be large.
  HostArray clone() const;

  ElementKind getKind() const { return kind; }
  llvm::ArrayRef<int64_t> getShape() const { return shape; }
  int64_t getNumElements() const;
  int64_t getNumBytes() const {
    return getNumElements() * getElementSize(kind);
  }

  /// Copies the elements from a device if they are only there, which waits for
  /// what the device has to do. An error if the device has failed.
  llvm::Error fetch() const;

  /// The elements, fetched. Whoever can say that a device has failed calls
  /// fetch() first: if it fails here, the process ends.
  void *data() {
    fetchOrEnd();
    device.reset(); // what is there may become old
    return bytes.get();
  }
  const void *data() const {
    fetchOrEnd();
    return bytes.get();
  }

  /// The same elements on a device, or null.
  const DeviceMemory *getDeviceMemory() const { return device.get(); }
  /// Keeps a copy of the elements that was made on a device.
  void keepDeviceMemory(std::unique_ptr<DeviceMemory> memory) const {
    device = std::move(memory);
  }
  template <typename T> T *as() { return static_cast<T *>(data()); }
  template <typename T> const T *as() const {
    return static_cast<const T *>(data());
  }

  /// Element `index` as a double, whatever the kind.
  double getAsDouble(int64_t index) const;
  /// Element `index` of an array of integers.
  int64_t getAsInteger(int64_t index) const;
  /// Stores `value`, rounded to the element type (to nearest, ties to even).
  void setFromDouble(int64_t index, double value);

  /// This array with every element converted to `kind`.
  HostArray convertTo(ElementKind kind) const;

  /// "16x8xf32", "f32" for rank 0.
  std::string getTypeString() const;

private:
  struct Deleter {
    void operator()(void *memory) const;
  };
  ElementKind kind = AMP_RT_ELEMENT_F32;
  llvm::SmallVector<int64_t, 4> shape;
  void fetchOrEnd() const;

  // Both have the elements, or the one that is there.
  mutable std::unique_ptr<void, Deleter> bytes;
  mutable std::unique_ptr<DeviceMemory> device;
};

/// "16x8xf32" for a type that has no array yet.
std::string getTypeString(ElementKind kind, llvm::ArrayRef<int64_t> shape);

} // namespace mlir::amp

#endif // AMP_EXECUTION_HOSTARRAY_H
