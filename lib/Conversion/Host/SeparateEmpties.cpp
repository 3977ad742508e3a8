//===- SeparateEmpties.cpp - One empty tensor for each use ----------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Common subexpression elimination leaves one empty tensor for all results of a
// shape, and to one-shot bufferization (LLVM 22) these are aliases of each
// other: it asks of each whether another one's write comes between, which grows
// with their square. Of 400 layers of one shape it took 15 of 33 seconds. Each
// use but the first gets an empty tensor of its own here, in front of its
// operation, where bufferization would allocate.
//
//===----------------------------------------------------------------------===//

#include "amp/Conversion/Host/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

#define DEBUG_TYPE "amp-separate-empties"

namespace mlir::amp {
#define GEN_PASS_DEF_SEPARATEEMPTIESPASS
#include "amp/Conversion/Host/Passes.h.inc"
} // namespace mlir::amp

using namespace mlir;
using namespace mlir::amp;

namespace {
struct SeparateEmptiesPass
    : public amp::impl::SeparateEmptiesPassBase<SeparateEmptiesPass> {
  using Base::Base;

  void runOnOperation() override {
    SmallVector<tensor::EmptyOp> empties;
    getOperation()->walk([&](tensor::EmptyOp op) { empties.push_back(op); });
    for (tensor::EmptyOp empty : empties)
      // The list has the last use first.
      while (!empty->use_empty() && !empty->hasOneUse()) {
        OpOperand &use = *empty->use_begin();
        OpBuilder builder(use.getOwner());
        use.set(builder.clone(*empty)->getResult(0));
        ++numEmpties;
      }
  }
};
} // namespace
