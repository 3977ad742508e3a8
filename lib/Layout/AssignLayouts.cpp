//===- AssignLayouts.cpp - Storage orders for a whole step ----------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// OrderPlan has decided; here the program follows in one walk. Each operation
// is written anew on the forms of its operands that the plan says, and leaves
// word of the form that it made (StoredForms); whoever comes later asks there.
// What is not of the plan asks for its operands as written. Operations as
// written stay until the end, because the forms are known by their values, and
// then go.
//
// Loops and branches are not written anew: their block arguments and results
// change type where they stand.
//
//===----------------------------------------------------------------------===//

#include "ReorderOperation.h"
#include "StoredForms.h"
#include "amp/Layout/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

#define DEBUG_TYPE "amp-assign-layouts"

namespace mlir::amp {
#define GEN_PASS_DEF_ASSIGNLAYOUTSPASS
#include "amp/Layout/Passes.h.inc"
} // namespace mlir::amp

using namespace mlir;
using namespace mlir::amp;

namespace {
class LayoutRewriter {
public:
  LayoutRewriter(FunctionOpInterface function, const OrderPlan &plan)
      : function(function), plan(plan), forms(plan, function->getContext()) {}

  void run();

private:
  void visit(Operation *op);
  void visitLinalg(linalg::LinalgOp op);
  void visitCarried(Operation *op);
  void visitBody(Operation *op);
  void takeElements(tensor::ExtractOp op);
  void takeSize(tensor::DimOp op);
  void replace(Operation *op, Operation *created,
               ArrayRef<StorageOrder> orders);

  FunctionOpInterface function;
  const OrderPlan &plan;
  StoredForms forms;
  SmallVector<Operation *> replaced;
};
} // namespace

/// The order in which `op` makes its result `result`.
static StorageOrder getResultOrder(const OrderPlan &plan, Value result) {
  if (std::optional<StorageOrder> order = plan.getOrder(result))
    return *order;
  return getWrittenOrder(cast<RankedTensorType>(result.getType()).getRank());
}

void LayoutRewriter::replace(Operation *op, Operation *created,
                             ArrayRef<StorageOrder> orders) {
  for (auto [result, form, order] :
       llvm::zip_equal(op->getResults(), created->getResults(), orders))
    if (hasSeveralOrders(result.getType()))
      forms.setMade(result, form, order);
    else
      result.replaceAllUsesWith(form);
  replaced.push_back(op);
}

/// A single element: its indices follow the form that was made.
void LayoutRewriter::takeElements(tensor::ExtractOp op) {
  if (!hasSeveralOrders(op.getTensor().getType()))
    return;
  auto [made, order] = forms.getMade(op.getTensor());
  SmallVector<Value> indices(op.getIndices());
  op.getIndicesMutable().assign(reorder(indices, order));
  op.getTensorMutable().assign(made);
}

void LayoutRewriter::takeSize(tensor::DimOp op) {
  std::optional<int64_t> dim = op.getConstantIndex();
  if (!dim || !hasSeveralOrders(op.getSource().getType()))
    return;
  auto [made, order] = forms.getMade(op.getSource());
  OpBuilder builder(op);
  op.getIndexMutable().assign(arith::ConstantIndexOp::create(
      builder, op.getLoc(), getPositions(order)[*dim]));
  op.getSourceMutable().assign(made);
}

/// Tensors that the body of a linalg operation captures.
void LayoutRewriter::visitBody(Operation *op) {
  for (Region &region : op->getRegions())
    region.walk([&](Operation *inner) {
      if (auto extract = dyn_cast<tensor::ExtractOp>(inner))
        return takeElements(extract);
      if (auto dim = dyn_cast<tensor::DimOp>(inner))
        takeSize(dim);
      for (OpOperand &operand : inner->getOpOperands())
        if (hasSeveralOrders(operand.get().getType()) &&
            !isa<tensor::DimOp>(inner))
          operand.set(forms.get(
              operand.get(),
              getWrittenOrder(
                  cast<RankedTensorType>(operand.get().getType()).getRank())));
    });
}

void LayoutRewriter::visitLinalg(linalg::LinalgOp op) {
  SmallVector<StorageOrder> resultOrders;
  for (Value result : op->getResults())
    resultOrders.push_back(getResultOrder(plan, result));
  SmallVector<ReorderedOperand> operands;
  for (OpOperand &operand : op->getOpOperands()) {
    Value value = operand.get();
    auto type = dyn_cast<RankedTensorType>(value.getType());
    StorageOrder order = getWrittenOrder(type ? type.getRank() : 0);
    if (!type || !hasSeveralOrders(type)) {
      // Not of the plan.
    } else if (std::optional<StorageOrder> planned = plan.getOrder(operand)) {
      order = *planned;
      value = forms.get(value, order);
    } else if (op.isDpsInit(&operand)) {
      // Nobody reads it: where it is to be is all that counts.
      order = resultOrders[op.getTiedOpResult(&operand).getResultNumber()];
      value = isMadeInAnyOrder(value) ? forms.get(value, order)
                                      : forms.getEmpty(value, order);
    } else {
      std::tie(value, order) = forms.getMade(value); // any order will do
    }
    operands.push_back({value, order});
  }
  bool isWritten = llvm::all_of(resultOrders, isWrittenOrder) &&
                   llvm::all_of(operands, [](const ReorderedOperand &operand) {
                     return isWrittenOrder(operand.order);
                   });
  Operation *result = op;
  if (isWritten || isa<linalg::FillOp>(op)) {
    for (auto [operand, given] : llvm::zip_equal(op->getOpOperands(), operands))
      operand.set(given.value);
  } else {
    ArrayRef<unsigned> loops, nodes = plan.getNodes(op);
    if (!nodes.empty())
      loops = plan.getNode(nodes.front()).loops;
    OpBuilder builder(op);
    result = createReorderedLinalg(builder, op, operands, resultOrders, loops);
    replace(op, result, resultOrders);
  }
  visitBody(result);
}

/// Loops and branches: what they carry changes type.
void LayoutRewriter::visitCarried(Operation *op) {
  auto retype = [&](Value value) {
    if (!hasSeveralOrders(value.getType()))
      return;
    StorageOrder order = getResultOrder(plan, value);
    value.setType(reorderType(cast<RankedTensorType>(value.getType()), order));
    forms.setMade(value, value, order);
  };
  if (auto loop = dyn_cast<scf::ForOp>(op))
    for (Value argument : loop.getRegionIterArgs())
      retype(argument);
  for (Value result : op->getResults())
    retype(result);
}

void LayoutRewriter::visit(Operation *op) {
  if (auto transpose = dyn_cast<linalg::TransposeOp>(op);
      transpose && transpose.hasPureTensorSemantics()) {
    if (hasSeveralOrders(transpose->getResult(0).getType()))
      forms.addTransposed(transpose->getResult(0));
    return;
  }
  if (auto linalg = dyn_cast<linalg::LinalgOp>(op);
      linalg && linalg.hasPureTensorSemantics())
    return visitLinalg(linalg);
  if (auto extract = dyn_cast<tensor::ExtractOp>(op))
    return takeElements(extract);
  if (auto dim = dyn_cast<tensor::DimOp>(op); dim && dim.getConstantIndex())
    return takeSize(dim);

  SmallVector<ReorderedOperand> operands;
  bool isWritten = true;
  for (OpOperand &operand : op->getOpOperands()) {
    Value value = operand.get();
    auto type = dyn_cast<RankedTensorType>(value.getType());
    StorageOrder order = getWrittenOrder(type ? type.getRank() : 0);
    if (type && hasSeveralOrders(type)) {
      if (std::optional<StorageOrder> planned = plan.getOrder(operand))
        order = *planned;
      value = forms.get(value, order);
    }
    isWritten &= isWrittenOrder(order);
    operands.push_back({value, order});
  }
  bool isCarried = isa<scf::ForOp, scf::IfOp>(op);
  bool isNode = !plan.getNodes(op).empty();
  if (isNode && !isCarried) {
    StorageOrder order = getResultOrder(plan, op->getResult(0));
    if (!isWritten || !isWrittenOrder(order)) {
      OpBuilder builder(op);
      return replace(op, createReordered(builder, op, operands, order),
                     {order});
    }
  }
  for (auto [operand, given] : llvm::zip_equal(op->getOpOperands(), operands))
    operand.set(given.value);
  if (isCarried)
    visitCarried(op);
}

void LayoutRewriter::run() {
  SmallVector<Operation *> ops;
  function->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (op != function)
      ops.push_back(op);
    return isa<linalg::LinalgOp, tensor::PadOp>(op) ? WalkResult::skip()
                                                    : WalkResult::advance();
  });
  for (Operation *op : ops)
    visit(op);
  llvm::DenseSet<Operation *> gone(replaced.begin(), replaced.end());
  for (Operation *op : llvm::reverse(ops))
    if (gone.contains(op) || isOpTriviallyDead(op))
      op->erase();
}

namespace {
struct AssignLayouts : public amp::impl::AssignLayoutsPassBase<AssignLayouts> {
  using AssignLayoutsPassBase::AssignLayoutsPassBase;

  void runOnOperation() override {
    func::FuncOp function = getOperation();
    if (function.isDeclaration())
      return;
    // What a cut could not state exactly may be better seen from its result.
    LayoutChanges separate, planned;
    for (unsigned round = 0;; ++round) {
      OrderPlan plan(function);
      if (round == 0)
        separate = plan.getSeparate();
      planned = plan.getPlanned();
      if (plan.isWritten())
        break;
      LayoutRewriter(function, plan).run();
    }
    numSeparate += separate.count;
    numSeparateBytes += separate.bytes;
    numPlanned += planned.count;
    numPlannedBytes += planned.bytes;
    if (remarks)
      emitRemark(function.getLoc())
          << planned.count << " layout changes move " << planned.bytes
          << " bytes; with each convolution by itself, " << separate.count
          << " would move " << separate.bytes;
  }
};
} // namespace
