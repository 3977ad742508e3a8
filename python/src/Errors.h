//===- Errors.h - Failures of the runtime as exceptions ---------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The exceptions are Python classes (mlir_amp/errors.py); here they are raised.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_PYTHON_ERRORS_H
#define AMP_PYTHON_ERRORS_H

#include "amp-rt/Status.h"

namespace amp::python {

/// Raises the mlir_amp.RuntimeFault of a status, with the runtime's own text.
[[noreturn]] void raiseFault(AmpRtStatus status);

/// Raises it unless the call went well.
inline void check(AmpRtStatus status) {
  if (status != AMP_RT_OK)
    raiseFault(status);
}

} // namespace amp::python

#endif // AMP_PYTHON_ERRORS_H
