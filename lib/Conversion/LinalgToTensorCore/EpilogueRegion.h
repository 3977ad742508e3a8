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
#include "amp/Kernels/GemmEpilogue.h"
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
  /// A value between, which others read, too: a second result; or null.
  Value kept;
  /// The first of the readers that is left to another kernel, or null.
  Operation *cut = nullptr;
  /// What else the kernel ors into a number from each element that it stores,
  /// or null. As OrReduction says.
  linalg::GenericOp check;

  /// Has the kernel round what it stores to `type`.
  void roundTo(Type type);
  /// Sets `check` to `op` if kernels can compute its body.
  void addCheck(linalg::GenericOp op);
  /// Has `function` give `element` to an output, behind those that it has.
  static void addOutput(func::FuncOp function, EpilogueOutput output,
                        Value element);
  /// Sets `cut`, one of `readers`.
  void findCut(ArrayRef<Operation *> readers);
};

/// The longest epilogue out of `readers`, in the order of their block, that a
/// kernel can compute: each value between is used by the epilogue alone, but
/// for one if it `mayKeep` a second result, and each other operand is known per
/// column, per row, per element or is one number. Without any, the sums are the
/// result.
EpilogueRegion absorbEpilogue(const MatrixProduct &product,
                              ArrayRef<Operation *> readers,
                              bool mayKeep = true);

/// Where operations behind an epilogue move its result.
struct ResultMovement {
  /// They, in their order, and the last one's result.
  SmallVector<Operation *> moves;
  Value end;
  /// Where the kernel writes in `end`, as the transposed product perhaps.
  TensorWalks result;
  bool isTransposed;

  /// How many of them move elements in memory.
  int64_t countCopies() const;
};

/// The longest movement of `result`, the end of an epilogue, that a kernel can
/// do. `ofAll` are the readers of all products: what another may absorb is left
/// to it.
std::optional<ResultMovement> findMovement(const MatrixProduct &product,
                                           Value result,
                                           ArrayRef<Operation *> readers,
                                           const DenseSet<Operation *> &ofAll);

/// The epilogue with the movement as a part of it; `product` becomes the one
/// that writes so. None, and nothing is changed, if its kernel would compute
/// less than `result`.
std::optional<EpilogueRegion> absorbMovement(const ResultMovement &movement,
                                             MatrixProduct &product,
                                             Value result,
                                             ArrayRef<Operation *> readers);

} // namespace mlir::amp

#endif // AMP_LIB_CONVERSION_LINALGTOTENSORCORE_EPILOGUEREGION_H
