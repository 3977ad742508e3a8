//===- AttentionForward.cpp - The result of an attention ------------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Flash attention (Dao et al., 2022; the loop of FlashAttention-2): a warp has
// 16 queries in registers and walks over the keys. Of each tile it makes the
// scores, raises the greatest one of each row so far, brings what was summed
// before to that, and adds exponentials, times V, to its sums. Neither scores
// nor probabilities reach memory.
//
// Shared memory is the queries' tile and two slots with a tile of K and of V:
// while one is multiplied, the copies of the next are in flight. A barrier ends
// each turn: the copies of all threads are there, and nobody reads the slot
// that the next turn fills. Only the last tile has keys that are not there, or
// with a causal mask those after a query.
//
// A row whose scores are all -inf has 0 for its greatest one, so that its sums
// are 0 and no NaN.
//
//===----------------------------------------------------------------------===//

#include "Attention/AttentionKernel.h"
#include "Device/Sm80Instructions.h"
#include "mlir/Dialect/Math/IR/Math.h"

#include <limits>

using namespace mlir;
using namespace mlir::amp;

namespace {
class AttentionForward : AttentionKernel {
public:
  using AttentionKernel::AttentionKernel;
  void emit(StringRef name);

private:
  /// What a warp carries from one tile of keys to the next. A lane has parts of
  /// two rows.
  struct State {
    /// The greatest score so far.
    SmallVector<Value> greatest;
    /// Its part of the sum of exponentials, and of exponentials times V.
    SmallVector<Value> total, sums;

    Values flat() const {
      Values values(greatest);
      values.append(total);
      values.append(sums);
      return values;
    }
    static State of(ValueRange values) {
      return {Values(values.take_front(2)), Values(values.slice(2, 2)),
              Values(values.drop_front(4))};
    }
  };
  void loadSlot(Number keyTile, Number slot);
  /// K of a slot; V comes after it.
  Value slotMemory(Number slot) {
    return b.advance(tileMemory(1), slot * (2 * tile.bytes()));
  }
  State addTile(State state, Number keyTile, Number slot, bool edge);
  void storeResult(State state);
  Value isNone(Value greatest) {
    return arith::CmpFOp::create(b, arith::CmpFPredicate::OEQ, greatest,
                                 f32(-infinity));
  }

  static constexpr double infinity = std::numeric_limits<double>::infinity();

  Buffer q, k, v, o, exponents, inverses;
  HeadRows keys, values;
  Values queries;
};
} // namespace

void AttentionForward::loadSlot(Number keyTile, Number slot) {
  Value shared = slotMemory(slot);
  Number first = keyTile * HeadTile::kRows;
  tile.load(b, keys, shared, first, thread);
  tile.load(b, values, b.advance(shared, tile.bytes()), first, thread);
  sm80::commitCopies(b);
}

AttentionForward::State AttentionForward::addTile(State state, Number keyTile,
                                                  Number slot, bool edge) {
  Value keysAt = slotMemory(slot), valuesAt = b.advance(keysAt, tile.bytes());
  Number firstQuery = tileNumber * HeadTile::kRows + warpRow,
         firstKey = keyTile * HeadTile::kRows;
  auto fragment = [&](int64_t step) {
    return Values(ArrayRef<Value>(queries).slice(step * 4, 4));
  };
  Values scores;
  for (int64_t rowStep = 0; rowStep < HeadTile::kRowSteps; ++rowStep)
    for (auto [i, sum] : llvm::enumerate(multiplyDepth(
             fragment, HeadTile::getStep(b, keysAt, b.number(rowStep)))))
      scores.push_back(emitScore(
          sum, firstQuery + rowOfSum(i % 4),
          firstKey + columnOfSum(i % 4) + (rowStep * 16 + i / 4 * 8), edge));

  SmallVector<Value> subtracted, before;
  auto greater = [&](Value x, Value y) -> Value {
    return arith::MaximumFOp::create(b, x, y);
  };
  for (int64_t row = 0; row < 2; ++row) {
    Value greatest = state.greatest[row];
    for (size_t i = 0; i < scores.size(); ++i)
      if (int64_t(i) / 2 % 2 == row)
        greatest = greater(greatest, scores[i]);
    greatest = overRow(greatest, greater);
    Value finite =
        arith::SelectOp::create(b, isNone(greatest), f32(0), greatest);
    subtracted.push_back(emitExponent(finite));
    before.push_back(emitPower(state.greatest[row], subtracted[row]));
    state.greatest[row] = greatest;
    state.total[row] = arith::MulFOp::create(b, state.total[row], before[row]);
  }
  for (auto [i, sum] : llvm::enumerate(state.sums))
    sum = arith::MulFOp::create(b, sum, before[i / 2 % 2]);
  for (auto [i, score] : llvm::enumerate(scores)) {
    const int64_t row = i / 2 % 2;
    score = emitPower(score, subtracted[row]);
    // Not a multiplication with an addition, whatever a compiler likes: the
    // product is a power of 2 and comes first.
    state.total[row] = arith::AddFOp::create(b, state.total[row], score);
  }
  for (int64_t rowStep = 0; rowStep < HeadTile::kRowSteps; ++rowStep)
    multiplyRows(state.sums,
                 packRows(ArrayRef<Value>(scores).slice(rowStep * 8, 8)),
                 HeadTile::getStep(b, valuesAt, b.number(rowStep)));
  return state;
}

void AttentionForward::storeResult(State state) {
  Number first = tileNumber * HeadTile::kRows;
  SmallVector<Value> inverse;
  for (int64_t row = 0; row < 2; ++row) {
    Value total = overRow(state.total[row], [&](Value x, Value y) -> Value {
      return arith::AddFOp::create(b, x, y);
    });
    Value quotient = arith::DivFOp::create(b, f32(1), total);
    Value exponent = emitExponent(state.greatest[row]);
    if (problem.emptyRowsAreZero) {
      // So that powers of 2 are: 2^(-inf - inf).
      Value none = isNone(state.greatest[row]);
      quotient = arith::SelectOp::create(b, none, f32(0), quotient);
      exponent = arith::SelectOp::create(b, none, f32(infinity), exponent);
    }
    inverse.push_back(quotient);
    if (!problem.keepsSums)
      continue;
    Number query = first + warpRow + rowOfSum(row * 2);
    Value isFirst = lane % 4 == 0;
    b.branch(b.both(isFirst, query < b.number(problem.rows)), [&] {
      b.store(exponent, queryPlace(exponents, query), 4);
      b.store(quotient, queryPlace(inverses, query), 4);
    });
  }
  for (auto [i, sum] : llvm::enumerate(state.sums))
    sum = arith::MulFOp::create(b, sum, inverse[i / 2 % 2]);
  // Lanes read each other's queries, and the only tile has no barrier behind
  // it.
  sm80::warpBarrier(b);
  tile.storeRows(b, rowsOf(o, problem.o, problem.rows), tileMemory(0), warpRow,
                 first, state.sums, lane);
}

void AttentionForward::emit(StringRef name) {
  OpBuilder::InsertionGuard guard(b);
  q = heads("q", problem.q);
  k = heads("k", problem.k);
  v = heads("v", problem.v);
  o = heads("o", problem.o);
  exponents = perQuery("exponents");
  inverses = perQuery("inverses");
  SmallVector<Buffer *> buffers = {&q, &k, &v, &o};
  if (problem.keepsSums)
    buffers.append({&exponents, &inverses});
  const bool isCausal = problem.mask == AttentionMask::Causal;
  enter(name, buffers, problem.rows, /*fromLast=*/isCausal, 5 * tile.bytes());
  keys = rowsOf(k, problem.k, problem.columns);
  values = rowsOf(v, problem.v, problem.columns);
  tile.load(b, rowsOf(q, problem.q, problem.rows), tileMemory(0),
            tileNumber * HeadTile::kRows, thread);
  loadSlot(b.number(0), b.number(0));
  sm80::waitCopies(b, 0);
  sm80::blockBarrier(b);
  for (int64_t step = 0; step < tile.depthSteps(); ++step)
    queries.append(tile.loadRows(b, tileMemory(0), warpRow, step, lane));

  Number last = b.number((problem.columns - 1) / HeadTile::kRows);
  if (isCausal)
    last = min(last, tileNumber);
  State state{Values(2, f32(-infinity)), Values(2, f32(0)),
              Values(problem.depth / 2, f32(0))};
  Values carried = b.loop(b.number(0), last, b.number(1), state.flat(),
                          [&](Number keyTile, ValueRange carried) {
                            loadSlot(keyTile + 1, (keyTile + 1) % 2);
                            State after = addTile(State::of(carried), keyTile,
                                                  keyTile % 2, /*edge=*/false);
                            sm80::waitCopies(b, 0);
                            sm80::blockBarrier(b);
                            return after.flat();
                          });
  storeResult(addTile(State::of(carried), last, last % 2, /*edge=*/true));
  LLVM::ReturnOp::create(b, ValueRange());
}

void mlir::amp::emitAttentionForward(DeviceBuilder &b, StringRef name,
                                     const AttentionProblem &problem) {
  AttentionForward(b, problem).emit(name);
}
