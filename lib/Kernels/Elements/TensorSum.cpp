//===- TensorSum.cpp - What all elements of a tensor add up to ------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The body ends in an addition of the sum so far, which nothing else in it
// reads, and the sum begins with 0: then parts of it can be summed apart.
//
//===----------------------------------------------------------------------===//

#include "amp/Kernels/TensorSum.h"

#include "Elements/ElementRules.h"
#include "Elements/GenericBody.h"
#include "amp/Analysis/Fill.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
using namespace mlir::amp;

TensorSum::TensorSum(linalg::GenericOp op, Value tensor)
    : op(op), tensor(tensor),
      count(cast<ShapedType>(tensor.getType()).getNumElements()) {
  llvm::SetVector<Value> captured;
  getUsedValuesDefinedAbove(op.getRegion(), captured);
  for (Value value : captured)
    if (!isConstant(value))
      numbers.push_back(value);
}

std::optional<TensorSum> TensorSum::match(linalg::GenericOp op,
                                          std::string &reason) {
  auto refuse = [&](const Twine &text) {
    reason = text.str();
    return std::nullopt;
  };
  if (!op.hasPureTensorSemantics() || op.getNumResults() != 1 ||
      op.getResult(0).getType() !=
          RankedTensorType::get({}, Float32Type::get(op.getContext())))
    return refuse("expected one result of one f32");
  if (!endsIn<arith::AddFOp>(op))
    return refuse("expected a sum with the result so far");
  if (!isFilledWithZero(op.getDpsInitOperand(0)->get()))
    return refuse("expected a sum that begins with 0");
  if (std::string wrong = checkReadsOneTensor(op); !wrong.empty())
    return refuse(wrong);
  TensorSum sum(op, getWhole(op.getDpsInputOperand(0)->get()));
  for (Value number : sum.numbers)
    if (std::string wrong = checkRead(number); !wrong.empty())
      return refuse(wrong);
  if (sum.count == 0)
    return refuse("expected elements, but got none");
  return sum;
}

bool TensorSum::computesAs(const TensorSum &other) const {
  // Values from outside are compared as they are.
  return getElement() == other.getElement() &&
         OperationEquivalence::isRegionEquivalentTo(
             &linalg::GenericOp(op).getRegion(),
             &linalg::GenericOp(other.op).getRegion(),
             OperationEquivalence::IgnoreLocations);
}

Value TensorSum::emitElement(DeviceBuilder &b, Value element,
                             ArrayRef<Value> values, Value sum) const {
  IRMapping known;
  for (auto [number, value] : llvm::zip_equal(numbers, values))
    known.map(number, value);
  return emitBody(b, op, GenericLoops(op), sum, known,
                  {[&](OpOperand &) { return element; },
                   [](Value, Numbers) { return Value(); }})[0];
}
