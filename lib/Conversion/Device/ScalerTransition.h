//===- ScalerTransition.h - The rules of loss scalers -----------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What runtime/src/Scaler computes on the host, as operations on the record of
// a scaler (amp-rt/Scaler.h).
//
//===----------------------------------------------------------------------===//

#ifndef AMP_LIB_CONVERSION_DEVICE_SCALERTRANSITION_H
#define AMP_LIB_CONVERSION_DEVICE_SCALERTRANSITION_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/Value.h"

namespace mlir::amp {

/// The scale as a program uses it, an f32, of `record`, a tensor<17xi64>.
Value createProgramScale(OpBuilder &builder, Location loc, Value record);

/// The record after one transition. `found`, an i1, says whether the step
/// overflowed.
SmallVector<Value> createTransition(OpBuilder &builder, Location loc,
                                    Value record, Value found);

} // namespace mlir::amp

#endif // AMP_LIB_CONVERSION_DEVICE_SCALERTRANSITION_H
