//===- TurnedInputs.h - Inputs that lie across what is written --*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where the innermost loop writes neighbours and reads an input with a stride,
// and another loop walks that input by one, each element that is read brings
// a line of the cache, and is one load. Such an input is read in blocks, which
// are turned in registers into a small buffer; from there it is read by one.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_CONVERSION_TURNEDINPUTS_H
#define AMP_CONVERSION_TURNEDINPUTS_H

#include "amp/Conversion/StridedNest.h"

namespace mlir::amp {

/// Elements of a side of a block. Of f32 two lines of a cache: those of eight
/// rows fit one set, which rows a power of two apart share.
constexpr int64_t kTurnedSide = 32;

/// Inputs of `nest`, if it reduces nothing, that its innermost loop walks with
/// a stride and another loop by one. If there are any, that loop becomes the
/// last but one.
SmallVector<unsigned> findTurnedInputs(StridedNest &nest);

/// Buffers for blocks, on the stack. Operations that follow each other share
/// them.
class TurnedBlocks {
public:
  /// With several threads an iteration of a loop that they share has its own.
  explicit TurnedBlocks(unsigned threads) : threads(threads) {}

  /// The `number`th one for operations that stand where `op` does, of `element`
  /// as halves are moved: i16.
  Value get(Operation *op, Type element, unsigned number);

private:
  unsigned threads;
  llvm::DenseMap<std::tuple<Block *, Type, unsigned>, Value> blocks;
};

/// Copies source[begin + t + i * stride] to block[t * kTurnedSide + i], for
/// `numT` and `numI` of them, at most kTurnedSide.
void copyTurned(OpBuilder &builder, Location loc, Value source, Value begin,
                int64_t stride, Value numT, Value numI, Value block);

} // namespace mlir::amp

#endif // AMP_CONVERSION_TURNEDINPUTS_H
