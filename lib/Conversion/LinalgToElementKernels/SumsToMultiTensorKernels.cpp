//===- SumsToMultiTensorKernels.cpp - Sums of tensors, one launch ---------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Horizontal fusion of sums, as norms of gradients are. Sums of a block that
// compute the same of each element, and do not depend on each other, become one
// launch where the last of them stood. What depends on one of them moves behind
// that, in its order.
//
// Costs a look at each operation, and a comparison with each form of a sum.
//
//===----------------------------------------------------------------------===//

#include "IndependentOps.h"
#include "UniqueKernels.h"
#include "amp/Conversion/Device/Passes.h"
#include "amp/Dialect/Amp/IR/AmpDialect.h"
#include "amp/Kernels/TensorSumKernel.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Transforms/RegionUtils.h"

#define DEBUG_TYPE "convert-sums-to-multi-tensor-kernels"

namespace mlir::amp {
#define GEN_PASS_DEF_CONVERTSUMSTOMULTITENSORKERNELSPASS
#include "amp/Conversion/Device/Passes.h.inc"
} // namespace mlir::amp

using namespace mlir;
using namespace mlir::amp;

namespace {
struct ConvertSumsToMultiTensorKernels
    : public amp::impl::ConvertSumsToMultiTensorKernelsPassBase<
          ConvertSumsToMultiTensorKernels> {
  using Base::Base;

  void runOnOperation() override;

private:
  /// Sums of a block that compute the same.
  SmallVector<SmallVector<Operation *>> collect(Block &block);
  /// Makes as few launches of `ops` as can be, of about as many.
  void convert(MutableArrayRef<Operation *> ops, UniqueKernels &kernels);
  void convertTogether(ArrayRef<Operation *> ops, UniqueKernels &kernels);
};
} // namespace

/// The sum that an operation was before.
static TensorSum getSum(Operation *op) {
  std::string reason;
  return *TensorSum::match(cast<linalg::GenericOp>(op), reason);
}

SmallVector<SmallVector<Operation *>>
ConvertSumsToMultiTensorKernels::collect(Block &block) {
  SmallVector<SmallVector<Operation *>> alike;
  for (auto op : block.getOps<linalg::GenericOp>()) {
    std::string reason;
    std::optional<TensorSum> sum = TensorSum::match(op, reason);
    if (!sum) {
      if (op.getNumReductionLoops() == 0)
        continue;
      ++numDeclined;
      if (report)
        op->emitRemark("not of a kernel for many tensors: ") << reason;
      continue;
    }
    auto *known = llvm::find_if(alike, [&](ArrayRef<Operation *> others) {
      return sum->computesAs(getSum(others.front()));
    });
    if (known == alike.end())
      known = &alike.emplace_back();
    known->push_back(op);
  }
  return alike;
}

void ConvertSumsToMultiTensorKernels::convertTogether(ArrayRef<Operation *> ops,
                                                      UniqueKernels &kernels) {
  if (!moveDependentBehind(ops, isMemoryEffectFree))
    return;
  auto sums = llvm::map_to_vector(ops, getSum);
  TensorSumKernel kernel(sums);
  gpu::GPUModuleOp module =
      kernels.get([&](OpBuilder &builder, StringRef name) {
        return kernel.emit(builder, name);
      });
  auto locations =
      llvm::map_to_vector(ops, [](Operation *op) { return op->getLoc(); });
  OpBuilder b(ops.back());
  LaunchKernelsOp launch =
      createLaunch(b, b.getFusedLoc(locations), module, kernel.getInputs(),
                   kernel.getOutputNames(), kernel.getOutputTypes());
  for (auto [op, result] : llvm::zip(ops, launch.getResults()))
    op->getResult(0).replaceAllUsesWith(result);
  for (Operation *op : ops)
    op->erase();
  numConverted += ops.size();
  ++numLaunches;
}

void ConvertSumsToMultiTensorKernels::convert(MutableArrayRef<Operation *> ops,
                                              UniqueKernels &kernels) {
  // Launches before may have moved some of them.
  sortInBlock(ops);
  const int64_t most = TensorSumKernel::getMostTensors(
      parameterBytes, getSum(ops.front()).getNumbers().size());
  if (most < 2)
    return;
  forEachPart(ops.size(), most, [&](int64_t first, int64_t size) {
    if (size > 1)
      convertTogether(ops.slice(first, size), kernels);
  });
}

void ConvertSumsToMultiTensorKernels::runOnOperation() {
  // Values of blocks that nothing reaches may be made of themselves.
  IRRewriter rewriter(&getContext());
  for (auto function : getOperation().getOps<func::FuncOp>())
    (void)eraseUnreachableBlocks(rewriter, function->getRegions());
  UniqueKernels kernels(getOperation(), "tensor_sum");
  for (Block *block : getBlocksOfTensors(getOperation()))
    for (ArrayRef<Operation *> ops : collect(*block))
      for (SmallVector<Operation *> &members : groupIndependent(
               *block, SmallVector<Operation *>(ops), isMemoryEffectFree))
        convert(members, kernels);
  numKernels += kernels.size();
}
