//===- PadKernel.h - A tensor among a number as device code -----*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tensor inside a larger one that has the same number everywhere else: around
// it, as convolutions and pools pad their images, and between its elements, as
// gradients of strided ones spread them.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_KERNELS_PADKERNEL_H
#define AMP_KERNELS_PADKERNEL_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/BuiltinTypes.h"

#include <optional>
#include <string>

namespace mlir::amp {

/// A padded tensor as a kernel sees it. Its arguments are `in0`, what is
/// padded, and `out0`, all of the result, which it writes once.
class PadKernel {
public:
  /// Element i of `source` is element offsets + i * strides of `result`, whose
  /// others are `value`. Or says in `reason` why that has no kernel: "expected
  /// ..., but got ...".
  static std::optional<PadKernel> match(RankedTensorType source,
                                        RankedTensorType result,
                                        ArrayRef<int64_t> offsets,
                                        ArrayRef<int64_t> strides,
                                        TypedAttr value, std::string &reason);

  /// Adds a gpu.module `name` with a kernel of that name at the builder's
  /// insertion point.
  gpu::GPUModuleOp emit(OpBuilder &builder, Location loc, StringRef name) const;

private:
  PadKernel(RankedTensorType source, RankedTensorType result,
            ArrayRef<int64_t> offsets, ArrayRef<int64_t> strides,
            TypedAttr value)
      : source(source), result(result), offsets(offsets), strides(strides),
        value(value) {}

  /// Elements that one access takes: they follow one another in both tensors,
  /// whose memory begins where an access may, or are all `value`.
  int64_t chooseWidth() const;

  RankedTensorType source, result;
  SmallVector<int64_t> offsets, strides;
  TypedAttr value;
};

} // namespace mlir::amp

#endif // AMP_KERNELS_PADKERNEL_H
