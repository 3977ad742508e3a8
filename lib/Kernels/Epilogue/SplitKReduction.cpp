//===- SplitKReduction.cpp - Add up the parts of a split K ----------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each thread takes pairs of neighbouring columns, at distances of the whole
// grid, so that neighbouring threads read and write neighbouring addresses.
//
//===----------------------------------------------------------------------===//

#include "SplitKReduction.h"

#include "Device/BatchLoops.h"
#include "Device/Sm80Instructions.h"
#include "EpilogueBuilder.h"
#include "EpilogueOperands.h"
#include "amp/Support/ShapedBytes.h"

using namespace mlir;
using namespace mlir::amp;

static constexpr int64_t kThreads = 256, kBlocksPerMultiprocessor = 8;

void mlir::amp::emitSplitKReduction(DeviceBuilder &b, StringRef name,
                                    const GemmProblem &problem,
                                    const GemmConfig &config,
                                    const GemmEpilogue &epilogue,
                                    StringRef result,
                                    const WorkspaceColumns &inWorkspace) {
  int64_t columnCount = inWorkspace.locate ? inWorkspace.count : problem.n;
  bool even = columnCount % 2 == 0;
  Type f32 = b.getF32Type();
  KernelSignature signature(b);
  unsigned workspaceArg = signature.addBuffer(
      "workspace", f32,
      getWorkspaceRows(problem, config) * getWorkspaceColumns(problem));
  unsigned resultArg =
      signature.addBuffer(result, problem.d, problem.memoryOfD(),
                          problem.batch * problem.m * problem.n);
  unsigned operandArg = addEpilogueOperands(
      signature, epilogue,
      {problem.m, columnCount, problem.batch * problem.m * columnCount});
  unsigned outputArg =
      addEpilogueOutputs(signature, problem, config, epilogue,
                         problem.batch * problem.m * columnCount);
  unsigned mArg = signature.addNumber("m", problem.m);
  unsigned nArg = signature.addNumber("n", columnCount, even ? 2 : 1);
  unsigned batchArg = signature.addNumber("batch", problem.batch);
  unsigned strideArg = signature.addNumber("ldd", problem.strideOfD(),
                                           problem.strideOfD() % 2 ? 1 : 2);

  int64_t pairs = problem.batch * problem.m * llvm::divideCeil(columnCount, 2);
  int64_t blocks = llvm::divideCeil(pairs, kThreads);
  auto func = signature.createKernel(name, {{blocks, kBlocksPerMultiprocessor},
                                            kThreads,
                                            /*minBlocks=*/1,
                                            /*cluster=*/1,
                                            /*sharedMemory=*/0,
                                            /*order=*/1});
  OpBuilder::InsertionGuard guard(b);
  Block *entry = func.addEntryBlock(b);
  b.setInsertionPointToStart(entry);
  auto arg = [&](unsigned i) { return entry->getArgument(i); };
  Number m = b.number(arg(mArg)), n = b.number(arg(nArg));
  Number rowPairs = ceilDiv(n, 2),
         columns = inWorkspace.locate ? b.number(getWorkspaceColumns(problem))
                                      : ceilDiv(n, 4) * 4;
  int64_t rowsPerTile = config.tileM * config.cluster;
  Number paddedRows = ceilDiv(m, rowsPerTile) * rowsPerTile;
  SmallVector<Value> operands =
      readEpilogueOperands(entry, operandArg, epilogue);
  SmallVector<Value> outputs;
  for (unsigned i = 0; i < epilogue.outputs.size(); ++i)
    outputs.push_back(arg(outputArg + i));

  /// The sum of the parts of a pair of elements.
  auto addParts = [&](Number batch, Number row, Number column) {
    Number part = batch * config.splitK;
    Number place = inWorkspace.locate ? inWorkspace.locate(column) : column;
    auto pair = VectorType::get(2, f32);
    Value sum;
    for (int64_t i = 0; i < config.splitK; ++i) {
      Value next =
          b.load(pair,
                 b.element(arg(workspaceArg), f32,
                           (part + i) * paddedRows + row, columns, place),
                 8);
      sum = sum ? arith::AddFOp::create(b, sum, next).getResult() : next;
    }
    return sum;
  };
  auto place = [&](Number batch) {
    EpilogueShape shape{m, n, batch * m, even};
    ResultMatrix matrix{shape, arg(resultArg), b.number(arg(strideArg)),
                        hasEvenResult(problem)};
    if (problem.batchShape.empty())
      return matrix;
    matrix.pointer = advanceToMatrix(
        b, matrix.pointer, getElementBytes(problem.d),
        splitBatch(batch, problem.batchShape), problem.batchStridesD);
    matrix.pointsAtMatrix = true;
    return matrix;
  };
  Number first = sm80::blockId(b) * kThreads + sm80::threadId(b);
  Number step = sm80::blockCount(b) * kThreads;
  Number batches = b.number(arg(batchArg));
  if (epilogue.outputs.empty()) {
    b.loop(first, batches * m * rowPairs, step, ValueRange(),
           [&](Number item, ValueRange) {
             Number allRows = item / rowPairs, column = item % rowPairs * 2;
             Number row = allRows % m, batch = allRows / m;
             ResultMatrix matrix = place(batch);
             EpilogueBuilder builder(b, epilogue, operands, matrix.shape,
                                     problem.d);
             Value sum = addParts(batch, row, column);
             storePair(b, builder.apply(sum, row, column), matrix, row, column);
             return DeviceBuilder::Values();
           });
  } else {
    // A warp takes a whole part at a time, of which each lane has two columns.
    WarpPart part = getWarpPart(problem, config);
    Number lane = first % 32;
    Number acrossParts =
        ceilDiv(n, config.tileN) * (config.tileN / part.columns);
    Number perMatrix = paddedRows / part.rows * acrossParts;
    // Pairs of a workspace in another order begin at even columns of D.
    Number last = (inWorkspace.locate ? n : columns) - 2;
    b.loop(first / 32, batches * perMatrix, step / 32, ValueRange(),
           [&](Number item, ValueRange) {
             Number batch = item / perMatrix, inMatrix = item % perMatrix;
             ResultMatrix matrix = place(batch);
             EpilogueBuilder builder(b, epilogue, operands, matrix.shape,
                                     problem.d);
             EpilogueOutputs sums(b, epilogue.outputs, outputs, matrix.shape,
                                  part, lane, batch, config);
             builder.setOutputs(&sums);
             Number firstRow = inMatrix / acrossParts * part.rows;
             Number column = inMatrix % acrossParts * part.columns + lane * 2;
             for (int64_t i = 0; i < part.rows; ++i) {
               Number row = firstRow + i;
               Value sum = addParts(batch, min(row, m - 1), min(column, last));
               storePair(b, builder.apply(sum, row, column), matrix, row,
                         column);
             }
             return DeviceBuilder::Values();
           });
  }
  LLVM::ReturnOp::create(b, ValueRange());
}
