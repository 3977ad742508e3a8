//===- KernelFolder.h - Kernels as files with an index ----------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The folder that amp-kernel-bench reads: an image of each gpu.module or
// gpu.binary, and index.json, whose form tools/amp-kernel-bench/KernelIndex.h
// describes. The members of `amp.launch` and `amp.problem` are those of the
// index, so attributes become JSON as they stand.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_TOOLS_AMP_KERNEL_EXPORT_KERNELFOLDER_H
#define AMP_TOOLS_AMP_KERNEL_EXPORT_KERNELFOLDER_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/JSON.h"

namespace mlir::amp {

class KernelFolder {
public:
  explicit KernelFolder(StringRef path) : path(path) {}

  /// Adds every generated kernel of a module. What cannot be exported is an
  /// error at its operation.
  LogicalResult add(ModuleOp module);

  /// Writes images and index. Says which file cannot be written.
  llvm::Error write();

private:
  struct Image {
    std::string name, bytes;
  };

  LogicalResult addKernels(Operation *op, StringRef name, Attribute problem,
                           DictionaryAttr launches, Image image);

  std::string path;
  std::vector<Image> images;
  llvm::json::Array entries;
};

} // namespace mlir::amp

#endif // AMP_TOOLS_AMP_KERNEL_EXPORT_KERNELFOLDER_H
