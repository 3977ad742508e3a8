//===- DefinedBehavior.cpp - What may run where nobody asked for it -------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DefinedBehavior.h"

#include "amp/Analysis/IndexBounds.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::amp;

/// Whether a divisor is a constant with which no processor traps: 0 has no
/// remainder, and that by -1 of the least number overflows on some.
static bool isSafeDivisor(Value divisor) {
  APInt constant;
  return matchPattern(divisor, m_ConstantInt(&constant)) &&
         !constant.isZero() && !constant.isAllOnes();
}

/// Regions left aside.
static bool isDefined(Operation *op) {
  return TypeSwitch<Operation *, bool>(op)
      .Case<arith::RemSIOp, arith::RemUIOp>(
          [](auto remainder) { return isSafeDivisor(remainder.getRhs()); })
      .Case<tensor::ExtractOp>([](auto extract) {
        return llvm::all_of(llvm::zip(extract.getIndices(),
                                      extract.getTensor().getType().getShape()),
                            [](auto pair) {
                              return isWithin(std::get<0>(pair),
                                              std::get<1>(pair));
                            });
      })
      .Case<tensor::InsertOp>([](auto insert) {
        return llvm::all_of(
            llvm::zip(insert.getIndices(), insert.getType().getShape()),
            [](auto pair) {
              return isWithin(std::get<0>(pair), std::get<1>(pair));
            });
      })
      .Case<tensor::GatherOp, tensor::ScatterOp>([](auto) { return false; })
      .Case<OffsetSizeAndStrideOpInterface>([](auto slice) {
        return !ShapedType::isDynamicShape(slice.getStaticOffsets()) &&
               !ShapedType::isDynamicShape(slice.getStaticSizes()) &&
               !ShapedType::isDynamicShape(slice.getStaticStrides());
      })
      // A cast may say extents that a tensor has where the program asks for it.
      .Case<tensor::CastOp>([](auto cast) {
        return tensor::preservesStaticInformation(cast.getType(),
                                                  cast.getSource().getType());
      })
      .Case<tensor::ExpandShapeOp>(
          [](auto expand) { return expand.getResultType().hasStaticShape(); })
      .Case<linalg::LinalgOp>(
          [](auto linalg) { return !linalg.hasDynamicShape(); })
      .Default(true);
}

bool mlir::amp::mayRunUnasked(Operation *op) {
  return isPure(op) && !op->walk([](Operation *inner) {
                            return isDefined(inner) ? WalkResult::advance()
                                                    : WalkResult::interrupt();
                          }).wasInterrupted();
}
