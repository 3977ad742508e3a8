//===- GatheredTile.cpp - Load a tile of scattered pixels -----------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Nothing outside an operand is read, not even at another address: without
// images an operand may have no element at all.
//
//===----------------------------------------------------------------------===//

#include "GatheredTile.h"

#include "amp/Support/ShapedBytes.h"

using namespace mlir;
using namespace mlir::amp;

void GatheredTile::begin(std::unique_ptr<PixelMatrix> operand, Number position,
                         Number thread, int64_t threads) {
  this->operand = std::move(operand);
  this->position = position;
  chunk = thread % 8;
  firstRow = thread / 8;
  rowsAtOnce = threads / 8;
  kept.clear();
  if (!wholeChunks)
    return;
  if (!tile.isTransposed())
    for (int64_t i = 0; i < tile.boxRows() / rowsAtOnce; ++i)
      kept.push_back(this->operand->locateRow(position + rowInBox(i)));
  else
    for (int64_t first = 0; first < tile.size(); first += tile.boxColumns())
      kept.push_back(this->operand->locateColumn(position + first +
                                                 chunk * tile.perChunk()));
}

void GatheredTile::load(Value shared, Number k) {
  if (!tile.isTransposed()) {
    if (!wholeChunks)
      return loadBoxOfElements(shared, position, k);
    OperandPlace column = operand->locateColumn(k + chunk * tile.perChunk());
    for (auto [i, row] : llvm::enumerate(kept))
      loadChunk(b.advance(shared, tile.chunkPlace(rowInBox(i), chunk)), row,
                column);
    return;
  }
  int64_t boxBytes = tile.boxRows() * 128;
  if (!wholeChunks)
    return b.loop(b.number(tile.size() / tile.boxColumns()), [&](Number box) {
      loadBoxOfElements(b.advance(shared, box * boxBytes), k,
                        position + box * tile.boxColumns());
    });
  for (int64_t i = 0; i < tile.boxRows() / rowsAtOnce; ++i) {
    OperandPlace row = operand->locateRow(k + rowInBox(i));
    Value target = b.advance(shared, tile.chunkPlace(rowInBox(i), chunk));
    for (auto [box, column] : llvm::enumerate(kept))
      loadChunk(b.advance(target, box * boxBytes), row, column);
  }
}

void GatheredTile::loadChunk(Value target, const OperandPlace &row,
                             const OperandPlace &column) {
  Value inside = operand->isInside(row, column);
  Value address = operand->address(row, column);
  if (access == MatrixAccess::Async)
    return sm80::copyAsync(b, target, address,
                           b.select(inside, b.number(16), b.number(0)));
  auto type = VectorType::get(4, b.getI32Type());
  b.store(b.loadIf(inside, type, address, 16), target, 16);
}

void GatheredTile::loadBoxOfElements(Value box, Number row, Number column) {
  // A loop whose count the compiler does not know and so does not unroll.
  b.loop(firstRow, b.number(tile.boxRows()), b.number(rowsAtOnce), ValueRange(),
         [&](Number boxRow, ValueRange) {
           loadElements(b.advance(box, tile.chunkPlace(boxRow, chunk)),
                        row + boxRow, column + chunk * tile.perChunk());
           return DeviceBuilder::Values();
         });
}

void GatheredTile::loadElements(Value target, Number row, Number column) {
  OperandPlace rowPlace = operand->locateRow(row);
  int64_t bytes = getElementBytes(operand->getType());
  Type bits = b.getIntegerType(8 * bytes);
  SmallVector<Value> elements;
  for (int64_t i = 0; i < tile.perChunk(); ++i) {
    OperandPlace place = operand->locateColumn(column + i);
    elements.push_back(b.loadIf(operand->isInside(rowPlace, place), bits,
                                operand->address(rowPlace, place), bytes));
  }
  b.store(b.bitcast(VectorType::get(4, b.getI32Type()), b.gather(elements)),
          target, 16);
}
