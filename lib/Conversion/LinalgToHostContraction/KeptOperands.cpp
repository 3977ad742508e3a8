//===- KeptOperands.cpp - Operands that a loop reads again ----------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An operand stays if its buffer is there before the loop and each write in the
// loop is known, and goes to another buffer: an allocation, or an argument that
// overlaps no other (llvm.noalias, see amp-outline-kernels).
//
//===----------------------------------------------------------------------===//

#include "KeptOperands.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;
using namespace mlir::amp;

static Value getRoot(Value buffer) {
  while (auto view = buffer.getDefiningOp<ViewLikeOpInterface>())
    buffer = view.getViewSource();
  return buffer;
}

/// True if no other value that is not a view of `root` reaches its memory.
static bool isApartFromOthers(Value root) {
  if (Operation *op = root.getDefiningOp())
    return isa<memref::AllocOp, memref::AllocaOp>(op);
  auto argument = cast<BlockArgument>(root);
  auto function = dyn_cast<func::FuncOp>(argument.getOwner()->getParentOp());
  return function &&
         function.getArgAttr(argument.getArgNumber(),
                             LLVM::LLVMDialect::getNoAliasAttrName());
}

/// Roots of the buffers that operations in `loop` write; nothing if that is not
/// known of one.
static std::optional<SmallVector<Value>> findWritten(scf::ForOp loop) {
  SmallVector<Value> written;
  WalkResult result = loop.getBody()->walk([&](Operation *op) {
    auto effects = dyn_cast<MemoryEffectOpInterface>(op);
    if (!effects) {
      bool isKnown = op->hasTrait<OpTrait::HasRecursiveMemoryEffects>() ||
                     isMemoryEffectFree(op);
      return isKnown ? WalkResult::advance() : WalkResult::interrupt();
    }
    SmallVector<MemoryEffects::EffectInstance> instances;
    effects.getEffects(instances);
    for (const MemoryEffects::EffectInstance &effect : instances) {
      if (!isa<MemoryEffects::Write>(effect.getEffect()))
        continue;
      if (!effect.getValue())
        return WalkResult::interrupt();
      written.push_back(getRoot(effect.getValue()));
    }
    return WalkResult::advance();
  });
  if (result.wasInterrupted())
    return std::nullopt;
  return written;
}

KeptOperands KeptOperands::find(const Contraction &product) {
  KeptOperands kept;
  auto loop = dyn_cast<scf::ForOp>(product.op->getParentOp());
  if (!loop)
    return kept;
  std::optional<SmallVector<Value>> written = findWritten(loop);
  if (!written)
    return kept;
  auto stays = [&](const ContractionOperand &operand) {
    Value root = getRoot(operand.value);
    if (!loop.isDefinedOutsideOfLoop(root))
      return false;
    return llvm::all_of(*written, [&](Value other) {
      return other != root &&
             (isApartFromOthers(root) || isApartFromOthers(other));
    });
  };
  kept.a = stays(product.a);
  kept.b = stays(product.b);
  if (kept.a || kept.b)
    kept.loop = loop;
  return kept;
}
