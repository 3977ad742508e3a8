//===- ScalerTransition.cpp - The rules of loss scalers -------------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All presets at once, since the record says at run time which one a scaler
// has: where they differ, a selection. The comments give the lines of the
// runtime's rules (runtime/src/Scaler/{Scaler,ApexRules,TorchRules}.cpp), which
// are the ones to change first. Arithmetic is in f64, and in torch's preset
// each new scale is rounded to f32.
//
//===----------------------------------------------------------------------===//

#include "ScalerTransition.h"

#include "amp-rt/Scaler.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include <cfloat>
#include <cstddef>
#include <limits>

using namespace mlir;
using namespace mlir::amp;

/// The smallest scale of a program: kSmallestProgramScale of the runtime.
static constexpr double kSmallestScale = 0x1p-126;

#define FIELD(name) (offsetof(AmpRtScalerRecord, name) / sizeof(int64_t))

namespace {
/// Arithmetic on the members of a record.
class Record {
public:
  Record(OpBuilder &builder, Location loc, Value record)
      : b(builder), loc(loc), record(record) {}

  Value getInt(size_t field) {
    Value place = arith::ConstantIndexOp::create(b, loc, field);
    return tensor::ExtractOp::create(b, loc, record, place);
  }
  Value getFloat(size_t field) {
    return arith::BitcastOp::create(b, loc, b.getF64Type(), getInt(field));
  }
  Value toBits(Value number) {
    return arith::BitcastOp::create(b, loc, b.getI64Type(), number);
  }

  Value constant(double value) {
    return arith::ConstantOp::create(b, loc, b.getF64FloatAttr(value));
  }
  Value constant(int64_t value) {
    return arith::ConstantOp::create(b, loc, b.getI64IntegerAttr(value));
  }
  Value equals(Value value, int64_t other) {
    return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, value,
                                 constant(other));
  }
  Value hasBit(Value value, int64_t bit) {
    Value masked = arith::AndIOp::create(b, loc, value, constant(bit));
    return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, masked,
                                 constant(int64_t(0)));
  }
  Value compare(arith::CmpFPredicate predicate, Value lhs, Value rhs) {
    return arith::CmpFOp::create(b, loc, predicate, lhs, rhs);
  }
  Value both(Value lhs, Value rhs) {
    return arith::AndIOp::create(b, loc, lhs, rhs);
  }
  Value either(Value lhs, Value rhs) {
    return arith::OrIOp::create(b, loc, lhs, rhs);
  }
  Value select(Value condition, Value yes, Value no) {
    return arith::SelectOp::create(b, loc, condition, yes, no);
  }
  Value times(Value lhs, Value rhs) {
    return arith::MulFOp::create(b, loc, lhs, rhs);
  }
  Value plusOne(Value value) {
    return arith::AddIOp::create(b, loc, value, constant(int64_t(1)));
  }
  Value roundToF32(Value value) {
    Value narrow = arith::TruncFOp::create(b, loc, b.getF32Type(), value);
    return arith::ExtFOp::create(b, loc, b.getF64Type(), narrow);
  }
  /// `value` with the bounds that a number has.
  Value atLeast(Value value, Value bound) {
    return select(compare(arith::CmpFPredicate::OLT, value, bound), bound,
                  value);
  }
  Value atMost(Value value, Value bound) {
    return select(compare(arith::CmpFPredicate::OGT, value, bound), bound,
                  value);
  }

private:
  OpBuilder &b;
  Location loc;
  Value record;
};
} // namespace

Value mlir::amp::createProgramScale(OpBuilder &builder, Location loc,
                                    Value record) {
  Record r(builder, loc, record);
  Value scale = r.getFloat(FIELD(scale));
  scale = r.atLeast(scale, r.constant(kSmallestScale));
  scale = r.atMost(scale, r.constant(double(FLT_MAX)));
  return arith::TruncFOp::create(builder, loc, builder.getF32Type(), scale);
}

SmallVector<Value> mlir::amp::createTransition(OpBuilder &builder, Location loc,
                                               Value record, Value found) {
  Record r(builder, loc, record);
  Value scale = r.getFloat(FIELD(scale));
  Value flags = r.getInt(FIELD(flags));
  Value isTorch = r.equals(r.getInt(FIELD(preset)), AMP_RT_SCALER_TORCH);
  Value isDynamic = r.equals(r.getInt(FIELD(mode)), AMP_RT_SCALER_DYNAMIC);
  Value least = r.getFloat(FIELD(minScale));
  auto round = [&](Value value) {
    return r.select(isTorch, r.roundToF32(value), value);
  };

  // overflow = foundInf || (flags & FOUND_INF)
  Value overflow = r.either(found, r.hasBit(flags, AMP_RT_SCALER_FOUND_INF));
  // skip = overflow && (dynamic || (config.flags & STATIC_SKIPS))
  Value skip = r.both(
      overflow, r.either(isDynamic, r.hasBit(r.getInt(FIELD(configFlags)),
                                             AMP_RT_SCALER_STATIC_SKIPS)));
  // wasAtFloor = dynamic && scale <= max(minScale, 2^-126)
  Value floor = r.atLeast(least, r.constant(kSmallestScale));
  Value wasAtFloor =
      r.both(isDynamic, r.compare(arith::CmpFPredicate::OLE, scale, floor));

  // lowered = scale * backoff, not below minScale if there is one, nor 0
  Value lowered = round(r.times(scale, r.getFloat(FIELD(backoffFactor))));
  Value hasLeast = r.compare(arith::CmpFPredicate::OGT, least, r.constant(0.0));
  lowered = r.select(hasLeast, r.atLeast(lowered, least), lowered);
  Value isZero = r.compare(arith::CmpFPredicate::OEQ, lowered, r.constant(0.0));
  Value bottom = r.select(
      isTorch, r.constant(double(std::numeric_limits<float>::denorm_min())),
      r.constant(std::numeric_limits<double>::denorm_min()));
  lowered = r.select(isZero, bottom, lowered);
  Value backsOff = r.both(skip, isDynamic);
  Value isHeld = r.both(backsOff, isZero);
  Value next = r.select(backsOff, lowered, scale);

  // unskipped = skip ? 0 : unskipped + 1
  Value zero = r.constant(int64_t(0));
  Value unskipped = r.select(skip, zero, r.plusOne(r.getInt(FIELD(unskipped))));
  // grows = dynamic && unskipped >= interval
  Value isDue =
      arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::sge, unskipped,
                            r.getInt(FIELD(growthInterval)));
  Value grows = r.both(isDynamic, isDue);
  // grown = scale * growth, not above maxScale; kept where that is not finite
  Value grown = r.atMost(round(r.times(next, r.getFloat(FIELD(growthFactor)))),
                         r.getFloat(FIELD(maxScale)));
  Value isFinite = r.compare(arith::CmpFPredicate::OLE, grown,
                             r.constant(std::numeric_limits<double>::max()));
  next = r.select(r.both(grows, isFinite), grown, next);
  unskipped = r.select(grows, zero, unskipped);

  auto countIf = [&](Value condition, size_t field) {
    Value count = r.getInt(field);
    return r.select(condition, r.plusOne(count), count);
  };
  SmallVector<Value> fields;
  for (size_t i = 0; i < sizeof(AmpRtScalerRecord) / sizeof(int64_t); ++i)
    fields.push_back(r.getInt(i));
  Value steps = fields[FIELD(steps)];
  fields[FIELD(scale)] = r.toBits(next);
  fields[FIELD(unskipped)] = unskipped;
  fields[FIELD(steps)] = r.plusOne(steps);
  fields[FIELD(skipped)] = countIf(skip, FIELD(skipped));
  fields[FIELD(overflows)] = countIf(overflow, FIELD(overflows));
  fields[FIELD(skippedInARow)] =
      r.select(skip, r.plusOne(fields[FIELD(skippedInARow)]), zero);
  fields[FIELD(stepsAtFloor)] =
      r.select(skip, countIf(wasAtFloor, FIELD(stepsAtFloor)), zero);
  fields[FIELD(lastSkippedStep)] =
      r.select(skip, steps, fields[FIELD(lastSkippedStep)]);
  fields[FIELD(flags)] =
      r.select(isHeld, r.constant(int64_t(AMP_RT_SCALER_HELD_AT_BOTTOM)), zero);
  return fields;
}
