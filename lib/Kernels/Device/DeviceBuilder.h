//===- DeviceBuilder.h - Write device code as operations --------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What KernelBuilder leaves to the device: 32-bit unsigned numbers, addresses
// in bytes or elements, vectors as LLVM has them.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_LIB_KERNELS_DEVICE_DEVICEBUILDER_H
#define AMP_LIB_KERNELS_DEVICE_DEVICEBUILDER_H

#include "amp/Kernels/KernelBuilder.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace mlir::amp {

struct DeviceIndices {
  static TypedAttr getConstant(Builder &b, int64_t number) {
    return b.getI32IntegerAttr(number);
  }
  using MinOp = arith::MinUIOp;
  using MaxOp = arith::MaxUIOp;
  static constexpr auto kLess = arith::CmpIPredicate::ult;
  static constexpr auto kLessOrEqual = arith::CmpIPredicate::ule;
};

using Number = KernelNumber<DeviceIndices>;

class DeviceBuilder : public KernelBuilder<DeviceIndices> {
public:
  using KernelBuilder::KernelBuilder;

  /// values[index]
  Number choose(Number index, ArrayRef<int64_t> values) {
    Number result = number(values.back());
    for (int64_t i = values.size() - 2; i >= 0; --i)
      result = select(index == i, number(values[i]), result);
    return result;
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

} // namespace mlir::amp

#endif // AMP_LIB_KERNELS_DEVICE_DEVICEBUILDER_H
