//===- ThreadProducts.cpp - Products of f32 by plain arithmetic -----------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A stage is a loop of eight turns, of four of K each. ptxas unrolls it, and
// loads ahead as far as its registers go.
//
//===----------------------------------------------------------------------===//

#include "ThreadProducts.h"

#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace mlir::amp;

/// Elements of 16 bytes, and how many such chunks are in a tile's row.
static constexpr int64_t kChunk = 4, kChunksPerRow = 8;
static constexpr int64_t kLine = 8;

/// Bits 0, 1 and 4 of the lane say which column, bits 2 and 3 which row: eight
/// neighbouring lanes have four columns and two rows.
static Number laneAlongRows(Number lane) { return lane / 4 % 4; }
static Number laneAlongColumns(Number lane) { return lane % 4 + lane / 16 * 4; }

ThreadProducts::ThreadProducts(DeviceBuilder &b, const OperandTile &a,
                               const OperandTile &bs, Number lane, Number row,
                               Number column)
    : b(b), rows{a, row, laneAlongRows(lane), 4, 1},
      columns{bs, column, laneAlongColumns(lane), 8, 2} {}

Number ThreadProducts::Line::at(int64_t i) const {
  int64_t run = tile.isTransposed() ? kChunk : neighbours;
  return first + lane * run + (i / run * run * lanes + i % run);
}

SmallVector<Value> ThreadProducts::load(const Line &line, Value tile,
                                        Number quad) const {
  Type f32 = b.getF32Type();
  auto chunkType = VectorType::get(kChunk, f32);
  SmallVector<Value> elements(kLine * kChunk);
  auto read = [&](Number row, Number chunk, Number box) {
    Number place = row * 128 + (chunk ^ (row % 8)) * 16 + box;
    return b.load(chunkType, b.advance(tile, place), 16);
  };
  if (!line.tile.isTransposed()) {
    for (int64_t i = 0; i < kLine; ++i) {
      Value chunk = read(line.at(i), quad, b.number(0));
      for (int64_t k = 0; k < kChunk; ++k)
        elements[i * kChunk + k] = b.extract(chunk, k);
    }
    return elements;
  }
  for (int64_t first = 0; first < kLine; first += kChunk)
    for (int64_t k = 0; k < kChunk; ++k) {
      Number position = line.at(first) / kChunk;
      Number box = position / kChunksPerRow * (line.tile.boxRows() * 128);
      Value chunk = read(quad * kChunk + k, position % kChunksPerRow, box);
      for (int64_t i = 0; i < kChunk; ++i)
        elements[(first + i) * kChunk + k] = b.extract(chunk, i);
    }
  return elements;
}

SmallVector<Value> ThreadProducts::multiplyStage(Value tileA, Value tileB,
                                                 ValueRange sums) const {
  return b.loop(b.number(0), b.number(kChunksPerRow), b.number(1), sums,
                [&](Number quad, ValueRange carried) {
                  SmallVector<Value> a = load(rows, tileA, quad);
                  SmallVector<Value> bs = load(columns, tileB, quad);
                  SmallVector<Value> results(carried);
                  for (int64_t k = 0; k < kChunk; ++k)
                    for (int64_t i = 0; i < kLine; ++i)
                      for (int64_t j = 0; j < kLine; ++j) {
                        Value &sum = results[i * kLine + j];
                        sum = math::FmaOp::create(b, a[i * kChunk + k],
                                                  bs[j * kChunk + k], sum);
                      }
                  return results;
                });
}

void ThreadProducts::store(ArrayRef<Value> sums, EpilogueBuilder &epilogue,
                           const ResultMatrix &matrix, Number row,
                           Number column) const {
  SmallVector<Number> pairs;
  for (int64_t j = 0; j < kLine; j += 2)
    pairs.push_back(column + columns.at(j));
  for (int64_t i = 0; i < kLine; ++i) {
    Number at = matrix.locateRow(row + rows.at(i));
    for (int64_t j = 0; j < kLine; j += 2) {
      Value pair = b.gather({sums[i * kLine + j], sums[i * kLine + j + 1]});
      storePair(b, epilogue.apply(pair, at, pairs[j / 2]), matrix, at,
                pairs[j / 2]);
    }
  }
}
