//===- AmpToRuntime.cpp - Loss scaling as calls of the runtime ------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Three steps: which functions need which handles, found over the call graph by
// a fixpoint (few functions, few scalers); signatures and calls; then the
// operations one by one, in place. Calls of the runtime have side effects, so
// the order of reads and updates is that of the program.
//
//===----------------------------------------------------------------------===//

#include "amp/Conversion/Passes.h"
#include "amp/Dialect/Amp/IR/AmpDialect.h"
#include "amp/Dialect/Amp/IR/AmpRoles.h"
#include "amp/Program/ProgramSignature.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

#define DEBUG_TYPE "convert-amp-to-runtime"

namespace mlir::amp {
#define GEN_PASS_DEF_CONVERTAMPTORUNTIMEPASS
#include "amp/Conversion/Passes.h.inc"
} // namespace mlir::amp

using namespace mlir;
using namespace mlir::amp;

// Program entry points of the runtime: amp-rt/Scaler.h.
static constexpr StringLiteral kScalerScale = "ampRtScalerScale";
static constexpr StringLiteral kScalerUpdate = "ampRtScalerUpdateFromProgram";
/// Name of the handle argument for taps, role hyper.
static constexpr StringLiteral kTapName = "tap";

namespace {
/// Handles that a function needs, in the order of first use: scaler names, and
/// the empty string for the tap.
using HandleSet = llvm::SetVector<StringAttr>;

class RuntimeLowering {
public:
  explicit RuntimeLowering(ModuleOp module)
      : module(module), builder(module.getContext()),
        tap(StringAttr::get(module.getContext(), "")) {}

  void run();

private:
  void findHandles();
  void addArguments();
  void findSkipping();
  void recordScalers();
  void lower(ScaleLossOp op);
  void lower(UnscaleOp op);
  void lower(UpdateScaleOp op);

  Value getHandle(Operation *op, StringAttr name) {
    return handles[op->getParentOfType<func::FuncOp>()].lookup(name);
  }
  func::FuncOp declare(StringRef name, FunctionType type);
  Value createScale(Location loc, Value handle);
  Value createEmptyLike(Location loc, Value tensor, Type element);
  Value createInfTest(Location loc, Value gradient, Value found);

  ModuleOp module;
  OpBuilder builder;
  StringAttr tap;
  llvm::MapVector<func::FuncOp, HandleSet> needs;
  llvm::DenseMap<func::FuncOp, llvm::DenseMap<StringAttr, Value>> handles;
  /// Scalers whose overflow an update is guarded by.
  llvm::DenseSet<StringAttr> skipping;
};
} // namespace

void RuntimeLowering::findHandles() {
  for (auto function : module.getOps<func::FuncOp>()) {
    HandleSet &set = needs[function];
    function.walk([&](Operation *op) {
      if (auto scale = dyn_cast<ScaleLossOp>(op))
        set.insert(scale.getScalerAttr().getAttr());
      else if (auto unscale = dyn_cast<UnscaleOp>(op))
        set.insert(unscale.getScalerAttr().getAttr());
      else if (auto update = dyn_cast<UpdateScaleOp>(op))
        set.insert(update.getScalerAttr().getAttr());
      else if (isa<TapOp>(op))
        set.insert(tap);
    });
  }
  for (bool changed = true; changed;) {
    changed = false;
    for (auto &[function, set] : needs)
      function.walk([&, &set = set](func::CallOp call) {
        auto callee = module.lookupSymbol<func::FuncOp>(call.getCallee());
        if (!callee)
          return;
        for (StringAttr name : HandleSet(needs[callee]))
          changed |= set.insert(name);
      });
  }
}

void RuntimeLowering::addArguments() {
  Type handleType = builder.getI64Type();
  for (auto &[function, set] : needs) {
    for (StringAttr name : set) {
      DictionaryAttr attrs =
          name == tap ? getRoleAttrs(module.getContext(), Role::Hyper, kTapName)
                      : getRoleAttrs(module.getContext(), Role::ScalerState,
                                     name.getValue());
      unsigned index = function.getNumArguments();
      (void)function.insertArgument(index, handleType, attrs,
                                    function.getLoc());
      if (!function.isExternal())
        handles[function][name] = function.getArgument(index);
    }
  }
  for (auto &[function, set] : needs)
    function->walk([&](func::CallOp call) {
      auto callee = module.lookupSymbol<func::FuncOp>(call.getCallee());
      if (!callee)
        return;
      for (StringAttr name : needs[callee])
        call->insertOperands(call->getNumOperands(), getHandle(call, name));
    });
}

/// A static scaler does not say whether its overflows skip: what guards the
/// updates does. Looks from each guard back to the unscalings, along integers.
void RuntimeLowering::findSkipping() {
  llvm::MapVector<Operation *, SmallVector<func::CallOp>> callsOf;
  SmallVector<Value> worklist;
  llvm::DenseSet<Value> seen;
  auto add = [&](ValueRange values) {
    for (Value value : values)
      if (getElementTypeOrSelf(value.getType()).isIntOrIndex() &&
          seen.insert(value).second)
        worklist.push_back(value);
  };
  for (auto &[function, set] : needs)
    func::FuncOp(function).walk([&](Operation *op) {
      if (auto guard = dyn_cast<ApplyIfFiniteOp>(op))
        add(guard.getFoundInf());
      else if (auto call = dyn_cast<func::CallOp>(op))
        callsOf[module.lookupSymbol(call.getCallee())].push_back(call);
    });
  auto addEnds = [&](Operation *op) {
    add(op->getOperands());
    for (Region &region : op->getRegions())
      for (Block &block : region)
        if (block.mightHaveTerminator())
          add(block.getTerminator()->getOperands());
  };
  while (!worklist.empty()) {
    Value value = worklist.pop_back_val();
    Operation *def = value.getDefiningOp();
    if (auto unscale = dyn_cast_or_null<UnscaleOp>(def)) {
      skipping.insert(unscale.getScalerAttr().getAttr());
      if (Value already = unscale.getAlreadyFound())
        add(already);
    } else if (auto call = dyn_cast_or_null<func::CallOp>(def)) {
      if (auto callee = module.lookupSymbol<func::FuncOp>(call.getCallee()))
        callee.walk([&](func::ReturnOp end) {
          add(end.getOperand(cast<OpResult>(value).getResultNumber()));
        });
    } else if (def) {
      addEnds(def);
    } else {
      auto argument = cast<BlockArgument>(value);
      Operation *parent = argument.getOwner()->getParentOp();
      if (!isa<func::FuncOp>(parent) || !argument.getOwner()->isEntryBlock())
        addEnds(parent);
      else
        for (func::CallOp call : callsOf.lookup(parent))
          add(call.getOperand(argument.getArgNumber()));
    }
  }
}

func::FuncOp RuntimeLowering::declare(StringRef name, FunctionType type) {
  if (auto function = module.lookupSymbol<func::FuncOp>(name))
    return function;
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(module.getBody());
  auto function = func::FuncOp::create(builder, module.getLoc(), name, type);
  function.setPrivate();
  return function;
}

Value RuntimeLowering::createScale(Location loc, Value handle) {
  func::FuncOp function =
      declare(kScalerScale, builder.getFunctionType(builder.getI64Type(),
                                                    builder.getF32Type()));
  return func::CallOp::create(builder, loc, function, handle).getResult(0);
}

Value RuntimeLowering::createEmptyLike(Location loc, Value tensor,
                                       Type element) {
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(builder, loc, tensor);
  return tensor::EmptyOp::create(builder, loc, sizes, element);
}

void RuntimeLowering::lower(ScaleLossOp op) {
  builder.setInsertionPoint(op);
  Location loc = op.getLoc();
  Value scale = createScale(loc, getHandle(op, op.getScalerAttr().getAttr()));
  auto type = cast<RankedTensorType>(op.getType());
  Value empty = createEmptyLike(loc, op.getValue(), type.getElementType());
  AffineMap identity = builder.getMultiDimIdentityMap(type.getRank());
  SmallVector<utils::IteratorType> loops(type.getRank(),
                                         utils::IteratorType::parallel);
  auto product = linalg::GenericOp::create(
      builder, loc, type, op.getValue(), empty, ArrayRef{identity, identity},
      loops, [&](OpBuilder &body, Location loc, ValueRange args) {
        Value value = args[0];
        bool narrow = !value.getType().isF32();
        if (narrow)
          value = arith::ExtFOp::create(body, loc, body.getF32Type(), value);
        value = arith::MulFOp::create(body, loc, value, scale);
        if (narrow)
          value = arith::TruncFOp::create(body, loc, args[0].getType(), value);
        linalg::YieldOp::create(body, loc, value);
      });
  op.replaceAllUsesWith(product.getResult(0));
  op.erase();
}

/// found |= any element of `gradient` has an exponent of all ones. The result
/// is chained through `found` (a rank-0 i32), so all gradients give one answer.
Value RuntimeLowering::createInfTest(Location loc, Value gradient,
                                     Value found) {
  auto type = cast<RankedTensorType>(gradient.getType());
  auto element = cast<FloatType>(type.getElementType());
  unsigned width = element.getWidth();
  APInt mask = APFloat::getInf(element.getFloatSemantics()).bitcastToAPInt();
  MLIRContext *context = builder.getContext();
  AffineMap identity = builder.getMultiDimIdentityMap(type.getRank());
  AffineMap scalar = AffineMap::get(type.getRank(), 0, context);
  SmallVector<utils::IteratorType> loops(type.getRank(),
                                         utils::IteratorType::reduction);
  return linalg::GenericOp::create(
             builder, loc, found.getType(), gradient, found,
             ArrayRef{identity, scalar}, loops,
             [&](OpBuilder &body, Location loc, ValueRange args) {
               Type integer = body.getIntegerType(width);
               Value bits =
                   arith::BitcastOp::create(body, loc, integer, args[0]);
               Value exponent = arith::ConstantOp::create(
                   body, loc, body.getIntegerAttr(integer, mask));
               bits = arith::AndIOp::create(body, loc, bits, exponent);
               Value hit = arith::CmpIOp::create(
                   body, loc, arith::CmpIPredicate::eq, bits, exponent);
               hit = arith::ExtUIOp::create(body, loc, body.getI32Type(), hit);
               hit = arith::OrIOp::create(body, loc, args[1], hit);
               linalg::YieldOp::create(body, loc, hit);
             })
      .getResult(0);
}

void RuntimeLowering::lower(UnscaleOp op) {
  builder.setInsertionPoint(op);
  Location loc = op.getLoc();
  Value scale = createScale(loc, getHandle(op, op.getScalerAttr().getAttr()));
  Value one =
      arith::ConstantOp::create(builder, loc, builder.getF64FloatAttr(1.0));
  Value wide = arith::ExtFOp::create(builder, loc, builder.getF64Type(), scale);
  Value inverse =
      arith::TruncFOp::create(builder, loc, builder.getF32Type(),
                              arith::DivFOp::create(builder, loc, one, wide));

  auto foundType = RankedTensorType::get({}, builder.getI32Type());
  Value found = arith::ConstantOp::create(
      builder, loc, DenseElementsAttr::get(foundType, int32_t(0)));
  for (Value gradient : op.getGradients())
    found = createInfTest(loc, gradient, found);
  Value zero = arith::ConstantOp::create(
      builder, loc, DenseElementsAttr::get(foundType, int32_t(0)));
  Value foundInf = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne,
                                         found, zero);
  if (Value already = op.getAlreadyFound())
    foundInf = arith::OrIOp::create(builder, loc, foundInf, already);

  SmallVector<Value> results;
  for (auto [index, gradient] : llvm::enumerate(op.getGradients())) {
    auto type = cast<RankedTensorType>(op.getUnscaled()[index].getType());
    SmallVector<Value> inputs = {gradient};
    if (!op.getAccumulators().empty())
      inputs.push_back(op.getAccumulators()[index]);
    Value empty = createEmptyLike(loc, gradient, builder.getF32Type());
    SmallVector<AffineMap> maps(inputs.size() + 1,
                                builder.getMultiDimIdentityMap(type.getRank()));
    SmallVector<utils::IteratorType> loops(type.getRank(),
                                           utils::IteratorType::parallel);
    results.push_back(
        linalg::GenericOp::create(
            builder, loc, type, inputs, empty, maps, loops,
            [&](OpBuilder &body, Location loc, ValueRange args) {
              Value value = args[0];
              if (!value.getType().isF32())
                value =
                    arith::ExtFOp::create(body, loc, body.getF32Type(), value);
              value = arith::MulFOp::create(body, loc, value, inverse);
              if (args.size() == 3)
                value = arith::AddFOp::create(body, loc, value, args[1]);
              linalg::YieldOp::create(body, loc, value);
            })
            .getResult(0));
  }
  results.push_back(foundInf);
  op.replaceAllUsesWith(results);
  op.erase();
}

void RuntimeLowering::lower(UpdateScaleOp op) {
  builder.setInsertionPoint(op);
  func::FuncOp function = declare(
      kScalerUpdate,
      builder.getFunctionType({builder.getI64Type(), builder.getI1Type()}, {}));
  Value found = tensor::ExtractOp::create(builder, op.getLoc(),
                                          op.getFoundInf(), ValueRange());
  func::CallOp::create(
      builder, op.getLoc(), function,
      ValueRange{getHandle(op, op.getScalerAttr().getAttr()), found});
  op.erase();
}

/// What the program wants of its scalers, for amp-describe-program.
void RuntimeLowering::recordScalers() {
  SmallVector<Attribute> scalers;
  for (ScalerOp op : module.getOps<ScalerOp>()) {
    SmallVector<NamedAttribute> fields;
    auto add = [&](StringRef name, Attribute value) {
      fields.push_back(builder.getNamedAttr(name, value));
    };
    add("name", op.getSymNameAttr());
    add("initial_scale", op.getInitialScaleAttr());
    add("growth_factor", op.getGrowthFactorAttr());
    add("backoff_factor", op.getBackoffFactorAttr());
    add("growth_interval", op.getGrowthIntervalAttr());
    add("hysteresis", op.getHysteresisAttr());
    add("min_scale",
        op.getMinScale() ? op.getMinScaleAttr() : builder.getF64FloatAttr(0));
    add("max_scale", op.getMaxScaleAttr());
    if (op.getStaticScale())
      add("static", builder.getUnitAttr());
    if (op.getStaticScale() && skipping.contains(op.getSymNameAttr()))
      add("skips", builder.getUnitAttr());
    scalers.push_back(builder.getDictionaryAttr(fields));
  }
  if (!scalers.empty())
    module->setAttr(kScalersAttr, builder.getArrayAttr(scalers));
}

void RuntimeLowering::run() {
  findHandles();
  findSkipping(); // while the unscalings are there
  addArguments();
  SmallVector<func::FuncOp> functions(module.getOps<func::FuncOp>());
  for (func::FuncOp function : functions)
    function.walk([&](Operation *op) {
      if (auto scale = dyn_cast<ScaleLossOp>(op))
        lower(scale);
      else if (auto unscale = dyn_cast<UnscaleOp>(op))
        lower(unscale);
      else if (auto update = dyn_cast<UpdateScaleOp>(op))
        lower(update);
      else if (auto tapOp = dyn_cast<TapOp>(op))
        tapOp.getHandleMutable().assign(getHandle(op, tap));
    });
  recordScalers();
  for (ScalerOp scaler : llvm::make_early_inc_range(module.getOps<ScalerOp>()))
    scaler.erase();
}

namespace {
struct ConvertAmpToRuntime
    : public amp::impl::ConvertAmpToRuntimePassBase<ConvertAmpToRuntime> {
  void runOnOperation() override { RuntimeLowering(getOperation()).run(); }
};
} // namespace
