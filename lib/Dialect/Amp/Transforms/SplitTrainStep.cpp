//===- SplitTrainStep.cpp - A fused train step in two functions -----------===//
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

#include "Callees.h"
#include "HiddenEffects.h"
#include "ModulePolicy.h"
#include "OverflowReach.h"

#include "amp/Analysis/CallComponents.h"
#include "amp/Analysis/UnmarkedGradients.h"
#include "amp/Analysis/ValueOrigins.h"
#include "amp/Dialect/Amp/IR/AmpDialect.h"
#include "amp/Dialect/Amp/IR/AmpRoles.h"
#include "amp/Dialect/Amp/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringSet.h"

#define DEBUG_TYPE "amp-split-train-step"

namespace mlir::amp {
#define GEN_PASS_DEF_SPLITTRAINSTEPPASS
#include "amp/Dialect/Amp/Transforms/Passes.h.inc"
} // namespace mlir::amp

using namespace mlir;
using namespace mlir::amp;

namespace {
/// One function to be made, as values of the train step.
struct Part {
  /// Operations to copy into it.
  llvm::DenseSet<Operation *> ops;
  /// Values it takes and gives, each with its attributes.
  llvm::MapVector<Value, DictionaryAttr> inputs, outputs;
};

/// Splits one train step.
class StepSplitter {
public:
  StepSplitter(func::FuncOp step, SymbolTable &symbols)
      : step(step), arguments(step), symbols(symbols),
        body(step.getBody().front()) {}

  /// Finds the gradients. `anyMark` says whether there was one at all.
  LogicalResult findGradients(bool &anyMark);
  /// Finds them in a step without marks, by the powers of a scale that values
  /// would carry if the loss had one.
  LogicalResult inferGradients();
  Value giveParameterType(const UnmarkedGradient &gradient);
  LogicalResult split();

private:
  LogicalResult addGradient(Location loc, StringRef name, Value value);
  void findDependences();
  const ScaleDegreeAnalysis &getDegrees();
  bool isOfBackwardPass(Value gradient);
  LogicalResult chooseResults();
  LogicalResult collectBackward();
  LogicalResult refuseRead(Location loc);
  Operation *findReader(Value value, const Part &part);
  LogicalResult collect(ArrayRef<Value> roots, Part &part);
  Value findArgument(Role role, StringRef name);
  void addArguments(Part &part);
  func::CallOp outline(Part &part, StringRef suffix, OpBuilder &builder);

  /// What an operation of the body depends on.
  struct Dependence {
    bool data = false, seed = false, gradient = false;
    void join(Dependence other) {
      data |= other.data;
      seed |= other.seed;
      gradient |= other.gradient;
    }
  };
  Dependence getDependence(Value value) {
    return gradientName.count(value) ? Dependence{true, true, true}
                                     : dependence.lookup(value);
  }

  func::FuncOp step;
  ArgumentIndex arguments;
  SymbolTable &symbols;
  Block &body;
  /// Gradients with their parameters' names, in the order of the program.
  llvm::MapVector<Value, std::string> gradientName;
  llvm::StringMap<Value> gradientOf;
  llvm::DenseMap<Value, Dependence> dependence;
  /// As if the seed were scaled; made where it is asked for.
  std::optional<ScaleDegreeAnalysis> degrees;
  Part backward, update;
  /// Returned values that neither part computes.
  llvm::SetVector<Value> rest;
  llvm::DenseSet<Operation *> restOps;
};
} // namespace

static bool isUpdated(std::optional<Role> role) {
  return role == Role::Param || role == Role::Master ||
         role == Role::OptState || role == Role::Accumulator;
}

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

void StepSplitter::findDependences() {
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
    if (isUpdated(info.role))
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
    if (isMemoryEffectFree(&op))
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
        (dependence.lookup(value).data || !isMemoryEffectFree(def))) {
      if (dependence.lookup(value).seed)
        return refuseRead(value.getLoc());
      part.inputs[value] = DictionaryAttr::get(step.getContext());
      backward.outputs.insert({value, DictionaryAttr::get(step.getContext())});
      continue;
    }
    if (&part != &update && update.ops.contains(def) &&
        !isMemoryEffectFree(def)) {
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
    if (!isMemoryEffectFree(&op) && !backward.ops.contains(&op) &&
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

//===----------------------------------------------------------------------===//
// Pass
//===----------------------------------------------------------------------===//

namespace {
struct SplitTrainStep
    : public amp::impl::SplitTrainStepPassBase<SplitTrainStep> {
  using SplitTrainStepPassBase::SplitTrainStepPassBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    PolicyAttr policy = requirePolicy(module);
    if (!policy)
      return signalPassFailure();
    SymbolTable symbols(module);
    hasChanged = false;
    bool needsSplit = policy.getHalfType() || policy.scalesLoss();
    // Master weights take a scaler as well, but at O5 it only stands there.
    bool hasScale =
        policy.isDynamic() || policy.getLossScale().getValueAsDouble() != 1.0;
    for (auto function :
         llvm::make_early_inc_range(module.getOps<func::FuncOp>()))
      if (getFunctionKind(function) == FunctionKind::TrainStep &&
          !function.isExternal() &&
          failed(visit(function, symbols, needsSplit, hasScale)))
        return signalPassFailure();
    if (failed(checkMarks(module)))
      return signalPassFailure();
    if (!hasChanged)
      markAllAnalysesPreserved();
  }

  /// Calls by reference, of what is named beside them, become calls by name.
  /// Refuses references to parts of a step that stay, where `needsNames`: no
  /// use of the call shows whose gradients it gives.
  LogicalResult nameCallees(func::FuncOp step, SymbolTable &symbols,
                            bool needsNames) {
    SmallVector<func::ConstantOp> references;
    step.walk([&](func::ConstantOp op) { references.push_back(op); });
    for (func::ConstantOp reference : references) {
      auto callee = symbols.lookup<func::FuncOp>(reference.getValue());
      if (!callee)
        continue;
      for (Operation *user :
           llvm::make_early_inc_range(reference->getUsers())) {
        auto indirect = dyn_cast<func::CallIndirectOp>(user);
        if (!indirect || indirect.getCallee() != reference.getResult() ||
            llvm::is_contained(indirect.getCalleeOperands(),
                               reference.getResult()))
          continue;
        OpBuilder builder(indirect);
        auto call = func::CallOp::create(builder, indirect.getLoc(), callee,
                                         indirect.getCalleeOperands());
        call->setDiscardableAttrs(indirect->getDiscardableAttrDictionary());
        indirect.replaceAllUsesWith(call.getResults());
        indirect.erase();
        hasChanged = true;
      }
      if (reference.use_empty()) {
        reference.erase();
        hasChanged = true;
        continue;
      }
      FunctionKind kind = getFunctionKind(callee);
      if (needsNames && (kind == FunctionKind::ForwardBackward ||
                         kind == FunctionKind::OptimizerStep)) {
        InFlightDiagnostic diagnostic =
            reference.emitError()
            << "expected train step '@" << step.getName() << "' to call '@"
            << callee.getName()
            << "' by its name, so that its gradients are found, but it takes "
               "a reference to it; write a func.call in each branch that "
               "chooses a function";
        diagnostic.attachNote(reference->user_begin()->getLoc())
            << "the reference is used here";
        return diagnostic;
      }
    }
    return success();
  }

  LogicalResult visit(func::FuncOp step, SymbolTable &symbols, bool needsSplit,
                      bool hasScale) {
    if (failed(nameCallees(step, symbols, needsSplit)))
      return failure();
    func::CallOp backwardCall, updateCall, trainCall;
    step.walk([&](func::CallOp call) {
      auto callee = symbols.lookup<func::FuncOp>(call.getCallee());
      if (!callee)
        return;
      FunctionKind kind = getFunctionKind(callee);
      if (kind == FunctionKind::ForwardBackward)
        backwardCall = call;
      else if (kind == FunctionKind::OptimizerStep)
        updateCall = call;
      else if (kind == FunctionKind::TrainStep && !trainCall)
        trainCall = call;
    });
    if (trainCall && needsSplit) {
      InFlightDiagnostic diagnostic =
          trainCall.emitError()
          << "expected train step '@" << step.getName()
          << "' to call no other train step, but it calls '@"
          << trainCall.getCallee()
          << "'; a function without roles may call train steps";
      diagnostic.attachNote(step.getLoc()) << "the caller is here";
      return diagnostic;
    }
    if (backwardCall) // not fused
      return needsSplit
                 ? refuseOwnBackward(step, backwardCall, symbols, hasScale)
                 : success();
    if (updateCall)
      return updateCall.emitError()
             << "expected train step '@" << step.getName()
             << "', which calls an optimizer step, to call a function with a 'loss_seed' "
                "argument and 'grad' results as well, but found none";
    if (!llvm::hasSingleElement(step.getBody())) {
      if (!needsSplit && !inferGradients)
        return success();
      return step.emitError()
             << "expected fused train step '@" << step.getName()
             << "' to have one block, but got "
             << step.getBody().getBlocks().size()
             << "; write branches with scf.if";
    }
    if (std::optional<LogicalResult> decided =
            visitHandScaled(step, needsSplit))
      return *decided;
    bool needsGradients = needsSplit || inferGradients;
    if (needsGradients && failed(refuseMarkInHelper(step, symbols)))
      return failure();
    bool anyMark = false;
    StepSplitter splitter(step, symbols);
    if (failed(splitter.findGradients(anyMark)))
      return failure();
    if (!anyMark) {
      if (!needsGradients)
        return success();
      if (failed(splitter.inferGradients()))
        return failure();
    }
    ++numSplit;
    hasChanged = true;
    return splitter.split();
  }

  /// Marks of what is no fused step's own say nothing, but name a parameter.
  static LogicalResult checkMarks(ModuleOp module) {
    llvm::StringSet<> ofModule;
    for (auto function : module.getOps<func::FuncOp>())
      addParameters(function, ofModule);
    for (auto function : module.getOps<func::FuncOp>()) {
      std::optional<llvm::StringSet<>> ofFunction;
      WalkResult walk = function.walk([&](Operation *op) {
        auto names = op->getAttrOfType<ArrayAttr>(kGradAttr);
        if (!names)
          return WalkResult::advance();
        bool isHelper = !hasRoles(function);
        if (!isHelper && !ofFunction)
          addParameters(function, ofFunction.emplace());
        const llvm::StringSet<> &known = isHelper ? ofModule : *ofFunction;
        for (StringAttr name : names.getAsRange<StringAttr>()) {
          if (name.empty() || known.contains(name))
            continue;
          InFlightDiagnostic diagnostic =
              op->emitError() << "expected gradient '" << name.getValue()
                              << "' to be that of a 'param' of ";
          if (isHelper)
            diagnostic << "a function of this module";
          else
            diagnostic << "'@" << function.getName() << "'";
          diagnostic << ", but it has none of this name";
          return WalkResult::interrupt();
        }
        return WalkResult::advance();
      });
      if (walk.wasInterrupted())
        return failure();
    }
    return success();
  }

  static void addParameters(func::FuncOp function, llvm::StringSet<> &names) {
    for (unsigned i = 0, e = function.getNumArguments(); i != e; ++i)
      if (RoleInfo info = getArgRole(function, i);
          info.is(Role::Param) || info.is(Role::Master))
        names.insert(info.name);
  }

  /// Refuses a mark in what a fused step calls: the step is cut at values of
  /// its own.
  static LogicalResult refuseMarkInHelper(func::FuncOp step,
                                          const SymbolTable &symbols) {
    Operation *mark =
        findReached(step.getOperation(), symbols, [&](Operation *op) {
          return op->hasAttr(kGradAttr) && !step->isProperAncestor(op);
        });
    if (!mark)
      return success();
    auto helper = mark->getParentOfType<func::FuncOp>();
    InFlightDiagnostic diagnostic =
        mark->emitError()
        << "expected 'amp.grad' on an operation of the train step's own block, "
           "but '@"
        << helper.getName() << "' is a function that train step '@"
        << step.getName()
        << "' calls; return the gradient from it, put the mark on the call, and "
           "leave the update to the train step";
    diagnostic.attachNote(step.getLoc()) << "the train step is here";
    return diagnostic;
  }

  /// Refuses gradients that are written out beside `backwardCall`: losses are
  /// scaled and gradients unscaled around calls. Follows each seed past what
  /// takes it to a backward pass or a scaler. Where no loss has a scale, a
  /// gradient may be added by hand to what such a pass gives.
  static LogicalResult refuseOwnBackward(func::FuncOp step,
                                         func::CallOp backwardCall,
                                         const SymbolTable &symbols,
                                         bool hasScale) {
    auto getKind = [&](Operation *op) {
      auto call = dyn_cast<func::CallOp>(op);
      auto callee = call ? getCallee(call, symbols) : func::FuncOp();
      return callee ? getFunctionKind(callee) : FunctionKind::Other;
    };
    auto isPass = [&](Operation *op) {
      return isa<ScaleLossOp>(op) ||
             getKind(op) == FunctionKind::ForwardBackward;
    };
    // Helpers that contain one of them are not inlined yet.
    llvm::DenseMap<func::FuncOp, bool> leadsToPass;
    OverflowReach::Guarded passes;
    step.walk([&](Operation *op) {
      bool isTaken = isPass(op);
      if (auto call = dyn_cast<func::CallOp>(op); call && !isTaken) {
        func::FuncOp callee = getCallee(call, symbols);
        auto [it, isNew] = leadsToPass.try_emplace(callee, false);
        if (isNew && callee)
          it->second = findReached(callee.getOperation(), symbols, isPass);
        isTaken = it->second;
      }
      if (isTaken)
        for (unsigned i = 0, e = op->getNumOperands(); i != e; ++i)
          passes.insert({op, i});
    });
    SmallVector<BlockArgument> seeds;
    OverflowReach reach(passes);
    for (BlockArgument argument : step.getArguments())
      if (getArgRole(step, argument.getArgNumber()).is(Role::LossSeed)) {
        reach.addSource(argument, seeds.size());
        seeds.push_back(argument);
      }
    reach.propagate();
    llvm::SetVector<Value> updates;
    llvm::SmallBitVector kept(seeds.size()), called(kept);
    step.walk([&](Operation *op) {
      bool isUpdate = getKind(op) == FunctionKind::OptimizerStep;
      for (OpOperand &operand : op->getOpOperands()) {
        unsigned number = operand.getOperandNumber();
        if (passes.contains({op, number})) {
          called |= reach.getSources(operand.get());
        } else if (isUpdate || (isa<func::ReturnOp>(op) &&
                                isUpdated(getResultRole(step, number).role))) {
          kept |= reach.getSources(operand.get());
          updates.insert(operand.get());
        }
      }
    });
    for (unsigned number : kept.set_bits()) {
      if (called.test(number) && !hasScale)
        continue;
      BlockArgument seed = seeds[number];
      StringRef name = getArgRole(step, seed.getArgNumber()).name;
      InFlightDiagnostic diagnostic =
          findFirstReader(step, seed, updates, passes)->emitError();
      if (called.test(number))
        diagnostic << "expected the gradients of loss '" << name
                   << "' to be those that its backward pass returns, but train "
                      "step '@"
                   << step.getName()
                   << "' computes another one from its seed, which would be "
                      "neither scaled nor checked for an overflow; compute it "
                      "in the backward pass";
      else
        diagnostic
            << "expected the backward pass of loss '" << name
            << "' to be a function with a 'loss_seed' argument and 'grad' "
               "results, as another one of train step '@"
            << step.getName()
            << "' is, but it is written out; its gradients would be neither "
               "scaled nor checked for an overflow";
      diagnostic.attachNote(backwardCall.getLoc())
          << "a backward pass is called here";
      return diagnostic;
    }
    return success();
  }

  /// The first operation that takes `seed` to one of `updates` past `passes`.
  static Operation *findFirstReader(func::FuncOp step, BlockArgument seed,
                                    const llvm::SetVector<Value> &updates,
                                    const OverflowReach::Guarded &passes) {
    Operation *first = step;
    step.walk<WalkOrder::PreOrder>([&](Operation *op) {
      auto isSeed = [&](OpOperand &operand) {
        return operand.get() == seed &&
               !passes.contains({op, operand.getOperandNumber()});
      };
      if (llvm::none_of(op->getOpOperands(), isSeed))
        return WalkResult::advance();
      OverflowReach reach(passes);
      for (Value result : op->getResults())
        reach.addSource(result, 0);
      reach.propagate();
      if (llvm::none_of(updates,
                        [&](Value value) { return reach.isReached(value); }))
        return WalkResult::advance();
      first = op;
      return WalkResult::interrupt();
    });
    return first;
  }

  /// A fused step that scales its loss itself has no seam: the gradients that
  /// its update reads are unscaled already.
  static std::optional<LogicalResult> visitHandScaled(func::FuncOp step,
                                                      bool needsSplit) {
    Operation *byHand = nullptr;
    step.walk([&](Operation *op) {
      if (!byHand && isa<ScaleLossOp, UnscaleOp, UpdateScaleOp>(op))
        byHand = op;
    });
    if (!byHand)
      return std::nullopt;
    if (!needsSplit)
      return success();
    InFlightDiagnostic diagnostic =
        byHand->emitError()
        << "expected fused train step '@" << step.getName()
        << "' to leave its loss unscaled, because it is split where the scale "
           "is taken out, but found '"
        << byHand->getName()
        << "'; leave out amp.scale_loss, amp.unscale and amp.update_scale, which "
           "are added with the declared scaler, or compute the gradients in a "
           "function with a 'loss_seed' argument and 'grad' results, and call "
           "it between them";
    diagnostic.attachNote(step.getLoc()) << "the train step is here";
    return LogicalResult(diagnostic);
  }

  bool hasChanged = false;
};
} // namespace
