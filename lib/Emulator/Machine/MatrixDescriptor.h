//===- MatrixDescriptor.h - Shared-memory operands of wgmma -----*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The 64-bit matrix descriptor and where it puts the elements of an operand
// ("Matrix Descriptor Format" and "Strides" in the PTX manual's chapter on
// wgmma). Fields are in units of 16 bytes.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_LIB_EMULATOR_MACHINE_MATRIXDESCRIPTOR_H
#define AMP_LIB_EMULATOR_MACHINE_MATRIXDESCRIPTOR_H

#include <cstdint>

namespace amp::emu {

struct MatrixDescriptor {
  uint32_t start;   // bytes, 18 bits
  uint32_t leading; // bytes, "leading dimension byte offset"
  uint32_t stride;  // bytes, "stride dimension byte offset"
  int baseOffset;   // of a pattern that does not begin at its alignment
  int swizzle;      // 0, 32, 64, 128

  static MatrixDescriptor decode(uint64_t bits);

  /// Offset in shared memory of element (mn, k) of an operand with elements of
  /// `bytes`. Rows of 8 lie together in every layout:
  ///   K-major: 8 rows of mn, each with `swizzle` bytes of k (16 without);
  ///     `stride` from one group of 8 rows to the next; without a swizzle,
  ///     `leading` from one 16 bytes of k to the next.
  ///   MN-major: 8 rows of k, each with `swizzle` bytes of mn; `stride` from
  ///     one group of 8 k to the next, `leading` from one panel of mn to the
  ///     next. Without a swizzle the two change places.
  uint32_t locate(int mn, int k, int bytes, bool mnMajor) const;
};

} // namespace amp::emu

#endif // AMP_LIB_EMULATOR_MACHINE_MATRIXDESCRIPTOR_H
