//===- OrderPlan.cpp - Storage orders of a whole function -----------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Convolutions ask for orders of their tensors. From there orders spread,
// nearest first, along everything that could compute in them: from a tensor to
// the operations that read or made it, from an operation to its other tensors.
// Each operation so gets at most one preferred order beside the written one,
// and OrderProblem chooses between the two for all at once. An operation that
// no preference reaches, or that cannot follow it (a reshape that mixes
// channels with pixels), stays as written; so does the boundary: arguments,
// results, matrix products, calls, whatever is not known.
//
// A transposition is no operation here but a name for the value before it, with
// its dimensions in another order. So one that a layout change can take the
// place of costs nothing, and two that meet cancel.
//
// Bytes are counted per step: a value inside a loop as often as the loop runs.
//
//===----------------------------------------------------------------------===//

#include "amp/Layout/OrderPlan.h"
#include "amp/Support/ShapedBytes.h"

#include "amp/Analysis/ComputeKind.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::amp;

/// Stands in for an extent, or a number of iterations, that is not known. Most
/// often it is the batch, which activations share, so that it matters against
/// weights only.
static constexpr int64_t kUnknownExtent = 32;

bool mlir::amp::isMadeInAnyOrder(Value value) {
  Operation *def = value.getDefiningOp();
  if (isa_and_present<tensor::EmptyOp, linalg::FillOp>(def))
    return true;
  auto constant = dyn_cast_or_null<arith::ConstantOp>(def);
  return constant && isa<SplatElementsAttr>(constant.getValue());
}

/// Bytes read and written by a copy of `value`, in one step.
static int64_t getCopyBytes(Value value) {
  int64_t bytes =
      countShapedBytes(cast<ShapedType>(value.getType()), kUnknownExtent);
  Operation *parent = value.getParentBlock()->getParentOp();
  for (; parent && !isa<FunctionOpInterface>(parent);
       parent = parent->getParentOp()) {
    auto loop = dyn_cast<LoopLikeOpInterface>(parent);
    if (!loop)
      continue;
    std::optional<APInt> trips = loop.getStaticTripCount();
    bytes *= trips ? trips->getSExtValue() : kUnknownExtent;
  }
  return 2 * bytes;
}

//===----------------------------------------------------------------------===//
// Nodes
//===----------------------------------------------------------------------===//

unsigned OrderPlan::addNode(Operation *op, TensorAccesses accesses) {
  unsigned index = nodes.size();
  for (auto [number, access] : llvm::enumerate(accesses.tensors)) {
    if (access.use)
      uses[access.use] = {index, number};
    if (access.definition)
      definitions[access.definition] = {index, number};
  }
  nodesOf[op].push_back(index);
  OrderNode &node = nodes.emplace_back();
  node.op = op;
  node.accesses = std::move(accesses);
  return index;
}

/// One node for each tensor that a loop carries or a branch hands out: its
/// initial value, what is yielded, what is seen inside and what comes out.
void OrderPlan::addCarried(Operation *op) {
  for (OpResult result : op->getResults()) {
    if (!hasSeveralOrders(result.getType()))
      continue;
    unsigned number = result.getResultNumber();
    TensorAccesses accesses;
    accesses.numLoops = cast<RankedTensorType>(result.getType()).getRank();
    auto add = [&](OpOperand *use, Value definition) {
      accesses.tensors.push_back(getElementwiseAccess(use, definition));
    };
    if (auto loop = dyn_cast<scf::ForOp>(op)) {
      add(&loop.getInitArgsMutable()[number], Value());
      add(nullptr, loop.getRegionIterArg(number));
    }
    for (Region &region : op->getRegions())
      add(&region.front().getTerminator()->getOpOperand(number), Value());
    add(nullptr, result);
    addNode(op, std::move(accesses));
  }
}

void OrderPlan::addNodes(Operation *op) {
  // These have no order of their own.
  if (isa<linalg::TransposeOp>(op) ||
      (op->getNumResults() == 1 && isMadeInAnyOrder(op->getResult(0))))
    return;
  if (isa<scf::ForOp, scf::IfOp>(op))
    return addCarried(op);
  std::optional<TensorAccesses> accesses = getTensorAccesses(op);
  if (accesses && !accesses->tensors.empty())
    addNode(op, std::move(*accesses));
}

ArrayRef<unsigned> OrderPlan::getNodes(Operation *op) const {
  auto it = nodesOf.find(op);
  return it == nodesOf.end() ? ArrayRef<unsigned>() : it->second;
}

std::optional<StorageOrder> OrderPlan::getOrder(OpOperand &use) const {
  auto it = uses.find(&use);
  if (it == uses.end())
    return std::nullopt;
  const OrderNode &node = nodes[it->second.first];
  return node.getOrder(it->second.second, node.choice);
}

std::optional<StorageOrder> OrderPlan::getOrder(Value definition) const {
  auto it = definitions.find(definition);
  if (it == definitions.end())
    return std::nullopt;
  const OrderNode &node = nodes[it->second.first];
  return node.getOrder(it->second.second, node.choice);
}

TransposedValue OrderPlan::lookThrough(Value value) const {
  int64_t rank = cast<RankedTensorType>(value.getType()).getRank();
  TransposedValue seen{value, getWrittenOrder(rank)};
  while (auto transpose = seen.root.getDefiningOp<linalg::TransposeOp>()) {
    if (!transpose.hasPureTensorSemantics())
      break;
    // Dimension i of the result is dimension permutation[i] of the input.
    for (int64_t &dim : seen.dims)
      dim = transpose.getPermutation()[dim];
    seen.root = transpose.getInput();
  }
  return seen;
}

//===----------------------------------------------------------------------===//
// Preferences
//===----------------------------------------------------------------------===//

/// Gives `node` the preferred order in which its tensor `access` has `order`,
/// if it has none yet and can follow.
void OrderPlan::offer(unsigned index, unsigned access,
                      ArrayRef<int64_t> order) {
  OrderNode &node = nodes[index];
  if (node.isConvolution || !node.preferred.empty() ||
      getComputeKind(node.op) == ComputeKind::Contraction)
    return;
  const TensorAccess &origin = node.accesses.tensors[access];
  SmallVector<unsigned> loops =
      getLoopOrder(origin, order, node.accesses.numLoops);
  SmallVector<StorageOrder, 4> preferred;
  for (const TensorAccess &tensor : node.accesses.tensors)
    preferred.push_back(getTensorOrder(tensor, loops));
  if (isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(node.op)) {
    std::optional<StorageOrder> expanded = getExpandedOrder(node.op, loops);
    if (!expanded)
      return;
    bool expands = isa<tensor::ExpandShapeOp>(node.op);
    for (auto [tensor, of] : llvm::zip_equal(node.accesses.tensors, preferred))
      if ((tensor.use != nullptr) != expands)
        of = *expanded;
    loops.assign(expanded->begin(), expanded->end());
  }
  // Nothing to choose where all orders are the same bytes.
  if (llvm::all_of(llvm::zip_equal(node.accesses.tensors, preferred),
                   [](auto pair) {
                     auto &[tensor, of] = pair;
                     return isSameInMemory(tensor.getType().getShape(), of,
                                           getWrittenOrder(of.size()));
                   }))
    return;
  node.loops = std::move(loops);
  node.preferred = std::move(preferred);
  for (auto [tensor, of] :
       llvm::zip_equal(node.accesses.tensors, node.preferred)) {
    TransposedValue seen = lookThrough(tensor.getValue());
    if (!isMadeInAnyOrder(seen.root) &&
        wanted.try_emplace(seen.root, seen.toRoot(of)).second)
      queue.push_back(seen.root);
  }
}

/// Calls `visit` for each use of `value` and of its transpositions, with the
/// value that is used.
static void visitUses(Value value,
                      llvm::function_ref<void(OpOperand &)> visit) {
  for (OpOperand &use : value.getUses()) {
    auto transpose = dyn_cast<linalg::TransposeOp>(use.getOwner());
    if (!transpose)
      visit(use);
    else if (&use == &transpose.getInputMutable())
      visitUses(transpose->getResult(0), visit);
  }
}

void OrderPlan::spreadFrom(Value root) {
  StorageOrder order = wanted[root];
  auto offerTo = [&](std::pair<unsigned, unsigned> place, Value value) {
    // `order` names dimensions of the root; the node sees the value.
    TransposedValue seen = lookThrough(value);
    StorageOrder valueDims = getPositions(seen.dims), valueOrder;
    for (int64_t dim : order)
      valueOrder.push_back(valueDims[dim]);
    offer(place.first, place.second, valueOrder);
  };
  if (auto it = definitions.find(root); it != definitions.end())
    offerTo(it->second, root);
  visitUses(root, [&](OpOperand &use) {
    if (auto it = uses.find(&use); it != uses.end())
      offerTo(it->second, use.get());
  });
}

void OrderPlan::preferForConvolutions(FunctionOpInterface function) {
  ValueOrigins origins(function);
  for (OrderNode &node : nodes) {
    std::optional<ConvolutionOrders> orders =
        getConvolutionOrders(node.op, origins);
    if (!orders)
      continue;
    node.isConvolution = true;
    auto linalg = cast<linalg::LinalgOp>(node.op);
    for (const TensorAccess &tensor : node.accesses.tensors) {
      bool isInput = tensor.use == linalg.getDpsInputOperand(0);
      bool isFilter = tensor.use == linalg.getDpsInputOperand(1);
      node.preferred.push_back(isInput    ? orders->input
                               : isFilter ? orders->filter
                                          : orders->output);
      TransposedValue seen = lookThrough(tensor.getValue());
      if (!isMadeInAnyOrder(seen.root) &&
          wanted.try_emplace(seen.root, seen.toRoot(node.preferred.back()))
              .second)
        queue.push_back(seen.root);
    }
  }
  for (unsigned i = 0; i < queue.size(); ++i) // grows
    spreadFrom(queue[i]);
}

//===----------------------------------------------------------------------===//
// Choice
//===----------------------------------------------------------------------===//

/// True if `use` takes the tensor in any order: its size, or single elements.
static bool takesAnyOrder(OpOperand &use) {
  if (auto dim = dyn_cast<tensor::DimOp>(use.getOwner()))
    return dim.getConstantIndex().has_value();
  if (isa<tensor::ExtractOp>(use.getOwner()))
    return true;
  // What linalg reads and is no access of it, it gathers or does not read.
  auto linalg = dyn_cast<linalg::LinalgOp>(use.getOwner());
  return linalg && linalg.hasPureTensorSemantics();
}

void OrderPlan::solve() {
  OrderProblem problem;
  for (const OrderNode &node : nodes)
    if (node.isConvolution)
      problem.addFixedNode(OrderChoice::Preferred);
    else if (node.preferred.empty())
      problem.addFixedNode(OrderChoice::Written);
    else
      problem.addNode();
  unsigned boundary = problem.addFixedNode(OrderChoice::Written);

  for (Value root : roots) {
    ArrayRef<int64_t> shape = cast<RankedTensorType>(root.getType()).getShape();
    // Orders that are the same in memory have the same number.
    SmallVector<StorageOrder> orders;
    auto number = [&](ArrayRef<int64_t> order) -> int {
      StorageOrder moving = getMovingDims(shape, order);
      auto *it = llvm::find(orders, moving);
      if (it != orders.end())
        return std::distance(orders.begin(), it);
      orders.push_back(moving);
      return orders.size() - 1;
    };
    auto getOrders = [&](std::pair<unsigned, unsigned> place, Value value) {
      TransposedValue seen = lookThrough(value);
      OrderProblem::Orders result;
      for (OrderChoice choice : {OrderChoice::Written, OrderChoice::Preferred})
        result[unsigned(choice)] = number(
            seen.toRoot(nodes[place.first].getOrder(place.second, choice)));
      return result;
    };
    unsigned producer = boundary;
    int written = number(getWrittenOrder(shape.size()));
    OrderProblem::Orders produced = {written, written};
    if (auto it = definitions.find(root); it != definitions.end()) {
      producer = it->second.first;
      produced = getOrders(it->second, root);
    }
    SmallVector<OrderProblem::Demand> demands;
    visitUses(root, [&](OpOperand &use) {
      if (auto it = uses.find(&use); it != uses.end()) {
        demands.push_back({it->second.first, getOrders(it->second, use.get())});
      } else if (!takesAnyOrder(use)) {
        TransposedValue seen = lookThrough(use.get());
        int order = number(seen.dims);
        demands.push_back({boundary, {order, order}});
      }
    });
    problem.addValue(getCopyBytes(root), producer, produced, demands);
  }

  separate = problem.evaluate(problem.getWritten());
  SmallVector<OrderChoice> choices = problem.solve();
  planned = problem.evaluate(choices);
  for (auto [node, choice] : llvm::zip(nodes, ArrayRef(choices).drop_back()))
    node.choice = choice;
}

bool OrderPlan::isWritten() const {
  return llvm::all_of(nodes, [](const OrderNode &node) {
    return node.choice == OrderChoice::Written ||
           llvm::all_of(node.preferred, isWrittenOrder);
  });
}

OrderPlan::OrderPlan(FunctionOpInterface function) {
  auto addRoot = [&](Value value) {
    if (hasSeveralOrders(value.getType()) && !isMadeInAnyOrder(value) &&
        !value.getDefiningOp<linalg::TransposeOp>())
      roots.push_back(value);
  };
  function->walk<WalkOrder::PreOrder>([&](Operation *op) {
    llvm::for_each(op->getResults(), addRoot);
    if (op != function)
      addNodes(op);
    // Bodies of linalg and pads work on elements.
    if (isa<linalg::LinalgOp, tensor::PadOp>(op))
      return WalkResult::skip();
    for (Region &region : op->getRegions())
      for (Block &block : region)
        llvm::for_each(block.getArguments(), addRoot);
    return WalkResult::advance();
  });
  preferForConvolutions(function);
  solve();
}
