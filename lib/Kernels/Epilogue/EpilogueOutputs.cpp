//===- EpilogueOutputs.cpp - Sums, maxima and bits of elements ------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A thread stores the sum of a column as soon as it has its last row of it: to
// keep the columns of a whole part would take half as many registers again as
// the accumulators. Elements outside of D count as zeros.
//
//===----------------------------------------------------------------------===//

#include "EpilogueOutputs.h"

#include "Device/Sm80Instructions.h"

using namespace mlir;
using namespace mlir::amp;

static constexpr int64_t kThreads = 256, kBlocksPerMultiprocessor = 8;

WarpPart mlir::amp::getWarpPart(const GemmProblem &problem,
                                const GemmConfig &config) {
  if (config.splitK > 1)
    return {16, 64, 16, 1, 31, 0};
  // As ThreadProducts shares them out.
  if (config.schedule->instruction == ProductInstruction::Fma)
    return {32, 64, 8, 4, 1 | 2 | 16, 4 | 8};
  // As the matrix instructions do.
  int64_t columns = config.tileN / config.unitsN();
  return {16, columns, 2, columns / 8, 1 | 2, 4 | 8 | 16};
}

/// Parts along M and along N that a matrix of the problem has.
static Number countRowParts(Number m, WarpPart part, const GemmConfig &config) {
  int64_t rows = config.tileM * config.cluster;
  return ceilDiv(m, rows) * (rows / part.rows);
}
static Number countColumnParts(Number n, WarpPart part,
                               const GemmConfig &config) {
  return ceilDiv(n, config.tileN) * (config.tileN / part.columns);
}

EpilogueOutputs::EpilogueOutputs(DeviceBuilder &b,
                                 ArrayRef<EpilogueOutput> outputs,
                                 ArrayRef<Value> pointers, EpilogueShape shape,
                                 WarpPart part, Number lane, Number batch,
                                 const GemmConfig &config)
    : b(b), outputs(outputs), pointers(pointers), shape(shape), part(part),
      lane(lane), firstRowPart(batch * countRowParts(shape.m, part, config)),
      firstColumnPart(batch * countColumnParts(shape.n, part, config)) {}

Value EpilogueOutputs::sumOverLanes(Value value, int64_t bits) {
  for (int64_t bit = 1; bit < 32; bit *= 2)
    if (bits & bit)
      value = arith::AddFOp::create(b, value, sm80::shuffleXor(b, value, bit));
  return value;
}

void EpilogueOutputs::add(unsigned index, Value pair, Number row,
                          Number column) {
  if (outputs[index] == EpilogueOutput::Matrix)
    return store(index, pair, row, column);
  Value rowInside = row < shape.m;
  SmallVector<Value> elements;
  for (int64_t i = 0; i < 2; ++i)
    elements.push_back(arith::SelectOp::create(
        b, b.both(rowInside, column + i < shape.n), b.extract(pair, i),
        b.zero(getElementTypeOrSelf(pair.getType()))));
  Value inside = b.gather(elements);
  switch (outputs[index]) {
  case EpilogueOutput::Amax:
    return addToAmax(index, inside);
  case EpilogueOutput::Or:
    return addToOr(index, inside);
  case EpilogueOutput::Matrix:
    break;
  case EpilogueOutput::ColumnSum:
    return addToColumn(index, inside, row, column);
  case EpilogueOutput::RowSum:
    return addToRow(index, inside, row, column);
  }
}

void EpilogueOutputs::addToAmax(unsigned index, Value pair) {
  Sum &greatest = sums[{index, Value()}];
  for (int64_t i = 0; i < 2; ++i) {
    Number bits = b.number(b.bitcast(b.getI32Type(), b.extract(pair, i)));
    Number magnitude = bits & INT32_MAX;
    greatest.value = greatest.value
                         ? Value(max(b.number(greatest.value), magnitude))
                         : Value(magnitude);
  }
  if (++greatest.count < part.rowsOfThread * part.pairsOfThread)
    return;
  Value ofWarp = sm80::maxOverWarp(b, greatest.value);
  b.branch(lane == 0, [&] {
    LLVM::AtomicRMWOp::create(b, LLVM::AtomicBinOp::umax, pointers[index],
                              ofWarp, LLVM::AtomicOrdering::monotonic);
  });
  greatest = Sum();
}

void EpilogueOutputs::addToOr(unsigned index, Value pair) {
  Sum &bits = sums[{index, Value()}];
  for (int64_t i = 0; i < 2; ++i) {
    Value element = b.extract(pair, i);
    bits.value = bits.value
                     ? arith::OrIOp::create(b, bits.value, element).getResult()
                     : element;
  }
  if (++bits.count < part.rowsOfThread * part.pairsOfThread)
    return;
  Value ofWarp = sm80::orOverWarp(b, bits.value);
  Value any = arith::CmpIOp::create(b, arith::CmpIPredicate::ne, ofWarp,
                                    b.zero(b.getI32Type()));
  b.branch(b.both(lane == 0, any), [&] {
    LLVM::AtomicRMWOp::create(b, LLVM::AtomicBinOp::_or, pointers[index],
                              ofWarp, LLVM::AtomicOrdering::monotonic);
  });
  bits = Sum();
}

void EpilogueOutputs::store(unsigned index, Value pair, Number row,
                            Number column) {
  // As matrix operands lie.
  Number stride = shape.stride ? shape.stride : shape.n;
  storePair(b, pair, {shape, pointers[index], stride, shape.evenColumns}, row,
            column);
}

void EpilogueOutputs::addToColumn(unsigned index, Value pair, Number row,
                                  Number column) {
  Sum &sum = sums[{index, column}];
  sum.value =
      sum.value ? arith::AddFOp::create(b, sum.value, pair).getResult() : pair;
  if (++sum.count < part.rowsOfThread)
    return;
  SmallVector<Value> ofWarp;
  for (int64_t i = 0; i < 2; ++i)
    ofWarp.push_back(sumOverLanes(b.extract(sum.value, i), part.lanesOfColumn));
  Number place = firstRowPart + row / part.rows;
  Value first = (lane & part.lanesOfColumn) == 0;
  for (int64_t i = 0; i < 2; ++i)
    b.branch(b.both(first, column + i < shape.n), [&] {
      b.store(ofWarp[i],
              b.element(pointers[index], b.getF32Type(), place, shape.n,
                        column + i),
              4);
    });
}

void EpilogueOutputs::addToRow(unsigned index, Value pair, Number row,
                               Number column) {
  Sum &sum = sums[{index, row}];
  for (int64_t i = 0; i < 2; ++i) {
    Value element = b.extract(pair, i);
    sum.value = sum.value
                    ? arith::AddFOp::create(b, sum.value, element).getResult()
                    : element;
  }
  if (++sum.count < part.pairsOfThread)
    return;
  Value ofWarp = sumOverLanes(sum.value, part.lanesOfRow);
  Number place = firstColumnPart + column / part.columns;
  Value first = (lane & part.lanesOfRow) == 0;
  b.branch(b.both(first, row < shape.m), [&] {
    b.store(ofWarp,
            b.element(pointers[index], b.getF32Type(), place, shape.m, row), 4);
  });
}

//===----------------------------------------------------------------------===//
// Parameters
//===----------------------------------------------------------------------===//

/// Sums of one part, over the whole problem.
static int64_t countPartSums(EpilogueOutput output, const GemmProblem &problem,
                             const GemmConfig &config) {
  WarpPart part = getWarpPart(problem, config);
  if (output == EpilogueOutput::ColumnSum)
    return problem.batch * getPaddedRows(problem, config) / part.rows *
           problem.n;
  return problem.batch * llvm::alignTo(problem.n, config.tileN) / part.columns *
         problem.m;
}

unsigned mlir::amp::addEpilogueOutputs(KernelSignature &signature,
                                       const GemmProblem &problem,
                                       const GemmConfig &config,
                                       const GemmEpilogue &epilogue,
                                       int64_t elements) {
  unsigned first = 0;
  for (auto [i, output] : llvm::enumerate(epilogue.outputs)) {
    auto add = [&, output = output, i = i](int64_t count,
                                           std::optional<int64_t> initial) {
      return signature.addOutput("output" + std::to_string(i),
                                 stringifyOutput(output),
                                 epilogue.getOutputType(i), count, initial);
    };
    unsigned index = 0;
    if (isSum(output))
      index = signature.addPartSums("parts" + std::to_string(i),
                                    countPartSums(output, problem, config));
    else if (output == EpilogueOutput::Matrix)
      index = add(elements, std::nullopt);
    else
      index = add(1, /*initial=*/0);
    if (i == 0)
      first = index;
  }
  return first;
}

//===----------------------------------------------------------------------===//
// The kernel that adds up the parts
//===----------------------------------------------------------------------===//

bool mlir::amp::hasSums(const GemmEpilogue &epilogue) {
  return llvm::any_of(epilogue.outputs, isSum);
}

void mlir::amp::emitSumsOfParts(DeviceBuilder &b, StringRef name,
                                const GemmProblem &problem,
                                const GemmConfig &config,
                                const GemmEpilogue &epilogue) {
  struct Parameters {
    unsigned parts, output;
  };
  KernelSignature signature(b);
  SmallVector<std::pair<EpilogueOutput, Parameters>> sums;
  int64_t most = 1;
  for (auto [i, output] : llvm::enumerate(epilogue.outputs)) {
    if (!isSum(output))
      continue;
    int64_t elements =
        problem.batch *
        (output == EpilogueOutput::ColumnSum ? problem.n : problem.m);
    most = std::max(most, elements);
    unsigned parts = signature.addPartSums(
        "parts" + std::to_string(i), countPartSums(output, problem, config));
    sums.push_back(
        {output,
         {parts, signature.addOutput("output" + std::to_string(i),
                                     stringifyOutput(output), b.getF32Type(),
                                     elements, std::nullopt)}});
  }
  unsigned mArg = signature.addNumber("m", problem.m);
  unsigned nArg = signature.addNumber("n", problem.n, problem.n % 2 ? 1 : 2);
  unsigned batchArg = signature.addNumber("batch", problem.batch);
  int64_t blocks = llvm::divideCeil(most, kThreads);
  auto func =
      signature.createKernel(name, {{blocks, kBlocksPerMultiprocessor},
                                    kThreads,
                                    /*minBlocks=*/1,
                                    /*cluster=*/1,
                                    /*sharedMemory=*/0,
                                    /*order=*/config.splitK > 1 ? 2 : 1});
  OpBuilder::InsertionGuard guard(b);
  Block *entry = func.addEntryBlock(b);
  b.setInsertionPointToStart(entry);
  auto number = [&](unsigned i) { return b.number(entry->getArgument(i)); };
  Number m = number(mArg), n = number(nArg), batch = number(batchArg);
  WarpPart part = getWarpPart(problem, config);
  Number first = sm80::blockId(b) * kThreads + sm80::threadId(b);
  Number step = sm80::blockCount(b) * kThreads;
  Type f32 = b.getF32Type();
  for (auto [output, parameters] : sums) {
    bool overRows = output == EpilogueOutput::ColumnSum;
    Number length = overRows ? n : m;
    Number parts = overRows ? countRowParts(m, part, config)
                            : countColumnParts(n, part, config);
    Value from = entry->getArgument(parameters.parts);
    Value to = entry->getArgument(parameters.output);
    b.loop(first, batch * length, step, ValueRange(),
           [&](Number item, ValueRange) {
             Number firstPart = item / length * parts, at = item % length;
             Value sum = b.loop(
                 b.number(0), parts, b.number(1), b.zero(f32),
                 [&](Number i, ValueRange carried) -> DeviceBuilder::Values {
                   Value next = b.load(
                       f32, b.element(from, f32, firstPart + i, length, at), 4);
                   return {arith::AddFOp::create(b, carried[0], next)};
                 })[0];
             b.store(sum, b.element(to, f32, b.number(0), b.number(0), item),
                     4);
             return DeviceBuilder::Values();
           });
  }
  LLVM::ReturnOp::create(b, ValueRange());
}
