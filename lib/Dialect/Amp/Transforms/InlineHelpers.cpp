//===- InlineHelpers.cpp - Functions without roles go into their callers --===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Upstream's inliner inlines whatever it may, calls of the model by the train
// step too, which later passes need as calls. So this asks its utilities call
// by call: a callee without roles, of one block, that cannot reach itself.
// Callers are revisited until no such call is left; that ends because no callee
// can reach itself.
//
// Helpers that call each other twice grow as a power of two. So one whose copy
// would be many times as large as what it is written in, its callees counted
// once, stays a call, which takes and gives FP32. That depends on the helper
// alone, so a second run decides as the first.
//
//===----------------------------------------------------------------------===//

#include "amp/Dialect/Amp/IR/AmpRoles.h"
#include "amp/Dialect/Amp/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Transforms/Inliner.h"
#include "mlir/Transforms/InliningUtils.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

#define DEBUG_TYPE "amp-inline-helpers"

namespace mlir::amp {
#define GEN_PASS_DEF_INLINEHELPERSPASS
#include "amp/Dialect/Amp/Transforms/Passes.h.inc"
} // namespace mlir::amp

using namespace mlir;
using namespace mlir::amp;

/// A copy may be so many times as large as the text it comes from, and has so
/// many operations for free.
static constexpr uint64_t kGrowthFactor = 16, kSmall = 1000;

namespace {
struct InlineHelpers : public amp::impl::InlineHelpersPassBase<InlineHelpers> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    SymbolTable symbols(module);
    llvm::MapVector<func::FuncOp, SmallVector<func::FuncOp>> callees;
    for (auto function : module.getOps<func::FuncOp>())
      function.walk([&](func::CallOp call) {
        if (auto callee = symbols.lookup<func::FuncOp>(call.getCallee()))
          callees[function].push_back(callee);
      });
    auto getReached = [&](func::FuncOp function) {
      llvm::SetVector<func::FuncOp> reached;
      for (func::FuncOp callee : callees.lookup(function))
        reached.insert(callee);
      for (unsigned i = 0; i < reached.size(); ++i)
        for (func::FuncOp callee : callees.lookup(reached[i]))
          reached.insert(callee);
      return reached;
    };
    llvm::DenseMap<func::FuncOp, uint64_t> ownSizes, textSizes;
    for (auto function : module.getOps<func::FuncOp>())
      function.walk([&](Operation *) { ++ownSizes[function]; });
    llvm::SetVector<func::FuncOp> helpers;
    for (auto function : module.getOps<func::FuncOp>()) {
      if (hasRoles(function) || function.isExternal() ||
          !llvm::hasSingleElement(function.getBody()))
        continue;
      llvm::SetVector<func::FuncOp> reached = getReached(function);
      if (reached.contains(function))
        continue;
      uint64_t text = ownSizes.lookup(function);
      for (func::FuncOp callee : reached)
        text += ownSizes.lookup(callee);
      textSizes[function] = text;
      helpers.insert(function);
    }

    // Callees before callers: what stays a call counts as one operation. They
    // call each other in no circle.
    llvm::DenseMap<func::FuncOp, uint64_t> copySizes;
    llvm::DenseSet<func::FuncOp> staying;
    std::function<uint64_t(func::FuncOp)> getCopySize =
        [&](func::FuncOp helper) -> uint64_t {
      if (auto it = copySizes.find(helper); it != copySizes.end())
        return it->second;
      uint64_t size = ownSizes.lookup(helper);
      for (func::FuncOp callee : callees.lookup(helper))
        if (helpers.contains(callee))
          size += getCopySize(callee);
      if (size > kSmall + kGrowthFactor * textSizes.lookup(helper)) {
        staying.insert(helper);
        size = 1;
      }
      return copySizes[helper] = size;
    };
    for (func::FuncOp helper : helpers)
      (void)getCopySize(helper);
    helpers.remove_if(
        [&](func::FuncOp helper) { return staying.contains(helper); });

    llvm::SetVector<func::FuncOp> inlined;
    for (auto function : module.getOps<func::FuncOp>())
      if (hasRoles(function))
        inlineInto(function, symbols, helpers, inlined);
    // A private helper that nobody calls any more. Callers go before callees.
    for (func::FuncOp helper : inlined.getArrayRef())
      if (helper.isPrivate() &&
          SymbolTable::symbolKnownUseEmpty(helper, module))
        symbols.erase(helper);
  }

  void inlineInto(func::FuncOp function, SymbolTable &symbols,
                  const llvm::SetVector<func::FuncOp> &helpers,
                  llvm::SetVector<func::FuncOp> &inlined) {
    InlinerInterface interface(&getContext());
    InlinerConfig config;
    for (bool changed = true; changed;) {
      changed = false;
      SmallVector<func::CallOp> calls;
      function.walk([&](func::CallOp call) { calls.push_back(call); });
      for (func::CallOp call : calls) {
        auto callee = symbols.lookup<func::FuncOp>(call.getCallee());
        if (!callee || !helpers.contains(callee))
          continue;
        if (failed(inlineCall(interface, config.getCloneCallback(), call,
                              callee, &callee.getBody(),
                              /*shouldCloneInlinedRegion=*/true)))
          continue; // a dialect forbids it: stays a call
        call.erase();
        ++numInlined;
        changed = true;
        inlined.insert(callee);
      }
    }
  }
};
} // namespace
