//===- LoopsToKernels.cpp - Loops of numbers as kernels -------------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The outermost loops and branches of which device code has all that is in
// them. Numbers from outside go by memory of one element, which is given back
// behind the launch: the device works in order.
//
//===----------------------------------------------------------------------===//

#include "UniqueKernels.h"
#include "amp/Analysis/ElementLoops.h"
#include "amp/Conversion/Device/Passes.h"
#include "amp/Dialect/Amp/IR/AmpDialect.h"
#include "amp/Kernels/LoopKernel.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace mlir::amp {
#define GEN_PASS_DEF_CONVERTLOOPSTOKERNELSPASS
#include "amp/Conversion/Device/Passes.h.inc"
} // namespace mlir::amp

using namespace mlir;
using namespace mlir::amp;

/// Takes out what reads and writes elements of buffers that have none: in a
/// branch or a loop that is never run, and no kernel has an operand for it.
static void eraseAccessesOfNothing(func::FuncOp function) {
  auto isEmpty = [](Value buffer) {
    return llvm::is_contained(cast<MemRefType>(buffer.getType()).getShape(), 0);
  };
  function.walk([&](Operation *op) {
    if (auto store = dyn_cast<memref::StoreOp>(op);
        store && isEmpty(store.getMemRef()))
      return store.erase();
    auto load = dyn_cast<memref::LoadOp>(op);
    if (!load || !isEmpty(load.getMemRef()))
      return;
    OpBuilder b(load);
    TypedAttr zero = b.getZeroAttr(load.getType());
    if (!zero)
      return;
    load.replaceAllUsesWith(
        arith::ConstantOp::create(b, load.getLoc(), zero).getResult());
    load.erase();
  });
}

namespace {
struct ConvertLoopsToKernels
    : public amp::impl::ConvertLoopsToKernelsPassBase<ConvertLoopsToKernels> {
  using Base::Base;

  void runOnOperation() override {
    UniqueKernels kernels(getOperation(), "loop");
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      eraseAccessesOfNothing(function);
      convertIn(function, kernels);
    }
    numKernels += kernels.size();
  }

  /// The outermost ones below `parent`.
  void convertIn(Operation *parent, UniqueKernels &kernels) {
    for (Region &region : parent->getRegions())
      for (Block &block : region)
        for (Operation &op : llvm::make_early_inc_range(block)) {
          bool isCandidate = isa<scf::ForOp, scf::IfOp, scf::WhileOp>(op) &&
                             touchesElements(&op);
          if (!isCandidate || !convert(&op, kernels))
            convertIn(&op, kernels);
        }
  }

  bool convert(Operation *op, UniqueKernels &kernels) {
    std::string reason;
    std::optional<LoopKernel> kernel =
        LoopKernel::match(op, mostUpdateBlocks, reason);
    if (!kernel) {
      ++numDeclined;
      if (report)
        op->emitRemark("not a kernel: ") << reason;
      return false;
    }
    gpu::GPUModuleOp module =
        kernels.get([&](OpBuilder &builder, StringRef name) {
          return kernel->emit(builder, name);
        });
    OpBuilder b(op);
    Location loc = op->getLoc();
    SmallVector<std::string> names;
    SmallVector<Value> read, written, numbers;
    for (auto [i, buffer] : llvm::enumerate(kernel->getReads())) {
      names.push_back(("in" + Twine(i)).str());
      read.push_back(getWindow(b, loc, buffer));
    }
    for (auto [i, number] : llvm::enumerate(kernel->getNumbers())) {
      names.push_back(("number" + Twine(i)).str());
      numbers.push_back(createNumber(b, loc, number));
      read.push_back(numbers.back());
    }
    for (auto [i, buffer] : llvm::enumerate(kernel->getWrites())) {
      names.push_back(("out" + Twine(i)).str());
      written.push_back(getWindow(b, loc, buffer));
    }
    SmallVector<StringRef> texts(names.begin(), names.end());
    LaunchKernelsOp::create(b, loc, module.getName(), texts, read, written);
    for (Value number : numbers)
      memref::DeallocOp::create(b, loc, number);
    numShared += kernel->countThreads() > 1;
    op->erase();
    ++numConverted;
    return true;
  }

  static Value createNumber(OpBuilder &b, Location loc, Value value) {
    if (value.getType().isIndex())
      value = arith::IndexCastOp::create(b, loc, b.getI64Type(), value);
    Value memory =
        memref::AllocOp::create(b, loc, MemRefType::get({}, value.getType()));
    memref::StoreOp::create(b, loc, value, memory, ValueRange());
    return memory;
  }
};
} // namespace
