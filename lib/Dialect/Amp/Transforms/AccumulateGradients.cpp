//===- AccumulateGradients.cpp - Several backward passes to a step --------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One call of the forward-backward function becomes N, each on its part of the
// rows, and what the step did with the results of the one it does with their
// combination: the sum of gradients, the mean of losses, the last of states. So
// clipping, logging and the optimizer step after the call stay as they are.
//
// The passes that follow see N backward passes, as if the user had written
// them: each is scaled, unscaled and tested by itself, which is what Apex does.
//
// The calls are not a loop, because what a loop carries is f32: Apex adds half
// gradients (O3) in half, and the sums here follow the gradients' type. So code
// and compile time grow with the number of parts, which has a limit.
//
//===----------------------------------------------------------------------===//

#include "amp/Dialect/Amp/IR/AmpDialect.h"
#include "amp/Dialect/Amp/IR/AmpRoles.h"
#include "amp/Dialect/Amp/Transforms/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/Support/MathExtras.h"

#define DEBUG_TYPE "amp-accumulate-gradients"

namespace mlir::amp {
#define GEN_PASS_DEF_ACCUMULATEGRADIENTSPASS
#include "amp/Dialect/Amp/Transforms/Passes.h.inc"
} // namespace mlir::amp

using namespace mlir;
using namespace mlir::amp;

/// Each part is code of its own. Sixteen times what training scripts usually
/// take (up to 64), and what compiles in minutes for a small model.
static constexpr int64_t kMostMicroBatches = 1024;

/// True if a batch argument of this type has rows to be divided.
static bool hasRows(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && tensor.getRank() > 0;
}

namespace {
struct AccumulateGradients
    : public amp::impl::AccumulateGradientsPassBase<AccumulateGradients> {
  using AccumulateGradientsPassBase::AccumulateGradientsPassBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (microBatches < 1) {
      module.emitError()
          << "expected 'micro-batches' to be at least 1, but got "
          << microBatches.getValue();
      return signalPassFailure();
    }
    if (microBatches > kMostMicroBatches) {
      module.emitError() << "expected 'micro-batches' to be at most "
                         << kMostMicroBatches
                         << ", as each is code of its own, but got "
                         << microBatches.getValue()
                         << "; use fewer parts of more rows";
      return signalPassFailure();
    }
    if (microBatches == 1)
      return markAllAnalysesPreserved();
    SymbolTable symbols(module);
    for (auto function : module.getOps<func::FuncOp>())
      if (getFunctionKind(function) == FunctionKind::TrainStep &&
          !function.isExternal() && failed(accumulate(function, symbols)))
        return signalPassFailure();
  }

  LogicalResult accumulate(func::FuncOp step, SymbolTable &symbols) {
    if (auto done = step->getAttrOfType<IntegerAttr>(kMicroBatchesAttr)) {
      if (done.getInt() == microBatches)
        return success();
      return step.emitError()
             << "expected 'micro-batches' to be " << done.getInt()
             << ", by which the batch of train step '@" << step.getName()
             << "' has been divided, but got " << microBatches.getValue();
    }
    FailureOr<func::CallOp> call = findBackwardPass(step, symbols);
    if (failed(call))
      return failure();
    auto callee = symbols.lookup<func::FuncOp>(call->getCallee());
    if (failed(checkBatches(step, *call, callee)) ||
        failed(checkResults(*call, callee)))
      return failure();
    repeat(*call, callee);
    widenBatches(step, *call, callee);
    call->erase();
    step->setAttr(kMicroBatchesAttr,
                  Builder(&getContext()).getI64IntegerAttr(microBatches));
    ++numAccumulated;
    return success();
  }

  FailureOr<func::CallOp> findBackwardPass(func::FuncOp step,
                                           SymbolTable &symbols) {
    SmallVector<func::CallOp> calls;
    step.walk([&](func::CallOp call) {
      auto callee = symbols.lookup<func::FuncOp>(call.getCallee());
      if (callee && getFunctionKind(callee) == FunctionKind::ForwardBackward)
        calls.push_back(call);
    });
    if (calls.size() == 1 && calls[0]->getParentOp() == step)
      return calls[0];
    InFlightDiagnostic diagnostic =
        step.emitError()
        << "expected train step '@" << step.getName()
        << "' to call one function with 'grad' results, outside loops and branches, to "
           "divide its batch by 'micro-batches', but ";
    if (calls.empty())
      return diagnostic
             << "found none; mark the gradients of a fused step with "
                "'amp.grad', which amp-split-train-step cuts it at";
    if (calls.size() == 1)
      return diagnostic << "found it in '" << calls[0]->getParentOp()->getName()
                        << "'; leave the option out of a step that has "
                           "micro-batches of its own";
    return diagnostic << "found " << calls.size()
                      << "; leave the option out of a step that has "
                         "micro-batches of its own";
  }

  /// The batch must go into the call as it came, with rows to be divided.
  LogicalResult checkBatches(func::FuncOp step, func::CallOp call,
                             func::FuncOp callee) {
    for (unsigned i = 0, e = callee.getNumArguments(); i != e; ++i) {
      RoleInfo info = getArgRole(callee, i);
      if (!info.is(Role::Batch) || !hasRows(call.getOperand(i).getType()))
        continue;
      auto argument = dyn_cast<BlockArgument>(call.getOperand(i));
      // As another batch as well, it is divided for both.
      if (!argument || argument.getOwner() != &step.getBody().front() ||
          !llvm::all_of(argument.getUses(), [&](OpOperand &use) {
            return use.getOwner() == call &&
                   getArgRole(callee, use.getOperandNumber()).is(Role::Batch);
          }))
        return call.emitError()
               << "expected batch '" << info.name << "' to be an argument of '@"
               << step.getName()
               << "' that only this call reads, to divide its rows by 'micro-batches'; "
                  "move what else reads it into '@"
               << callee.getName() << "'";
      auto type = cast<RankedTensorType>(argument.getType());
      if (type.isDynamicDim(0))
        return call.emitError()
               << "expected batch '" << info.name
               << "' to have a fixed number of rows, each of the 'micro-batches' takes as "
                  "many, but got "
               << type << "; give its extents ('extents')";
      int64_t rows;
      if (llvm::MulOverflow<int64_t>(type.getDimSize(0), microBatches, rows))
        return call.emitError()
               << "expected batch '" << info.name
               << "' to have less than 2^63 rows in all 'micro-batches', but "
                  "got "
               << microBatches.getValue() << " times " << type;
    }
    return success();
  }

  /// Every result must be something that has a sum, a mean or a last value.
  LogicalResult checkResults(func::CallOp call, func::FuncOp callee) {
    for (unsigned i = 0, e = callee.getNumResults(); i != e; ++i) {
      RoleInfo info = getResultRole(callee, i);
      if (call.getResult(i).use_empty())
        continue;
      Type type = call.getResult(i).getType();
      const bool isAdded = info.is(Role::Grad) || info.is(Role::Loss);
      if (!isAdded && !isCarried(info))
        return call.emitError()
               << "expected the results of '@" << callee.getName()
               << "' that the step reads to be losses, gradients and states, which "
                  "'micro-batches' can add or hand on, but result "
               << i << " is "
               << (info.role
                       ? "of role '" + stringifyRole(*info.role).str() + "'"
                       : std::string("of none"));
      if (isAdded && !isa<FloatType>(getElementTypeOrSelf(type)))
        return call.emitError() << "expected '" << info.name
                                << "' to be of floating point to be added "
                                   "over 'micro-batches', but got "
                                << type;
    }
    return success();
  }

  /// True for states that a backward pass changes: the next one takes them.
  static bool isCarried(RoleInfo info) {
    return info.is(Role::Buffer) || info.is(Role::Rng) ||
           info.is(Role::Accumulator);
  }

  /// One part of the rows of a widened batch:
  ///   %part = tensor.extract_slice %batch[part * rows, 0] [rows, n] [1, 1]
  static Value takeRows(OpBuilder &builder, Location loc, Value batch,
                        RankedTensorType type, int64_t part) {
    SmallVector<OpFoldResult> offsets, sizes, strides;
    for (int64_t i = 0, e = type.getRank(); i != e; ++i) {
      offsets.push_back(
          builder.getIndexAttr(i == 0 ? part * type.getDimSize(0) : 0));
      sizes.push_back(
          type.isDynamicDim(i)
              ? OpFoldResult(tensor::DimOp::create(builder, loc, batch, i))
              : builder.getIndexAttr(type.getDimSize(i)));
      strides.push_back(builder.getIndexAttr(1));
    }
    return tensor::ExtractSliceOp::create(builder, loc, type, batch, offsets,
                                          sizes, strides);
  }

  /// `value` divided by the number of micro-batches.
  Value divide(OpBuilder &builder, Location loc, Value value) const {
    auto type = value.getType();
    FloatAttr count = FloatAttr::get(getElementTypeOrSelf(type), microBatches);
    TypedAttr divisor = count;
    if (auto shaped = dyn_cast<ShapedType>(type))
      divisor = DenseElementsAttr::get(shaped, Attribute(count));
    return arith::DivFOp::create(
        builder, loc, value, arith::ConstantOp::create(builder, loc, divisor));
  }

  /// N calls before `call`, which loses its uses to their combined results.
  void repeat(func::CallOp call, func::FuncOp callee) {
    OpBuilder builder(call);
    Location loc = call.getLoc();
    SmallVector<Value> operands(call.getOperands());
    for (unsigned i = 0, e = callee.getNumArguments(); i != e; ++i)
      if (getArgRole(callee, i).is(Role::LossSeed))
        operands[i] = divide(builder, loc, operands[i]);

    SmallVector<Value> combined;
    for (int64_t part = 0; part < microBatches; ++part) {
      SmallVector<Value> taken(operands);
      for (unsigned i = 0, e = callee.getNumArguments(); i != e; ++i)
        if (getArgRole(callee, i).is(Role::Batch) &&
            hasRows(operands[i].getType()))
          taken[i] =
              takeRows(builder, loc, operands[i],
                       cast<RankedTensorType>(operands[i].getType()), part);
      auto repeated = func::CallOp::create(builder, loc, callee, taken);
      repeated->setDiscardableAttrs(call->getDiscardableAttrDictionary());
      for (unsigned i = 0, e = callee.getNumResults(); i != e; ++i) {
        RoleInfo info = getResultRole(callee, i);
        Value result = repeated.getResult(i);
        if (part == 0)
          combined.push_back(result);
        else if (info.is(Role::Grad) || info.is(Role::Loss))
          combined[i] =
              arith::AddFOp::create(builder, loc, combined[i], result);
        else
          combined[i] = result;
        if (isCarried(info))
          hand(callee, info, result, operands);
      }
    }
    for (unsigned i = 0, e = callee.getNumResults(); i != e; ++i) {
      if (getResultRole(callee, i).is(Role::Loss))
        combined[i] = divide(builder, loc, combined[i]);
      call.getResult(i).replaceAllUsesWith(combined[i]);
    }
  }

  /// Makes `state` the operand of its role and name.
  static void hand(func::FuncOp callee, RoleInfo state, Value value,
                   MutableArrayRef<Value> operands) {
    for (unsigned i = 0, e = callee.getNumArguments(); i != e; ++i)
      if (RoleInfo info = getArgRole(callee, i);
          info.role == state.role && info.name == state.name)
        operands[i] = value;
  }

  /// The step takes the rows of all its micro-batches.
  void widenBatches(func::FuncOp step, func::CallOp call, func::FuncOp callee) {
    llvm::SmallPtrSet<Value, 4> widened;
    for (unsigned i = 0, e = callee.getNumArguments(); i != e; ++i) {
      if (!getArgRole(callee, i).is(Role::Batch) ||
          !hasRows(call.getOperand(i).getType()))
        continue;
      auto argument = cast<BlockArgument>(call.getOperand(i));
      if (!widened.insert(argument).second)
        continue;
      auto type = cast<RankedTensorType>(argument.getType());
      SmallVector<int64_t> shape(type.getShape());
      shape[0] *= microBatches; // checkBatches has seen that it fits
      argument.setType(type.clone(shape));
    }
    step.setFunctionType(FunctionType::get(
        step.getContext(), step.getBody().front().getArgumentTypes(),
        step.getFunctionType().getResults()));
  }
};
} // namespace
