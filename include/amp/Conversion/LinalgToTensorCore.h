//===- LinalgToTensorCore.h - Contractions to generated kernels -*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What convert-linalg-to-tensor-core leaves behind, for the passes that follow.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_CONVERSION_LINALGTOTENSORCORE_H
#define AMP_CONVERSION_LINALGTOTENSORCORE_H

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace mlir::amp {

/// Lets one-shot bufferization give launches of kernels their memory.
void registerLaunchBufferization(DialectRegistry &registry);

} // namespace mlir::amp

#endif // AMP_CONVERSION_LINALGTOTENSORCORE_H
