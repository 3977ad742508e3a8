//===- RoundParamsInStep.cpp - Half parameters as values of a step --------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where masters are kept, a half parameter is its master, rounded. A caller who
// has no use for it (a model that stays FP32 outside of its steps) need not
// make it in front of each call, nor does the step have to round what it has
// updated: here a step rounds masters where it begins.
//
//   train_step(%half, %master)          train_step(%param)
//     %g = f(%half)                       %half = truncf %param
//     %new = %master - %g         ->      %g = f(%half)
//     return truncf %new, %new            %new = %param - %g
//                                         return %new
//
//===----------------------------------------------------------------------===//

#include "amp/Dialect/Amp/IR/AmpRoles.h"
#include "amp/Dialect/Amp/Transforms/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/StringSet.h"

#define DEBUG_TYPE "amp-round-params-in-step"

namespace mlir::amp {
#define GEN_PASS_DEF_ROUNDPARAMSINSTEPPASS
#include "amp/Dialect/Amp/Transforms/Passes.h.inc"
} // namespace mlir::amp

using namespace mlir;
using namespace mlir::amp;

/// True if `half` is a type that `master`, of f32, is rounded to.
static bool isRounded(Type half, Type master) {
  auto narrow = dyn_cast<RankedTensorType>(half);
  return narrow && narrow.getElementType().isFloat(16) &&
         master == narrow.clone(Float32Type::get(half.getContext()));
}

namespace {
struct RoundParamsInStepPass
    : public amp::impl::RoundParamsInStepPassBase<RoundParamsInStepPass> {
  void runOnOperation() override {
    SymbolTableCollection symbols;
    SymbolUserMap users(symbols, getOperation());
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (!function.isExternal() && users.useEmpty(function))
        roundParams(function);
  }

private:
  void roundParams(func::FuncOp function) {
    auto param = StringAttr::get(&getContext(), stringifyRole(Role::Param));
    OpBuilder b = OpBuilder::atBlockBegin(&function.getBody().front());
    ArgumentIndex arguments(function);
    llvm::BitVector gone(function.getNumArguments());
    llvm::StringSet<> names;
    SmallVector<unsigned> masters;
    for (BlockArgument half : function.getArguments()) {
      RoleInfo info = getArgRole(function, half.getArgNumber());
      if (!info.is(Role::Param))
        continue;
      ArrayRef<unsigned> found = arguments.find(Role::Master, info.name);
      if (found.empty())
        continue;
      BlockArgument master = function.getArgument(found.front());
      if (!isRounded(half.getType(), master.getType()))
        continue;
      half.replaceAllUsesWith(
          arith::TruncFOp::create(b, half.getLoc(), half.getType(), master));
      gone.set(half.getArgNumber());
      names.insert(info.name);
      masters.push_back(found.front());
      ++numRounded;
    }
    if (masters.empty())
      return;

    llvm::BitVector goneResults(function.getNumResults());
    for (auto [number, type] : llvm::enumerate(function.getResultTypes())) {
      RoleInfo info = getResultRole(function, number);
      if (!names.contains(info.name))
        continue;
      if (info.is(Role::Master))
        function.setResultAttr(number, kRoleAttr, param);
      else if (info.is(Role::Param))
        goneResults.set(number);
    }
    for (unsigned master : masters)
      function.setArgAttr(master, kRoleAttr, param);
    function.walk([&](func::ReturnOp op) { op->eraseOperands(goneResults); });
    if (failed(function.eraseResults(goneResults)) ||
        failed(function.eraseArguments(gone)))
      signalPassFailure();
  }
};
} // namespace
