//===- Chip.h - What is known of a chip -------------------------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One table of the chips that kernels are made for. A row says what kernels may
// use of a chip, how much of it there is, and how fast it is. Rules, emitters,
// the cost model and the fusion plan read it, and nothing else in the compiler
// knows a chip's name: a new chip is a new row. docs/Rationale/Kernels.md has
// the origin of each number.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_KERNELS_CHIP_H
#define AMP_KERNELS_CHIP_H

#include "mlir/IR/Diagnostics.h"
#include "mlir/Support/LLVM.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace mlir::amp {

struct FusionTarget;

/// What a block and a multiprocessor have.
struct ChipLimits {
  /// Bytes of shared memory that a block may use at most.
  int64_t sharedMemory;
  /// Registers of 4 bytes of a multiprocessor.
  int64_t registers;
  /// Bytes that the caches and memory hand out at least.
  int64_t sectorBytes;
};

/// A product with a chip: what one of its multiprocessors does in a cycle at
/// most, and all of it in a second. An expectation: other products with the
/// chip have more multiprocessors or fewer, and a launch asks the device.
struct ChipRates {
  StringRef product;
  int64_t multiprocessors;
  /// Cycles in a second at the highest sustained clock.
  double clock;
  /// Floating-point operations in a cycle: products of f16 or bf16 with f32
  /// sums, of 8-bit floats (0 if there are none), and f32 without Tensor Cores.
  double half, eight, plain;
  /// Of the Tensor Cores' rate, what mma.sync reaches.
  double warpShare;
  /// Bytes in a second from memory, and bytes in a cycle from the L2 cache to
  /// all multiprocessors.
  double memory, l2;
  /// Bytes that the L2 cache holds.
  double l2Bytes;
};

struct Chip {
  /// What a kernel may be made of.
  enum Feature : unsigned {
    WarpProducts = 1 << 0,      ///< mma.sync
    AsyncCopies = 1 << 1,       ///< cp.async
    CopyEngine = 1 << 2,        ///< TMA, and barriers that count its bytes
    Clusters = 1 << 3,          ///< blocks that reach each other's memory
    WarpgroupProducts = 1 << 4, ///< wgmma
  };

  /// As compilers know it: its compute capability, and whether code may use
  /// what is of this chip alone.
  StringRef name;
  /// Another chip of the table whose kernels run on this one too, for operands
  /// that its own kernels do not take; or empty.
  StringRef earlier;
  /// Bits of Feature. Which of them a kernel uses, its schedule says.
  unsigned features;
  ChipLimits limits;
  ChipRates rates;

  bool has(unsigned needed) const { return (features & needed) == needed; }
};

/// The chips that kernels are made for.
ArrayRef<Chip> getChips();
/// Null if no kernel is made for it.
const Chip *getChip(StringRef name);
/// The same for an option `chip`: the diagnostic says which chips there are.
const Chip *readChip(StringRef name,
                     function_ref<InFlightDiagnostic()> emitError);

/// The chip as the fusion plan sees it (amp/Fusion/FusionPlan.h): what a
/// multiprocessor can hold, and what our kernels do with a product.
FusionTarget getFusionTarget(const Chip &chip);

} // namespace mlir::amp

#endif // AMP_KERNELS_CHIP_H
