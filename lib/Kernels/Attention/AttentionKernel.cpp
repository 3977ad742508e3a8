//===- AttentionKernel.cpp - What kernels of attentions share -------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Without a mask of memory, a score is the sum of products itself and its
// factor is the scale times log2(e), so that the exponent is one multiplication
// with an addition. With one, the score is what the softmax has, and only its
// difference to the greatest one is multiplied: a mask that hides by the least
// number of f32 would become -inf, and a row with nothing else NaNs.
//
//===----------------------------------------------------------------------===//

#include "Attention/AttentionKernel.h"

#include "Device/Sm80Instructions.h"
#include "mlir/Dialect/Math/IR/Math.h"

#include <limits>

using namespace mlir;
using namespace mlir::amp;

static constexpr double kLog2OfE = 1.4426950408889634;

void AttentionKernel::enter(StringRef name, ArrayRef<Buffer *> buffers,
                            int64_t rows, bool fromLast, int64_t sharedBytes) {
  std::string memoryName = (name + "_memory").str();
  LLVM::GlobalOp::create(b, LLVM::LLVMArrayType::get(b.getI8Type(), 0),
                         /*isConstant=*/false, LLVM::Linkage::External,
                         memoryName, Attribute(), /*alignment=*/1024,
                         /*addrSpace=*/3);
  KernelSignature signature(b);
  for (Buffer *buffer : buffers)
    signature.addBuffer(buffer->name, buffer->type, buffer->elements);
  const bool hasMask = problem.mask == AttentionMask::Additive;
  if (hasMask)
    signature.addBuffer("mask", problem.maskType, problem.maskElements);
  const int64_t heads = problem.batch * problem.heads,
                tiles = llvm::divideCeil(rows, HeadTile::kRows);
  auto func = signature.createKernel(name, {{heads * tiles},
                                            HeadTile::kThreads,
                                            problem.blocksPerMultiprocessor(),
                                            /*cluster=*/1,
                                            sharedBytes,
                                            /*order=*/0});
  Block *entry = func.addEntryBlock(b);
  b.setInsertionPointToStart(entry);
  for (auto [i, buffer] : llvm::enumerate(buffers))
    buffer->pointer = entry->getArgument(i);
  if (hasMask)
    mask = entry->getArgument(buffers.size());
  memory = LLVM::AddressOfOp::create(b, b.pointer(3), memoryName);
  thread = sm80::threadId(b);
  lane = thread % 32;
  warpRow = thread / 32 * 16;
  Number block = sm80::blockId(b);
  headOfAll = block % heads;
  batch = headOfAll / problem.heads;
  head = headOfAll % problem.heads;
  tileNumber = block / heads;
  if (fromLast)
    tileNumber = b.number(tiles - 1) - tileNumber;
}

HeadRows AttentionKernel::rowsOf(const Buffer &buffer,
                                 const HeadsLayout &layout, int64_t count) {
  Value ofBatch = b.element(buffer.pointer, buffer.type, batch,
                            b.number(layout.batchStride), b.number(0));
  return {b.element(ofBatch, buffer.type, head, b.number(layout.headStride),
                    b.number(layout.offset)),
          b.number(count), b.number(layout.rowStride)};
}

Value AttentionKernel::queryPlace(const Buffer &buffer, Number query) {
  return b.element(buffer.pointer, buffer.type, headOfAll,
                   b.number(problem.rows), query);
}

Value AttentionKernel::loadOfQuery(const Buffer &buffer, Number query) {
  return b.loadIf(query < b.number(problem.rows), buffer.type,
                  queryPlace(buffer, query), 4);
}

//===----------------------------------------------------------------------===//
// Scores
//===----------------------------------------------------------------------===//

Value AttentionKernel::emitScore(Value sum, Number query, Number key,
                                 bool edge) {
  Value score = sum;
  if (problem.mask == AttentionMask::Additive) {
    Value row = b.element(mask, problem.maskType, batch,
                          b.number(problem.maskBatch), b.number(0));
    row = b.element(row, problem.maskType, head, b.number(problem.maskHead),
                    b.number(0));
    // Of those that are not there any will do.
    Number column = min(key, problem.columns - 1) * problem.maskColumn;
    Value place = b.element(row, problem.maskType, min(query, problem.rows - 1),
                            b.number(problem.maskRow), column);
    Value added = b.load(problem.maskType, place,
                         problem.maskType.getIntOrFloatBitWidth() / 8);
    if (!problem.maskType.isF32())
      added = arith::ExtFOp::create(b, b.getF32Type(), added);
    score = math::FmaOp::create(b, sum, f32(problem.scale), added);
  }
  if (!edge)
    return score;
  Value isSeen;
  if (problem.columns % HeadTile::kRows != 0)
    isSeen = key < b.number(problem.columns);
  if (problem.mask == AttentionMask::Causal) {
    Value isEarlier = key <= query;
    isSeen = isSeen ? b.both(isSeen, isEarlier) : isEarlier;
  }
  if (!isSeen)
    return score;
  return arith::SelectOp::create(b, isSeen, score,
                                 f32(-std::numeric_limits<double>::infinity()));
}

Value AttentionKernel::emitExponent(Value greatest) {
  if (problem.mask == AttentionMask::Additive)
    return greatest;
  return arith::MulFOp::create(b, greatest,
                               f32(double(problem.scale) * kLog2OfE));
}

Value AttentionKernel::emitPower(Value score, Value exponent) {
  if (problem.mask == AttentionMask::Additive) {
    Value difference = arith::SubFOp::create(b, score, exponent);
    return math::Exp2Op::create(
        b, arith::MulFOp::create(b, difference, f32(kLog2OfE)).getResult());
  }
  Value minus = arith::NegFOp::create(b, exponent);
  return math::Exp2Op::create(
      b, math::FmaOp::create(b, score, f32(double(problem.scale) * kLog2OfE),
                             minus)
             .getResult());
}

//===----------------------------------------------------------------------===//
// Registers of matrix instructions
//===----------------------------------------------------------------------===//

Value AttentionKernel::pack(Value first, Value second) {
  Value rounded = arith::TruncFOp::create(b, VectorType::get(2, problem.type),
                                          b.gather({first, second}));
  return b.bitcast(b.getI32Type(), rounded);
}

Value AttentionKernel::unpack(Value pair) {
  return b.widen(b.bitcast(VectorType::get(2, problem.type), pair));
}

SmallVector<Value> AttentionKernel::packRows(ArrayRef<Value> sums) {
  return {pack(sums[0], sums[1]), pack(sums[2], sums[3]),
          pack(sums[4], sums[5]), pack(sums[6], sums[7])};
}

void AttentionKernel::multiplyRows(Values &sums, ArrayRef<Value> a,
                                   Value shared) {
  for (int64_t step = 0; step < tile.depthSteps(); ++step) {
    Values columns = tile.loadTransposed(b, shared, step, lane);
    for (int64_t half = 0; half < 2; ++half) {
      const int64_t first = step * 8 + half * 4;
      llvm::copy(sm80::multiply(b, problem.type, a,
                                ArrayRef<Value>(columns).slice(half * 2, 2),
                                ArrayRef<Value>(sums).slice(first, 4)),
                 sums.begin() + first);
    }
  }
}

SmallVector<Value>
AttentionKernel::multiplyDepth(function_ref<Values(int64_t step)> a,
                               Value shared) {
  Values sums(8, f32(0));
  for (int64_t step = 0; step < tile.depthSteps(); ++step) {
    Values columns = tile.loadColumns(b, shared, step, lane);
    Values rows = a(step);
    for (int64_t half = 0; half < 2; ++half)
      llvm::copy(sm80::multiply(b, problem.type, rows,
                                ArrayRef<Value>(columns).slice(half * 2, 2),
                                ArrayRef<Value>(sums).slice(half * 4, 4)),
                 sums.begin() + half * 4);
  }
  return sums;
}

SmallVector<Value> AttentionKernel::forRowSteps(
    Values carried, function_ref<Values(Number rowStep, Values)> body) {
  if (isDeep())
    return b.loop(b.number(0), b.number(HeadTile::kRowSteps), b.number(1),
                  carried, [&](Number rowStep, ValueRange carried) {
                    return body(rowStep, Values(carried));
                  });
  for (int64_t rowStep = 0; rowStep < HeadTile::kRowSteps; ++rowStep)
    carried = body(b.number(rowStep), carried);
  return carried;
}

Value AttentionKernel::overRow(Value value,
                               function_ref<Value(Value, Value)> combine) {
  for (int64_t bit : {1, 2})
    value = combine(value, sm80::shuffleXor(b, value, bit));
  return value;
}
