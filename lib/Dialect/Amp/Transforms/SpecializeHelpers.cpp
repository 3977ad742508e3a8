//===- SpecializeHelpers.cpp - One copy of a helper for each context ------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Contexts go from callers to callees, what comes out of a helper in a context
// goes back. So a function is analysed in a context whenever a caller asks,
// once for each context: first for the origins of its results, which need those
// of its arguments alone, then for its part of the model, which needs to know
// where its results go. Asking again is a look-up, so helpers that call each
// other twice are analysed as often as they have contexts, not as they have
// paths. A helper that is asked about while it is being looked at (it calls
// itself), or deeper in calls than the stack is long, is taken as one operation
// on all its operands.
//
// Only then is anything copied. The text that is analysed stays as it is until
// all contexts are known, which keeps the calls of every context comparable.
//
// Linear in the sum, over all helpers, of their operations times their
// contexts.
//
//===----------------------------------------------------------------------===//

#include "Callees.h"
#include "HelperCopies.h"
#include "ModulePolicy.h"

#include "amp/Analysis/CallContext.h"
#include "amp/Analysis/ModelBoundary.h"
#include "amp/Dialect/Amp/IR/AmpDialect.h"
#include "amp/Dialect/Amp/IR/AmpRoles.h"
#include "amp/Dialect/Amp/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"

#include <map>

#define DEBUG_TYPE "amp-specialize-helpers"

namespace mlir::amp {
#define GEN_PASS_DEF_SPECIALIZEHELPERSPASS
#include "amp/Dialect/Amp/Transforms/Passes.h.inc"
} // namespace mlir::amp

using namespace mlir;
using namespace mlir::amp;

namespace {
/// The flows of helpers, each found once for each context.
class HelperFlows : public CallFlowSource {
public:
  HelperFlows(const SymbolTable &symbols, bool castsModel)
      : symbols(symbols), castsModel(castsModel) {}

  bool findOrigins(func::CallOp call, CallContext &context) override;
  void findFlow(func::CallOp call, CallContext &context) override;

  /// The calls of helpers in `function`, in program order, each with its
  /// context and flow.
  SmallVector<std::pair<func::CallOp, CallContext>>
  findCalls(func::FuncOp function, const std::optional<CallContext> &context);

private:
  using Key = std::pair<Operation *, std::vector<unsigned>>;

  const SymbolTable &symbols;
  bool castsModel;
  unsigned depth = 0;
  /// What is known; nothing for what is being looked at.
  std::map<Key, std::optional<SmallVector<Origins>>> origins;
  std::map<Key, std::optional<CallContext>> flows;
};
} // namespace

bool HelperFlows::findOrigins(func::CallOp call, CallContext &context) {
  func::FuncOp callee = getCallee(call, symbols);
  if (!isHelper(callee))
    return false;
  CallContext asked;
  asked.isOptimizer = context.isOptimizer;
  asked.arguments.resize(context.arguments.size());
  asked.results.resize(context.results.size());
  for (auto [to, from] : llvm::zip_equal(asked.arguments, context.arguments))
    to.origins = from.origins;

  auto write = [&](ArrayRef<Origins> found) {
    for (auto [result, from] : llvm::zip_equal(context.results, found))
      result.origins = from;
    return true;
  };
  auto [it, isNew] = origins.try_emplace({callee, asked.getKey()});
  if (!isNew && it->second)
    return write(*it->second);
  if (!isNew || depth == kMaxHelperDepth) {
    if (isNew)
      origins.erase(it);
    Origins all;
    for (const PassedValue &argument : context.arguments)
      all.join(argument.origins);
    return write(SmallVector<Origins>(context.results.size(), all));
  }
  ++depth;
  ValueOrigins inside(callee, asked, this);
  --depth;
  SmallVector<Origins> found(context.results.size());
  callee.walk([&](func::ReturnOp end) {
    for (auto [result, value] : llvm::zip_equal(found, end.getOperands()))
      result.join(inside.lookup(value));
  });
  it->second = found;
  return write(found);
}

void HelperFlows::findFlow(func::CallOp call, CallContext &context) {
  if (!castsModel)
    return;
  func::FuncOp callee = getCallee(call, symbols);
  auto write = [&](const CallContext &found) {
    for (auto [to, from] :
         llvm::zip_equal(context.arguments, found.arguments)) {
      to.intoModel = from.intoModel;
      to.intoLoss = from.intoLoss;
      to.readForward = from.readForward;
    }
    for (auto [to, from] : llvm::zip_equal(context.results, found.results))
      to.inModel = from.inModel;
  };
  auto [it, isNew] = flows.try_emplace({callee, context.getKey()});
  if (!isNew && it->second)
    return write(*it->second);
  if (!isNew || depth == kMaxHelperDepth) {
    if (isNew)
      flows.erase(it);
    // As ModelBoundary decides about an operation.
    bool weight = false, activation = false, into = false, forward = false,
         seed = false;
    for (const PassedValue &argument : context.arguments) {
      weight |= argument.origins.isParameterOnly();
      activation |= argument.origins.batch;
      seed |= argument.origins.seed;
    }
    for (const PassedValue &result : context.results) {
      into |= result.intoModel;
      forward |= result.readForward;
    }
    into |= weight && activation;
    for (PassedValue &argument : context.arguments) {
      argument.intoModel = into && !seed;
      argument.intoLoss = !into && forward && !seed;
      argument.readForward = (into || forward) && !seed;
    }
    for (PassedValue &result : context.results)
      result.inModel = into;
    return;
  }
  ++depth;
  ValueOrigins inside(callee, context, this);
  ModelBoundary boundary(callee, inside);
  --depth;
  CallContext found = context;
  for (auto [passed, value] :
       llvm::zip_equal(found.arguments, callee.getArguments())) {
    passed.intoModel = boundary.feedsModel(value);
    passed.intoLoss = boundary.feedsLoss(value);
    passed.readForward = boundary.isReadForward(value);
  }
  for (PassedValue &result : found.results)
    result.inModel = false;
  callee.walk([&](func::ReturnOp end) {
    for (auto [result, value] :
         llvm::zip_equal(found.results, end.getOperands()))
      result.inModel |= boundary.isFromModel(value);
  });
  it->second = found;
  write(found);
}

SmallVector<std::pair<func::CallOp, CallContext>>
HelperFlows::findCalls(func::FuncOp function,
                       const std::optional<CallContext> &context) {
  SmallVector<std::pair<func::CallOp, CallContext>> calls;
  SmallVector<func::CallOp> found;
  function.walk([&](func::CallOp call) {
    if (isHelper(getCallee(call, symbols)))
      found.push_back(call);
  });
  if (found.empty())
    return calls;
  ValueOrigins inside(function, context, this);
  std::optional<ModelBoundary> boundary;
  if (castsModel)
    boundary.emplace(function, inside);
  for (func::CallOp call : found)
    if (std::optional<CallContext> passed = boundary
                                                ? boundary->getCallContext(call)
                                                : inside.getCallContext(call))
      calls.emplace_back(call, std::move(*passed));
  return calls;
}

namespace {
/// A function in a context, or one that needs none.
struct Instance {
  func::FuncOp text;
  std::optional<CallContext> context;
  /// The calls of helpers in `text`, with the instances that they are of.
  struct Call {
    func::CallOp call;
    CallContext context;
    unsigned callee;
  };
  SmallVector<Call> calls;
  /// The copy; `text` itself where that has roles.
  func::FuncOp copy;
};

struct SpecializeHelpers
    : public amp::impl::SpecializeHelpersPassBase<SpecializeHelpers> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    PolicyAttr policy = requirePolicy(module);
    if (!policy)
      return signalPassFailure();
    auto functions = module.getOps<func::FuncOp>();
    auto hasContext = [](func::FuncOp function) {
      return function->hasAttr(kContextAttr);
    };
    if (!policy.getHalfType() || isFlagSet(module, kCastsInsertedAttr) ||
        llvm::none_of(functions, isHelper) ||
        llvm::any_of(functions, hasContext))
      return markAllAnalysesPreserved();
    SymbolTable symbols(module);
    std::vector<Instance> instances =
        findInstances(symbols, policy.castsModel());
    if (llvm::none_of(instances,
                      [](Instance &instance) { return instance.context; }))
      return markAllAnalysesPreserved();
    HelperCopies copies(module, symbols);
    copy(copies, instances);
    copies.replaceHelpers();
  }

  /// The functions with roles, and each helper that they reach in each context
  /// that they reach it in.
  std::vector<Instance> findInstances(const SymbolTable &symbols,
                                      bool castsModel) {
    HelperFlows flows(symbols, castsModel);
    std::vector<Instance> instances;
    std::map<std::pair<Operation *, std::vector<unsigned>>, unsigned> known;
    llvm::DenseMap<Operation *, unsigned> numContextsOf;
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (!function.isExternal() && hasRoles(function))
        instances.push_back({function, std::nullopt, {}, function});
    for (unsigned i = 0; i < instances.size(); ++i)
      for (auto &[call, context] :
           flows.findCalls(instances[i].text, instances[i].context)) {
        func::FuncOp callee = getCallee(call, symbols);
        auto [it, isNew] =
            known.try_emplace({callee, context.getKey()}, instances.size());
        if (isNew) {
          if (numContextsOf[callee] == kMaxHelperCopies) {
            known.erase(it);
            continue;
          }
          ++numContextsOf[callee];
          ++numContexts;
          instances.push_back({callee, context, {}, {}});
        }
        instances[i].calls.push_back({call, context, it->second});
      }
    return instances;
  }

  /// Makes the copies, each behind its text and those before it, and lets their
  /// calls and those of functions with roles go to them.
  void copy(HelperCopies &copies, std::vector<Instance> &instances) {
    std::vector<IRMapping> mappings(instances.size());
    for (auto [instance, mapping] : llvm::zip_equal(instances, mappings)) {
      if (!instance.context)
        continue;
      instance.copy = cast<func::FuncOp>(
          instance.text->clone(mapping, Operation::CloneOptions::all()));
      instance.copy->setAttr(kContextAttr,
                             instance.context->getAttr(&getContext()));
      copies.insert(instance.text, instance.copy);
    }
    for (auto [instance, mapping] : llvm::zip_equal(instances, mappings))
      for (Instance::Call &call : instance.calls) {
        func::CallOp made = call.call;
        if (instance.context)
          made = cast<func::CallOp>(mapping.lookup(call.call.getOperation()));
        made.setCallee(instances[call.callee].copy.getSymName());
        made->setAttr(kContextAttr, call.context.getAttr(&getContext()));
      }
  }
};
} // namespace
