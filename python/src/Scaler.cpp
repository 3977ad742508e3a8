//===- Scaler.cpp - Loss scalers for Python -------------------------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// amp-rt/Scaler.h as a class. The interpreter's lock is held throughout, which
// is the one thread at a time that a scaler asks for.
//
//===----------------------------------------------------------------------===//

#include "Errors.h"
#include "Subjects.h"

#include "amp-rt/Scaler.h"

#include <nanobind/stl/string.h>

#include <cstdint>
#include <memory>
#include <string>

namespace nb = nanobind;
using namespace amp::python;

namespace {

/// A preset and the name it has in Python.
struct Preset {
  const char *name;
  AmpRtScalerPreset preset;
};

constexpr Preset presets[] = {
    {"apex", AMP_RT_SCALER_APEX},
    {"torch", AMP_RT_SCALER_TORCH},
};

AmpRtScalerPreset parsePreset(const std::string &name) {
  for (const Preset &preset : presets)
    if (name == preset.name)
      return preset.preset;
  throw nb::value_error(
      ("expected preset 'apex' or 'torch', but got '" + name + "'").c_str());
}

/// mlir_amp._native.Scaler
class Scaler {
public:
  Scaler(const std::string &name, bool dynamic, double initialScale,
         double minScale, double maxScale, int64_t growthInterval,
         double growthFactor, double backoffFactor, bool apexBounds,
         const std::string &preset) {
    AmpRtScalerConfig config;
    ampRtScalerConfigInit(&config);
    config.preset = parsePreset(preset);
    config.mode = dynamic ? AMP_RT_SCALER_DYNAMIC : AMP_RT_SCALER_STATIC;
    config.flags = apexBounds ? AMP_RT_SCALER_APEX_BOUNDS : 0;
    config.initialScale = initialScale;
    config.minScale = minScale;
    config.maxScale = maxScale;
    config.growthInterval = growthInterval;
    config.growthFactor = growthFactor;
    config.backoffFactor = backoffFactor;
    AmpRtScaler *made = nullptr;
    check(ampRtScalerCreate(name.c_str(), &config, &made));
    scaler.reset(made);
  }

  AmpRtScaler *get() const { return scaler.get(); }

  AmpRtScalerState getState() const {
    AmpRtScalerState state = {};
    state.structSize = sizeof(state);
    check(ampRtScalerGetState(get(), &state));
    return state;
  }

  AmpRtScalerConfig getConfig() const {
    AmpRtScalerConfig config = {};
    config.structSize = sizeof(config);
    check(ampRtScalerGetConfig(get(), &config));
    return config;
  }

private:
  struct Destroy {
    void operator()(AmpRtScaler *scaler) const { ampRtScalerDestroy(scaler); }
  };
  std::unique_ptr<AmpRtScaler, Destroy> scaler;
};

/// A number of the state and the key it has in Python.
struct Counter {
  const char *key;
  int64_t AmpRtScalerState::*member;
};

/// A bit of the state's flags, likewise.
struct Flag {
  const char *key;
  uint32_t bit;
};

} // namespace

static constexpr Counter counters[] = {
    {"unskipped", &AmpRtScalerState::unskipped},
    {"steps", &AmpRtScalerState::steps},
    {"skipped", &AmpRtScalerState::skipped},
    {"overflows", &AmpRtScalerState::overflows},
    {"skipped_in_a_row", &AmpRtScalerState::skippedInARow},
    {"steps_at_floor", &AmpRtScalerState::stepsAtFloor},
    {"last_skipped_step", &AmpRtScalerState::lastSkippedStep},
};

static constexpr Flag flags[] = {
    {"at_floor", AMP_RT_SCALER_AT_FLOOR},
    {"held_at_bottom", AMP_RT_SCALER_HELD_AT_BOTTOM},
    {"found_inf", AMP_RT_SCALER_FOUND_INF},
};

static nb::dict stateDict(const Scaler &self) {
  AmpRtScalerState state = self.getState();
  nb::dict dict;
  dict["scale"] = state.scale;
  dict["hysteresis"] = state.hysteresis;
  for (const Counter &counter : counters)
    dict[counter.key] = state.*counter.member;
  for (const Flag &flag : flags)
    dict[flag.key] = nb::bool_((state.flags & flag.bit) != 0);
  return dict;
}

/// The value of a key that has to be there.
template <typename T> static T take(const nb::dict &dict, const char *key) {
  if (!dict.contains(key))
    throw nb::value_error(
        (std::string("expected the state of a scaler, but it has no '") + key +
         "'")
            .c_str());
  return nb::cast<T>(dict[key]);
}

static void setState(Scaler &self, const nb::dict &dict) {
  AmpRtScalerState state = {};
  state.structSize = sizeof(state);
  state.scale = take<double>(dict, "scale");
  state.hysteresis = take<int32_t>(dict, "hysteresis");
  for (const Counter &counter : counters)
    state.*counter.member = take<int64_t>(dict, counter.key);
  for (const Flag &flag : flags)
    if (take<bool>(dict, flag.key))
      state.flags |= flag.bit;
  check(ampRtScalerSetState(self.get(), &state));
}

static nb::dict configDict(const Scaler &self) {
  AmpRtScalerConfig config = self.getConfig();
  nb::dict dict;
  dict["name"] = ampRtScalerName(self.get());
  dict["dynamic"] = nb::bool_(config.mode == AMP_RT_SCALER_DYNAMIC);
  dict["initial_scale"] = config.initialScale;
  dict["min_scale"] = config.minScale;
  dict["max_scale"] = config.maxScale;
  dict["growth_interval"] = config.growthInterval;
  dict["growth_factor"] = config.growthFactor;
  dict["backoff_factor"] = config.backoffFactor;
  dict["apex_bounds"] =
      nb::bool_((config.flags & AMP_RT_SCALER_APEX_BOUNDS) != 0);
  for (const Preset &preset : presets)
    if (config.preset == preset.preset)
      dict["preset"] = preset.name;
  return dict;
}

static const char *spell(AmpRtScalerVerdict verdict) {
  switch (verdict) {
  case AMP_RT_SCALER_HEALTHY:
    return "healthy";
  case AMP_RT_SCALER_BACKING_OFF:
    return "backing-off";
  case AMP_RT_SCALER_STUCK_AT_FLOOR:
    return "stuck-at-floor";
  case AMP_RT_SCALER_STUCK_AT_BOTTOM:
    return "stuck-at-bottom";
  case AMP_RT_SCALER_STATIC_OVERFLOW:
    return "static-overflow";
  }
  return "";
}

void amp::python::defineScaler(nb::module_ &module) {
  using namespace nb::literals;
  nb::class_<Scaler>(module, "Scaler")
      .def(nb::init<const std::string &, bool, double, double, double, int64_t,
                    double, double, bool, const std::string &>(),
           "name"_a, "dynamic"_a, "initial_scale"_a, "min_scale"_a,
           "max_scale"_a, "growth_interval"_a = 2000, "growth_factor"_a = 2.0,
           "backoff_factor"_a = 0.5, "apex_bounds"_a = true,
           "preset"_a = "apex")
      .def_prop_ro(
          "name",
          [](const Scaler &self) { return ampRtScalerName(self.get()); })
      .def_prop_ro("scale",
                   [](const Scaler &self) { return self.getState().scale; })
      .def_prop_ro("program_scale",
                   [](const Scaler &self) {
                     float scale = 0.0f;
                     check(ampRtScalerGetScale(self.get(), &scale));
                     return scale;
                   })
      .def_prop_ro("unskipped",
                   [](const Scaler &self) { return self.getState().unskipped; })
      .def_prop_ro("state", &stateDict)
      .def_prop_ro("config", &configDict)
      .def(
          "load",
          [](Scaler &self, double scale, int64_t unskipped) {
            check(ampRtScalerLoad(self.get(), scale, unskipped));
          },
          "scale"_a, "unskipped"_a)
      .def("set_state", &setState, "state"_a)
      .def(
          "update",
          [](Scaler &self, bool foundInf) {
            bool skip = false;
            check(ampRtScalerUpdate(self.get(), foundInf, &skip));
            return skip;
          },
          "found_inf"_a)
      .def(
          "accumulate",
          [](Scaler &self, bool foundInf) {
            check(ampRtScalerAccumulateFoundInf(self.get(), foundInf));
          },
          "found_inf"_a)
      .def("clear",
           [](Scaler &self) { check(ampRtScalerClearFoundInf(self.get())); })
      .def(
          "health",
          [](Scaler &self, int64_t patience) {
            AmpRtScalerVerdict verdict;
            const char *text = nullptr;
            check(ampRtScalerHealth(self.get(), patience, &verdict, &text));
            return nb::make_tuple(spell(verdict), text);
          },
          "patience"_a);
}
