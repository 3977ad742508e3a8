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

HandedScales::HandedScales(ModuleOp module, const SymbolTable &symbols,
                           const ScaleDegreeAnalysis &analysis) {
  const DegreeTable &table = analysis.getTable();
  unsigned numScales = analysis.getScales().size();
  module.walk([&](func::CallOp call) {
    func::FuncOp callee = getCallee(call, symbols);
    if (!callee)
      return;
    Operation *caller = call->getParentOfType<func::FuncOp>();
    for (auto [index, operand] : llvm::enumerate(call.getOperands())) {
      FunctionArgument target(callee, index);
      DegreeId id = analysis.lookup(operand);
      if (const ScaleDegree &degree = table[id];
          degree.kind == ScaleDegree::Known)
        for (auto [atom, factor] : degree.form.getTerms())
          (atom < numScales ? carrying.ofScale[atom]
                            : carrying.ofArgument[{caller, atom - numScales}])
              .push_back(target);
      for (unsigned scale : table.getOverflows(id))
        touched.ofScale[scale].push_back(target);
      for (unsigned argument : table.getOverflowingArguments(id))
        touched.ofArgument[{caller, argument}].push_back(target);
    }
  });
}

llvm::DenseSet<FunctionArgument>
HandedScales::Targets::find(unsigned scale) const {
  llvm::DenseSet<FunctionArgument> found;
  SmallVector<FunctionArgument, 1> pending = ofScale.lookup(scale);
  while (!pending.empty()) {
    FunctionArgument argument = pending.pop_back_val();
    if (!found.insert(argument).second)
      continue;
    if (auto it = ofArgument.find(argument); it != ofArgument.end())
      llvm::append_range(pending, it->second);
  }
  return found;
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
