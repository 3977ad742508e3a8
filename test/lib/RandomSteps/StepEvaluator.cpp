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
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/SmallBitVector.h"
#include "llvm/ADT/TypeSwitch.h"

#include <cmath>

using namespace mlir;
using namespace mlir::amp;

EvaluatorOptions mlir::amp::getEvaluatorOptions(StringRef level) {
  EvaluatorOptions options;
  options.rounding = {0x1p-24, 0x1p-149};
  if (level == "O0")
    return options;
  if (level == "O4" || level == "O5")
    options.storage = {0x1p-8, 0x1p-133};
  else
    options.storage = {0x1p-11, 0x1p-25};
  options.storesUpdates = level == "O3";
  return options;
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

namespace {

/// Where the element of a tensor lies that a point of an operation's loops
/// reads or writes.
class Places {
public:
  Places(AffineMap map, ArrayRef<int64_t> shape) : map(map), shape(shape) {
    for (AffineExpr expression : map.getResults())
      expression.walk([&](AffineExpr part) {
        isLinear &= part.getKind() != AffineExprKind::FloorDiv &&
                    part.getKind() != AffineExprKind::CeilDiv &&
                    part.getKind() != AffineExprKind::Mod;
      });
    if (!isLinear)
      return;
    SmallVector<int64_t> point(map.getNumDims(), 0);
    start = getPosition(shape, map.compose(point));
    for (int64_t &coordinate : point) {
      coordinate = 1;
      steps.push_back(getPosition(shape, map.compose(point)) - start);
      coordinate = 0;
    }
  }

  size_t get(ArrayRef<int64_t> point) const {
    if (!isLinear)
      return size_t(getPosition(shape, map.compose(point)));
    int64_t position = start;
    for (auto [step, coordinate] : llvm::zip_equal(steps, point))
      position += step * coordinate;
    return size_t(position);
  }

private:
  AffineMap map;
  ArrayRef<int64_t> shape;
  bool isLinear = true;
  int64_t start = 0;
  SmallVector<int64_t> steps;
};

/// An operation of a body, its operands and result by their places among the
/// body's numbers.
struct BodyStep {
  Operation *op = nullptr;
  SmallVector<unsigned> operands;
  unsigned result = 0;
  /// What it reads by index.
  const NumberTensor *table = nullptr;
  /// What its regions read of the body.
  SmallVector<std::pair<mlir::Value, unsigned>> handed;
};

} // namespace

LogicalResult StepEvaluator::runStructured(Operation *operation,
                                           Values &values) {
  auto op = cast<linalg::LinalgOp>(operation);
  Block *body = op.getBlock();
  const unsigned inputs = op.getNumDpsInputs();
  // Operations with regions run as those outside of bodies do, on `values`.
  // They have all their places there before anything points into it.
  for (Operation &inner : *body)
    if (inner.getNumRegions() != 0)
      operation->walk([&](Block *block) {
        for (BlockArgument argument : block->getArguments())
          values[argument] = makeTensor({});
        for (Operation &op : *block)
          for (mlir::Value result : op.getResults())
            values[result] = makeTensor({});
      });
  auto find = [&](mlir::Value value) -> NumberTensor & {
    return values.find(value)->second;
  };
  std::vector<NumberTensor> results;
  for (mlir::Value init : op.getDpsInits())
    results.push_back(find(init));
  SmallVector<NumberTensor *> tensors;
  for (OpOperand *input : op.getDpsInputOperands())
    tensors.push_back(&find(input->get()));
  for (NumberTensor &result : results)
    tensors.push_back(&result);
  SmallVector<Places> places;
  for (auto [map, tensor] : llvm::zip_equal(op.getIndexingMapsArray(), tensors))
    places.emplace_back(map, tensor->shape);

  std::vector<Number> numbers;
  llvm::DenseMap<mlir::Value, unsigned> slots;
  auto addSlot = [&](mlir::Value value, Number number = {}) {
    slots[value] = unsigned(numbers.size());
    numbers.push_back(number);
  };
  auto findSlot = [&](mlir::Value value) {
    if (!slots.contains(value)) // of outside
      addSlot(value, find(value).elements[0]);
    return slots[value];
  };
  for (BlockArgument argument : body->getArguments())
    addSlot(argument);
  std::vector<BodyStep> steps;
  for (Operation &inner : body->without_terminator()) {
    if (isa<cf::AssertOp>(inner))
      continue;
    if (auto constant = dyn_cast<arith::ConstantOp>(&inner)) {
      addSlot(constant, readConstant(constant.getValue())->elements[0]);
      continue;
    }
    BodyStep step;
    step.op = &inner;
    mlir::ValueRange operands = inner.getOperands();
    if (inner.getNumRegions() != 0) {
      SetVector<mlir::Value> used;
      getUsedValuesDefinedAbove(inner.getRegions(), used);
      for (mlir::Value value : used)
        if (slots.contains(value))
          step.handed.push_back({value, slots[value]});
    } else if (auto extract = dyn_cast<tensor::ExtractOp>(&inner)) {
      step.table = &find(extract.getTensor());
      operands = extract.getIndices();
    }
    for (mlir::Value operand : operands)
      step.operands.push_back(findSlot(operand));
    addSlot(inner.getResult(0));
    step.result = slots[inner.getResult(0)];
    steps.push_back(std::move(step));
  }
  SmallVector<unsigned> yielded;
  for (mlir::Value value : body->getTerminator()->getOperands())
    yielded.push_back(findSlot(value));

  // Results are rounded where they are kept, and nothing before: what is read
  // was kept by an operation, or is an argument.
  LogicalResult outcome = success();
  SmallVector<Number> operands;
  SmallVector<int64_t> index;
  forEachIndex(op.getStaticLoopRanges(), [&](ArrayRef<int64_t> point) {
    if (failed(outcome))
      return;
    for (auto [i, tensor] : llvm::enumerate(tensors))
      numbers[i] = tensor->elements[places[i].get(point)];
    for (const BodyStep &step : steps) {
      if (auto dimension = dyn_cast<linalg::IndexOp>(step.op)) {
        numbers[step.result] = {double(point[dimension.getDim()]), 0, false};
        continue;
      }
      if (step.table) {
        index.clear();
        for (unsigned i : step.operands)
          index.push_back(int64_t(numbers[i].value));
        numbers[step.result] =
            step.table->elements[getPosition(step.table->shape, index)];
        continue;
      }
      if (step.op->getNumRegions() != 0) {
        for (auto [value, i] : step.handed)
          find(value).elements[0] = numbers[i];
        for (auto [value, i] :
             llvm::zip_equal(step.op->getOperands(), step.operands))
          find(value).elements[0] = numbers[i];
        outcome = runOperation(step.op, values);
        if (failed(outcome))
          return;
        numbers[step.result] = find(step.op->getResult(0)).elements[0];
        continue;
      }
      operands.clear();
      for (unsigned i : step.operands)
        operands.push_back(numbers[i]);
      FailureOr<Number> number = compute(step.op, operands);
      if (failed(number)) {
        unknown = step.op->getName().getStringRef().str();
        outcome = failure();
        return;
      }
      numbers[step.result] = *number;
    }
    for (auto [i, slot] : llvm::enumerate(yielded))
      results[i].elements[places[inputs + i].get(point)] = numbers[slot];
  });
  if (failed(outcome))
    return failure();
  for (auto [result, tensor] :
       llvm::zip_equal(operation->getResults(), results)) {
    if (isa<FloatType>(getElementTypeOrSelf(result.getType()))) {
      storeAll(tensor);
      if (!isLoss && op.getNumReductionLoops() != 0 && failed(measure(tensor)))
        return failure();
    }
    values[result] = std::move(tensor);
  }
  return success();
}

LogicalResult StepEvaluator::runOperation(Operation *op, Values &values) {
  if (sample)
    sample->beginTensor();
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

static constexpr llvm::StringLiteral kOtherStep =
    "a step that is another one when it is rounded otherwise";

/// Trains several times, and keeps what was measured with how far the samples
/// are off it.
LogicalResult
StepEvaluator::drawSamples(func::FuncOp step, ArrayRef<NumberTensor> start,
                           ArrayRef<std::vector<NumberTensor>> batches) {
  // Student's t of 16 degrees of freedom is further from 0 once in 5e8 draws.
  constexpr double kQuantile = 12;
  auto callSample = [&](EvaluatorOptions options, unsigned i) {
    options.samples = 0;
    StepEvaluator evaluator(module, options);
    evaluator.sample.emplace(i);
    LogicalResult outcome = evaluator.train(step, start, batches);
    unknown = evaluator.getUnknown();
    return succeeded(outcome) ? std::move(evaluator.measured)
                              : std::vector<NumberTensor>();
  };
  measured = callSample({}, 0);
  if (!unknown.empty())
    return failure();
  for (unsigned i = 0; i < options.samples; ++i) {
    std::vector<NumberTensor> sampled = callSample(options, i);
    if (sampled.size() != measured.size()) {
      unknown = kOtherStep.str();
      return failure();
    }
    for (auto [result, other] : llvm::zip_equal(measured, sampled))
      for (auto [number, seen] :
           llvm::zip_equal(result.elements, other.elements)) {
        double off = seen.value - number.value;
        number.error += off * off / options.samples;
      }
  }
  // What a decision that no sample took would change, others of the tensor
  // show.
  for (NumberTensor &result : measured) {
    double mean = 0;
    for (const Number &number : result.elements)
      mean += number.error / double(result.elements.size());
    for (Number &number : result.elements)
      number.error = kQuantile * std::sqrt(std::max(number.error, mean));
  }
  return success();
}

/// What was measured of the next `count` tensors.
FailureOr<ArrayRef<NumberTensor>> StepEvaluator::takeMeasured(size_t count) {
  if (measured.size() - position < count) {
    unknown = kOtherStep.str();
    return failure();
  }
  position += count;
  return ArrayRef(measured).slice(position - count, count);
}

/// Keeps `tensor` for the bounds of a step, or narrows it to them.
LogicalResult StepEvaluator::measure(NumberTensor &tensor) {
  if (sample) {
    measured.push_back(tensor);
  } else if (options.samples != 0) {
    FailureOr<ArrayRef<NumberTensor>> taken = takeMeasured(1);
    if (failed(taken))
      return failure();
    for (auto [number, seen] :
         llvm::zip_equal(tensor.elements, taken->front().elements))
      number.error = std::min(number.error, seen.error);
  }
  return success();
}

FailureOr<std::vector<NumberTensor>>
StepEvaluator::train(func::FuncOp step, ArrayRef<NumberTensor> start,
                     ArrayRef<std::vector<NumberTensor>> batches) {
  if (options.samples != 0 && failed(drawSamples(step, start, batches)))
    return failure();
  const ArgumentIndex index(step);
  std::vector<NumberTensor> arguments(start), results;
  for (const std::vector<NumberTensor> &batch : batches) {
    size_t given = 0;
    for (auto [i, argument] : llvm::enumerate(arguments))
      if (getArgRole(step, unsigned(i)).is(Role::Batch))
        argument = batch[given++];
    FailureOr<std::vector<NumberTensor>> found = call(step, arguments);
    if (failed(found))
      return failure();
    results = std::move(*found);
    for (auto [i, result] : llvm::enumerate(results)) {
      RoleInfo info = getResultRole(step, unsigned(i));
      if (info.role && !info.is(Role::Loss))
        for (unsigned argument : index.find(info.role, info.name)) {
          arguments[argument] = result;
          for (Number &number : arguments[argument].elements)
            number.isScaled = false;
        }
    }
  }
  return results;
}

FailureOr<std::vector<NumberTensor>>
StepEvaluator::call(func::FuncOp function, ArrayRef<NumberTensor> arguments) {
  // A helper computes as its caller does; a train step that calls others does
  // not compute losses itself.
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
  const bool wasLoss = isLoss;
  if (kind == FunctionKind::ForwardBackward ||
      (kind == FunctionKind::TrainStep && !calls))
    isLoss = true;
  else if (hasRoles(function))
    isLoss = false;
  const bool entersLoss = isLoss && !wasLoss;
  if (entersLoss && options.samples != 0) {
    isLoss = false;
    FailureOr<ArrayRef<NumberTensor>> taken =
        takeMeasured(function.getNumResults());
    if (failed(taken))
      return failure();
    return taken->vec();
  }
  const bool stores = entersLoss || (options.storesUpdates && depth == 0);
  Values values;
  for (auto [i, argument] : llvm::enumerate(arguments)) {
    NumberTensor value = argument;
    if (getArgRole(function, unsigned(i)).is(Role::LossSeed))
      for (Number &number : value.elements)
        number.isScaled = true;
    if (stores &&
        isa<FloatType>(getElementTypeOrSelf(function.getArgumentTypes()[i])))
      storeAll(value);
    values[function.getArgument(unsigned(i))] = std::move(value);
  }
  std::vector<NumberTensor> results;
  ++depth;
  LogicalResult outcome = runBlock(function.getBody().front(), values, results);
  --depth;
  isLoss = wasLoss;
  if (failed(outcome))
    return failure();
  if (sample && entersLoss)
    llvm::append_range(measured, results);
  return results;
}
