//===- Errors.cpp - Failures of the runtime as exceptions -----------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which class belongs to which status, mlir_amp.errors decides.
//
//===----------------------------------------------------------------------===//

#include "Errors.h"

#include <nanobind/nanobind.h>

namespace nb = nanobind;

void amp::python::raiseFault(AmpRtStatus status) {
  nb::object fault =
      nb::module_::import_("mlir_amp.errors")
          .attr("fault_of")(ampRtStatusName(status), ampRtStatusText());
  PyErr_SetObject(fault.type().ptr(), fault.ptr());
  throw nb::python_error();
}
