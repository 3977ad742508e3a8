//===- HostBuilder.h - Write host code as operations ------------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What KernelBuilder leaves to the host: numbers of type index, loads from flat
// buffers, vectors.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_LIB_CONVERSION_LINALGTOHOSTCONTRACTION_HOSTBUILDER_H
#define AMP_LIB_CONVERSION_LINALGTOHOSTCONTRACTION_HOSTBUILDER_H

#include "amp/Kernels/KernelBuilder.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace mlir::amp {

struct HostNumbers {
  static TypedAttr getConstant(Builder &b, int64_t number) {
    return b.getIndexAttr(number);
  }
  using MinOp = arith::MinSIOp;
  using MaxOp = arith::MaxSIOp;
  static constexpr auto kLess = arith::CmpIPredicate::slt;
  static constexpr auto kLessOrEqual = arith::CmpIPredicate::sle;
};

using Index = KernelNumber<HostNumbers>;

class HostBuilder : public KernelBuilder<HostNumbers> {
public:
  using KernelBuilder::KernelBuilder;

  /// condition && test(), where test() runs only if the condition holds.
  Value andThen(Value condition, function_ref<Value()> test) {
    auto no = [&]() -> Values {
      return {arith::ConstantOp::create(*this, getBoolAttr(false))};
    };
    auto yes = [&]() -> Values { return {test()}; };
    return either(condition, yes, no).front();
  }

  /// condition || test(), where test() runs only if the condition does not
  /// hold.
  Value orElse(Value condition, function_ref<Value()> test) {
    auto yes = [&]() -> Values {
      return {arith::ConstantOp::create(*this, getBoolAttr(true))};
    };
    auto no = [&]() -> Values { return {test()}; };
    return either(condition, yes, no).front();
  }
  Value isFalse(Value condition) {
    return createOrFold<arith::XOrIOp>(
        condition, arith::ConstantOp::create(*this, getBoolAttr(true)));
  }

  Value any(Value x, Value y) { return createOrFold<arith::OrIOp>(x, y); }

  /// A constant vector of indices.
  Value indexVector(ArrayRef<int64_t> numbers) {
    auto type = VectorType::get(numbers.size(), getIndexType());
    SmallVector<APInt> values;
    for (int64_t number : numbers)
      values.push_back(APInt(64, number));
    return arith::ConstantOp::create(*this,
                                     DenseElementsAttr::get(type, values));
  }

  Value load(Value buffer, Index at) {
    return memref::LoadOp::create(*this, buffer, ValueRange{at});
  }
  void store(Value element, Value buffer, Index at) {
    memref::StoreOp::create(*this, element, buffer, ValueRange{at});
  }
  Index loadIndex(Value table, Index at) { return number(load(table, at)); }
  Value loadVector(int64_t lanes, Value buffer, Index at) {
    Type element = cast<MemRefType>(buffer.getType()).getElementType();
    return vector::LoadOp::create(*this, VectorType::get(lanes, element),
                                  buffer, ValueRange{at});
  }
  void storeVector(Value vector, Value buffer, Index at) {
    vector::StoreOp::create(*this, vector, buffer, ValueRange{at});
  }
  /// Asks for the line of an element in the first-level cache.
  void prefetch(Value buffer, Index at, bool isWrite) {
    constexpr unsigned kFirstLevel = 3; // as llvm.prefetch counts
    memref::PrefetchOp::create(*this, buffer, ValueRange{at}, isWrite,
                               kFirstLevel, /*isDataCache=*/true);
  }
  Value splat(Value scalar, int64_t lanes) {
    return vector::BroadcastOp::create(
        *this, VectorType::get(lanes, scalar.getType()), scalar);
  }
  Index extract(Value vector, int64_t lane) {
    return number(vector::ExtractOp::create(*this, vector, lane));
  }
  /// True if all lanes of a vector of i1 are true.
  Value all(Value lanes) {
    return vector::ReductionOp::create(*this, vector::CombiningKind::AND,
                                       lanes);
  }
  Value areEqual(Value x, Value y) {
    return arith::CmpIOp::create(*this, arith::CmpIPredicate::eq, x, y);
  }
  /// True if the `count` indices of a table from `first` on are consecutive.
  Value areConsecutive(Value table, Index first, Index count) {
    Index one = number(1), begin = loadIndex(table, first);
    Value yes = arith::ConstantOp::create(*this, getBoolAttr(true));
    auto isNext = [&](Index i, ValueRange soFar) -> Values {
      Value is = loadIndex(table, first + i) == begin + i;
      return {both(soFar.front(), is)};
    };
    return loop(one, count, one, yes, isNext).front();
  }
  /// True if each index of a vector is as far from the one before it.
  Value areEvenlySpaced(Value indices) {
    int64_t lanes = cast<VectorType>(indices.getType()).getNumElements();
    Index first = extract(indices, 0), distance = extract(indices, 1) - first;
    SmallVector<int64_t> steps = llvm::to_vector(llvm::seq<int64_t>(0, lanes));
    Value offsets = arith::MulIOp::create(*this, splat(distance, lanes),
                                          indexVector(steps));
    return all(areEqual(
        indices, arith::AddIOp::create(*this, splat(first, lanes), offsets)));
  }
  /// True if a vector of indices consists of runs of `length` consecutive ones.
  Value areRuns(Value indices, int64_t length) {
    SmallVector<int64_t> firsts, steps;
    int64_t lanes = cast<VectorType>(indices.getType()).getNumElements();
    for (int64_t lane = 0; lane < lanes; ++lane) {
      firsts.push_back(lane - lane % length);
      steps.push_back(lane % length);
    }
    Value begins = vector::ShuffleOp::create(*this, indices, indices, firsts);
    return all(areEqual(
        indices, arith::AddIOp::create(*this, begins, indexVector(steps))));
  }
};

} // namespace mlir::amp

#endif // AMP_LIB_CONVERSION_LINALGTOHOSTCONTRACTION_HOSTBUILDER_H
