//===- Subjects.h - What each file of the module defines --------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One function for each file; the texts that users read are in the .py files
// and in _native.pyi.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_PYTHON_SUBJECTS_H
#define AMP_PYTHON_SUBJECTS_H

#include <nanobind/nanobind.h>

namespace amp::python {

void definePolicy(nanobind::module_ &module);
void defineRuntime(nanobind::module_ &module);
void defineScaler(nanobind::module_ &module);

} // namespace amp::python

#endif // AMP_PYTHON_SUBJECTS_H
