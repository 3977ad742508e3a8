//===- ResultStore.cpp - From accumulators to global memory ---------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two boxes of staging in turn: before a box is written, at most one store,
// that of the other box, may still be reading. A tile of an odd number of boxes
// ends with the one that the next tile begins with, so that none may. One
// thread issues all of a warpgroup's stores and waits for them; a barrier
// passes on what it knows.
//
//===----------------------------------------------------------------------===//

#include "ResultStore.h"

#include "amp/Kernels/GemmProblem.h"
#include "amp/Support/ShapedBytes.h"

using namespace mlir;
using namespace mlir::amp;

static constexpr int64_t kBoxBytes = 64 * 128;

namespace {
/// The rows and columns of one thread's accumulators.
struct Fragment {
  /// With a matrix, rows and columns are those that they are in it.
  Fragment(DeviceBuilder &b, const ResultSlab &slab,
           const ResultMatrix *matrix = nullptr)
      : b(b), slab(slab), matrix(matrix), lane(slab.thread % 32),
        rowInSlab(slab.thread / 32 * 16 + lane / 4), pairInEight(lane % 4 * 2),
        rows{slab.row + rowInSlab, slab.row + rowInSlab + 8} {
    if (matrix)
      for (Number &row : rows)
        row = matrix->locateRow(row);
  }

  /// The pair of 8-column group `group`, upper or lower row, after the
  /// epilogue.
  Value get(EpilogueBuilder &epilogue, int64_t group, int64_t lower) {
    auto sum = [&](int64_t i) -> Value {
      return LLVM::ExtractValueOp::create(b, slab.accumulators,
                                          group * 4 + lower * 2 + i);
    };
    if (group != columnGroup) {
      columnGroup = group;
      column = slab.column + pairInEight + group * 8;
      if (matrix)
        column = matrix->locateColumn(column);
    }
    return epilogue.apply(b.gather({sum(0), sum(1)}), rows[lower], column);
  }

  DeviceBuilder &b;
  const ResultSlab &slab;
  const ResultMatrix *matrix;
  Number lane, rowInSlab, pairInEight;
  Number rows[2];
  Number column;
  int64_t columnGroup = -1;
};
} // namespace

/// Waits for the other threads of the warpgroup. Each warpgroup has a barrier
/// of its own, whose number ptxas must see: for one that is computed it
/// reserves all sixteen. LLVM makes one barrier with a computed number of
/// branches that end alike. So the second ends with a barrier of the warp, for
/// which nobody has to wait there.
static void synchronise(DeviceBuilder &b, const ResultSlab &slab,
                        int64_t consumers) {
  if (consumers == 1)
    return sm90::namedBarrier(b, 1, 128);
  b.branch(
      slab.consumer == 0, [&] { sm90::namedBarrier(b, 1, 128); },
      [&] {
        sm90::namedBarrier(b, 2, 128);
        sm90::warpBarrier(b);
      });
}

/// 64 columns of 16 bits into a box: four matrices of 8x8 at a time, which are
/// two groups of columns by two groups of rows.
static void fillBoxWithMatrices(DeviceBuilder &b, Fragment &fragment,
                                EpilogueBuilder &epilogue, int64_t firstGroup,
                                Value box) {
  Number lane = fragment.lane;
  Number rowInEight = lane % 8, matrix = lane / 8;
  Number row = fragment.slab.thread / 32 * 16 + matrix % 2 * 8 + rowInEight;
  Value rowStart = b.advance(box, row * 128);
  for (int64_t group = 0; group < 8; group += 2) {
    SmallVector<Value> registers;
    for (int64_t i = 0; i < 4; ++i)
      registers.push_back(
          b.bitcast(b.getI32Type(),
                    fragment.get(epilogue, firstGroup + group + i / 2, i % 2)));
    Number chunk = (matrix / 2 + group) ^ rowInEight;
    sm90::storeMatrices(b, b.advance(rowStart, chunk * 16), registers);
  }
}

/// 32 columns of f32 into a box. Sixteen lanes write at a time, four rows. In
/// the swizzled order two rows that differ in bit 0 alone have the same columns
/// in the same banks, so of each pair of such rows, one writes the columns that
/// the other writes 16 columns further on or back, the next time.
static void fillBoxWithPairs(DeviceBuilder &b, Fragment &fragment,
                             EpilogueBuilder &epilogue, int64_t firstGroup,
                             Value box) {
  Number rowInEight = fragment.lane / 4, pair = fragment.lane % 4;
  Number odd = rowInEight % 2;
  Value isEven = odd == 0;
  Number chunk = (pair / 2 ^ rowInEight) ^ (odd * 4);
  for (int64_t group = 0; group < 2; ++group) {
    Value pairs[2][2];
    for (int64_t half = 0; half < 2; ++half)
      for (int64_t lower = 0; lower < 2; ++lower)
        pairs[half][lower] =
            fragment.get(epilogue, firstGroup + group + half * 2, lower);
    for (int64_t half = 0; half < 2; ++half)
      for (int64_t lower = 0; lower < 2; ++lower) {
        Number place = (fragment.rowInSlab + lower * 8) * 128 +
                       (chunk ^ ((group + half * 2) * 2)) * 16 + pair % 2 * 8;
        Value mine = arith::SelectOp::create(b, isEven, pairs[half][lower],
                                             pairs[1 - half][lower]);
        b.store(mine, b.advance(box, place), 8);
      }
  }
}

void mlir::amp::storeByTma(DeviceBuilder &b, const ResultSlab &slab,
                           EpilogueBuilder &epilogue, Type type, Value map,
                           Value staging, int64_t consumers, Number mapRow,
                           ArrayRef<Value> matrix) {
  Fragment fragment(b, slab);
  int64_t boxColumns = 128 / getElementBytes(type);
  Value boxes = b.advance(staging, slab.consumer * (2 * kBoxBytes));
  Value leads = slab.thread == 0;
  const int64_t mayRead = slab.columns / boxColumns % 2 == 0 ? 1 : 0;
  for (int64_t first = 0; first < slab.columns; first += boxColumns) {
    Value box = b.advance(boxes, first / boxColumns % 2 * kBoxBytes);
    b.branch(leads, [&] { sm90::waitStores(b, mayRead, /*read=*/true); });
    synchronise(b, slab, consumers);
    if (boxColumns == 64)
      fillBoxWithMatrices(b, fragment, epilogue, first / 8, box);
    else
      fillBoxWithPairs(b, fragment, epilogue, first / 8, box);
    sm90::fenceForAsyncProxy(b);
    synchronise(b, slab, consumers);
    b.branch(leads, [&] {
      SmallVector<Value> coordinates{slab.column + first, slab.row + mapRow};
      llvm::append_range(coordinates, matrix);
      sm90::storeBox(b, map, box, coordinates);
      sm90::commitStores(b);
    });
  }
}

void mlir::amp::storeByThreads(DeviceBuilder &b, const ResultSlab &slab,
                               EpilogueBuilder &epilogue,
                               const ResultMatrix &matrix) {
  Fragment fragment(b, slab, &matrix);
  for (int64_t group = 0; group < slab.columns / 8; ++group)
    for (int64_t lower = 0; lower < 2; ++lower) {
      Value pair = fragment.get(epilogue, group, lower);
      storePair(b, pair, matrix, fragment.rows[lower], fragment.column);
    }
}

void mlir::amp::storeByRows(DeviceBuilder &b, const ResultSlab &slab,
                            EpilogueBuilder &epilogue,
                            const ResultMatrix &matrix, Value staging) {
  assert(slab.columns == 32 && "a row is four chunks of 16 bytes");
  Fragment fragment(b, slab);
  Number rowInSlab = fragment.rowInSlab;
  for (Number &row : fragment.rows)
    row = matrix.locateRow(row);
  auto place = [&](Number row, Number chunk) {
    Number inPair = row % 2 * 4 + (chunk ^ (row / 2 % 4));
    return b.advance(staging, row / 2 * 128 + inPair * 16);
  };
  Type type;
  for (int64_t group = 0; group < 4; ++group)
    for (int64_t lower = 0; lower < 2; ++lower) {
      Value pair = fragment.get(epilogue, group, lower);
      type = getElementTypeOrSelf(pair.getType());
      Value chunk = place(rowInSlab + lower * 8, b.number(group));
      b.store(pair, b.advance(chunk, fragment.lane % 4 * 4), 4);
    }
  sm80::warpBarrier(b);
  for (int64_t first = 0; first < 16; first += 8) {
    Number row = fragment.lane / 4 + first, chunk = fragment.lane % 4;
    Value data =
        b.load(VectorType::get(4, b.getI32Type()), place(row, chunk), 16);
    Number at = matrix.locateRow(slab.row + row);
    Number column = slab.column + chunk * 8;
    EpilogueShape shape = matrix.shape;
    b.branch(b.both(at < shape.m, column < shape.n),
             [&] { b.store(data, matrix.element(b, type, at, column), 16); });
  }
}
