//===- EpilogueBuilder.h - Apply an epilogue to two elements ----*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Clones an epilogue's operations onto vectors of two neighbouring elements of
// a row, which is how the results of a matrix instruction lie in a thread, and
// loads the operands that belong to them. Addresses are clamped into the
// matrix: a tile at the edge computes elements that are never stored, from
// values that exist. What depends on the row or the column alone is loaded once
// for each.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_LIB_KERNELS_EPILOGUE_EPILOGUEBUILDER_H
#define AMP_LIB_KERNELS_EPILOGUE_EPILOGUEBUILDER_H

#include "EpilogueOutputs.h"
#include "amp/Kernels/GemmEpilogue.h"

namespace mlir::amp {

class EpilogueBuilder {
public:
  /// `pointers` to the operands, in their order.
  EpilogueBuilder(DeviceBuilder &b, const GemmEpilogue &epilogue,
                  ArrayRef<Value> pointers, EpilogueShape shape, Type result)
      : b(b), epilogue(epilogue), pointers(pointers), shape(shape),
        result(result) {}

  /// Where what the epilogue gives beside elements goes; needed if it does.
  void setOutputs(EpilogueOutputs *target) { outputs = target; }

  /// Two sums at (row, column) and (row, column + 1) become two elements. All
  /// calls stand in one block of operations.
  Value apply(Value sums, Number row, Number column);

private:
  Value loadOperand(unsigned index, Number row, Number column);
  Value loadPair(Type type, Value pointer, Number row, Number stride,
                 Number column);
  Value clone(Operation &op, IRMapping &mapping);

  DeviceBuilder &b;
  const GemmEpilogue &epilogue;
  SmallVector<Value> pointers;
  EpilogueShape shape;
  Type result;
  EpilogueOutputs *outputs = nullptr;
  /// Operands that were loaded, by index and by what they depend on.
  DenseMap<std::pair<unsigned, Value>, Value> loaded;
};

} // namespace mlir::amp

#endif // AMP_LIB_KERNELS_EPILOGUE_EPILOGUEBUILDER_H
