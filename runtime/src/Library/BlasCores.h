//===-- BlasCores.h - Which kernels of OpenBLAS fit which CPU ---*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef AMP_RT_SRC_LIBRARY_BLASCORES_H
#define AMP_RT_SRC_LIBRARY_BLASCORES_H

#include <cstddef>

namespace amp::rt {

/// CPUs by what decides the speed of a matrix product on them: the vectors that
/// they multiply and add.
enum class CpuClass {
  /// Of another architecture than x86-64.
  Other,
  Sse,
  Avx,
  /// With FMA.
  Avx2,
  /// AVX-512 in two halves, no faster than AVX2: Zen 4.
  Avx512InHalves,
  Avx512
};

/// The class of the CPU that this process runs on, as far as the operating
/// system lets it be used.
CpuClass detectCpuClass();

/// For people, e.g. "AVX2".
const char *getCpuClassName(CpuClass cpu);

/// Whether the kernels that OpenBLAS names `core` use what such a CPU has, and
/// nothing that it has not. Upper and lower case are the same.
bool doesCoreFit(const char *core, CpuClass cpu);

/// Writes the cores that fit, e.g. "'Haswell' or 'Zen'".
void listFittingCores(CpuClass cpu, char *text, size_t size);

} // namespace amp::rt

#endif // AMP_RT_SRC_LIBRARY_BLASCORES_H
