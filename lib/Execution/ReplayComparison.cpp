//===- ReplayComparison.cpp - What a replay found -------------------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// NaN takes part in the comparison: some recorded runs diverge (a static scale
// lets an injected infinity through; at O3 Adam's 1e-8 is 0 in f16), and the
// replay has to diverge at the same step.
//
// Updates are compared twice. All parameters together, relative to the norm of
// all updates: what a wrong optimizer changes, at any level. And the worst
// parameter by itself: a small bias, or a weight decay that only the norms'
// weights show, is nothing beside a large matrix. The second is sharp where
// rounding is fine (O0) and blunt where a small gradient is mostly rounding.
//
//===----------------------------------------------------------------------===//

#include "amp/Execution/ReplayComparison.h"
#include "amp/Execution/ArrayArchive.h"
#include "amp/Execution/ArrayBinding.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <cmath>
#include <limits>

using namespace mlir::amp;
using llvm::createStringError;
using llvm::Error;
using llvm::Expected;
using llvm::StringRef;
using llvm::Twine;

double mlir::amp::getDistance(double got, double want) {
  if (got == want || (std::isnan(got) && std::isnan(want)))
    return 0;
  if (!std::isfinite(got) || !std::isfinite(want))
    return std::numeric_limits<double>::infinity();
  return std::fabs(got - want);
}

//===----------------------------------------------------------------------===//
// Verdict
//===----------------------------------------------------------------------===//

void ReplayComparison::add(StringRef quantity, double distance,
                           std::string where) {
  distances.push_back(
      {quantity.str(), distance,
       tolerances ? tolerances->getLimit(quantity) : std::nullopt,
       std::move(where)});
}

/// A distance that is no number is outside.
static bool isInside(const ReplayDistance &distance) {
  return !distance.tolerance || distance.distance <= *distance.tolerance;
}

ReplayVerdict ReplayComparison::getVerdict() const {
  if (!notReplayed.empty())
    return ReplayVerdict::NotComparable;
  if (scalerDifference.empty() && llvm::all_of(distances, isInside))
    return tolerances ? ReplayVerdict::Agree : ReplayVerdict::NotJudged;
  // The caveats are about what happens once scales have parted; before the
  // first update there is no excuse.
  const bool isFirstStepInside = distances.empty() || isInside(distances[0]);
  return tolerances && !tolerances->caveat.empty() && isFirstStepInside
             ? ReplayVerdict::NotComparable
             : ReplayVerdict::Disagree;
}

void mlir::amp::printComparison(llvm::raw_ostream &os,
                                const ReplayComparison &comparison) {
  os << comparison.id;
  if (comparison.tolerances)
    os << " (" << comparison.tolerances->name << ")";
  os << '\n';
  if (!comparison.notReplayed.empty()) {
    os << "  not comparable: " << comparison.notReplayed << '\n';
    return;
  }
  for (const ReplayDistance &distance : comparison.distances) {
    os << "  " << llvm::left_justify(distance.quantity, 26)
       << llvm::format("%-10.3g", distance.distance);
    if (distance.tolerance)
      os << "tolerance " << llvm::format("%g", *distance.tolerance)
         << (isInside(distance) ? "" : "  OUTSIDE");
    if (!distance.where.empty())
      os << "  at '" << distance.where << "'";
    os << '\n';
  }
  if (comparison.hasScalers)
    os << "  " << llvm::left_justify("scales and skipped steps", 26)
       << (comparison.scalerDifference.empty()
               ? "equal"
               : "DIFFERENT, " + comparison.scalerDifference)
       << '\n';
  switch (comparison.getVerdict()) {
  case ReplayVerdict::Agree:
    os << "  agrees\n";
    return;
  case ReplayVerdict::Disagree:
    os << "  DISAGREES\n";
    return;
  case ReplayVerdict::NotComparable:
    os << "  not comparable: " << comparison.tolerances->caveat << '\n';
    return;
  case ReplayVerdict::NotJudged:
    os << "  not judged: no tolerances\n";
    return;
  }
}

//===----------------------------------------------------------------------===//
// Updates
//===----------------------------------------------------------------------===//

Expected<std::vector<RecordedUpdate>>
mlir::amp::readRecordedUpdates(StringRef path,
                               llvm::ArrayRef<ValueSpec> originalArguments) {
  Expected<ArrayArchive> archive = ArrayArchive::open(path);
  if (!archive)
    return archive.takeError();
  std::vector<RecordedUpdate> updates;
  for (auto [index, spec] : llvm::enumerate(originalArguments)) {
    const std::string end = "final" + std::to_string(index);
    const std::string start = "arg" + std::to_string(index);
    if ((spec.role != "param" && spec.role != "buffer") ||
        !isFloatKind(spec.elementKind) || !archive->contains(end))
      continue;
    auto read = [&, &spec = spec](StringRef name) -> Expected<HostArray> {
      Expected<ArrayType> type = archive->readType(name);
      if (!type)
        return type.takeError();
      if (Error error = checkShape(*type, spec, archive->describe(name)))
        return error;
      return archive->read(name);
    };
    RecordedUpdate update{spec.role, spec.name, std::nullopt, HostArray()};
    Expected<HostArray> last = read(end);
    if (!last)
      return last.takeError();
    update.end = std::move(*last);
    if (archive->contains(start)) {
      Expected<HostArray> first = read(start);
      if (!first)
        return first.takeError();
      update.start = std::move(*first);
    }
    updates.push_back(std::move(update));
  }
  return updates;
}

/// The value in full precision, or null.
static const HostArray *findValue(const TrainingState &state, StringRef role,
                                  StringRef name) {
  if (role == "param")
    if (auto found = state.find({"master", name.str()}); found != state.end())
      return &found->second;
  auto found = state.find({role.str(), name.str()});
  return found == state.end() ? nullptr : &found->second;
}

TrainingState
mlir::amp::cloneUpdatedValues(const TrainingState &state,
                              llvm::ArrayRef<RecordedUpdate> recorded) {
  TrainingState clone;
  for (const RecordedUpdate &update : recorded)
    if (const HostArray *value = findValue(state, update.role, update.name))
      clone[{update.role, update.name}] = value->clone();
  return clone;
}

namespace {
/// Squares of a recorded update, and of the difference from it.
struct Squares {
  double update = 0, difference = 0;

  void add(const Squares &other) {
    update += other.update;
    difference += other.difference;
  }
  double getRelativeDistance() const {
    const double distance = std::sqrt(difference);
    return update > 0 ? distance / std::sqrt(update) : distance;
  }
};
} // namespace

Error mlir::amp::addUpdateDistances(ReplayComparison &comparison,
                                    llvm::ArrayRef<RecordedUpdate> recorded,
                                    const TrainingState &start,
                                    const TrainingState &end) {
  Squares parameters, buffers;
  bool hasParameters = false, hasBuffers = false;
  double worst = 0;
  std::string worstName;
  for (const RecordedUpdate &update : recorded) {
    const HostArray *first = findValue(start, update.role, update.name);
    const HostArray *last = findValue(end, update.role, update.name);
    const HostArray *recordedFirst = update.start ? &*update.start : first;
    if (!first || !last)
      return createStringError(Twine("expected the step to have the ") +
                               update.role + " '" + update.name +
                               "', whose final value was recorded; is this "
                               "the module of the recording?");
    if (update.end.getShape() != last->getShape() ||
        recordedFirst->getShape() != last->getShape())
      return createStringError(Twine("expected the recorded final value of ") +
                               update.role + " '" + update.name +
                               "' to have its shape, " + last->getTypeString() +
                               ", but got " + update.end.getTypeString());
    for (const HostArray *array : {first, last})
      if (Error error = array->fetch())
        return error;
    Squares squares;
    for (int64_t i = 0, e = last->getNumElements(); i < e; ++i) {
      const double want =
          update.end.getAsDouble(i) - recordedFirst->getAsDouble(i);
      const double got = last->getAsDouble(i) - first->getAsDouble(i);
      // Whether diverged weights hold inf or NaN is an accident of order.
      const bool bothDiverged = !std::isfinite(got) && !std::isfinite(want);
      const double difference = bothDiverged ? 0 : getDistance(got, want);
      squares.difference += difference * difference;
      squares.update += std::isfinite(want) ? want * want : 0;
    }
    if (update.role == "buffer") {
      hasBuffers = true;
      buffers.add(squares);
      continue;
    }
    if (comparison.tolerances &&
        llvm::is_contained(comparison.tolerances->noise, update.name))
      continue;
    hasParameters = true;
    parameters.add(squares);
    const double distance = squares.getRelativeDistance();
    if (!(distance <= worst)) {
      worst = distance;
      worstName = update.name;
    }
  }
  if (hasParameters) {
    comparison.add(quantity::kUpdates, parameters.getRelativeDistance());
    comparison.add(quantity::kWorstUpdate, worst, worstName);
  }
  if (hasBuffers)
    comparison.add(quantity::kBufferUpdates, buffers.getRelativeDistance());
  return Error::success();
}
