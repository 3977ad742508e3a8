//===- RecomputeWidenings.cpp - Wide values are computed where read -------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An f32 value that is little more than another type of half values takes twice
// the memory, and each of its readers twice the bytes. Where several operations
// read it, each gets a copy of what computes it, which elementwise fusion then
// takes into the reader's body:
//
//   %w = extf(%h) * %s                 %a = f(extf(%h) * %s)
//   %a = f(%w)  %b = g(%w)      ->     %b = g(extf(%h) * %s)
//
// A chain of such operations counts as one; what it reads in the end has to
// take fewer bytes than what it gives. Only cheap operations are computed again
// (no roundings, quotients or functions), for a few readers.
//
// Above all that is the unscaled gradient: the check for an overflow and the
// update, which waits for it, both read the half gradient instead.
//
//===----------------------------------------------------------------------===//

#include "amp/Analysis/Elementwise.h"
#include "amp/Conversion/Host/Passes.h"
#include "amp/Conversion/LinalgToHostContraction.h"
#include "amp/Support/ShapedBytes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "llvm/ADT/SetVector.h"

#define DEBUG_TYPE "amp-recompute-widenings"

namespace mlir::amp {
#define GEN_PASS_DEF_RECOMPUTEWIDENINGSPASS
#include "amp/Conversion/Host/Passes.h.inc"
} // namespace mlir::amp

using namespace mlir;
using namespace mlir::amp;

/// Readers that get a computation of their own, at most. What is read twice by
/// what is read twice has twice as many.
static constexpr size_t kMostReaders = 8;

/// Bytes that `op` reads if its inputs are computed for it, by `known` where
/// they are cheap.
static int64_t countRead(linalg::GenericOp op,
                         const llvm::DenseMap<Value, int64_t> &known) {
  int64_t bytes = 0;
  for (Value input : op.getDpsInputs())
    if (auto type = dyn_cast<RankedTensorType>(input.getType())) {
      auto found = known.find(input);
      bytes = llvm::SaturatingAdd<uint64_t>(
          bytes, found == known.end()
                     ? countShapedBytes(type, /*unknownExtent=*/1)
                     : found->second);
    }
  return bytes;
}

/// The readers of `op`, if each of them can compute it for itself.
static std::optional<llvm::SetVector<Operation *>>
getReaders(linalg::GenericOp op) {
  std::optional<llvm::SetVector<Operation *>> readers = getGenericReaders(op);
  if (!readers || llvm::any_of(*readers, [](Operation *reader) {
        return isHostContraction(cast<linalg::LinalgOp>(reader));
      }))
    return std::nullopt;
  return readers;
}

namespace {
struct RecomputeWidenings
    : public amp::impl::RecomputeWideningsPassBase<RecomputeWidenings> {
  void runOnOperation() override {
    // Operations that take fewer bytes than they give.
    SmallVector<linalg::GenericOp> ops;
    llvm::DenseMap<Value, int64_t> known;
    getOperation().walk([&](linalg::GenericOp op) {
      if (!isCheapByElement(op))
        return;
      auto type = cast<RankedTensorType>(op->getResult(0).getType());
      int64_t given = countShapedBytes(type, /*unknownExtent=*/1),
              read = countRead(op, known);
      known[op->getResult(0)] = std::min(given, read);
      if (read < given)
        ops.push_back(op);
    });
    // Readers first: copies of them read what is looked at next.
    for (linalg::GenericOp op : llvm::reverse(ops)) {
      std::optional<llvm::SetVector<Operation *>> readers = getReaders(op);
      if (!readers || readers->size() < 2 || readers->size() > kMostReaders)
        continue;
      for (Operation *reader : llvm::drop_begin(*readers)) {
        Operation *own = OpBuilder(reader).clone(*op);
        reader->replaceUsesOfWith(op->getResult(0), own->getResult(0));
        ++numRecomputed;
      }
    }
  }
};
} // namespace
