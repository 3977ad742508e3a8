//===- ElementKernel.h - A thread for each element --------------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kernels of what has none of its own: any linalg.generic on tensors of known
// sizes whose loops say which element of each result they compute.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_KERNELS_ELEMENTKERNEL_H
#define AMP_KERNELS_ELEMENTKERNEL_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

#include <optional>
#include <string>

namespace mlir::amp {

/// An operation as a kernel sees it.
class ElementKernel {
public:
  /// Views an operation; or says in `reason` why it has no kernel: "expected
  /// ..., but got ...".
  static std::optional<ElementKernel> match(linalg::GenericOp op,
                                            std::string &reason);

  /// The kernel's arguments that are read, and the tensors or numbers that they
  /// are: `in0` and on for inputs, `start0` for what a result starts from,
  /// `table0` for tensors that the body reads by index, `number0` for numbers
  /// that it reads. A number is memory of one element.
  struct Input {
    std::string name;
    Value value;
  };
  ArrayRef<Input> getInputs() const { return inputs; }
  /// The results, `out0` and on.
  SmallVector<std::string> getOutputNames() const;

  /// Adds a gpu.module `name` with a kernel of that name at the builder's
  /// insertion point.
  gpu::GPUModuleOp emit(OpBuilder &builder, StringRef name) const;

private:
  explicit ElementKernel(linalg::GenericOp op) : op(op) {}

  linalg::GenericOp op;
  SmallVector<Input> inputs;
};

} // namespace mlir::amp

#endif // AMP_KERNELS_ELEMENTKERNEL_H
