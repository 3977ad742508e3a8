//===- AmpToRuntime.h - Loss scaling and taps at run time -------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The half of `convert-amp-to-runtime` that happens during bufferization.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_CONVERSION_AMPTORUNTIME_H
#define AMP_CONVERSION_AMPTORUNTIME_H

namespace mlir {
class DialectRegistry;

namespace amp {
/// Gives amp.tap, amp.read_scaler and amp.write_scaler their bufferization.
void registerBufferizableOpInterfaceExternalModels(DialectRegistry &registry);
} // namespace amp
} // namespace mlir

#endif // AMP_CONVERSION_AMPTORUNTIME_H
