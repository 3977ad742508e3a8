//===- StepSplitter.cpp - One fused step in two functions -----------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two cuts by data flow, with the marked gradients as the seam:
//
//   backward    what the gradients, the losses, and every other result that no
//               gradient reaches are computed from
//   update      what the new parameters and optimizer states are computed from,
//               down to the gradients
//
// What is left (a gradient norm that the step returns) stays where it is. An
// operation that both sides need is copied if it depends on no data (constants,
// a learning rate schedule); otherwise the first function hands its value on. A
// value of the backward pass that the update reads without a mark would be a
// gradient that is never unscaled, so that is an error.
//
// The cut must be one: a loss that depends on gradients (two optimizers, one
// after the other, in one function) has no such seam, and is refused.
//
// Linear in operations and uses.
//
//===----------------------------------------------------------------------===//

#include "StepSplitter.h"

#include "HiddenBackward.h"
#include "HiddenEffects.h"
#include "OverflowReach.h"

#include "amp/Analysis/CallComponents.h"
#include "amp/Analysis/ValueOrigins.h"
#include "amp/Dialect/Amp/IR/AmpDialect.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace mlir::amp;

//===----------------------------------------------------------------------===//
// Gradients
//===----------------------------------------------------------------------===//

LogicalResult StepSplitter::addGradient(Location loc, StringRef name,
                                        Value value) {
  Value parameter = findArgument(Role::Param, name);
  if (!parameter)
    parameter = findArgument(Role::Master, name);
  if (!parameter)
    return emitError(loc) << "expected gradient '" << name
                          << "' to be that of a 'param' of '@" << step.getName()
                          << "', but it has none of this name";
  if (parameter.getType() != value.getType())
    return emitError(loc) << "expected the gradient of '" << name
                          << "' to have the parameter's type "
                          << parameter.getType() << ", but got "
                          << value.getType();
  if (isa<BlockArgument>(value))
    return emitError(loc) << "expected the gradient of '" << name
                          << "' to be computed by '@" << step.getName()
                          << "', but it is an argument";
  auto [it, isNew] = gradientOf.try_emplace(name, value);
  if (!isNew && it->second != value) {
    InFlightDiagnostic diagnostic = emitError(loc)
                                    << "expected one gradient of '" << name
                                    << "', but found a second one";
    diagnostic.attachNote(it->second.getLoc()) << "the first one is here";
    return diagnostic;
  }
  gradientName.try_emplace(value, name.str());
  return success();
}

LogicalResult StepSplitter::findGradients(bool &anyMark) {
  WalkResult walk = step.walk([&](Operation *op) {
    Attribute mark = op->getAttr(kGradAttr);
    if (!mark)
      return WalkResult::advance();
    anyMark = true;
    auto names = dyn_cast<ArrayAttr>(mark);
    if (!names || names.size() != op->getNumResults() ||
        !llvm::all_of(names, llvm::IsaPred<StringAttr>)) {
      op->emitError()
          << "expected 'amp.grad' to be an array of " << op->getNumResults()
          << " strings, one for each result (empty for one that is no gradient), "
             "but got "
          << mark;
      return WalkResult::interrupt();
    }
    if (op->getBlock() != &body) {
      op->emitError()
          << "expected 'amp.grad' on an operation of the train step's own block; "
             "mark the result of the loop or branch instead";
      return WalkResult::interrupt();
    }
    for (auto [name, result] :
         llvm::zip_equal(names.getAsRange<StringAttr>(), op->getResults()))
      if (!name.getValue().empty() &&
          failed(addGradient(op->getLoc(), name.getValue(), result)))
        return WalkResult::interrupt();
    return WalkResult::advance();
  });
  if (walk.wasInterrupted())
    return failure();
  // Returned gradients, for parameters whose gradient no operation is marked
  // as.
  Operation *end = body.getTerminator();
  for (unsigned i = 0, e = step.getNumResults(); i != e; ++i) {
    RoleInfo info = getResultRole(step, i);
    if (!info.is(Role::Grad) || gradientOf.count(info.name))
      continue;
    anyMark = true;
    if (failed(addGradient(end->getLoc(), info.name, end->getOperand(i))))
      return failure();
  }
  return success();
}

const ScaleDegreeAnalysis &StepSplitter::getDegrees() {
  if (!degrees)
    degrees.emplace(step->getParentOfType<ModuleOp>(), step);
  return *degrees;
}

LogicalResult StepSplitter::inferGradients() {
  FailureOr<SmallVector<UnmarkedGradient>> gradients =
      findUnmarkedGradients(step, getDegrees());
  if (failed(gradients))
    return failure();
  // No gradient leaves a helper that computes with it.
  bool isHidden =
      llvm::all_of(*gradients, [](const UnmarkedGradient &gradient) {
        return isa<BlockArgument>(gradient.value);
      });
  if (isHidden && failed(refuseHiddenBackward(step, symbols)))
    return failure();
  if (gradients->empty())
    return step.emitError()
           << "expected an update of fused train step '@" << step.getName()
           << "' to read a gradient, a value that carries the scale of its "
              "loss, but found none; put 'amp.grad = [\"NAME\"]' on the "
              "operation of its own block that computes the gradient of "
              "parameter NAME (what it calls has to return it), or return the "
              "gradients with role 'grad', or call a function with 'grad' "
              "results";
  for (const UnmarkedGradient &gradient : *gradients)
    if (failed(addGradient(gradient.value.getLoc(), gradient.name,
                           giveParameterType(gradient))))
      return failure();
  return success();
}

/// `value`, of a static shape, with as many elements in the shape of `type`.
static Value reshape(OpBuilder &builder, Location loc, Value value,
                     RankedTensorType type) {
  auto from = cast<RankedTensorType>(value.getType());
  auto flat =
      RankedTensorType::get({type.getNumElements()}, from.getElementType());
  // All dimensions together; none for a scalar.
  auto getGroups = [](int64_t rank) {
    SmallVector<ReassociationIndices> groups;
    if (rank != 0)
      groups.push_back(llvm::to_vector(llvm::seq<int64_t>(rank)));
    return groups;
  };
  if (from.getRank() == 0)
    value =
        tensor::ExpandShapeOp::create(builder, loc, flat, value, getGroups(0));
  else if (from.getRank() > 1)
    value = tensor::CollapseShapeOp::create(builder, loc, flat, value,
                                            getGroups(from.getRank()));
  if (type.getRank() == 0)
    return tensor::CollapseShapeOp::create(builder, loc, type, value,
                                           getGroups(0));
  if (type.getRank() == 1)
    return value;
  return tensor::ExpandShapeOp::create(builder, loc, type, value,
                                       getGroups(type.getRank()));
}

/// A gradient that the update reads in another shape than the parameter's, in
/// the parameter's: it is brought to that where it is computed, and back for
/// the update, with the views and widenings that lie between.
///   %f = widen %g : tensor<8xf32>
///   becomes
///   %p = expand %g : tensor<2x4xf32>, %b = collapse %p, %f = widen %b
Value StepSplitter::giveParameterType(const UnmarkedGradient &gradient) {
  Value value = gradient.value;
  Value parameter = findArgument(Role::Param, gradient.name);
  if (!parameter)
    parameter = findArgument(Role::Master, gradient.name);
  auto type = dyn_cast_if_present<RankedTensorType>(
      parameter ? parameter.getType() : Type());
  auto own = dyn_cast<RankedTensorType>(value.getType());
  if (!type || !own || type == own || isa<BlockArgument>(value) ||
      type.getElementType() != own.getElementType() || !type.hasStaticShape() ||
      !own.hasStaticShape())
    return value;
  SmallVector<OpOperand *> uses;
  for (OpOperand &use : value.getUses())
    uses.push_back(&use);
  OpBuilder builder(value.getContext());
  builder.setInsertionPointAfterValue(value);
  Value shaped = reshape(builder, value.getLoc(), value, type);
  Value back = reshape(builder, value.getLoc(), shaped, own);
  if (gradient.views.empty()) {
    for (OpOperand *use : uses)
      use->set(back);
  } else {
    IRMapping mapping;
    mapping.map(value, back);
    for (Operation *view : gradient.views)
      builder.clone(*view, mapping);
    for (Operation *view : llvm::reverse(gradient.views)) {
      if (view == gradient.views.back())
        view->getResult(0).replaceAllUsesWith(
            mapping.lookup(view->getResult(0)));
      if (view->use_empty())
        view->erase();
    }
  }
  degrees.reset();
  return shaped;
}

Value StepSplitter::findArgument(Role role, StringRef name) {
  ArrayRef<unsigned> numbers = arguments.find(role, name);
  return numbers.empty() ? Value() : step.getArgument(numbers.front());
}

//===----------------------------------------------------------------------===//
// The cut
//===----------------------------------------------------------------------===//

/// True if `op`, or a function that it calls, does more than give values: a
/// call is free to be made once more, or in the other part, as any operation
/// is. What is not in the module may do anything.
bool StepSplitter::hasEffects(Operation *op) {
  auto isEffect = [](Operation *inner) {
    if (auto function = dyn_cast<func::FuncOp>(inner))
      return function.isExternal();
    return !isa<func::CallOp>(inner) &&
           !inner->hasTrait<OpTrait::HasRecursiveMemoryEffects>() &&
           !isMemoryEffectFree(inner);
  };
  return op
      ->walk([&](Operation *inner) {
        bool found = isEffect(inner);
        if (auto call = dyn_cast<func::CallOp>(inner)) {
          auto callee = symbols.lookup<func::FuncOp>(call.getCallee());
          auto [known, isNew] = functionEffects.try_emplace(callee, true);
          if (isNew && callee)
            known->second = findReached({callee}, symbols, isEffect);
          found = known->second;
        }
        return found ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

void StepSplitter::findDependences() {
  for (Operation &op : body)
    if (hasEffects(&op))
      effects.insert(&op);
  for (auto [index, argument] : llvm::enumerate(step.getArguments())) {
    Dependence &from = dependence[argument];
    switch (getArgRole(step, index).role.value_or(Role::Batch)) {
    case Role::LossSeed:
      from.seed = from.data = true;
      break;
    case Role::Batch:
    case Role::Buffer:
    case Role::Rng:
      from.data = true;
      break;
    default:
      break;
    }
  }
  for (Operation &op : body) {
    Dependence from;
    for (Value value : getReadValues(&op))
      from.join(getDependence(value));
    for (Value result : op.getResults())
      dependence[result] = from;
  }
}

/// True if a gradient that is computed from another one carries the scale of
/// the loss once, as what a backward pass computes does: the gradient before a
/// batch normalisation reads those of its weight and bias. What an update
/// computes has lost it, or mixes it with what never had it.
bool StepSplitter::isOfBackwardPass(Value gradient) {
  DegreeId degree = getDegrees().lookup(gradient);
  return getDegrees().getTable()[degree].isOnce();
}

/// Which part gives which result.
LogicalResult StepSplitter::chooseResults() {
  for (auto &[gradient, name] : gradientName) {
    if (dependence.lookup(gradient).gradient && !isOfBackwardPass(gradient))
      return emitError(gradient.getLoc())
             << "expected the gradient of '" << name
             << "' to depend on no other gradient; mark what the backward pass computes, "
                "before clipping and before any update";
    backward.outputs[gradient] =
        getRoleAttrs(step.getContext(), Role::Grad, name);
  }
  Operation *end = body.getTerminator();
  for (unsigned i = 0, e = step.getNumResults(); i != e; ++i) {
    Value value = end->getOperand(i);
    RoleInfo info = getResultRole(step, i);
    if (isa<BlockArgument>(value) || gradientName.count(value))
      continue; // returned as it is
    if (isUpdatedResult(step, i))
      update.outputs.insert({value, step.getResultAttrDict(i)});
    else if (!getDependence(value).gradient)
      backward.outputs.insert({value, step.getResultAttrDict(i)});
    else if (info.is(Role::Loss))
      return emitError(value.getLoc())
             << "expected loss '" << info.name << "' of fused train step '@"
             << step.getName()
             << "' to depend on no gradient; where one optimizer step follows another, give "
                "each backward pass and each optimizer step a function with roles";
    else
      rest.insert(value);
  }
  if (!llvm::any_of(update.outputs, [&](auto &output) {
        return getDependence(output.first).gradient;
      }))
    return step.emitError()
           << "expected a new 'param' of fused train step '@" << step.getName()
           << "' to depend on a marked gradient, but none does";
  return success();
}

/// Everything that the backward part's outputs are computed from.
LogicalResult StepSplitter::collectBackward() {
  if (Operation *write = findMemoryWrite(step, symbols))
    return write->emitError()
           << "expected fused train step '@" << step.getName()
           << "' to keep its values in tensors, but '" << write->getName()
           << "' writes to memory, which the backward pass and the update would "
              "do in another order; hand the value on as a tensor";
  SmallVector<Value> worklist;
  bool callsForeign = findForeignCall(step, symbols);
  Operation *late = nullptr;
  for (auto &[value, attrs] : backward.outputs)
    worklist.push_back(value);
  // Checks and other effects belong to the first part, unless they check the
  // gradients.
  for (Operation &op : body.without_terminator()) {
    if (!effects.contains(&op))
      continue;
    Operation *foreign = callsForeign ? findForeignCall(&op, symbols) : nullptr;
    if (llvm::any_of(getReadValues(&op), [&](Value value) {
          return getDependence(value).gradient;
        })) {
      late = late ? late : foreign;
      continue;
    }
    if (late && foreign) {
      InFlightDiagnostic diagnostic =
          foreign->emitError()
          << "expected code that is not in the module to be called by the "
             "backward pass of fused train step '@"
          << step.getName()
          << "' before any by its update, but this call comes after one that "
             "takes a gradient; call it first, or give the backward pass and "
             "the optimizer step a function each";
      diagnostic.attachNote(late->getLoc()) << "the call that takes a gradient";
      return diagnostic;
    }
    backward.ops.insert(&op);
    llvm::append_range(worklist, getReadValues(&op));
  }
  while (!worklist.empty()) {
    Operation *def = worklist.pop_back_val().getDefiningOp();
    if (def && backward.ops.insert(def).second)
      llvm::append_range(worklist, getReadValues(def));
  }
  return success();
}

LogicalResult StepSplitter::refuseRead(Location loc) {
  return emitError(loc)
         << "expected what the update of fused train step '@" << step.getName()
         << "' reads from the backward pass to be a marked gradient, but this value "
            "depends on 'loss_seed' and is not; put 'amp.grad = [\"NAME\"]' on the "
            "operation that computes the gradient of parameter NAME";
}

/// The first operation of `part` that reads `value`, or else the terminator.
Operation *StepSplitter::findReader(Value value, const Part &part) {
  Operation *reader = body.getTerminator();
  for (Operation *user : value.getUsers())
    if (Operation *op = body.findAncestorOpInBlock(*user);
        op && part.ops.contains(op) && op->isBeforeInBlock(reader))
      reader = op;
  return reader;
}

/// Everything that `roots` are computed from, down to gradients and to values
/// that the backward part hands on.
LogicalResult StepSplitter::collect(ArrayRef<Value> roots, Part &part) {
  SmallVector<Value> worklist(roots);
  llvm::DenseSet<Value> seen;
  while (!worklist.empty()) {
    Value value = worklist.pop_back_val();
    if (!seen.insert(value).second)
      continue;
    Operation *def = value.getDefiningOp();
    if (auto it = gradientName.find(value); it != gradientName.end()) {
      part.inputs[value] =
          getRoleAttrs(step.getContext(), Role::Grad, it->second);
      continue;
    }
    if (!def) {
      unsigned index = cast<BlockArgument>(value).getArgNumber();
      if (&part == &update && getArgRole(step, index).is(Role::LossSeed))
        return refuseRead(findReader(value, part)->getLoc());
      part.inputs[value] = step.getArgAttrDict(index);
      continue;
    }
    if (backward.ops.contains(def) &&
        (dependence.lookup(value).data || effects.contains(def))) {
      if (dependence.lookup(value).seed)
        return refuseRead(value.getLoc());
      part.inputs[value] = DictionaryAttr::get(step.getContext());
      backward.outputs.insert({value, DictionaryAttr::get(step.getContext())});
      continue;
    }
    if (&part != &update && update.ops.contains(def) && effects.contains(def)) {
      update.outputs.insert({value, DictionaryAttr::get(step.getContext())});
      continue;
    }
    part.ops.insert(def);
    llvm::append_range(worklist, getReadValues(def));
  }
  return success();
}

/// Arguments of the step that `part` reads, and those whose new values it
/// gives: a skipped step returns the old ones.
void StepSplitter::addArguments(Part &part) {
  llvm::MapVector<Value, DictionaryAttr> inputs;
  llvm::DenseSet<Value> read;
  for (Operation *op : part.ops)
    for (Value value : getReadValues(op))
      read.insert(value);
  for (auto &[value, attrs] : part.outputs)
    read.insert(value);
  llvm::DenseSet<unsigned> old;
  for (auto &[value, attrs] : part.outputs) {
    auto text = attrs.getAs<StringAttr>(kRoleAttr);
    auto name = attrs.getAs<StringAttr>(kNameAttr);
    std::optional<Role> role = text ? parseRole(text.getValue()) : std::nullopt;
    if (name && isUpdated(role))
      old.insert_range(arguments.find(role, name.getValue()));
  }
  for (unsigned i = 0, e = step.getNumArguments(); i != e; ++i) {
    RoleInfo info = getArgRole(step, i);
    bool isOld = old.contains(i);
    bool isSeed = &part == &backward && info.is(Role::LossSeed);
    if (isOld || isSeed || read.contains(step.getArgument(i)))
      inputs[step.getArgument(i)] = step.getArgAttrDict(i);
  }
  for (auto &[value, attrs] : part.inputs)
    inputs.try_emplace(value, attrs);
  part.inputs = std::move(inputs);
}

/// A function of `part` and a call of it:
///   %g = op(%p, %x)
///   becomes
///   func @f(%p, %x) { %g = op(%p, %x) return %g }  and  %g = call @f(%p, %x)
func::CallOp StepSplitter::outline(Part &part, StringRef suffix,
                                   OpBuilder &builder) {
  SmallVector<Type> inputs, outputs;
  SmallVector<DictionaryAttr> inputAttrs, outputAttrs;
  SmallVector<Value> operands;
  for (auto &[value, attrs] : part.inputs) {
    operands.push_back(value);
    inputs.push_back(value.getType());
    inputAttrs.push_back(attrs);
  }
  for (auto &[value, attrs] : part.outputs) {
    outputs.push_back(value.getType());
    outputAttrs.push_back(attrs);
  }
  OpBuilder outside(step);
  auto function = func::FuncOp::create(
      outside, step.getLoc(), (step.getName() + suffix).str(),
      outside.getFunctionType(inputs, outputs));
  function.setPrivate();
  function.setAllArgAttrs(inputAttrs);
  function.setAllResultAttrs(outputAttrs);
  symbols.insert(function, step->getIterator());

  // Messages speak of what the user wrote: each value keeps its place, and a
  // call has those of what it gives.
  IRMapping mapping;
  Block *entry = function.addEntryBlock();
  mapping.map(operands, entry->getArguments());
  for (auto [argument, operand] :
       llvm::zip_equal(entry->getArguments(), operands))
    argument.setLoc(operand.getLoc());
  OpBuilder inside = OpBuilder::atBlockBegin(entry);
  for (Operation &op : body)
    if (part.ops.contains(&op))
      inside.clone(op, mapping)->removeAttr(kGradAttr);
  SmallVector<Value> returned;
  for (auto &[value, attrs] : part.outputs)
    returned.push_back(mapping.lookup(value));
  func::ReturnOp::create(inside, body.getTerminator()->getLoc(), returned);
  SmallVector<Location> places;
  for (auto &[value, attrs] : part.outputs)
    places.push_back(value.getLoc());
  return func::CallOp::create(builder, builder.getFusedLoc(places), function,
                              operands);
}

LogicalResult StepSplitter::split() {
  findDependences();
  if (failed(chooseResults()))
    return failure();
  if (failed(collectBackward()))
    return failure();
  SmallVector<Value> updated, kept(rest.getArrayRef());
  for (auto &[value, attrs] : update.outputs)
    updated.push_back(value);
  if (failed(collect(updated, update)))
    return failure();
  // An effect takes place once, in the part that needs it.
  for (Operation &op : body.without_terminator())
    if (effects.contains(&op) && !backward.ops.contains(&op) &&
        !update.ops.contains(&op)) {
      restOps.insert(&op);
      llvm::append_range(kept, getReadValues(&op));
    }
  Part remaining;
  if (failed(collect(kept, remaining)))
    return failure();
  restOps.insert(remaining.ops.begin(), remaining.ops.end());
  addArguments(backward);
  addArguments(update);

  OpBuilder builder = OpBuilder::atBlockBegin(&body);
  func::CallOp first = outline(backward, "_forward_backward", builder);
  func::CallOp second = outline(update, "_optimizer_step", builder);
  // What both parts give (a state of the loss that weights a gradient), the
  // second still takes from the first.
  auto replace = [](Part &part, func::CallOp call,
                    std::initializer_list<Operation *> except) {
    for (auto [output, result] :
         llvm::zip_equal(part.outputs, call.getResults()))
      output.first.replaceUsesWithIf(result, [&](OpOperand &use) {
        return !llvm::is_contained(except, use.getOwner());
      });
  };
  replace(update, second, {first, second});
  replace(backward, first, {first});

  SmallVector<Operation *> dead;
  for (Operation &op : body.without_terminator())
    if (&op != first && &op != second && !restOps.contains(&op))
      dead.push_back(&op);
  for (Operation *op : llvm::reverse(dead)) {
    op->dropAllUses();
    op->erase();
  }
  for (Operation *op : restOps)
    op->removeAttr(kGradAttr);
  return success();
}
