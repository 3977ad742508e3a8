//===- PrecisionUnits.cpp - Operations that round together ----------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Three steps. Origins first: equal function and scope id, forward and backward
// alike, share a number. Then movements: front ends put no origin on views and
// pads, so a view of a unit's inner value that only the unit uses belongs to it;
// otherwise it would round the value on its way. Last, for operations without
// origin, structure: a bias joins its contraction, and what only feeds FP32
// operations joins them (the subtraction before an exp). The order matters: the
// last step asks for the units of users, so it walks backwards.
//
//===----------------------------------------------------------------------===//

#include "amp/Analysis/PrecisionUnits.h"

#include "amp/Analysis/ComputeKind.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace mlir::amp;

Value mlir::amp::getMovedValue(Value value) {
  while (Operation *def = value.getDefiningOp()) {
    if (getComputeKind(def) != ComputeKind::Movement)
      return value;
    Value source;
    for (Value operand : getReadValues(def)) {
      if (!isCastableTensor(operand.getType()))
        continue;
      Operation *producer = operand.getDefiningOp();
      if (producer && getComputeKind(producer) == ComputeKind::Neutral)
        continue;
      if (source && source != operand)
        return value; // concat, insert_slice: a value of its own
      source = operand;
    }
    if (!source)
      return value;
    value = source;
  }
  return value;
}

PrecisionUnits::PrecisionUnits(FunctionOpInterface function,
                               const ValueOrigins &origins,
                               const ModelBoundary *boundary) {
  SmallVector<Operation *> ops;
  function->walk<WalkOrder::PreOrder>([&](Operation *op) {
    ComputeKind kind = getComputeKind(op);
    if (kind == ComputeKind::Control)
      return WalkResult::advance();
    if (kind != ComputeKind::Other && op != function.getOperation())
      ops.push_back(op);
    return WalkResult::skip();
  });
  groupByOrigin(ops, boundary);
  joinMovements(ops);
  joinByStructure(ops, origins);
}

void PrecisionUnits::assign(Operation *op, unsigned unit) {
  auto [it, isNew] = unitOf.try_emplace(op, unit);
  if (!isNew) {
    llvm::erase(units[it->second].ops, op);
    it->second = unit;
  }
  units[unit].ops.push_back(op);
}

void PrecisionUnits::groupByOrigin(ArrayRef<Operation *> ops,
                                   const ModelBoundary *boundary) {
  // A batch normalisation is keyed by its layer, or, without one, joined to the
  // batch-norm operation that it is next to.
  llvm::DenseMap<std::pair<Attribute, Attribute>, unsigned> byOrigin;
  llvm::DenseMap<Attribute, unsigned> byLayer;
  auto open = [&](Operation *op) {
    units.emplace_back();
    if (auto function = op->getAttrOfType<StringAttr>(kFunctionAttr))
      units.back().function = function.getValue();
    return units.size() - 1;
  };
  for (Operation *op : ops) {
    ComputeKind kind = getComputeKind(op);
    Attribute id = op->getAttr(kScopeIdAttr);
    if (boundary && boundary->isBatchNorm(op) && kind != ComputeKind::Neutral) {
      if (Attribute layer = op->getAttr(kLayerAttr)) {
        auto [it, isNew] = byLayer.try_emplace(layer, 0);
        if (isNew)
          it->second = open(op);
        assign(op, it->second);
        continue;
      }
      if (!id) {
        std::optional<unsigned> neighbour;
        for (Value value : getReadValues(op))
          if (Operation *def = value.getDefiningOp())
            if (boundary->isBatchNorm(def) && unitOf.count(def))
              neighbour = unitOf.lookup(def);
        assign(op, neighbour ? *neighbour : open(op));
        continue;
      }
    }
    if (!id) {
      if (kind == ComputeKind::Neutral)
        continue; // belongs to whoever uses it
      unsigned unit = open(op);
      units[unit].structural = !op->hasAttr(kScopeAttr);
      assign(op, unit);
      continue;
    }
    Attribute function = op->getAttr(kFunctionAttr);
    auto [it, isNew] = byOrigin.try_emplace({function, id}, 0);
    if (isNew)
      it->second = open(op);
    assign(op, it->second);
  }
}

void PrecisionUnits::joinMovements(ArrayRef<Operation *> ops) {
  for (Operation *op : llvm::reverse(ops)) {
    if (op->hasAttr(kScopeIdAttr) || getComputeKind(op) != ComputeKind::Movement)
      continue;
    Operation *producer = getMovedValue(op->getResult(0)).getDefiningOp();
    if (!producer || producer == op)
      continue;
    std::optional<unsigned> unit = lookup(producer);
    if (!unit || op->use_empty())
      continue;
    if (llvm::all_of(op->getUsers(), [&](Operation *user) { return lookup(user) == unit; }))
      assign(op, *unit);
  }
}

/// True if every user of `op` that has a unit is in `unit` and none is without.
static std::optional<unsigned>
getOnlyUserUnit(Operation *op, const PrecisionUnits &units) {
  std::optional<unsigned> only;
  for (Operation *user : op->getUsers()) {
    std::optional<unsigned> unit = units.lookup(user);
    if (!unit || (only && only != unit))
      return std::nullopt;
    only = unit;
  }
  return only;
}

void PrecisionUnits::joinByStructure(ArrayRef<Operation *> ops,
                                     const ValueOrigins &origins) {
  for (Operation *op : llvm::reverse(ops)) {
    std::optional<unsigned> unit = lookup(op);
    if (!unit || !units[*unit].structural)
      continue;
    ComputeKind kind = getComputeKind(op);
    // A bias: added to the contraction's only use, and a parameter.
    if (kind == ComputeKind::Promote) {
      Operation *contraction = nullptr;
      bool addsParameter = false;
      for (Value value : getReadValues(op)) {
        Operation *def = value.getDefiningOp();
        if (def && getComputeKind(def) == ComputeKind::Contraction && def->hasOneUse())
          contraction = def;
        else
          addsParameter |= origins.lookup(value).isParameterOnly();
      }
      if (contraction && addsParameter && lookup(contraction)) {
        assign(op, *lookup(contraction));
        continue;
      }
    }
    if (kind != ComputeKind::Promote && kind != ComputeKind::Follow)
      continue;
    std::optional<unsigned> users = getOnlyUserUnit(op, *this);
    if (!users || !units[*users].structural)
      continue;
    bool wide = llvm::any_of(units[*users].ops, [](Operation *other) {
      return getComputeKind(other) == ComputeKind::Wide;
    });
    bool contracts = llvm::any_of(units[*users].ops, [](Operation *other) {
      return getComputeKind(other) == ComputeKind::Contraction;
    });
    if (wide && !contracts)
      assign(op, *users);
  }
}
