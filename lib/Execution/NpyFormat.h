//===- NpyFormat.h - The .npy encoding of one array -------------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads and writes the format that NumPy documents as numpy.lib.format: magic,
// version, a Python dictionary literal, and the elements. Private to the
// library.
//
// Why not xtensor's xnpy.hpp: it takes a header of 128 bytes and more for a
// negative length, reads a truncated array without noticing, allocates whatever
// the header asks for, and demands the keys in one order.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_LIB_EXECUTION_NPYFORMAT_H
#define AMP_LIB_EXECUTION_NPYFORMAT_H

#include "amp/Execution/ArrayArchive.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Error.h"

namespace mlir::amp {

/// Fills the buffer with the next bytes, all of them, or fails.
using ByteReader =
    llvm::function_ref<llvm::Error(llvm::MutableArrayRef<char> buffer)>;

/// What stands before the elements.
struct NpyHeader {
  /// The type as an array of it is read.
  ArrayType type;
  /// Bytes of an element in the file.
  int64_t elementSize = 0;
  /// Elements are widened to `type.kind` from an unsigned type of that size.
  bool isUnsigned = false;
  bool isFortranOrder = false;
};

/// Reads the header of an array of `totalBytes` encoded bytes and checks that
/// as many bytes follow as it needs. `what` names the array in errors: "array
/// 'x0' in 'digits.npz'".
llvm::Expected<NpyHeader> readNpyHeader(ByteReader read, int64_t totalBytes,
                                        llvm::StringRef what);

/// Reads the elements that follow `header`.
llvm::Expected<HostArray> readNpyElements(ByteReader read,
                                          const NpyHeader &header);

/// Everything before the elements of an array of this type.
std::string makeNpyHeader(ElementKind kind, llvm::ArrayRef<int64_t> shape);

} // namespace mlir::amp

#endif // AMP_LIB_EXECUTION_NPYFORMAT_H
