//===- AttentionKernel.h - What kernels of attentions share -----*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A block of four warps has 64 rows of one head, queries or keys, 16 of them
// each warp, and walks over the keys or queries in tiles of 64. Here is what
// the three kernels have in common: their arguments, which rows a block has,
// tiles and scores.
//
// A score is kept as a number of which `factor` times is the exponent of 2 in
// the softmax: exponentials of 2 are what the hardware has. Of the greatest one
// of a row there is `exponent`, which is subtracted.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_LIB_KERNELS_ATTENTION_ATTENTIONKERNEL_H
#define AMP_LIB_KERNELS_ATTENTION_ATTENTIONKERNEL_H

#include "Attention/HeadTile.h"
#include "Device/KernelSignature.h"
#include "amp/Kernels/AttentionProblem.h"

namespace mlir::amp {

class AttentionKernel {
public:
  using Values = SmallVector<Value>;

  AttentionKernel(DeviceBuilder &b, const AttentionProblem &problem)
      : b(b), problem(problem), tile(problem.type, problem.depth) {}

protected:
  /// A tensor among the kernel's arguments.
  struct Buffer {
    StringRef name;
    Type type;
    int64_t elements;
    Value pointer;
  };
  /// One with the rows of heads.
  Buffer heads(StringRef name, const HeadsLayout &layout) const {
    return {name, problem.type, layout.elements, Value()};
  }
  /// One with a number of f32 for each query.
  Buffer perQuery(StringRef name) const {
    return {name, b.getF32Type(), problem.batch * problem.heads * problem.rows,
            Value()};
  }

  /// Begins a kernel whose blocks have the tiles of `rows` rows of each head;
  /// fills the buffers' pointers. The first blocks have the last tiles if
  /// `fromLast`: those with the most work begin first.
  void enter(StringRef name, ArrayRef<Buffer *> buffers, int64_t rows,
             bool fromLast, int64_t sharedBytes);

  /// The rows of the block's head.
  HeadRows rowsOf(const Buffer &buffer, const HeadsLayout &layout,
                  int64_t count);
  /// The address of a query's number in a buffer of them.
  Value queryPlace(const Buffer &buffer, Number query);
  /// The number of a query, 0 if there is none.
  Value loadOfQuery(const Buffer &buffer, Number query);

  /// Makes a score of a sum of products. With `edge`, keys that are not there
  /// or that the query does not see have -inf.
  Value emitScore(Value sum, Number query, Number key, bool edge);
  /// `exponent` of a greatest score.
  Value emitExponent(Value greatest);
  /// The power of 2 that a score is to a greatest one.
  Value emitPower(Value score, Value exponent);

  Value f32(double value) {
    return arith::ConstantOp::create(b, b.getF32FloatAttr(value));
  }
  /// Two numbers in the 32 bits of one register of A or B, and back.
  Value pack(Value first, Value second);
  Value unpack(Value pair);
  /// The registers of A for 16 columns of two times four sums.
  Values packRows(ArrayRef<Value> sums);
  /// Adds to `sums`, four for each 8 of the depth, the step of rows at
  /// `shared`, times `a`.
  void multiplyRows(Values &sums, ArrayRef<Value> a, Value shared);
  /// Two times four sums: 16 rows `a(step)`, times the step of rows at
  /// `shared`, over the depth.
  Values multiplyDepth(function_ref<Values(int64_t step)> a, Value shared);
  /// body(step, carried) for each step of a tile's rows. Where the sums of long
  /// rows take the registers it is a loop: unrolled, addresses take more.
  Values forRowSteps(Values carried,
                     function_ref<Values(Number rowStep, Values)> body);
  /// Over the four lanes that share a row.
  Value overRow(Value value, function_ref<Value(Value, Value)> combine);

  /// Whether rows are read from shared memory again for each step: the sums of
  /// long ones take the registers.
  bool isDeep() const { return problem.depth > 64; }
  /// The row and the column of number `i` of the four sums of a lane.
  Number rowOfSum(int64_t i) { return lane / 4 + i / 2 * 8; }
  Number columnOfSum(int64_t i) { return lane % 4 * 2 + i % 2; }
  /// The shared memory of the tile that comes after so many.
  Value tileMemory(int64_t tiles) {
    return b.advance(memory, tiles * tile.bytes());
  }

  DeviceBuilder &b;
  const AttentionProblem &problem;
  HeadTile tile;

  Value memory, mask;
  Number thread, lane, warpRow;
  /// The block's head among all, and in its batch; its tile.
  Number headOfAll, batch, head, tileNumber;
};

/// Adds the kernels of a problem, under names that begin with `name`.
void emitAttentionForward(DeviceBuilder &b, StringRef name,
                          const AttentionProblem &problem);
void emitQueryGradient(DeviceBuilder &b, StringRef name,
                       const AttentionProblem &problem);
void emitKeyGradients(DeviceBuilder &b, StringRef name,
                      const AttentionProblem &problem);

} // namespace mlir::amp

#endif // AMP_LIB_KERNELS_ATTENTION_ATTENTIONKERNEL_H
