//===- Predicates.cpp - Whether something overflowed, as a value ----------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Joins of predicates, each made once, and the rewrites that give a branch, a
// loop or a block one more of them to hand on.
//
//===----------------------------------------------------------------------===//

#include "StepGuard.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"

using namespace mlir;
using namespace mlir::amp;

RankedTensorType mlir::amp::getPredicateType(MLIRContext *context) {
  return RankedTensorType::get({}, IntegerType::get(context, 1));
}

SmallVector<Value> mlir::amp::getIncoming(BlockArgument argument) {
  SmallVector<Value> incoming;
  Block *block = argument.getOwner();
  for (auto it = block->pred_begin(); it != block->pred_end(); ++it)
    if (auto branch = dyn_cast<BranchOpInterface>((*it)->getTerminator())) {
      SuccessorOperands handed =
          branch.getSuccessorOperands(it.getSuccessorIndex());
      if (argument.getArgNumber() < handed.size())
        if (Value operand = handed[argument.getArgNumber()])
          incoming.push_back(operand);
    }
  return incoming;
}

void mlir::amp::setIncoming(Block::pred_iterator it, BlockArgument argument,
                            Value value) {
  Operation *end = (*it)->getTerminator();
  SuccessorOperands operands =
      cast<BranchOpInterface>(end).getSuccessorOperands(it.getSuccessorIndex());
  end->setOperand(operands.getOperandIndex(argument.getArgNumber()), value);
}

/// The union of `predicates` at the builder's place; null for none. Null
/// elements are false.
Value StepGuard::join(ArrayRef<Value> predicates) {
  llvm::SetVector<Value> distinct;
  for (Value predicate : predicates)
    if (predicate)
      distinct.insert(predicate);
  // What an unscaling was handed of the one before is in what it found.
  for (Value predicate : distinct.getArrayRef().vec())
    if (auto unscale = predicate.getDefiningOp<UnscaleOp>())
      if (Value handed = unscale.getAlreadyFound())
        distinct.remove(handed);
  Value any;
  Block *block = builder.getInsertionBlock();
  for (Value predicate : distinct) {
    if (!any) {
      any = predicate;
      continue;
    }
    auto key = std::make_tuple(block, any, predicate);
    Value &known = joined[key];
    // One made for a later place of this block is of no use here.
    bool isBefore =
        known && builder.getInsertionPoint() != block->end() &&
        known.getDefiningOp()->isBeforeInBlock(&*builder.getInsertionPoint());
    if (!isBefore && !(known && builder.getInsertionPoint() == block->end())) {
      known = arith::OrIOp::create(builder, predicate.getLoc(), any, predicate);
      created.push_back(known.getDefiningOp());
    }
    any = known;
  }
  return any;
}

Value StepGuard::joinOf(ValueRange values) {
  SmallVector<Value> predicates;
  for (Value value : values)
    if (Value predicate = found.lookup(value))
      predicates.push_back(predicate);
  return join(predicates);
}

Value StepGuard::joinOf(ValueRange values, ArrayRef<unsigned> numbers) {
  return joinOf(llvm::map_to_vector(
      numbers, [&](unsigned number) { return values[number]; }));
}

/// Numbers of those lists whose first value an overflow may have come into, in
/// groups that have the same sources in each place: one predicate serves a
/// group.
SmallVector<SmallVector<unsigned>>
StepGuard::groupBySources(ArrayRef<SmallVector<Value>> values) const {
  SmallVector<SmallVector<llvm::SmallBitVector>> keys;
  SmallVector<SmallVector<unsigned>> groups;
  for (auto [number, list] : llvm::enumerate(values)) {
    if (!reach.isReached(list.front()))
      continue;
    SmallVector<llvm::SmallBitVector> key;
    for (Value value : list)
      key.push_back(reach.getSources(value));
    unsigned group = llvm::find(keys, key) - keys.begin();
    if (group == keys.size()) {
      keys.push_back(std::move(key));
      groups.emplace_back();
    }
    groups[group].push_back(number);
  }
  return groups;
}

/// One more argument of `block`, which every branch to it hands false for.
BlockArgument StepGuard::addPredicate(Block &block) {
  BlockArgument argument =
      block.addArgument(getPredicateType(builder.getContext()), step.getLoc());
  for (auto it = block.pred_begin(); it != block.pred_end(); ++it) {
    Operation *end = (*it)->getTerminator();
    builder.setInsertionPoint(end);
    cast<BranchOpInterface>(end)
        .getSuccessorOperands(it.getSuccessorIndex())
        .append(orFalse({}));
  }
  return argument;
}

Value StepGuard::orFalse(Value predicate) {
  if (predicate)
    return predicate;
  auto constant = arith::ConstantOp::create(
      builder, step.getLoc(),
      DenseElementsAttr::get(getPredicateType(builder.getContext()), false));
  created.push_back(constant);
  return constant;
}

/// any(x - x != 0): true if an element of `accumulator` is inf or NaN.
Value StepGuard::testFinite(Value accumulator) {
  Location loc = accumulator.getLoc();
  auto type = cast<RankedTensorType>(accumulator.getType());
  auto constant = arith::ConstantOp::create(
      builder, loc,
      DenseElementsAttr::get(getPredicateType(builder.getContext()), false));
  SmallVector<AffineMap> maps = {
      builder.getMultiDimIdentityMap(type.getRank()),
      AffineMap::get(type.getRank(), 0, builder.getContext())};
  SmallVector<utils::IteratorType> iterators(type.getRank(),
                                             utils::IteratorType::reduction);
  auto test = linalg::GenericOp::create(
      builder, loc, constant.getType(), accumulator, constant.getResult(), maps,
      iterators, [](OpBuilder &inside, Location loc, ValueRange arguments) {
        Value difference =
            arith::SubFOp::create(inside, loc, arguments[0], arguments[0]);
        Value isBad = arith::CmpFOp::create(
            inside, loc, arith::CmpFPredicate::UNO, difference, difference);
        Value any = arith::OrIOp::create(inside, loc, arguments[1], isBad);
        linalg::YieldOp::create(inside, loc, any);
      });
  created.push_back(constant);
  created.push_back(test);
  return test.getResult(0);
}

/// Puts a branch in the place of `branch` that has further results: the
/// predicates `yes` of one region and `no` of the other.
scf::IfOp StepGuard::addResults(scf::IfOp branch, ArrayRef<Value> yes,
                                ArrayRef<Value> no) {
  SmallVector<Type> types(branch.getResultTypes());
  types.append(yes.size(), getPredicateType(builder.getContext()));
  builder.setInsertionPoint(branch);
  auto replaced =
      scf::IfOp::create(builder, branch.getLoc(), types, branch.getCondition(),
                        /*addThenBlock=*/false, /*addElseBlock=*/false);
  replaced->setDiscardableAttrs(branch->getDiscardableAttrDictionary());
  replaced.getThenRegion().takeBody(branch.getThenRegion());
  replaced.getElseRegion().takeBody(branch.getElseRegion());
  for (auto [region, predicates] : {std::pair(&replaced.getThenRegion(), yes),
                                    {&replaced.getElseRegion(), no}}) {
    Operation *end = region->front().getTerminator();
    builder.setInsertionPoint(end);
    SmallVector<Value> yielded;
    for (Value predicate : predicates)
      yielded.push_back(orFalse(predicate));
    end->insertOperands(end->getNumOperands(), yielded);
  }
  replaceResults(branch, replaced);
  return replaced;
}

/// Puts a loop in the place of `loop` that carries further predicates, which
/// begin as `starts`. What it yields for them is left to the caller.
scf::ForOp StepGuard::addIterArgs(scf::ForOp loop, ArrayRef<Value> starts) {
  builder.setInsertionPoint(loop);
  SmallVector<Value> inits(loop.getInitArgs());
  llvm::append_range(inits, starts);
  auto replaced = scf::ForOp::create(
      builder, loop.getLoc(), loop.getLowerBound(), loop.getUpperBound(),
      loop.getStep(), inits, [](OpBuilder &, Location, Value, ValueRange) {});
  replaced->setAttrs(loop->getAttrDictionary());
  replaced.getRegion().takeBody(loop.getRegion());
  replaceResults(loop, replaced);
  for (size_t i = 0; i != starts.size(); ++i)
    replaced.getBody()->addArgument(getPredicateType(builder.getContext()),
                                    replaced.getLoc());
  return replaced;
}

/// At the builder's place: `values`, or `kept` where `any` is true.
ApplyIfFiniteOp StepGuard::createGuard(Location loc, Value any, ValueRange kept,
                                       ValueRange values) {
  auto guard =
      ApplyIfFiniteOp::create(builder, loc, TypeRange(kept), any, kept);
  guards.insert(guard);
  builder.createBlock(&guard.getBody());
  YieldOp::create(builder, loc, values);
  return guard;
}

/// `to` is `from` with further results: what is known of the one holds for the
/// other.
void StepGuard::replaceResults(Operation *from, Operation *to) {
  auto renew = [&](Value value) -> Value {
    return value && value.getDefiningOp() == from
               ? to->getResult(cast<OpResult>(value).getResultNumber())
               : value;
  };
  for (auto [before, after] : llvm::zip(from->getResults(), to->getResults())) {
    before.replaceAllUsesWith(after);
    reach.replace(before, after);
    for (auto *places : {&advancedWith, &guardedInside, &newParams,
                         &neverSkipped, &readByUpdates, &sums})
      if (places->erase(before))
        places->insert(after);
    for (auto *known : {&found, &skipped})
      if (auto it = known->find(before); it != known->end()) {
        Value predicate = it->second;
        known->erase(it);
        (*known)[after] = predicate;
      }
  }
  // All that is known is gone through only where a predicate is replaced.
  if (llvm::is_contained(from->getResultTypes(),
                         getPredicateType(builder.getContext()))) {
    for (auto *known : {&found, &skipped})
      for (auto &[value, predicate] : *known)
        predicate = renew(predicate);
    llvm::DenseMap<std::tuple<Operation *, Value, Value>, Value> renewed;
    for (auto &[key, predicate] : handedOut)
      renewed[{std::get<0>(key), renew(std::get<1>(key)),
               renew(std::get<2>(key))}] = renew(predicate);
    handedOut = std::move(renewed);
  }
  joined.clear();
  for (auto *operations : {&opsWithSources, &opsWithTransitions, &updates})
    if (operations->erase(from))
      operations->insert(to);
  slots.erase(from);
  from->erase();
}

Value mlir::amp::createSplat(OpBuilder &builder, Value like,
                             TypedAttr element) {
  Location loc = like.getLoc();
  // The shape of a scalable vector is its type.
  if (auto shaped = dyn_cast<ShapedType>(like.getType());
      shaped && (isa<VectorType>(shaped) || shaped.hasStaticShape()))
    return arith::ConstantOp::create(builder, loc,
                                     DenseElementsAttr::get(shaped, element));
  auto type = dyn_cast<RankedTensorType>(like.getType());
  Value scalar = arith::ConstantOp::create(builder, loc, element);
  if (!type)
    return scalar;
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(builder, loc, like);
  Value empty =
      tensor::EmptyOp::create(builder, loc, sizes, type.getElementType());
  return linalg::FillOp::create(builder, loc, scalar, empty).getResult(0);
}

Value mlir::amp::createZeros(OpBuilder &builder, Value like) {
  return createSplat(builder, like,
                     builder.getZeroAttr(getElementTypeOrSelf(like)));
}
