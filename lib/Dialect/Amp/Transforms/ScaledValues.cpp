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

/// True if an overflow of `scale` may have come into a value of `degree`, given
/// those arguments of its function for which `isTouched` is true.
static bool isTouchedBy(const DegreeTable &table, DegreeId degree,
                        unsigned scale,
                        function_ref<bool(unsigned)> isTouched) {
  return llvm::is_contained(table.getOverflows(degree), scale) ||
         llvm::any_of(table.getOverflowingArguments(degree), isTouched);
}

bool ScaledValues::isTouchedBy(DegreeId degree, func::FuncOp function) const {
  return ::isTouchedBy(analysis.getTable(), degree, scale,
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

//===----------------------------------------------------------------------===//
// Frames
//===----------------------------------------------------------------------===//

std::optional<Rational> ScaledFrames::getPower(Value value,
                                               const ScaledFrame *frame) const {
  const ScaleDegree &degree = analysis.getTable()[analysis.lookup(value)];
  std::optional<Rational> power = Rational(0);
  if (degree.kind != ScaleDegree::Known)
    return power;
  unsigned numScales = analysis.getScales().size();
  for (auto [atom, factor] : degree.form.getTerms()) {
    std::optional<Rational> term;
    if (atom < numScales)
      term = atom == scale ? factor : Rational(0);
    else if (std::optional<Rational> handed =
                 frame->arguments[atom - numScales].power)
      term = handed->multiply(factor);
    power = term ? power->add(*term) : std::nullopt;
    if (!power)
      break;
  }
  return power;
}

bool ScaledFrames::isTouched(Value value, const ScaledFrame *frame) const {
  return isTouchedBy(
      analysis.getTable(), analysis.lookup(value), scale,
      [&](unsigned argument) { return frame->arguments[argument].isTouched; });
}

ScaledFrames::Carried ScaledFrames::getCarried(Value value,
                                               const ScaledFrame *frame) const {
  std::optional<Rational> power = getPower(value, frame);
  if (!power)
    return Carried::Unknown;
  if (!power->isZero())
    return Carried::Scale;
  return isTouched(value, frame) ? Carried::Overflow : Carried::Nothing;
}

const ScaledFrame *ScaledFrames::getOutermost(func::FuncOp function,
                                              bool isKnown) {
  std::unique_ptr<ScaledFrame> &frame =
      (isKnown ? frames : unknown)[{nullptr, function}];
  if (!frame) {
    frame = std::make_unique<ScaledFrame>(
        ScaledFrame{function, {}, nullptr, isKnown, {}});
    ScaledFrame::Argument handed{
        isKnown ? std::optional<Rational>(0) : std::nullopt, !isKnown};
    frame->arguments.assign(function.getNumArguments(), handed);
  }
  return frame.get();
}

const ScaledFrame *ScaledFrames::enter(const ScaledFrame *caller,
                                       func::CallOp call, func::FuncOp callee) {
  std::unique_ptr<ScaledFrame> &frame = frames[{caller, call}];
  if (!frame) {
    frame = std::make_unique<ScaledFrame>(
        ScaledFrame{callee, call, caller, caller->isKnown, {}});
    for (Value operand : call.getOperands())
      frame->arguments.push_back(
          {getPower(operand, caller), isTouched(operand, caller)});
  }
  return frame.get();
}
