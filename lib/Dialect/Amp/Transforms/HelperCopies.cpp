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
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlir::amp;

bool mlir::amp::isHelper(func::FuncOp function) {
  return function && !function.isExternal() && !hasRoles(function);
}

void mlir::amp::insertCopy(SymbolTable &symbols, func::FuncOp helper,
                           func::FuncOp copy, func::FuncOp &last) {
  copy.setPrivate();
  Operation *before = last ? last : helper;
  symbols.insert(copy, std::next(before->getIterator()));
  last = copy;
}

/// The helpers among `copies` that something else than those which are erased
/// uses; null where that cannot be known.
static std::optional<llvm::SetVector<Operation *>>
findKept(ModuleOp module, const SymbolTable &symbols,
         const HelperCopies &copies) {
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
  for (auto &[helper, copy] : copies) {
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

void mlir::amp::eraseReplacedHelpers(ModuleOp module, SymbolTable &symbols,
                                     const HelperCopies &copies) {
  if (copies.empty())
    return;
  std::optional<llvm::SetVector<Operation *>> kept =
      findKept(module, symbols, copies);
  if (!kept)
    return; // an operation whose symbols are unknown may use them all
  llvm::DenseMap<StringAttr, FlatSymbolRefAttr> renamed;
  for (auto [helper, copy] : copies) {
    if (kept->contains(helper))
      continue;
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
