//===- InsertMasterWeights.cpp - FP32 masters, half copies ----------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// After amp-cast-model the train step holds f32 parameters and rounds them each
// time it calls the model. This pass names them masters and turns the rounding
// around: the optimizer step returns the half copy of each new master, the
// train step takes and returns it, and the model's call uses that argument. A
// step that is skipped keeps the old copy with the old master, so the two never
// differ by anything but the rounding.
//
//===----------------------------------------------------------------------===//

#include "Callees.h"
#include "ModulePolicy.h"
#include "SignatureChange.h"

#include "amp/Analysis/ComputeKind.h"
#include "amp/Dialect/Amp/IR/AmpDialect.h"
#include "amp/Dialect/Amp/IR/AmpRoles.h"
#include "amp/Dialect/Amp/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

#define DEBUG_TYPE "amp-insert-master-weights"

namespace mlir::amp {
#define GEN_PASS_DEF_INSERTMASTERWEIGHTSPASS
#include "amp/Dialect/Amp/Transforms/Passes.h.inc"
} // namespace mlir::amp

using namespace mlir;
using namespace mlir::amp;

namespace {
struct InsertMasterWeights
    : public amp::impl::InsertMasterWeightsPassBase<InsertMasterWeights> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    PolicyAttr policy = requirePolicy(module);
    if (!policy)
      return signalPassFailure();
    if (!policy.hasMasterWeights() || !policy.castsModel())
      return markAllAnalysesPreserved();
    halfType = policy.getHalfType();
    findHalfParameters(module);
    if (halfParameters.empty())
      return markAllAnalysesPreserved();

    SmallVector<func::FuncOp> functions(module.getOps<func::FuncOp>());
    const auto &references = getAnalysis<FunctionReferences>();
    for (func::FuncOp function : functions)
      if (std::optional<std::string> change = describeChange(function);
          change &&
          failed(references.requireChangeable(function, policy, *change)))
        return signalPassFailure();
    for (func::FuncOp function : functions)
      if (getFunctionKind(function) == FunctionKind::OptimizerStep)
        rewriteOptimizerStep(function);
    for (func::FuncOp function : functions)
      if (getFunctionKind(function) == FunctionKind::TrainStep &&
          failed(rewriteTrainStep(function)))
        return signalPassFailure();
    SymbolTable symbols(module);
    for (func::FuncOp function : functions)
      function.walk([&](func::CallOp call) {
        if (func::FuncOp callee = getCallee(call, symbols))
          adaptCall(call, callee);
      });
  }

  /// The first parameter of an optimizer or train step that becomes a master,
  /// in words.
  std::optional<std::string> describeChange(func::FuncOp function) {
    FunctionKind kind = getFunctionKind(function);
    if (kind != FunctionKind::OptimizerStep &&
        (kind != FunctionKind::TrainStep || function.isExternal()))
      return std::nullopt; // a train step elsewhere has masters of its own
    for (unsigned i = 0, e = function.getNumArguments(); i != e; ++i)
      if (RoleInfo info = getArgRole(function, i);
          isMaster(info, function.getArgumentTypes()[i]))
        return "'param' '" + info.name.str() +
               "' becomes a 'master' with a half copy beside it";
    return std::nullopt;
  }

  /// A call of a step by a function that knows nothing of masters, a loop over
  /// batches: what it has are the masters, and each call makes their copies.
  ///   %new = call @train_step(%w)
  ///   becomes
  ///   %h = master_copy %w, %new, %copy = call @train_step(%w, %h)
  void adaptCall(func::CallOp call, func::FuncOp callee) {
    if (call.getCalleeType() == callee.getFunctionType())
      return;
    OpBuilder builder(call);
    Location loc = call.getLoc();
    ArgumentIndex arguments(callee);
    SmallVector<Value> operands;
    for (unsigned i = 0, e = callee.getNumArguments(); i != e; ++i) {
      Type type = callee.getArgumentTypes()[i];
      if (i < call.getNumOperands()) {
        // A frozen parameter, which the step now takes in half.
        operands.push_back(
            call.getOperand(i).getType() == type
                ? call.getOperand(i)
                : CastOp::create(builder, loc, type, call.getOperand(i))
                      .getResult());
        continue;
      }
      RoleInfo copy = getArgRole(callee, i);
      for (unsigned master : arguments.find(Role::Master, copy.name))
        operands.push_back(
            MasterCopyOp::create(builder, loc, type, operands[master]));
    }
    auto created = func::CallOp::create(builder, loc, callee, operands);
    created->setDiscardableAttrs(call->getDiscardableAttrDictionary());
    call.replaceAllUsesWith(
        created.getResults().take_front(call.getNumResults()));
    call.erase();
  }

  /// Parameters that the model takes in half, by name.
  void findHalfParameters(ModuleOp module) {
    for (auto function : module.getOps<func::FuncOp>()) {
      FunctionKind kind = getFunctionKind(function);
      if (kind == FunctionKind::OptimizerStep ||
          kind == FunctionKind::TrainStep)
        continue;
      for (unsigned i = 0, e = function.getNumArguments(); i != e; ++i)
        if (RoleInfo info = getArgRole(function, i);
            info.is(Role::Param) &&
            getElementTypeOrSelf(function.getArgumentTypes()[i]) == halfType)
          halfParameters.insert(info.name);
    }
  }

  bool isMaster(const RoleInfo &info, Type type) {
    return info.is(Role::Param) && isCastableTensor(type) &&
           halfParameters.contains(info.name);
  }

  /// The dictionary of an argument or result with the role master.
  DictionaryAttr renameToMaster(DictionaryAttr attrs) {
    NamedAttrList list(attrs);
    list.set(kRoleAttr,
             StringAttr::get(&getContext(), stringifyRole(Role::Master)));
    return list.getDictionary(&getContext());
  }

  /// Makes masters of the results that become some, and adds a half copy of
  /// each; `makeCopy` gives what a return hands over for master `result`.
  /// Lists of types and attributes are built once, however many there are.
  void addCopiesToResults(
      func::FuncOp function,
      function_ref<Value(OpBuilder &, func::ReturnOp, unsigned result)>
          makeCopy) {
    SmallVector<DictionaryAttr> attrs;
    SmallVector<unsigned> masters, indices;
    SmallVector<Type> copyTypes;
    SmallVector<DictionaryAttr> copyAttrs;
    for (unsigned i = 0, e = function.getNumResults(); i != e; ++i) {
      RoleInfo info = getResultRole(function, i);
      Type type = function.getResultTypes()[i];
      attrs.push_back(function.getResultAttrDict(i));
      if (!isMaster(info, type))
        continue;
      attrs.back() = renameToMaster(attrs.back());
      masters.push_back(i);
      indices.push_back(e);
      copyTypes.push_back(toHalf(type));
      copyAttrs.push_back(getRoleAttrs(&getContext(), Role::Param, info.name));
    }
    if (masters.empty())
      return;
    function.setAllResultAttrs(attrs);
    (void)function.insertResults(indices, copyTypes, copyAttrs);
    function.walk([&](func::ReturnOp returnOp) {
      OpBuilder builder(returnOp);
      SmallVector<Value> copies;
      for (unsigned result : masters)
        copies.push_back(makeCopy(builder, returnOp, result));
      returnOp->insertOperands(returnOp->getNumOperands(), copies);
    });
  }

  Type toHalf(Type type) {
    return cast<RankedTensorType>(type).clone(halfType);
  }

  /// optimizer_step(param f32, ...) -> (param f32, ...)
  ///   -> optimizer_step(master, ...) -> (master, ..., param half)
  void rewriteOptimizerStep(func::FuncOp function) {
    SmallVector<DictionaryAttr> attrs;
    for (unsigned i = 0, e = function.getNumArguments(); i != e; ++i) {
      attrs.push_back(function.getArgAttrDict(i));
      if (isMaster(getArgRole(function, i), function.getArgumentTypes()[i]))
        attrs.back() = renameToMaster(attrs.back());
    }
    function.setAllArgAttrs(attrs);
    unsigned numBefore = function.getNumResults();
    addCopiesToResults(
        function,
        [&](OpBuilder &builder, func::ReturnOp end, unsigned result) -> Value {
          Value master = end.getOperand(result);
          return MasterCopyOp::create(builder, end.getLoc(),
                                      toHalf(master.getType()), master);
        });
    numMasters += function.getNumResults() - numBefore;
  }

  /// amp.cast %master to half  ->  %copy
  static void replaceRoundings(Value master, Value copy) {
    for (Operation *user : llvm::make_early_inc_range(master.getUsers()))
      if (auto rounding = dyn_cast<CastOp>(user);
          rounding && rounding.getType() == copy.getType()) {
        rounding.replaceAllUsesWith(copy);
        rounding.erase();
      }
  }

  /// Frozen parameters have no masters, as in Apex: the step takes them in
  /// half.
  void storeInHalf(func::FuncOp function, ArrayRef<unsigned> frozen) {
    SmallVector<Type> inputs(function.getArgumentTypes());
    for (unsigned index : frozen)
      inputs[index] = toHalf(inputs[index]);
    function.setType(
        FunctionType::get(&getContext(), inputs, function.getResultTypes()));
    OpBuilder builder = OpBuilder::atBlockBegin(&function.getBody().front());
    for (unsigned index : frozen) {
      BlockArgument argument = function.getArgument(index);
      Type original = argument.getType(), half = inputs[index];
      SmallVector<OpOperand *> wideUses;
      for (OpOperand &use : argument.getUses())
        if (auto rounding = dyn_cast<CastOp>(use.getOwner());
            !rounding || rounding.getType() != half)
          wideUses.push_back(&use);
      argument.setType(half);
      replaceRoundings(argument, argument);
      if (wideUses.empty())
        continue;
      builder.setInsertionPointToStart(&function.getBody().front());
      Value widened =
          CastOp::create(builder, argument.getLoc(), original, argument);
      for (OpOperand *use : wideUses)
        use->set(widened);
    }
  }

  LogicalResult rewriteTrainStep(func::FuncOp function) {
    if (function.isExternal())
      return success();
    // New calls first: they have more results, the half copies.
    llvm::StringMap<Value> newCopies;
    SmallVector<func::CallOp> calls;
    function.walk([&](func::CallOp call) { calls.push_back(call); });
    for (func::CallOp call : calls) {
      func::FuncOp callee = getCallee(call);
      if (!callee || callee.getNumResults() == call.getNumResults())
        continue;
      OpBuilder builder(call);
      auto created = func::CallOp::create(builder, call.getLoc(), callee,
                                          call.getOperands());
      created->setDiscardableAttrs(call->getDiscardableAttrDictionary());
      unsigned kept = call.getNumResults();
      llvm::StringMap<Value> copies;
      for (unsigned i = kept, e = created.getNumResults(); i != e; ++i) {
        StringRef name = getResultRole(callee, i).name;
        copies[name] = newCopies[name] = created.getResult(i);
      }
      // A model that is called after the step (the generator's pass through an
      // updated discriminator) takes the new copy.
      for (unsigned i = 0; i != kept; ++i)
        if (RoleInfo info = getResultRole(callee, i); info.is(Role::Master))
          if (Value copy = copies.lookup(info.name))
            replaceRoundings(call.getResult(i), copy);
      call.replaceAllUsesWith(created.getResults().take_front(kept));
      call.erase();
    }

    llvm::StringSet<> trained;
    for (unsigned i = 0, e = function.getNumResults(); i != e; ++i)
      if (RoleInfo info = getResultRole(function, i); info.is(Role::Param))
        trained.insert(info.name);
    takeCopies(function, trained);
    addCopiesToResults(
        function,
        [&](OpBuilder &builder, func::ReturnOp end, unsigned result) -> Value {
          // The step's own copy, if the step's own master is returned.
          Value master = end.getOperand(result);
          Value copy = newCopies.lookup(getResultRole(function, result).name);
          if (copy && copy.getDefiningOp() == master.getDefiningOp())
            return copy;
          return MasterCopyOp::create(builder, end.getLoc(),
                                      toHalf(master.getType()), master);
        });
    return success();
  }

  /// Makes masters of the parameters of a train step that it trains, with their
  /// half copies as further arguments, and stores the frozen ones in half.
  void takeCopies(func::FuncOp function, const llvm::StringSet<> &trained) {
    SmallVector<DictionaryAttr> attrs;
    SmallVector<unsigned> masters, indices, frozen;
    SmallVector<Type> copyTypes;
    SmallVector<DictionaryAttr> copyAttrs;
    SmallVector<Location> copyLocs;
    for (unsigned i = 0, e = function.getNumArguments(); i != e; ++i) {
      RoleInfo info = getArgRole(function, i);
      BlockArgument argument = function.getArgument(i);
      attrs.push_back(function.getArgAttrDict(i));
      if (!isMaster(info, argument.getType()))
        continue;
      if (!trained.contains(info.name)) {
        frozen.push_back(i);
        continue;
      }
      attrs.back() = renameToMaster(attrs.back());
      masters.push_back(i);
      indices.push_back(e);
      copyTypes.push_back(toHalf(argument.getType()));
      copyAttrs.push_back(getRoleAttrs(&getContext(), Role::Param, info.name));
      copyLocs.push_back(argument.getLoc());
    }
    unsigned firstCopy = function.getNumArguments();
    function.setAllArgAttrs(attrs);
    (void)function.insertArguments(indices, copyTypes, copyAttrs, copyLocs);
    for (auto [number, master] : llvm::enumerate(masters))
      replaceRoundings(function.getArgument(master),
                       function.getArgument(firstCopy + number));
    storeInHalf(function, frozen);
  }

  Type halfType;
  llvm::StringSet<> halfParameters;
};
} // namespace
