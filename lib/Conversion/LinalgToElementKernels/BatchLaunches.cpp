//===- BatchLaunches.cpp - One launch for those of a kernel ---------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Horizontal fusion of what has a kernel already. Layers of one shape launch
// the same kernels, and what ends in a parameter's gradient is not read before
// the update: those launches can run at one place, that of the last
// (IndependentOps.h).
//
// A launch of much memory takes longer than to launch it, and its results are
// best read while the L2 cache has them. So neither does it take part, nor does
// it move behind one: it ends a batch.
//
//===----------------------------------------------------------------------===//

#include "IndependentOps.h"
#include "UniqueKernels.h"
#include "amp/Conversion/Device/Passes.h"
#include "amp/Dialect/Amp/IR/AmpDialect.h"
#include "amp/Kernels/BatchedKernel.h"
#include "amp/Support/ShapedBytes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/ReshapeOpsUtils.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/FormatVariadic.h"

namespace mlir::amp {
#define GEN_PASS_DEF_BATCHLAUNCHESPASS
#include "amp/Conversion/Device/Passes.h.inc"
} // namespace mlir::amp

using namespace mlir;
using namespace mlir::amp;

/// Bytes that an operation reads and writes. The operands of a launch are that.
static int64_t countBytes(Operation *op) {
  int64_t bytes = 0;
  auto add = [&](TypeRange types) {
    for (Type type : types)
      if (auto tensor = dyn_cast<RankedTensorType>(type))
        bytes += countShapedBytes(tensor, /*unknownExtent=*/1);
  };
  add(op->getOperandTypes());
  if (!isa<LaunchKernelsOp>(op))
    add(op->getResultTypes());
  return bytes;
}

/// Whether an operation says where elements are, and moves none.
static bool isView(Operation *op) {
  return isa<tensor::EmptyOp, tensor::ExpandShapeOp, tensor::CollapseShapeOp,
             tensor::ExtractSliceOp, tensor::CastOp>(op);
}

/// %r = tensor.insert_slice %x into %all, where %x is all of it
///   ->  %r = tensor.expand_shape %x
/// Results are written where they are inserted only if nothing in between
/// writes there, and launches of a batch stand apart from their insertions.
static void expandWholeInsertions(Block &block) {
  for (auto insertion :
       llvm::make_early_inc_range(block.getOps<tensor::InsertSliceOp>())) {
    RankedTensorType type = insertion.getType(),
                     source = insertion.getSourceType();
    if (!insertion.getSource().getDefiningOp<LaunchKernelsOp>() ||
        !type.hasStaticShape() || !source.hasStaticShape() ||
        type.getNumElements() != source.getNumElements() ||
        type.getRank() == source.getRank())
      continue;
    std::optional<SmallVector<ReassociationIndices>> dims =
        getReassociationIndicesForReshape(source, type);
    if (!dims)
      continue;
    OpBuilder b(insertion);
    Value all = tensor::ExpandShapeOp::create(b, insertion.getLoc(), type,
                                              insertion.getSource(), *dims);
    insertion.replaceAllUsesWith(all);
    insertion.erase();
  }
}

namespace {
struct BatchLaunches : public amp::impl::BatchLaunchesPassBase<BatchLaunches> {
  using Base::Base;

  void runOnOperation() override;

private:
  /// What is wrong with a launch, or nothing.
  std::string check(LaunchKernelsOp launch, SymbolTable &symbols) const;
  void convertIn(Block &block, SymbolTable &symbols, UniqueKernels &kernels);
  /// Makes as few launches of `ops` as can be, of about as many.
  void convert(MutableArrayRef<Operation *> ops, const BatchedKernel &kernel,
               UniqueKernels &kernels);
  void batch(ArrayRef<Operation *> ops, const BatchedKernel &kernel,
             UniqueKernels &kernels);
  bool canMove(Operation *op) const {
    return isMemoryEffectFree(op) && op->getNumRegions() == 0 &&
           (isView(op) || countBytes(op) <= smallBytes);
  }
};
} // namespace

std::string BatchLaunches::check(LaunchKernelsOp launch,
                                 SymbolTable &symbols) const {
  auto module = symbols.lookup<gpu::GPUModuleOp>(launch.getKernels());
  std::string reason;
  if (!module)
    return "expected a kernel that is not compiled, but got one that is";
  if (!BatchedKernel::match(module, reason))
    return reason;
  if (!llvm::all_of(launch.getOutputs(), [](Value out) {
        return out.getDefiningOp<tensor::EmptyOp>() != nullptr;
      }))
    return "expected results in memory of their own, but got a tensor that is "
           "there";
  if (int64_t bytes = countBytes(launch); bytes > smallBytes)
    return llvm::formatv("expected at most {0} bytes, but got {1}", smallBytes,
                         bytes);
  return "";
}

void BatchLaunches::batch(ArrayRef<Operation *> ops,
                          const BatchedKernel &kernel, UniqueKernels &kernels) {
  if (!moveDependentBehind(ops, [&](Operation *op) { return canMove(op); }))
    return;
  gpu::GPUModuleOp module =
      kernels.get([&](OpBuilder &builder, StringRef name) {
        return kernel.emit(builder, name, ops.size());
      });
  OpBuilder b(ops.back());
  SmallVector<ElementKernel::Input> inputs;
  SmallVector<std::string> outputs;
  SmallVector<Type> types;
  SmallVector<Location> locations;
  for (auto [i, op] : llvm::enumerate(ops)) {
    auto launch = cast<LaunchKernelsOp>(op);
    const unsigned ins = launch.getInputs().size();
    for (auto [k, input] : llvm::enumerate(launch.getInputs()))
      inputs.push_back(
          {BatchedKernel::getName(launch.getOperandName(k), i), input});
    for (unsigned k = 0, e = launch.getNumResults(); k < e; ++k)
      outputs.push_back(
          BatchedKernel::getName(launch.getOperandName(ins + k), i));
    llvm::append_range(types, launch.getResultTypes());
    locations.push_back(launch.getLoc());
  }
  LaunchKernelsOp batch =
      createLaunch(b, b.getFusedLoc(locations), module, inputs, outputs, types);
  ValueRange results = batch.getResults();
  for (Operation *op : ops) {
    op->replaceAllUsesWith(results.take_front(op->getNumResults()));
    results = results.drop_front(op->getNumResults());
    op->erase();
  }
  numBatched += ops.size();
  ++numBatches;
}

void BatchLaunches::convert(MutableArrayRef<Operation *> ops,
                            const BatchedKernel &kernel,
                            UniqueKernels &kernels) {
  // Batches before may have moved some of them.
  sortInBlock(ops);
  const int64_t most = kernel.getMostLaunches(parameterBytes);
  if (most < 2)
    return;
  forEachPart(ops.size(), most, [&](int64_t first, int64_t size) {
    if (size > 1)
      batch(ops.slice(first, size), kernel, kernels);
  });
}

void BatchLaunches::convertIn(Block &block, SymbolTable &symbols,
                              UniqueKernels &kernels) {
  expandWholeInsertions(block);
  llvm::MapVector<StringAttr, SmallVector<Operation *>> ofKernel;
  for (auto launch : block.getOps<LaunchKernelsOp>()) {
    if (std::string wrong = check(launch, symbols); !wrong.empty()) {
      ++numDeclined;
      if (report)
        launch.emitRemark("not of a batch: ") << wrong;
      continue;
    }
    ofKernel[launch.getKernelsAttr().getAttr()].push_back(launch);
  }
  for (auto &[name, launches] : ofKernel) {
    if (launches.size() < 2)
      continue;
    std::string reason;
    BatchedKernel kernel =
        *BatchedKernel::match(symbols.lookup<gpu::GPUModuleOp>(name), reason);
    for (SmallVector<Operation *> &members : groupIndependent(
             block, launches, [&](Operation *op) { return canMove(op); }))
      convert(members, kernel, kernels);
  }
}

void BatchLaunches::runOnOperation() {
  SymbolTable symbols(getOperation());
  UniqueKernels kernels(getOperation(), "batch");
  SmallVector<Block *> blocks;
  for (auto function : getOperation().getOps<func::FuncOp>())
    function.walk([&](Block *block) { blocks.push_back(block); });
  for (Block *block : blocks)
    convertIn(*block, symbols, kernels);
  numKernels += kernels.size();
}
