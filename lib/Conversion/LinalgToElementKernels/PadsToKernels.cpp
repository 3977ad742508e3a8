//===- PadsToKernels.cpp - Tensors among a number as kernels --------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tensor.pad of a constant, and an insertion into a tensor that is filled
// with one, become the launch of one kernel, which writes each element once.
// What is left is taken apart by amp-decompose-pads.
//
//===----------------------------------------------------------------------===//

#include "UniqueKernels.h"
#include "amp/Analysis/Fill.h"
#include "amp/Conversion/Device/Passes.h"
#include "amp/Kernels/PadKernel.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace mlir::amp {
#define GEN_PASS_DEF_CONVERTPADSTOKERNELSPASS
#include "amp/Conversion/Device/Passes.h.inc"
} // namespace mlir::amp

using namespace mlir;
using namespace mlir::amp;

namespace {
struct ConvertPadsToKernels
    : public amp::impl::ConvertPadsToKernelsPassBase<ConvertPadsToKernels> {
  using Base::Base;

  void runOnOperation() override {
    UniqueKernels kernels(getOperation(), "pad");
    IRRewriter rewriter(&getContext());
    SmallVector<Operation *> ops;
    for (auto function : getOperation().getOps<func::FuncOp>())
      function.walk([&](Operation *op) {
        if (isa<tensor::PadOp, tensor::InsertSliceOp>(op))
          ops.push_back(op);
      });
    for (Operation *op : ops) {
      std::string reason;
      if (succeeded(convert(rewriter, op, kernels, reason))) {
        ++numConverted;
        continue;
      }
      ++numDeclined;
      if (report)
        op->emitRemark("not a kernel: ") << reason;
    }
    numKernels += kernels.size();
  }

private:
  /// What `op` pads, as a kernel.
  std::optional<PadKernel> match(Operation *op, std::string &reason) {
    auto result = cast<RankedTensorType>(op->getResult(0).getType());
    auto check = [&](TypedAttr number, RankedTensorType source,
                     ArrayRef<int64_t> offsets,
                     ArrayRef<int64_t> strides) -> std::optional<PadKernel> {
      if (!number)
        reason = "expected a constant around the tensor, but got other values";
      else if (ShapedType::isDynamicShape(offsets) ||
               ShapedType::isDynamicShape(strides))
        reason = "expected a known place, but got one that a run computes";
      else
        return PadKernel::match(source, result, offsets, strides, number,
                                reason);
      return std::nullopt;
    };
    if (auto pad = dyn_cast<tensor::PadOp>(op)) {
      Value value = pad.getConstantPaddingValue();
      TypedAttr number = value ? getSplatValue(value) : TypedAttr();
      SmallVector<int64_t> ones(result.getRank(), 1);
      return check(number, pad.getSourceType(), pad.getStaticLow(), ones);
    }
    auto insert = cast<tensor::InsertSliceOp>(op);
    return check(getSplatValue(insert.getDest()), insert.getSourceType(),
                 insert.getStaticOffsets(), insert.getStaticStrides());
  }

  LogicalResult convert(IRRewriter &rewriter, Operation *op,
                        UniqueKernels &kernels, std::string &reason) {
    std::optional<PadKernel> kernel = match(op, reason);
    if (!kernel)
      return failure();
    gpu::GPUModuleOp module =
        kernels.get([&](OpBuilder &builder, StringRef name) {
          return kernel->emit(builder, op->getLoc(), name);
        });
    replaceByLaunch(rewriter, op, module, {{"in0", op->getOperand(0)}},
                    {"out0"});
    return success();
  }
};
} // namespace
