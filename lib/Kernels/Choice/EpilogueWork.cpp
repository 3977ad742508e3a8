//===- EpilogueWork.cpp - What an epilogue adds to a product --------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An operation is an instruction, but for the functions of the table, which
// were counted in kernels: test/Kernels/epilogue-work.test counts them again,
// in the SASS of a kernel for each. Roundings to halves are of pairs. Where a
// function is computed in f64 its instructions of f64 count twice: an A100 and
// an H100 have half as many lanes for them as for f32. Other chips have fewer
// yet, which is not counted.
//
//===----------------------------------------------------------------------===//

#include "amp/Kernels/EpilogueWork.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace mlir::amp;

/// Whether convert-kernels-to-nvvm divides by `div.full`.
static bool isRoundedToHalf(arith::DivFOp quotient) {
  if (!quotient->hasOneUse())
    return false;
  auto rounding = dyn_cast<arith::TruncFOp>(*quotient->user_begin());
  return rounding && rounding.getType().getIntOrFloatBitWidth() == 16;
}

static double countInstructions(Operation &op) {
  if (op.hasTrait<OpTrait::ConstantLike>() ||
      op.hasTrait<OpTrait::IsTerminator>() || isa<arith::BitcastOp>(op))
    return 0;
  if (isa<arith::TruncFOp>(op))
    return 0.5;
  if (auto quotient = dyn_cast<arith::DivFOp>(op))
    return isRoundedToHalf(quotient) ? 8.5 : 16;
  return llvm::StringSwitch<double>(op.getName().getStringRef())
      .Cases({"math.absf", "arith.negf"}, 0) // a bit of whoever reads it
      .Case("math.exp2", 4)
      .Case("math.round", 8)
      .Cases({"math.exp", "math.sqrt"}, 15)
      .Case("math.tanh", 17)
      .Case("arith.remf", 19)
      .Case("math.erf", 22)
      .Case("math.rsqrt", 30)
      .Case("math.expm1", 52)
      .Case("math.cosh", 80)
      .Cases({"math.log", "math.log2", "math.log10"}, 100)
      .Case("math.sinh", 106)
      .Cases({"math.sin", "math.cos"}, 112)
      .Cases({"math.atan", "math.atan2"}, 120)
      .Cases({"math.log1p", "math.powf", "math.cbrt"}, 148)
      .Case("math.atanh", 447)
      .Cases({"math.asin", "math.acos"}, 530)
      .Case("math.tan", 695)
      .Cases({"math.asinh", "math.acosh"}, 835)
      .Case("math.erfc", 971)
      .Default(1);
}

double mlir::amp::countElementInstructions(Region &body) {
  double count = 0;
  body.walk([&](Operation *op) { count += countInstructions(*op); });
  return count;
}
