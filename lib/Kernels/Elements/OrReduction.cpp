//===- OrReduction.cpp - Bits that elements have --------------------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each loop is a dimension of the tensor, in any order, so that each element is
// visited once. The body ends in an or of the result so far, which nothing else
// of it reads: only then is the result the same in any order.
//
//===----------------------------------------------------------------------===//

#include "amp/Kernels/OrReduction.h"

#include "Elements/ElementRules.h"
#include "Elements/GenericBody.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mlir::amp;

OrReduction::OrReduction(linalg::GenericOp op, Value tensor)
    : op(op), tensor(tensor),
      count(cast<ShapedType>(tensor.getType()).getNumElements()) {}

/// Whether an operation's result is one i32.
static bool isOneNumber(linalg::GenericOp op) {
  return op.hasPureTensorSemantics() && op.getNumResults() == 1 &&
         op.getResult(0).getType() ==
             RankedTensorType::get({}, IntegerType::get(op.getContext(), 32));
}

bool OrReduction::orsIntoStart(linalg::GenericOp op) {
  return isOneNumber(op) && endsIn<arith::OrIOp>(op);
}

bool OrReduction::follows(linalg::GenericOp op, linalg::GenericOp before) {
  Value bits = before.getResult(0);
  return op->getBlock() == before->getBlock() && orsIntoStart(op) &&
         op.getDpsInitOperand(0)->get() == bits && bits.hasOneUse();
}

/// What is wrong with what the body reads besides, or nothing.
static std::string checkCaptured(linalg::GenericOp op) {
  llvm::SetVector<Value> captured;
  getUsedValuesDefinedAbove(op.getRegion(), captured);
  for (Value value : captured)
    if (!isConstant(value))
      return llvm::formatv("expected a body of constants and an element, but "
                           "got one that reads {0}",
                           value.getType());
  return "";
}

std::optional<OrReduction> OrReduction::match(linalg::GenericOp op,
                                              std::string &reason) {
  auto refuse = [&](const Twine &text) {
    reason = text.str();
    return std::nullopt;
  };
  if (!isOneNumber(op))
    return refuse("expected one result of one i32");
  if (!endsIn<arith::OrIOp>(op))
    return refuse("expected an or with the result so far");
  if (std::string wrong = checkReadsOneTensor(op); !wrong.empty())
    return refuse(wrong);
  if (std::string wrong = checkCaptured(op); !wrong.empty())
    return refuse(wrong);
  return OrReduction(op, getWhole(op.getDpsInputOperand(0)->get()));
}

bool OrReduction::computesAs(const OrReduction &other) const {
  return OperationEquivalence::isRegionEquivalentTo(
      &linalg::GenericOp(op).getRegion(),
      &linalg::GenericOp(other.op).getRegion(),
      OperationEquivalence::IgnoreLocations);
}

Value OrReduction::emitElement(DeviceBuilder &b, Value element,
                               Value bits) const {
  return emitBody(b, op, GenericLoops(op), bits, IRMapping(),
                  {[&](OpOperand &) { return element; },
                   [](Value, Numbers) { return Value(); }})[0];
}
