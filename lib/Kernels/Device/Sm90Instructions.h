//===- Sm90Instructions.h - Instructions of Hopper --------------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The same as Sm80Instructions.h for what came with sm_90: clusters, barriers
// in shared memory, the copy engine and wgmma.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_LIB_KERNELS_DEVICE_SM90INSTRUCTIONS_H
#define AMP_LIB_KERNELS_DEVICE_SM90INSTRUCTIONS_H

#include "Sm80Instructions.h"

namespace mlir::amp::sm90 {

using namespace sm80;

Number rankInCluster(DeviceBuilder &b);
/// By all threads of a warp. ptxas knows the number to be the same in all of
/// them, as that of thread / 128 it need not.
Number warpgroupId(DeviceBuilder &b);
/// Lanes of a warp may come one after the other.
void clusterBarrier(DeviceBuilder &b);
/// All lanes of each warp come together. Nothing is handed on but barriers
/// whose initialisation is fenced, so that no fence of the whole GPU is needed.
void clusterBarrierAfterInit(DeviceBuilder &b);

// Barriers in shared memory, which count arrivals and bytes.
void initBarrier(DeviceBuilder &b, Value barrier, int64_t arrivals);
/// Makes the initialisation visible to the copy engine and to the cluster.
void fenceBarrierInit(DeviceBuilder &b);
void arrive(DeviceBuilder &b, Value barrier);
/// Arrives at the barrier at the same address in block `rank` of the cluster.
/// What the thread waited for in the copy engine and in wgmma is over then; its
/// own stores need not be seen there, since for that ptxas would put a fence of
/// the whole GPU before each arrival.
void arriveAt(DeviceBuilder &b, Value barrier, Number rank);
void arriveAndExpect(DeviceBuilder &b, Value barrier, int64_t bytes);
/// Expects bytes without an arrival.
void expect(DeviceBuilder &b, Value barrier, int64_t bytes);
/// Waits until the phase of the given parity is complete.
void wait(DeviceBuilder &b, Value barrier, Number parity);

// The copy engine.
/// Loads a box at `coordinates`, innermost first, into this block, or with a
/// mask into the same place in several blocks of the cluster.
void loadBox(DeviceBuilder &b, Value shared, Value map,
             ArrayRef<Value> coordinates, Value barrier, Value multicast);
/// Gathers pixels by an im2col map from the first one at `coordinates` on, each
/// `offsets` (of its columns, then rows) away.
void loadPixels(DeviceBuilder &b, Value shared, Value map,
                ArrayRef<Value> coordinates, ArrayRef<Number> offsets,
                Value barrier, Value multicast);
void storeBox(DeviceBuilder &b, Value map, Value shared,
              ArrayRef<Value> coordinates);
void commitStores(DeviceBuilder &b);
/// Waits until at most `pending` groups of stores are left: with `read` until
/// their source may be overwritten, else until they are complete.
void waitStores(DeviceBuilder &b, int64_t pending, bool read);
/// Orders ordinary accesses to shared memory before those of the copy engine
/// and of wgmma.
void fenceForAsyncProxy(DeviceBuilder &b);

// The Tensor Cores.
struct WgmmaShape {
  int64_t n, k;
  Type a, b;
  /// The operand is stored with M or N innermost, not K.
  bool transposeA, transposeB;
};
/// The type of a warpgroup's 64 x n accumulators: n/2 numbers in each thread.
Type accumulatorType(DeviceBuilder &b, int64_t n);
void wgmmaFence(DeviceBuilder &b);
Value wgmma(DeviceBuilder &b, const WgmmaShape &shape, Value descriptorA,
            Value descriptorB, Value accumulators);
void wgmmaCommit(DeviceBuilder &b);
void wgmmaWait(DeviceBuilder &b, int64_t pending);

/// Stores four 8x8 matrices of 16-bit elements; lane i gives the address of row
/// i%8 of matrix i/8.
void storeMatrices(DeviceBuilder &b, Value address, ArrayRef<Value> registers);

void decreaseRegisters(DeviceBuilder &b, int64_t count);
void increaseRegisters(DeviceBuilder &b, int64_t count);

// Attributes of a kernel and of its parameters.
/// Beside what sm80::markAsKernel sets; `cluster` is more than 1.
void markAsCluster(DeviceBuilder &b, LLVM::LLVMFuncOp func, int64_t cluster);
/// A tensor map is passed by value, 128 bytes in the parameter space.
void markAsTensorMap(DeviceBuilder &b, LLVM::LLVMFuncOp func, unsigned arg);

} // namespace mlir::amp::sm90

#endif // AMP_LIB_KERNELS_DEVICE_SM90INSTRUCTIONS_H
