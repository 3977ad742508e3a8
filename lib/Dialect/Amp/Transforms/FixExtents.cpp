//===- FixExtents.cpp - Batches of known extents --------------------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The arguments that are named, of functions that nobody in the module calls,
// take types of known extents. What follows from them is known too, in the body
// (ExtentRefinement.cpp), in what the function returns, and in what it calls: a
// callee takes what all of its calls have, or is copied, once for each list of
// types that it is called with, up to a bound.
//
//===----------------------------------------------------------------------===//

#include "ExtentRefinement.h"
#include "SignatureChange.h"

#include "amp/Dialect/Amp/IR/AmpDialect.h"
#include "amp/Dialect/Amp/IR/AmpRoles.h"
#include "amp/Dialect/Amp/Transforms/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"

#define DEBUG_TYPE "amp-fix-extents"

namespace mlir::amp {
#define GEN_PASS_DEF_FIXEXTENTSPASS
#include "amp/Dialect/Amp/Transforms/Passes.h.inc"
} // namespace mlir::amp

using namespace mlir;
using namespace mlir::amp;

/// A helper that calls itself with ever larger tensors ends here.
static constexpr size_t kMostCopies = 64;

namespace {
/// What an option says of one value.
struct GivenExtents {
  StringRef name;
  /// Dynamic where it says nothing.
  SmallVector<int64_t> shape;
  bool isMet = false;
};

struct FixExtents : public amp::impl::FixExtentsPassBase<FixExtents> {
  using FixExtentsPassBase::FixExtentsPassBase;

  void runOnOperation() override {
    if (extents.empty())
      return markAllAnalysesPreserved();
    copies.clear();
    changed.clear();
    references = &getAnalysis<FunctionReferences>();
    SmallVector<GivenExtents> given;
    if (failed(parse(given)) || failed(fixArguments(given)))
      return signalPassFailure();
    propagate();
  }

private:
  LogicalResult parse(SmallVectorImpl<GivenExtents> &given);
  LogicalResult fixArguments(MutableArrayRef<GivenExtents> given);
  void propagate();
  void refineCall(func::CallOp call, SymbolTable &symbols);
  void refineResults(func::FuncOp function);
  void setArgumentTypes(func::FuncOp function, ArrayRef<Type> types);
  /// A copy of `callee` that takes `types`; null beyond the bound.
  func::FuncOp getCopy(func::FuncOp callee, ArrayRef<Type> types,
                       SymbolTable &symbols);
  SmallVector<func::CallOp> findCalls(func::FuncOp function);

  /// Which copies do not change.
  const FunctionReferences *references = nullptr;
  /// Copies of callees, by name and the types that they take.
  DenseMap<std::pair<StringAttr, Type>, func::FuncOp> copies;
  /// Functions that have learnt of extents.
  SetVector<func::FuncOp> changed;
};
} // namespace

static std::optional<GivenExtents> parseOne(StringRef text) {
  // A name may have any character.
  auto [name, shape] = text.rsplit('=');
  GivenExtents parsed{name.trim(), {}};
  for (StringRef extent : llvm::split(shape.trim(), 'x')) {
    int64_t number = ShapedType::kDynamic;
    if (extent != "?" && (extent.getAsInteger(10, number) || number < 0))
      return std::nullopt;
    parsed.shape.push_back(number);
  }
  if (parsed.name.empty() || parsed.shape.empty())
    return std::nullopt;
  return parsed;
}

LogicalResult FixExtents::parse(SmallVectorImpl<GivenExtents> &given) {
  for (const std::string &text : extents) {
    std::optional<GivenExtents> parsed = parseOne(text);
    if (!parsed)
      return getOperation().emitError()
             << "expected 'extents' to be the name of a batch argument and its "
                "extents, such as x0=32x64, with ? for one that stays unknown, "
                "but got '"
             << text << "'";
    if (llvm::any_of(given, [&](const GivenExtents &other) {
          return other.name == parsed->name;
        }))
      return getOperation().emitError()
             << "expected 'extents' to name each batch argument once, but got '"
             << parsed->name << "' twice";
    given.push_back(std::move(*parsed));
  }
  return success();
}

LogicalResult FixExtents::fixArguments(MutableArrayRef<GivenExtents> given) {
  SetVector<StringRef> names;
  for (auto function : getOperation().getOps<func::FuncOp>()) {
    SmallVector<Type> types(function.getArgumentTypes());
    for (auto [index, type] : llvm::enumerate(types)) {
      RoleInfo role = getArgRole(function, index);
      auto tensor = dyn_cast<RankedTensorType>(type);
      if (!role.is(Role::Batch) || !tensor || function.isExternal())
        continue;
      names.insert(role.name);
      auto *wanted = llvm::find_if(given, [&](const GivenExtents &one) {
        return one.name == role.name;
      });
      if (wanted == given.end())
        continue;
      wanted->isMet = true;
      // What is called takes what its calls have.
      if (tensor.hasStaticShape() || !findCalls(function).empty())
        continue;
      RankedTensorType fixed = join(tensor, tensor.clone(wanted->shape));
      if (!fixed)
        return emitError(function.getArgument(index).getLoc())
               << "expected extents for '" << role.name << "' that fit "
               << tensor << ", but got "
               << RankedTensorType::get(wanted->shape, tensor.getElementType());
      type = fixed;
    }
    if (types == function.getArgumentTypes())
      continue;
    if (!references->isCalledOnly(function))
      return function.emitError()
             << "expected '@" << function.getName()
             << "' to be used by calls alone, because 'extents' changes its "
                "arguments, but it is taken by reference; take a function "
                "without roles that calls it";
    setArgumentTypes(function, types);
  }
  for (const GivenExtents &one : given)
    if (!one.isMet)
      return getOperation().emitError()
             << "expected 'extents' to name batch arguments, but got '"
             << one.name << "'; "
             << (names.empty()
                     ? std::string("no function has any")
                     : "there are '" + llvm::join(names.getArrayRef(), "', '") +
                           "'");
  return success();
}

SmallVector<func::CallOp> FixExtents::findCalls(func::FuncOp function) {
  SmallVector<func::CallOp> calls;
  getOperation().walk([&](func::CallOp call) {
    if (call.getCallee() == function.getName())
      calls.push_back(call);
  });
  return calls;
}

void FixExtents::setArgumentTypes(func::FuncOp function, ArrayRef<Type> types) {
  for (auto [argument, type] :
       llvm::zip_equal(function.getArguments(), types)) {
    numFixed += argument.getType() != type;
    refineInPlace(argument, type);
  }
  function.setType(
      FunctionType::get(&getContext(), types, function.getResultTypes()));
  changed.insert(function);
  for (func::CallOp call : findCalls(function))
    giveRefined(call, types);
}

func::FuncOp FixExtents::getCopy(func::FuncOp callee, ArrayRef<Type> types,
                                 SymbolTable &symbols) {
  Type key = FunctionType::get(&getContext(), types, {});
  func::FuncOp &copy = copies[{callee.getSymNameAttr(), key}];
  if (copy || copies.size() > kMostCopies)
    return copy;
  copy = callee.clone();
  copy.setPrivate();
  symbols.insert(copy, std::next(callee->getIterator()));
  setArgumentTypes(copy, types);
  return copy;
}

/// Gives `call` results of `types`, and its readers what they had.
static void setResultTypes(func::CallOp call, TypeRange types) {
  for (auto [result, type] : llvm::zip_equal(call.getResults(), types))
    refineInPlace(result, type);
}

/// Calls the callee as it takes the extents that the call's operands have.
void FixExtents::refineCall(func::CallOp call, SymbolTable &symbols) {
  auto callee = symbols.lookup<func::FuncOp>(call.getCallee());
  if (!callee || callee.isExternal())
    return;
  auto getTypes = [](func::CallOp call) {
    return llvm::map_to_vector(call.getOperands(), [](Value operand) {
      return getRefined(operand).getType();
    });
  };
  SmallVector<Type> types = getTypes(call);
  if (types == callee.getArgumentTypes())
    return;
  const bool isOpen = callee.isPublic() && !hasRoles(callee);
  if (!isOpen && references->isCalledOnly(callee) &&
      llvm::all_of(findCalls(callee), [&](func::CallOp other) {
        return getTypes(other) == types;
      }))
    return setArgumentTypes(callee, types);
  if (hasRoles(callee))
    return;
  func::FuncOp copy = getCopy(callee, types, symbols);
  if (!copy)
    return;
  call.setCallee(copy.getName());
  giveRefined(call, types);
  changed.insert(call->getParentOfType<func::FuncOp>());
  // What the copy has found of its results before this call.
  setResultTypes(call, copy.getResultTypes());
}

/// Returns what casts hide of the results, to all calls.
void FixExtents::refineResults(func::FuncOp function) {
  SmallVector<Operation *> returns;
  function.walk([&](func::ReturnOp op) { returns.push_back(op); });
  if (returns.empty() || !references->isCalledOnly(function))
    return;
  SmallVector<Type> types = findRefined(returns, function.getResultTypes());
  if (types == function.getResultTypes())
    return;
  for (Operation *end : returns)
    giveRefined(end, types);
  function.setType(
      FunctionType::get(&getContext(), function.getArgumentTypes(), types));
  for (func::CallOp call : findCalls(function)) {
    setResultTypes(call, types);
    changed.insert(call->getParentOfType<func::FuncOp>());
  }
}

void FixExtents::propagate() {
  SymbolTable symbols(getOperation());
  while (!changed.empty()) {
    func::FuncOp function = changed.pop_back_val();
    refineExtents(function.getBody());
    refineResults(function);
    SmallVector<func::CallOp> calls;
    function.walk([&](func::CallOp call) { calls.push_back(call); });
    for (func::CallOp call : calls)
      refineCall(call, symbols);
  }
  for (auto function : getOperation().getOps<func::FuncOp>())
    eraseForgetting(function.getBody());
}
