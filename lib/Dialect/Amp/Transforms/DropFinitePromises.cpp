//===- DropFinitePromises.cpp - Overflows are to be seen ------------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The flags nnan and ninf of an operation promise that no NaN and no infinity
// comes into it or out of it. That may hold of the program as it was written,
// and does not once a loss is scaled: the scaler looks for the largest scale by
// letting gradients overflow, and a step is skipped where it finds one. An
// operation that may do as it likes with NaN hides it. So the two flags are
// taken away wherever a loss is scaled; the others stay.
//
//===----------------------------------------------------------------------===//

#include "amp/Dialect/Amp/IR/AmpDialect.h"
#include "amp/Dialect/Amp/Transforms/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

#define DEBUG_TYPE "amp-drop-finite-promises"

namespace mlir::amp {
#define GEN_PASS_DEF_DROPFINITEPROMISESPASS
#include "amp/Dialect/Amp/Transforms/Passes.h.inc"
} // namespace mlir::amp

using namespace mlir;
using namespace mlir::amp;

namespace {
struct DropFinitePromises
    : public amp::impl::DropFinitePromisesPassBase<DropFinitePromises> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (module.getOps<ScalerOp>().empty())
      return markAllAnalysesPreserved();
    bool changed = false;
    module.walk([&](arith::ArithFastMathInterface op) {
      constexpr auto promises =
          arith::FastMathFlags::nnan | arith::FastMathFlags::ninf;
      arith::FastMathFlagsAttr flags = op.getFastMathFlagsAttr();
      if (!flags || !bitEnumContainsAny(flags.getValue(), promises))
        return;
      op->setAttr(op.getFastMathAttrName(),
                  arith::FastMathFlagsAttr::get(&getContext(),
                                                flags.getValue() & ~promises));
      changed = true;
      ++numDropped;
    });
    if (!changed)
      markAllAnalysesPreserved();
  }
};
} // namespace
