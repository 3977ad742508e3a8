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
// by call: a callee without roles, of one block, that cannot reach itself. The
// calls that a copy brings along are asked about next; that ends because no
// callee can reach itself.
//
// Helpers that call each other twice grow as a power of two. So one whose copy
// would be many times as large as what it is written in, its callees counted
// once, stays a call, which takes and gives FP32. That depends on the helper
// alone, so a second run decides as the first.
//
//===----------------------------------------------------------------------===//

#include "amp/Analysis/CallComponents.h"
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
    std::vector<CallComponent> components = getCallComponents(module);
    llvm::DenseMap<func::FuncOp, SmallVector<func::FuncOp>> callees;
    llvm::DenseMap<func::FuncOp, uint64_t> ownSizes;
    for (auto function : module.getOps<func::FuncOp>())
      function.walk([&](Operation *op) {
        ++ownSizes[function];
        if (auto call = dyn_cast<func::CallOp>(op))
          if (auto callee = symbols.lookup<func::FuncOp>(call.getCallee()))
            callees[function].push_back(callee);
      });
    // The operations of `function` and of all that it reaches, each once.
    auto getTextSize = [&](func::FuncOp function) {
      llvm::SetVector<func::FuncOp> reached;
      reached.insert(function);
      uint64_t size = 0;
      for (unsigned i = 0; i < reached.size(); ++i) {
        size += ownSizes.lookup(reached[i]);
        for (func::FuncOp callee : callees.lookup(reached[i]))
          reached.insert(callee);
      }
      return size;
    };

    // Callees before callers: what stays a call counts as one operation.
    llvm::SetVector<func::FuncOp> helpers;
    llvm::DenseMap<func::FuncOp, uint64_t> copySizes;
    for (const CallComponent &component : components) {
      func::FuncOp function = component.functions.front();
      if (component.isRecursive || hasRoles(function) ||
          function.isExternal() || !llvm::hasSingleElement(function.getBody()))
        continue;
      uint64_t size = ownSizes.lookup(function);
      for (func::FuncOp callee : callees.lookup(function))
        if (helpers.contains(callee))
          size += copySizes.lookup(callee);
      if (size > kSmall &&
          size > kSmall + kGrowthFactor * getTextSize(function))
        continue;
      copySizes[function] = size;
      helpers.insert(function);
    }

    llvm::SetVector<func::FuncOp> inlined;
    for (auto function : module.getOps<func::FuncOp>())
      if (hasRoles(function))
        inlineInto(function, symbols, helpers, inlined);
    if (inlined.empty())
      return markAllAnalysesPreserved();
    eraseUnused(module, components, inlined);
  }

  /// Erases the private ones of `inlined` that nobody calls any more; callers
  /// before callees.
  void eraseUnused(ModuleOp module, ArrayRef<CallComponent> components,
                   const llvm::SetVector<func::FuncOp> &inlined) {
    llvm::DenseMap<StringAttr, int64_t> numUses;
    auto countUses = [&](Region &region, int64_t by) {
      std::optional<SymbolTable::UseRange> uses =
          SymbolTable::getSymbolUses(&region);
      if (!uses)
        return false;
      for (SymbolTable::SymbolUse use : *uses)
        numUses[use.getSymbolRef().getRootReference()] += by;
      return true;
    };
    if (!countUses(module.getBodyRegion(), 1))
      return; // an operation whose symbols are unknown may use them all
    for (const CallComponent &component : llvm::reverse(components)) {
      func::FuncOp helper = component.functions.front();
      if (!inlined.contains(helper) || !helper.isPrivate() ||
          numUses.lookup(helper.getSymNameAttr()) != 0)
        continue;
      (void)countUses(helper.getBody(), -1);
      helper.erase();
    }
  }

  void inlineInto(func::FuncOp function, SymbolTable &symbols,
                  const llvm::SetVector<func::FuncOp> &helpers,
                  llvm::SetVector<func::FuncOp> &inlined) {
    InlinerInterface interface(&getContext());
    InlinerConfig config;
    SmallVector<func::CallOp> calls;
    function.walk([&](func::CallOp call) { calls.push_back(call); });
    while (!calls.empty()) {
      func::CallOp call = calls.pop_back_val();
      auto callee = symbols.lookup<func::FuncOp>(call.getCallee());
      if (!callee || !helpers.contains(callee))
        continue;
      // What is inlined stands between these two.
      Operation *after = call->getNextNode();
      if (failed(inlineCall(interface, config.getCloneCallback(), call, callee,
                            &callee.getBody(),
                            /*shouldCloneInlinedRegion=*/true)))
        continue; // a dialect forbids it: stays a call
      for (Operation *op = call->getNextNode(); op != after;
           op = op->getNextNode())
        op->walk([&](func::CallOp inner) { calls.push_back(inner); });
      call.erase();
      ++numInlined;
      inlined.insert(callee);
    }
  }
};
} // namespace
