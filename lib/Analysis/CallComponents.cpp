//===- CallComponents.cpp - Functions, callees first ----------------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM's iterator over components, on a graph with one node for each function
// and a root that calls them all: upstream's call graph begins at what is
// visible from outside, and a private function that nobody calls yet is looked
// at as well.
//
//===----------------------------------------------------------------------===//

#include "amp/Analysis/CallComponents.h"

#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/GraphTraits.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SCCIterator.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlir::amp;

namespace {
struct FunctionNode {
  func::FuncOp function;
  unsigned index = 0;
  llvm::SmallSetVector<FunctionNode *, 4> callees;
};
} // namespace

template <> struct llvm::GraphTraits<FunctionNode *> {
  using NodeRef = FunctionNode *;
  using ChildIteratorType = SmallSetVector<FunctionNode *, 4>::iterator;
  static NodeRef getEntryNode(FunctionNode *node) { return node; }
  static ChildIteratorType child_begin(NodeRef node) {
    return node->callees.begin();
  }
  static ChildIteratorType child_end(NodeRef node) {
    return node->callees.end();
  }
};

std::vector<CallComponent> mlir::amp::getCallComponents(ModuleOp module) {
  FunctionNode root;
  llvm::MapVector<Operation *, std::unique_ptr<FunctionNode>> nodes;
  for (auto function : module.getOps<func::FuncOp>()) {
    auto node = std::make_unique<FunctionNode>();
    node->function = function;
    node->index = nodes.size();
    root.callees.insert(node.get());
    nodes[function] = std::move(node);
  }
  SymbolTable symbols(module);
  for (auto &[op, node] : nodes)
    op->walk([&, caller = node.get()](func::CallOp call) {
      auto callee = symbols.lookup<func::FuncOp>(call.getCallee());
      if (auto it = nodes.find(callee); callee && it != nodes.end())
        caller->callees.insert(it->second.get());
    });

  std::vector<CallComponent> components;
  for (auto it = llvm::scc_begin(&root); !it.isAtEnd(); ++it) {
    SmallVector<FunctionNode *> members(it->begin(), it->end());
    if (members.front() == &root)
      continue;
    llvm::sort(members, [](FunctionNode *a, FunctionNode *b) {
      return a->index < b->index;
    });
    CallComponent component;
    component.isRecursive = it.hasCycle();
    for (FunctionNode *member : members)
      component.functions.push_back(member->function);
    components.push_back(std::move(component));
  }
  return components;
}

SmallVector<Operation *> mlir::amp::getReturns(FunctionOpInterface function) {
  SmallVector<Operation *> returns;
  for (Block &block : function.getFunctionBody())
    if (Operation *terminator = block.getTerminator();
        terminator->hasTrait<OpTrait::ReturnLike>())
      returns.push_back(terminator);
  return returns;
}

Operation *mlir::amp::findReached(ArrayRef<Operation *> roots,
                                  const SymbolTable &symbols,
                                  function_ref<bool(Operation *)> isOne) {
  llvm::SetVector<Operation *> reached(roots.begin(), roots.end());
  Operation *found = nullptr;
  for (unsigned i = 0; i < reached.size() && !found; ++i)
    reached[i]->walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (isOne(op)) {
        found = op;
        return WalkResult::interrupt();
      }
      if (auto call = dyn_cast<func::CallOp>(op))
        if (auto callee = symbols.lookup<func::FuncOp>(call.getCallee()))
          reached.insert(callee);
      return WalkResult::advance();
    });
  return found;
}
