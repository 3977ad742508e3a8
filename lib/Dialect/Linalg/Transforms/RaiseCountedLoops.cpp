//===- RaiseCountedLoops.cpp - Loops that count have a number of rounds ---===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// JAX writes every loop as "while i < n", where i is a tensor like all others
// that the loop carries:
//
//   %r:2 = scf.while (%i = %zero, %x = %start) {
//     scf.condition(%i < n) %i, %x
//   } do {
//     %y = f(%i, %x)
//     scf.yield %i + 1, %y
//   }
//
// becomes
//
//   %r = scf.for %k = 0 to n step 1 iter_args(%x = %start) {
//     %i = tensor.from_elements %k
//     %y = f(%i, %x)
//     scf.yield %y
//   }
//
// Whoever runs it then knows the rounds before the first one, and need not ask
// a device after each. What else counts along by a constant, from a constant,
// follows from the round too.
//
// The numbers are those of the program: a loop whose counter would pass the
// largest number of its type is left alone.
//
//===----------------------------------------------------------------------===//

#include "OneElement.h"
#include "amp/Dialect/Linalg/Transforms/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#define DEBUG_TYPE "amp-raise-counted-loops"

namespace mlir::amp {
#define GEN_PASS_DEF_RAISECOUNTEDLOOPSPASS
#include "amp/Dialect/Linalg/Transforms/Passes.h.inc"
} // namespace mlir::amp

using namespace mlir;
using namespace mlir::amp;

using arith::CmpIPredicate;

namespace {
/// What a loop carries that is `step` more in each round.
struct Counter {
  unsigned position;
  APInt start, step;
};

/// A loop, what counts along in it, and its rounds.
class CountedLoop {
public:
  static std::optional<CountedLoop> match(scf::WhileOp loop);

  /// Replaces the loop by one that has its rounds.
  void raise(IRRewriter &rewriter);

private:
  explicit CountedLoop(scf::WhileOp loop) : loop(loop) {}
  bool isPlain();
  Value getInvariant(Value value);
  std::optional<Counter> matchCounter(unsigned position);
  bool countTo(Value bound, CmpIPredicate predicate, const Counter &counter);
  Value createRounds(OpBuilder &b);

  scf::WhileOp loop;
  SmallVector<Counter> counters;
  /// How many there are, or, where that is not known, what the first number
  /// that `from` steps of 1 do not pass is.
  std::optional<int64_t> rounds;
  Value bound;
  APInt from;
};
} // namespace

/// The constant that `value` is, a number or a tensor of one element.
static std::optional<APInt> getConstant(Value value) {
  APInt constant;
  if (matchPattern(getNumberOf(value), m_ConstantInt(&constant)))
    return constant;
  return std::nullopt;
}

/// What `value` is more than `base` in each round: a constant.
static std::optional<APInt> matchStep(Value value, Value base) {
  Operation *op = getNumberOf(value).getDefiningOp();
  if (!isa_and_present<arith::AddIOp, arith::SubIOp>(op))
    return std::nullopt;
  Value lhs = op->getOperand(0), rhs = op->getOperand(1);
  if (isa<arith::AddIOp>(op) && getNumberOf(rhs) == base)
    std::swap(lhs, rhs);
  std::optional<APInt> step = getConstant(rhs);
  if (!step || getNumberOf(lhs) != base)
    return std::nullopt;
  return isa<arith::SubIOp>(op) ? -*step : *step;
}

/// How often a counter is taken before it does not compare to `bound` as
/// `predicate` says. Nothing if it would leave its type first, or never stop.
static std::optional<int64_t> countRounds(const Counter &counter,
                                          CmpIPredicate predicate,
                                          const APInt &bound) {
  // Wide enough for all that is computed of them.
  const bool isUnsigned =
      predicate == CmpIPredicate::ult || predicate == CmpIPredicate::ule ||
      predicate == CmpIPredicate::ugt || predicate == CmpIPredicate::uge;
  const unsigned bits = counter.start.getBitWidth(), wide = 2 * bits + 2;
  auto widen = [&](const APInt &number) {
    return isUnsigned ? number.zext(wide) : number.sext(wide);
  };
  // A step has a sign whatever is compared.
  APInt start = widen(counter.start), end = widen(bound),
        step = counter.step.sext(wide);
  const APInt one(wide, 1);
  switch (predicate) {
  case CmpIPredicate::sle:
  case CmpIPredicate::ule:
    end += one;
    break;
  case CmpIPredicate::sge:
  case CmpIPredicate::uge:
    end -= one;
    break;
  default:
    break;
  }
  APInt distance = end - start;
  switch (predicate) {
  case CmpIPredicate::slt:
  case CmpIPredicate::sle:
  case CmpIPredicate::ult:
  case CmpIPredicate::ule:
    if (!distance.isStrictlyPositive())
      return 0;
    if (!step.isStrictlyPositive())
      return std::nullopt;
    break;
  case CmpIPredicate::sgt:
  case CmpIPredicate::sge:
  case CmpIPredicate::ugt:
  case CmpIPredicate::uge:
    if (!distance.isNegative())
      return 0;
    if (!step.isNegative())
      return std::nullopt;
    distance.negate();
    step.negate();
    break;
  case CmpIPredicate::ne:
    if (distance.isZero())
      return 0;
    if (step.isZero() || distance.isNegative() != step.isNegative() ||
        !distance.srem(step).isZero())
      return std::nullopt;
    if (step.isNegative()) {
      distance.negate();
      step.negate();
    }
    break;
  case CmpIPredicate::eq:
    // Once or never, but for what leaves its type.
    return std::nullopt;
  }
  APInt rounds = (distance + step - one).udiv(step);
  // The last number is the first one that does not compare.
  APInt last = start + rounds * counter.step.sext(wide);
  APInt most = isUnsigned ? APInt::getMaxValue(bits).zext(wide)
                          : APInt::getSignedMaxValue(bits).sext(wide);
  APInt least = isUnsigned ? APInt::getMinValue(bits).zext(wide)
                           : APInt::getSignedMinValue(bits).sext(wide);
  if (last.sgt(most) || last.slt(least) || rounds.getActiveBits() > 62)
    return std::nullopt;
  return rounds.getSExtValue();
}

/// Whether the condition does nothing but ask, and hands on all that is
/// carried.
bool CountedLoop::isPlain() {
  if (!llvm::equal(loop.getConditionOp().getArgs(), loop.getBeforeArguments()))
    return false;
  return llvm::all_of(loop.getBeforeBody()->without_terminator(),
                      [](Operation &op) { return isMemoryEffectFree(&op); });
}

std::optional<Counter> CountedLoop::matchCounter(unsigned position) {
  Value argument = loop.getAfterArguments()[position];
  if (!isOneElement(argument.getType()) ||
      !isa<IntegerType, IndexType>(getElementTypeOrSelf(argument.getType())))
    return std::nullopt;
  std::optional<APInt> start = getConstant(loop.getInits()[position]);
  std::optional<APInt> step =
      matchStep(loop.getYieldOp().getResults()[position], argument);
  if (!start || !step)
    return std::nullopt;
  return Counter{position, *start, *step};
}

/// What `value`, in the condition, is in all rounds: computed outside of the
/// loop, or carried and never changed.
Value CountedLoop::getInvariant(Value value) {
  if (getConstant(value))
    return value;
  auto isInside = [&](Value number) {
    return loop->isAncestor(number.getParentBlock()->getParentOp());
  };
  // Not further than out of the loop: what is behind may be in a body there.
  while (isInside(value)) {
    Value source = getNumberSource(value);
    if (!source)
      break;
    value = source;
  }
  if (!isInside(value))
    return value;
  auto argument = dyn_cast<BlockArgument>(value);
  if (!argument || argument.getOwner() != loop.getBeforeBody())
    return {};
  unsigned position = argument.getArgNumber();
  return loop.getYieldOp().getResults()[position] ==
                 loop.getAfterArguments()[position]
             ? loop.getInits()[position]
             : Value();
}

/// What holds of (b, a) where `predicate` holds of (a, b).
static CmpIPredicate turn(CmpIPredicate predicate) {
  switch (predicate) {
  case CmpIPredicate::eq:
  case CmpIPredicate::ne:
    return predicate;
  case CmpIPredicate::slt:
    return CmpIPredicate::sgt;
  case CmpIPredicate::sle:
    return CmpIPredicate::sge;
  case CmpIPredicate::sgt:
    return CmpIPredicate::slt;
  case CmpIPredicate::sge:
    return CmpIPredicate::sle;
  case CmpIPredicate::ult:
    return CmpIPredicate::ugt;
  case CmpIPredicate::ule:
    return CmpIPredicate::uge;
  case CmpIPredicate::ugt:
    return CmpIPredicate::ult;
  case CmpIPredicate::uge:
    return CmpIPredicate::ule;
  }
  llvm_unreachable("all predicates are listed");
}

bool CountedLoop::countTo(Value end, CmpIPredicate predicate,
                          const Counter &counter) {
  if (std::optional<APInt> constant = getConstant(end)) {
    rounds = countRounds(counter, predicate, *constant);
    return rounds.has_value();
  }
  // By ones from 0 on: each number below the end is met, and their count is no
  // larger than it.
  if (predicate != CmpIPredicate::slt || !counter.step.isOne() ||
      counter.start.isNegative() || counter.start.getBitWidth() > 64)
    return false;
  bound = end;
  from = counter.start;
  return true;
}

std::optional<CountedLoop> CountedLoop::match(scf::WhileOp loop) {
  CountedLoop counted(loop);
  auto compare = getNumberOf(loop.getConditionOp().getCondition())
                     .getDefiningOp<arith::CmpIOp>();
  if (!compare || !counted.isPlain())
    return std::nullopt;
  auto isCarried = [&](Value value) {
    auto argument = dyn_cast<BlockArgument>(value);
    return argument && argument.getOwner() == loop.getBeforeBody();
  };
  Value number = getNumberOf(compare.getLhs()), end = compare.getRhs();
  CmpIPredicate predicate = compare.getPredicate();
  if (!isCarried(number) || counted.getInvariant(number)) {
    end = number;
    number = getNumberOf(compare.getRhs());
    predicate = turn(predicate);
  }
  end = counted.getInvariant(end);
  if (!end || !isCarried(number))
    return std::nullopt;
  std::optional<Counter> counter =
      counted.matchCounter(cast<BlockArgument>(number).getArgNumber());
  if (!counter || !counted.countTo(end, predicate, *counter))
    return std::nullopt;
  for (unsigned i = 0, count = loop.getInits().size(); i < count; ++i)
    if (std::optional<Counter> other = counted.matchCounter(i))
      counted.counters.push_back(*other);
  return counted;
}

/// An integer, in `type`.
static Value createConstant(OpBuilder &b, Location loc, Type type,
                            const APInt &value) {
  return arith::ConstantOp::create(b, loc, b.getIntegerAttr(type, value));
}

/// The number of `counter`, or a tensor of it, after `rounds`.
static Value createCounter(OpBuilder &b, Location loc, const Counter &counter,
                           Type type, Value rounds) {
  Type element = getElementTypeOrSelf(type);
  Value number = rounds;
  if (!element.isIndex())
    number = b.createOrFold<arith::IndexCastOp>(loc, element, number);
  if (!counter.step.isOne())
    number = b.createOrFold<arith::MulIOp>(
        loc, number, createConstant(b, loc, element, counter.step));
  if (!counter.start.isZero())
    number = b.createOrFold<arith::AddIOp>(
        loc, number, createConstant(b, loc, element, counter.start));
  if (auto tensor = dyn_cast<RankedTensorType>(type))
    return tensor::FromElementsOp::create(b, loc, tensor, number);
  return number;
}

Value CountedLoop::createRounds(OpBuilder &b) {
  Location loc = loop.getLoc();
  if (rounds)
    return arith::ConstantIndexOp::create(b, loc, *rounds);
  Value end = bound;
  if (auto tensor = dyn_cast<RankedTensorType>(end.getType())) {
    SmallVector<Value> places(tensor.getRank());
    for (Value &place : places)
      place = arith::ConstantIndexOp::create(b, loc, 0);
    end = tensor::ExtractOp::create(b, loc, end, places);
  }
  if (!end.getType().isIndex())
    end = arith::IndexCastOp::create(b, loc, b.getIndexType(), end);
  Value start = arith::ConstantIndexOp::create(b, loc, from.getSExtValue());
  Value last = arith::MaxSIOp::create(b, loc, end, start);
  return arith::SubIOp::create(b, loc, last, start);
}

void CountedLoop::raise(IRRewriter &rewriter) {
  Location loc = loop.getLoc();
  rewriter.setInsertionPoint(loop);
  Value zero = arith::ConstantIndexOp::create(rewriter, loc, 0),
        one = arith::ConstantIndexOp::create(rewriter, loc, 1),
        end = createRounds(rewriter);
  const unsigned count = loop.getInits().size();
  SmallVector<const Counter *> counterAt(count);
  for (const Counter &counter : counters)
    counterAt[counter.position] = &counter;
  SmallVector<Value> inits;
  for (unsigned i = 0; i < count; ++i)
    if (!counterAt[i])
      inits.push_back(loop.getInits()[i]);
  auto raised = scf::ForOp::create(rewriter, loc, zero, end, one, inits);
  raised->setDiscardableAttrs(loop->getDiscardableAttrDictionary());

  Block *body = raised.getBody();
  if (!body->empty())
    rewriter.eraseOp(body->getTerminator());
  rewriter.setInsertionPointToStart(body);
  SmallVector<Value> carried, results;
  unsigned kept = 0;
  for (unsigned i = 0; i < count; ++i)
    carried.push_back(counterAt[i]
                          ? createCounter(rewriter, loc, *counterAt[i],
                                          loop.getAfterArguments()[i].getType(),
                                          raised.getInductionVar())
                          : Value(raised.getRegionIterArgs()[kept++]));
  rewriter.inlineBlockBefore(loop.getAfterBody(), body, body->end(), carried);
  Operation *yield = body->getTerminator();
  SmallVector<Value> yielded;
  for (auto [i, value] : llvm::enumerate(yield->getOperands()))
    if (!counterAt[i])
      yielded.push_back(value);
  rewriter.modifyOpInPlace(yield, [&] { yield->setOperands(yielded); });

  rewriter.setInsertionPointAfter(raised);
  kept = 0;
  for (unsigned i = 0; i < count; ++i)
    results.push_back(counterAt[i]
                          ? createCounter(rewriter, loc, *counterAt[i],
                                          loop.getResult(i).getType(), end)
                          : raised.getResult(kept++));
  rewriter.replaceOp(loop, results);
}

namespace {
struct RaiseCountedLoops
    : public amp::impl::RaiseCountedLoopsPassBase<RaiseCountedLoops> {
  void runOnOperation() override {
    // Inner ones first: what an outer one counts may stand in them.
    SmallVector<scf::WhileOp> loops;
    getOperation().walk([&](scf::WhileOp loop) { loops.push_back(loop); });
    IRRewriter rewriter(&getContext());
    for (scf::WhileOp loop : loops)
      if (std::optional<CountedLoop> counted = CountedLoop::match(loop)) {
        counted->raise(rewriter);
        ++numRaised;
      }
  }
};
} // namespace
