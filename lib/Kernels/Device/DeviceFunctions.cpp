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
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace {
template <typename... Ops> struct Functions {
  static bool contain(Operation *op) { return isa<Ops...>(op); }
  static std::string list() {
    SmallVector<StringRef> names = {
        Ops::getOperationName().drop_front(strlen("math."))...};
    return llvm::join(names, ", ");
  }
};

using Instructions =
    Functions<math::AbsFOp, math::AbsIOp, math::CeilOp, math::CopySignOp,
              math::CountLeadingZerosOp, math::CtPopOp,
              math::CountTrailingZerosOp, math::Exp2Op, math::FloorOp,
              math::FmaOp, math::RoundOp, math::RoundEvenOp, math::RsqrtOp,
              math::SqrtOp, math::TruncOp>;

/// Of f64 and f32, and of halves by way of f32.
using Expansions =
    Functions<math::AcosOp, math::AcoshOp, math::AsinOp, math::AsinhOp,
              math::AtanOp, math::Atan2Op, math::AtanhOp, math::CbrtOp,
              math::CosOp, math::CoshOp, math::ErfOp, math::ErfcOp, math::ExpOp,
              math::ExpM1Op, math::FPowIOp, math::LogOp, math::Log10Op,
              math::Log1pOp, math::Log2Op, math::PowFOp, math::SinOp,
              math::SinhOp, math::TanOp, math::TanhOp>;

/// Of integers of up to 64 bits.
using IntegerExpansions = Functions<math::IPowIOp>;

/// For which f32 has an instruction.
using DoubleExpansions = Functions<math::Exp2Op>;
} // namespace

bool mlir::amp::hasInstructions(Operation *op) {
  // 2^x is an approximation in f32, and there is none in f64.
  if (isa<math::Exp2Op>(op) &&
      getElementTypeOrSelf(op->getResult(0).getType()).isF64())
    return false;
  return Instructions::contain(op);
}

/// Whether there is arithmetic for a function of `type`.
static bool isExpanded(Operation *op, Type type) {
  if (type.isF64() && DoubleExpansions::contain(op))
    return true;
  if (auto integer = dyn_cast<IntegerType>(type))
    return integer.getWidth() <= 64 && IntegerExpansions::contain(op);
  return (type.isF16() || type.isBF16() || type.isF32() || type.isF64()) &&
         Expansions::contain(op);
}

bool mlir::amp::hasExpansion(Operation *op) {
  if (op->getNumResults() != 1 ||
      !isExpanded(op, getElementTypeOrSelf(op->getResult(0).getType())))
    return false;
  auto power = dyn_cast<math::FPowIOp>(op);
  if (!power)
    return true;
  auto exponent = dyn_cast<IntegerType>(getElementTypeOrSelf(power.getRhs()));
  return exponent && exponent.getWidth() <= 64;
}

std::string mlir::amp::listDeviceFunctions() {
  return Instructions::list() + ", " + Expansions::list() + ", " +
         IntegerExpansions::list();
}
