//===- ElementwiseLoop.cpp - Elements that become others ------------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Elements correspond by their numbers in memory if all tensors are visited by
// the same loops in the same order, loops of one iteration aside, and each loop
// is a dimension of each. In a loop over tiles, which all slices and all
// insertions place alike, that holds of tiles, and so of the tensors.
//
// The form is the bodies in order, with values numbered as they occur.
//
//===----------------------------------------------------------------------===//

#include "amp/Kernels/ElementwiseLoop.h"

#include "Elements/ElementRules.h"
#include "Elements/GenericBody.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mlir::amp;

/// The loops that are dimensions of an operand, outermost first, but for those
/// of one iteration; nothing if other indices than loops are.
static std::optional<SmallVector<unsigned>> getOrder(linalg::GenericOp op,
                                                     OpOperand &operand) {
  SmallVector<int64_t> sizes = op.getStaticLoopRanges();
  SmallVector<unsigned> order;
  for (AffineExpr expression :
       op.getMatchingIndexingMap(&operand).getResults()) {
    auto loop = dyn_cast<AffineDimExpr>(expression);
    if (!loop && !isa<AffineConstantExpr>(expression))
      return std::nullopt;
    if (loop && sizes[loop.getPosition()] > 1)
      order.push_back(loop.getPosition());
  }
  return order;
}

static bool hasOneElement(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && tensor.hasStaticShape() && tensor.getNumElements() == 1;
}

static llvm::SetVector<Value> getCaptured(linalg::GenericOp op) {
  llvm::SetVector<Value> captured;
  getUsedValuesDefinedAbove(op.getRegion(), captured);
  return captured;
}

/// What is wrong with an operation's body and loops, or nothing.
static std::string checkGeneric(linalg::GenericOp op) {
  if (op.getNumReductionLoops() != 0)
    return "expected elements that depend on elements with their number, but "
           "got sums";
  for (Operation &inner : *op.getBody())
    if (isa<linalg::IndexOp, tensor::ExtractOp>(inner))
      return "expected elements that depend on elements with their number, but "
             "got ones that depend on indices";
  for (OpOperand &init : op.getDpsInitsMutable())
    if (op.payloadUsesValueFromOperand(&init))
      return "expected results that start from nothing, but got one that "
             "starts from a tensor";
  return "";
}

/// Whether an input is visited as the results are.
static bool isVisitedAlike(linalg::GenericOp op, OpOperand &input) {
  auto type = cast<RankedTensorType>(input.get().getType());
  return getOrder(op, input) == getOrder(op, *op.getDpsInitOperand(0)) &&
         type.getNumElements() ==
             ShapedType::getNumElements(op.getStaticLoopRanges());
}

/// Whether an input is the same number for all elements.
static bool isNumber(linalg::GenericOp op, OpOperand &input) {
  if (!isa<ShapedType>(input.get().getType()))
    return true;
  return hasOneElement(input.get().getType()) &&
         (!isVisitedAlike(op, input) ||
          op.getMatchingIndexingMap(&input).getNumResults() == 0);
}

static std::string refuseOperand(Value operand) {
  return llvm::formatv("expected operands that are numbers, or have the "
                       "elements of the results in their order, but got {0}",
                       operand.getType());
}

unsigned ElementwiseLoop::addColumn(Value value, bool isNumber) {
  Value whole = isNumber ? value : getWhole(value);
  for (auto [i, column] : llvm::enumerate(columns))
    if (column.value == whole && column.isNumber == isNumber)
      return columnOf[value] = i;
  columns.push_back({whole, isNumber});
  return columnOf[value] = columns.size() - 1;
}

std::optional<ElementwiseLoop> ElementwiseLoop::match(linalg::GenericOp op,
                                                      std::string &reason) {
  auto refuse = [&](const Twine &text) {
    reason = text.str();
    return std::nullopt;
  };
  if (std::string wrong = checkGeneric(op); !wrong.empty())
    return refuse(wrong);
  ElementwiseLoop loop(op);
  loop.count = ShapedType::getNumElements(op.getStaticLoopRanges());
  if (op.getNumLoops() == 0)
    return refuse("expected tensors of elements, but got numbers alone");
  for (OpOperand &init : op.getDpsInitsMutable())
    if (!isVisitedAlike(op, init))
      return refuse(refuseOperand(init.get()));
  for (OpOperand *input : op.getDpsInputOperands()) {
    if (!op.payloadUsesValueFromOperand(input) || isConstant(input->get()))
      continue;
    const bool isOne = isNumber(op, *input);
    if (!isOne && !isVisitedAlike(op, *input))
      return refuse(refuseOperand(input->get()));
    if (std::string wrong = isOne ? "" : checkWhole(input->get());
        !wrong.empty())
      return refuse(wrong);
    loop.addColumn(input->get(), isOne);
  }
  for (Value number : getCaptured(op))
    if (!isConstant(number))
      loop.addColumn(number, /*isNumber=*/true);
  loop.body.push_back(op);
  llvm::append_range(loop.yielded, op.getResults());
  if (std::string wrong = loop.checkReads(); !wrong.empty())
    return refuse(wrong);
  loop.writeForm();
  return loop;
}

/// Whether `slice` takes the tile that `insertion` writes.
template <typename SliceOp>
static bool isSameTile(SliceOp slice, RankedTensorType whole,
                       tensor::ParallelInsertSliceOp insertion) {
  return whole.getShape() == insertion.getDestType().getShape() &&
         slice.getMixedOffsets() == insertion.getMixedOffsets() &&
         slice.getMixedSizes() == insertion.getMixedSizes() &&
         slice.getDroppedDims() == insertion.getDroppedDims() &&
         slice.hasUnitStride();
}

std::optional<ElementwiseLoop> ElementwiseLoop::match(scf::ForallOp op,
                                                      std::string &reason) {
  auto refuse = [&](const Twine &text) {
    reason = text.str();
    return std::nullopt;
  };
  ElementwiseLoop loop(op);
  SmallVector<tensor::ParallelInsertSliceOp> insertions;
  for (Operation &inner : op.getTerminator().getYieldingOps())
    insertions.push_back(cast<tensor::ParallelInsertSliceOp>(inner));
  tensor::ParallelInsertSliceOp tile = insertions.front();
  loop.count = tile.getDestType().getNumElements();
  if (insertions.size() != op.getNumResults())
    return refuse("expected results that are written once, but got one that "
                  "is written in parts");
  loop.yielded.resize(op.getNumResults());
  for (auto insertion : insertions) {
    if (!isSameTile(insertion, insertion.getDestType(), tile))
      return refuse("expected results of one shape that are written in the "
                    "same tiles, but got others");
    if (insertion.getSource().getParentBlock() != op.getBody() ||
        !insertion.getSource().getDefiningOp<linalg::GenericOp>())
      return refuse("expected results that the loop computes, but got another "
                    "tensor");
    loop.yielded[op.getTiedOpResult(op.getTiedOpOperand(cast<BlockArgument>(
                                        insertion.getDest())))
                     .getResultNumber()] = insertion.getSource();
  }
  ArrayRef<int64_t> shape = tile.getSourceType().getShape();

  for (auto generic : op.getBody()->getOps<linalg::GenericOp>()) {
    if (std::string wrong = checkGeneric(generic); !wrong.empty())
      return refuse(wrong);
    for (OpOperand &init : generic.getDpsInitsMutable())
      if (!isVisitedAlike(generic, init) ||
          cast<ShapedType>(init.get().getType()).getShape() != shape)
        return refuse(refuseOperand(init.get()));
    for (OpOperand *input : generic.getDpsInputOperands()) {
      Value value = input->get();
      if (!generic.payloadUsesValueFromOperand(input) || isConstant(value))
        continue;
      const bool isOutside =
          !op.getRegion().isAncestor(value.getParentRegion());
      if (isOutside && isNumber(generic, *input)) {
        loop.addColumn(value, /*isNumber=*/true);
        continue;
      }
      if (isOutside || !isVisitedAlike(generic, *input) ||
          cast<ShapedType>(value.getType()).getShape() != shape)
        return refuse(refuseOperand(value));
      if (value.getDefiningOp<linalg::GenericOp>())
        continue;
      auto slice = value.getDefiningOp<tensor::ExtractSliceOp>();
      if (!slice ||
          op.getRegion().isAncestor(slice.getSource().getParentRegion()) ||
          !isSameTile(slice, slice.getSourceType(), tile))
        return refuse("expected operands in the tiles of the results, but got "
                      "others");
      if (std::string wrong = checkWhole(slice.getSource()); !wrong.empty())
        return refuse(wrong);
      loop.columnOf[value] =
          loop.addColumn(slice.getSource(), /*isNumber=*/false);
    }
    for (Value number : getCaptured(generic)) {
      if (isConstant(number))
        continue;
      if (op.getRegion().isAncestor(number.getParentRegion()))
        return refuse("expected numbers from outside of the loop, but got one "
                      "that depends on the tile");
      loop.addColumn(number, /*isNumber=*/true);
    }
    loop.body.push_back(generic);
  }
  if (std::string wrong = loop.checkReads(); !wrong.empty())
    return refuse(wrong);
  loop.writeForm();
  return loop;
}

std::string ElementwiseLoop::checkReads() const {
  // What is full of a constant may be read as that constant, and not be there.
  return llvm::all_of(columns, [](const Column &c) { return c.isNumber; })
             ? "expected elements that depend on those of a tensor, but got "
               "ones that do not"
             : "";
}

std::optional<unsigned> ElementwiseLoop::getNumber(linalg::GenericOp op,
                                                   Value value) const {
  auto argument = dyn_cast<BlockArgument>(value);
  if (argument && argument.getOwner() == op.getBody()) {
    if (argument.getArgNumber() >= op.getNumDpsInputs())
      return std::nullopt;
    value = op.getDpsInputOperand(argument.getArgNumber())->get();
  }
  auto column = columnOf.find(value);
  if (column == columnOf.end() || !columns[column->second].isNumber)
    return std::nullopt;
  return column->second;
}

/// The guard of a step is a choice of each element: between what was there,
/// where the step is skipped, and what is new. What only such choices read need
/// not be loaded in a step that is taken.
void ElementwiseLoop::findConditions() {
  struct Uses {
    std::optional<std::pair<unsigned, bool>> condition;
    bool areChoices = true;
  };
  SmallVector<Uses> uses(columns.size());
  for (linalg::GenericOp generic : body)
    for (OpOperand *input : generic.getDpsInputOperands()) {
      auto column = columnOf.find(input->get());
      if (column == columnOf.end())
        continue;
      Uses &seen = uses[column->second];
      for (OpOperand &use : generic.getMatchingBlockArgument(input).getUses()) {
        auto choice = dyn_cast<arith::SelectOp>(use.getOwner());
        std::optional<unsigned> number =
            choice && use.getOperandNumber() != 0
                ? getNumber(generic, choice.getCondition())
                : std::nullopt;
        auto condition =
            std::make_pair(number.value_or(0), use.getOperandNumber() == 1);
        seen.areChoices &=
            number && seen.condition.value_or(condition) == condition;
        seen.condition = condition;
      }
    }
  for (auto [column, seen] : llvm::zip_equal(columns, uses))
    if (!column.isNumber && seen.condition && seen.areChoices) {
      column.condition = seen.condition->first;
      column.isWanted = seen.condition->second;
    }
}

void ElementwiseLoop::writeForm() {
  findConditions();
  llvm::raw_string_ostream out(form);
  for (const Column &column : columns)
    out << (column.isNumber ? "number " : "tensor ") << column.getElement()
        << ";";
  llvm::DenseMap<Value, unsigned> numbers;
  auto write = [&](Value value) {
    Attribute constant;
    if (auto column = columnOf.find(value); column != columnOf.end())
      out << " c" << column->second;
    else if (auto known = numbers.find(value); known != numbers.end())
      out << " v" << known->second;
    else if (matchPattern(value, m_Constant(&constant)))
      out << " " << constant;
    else
      out << " v" << (numbers[value] = numbers.size());
  };
  for (linalg::GenericOp generic : body) {
    for (OpOperand *input : generic.getDpsInputOperands()) {
      BlockArgument inside = generic.getMatchingBlockArgument(input);
      if (!generic.payloadUsesValueFromOperand(input))
        continue;
      numbers[inside] = numbers.size();
      out << "v" << numbers[inside] << " =";
      write(input->get());
      out << ";";
    }
    for (Operation &inner : generic.getBody()->without_terminator()) {
      out << inner.getName() << inner.getAttrDictionary();
      llvm::for_each(inner.getOperands(), write);
      for (Value result : inner.getResults()) {
        out << " ->";
        write(result);
        out << result.getType();
      }
      out << ";";
    }
    out << "yield";
    for (auto [result, value] :
         llvm::zip_equal(generic.getResults(),
                         generic.getBody()->getTerminator()->getOperands())) {
      write(value);
      out << " ->";
      write(result);
    }
    out << ";";
  }
  for (auto [value, result] : llvm::zip_equal(yielded, op->getResults())) {
    write(value);
    out << ":" << getElementTypeOrSelf(result.getType());
  }
}

SmallVector<Value>
ElementwiseLoop::emitElement(DeviceBuilder &b, ArrayRef<Value> elements) const {
  IRMapping numbers;
  for (auto [value, column] : columnOf)
    if (!isa<ShapedType>(value.getType()))
      numbers.map(value, elements[column]);
  llvm::DenseMap<Value, Value> computed;
  for (linalg::GenericOp generic : body) {
    auto read = [&](OpOperand &operand) {
      auto column = columnOf.find(operand.get());
      return column != columnOf.end() ? elements[column->second]
                                      : computed.lookup(operand.get());
    };
    SmallVector<Value> starts;
    for (Value result : generic.getResults())
      starts.push_back(b.zero(getElementTypeOrSelf(result.getType())));
    SmallVector<Value> results =
        emitBody(b, generic, GenericLoops(generic), starts, numbers,
                 {read, [](Value, Numbers) { return Value(); }});
    for (auto [result, value] : llvm::zip_equal(generic.getResults(), results))
      computed[result] = value;
  }
  return llvm::map_to_vector(
      yielded, [&](Value value) { return computed.lookup(value); });
}
