//===-- OneDnnRatios.h - Where oneDNN was measured to win -------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef AMP_RT_SRC_LIBRARY_ONEDNNRATIOS_H
#define AMP_RT_SRC_LIBRARY_ONEDNNRATIOS_H

#include "Library/BlasCores.h"

#include <cstddef>
#include <cstdint>

namespace amp::rt {

/// The inputs of a product, whose result is f32.
enum class ProductType { F32, Bf16 };

/// Products of one class, measured with oneDNN and with what would compute them
/// otherwise.
struct OneDnnRatio {
  CpuClass cpu;
  /// The version of oneDNN.
  int major;
  ProductType type;
  /// Multiplications from which products are of this class, up to the next one.
  int64_t fromWork;
  /// The others' time divided by oneDNN's: above 1, oneDNN wins.
  double ratio;
  /// How far from 1 a ratio is that says nothing: that of the same code, of the
  /// same products, measured beside itself.
  double noise;

  bool isWon() const {
    return ratio > 1 + (noise > kLeastGain ? noise : kLeastGain);
  }

  /// What a gain has to be above, too: a run that takes oneDNN gives up the
  /// OpenBLAS that it would have had, which is up to a fifth faster below the
  /// threshold, and a class's ratio differs by some hundredths from one run of
  /// the measurement to the next.
  static constexpr double kLeastGain = 0.10;
};

struct OneDnnRatios {
  const OneDnnRatio *rows;
  size_t count;
};

/// What OneDnnRatios.def holds.
OneDnnRatios getStoredRatios();

/// Multiplications from which oneDNN wins: in that class of products and in all
/// larger ones. AMP_RT_BLAS_NEVER if it does not win in the largest.
int64_t getWonWork(OneDnnRatios ratios, CpuClass cpu, int major,
                   ProductType type);

/// Whether a oneDNN of any version wins anything on such a CPU.
bool isAnythingWon(OneDnnRatios ratios, CpuClass cpu);

/// Writes what was measured for people, as a sentence without its subject.
void describeRatios(OneDnnRatios ratios, CpuClass cpu, int major, char *text,
                    size_t size);

} // namespace amp::rt

#endif // AMP_RT_SRC_LIBRARY_ONEDNNRATIOS_H
