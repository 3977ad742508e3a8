//===-- StartValue.cpp - What training starts from --------------------------===
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "amp-rt/StartValue.h"

#include "Support/Failure.h"
#include "Support/ValueBytes.h"
#include "Training/StartValue.h"
#include "amp-rt/Random.h"

#include <charconv>
#include <cmath>
#include <cstring>
#include <initializer_list>
#include <string_view>

using namespace amp::rt;

namespace {

/// How the elements of a start value are made.
struct Distribution {
  enum Kind { None, Constant, Uniform, Normal, Bits } kind = Constant;
  /// Constant: the value. Uniform: the lower bound. Normal: the deviation.
  double first = 0;
  /// Uniform: the upper bound.
  double second = 0;
};

using Text = std::string_view;

} // namespace

static bool isOneOf(Text text, std::initializer_list<Text> list) {
  for (Text each : list)
    if (text == each)
      return true;
  return false;
}

static bool isFloat(const AmpRtValue &value) {
  switch (value.elementKind) {
  case AMP_RT_ELEMENT_F16:
  case AMP_RT_ELEMENT_BF16:
  case AMP_RT_ELEMENT_F32:
  case AMP_RT_ELEMENT_F64:
    return true;
  default:
    return false;
  }
}

//===----------------------------------------------------------------------===//
// Defaults
//===----------------------------------------------------------------------===//

/// The last run of letters and underscores in `name`.
static Text getLastWord(Text name) {
  auto isOfWord = [](unsigned char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  };
  while (!name.empty() && !isOfWord(name.back()))
    name.remove_suffix(1);
  size_t begin = name.size();
  while (begin > 0 && isOfWord(name[begin - 1]))
    --begin;
  return name.substr(begin);
}

static Distribution getKaimingUniform(const AmpRtValue &value) {
  double fanIn = 1;
  for (int32_t i = 1; i < value.rank; ++i)
    fanIn *= static_cast<double>(value.extents[i]);
  const double slope = std::sqrt(5.0);
  const double bound =
      fanIn > 0 ? std::sqrt(6 / ((1 + slope * slope) * fanIn)) : 0;
  return {Distribution::Uniform, -bound, bound};
}

/// The default by role, rank and name; see the header.
static Distribution getDefault(const AmpRtValue &value) {
  const Text role = value.role, word = getLastWord(value.name);
  bool isOne = false;
  if (isOneOf(role, {"param", "master"})) {
    if (value.rank >= 2)
      return getKaimingUniform(value);
    isOne = isOneOf(word, {"weight", "scale", "gamma", "g"});
  } else if (role == "buffer") {
    isOne = isOneOf(word, {"running_var", "var", "variance"}) ||
            (word == "v" && Text(value.label) == "batch_norm");
  } else if (role == "loss_seed") {
    isOne = true;
  } else if (role == "rng") {
    return {Distribution::Bits};
  } else if (!isOneOf(role, {"opt_state", "accumulator"})) {
    return {Distribution::None};
  }
  return {Distribution::Constant, isOne ? 1.0 : 0.0};
}

bool amp::rt::hasStartValue(const AmpRtValue &argument) {
  return *argument.init || getDefault(argument).kind != Distribution::None;
}

//===----------------------------------------------------------------------===//
// init
//===----------------------------------------------------------------------===//

static Text trim(Text text) {
  constexpr Text kSpace = " \t\n\v\f\r";
  const size_t begin = text.find_first_not_of(kSpace);
  if (begin == Text::npos)
    return {};
  return text.substr(begin, text.find_last_not_of(kSpace) + 1 - begin);
}

/// Parses a word, or a word with numbers in parentheses.
static bool parseInit(Text text, Distribution &distribution) {
  text = trim(text);
  if (isOneOf(text, {"zeros", "ones"})) {
    distribution = {Distribution::Constant, text == "ones" ? 1.0 : 0.0};
    return true;
  }
  const size_t open = text.find('(');
  if (open == Text::npos || text.back() != ')')
    return false;
  const Text word = trim(text.substr(0, open));
  Text list = text.substr(open + 1, text.size() - open - 2);
  double numbers[2] = {};
  int count = 0;
  for (bool isLast = false; !isLast; ++count) {
    const size_t comma = list.find(',');
    isLast = comma == Text::npos;
    const Text item = trim(list.substr(0, comma));
    list.remove_prefix(isLast ? list.size() : comma + 1);
    if (count == 2)
      return false;
    // Not strtod, whose decimal point is the locale's.
    auto [end, error] =
        std::from_chars(item.data(), item.data() + item.size(), numbers[count]);
    if (error != std::errc() || end != item.data() + item.size() ||
        !std::isfinite(numbers[count]))
      return false;
  }
  if (word == "constant" && count == 1)
    distribution = {Distribution::Constant, numbers[0]};
  else if (word == "normal" && count == 1 && numbers[0] >= 0)
    distribution = {Distribution::Normal, numbers[0]};
  else if (word == "uniform" && count == 2 && numbers[0] <= numbers[1])
    distribution = {Distribution::Uniform, numbers[0], numbers[1]};
  else
    return false;
  return true;
}

//===----------------------------------------------------------------------===//
// Start values
//===----------------------------------------------------------------------===//

int32_t ampRtStartValueFits(const AmpRtValue *argument, double number) {
  if (!argument || !ampRtElementKindName(argument->elementKind))
    return 0;
  const int32_t kind = argument->elementKind;
  alignas(double) char element[sizeof(double)];
  ampRtElementStore(kind, element, 0, number);
  const double stored = ampRtElementLoad(kind, element, 0);
  if (!isFloat(*argument))
    return stored == number;
  if (std::isfinite(stored) || !std::isfinite(number))
    return 1;
  return Text(argument->role) == "buffer" && ampRtElementKindSize(kind) == 2 &&
         std::isfinite(static_cast<float>(number));
}

/// How the start value is made, or why it cannot be. The texts reach whoever
/// wrote the module, so they name its attributes and not this library's calls.
static AmpRtStatus getDistribution(const char *call, const AmpRtValue *argument,
                                   Distribution &distribution, int64_t &bytes) {
  if (!argument)
    return failNull(call, "argument");
  const AmpRtValue &value = *argument;
  const char *role = value.role, *name = value.name;
  if (AmpRtStatus status = countValueBytes(call, value, bytes))
    return status;
  if (bytes < 0)
    return fail(AMP_RT_NOT_FOUND,
                "expected a static shape to make a start value for %s '%s', "
                "whose extents the caller chooses",
                role, name);
  distribution = getDefault(value);
  if (*value.init && !parseInit(value.init, distribution))
    return fail(AMP_RT_INVALID_ARGUMENT,
                "expected amp.init of %s '%s' to be 'zeros', 'ones', "
                "'constant(x)', 'uniform(low,high)' or 'normal(deviation)' "
                "with finite numbers, but got '%s'",
                role, name, value.init);
  if (distribution.kind == Distribution::None)
    return fail(AMP_RT_NOT_FOUND,
                "expected a value for %s '%s', which has no default; give it "
                "by an attribute such as amp.init = \"constant(0.1)\"",
                role, name);
  // A number that its type cannot hold would become another without a word.
  const bool isConstant = distribution.kind == Distribution::Constant;
  if ((isConstant || isFloat(value)) &&
      !(ampRtStartValueFits(argument, distribution.first) &&
        ampRtStartValueFits(argument, distribution.second)))
    return fail(AMP_RT_INVALID_ARGUMENT,
                "expected amp.init of %s '%s' to fit its elements, %s, but got "
                "'%s'",
                role, name, ampRtElementKindName(value.elementKind),
                value.init);
  if (distribution.kind == Distribution::Bits && isFloat(value))
    return fail(AMP_RT_INVALID_ARGUMENT,
                "expected %s '%s' to be of integer type, for random bits are "
                "no good numbers, but got %s; set 'amp.init'",
                role, name, ampRtElementKindName(value.elementKind));
  return AMP_RT_OK;
}

AmpRtStatus ampRtStartValueCheck(const AmpRtValue *argument) {
  Distribution distribution;
  int64_t bytes;
  return getDistribution("ampRtStartValueCheck", argument, distribution, bytes);
}

AmpRtStatus ampRtStartValueFill(const AmpRtValue *argument, uint64_t seed,
                                void *data, int64_t bytes) {
  const char *call = "ampRtStartValueFill";
  Distribution distribution;
  int64_t wanted;
  if (AmpRtStatus status =
          getDistribution(call, argument, distribution, wanted))
    return status;
  if (!data && wanted > 0)
    return failNull(call, "data");
  if (bytes != wanted)
    return failValueBytes(call, *argument, wanted, bytes);
  const int32_t kind = argument->elementKind;
  AmpRtRandom random = ampRtRandomMake(
      seed, argument->name, static_cast<int64_t>(std::strlen(argument->name)));
  if (distribution.kind == Distribution::Bits) {
    for (int64_t i = 0; i < bytes; ++i)
      static_cast<uint8_t *>(data)[i] =
          static_cast<uint8_t>(ampRtRandomNext(&random));
    return AMP_RT_OK;
  }
  const double first = distribution.first, second = distribution.second;
  for (int64_t i = 0, e = bytes / ampRtElementKindSize(kind); i < e; ++i) {
    double number = first;
    if (distribution.kind == Distribution::Uniform)
      number = ampRtRandomUniform(&random, first, second);
    else if (distribution.kind == Distribution::Normal)
      number = first * ampRtRandomNormal(&random);
    ampRtElementStore(kind, data, i, number);
  }
  return AMP_RT_OK;
}
