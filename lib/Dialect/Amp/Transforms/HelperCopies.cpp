//===- HelperCopies.cpp - Copies that take a helper's place ---------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A helper stays where one that stays uses it; those that only erased ones use
// are erased with them, in circles too.
//
//===----------------------------------------------------------------------===//

#include "HelperCopies.h"

#include "Callees.h"

#include "amp/Dialect/Amp/IR/AmpRoles.h"

using namespace mlir;
using namespace mlir::amp;

bool mlir::amp::isHelper(func::FuncOp function) {
  return function && !function.isExternal() && !hasRoles(function);
}

void HelperCopies::insert(func::FuncOp helper, func::FuncOp copy) {
  copy.setPrivate();
  auto [it, isFirst] = copies.insert({helper, {copy, copy}});
  func::FuncOp &last = it->second.second;
  Operation *before = isFirst ? helper : last;
  symbols.insert(copy, std::next(before->getIterator()));
  last = copy;
}

/// The helpers that something else than those which are erased uses; nothing
/// where that cannot be known.
std::optional<llvm::SetVector<Operation *>> HelperCopies::findKept() {
  std::optional<SymbolTable::UseRange> uses =
      SymbolTable::getSymbolUses(&module.getBodyRegion());
  if (!uses)
    return std::nullopt;
  llvm::DenseSet<StringAttr> used;
  for (SymbolTable::SymbolUse use : *uses) {
    Operation *user = use.getUser();
    while (user->getParentOp() != module)
      user = user->getParentOp();
    if (!copies.contains(user))
      used.insert(use.getSymbolRef().getRootReference());
  }
  llvm::SetVector<Operation *> kept;
  for (Operation *helper : llvm::make_first_range(copies)) {
    auto function = cast<func::FuncOp>(helper);
    if (!function.isPrivate() || used.contains(function.getSymNameAttr()))
      kept.insert(helper);
  }
  for (unsigned i = 0; i < kept.size(); ++i) {
    std::optional<SymbolTable::UseRange> inside =
        SymbolTable::getSymbolUses(kept[i]);
    for (SymbolTable::SymbolUse use : *inside)
      if (auto callee = symbols.lookup<func::FuncOp>(
              use.getSymbolRef().getRootReference());
          callee && copies.contains(callee))
        kept.insert(callee);
  }
  return kept;
}

void HelperCopies::replaceHelpers() {
  if (copies.empty())
    return;
  std::optional<llvm::SetVector<Operation *>> kept = findKept();
  if (!kept)
    return; // an operation whose symbols are unknown may use them all
  llvm::DenseMap<StringAttr, FlatSymbolRefAttr> renamed;
  for (auto &[helper, firstAndLast] : copies) {
    if (kept->contains(helper))
      continue;
    func::FuncOp copy = firstAndLast.first;
    StringAttr name = cast<func::FuncOp>(helper).getSymNameAttr();
    renamed[copy.getSymNameAttr()] = FlatSymbolRefAttr::get(name);
    symbols.erase(helper);
    symbols.remove(copy);
    copy.setSymNameAttr(name);
    symbols.insert(copy);
  }
  module.walk([&](func::CallOp call) {
    if (auto it = renamed.find(call.getCalleeAttr().getAttr());
        it != renamed.end())
      call.setCalleeAttr(it->second);
  });
}
