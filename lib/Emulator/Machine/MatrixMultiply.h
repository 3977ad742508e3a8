//===- MatrixMultiply.h - The arithmetic of Tensor Core operations -*- C++
//-*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// D = A * B + C on dense tiles. Products of the 8- and 16-bit formats are exact
// in f32; sums are plain f32 in the order of k. Hardware truncates instead of
// rounding and keeps fewer bits for 8-bit inputs, so results agree exactly only
// where every partial sum is exact.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_LIB_EMULATOR_MACHINE_MATRIXMULTIPLY_H
#define AMP_LIB_EMULATOR_MACHINE_MATRIXMULTIPLY_H

#include <cstdint>

namespace amp::emu {

/// d[i][j] += sum over k of a[i][k] * b[k][j]; rows lie together.
void multiplyTile(const float *a, const float *b, float *d, int m, int n,
                  int k);

} // namespace amp::emu

#endif // AMP_LIB_EMULATOR_MACHINE_MATRIXMULTIPLY_H
