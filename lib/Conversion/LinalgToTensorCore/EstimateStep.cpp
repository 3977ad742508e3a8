//===- EstimateStep.cpp - What a step is expected to take -----------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Launches run one after the other, so that a step takes the sum of what each
// does: of a product, what its kernel was chosen by; of all else, a launch and
// the bytes of its operands at what memory keeps up. Nothing here was measured
// in a step.
//
//===----------------------------------------------------------------------===//

#include "amp/Analysis/BufferRoots.h"
#include "amp/Conversion/Device/Passes.h"
#include "amp/Dialect/Amp/IR/AmpDialect.h"
#include "amp/Kernels/Chip.h"
#include "amp/Kernels/KernelCost.h"
#include "amp/Program/ProgramSignature.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/SymbolTable.h"

#define DEBUG_TYPE "amp-estimate-step"

namespace mlir::amp {
#define GEN_PASS_DEF_ESTIMATESTEPPASS
#include "amp/Conversion/Device/Passes.h.inc"
} // namespace mlir::amp

using namespace mlir;
using namespace mlir::amp;

namespace {
struct EstimateStep : public amp::impl::EstimateStepPassBase<EstimateStep> {
  using Base::Base;

  LogicalResult initialize(MLIRContext *context) override {
    target =
        readChip(chip, [&] { return emitError(UnknownLoc::get(context)); });
    return success(target != nullptr);
  }

  void runOnOperation() override {
    SymbolTable kernels(getOperation());
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      if (!isTrainStep(function))
        continue;
      double seconds = estimate(function.getBody(), kernels);
      getOperation()->setAttr(kExpectedSecondsAttr,
                              Builder(&getContext()).getF64FloatAttr(seconds));
      return;
    }
  }

private:
  double estimate(Region &region, const SymbolTable &kernels) const {
    double seconds = 0;
    for (Operation &op : region.getOps())
      seconds += estimate(op, kernels);
    return seconds;
  }

  double estimate(Operation &op, const SymbolTable &kernels) const {
    double most = 0, all = estimateOwn(op, kernels);
    for (Region &region : op.getRegions()) {
      double seconds = estimate(region, kernels);
      most = std::max(most, seconds);
      all += seconds;
    }
    if (isa<scf::IfOp, scf::IndexSwitchOp>(op))
      return most;
    auto loop = dyn_cast<scf::ForOp>(op);
    std::optional<APInt> rounds =
        loop ? loop.getStaticTripCount() : std::nullopt;
    return rounds ? all * double(rounds->getSExtValue()) : all;
  }

  double estimateOwn(Operation &op, const SymbolTable &kernels) const {
    auto launch = dyn_cast<LaunchKernelsOp>(op);
    if (!launch && !isa<memref::CopyOp>(op))
      return 0;
    if (Operation *module =
            launch ? kernels.lookup(launch.getKernels()) : nullptr)
      if (auto cost = module->getAttrOfType<DictionaryAttr>("amp.cost"))
        if (auto seconds = cost.getAs<FloatAttr>("seconds"))
          return seconds.getValueAsDouble();
    double bytes = 0;
    for (Value buffer : op.getOperands())
      if (isa<MemRefType>(buffer.getType()))
        bytes += double(countViewedBytes(buffer));
    return estimateMemoryPass(bytes, *target);
  }

  const Chip *target = nullptr;
};
} // namespace
