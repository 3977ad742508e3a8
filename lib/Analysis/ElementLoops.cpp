//===- ElementLoops.cpp - Loops and branches on elements ------------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What keeps a loop from being one kernel is an operation that gives a tensor,
// or that has effects besides those on elements.
//
//===----------------------------------------------------------------------===//

#include "amp/Analysis/ElementLoops.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace mlir::amp;

static bool isElement(Operation *op) {
  return isa<memref::LoadOp, memref::StoreOp, tensor::ExtractOp,
             tensor::InsertOp>(op);
}

bool mlir::amp::touchesElements(Operation *op) {
  return op
      ->walk([](Operation *inner) {
        return isElement(inner) ? WalkResult::interrupt()
                                : WalkResult::advance();
      })
      .wasInterrupted();
}

bool mlir::amp::isOfNumbers(Operation *op,
                            function_ref<bool(Operation *)> isAllowed) {
  auto isNest = llvm::IsaPred<scf::ForOp, scf::IfOp, scf::WhileOp>;
  if (!isNest(op))
    return false;
  return !op->walk([&](Operation *inner) {
              bool isKnown =
                  isElement(inner) || isNest(inner) ||
                  inner->hasTrait<OpTrait::IsTerminator>() ||
                  isAllowed(inner) ||
                  (isPure(inner) && llvm::none_of(inner->getResultTypes(),
                                                  llvm::IsaPred<TensorType>));
              return isKnown ? WalkResult::advance() : WalkResult::interrupt();
            }).wasInterrupted();
}
