//===- UnknownExtents.h - What makes an extent unknown ---------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AMP_LIB_CONVERSION_LINALGTOELEMENTKERNELS_UNKNOWNEXTENTS_H
#define AMP_LIB_CONVERSION_LINALGTOELEMENTKERNELS_UNKNOWNEXTENTS_H

#include "mlir/IR/Operation.h"

namespace mlir::amp {

/// Why only a run knows the extents of the buffers that an operation touches.
struct UnknownExtents {
  enum class Cause {
    /// They are known.
    None,
    /// They follow from extents of a function's arguments.
    Argument,
    /// A loop, a block or a call hands them on, as `origin` does.
    HandedOn,
    /// They are computed from an element of a buffer, which `origin` reads.
    Element,
  };

  /// The last of those above that any of its buffers has.
  static UnknownExtents find(Operation *op);

  Cause cause = Cause::None;
  Operation *origin = nullptr;
};

} // namespace mlir::amp

#endif // AMP_LIB_CONVERSION_LINALGTOELEMENTKERNELS_UNKNOWNEXTENTS_H
