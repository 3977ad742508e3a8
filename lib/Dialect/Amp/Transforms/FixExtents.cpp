//===- FixExtents.cpp - Batches of known extents --------------------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The arguments that are named take types of known extents, and a cast gives
// the body what it had. From there the extents go forward: casts move below
// whatever reads them, by the canonical patterns of tensor, linalg and scf and
// by two of our own (elementwise operations; the yields of branches and
// regions), until they meet the function's returns, whose types then change,
// and its calls. A callee takes what all of its calls have, or is copied: once
// for each list of types that it is called with, up to a bound.
//
// Casts of the program that claim known extents are kept out of the patterns,
// which would believe them, and stay where the claim is not what has become
// known: amp-check-extents asks them when the step runs, as it does without
// this pass.
//
//===----------------------------------------------------------------------===//

#include "amp/Dialect/Amp/IR/AmpDialect.h"
#include "amp/Dialect/Amp/IR/AmpRoles.h"
#include "amp/Dialect/Amp/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StructuredOpsUtils.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
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

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

/// Whether `type` says all that `other` says of the same tensor, and more.
static bool isMoreStatic(Type type, Type other) {
  return type != other && isa<RankedTensorType>(type) &&
         tensor::preservesStaticInformation(other, type);
}

/// What `value` is a cast of, if that says more of it; else `value`.
static Value getRefined(Value value) {
  auto cast = value.getDefiningOp<tensor::CastOp>();
  return cast && isMoreStatic(cast.getSource().getType(), value.getType())
             ? cast.getSource()
             : value;
}

/// The types that all of `ends`, which end regions with values of `types`,
/// could give: where each has a cast of one type, that type.
static SmallVector<Type> findRefined(ArrayRef<Operation *> ends,
                                     TypeRange types) {
  SmallVector<Type> found(types);
  for (unsigned i = 0; i != found.size(); ++i) {
    Type refined = getRefined(ends.front()->getOperand(i)).getType();
    if (llvm::all_of(ends, [&](Operation *end) {
          return getRefined(end->getOperand(i)).getType() == refined;
        }))
      found[i] = refined;
  }
  return found;
}

/// Leaves out the casts in front of what `end` gives, where `types` has what
/// they are of.
static void giveRefined(Operation *end, TypeRange types) {
  for (auto [operand, type] : llvm::zip_equal(end->getOpOperands(), types))
    if (operand.get().getType() != type)
      operand.set(getRefined(operand.get()));
}

/// The type that has what either says; null where they contradict each other.
static RankedTensorType join(RankedTensorType a, RankedTensorType b) {
  if (a.getRank() != b.getRank())
    return {};
  SmallVector<int64_t> shape(a.getShape());
  for (auto [extent, other] : llvm::zip_equal(shape, b.getShape())) {
    if (ShapedType::isDynamic(extent))
      extent = other;
    else if (!ShapedType::isDynamic(other) && extent != other)
      return {};
  }
  return a.clone(shape);
}

/// `value` as `type`, by a cast where it is another; where it contradicts what
/// is known of the value, by one that fails at run time.
static Value castTo(OpBuilder &b, Location loc, Value value, Type type) {
  if (value.getType() == type)
    return value;
  if (!tensor::CastOp::areCastCompatible(value.getType(), type)) {
    auto tensor = cast<RankedTensorType>(type);
    SmallVector<int64_t> unknown(tensor.getRank(), ShapedType::kDynamic);
    value = tensor::CastOp::create(b, loc, tensor.clone(unknown), value);
  }
  return tensor::CastOp::create(b, loc, type, value);
}

/// The results of `refined` as `op` has them.
static SmallVector<Value> castBack(OpBuilder &b, Operation *op,
                                   Operation *refined) {
  SmallVector<Value> results;
  for (auto [result, type] :
       llvm::zip_equal(refined->getResults(), op->getResultTypes()))
    results.push_back(castTo(b, op->getLoc(), result, type));
  return results;
}

//===----------------------------------------------------------------------===//
// Patterns
//===----------------------------------------------------------------------===//

namespace {
/// An operation on elements has the extents of all of its operands.
struct RefineElementwise : RewritePattern {
  explicit RefineElementwise(MLIRContext *context)
      : RewritePattern(MatchAnyOpTypeTag(), /*benefit=*/1, context) {}

  LogicalResult matchAndRewrite(Operation *op,
                                PatternRewriter &rewriter) const override {
    if (!OpTrait::hasElementwiseMappableTraits(op) || op->getNumRegions() != 0)
      return failure();
    RankedTensorType known;
    for (Type type : op->getResultTypes()) {
      auto result = dyn_cast<RankedTensorType>(type);
      known = !result || !known ? result : join(known, result);
      if (!known)
        return failure();
    }
    for (Value operand : op->getOperands()) {
      auto type = dyn_cast<RankedTensorType>(getRefined(operand).getType());
      if (type && known)
        known = join(known, type);
    }
    if (!known)
      return failure();
    auto refine = [&](Type type) -> Type {
      auto tensor = dyn_cast<RankedTensorType>(type);
      return tensor ? tensor.clone(known.getShape()) : type;
    };
    SmallVector<Type> types = llvm::map_to_vector(op->getResultTypes(), refine);
    if (types == op->getResultTypes())
      return failure();
    Location loc = op->getLoc();
    SmallVector<Value> operands =
        llvm::map_to_vector(op->getOperands(), [&](Value operand) {
          return castTo(rewriter, loc, getRefined(operand),
                        refine(operand.getType()));
        });
    Operation *refined = mlir::clone(rewriter, op, types, operands);
    rewriter.replaceOp(op, castBack(rewriter, op, refined));
    return success();
  }
};

/// What all regions of an operation yield as a cast of one type is cast behind
/// the operation.
struct RefineYields : RewritePattern {
  explicit RefineYields(MLIRContext *context)
      : RewritePattern(MatchAnyOpTypeTag(), /*benefit=*/1, context) {}

  LogicalResult matchAndRewrite(Operation *op,
                                PatternRewriter &rewriter) const override {
    if (!isa<scf::IfOp, scf::IndexSwitchOp, AutocastOp>(op) ||
        op->getNumResults() == 0)
      return failure();
    SmallVector<Operation *> yields;
    for (Region &region : op->getRegions())
      yields.push_back(region.front().getTerminator());
    SmallVector<Type> types = findRefined(yields, op->getResultTypes());
    if (types == op->getResultTypes())
      return failure();
    Operation *refined =
        cloneWithoutRegions(rewriter, op, types, op->getOperands());
    for (auto [from, to] :
         llvm::zip_equal(op->getRegions(), refined->getRegions()))
      rewriter.inlineRegionBefore(from, to, to.end());
    for (Operation *yield : yields)
      rewriter.modifyOpInPlace(yield, [&] { giveRefined(yield, types); });
    rewriter.replaceOp(op, castBack(rewriter, op, refined));
    return success();
  }
};
} // namespace

static FrozenRewritePatternSet makePatterns(MLIRContext *context) {
  RewritePatternSet patterns(context);
  for (StringRef name : {"tensor", "linalg", "scf"})
    if (Dialect *dialect = context->getLoadedDialect(name))
      dialect->getCanonicalizationPatterns(patterns);
  for (RegisteredOperationName op : context->getRegisteredOperations())
    if (isa<tensor::TensorDialect, linalg::LinalgDialect, scf::SCFDialect>(
            op.getDialect()))
      op.getCanonicalizationPatterns(patterns, context);
  patterns.add<RefineElementwise, RefineYields>(context);
  // Of the latter, which forgets strides: as addCanonicalizer.
  SmallVector<std::string> disabled = {
      "(anonymous namespace)::FoldInsertPadIntoFill",
      "{anonymous}::FoldInsertPadIntoFill"};
  return FrozenRewritePatternSet(std::move(patterns), disabled);
}

//===----------------------------------------------------------------------===//
// Claims
//===----------------------------------------------------------------------===//

/// On what stands for a cast of the program that claims extents.
static constexpr StringLiteral kClaimAttr = "amp.claim";

/// Puts something that no pattern knows in the place of casts that say more of
/// their result than is known of their source.
static void hideClaims(ModuleOp module) {
  module.walk([](tensor::CastOp cast) {
    if (isMoreStatic(cast.getSource().getType(), cast.getType()))
      return;
    OpBuilder b(cast);
    auto claim = UnrealizedConversionCastOp::create(
        b, cast.getLoc(), cast.getType(), cast.getSource());
    claim->setAttrs(cast->getAttrs());
    claim->setAttr(kClaimAttr, b.getUnitAttr());
    cast.getResult().replaceAllUsesWith(claim.getResult(0));
    cast.erase();
  });
}

/// Makes casts of them again, where what they claim is not known to be so.
/// Fails where it is known to be otherwise.
static LogicalResult showClaims(ModuleOp module) {
  bool isFalse = false;
  module.walk([&](UnrealizedConversionCastOp claim) {
    if (!claim->hasAttr(kClaimAttr))
      return;
    OpBuilder b(claim);
    Value source = getRefined(claim.getOperand(0));
    Type type = claim.getResult(0).getType();
    if (!tensor::CastOp::areCastCompatible(source.getType(), type)) {
      isFalse = true;
      claim.emitError() << "expected extents for which this is " << type
                        << ", but with those that are given it is "
                        << source.getType();
      return;
    }
    if (source.getType() != type) {
      auto cast =
          tensor::CastOp::create(b, claim.getLoc(), type, claim.getOperand(0));
      claim->removeAttr(kClaimAttr);
      cast->setAttrs(claim->getAttrs());
      source = cast;
    }
    claim.getResult(0).replaceAllUsesWith(source);
    claim.erase();
  });
  return failure(isFalse);
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

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

  LogicalResult initialize(MLIRContext *context) override {
    patterns = makePatterns(context);
    return success();
  }

  void runOnOperation() override {
    if (extents.empty())
      return markAllAnalysesPreserved();
    copies.clear();
    changed.clear();
    SmallVector<GivenExtents> given;
    if (failed(parse(given)))
      return signalPassFailure();
    hideClaims(getOperation());
    if (failed(fixArguments(given)))
      return signalPassFailure();
    propagate();
    if (failed(showClaims(getOperation())))
      signalPassFailure();
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
  bool isCalledOnly(func::FuncOp function);

  FrozenRewritePatternSet patterns;
  /// Copies of callees, by name and the types that they take.
  DenseMap<std::pair<StringAttr, Type>, func::FuncOp> copies;
  /// Functions in which casts may move.
  SetVector<func::FuncOp> changed;
};
} // namespace

static std::optional<GivenExtents> parseOne(StringRef text) {
  auto [name, shape] = text.split('=');
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

/// `type` with the extents that are `given`, or nothing where they do not fit.
static RankedTensorType fit(RankedTensorType type, const GivenExtents &given) {
  return join(type, type.clone(given.shape));
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
      RankedTensorType fixed = fit(tensor, *wanted);
      if (!fixed)
        return emitError(function.getArgument(index).getLoc())
               << "expected extents for '" << role.name << "' that fit "
               << tensor << ", but got "
               << RankedTensorType::get(wanted->shape, tensor.getElementType());
      type = fixed;
    }
    if (types == function.getArgumentTypes())
      continue;
    if (!isCalledOnly(function))
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

bool FixExtents::isCalledOnly(func::FuncOp function) {
  auto uses = SymbolTable::getSymbolUses(function, getOperation());
  return uses && llvm::all_of(*uses, [](const SymbolTable::SymbolUse &use) {
           return isa<func::CallOp>(use.getUser());
         });
}

void FixExtents::setArgumentTypes(func::FuncOp function, ArrayRef<Type> types) {
  auto b = OpBuilder::atBlockBegin(&function.getBody().front());
  for (auto [argument, type] :
       llvm::zip_equal(function.getArguments(), types)) {
    Type before = argument.getType();
    if (type == before)
      continue;
    argument.setType(type);
    auto cast = tensor::CastOp::create(b, argument.getLoc(), before, argument);
    argument.replaceAllUsesExcept(cast, cast);
    ++numFixed;
  }
  function.setType(
      FunctionType::get(&getContext(), types, function.getResultTypes()));
  changed.insert(function);
  for (func::CallOp call : findCalls(function)) {
    b.setInsertionPoint(call);
    for (auto [operand, type] : llvm::zip_equal(call->getOpOperands(), types))
      operand.set(castTo(b, call.getLoc(), getRefined(operand.get()), type));
  }
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

/// Gives `call` results of `types`, and casts to its readers.
static void setResultTypes(func::CallOp call, TypeRange types) {
  OpBuilder b(call->getContext());
  b.setInsertionPointAfter(call);
  for (auto [result, type] : llvm::zip_equal(call.getResults(), types)) {
    Type before = result.getType();
    if (before == type)
      continue;
    result.setType(type);
    auto cast = tensor::CastOp::create(b, call.getLoc(), before, result);
    result.replaceAllUsesExcept(cast, cast);
  }
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
  if (!isOpen && isCalledOnly(callee) &&
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
  for (OpOperand &operand : call->getOpOperands())
    operand.set(getRefined(operand.get()));
  changed.insert(call->getParentOfType<func::FuncOp>());
  // What the copy has found of its results before this call.
  setResultTypes(call, copy.getResultTypes());
}

/// Returns what casts hide of the results, to all calls.
void FixExtents::refineResults(func::FuncOp function) {
  SmallVector<Operation *> returns;
  function.walk([&](func::ReturnOp op) { returns.push_back(op); });
  if (returns.empty() || !isCalledOnly(function))
    return;
  SmallVector<Type> types = findRefined(returns, function.getResultTypes());
  if (types == function.getResultTypes())
    return;
  for (Operation *end : returns) {
    SmallVector<Value> before(end->getOperands());
    giveRefined(end, types);
    for (Value value : before)
      if (Operation *cast = value.getDefiningOp();
          cast && isOpTriviallyDead(cast))
        cast->erase();
  }
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
    // Valid at each point, so one that does not settle is left as it is.
    (void)applyPatternsGreedily(function, patterns);
    refineResults(function);
    SmallVector<func::CallOp> calls;
    function.walk([&](func::CallOp call) { calls.push_back(call); });
    for (func::CallOp call : calls)
      refineCall(call, symbols);
  }
}
