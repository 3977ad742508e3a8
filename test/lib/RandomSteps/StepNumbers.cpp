//===- StepNumbers.cpp - Numbers, their bounds and roundings --------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What an operation on scalars gives, and how far it is off: by the slopes of
// its operands' bounds, or, in a sample, by one rounding that is drawn.
//
//===----------------------------------------------------------------------===//

#include "StepEvaluator.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/ADT/bit.h"

#include <cmath>

using namespace mlir;
using namespace mlir::amp;

static constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// One of the two numbers of a format that `value` lies between: the one
/// further from zero if more than `threshold` of the way to it is behind it.
static double roundBetween(double value, double relative, double absolute,
                           double threshold) {
  if (value == 0 || !std::isfinite(value))
    return value;
  double power = llvm::bit_cast<double>(llvm::bit_cast<uint64_t>(value) &
                                        0x7ff0000000000000);
  double quantum = std::max(2 * relative * power, 2 * absolute);
  if (quantum == 0) // not rounded
    return value;
  double count = std::abs(value) / quantum, below = std::floor(count);
  return std::copysign(quantum * (below + (count - below > threshold)), value);
}

Number StepEvaluator::round(Number number, double magnitude, double factor) {
  const Rounding &rounding = options.rounding;
  if (sample) {
    if (factor != 1)
      number.value +=
          factor * rounding.relative * magnitude * (2 * sample->draw() - 1);
    number.value = roundBetween(number.value, rounding.relative,
                                rounding.absolute, sample->draw());
    return number;
  }
  number.error += factor * (rounding.relative * magnitude + rounding.absolute);
  return number;
}

/// A number that is kept between two operations.
Number StepEvaluator::store(Number number) {
  if (!(isLoss || options.storesUpdates) ||
      std::isinf(number.value)) // what a maximum begins with
    return number;
  const Rounding &storage = options.storage;
  if (sample) {
    double absolute =
        number.isScaled ? storage.absolute / options.scale : storage.absolute;
    number.value = roundBetween(number.value, storage.relative, absolute,
                                sample->drawForStorage());
    return number;
  }
  double magnitude = std::abs(number.value);
  if (number.isScaled && (number.value != 0 || number.error != 0) &&
      !((magnitude - number.error) * options.scale > 0x1p-14))
    underflows = true;
  if (number.error == 0 &&
      roundBetween(number.value, storage.relative, storage.absolute, 0) ==
          number.value) // a number of the format
    return number;
  number.error +=
      storage.relative * (magnitude + number.error) + storage.absolute;
  return number;
}

void StepEvaluator::storeAll(NumberTensor &tensor) {
  for (Number &number : tensor.elements)
    number = store(number);
}

FailureOr<Number> StepEvaluator::compute(Operation *op,
                                         ArrayRef<Number> operands) {
  Number result;
  for (const Number &operand : operands)
    result.isScaled |= operand.isScaled;
  const Number a = operands.empty() ? Number() : operands[0];
  const Number b = operands.size() < 2 ? Number() : operands[1];
  const double sizeA = std::abs(a.value), sizeB = std::abs(b.value);
  auto give = [&](double value, double error) {
    result.value = value;
    result.error = sample ? 0 : std::isnan(error) ? kInfinity : error;
    return result;
  };
  auto rounded = [&](double value, double error, double factor = 1) {
    give(value, error);
    return round(result, std::abs(value) + result.error, factor);
  };
  // Functions of the host are right to a few units in the last place.
  constexpr double kFunction = 8;
  return llvm::TypeSwitch<Operation *, FailureOr<Number>>(op)
      .Case<arith::AddFOp, arith::SubFOp>([&](Operation *) {
        double value =
            isa<arith::AddFOp>(op) ? a.value + b.value : a.value - b.value;
        give(value, a.error + b.error);
        return round(result, sizeA + sizeB + result.error);
      })
      .Case([&](arith::MulFOp) {
        return rounded(a.value * b.value,
                       a.error * sizeB + b.error * sizeA + a.error * b.error);
      })
      .Case([&](arith::DivFOp) {
        double value = a.value / b.value;
        if (sizeB <= b.error)
          return give(value, kInfinity);
        return rounded(value, (a.error + std::abs(value) * b.error) /
                                  (sizeB - b.error));
      })
      .Case<arith::MaximumFOp, arith::MinimumFOp, arith::MaxSIOp,
            arith::MinSIOp>([&](Operation *) {
        auto choose = [&](double x, double y) {
          return isa<arith::MaximumFOp, arith::MaxSIOp>(op) ? std::max(x, y)
                                                            : std::min(x, y);
        };
        double value = choose(a.value, b.value),
               high = choose(a.value + a.error, b.value + b.error),
               low = choose(a.value - a.error, b.value - b.error);
        return give(value, std::max(high - value, value - low));
      })
      .Case([&](arith::NegFOp) { return give(-a.value, a.error); })
      .Case([&](math::AbsFOp) { return give(sizeA, a.error); })
      .Case([&](math::TanhOp) {
        return rounded(std::tanh(a.value), a.error, kFunction);
      })
      .Case([&](math::ExpOp) {
        double value = std::exp(a.value);
        return rounded(value, value * std::expm1(a.error), kFunction);
      })
      .Case([&](math::LogOp) {
        if (a.value <= a.error)
          return give(std::log(a.value), kInfinity);
        Number number =
            rounded(std::log(a.value), -std::log1p(-a.error / a.value));
        return round(number, 1, kFunction);
      })
      .Case([&](math::SqrtOp) {
        double value = std::sqrt(a.value);
        double low = std::sqrt(std::max(a.value - a.error, 0.0));
        return rounded(
            value, std::max(value - low, std::sqrt(a.value + a.error) - value));
      })
      .Case([&](math::RsqrtOp) {
        double value = 1 / std::sqrt(a.value);
        if (a.value <= a.error)
          return give(value, kInfinity);
        return rounded(value, 1 / std::sqrt(a.value - a.error) - value,
                       kFunction);
      })
      .Case([&](math::PowFOp) {
        double value = std::pow(a.value, b.value);
        if (a.error == 0 && b.error == 0)
          return rounded(value, 0, kFunction);
        // A power of what is positive is monotone in both; else a square of
        // something of either sign.
        if (a.value > a.error) {
          double error = 0;
          for (double base : {a.value - a.error, a.value + a.error})
            for (double power : {b.value - b.error, b.value + b.error})
              error = std::max(error, std::abs(std::pow(base, power) - value));
          return rounded(value, error, kFunction);
        }
        if (b.error != 0 || b.value < 0 || b.value != std::floor(b.value))
          return give(value, kInfinity);
        double size = std::abs(value), far = std::pow(sizeA + a.error, b.value),
               near = std::pow(std::max(sizeA - a.error, 0.0), b.value);
        return rounded(value,
                       std::max(std::abs(far - size), std::abs(size - near)),
                       kFunction);
      })
      .Case([&](arith::CmpFOp compare) {
        bool holds = false;
        switch (compare.getPredicate()) {
        case arith::CmpFPredicate::OGT:
        case arith::CmpFPredicate::UGT:
          holds = a.value > b.value;
          break;
        case arith::CmpFPredicate::OLT:
        case arith::CmpFPredicate::ULT:
          holds = a.value < b.value;
          break;
        case arith::CmpFPredicate::OGE:
        case arith::CmpFPredicate::UGE:
          holds = a.value >= b.value;
          break;
        case arith::CmpFPredicate::OLE:
        case arith::CmpFPredicate::ULE:
          holds = a.value <= b.value;
          break;
        case arith::CmpFPredicate::OEQ:
        case arith::CmpFPredicate::UEQ:
          holds = a.value == b.value;
          break;
        case arith::CmpFPredicate::ONE:
        case arith::CmpFPredicate::UNE:
          holds = a.value != b.value;
          break;
        case arith::CmpFPredicate::UNO: // there is no NaN
          return FailureOr<Number>(give(0, 0));
        default:
          return FailureOr<Number>(failure());
        }
        bool isOpen = (a.error != 0 || b.error != 0) &&
                      !(std::abs(a.value - b.value) > a.error + b.error);
        return FailureOr<Number>(give(holds, isOpen));
      })
      .Case([&](arith::CmpIOp compare) {
        const bool isUnsigned =
            compare.getPredicate() >= arith::CmpIPredicate::ult;
        if (isUnsigned && (a.value < 0 || b.value < 0))
          return FailureOr<Number>(failure());
        switch (compare.getPredicate()) {
        case arith::CmpIPredicate::eq:
          return FailureOr<Number>(give(a.value == b.value, 0));
        case arith::CmpIPredicate::ne:
          return FailureOr<Number>(give(a.value != b.value, 0));
        case arith::CmpIPredicate::slt:
        case arith::CmpIPredicate::ult:
          return FailureOr<Number>(give(a.value < b.value, 0));
        case arith::CmpIPredicate::sle:
        case arith::CmpIPredicate::ule:
          return FailureOr<Number>(give(a.value <= b.value, 0));
        case arith::CmpIPredicate::sgt:
        case arith::CmpIPredicate::ugt:
          return FailureOr<Number>(give(a.value > b.value, 0));
        case arith::CmpIPredicate::sge:
        case arith::CmpIPredicate::uge:
          return FailureOr<Number>(give(a.value >= b.value, 0));
        default:
          return FailureOr<Number>(failure());
        }
      })
      .Case([&](arith::SelectOp) {
        const Number &c = operands[2];
        const Number &taken = a.value != 0 ? b : c,
                     &other = a.value != 0 ? c : b;
        double error = taken.error;
        if (a.error != 0)
          error = std::max(error,
                           std::abs(other.value - taken.value) + other.error);
        give(taken.value, error);
        result.isScaled = b.isScaled || c.isScaled;
        return result;
      })
      .Case<arith::AndIOp, arith::OrIOp>([&](Operation *) {
        if (!getElementTypeOrSelf(op->getResult(0).getType()).isInteger(1))
          return FailureOr<Number>(failure());
        bool both = a.value != 0 && b.value != 0,
             either = a.value != 0 || b.value != 0;
        return FailureOr<Number>(give(isa<arith::AndIOp>(op) ? both : either,
                                      a.error != 0 || b.error != 0));
      })
      .Case([&](math::FPowIOp) {
        // Products one after the other; |x + e|^n - |x|^n is its slope.
        double value = std::pow(a.value, b.value), power = std::abs(b.value);
        if (b.value < 0)
          return FailureOr<Number>(give(value, kInfinity));
        return FailureOr<Number>(rounded(
            value, std::pow(sizeA + a.error, power) - std::pow(sizeA, power),
            std::max(power, 1.0)));
      })
      .Case<arith::SubIOp>(
          [&](Operation *) { return give(a.value - b.value, 0); })
      .Case<arith::ExtFOp, arith::TruncFOp>(
          [&](Operation *) { return give(a.value, a.error); })
      .Case<arith::AddIOp>(
          [&](Operation *) { return give(a.value + b.value, 0); })
      .Case<arith::MulIOp>(
          [&](Operation *) { return give(a.value * b.value, 0); })
      .Case<arith::IndexCastOp, arith::SIToFPOp, arith::UIToFPOp,
            arith::ExtUIOp, arith::ExtSIOp, arith::TruncIOp>(
          [&](Operation *) { return give(a.value, a.error); })
      .Default([](Operation *) { return failure(); });
}
