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
// A path that comes to such a call waits there, and goes on from there when the
// callee is found to return: each operation is passed once. Modules without
// recursion cost the walk that finds components.
//
//===----------------------------------------------------------------------===//

#include "amp/Analysis/CallComponents.h"
#include "amp/Conversion/Host/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

#define DEBUG_TYPE "amp-verify-recursion"

namespace mlir::amp {
#define GEN_PASS_DEF_VERIFYRECURSIONPASS
#include "amp/Conversion/Host/Passes.h.inc"
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
  void enter(Region &region);
  void goOn(Operation *op);
  void leave(Region &region);
  bool canPass(Operation *op);
  func::CallOp findBlocker(Region &region) const;

  const SymbolTable &symbols;
  /// Functions of the component of which it is not known that they return.
  llvm::DenseSet<func::FuncOp> undecided;
  /// Operations at which paths go on.
  SmallVector<Operation *> worklist;
  /// Calls that paths wait at, by what they call.
  llvm::DenseMap<func::FuncOp, SmallVector<func::CallOp>> waiting;
  /// Blocks that a path comes to, and where it waits in them: at a call, or at
  /// an operation for one of its regions.
  llvm::DenseSet<Block *> reached;
  llvm::DenseMap<Block *, Operation *> waitsAt;
  /// Regions that a path leaves.
  llvm::DenseSet<Region *> left;
  llvm::MapVector<func::FuncOp, func::CallOp> endless;
};
} // namespace

EndlessCalls::EndlessCalls(const CallComponent &component,
                           const SymbolTable &symbols)
    : symbols(symbols),
      undecided(component.functions.begin(), component.functions.end()) {
  for (func::FuncOp function : component.functions)
    enter(function.getBody());
  while (!worklist.empty())
    goOn(worklist.pop_back_val());
  // What loops without an end needs no call for that.
  for (func::FuncOp function : component.functions)
    if (undecided.contains(function))
      if (func::CallOp blocker = findBlocker(function.getBody()))
        endless[function] = blocker;
}

/// A path comes to `region`.
void EndlessCalls::enter(Region &region) {
  if (region.empty())
    return leave(region);
  Block *entry = &region.front();
  if (reached.insert(entry).second)
    worklist.push_back(&entry->front());
}

/// A path comes out of `region`: what is around it goes on.
void EndlessCalls::leave(Region &region) {
  if (!left.insert(&region).second)
    return;
  Operation *parent = region.getParentOp();
  auto function = dyn_cast<func::FuncOp>(parent);
  if (!function) {
    if (waitsAt.lookup(parent->getBlock()) == parent)
      worklist.push_back(parent);
    return;
  }
  undecided.erase(function);
  for (func::CallOp call : waiting.lookup(function))
    worklist.push_back(call);
}

/// Takes the path that comes to `op` as far as it gets.
void EndlessCalls::goOn(Operation *op) {
  Block *block = op->getBlock();
  for (; op; op = op->getNextNode()) {
    waitsAt[block] = op;
    if (!canPass(op))
      return;
  }
  waitsAt.erase(block);
  if (block->getNumSuccessors() == 0)
    return leave(*block->getParent());
  for (Block *successor : block->getSuccessors())
    if (reached.insert(successor).second)
      worklist.push_back(&successor->front());
}

/// The regions of `op` of which a path has to leave one, to come to what
/// follows it; nothing if it may go around them.
static SmallVector<Region *> getEntered(Operation *op) {
  auto branch = dyn_cast<RegionBranchOpInterface>(op);
  if (!branch)
    return {};
  SmallVector<RegionSuccessor> successors;
  branch.getSuccessorRegions(RegionBranchPoint::parent(), successors);
  SmallVector<Region *> entered;
  for (const RegionSuccessor &successor : successors) {
    if (successor.isParent())
      return {};
    entered.push_back(successor.getSuccessor());
  }
  return entered;
}

/// True if what follows `op` may be reached; if not, the path waits there.
bool EndlessCalls::canPass(Operation *op) {
  if (auto call = dyn_cast<func::CallOp>(op)) {
    auto callee = symbols.lookup<func::FuncOp>(call.getCallee());
    if (!callee || !undecided.contains(callee))
      return true;
    waiting[callee].push_back(call);
    return false;
  }
  SmallVector<Region *> entered = getEntered(op);
  auto isLeft = [&](Region *region) { return left.contains(region); };
  if (entered.empty() || llvm::any_of(entered, isLeft))
    return true;
  for (Region *region : entered)
    enter(*region);
  return llvm::any_of(entered, isLeft);
}

/// The first call that a path through `region` waits at; null if none does.
func::CallOp EndlessCalls::findBlocker(Region &region) const {
  llvm::SetVector<Block *> passed;
  if (!region.empty())
    passed.insert(&region.front());
  for (unsigned i = 0; i < passed.size(); ++i) {
    Block *block = passed[i];
    Operation *op = waitsAt.lookup(block);
    if (!op)
      passed.insert(block->succ_begin(), block->succ_end());
    else if (auto call = dyn_cast<func::CallOp>(op))
      return call;
    else
      for (Region *entered : getEntered(op))
        if (func::CallOp inside = findBlocker(*entered))
          return inside;
  }
  return nullptr;
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
