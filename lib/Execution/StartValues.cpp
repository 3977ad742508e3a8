//===- StartValues.cpp - What a training run starts from ------------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "amp/Execution/StartValues.h"
#include "amp-rt/StartValue.h"
#include "amp/Execution/ArrayBinding.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir::amp;
using llvm::createStringError;
using llvm::Error;
using llvm::Expected;
using llvm::StringRef;
using llvm::Twine;

bool mlir::amp::isStateRole(StringRef role) {
  return llvm::StringSwitch<bool>(role)
      .Cases({"param", "master", "buffer", "opt_state"}, true)
      .Cases({"accumulator", "rng", "hyper"}, true)
      .Default(false);
}

//===----------------------------------------------------------------------===//
// Defaults
//===----------------------------------------------------------------------===//

/// Fails if no start value can be made, with what a run offers instead.
static Error checkDefault(const ValueSpec &spec) {
  if (llvm::any_of(spec.shape, [](int64_t extent) { return extent < 0; }))
    return createStringError(
        Twine("expected a static shape to make a start value for ") +
        describeArgument(spec) + ", but got " +
        getTypeString(spec.elementKind, spec.shape) +
        "; give the value in the '--init' file");
  const AmpRtValue value = toRuntimeValue(spec);
  switch (ampRtStartValueCheck(&value)) {
  case AMP_RT_OK:
    return Error::success();
  case AMP_RT_NOT_FOUND:
    return createStringError(
        Twine("expected a value for ") + describeArgument(spec) +
        ", which has no default; give it in the '--init' file or by an "
        "attribute such as amp.init = \"constant(0.1)\"");
  default:
    return createStringError(ampRtStatusText());
  }
}

static Expected<HostArray> makeDefault(const ValueSpec &spec, uint64_t seed) {
  if (Error error = checkDefault(spec))
    return std::move(error);
  HostArray array = HostArray::uninitialized(spec.elementKind, spec.shape);
  const AmpRtValue value = toRuntimeValue(spec);
  if (ampRtStartValueFill(&value, seed, array.data(), array.getNumBytes()) !=
      AMP_RT_OK)
    return createStringError(ampRtStatusText());
  return array;
}

//===----------------------------------------------------------------------===//
// Given values
//===----------------------------------------------------------------------===//

GivenValues::~GivenValues() = default;

namespace {

/// Roles whose arrays may have the name alone.
constexpr StringRef kPlainRoles[] = {"param", "master", "buffer"};

/// The arrays of an `--init` file.
class InitFile : public GivenValues {
public:
  explicit InitFile(ArrayArchive archive) : archive(std::move(archive)) {}

  std::optional<Value> find(StringRef role, StringRef name) override {
    const std::string qualified = (role + "/" + name).str();
    if (archive.contains(qualified))
      return Value{&archive, qualified};
    if (llvm::is_contained(kPlainRoles, role) && archive.contains(name))
      return Value{&archive, name.str()};
    return std::nullopt;
  }

  Error explainMissing(const ValueSpec &spec) override {
    if (spec.role != "param" && spec.role != "master")
      return Error::success();
    return createStringError(
        Twine("expected an array '") + spec.name + "' or 'param/" + spec.name +
        "' for " + describeArgument(spec) + " in '" + archive.getPath() +
        "'; leave out '--init' to start from a seed");
  }

private:
  ArrayArchive archive;
};

} // namespace

Expected<std::unique_ptr<GivenValues>> mlir::amp::openInitFile(StringRef path) {
  Expected<ArrayArchive> archive = ArrayArchive::open(path);
  if (!archive)
    return archive.takeError();
  for (const std::string &name : archive->getNames())
    for (StringRef role : kPlainRoles) {
      const std::string qualified = (role + "/" + name).str();
      if (archive->contains(qualified))
        return createStringError(
            Twine("expected one start value for '") + name + "' in '" + path +
            "', but it has the arrays '" + name + "' and '" + qualified +
            "'; leave one of them out");
    }
  return std::make_unique<InitFile>(std::move(*archive));
}

/// The given value for `spec`, in its own type; none if the default is wanted.
/// Of a parameter and its master, whichever the step has, the file's master
/// comes first: where it has both, as a state of O2 does, the parameter is but
/// the master's rounded copy.
static Expected<std::optional<HostArray>> findGiven(const ValueSpec &spec,
                                                    GivenValues &given) {
  const bool isParameter = spec.role == "master" || spec.role == "param";
  std::optional<GivenValues::Value> value =
      given.find(isParameter ? "master" : spec.role, spec.name);
  if (!value && isParameter)
    value = given.find("param", spec.name);
  if (!value) {
    if (Error error = given.explainMissing(spec))
      return error;
    return std::nullopt;
  }
  Expected<HostArray> array = readArgument(*value->archive, value->name, spec,
                                           NonFinite::AllowInfinity);
  if (!array)
    return array.takeError();
  return std::move(*array);
}

//===----------------------------------------------------------------------===//
// States
//===----------------------------------------------------------------------===//

static Expected<HostArray> makeStartValue(const ValueSpec &spec,
                                          GivenValues *given, uint64_t seed) {
  if (given) {
    Expected<std::optional<HostArray>> value = findGiven(spec, *given);
    if (!value)
      return value.takeError();
    if (*value)
      return std::move(**value);
  }
  return makeDefault(spec, seed);
}

Expected<TrainingState>
mlir::amp::makeStartValues(llvm::ArrayRef<ValueSpec> arguments,
                           GivenValues *given, uint64_t seed) {
  TrainingState state;
  for (const ValueSpec &spec : arguments) {
    if (!isStateRole(spec.role))
      continue;
    Expected<HostArray> value = makeStartValue(spec, given, seed);
    if (!value)
      return value.takeError();
    state[{spec.role, spec.name}] = std::move(*value);
  }
  // Second, so that the order of the arguments does not matter.
  for (const ValueSpec &spec : arguments) {
    auto master = state.find({"master", spec.name});
    if (spec.role == "param" && master != state.end())
      state[{"param", spec.name}] = master->second.convertTo(spec.elementKind);
  }
  return state;
}

Error mlir::amp::checkStartValues(llvm::ArrayRef<ValueSpec> arguments,
                                  GivenValues *given) {
  for (const ValueSpec &spec : arguments) {
    if (!isStateRole(spec.role))
      continue;
    if (given) {
      Expected<std::optional<HostArray>> value = findGiven(spec, *given);
      if (!value)
        return value.takeError();
      if (*value)
        continue;
    }
    if (Error error = checkDefault(spec))
      return error;
  }
  return Error::success();
}

Error mlir::amp::writeState(StringRef path, const TrainingState &state) {
  NamedArrays arrays;
  for (const auto &[key, array] : state) {
    if (Error error = array.fetch())
      return error;
    arrays.emplace_back(key.first + "/" + key.second, &array);
  }
  return writeArchive(path, arrays);
}
