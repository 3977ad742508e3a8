//===- VerifyRecursion.cpp - Every recursion can end ----------------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A function may return if one of its paths reaches a return without a call of
// a function that may not. Among functions that call each other this is the
// least fixpoint: at first none may, and a function that is found to sends
// those that call it back to be looked at once more. Calls out of such a
// component are taken to return: what is wrong there is said there.
//
// A path enters a region where its operation has to: one of both branches of an
// scf.if, the condition of an scf.while, but not the body of a loop, which may
// run no times.
//
// Each function of a component is looked at once, and again for each function
// that it calls in the component; modules without recursion cost the walk that
// finds components.
//
//===----------------------------------------------------------------------===//

#include "amp/Analysis/CallComponents.h"
#include "amp/Conversion/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

#define DEBUG_TYPE "amp-verify-recursion"

namespace mlir::amp {
#define GEN_PASS_DEF_VERIFYRECURSIONPASS
#include "amp/Conversion/Passes.h.inc"
} // namespace mlir::amp

using namespace mlir;
using namespace mlir::amp;

namespace {
/// Which functions of one component may return.
class EndlessCalls {
public:
  EndlessCalls(const CallComponent &component, const SymbolTable &symbols);

  /// The functions that may not return because of a call, each with the first
  /// such call, in the order of the module.
  const llvm::MapVector<func::FuncOp, func::CallOp> &get() const {
    return endless;
  }

private:
  bool hasEnd(Region &region, func::CallOp &blocker) const;
  bool canPass(Operation &op, func::CallOp &blocker) const;

  const SymbolTable &symbols;
  /// Functions of the component of which it is not known that they return.
  llvm::DenseSet<func::FuncOp> undecided;
  llvm::MapVector<func::FuncOp, func::CallOp> endless;
};
} // namespace

EndlessCalls::EndlessCalls(const CallComponent &component,
                           const SymbolTable &symbols)
    : symbols(symbols),
      undecided(component.functions.begin(), component.functions.end()) {
  llvm::DenseMap<func::FuncOp, llvm::SmallSetVector<func::FuncOp, 4>> callers;
  for (func::FuncOp function : component.functions)
    function.walk([&](func::CallOp call) {
      if (auto callee = symbols.lookup<func::FuncOp>(call.getCallee());
          callee && undecided.contains(callee))
        callers[callee].insert(function);
    });
  SmallVector<func::FuncOp> worklist(component.functions.begin(),
                                     component.functions.end());
  while (!worklist.empty()) {
    func::FuncOp function = worklist.pop_back_val();
    func::CallOp blocker;
    if (!undecided.contains(function) || !hasEnd(function.getBody(), blocker))
      continue;
    undecided.erase(function);
    llvm::append_range(worklist, callers[function]);
  }
  for (func::FuncOp function : component.functions) {
    func::CallOp blocker;
    // What loops without an end needs no call for that.
    if (undecided.contains(function) && !hasEnd(function.getBody(), blocker) &&
        blocker)
      endless[function] = blocker;
  }
}

/// True if a path through the blocks of `region` leaves it; otherwise `blocker`
/// is the first call at which one ends, if there is one.
bool EndlessCalls::hasEnd(Region &region, func::CallOp &blocker) const {
  if (region.empty())
    return true;
  llvm::SetVector<Block *> reached;
  reached.insert(&region.front());
  for (unsigned i = 0; i < reached.size(); ++i) {
    Block *block = reached[i];
    if (!llvm::all_of(*block,
                      [&](Operation &op) { return canPass(op, blocker); }))
      continue;
    if (block->getNumSuccessors() == 0)
      return true;
    reached.insert(block->succ_begin(), block->succ_end());
  }
  return false;
}

/// True if what follows `op` may be reached.
bool EndlessCalls::canPass(Operation &op, func::CallOp &blocker) const {
  if (auto call = dyn_cast<func::CallOp>(op)) {
    auto callee = symbols.lookup<func::FuncOp>(call.getCallee());
    bool returns = !callee || !undecided.contains(callee);
    if (!returns && !blocker)
      blocker = call;
    return returns;
  }
  auto branch = dyn_cast<RegionBranchOpInterface>(op);
  if (!branch)
    return true;
  SmallVector<RegionSuccessor> entered;
  branch.getSuccessorRegions(RegionBranchPoint::parent(), entered);
  func::CallOp inside;
  bool passes = entered.empty() ||
                llvm::any_of(entered, [&](const RegionSuccessor &successor) {
                  return successor.isParent() ||
                         hasEnd(*successor.getSuccessor(), inside);
                });
  // Where it can be gone around, a call inside stops nothing.
  if (!passes && !blocker)
    blocker = inside;
  return passes;
}

/// Says of each cycle of `endless` where it begins and how it goes on. True if
/// there is one.
static bool
reportCycles(const llvm::MapVector<func::FuncOp, func::CallOp> &endless,
             const SymbolTable &symbols,
             function_ref<bool(func::FuncOp)> isReached) {
  bool found = false;
  llvm::DenseSet<func::FuncOp> seen;
  for (const auto &[first, firstCall] : endless) {
    if (!isReached(first))
      continue;
    llvm::SetVector<func::FuncOp> path;
    func::FuncOp function = first;
    while (endless.contains(function) && seen.insert(function).second) {
      path.insert(function);
      function =
          symbols.lookup<func::FuncOp>(endless.lookup(function).getCallee());
    }
    if (!path.contains(function))
      continue; // it leads to a cycle that was reported, or that only loops
    found = true;
    func::CallOp call = endless.lookup(function);
    InFlightDiagnostic error =
        call.emitError()
        << "expected a path on which '@" << function.getName()
        << "' returns without calling itself, but this call of '@"
        << call.getCallee()
        << "' never returns; make it under a condition that ends the "
           "recursion, as in 'scf.if'";
    // The rest of the cycle is the rest of the path.
    for (auto it = std::next(llvm::find(path, function)); it != path.end();
         ++it) {
      func::CallOp next = endless.lookup(*it);
      error.attachNote(next.getLoc())
          << "'@" << func::FuncOp(*it).getName() << "' calls '@"
          << next.getCallee() << "' on each path";
    }
  }
  return found;
}

namespace {
struct VerifyRecursion
    : public amp::impl::VerifyRecursionPassBase<VerifyRecursion> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    markAllAnalysesPreserved();
    std::vector<CallComponent> components = getCallComponents(module);
    llvm::erase_if(components, [](const CallComponent &component) {
      return !component.isRecursive;
    });
    if (components.empty())
      return;
    SymbolTable symbols(module);
    llvm::DenseSet<Operation *> reached = findCalled(module, symbols);
    bool found = false;
    for (const CallComponent &component : components)
      found |= reportCycles(
          EndlessCalls(component, symbols).get(), symbols,
          [&](func::FuncOp function) { return reached.contains(function); });
    if (found)
      signalPassFailure();
  }

  /// The functions that a host calls, and those that are called from there.
  static llvm::DenseSet<Operation *> findCalled(ModuleOp module,
                                                const SymbolTable &symbols) {
    SmallVector<Operation *> roots;
    llvm::DenseSet<Operation *> reached;
    for (auto function : module.getOps<func::FuncOp>())
      if (function.isPublic())
        roots.push_back(function);
    reached.insert(roots.begin(), roots.end());
    findReached(roots, symbols, [&](Operation *op) {
      if (auto call = dyn_cast<func::CallOp>(op))
        reached.insert(symbols.lookup(call.getCallee()));
      return false;
    });
    return reached;
  }
};
} // namespace
