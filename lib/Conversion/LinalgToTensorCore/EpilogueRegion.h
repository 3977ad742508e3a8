//===- EpilogueRegion.h - Work that a product's kernel takes over -*- C++
//-*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the fusion plan computes with a contraction, as the epilogue of its
// kernel, as far as kernels can.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_LIB_CONVERSION_LINALGTOTENSORCORE_EPILOGUEREGION_H
#define AMP_LIB_CONVERSION_LINALGTOTENSORCORE_EPILOGUEREGION_H

#include "MatrixProduct.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace mlir::amp {

struct EpilogueRegion {
  /// As readGemmEpilogue takes it; null if the sum is rounded and no more.
  OwningOpRef<func::FuncOp> function;
  /// One for each argument after the first.
  SmallVector<Value> operands;
  /// The value that the kernel computes, and the operations from the
  /// contraction to it, which have no other use.
  Value result;
  SmallVector<Operation *> absorbed;
  /// The first of the readers that is left to another kernel, or null.
  Operation *cut = nullptr;

  /// Has the kernel round what it stores to `type`.
  void roundTo(Type type);
  /// Sets `cut`, one of `readers`.
  void findCut(ArrayRef<Operation *> readers);
};

/// The longest epilogue out of `readers`, in the order of their block, that a
/// kernel can compute: it has one result, so that each value between is used by
/// the epilogue alone, and each other operand is known per column, per row, per
/// element or is one number. Without any, the sums are the result.
EpilogueRegion absorbEpilogue(const MatrixProduct &product,
                              ArrayRef<Operation *> readers);

/// Has the kernel write to where operations behind `epilogue` move its result,
/// as the transposed product if need be. How many of them move elements in
/// memory; 0, and nothing is changed, if there is none, or if the kernel would
/// compute less. `ofAll` are the readers of all products.
int64_t absorbMovement(MatrixProduct &product, EpilogueRegion &epilogue,
                       ArrayRef<Operation *> readers,
                       const DenseSet<Operation *> &ofAll);

} // namespace mlir::amp

#endif // AMP_LIB_CONVERSION_LINALGTOTENSORCORE_EPILOGUEREGION_H
