//===- Runtime.cpp - Versions and devices for Python ----------------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What this build is made of, and what it can run on here.
//
//===----------------------------------------------------------------------===//

#include "Errors.h"
#include "Subjects.h"

#include "amp-rt/Device.h"
#include "amp-rt/Version.h"

#include <nanobind/stl/string.h>

#include <string>

namespace nb = nanobind;
using namespace amp::python;

static nb::dict versions() {
  nb::dict dict;
  dict["mlir_amp"] = AMP_VERSION;
  dict["runtime"] = ampRtVersionText();
  dict["llvm"] = AMP_LLVM_VERSION;
  return dict;
}

static nb::dict device(const std::string &name) {
  AmpRtDevice *device = nullptr;
  check(ampRtDeviceGet(name.c_str(), &device));
  AmpRtDeviceProperties properties = {};
  properties.structSize = sizeof(properties);
  check(ampRtDeviceGetProperties(device, &properties));
  nb::dict dict;
  dict["name"] = ampRtDeviceName(device);
  dict["model"] = properties.model ? properties.model : "";
  dict["total_bytes"] = properties.totalBytes;
  dict["processors"] = properties.processors;
  dict["compute_capability"] =
      nb::make_tuple(properties.computeMajor, properties.computeMinor);
  return dict;
}

void amp::python::defineRuntime(nb::module_ &module) {
  using namespace nb::literals;
  module.def("versions", &versions);
  module.def("device", &device, "name"_a);
}
