//===- JoinNumbers.cpp - Single numbers of one kernel ---------------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// From a block's beginning on, each operation on tensors without loops joins a
// group of such: the last one to whose place it can move up, because what it
// reads is there, or that can move down to its place, because nobody else has
// read it before. Then each group becomes one operation, whose results are
// those that others read, and whose body is theirs one after the other: what
// one reads of another is a value in it.
//
//===----------------------------------------------------------------------===//

#include "amp/Conversion/Device/Passes.h"
#include "amp/Kernels/ElementKernel.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/RegionUtils.h"

#define DEBUG_TYPE "amp-join-numbers"

namespace mlir::amp {
#define GEN_PASS_DEF_JOINNUMBERSPASS
#include "amp/Conversion/Device/Passes.h.inc"
} // namespace mlir::amp

using namespace mlir;
using namespace mlir::amp;

/// What a group reads and writes at most: each is a parameter of its kernel.
static constexpr size_t kMaxOperands = 64;

/// Elements of a tensor that may live longer for it.
static constexpr int64_t kMaxElements = 1024;

static bool isSmall(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return !tensor ||
         (tensor.hasStaticShape() && tensor.getNumElements() <= kMaxElements);
}

/// Values of the body of `op` that are made outside.
static llvm::SetVector<Value> getCaptured(linalg::GenericOp op) {
  llvm::SetVector<Value> captured;
  getUsedValuesDefinedAbove(op.getRegion(), captured);
  return captured;
}

/// What `op` reads: inputs, what results start from, and what it captures.
static SmallVector<Value> getReads(linalg::GenericOp op) {
  SmallVector<Value> reads(op.getDpsInputs());
  for (OpOperand &init : op.getDpsInitsMutable())
    if (op.payloadUsesValueFromOperand(&init))
      reads.push_back(init.get());
  llvm::append_range(reads, getCaptured(op));
  return reads;
}

/// The type of a single number whose bits do not depend on what reads it in the
/// same body. Halves do: a quotient that is only rounded to one may be the
/// hardware's (HardwareFunctions.cpp), so that a body which rounds what it
/// reads is not joined to what computes that.
static bool isNumber(Type type) {
  auto tensor = cast<RankedTensorType>(type);
  Type element = tensor.getElementType();
  return tensor.getRank() == 0 && !tensor.getEncoding() &&
         (element.isF32() || element.isF64() || element.isInteger());
}

/// Whether an operation of a body gives the same bits whatever stands around
/// it, and does no harm where it was not reached before.
static bool isIndependent(Operation &op) {
  if (auto rounding = dyn_cast<arith::TruncFOp>(op);
      rounding && rounding.getType().getIntOrFloatBitWidth() <= 16 &&
      isa<BlockArgument>(rounding.getIn()))
    return false;
  auto math = dyn_cast<arith::ArithFastMathInterface>(op);
  auto flags = math ? math.getFastMathFlagsAttr() : arith::FastMathFlagsAttr();
  return isPure(&op) && op.getNumRegions() == 0 &&
         (!flags || flags.getValue() == arith::FastMathFlags::none);
}

/// An operation that has a kernel and computes numbers from elements of small
/// tensors.
static bool isOfNumbers(Operation *op) {
  auto generic = dyn_cast<linalg::GenericOp>(op);
  if (!generic || !generic.hasPureTensorSemantics() ||
      generic.getNumLoops() != 0 ||
      !llvm::all_of(op->getResultTypes(), isNumber) ||
      !llvm::all_of(op->getOperandTypes(), isSmall) ||
      !llvm::all_of(getCaptured(generic).getArrayRef(),
                    [](Value value) { return isSmall(value.getType()); }) ||
      !llvm::all_of(generic.getBlock()->without_terminator(), isIndependent))
    return false;
  std::string reason;
  return ElementKernel::match(generic, reason).has_value();
}

namespace {
struct Group {
  SmallVector<linalg::GenericOp> ops;
  /// One of them, in front of which they are computed.
  Operation *place;
  size_t operands = 0;
};

/// The groups of a block.
class Groups {
public:
  void add(linalg::GenericOp op);
  SmallVector<Group> take() { return std::move(groups); }

private:
  /// Where an operation is computed: that of a group at the group's place.
  Operation *getPlace(Operation *op) const {
    auto found = groupOf.find(op);
    return found == groupOf.end() ? op : groups[found->second].place;
  }
  bool isIn(Operation *op, unsigned group) const {
    auto found = groupOf.find(op);
    return found != groupOf.end() && found->second == group;
  }
  bool makes(unsigned group, ArrayRef<Value> values) const;
  bool canMoveUp(ArrayRef<Value> reads, unsigned group) const;
  bool canMoveDown(unsigned group, Operation *to) const;

  SmallVector<Group> groups;
  llvm::DenseMap<Operation *, unsigned> groupOf;
};
} // namespace

/// Whether one of `values` is the group's.
bool Groups::makes(unsigned group, ArrayRef<Value> values) const {
  return llvm::any_of(
      values, [&](Value value) { return isIn(value.getDefiningOp(), group); });
}

/// Whether `reads` are there at the group's place, or the group's.
bool Groups::canMoveUp(ArrayRef<Value> reads, unsigned group) const {
  Operation *place = groups[group].place;
  return llvm::all_of(reads, [&](Value value) {
    Operation *made = value.getDefiningOp();
    return !made || isIn(made, group) ||
           made->getBlock() != place->getBlock() ||
           getPlace(made)->isBeforeInBlock(place);
  });
}

/// Whether nobody outside reads the group's results in front of `to`.
bool Groups::canMoveDown(unsigned group, Operation *to) const {
  return llvm::all_of(groups[group].ops, [&](linalg::GenericOp op) {
    return llvm::all_of(op->getUsers(), [&](Operation *user) {
      Operation *here = to->getBlock()->findAncestorOpInBlock(*user);
      return here && (here == to || isIn(here, group) ||
                      to->isBeforeInBlock(getPlace(here)));
    });
  });
}

void Groups::add(linalg::GenericOp op) {
  SmallVector<Value> reads = getReads(op);
  llvm::SetVector<Value> captured = getCaptured(op);
  size_t operands = reads.size() + op->getNumResults();
  for (unsigned group = groups.size(); group-- > 0;) {
    // What a body takes by itself of the group's would be of what the same
    // operation makes.
    if (groups[group].operands + operands > kMaxOperands ||
        makes(group, captured.getArrayRef()))
      continue;
    bool up = canMoveUp(reads, group);
    if (!up && !canMoveDown(group, op))
      continue;
    if (!up)
      groups[group].place = op;
    groups[group].ops.push_back(op);
    groups[group].operands += operands;
    groupOf[op] = group;
    return;
  }
  groupOf[op] = groups.size();
  groups.push_back({{op}, op, operands});
}

namespace {
/// Writes one operation for a group.
class GroupBuilder {
public:
  GroupBuilder(const Group &group, IRRewriter &rewriter)
      : group(group), rewriter(rewriter) {}
  void build();

private:
  /// The number that `map` finds in `value`.
  Value read(Value value, AffineMap map);

  const Group &group;
  IRRewriter &rewriter;
  SmallVector<Value> inputs;
  SmallVector<AffineMap> maps;
  Block *body = nullptr;
  /// Results of the group, as numbers of the body.
  IRMapping numbers;
};
} // namespace

Value GroupBuilder::read(Value value, AffineMap map) {
  if (Value number = numbers.lookupOrNull(value))
    return number;
  for (auto [input, known, argument] :
       llvm::zip(inputs, maps, body->getArguments()))
    if (input == value && known == map)
      return argument;
  inputs.push_back(value);
  maps.push_back(map);
  return body->addArgument(getElementTypeOrSelf(value.getType()),
                           value.getLoc());
}

void GroupBuilder::build() {
  auto isOfGroup = [&](Operation *user) {
    return llvm::is_contained(group.ops, user);
  };
  // Results that others read.
  SmallVector<Value> results, inits;
  rewriter.setInsertionPoint(group.place);
  for (linalg::GenericOp op : group.ops)
    for (Value result : op->getResults())
      if (!llvm::all_of(result.getUsers(), isOfGroup)) {
        results.push_back(result);
        inits.push_back(
            tensor::EmptyOp::create(rewriter, op.getLoc(), ArrayRef<int64_t>(),
                                    getElementTypeOrSelf(result.getType())));
      }

  auto erase = [&] {
    for (linalg::GenericOp op : llvm::reverse(group.ops))
      rewriter.eraseOp(op);
  };
  if (results.empty())
    return erase();

  Region region;
  body = &region.emplaceBlock();
  SmallVector<Location> locations;
  {
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPointToEnd(body);
    for (linalg::GenericOp op : group.ops) {
      locations.push_back(op.getLoc());
      IRMapping mapping;
      for (OpOperand &operand : op->getOpOperands())
        if (op.payloadUsesValueFromOperand(&operand))
          mapping.map(op.getMatchingBlockArgument(&operand),
                      read(operand.get(), op.getMatchingIndexingMap(&operand)));
      for (Operation &inner : op.getBlock()->without_terminator())
        rewriter.clone(inner, mapping);
      for (auto [result, yielded] : llvm::zip_equal(
               op->getResults(), op.getBlock()->getTerminator()->getOperands()))
        numbers.map(result, mapping.lookupOrDefault(yielded));
    }
    SmallVector<Value> yielded;
    for (Value result : results)
      yielded.push_back(numbers.lookup(result));
    linalg::YieldOp::create(rewriter, rewriter.getFusedLoc(locations), yielded);
  }
  for (Value init : inits) {
    maps.push_back(rewriter.getMultiDimIdentityMap(0));
    body->addArgument(getElementTypeOrSelf(init.getType()), init.getLoc());
  }
  auto joined = linalg::GenericOp::create(
      rewriter, rewriter.getFusedLoc(locations), TypeRange(ValueRange(inits)),
      inputs, inits, maps, ArrayRef<utils::IteratorType>());
  joined.getRegion().takeBody(region);
  for (auto [result, number] : llvm::zip_equal(results, joined.getResults()))
    rewriter.replaceAllUsesWith(result, number);
  erase();
}

namespace {
struct JoinNumbers : public amp::impl::JoinNumbersPassBase<JoinNumbers> {
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    // Values of blocks that nothing reaches may be made of themselves.
    (void)eraseUnreachableBlocks(rewriter, getOperation()->getRegions());
    SmallVector<Group> groups;
    getOperation().walk([&](Block *block) {
      if (isa<linalg::LinalgOp>(block->getParentOp()))
        return;
      Groups found;
      for (Operation &op : *block)
        if (isOfNumbers(&op))
          found.add(cast<linalg::GenericOp>(op));
      llvm::append_range(groups, found.take());
    });
    for (const Group &group : groups) {
      if (group.ops.size() < 2)
        continue;
      numJoined += group.ops.size();
      ++numGroups;
      GroupBuilder(group, rewriter).build();
    }
  }
};
} // namespace
