//===- GenericBody.h - One iteration of a linalg.generic --------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What kernels of elements and of groups have in common: an operation's loops,
// and its body at one point of them.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_LIB_KERNELS_ELEMENTS_GENERICBODY_H
#define AMP_LIB_KERNELS_ELEMENTS_GENERICBODY_H

#include "Device/KernelSignature.h"
#include "Elements/TilePlaces.h"
#include "Elements/WideAccess.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace mlir::amp {

/// The loops of an operation, and a point of them.
struct GenericLoops {
  explicit GenericLoops(linalg::GenericOp op);

  /// Sets `loops` to one number of their iterations, of which the innermost
  /// takes `width` at once.
  void set(DeviceBuilder &b, ArrayRef<unsigned> loops, Number number,
           int64_t width = 1);
  void set(unsigned loop, Number index) { at[loop] = index; }
  /// The index of a loop, 0 before it is set.
  Number get(DeviceBuilder &b, unsigned loop) const {
    return at[loop] ? at[loop] : b.number(0);
  }
  /// The element of an operand at this point.
  SmallVector<Number> getIndices(DeviceBuilder &b, linalg::GenericOp op,
                                 OpOperand &operand) const;

  SmallVector<int64_t> sizes;
  /// Those of several iterations: parallel ones as the first result has them,
  /// and those of sums.
  SmallVector<unsigned> parallel, sums;
  int64_t iterations = 1, summed = 1;

private:
  SmallVector<Number> at;
};

/// The iterations of a loop that a thread computes at once: `width` of them,
/// from where the loops are on.
struct Lanes {
  unsigned loop = 0;
  int64_t width = 1;

  /// The loops of lane `number`.
  GenericLoops at(DeviceBuilder &b, const GenericLoops &loops,
                  int64_t number) const;
};

/// The operand's element of each lane, which is at `place` and lies as `layout`
/// says.
SmallVector<Value> loadLanes(DeviceBuilder &b, linalg::GenericOp op,
                             OpOperand &operand, const GenericLoops &loops,
                             const Lanes &lanes, const Place &place,
                             const ElementLayout &layout);
void storeLanes(DeviceBuilder &b, linalg::GenericOp op, OpOperand &operand,
                const GenericLoops &loops, const Lanes &lanes,
                const Place &place, const ElementLayout &layout,
                ValueRange values);

/// A loop of which a thread could take several iterations at once, and the
/// operands that lie in memory.
struct LaneLoop {
  struct Operand {
    OpOperand *operand;
    ElementLayout layout;
  };
  linalg::GenericOp op;
  unsigned loop;
  SmallVector<Operand> operands;
};

/// How many iterations of each of `loops` a thread takes at once: as many as
/// the widest element fills an access with, if what is written and, where loops
/// add, what is read make rows; else fewer.
int64_t chooseWidth(ArrayRef<LaneLoop> loops);

/// Adds memory for a tensor, or for a number, to a kernel's arguments.
void addMemory(KernelSignature &signature, StringRef name, Type type);

/// The number that a kernel is given as memory of one element.
Value loadNumber(DeviceBuilder &b, Value pointer, Type type);

/// The value inside of a kernel of what is defined outside of it, one of
/// `numbers` or a constant.
Value getNumber(DeviceBuilder &b, Value value, const IRMapping &numbers);

/// Where a body finds elements: of an operand at the point of its loops, and of
/// a tensor that it reads by index.
struct GenericReads {
  function_ref<Value(OpOperand &operand)> input;
  function_ref<Value(Value tensor, Numbers indices)> table;
};

/// Computes the body at a point of its loops, with the results so far. What it
/// reads by index is inside of its tensor, whatever the index is: a check of it
/// may not have been read yet.
SmallVector<Value> emitBody(DeviceBuilder &b, linalg::GenericOp op,
                            const GenericLoops &loops, ValueRange results,
                            const IRMapping &numbers,
                            const GenericReads &reads);

} // namespace mlir::amp

#endif // AMP_LIB_KERNELS_ELEMENTS_GENERICBODY_H
