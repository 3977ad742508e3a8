//===- OrReductionsToMultiTensorKernels.cpp - All checks, one launch ------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Horizontal fusion of reductions whose order does not matter. Operations of a
// block that or into what they begin with are followed from one to the next:
// the result of each has one use, and is what the next begins with. Such a
// chain is one or, so those of it that a kernel can take
// (amp/Kernels/OrReduction.h) become one launch behind its last member, where
// all tensors are there; nobody reads a result before. The others are a chain
// of their own, which the launch begins with.
//
// A result that something else reads ends a chain, and may begin another one.
// Tensors without elements leave no trace.
//
// Costs a look at each operation.
//
//===----------------------------------------------------------------------===//

#include "IndependentOps.h"
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

namespace {
/// An operation that ors into what it begins with.
struct Link {
  linalg::GenericOp op;
  /// Whether a kernel can take it.
  bool hasKernel;

  OpOperand &getStart() { return *op.getDpsInitOperand(0); }
  /// Its tensor may be what a chain converted before left.
  OrReduction getReduction() const {
    std::string reason;
    return *OrReduction::match(op, reason);
  }
};
using Chain = SmallVector<Link>;

struct ConvertOrReductionsToMultiTensorKernels
    : public amp::impl::ConvertOrReductionsToMultiTensorKernelsPassBase<
          ConvertOrReductionsToMultiTensorKernels> {
  using Base::Base;

  void runOnOperation() override;

private:
  /// Those of the functions of the module.
  SmallVector<Link> collect();
  /// Makes launches of a chain.
  void convert(MutableArrayRef<Link> chain, UniqueKernels &kernels);
  /// Makes one of some of its reductions; gives what it leaves.
  Value convert(OpBuilder &b, ArrayRef<OrReduction> ored, Value begin,
                UniqueKernels &kernels);
};
} // namespace

SmallVector<Link> ConvertOrReductionsToMultiTensorKernels::collect() {
  SmallVector<Link> links;
  auto visit = [&](Operation *op) {
    if (isa<scf::ForallOp>(op))
      return WalkResult::skip();
    auto generic = dyn_cast<linalg::GenericOp>(op);
    if (!generic)
      return WalkResult::advance();
    std::string reason;
    const bool hasKernel = OrReduction::match(generic, reason).has_value();
    if (hasKernel || OrReduction::orsIntoStart(generic))
      links.push_back({generic, hasKernel});
    if (!hasKernel && generic.getNumReductionLoops() != 0) {
      ++numDeclined;
      if (report)
        op->emitRemark("not of a kernel for many tensors: ") << reason;
    }
    return WalkResult::skip();
  };
  for (auto function : getOperation().getOps<func::FuncOp>())
    function.walk<WalkOrder::PreOrder>(visit);
  return links;
}

/// Chains with two reductions or more, in the order in which they end.
static SmallVector<Chain> getChains(ArrayRef<Link> links) {
  llvm::MapVector<Operation *, Chain> chains; // by their last members
  for (Link link : links) {
    Value start = link.getStart().get();
    auto before = chains.find(start.getDefiningOp());
    Chain chain;
    if (before != chains.end() &&
        OrReduction::follows(link.op, cast<linalg::GenericOp>(before->first)))
      chain = std::move(before->second);
    chain.push_back(link);
    chains[link.op] = std::move(chain);
  }
  SmallVector<Chain> found;
  for (auto &[last, chain] : chains)
    if (llvm::count_if(chain, [](const Link &link) { return link.hasKernel; }) >
        1)
      found.push_back(std::move(chain));
  return found;
}

Value ConvertOrReductionsToMultiTensorKernels::convert(
    OpBuilder &b, ArrayRef<OrReduction> ored, Value begin,
    UniqueKernels &kernels) {
  if (llvm::all_of(ored,
                   [](const OrReduction &one) { return one.getCount() == 0; }))
    return begin;
  OrReductionKernel kernel(ored, begin);
  gpu::GPUModuleOp module =
      kernels.get([&](OpBuilder &builder, StringRef name) {
        return kernel.emit(builder, name);
      });
  auto locations = llvm::map_to_vector(
      ored, [](const OrReduction &one) { return one.getOperation().getLoc(); });
  ++numLaunches;
  return createLaunch(b, b.getFusedLoc(locations), module, kernel.getInputs(),
                      kernel.getOutputName(), begin.getType())
      .getResult(0);
}

void ConvertOrReductionsToMultiTensorKernels::convert(
    MutableArrayRef<Link> chain, UniqueKernels &kernels) {
  Value soFar = chain.front().getStart().get();
  auto readers =
      llvm::map_to_vector(chain.back().op.getResult(0).getUses(),
                          [](OpOperand &use) -> OpOperand * { return &use; });
  SmallVector<OrReduction> reductions;
  for (Link &link : chain) {
    if (link.hasKernel) {
      reductions.push_back(link.getReduction());
      continue;
    }
    link.getStart().set(soFar);
    soFar = link.op.getResult(0);
  }
  OpBuilder b(chain.back().op);
  b.setInsertionPointAfter(chain.back().op);
  // As few launches as can be, of about as many tensors.
  const int64_t most = OrReductionKernel::getMostTensors(parameterBytes);
  forEachPart(reductions.size(), most, [&](int64_t first, int64_t size) {
    soFar = convert(b, ArrayRef(reductions).slice(first, size), soFar, kernels);
  });
  for (OpOperand *reader : readers)
    reader->set(soFar);
  for (const OrReduction &one : llvm::reverse(reductions))
    one.getOperation().erase();
  numConverted += reductions.size();
}

void ConvertOrReductionsToMultiTensorKernels::runOnOperation() {
  if (OrReductionKernel::getMostTensors(parameterBytes) < 2)
    return;
  UniqueKernels kernels(getOperation(), "or_reduction");
  for (Chain &chain : getChains(collect()))
    convert(chain, kernels);
  numKernels += kernels.size();
}
