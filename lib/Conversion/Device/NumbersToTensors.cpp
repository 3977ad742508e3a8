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
// An element of a larger tensor is such a tensor as a slice, where the host
// knows its place, and is put into one as a slice:
//
//   %a = tensor.extract %t[1]          ->   %s = tensor.extract_slice %t[1]
//                                           %a = tensor.extract %s[]
//   tensor.insert %b into %t[1]        ->   tensor.insert_slice %u into %t[1]
//
// What is filled with a number, or consists of it, reads its tensor.
//
// Loops and branches that compute with nothing but elements are left: they
// become one kernel.
//
//===----------------------------------------------------------------------===//

#include "amp/Analysis/DeviceNumbers.h"
#include "amp/Analysis/ElementLoops.h"
#include "amp/Analysis/NumberMemory.h"
#include "amp/Conversion/Device/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Dominance.h"
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

/// Whether `op` is a loop or a branch on elements, which may copy tensors
/// (amp-move-carried-elements).
static bool isElementLoop(Operation *op) {
  return isOfNumbers(op, [](Operation *inner) {
    return isa<bufferization::MaterializeInDestinationOp>(inner);
  });
}

/// The tensor without dimensions whose element a number is, or null.
static Value getScalarMemory(Value number) {
  Value memory = getNumberMemory(number);
  return memory && cast<RankedTensorType>(memory.getType()).getRank() == 0
             ? memory
             : Value();
}

namespace {
struct NumbersToTensors
    : public amp::impl::NumbersToTensorsPassBase<NumbersToTensors> {
  void runOnOperation() override;

private:
  /// Whether an operation stands in a loop or a branch on elements.
  bool isInElementLoop(Operation *op) {
    Operation *parent = op->getParentOp();
    if (!parent)
      return false;
    auto [known, isNew] = inElementLoop.try_emplace(parent, false);
    if (!isNew)
      return known->second;
    bool answer = isElementLoop(parent) || isInElementLoop(parent);
    return inElementLoop[parent] = answer;
  }
  /// Whether the host knows a place without reading a tensor.
  bool isOfHost(ValueRange indices) const {
    return llvm::none_of(indices,
                         [&](Value index) { return numbers->contains(index); });
  }
  /// Whether an operation on tensors puts a number where the host knows.
  bool isPutInPlace(tensor::InsertOp insert) {
    return insert.getDest().getType().hasStaticShape() &&
           !isInElementLoop(insert) && isOfHost(insert.getIndices());
  }
  bool isOfTensors(OpOperand &use);
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
  /// Whether an operation on tensors wants a number, or one that is computed
  /// from it.
  bool isWanted(Value number) {
    auto [known, isNew] = wanted.try_emplace(number, false);
    if (!isNew)
      return known->second;
    bool answer = llvm::any_of(number.getUses(), [&](OpOperand &use) {
      return isOfTensors(use) || (isArithmetic(use.getOwner()) &&
                                  isWanted(use.getOwner()->getResult(0)));
    });
    return wanted[number] = answer;
  }
  void takeElements();
  void putElements();
  void readMemory();
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

  std::optional<DeviceNumbers> numbers;
  DenseMap<Value, bool> ofDevice, wanted;
  /// For the operations whose regions they are in.
  DenseMap<Operation *, bool> inElementLoop;
  DenseMap<Value, Value> raised;
};
} // namespace

/// Whether a use of a number is an operation on tensors.
bool NumbersToTensors::isOfTensors(OpOperand &use) {
  Operation *user = use.getOwner();
  if (auto insert = dyn_cast<tensor::InsertOp>(user))
    return use == insert.getScalarMutable() && isPutInPlace(insert);
  if (user->getParentOfType<linalg::LinalgOp>())
    return true;
  if (auto condition = dyn_cast<scf::IfOp>(user))
    return condition.getNumResults() != 0;
  return isa<linalg::LinalgOp, tensor::FromElementsOp, tensor::SplatOp,
             tensor::PadOp>(user);
}

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

/// Takes elements of larger tensors out of slices.
void NumbersToTensors::takeElements() {
  SmallVector<tensor::ExtractOp> extracts;
  getOperation().walk([&](tensor::ExtractOp extract) {
    RankedTensorType type = extract.getTensor().getType();
    if (type.hasStaticShape() && type.getNumElements() > 1 &&
        !extract->getParentOfType<linalg::LinalgOp>() &&
        !isInElementLoop(extract) && isWanted(extract.getResult()) &&
        isOfHost(extract.getIndices()))
      extracts.push_back(extract);
  });
  for (tensor::ExtractOp extract : extracts) {
    RankedTensorType type = extract.getTensor().getType();
    OpBuilder b(extract);
    SmallVector<OpFoldResult> ones(type.getRank(), b.getIndexAttr(1));
    auto slice = tensor::ExtractSliceOp::create(
        b, extract.getLoc(), RankedTensorType::get({}, type.getElementType()),
        extract.getTensor(), getAsOpFoldResult(extract.getIndices()), ones,
        ones);
    extract.getTensorMutable().assign(slice);
    extract.getIndicesMutable().clear();
  }
}

/// Puts elements that are memory into tensors as slices.
void NumbersToTensors::putElements() {
  getOperation().walk([&](tensor::InsertOp insert) {
    Value memory = getScalarMemory(insert.getScalar());
    if (!memory || !isPutInPlace(insert))
      return;
    OpBuilder b(insert);
    SmallVector<OpFoldResult> ones(insert.getDest().getType().getRank(),
                                   b.getIndexAttr(1));
    auto put = tensor::InsertSliceOp::create(
        b, insert.getLoc(), memory, insert.getDest(),
        getAsOpFoldResult(insert.getIndices()), ones, ones);
    insert.replaceAllUsesWith(put.getResult());
    insert.erase();
  });
}

/// Makes splats and tensors of one element of the memory of their number.
void NumbersToTensors::readMemory() {
  getOperation().walk([&](Operation *op) {
    OpBuilder b(op);
    Location loc = op->getLoc();
    if (auto splat = dyn_cast<tensor::SplatOp>(op)) {
      RankedTensorType type = splat.getType();
      Value memory = getScalarMemory(splat.getInput());
      if (!memory || !type.hasStaticShape())
        return;
      const unsigned rank = type.getRank();
      Value empty = tensor::EmptyOp::create(b, loc, type.getShape(),
                                            type.getElementType());
      auto filled = linalg::GenericOp::create(
          b, loc, type, memory, empty,
          ArrayRef<AffineMap>{getNumberMap(memory, rank),
                              b.getMultiDimIdentityMap(rank)},
          SmallVector<utils::IteratorType>(rank, utils::IteratorType::parallel),
          [](OpBuilder &body, Location loc, ValueRange arguments) {
            linalg::YieldOp::create(body, loc, arguments.front());
          });
      splat.replaceAllUsesWith(filled.getResult(0));
      splat.erase();
    } else if (auto made = dyn_cast<tensor::FromElementsOp>(op)) {
      auto type = cast<RankedTensorType>(made.getType());
      if (type.getNumElements() != 1)
        return;
      Value memory = getScalarMemory(made.getElements().front());
      if (!memory)
        return;
      if (type.getRank() != 0)
        memory = tensor::ExpandShapeOp::create(
            b, loc, type, memory, ArrayRef<ReassociationIndices>());
      made.replaceAllUsesWith(memory);
      made.erase();
    }
  });
}

void NumbersToTensors::runOnOperation() {
  numbers.emplace(getOperation());
  takeElements();
  auto isTensors = [&](OpOperand &use) { return isOfTensors(use); };
  auto &dominance = getAnalysis<DominanceInfo>();
  SmallVector<Operation *> roots;
  getOperation().walk([&](Operation *op) {
    // In a block that nothing reaches, numbers may be computed from themselves.
    if (op->getParentOfType<linalg::LinalgOp>() ||
        !dominance.isReachableFromEntry(op->getBlock()))
      return;
    if (isArithmetic(op) && isOfDevice(op->getResult(0)) &&
        llvm::any_of(op->getResult(0).getUses(), isTensors))
      roots.push_back(op);
  });
  for (Operation *root : roots) {
    Value memory = raise(root);
    OpBuilder b(root->getContext());
    b.setInsertionPointAfterValue(memory);
    Value number =
        tensor::ExtractOp::create(b, root->getLoc(), memory, ValueRange());
    root->getResult(0).replaceUsesWithIf(number, isTensors);
    ++numRaised;
  }
  putElements();
  readMemory();
}
