//===- ChipOption.cpp - The chip that a pass is told ----------------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A look into the table of chips, with the diagnostic.
//
//===----------------------------------------------------------------------===//

#include "ChipOption.h"

using namespace mlir;
using namespace mlir::amp;

const Chip *mlir::amp::readChip(StringRef name,
                                function_ref<InFlightDiagnostic()> emitError) {
  if (const Chip *chip = getChip(name))
    return chip;
  InFlightDiagnostic diagnostic = emitError()
                                  << "expected 'chip' to be one of ";
  llvm::interleaveComma(getChips(), diagnostic,
                        [&](const Chip &known) { diagnostic << known.name; });
  diagnostic << ", but got '" << name << "'";
  return nullptr;
}
