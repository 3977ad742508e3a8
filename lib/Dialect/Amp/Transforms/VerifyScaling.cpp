//===- VerifyScaling.cpp - No scale reaches what is kept ------------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Five questions, each answered elsewhere and told of here: do functions that
// compute gradients say what they are (UnscaledSteps); does a scale reach what
// a train step keeps (ScaleDegreeAnalysis); is each scaler told of what its
// unscalings find, and each guard of what overflows in what it takes
// (TransitionReports); is what was scaled unscaled
// before the scale advances (StaleScales); do assertions look at what
// overflows. Many results lose their degree at one place (one clipping of all
// gradients), so there is one error for each place, with the first result that
// it reaches as a note. An optimizer step that was handed a scaled gradient is
// the fault of the call and not of the subtraction in it.
//
//===----------------------------------------------------------------------===//

#include "Callees.h"
#include "DiagnosticPlace.h"
#include "StaleScales.h"
#include "TransitionReports.h"
#include "UnscaledSteps.h"

#include "amp/Analysis/ScaleDegreeAnalysis.h"
#include "amp/Dialect/Amp/IR/AmpDialect.h"
#include "amp/Dialect/Amp/IR/AmpRoles.h"
#include "amp/Dialect/Amp/Transforms/Passes.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

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
    auto emit = [&](Location loc) { return complain(loc); };
    reportUnscaledSteps(module, emit);
    ScaleDegreeAnalysis computed(module);
    analysis = &computed;
    if (printDegrees)
      printAll(module);
    for (auto function : module.getOps<func::FuncOp>())
      if (getFunctionKind(function) == FunctionKind::TrainStep)
        verifyStep(function);
    reportTransitions(module, computed, emit);
    verifyOrder(module);
    verifyChecks(module);
    if (hasError)
      signalPassFailure();
  }

private:
  void printAll(ModuleOp module);
  void verifyStep(func::FuncOp step);
  void verifyOrder(ModuleOp module);
  void verifyChecks(ModuleOp module);
  InFlightDiagnostic complain(Location loc);
  void explain(const DegreeCause &cause, ArrayRef<StepResult> results);
  void explainScaled(const LinearForm &form, ArrayRef<StepResult> results);
  std::optional<unsigned> findDynamicOverflow(DegreeId degree);
  void explainOverflow(unsigned scale, ArrayRef<StepResult> results);
  Operation *findCancelling(UnscaleOp unscale);
  void addUnscaleText(InFlightDiagnostic &diagnostic, const DegreeCause &cause);
  bool blameOptimizerCall(const DegreeCause &cause,
                          ArrayRef<StepResult> results);
  void addResults(InFlightDiagnostic &diagnostic, ArrayRef<StepResult> results);
  std::string describe(const LinearForm &form);

  const ScaleDegreeAnalysis *analysis = nullptr;
  /// The step that is verified.
  func::FuncOp step;
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
  if (results.empty()) {
    diagnostic.attachNote(step.getLoc())
        << "reaches memory that outlives train step '@" << step.getName()
        << "'";
    return;
  }
  StepResult first = results.front();
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

/// The operation, seen from `value` backwards, by which it has lost the scale
/// that it was computed with.
static Operation *findLastScaled(Value value,
                                 const ScaleDegreeAnalysis &analysis) {
  const DegreeTable &table = analysis.getTable();
  llvm::DenseSet<Value> seen;
  Operation *last = nullptr;
  while (value && seen.insert(value).second) {
    Operation *def = value.getDefiningOp();
    if (!def)
      break;
    last = def;
    Value next;
    for (Value operand : def->getOperands()) {
      DegreeId degree = analysis.lookup(operand);
      if (!table[degree].form.isZero())
        return def;
      if (!next && table.mayOverflow(degree))
        next = operand;
    }
    value = next;
  }
  return last;
}

/// The operation by which a gradient of `unscale` has lost its scale, in the
/// function that is called for it; null if no scale came into it.
Operation *VerifyScaling::findCancelling(UnscaleOp unscale) {
  for (Value gradient : unscale.getGradients()) {
    DegreeId degree = analysis->lookup(gradient);
    if (!analysis->getTable()[degree].form.isZero() ||
        !analysis->getTable().mayOverflow(degree))
      continue;
    llvm::DenseSet<Operation *> entered;
    Operation *last = findLastScaled(gradient, *analysis);
    while (auto call = dyn_cast_if_present<func::CallOp>(last)) {
      func::FuncOp callee = getCallee(call);
      if (!callee || !entered.insert(callee).second ||
          !llvm::hasSingleElement(callee.getBody()))
        break;
      Operation *inside = nullptr;
      for (Value returned :
           callee.getBody().front().getTerminator()->getOperands())
        if (DegreeId id = analysis->lookup(returned);
            !inside && analysis->getTable()[id].form.isZero() &&
            analysis->getTable().mayOverflow(id))
          inside = findLastScaled(returned, *analysis);
      if (!inside)
        break;
      last = inside;
    }
    return last;
  }
  return nullptr;
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
  else if (Operation *last =
               gradient.isZero() ? findCancelling(unscale) : nullptr) {
    diagnostic << ": its scale cancels on the way from the 'loss_seed'; divide "
                  "by what carries no scale, and normalise gradients after "
                  "they are unscaled";
    diagnostic.attachNote(getPlace(last)) << "the scale is lost here";
  } else if (gradient.isZero())
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

static bool isInBackwardPass(Operation *op) {
  auto function = op->getParentOfType<func::FuncOp>();
  return function && getFunctionKind(function) == FunctionKind::ForwardBackward;
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
               << describe(cause.first) << " and " << describe(cause.second);
    // What it returns is unscaled by its caller.
    if (isInBackwardPass(cause.op))
      diagnostic << "; a backward pass returns gradients as they are: clip, "
                    "decay and add to them in the train step (behind "
                    "'amp.grad', where it marks them)";
    else
      diagnostic << "; unscale gradients before they are clipped, decayed or "
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
    if (cause.first.isZero()) {
      diagnostic
          << "'" << cause.op->getName()
          << "' may call a function that scales a loss or unscales gradients; call that one "
             "by its name";
      break;
    }
    diagnostic << "'" << cause.op->getName()
               << "' is not known to the analysis and reads a value of "
               << describe(cause.first) << "; unscale it first";
    break;
  case DegreeFault::Memory:
    diagnostic << "memory holds values of " << describe(cause.first) << " and "
               << describe(cause.second) << "; keep scaled values in tensors";
    break;
  case DegreeFault::Hides:
    diagnostic << "'" << cause.op->getName() << "' tests a value of "
               << describe(cause.first.isZero() ? cause.second : cause.first)
               << " for infinity, or makes a finite number of it, which hides "
                  "an overflow that the scale makes; do so after unscaling, in "
                  "the train step";
    break;
  case DegreeFault::Chooses:
    diagnostic << "'" << cause.op->getName()
               << "' chooses by a comparison of values that were computed from "
                  "one of "
               << describe(cause.first)
               << "; an overflow of the scale makes some of them NaN, and what "
                  "is chosen then would hide it; compare what is unscaled, or "
                  "have NaN chosen where NaN is compared";
    break;
  case DegreeFault::Endless:
    diagnostic << "nothing but a comparison of values that were computed from "
                  "one of "
               << describe(cause.first) << " ends '" << cause.op->getName()
               << "', which may go round for ever with an infinity that the "
                  "scale makes; end it after a number of rounds as well";
    break;
  case DegreeFault::Escapes:
    diagnostic << "expected what '" << cause.op->getName()
               << "' takes for a value that is never scaled to be computed "
                  "from unscaled ones, but it comes from one of "
               << describe(cause.first)
               << ", whose overflow nothing looks for; unscale that first";
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

/// True for what the next step begins with; where nothing says what a result
/// is, it may be looked at.
static bool outlivesStep(std::optional<Role> role) {
  return role && *role != Role::Loss && *role != Role::Grad &&
         *role != Role::Output;
}

/// A dynamic scale whose overflow may have come into what has `degree`. A step
/// with a static one takes what overflows.
std::optional<unsigned> VerifyScaling::findDynamicOverflow(DegreeId degree) {
  for (unsigned scale : analysis->getTable().getOverflows(degree))
    if (auto scaler =
            getOperation().lookupSymbol<ScalerOp>(analysis->getScales()[scale]);
        scaler && !scaler.getStaticScale())
      return scale;
  return std::nullopt;
}

/// A scale that cancels, as in a gradient divided by its norm: the result is
/// the same at every scale, but for those at which something overflows.
void VerifyScaling::explainOverflow(unsigned scale,
                                    ArrayRef<StepResult> results) {
  StepResult first = results.front();
  InFlightDiagnostic diagnostic = complain(getPlace(first.getValue()));
  diagnostic << "expected " << describeRole(getResultRole(step, first.index))
             << " of train step '@" << step.getName()
             << "' to be computed from unscaled values, but it comes from some "
                "that carry the scale of '@"
             << analysis->getScales()[scale]
             << "', whose overflow nothing looks for; unscale those first, or "
                "keep the old value by 'amp.apply_if_finite' where one is "
                "found";
  if (Operation *last = findLastScaled(first.getValue(), *analysis))
    diagnostic.attachNote(getPlace(last)) << "the scale is lost here";
  if (results.size() > 1)
    addResults(diagnostic, results);
}

void VerifyScaling::verifyStep(func::FuncOp function) {
  step = function;
  const DegreeTable &table = analysis->getTable();
  llvm::MapVector<unsigned, SmallVector<StepResult>> faults;
  llvm::MapVector<DegreeId, SmallVector<StepResult>> scaled;
  llvm::MapVector<unsigned, SmallVector<StepResult>> overflowing;
  SmallVector<func::ReturnOp> ends;
  llvm::BitVector refused(step.getNumResults());
  step.walk([&](func::ReturnOp end) {
    for (auto [index, value] : llvm::enumerate(end.getOperands())) {
      DegreeId id = analysis->lookup(value);
      const ScaleDegree &degree = table[id];
      if (degree.isFault())
        faults[degree.cause].push_back({end, unsigned(index)});
      else if (degree.kind == ScaleDegree::Known && !degree.form.isZero())
        scaled[id].push_back({end, unsigned(index)});
      else if (std::optional<unsigned> scale = findDynamicOverflow(id);
               scale && outlivesStep(getResultRole(step, index).role))
        overflowing[*scale].push_back({end, unsigned(index)});
      else
        continue;
      refused.set(index);
    }
    ends.push_back(end);
  });
  // Which of the step's returns is reached, may depend on a scale.
  if (!ends.empty())
    if (const DegreeSummary *summary = analysis->lookupSummary(step))
      for (auto [index, id] : llvm::enumerate(summary->results))
        if (table[id].isFault() && !refused.test(index))
          faults[table[id].cause].push_back({ends.front(), unsigned(index)});
  for (auto &[cause, results] : faults)
    explain(table.getCause(cause), results);
  for (auto &[id, results] : scaled)
    explainScaled(table[id].form, results);
  for (auto &[scale, results] : overflowing)
    explainOverflow(scale, results);
  const DegreeSummary *summary = analysis->lookupSummary(step);
  bool keepsMemory = summary && (summary->touchesGlobals ||
                                 llvm::any_of(step.getArgumentTypes(),
                                              llvm::IsaPred<BaseMemRefType>));
  if (keepsMemory && table[summary->memory].isFault() &&
      faults.try_emplace(table[summary->memory].cause).second)
    explain(table.getCause(table[summary->memory].cause), {});

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

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

/// Warns of assertions on values that a dynamic scale overflows in: what a step
/// is to be skipped for would end the run.
void VerifyScaling::verifyChecks(ModuleOp module) {
  // Of each function, the arguments that its assertions look at.
  llvm::DenseMap<Operation *, llvm::SetVector<std::pair<unsigned, Operation *>>>
      checked;
  llvm::DenseMap<Operation *, SmallVector<func::CallOp>> calls;
  llvm::DenseSet<Operation *> told;
  auto look = [&](Operation *check, Value value, Operation *at) {
    DegreeId degree = analysis->lookup(value);
    if (std::optional<unsigned> scale = findDynamicOverflow(degree);
        scale && told.insert(check).second) {
      InFlightDiagnostic diagnostic =
          emitWarning(check->getLoc())
          << "'" << check->getName()
          << "' checks a value that an overflow of the scale of '@"
          << analysis->getScales()[*scale]
          << "' comes into, and would end the run where the step is to be "
             "skipped; check what is unscaled, in the train step";
      if (at != check)
        diagnostic.attachNote(at->getLoc()) << "scaled by this call";
    }
    bool isNew = false;
    for (unsigned argument :
         analysis->getTable().getOverflowingArguments(degree))
      isNew |= checked[at->getParentOfType<func::FuncOp>()].insert(
          {argument, check});
    return isNew;
  };
  SymbolTable symbols(module);
  llvm::SetVector<Operation *> pending;
  module.walk([&](Operation *op) {
    if (auto call = dyn_cast<func::CallOp>(op))
      calls[symbols.lookup(call.getCallee())].push_back(call);
    else if (isa<cf::AssertOp>(op) && look(op, op->getOperand(0), op))
      pending.insert(op->getParentOfType<func::FuncOp>());
  });
  while (!pending.empty()) {
    Operation *callee = pending.pop_back_val();
    auto checks = checked.lookup(callee).takeVector();
    for (func::CallOp call : calls.lookup(callee))
      for (auto [argument, check] : checks)
        if (look(check, call.getOperand(argument), call))
          pending.insert(call->getParentOfType<func::FuncOp>());
  }
}

//===----------------------------------------------------------------------===//
// Order
//===----------------------------------------------------------------------===//

void VerifyScaling::verifyOrder(ModuleOp module) {
  for (const StaleScale &stale : findStaleScales(module, *analysis)) {
    InFlightDiagnostic diagnostic = complain(getPlace(stale.use));
    if (stale.other) {
      diagnostic << "expected '" << stale.use->getName()
                 << "' to take values that carry one and the same scale of '@"
                 << stale.scaler
                 << "', but it advances between the scalings of two of them, "
                    "so that their scales do not cancel; unscale them first";
      diagnostic.attachNote(getPlace(stale.value)) << "scaled before it here";
      diagnostic.attachNote(getPlace(stale.other)) << "scaled behind it here";
      diagnostic.attachNote(getPlace(stale.transition))
          << "the scale advances here";
      continue;
    }
    diagnostic << "expected a gradient to be unscaled before '@" << stale.scaler
               << "' advances, but this reads ";
    if (stale.store)
      diagnostic
          << "memory that may hold one that was stored before and would "
             "be unscaled by the scale after it; unscale what is stored, "
             "or hand it over as a tensor";
    else
      diagnostic << "one that was scaled before and would be unscaled by the "
                    "scale after it; unscale it before that, or give losses "
                    "that are unscaled at different times scalers of their own "
                    "(num-losses)";
    if (stale.store)
      diagnostic.attachNote(getPlace(stale.store)) << "stored here";
    else
      diagnostic.attachNote(getPlace(stale.value)) << "scaled here";
    diagnostic.attachNote(getPlace(stale.transition))
        << "the scale advances here";
  }
}
