//===- GroupedProduct.cpp - Products that share the rows of A -------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The scheduler sees a matrix as high as the table. An entry is four numbers of
// 32 bits, of which the last is unused, so that one load fetches it.
//
//===----------------------------------------------------------------------===//

#include "GroupedProduct.h"

#include "Device/Sm80Instructions.h"

using namespace mlir;
using namespace mlir::amp;

static constexpr int64_t kThreads = 256;
static constexpr int64_t kEntry = 4;

static int64_t countTiles(const GemmProblem &problem,
                          const GemmConfig &config) {
  return getPaddedRows(problem, config) / config.tileM;
}

void GroupedProduct::addParameters(KernelSignature &signature) {
  GemmProduct::addParameters(signature);
  tilesIndex = signature.addBuffer("tiles", b.getI32Type(),
                                   countTiles(problem, config) * kEntry);
  groupsIndex = signature.addNumber("groups", problem.groups);
}

void GroupedProduct::readParameters(Block *entry) {
  GemmProduct::readParameters(entry);
  tiles = entry->getArgument(tilesIndex);
  Number groups = b.number(entry->getArgument(groupsIndex));
  m = (m / config.tileM + groups) * config.tileM;
}

GroupedProduct::Tile GroupedProduct::lookUp(WorkItem item) {
  Type i32 = b.getI32Type();
  auto entry = LLVM::LoadOp::create(
      b, VectorType::get(kEntry, i32),
      b.element(tiles, i32, item.tileRow, b.number(kEntry), b.number(0)), 16);
  entry.setInvariant(true);
  auto part = [&](int64_t i) { return b.number(b.extract(entry, i)); };
  return {part(0), part(1), part(2)};
}

StageRange GroupedProduct::stagesOf(WorkItem item) {
  Tile tile = lookUp(item);
  StageRange all = GemmProduct::stagesOf(item);
  return {all.first,
          b.select(tile.firstRow < tile.endRow, all.last, all.first)};
}

void GroupedProduct::beginTile(WorkItem item, Number row, Number column,
                               Number thread, int64_t threads) {
  Tile tile = lookUp(item);
  // A map or a pointer of one matrix has no coordinate for it.
  Value matrix = problem.groups > 1 ? Value(tile.group) : Value();
  position = {tile.firstRow,
              column,
              thread,
              threads,
              {Value(), {}, sourceA.pointer},
              {matrix, {}, sourceB.pointer}};
}

ResultMatrix GroupedProduct::placeResult(WorkItem item) {
  Tile tile = lookUp(item);
  ResultMatrix matrix = GemmProduct::placeResult(item);
  matrix.shape.m = tile.endRow;
  Number shift = tile.firstRow - item.tileRow * config.tileM;
  matrix.rowOf = [shift](Number row) { return row + shift; };
  return matrix;
}

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

void mlir::amp::emitTilesOfGroups(DeviceBuilder &b, StringRef name,
                                  const GemmProblem &problem,
                                  const GemmConfig &config) {
  Type i32 = b.getI32Type();
  KernelSignature signature(b);
  unsigned offsetsArg = signature.addBuffer("offsets", i32, problem.groups + 1);
  int64_t most = countTiles(problem, config);
  unsigned tilesArg = signature.addBuffer("tiles", i32, most * kEntry);
  unsigned mArg = signature.addNumber("m", problem.m);
  unsigned groupsArg = signature.addNumber("groups", problem.groups);
  int64_t blocks = llvm::divideCeil(most, kThreads);
  auto func = signature.createKernel(name, {{blocks, /*perMultiprocessor=*/1},
                                            kThreads,
                                            /*minBlocks=*/1,
                                            /*cluster=*/1,
                                            /*sharedMemory=*/0,
                                            /*order=*/0});
  OpBuilder::InsertionGuard guard(b);
  Block *entry = func.addEntryBlock(b);
  b.setInsertionPointToStart(entry);
  auto number = [&](unsigned i) { return b.number(entry->getArgument(i)); };
  Number groups = number(groupsArg), zero = b.number(0);
  Number tileCount = number(mArg) / config.tileM + groups;
  auto offsetAt = [&](Number i) {
    Value address =
        b.element(entry->getArgument(offsetsArg), i32, zero, zero, i);
    return b.number(b.load(i32, address, 4));
  };
  Number first = sm80::blockId(b) * kThreads + sm80::threadId(b);
  Number step = sm80::blockCount(b) * kThreads;
  b.loop(first, tileCount, step, ValueRange(), [&](Number tile, ValueRange) {
    // Tiles of the groups before; then group, first and end row of this tile.
    SmallVector<Value> found =
        b.loop(zero, groups, b.number(1), ValueRange{zero, zero, zero, zero},
               [&](Number group, ValueRange carried) -> DeviceBuilder::Values {
                 Number start = offsetAt(group), end = offsetAt(group + 1);
                 Number before = b.number(carried[0]);
                 Number count = ceilDiv(end - start, config.tileM);
                 // A tile of a group before is a large number.
                 Number inGroup = tile - before;
                 Value isHere = inGroup < count;
                 auto keep = [&](Number here, Value other) -> Value {
                   return b.select(isHere, here, b.number(other));
                 };
                 return {before + count, keep(group, carried[1]),
                         keep(start + inGroup * config.tileM, carried[2]),
                         keep(end, carried[3])};
               });
    Value row = b.gather({found[1], found[2], found[3], zero});
    b.store(row,
            b.element(entry->getArgument(tilesArg), i32, tile, b.number(kEntry),
                      zero),
            16);
    return DeviceBuilder::Values();
  });
  LLVM::ReturnOp::create(b, ValueRange());
}
