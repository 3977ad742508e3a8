//===- MatrixDescriptorTest.cpp - Matrix descriptors against the PTX manual
//-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Fields at the bits that the manual gives; addresses against the layouts of
// its "Strides" section, a chunk of 16 bytes at a time.
//
//===----------------------------------------------------------------------===//

#include "MatrixDescriptor.h"

#include <gtest/gtest.h>

using namespace amp::emu;

namespace {

uint64_t encode(uint32_t start, uint32_t leading, uint32_t stride,
                uint64_t swizzle) {
  return start >> 4 | uint64_t(leading >> 4) << 16 |
         uint64_t(stride >> 4) << 32 | swizzle << 62;
}

TEST(MatrixDescriptor, Fields) {
  MatrixDescriptor d = MatrixDescriptor::decode(encode(0x2400, 4096, 1024, 1));
  EXPECT_EQ(d.start, 0x2400u);
  EXPECT_EQ(d.leading, 4096u);
  EXPECT_EQ(d.stride, 1024u);
  EXPECT_EQ(d.swizzle, 128);
  EXPECT_EQ(d.baseOffset, 0);
  EXPECT_EQ(MatrixDescriptor::decode(2ull << 62).swizzle, 64);
  EXPECT_EQ(MatrixDescriptor::decode(3ull << 62).swizzle, 32);
  EXPECT_EQ(MatrixDescriptor::decode(0).swizzle, 0);
  EXPECT_EQ(MatrixDescriptor::decode(5ull << 49).baseOffset, 5);
}

/// Core matrices of 8 rows of 16 bytes; K-major: leading along K, stride along
/// M or N.
TEST(MatrixDescriptor, KMajorWithoutSwizzle) {
  MatrixDescriptor d = MatrixDescriptor::decode(encode(0, 128, 256, 0));
  EXPECT_EQ(d.locate(0, 0, 2, false), 0u);
  EXPECT_EQ(d.locate(1, 0, 2, false), 16u);
  EXPECT_EQ(d.locate(0, 8, 2, false), 128u);
  EXPECT_EQ(d.locate(8, 0, 2, false), 256u);
  EXPECT_EQ(d.locate(9, 9, 2, false), 256u + 16 + 128 + 2);
}

/// Rows of the swizzle's width; chunk c of row r lies at c ^ (r % 8) for 128
/// bytes, c ^ (r / 2 % 4) for 64 and c ^ (r / 4 % 2) for 32.
TEST(MatrixDescriptor, KMajorSwizzled) {
  struct {
    uint64_t code;
    int width, rowsPerStep;
  } modes[] = {{1, 128, 1}, {2, 64, 2}, {3, 32, 4}};
  for (auto mode : modes) {
    uint32_t stride = 8 * mode.width;
    MatrixDescriptor d =
        MatrixDescriptor::decode(encode(0x4000, 16, stride, mode.code));
    int chunks = mode.width / 16;
    for (int row = 0; row < 64; ++row)
      for (int c = 0; c < chunks; ++c) {
        int moved = c ^ (row / mode.rowsPerStep % chunks);
        EXPECT_EQ(d.locate(row, c * 8, 2, false),
                  0x4000u + row * mode.width + moved * 16)
            << mode.width << " row " << row << " chunk " << c;
      }
  }
}

/// Panels of the swizzle's width along M or N, `leading` apart; 8 k rows each,
/// `stride` apart.
TEST(MatrixDescriptor, MNMajorSwizzled) {
  MatrixDescriptor d = MatrixDescriptor::decode(encode(0, 8192, 1024, 1));
  EXPECT_EQ(d.locate(0, 0, 2, true), 0u);
  EXPECT_EQ(d.locate(8, 0, 2, true), 16u);
  EXPECT_EQ(d.locate(0, 1, 2, true), 128u + 16);
  EXPECT_EQ(d.locate(8, 1, 2, true), 128u);
  EXPECT_EQ(d.locate(0, 8, 2, true), 1024u);
  EXPECT_EQ(d.locate(64, 0, 2, true), 8192u);
}

} // namespace
