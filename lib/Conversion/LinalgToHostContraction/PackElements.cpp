//===- PackElements.cpp - Elements on their way into a panel --------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Everything here is a few instructions on values in registers. f16 and bf16
// are widened, and f16 is cut into parts, where they are packed and nowhere
// else; no value changes by it.
//
//===----------------------------------------------------------------------===//

#include "PackElements.h"

using namespace mlir;
using namespace mlir::amp;

static Type withElement(Type type, Type element) {
  if (auto vector = dyn_cast<VectorType>(type))
    return vector.clone(element);
  return element;
}

static Value splatLike(HostBuilder &b, Type type, int64_t number) {
  Value scalar = arith::ConstantOp::create(
      b, b.getIntegerAttr(getElementTypeOrSelf(type), number));
  if (auto vector = dyn_cast<VectorType>(type))
    return b.splat(scalar, vector.getNumElements());
  return scalar;
}

/// A bf16 is the upper half of an f32: of `value` that half, or of what is left
/// of an f16 without it, three bits at most.
static Value cutPart(HostBuilder &b, ElementPart part, Value value) {
  Type type = value.getType();
  Type f32 = withElement(type, b.getF32Type());
  Type i32 = withElement(type, b.getI32Type());
  Value wide = arith::ExtFOp::create(b, f32, value);
  Value bits = arith::BitcastOp::create(b, i32, wide);
  if (part == ElementPart::Low) {
    Value mask = splatLike(b, i32, int32_t(0xffff0000));
    Value high =
        arith::BitcastOp::create(b, f32, arith::AndIOp::create(b, bits, mask));
    bits =
        arith::BitcastOp::create(b, i32, arith::SubFOp::create(b, wide, high));
  }
  Value upper = arith::ShRUIOp::create(b, bits, splatLike(b, i32, 16));
  return arith::TruncIOp::create(b, withElement(type, b.getI16Type()), upper);
}

StringRef amp::getPartSuffix(ElementPart part) {
  switch (part) {
  case ElementPart::Whole:
    return "";
  case ElementPart::High:
    return "_high";
  case ElementPart::Low:
    return "_low";
  }
  llvm_unreachable("unknown ElementPart");
}

Value amp::asMoved(HostBuilder &b, ElementPart part, Value value) {
  Type type = value.getType();
  if (part != ElementPart::Whole)
    return cutPart(b, part, value);
  if (getElementTypeOrSelf(type).isF32())
    return value;
  return arith::BitcastOp::create(b, withElement(type, b.getI16Type()), value);
}

Value amp::widen(HostBuilder &b, Type element, Value value) {
  Type type = value.getType();
  Type f32 = withElement(type, b.getF32Type());
  if (element.isF32())
    return value;
  if (element.isF16()) {
    value = arith::BitcastOp::create(b, withElement(type, element), value);
    return arith::ExtFOp::create(b, f32, value);
  }
  // A bf16 is the upper half of the f32 of the same value.
  Type i32 = withElement(type, b.getI32Type());
  Value bits = arith::ExtUIOp::create(b, i32, value);
  return arith::BitcastOp::create(
      b, f32, arith::ShLIOp::create(b, bits, splatLike(b, i32, 16)));
}

Value amp::asWords(HostBuilder &b, Value pairs) {
  int64_t lanes = cast<VectorType>(pairs.getType()).getNumElements() / 2;
  return vector::BitCastOp::create(b, VectorType::get(lanes, b.getF32Type()),
                                   pairs);
}

Value amp::joinPairs(HostBuilder &b, Value lower, Value upper) {
  if (isa<VectorType>(lower.getType()))
    return asWords(b, vector::InterleaveOp::create(b, lower, upper));
  Type i32 = b.getI32Type();
  Value sixteen = arith::ConstantOp::create(b, b.getI32IntegerAttr(16));
  Value high =
      arith::ShLIOp::create(b, arith::ExtUIOp::create(b, i32, upper), sixteen);
  Value word =
      arith::OrIOp::create(b, arith::ExtUIOp::create(b, i32, lower), high);
  return arith::BitcastOp::create(b, b.getF32Type(), word);
}

void amp::transposeInRegisters(HostBuilder &b, MutableArrayRef<Value> rows) {
  // log2 rounds that each exchange every other group of lanes between two rows.
  int64_t size = rows.size();
  for (int64_t distance = 1; distance < size; distance *= 2) {
    // Lanes of `low` whose bit `distance` is clear stay, the others come from
    // `high`, and the other way round.
    SmallVector<int64_t> toLow, toHigh;
    for (int64_t lane = 0; lane < size; ++lane) {
      bool upper = lane & distance;
      toLow.push_back(upper ? size + lane - distance : lane);
      toHigh.push_back(upper ? size + lane : lane + distance);
    }
    for (int64_t row = 0; row < size; ++row) {
      if (row & distance)
        continue;
      Value low = rows[row], high = rows[row + distance];
      rows[row] = vector::ShuffleOp::create(b, low, high, toLow);
      rows[row + distance] = vector::ShuffleOp::create(b, low, high, toHigh);
    }
  }
}
