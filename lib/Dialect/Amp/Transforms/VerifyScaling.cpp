//===- VerifyScaling.cpp - No scale reaches what is kept ------------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The degrees are ScaleDegreeAnalysis's; this pass looks at the results of each
// train step and says where a degree other than 0 comes from. Many results lose
// their degree at one place (one clipping of all gradients), so there is one
// error for each place, with the first result that it reaches as a note. An
// optimizer step that was handed a scaled gradient is the fault of the call and
// not of the subtraction in it.
//
//===----------------------------------------------------------------------===//

#include "Callees.h"

#include "amp/Analysis/ScaleDegreeAnalysis.h"
#include "amp/Dialect/Amp/IR/AmpDialect.h"
#include "amp/Dialect/Amp/IR/AmpRoles.h"
#include "amp/Dialect/Amp/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringSet.h"

#define DEBUG_TYPE "amp-verify-scaling"

namespace mlir::amp {
#define GEN_PASS_DEF_VERIFYSCALINGPASS
#include "amp/Dialect/Amp/Transforms/Passes.h.inc"
} // namespace mlir::amp

using namespace mlir;
using namespace mlir::amp;

namespace {
/// A result of a train step.
struct StepResult {
  func::ReturnOp end;
  unsigned index;

  Value getValue() const { return func::ReturnOp(end).getOperand(index); }
};

struct VerifyScaling : public amp::impl::VerifyScalingPassBase<VerifyScaling> {
  using VerifyScalingPassBase::VerifyScalingPassBase;

  void runOnOperation() override {
    markAllAnalysesPreserved();
    ModuleOp module = getOperation();
    if (module.getOps<ScalerOp>().empty())
      return;
    ScaleDegreeAnalysis computed(module);
    analysis = &computed;
    if (printDegrees)
      printAll(module);
    for (auto function : module.getOps<func::FuncOp>())
      if (getFunctionKind(function) == FunctionKind::TrainStep)
        verifyStep(function);
    verifyTransitions(module);
    if (hasError)
      signalPassFailure();
  }

private:
  void printAll(ModuleOp module);
  void verifyStep(func::FuncOp step);
  void verifyTransitions(ModuleOp module);
  InFlightDiagnostic complain(Location loc);
  void explain(const DegreeCause &cause, ArrayRef<StepResult> results);
  void explainScaled(const LinearForm &form, ArrayRef<StepResult> results);
  void addUnscaleText(InFlightDiagnostic &diagnostic, const DegreeCause &cause);
  bool blameOptimizerCall(const DegreeCause &cause,
                          ArrayRef<StepResult> results);
  void addResults(InFlightDiagnostic &diagnostic, ArrayRef<StepResult> results);
  std::string describe(const LinearForm &form);

  const ScaleDegreeAnalysis *analysis = nullptr;
  bool hasError = false;
};
} // namespace

static std::string describeRole(RoleInfo info) {
  if (!info.role)
    return "a result without role";
  return (llvm::Twine("'") + stringifyRole(*info.role) + "' '" + info.name +
          "'")
      .str();
}

/// Where `op` is written: the body of a named linalg operation has no place of
/// its own.
static Location getPlace(Operation *op) {
  while (isa<UnknownLoc>(op->getLoc()) && op->getParentOp() &&
         !isa<FunctionOpInterface>(op->getParentOp()))
    op = op->getParentOp();
  return op->getLoc();
}

/// True if `callee` is a part of the step that calls it, made of its operations
/// by amp-split-train-step: it stands at the step's place.
static bool isPartOfCaller(func::FuncOp callee, Operation *call) {
  auto caller = call->getParentOfType<func::FuncOp>();
  return callee && callee.isPrivate() && caller &&
         callee.getLoc() == caller.getLoc() &&
         llvm::hasSingleElement(callee.getBody());
}

/// Where a result of a train step is computed, through guards and through the
/// parts that a fused step was split into.
static Location getPlace(Value value) {
  while (auto result = dyn_cast<OpResult>(value)) {
    Operation *def = result.getOwner();
    Block *body = nullptr;
    if (auto guard = dyn_cast<ApplyIfFiniteOp>(def))
      body = &guard.getBody().front();
    else if (auto call = dyn_cast<func::CallOp>(def))
      if (func::FuncOp callee = getCallee(call); isPartOfCaller(callee, call))
        body = &callee.getBody().front();
    if (!body)
      break;
    value = body->getTerminator()->getOperand(result.getResultNumber());
  }
  return value.getLoc();
}

InFlightDiagnostic VerifyScaling::complain(Location loc) {
  if (warnOnly)
    return emitWarning(loc);
  hasError = true;
  return emitError(loc);
}

/// "degree 1 in @loss_scaler0"
std::string VerifyScaling::describe(const LinearForm &form) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "degree ";
  analysis->getTable().print(form, analysis->getScales(), os);
  return text;
}

void VerifyScaling::printAll(ModuleOp module) {
  auto print = [&](Operation *op) {
    // The body of a named linalg operation is not written in the program.
    bool isNamed = isa<linalg::LinalgOp>(op) &&
                   !isa<linalg::GenericOp, linalg::MapOp, linalg::ReduceOp>(op);
    WalkResult next = isNamed ? WalkResult::skip() : WalkResult::advance();
    if (op->getNumResults() == 0)
      return next;
    std::string text;
    llvm::raw_string_ostream os(text);
    llvm::interleaveComma(op->getResults(), os, [&](Value result) {
      analysis->print(analysis->lookup(result), os);
    });
    op->emitRemark() << "degree: " << text;
    return next;
  };
  for (auto function : module.getOps<func::FuncOp>())
    function.walk<WalkOrder::PreOrder>(print);
}

/// Where the results get to: the first one's place, and how many more there
/// are.
void VerifyScaling::addResults(InFlightDiagnostic &diagnostic,
                               ArrayRef<StepResult> results) {
  StepResult first = results.front();
  auto step = first.end->getParentOfType<func::FuncOp>();
  Diagnostic &note = diagnostic.attachNote(getPlace(first.getValue()));
  note << "reaches " << describeRole(getResultRole(step, first.index))
       << " of train step '@" << step.getName() << "'";
  if (results.size() > 1)
    note << " and " << results.size() - 1 << " more of its results";
}

/// True if `value` is computed from what an unscaling with `scaler` gave.
static bool comesFromUnscale(Value value, StringRef scaler) {
  SmallVector<Value> worklist = {value};
  llvm::DenseSet<Operation *> seen;
  while (!worklist.empty()) {
    Operation *def = worklist.pop_back_val().getDefiningOp();
    if (!def || !seen.insert(def).second)
      continue;
    if (auto unscale = dyn_cast<UnscaleOp>(def);
        unscale && unscale.getScaler() == scaler)
      return true;
    llvm::append_range(worklist, def->getOperands());
  }
  return false;
}

void VerifyScaling::addUnscaleText(InFlightDiagnostic &diagnostic,
                                   const DegreeCause &cause) {
  auto unscale = cast<UnscaleOp>(cause.op);
  StringRef scaler = unscale.getScaler();
  ArrayRef<StringRef> scales = analysis->getScales();
  unsigned atom = llvm::find(scales, scaler) - scales.begin();
  // The cause has what the unscaling leaves.
  std::optional<LinearForm> sum = cause.first.add(LinearForm::getAtom(atom));
  LinearForm gradient = sum ? *sum : cause.first;
  diagnostic << "expected gradients that carry the scale of '@" << scaler
             << "' once, but got one of " << describe(gradient);
  if (gradient.isZero() &&
      llvm::any_of(unscale.getGradients(), [&](Value value) {
        return comesFromUnscale(value, scaler);
      }))
    diagnostic << ", which was unscaled before; unscale each gradient once";
  else if (gradient.isZero())
    diagnostic << ": its backward pass does not make use of its 'loss_seed'; "
                  "multiply the gradient of the loss by the seed";
  else if (gradient.getCoefficient(atom).isZero())
    diagnostic << "; unscale it with the scaler of its own loss";
  else
    diagnostic << "; scale each loss once, and unscale products of gradients "
                  "factor by factor";
}

/// An optimizer step that was given a scaled gradient.
bool VerifyScaling::blameOptimizerCall(const DegreeCause &cause,
                                       ArrayRef<StepResult> results) {
  for (Operation *op : cause.calls) {
    auto call = dyn_cast<func::CallOp>(op);
    if (!call || getCalleeKind(call) != FunctionKind::OptimizerStep)
      continue;
    func::FuncOp callee = getCallee(call);
    for (auto [index, operand] : llvm::enumerate(call.getOperands())) {
      RoleInfo info = getArgRole(callee, index);
      const ScaleDegree &degree =
          analysis->getTable()[analysis->lookup(operand)];
      if (!info.is(Role::Grad) || degree.kind != ScaleDegree::Known ||
          degree.form.isZero())
        continue;
      InFlightDiagnostic diagnostic = complain(call.getLoc());
      diagnostic << "expected " << describeRole(info)
                 << ", which optimizer step '@" << callee.getName()
                 << "' takes, to be unscaled, but got "
                 << describe(degree.form);
      diagnostic.attachNote(getPlace(cause.op))
          << "combined here with a value of " << describe(cause.first);
      addResults(diagnostic, results);
      return true;
    }
  }
  return false;
}

void VerifyScaling::explain(const DegreeCause &cause,
                            ArrayRef<StepResult> results) {
  if (cause.fault == DegreeFault::Mixes && blameOptimizerCall(cause, results))
    return;
  InFlightDiagnostic diagnostic = complain(getPlace(cause.op));
  if (leavesUndecided(cause.fault))
    diagnostic << "cannot decide which power of a loss scale is left: ";
  switch (cause.fault) {
  case DegreeFault::Mixes:
    diagnostic << "expected values that carry the same power of a loss scale, "
                  "but got "
               << describe(cause.first) << " and " << describe(cause.second)
               << "; unscale gradients before they are clipped, decayed or "
                  "added to values that are not scaled";
    break;
  case DegreeFault::Distorts:
    diagnostic << "expected an operand that carries no loss scale, but got "
               << describe(cause.first) << ", which '" << cause.op->getName()
               << "' turns into no power of the scale; unscale it first";
    break;
  case DegreeFault::Enters: {
    auto call = cast<func::CallOp>(cause.op);
    diagnostic << "expected '@" << call.getCallee()
               << "' to be called with a scaled value for a loss seed or a "
                  "gradient alone, but an argument of another role has "
               << describe(cause.first);
    break;
  }
  case DegreeFault::Unscales:
    addUnscaleText(diagnostic, cause);
    break;
  case DegreeFault::Compares:
    diagnostic << "'" << cause.op->getName()
               << "' decides by values that carry different powers, "
               << describe(cause.first) << " and " << describe(cause.second)
               << "; compare what is unscaled";
    break;
  case DegreeFault::Meets:
    diagnostic << "ways that meet at '" << cause.op->getName()
               << "', or its rounds, bring " << describe(cause.first) << " and "
               << describe(cause.second)
               << "; unscale on each way, or inside the loop";
    break;
  case DegreeFault::Unknown:
    diagnostic << "'" << cause.op->getName()
               << "' is not known to the analysis and reads a value of "
               << describe(cause.first) << "; unscale it first";
    break;
  case DegreeFault::Memory:
    diagnostic << "memory holds values of " << describe(cause.first) << " and "
               << describe(cause.second) << "; keep scaled values in tensors";
    break;
  case DegreeFault::Exponent:
    diagnostic << "the exponent or the power that '" << cause.op->getName()
               << "' takes of a value of " << describe(cause.first)
               << " is no small rational constant; unscale it first";
    break;
  }
  for (Operation *op : cause.calls)
    if (auto call = dyn_cast<func::CallOp>(op);
        !call || !isPartOfCaller(getCallee(call), call))
      diagnostic.attachNote(op->getLoc()) << "called from here";
  addResults(diagnostic, results);
}

/// The operation that gave `value` its degree, seen from `value` backwards.
static Operation *findOrigin(Value value, const ScaleDegreeAnalysis &analysis) {
  llvm::DenseSet<Value> seen;
  Operation *origin = nullptr;
  while (value && seen.insert(value).second) {
    Operation *def = value.getDefiningOp();
    if (!def)
      break;
    origin = def;
    if (isa<ScaleLossOp, UnscaleOp>(def))
      break;
    Value next;
    for (Value operand : def->getOperands()) {
      const ScaleDegree &degree = analysis.getTable()[analysis.lookup(operand)];
      if (!next && degree.kind == ScaleDegree::Known && !degree.form.isZero())
        next = operand;
    }
    value = next;
  }
  return origin;
}

void VerifyScaling::explainScaled(const LinearForm &form,
                                  ArrayRef<StepResult> results) {
  StepResult first = results.front();
  auto step = first.end->getParentOfType<func::FuncOp>();
  InFlightDiagnostic diagnostic = complain(getPlace(first.getValue()));
  diagnostic << "expected " << describeRole(getResultRole(step, first.index))
             << " of train step '@" << step.getName()
             << "' to carry no loss scale, but got " << describe(form)
             << "; unscale it, or compute it from what is not scaled";
  if (Operation *origin = findOrigin(first.getValue(), *analysis))
    diagnostic.attachNote(origin->getLoc()) << "the scale comes from here";
  if (results.size() > 1)
    addResults(diagnostic, results);
}

void VerifyScaling::verifyStep(func::FuncOp step) {
  const DegreeTable &table = analysis->getTable();
  llvm::MapVector<unsigned, SmallVector<StepResult>> faults;
  llvm::MapVector<DegreeId, SmallVector<StepResult>> scaled;
  step.walk([&](func::ReturnOp end) {
    for (auto [index, value] : llvm::enumerate(end.getOperands())) {
      DegreeId id = analysis->lookup(value);
      const ScaleDegree &degree = table[id];
      if (degree.isFault())
        faults[degree.cause].push_back({end, unsigned(index)});
      else if (degree.kind == ScaleDegree::Known && !degree.form.isZero())
        scaled[id].push_back({end, unsigned(index)});
    }
  });
  for (auto &[cause, results] : faults)
    explain(table.getCause(cause), results);
  for (auto &[id, results] : scaled)
    explainScaled(table[id].form, results);

  llvm::DenseSet<unsigned> remarked;
  step.walk([&](Operation *op) {
    for (Value result : op->getResults()) {
      const ScaleDegree &degree = table[analysis->lookup(result)];
      if (degree.kind == ScaleDegree::Undecided &&
          !faults.count(degree.cause) && remarked.insert(degree.cause).second)
        emitRemark(getPlace(table.getCause(degree.cause).op))
            << "cannot decide which power of a loss scale is left here; no "
               "result of train step '@"
            << step.getName() << "' depends on it";
    }
  });
}

void VerifyScaling::verifyTransitions(ModuleOp module) {
  llvm::StringMap<ScaleLossOp> scaled;
  llvm::StringSet<> advanced;
  for (auto function : module.getOps<func::FuncOp>())
    function.walk([&](Operation *op) {
      if (auto scale = dyn_cast<ScaleLossOp>(op))
        scaled.try_emplace(scale.getScaler(), scale);
      else if (auto update = dyn_cast<UpdateScaleOp>(op))
        advanced.insert(update.getScaler());
    });
  for (auto scaler : module.getOps<ScalerOp>()) {
    auto it = scaled.find(scaler.getSymName());
    if (scaler.getStaticScale() || it == scaled.end() ||
        advanced.contains(scaler.getSymName()))
      continue;
    complain(it->second.getLoc())
        << "expected an 'amp.update_scale' of dynamic scaler '@"
        << scaler.getSymName()
        << "', with which a loss is scaled here, but found none; advance it after "
           "each unscaling, or give it 'static_scale'";
  }
}
