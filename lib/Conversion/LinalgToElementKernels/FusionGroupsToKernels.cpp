//===- FusionGroupsToKernels.cpp - Loops over tiles as kernels ------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each scf.forall on tensors that amp-tile-fusion-groups wrote becomes a launch
// of a kernel with a block of threads for each tile. What has none stays, and
// its operations get kernels of their own once the loop is undone: that is the
// concern of who made the loop, so here it is only reported.
//
//===----------------------------------------------------------------------===//

#include "UniqueKernels.h"
#include "amp/Conversion/Device/Passes.h"
#include "amp/Dialect/Amp/IR/AmpDialect.h"
#include "amp/Kernels/Chip.h"
#include "amp/Kernels/GroupKernel.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace mlir::amp {
#define GEN_PASS_DEF_CONVERTFUSIONGROUPSTOKERNELSPASS
#include "amp/Conversion/Device/Passes.h.inc"
} // namespace mlir::amp

using namespace mlir;
using namespace mlir::amp;

namespace {
struct ConvertFusionGroupsToKernels
    : public amp::impl::ConvertFusionGroupsToKernelsPassBase<
          ConvertFusionGroupsToKernels> {
  using Base::Base;

  void runOnOperation() override {
    const Chip *target =
        readChip(chip, [&] { return getOperation().emitError(); });
    if (!target)
      return signalPassFailure();
    UniqueKernels kernels(getOperation(), "group");
    IRRewriter rewriter(&getContext());
    SmallVector<scf::ForallOp> loops;
    for (auto function : getOperation().getOps<func::FuncOp>())
      function.walk([&](scf::ForallOp loop) { loops.push_back(loop); });
    for (scf::ForallOp loop : loops) {
      std::string reason;
      std::optional<GroupKernel> kernel =
          GroupKernel::match(loop, *target, reason);
      if (!kernel) {
        ++numDeclined;
        if (report)
          loop.emitRemark("not a kernel: ") << reason;
        continue;
      }
      gpu::GPUModuleOp module =
          kernels.get([&](OpBuilder &builder, StringRef name) {
            return kernel->emit(builder, name);
          });
      replaceByLaunch(rewriter, loop, module, kernel->getInputs(),
                      kernel->getOutputNames());
      ++numConverted;
    }
    numKernels += kernels.size();
  }
};
} // namespace
