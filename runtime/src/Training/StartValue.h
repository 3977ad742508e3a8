//===-- StartValue.h - What has a start value -------------------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef AMP_RT_SRC_TRAINING_STARTVALUE_H
#define AMP_RT_SRC_TRAINING_STARTVALUE_H

#include "amp-rt/Program.h"

namespace amp::rt {

/// Whether role or init say what the argument starts from, without a word where
/// they do not.
bool hasStartValue(const AmpRtValue &argument);

} // namespace amp::rt

#endif // AMP_RT_SRC_TRAINING_STARTVALUE_H
