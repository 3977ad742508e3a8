//===- OrReductionsToMultiTensorKernels.cpp - All checks, one launch ------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Horizontal fusion of reductions whose order does not matter. Or-reductions
// (amp/Kernels/OrReduction.h) of a block are followed from one to the next: the
// result of each has one use, and is what the next begins with. Such a chain is
// one or of all elements, and becomes one launch where its last member stands:
// there are all tensors by then, and nobody reads a result before.
//
// A result that something else reads ends a chain, and may begin another one.
// Tensors without elements leave no trace.
//
// Costs a look at each operation.
//
//===----------------------------------------------------------------------===//

#include "UniqueKernels.h"
#include "amp/Conversion/Device/Passes.h"
#include "amp/Dialect/Amp/IR/AmpDialect.h"
#include "amp/Kernels/OrReductionKernel.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/MapVector.h"

#define DEBUG_TYPE "convert-or-reductions-to-multi-tensor-kernels"

namespace mlir::amp {
#define GEN_PASS_DEF_CONVERTORREDUCTIONSTOMULTITENSORKERNELSPASS
#include "amp/Conversion/Device/Passes.h.inc"
} // namespace mlir::amp

using namespace mlir;
using namespace mlir::amp;

using Chain = SmallVector<OrReduction>;

namespace {
struct ConvertOrReductionsToMultiTensorKernels
    : public amp::impl::ConvertOrReductionsToMultiTensorKernelsPassBase<
          ConvertOrReductionsToMultiTensorKernels> {
  using Base::Base;

  void runOnOperation() override;

private:
  /// The or-reductions of the functions of the module.
  SmallVector<OrReduction> collect();
  /// Makes launches of a chain.
  void convert(ArrayRef<OrReduction> chain, UniqueKernels &kernels);
};
} // namespace

SmallVector<OrReduction> ConvertOrReductionsToMultiTensorKernels::collect() {
  SmallVector<OrReduction> reductions;
  auto visit = [&](Operation *op) {
    if (isa<scf::ForallOp>(op))
      return WalkResult::skip();
    auto generic = dyn_cast<linalg::GenericOp>(op);
    if (!generic)
      return WalkResult::advance();
    std::string reason;
    if (auto reduction = OrReduction::match(generic, reason)) {
      reductions.push_back(*reduction);
    } else if (generic.getNumReductionLoops() != 0) {
      ++numDeclined;
      if (report)
        op->emitRemark("not of a kernel for many tensors: ") << reason;
    }
    return WalkResult::skip();
  };
  for (auto function : getOperation().getOps<func::FuncOp>())
    function.walk<WalkOrder::PreOrder>(visit);
  return reductions;
}

/// Chains of at least two, in the order in which they begin.
static SmallVector<Chain> getChains(ArrayRef<OrReduction> reductions) {
  llvm::MapVector<Operation *, Chain> chains; // by their last members
  for (const OrReduction &reduction : reductions) {
    linalg::GenericOp op = reduction.getOperation();
    Value start = reduction.getStart();
    auto before = chains.find(start.getDefiningOp());
    Chain chain;
    if (before != chains.end() && start.hasOneUse() &&
        before->first->getBlock() == op->getBlock())
      chain = std::move(before->second);
    chain.push_back(reduction);
    chains[op] = std::move(chain);
  }
  SmallVector<Chain> found;
  for (auto &[last, chain] : chains)
    if (chain.size() > 1)
      found.push_back(std::move(chain));
  return found;
}

void ConvertOrReductionsToMultiTensorKernels::convert(
    ArrayRef<OrReduction> chain, UniqueKernels &kernels) {
  linalg::GenericOp last = chain.back().getOperation();
  Value result = chain.front().getStart();
  if (llvm::any_of(chain,
                   [](const OrReduction &one) { return one.getCount() > 0; })) {
    OrReductionKernel kernel(chain);
    gpu::GPUModuleOp module =
        kernels.get([&](OpBuilder &builder, StringRef name) {
          return kernel.emit(builder, name);
        });
    OpBuilder b(last);
    auto locations = llvm::map_to_vector(chain, [](const OrReduction &one) {
      return one.getOperation().getLoc();
    });
    result =
        createLaunch(b, b.getFusedLoc(locations), module, kernel.getInputs(),
                     kernel.getOutputName(), last.getResultTypes())
            .getResult(0);
    ++numLaunches;
  }
  last.getResult(0).replaceAllUsesWith(result);
  for (const OrReduction &one : llvm::reverse(chain))
    one.getOperation().erase();
  numConverted += chain.size();
}

void ConvertOrReductionsToMultiTensorKernels::runOnOperation() {
  const int64_t most = OrReductionKernel::getMostTensors(parameterBytes);
  if (most < 2)
    return;
  UniqueKernels kernels(getOperation(), "or_reduction");
  for (ArrayRef<OrReduction> chain : getChains(collect()))
    // As few launches as can be, of about as many tensors.
    for (int64_t left = llvm::divideCeil(int64_t(chain.size()), most); left > 0;
         --left) {
      int64_t size = llvm::divideCeil(int64_t(chain.size()), left);
      convert(chain.take_front(size), kernels);
      chain = chain.drop_front(size);
    }
  numKernels += kernels.size();
}
