//===-- BlasCores.cpp - Which kernels of OpenBLAS fit which CPU -----------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// OpenBLAS holds kernels for many CPUs and chooses when it is loaded, by the
// CPU's family and model. One that it has not heard of gets the oldest: 0.3.21
// takes a Sapphire Rapids for a Prescott of 2004, and multiplies at a third of
// the speed of our own kernels. The name of its choice tells.
//
//===----------------------------------------------------------------------===//

#include "Library/BlasCores.h"

#include <cstdio>
#include <strings.h>

using namespace amp::rt;

namespace {
/// A class of CPUs and the cores, as openblas_get_corename() spells them, whose
/// sgemm is written for its vectors.
struct CoreRow {
  CpuClass cpu;
  const char *name;
  const char *cores[8];
};
} // namespace

static const CoreRow coreTable[] = {
    {CpuClass::Avx512, "AVX-512", {"SkylakeX", "Cooperlake", "SapphireRapids"}},
    {CpuClass::Avx512InHalves,
     "AVX-512 in halves of 256 bits",
     {"Zen", "Haswell", "SkylakeX", "Cooperlake", "SapphireRapids"}},
    {CpuClass::Avx2, "AVX2", {"Haswell", "Zen"}},
    {CpuClass::Avx,
     "AVX",
     {"Sandybridge", "Bulldozer", "Piledriver", "Steamroller", "Excavator"}},
    {CpuClass::Sse,
     "SSE",
     {"Core2", "Penryn", "Dunnington", "Nehalem", "Opteron", "Opteron_SSE3",
      "Barcelona", "Bobcat"}},
    // What OpenBLAS knows of other architectures is not ours to judge.
    {CpuClass::Other, "not x86-64", {}},
};

static const CoreRow &getRow(CpuClass cpu) {
  for (const CoreRow &row : coreTable)
    if (row.cpu == cpu)
      return row;
  __builtin_unreachable();
}

CpuClass amp::rt::detectCpuClass() {
#ifdef __x86_64__
  __builtin_cpu_init();
  bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  // What -march=skylake-avx512 has, and the kernels of that name use.
  bool avx512 = avx2 && __builtin_cpu_supports("avx512f") &&
                __builtin_cpu_supports("avx512cd") &&
                __builtin_cpu_supports("avx512bw") &&
                __builtin_cpu_supports("avx512dq") &&
                __builtin_cpu_supports("avx512vl");
  // Zen 3 and Zen 4 are of one family; only the latter has AVX-512.
  if (avx512)
    return __builtin_cpu_is("amdfam19h") ? CpuClass::Avx512InHalves
                                         : CpuClass::Avx512;
  if (avx2)
    return CpuClass::Avx2;
  return __builtin_cpu_supports("avx") ? CpuClass::Avx : CpuClass::Sse;
#else
  return CpuClass::Other;
#endif
}

const char *amp::rt::getCpuClassName(CpuClass cpu) { return getRow(cpu).name; }

bool amp::rt::doesCoreFit(const char *core, CpuClass cpu) {
  if (cpu == CpuClass::Other)
    return true;
  for (const char *name : getRow(cpu).cores)
    if (name && strcasecmp(name, core) == 0)
      return true;
  return false;
}

void amp::rt::listFittingCores(CpuClass cpu, char *text, size_t size) {
  const CoreRow &row = getRow(cpu);
  int count = 0, known = 0;
  for (const char *name : row.cores)
    known += name != nullptr;
  size_t length = 0;
  text[0] = 0;
  for (const char *name : row.cores) {
    if (!name || length >= size)
      break;
    const char *separator = count == 0           ? ""
                            : count + 1 == known ? " or "
                                                 : ", ";
    length +=
        std::snprintf(text + length, size - length, "%s'%s'", separator, name);
    ++count;
  }
}
