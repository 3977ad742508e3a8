//===- Module.cpp - mlir_amp._native --------------------------------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Python over the project's C functions. Thin: no decision is made here.
//
//===----------------------------------------------------------------------===//

#include "Subjects.h"

NB_MODULE(_native, module) {
  // Scalers that a program keeps until the interpreter ends are no mistake:
  // PyTorch holds hooks where the interpreter does not look.
  nanobind::set_leak_warnings(false);
  module.doc() = "The policy and the loss scalers of mlir-amp; use mlir_amp's "
                 "modules instead.";
  amp::python::definePolicy(module);
  amp::python::defineRuntime(module);
  amp::python::defineScaler(module);
}
