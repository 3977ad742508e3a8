//===- DeviceFunctions.cpp - Functions that device code has ---------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The lists.
//
//===----------------------------------------------------------------------===//

#include "amp/Kernels/DeviceFunctions.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

bool mlir::amp::hasInstructions(Operation *op) {
  return isa<math::AbsFOp, math::AbsIOp, math::CeilOp, math::CopySignOp,
             math::Exp2Op, math::FloorOp, math::FmaOp, math::RoundEvenOp,
             math::RsqrtOp, math::SqrtOp, math::TruncOp>(op);
}

bool mlir::amp::hasPolynomial(Operation *op) {
  return isa<math::ExpOp, math::TanhOp, math::ErfOp>(op) &&
         getElementTypeOrSelf(op->getResult(0).getType()).isF32();
}
