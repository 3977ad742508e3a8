//===- KernelBuilder.h - Write kernels as operations ------------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The kernels are address arithmetic around a few vector operations. Here are
// the words in which they are written, so that a kernel's C++ reads like the
// kernel: index expressions with operators, loops and branches with lambdas,
// loads from flat buffers.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_LIB_CONVERSION_LINALGTOHOSTCONTRACTION_KERNELBUILDER_H
#define AMP_LIB_CONVERSION_LINALGTOHOSTCONTRACTION_KERNELBUILDER_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace mlir::amp {

class KernelBuilder;

/// A value of type index with arithmetic that folds constants as it goes.
class Index {
public:
  Index() = default;
  Index(KernelBuilder &builder, Value value)
      : builder(&builder), value(value) {}

  operator Value() const { return value; }
  operator OpFoldResult() const { return getAsOpFoldResult(value); }
  std::optional<int64_t> getConstant() const {
    return getConstantIntValue(value);
  }

  friend Index operator+(Index x, Index y) { return x.apply<arith::AddIOp>(y); }
  friend Index operator-(Index x, Index y) { return x.apply<arith::SubIOp>(y); }
  friend Index operator*(Index x, Index y) { return x.apply<arith::MulIOp>(y); }
  friend Index operator+(Index x, int64_t y) { return x + x.constant(y); }
  friend Index operator-(Index x, int64_t y) { return x - x.constant(y); }
  friend Index operator*(Index x, int64_t y) { return x * x.constant(y); }
  /// Signed comparisons, as i1 values.
  friend Value operator<(Index x, Index y) {
    return x.compare(arith::CmpIPredicate::slt, y);
  }
  friend Value operator<=(Index x, Index y) {
    return x.compare(arith::CmpIPredicate::sle, y);
  }
  friend Value operator==(Index x, Index y) {
    return x.compare(arith::CmpIPredicate::eq, y);
  }
  friend Index min(Index x, Index y) { return x.apply<arith::MinSIOp>(y); }
  friend Index min(Index x, int64_t y) { return min(x, x.constant(y)); }
  friend Index max(Index x, Index y) { return x.apply<arith::MaxSIOp>(y); }
  friend Index max(Index x, int64_t y) { return max(x, x.constant(y)); }
  /// The smallest multiple of `unit` that is at least x.
  friend Index roundUp(Index x, int64_t unit);

private:
  template <typename OpTy> Index apply(Index y) const;
  Value compare(arith::CmpIPredicate predicate, Index y) const;
  Index constant(int64_t number) const;

  KernelBuilder *builder = nullptr;
  Value value;
};

class KernelBuilder : public ImplicitLocOpBuilder {
public:
  using ImplicitLocOpBuilder::ImplicitLocOpBuilder;

  Index index(int64_t number) {
    return {*this, arith::ConstantIndexOp::create(*this, number)};
  }
  Index index(Value value) { return {*this, value}; }

  /// for iv = lower to upper step step { body(iv) }
  void loop(Index lower, Index upper, Index step,
            function_ref<void(Index iv)> body) {
    scf::ForOp::create(*this, lower, upper, step, ValueRange(),
                       [&](OpBuilder &, Location, Value iv, ValueRange) {
                         body(index(iv));
                         scf::YieldOp::create(*this);
                       });
  }
  void loop(Index upper, int64_t step, function_ref<void(Index iv)> body) {
    loop(index(0), upper, index(step), body);
  }

  /// if condition { then() } else { otherwise() }
  void branch(Value condition, function_ref<void()> then,
              function_ref<void()> otherwise = nullptr) {
    choose(
        condition,
        [&] {
          then();
          return SmallVector<Value>();
        },
        [&] {
          if (otherwise)
            otherwise();
          return SmallVector<Value>();
        });
  }

  /// The values of one of two branches.
  SmallVector<Value> choose(Value condition,
                            function_ref<SmallVector<Value>()> then,
                            function_ref<SmallVector<Value>()> otherwise) {
    auto region = [&](function_ref<SmallVector<Value>()> body) {
      return [this, body](OpBuilder &, Location) {
        SmallVector<Value> values = body();
        scf::YieldOp::create(*this, values);
      };
    };
    return scf::IfOp::create(*this, condition, region(then), region(otherwise))
        .getResults();
  }

  /// condition && test(), where test() runs only if the condition holds.
  Value andThen(Value condition, function_ref<Value()> test) {
    auto no = [&]() -> SmallVector<Value> {
      return {arith::ConstantOp::create(*this, getBoolAttr(false))};
    };
    auto yes = [&]() -> SmallVector<Value> { return {test()}; };
    return choose(condition, yes, no).front();
  }

  Value both(Value x, Value y) { return createOrFold<arith::AndIOp>(x, y); }
  Value either(Value x, Value y) { return createOrFold<arith::OrIOp>(x, y); }

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
  Index loadIndex(Value table, Index at) { return index(load(table, at)); }
  Value loadVector(int64_t lanes, Value buffer, Index at) {
    Type element = cast<MemRefType>(buffer.getType()).getElementType();
    return vector::LoadOp::create(*this, VectorType::get(lanes, element),
                                  buffer, ValueRange{at});
  }
  void storeVector(Value vector, Value buffer, Index at) {
    vector::StoreOp::create(*this, vector, buffer, ValueRange{at});
  }
  Value zero() { return arith::ConstantOp::create(*this, getF32FloatAttr(0)); }
  Value splat(Value scalar, int64_t lanes) {
    return vector::BroadcastOp::create(
        *this, VectorType::get(lanes, scalar.getType()), scalar);
  }
  Index extract(Value vector, int64_t lane) {
    return index(vector::ExtractOp::create(*this, vector, lane));
  }
  /// True if all lanes of a vector of i1 are true.
  Value all(Value lanes) {
    return vector::ReductionOp::create(*this, vector::CombiningKind::AND,
                                       lanes);
  }
  Value areEqual(Value x, Value y) {
    return arith::CmpIOp::create(*this, arith::CmpIPredicate::eq, x, y);
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

template <typename OpTy> Index Index::apply(Index y) const {
  return {*builder, builder->createOrFold<OpTy>(value, y.value)};
}
inline Value Index::compare(arith::CmpIPredicate predicate, Index y) const {
  return builder->createOrFold<arith::CmpIOp>(predicate, value, y.value);
}
inline Index Index::constant(int64_t number) const {
  return builder->index(number);
}
inline Index roundUp(Index x, int64_t unit) {
  Index sum = x + (unit - 1);
  return sum - sum.template apply<arith::RemUIOp>(sum.constant(unit));
}

} // namespace mlir::amp

#endif // AMP_LIB_CONVERSION_LINALGTOHOSTCONTRACTION_KERNELBUILDER_H
