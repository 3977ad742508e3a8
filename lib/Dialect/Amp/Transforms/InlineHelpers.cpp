//===- InlineHelpers.cpp - Functions without roles go into their callers --===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Upstream's inliner inlines whatever it may, calls of the model by the train
// step too, which later passes need as calls. So this asks the dialects, as it
// does, call by call: a callee without roles, of one block, that cannot reach
// itself. The calls that a copy brings along are asked about next; that ends
// because no callee can reach itself. Linear in what is written.
//
// Helpers that call each other twice grow as a power of two. So one whose copy
// would be many times as large as what it is written in, its callees counted
// once, stays a call, which amp-specialize-helpers takes care of. That depends
// on the helper alone, so a second run decides as the first; after casts there
// is nothing left to decide. A function with roles that would grow beyond such
// a bound keeps all its calls: with some of them inlined, a second run would
// find more text and inline others.
//
// An origin's number counts within the function that it was written for, so two
// copies of a helper, or a helper and its caller, may use one number for two
// operations of the framework. Where they do, in one phase, all but the first
// are numbered anew. A backward half in another copy than its forward half goes
// by the order in which backward passes run: the last is the first.
//
//===----------------------------------------------------------------------===//

#include "amp/Analysis/CallComponents.h"
#include "amp/Analysis/ValueOrigins.h"
#include "amp/Dialect/Amp/IR/AmpRoles.h"
#include "amp/Dialect/Amp/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Transforms/InliningUtils.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

#include <set>

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
/// What a function with roles has for free: a hundred copies of a layer of a
/// thousand operations.
static constexpr uint64_t kSmallCaller = 100'000;

/// What the inliner asks the dialects about a call and each operation of its
/// callee.
static bool mayInline(const InlinerInterface &interface, func::CallOp call,
                      func::FuncOp callee) {
  IRMapping mapping;
  Region *into = call->getParentRegion();
  if (!isa<func::ReturnOp>(callee.getBody().front().getTerminator()) ||
      !interface.isLegalToInline(call, callee, /*wouldBeCloned=*/true) ||
      !interface.isLegalToInline(into, &callee.getBody(),
                                 /*wouldBeCloned=*/true, mapping))
    return false;
  return !callee.getBody()
              .walk<WalkOrder::PreOrder>([&](Operation *op) {
                if (!interface.isLegalToInline(op, into, /*wouldBeCloned=*/true,
                                               mapping))
                  return WalkResult::interrupt();
                return interface.shouldAnalyzeRecursively(op)
                           ? WalkResult::advance()
                           : WalkResult::skip();
              })
              .wasInterrupted();
}

/// Writes the body of `callee`, a single block, in the place of `call`, and
/// tells of each operation of the copy. Upstream's function for it moves all
/// that stands behind the call, for each call.
static void copyBody(func::CallOp call, func::FuncOp callee,
                     function_ref<void(Operation *)> tell) {
  OpBuilder builder(call);
  IRMapping mapping;
  Block &body = callee.getBody().front();
  mapping.map(body.getArguments(), call.getOperands());
  for (Operation &op : body.without_terminator())
    builder.clone(op, mapping)->walk([&](Operation *copy) {
      copy->setLoc(CallSiteLoc::get(copy->getLoc(), call.getLoc()));
      tell(copy);
    });
  for (auto [result, value] :
       llvm::zip_equal(call.getResults(), body.getTerminator()->getOperands()))
    result.replaceAllUsesWith(mapping.lookupOrDefault(value));
}

namespace {
struct InlineHelpers : public amp::impl::InlineHelpersPassBase<InlineHelpers> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (isFlagSet(module, kCastsInsertedAttr))
      return markAllAnalysesPreserved(); // what stayed has copies of its own
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
        for (func::FuncOp callee : callees[reached[i]])
          reached.insert(callee);
      }
      return size;
    };

    // Callees before callers: what stays a call counts as one operation. The
    // text is at least that of the longest callee, which mostly settles it.
    llvm::SetVector<func::FuncOp> helpers;
    llvm::DenseSet<func::FuncOp> keepsCalls;
    llvm::DenseMap<func::FuncOp, uint64_t> copySizes, textSizes;
    for (const CallComponent &component : components) {
      func::FuncOp function = component.functions.front();
      uint64_t size = ownSizes.lookup(function), text = 0;
      for (func::FuncOp callee : callees[function]) {
        if (helpers.contains(callee))
          size += copySizes.lookup(callee);
        text = std::max(text, textSizes.lookup(callee));
      }
      text += component.isRecursive ? 0 : ownSizes.lookup(function);
      bool isCaller = hasRoles(function);
      uint64_t small = isCaller ? kSmallCaller : kSmall;
      auto isTooLarge = [&] {
        return size > small && size > small + kGrowthFactor * text;
      };
      if (isTooLarge())
        text = getTextSize(function);
      textSizes[function] = text;
      if (isCaller && isTooLarge())
        keepsCalls.insert(function);
      if (component.isRecursive || isCaller || function.isExternal() ||
          !llvm::hasSingleElement(function.getBody()) || isTooLarge())
        continue;
      copySizes[function] = size;
      helpers.insert(function);
    }

    llvm::SetVector<func::FuncOp> inlined;
    for (auto function : module.getOps<func::FuncOp>())
      if (hasRoles(function) && !keepsCalls.contains(function))
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
    SmallVector<func::CallOp> calls;
    function.walk([&](func::CallOp call) { calls.push_back(call); });
    llvm::DenseMap<Operation *, unsigned> copyOf;
    unsigned numCopies = 0;
    while (!calls.empty()) {
      func::CallOp call = calls.pop_back_val();
      auto callee = symbols.lookup<func::FuncOp>(call.getCallee());
      if (!callee || !helpers.contains(callee) ||
          !mayInline(interface, call, callee))
        continue;
      ++numCopies;
      copyBody(call, callee, [&](Operation *op) {
        copyOf[op] = numCopies;
        if (auto innerCall = dyn_cast<func::CallOp>(op))
          calls.push_back(innerCall);
      });
      copyOf.erase(call);
      call.erase();
      ++numInlined;
      inlined.insert(callee);
    }
    if (numCopies != 0)
      separateOrigins(function, copyOf);
  }

  /// Gives operations of one origin a number for each copy, `copyOf`, that they
  /// came with; 0 is the function's own text.
  void separateOrigins(func::FuncOp function,
                       const llvm::DenseMap<Operation *, unsigned> &copyOf) {
    constexpr unsigned kForward = static_cast<unsigned>(Phase::Forward);
    /// What has one function and one number: the copies of each phase, in
    /// program order.
    struct Origin {
      llvm::SetVector<unsigned> copies[3];
    };
    ValueOrigins values(function);
    llvm::MapVector<std::pair<Attribute, Attribute>, Origin> originsOf;
    std::set<int64_t> taken;
    auto getKey = [](Operation *op) {
      return std::pair(op->getAttr(kFunctionAttr), op->getAttr(kScopeIdAttr));
    };
    auto getPhase = [&](Operation *op) {
      return static_cast<unsigned>(values.getPhase(op));
    };
    function.walk([&](Operation *op) {
      auto id = op->getAttrOfType<IntegerAttr>(kScopeIdAttr);
      if (!id)
        return;
      taken.insert(id.getInt());
      originsOf[getKey(op)].copies[getPhase(op)].insert(copyOf.lookup(op));
    });
    int64_t next = 0;
    auto getFresh = [&] {
      while (!taken.insert(next).second)
        ++next;
      return next;
    };

    // The new numbers, by origin, phase and copy.
    using Place = std::pair<std::pair<Attribute, Attribute>,
                            std::pair<unsigned, unsigned>>;
    llvm::DenseMap<Place, int64_t> numbers;
    for (auto &[key, origin] : originsOf) {
      if (llvm::all_of(origin.copies,
                       [](const auto &copies) { return copies.size() <= 1; }))
        continue;
      auto at = [&key = key](unsigned phase, unsigned copy) {
        return Place(key, {phase, copy});
      };
      const auto &forward = origin.copies[kForward];
      for (unsigned phase = 0; phase != std::size(origin.copies); ++phase) {
        const auto &copies = origin.copies[phase];
        for (unsigned i = 0, e = copies.size(); i != e; ++i) {
          unsigned copy = copies[i];
          if (phase == kForward) {
            if (i != 0)
              numbers[at(phase, copy)] = getFresh();
            continue;
          }
          // Its forward half is in its own copy, else in the mirrored one.
          std::optional<unsigned> half;
          if (forward.contains(copy))
            half = copy;
          else if (forward.size() == e)
            half = forward[e - 1 - i];
          if (half) {
            if (auto it = numbers.find(at(kForward, *half));
                it != numbers.end()) {
              int64_t number = it->second; // what is inserted moves it
              numbers[at(phase, copy)] = number;
            }
          } else if (i != 0 || !forward.empty()) {
            numbers[at(phase, copy)] = getFresh();
          }
        }
      }
    }
    if (numbers.empty())
      return;
    Type i64 = IntegerType::get(&getContext(), 64);
    function.walk([&](Operation *op) {
      if (!op->hasAttr(kScopeIdAttr))
        return;
      auto it = numbers.find({getKey(op), {getPhase(op), copyOf.lookup(op)}});
      if (it != numbers.end())
        op->setAttr(kScopeIdAttr, IntegerAttr::get(i64, it->second));
    });
  }
};
} // namespace
