//===- StridedNest.h - Operations as addresses and strides ------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A linalg operation on buffers of static shapes, as what is left of it where
// maps and layouts are put together: each operand is an address plus one stride
// per loop, so that loops can be put in any order.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_CONVERSION_STRIDEDNEST_H
#define AMP_CONVERSION_STRIDEDNEST_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace mlir::amp {

/// Where an operand's elements are.
struct NestOperand {
  /// The operand: a memref, or a scalar.
  Value memref;
  /// The first element in memory that the loops reach, and elements from there
  /// to the last.
  int64_t offset = 0, span = 1;
  /// Elements from there to that of the first point of the loops: not 0 where a
  /// loop walks backwards.
  int64_t first = 0;
  /// The memref's own offset is known at run time only, and not in `offset`.
  bool isMoved = false;
  /// The body reads the element that was there before.
  bool isRead = false;

  /// All that the loops reach, as a memref of rank 1.
  Value flatten(OpBuilder &builder, Location loc) const;
};

/// One loop of a nest.
struct NestLoop {
  int64_t extent;
  bool isReduction;
  /// The dimension of the operation, if the body asks for its index.
  std::optional<unsigned> indexedDim;
  /// Step of each operand, in elements.
  SmallVector<int64_t> strides;
};

struct StridedNest {
  SmallVector<NestOperand> operands; // in the order of the operands
  SmallVector<NestLoop> loops;       // outermost first
  unsigned numInputs;

  /// Of `op`, its loops in their own order, those of extent 1 left out. Fails
  /// where something is not known before run time, a map is not linear, or,
  /// unless that is asked for, a loop walks an input backwards.
  static FailureOr<StridedNest> get(linalg::LinalgOp op,
                                    bool allowsBackwards = false);

  /// Makes one loop of neighbours that walk memory as one.
  void mergeLoops();

  /// True if no two points of the loops that walk operand `i` are one element:
  /// each loop steps over all that those inside it reach.
  bool isInjective(unsigned i) const;
};

/// Largest stride outermost; equal ones stay as they are.
void sortByStride(SmallVectorImpl<NestLoop> &loops,
                  function_ref<int64_t(const NestLoop &)> getStride);

} // namespace mlir::amp

#endif // AMP_CONVERSION_STRIDEDNEST_H
