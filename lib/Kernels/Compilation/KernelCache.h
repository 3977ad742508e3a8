//===- KernelCache.h - Compiled kernels on disk -----------------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A folder of files, each the code of one module of kernels, named by a hash of
// all that the code was made from. An entry is never changed: what would change
// it changes its name. Several processes may use one folder at a time: an entry
// is written under another name and renamed, so that a reader sees all of it or
// none, and two writers of one name write the same. A file that a crash or a
// full disk left damaged does not have the hash that it starts with.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_LIB_KERNELS_COMPILATION_KERNELCACHE_H
#define AMP_LIB_KERNELS_COMPILATION_KERNELCACHE_H

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>

namespace mlir::amp {

/// Bytes of one module of kernels.
using KernelCode = SmallVector<char, 0>;

class KernelCache {
public:
  /// Uses `folder`, which is made when the first entry is written; with an
  /// empty name nothing is found and nothing is kept.
  explicit KernelCache(StringRef folder) : folder(folder) {}

  bool isEnabled() const { return !folder.empty(); }
  /// The name of an entry for all that its code is made from.
  static std::string getKey(ArrayRef<StringRef> parts);
  std::string getPath(StringRef key) const;

  /// The code of an entry. Nothing if there is none, or if its file is damaged,
  /// which `isDamaged` then says.
  std::optional<KernelCode> read(StringRef key, bool &isDamaged) const;
  /// Keeps an entry. `reason` says why it could not be kept.
  LogicalResult write(StringRef key, ArrayRef<char> code,
                      std::string &reason) const;

private:
  std::string folder;
};

} // namespace mlir::amp

#endif // AMP_LIB_KERNELS_COMPILATION_KERNELCACHE_H
