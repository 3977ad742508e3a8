//===- CopyKernel.h - Copies between strides --------------------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kernels that copy part of a buffer to part of another.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_KERNELS_COPYKERNEL_H
#define AMP_KERNELS_COPYKERNEL_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/BuiltinTypes.h"

#include <optional>
#include <string>

namespace mlir::amp {

/// Elements of a buffer from the first to the last, with those between them
/// that are no part of it; at least one.
int64_t getSpan(MemRefType type);

/// A copy as a kernel sees it. Its arguments are `in0` and `out0`, the spans of
/// both buffers.
class CopyKernel {
public:
  /// Views a copy between buffers of these types; or says in `reason` why it
  /// has no kernel: "expected ..., but got ...".
  static std::optional<CopyKernel> match(MemRefType source, MemRefType target,
                                         std::string &reason);

  /// Adds a gpu.module `name` with a kernel of that name at the builder's
  /// insertion point.
  gpu::GPUModuleOp emit(OpBuilder &builder, Location loc, StringRef name) const;

private:
  CopyKernel(MemRefType source, MemRefType target)
      : source(source), target(target) {}

  MemRefType source, target;
};

} // namespace mlir::amp

#endif // AMP_KERNELS_COPYKERNEL_H
