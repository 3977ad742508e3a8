//===- ScalerOperations.cpp - What advances and unscales ------------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Backwards over calls from the operations themselves.
//
//===----------------------------------------------------------------------===//

#include "ScalerOperations.h"

using namespace mlir;
using namespace mlir::amp;

ScalerOperations::ScalerOperations(ModuleOp module, const SymbolTable &symbols)
    : symbols(symbols), calls(module) {
  for (auto function : module.getOps<func::FuncOp>())
    function.walk([&](Operation *op) {
      if (auto update = dyn_cast<UpdateScaleOp>(op))
        ofScaler[update.getScaler()].updates.push_back(op);
      else if (auto unscale = dyn_cast<UnscaleOp>(op))
        ofScaler[unscale.getScaler()].unscalings.push_back(op);
      else if (!isa<func::CallOp, func::CallIndirectOp, func::ReturnOp>(op))
        return;
      places.try_emplace(op, places.size());
    });
}

void ScalerOperations::sort(MutableArrayRef<Operation *> operations) const {
  llvm::sort(operations, [&](Operation *a, Operation *b) {
    return places.at(a) < places.at(b);
  });
}

SmallVector<Operation *>
ScalerOperations::findLeading(ArrayRef<Operation *> ones) const {
  SmallVector<Operation *> leading(ones);
  llvm::append_range(leading, FunctionsWith(calls, symbols, ones).getCalls());
  sort(leading);
  return leading;
}
