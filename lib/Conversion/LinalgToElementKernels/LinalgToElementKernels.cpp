//===- LinalgToElementKernels.cpp - What is left, as plain kernels --------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each linalg operation on tensors becomes a linalg.generic and that a launch
// of a kernel with a thread for each element. Fills come last: one that only
// says what a sum starts from is gone by then. Equal kernels are there once:
// they are compared as they are written, under one name.
//
//===----------------------------------------------------------------------===//

#include "UniqueKernels.h"
#include "amp/Conversion/Device/Passes.h"
#include "amp/Dialect/Amp/IR/AmpDialect.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace mlir::amp {
#define GEN_PASS_DEF_CONVERTLINALGTOELEMENTKERNELSPASS
#include "amp/Conversion/Device/Passes.h.inc"
} // namespace mlir::amp

using namespace mlir;
using namespace mlir::amp;

namespace {
struct ConvertLinalgToElementKernels
    : public amp::impl::ConvertLinalgToElementKernelsPassBase<
          ConvertLinalgToElementKernels> {
  using Base::Base;

  void runOnOperation() override;

private:
  void convert(linalg::LinalgOp op, UniqueKernels &kernels,
               IRRewriter &rewriter);
};
} // namespace

void ConvertLinalgToElementKernels::convert(linalg::LinalgOp op,
                                            UniqueKernels &kernels,
                                            IRRewriter &rewriter) {
  auto decline = [&](StringRef reason) {
    ++numDeclined;
    if (report)
      op->emitRemark("not a kernel: ") << reason;
  };
  auto generic = dyn_cast<linalg::GenericOp>(op.getOperation());
  if (!generic) {
    if (!op.hasPureTensorSemantics())
      return decline(
          "expected an operation whose results are tensors, but got one without");
    rewriter.setInsertionPoint(op);
    FailureOr<linalg::GenericOp> general =
        linalg::generalizeNamedOp(rewriter, op);
    if (failed(general))
      return decline("expected an operation that linalg.generic can say");
    op = generic = *general;
  }
  std::string reason;
  std::optional<ElementKernel> kernel = ElementKernel::match(generic, reason);
  if (!kernel)
    return decline(reason);
  gpu::GPUModuleOp module =
      kernels.get([&](OpBuilder &builder, StringRef name) {
        return kernel->emit(builder, name);
      });
  replaceByLaunch(rewriter, generic, module, kernel->getInputs(),
                  kernel->getOutputNames());
  ++numConverted;
}

void ConvertLinalgToElementKernels::runOnOperation() {
  UniqueKernels kernels(getOperation(), "element");
  IRRewriter rewriter(&getContext());
  SmallVector<linalg::LinalgOp> ops, fills;
  // A nested symbol table could not name our kernels.
  for (auto function : getOperation().getOps<func::FuncOp>())
    function.walk([&](linalg::LinalgOp op) {
      (isa<linalg::FillOp>(op.getOperation()) ? fills : ops).push_back(op);
    });
  for (linalg::LinalgOp op : ops)
    convert(op, kernels, rewriter);
  for (linalg::LinalgOp fill : fills) {
    if (fill->use_empty())
      rewriter.eraseOp(fill);
    else
      convert(fill, kernels, rewriter);
  }
  numKernels += kernels.size();
}
