//===- HostMachine.h - What kernels need to know of a CPU -------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One description of the CPU that a step is compiled for. A step is compiled
// for one: the panels that products are packed into depend on it.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_CONVERSION_HOSTMACHINE_H
#define AMP_CONVERSION_HOSTMACHINE_H

#include "mlir/Support/LLVM.h"

#include <optional>
#include <string>

namespace mlir {
class MLIRContext;
} // namespace mlir

namespace mlir::amp {

/// How products of bf16 by bf16 are computed. Sums are f32 in each.
enum class Bf16Products {
  /// What the machine does fastest.
  Auto,
  /// Panels of f32: bf16 is widened when it is packed.
  Widened,
  /// Panels of bf16, two steps of the sum in a word, multiplied by f32
  /// arithmetic: the next one for CPUs without its instruction.
  Pairs,
  /// The same panels, multiplied by AVX512-BF16's vdpbf16ps. It takes
  /// subnormal numbers as zero.
  Avx512,
  /// Tiles of 16 by 32 of them, multiplied by AMX's tdpbf16ps. It takes
  /// subnormal numbers as zero, and gives zero for them.
  Amx
};

/// How products of f16 by f16 are computed. Sums are f32 in each.
enum class F16Products {
  /// What the machine does fastest.
  Auto,
  /// Panels of f32: f16 is widened when it is packed.
  Widened,
  /// Each operand as the sum of two bf16, which is exact: four products of
  /// tiles (Bf16Products::Amx), a sum of f32. An infinity becomes NaN.
  AmxParts,
  /// Tiles of 16 by 32 of them, multiplied by AMX's tdpfp16ps, which knows
  /// subnormal numbers and infinities.
  Amx
};

struct HostMachine {
  /// Width of the vector registers: 128, 256 or 512.
  unsigned vectorBits = 256;
  /// Auto counts as Widened.
  Bf16Products bf16 = Bf16Products::Widened;
  /// Whether there is vdpbf16ps, faster or not.
  bool hasAvx512Bf16 = false;
  /// How many times as fast as f32 arithmetic it is, where that was measured.
  std::optional<double> measuredBf16Gain;
  /// Auto counts as Widened.
  F16Products f16 = F16Products::Widened;
  /// Whether there is tdpbf16ps, and the system lets this process use it where
  /// the machine is the one that runs it.
  bool hasAmxBf16 = false;
  /// The same of tdpfp16ps.
  bool hasAmxFp16 = false;

  /// The machine that LLVM calls `cpu` ("znver4", "sapphirerapids"), or, for
  /// "native", the one that runs this process, which asks the system for AMX's
  /// tiles first and, where no table has the CPU, measures vdpbf16ps (about a
  /// millisecond, once). Nothing if there is none of that name.
  static std::optional<HostMachine> get(StringRef cpu);

  /// Becomes what passes with options `cpu` and `vector-bits` compile for; an
  /// empty name and a zero change nothing. Fails with a diagnostic for a CPU
  /// that nobody knows and for vectors that no CPU has.
  LogicalResult choose(MLIRContext *context, StringRef cpu,
                       unsigned vectorBits);

  /// Multiplies bf16 by vdpbf16ps where it is that many times as fast as f32
  /// arithmetic, as measureBf16Gain measures it, and remembers that it was
  /// measured.
  void chooseByGain(double gain);

  /// Multiplies halves as it is asked to, where that is not Auto.
  void setProducts(Bf16Products ofBf16, F16Products ofF16);

  /// Uses vectors of so many bits, and of instructions those that are left.
  void setVectorBits(unsigned bits);

  /// Such as "vectors of 512 bits, bf16 by vdpbf16ps, f16 widened to f32".
  std::string describe() const;
};

} // namespace mlir::amp

#endif // AMP_CONVERSION_HOSTMACHINE_H
