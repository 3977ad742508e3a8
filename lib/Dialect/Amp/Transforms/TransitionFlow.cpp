//===- TransitionFlow.cpp - What a scaler is advanced with ----------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Backwards from a value, through regions, blocks and calls in both directions.
// Whatever an operation reads is a source of what it gives, conditions as well:
// that tells what an update may have heard of. Whether it hears of it surely,
// is followed beside that with a sign, over operations that are true wherever
// one of their operands is ('arith.ori', and 'arith.andi' of what is negated)
// and movements; all others may lose what was found. A loop hands over what all
// of its rounds found where that goes round in it.
//
//===----------------------------------------------------------------------===//

#include "TransitionFlow.h"

#include "amp/Dialect/Amp/IR/AmpDialect.h"
#include "amp/Dialect/Amp/IR/AmpRoles.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace mlir::amp;

TransitionFlow::TransitionFlow(ModuleOp module) : symbols(module) {
  for (auto function : module.getOps<func::FuncOp>())
    if (getFunctionKind(function) == FunctionKind::TrainStep)
      reached.insert(function);
  if (reached.empty())
    for (auto function : module.getOps<func::FuncOp>())
      reached.insert(function);
  for (unsigned i = 0; i != reached.size(); ++i)
    reached[i]->walk([&](Operation *op) {
      // Attributes are made anew for each that asks for all of them.
      if (isa<func::FuncOp>(op) ||
          (!isa<SymbolUserOpInterface, CallOpInterface>(op) &&
           op->isRegistered()))
        return;
      for (NamedAttribute attribute : op->getAttrs())
        attribute.getValue().walk([&](FlatSymbolRefAttr name) {
          if (auto callee = symbols.lookup<func::FuncOp>(name.getValue())) {
            reached.insert(callee);
            if (auto call = dyn_cast<func::CallOp>(op))
              callers[callee].push_back(call);
          }
        });
    });
}

/// What the blocks in the regions of `op` end with.
static void addTerminators(Operation *op, SmallVectorImpl<Value> &sources) {
  for (Region &region : op->getRegions())
    for (Block &block : region)
      if (block.mightHaveTerminator())
        llvm::append_range(sources, block.getTerminator()->getOperands());
}

bool TransitionFlow::addSources(BlockArgument argument,
                                SmallVectorImpl<Value> &sources) const {
  Block *block = argument.getOwner();
  Operation *parent = block->getParentOp();
  if (!block->isEntryBlock()) {
    for (Block *before : block->getPredecessors())
      llvm::append_range(sources, before->getTerminator()->getOperands());
    return true;
  }
  auto function = dyn_cast<func::FuncOp>(parent);
  if (!function) {
    llvm::append_range(sources, parent->getOperands());
    addTerminators(parent, sources);
    return true;
  }
  auto it = callers.find(function);
  if (it == callers.end())
    return false;
  for (func::CallOp call : it->second)
    sources.push_back(call.getOperand(argument.getArgNumber()));
  return true;
}

bool TransitionFlow::addSources(Value value, StringRef scaler,
                                SmallVectorImpl<Value> &sources) const {
  if (auto argument = dyn_cast<BlockArgument>(value))
    return addSources(argument, sources);
  Operation *def = value.getDefiningOp();
  if (auto unscale = dyn_cast<UnscaleOp>(def)) {
    if (value == unscale.getFoundInf() && unscale.getAlreadyFound())
      sources.push_back(unscale.getAlreadyFound());
    return true;
  }
  if (auto scale = dyn_cast<ScaleLossOp>(def))
    return scale.getScaler() != scaler;
  if (auto call = dyn_cast<func::CallOp>(def)) {
    auto callee = symbols.lookup<func::FuncOp>(call.getCallee());
    if (!callee || callee.isExternal())
      return false;
    callee.walk([&](func::ReturnOp end) {
      sources.push_back(
          end.getOperand(cast<OpResult>(value).getResultNumber()));
    });
    return true;
  }
  if (!isMemoryEffectFree(def) && !isa<RegionBranchOpInterface>(def))
    return false;
  llvm::append_range(sources, def->getOperands());
  addTerminators(def, sources);
  return true;
}

bool TransitionFlow::comesFrom(Value found, StringRef scaler) const {
  llvm::SetVector<Operation *> unscalings;
  return !findUnscalings(found, scaler, unscalings) || !unscalings.empty();
}

bool TransitionFlow::findUnscalings(
    Value found, StringRef scaler,
    llvm::SetVector<Operation *> &unscalings) const {
  SmallVector<Value> worklist{found};
  llvm::DenseSet<Value> seen;
  while (!worklist.empty()) {
    Value value = worklist.pop_back_val();
    if (!seen.insert(value).second)
      continue;
    auto unscale = value.getDefiningOp<UnscaleOp>();
    if (unscale && unscale.getScaler() == scaler) {
      unscalings.insert(unscale);
      if (unscale.getAlreadyFound())
        worklist.push_back(unscale.getAlreadyFound());
    } else if (!addSources(value, scaler, worklist)) {
      return false;
    }
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Losses
//===----------------------------------------------------------------------===//

namespace {
/// An operation on one value and a constant that keeps its truth or negates it.
struct Kept {
  Value value;
  bool isNegated;
};
} // namespace

/// What `def` keeps or negates of its one operand that is no constant: a value
/// is true where it is not 0.
static std::optional<Kept> getKept(Operation *def) {
  if (isa<AllReduceFoundInfOp, arith::ExtUIOp, arith::ExtSIOp>(def))
    return Kept{def->getOperand(0), false};
  if (def->getNumOperands() != 2)
    return std::nullopt;
  for (auto [kept, other] : {std::pair(0, 1), std::pair(1, 0)}) {
    Value value = def->getOperand(kept), constant = def->getOperand(other);
    bool isZero = matchPattern(constant, m_Zero());
    bool isTrue = getElementTypeOrSelf(value.getType()).isInteger(1) &&
                  matchPattern(constant, m_One());
    if (!isZero && !isTrue)
      continue;
    if (isa<arith::XOrIOp>(def))
      return Kept{value, isTrue};
    if (auto compare = dyn_cast<arith::CmpIOp>(def)) {
      bool isEqual = compare.getPredicate() == arith::CmpIPredicate::eq;
      if (isEqual || compare.getPredicate() == arith::CmpIPredicate::ne)
        return Kept{value, isEqual == isZero};
    }
    if (isa<arith::AndIOp>(def) && isTrue)
      return Kept{value, false};
  }
  return std::nullopt;
}

/// True if `value` is the constant `truth`.
static bool isConstant(Value value, bool truth) {
  return truth ? matchPattern(value, m_One()) : matchPattern(value, m_Zero());
}

/// The parts of what is `taken` where `condition` holds, and `other` elsewhere.
/// If the condition says itself what was found, the choice is a disjunction or
/// loses one of them.
bool TransitionFlow::addChosen(Value condition, Value taken, Value other,
                               bool isNegated, StringRef scaler,
                               SmallVectorImpl<Part> &parts) const {
  if (isConstant(taken, !isNegated))
    parts.emplace_back(condition, false);
  else if (isConstant(other, !isNegated))
    parts.emplace_back(condition, true);
  else if (!findFound(condition, scaler).empty())
    return false;
  parts.emplace_back(taken, isNegated);
  parts.emplace_back(other, isNegated);
  return true;
}

bool TransitionFlow::addParts(BlockArgument argument, bool isNegated,
                              SmallVectorImpl<Part> &parts) const {
  Block *block = argument.getOwner();
  Operation *parent = block->getParentOp();
  unsigned number = argument.getArgNumber();
  if (!block->isEntryBlock()) {
    for (auto it = block->pred_begin(); it != block->pred_end(); ++it) {
      auto branch = dyn_cast<BranchOpInterface>((*it)->getTerminator());
      if (!branch)
        return false;
      if (Value operand =
              branch.getSuccessorOperands(it.getSuccessorIndex())[number])
        parts.emplace_back(operand, isNegated);
    }
    return true;
  }
  if (isa<func::FuncOp>(parent)) {
    for (func::CallOp call : callers.lookup(parent))
      parts.emplace_back(call.getOperand(number), isNegated);
    return true;
  }
  if (auto op = dyn_cast<linalg::LinalgOp>(parent)) {
    OpOperand *operand = op.getMatchingOpOperand(argument);
    parts.emplace_back(operand->get(), isNegated);
    if (op.isDpsInit(operand))
      parts.emplace_back(
          block->getTerminator()->getOperand(number - op.getNumDpsInputs()),
          isNegated);
    return true;
  }
  return false;
}

/// Appends what regions and the operation itself hand over for `value`.
static bool addHandedOver(RegionBranchOpInterface op, Value value,
                          bool isNegated,
                          SmallVectorImpl<std::pair<Value, unsigned>> &parts) {
  RegionBranchInverseSuccessorMapping mapping;
  op.getSuccessorInputOperandMapping(mapping);
  auto it = mapping.find(value);
  if (it == mapping.end())
    return false;
  for (OpOperand *operand : it->second)
    parts.emplace_back(operand->get(), isNegated);
  return true;
}

bool TransitionFlow::addParts(Part part, StringRef scaler,
                              SmallVectorImpl<Part> &parts) const {
  Value value = part.first;
  bool isNegated = part.second;
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto op =
        dyn_cast<RegionBranchOpInterface>(argument.getOwner()->getParentOp());
    return op && argument.getOwner()->isEntryBlock()
               ? addHandedOver(op, value, isNegated, parts)
               : addParts(argument, isNegated, parts);
  }
  Operation *def = value.getDefiningOp();
  unsigned number = cast<OpResult>(value).getResultNumber();
  if (auto call = dyn_cast<func::CallOp>(def)) {
    auto callee = symbols.lookup<func::FuncOp>(call.getCallee());
    if (!callee || callee.isExternal())
      return false;
    callee.walk([&](func::ReturnOp end) {
      parts.emplace_back(end.getOperand(number), isNegated);
    });
    return true;
  }
  if (auto select = dyn_cast<arith::SelectOp>(def))
    return addChosen(select.getCondition(), select.getTrueValue(),
                     select.getFalseValue(), isNegated, scaler, parts);
  if (auto branch = dyn_cast<scf::IfOp>(def))
    return addChosen(
        branch.getCondition(), branch.thenYield().getOperand(number),
        branch.elseYield().getOperand(number), isNegated, scaler, parts);
  if (auto op = dyn_cast<linalg::LinalgOp>(def)) {
    parts.emplace_back(op.getBlock()->getTerminator()->getOperand(number),
                       isNegated);
    return true;
  }
  if (auto op = dyn_cast<RegionBranchOpInterface>(def))
    return addHandedOver(op, value, isNegated, parts);
  if (std::optional<Kept> kept = getKept(def)) {
    parts.emplace_back(kept->value, isNegated != kept->isNegated);
    return true;
  }
  bool joins = isNegated ? isa<arith::AndIOp>(def)
                         : isa<arith::OrIOp, arith::MaxUIOp>(def);
  if (!joins && !isa<tensor::TensorDialect>(def->getDialect()))
    return false;
  Type type = getElementTypeOrSelf(value.getType());
  for (Value operand : def->getOperands())
    if (getElementTypeOrSelf(operand.getType()) == type)
      parts.emplace_back(operand, isNegated);
  return true;
}

llvm::SetVector<Operation *> TransitionFlow::findFound(Value value,
                                                       StringRef scaler) const {
  llvm::SetVector<Operation *> found;
  SmallVector<Value> worklist{value};
  llvm::DenseSet<Value> seen;
  while (!worklist.empty()) {
    Value source = worklist.pop_back_val();
    if (!seen.insert(source).second)
      continue;
    auto unscale = source.getDefiningOp<UnscaleOp>();
    if (unscale && unscale.getScaler() == scaler &&
        source == unscale.getFoundInf())
      found.insert(unscale);
    addSources(source, scaler, worklist);
  }
  return found;
}

bool TransitionFlow::addAllParts(Part part, StringRef scaler,
                                 SmallVectorImpl<Part> &parts) const {
  auto unscale = part.first.getDefiningOp<UnscaleOp>();
  if (!unscale)
    return addParts(part, scaler, parts);
  if (part.first == unscale.getFoundInf() && unscale.getAlreadyFound())
    parts.emplace_back(unscale.getAlreadyFound(), part.second);
  return true;
}

llvm::SetVector<TransitionFlow::Part>
TransitionFlow::findInside(Part part, Operation *loop, StringRef scaler) const {
  llvm::SetVector<Part> inside;
  SmallVector<Part> worklist;
  addAllParts(part, scaler, worklist);
  while (!worklist.empty()) {
    Part next = worklist.pop_back_val();
    if (loop->isAncestor(next.first.getParentBlock()->getParentOp()) &&
        inside.insert(next))
      addAllParts(next, scaler, worklist);
  }
  return inside;
}

bool TransitionFlow::losesRounds(Part part, StringRef scaler) const {
  auto loop = part.first.getDefiningOp<LoopLikeOpInterface>();
  if (!loop)
    return false;
  llvm::SetVector<Part> inside = findInside(part, loop, scaler);
  bool finds = llvm::any_of(inside, [&](Part found) {
    Operation *def = found.first.getDefiningOp();
    return isa_and_present<UnscaleOp, func::CallOp>(def) &&
           !findFound(found.first, scaler).empty();
  });
  // What goes round joins all rounds.
  return finds && llvm::none_of(inside, [&](Part carried) {
           auto argument = dyn_cast<BlockArgument>(carried.first);
           return argument && argument.getOwner()->getParentOp() == loop &&
                  findInside(carried, loop, scaler).contains(carried);
         });
}

std::optional<TransitionFlow::Loss>
TransitionFlow::findLoss(Value found, StringRef scaler) const {
  SmallVector<Part> worklist{{found, false}};
  llvm::DenseSet<Part> seen;
  llvm::DenseSet<Operation *> kept;
  SmallVector<std::pair<Loss, Operation *>> losses;
  while (!worklist.empty()) {
    Part part = worklist.pop_back_val();
    if (!seen.insert(part).second)
      continue;
    auto [value, isNegated] = part;
    Operation *def = value.getDefiningOp();
    if (auto unscale = dyn_cast_if_present<UnscaleOp>(def)) {
      if (value != unscale.getFoundInf())
        continue; // a gradient
      if (unscale.getScaler() == scaler && !isNegated)
        kept.insert(unscale);
      else if (unscale.getScaler() == scaler)
        losses.push_back({{unscale, true}, unscale});
      if (unscale.getAlreadyFound())
        worklist.emplace_back(unscale.getAlreadyFound(), isNegated);
      continue;
    }
    SmallVector<Part> parts;
    if (!losesRounds(part, scaler) && addParts(part, scaler, parts)) {
      llvm::append_range(worklist, parts);
      continue;
    }
    if (!def)
      def = value.getParentBlock()->getParentOp();
    for (Operation *unscale : findFound(value, scaler))
      losses.push_back({{def, false}, unscale});
  }
  for (auto [loss, unscale] : losses)
    if (!kept.contains(unscale))
      return loss;
  return std::nullopt;
}
