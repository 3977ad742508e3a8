//===- DeviceBuilder.h - Write device code as operations --------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The words in which kernels are written, so that a kernel's C++ reads like the
// kernel: 32-bit numbers with operators that fold constants, loops and branches
// with lambdas, addresses in bytes or elements. Control flow stays structured
// (scf); the lowering to branches is a pass's.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_LIB_KERNELS_DEVICEBUILDER_H
#define AMP_LIB_KERNELS_DEVICEBUILDER_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace mlir::amp {

class DeviceBuilder;

/// An unsigned number of 32 bits on the device.
class Number {
public:
  Number() = default;
  Number(DeviceBuilder &builder, Value value)
      : builder(&builder), value(value) {}

  operator Value() const { return value; }
  /// Whether it is any number at all.
  explicit operator bool() const { return value != nullptr; }
  std::optional<int64_t> getConstant() const {
    return getConstantIntValue(value);
  }

  friend Number operator+(Number x, Number y) {
    return x.apply<arith::AddIOp>(y);
  }
  friend Number operator-(Number x, Number y) {
    return x.apply<arith::SubIOp>(y);
  }
  friend Number operator*(Number x, Number y) {
    return x.apply<arith::MulIOp>(y);
  }
  friend Number operator/(Number x, Number y) {
    return x.apply<arith::DivUIOp>(y);
  }
  friend Number operator%(Number x, Number y) {
    return x.apply<arith::RemUIOp>(y);
  }
  friend Number operator^(Number x, Number y) {
    return x.apply<arith::XOrIOp>(y);
  }
  friend Number operator&(Number x, Number y) {
    return x.apply<arith::AndIOp>(y);
  }
  friend Number operator+(Number x, int64_t y) { return x + x.constant(y); }
  friend Number operator-(Number x, int64_t y) { return x - x.constant(y); }
  friend Number operator*(Number x, int64_t y) { return x * x.constant(y); }
  friend Number operator/(Number x, int64_t y) { return x / x.constant(y); }
  friend Number operator%(Number x, int64_t y) { return x % x.constant(y); }
  friend Number operator^(Number x, int64_t y) { return x ^ x.constant(y); }
  friend Number operator&(Number x, int64_t y) { return x & x.constant(y); }
  /// Unsigned comparisons, as i1 values.
  friend Value operator<(Number x, Number y) {
    return x.compare(arith::CmpIPredicate::ult, y);
  }
  friend Value operator==(Number x, Number y) {
    return x.compare(arith::CmpIPredicate::eq, y);
  }
  friend Value operator<(Number x, int64_t y) { return x < x.constant(y); }
  friend Value operator==(Number x, int64_t y) { return x == x.constant(y); }
  friend Number min(Number x, Number y) { return x.apply<arith::MinUIOp>(y); }
  friend Number max(Number x, Number y) { return x.apply<arith::MaxUIOp>(y); }
  friend Number ceilDiv(Number x, int64_t y) { return (x + (y - 1)) / y; }

private:
  template <typename OpTy> Number apply(Number y) const;
  Value compare(arith::CmpIPredicate predicate, Number y) const;
  Number constant(int64_t number) const;

  DeviceBuilder *builder = nullptr;
  Value value;
};

class DeviceBuilder : public ImplicitLocOpBuilder {
public:
  using ImplicitLocOpBuilder::ImplicitLocOpBuilder;

  Number number(int64_t constant) {
    return {*this,
            arith::ConstantOp::create(*this, getI32IntegerAttr(constant))};
  }
  Number number(Value value) { return {*this, value}; }
  /// values[index]
  Number choose(Number index, ArrayRef<int64_t> values) {
    Number result = number(values.back());
    for (int64_t i = values.size() - 2; i >= 0; --i)
      result = select(index == i, number(values[i]), result);
    return result;
  }
  Number select(Value condition, Number yes, Number no) {
    return number(createOrFold<arith::SelectOp>(condition, yes, no));
  }
  Value both(Value x, Value y) { return createOrFold<arith::AndIOp>(x, y); }
  Value zero(Type type) {
    return arith::ConstantOp::create(*this, getZeroAttr(type));
  }

  using Values = SmallVector<Value>;

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
  void loop(Number upper, function_ref<void(Number iv)> body) {
    loop(number(0), upper, number(1), ValueRange(),
         [&](Number iv, ValueRange) -> Values {
           body(iv);
           return {};
         });
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

  LLVM::LLVMPointerType pointer(unsigned space) {
    return LLVM::LLVMPointerType::get(getContext(), space);
  }

  /// The address `bytes` after `base`.
  Value advance(Value base, Number bytes) {
    return LLVM::GEPOp::create(*this, base.getType(), getI8Type(), base,
                               ValueRange{bytes});
  }
  Value advance(Value base, int64_t bytes) {
    return bytes ? advance(base, number(bytes)) : base;
  }

  /// The address of an element of a row-major matrix. Its offset may need more
  /// than 32 bits. The row's address is a value of its own, which elements of
  /// one row share: registers are short in an epilogue.
  Value element(Value base, Type type, Number row, Number stride,
                Number column) {
    auto wide = [&](Number x) -> Value {
      return createOrFold<arith::ExtUIOp>(getI64Type(), x);
    };
    auto step = [&](Value from, Value offset) -> Value {
      if (isZeroInteger(offset))
        return from;
      return LLVM::GEPOp::create(*this, base.getType(), type, from,
                                 ValueRange{offset});
    };
    Value start =
        step(base, createOrFold<arith::MulIOp>(wide(row), wide(stride)));
    return step(start, wide(column));
  }

  Value load(Type type, Value address, unsigned alignment) {
    return LLVM::LoadOp::create(*this, type, address, alignment);
  }
  /// Loads if the condition holds; otherwise zero, without an access.
  Value loadIf(Value condition, Type type, Value address, unsigned alignment) {
    auto yield = [this](function_ref<Value()> make) {
      return [this, make](OpBuilder &, Location) {
        scf::YieldOp::create(*this, make());
      };
    };
    auto then = [&] { return load(type, address, alignment); };
    auto otherwise = [&] { return zero(type); };
    return scf::IfOp::create(*this, condition, yield(then), yield(otherwise))
        .getResult(0);
  }
  void store(Value value, Value address, unsigned alignment) {
    LLVM::StoreOp::create(*this, value, address, alignment);
  }
  Value bitcast(Type type, Value value) {
    return type == value.getType()
               ? value
               : LLVM::BitcastOp::create(*this, type, value).getResult();
  }

  /// A vector of floats in f32.
  Value widen(Value vector) {
    auto type = cast<VectorType>(vector.getType()).clone(getF32Type());
    return type == vector.getType()
               ? vector
               : arith::ExtFOp::create(*this, type, vector).getResult();
  }

  /// A vector of the given scalars.
  Value gather(ArrayRef<Value> elements) {
    auto type = VectorType::get(elements.size(), elements[0].getType());
    Value vector = LLVM::PoisonOp::create(*this, type);
    for (auto [i, element] : llvm::enumerate(elements))
      vector = LLVM::InsertElementOp::create(*this, vector, element, number(i));
    return vector;
  }
  Value extract(Value vector, int64_t lane) {
    return LLVM::ExtractElementOp::create(*this, vector, number(lane));
  }
};

template <typename OpTy> Number Number::apply(Number y) const {
  return {*builder, builder->createOrFold<OpTy>(value, y.value)};
}
inline Value Number::compare(arith::CmpIPredicate predicate, Number y) const {
  return builder->createOrFold<arith::CmpIOp>(predicate, value, y.value);
}
inline Number Number::constant(int64_t number) const {
  return builder->number(number);
}

} // namespace mlir::amp

#endif // AMP_LIB_KERNELS_DEVICEBUILDER_H
