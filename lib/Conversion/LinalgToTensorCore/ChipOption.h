//===- ChipOption.h - The chip that a pass is told --------------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Passes here are for a chip, which their option `chip` names.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_LIB_CONVERSION_LINALGTOTENSORCORE_CHIPOPTION_H
#define AMP_LIB_CONVERSION_LINALGTOTENSORCORE_CHIPOPTION_H

#include "amp/Kernels/Chip.h"
#include "mlir/IR/Diagnostics.h"

namespace mlir::amp {

/// The chip of this name. Null if there is none, which the diagnostic says with
/// those that there are.
const Chip *readChip(StringRef name,
                     function_ref<InFlightDiagnostic()> emitError);

} // namespace mlir::amp

#endif // AMP_LIB_CONVERSION_LINALGTOTENSORCORE_CHIPOPTION_H
