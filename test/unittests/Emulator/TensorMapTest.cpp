//===- TensorMapTest.cpp - Tensor maps against the rules of the driver and the
// PTX manual -===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tiles at the edges of a tensor, im2col windows, swizzles, and what a
// descriptor may not be.
//
//===----------------------------------------------------------------------===//

#include "amp/Emulator/TensorMap.h"

#include <gtest/gtest.h>

using namespace amp::emu;

namespace {

// A row that begins left of the tensor has an address before it.
alignas(16) char arena[1 << 16];
char *const memory = arena + 1024;

TensorMap makeMatrix() {
  TensorMap map;
  map.base = memory;
  map.sizes[0] = 40; // columns
  map.sizes[1] = 10; // rows
  map.strides[0] = 2;
  map.strides[1] = 80;
  map.box[0] = 32;
  map.box[1] = 4;
  return map;
}

TEST(TensorMap, TileAtTheEdge) {
  TensorMap map = makeMatrix();
  ASSERT_EQ(map.validate(), nullptr);
  EXPECT_EQ(map.getTileBytes(), 32 * 4 * 2);
  int first, last;
  int32_t at[] = {16, 8};
  EXPECT_EQ(map.getRow(0, at, nullptr, first, last), memory + 8 * 80 + 32);
  EXPECT_EQ(first, 0);
  EXPECT_EQ(last, 24);
  EXPECT_EQ(map.getRow(2, at, nullptr, first, last), nullptr);
  int32_t before[] = {-8, -1};
  EXPECT_EQ(map.getRow(0, before, nullptr, first, last), nullptr);
  EXPECT_EQ(map.getRow(1, before, nullptr, first, last), memory - 16);
  EXPECT_EQ(first, 8);
  EXPECT_EQ(last, 32);
}

/// NHWC 1x4x4x8 with a 3x3 filter, padding 1: pixel 0 of window position (0,0)
/// is (-1,-1), which is outside; its centre, offset (1,1), is (0,0).
TEST(TensorMap, Im2col) {
  TensorMap map;
  map.base = memory;
  map.rank = 4;
  map.im2col = true;
  int64_t sizes[] = {8, 4, 4, 2};
  map.strides[0] = 2;
  for (int d = 0; d < 4; ++d) {
    map.sizes[d] = sizes[d];
    if (d)
      map.strides[d] = map.strides[d - 1] * sizes[d - 1];
  }
  map.strides[1] = 16;
  map.strides[2] = 64;
  map.strides[3] = 256;
  map.lower[0] = map.lower[1] = -1;
  map.upper[0] = map.upper[1] = -1; // padding - (filter - 1)
  map.channels = 8;
  map.pixels = 16;
  ASSERT_EQ(map.validate(), nullptr);
  int32_t at[] = {0, -1, -1, 0};
  uint16_t corner[] = {0, 0}, centre[] = {1, 1};
  int first, last;
  EXPECT_EQ(map.getRow(0, at, corner, first, last), nullptr);
  for (int pixel = 0; pixel < 16; ++pixel)
    EXPECT_EQ(map.getRow(pixel, at, centre, first, last), memory + pixel * 16);
  // Pixel 16 is the first of the next image.
  EXPECT_EQ(map.getRow(16, at, centre, first, last), memory + 256);
  // Stride 2 takes every other pixel.
  map.stepSizes[1] = map.stepSizes[2] = 2;
  EXPECT_EQ(map.getRow(1, at, centre, first, last), memory + 32);
  EXPECT_EQ(map.getRow(2, at, centre, first, last), memory + 128);
}

TEST(TensorMap, Refusals) {
  TensorMap map = makeMatrix();
  map.strides[1] = 82;
  EXPECT_STREQ(map.validate(),
               "expected the strides of a tensor map to be multiples of 16 "
               "below 2^40");
  map = makeMatrix();
  map.box[1] = 257;
  EXPECT_STREQ(map.validate(), "expected the box of a tensor map to be from 1 "
                               "to 256 in each dimension");
  map = makeMatrix();
  map.box[0] = 4;
  EXPECT_STREQ(map.validate(),
               "expected the rows of a tile to be multiples of 16 bytes");
  map = makeMatrix();
  map.swizzle = 32;
  EXPECT_STREQ(map.validate(),
               "expected the rows of a tile to fit into the swizzle");
  map.swizzle = 64;
  EXPECT_EQ(map.validate(), nullptr);
  EXPECT_STREQ(map.validateTile(128),
               "expected a swizzled tile at a multiple of 8 of its rows");
}

/// The manual's figures: chunk index xor row, in groups of the swizzle.
TEST(TensorMap, Swizzle) {
  EXPECT_EQ(swizzleOffset(128, 128), 128u + 16);
  EXPECT_EQ(swizzleOffset(7 * 128 + 16, 128), 7u * 128 + 6 * 16);
  EXPECT_EQ(swizzleOffset(128, 64), 128u + 16);
  EXPECT_EQ(swizzleOffset(256, 32), 256u);
  EXPECT_EQ(swizzleOffset(128, 32), 128u + 16);
  EXPECT_EQ(swizzleOffset(128, 0), 128u);
}

TEST(TensorMap, NeedsAnAlignedAddress) {
  TensorMap map = makeMatrix();
  map.base += 8;
  EXPECT_STREQ(map.validate(),
               "expected the address of a tensor map to be a multiple of 16");
}

} // namespace
