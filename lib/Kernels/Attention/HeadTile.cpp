//===- HeadTile.cpp - Rows of a head in shared memory ---------------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Threads of a warp copy chunks of one row, then of the next, so that
// neighbours read neighbours.
//
//===----------------------------------------------------------------------===//

#include "Attention/HeadTile.h"

#include "Device/Sm80Instructions.h"

using namespace mlir;
using namespace mlir::amp;

std::pair<Number, Number> HeadTile::share(Number thread) const {
  if (chunks() == 8)
    return {thread / 8, thread % 8};
  return {thread % 8 + thread / (8 * chunks()) * 8, thread / 8 % chunks()};
}

void HeadTile::load(DeviceBuilder &b, const HeadRows &source, Value shared,
                    Number first, Number thread) const {
  const int64_t rowsAtOnce = kThreads / chunks();
  auto [firstRow, chunk] = share(thread);
  for (int64_t row = 0; row < kRows; row += rowsAtOnce) {
    Number inTile = firstRow + row, inHead = first + inTile;
    Value inside = inHead < source.count;
    for (int64_t box = 0; box < boxes(); ++box) {
      Value address = b.element(source.pointer, type, inHead, source.stride,
                                chunk * 8 + box * 64);
      Value target = b.advance(shared, OperandTile::chunkPlace(inTile, chunk) +
                                           box * kBoxBytes);
      sm80::copyAsync(b, target, address,
                      b.select(inside, b.number(16), b.number(0)));
    }
  }
}

SmallVector<Value> HeadTile::loadRows(DeviceBuilder &b, Value shared,
                                      Number row, int64_t depthStep,
                                      Number lane) const {
  OperandTile tile(type, kRows, /*transposed=*/false);
  return tile.loadMatrices(b, getBox(b, shared, depthStep), row, /*offset=*/0,
                           depthStep % 4, lane,
                           OperandTile::MatrixOrder::PositionFirst);
}

SmallVector<Value> HeadTile::loadColumns(DeviceBuilder &b, Value shared,
                                         int64_t depthStep, Number lane) const {
  OperandTile tile(type, kRows, /*transposed=*/false);
  return tile.loadMatrices(b, getBox(b, shared, depthStep), b.number(0),
                           /*offset=*/0, depthStep % 4, lane,
                           OperandTile::MatrixOrder::KFirst);
}

SmallVector<Value> HeadTile::loadTransposed(DeviceBuilder &b, Value shared,
                                            int64_t depthStep,
                                            Number lane) const {
  OperandTile tile(type, kRows, /*transposed=*/true);
  return tile.loadMatrices(b, getBox(b, shared, depthStep), b.number(0),
                           depthStep % 4 * 16, /*step=*/0, lane,
                           OperandTile::MatrixOrder::KFirst);
}

void HeadTile::storeRows(DeviceBuilder &b, const HeadRows &target, Value shared,
                         Number row, Number first, ArrayRef<Value> sums,
                         Number lane) const {
  auto pairType = VectorType::get(2, type);
  for (int64_t column = 0; column < depth; column += 8)
    for (int64_t half = 0; half < 2; ++half) {
      ArrayRef<Value> pair = sums.slice(column / 2 + half * 2, 2);
      Value rounded = arith::TruncFOp::create(b, pairType, b.gather(pair));
      Number place = OperandTile::chunkPlace(row + lane / 4 + half * 8,
                                             b.number(column / 8 % 8));
      b.store(rounded,
              b.advance(shared, place + lane % 4 * 4 + column / 64 * kBoxBytes),
              4);
    }
  sm80::warpBarrier(b);
  Type chunkType = VectorType::get(4, b.getI32Type());
  const int64_t rowsAtOnce = 32 / chunks();
  auto [laneRow, laneChunk] = share(lane);
  Number chunk = laneChunk;
  for (int64_t i = 0; i < 16; i += rowsAtOnce) {
    Number inTile = row + laneRow + i, inHead = first + inTile;
    b.branch(inHead < target.count, [&] {
      for (int64_t box = 0; box < boxes(); ++box) {
        Value from = b.advance(shared, OperandTile::chunkPlace(inTile, chunk) +
                                           box * kBoxBytes);
        b.store(b.load(chunkType, from, 16),
                b.element(target.pointer, type, inHead, target.stride,
                          chunk * 8 + box * 64),
                16);
      }
    });
  }
}
