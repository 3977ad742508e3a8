//===- ScaledValues.cpp - Values that carry a loss scale ------------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Degrees are in terms of a function's arguments; what those are given, goes
// down over calls until nothing is new.
//
//===----------------------------------------------------------------------===//

#include "ScaledValues.h"

#include "Callees.h"

#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace mlir::amp;

bool ScaledValues::contains(Value value, func::FuncOp function) const {
  const ScaleDegree &degree = analysis.getTable()[analysis.lookup(value)];
  unsigned numScales = analysis.getScales().size();
  return degree.kind == ScaleDegree::Known &&
         llvm::any_of(degree.form.getTerms(), [&](LinearForm::Term term) {
           return term.first == scale ||
                  (term.first >= numScales &&
                   carrying.contains({function, term.first - numScales}));
         });
}

bool ScaledValues::isTouchedBy(DegreeId degree, func::FuncOp function) const {
  const DegreeTable &table = analysis.getTable();
  return llvm::is_contained(table.getOverflows(degree), scale) ||
         llvm::any_of(table.getOverflowingArguments(degree),
                      [&](unsigned argument) {
                        return touched.contains({function, argument});
                      });
}

ScaledValues::ScaledValues(ModuleOp module, const SymbolTable &symbols,
                           const ScaleDegreeAnalysis &analysis, unsigned scale)
    : analysis(analysis), scale(scale) {
  llvm::MapVector<func::FuncOp, SmallVector<func::CallOp>> callsOf;
  module.walk([&](func::CallOp call) {
    callsOf[call->getParentOfType<func::FuncOp>()].push_back(call);
  });
  SmallVector<func::FuncOp> pending;
  for (auto &[function, calls] : callsOf)
    pending.push_back(function);
  while (!pending.empty()) {
    func::FuncOp function = pending.pop_back_val();
    for (func::CallOp call : callsOf.lookup(function))
      for (auto [index, operand] : llvm::enumerate(call.getOperands()))
        if (func::FuncOp callee = getCallee(call, symbols)) {
          bool isNew = contains(operand, function) &&
                       carrying.insert({callee, index}).second;
          isNew |= isTouchedBy(getDegree(operand), function) &&
                   touched.insert({callee, index}).second;
          if (isNew)
            pending.push_back(callee);
        }
  }
}
