//===- ResultStore.h - From accumulators to global memory -------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A warpgroup's 64 rows of D lie in its registers as wgmma leaves them: thread
// t holds, for each 8 columns j, the pairs (row t/4%8, columns 8j + t%4*2) and
// the same 8 rows lower, of the 16 rows that its warp has. mma.sync leaves 16
// rows of a warp in the same way. They leave, after the epilogue, in one of
// three ways.
//
//   TMA      through shared memory in boxes of 64 rows of 128 bytes, in the
//            swizzled order in which neither the stores nor the copy engine
//            meet a bank twice. Two boxes take turns: one is filled while the
//            other is read. 16-bit elements go by stmatrix.
//   rows     of a warp, 16-bit elements through shared memory, so that each
//            thread stores 16 bytes of a row.
//   threads  each pair by itself, guarded by the bounds of D.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_LIB_KERNELS_EPILOGUE_RESULTSTORE_H
#define AMP_LIB_KERNELS_EPILOGUE_RESULTSTORE_H

#include "Device/Sm90Instructions.h"
#include "EpilogueBuilder.h"

namespace mlir::amp {

/// A warpgroup, and the place of its rows.
struct ResultSlab {
  /// Number of the consumer warpgroup, from 0, and of the thread in it.
  Number consumer, thread;
  /// Sums as wgmma leaves them, and how many columns they are.
  Value accumulators;
  int64_t columns;
  /// First row and column in D.
  Number row, column;
};

/// Through `staging`, two boxes for each consumer; `map` is D's. `consumers`
/// is how many warpgroups there are. `mapRow` is added to the row in the map
/// alone, for a map that covers several matrices; `matrix` are its further
/// coordinates.
void storeByTma(DeviceBuilder &b, const ResultSlab &slab,
                EpilogueBuilder &epilogue, Type type, Value map, Value staging,
                int64_t consumers, Number mapRow, ArrayRef<Value> matrix);

void storeByThreads(DeviceBuilder &b, const ResultSlab &slab,
                    EpilogueBuilder &epilogue, const ResultMatrix &matrix);

/// 16 rows and 32 columns of 16-bit elements of one warp, through `staging`, 1
/// KiB of the warp's own. `matrix` has whole chunks.
void storeByRows(DeviceBuilder &b, const ResultSlab &slab,
                 EpilogueBuilder &epilogue, const ResultMatrix &matrix,
                 Value staging);

} // namespace mlir::amp

#endif // AMP_LIB_KERNELS_EPILOGUE_RESULTSTORE_H
