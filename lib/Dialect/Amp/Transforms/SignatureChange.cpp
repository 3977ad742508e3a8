//===- SignatureChange.cpp - May a function take other types --------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Uses of symbols are found once for all functions: asking for those of each
// function would walk the module as many times.
//
//===----------------------------------------------------------------------===//

#include "SignatureChange.h"

using namespace mlir;
using namespace mlir::amp;

FunctionReferences::FunctionReferences(ModuleOp module) {
  std::optional<SymbolTable::UseRange> uses =
      SymbolTable::getSymbolUses(&module.getBodyRegion());
  if (!uses)
    return;
  for (const SymbolTable::SymbolUse &use : *uses) {
    Operation *user = use.getUser();
    if (auto call = dyn_cast<func::CallOp>(user);
        call && call.getCalleeAttr() == use.getSymbolRef())
      continue;
    firstReference.try_emplace(use.getSymbolRef().getLeafReference(), user);
  }
}

LogicalResult FunctionReferences::requireChangeable(func::FuncOp function,
                                                    PolicyAttr policy,
                                                    const Twine &change) const {
  if (function.isExternal())
    return function.emitError()
           << "expected '@" << function.getName()
           << "' to have a body, because " << change << " at "
           << policy.getLevelName()
           << ", but it is a declaration; define it in this module, or declare "
              "it with the types that it has at "
           << policy.getLevelName();
  Operation *user = firstReference.lookup(function.getSymNameAttr());
  if (!user)
    return success();
  InFlightDiagnostic diagnostic =
      user->emitError() << "expected '@" << function.getName()
                        << "' to be used by calls alone, because " << change
                        << " at " << policy.getLevelName()
                        << ", but it is taken by reference; take a function "
                           "without roles that calls it";
  diagnostic.attachNote(function.getLoc()) << "the function is here";
  return diagnostic;
}
