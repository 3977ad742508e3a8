//===- OutlineParallelLoops.cpp - One function per parallel loop ----------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What several threads compute has to be a function. Each outermost
// scf.parallel of one dimension from 0 in steps of 1 becomes one that takes the
// number of an iteration and the values that the body uses, and a call that is
// marked as one for all iterations (ParallelCalls.h). Constants are cloned, as
// they are worth more to the optimiser than an argument is. An argument of the
// function around it that no other memory overlaps stays one.
//
// Loops of other forms, and those inside, are left to convert-scf-to-cf, which
// runs them in order.
//
//===----------------------------------------------------------------------===//

#include "KernelFunction.h"
#include "amp/Conversion/Host/Passes.h"
#include "amp/Conversion/LinalgToHostContraction.h"
#include "amp/Program/ParallelCalls.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Transforms/RegionUtils.h"

#define DEBUG_TYPE "amp-outline-parallel-loops"

namespace mlir::amp {
#define GEN_PASS_DEF_OUTLINEPARALLELLOOPSPASS
#include "amp/Conversion/Host/Passes.h.inc"
} // namespace mlir::amp

using namespace mlir;
using namespace mlir::amp;

/// Behind the name of the function that is divided, which profilers show; the
/// symbol table makes names unique.
static constexpr StringLiteral kSuffix = "_part";

static bool isApartFromOthers(Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  auto function =
      argument ? dyn_cast<func::FuncOp>(argument.getOwner()->getParentOp())
               : func::FuncOp();
  return function &&
         function.getArgAttr(argument.getArgNumber(),
                             LLVM::LLVMDialect::getNoAliasAttrName());
}

static void outline(scf::ParallelOp loop, SymbolTable &symbols) {
  OpBuilder builder(loop.getContext());
  llvm::SetVector<Value> inputs;
  getUsedValuesDefinedAbove(loop.getRegion(), inputs);
  // The number of an iteration, and behind it what the body uses. The count is
  // given in its place.
  SmallVector<Value> arguments = {loop.getInductionVars().front()};
  llvm::append_range(arguments, getKernelArguments(inputs));
  IRMapping mapping;
  const std::string name =
      (loop->getParentOfType<func::FuncOp>().getName() + kSuffix).str();
  func::FuncOp part = createKernelFunction(builder, loop.getLoc(), name,
                                           arguments, inputs, mapping);
  for (auto [index, argument] : llvm::enumerate(arguments))
    if (isApartFromOthers(argument))
      part.setArgAttr(index, LLVM::LLVMDialect::getNoAliasAttrName(),
                      builder.getUnitAttr());
  symbols.insert(part);
  for (Operation &op : loop.getBody()->without_terminator())
    builder.clone(op, mapping);
  func::ReturnOp::create(builder, loop.getLoc());

  arguments.front() = loop.getUpperBound().front();
  builder.setInsertionPoint(loop);
  auto call = func::CallOp::create(builder, loop.getLoc(), part, arguments);
  call->setAttr(kParallelAttr, builder.getUnitAttr());
  loop.erase();
}

namespace {
struct OutlineParallelLoops
    : public amp::impl::OutlineParallelLoopsPassBase<OutlineParallelLoops> {
  void runOnOperation() override {
    SmallVector<scf::ParallelOp> loops;
    for (auto function : getOperation().getOps<func::FuncOp>())
      function.walk<WalkOrder::PreOrder>([&](scf::ParallelOp loop) {
        if (!isSharedByThreads(loop))
          return WalkResult::advance();
        loops.push_back(loop);
        return WalkResult::skip();
      });
    SymbolTable symbols(getOperation());
    for (scf::ParallelOp loop : loops)
      outline(loop, symbols);
    numOutlined += loops.size();
  }
};
} // namespace
