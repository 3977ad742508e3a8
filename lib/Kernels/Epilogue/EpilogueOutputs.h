//===- EpilogueOutputs.h - Sums, maxima and bits of elements ----*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What an epilogue gives beside the elements of D. The threads of a warp have
// its elements of one part of D in registers, some rows and some columns each.
//
//   amax         Each thread keeps the greatest magnitude as the bits of an
//                f32: numbers that are not negative have the order of their
//                bits, infinity is above all of them and a NaN above that, so a
//                NaN anywhere gives a NaN. The warp's greatest goes by an
//                atomic maximum into memory, which is the same in any order.
//   or           Each thread ors the bits of its elements. What a warp has goes
//                by an atomic or into memory, unless there is none.
//   matrix       Each thread stores its elements in pairs.
//   column-sum,  Each warp writes the sum over its part, exactly once, to a
//   row-sum      place of its own, and a second kernel adds the parts up in
//                their order. Adding to one place atomically would save that
//                kernel and give other last bits in each run.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_LIB_KERNELS_EPILOGUE_EPILOGUEOUTPUTS_H
#define AMP_LIB_KERNELS_EPILOGUE_EPILOGUEOUTPUTS_H

#include "Device/KernelSignature.h"
#include "ResultMatrix.h"
#include "amp/Kernels/GemmConfig.h"
#include "amp/Kernels/GemmEpilogue.h"
#include "llvm/ADT/MapVector.h"

namespace mlir::amp {

/// How the threads of a warp share its part of D.
struct WarpPart {
  /// Rows and columns of the part. D is divided into such parts.
  int64_t rows, columns;
  /// Rows that a thread has, and pairs of columns in each.
  int64_t rowsOfThread, pairsOfThread;
  /// Bits of a lane's number that differ among lanes with the same rows, and
  /// among lanes with the same columns.
  int64_t lanesOfRow, lanesOfColumn;
};

/// The part that is a warp's in a kernel, or in that which adds up a split K.
WarpPart getWarpPart(const GemmProblem &problem, const GemmConfig &config);

class EpilogueOutputs {
public:
  /// `pointers` to the greatest magnitude, the bits, the matrix or the sums of
  /// parts.
  EpilogueOutputs(DeviceBuilder &b, ArrayRef<EpilogueOutput> outputs,
                  ArrayRef<Value> pointers, EpilogueShape shape, WarpPart part,
                  Number lane, Number batch, const GemmConfig &config);

  /// Takes in two elements of output `index`. When the thread's last of a row,
  /// a column or all have come, the warp stores what they give.
  void add(unsigned index, Value pair, Number row, Number column);

private:
  /// What has come of a row, a column or a part.
  struct Sum {
    Value value;
    int64_t count = 0;
  };

  void addToAmax(unsigned index, Value pair);
  void addToOr(unsigned index, Value pair);
  void store(unsigned index, Value pair, Number row, Number column);
  void addToColumn(unsigned index, Value pair, Number row, Number column);
  void addToRow(unsigned index, Value pair, Number row, Number column);
  /// Adds up over the lanes whose numbers differ in `bits`.
  Value sumOverLanes(Value value, int64_t bits);

  DeviceBuilder &b;
  SmallVector<EpilogueOutput> outputs;
  SmallVector<Value> pointers;
  EpilogueShape shape;
  WarpPart part;
  Number lane;
  /// Parts of the matrices before this one.
  Number firstRowPart, firstColumnPart;
  DenseMap<std::pair<unsigned, Value>, Sum> sums;
};

/// Adds a parameter for each output: the number or matrix itself, which has
/// `elements`, or the sums of parts. Returns the first's index.
unsigned addEpilogueOutputs(KernelSignature &signature,
                            const GemmProblem &problem,
                            const GemmConfig &config,
                            const GemmEpilogue &epilogue, int64_t elements);

/// Whether there are sums, for which a kernel of their own is needed.
bool hasSums(const GemmEpilogue &epilogue);

/// Adds the kernel that adds up the parts.
void emitSumsOfParts(DeviceBuilder &b, StringRef name,
                     const GemmProblem &problem, const GemmConfig &config,
                     const GemmEpilogue &epilogue);

} // namespace mlir::amp

#endif // AMP_LIB_KERNELS_EPILOGUE_EPILOGUEOUTPUTS_H
