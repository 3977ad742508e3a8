//===- TransitionReports.cpp - What transitions are not told --------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The scalers of a module one after the other. A transition that comes from no
// unscaling, or that something around it keeps from running once, is told of
// for itself; only where there is none of these is asked what each unscaling
// found (FindingFlow), with one diagnostic for each transition. Guards and
// choices are asked about for all.
//
//===----------------------------------------------------------------------===//

#include "TransitionReports.h"

#include "DiagnosticPlace.h"
#include "GuardedOverflows.h"
#include "TransitionFlow.h"

#include "amp/Dialect/Amp/IR/AmpDialect.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;
using namespace mlir::amp;

namespace {
class TransitionReports {
public:
  TransitionReports(ModuleOp module, const ScaleDegreeAnalysis &analysis,
                    function_ref<InFlightDiagnostic(Location)> emit)
      : analysis(analysis), flow(module), emit(emit) {}

  void report(ModuleOp module);

private:
  void explainDecider(const TransitionFlow::Decider &decider,
                      UpdateScaleOp update);
  void explainLost(const LostFinding &lost, UpdateScaleOp update);
  void reportFindings(StringRef scaler, ArrayRef<UpdateScaleOp> updates,
                      ArrayRef<Operation *> unscalings);
  void reportGuards(ModuleOp module);

  const ScaleDegreeAnalysis &analysis;
  TransitionFlow flow;
  function_ref<InFlightDiagnostic(Location)> emit;
};
} // namespace

void TransitionReports::explainDecider(const TransitionFlow::Decider &decider,
                                       UpdateScaleOp update) {
  using Decider = TransitionFlow::Decider;
  InFlightDiagnostic diagnostic = emit(update.getLoc());
  diagnostic << "expected '@" << update.getScaler() << "' to be advanced ";
  StringRef name = decider.op->getName().getStringRef();
  switch (decider.kind) {
  case Decider::Never:
    diagnostic << "after each unscaling, but '" << name
               << "' never runs this; advance it outside of it";
    break;
  case Decider::ForEach:
    diagnostic << "once with what was found, but '" << name
               << "' runs this for each of its elements, none or many; advance "
                  "it behind it";
    break;
  }
  diagnostic.attachNote(decider.op->getLoc()) << "decided here";
}

namespace {
/// What each transition of a scaler may hear of.
class Hearing {
public:
  Hearing(const TransitionFlow &flow, StringRef scaler,
          ArrayRef<UpdateScaleOp> updates)
      : updates(updates) {
    for (UpdateScaleOp update : updates) {
      llvm::DenseSet<Value> seen;
      areSeen.push_back(flow.findUnscalings(update.getFoundInf(), scaler, seen,
                                            heard.emplace_back()));
    }
  }

  /// The first that may hear of what `unscale` found, of those that come from
  /// what cannot be seen as well; null if there is none.
  UpdateScaleOp find(Operation *unscale) const {
    for (auto [update, isSeen, ofUpdate] : llvm::zip(updates, areSeen, heard))
      if (!isSeen || ofUpdate.contains(unscale))
        return update;
    return nullptr;
  }

private:
  ArrayRef<UpdateScaleOp> updates;
  SmallVector<bool> areSeen;
  SmallVector<llvm::SetVector<Operation *>, 1> heard;
};
} // namespace

void TransitionReports::explainLost(const LostFinding &lost,
                                    UpdateScaleOp update) {
  StringRef scaler = update.getScaler();
  InFlightDiagnostic diagnostic = emit(update.getLoc());
  diagnostic << "expected '@" << scaler << "' to be advanced ";
  StringRef name = lost.op->getName().getStringRef();
  auto say = [&](StringRef what) {
    diagnostic.attachNote(getPlace(lost.op)) << what;
  };
  switch (lost.kind) {
  case FlagLoss::Negates:
    diagnostic << "with what an 'amp.unscale' found, but got the negation of "
                  "it; its scale would grow when it overflows, so pass whether "
                  "an infinity was found, not whether all is finite";
    break;
  case FlagLoss::Loses:
    diagnostic << "whenever an 'amp.unscale' using it found an infinity, but '"
               << name
               << "' may lose what one found; its scale would grow when it "
                  "overflows, so join what several found ('arith.ori')";
    say("lost here");
    break;
  case FlagLoss::LeavesOut:
    diagnostic << "after each unscaling, but 'amp.apply_if_finite' leaves this "
                  "out where an infinity was found; its scale would never be "
                  "lowered, so advance it in the train step, outside of the "
                  "optimizer step";
    say("left out here");
    break;
  case FlagLoss::Decides:
  case FlagLoss::Skips:
    diagnostic << "after each unscaling, but '" << name
               << "' decides whether it is; advance it in either case, with "
                  "what was found";
    say("decided here");
    break;
  case FlagLoss::SkipsFinite:
    diagnostic << "after each unscaling, but where none found an infinity '"
               << name
               << "' keeps all from running that do; its scale would only "
                  "fall, so advance it in either case, with what was found";
    say("decided here");
    break;
  case FlagLoss::IsAlways:
    diagnostic << "with what an 'amp.unscale' found, but got what is true "
                  "where none found an infinity as well; its scale would only "
                  "fall, so advance it with what was found alone";
    break;
  case FlagLoss::LosesLastRound:
    diagnostic << "with what each round of '" << name
               << "' found, but none hears of the last one; advance it behind "
                  "the unscaling of each round, or behind the loop with what "
                  "its rounds found";
    diagnostic.attachNote(getPlace(lost.unscale)) << "found here";
    break;
  case FlagLoss::HasNoWay:
    diagnostic << "whenever an 'amp.unscale' using it found an infinity, but "
                  "no way on which one is surely told leads here from one; "
                  "hand over what it found as a value, joined with what others "
                  "find ('arith.ori')";
    say("found here");
    break;
  }
}

void TransitionReports::reportFindings(StringRef scaler,
                                       ArrayRef<UpdateScaleOp> updates,
                                       ArrayRef<Operation *> unscalings) {
  auto [lost, toldTwice] = flow.checkFindings(scaler, updates, unscalings);
  if (toldTwice) {
    InFlightDiagnostic diagnostic = emitWarning(toldTwice->update.getLoc());
    diagnostic << "advances '@" << scaler
               << "' again with what one 'amp.unscale' found: its scale is "
                  "lowered twice for one overflow, and a step without one "
                  "counts twice; advance it once with each finding";
    diagnostic.attachNote(getPlace(toldTwice->unscale)) << "found here";
  }
  if (lost.empty())
    return;
  Hearing hearing(flow, scaler, updates);
  // The first of each transition, and one that says why, if there is one.
  llvm::MapVector<UpdateScaleOp, LostFinding> said;
  for (const LostFinding &each : lost) {
    UpdateScaleOp update = each.kind == FlagLoss::IsAlways
                               ? cast<UpdateScaleOp>(each.op)
                               : hearing.find(each.unscale);
    if (!update) {
      emit(each.unscale->getLoc())
          << "expected what each 'amp.unscale' using '@" << scaler
          << "' finds to reach an 'amp.update_scale' of it, but this one's "
             "reaches none; an overflow here never lowers the scale, so hand "
             "it to the next unscaling as already found, or advance the scale "
             "with both ('arith.ori')";
      continue;
    }
    auto [known, isNew] = said.insert({update, each});
    if (!isNew && known->second.kind == FlagLoss::HasNoWay)
      known->second = each;
  }
  for (auto &[update, each] : said)
    explainLost(each, update);
}

void TransitionReports::report(ModuleOp module) {
  llvm::StringMap<ScaleLossOp> scaled;
  llvm::MapVector<StringRef, SmallVector<UpdateScaleOp, 1>> advanced;
  llvm::MapVector<StringRef, SmallVector<Operation *, 1>> unscaled;
  for (Operation *function : flow.getReached())
    function->walk([&](Operation *op) {
      if (auto scale = dyn_cast<ScaleLossOp>(op))
        scaled.try_emplace(scale.getScaler(), scale);
      else if (auto update = dyn_cast<UpdateScaleOp>(op))
        advanced[update.getScaler()].push_back(update);
      else if (auto unscale = dyn_cast<UnscaleOp>(op))
        unscaled[unscale.getScaler()].push_back(unscale);
    });
  for (auto scaler : module.getOps<ScalerOp>()) {
    StringRef name = scaler.getSymName();
    auto it = scaled.find(name);
    if (scaler.getStaticScale() || it == scaled.end())
      continue;
    ArrayRef<UpdateScaleOp> updates = advanced[name];
    if (updates.empty())
      emit(it->second.getLoc())
          << "expected an 'amp.update_scale' of dynamic scaler '@" << name
          << "', with which a loss is scaled here, but found none; advance it "
             "after each unscaling, or give it 'static_scale'";
    bool areRight = !updates.empty();
    for (UpdateScaleOp update : updates) {
      if (!flow.comesFrom(update.getFoundInf(), name)) {
        areRight = false;
        emit(update.getLoc())
            << "expected '@" << name
            << "' to be advanced with what an 'amp.unscale' using it found, "
               "but got a value that comes from none; its scale would not be "
               "lowered when it overflows";
      } else if (std::optional<TransitionFlow::Decider> decider =
                     flow.findDecider(update)) {
        areRight = false;
        explainDecider(*decider, update);
      }
    }
    if (areRight)
      reportFindings(name, updates, unscaled[name]);
    if (ApplyIfFiniteOp guard = flow.findNegatedGuard(name))
      emit(guard.getLoc())
          << "expected 'amp.apply_if_finite' to be told whether an infinity "
             "was found, but got the negation of what an 'amp.unscale' using "
             "'@"
          << name << "' found; a step would be taken where it overflows alone";
    if (Operation *choice = flow.findNegatedChoice(name))
      emit(choice->getLoc())
          << "expected '" << choice->getName()
          << "' to choose an old value where an infinity was found, but where "
             "an 'amp.unscale' using '@"
          << name
          << "' finds one, it chooses a new one; a step would be taken where "
             "it overflows alone";
  }
  reportGuards(module);
}

void TransitionReports::reportGuards(ModuleOp module) {
  for (const GuardedOverflow &lost :
       findGuardedOverflows(module, analysis, flow)) {
    InFlightDiagnostic diagnostic = emit(getPlace(lost.guard));
    if (lost.isRead) {
      diagnostic
          << "expected 'amp.apply_if_finite' to be told of each overflow "
             "in what it takes, but that of '@"
          << lost.scaler << "' may be in what '" << lost.user->getName()
          << "' reads from memory, where a value without scale is not "
             "followed; hand it over as a tensor, or unscale what it is "
             "computed from before it is stored";
      diagnostic.attachNote(getPlace(lost.user)) << "read here";
      continue;
    }
    diagnostic << "expected 'amp.apply_if_finite' to be told of each overflow "
                  "in what it takes, but '"
               << lost.user->getName()
               << "' makes a value without scale of one that carries the scale "
                  "of '@"
               << lost.scaler
               << "', and no unscaling looks at that one whose 'found_inf' "
                  "surely reaches the guard; unscale it before, or join what "
                  "its unscaling finds ('arith.ori')";
    diagnostic.attachNote(getPlace(lost.user)) << "the scale is lost here";
  }
}

void mlir::amp::reportTransitions(
    ModuleOp module, const ScaleDegreeAnalysis &analysis,
    function_ref<InFlightDiagnostic(Location)> emit) {
  if (llvm::all_of(module.getOps<ScalerOp>(),
                   [](ScalerOp scaler) { return scaler.getStaticScale(); }))
    return;
  TransitionReports(module, analysis, emit).report(module);
}
