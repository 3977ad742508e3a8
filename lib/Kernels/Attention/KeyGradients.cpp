//===- KeyGradients.cpp - The gradients of keys and values ----------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// dV = P^T dO and dK = scale * dS^T Q. A warp has 16 keys and walks over the
// queries, so that each sum has one owner and one order: no atomics. Everything
// is the transpose of what QueryGradient.cpp computes: scores are K Q^T, and a
// column of them is a query, whose exponent, inverse and `delta` lie beside the
// slot's tiles.
//
// Queries that are not there have +inf for an exponent, which makes their
// probabilities 0; keys that are not there are rows that nobody stores. So only
// a causal mask has a tile that is special, and it is the first.
//
// The rows of K and V stay in registers, or where a head has 128 elements,
// whose sums take those, are read again for each step.
//
//===----------------------------------------------------------------------===//

#include "Attention/AttentionKernel.h"
#include "Device/Sm80Instructions.h"

#include <limits>

using namespace mlir;
using namespace mlir::amp;

namespace {
class KeyGradients : AttentionKernel {
public:
  using AttentionKernel::AttentionKernel;
  void emit(StringRef name);

private:
  void loadSlot(Number queryTile, Number slot);
  /// Q of a slot; dO comes after it.
  Value slotMemory(Number slot) {
    return b.advance(tileMemory(2), slot * (2 * tile.bytes()));
  }
  /// The exponents of a slot's queries; inverses and `delta` come after them.
  Value numbersMemory(Number slot) {
    return b.advance(tileMemory(6), slot * kNumbersBytes);
  }
  /// 16 of the block's keys or values, by 16 of the depth.
  Values rowsAt(int64_t tileIndex, int64_t step) {
    if (isDeep())
      return tile.loadRows(b, tileMemory(tileIndex), warpRow, step, lane);
    return Values(
        ArrayRef<Value>(tileIndex ? valueRows : keyRows).slice(step * 4, 4));
  }
  /// Sums of dK, then those of dV.
  Values addTile(Values sums, Number queryTile, Number slot, bool edge);

  static constexpr int64_t kNumbersBytes = 3 * HeadTile::kRows * 4;

  Buffer q, k, v, oGradient, kGradient, vGradient, exponents, inverses, delta;
  HeadRows queries, gradients;
  Values keyRows, valueRows;
};
} // namespace

void KeyGradients::loadSlot(Number queryTile, Number slot) {
  Value shared = slotMemory(slot);
  Number first = queryTile * HeadTile::kRows;
  tile.load(b, queries, shared, first, thread);
  tile.load(b, gradients, b.advance(shared, tile.bytes()), first, thread);
  sm80::commitCopies(b);
  b.branch(thread < HeadTile::kRows, [&] {
    Number query = first + thread;
    Value place = b.advance(numbersMemory(slot), thread * 4);
    Value exponent = arith::SelectOp::create(
        b, query < b.number(problem.rows), loadOfQuery(exponents, query),
        f32(std::numeric_limits<double>::infinity()));
    b.store(exponent, place, 4);
    b.store(loadOfQuery(inverses, query), b.advance(place, HeadTile::kRows * 4),
            4);
    b.store(loadOfQuery(delta, query), b.advance(place, HeadTile::kRows * 8),
            4);
  });
}

SmallVector<Value> KeyGradients::addTile(Values sums, Number queryTile,
                                         Number slot, bool edge) {
  Value queriesAt = slotMemory(slot),
        gradientsAt = b.advance(queriesAt, tile.bytes()),
        numbersAt = b.advance(numbersMemory(slot), lane % 4 * 8);
  Number firstKey = tileNumber * HeadTile::kRows + warpRow,
         firstQuery = queryTile * HeadTile::kRows;
  auto pairType = VectorType::get(2, b.getF32Type());
  return forRowSteps(sums, [&](Number rowStep, Values sums) {
    Values ofKeys(ArrayRef<Value>(sums).take_front(problem.depth / 2)),
        ofValues(ArrayRef<Value>(sums).drop_front(problem.depth / 2));
    Value stepOfQueries = HeadTile::getStep(b, queriesAt, rowStep),
          stepOfGradients = HeadTile::getStep(b, gradientsAt, rowStep),
          numbers = b.advance(numbersAt, rowStep * (16 * 4));
    Values products = multiplyDepth(
               [&](int64_t step) { return rowsAt(0, step); }, stepOfQueries),
           changes = multiplyDepth(
               [&](int64_t step) { return rowsAt(1, step); }, stepOfGradients);
    Values probabilities;
    for (int64_t half = 0; half < 2; ++half) {
      auto load = [&](int64_t row) {
        return b.load(pairType,
                      b.advance(numbers, half * 32 + row * HeadTile::kRows * 4),
                      8);
      };
      Value greatest = load(0), quotients = load(1), deltas = load(2);
      for (int64_t i = 0; i < 4; ++i) {
        Value &product = products[half * 4 + i];
        Value score = emitScore(
            product, firstQuery + rowStep * 16 + columnOfSum(i) + half * 8,
            firstKey + rowOfSum(i), edge);
        probabilities.push_back(arith::MulFOp::create(
            b, emitPower(score, b.extract(greatest, i % 2)),
            b.extract(quotients, i % 2)));
        Value change = arith::SubFOp::create(b, changes[half * 4 + i],
                                             b.extract(deltas, i % 2));
        product = arith::MulFOp::create(b, probabilities.back(), change);
      }
    }
    multiplyRows(ofValues, packRows(probabilities), stepOfGradients);
    multiplyRows(ofKeys, packRows(products), stepOfQueries);
    ofKeys.append(ofValues);
    return ofKeys;
  });
}

void KeyGradients::emit(StringRef name) {
  OpBuilder::InsertionGuard guard(b);
  q = heads("q", problem.q);
  k = heads("k", problem.k);
  v = heads("v", problem.v);
  oGradient = heads("do", problem.oGradient);
  kGradient = heads(problem.joinsGradients ? "dqkv" : "dk", problem.kGradient);
  vGradient = heads("dv", problem.vGradient);
  exponents = perQuery("exponents");
  inverses = perQuery("inverses");
  delta = perQuery("delta");
  SmallVector<Buffer *> buffers = {&q,         &k,        &v,     &oGradient,
                                   &exponents, &inverses, &delta, &kGradient};
  if (!problem.joinsGradients)
    buffers.push_back(&vGradient);
  enter(name, buffers, problem.columns, /*fromLast=*/false,
        6 * tile.bytes() + 2 * kNumbersBytes);
  if (problem.joinsGradients)
    vGradient.pointer = kGradient.pointer;
  queries = rowsOf(q, problem.q, problem.rows);
  gradients = rowsOf(oGradient, problem.oGradient, problem.rows);
  Number first = tileNumber * HeadTile::kRows;
  tile.load(b, rowsOf(k, problem.k, problem.columns), tileMemory(0), first,
            thread);
  tile.load(b, rowsOf(v, problem.v, problem.columns), tileMemory(1), first,
            thread);
  const bool isCausal = problem.mask == AttentionMask::Causal;
  Number begin = isCausal ? tileNumber : b.number(0);
  Number end = b.number(llvm::divideCeil(problem.rows, HeadTile::kRows));
  loadSlot(begin, begin % 2);
  sm80::waitCopies(b, 0);
  sm80::blockBarrier(b);
  for (int64_t step = 0; step < tile.depthSteps() && !isDeep(); ++step) {
    keyRows.append(tile.loadRows(b, tileMemory(0), warpRow, step, lane));
    valueRows.append(tile.loadRows(b, tileMemory(1), warpRow, step, lane));
  }

  auto turn = [&](Number queryTile, ValueRange carried, bool edge) {
    loadSlot(queryTile + 1, (queryTile + 1) % 2);
    Values after = addTile(Values(carried), queryTile, queryTile % 2, edge);
    sm80::waitCopies(b, 0);
    sm80::blockBarrier(b);
    return after;
  };
  Values sums(problem.depth, f32(0));
  if (isCausal) {
    sums = turn(begin, sums, /*edge=*/true);
    begin = begin + 1;
  }
  sums = b.loop(begin, max(begin, end), b.number(1), sums,
                [&](Number queryTile, ValueRange carried) {
                  return turn(queryTile, carried, /*edge=*/false);
                });
  for (int64_t i = 0; i < problem.depth / 2; ++i)
    sums[i] = arith::MulFOp::create(b, sums[i], f32(problem.scale));
  auto store = [&](const Buffer &buffer, const HeadsLayout &layout,
                   int64_t tileIndex, ArrayRef<Value> part) {
    tile.storeRows(b, rowsOf(buffer, layout, problem.columns),
                   tileMemory(tileIndex), warpRow, first, part, lane);
  };
  store(kGradient, problem.kGradient, 0,
        ArrayRef<Value>(sums).take_front(problem.depth / 2));
  store(vGradient, problem.vGradient, 1,
        ArrayRef<Value>(sums).drop_front(problem.depth / 2));
  LLVM::ReturnOp::create(b, ValueRange());
}

void mlir::amp::emitKeyGradients(DeviceBuilder &b, StringRef name,
                                 const AttentionProblem &problem) {
  KeyGradients(b, problem).emit(name);
}
