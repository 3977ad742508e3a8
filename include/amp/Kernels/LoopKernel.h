//===- LoopKernel.h - Loops of numbers as kernels ---------------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kernels of loops and branches on single elements of buffers.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_KERNELS_LOOPKERNEL_H
#define AMP_KERNELS_LOOPKERNEL_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

#include <optional>
#include <string>

namespace mlir::amp {

/// An operation with regions as a kernel sees it.
class LoopKernel {
public:
  /// Views a loop or a branch on buffers; or says in `reason` why it has no
  /// kernel: "expected ..., but got ...". Updates of a scatter have blocks of
  /// their own if those are at most `mostUpdateBlocks`.
  static std::optional<LoopKernel>
  match(Operation *op, int64_t mostUpdateBlocks, std::string &reason);

  /// What it takes from outside: buffers that it only reads, those that it
  /// writes, and numbers. The kernel's arguments are `in0` and on, `number0`
  /// and on (memory of one element, of an index an i64), and `out0` and on.
  ArrayRef<Value> getReads() const { return reads; }
  ArrayRef<Value> getWrites() const { return writes; }
  ArrayRef<Value> getNumbers() const { return numbers; }

  /// How many threads share it: more than one where each written element is
  /// known to be one thread's, so that results have the bits of one thread's.
  int64_t countThreads() const;

  /// Adds a gpu.module `name` with a kernel of that name at the builder's
  /// insertion point.
  gpu::GPUModuleOp emit(OpBuilder &builder, StringRef name) const;

private:
  LoopKernel(Operation *op, int64_t mostUpdateBlocks)
      : op(op), mostUpdateBlocks(mostUpdateBlocks) {}

  Operation *op;
  int64_t mostUpdateBlocks;
  SmallVector<Value> reads, writes, numbers;
};

} // namespace mlir::amp

#endif // AMP_KERNELS_LOOPKERNEL_H
