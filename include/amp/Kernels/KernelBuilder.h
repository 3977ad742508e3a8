//===- KernelBuilder.h - Write kernels as operations ------------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The words that all kernels are written in, so that a kernel's C++ reads like
// the kernel: whole numbers with operators that fold constants, loops and
// branches with lambdas. Control flow stays structured (scf); the lowering to
// branches is a pass's.
//
// Where kernels run decides what their numbers are. A place says so in a struct
// and adds the words for its memory in a builder of its own:
//
//   struct Numbers {
//     static TypedAttr getConstant(Builder &b, int64_t number);
//     using MinOp = ..., MaxOp = ...;
//     static constexpr arith::CmpIPredicate kLess = ..., kLessOrEqual = ...;
//   };
//
//===----------------------------------------------------------------------===//

#ifndef AMP_KERNELS_KERNELBUILDER_H
#define AMP_KERNELS_KERNELBUILDER_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace mlir::amp {

template <typename Numbers> class KernelBuilder;

/// A whole number of the kernel. Quotients and remainders are of numbers that
/// are not negative.
template <typename Numbers> class KernelNumber {
  using Number = KernelNumber;

public:
  KernelNumber() = default;
  KernelNumber(KernelBuilder<Numbers> &builder, Value value)
      : builder(&builder), value(value) {}

  operator Value() const { return value; }
  /// Whether it is any number at all.
  explicit operator bool() const { return value != nullptr; }
  std::optional<int64_t> getConstant() const {
    return getConstantIntValue(value);
  }

  friend Number operator+(Number x, Number y) {
    return x.template apply<arith::AddIOp>(y);
  }
  friend Number operator-(Number x, Number y) {
    return x.template apply<arith::SubIOp>(y);
  }
  friend Number operator*(Number x, Number y) {
    return x.template apply<arith::MulIOp>(y);
  }
  friend Number operator/(Number x, Number y) {
    return x.template apply<arith::DivUIOp>(y);
  }
  friend Number operator%(Number x, Number y) {
    return x.template apply<arith::RemUIOp>(y);
  }
  friend Number operator^(Number x, Number y) {
    return x.template apply<arith::XOrIOp>(y);
  }
  friend Number operator&(Number x, Number y) {
    return x.template apply<arith::AndIOp>(y);
  }
  friend Number operator+(Number x, int64_t y) { return x + x.constant(y); }
  friend Number operator-(Number x, int64_t y) { return x - x.constant(y); }
  friend Number operator*(Number x, int64_t y) { return x * x.constant(y); }
  friend Number operator/(Number x, int64_t y) { return x / x.constant(y); }
  friend Number operator%(Number x, int64_t y) { return x % x.constant(y); }
  friend Number operator^(Number x, int64_t y) { return x ^ x.constant(y); }
  friend Number operator&(Number x, int64_t y) { return x & x.constant(y); }
  /// Comparisons, as i1 values.
  friend Value operator<(Number x, Number y) {
    return x.compare(Numbers::kLess, y);
  }
  friend Value operator<=(Number x, Number y) {
    return x.compare(Numbers::kLessOrEqual, y);
  }
  friend Value operator==(Number x, Number y) {
    return x.compare(arith::CmpIPredicate::eq, y);
  }
  friend Value operator<(Number x, int64_t y) { return x < x.constant(y); }
  friend Value operator==(Number x, int64_t y) { return x == x.constant(y); }
  friend Number min(Number x, Number y) {
    return x.template apply<typename Numbers::MinOp>(y);
  }
  friend Number min(Number x, int64_t y) { return min(x, x.constant(y)); }
  friend Number max(Number x, Number y) {
    return x.template apply<typename Numbers::MaxOp>(y);
  }
  friend Number max(Number x, int64_t y) { return max(x, x.constant(y)); }
  friend Number ceilDiv(Number x, int64_t y) { return (x + (y - 1)) / y; }
  /// The smallest multiple of `unit` that is at least x.
  friend Number roundUp(Number x, int64_t unit) {
    Number sum = x + (unit - 1);
    return sum - sum % unit;
  }

private:
  template <typename OpTy> Number apply(Number y) const {
    return {*builder, builder->template createOrFold<OpTy>(value, y.value)};
  }
  Value compare(arith::CmpIPredicate predicate, Number y) const {
    return builder->template createOrFold<arith::CmpIOp>(predicate, value,
                                                         y.value);
  }
  Number constant(int64_t number) const { return builder->number(number); }

  KernelBuilder<Numbers> *builder = nullptr;
  Value value;
};

template <typename Numbers> class KernelBuilder : public ImplicitLocOpBuilder {
public:
  using ImplicitLocOpBuilder::ImplicitLocOpBuilder;
  using Number = KernelNumber<Numbers>;
  using Values = SmallVector<Value>;

  Number number(int64_t constant) {
    return {*this, arith::ConstantOp::create(
                       *this, Numbers::getConstant(*this, constant))};
  }
  Number number(Value value) { return {*this, value}; }
  Number select(Value condition, Number yes, Number no) {
    return number(createOrFold<arith::SelectOp>(condition, yes, no));
  }
  Value both(Value x, Value y) { return createOrFold<arith::AndIOp>(x, y); }
  Value zero(Type type) {
    return arith::ConstantOp::create(*this, getZeroAttr(type));
  }

  /// for iv = lower to upper step step { carried = body(iv, carried) }
  Values loop(Number lower, Number upper, Number step, ValueRange start,
              function_ref<Values(Number iv, ValueRange carried)> body) {
    return scf::ForOp::create(
               *this, lower, upper, step, start,
               [&](OpBuilder &, Location, Value iv, ValueRange carried) {
                 scf::YieldOp::create(*this, body(number(iv), carried));
               })
        .getResults();
  }
  /// for iv = lower to upper step step { body(iv) }
  void loop(Number lower, Number upper, Number step,
            function_ref<void(Number iv)> body) {
    loop(lower, upper, step, ValueRange(),
         [&](Number iv, ValueRange) -> Values {
           body(iv);
           return {};
         });
  }
  void loop(Number upper, int64_t step, function_ref<void(Number iv)> body) {
    loop(number(0), upper, number(step), body);
  }
  void loop(Number upper, function_ref<void(Number iv)> body) {
    loop(upper, 1, body);
  }

  /// if condition { then() } else { otherwise() }
  void branch(Value condition, function_ref<void()> then,
              function_ref<void()> otherwise = nullptr) {
    auto region = [&](function_ref<void()> body) {
      return [this, body](OpBuilder &, Location) {
        body();
        scf::YieldOp::create(*this);
      };
    };
    if (otherwise)
      scf::IfOp::create(*this, condition, region(then), region(otherwise));
    else
      scf::IfOp::create(*this, condition, region(then));
  }

  /// The results of then() or otherwise(), of which one runs.
  Values either(Value condition, function_ref<Values()> then,
                function_ref<Values()> otherwise) {
    auto region = [this](function_ref<Values()> body) {
      return [this, body](OpBuilder &, Location) {
        scf::YieldOp::create(*this, body());
      };
    };
    return scf::IfOp::create(*this, condition, region(then), region(otherwise))
        .getResults();
  }
};

} // namespace mlir::amp

#endif // AMP_KERNELS_KERNELBUILDER_H
