//===- BatchedKernel.h - Several launches of a kernel as one ----*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel that does what several launches of another one do, whatever that is.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_KERNELS_BATCHEDKERNEL_H
#define AMP_KERNELS_BATCHEDKERNEL_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

#include <optional>
#include <string>

namespace mlir::amp {

class BatchedKernel {
public:
  /// Views a module with one kernel, all arguments of which are memory; or says
  /// in `reason` what else it is: "expected ..., but got ...".
  static std::optional<BatchedKernel> match(gpu::GPUModuleOp module,
                                            std::string &reason);

  /// How many launches a kernel can do whose parameters have `bytes`.
  int64_t getMostLaunches(int64_t bytes) const;

  /// The argument `name` of launch number `launch`.
  static std::string getName(StringRef name, int64_t launch);

  /// Adds a gpu.module `name` with a kernel of that name at the builder's
  /// insertion point, which does `launches` of them.
  gpu::GPUModuleOp emit(OpBuilder &builder, StringRef name,
                        int64_t launches) const;

private:
  explicit BatchedKernel(gpu::GPUModuleOp module) : module(module) {}

  gpu::GPUModuleOp module;
};

} // namespace mlir::amp

#endif // AMP_KERNELS_BATCHEDKERNEL_H
