//===- NumbersToTensors.cpp - Numbers that a device knows stay there ------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A number that is computed from elements of tensors, one by one, makes a host
// wait for them. Where an operation on tensors wants it, it is computed by one
// operation without loops instead, from the tensors themselves:
//
//   %a = tensor.extract %t[]                %u = generic () ins(%t) { 2 * %t }
//   %b = arith.mulf %a, %two           ->   %b = tensor.extract %u[]
//   generic ... { uses %b }                 generic ... { uses %b }
//
// and whoever makes a kernel of the reader takes the element of %u for the
// memory that it is. The numbers are those of arith and math operations without
// effects whose operands lead back to at least one tensor of one element. A
// number that only the host wants, for an assertion or a call, is left to it:
// it waits in any case.
//
//===----------------------------------------------------------------------===//

#include "amp/Analysis/NumberMemory.h"
#include "amp/Conversion/Device/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"

#define DEBUG_TYPE "amp-numbers-to-tensors"

namespace mlir::amp {
#define GEN_PASS_DEF_NUMBERSTOTENSORSPASS
#include "amp/Conversion/Device/Passes.h.inc"
} // namespace mlir::amp

using namespace mlir;
using namespace mlir::amp;

/// Whether an operation computes a number from numbers.
static bool isArithmetic(Operation *op) {
  return op && isa<arith::ArithDialect, math::MathDialect>(op->getDialect()) &&
         op->getNumResults() == 1 && op->getNumRegions() == 0 && isPure(op) &&
         op->getResult(0).getType().isIntOrIndexOrFloat() &&
         llvm::all_of(op->getOperandTypes(),
                      [](Type type) { return type.isIntOrIndexOrFloat(); });
}

/// Whether a use of a number is an operation on tensors.
static bool isOfTensors(OpOperand &use) {
  Operation *user = use.getOwner();
  if (user->getParentOfType<linalg::LinalgOp>())
    return true;
  if (auto condition = dyn_cast<scf::IfOp>(user))
    return condition.getNumResults() != 0;
  return isa<linalg::LinalgOp, tensor::FromElementsOp, tensor::SplatOp,
             tensor::PadOp>(user);
}

namespace {
struct NumbersToTensors
    : public amp::impl::NumbersToTensorsPassBase<NumbersToTensors> {
  void runOnOperation() override;

private:
  /// Whether a number leads back to an element of a tensor.
  bool isOfDevice(Value value) {
    auto [known, isNew] = ofDevice.try_emplace(value, false);
    if (!isNew)
      return known->second;
    Operation *op = value.getDefiningOp();
    bool answer = getNumberMemory(value) ||
                  (isArithmetic(op) &&
                   llvm::any_of(op->getOperands(), [&](Value operand) {
                     return isOfDevice(operand);
                   }));
    return ofDevice[value] = answer;
  }
  /// The tensor of one element that a number is, if it is, or was raised to.
  Value getMemory(Value number) const {
    Value known = raised.lookup(number);
    return known ? known : getNumberMemory(number);
  }
  void addSlice(Operation *op, llvm::SetVector<Operation *> &slice,
                llvm::SetVector<Value> &elements);
  OpBuilder findPlace(Operation *root,
                      const llvm::SetVector<Operation *> &slice);
  Value raise(Operation *root);

  DenseMap<Value, bool> ofDevice;
  DenseMap<Value, Value> raised;
};
} // namespace

/// What is computed for `op`, in order, and the numbers that it starts from.
void NumbersToTensors::addSlice(Operation *op,
                                llvm::SetVector<Operation *> &slice,
                                llvm::SetVector<Value> &elements) {
  if (slice.contains(op))
    return;
  for (Value operand : op->getOperands()) {
    Operation *def = operand.getDefiningOp();
    if (getMemory(operand))
      elements.insert(operand);
    else if (isArithmetic(def))
      addSlice(def, slice, elements);
  }
  slice.insert(op);
}

/// Behind what the slice starts from, so that early readers can share a pass
/// with late ones.
OpBuilder
NumbersToTensors::findPlace(Operation *root,
                            const llvm::SetVector<Operation *> &slice) {
  Block *block = root->getBlock();
  Operation *latest = nullptr;
  for (Operation *op : slice)
    for (Value operand : op->getOperands()) {
      Value memory = getMemory(operand);
      Operation *def = (memory ? memory : operand).getDefiningOp();
      if (def && def->getBlock() == block && !slice.contains(def) &&
          (!latest || latest->isBeforeInBlock(def)))
        latest = def;
    }
  return latest ? OpBuilder(latest->getNextNode())
                : OpBuilder(block, block->begin());
}

/// A tensor<T> with the number that `root` computes.
Value NumbersToTensors::raise(Operation *root) {
  llvm::SetVector<Operation *> slice;
  llvm::SetVector<Value> elements;
  addSlice(root, slice, elements);
  OpBuilder b = findPlace(root, slice);
  Location loc = root->getLoc();
  MLIRContext *context = b.getContext();
  SmallVector<Value> inputs;
  SmallVector<AffineMap> maps;
  for (Value element : elements) {
    Value tensor = getMemory(element);
    inputs.push_back(tensor);
    maps.push_back(getNumberMap(tensor, /*numLoops=*/0));
  }
  maps.push_back(AffineMap::get(context));
  Value empty = tensor::EmptyOp::create(b, loc, ArrayRef<int64_t>(),
                                        root->getResult(0).getType());
  auto generic = linalg::GenericOp::create(
      b, loc, empty.getType(), inputs, empty, maps,
      ArrayRef<utils::IteratorType>(),
      [&](OpBuilder &body, Location loc, ValueRange arguments) {
        IRMapping mapping;
        for (auto [element, argument] :
             llvm::zip(elements, arguments.drop_back()))
          mapping.map(element, argument);
        for (Operation *op : slice)
          body.clone(*op, mapping);
        linalg::YieldOp::create(body, loc, mapping.lookup(root->getResult(0)));
      });
  return raised[root->getResult(0)] = generic.getResult(0);
}

void NumbersToTensors::runOnOperation() {
  SmallVector<Operation *> roots;
  getOperation().walk([&](Operation *op) {
    if (op->getParentOfType<linalg::LinalgOp>())
      return;
    if (isArithmetic(op) && isOfDevice(op->getResult(0)) &&
        llvm::any_of(op->getResult(0).getUses(), isOfTensors))
      roots.push_back(op);
  });
  for (Operation *root : roots) {
    Value memory = raise(root);
    OpBuilder b(root->getContext());
    b.setInsertionPointAfterValue(memory);
    Value number =
        tensor::ExtractOp::create(b, root->getLoc(), memory, ValueRange());
    root->getResult(0).replaceUsesWithIf(number, isOfTensors);
    ++numRaised;
  }
}
