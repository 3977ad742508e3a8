//===- QueryGradient.cpp - The gradient of the queries --------------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// dQ = scale * dS K with dS = P * (dP - delta), dP = dO V^T, and delta the sum
// of dO * O over a row. Probabilities P are computed again from scores and the
// `exponents` and `inverses` of rows. A warp has 16 queries and walks over the
// keys as the forward pass does; 16 keys are one step: their scores and dP
// become dS, in registers, and that an operand.
//
// It also leaves `delta` for the kernel of keys and values. O is read once,
// into the slot that the loop fills second.
//
//===----------------------------------------------------------------------===//

#include "Attention/AttentionKernel.h"
#include "Device/Sm80Instructions.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace mlir::amp;

namespace {
class QueryGradient : AttentionKernel {
public:
  using AttentionKernel::AttentionKernel;
  void emit(StringRef name);

private:
  void loadSlot(Number keyTile, Number slot);
  Value slotMemory(Number slot) {
    return b.advance(tileMemory(2), slot * (2 * tile.bytes()));
  }
  /// 16 rows of Q or of dO, by 16 of the depth.
  Values rowsAt(int64_t tileIndex, int64_t step) {
    if (isDeep())
      return tile.loadRows(b, tileMemory(tileIndex), warpRow, step, lane);
    return Values(
        ArrayRef<Value>(tileIndex ? gradients : queries).slice(step * 4, 4));
  }
  Values computeDelta(Value resultAt);
  Values addTile(Values sums, Number keyTile, Number slot, bool edge);

  Buffer q, k, v, o, oGradient, qGradient, exponents, inverses, delta;
  HeadRows keys, values;
  Values queries, gradients;
  /// Of a lane's two rows.
  Values greatest, quotients, deltas;
};
} // namespace

void QueryGradient::loadSlot(Number keyTile, Number slot) {
  Value shared = slotMemory(slot);
  Number first = keyTile * HeadTile::kRows;
  tile.load(b, keys, shared, first, thread);
  tile.load(b, values, b.advance(shared, tile.bytes()), first, thread);
  sm80::commitCopies(b);
}

/// The sums of dO * O of a lane's two rows.
SmallVector<Value> QueryGradient::computeDelta(Value resultAt) {
  Values sums(2, f32(0));
  for (int64_t step = 0; step < tile.depthSteps(); ++step) {
    Values results = tile.loadRows(b, resultAt, warpRow, step, lane),
           ofResults = rowsAt(1, step);
    for (int64_t i = 0; i < 4; ++i) {
      Value x = unpack(results[i]), y = unpack(ofResults[i]);
      for (int64_t element = 0; element < 2; ++element)
        sums[i % 2] = math::FmaOp::create(b, b.extract(x, element),
                                          b.extract(y, element), sums[i % 2]);
    }
  }
  for (Value &sum : sums)
    sum = overRow(sum, [&](Value x, Value y) -> Value {
      return arith::AddFOp::create(b, x, y);
    });
  return sums;
}

SmallVector<Value> QueryGradient::addTile(Values sums, Number keyTile,
                                          Number slot, bool edge) {
  Value keysAt = slotMemory(slot), valuesAt = b.advance(keysAt, tile.bytes());
  Number firstQuery = tileNumber * HeadTile::kRows + warpRow,
         firstKey = keyTile * HeadTile::kRows;
  return forRowSteps(sums, [&](Number rowStep, Values sums) {
    Value stepOfKeys = HeadTile::getStep(b, keysAt, rowStep),
          stepOfValues = HeadTile::getStep(b, valuesAt, rowStep);
    Values products = multiplyDepth(
               [&](int64_t step) { return rowsAt(0, step); }, stepOfKeys),
           changes = multiplyDepth(
               [&](int64_t step) { return rowsAt(1, step); }, stepOfValues);
    for (auto [i, sum] : llvm::enumerate(products)) {
      Value score = emitScore(
          sum, firstQuery + rowOfSum(i % 4),
          firstKey + rowStep * 16 + columnOfSum(i % 4) + i / 4 * 8, edge);
      const int64_t row = i / 2 % 2;
      Value probability = arith::MulFOp::create(
          b, emitPower(score, greatest[row]), quotients[row]);
      sum = arith::MulFOp::create(
          b, probability, arith::SubFOp::create(b, changes[i], deltas[row]));
    }
    multiplyRows(sums, packRows(products), stepOfKeys);
    return sums;
  });
}

void QueryGradient::emit(StringRef name) {
  OpBuilder::InsertionGuard guard(b);
  q = heads("q", problem.q);
  k = heads("k", problem.k);
  v = heads("v", problem.v);
  o = heads("o", problem.o);
  oGradient = heads("do", problem.oGradient);
  qGradient = heads(problem.joinsGradients ? "dqkv" : "dq", problem.qGradient);
  exponents = perQuery("exponents");
  inverses = perQuery("inverses");
  delta = perQuery("delta");
  const bool isCausal = problem.mask == AttentionMask::Causal;
  enter(name,
        {&q, &k, &v, &o, &oGradient, &exponents, &inverses, &delta, &qGradient},
        problem.rows, /*fromLast=*/isCausal, 6 * tile.bytes());
  keys = rowsOf(k, problem.k, problem.columns);
  values = rowsOf(v, problem.v, problem.columns);
  Number first = tileNumber * HeadTile::kRows;
  Value resultAt = slotMemory(b.number(1));
  tile.load(b, rowsOf(q, problem.q, problem.rows), tileMemory(0), first,
            thread);
  tile.load(b, rowsOf(oGradient, problem.oGradient, problem.rows),
            tileMemory(1), first, thread);
  tile.load(b, rowsOf(o, problem.o, problem.rows), resultAt, first, thread);
  loadSlot(b.number(0), b.number(0));
  sm80::waitCopies(b, 0);
  sm80::blockBarrier(b);
  for (int64_t step = 0; step < tile.depthSteps() && !isDeep(); ++step) {
    queries.append(tile.loadRows(b, tileMemory(0), warpRow, step, lane));
    gradients.append(tile.loadRows(b, tileMemory(1), warpRow, step, lane));
  }
  deltas = computeDelta(resultAt);
  for (int64_t row = 0; row < 2; ++row) {
    Number query = first + warpRow + rowOfSum(row * 2);
    greatest.push_back(loadOfQuery(exponents, query));
    quotients.push_back(loadOfQuery(inverses, query));
    Value isFirst = lane % 4 == 0;
    b.branch(b.both(isFirst, query < b.number(problem.rows)),
             [&] { b.store(deltas[row], queryPlace(delta, query), 4); });
  }
  // O was read, before its slot is filled.
  sm80::blockBarrier(b);

  Number last = b.number((problem.columns - 1) / HeadTile::kRows);
  if (isCausal)
    last = min(last, tileNumber);
  Values sums(problem.depth / 2, f32(0));
  sums = b.loop(b.number(0), last, b.number(1), sums,
                [&](Number keyTile, ValueRange carried) {
                  loadSlot(keyTile + 1, (keyTile + 1) % 2);
                  Values after = addTile(Values(carried), keyTile, keyTile % 2,
                                         /*edge=*/false);
                  sm80::waitCopies(b, 0);
                  sm80::blockBarrier(b);
                  return after;
                });
  sums = addTile(sums, last, last % 2, /*edge=*/true);
  for (Value &sum : sums)
    sum = arith::MulFOp::create(b, sum, f32(problem.scale));
  // Lanes have just read each other's queries.
  if (isDeep())
    sm80::warpBarrier(b);
  tile.storeRows(b, rowsOf(qGradient, problem.qGradient, problem.rows),
                 tileMemory(0), warpRow, first, sums, lane);
  LLVM::ReturnOp::create(b, ValueRange());
}

void mlir::amp::emitQueryGradient(DeviceBuilder &b, StringRef name,
                                  const AttentionProblem &problem) {
  QueryGradient(b, problem).emit(name);
}
