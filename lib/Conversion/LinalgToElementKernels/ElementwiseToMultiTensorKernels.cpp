//===- ElementwiseToMultiTensorKernels.cpp - Same loops, one launch -------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Horizontal fusion. Loops of a block that compute the same of elements (their
// form, amp/Kernels/ElementwiseLoop.h) and do not depend on each other become
// one launch, where the last of them stands (IndependentOps.h).
//
// What a large tensor becomes is best read at once, while the L2 cache has it,
// and its memory given back: such a loop takes part only if its results leave
// the block, as those of updates do.
//
// Which loops depend on each other is asked anew for each form, of what the
// forms before left: two launches that each need a part of the other are never
// made.
//
// Costs a walk over the block for each form with several loops.
//
//===----------------------------------------------------------------------===//

#include "IndependentOps.h"
#include "UniqueKernels.h"
#include "amp/Conversion/Device/Passes.h"
#include "amp/Dialect/Amp/IR/AmpDialect.h"
#include "amp/Kernels/Chip.h"
#include "amp/Kernels/GroupKernel.h"
#include "amp/Kernels/MultiTensorKernel.h"
#include "amp/Support/ShapedBytes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/Support/FormatVariadic.h"

#define DEBUG_TYPE "convert-elementwise-to-multi-tensor-kernels"

namespace mlir::amp {
#define GEN_PASS_DEF_CONVERTELEMENTWISETOMULTITENSORKERNELSPASS
#include "amp/Conversion/Device/Passes.h.inc"
} // namespace mlir::amp

using namespace mlir;
using namespace mlir::amp;

namespace {
struct ConvertElementwiseToMultiTensorKernels
    : public amp::impl::ConvertElementwiseToMultiTensorKernelsPassBase<
          ConvertElementwiseToMultiTensorKernels> {
  using Base::Base;

  void runOnOperation() override;

private:
  /// The loops of a block that a kernel can take, those of one form together.
  SmallVector<SmallVector<Operation *>> collect(Block &block,
                                                const Chip &target);
  /// Makes launches of loops that are independent and of one form.
  void convert(MutableArrayRef<Operation *> ops, const Chip &target,
               UniqueKernels &kernels);
  /// Makes one, if nothing that depends on the loops has an effect before the
  /// last of them.
  void convert(ArrayRef<Operation *> ops, ArrayRef<ElementwiseLoop> loops,
               UniqueKernels &kernels);
};
} // namespace

static std::optional<ElementwiseLoop> match(Operation *op, const Chip &chip,
                                            std::string &reason) {
  if (auto loop = dyn_cast<scf::ForallOp>(op))
    return GroupKernel::match(loop, chip, reason)
               ? ElementwiseLoop::match(loop, reason)
               : std::nullopt;
  auto generic = cast<linalg::GenericOp>(op);
  return ElementKernel::match(generic, reason)
             ? ElementwiseLoop::match(generic, reason)
             : std::nullopt;
}

/// Whether all that becomes of a value is that it leaves the block.
static bool isResult(Value value) {
  return llvm::all_of(value.getUsers(), [](Operation *user) {
    return user->hasTrait<OpTrait::IsTerminator>() ||
           (isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(user) &&
            isResult(user->getResult(0)));
  });
}

/// Bytes that a loop reads and writes.
static int64_t countBytes(const ElementwiseLoop &loop) {
  int64_t bytes = 0;
  auto add = [&](Type type) {
    bytes += loop.getCount() * getElementBytes(cast<ShapedType>(type));
  };
  for (const ElementwiseLoop::Column &column : loop.getColumns())
    if (!column.isNumber)
      add(column.value.getType());
  llvm::for_each(loop.getOperation()->getResultTypes(), add);
  return bytes;
}

SmallVector<SmallVector<Operation *>>
ConvertElementwiseToMultiTensorKernels::collect(Block &block,
                                                const Chip &target) {
  llvm::StringMap<unsigned> numbers;
  SmallVector<SmallVector<Operation *>> ofForm;
  for (Operation &op : block) {
    if (!isa<scf::ForallOp, linalg::GenericOp>(op))
      continue;
    std::string reason;
    std::optional<ElementwiseLoop> loop = match(&op, target, reason);
    if (loop && countBytes(*loop) > smallBytes &&
        !llvm::all_of(op.getResults(), isResult)) {
      reason = llvm::formatv("expected results that leave the block, or at "
                             "most {0} bytes, but got {1} and a result that is "
                             "read on",
                             smallBytes, countBytes(*loop));
      loop.reset();
    }
    if (!loop) {
      ++numDeclined;
      if (report)
        op.emitRemark("not of a kernel for many tensors: ") << reason;
      continue;
    }
    auto [known, isNew] = numbers.insert({loop->getForm(), ofForm.size()});
    if (isNew)
      ofForm.emplace_back();
    ofForm[known->second].push_back(&op);
  }
  return ofForm;
}

void ConvertElementwiseToMultiTensorKernels::convert(
    ArrayRef<Operation *> ops, ArrayRef<ElementwiseLoop> loops,
    UniqueKernels &kernels) {
  if (!moveDependentBehind(ops, isMemoryEffectFree))
    return;
  MultiTensorKernel kernel(loops);
  gpu::GPUModuleOp module =
      kernels.get([&](OpBuilder &builder, StringRef name) {
        return kernel.emit(builder, name);
      });
  OpBuilder b(ops.back());
  SmallVector<Type> types;
  for (const ElementwiseLoop &loop : loops)
    llvm::append_range(types, loop.getOperation()->getResultTypes());
  auto locations = llvm::map_to_vector(loops, [](const ElementwiseLoop &loop) {
    return loop.getOperation()->getLoc();
  });
  LaunchKernelsOp launch =
      createLaunch(b, b.getFusedLoc(locations), module, kernel.getInputs(),
                   kernel.getOutputNames(), types);
  ValueRange results = launch.getResults();
  for (const ElementwiseLoop &loop : loops) {
    Operation *op = loop.getOperation();
    op->replaceAllUsesWith(results.take_front(op->getNumResults()));
    results = results.drop_front(op->getNumResults());
  }
  for (const ElementwiseLoop &loop : loops)
    loop.getOperation()->erase();
  numConverted += loops.size();
  ++numLaunches;
}

void ConvertElementwiseToMultiTensorKernels::convert(
    MutableArrayRef<Operation *> ops, const Chip &target,
    UniqueKernels &kernels) {
  // Launches before may have moved some of them, and given others operands.
  sortInBlock(ops);
  std::string reason;
  auto matched = llvm::map_to_vector(
      ops, [&](Operation *op) { return *match(op, target, reason); });
  ArrayRef<ElementwiseLoop> loops = matched;
  int64_t most = MultiTensorKernel::getMostLoops(loops, parameterBytes);
  if (most < 2)
    return;
  // As few launches as can be, of about as many loops.
  forEachPart(loops.size(), most, [&](int64_t first, int64_t size) {
    if (size > 1)
      convert(ops.slice(first, size), loops.slice(first, size), kernels);
  });
}

void ConvertElementwiseToMultiTensorKernels::runOnOperation() {
  const Chip *target =
      readChip(chip, [&] { return getOperation().emitError(); });
  if (!target)
    return signalPassFailure();
  UniqueKernels kernels(getOperation(), "multi_tensor");
  for (Block *block : getBlocksOfTensors(getOperation()))
    for (ArrayRef<Operation *> ops : collect(*block, *target))
      for (SmallVector<Operation *> &members : groupIndependent(
               *block, SmallVector<Operation *>(ops), isMemoryEffectFree))
        convert(MutableArrayRef<Operation *>(members), *target, kernels);
  numKernels += kernels.size();
}
