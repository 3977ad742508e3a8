//===-- CpuFeatures.cpp - What this CPU can do ----------------------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A table of the bits of CPUID (Intel's manual, volume 2A, CPUID; AMD's, volume
// 3, appendix E) by LLVM's names, and of the registers that the system has to
// keep for them (XCR0, volume 1, 13.3). The CPU is asked once; for tiles, Linux
// is, once somebody wants them.
//
//===----------------------------------------------------------------------===//

#include "amp-rt/Cpu.h"

#include <cstring>

#ifdef __x86_64__
#include <cpuid.h>
#endif
#if defined(__linux__) && defined(__x86_64__)
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace {
enum class Register { Eax, Ebx, Ecx, Edx };

/// Bits of XCR0.
enum Kept : uint64_t {
  Any = 0,
  Ymm = 0x6,         // and what they extend
  Zmm = Ymm | 0xe0,  // masks, upper halves, registers from 16 on
  Tiles = 0x3 << 17, // configuration and data
};

struct Feature {
  const char *name;
  uint32_t leaf, subleaf;
  Register where;
  uint32_t bit;
  Kept kept;
};
} // namespace

/// A feature's number is its place: rows are only ever added at the end.
static constexpr Feature kFeatures[] = {
    {"sse3", 1, 0, Register::Ecx, 0, Any},
    {"ssse3", 1, 0, Register::Ecx, 9, Any},
    {"fma", 1, 0, Register::Ecx, 12, Ymm},
    {"cx16", 1, 0, Register::Ecx, 13, Any},
    {"sse4.1", 1, 0, Register::Ecx, 19, Any},
    {"sse4.2", 1, 0, Register::Ecx, 20, Any},
    {"movbe", 1, 0, Register::Ecx, 22, Any},
    {"popcnt", 1, 0, Register::Ecx, 23, Any},
    {"avx", 1, 0, Register::Ecx, 28, Ymm},
    {"f16c", 1, 0, Register::Ecx, 29, Ymm},
    {"sahf", 0x80000001, 0, Register::Ecx, 0, Any},
    {"lzcnt", 0x80000001, 0, Register::Ecx, 5, Any},
    {"sse4a", 0x80000001, 0, Register::Ecx, 6, Any},
    {"prfchw", 0x80000001, 0, Register::Ecx, 8, Any},
    {"xop", 0x80000001, 0, Register::Ecx, 11, Ymm},
    {"fma4", 0x80000001, 0, Register::Ecx, 16, Ymm},
    {"tbm", 0x80000001, 0, Register::Ecx, 21, Any},
    {"bmi", 7, 0, Register::Ebx, 3, Any},
    {"avx2", 7, 0, Register::Ebx, 5, Ymm},
    {"bmi2", 7, 0, Register::Ebx, 8, Any},
    {"avx512f", 7, 0, Register::Ebx, 16, Zmm},
    {"avx512dq", 7, 0, Register::Ebx, 17, Zmm},
    {"avx512ifma", 7, 0, Register::Ebx, 21, Zmm},
    {"avx512cd", 7, 0, Register::Ebx, 28, Zmm},
    {"avx512bw", 7, 0, Register::Ebx, 30, Zmm},
    {"avx512vl", 7, 0, Register::Ebx, 31, Zmm},
    {"avx512vbmi", 7, 0, Register::Ecx, 1, Zmm},
    {"avx512vbmi2", 7, 0, Register::Ecx, 6, Zmm},
    {"gfni", 7, 0, Register::Ecx, 8, Any},
    {"avx512vnni", 7, 0, Register::Ecx, 11, Zmm},
    {"avx512bitalg", 7, 0, Register::Ecx, 12, Zmm},
    {"avx512vpopcntdq", 7, 0, Register::Ecx, 14, Zmm},
    {"amx-bf16", 7, 0, Register::Edx, 22, Tiles},
    {"avx512fp16", 7, 0, Register::Edx, 23, Zmm},
    {"amx-tile", 7, 0, Register::Edx, 24, Tiles},
    {"avxvnni", 7, 1, Register::Eax, 4, Ymm},
    {"avx512bf16", 7, 1, Register::Eax, 5, Zmm},
    {"amx-fp16", 7, 1, Register::Eax, 21, Tiles},
    {"avxifma", 7, 1, Register::Eax, 23, Ymm},
    {"avxvnniint8", 7, 1, Register::Edx, 4, Ymm},
    {"avxneconvert", 7, 1, Register::Edx, 5, Ymm},
    {"avxvnniint16", 7, 1, Register::Edx, 10, Ymm},
    {"raoint", 7, 1, Register::Eax, 3, Any},
    {"cmpccxadd", 7, 1, Register::Eax, 7, Any},
};
static constexpr int32_t kNumFeatures = sizeof(kFeatures) / sizeof(*kFeatures);
static_assert(kNumFeatures <= 64, "a feature is a bit of 64");

int32_t ampRtCpuFindFeature(const char *name) {
  for (int32_t number = 0; name && number < kNumFeatures; ++number)
    if (!std::strcmp(kFeatures[number].name, name))
      return number;
  return -1;
}

const char *ampRtCpuFeatureName(int32_t number) {
  return number >= 0 && number < kNumFeatures ? kFeatures[number].name
                                              : nullptr;
}

#ifdef __x86_64__

/// The registers that the system keeps when threads take turns.
static uint64_t getKeptRegisters() {
  uint32_t a, b, c, d;
  constexpr uint32_t kOsXsave = 1 << 27;
  if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & kOsXsave))
    return 0;
  uint32_t low, high;
  __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return static_cast<uint64_t>(high) << 32 | low;
}

static bool hasFeature(const Feature &feature, uint64_t kept) {
  uint32_t registers[4];
  if (!__get_cpuid_count(feature.leaf, feature.subleaf, &registers[0],
                         &registers[1], &registers[2], &registers[3]))
    return false;
  uint32_t found = registers[static_cast<int>(feature.where)];
  return found >> feature.bit & 1 && (kept & feature.kept) == feature.kept;
}

static uint64_t findFeatures() {
  const uint64_t kept = getKeptRegisters();
  uint64_t features = 0;
  for (int32_t number = 0; number < kNumFeatures; ++number)
    if (hasFeature(kFeatures[number], kept))
      features |= uint64_t(1) << number;
  return features;
}

#else
static uint64_t findFeatures() { return 0; }
#endif

/// Asks the system for AMX's tiles, for all threads of this process.
static bool requestTiles() {
#if defined(__linux__) && defined(__x86_64__)
  constexpr int kRequestPermission = 0x1023; // ARCH_REQ_XCOMP_PERM
  constexpr int kTileData = 18;              // XFEATURE_XTILEDATA
  return syscall(SYS_arch_prctl, kRequestPermission, kTileData) == 0;
#else
  return false;
#endif
}

/// All features that need tiles.
static constexpr uint64_t getTileFeatures() {
  uint64_t features = 0;
  for (int32_t number = 0; number < kNumFeatures; ++number)
    if (kFeatures[number].kept == Tiles)
      features |= uint64_t(1) << number;
  return features;
}

uint64_t ampRtCpuGetFeatures(uint64_t wanted) {
  static const uint64_t found = findFeatures();
  constexpr uint64_t kTileFeatures = getTileFeatures();
  const uint64_t features = found & wanted;
  if (!(features & kTileFeatures))
    return features;
  static const bool hasTiles = requestTiles();
  return hasTiles ? features : features & ~kTileFeatures;
}
