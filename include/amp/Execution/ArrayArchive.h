//===- ArrayArchive.h - Arrays in .npy and .npz files -----------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// NumPy's file formats. Element types map as follows; every other type is
// refused by name.
//
//   file                      array
//   |b1                       i1
//   |i1 <i2 <i4 <i8           i8 i16 i32 i64
//   |u1 <u2 <u4               i16 i32 i64 (the next type that holds them)
//   <f2 <f4 <f8               f16 f32 f64
//   <V2 (as ml_dtypes saves)  bf16
//
// Arrays in Fortran order are transposed while they are read. Members are
// stored or deflated, as NumPy writes them; of two members of one name the last
// counts, as in NumPy. Files are written to a temporary name, synced and
// renamed, so that a reader sees the old file or the whole new one, whatever
// happens.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_EXECUTION_ARRAYARCHIVE_H
#define AMP_EXECUTION_ARRAYARCHIVE_H

#include "amp/Execution/HostArray.h"

#include "llvm/Support/Error.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace mlir::amp {

/// What the header of an array says.
struct ArrayType {
  ElementKind kind = AMP_RT_ELEMENT_F32;
  llvm::SmallVector<int64_t, 4> shape;

  /// "16x8xf32".
  std::string getText() const { return getTypeString(kind, shape); }
};
ArrayType getType(const HostArray &array);

/// An .npz file that is open for reading. Nothing but the names is read before
/// it is asked for: what a few compressed megabytes hold may not fit in memory.
class ArrayArchive {
public:
  static llvm::Expected<ArrayArchive> open(llvm::StringRef path);

  ArrayArchive(ArrayArchive &&);
  ArrayArchive &operator=(ArrayArchive &&);
  ~ArrayArchive();

  llvm::StringRef getPath() const;
  /// Names in the order of the file, without ".npy".
  llvm::ArrayRef<std::string> getNames() const;
  bool contains(llvm::StringRef name) const;
  /// "array 'x0' in 'digits.npz'", as errors name an array.
  std::string describe(llvm::StringRef name) const;
  /// Reads the header alone, so that an array that does not fit is never
  /// decompressed.
  llvm::Expected<ArrayType> readType(llvm::StringRef name) const;
  llvm::Expected<HostArray> read(llvm::StringRef name) const;

private:
  class Member;
  struct Impl;
  explicit ArrayArchive(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl;
};

/// Arrays by name, borrowed.
using NamedArrays = std::vector<std::pair<std::string, const HostArray *>>;

/// Writes a compressed .npz file. The same arrays give the same bytes.
llvm::Error writeArchive(llvm::StringRef path, const NamedArrays &arrays);

/// Reads and writes a single array as .npy.
llvm::Expected<HostArray> readArrayFile(llvm::StringRef path);
llvm::Error writeArrayFile(llvm::StringRef path, const HostArray &array);

} // namespace mlir::amp

#endif // AMP_EXECUTION_ARRAYARCHIVE_H
