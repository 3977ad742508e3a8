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

Value amp::asMoved(HostBuilder &b, Value value) {
  Type type = value.getType();
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

/// A bf16 is the upper half of an f32: of `floats` that half, by a selection of
/// 16-bit lanes. Narrowing each i32 is four instructions where that is one.
static Value getUpperHalves(HostBuilder &b, Value floats) {
  int64_t lanes = cast<VectorType>(floats.getType()).getNumElements();
  Value halves = vector::BitCastOp::create(
      b, VectorType::get(lanes * 2, b.getI16Type()), floats);
  SmallVector<int64_t> upper;
  for (int64_t lane = 0; lane < lanes; ++lane)
    upper.push_back(lane * 2 + 1);
  return vector::ShuffleOp::create(b, halves, halves, upper);
}

std::array<Value, 2> amp::cutIntoParts(HostBuilder &b, Value words) {
  if (!isa<VectorType>(words.getType())) {
    std::array<Value, 2> parts = cutIntoParts(b, b.splat(words, 1));
    for (Value &part : parts)
      part = vector::ExtractOp::create(b, part, 0);
    return parts;
  }
  int64_t lanes = cast<VectorType>(words.getType()).getNumElements() * 2;
  auto f32 = VectorType::get(lanes, b.getF32Type());
  auto i32 = VectorType::get(lanes, b.getI32Type());
  Value halves = vector::BitCastOp::create(
      b, VectorType::get(lanes, b.getF16Type()), words);
  Value wide = arith::ExtFOp::create(b, f32, halves);
  Value mask = splatLike(b, i32, int32_t(0xffff0000));
  Value high = arith::BitcastOp::create(
      b, f32,
      arith::AndIOp::create(b, arith::BitcastOp::create(b, i32, wide), mask));
  // Three bits at most, so that the difference is exact and a bf16.
  Value low = arith::SubFOp::create(b, wide, high);
  return {asWords(b, getUpperHalves(b, high)),
          asWords(b, getUpperHalves(b, low))};
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

void amp::storeWords(HostBuilder &b, int64_t parts, Value words,
                     const PanelParts &panels, Index at) {
  auto store = [&](Value value, Index to) {
    if (isa<VectorType>(value.getType()))
      b.storeVector(value, panels.first.buffer, to);
    else
      b.store(value, panels.first.buffer, to);
  };
  if (parts == 1)
    return store(words, at);
  auto [high, low] = cutIntoParts(b, words);
  store(high, at);
  store(low, at + panels.distance);
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
