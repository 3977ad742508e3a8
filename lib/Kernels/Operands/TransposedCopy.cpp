//===- TransposedCopy.cpp - Operands of 8 bits with K innermost -----------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A block takes 64 x 64 bytes at a time through shared memory: each of 256
// threads reads 16 bytes of a row and writes 16 bytes of a column. The lanes of
// a warp gather neighbouring columns, so that no bank is met twice. Addresses
// are clamped into the matrix: what a tile at the edge reads too much lands
// between the rows of the copy, where nobody reads.
//
//===----------------------------------------------------------------------===//

#include "TransposedCopy.h"

#include "Device/KernelSignature.h"
#include "Device/Sm80Instructions.h"

using namespace mlir;
using namespace mlir::amp;

static constexpr int64_t kThreads = 256, kTile = 64, kChunk = 16;
static constexpr int64_t kBlocksPerMultiprocessor = 8;

static void emitCopy(DeviceBuilder &b, StringRef name,
                     const TransposedCopy &copy) {
  int64_t padded = llvm::alignTo(copy.rows, kChunk);
  bool aligned = copy.columns % kChunk == 0 && copy.stride % kChunk == 0;
  std::string memory = (name + "_memory").str();
  Type byte = b.getI8Type();
  LLVM::GlobalOp::create(b, LLVM::LLVMArrayType::get(byte, kTile * kTile),
                         /*isConstant=*/false, LLVM::Linkage::Internal, memory,
                         Attribute(), /*alignment=*/16, /*addrSpace=*/3);
  KernelSignature signature(b);
  unsigned fromArg = signature.addBuffer(copy.from, copy.type,
                                         copy.count * copy.rows * copy.stride);
  unsigned toArg = signature.addBuffer(copy.to, copy.type,
                                       copy.count * copy.columns * padded);
  int64_t multiple = aligned ? kChunk : 1;
  unsigned countArg = signature.addNumber("count", copy.count);
  unsigned rowsArg = signature.addNumber(copy.rowsName, copy.rows);
  unsigned columnsArg =
      signature.addNumber(copy.columnsName, copy.columns, multiple);
  unsigned strideArg =
      signature.addNumber(copy.strideName, copy.stride, multiple);
  int64_t tiles = copy.count * llvm::divideCeil(copy.rows, kTile) *
                  llvm::divideCeil(copy.columns, kTile);
  auto func = signature.createKernel(name, {{tiles, kBlocksPerMultiprocessor},
                                            kThreads,
                                            /*minBlocks=*/1,
                                            /*cluster=*/1,
                                            /*sharedMemory=*/0,
                                            /*order=*/0});
  OpBuilder::InsertionGuard guard(b);
  Block *entry = func.addEntryBlock(b);
  b.setInsertionPointToStart(entry);
  auto number = [&](unsigned i) { return b.number(entry->getArgument(i)); };
  Number rows = number(rowsArg), columns = number(columnsArg),
         stride = number(strideArg);
  Number tileRows = ceilDiv(rows, kTile), tileColumns = ceilDiv(columns, kTile);
  Number perMatrix = tileRows * tileColumns;
  Number paddedRows = ceilDiv(rows, kChunk) * kChunk;
  Number thread = sm80::threadId(b);
  Value shared = LLVM::AddressOfOp::create(b, b.pointer(3), memory);
  auto chunkType = VectorType::get(4, b.getI32Type());

  auto load = [&](Number matrix, Number firstRow, Number firstColumn) -> Value {
    Number row = min(firstRow + thread / 4, rows - 1) + matrix * rows;
    Number column = firstColumn + thread % 4 * kChunk;
    auto at = [&](Number column) {
      return b.element(entry->getArgument(fromArg), byte, row, stride, column);
    };
    if (aligned)
      return b.load(chunkType, at(min(column, columns - kChunk)), kChunk);
    SmallVector<Value> bytes;
    for (int64_t i = 0; i < kChunk; ++i)
      bytes.push_back(b.load(byte, at(min(column + i, columns - 1)), 1));
    return b.bitcast(chunkType, b.gather(bytes));
  };
  b.loop(sm80::blockId(b), number(countArg) * perMatrix, sm80::blockCount(b),
         ValueRange(), [&](Number item, ValueRange) {
           Number matrix = item / perMatrix, tile = item % perMatrix;
           Number firstRow = tile / tileColumns * kTile;
           Number firstColumn = tile % tileColumns * kTile;
           b.store(load(matrix, firstRow, firstColumn),
                   b.advance(shared, thread * kChunk), kChunk);
           sm80::blockBarrier(b);
           Number column = thread % kTile, row = thread / kTile * kChunk;
           Value start = b.advance(shared, row * kTile + column);
           SmallVector<Value> bytes;
           for (int64_t i = 0; i < kChunk; ++i)
             bytes.push_back(b.load(byte, b.advance(start, i * kTile), 1));
           Value data = b.bitcast(chunkType, b.gather(bytes));
           Number newRow = firstColumn + column, newColumn = firstRow + row;
           b.branch(b.both(newRow < columns, newColumn < paddedRows), [&] {
             b.store(data,
                     b.element(entry->getArgument(toArg), byte,
                               matrix * columns + newRow, paddedRows,
                               newColumn),
                     kChunk);
           });
           // Before the next tile.
           sm80::blockBarrier(b);
           return DeviceBuilder::Values();
         });
  LLVM::ReturnOp::create(b, ValueRange());
}

void mlir::amp::emitTransposedCopies(DeviceBuilder &b, StringRef name,
                                     const GemmProblem &problem) {
  GemmProblem copied = getCopiedProblem(problem);
  if (copied.transposeA != problem.transposeA)
    emitCopy(b, (name + "_copy_a").str(),
             {"a", "a_copy", problem.a, problem.batch, problem.k, problem.m,
              problem.strideOfA(), "k", "m", "lda"});
  if (copied.transposeB != problem.transposeB)
    emitCopy(b, (name + "_copy_b").str(),
             {"b", "b_copy", problem.b, std::max(problem.batch, problem.groups),
              problem.k, problem.n, problem.strideOfB(), "k", "n", "ldb"});
}
