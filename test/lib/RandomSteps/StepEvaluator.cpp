//===- StepEvaluator.cpp - What a step computes, in f64 -------------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Structured operations are one case: their maps say which elements meet, their
// bodies what happens to them. Values outside of them are tensors; scalars are
// tensors of rank 0. Loss scaling that a step has itself is the identity, as it
// is in real numbers.
//
//===----------------------------------------------------------------------===//

#include "StepEvaluator.h"

#include "amp/Dialect/Amp/IR/AmpDialect.h"
#include "amp/Dialect/Amp/IR/AmpRoles.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/SmallBitVector.h"
#include "llvm/ADT/TypeSwitch.h"

#include <cmath>

using namespace mlir;
using namespace mlir::amp;

static constexpr double kInfinity = std::numeric_limits<double>::infinity();

EvaluatorOptions mlir::amp::getEvaluatorOptions(StringRef level) {
  EvaluatorOptions options;
  options.rounding = {0x1p-24, 0x1p-149};
  if (level == "O0")
    return options;
  if (level == "O4" || level == "O5")
    options.storage = {0x1p-8, 0x1p-133};
  else
    options.storage = {0x1p-11, 0x1p-25};
  return options;
}

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

Number StepEvaluator::round(Number number, double magnitude,
                            double factor) const {
  const Rounding &rounding = options.rounding;
  number.error += factor * (rounding.relative * magnitude + rounding.absolute);
  return number;
}

/// A number that is kept between two operations.
Number StepEvaluator::store(Number number) {
  if (!isLow || std::isinf(number.value)) // what a maximum begins with
    return number;
  const Rounding &storage = options.storage;
  double magnitude = std::abs(number.value);
  if (number.isScaled && (number.value != 0 || number.error != 0) &&
      !((magnitude - number.error) * options.scale > 0x1p-14))
    underflows = true;
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
    result.error = std::isnan(error) ? kInfinity : error;
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
        // A square of something of either sign, or a power of what is positive.
        bool isWhole = b.value >= 0 && b.value == std::floor(b.value);
        if (b.error != 0 || (!isWhole && a.value <= a.error))
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

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

static int64_t getCount(ArrayRef<int64_t> shape) {
  int64_t count = 1;
  for (int64_t extent : shape)
    count *= extent;
  return count;
}

static SmallVector<int64_t> getShape(Type type) {
  if (auto tensor = dyn_cast<RankedTensorType>(type))
    return SmallVector<int64_t>(tensor.getShape());
  return {};
}

static NumberTensor makeTensor(ArrayRef<int64_t> shape) {
  return {SmallVector<int64_t>(shape),
          std::vector<Number>(size_t(getCount(shape)))};
}

static int64_t getPosition(ArrayRef<int64_t> shape, ArrayRef<int64_t> index) {
  int64_t position = 0;
  for (auto [extent, i] : llvm::zip_equal(shape, index))
    position = position * extent + i;
  return position;
}

/// Calls `visit` with each index of a box.
static void forEachIndex(ArrayRef<int64_t> shape,
                         llvm::function_ref<void(ArrayRef<int64_t>)> visit) {
  if (llvm::is_contained(shape, 0))
    return;
  SmallVector<int64_t> index(shape.size(), 0);
  while (true) {
    visit(index);
    size_t i = shape.size();
    while (i > 0 && ++index[i - 1] == shape[i - 1])
      index[--i] = 0;
    if (i == 0)
      return;
  }
}

static FailureOr<NumberTensor> readConstant(Attribute attribute) {
  NumberTensor tensor;
  auto push = [&](double value) {
    tensor.elements.push_back({value, 0, false});
  };
  if (auto number = dyn_cast<FloatAttr>(attribute)) {
    push(number.getValueAsDouble());
    return tensor;
  }
  if (auto number = dyn_cast<IntegerAttr>(attribute)) {
    push(number.getType().isInteger(1)
             ? double(number.getValue().getBoolValue())
             : double(number.getInt()));
    return tensor;
  }
  auto dense = dyn_cast<DenseElementsAttr>(attribute);
  if (!dense)
    return failure();
  tensor.shape = getShape(dense.getType());
  if (isa<FloatType>(dense.getElementType())) {
    for (const APFloat &value : dense.getValues<APFloat>())
      push(value.convertToDouble());
  } else {
    for (const APInt &value : dense.getValues<APInt>())
      push(value.getBitWidth() == 1 ? double(value.getBoolValue())
                                    : double(value.getSExtValue()));
  }
  return tensor;
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

LogicalResult StepEvaluator::runStructured(Operation *operation,
                                           Values &values) {
  auto op = cast<linalg::LinalgOp>(operation);
  Block *body = op.getBlock();
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  // Results are rounded where they are kept, and nothing before: what is read
  // was kept by an operation, or is an argument.
  SmallVector<NumberTensor> operands;
  for (mlir::Value operand : operation->getOperands())
    operands.push_back(values[operand]);
  const unsigned inputs = op.getNumDpsInputs();
  LogicalResult outcome = success();
  forEachIndex(ranges, [&](ArrayRef<int64_t> point) {
    if (failed(outcome))
      return;
    indices.assign(point.begin(), point.end());
    auto locate = [&](unsigned operand) -> Number & {
      SmallVector<int64_t> index = maps[operand].compose(point);
      NumberTensor &tensor = operands[operand];
      return tensor.elements[getPosition(tensor.shape, index)];
    };
    Values inside;
    auto find = [&](mlir::Value value) {
      auto it = inside.find(value);
      return (it == inside.end() ? values[value] : it->second).elements[0];
    };
    for (BlockArgument argument : body->getArguments())
      inside[argument] = {{}, {locate(argument.getArgNumber())}};
    for (Operation &inner : body->without_terminator()) {
      SmallVector<Number> numbers;
      if (auto index = dyn_cast<linalg::IndexOp>(&inner)) {
        inside[index] = {{}, {{double(indices[index.getDim()]), 0, false}}};
        continue;
      }
      if (auto constant = dyn_cast<arith::ConstantOp>(&inner)) {
        inside[constant] = *readConstant(constant.getValue());
        continue;
      }
      if (isa<cf::AssertOp>(inner))
        continue;
      if (auto extract = dyn_cast<tensor::ExtractOp>(&inner)) {
        const NumberTensor &from = values[extract.getTensor()];
        SmallVector<int64_t> index;
        for (mlir::Value i : extract.getIndices())
          index.push_back(int64_t(find(i).value));
        Number number = from.elements[getPosition(from.shape, index)];
        inside[extract] = {{}, {number}};
        continue;
      }
      for (mlir::Value operand : inner.getOperands())
        numbers.push_back(find(operand));
      FailureOr<Number> number = compute(&inner, numbers);
      if (failed(number)) {
        unknown = inner.getName().getStringRef().str();
        outcome = failure();
        return;
      }
      inside[inner.getResult(0)] = {{}, {*number}};
    }
    for (auto [i, yielded] :
         llvm::enumerate(body->getTerminator()->getOperands()))
      locate(inputs + unsigned(i)) = find(yielded);
  });
  if (failed(outcome))
    return failure();
  for (auto [i, result] : llvm::enumerate(operation->getResults())) {
    NumberTensor &tensor = operands[inputs + i];
    if (isa<FloatType>(getElementTypeOrSelf(result.getType())))
      storeAll(tensor);
    values[result] = std::move(tensor);
  }
  return success();
}

LogicalResult StepEvaluator::runOperation(Operation *op, Values &values) {
  if (isa<linalg::LinalgOp>(op))
    return runStructured(op, values);
  auto first = [&](mlir::Value value) { return values[value].elements[0]; };
  auto readOffset = [&](OpFoldResult offset) {
    if (auto attribute = dyn_cast<Attribute>(offset))
      return cast<IntegerAttr>(attribute).getInt();
    return int64_t(first(cast<mlir::Value>(offset)).value);
  };
  auto shiftBy = [&](ArrayRef<int64_t> index, ArrayRef<int64_t> offsets) {
    SmallVector<int64_t> moved(index);
    for (auto [i, offset] : llvm::zip_equal(moved, offsets))
      i += offset;
    return moved;
  };
  // Where an element of a slice lies in the whole.
  auto getPlace = [&](auto slice, ArrayRef<int64_t> index) {
    llvm::SmallBitVector dropped = slice.getDroppedDims();
    SmallVector<int64_t> place;
    for (auto [offset, stride] :
         llvm::zip_equal(slice.getMixedOffsets(), slice.getMixedStrides())) {
      bool isDropped = dropped.test(unsigned(place.size()));
      place.push_back(readOffset(offset) +
                      (isDropped ? 0 : readOffset(stride) * index.front()));
      if (!isDropped)
        index = index.drop_front();
    }
    return place;
  };
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](arith::ConstantOp constant) {
        FailureOr<NumberTensor> tensor = readConstant(constant.getValue());
        if (failed(tensor))
          return failure();
        if (isa<FloatType>(getElementTypeOrSelf(constant.getType())))
          storeAll(*tensor);
        values[constant] = std::move(*tensor);
        return success();
      })
      .Case([&](tensor::EmptyOp empty) {
        values[empty] = makeTensor(empty.getType().getShape());
        return success();
      })
      .Case([&](tensor::ExtractOp extract) {
        SmallVector<int64_t> index;
        for (mlir::Value i : extract.getIndices())
          index.push_back(int64_t(first(i).value));
        const NumberTensor &from = values[extract.getTensor()];
        Number number = from.elements[getPosition(from.shape, index)];
        values[extract] = {{}, {number}};
        return success();
      })
      .Case<tensor::CollapseShapeOp, tensor::ExpandShapeOp>([&](Operation *) {
        NumberTensor tensor = values[op->getOperand(0)];
        tensor.shape = getShape(op->getResult(0).getType());
        values[op->getResult(0)] = std::move(tensor);
        return success();
      })
      .Case([&](tensor::ExtractSliceOp slice) {
        const NumberTensor from = values[slice.getSource()];
        NumberTensor to = makeTensor(slice.getType().getShape());
        forEachIndex(to.shape, [&](ArrayRef<int64_t> index) {
          to.elements[getPosition(to.shape, index)] =
              from.elements[getPosition(from.shape, getPlace(slice, index))];
        });
        values[slice] = std::move(to);
        return success();
      })
      .Case([&](tensor::InsertSliceOp slice) {
        const NumberTensor from = values[slice.getSource()];
        NumberTensor to = values[slice.getDest()];
        forEachIndex(from.shape, [&](ArrayRef<int64_t> index) {
          to.elements[getPosition(to.shape, getPlace(slice, index))] =
              from.elements[getPosition(from.shape, index)];
        });
        values[slice] = std::move(to);
        return success();
      })
      .Case([&](tensor::ConcatOp concat) {
        NumberTensor to = makeTensor(concat.getResultType().getShape());
        SmallVector<int64_t> offsets(to.shape.size(), 0);
        for (mlir::Value input : concat.getInputs()) {
          const NumberTensor &from = values[input];
          forEachIndex(from.shape, [&](ArrayRef<int64_t> index) {
            to.elements[getPosition(to.shape, shiftBy(index, offsets))] =
                from.elements[getPosition(from.shape, index)];
          });
          offsets[concat.getDim()] += from.shape[concat.getDim()];
        }
        values[concat] = std::move(to);
        return success();
      })
      .Case([&](tensor::PadOp pad) {
        SmallVector<int64_t> offsets;
        for (OpFoldResult offset : pad.getMixedLowPad())
          offsets.push_back(readOffset(offset));
        const NumberTensor from = values[pad.getSource()];
        NumberTensor to = makeTensor(pad.getResultType().getShape());
        mlir::Value padding = pad.getConstantPaddingValue();
        if (!padding)
          return failure();
        auto constant = padding.getDefiningOp<arith::ConstantOp>();
        if (!constant)
          return failure();
        to.elements.assign(to.elements.size(),
                           readConstant(constant.getValue())->elements[0]);
        forEachIndex(from.shape, [&](ArrayRef<int64_t> index) {
          to.elements[getPosition(to.shape, shiftBy(index, offsets))] =
              from.elements[getPosition(from.shape, index)];
        });
        values[pad] = std::move(to);
        return success();
      })
      .Case([&](scf::ForOp loop) {
        int64_t low = int64_t(first(loop.getLowerBound()).value),
                high = int64_t(first(loop.getUpperBound()).value),
                step = int64_t(first(loop.getStep()).value);
        std::vector<NumberTensor> carried;
        for (mlir::Value start : loop.getInitArgs())
          carried.push_back(values[start]);
        for (int64_t i = low; i < high; i += step) {
          values[loop.getInductionVar()] = {{}, {{double(i), 0, false}}};
          for (auto [argument, value] :
               llvm::zip_equal(loop.getRegionIterArgs(), carried))
            values[argument] = value;
          if (failed(runBlock(*loop.getBody(), values, carried)))
            return failure();
        }
        for (auto [result, value] : llvm::zip_equal(loop.getResults(), carried))
          values[result] = value;
        return success();
      })
      .Case([&](scf::WhileOp loop) {
        std::vector<NumberTensor> carried;
        for (mlir::Value start : loop.getInits())
          carried.push_back(values[start]);
        while (true) {
          for (auto [argument, value] :
               llvm::zip_equal(loop.getBeforeArguments(), carried))
            values[argument] = value;
          if (failed(runBlock(*loop.getBeforeBody(), values, carried)))
            return failure();
          bool goesOn = carried.front().elements[0].value != 0;
          carried.erase(carried.begin());
          if (!goesOn)
            break;
          for (auto [argument, value] :
               llvm::zip_equal(loop.getAfterArguments(), carried))
            values[argument] = value;
          if (failed(runBlock(*loop.getAfterBody(), values, carried)))
            return failure();
        }
        for (auto [result, value] : llvm::zip_equal(loop.getResults(), carried))
          values[result] = value;
        return success();
      })
      .Case([&](scf::IfOp branch) {
        Number condition = first(branch.getCondition());
        if (condition.error != 0)
          return failure();
        Region &taken = condition.value != 0 ? branch.getThenRegion()
                                             : branch.getElseRegion();
        std::vector<NumberTensor> results;
        if (failed(runBlock(taken.front(), values, results)))
          return failure();
        for (auto [result, value] :
             llvm::zip_equal(branch.getResults(), results))
          values[result] = value;
        return success();
      })
      .Case([&](func::CallOp call) {
        auto callee = module.lookupSymbol<func::FuncOp>(call.getCallee());
        std::vector<NumberTensor> arguments;
        for (mlir::Value operand : call.getOperands())
          arguments.push_back(values[operand]);
        FailureOr<std::vector<NumberTensor>> results =
            this->call(callee, arguments);
        if (failed(results))
          return failure();
        for (auto [result, value] :
             llvm::zip_equal(call.getResults(), *results))
          values[result] = value;
        return success();
      })
      .Case([&](ScaleLossOp scale) {
        NumberTensor value = values[scale.getValue()];
        values[scale.getResult()] = std::move(value);
        return success();
      })
      .Case([&](UnscaleOp unscale) {
        for (auto [result, gradient] :
             llvm::zip_equal(unscale.getUnscaled(), unscale.getGradients())) {
          NumberTensor value = values[gradient];
          values[result] = std::move(value);
        }
        values[unscale.getFoundInf()] = makeTensor({});
        return success();
      })
      .Case<UpdateScaleOp, cf::AssertOp>([&](Operation *) { return success(); })
      .Case([&](tensor::InsertOp insert) {
        SmallVector<int64_t> index;
        for (mlir::Value i : insert.getIndices())
          index.push_back(int64_t(first(i).value));
        NumberTensor to = values[insert.getDest()];
        to.elements[getPosition(to.shape, index)] = first(insert.getScalar());
        values[insert] = std::move(to);
        return success();
      })
      .Default([&](Operation *) -> LogicalResult {
        // Element by element.
        if (op->getNumResults() != 1 || op->getNumRegions() != 0)
          return failure();
        NumberTensor result = makeTensor(getShape(op->getResult(0).getType()));
        for (size_t i = 0; i < result.elements.size(); ++i) {
          SmallVector<Number> numbers;
          for (mlir::Value operand : op->getOperands()) {
            const NumberTensor &tensor = values[operand];
            numbers.push_back(
                tensor.elements[tensor.elements.size() == 1 ? 0 : i]);
          }
          FailureOr<Number> number = compute(op, numbers);
          if (failed(number)) {
            unknown = op->getName().getStringRef().str();
            return failure();
          }
          if (isa<FloatType>(getElementTypeOrSelf(op->getResult(0).getType())))
            *number = store(*number);
          result.elements[i] = *number;
        }
        values[op->getResult(0)] = std::move(result);
        return success();
      });
}

LogicalResult StepEvaluator::runBlock(Block &first, Values &values,
                                      std::vector<NumberTensor> &results) {
  Block *block = &first;
  while (true) {
    for (Operation &op : block->without_terminator())
      if (failed(runOperation(&op, values))) {
        if (unknown.empty())
          unknown = op.getName().getStringRef().str();
        return failure();
      }
    Operation *end = block->getTerminator();
    std::vector<NumberTensor> given;
    for (mlir::Value operand : end->getOperands())
      given.push_back(values[operand]);
    if (auto choice = dyn_cast<cf::CondBranchOp>(end)) {
      bool isTaken = given[0].elements[0].value != 0;
      auto handed = isTaken ? choice.getTrueDestOperands()
                            : choice.getFalseDestOperands();
      block = isTaken ? choice.getTrueDest() : choice.getFalseDest();
      for (auto [argument, operand] :
           llvm::zip_equal(block->getArguments(), handed)) {
        NumberTensor value = values[operand];
        values[argument] = std::move(value);
      }
      continue;
    }
    auto branch = dyn_cast<cf::BranchOp>(end);
    if (!branch) {
      results = std::move(given);
      return success();
    }
    block = branch.getDest();
    for (auto [argument, value] : llvm::zip_equal(block->getArguments(), given))
      values[argument] = value;
  }
}

FailureOr<std::vector<NumberTensor>>
StepEvaluator::call(func::FuncOp function, ArrayRef<NumberTensor> arguments) {
  // A helper computes as its caller does; a train step that calls others does
  // not compute losses itself.
  bool was = isLow;
  FunctionKind kind = getFunctionKind(function);
  bool calls =
      function
          .walk([&](func::CallOp call) {
            auto callee = module.lookupSymbol<func::FuncOp>(call.getCallee());
            return getFunctionKind(callee) == FunctionKind::ForwardBackward
                       ? WalkResult::interrupt()
                       : WalkResult::advance();
          })
          .wasInterrupted();
  if (kind == FunctionKind::ForwardBackward ||
      (kind == FunctionKind::TrainStep && !calls))
    isLow = true;
  else if (hasRoles(function))
    isLow = false;
  Values values;
  for (auto [i, argument] : llvm::enumerate(arguments)) {
    NumberTensor value = argument;
    if (getArgRole(function, unsigned(i)).is(Role::LossSeed))
      for (Number &number : value.elements)
        number.isScaled = true;
    if (isLow && !was &&
        isa<FloatType>(getElementTypeOrSelf(function.getArgumentTypes()[i])))
      storeAll(value);
    values[function.getArgument(unsigned(i))] = std::move(value);
  }
  std::vector<NumberTensor> results;
  LogicalResult outcome = runBlock(function.getBody().front(), values, results);
  isLow = was;
  if (failed(outcome))
    return failure();
  return results;
}
