//===- Sm80Instructions.h - What every chip since sm_80 has -----*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One function for each NVVM operation that the emitters use, with the choices
// that they never vary already made. NVVM's own header costs half a minute of
// compile time and stays in the files behind this one and Sm90Instructions.h.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_LIB_KERNELS_DEVICE_SM80INSTRUCTIONS_H
#define AMP_LIB_KERNELS_DEVICE_SM80INSTRUCTIONS_H

#include "DeviceBuilder.h"

namespace mlir::amp::sm80 {

// Where a thread is.
Number threadId(DeviceBuilder &b);
Number blockId(DeviceBuilder &b);
Number blockCount(DeviceBuilder &b);
/// Whether code reads of the grid what blockId() and blockCount() read alone.
bool readsBlockIdsAlone(Operation *code);
/// Replaces in code what blockId() and blockCount() read. `code` may be erased.
void replaceBlockIds(Operation *code, Value id, Value count);

// Barriers of threads. Named barriers take their number as a constant: with a
// variable one, ptxas reserves all sixteen.
void blockBarrier(DeviceBuilder &b);
void namedBarrier(DeviceBuilder &b, int64_t barrier, int64_t threads);
/// Of the 32 lanes of a warp.
void warpBarrier(DeviceBuilder &b);

// Exchange between the 32 lanes of a warp, all of which take part.
/// The f32 of the lane whose number differs in `bit`.
Value shuffleXor(DeviceBuilder &b, Value value, int64_t bit);
/// The greatest unsigned number of 32 bits.
Value maxOverWarp(DeviceBuilder &b, Value value);
/// All bits that an i32 of any lane has, in every lane.
Value orOverWarp(DeviceBuilder &b, Value value);
/// Bit i says whether the condition of lane i holds.
Number ballot(DeviceBuilder &b, Value condition);

// Asynchronous copies.
/// Copies the first `bytes` of 16 bytes to shared memory, past the L1 cache,
/// and writes zeros for the rest. With 0, the source is not read. Null is 16.
void copyAsync(DeviceBuilder &b, Value shared, Value global, Value bytes);
/// Makes a group of this thread's copies since the last one; it may be empty.
void commitCopies(DeviceBuilder &b);
/// Waits until at most `pending` of this thread's groups are left.
void waitCopies(DeviceBuilder &b, int64_t pending);

// The Tensor Cores.
/// Loads four 8x8 matrices of 16-bit elements; lane i gives the address of row
/// i%8 of matrix i/8. Lane i receives elements i%4*2 and the next of row i/4,
/// with `transpose` of column i/4, as one i32 for each matrix.
SmallVector<Value> loadMatrices(DeviceBuilder &b, Value address,
                                bool transpose);
/// Rounds f32 to tf32, to nearest, ties away from zero; both as an i32.
Value roundToTf32(DeviceBuilder &b, Value word);
/// Adds to a warp's 16x8 sums the product of 16x16 elements of A, rows by K,
/// and 16x8 of B, columns by K. Elements are f16 or bf16, two in an i32; or,
/// half as many along K, tf32.
SmallVector<Value> multiply(DeviceBuilder &b, Type type, ArrayRef<Value> a,
                            ArrayRef<Value> bs, ArrayRef<Value> sums);

// Attributes of a kernel.
void markAsKernel(DeviceBuilder &b, LLVM::LLVMFuncOp func, int64_t threads,
                  int64_t minBlocks);
/// Parameter `arg` is a struct of `count` pointers, which stays where a launch
/// leaves it: no thread copies it.
void markAsTable(DeviceBuilder &b, LLVM::LLVMFuncOp func, unsigned arg,
                 int64_t count);

} // namespace mlir::amp::sm80

#endif // AMP_LIB_KERNELS_DEVICE_SM80INSTRUCTIONS_H
