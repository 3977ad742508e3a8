//===- OutlineKernels.cpp - One function per different operation ----------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM's optimiser and code generator take more than linear time in the size of
// a function, and a training step is thousands of loops in one. Here each
// operation on buffers, and each loop over tiles of several, becomes a function
// of its own and the step a list of calls.
//
// A contraction takes the fill of its output along, so that its conversion sees
// both and lets the sums start from zero. The fill moves down to it, past what
// touches other buffers alone.
//
// Two operations share a kernel if the text of their functions is the same:
// types, maps, bodies and constants are in the text, locations are not, and
// values are numbered from the first argument, so equal text means equal code.
// A constant is cloned into the kernel, since its value is worth more to the
// optimiser than sharing would be; any other captured value is an argument.
//
// An argument that the kernel writes gets `llvm.noalias` if its buffer is apart
// from those of all other arguments, which makes vector code possible without a
// check at run time. This is decided here, where a buffer is still an
// allocation of its own; amp-plan-buffers keeps it true, because two operands
// of one call are alive at the same time. The attribute is part of the text
// too: a kernel called once with aliasing operands and once without is compiled
// twice.
//
//===----------------------------------------------------------------------===//

#include "KernelFunction.h"
#include "amp/Analysis/BufferRoots.h"
#include "amp/Analysis/Fill.h"
#include "amp/Conversion/Host/Passes.h"
#include "amp/Conversion/LinalgToHostContraction.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringMap.h"

#define DEBUG_TYPE "amp-outline-kernels"

namespace mlir::amp {
#define GEN_PASS_DEF_OUTLINEKERNELSPASS
#include "amp/Conversion/Host/Passes.h.inc"
} // namespace mlir::amp

using namespace mlir;
using namespace mlir::amp;

/// Prefix of the kernels' names.
static constexpr StringLiteral kPrefix = "amp_kernel_";

/// True for the operations that become kernels.
static bool isKernel(Operation *op) {
  if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op))
    return linalgOp.hasPureBufferSemantics();
  if (auto tiles = dyn_cast<scf::ForallOp>(op))
    return tiles.getNumResults() == 0;
  return isa<memref::CopyOp>(op);
}

/// Values from outside that `ops` use, in the order of first use.
static llvm::SetVector<Value> getInputs(ArrayRef<Operation *> ops) {
  llvm::SetVector<Value> inputs;
  for (Operation *op : ops) {
    inputs.insert_range(op->getOperands());
    getUsedValuesDefinedAbove(op->getRegions(), inputs);
  }
  return inputs;
}

/// What `value` is a view of, outside of `op`.
static Value getSourceOutside(Value value, Operation *op) {
  while (auto view = value.getDefiningOp<ViewLikeOpInterface>()) {
    if (!op->isProperAncestor(view))
      break;
    value = view.getViewSource();
  }
  return value;
}

/// Buffers that `ops` write.
static SmallVector<Value> getOutputs(ArrayRef<Operation *> ops) {
  SmallVector<Value> outputs;
  for (Operation *op : ops)
    op->walk([&](Operation *inner) {
      if (auto copy = dyn_cast<memref::CopyOp>(inner))
        outputs.push_back(getSourceOutside(copy.getTarget(), op));
      if (auto linalgOp = dyn_cast<linalg::LinalgOp>(inner))
        for (OpOperand &output : linalgOp.getDpsInitsMutable())
          outputs.push_back(getSourceOutside(output.get(), op));
    });
  return outputs;
}

/// True if the buffer of `argument` is none of the others'.
static bool isApart(Value argument, ArrayRef<Value> arguments) {
  return llvm::all_of(arguments, [&](Value other) {
    return other == argument || !isa<BaseMemRefType>(other.getType()) ||
           areBuffersApart(other, argument);
  });
}

/// True if `op` neither reads nor writes the buffer of `memref`.
static bool leavesAlone(Operation *op, Value memref) {
  if (isMemoryEffectFree(op) || isa<memref::AllocOp>(op))
    return true;
  return isKernel(op) && llvm::all_of(getInputs(op), [&](Value input) {
           return !isa<BaseMemRefType>(input.getType()) ||
                  areBuffersApart(input, memref);
         });
}

/// The fill with zeros that `op` can do too, or null.
static Operation *findFill(Operation *op) {
  auto product = dyn_cast<linalg::LinalgOp>(op);
  if (!product || !overwritesOutput(product))
    return nullptr;
  Value output = product.getDpsInits()[0];
  if (llvm::any_of(product.getDpsInputs(), [&](Value input) {
        return !areBuffersApart(input, output);
      }))
    return nullptr;
  for (Operation *before = op->getPrevNode(); before;
       before = before->getPrevNode()) {
    if (fillsWithZero(before, output))
      return before;
    if (!leavesAlone(before, output))
      return nullptr;
  }
  return nullptr;
}

namespace {
class Outliner {
public:
  explicit Outliner(ModuleOp module)
      : module(module), symbols(module), builder(module.getContext()) {}

  /// Replaces `ops` by the call of a kernel, where the last one stands. True if
  /// the kernel is new.
  bool outline(ArrayRef<Operation *> ops);

private:
  func::FuncOp createKernel(ArrayRef<Operation *> ops,
                            ArrayRef<Value> arguments,
                            const llvm::SetVector<Value> &inputs);

  ModuleOp module;
  SymbolTable symbols;
  OpBuilder builder;
  /// Kernels by the text they have under the prefix as name.
  llvm::StringMap<func::FuncOp> kernels;
};
} // namespace

func::FuncOp Outliner::createKernel(ArrayRef<Operation *> ops,
                                    ArrayRef<Value> arguments,
                                    const llvm::SetVector<Value> &inputs) {
  Location loc = ops.back()->getLoc();
  IRMapping mapping;
  func::FuncOp kernel =
      createKernelFunction(builder, loc, kPrefix, arguments, inputs, mapping);
  for (Operation *op : ops)
    builder.clone(*op, mapping);
  func::ReturnOp::create(builder, loc);
  SmallVector<Value> outputs = getOutputs(ops);
  for (auto [index, argument] : llvm::enumerate(arguments))
    if (llvm::is_contained(outputs, argument) && isApart(argument, arguments))
      kernel.setArgAttr(index, LLVM::LLVMDialect::getNoAliasAttrName(),
                        builder.getUnitAttr());
  return kernel;
}

bool Outliner::outline(ArrayRef<Operation *> ops) {
  llvm::SetVector<Value> inputs = getInputs(ops);
  SmallVector<Value> arguments = getKernelArguments(inputs);
  func::FuncOp kernel = createKernel(ops, arguments, inputs);
  std::string text;
  llvm::raw_string_ostream stream(text);
  kernel.print(stream, OpPrintingFlags().useLocalScope());
  auto [known, isNew] = kernels.try_emplace(text, kernel);
  if (isNew) {
    kernel.setName((kPrefix + Twine(kernels.size() - 1)).str());
    symbols.insert(kernel);
  } else {
    kernel.erase();
    kernel = known->second;
  }
  builder.setInsertionPoint(ops.back());
  func::CallOp::create(builder, ops.back()->getLoc(), kernel, arguments);
  for (Operation *op : ops)
    op->erase();
  return isNew;
}

namespace {
struct OutlineKernels
    : public amp::impl::OutlineKernelsPassBase<OutlineKernels> {
  void runOnOperation() override {
    SmallVector<Operation *> ops;
    for (auto function : getOperation().getOps<func::FuncOp>())
      function.walk<WalkOrder::PreOrder>([&](Operation *op) {
        if (!isKernel(op))
          return WalkResult::advance();
        ops.push_back(op);
        return WalkResult::skip();
      });
    // Before any of them is a call.
    llvm::DenseMap<Operation *, Operation *> fills;
    llvm::DenseSet<Operation *> joined;
    for (Operation *op : ops)
      if (Operation *fill = findFill(op)) {
        fills[op] = fill;
        joined.insert(fill);
      }
    Outliner outliner(getOperation());
    for (Operation *op : ops) {
      if (joined.contains(op))
        continue;
      Operation *fill = fills.lookup(op);
      ++numOutlined;
      numJoined += fill != nullptr;
      numKernels += fill ? outliner.outline({fill, op}) : outliner.outline(op);
    }
  }
};
} // namespace
