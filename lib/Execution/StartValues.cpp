//===- StartValues.cpp - What a training run starts from ------------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "amp/Execution/StartValues.h"
#include "amp/Execution/ArrayBinding.h"
#include "amp/Execution/RandomStream.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"

#include <cmath>

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
// Distributions
//===----------------------------------------------------------------------===//

namespace {

/// How the elements of a start value are made.
struct Distribution {
  enum Kind { Constant, Uniform, Normal, Bits } kind = Constant;
  /// Constant: the value. Uniform: the lower bound. Normal: the deviation.
  double first = 0;
  /// Uniform: the upper bound.
  double second = 0;
};

} // namespace

/// The last run of letters and underscores in `name`.
static StringRef getLastWord(StringRef name) {
  auto isWordCharacter = [](char c) { return llvm::isAlpha(c) || c == '_'; };
  const size_t end = name.find_last_of("abcdefghijklmnopqrstuvwxyz"
                                       "ABCDEFGHIJKLMNOPQRSTUVWXYZ_");
  if (end == StringRef::npos)
    return "";
  size_t begin = end;
  while (begin > 0 && isWordCharacter(name[begin - 1]))
    --begin;
  return name.slice(begin, end + 1);
}

static Distribution getKaimingUniform(const ValueSpec &spec) {
  double fanIn = 1;
  for (int64_t extent : llvm::drop_begin(spec.shape))
    fanIn *= double(extent);
  const double slope = std::sqrt(5.0);
  const double bound =
      fanIn > 0 ? std::sqrt(6 / ((1 + slope * slope) * fanIn)) : 0;
  return {Distribution::Uniform, -bound, bound};
}

/// The default by role, rank and name; see the header.
static Expected<Distribution> getDefault(const ValueSpec &spec) {
  const StringRef word = getLastWord(spec.name);
  if (spec.role == "param" || spec.role == "master") {
    if (spec.shape.size() >= 2)
      return getKaimingUniform(spec);
    const bool isNormWeight =
        llvm::StringSwitch<bool>(word)
            .Cases({"weight", "scale", "gamma", "g"}, true)
            .Default(false);
    return Distribution{Distribution::Constant, isNormWeight ? 1.0 : 0.0};
  }
  if (spec.role == "buffer") {
    const bool isVariance = llvm::StringSwitch<bool>(word)
                                .Cases({"running_var", "var", "variance"}, true)
                                .Case("v", spec.kind == "batch_norm")
                                .Default(false);
    return Distribution{Distribution::Constant, isVariance ? 1.0 : 0.0};
  }
  if (spec.role == "rng")
    return Distribution{Distribution::Bits};
  if (spec.role == "hyper")
    return createStringError(
        Twine("expected a value for ") + describeArgument(spec) +
        ", which has no default; give it in the '--init' file or by an "
        "attribute such as amp.init = \"constant(0.1)\"");
  return Distribution{};
}

/// Parses `amp.init`: a word, or a word with numbers in parentheses.
static Expected<Distribution> parseInit(const ValueSpec &spec) {
  auto junk = [&] {
    return createStringError(
        Twine("expected amp.init of ") + describeArgument(spec) +
        " to be 'zeros', 'ones', 'constant(x)', 'uniform(low,high)' or "
        "'normal(deviation)' with finite numbers, but got '" +
        spec.init + "'");
  };
  StringRef text = StringRef(spec.init).trim();
  if (text == "zeros")
    return Distribution{Distribution::Constant, 0};
  if (text == "ones")
    return Distribution{Distribution::Constant, 1};

  auto [word, list] = text.split('(');
  if (!list.consume_back(")"))
    return junk();
  llvm::SmallVector<StringRef, 2> texts;
  list.split(texts, ',');
  llvm::SmallVector<double, 2> numbers;
  for (StringRef item : texts) {
    double number;
    if (item.trim().getAsDouble(number) || !std::isfinite(number))
      return junk();
    numbers.push_back(number);
  }
  word = word.rtrim();
  if (word == "constant" && numbers.size() == 1)
    return Distribution{Distribution::Constant, numbers[0]};
  if (word == "normal" && numbers.size() == 1 && numbers[0] >= 0)
    return Distribution{Distribution::Normal, numbers[0]};
  if (word == "uniform" && numbers.size() == 2 && numbers[0] <= numbers[1])
    return Distribution{Distribution::Uniform, numbers[0], numbers[1]};
  return junk();
}

static void fill(HostArray &array, Distribution distribution,
                 RandomStream stream) {
  const int64_t count = array.getNumElements();
  switch (distribution.kind) {
  case Distribution::Constant:
    if (distribution.first != 0) // arrays start out as zeros
      for (int64_t i = 0; i < count; ++i)
        array.setFromDouble(i, distribution.first);
    return;
  case Distribution::Uniform:
    for (int64_t i = 0; i < count; ++i)
      array.setFromDouble(
          i, stream.uniform(distribution.first, distribution.second));
    return;
  case Distribution::Normal:
    for (int64_t i = 0; i < count; ++i)
      array.setFromDouble(i, distribution.first * stream.normal());
    return;
  case Distribution::Bits:
    for (int64_t i = 0, e = array.getNumBytes(); i < e; ++i)
      array.as<uint8_t>()[i] = uint8_t(stream.next());
    return;
  }
}

/// How the start value of `spec` is made, or why it cannot be.
static Expected<Distribution> getDistribution(const ValueSpec &spec) {
  if (llvm::any_of(spec.shape, [](int64_t extent) { return extent < 0; }))
    return createStringError(
        Twine("expected a static shape to make a start value for ") +
        describeArgument(spec) + ", but got " +
        getTypeString(spec.elementKind, spec.shape) +
        "; give the value in the '--init' file");
  Expected<Distribution> distribution =
      spec.init.empty() ? getDefault(spec) : parseInit(spec);
  if (!distribution)
    return distribution.takeError();
  // A number that its type cannot hold would become another without a word.
  const bool isConstant = distribution->kind == Distribution::Constant;
  if ((isConstant || isFloatKind(spec.elementKind)) &&
      (overflows(distribution->first, spec) ||
       overflows(distribution->second, spec)))
    return createStringError(Twine("expected amp.init of ") +
                             describeArgument(spec) + " to fit its elements, " +
                             getElementName(spec.elementKind) + ", but got '" +
                             spec.init + "'");
  if (distribution->kind == Distribution::Bits && isFloatKind(spec.elementKind))
    return createStringError(Twine("expected ") + describeArgument(spec) +
                             " to be of integer type, for random bits are no "
                             "good numbers, but got " +
                             getElementName(spec.elementKind) +
                             "; set 'amp.init'");
  return distribution;
}

static Expected<HostArray> makeDefault(const ValueSpec &spec, uint64_t seed) {
  Expected<Distribution> distribution = getDistribution(spec);
  if (!distribution)
    return distribution.takeError();
  // The label leaves the role out: a master and a parameter of one name are one
  // value.
  HostArray array(spec.elementKind, spec.shape);
  fill(array, *distribution, RandomStream(seed, spec.name));
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
static Expected<std::optional<HostArray>> findGiven(const ValueSpec &spec,
                                                    GivenValues &given) {
  std::optional<GivenValues::Value> value = given.find(spec.role, spec.name);
  if (!value && (spec.role == "master" || spec.role == "param"))
    value = given.find(spec.role == "master" ? "param" : "master", spec.name);
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
    if (Expected<Distribution> distribution = getDistribution(spec);
        !distribution)
      return distribution.takeError();
  }
  return Error::success();
}

Error mlir::amp::writeState(StringRef path, const TrainingState &state) {
  NamedArrays arrays;
  for (const auto &[key, array] : state)
    arrays.emplace_back(key.first + "/" + key.second, &array);
  return writeArchive(path, arrays);
}
