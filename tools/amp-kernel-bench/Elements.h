//===-- Elements.h - Numbers in the types of kernels -*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef AMP_TOOLS_AMP_KERNEL_BENCH_ELEMENTS_H
#define AMP_TOOLS_AMP_KERNEL_BENCH_ELEMENTS_H

#include <cstdint>
#include <string>

namespace amp::bench {

/// TF32 lies in memory as f32; Tensor Cores use 10 bits of its mantissa.
enum class Type { F16, BF16, F32, F8E4M3FN, F8E5M2, TF32 };

/// "f16", "bf16", "f32", "f8E4M3FN", "f8E5M2", "tf32"; false for another text.
bool parseType(const std::string &text, Type &type);
const char *typeName(Type type);
int64_t typeBytes(Type type);
inline bool isByte(Type type) { return typeBytes(type) == 1; }

/// The element's bits, rounded to nearest, ties to even. What is too large
/// becomes infinite, or NaN where the type has no infinities.
uint32_t encode(Type type, double value);
double decode(Type type, uint32_t bits);

inline void store(void *memory, Type type, int64_t index, uint32_t bits) {
  switch (typeBytes(type)) {
  case 1:
    static_cast<uint8_t *>(memory)[index] = static_cast<uint8_t>(bits);
    break;
  case 2:
    static_cast<uint16_t *>(memory)[index] = static_cast<uint16_t>(bits);
    break;
  default:
    static_cast<uint32_t *>(memory)[index] = bits;
  }
}

inline uint32_t load(const void *memory, Type type, int64_t index) {
  switch (typeBytes(type)) {
  case 1:
    return static_cast<const uint8_t *>(memory)[index];
  case 2:
    return static_cast<const uint16_t *>(memory)[index];
  default:
    return static_cast<const uint32_t *>(memory)[index];
  }
}

} // namespace amp::bench

#endif // AMP_TOOLS_AMP_KERNEL_BENCH_ELEMENTS_H
