//===- TurnedInputs.cpp - Inputs that lie across what is written ----------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A block is turned by squares, eight rows of the source at a time to their
// end, so that each of its lines is read once. What fills no square goes
// element by element.
//
//===----------------------------------------------------------------------===//

#include "amp/Conversion/TurnedInputs.h"

#include "PackElements.h"

#include "amp/Conversion/LinalgToHostContraction.h"

using namespace mlir;
using namespace mlir::amp;

/// Rows and columns of a square.
static constexpr int64_t kSquare = 8;

SmallVector<unsigned> mlir::amp::findTurnedInputs(StridedNest &nest) {
  if (nest.loops.size() < 2 || nest.loops.back().extent < kSquare ||
      llvm::any_of(nest.loops, std::mem_fn(&NestLoop::isReduction)))
    return {};
  auto isTurned = [&](unsigned input, const NestLoop &loop) {
    auto type = dyn_cast<MemRefType>(nest.operands[input].memref.getType());
    return nest.operands[input].isRead && type &&
           isa<Float32Type, Float16Type, BFloat16Type>(type.getElementType()) &&
           loop.extent >= kSquare && loop.strides[input] == 1 &&
           nest.loops.back().strides[input] > 1;
  };
  SmallVector<unsigned> inputs;
  for (auto &loop : llvm::reverse(MutableArrayRef(nest.loops).drop_back())) {
    for (unsigned i = 0; i < nest.numInputs; ++i)
      if (isTurned(i, loop))
        inputs.push_back(i);
    if (inputs.empty())
      continue;
    std::rotate(&loop, &loop + 1, &nest.loops.back());
    break;
  }
  return inputs;
}

Value TurnedBlocks::get(Operation *op, Type element, unsigned number) {
  // Not in a loop, where the stack would grow, unless its iterations are calls.
  Block *outside = &op->getParentOfType<func::FuncOp>().front();
  for (auto loop = op->getParentOfType<scf::ParallelOp>(); threads > 1 && loop;
       loop = loop->getParentOfType<scf::ParallelOp>())
    if (isSharedByThreads(loop))
      outside = loop.getBody();
  Value &block = blocks[{outside, element, number}];
  if (block)
    return block;
  HostBuilder b(op->getLoc(), outside, outside->begin());
  Type moved = element.isF32() ? element : b.getI16Type();
  auto type = MemRefType::get({kTurnedSide * kTurnedSide}, moved);
  return block = memref::AllocaOp::create(b, type, b.getI64IntegerAttr(64));
}

void mlir::amp::copyTurned(OpBuilder &builder, Location loc, Value source,
                           Value begin, int64_t stride, Value numT, Value numI,
                           Value block) {
  HostBuilder b(loc, builder);
  Index first = b.number(begin), ts = b.number(numT), is = b.number(numI);
  b.loop(is, kSquare, [&](Index i) {
    b.loop(ts, kSquare, [&](Index t) {
      auto turnSquare = [&] {
        SmallVector<Value> rows;
        for (int64_t row = 0; row < kSquare; ++row)
          rows.push_back(
              asMoved(b, b.loadVector(kSquare, source,
                                      first + t + i * stride + row * stride)));
        transposeInRegisters(b, rows);
        for (auto [row, vector] : llvm::enumerate(rows))
          b.storeVector(vector, block,
                        t * kTurnedSide + i +
                            static_cast<int64_t>(row) * kTurnedSide);
      };
      auto copyElements = [&] {
        Index lastI = min(i + kSquare, is), lastT = min(t + kSquare, ts);
        b.loop(i, lastI, b.number(1), [&](Index i) {
          b.loop(t, lastT, b.number(1), [&](Index t) {
            b.store(asMoved(b, b.load(source, first + t + i * stride)), block,
                    t * kTurnedSide + i);
          });
        });
      };
      b.branch(b.both(i + kSquare <= is, t + kSquare <= ts), turnSquare,
               copyElements);
    });
  });
  builder.restoreInsertionPoint(b.saveInsertionPoint());
}
