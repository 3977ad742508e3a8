//===- StoreIndicesAsIntegers.cpp - index in memory is an i64 -------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An index has 64 bits on the host and in a body of a kernel, so the type of
// tensors of them can be changed where they stand: of results, of arguments of
// blocks and of functions, all at once, whatever hands them on. Then what takes
// single elements out of such a tensor, puts them in, or has a body for each
// does not fit its tensor any more, and that is mended: there is a cast between
// the two. Numbers keep their type, so that what is computed with an index
// stays as it is.
//
// Kernels could know tensors of index as well, in each of their emitters and
// rules. That would be the same cast at each load and store, in many places,
// and every pass between here and there would have to know a type without a
// width.
//
//===----------------------------------------------------------------------===//

#include "amp/Conversion/Device/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "llvm/ADT/TypeSwitch.h"

#define DEBUG_TYPE "amp-store-indices-as-integers"

namespace mlir::amp {
#define GEN_PASS_DEF_STOREINDICESASINTEGERSPASS
#include "amp/Conversion/Device/Passes.h.inc"
} // namespace mlir::amp

using namespace mlir;
using namespace mlir::amp;

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

static bool isTensorOfIndex(Type type) {
  auto tensor = dyn_cast<TensorType>(type);
  return tensor && tensor.getElementType().isIndex();
}

/// The type that is stored for `type`, which may be that of a function.
static Type getStored(Type type) {
  auto each = [](TypeRange types) {
    return llvm::map_to_vector(types,
                               [](Type type) { return getStored(type); });
  };
  if (auto function = dyn_cast<FunctionType>(type))
    return function.clone(each(function.getInputs()),
                          each(function.getResults()));
  return isTensorOfIndex(type) ? cast<TensorType>(type).clone(
                                     IntegerType::get(type.getContext(), 64))
                               : type;
}

/// A value of `op` that is a tensor of index, or none.
static Type findTensorOfIndex(Operation *op) {
  for (Type type : llvm::concat<Type>(SmallVector<Type>(op->getOperandTypes()),
                                      SmallVector<Type>(op->getResultTypes())))
    if (isTensorOfIndex(type))
      return type;
  return {};
}

/// Whether `op` means the same for integers, once single elements are cast.
static bool takesIntegers(Operation *op) {
  auto isOther = [](Type type) {
    return isa<BaseMemRefType, VectorType>(type);
  };
  if (llvm::any_of(op->getOperandTypes(), isOther) ||
      llvm::any_of(op->getResultTypes(), isOther))
    return false;
  // Not of those that list only some numbers.
  if (auto constant = dyn_cast<arith::ConstantOp>(op))
    return isa<DenseElementsAttr, DenseResourceElementsAttr>(
        constant.getValue());
  return isa_and_present<
      arith::ArithDialect, bufferization::BufferizationDialect,
      cf::ControlFlowDialect, func::FuncDialect, linalg::LinalgDialect,
      scf::SCFDialect, tensor::TensorDialect, ub::UBDialect>(op->getDialect());
}

static void storeValues(Operation *op) {
  for (Value result : op->getResults())
    result.setType(getStored(result.getType()));
  for (Region &region : op->getRegions())
    for (Block &block : region)
      for (BlockArgument argument : block.getArguments())
        argument.setType(getStored(argument.getType()));
  if (auto function = dyn_cast<func::FuncOp>(op))
    function.setType(cast<FunctionType>(getStored(function.getFunctionType())));
}

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

/// Casts what `operand` takes to `type`, if it is another.
static void castOperand(OpOperand &operand, Type type) {
  if (operand.get().getType() == type)
    return;
  OpBuilder b(operand.getOwner());
  operand.set(b.createOrFold<arith::IndexCastOp>(operand.getOwner()->getLoc(),
                                                 type, operand.get()));
}

/// Gives `value` the type `type`, of which its users get what they got before.
static void castValue(Value value, Type type) {
  Type before = value.getType();
  if (before == type)
    return;
  OpBuilder b(value.getContext());
  b.setInsertionPointAfterValue(value);
  value.setType(type);
  if (value.use_empty())
    return;
  auto cast = arith::IndexCastOp::create(b, value.getLoc(), before, value);
  value.replaceAllUsesExcept(cast, cast);
}

static void castYields(Region &region, TypeRange types) {
  for (auto [operand, type] :
       llvm::zip_equal(region.front().getTerminator()->getOpOperands(), types))
    castOperand(operand, type);
}

/// Makes the body of `op` read and yield the elements of its tensors.
static void castBody(linalg::LinalgOp op) {
  if (auto fill = dyn_cast<linalg::FillOp>(op.getOperation())) {
    // Its body stays one that a fill has.
    Type element = getElementTypeOrSelf(fill.getDpsInits().front());
    castOperand(fill->getOpOperand(0), element);
    for (BlockArgument argument : fill.getBody()->getArguments())
      argument.setType(element);
    return;
  }
  for (OpOperand &operand : op->getOpOperands())
    if (isa<ShapedType>(operand.get().getType()))
      castValue(op.getMatchingBlockArgument(&operand),
                getElementTypeOrSelf(operand.get()));
  castYields(op->getRegion(0),
             llvm::map_to_vector(op.getDpsInits(), [](Value init) {
               return getElementTypeOrSelf(init);
             }));
}

/// A cast between tensors, one of which was of index.
static void castTensor(Operation *op, bool isSigned) {
  Value from = op->getOperand(0);
  Type to = op->getResult(0).getType();
  if (getElementTypeOrSelf(from).isIndex() ||
      getElementTypeOrSelf(to).isIndex())
    return;
  OpBuilder b(op);
  Location loc = op->getLoc();
  const unsigned before = getElementTypeOrSelf(from).getIntOrFloatBitWidth(),
                 behind = getElementTypeOrSelf(to).getIntOrFloatBitWidth();
  Value cast = from;
  if (before > behind)
    cast = arith::TruncIOp::create(b, loc, to, from);
  else if (before < behind)
    cast = isSigned ? arith::ExtSIOp::create(b, loc, to, from).getResult()
                    : arith::ExtUIOp::create(b, loc, to, from).getResult();
  op->replaceAllUsesWith(ValueRange(cast));
  op->erase();
}

/// Mends an operation whose tensors are of integers by now.
static void castElements(Operation *op) {
  auto element = [](Value tensor) { return getElementTypeOrSelf(tensor); };
  llvm::TypeSwitch<Operation *>(op)
      .Case([&](tensor::ExtractOp extract) {
        castValue(extract.getResult(), element(extract.getTensor()));
      })
      .Case([&](tensor::InsertOp insert) {
        castOperand(insert.getScalarMutable(), element(insert.getDest()));
      })
      .Case([&](tensor::SplatOp splat) {
        castOperand(splat.getInputMutable(), element(splat.getAggregate()));
      })
      .Case([&](tensor::FromElementsOp elements) {
        for (OpOperand &operand : elements->getOpOperands())
          castOperand(operand, element(elements.getResult()));
      })
      .Case<tensor::GenerateOp, tensor::PadOp>([&](Operation *body) {
        castYields(body->getRegion(0), element(body->getResult(0)));
      })
      .Case([&](linalg::PackOp pack) {
        for (OpOperand &padding : pack.getPaddingValueMutable())
          castOperand(padding, element(pack.getDest()));
      })
      .Case([&](arith::ConstantOp constant) {
        Type i64 = IntegerType::get(op->getContext(), 64);
        if (auto numbers =
                dyn_cast<DenseResourceElementsAttr>(constant.getValue());
            numbers && numbers.getElementType().isIndex())
          constant.setValueAttr(DenseResourceElementsAttr::get(
              numbers.getType().clone(i64), numbers.getRawHandle()));
        auto numbers = dyn_cast<DenseIntElementsAttr>(constant.getValue());
        if (numbers && numbers.getElementType().isIndex())
          constant.setValueAttr(numbers.mapValues(
              i64, [](const APInt &number) { return number; }));
      })
      .Case(
          [&](arith::IndexCastOp cast) { castTensor(cast, /*isSigned=*/true); })
      .Case([&](arith::IndexCastUIOp cast) {
        castTensor(cast, /*isSigned=*/false);
      })
      .Case([&](linalg::LinalgOp linalg) { castBody(linalg); });
}

namespace {
struct StoreIndicesAsIntegers
    : public amp::impl::StoreIndicesAsIntegersPassBase<StoreIndicesAsIntegers> {
  void runOnOperation() override {
    SmallVector<Operation *> ops;
    bool isRefused = false;
    getOperation()->walk([&](Operation *op) {
      Type tensor = findTensorOfIndex(op);
      if (!tensor)
        return;
      ops.push_back(op);
      if (takesIntegers(op))
        return;
      isRefused = true;
      op->emitError() << "expected an operation that can take integers of 64 "
                         "bits for what is stored of "
                      << tensor << ", but got '" << op->getName()
                      << "'; cast it to i64 before ('arith.index_cast')";
    });
    if (isRefused)
      return signalPassFailure();
    IRRewriter rewriter(&getContext());
    for (Operation *&op : ops) {
      auto named = dyn_cast<linalg::LinalgOp>(op);
      if (!named || isa<linalg::GenericOp, linalg::FillOp>(op))
        continue;
      rewriter.setInsertionPoint(op);
      FailureOr<linalg::GenericOp> generic =
          linalg::generalizeNamedOp(rewriter, named);
      if (succeeded(generic))
        op = *generic;
    }
    getOperation()->walk(storeValues);
    for (Operation *op : ops)
      castElements(op);
    numOperations += ops.size();
  }
};
} // namespace
