//===- AnnotateFusionPlan.cpp - The plan for a chip, as attributes --------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Plans each block of a function by itself, as conversions do, and writes down
// what they would read. Groups are numbered through all blocks, bytes are added
// up over them.
//
//===----------------------------------------------------------------------===//

#include "amp/Conversion/Device/Passes.h"
#include "amp/Fusion/FusionPlan.h"
#include "amp/Kernels/Chip.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"

#define DEBUG_TYPE "amp-annotate-fusion-plan"

namespace mlir::amp {
#define GEN_PASS_DEF_ANNOTATEFUSIONPLANPASS
#include "amp/Conversion/Device/Passes.h.inc"
} // namespace mlir::amp

using namespace mlir;
using namespace mlir::amp;

static constexpr StringLiteral kGroupAttr = "amp.fusion_group";
static constexpr StringLiteral kBytesAttr = "amp.fusion_bytes";

namespace {
struct AnnotateFusionPlan
    : public amp::impl::AnnotateFusionPlanPassBase<AnnotateFusionPlan> {
  using Base::Base;

  LogicalResult initialize(MLIRContext *context) override {
    target =
        readChip(chip, [&] { return emitError(UnknownLoc::get(context)); });
    return success(target != nullptr);
  }

  void runOnOperation() override {
    Builder b(&getContext());
    FusionTarget machine = getFusionTarget(*target);
    int64_t number = 0, before = 0, after = 0;
    getOperation().walk([](Operation *op) { op->removeAttr(kGroupAttr); });
    getOperation().walk<WalkOrder::PreOrder>([&](Block *block) {
      // Bodies of operations on tensors have nothing to plan.
      if (!block->mightHaveTerminator() ||
          isa<linalg::LinalgOp>(block->getParentOp()))
        return;
      FusionPlan plan = FusionPlan::compute(*block, machine);
      before += plan.bytesBefore;
      after += plan.bytesAfter;
      for (const FusionGroup &group : plan.groups) {
        for (const FusionNode &node : group.nodes)
          node.operation->setAttr(kGroupAttr, b.getI64IntegerAttr(number));
        ++number;
      }
    });
    getOperation()->setAttr(
        kBytesAttr, b.getDictionaryAttr(
                        {b.getNamedAttr("before", b.getI64IntegerAttr(before)),
                         b.getNamedAttr("after", b.getI64IntegerAttr(after))}));
  }

private:
  const Chip *target = nullptr;
};
} // namespace
