//===- Policy.cpp - Levels, properties and op lists for Python ------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// amp-c/Policy.h in Python's types: properties become a dict under Apex's
// names, refusals become the exceptions that Apex raises.
//
//===----------------------------------------------------------------------===//

#include "Subjects.h"

#include "amp-c/Policy.h"

#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

namespace nb = nanobind;

namespace {

struct DestroySelection {
  void operator()(AmpPolicySelection *selection) const {
    ampPolicySelectionDestroy(selection);
  }
};

/// mlir_amp._native.Selection
class Selection {
public:
  explicit Selection(AmpPolicySelection *selection) : selection(selection) {}

  const AmpPolicySelection *get() const { return selection.get(); }

  AmpPolicyProperties getProperties() const {
    AmpPolicyProperties properties;
    properties.structSize = sizeof(properties);
    ampPolicySelectionGetProperties(get(), &properties);
    return properties;
  }

  AmpPolicyProperties getDefaults() const {
    AmpPolicyProperties properties;
    properties.structSize = sizeof(properties);
    ampPolicySelectionGetDefaults(get(), &properties);
    return properties;
  }

private:
  std::unique_ptr<AmpPolicySelection, DestroySelection> selection;
};

} // namespace

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

static nb::object typeObject(int32_t type) {
  switch (static_cast<AmpPolicyType>(type)) {
  case AMP_POLICY_NO_TYPE:
    break;
  case AMP_POLICY_FLOAT32:
    return nb::str("float32");
  case AMP_POLICY_FLOAT16:
    return nb::str("float16");
  case AMP_POLICY_BFLOAT16:
    return nb::str("bfloat16");
  }
  return nb::none();
}

static nb::object boolObject(int32_t value) {
  return value == AMP_POLICY_NONE ? nb::none()
                                  : nb::object(nb::bool_(value != 0));
}

/// Apex's names; `num_losses` and what follows are arguments of its initialize.
static nb::dict toDict(const AmpPolicyProperties &properties) {
  nb::dict dict;
  dict["enabled"] = nb::bool_(properties.enabled);
  dict["opt_level"] =
      properties.optLevel < 0
          ? nb::none()
          : nb::object(
                nb::str(("O" + std::to_string(properties.optLevel)).c_str()));
  dict["cast_model_type"] = properties.castModelTypeIsFalse
                                ? nb::object(nb::bool_(false))
                                : typeObject(properties.castModelType);
  dict["patch_torch_functions"] = boolObject(properties.patchTorchFunctions);
  dict["patch_torch_functions_type"] =
      typeObject(properties.patchTorchFunctionsType);
  dict["keep_batchnorm_fp32"] = boolObject(properties.keepBatchnormFP32);
  dict["master_weights"] = boolObject(properties.masterWeights);
  dict["loss_scale"] = properties.lossScaleIsDynamic
                           ? nb::object(nb::str("dynamic"))
                           : nb::object(nb::float_(properties.lossScale));
  dict["cast_model_outputs"] = typeObject(properties.castModelOutputs);
  dict["num_losses"] = properties.numLosses;
  dict["min_loss_scale"] =
      properties.minLossScale == 0.0
          ? nb::none()
          : nb::object(nb::float_(properties.minLossScale));
  dict["max_loss_scale"] = properties.maxLossScale;
  dict["verbosity"] = properties.verbosity;
  return dict;
}

/// A string of Python for C: a zero in the middle would end it early.
static const char *toC(const std::string &text) {
  if (text.find('\0') != std::string::npos)
    throw nb::value_error("expected a text without a null character");
  return text.c_str();
}

static int32_t toHalf(const std::string &half) {
  if (half == "float16")
    return AMP_POLICY_FLOAT16;
  if (half == "bfloat16")
    return AMP_POLICY_BFLOAT16;
  throw nb::value_error(
      ("expected 'half' to be 'float16' or 'bfloat16', but got '" + half + "'")
          .c_str());
}

//===----------------------------------------------------------------------===//
// Selection
//===----------------------------------------------------------------------===//

static PyObject *toException(AmpPolicyStatus status) {
  switch (status) {
  case AMP_POLICY_RUNTIME_ERROR:
    return PyExc_RuntimeError;
  case AMP_POLICY_ASSERTION_ERROR:
    return PyExc_AssertionError;
  case AMP_POLICY_TYPE_ERROR:
    return PyExc_TypeError;
  case AMP_POLICY_OK:
  case AMP_POLICY_INVALID_ARGUMENT:
  case AMP_POLICY_VALUE_ERROR:
    break;
  }
  return PyExc_ValueError;
}

static Selection
selectLevel(const std::string &optLevel,
            const std::map<std::string, std::string> &overrides) {
  std::vector<AmpPolicyOverride> given;
  given.reserve(overrides.size());
  for (const auto &[name, value] : overrides)
    given.push_back({toC(name), toC(value)});
  AmpPolicyRequest request = {};
  request.structSize = sizeof(request);
  request.optLevel = toC(optLevel);
  request.overrides = given.data();
  request.overrideCount = given.size();

  Selection selection(ampPolicySelect(&request));
  AmpPolicyStatus status = ampPolicySelectionGetStatus(selection.get());
  if (status != AMP_POLICY_OK) {
    PyErr_SetString(toException(status),
                    ampPolicySelectionGetError(selection.get()));
    throw nb::python_error();
  }
  return selection;
}

static std::vector<std::string> getRemarks(const Selection &selection) {
  std::vector<std::string> remarks;
  size_t count = ampPolicySelectionGetRemarkCount(selection.get());
  remarks.reserve(count);
  for (size_t i = 0; i < count; ++i)
    remarks.push_back(ampPolicySelectionGetRemark(selection.get(), i));
  return remarks;
}

//===----------------------------------------------------------------------===//
// Op lists
//===----------------------------------------------------------------------===//

/// List class, rule for in-place forms (None: it is no such form), origin.
using Entry =
    std::tuple<const char *, std::optional<const char *>, const char *>;

static Entry toTuple(const AmpPolicyListEntry &entry) {
  const char *listClass = "";
  switch (static_cast<AmpPolicyListClass>(entry.listClass)) {
  case AMP_POLICY_LIST_HALF:
    listClass = "half";
    break;
  case AMP_POLICY_LIST_FLOAT32:
    listClass = "float32";
    break;
  case AMP_POLICY_LIST_PROMOTE:
    listClass = "promote";
    break;
  case AMP_POLICY_LIST_SEQUENCE_PROMOTE:
    listClass = "sequence-promote";
    break;
  case AMP_POLICY_LIST_BANNED:
    listClass = "banned";
    break;
  }
  std::optional<const char *> inPlace;
  switch (static_cast<AmpPolicyInPlaceRule>(entry.inPlace)) {
  case AMP_POLICY_NOT_IN_PLACE:
    break;
  case AMP_POLICY_REFUSE_HALF:
    inPlace = "refuse-half";
    break;
  case AMP_POLICY_REFUSE_HALF_SELF:
    inPlace = "refuse-half-self";
    break;
  case AMP_POLICY_MATCH_SELF:
    inPlace = "match-self";
    break;
  }
  return {listClass, inPlace,
          entry.origin == AMP_POLICY_ORIGIN_APEX ? "apex" : "ours"};
}

static std::optional<Entry> lookup(const std::string &function,
                                   const std::string &half) {
  AmpPolicyListEntry entry;
  entry.structSize = sizeof(entry);
  if (!ampPolicyLookupFunction(toC(function), toHalf(half), &entry))
    return std::nullopt;
  return toTuple(entry);
}

static nb::list lists() {
  struct Destroy {
    void operator()(AmpPolicyFunctions *functions) const {
      ampPolicyFunctionsDestroy(functions);
    }
  };
  std::unique_ptr<AmpPolicyFunctions, Destroy> functions(
      ampPolicyFunctionsCreate());
  nb::list rows;
  size_t count = ampPolicyFunctionsGetCount(functions.get());
  for (size_t i = 0; i < count; ++i) {
    const char *name = ampPolicyFunctionsGetName(functions.get(), i);
    AmpPolicyListEntry entry;
    entry.structSize = sizeof(entry);
    ampPolicyLookupFunction(name, AMP_POLICY_FLOAT16, &entry);
    auto [listClass, inPlace, origin] = toTuple(entry);
    rows.append(nb::make_tuple(name, listClass, inPlace, origin));
  }
  return rows;
}

static std::optional<std::string> refusal(const std::string &function,
                                          const std::string &half) {
  int32_t type = toHalf(half);
  std::string text(ampPolicyGetRefusal(toC(function), type, nullptr, 0), '\0');
  if (text.empty())
    return std::nullopt;
  // A std::string has room for the zero behind its last character.
  ampPolicyGetRefusal(function.c_str(), type, text.data(), text.size() + 1);
  return text;
}

void amp::python::definePolicy(nb::module_ &module) {
  using namespace nb::literals;
  nb::class_<Selection>(module, "Selection")
      .def_prop_ro(
          "properties",
          [](const Selection &self) { return toDict(self.getProperties()); })
      .def_prop_ro(
          "defaults",
          [](const Selection &self) { return toDict(self.getDefaults()); })
      .def_prop_ro("model_cast",
                   [](const Selection &self) {
                     return typeObject(self.getProperties().modelCast);
                   })
      .def_prop_ro("function_cast",
                   [](const Selection &self) {
                     return typeObject(self.getProperties().functionCast);
                   })
      .def_prop_ro("initial_scale",
                   [](const Selection &self) {
                     return self.getProperties().initialScale;
                   })
      .def_prop_ro("text",
                   [](const Selection &self) {
                     return ampPolicySelectionGetText(self.get());
                   })
      .def_prop_ro("remarks", &getRemarks);
  module.def("select", &selectLevel, "opt_level"_a, "overrides"_a);
  module.def("lists", &lists);
  module.def("lookup", &lookup, "function"_a, "half"_a = "float16");
  module.def("refusal", &refusal, "function"_a, "half"_a = "float16");
  module.def(
      "is_loss",
      [](const std::string &function) {
        return ampPolicyIsLossFunction(toC(function)) != 0;
      },
      "function"_a);
  module.def(
      "keeps_type_of_self",
      [](const std::string &function) {
        return ampPolicyKeepsTypeOfSelf(toC(function)) != 0;
      },
      "function"_a);
}
