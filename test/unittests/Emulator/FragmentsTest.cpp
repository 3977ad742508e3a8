//===- FragmentsTest.cpp - Fragment layouts against the PTX manual --------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The formulas are those of "Matrix Fragments for mma.m16n8k..." and "Register
// Fragments" of wgmma in the PTX manual, written down case by case as it has
// them; the model uses one rule for all.
//
//===----------------------------------------------------------------------===//

#include "Fragments.h"

#include <gtest/gtest.h>

using namespace amp::emu;

namespace {

/// The manual's "a_i where ..." for A: row and column of element i.
struct ManualA {
  int k, perRegister, count;
  int (*row)(int group, int i);
  int (*column)(int thread, int i);
};

const ManualA manualA[] = {
    // .f16/.bf16, m16n8k8: a0..a3.
    {8, 2, 4, [](int g, int i) { return i < 2 ? g : g + 8; },
     [](int t, int i) { return t * 2 + (i & 1); }},
    // .f16/.bf16, m16n8k16: a0..a7.
    {16, 2, 8,
     [](int g, int i) {
       return (0 <= i && i < 2) || (4 <= i && i < 6) ? g : g + 8;
     },
     [](int t, int i) {
       return i < 4 ? t * 2 + (i & 1) : t * 2 + (i & 1) + 8;
     }},
    // .tf32, m16n8k4: a0, a1.
    {4, 1, 2, [](int g, int i) { return i == 0 ? g : g + 8; },
     [](int t, int) { return t; }},
    // .tf32, m16n8k8: a0..a3.
    {8, 1, 4, [](int g, int i) { return i == 0 || i == 2 ? g : g + 8; },
     [](int t, int i) { return i < 2 ? t : t + 4; }},
    // .s8/.u8, m16n8k16: a0..a7.
    {16, 4, 8, [](int g, int i) { return i < 4 ? g : g + 8; },
     [](int t, int i) { return t * 4 + (i & 3); }},
    // .s8/.u8/.e4m3/.e5m2, m16n8k32: a0..a15.
    {32, 4, 16,
     [](int g, int i) { return i < 4 || (8 <= i && i < 12) ? g : g + 8; },
     [](int t, int i) {
       return i < 8 ? t * 4 + (i & 3) : t * 4 + (i & 3) + 16;
     }},
};

TEST(Fragments, AOfEveryShape) {
  for (const ManualA &m : manualA)
    for (int lane = 0; lane < 32; ++lane)
      for (int i = 0; i < m.count; ++i) {
        Element e = getElementA(lane, i / m.perRegister, i % m.perRegister,
                                m.perRegister);
        EXPECT_EQ(e.row, m.row(lane >> 2, i)) << "k" << m.k << " a" << i;
        EXPECT_EQ(e.column, m.column(lane % 4, i)) << "k" << m.k << " a" << i;
      }
}

/// The manual's row of b_i; the column is groupID throughout.
struct ManualB {
  int k, perRegister, count;
  int (*row)(int thread, int i);
};

const ManualB manualB[] = {
    {8, 2, 2, [](int t, int i) { return t * 2 + i; }},
    {16, 2, 4,
     [](int t, int i) {
       return i < 2 ? t * 2 + (i & 1) : t * 2 + (i & 1) + 8;
     }},
    {4, 1, 1, [](int t, int) { return t; }},
    {8, 1, 2, [](int t, int i) { return i == 0 ? t : t + 4; }},
    {16, 4, 4, [](int t, int i) { return t * 4 + i; }},
    {32, 4, 8,
     [](int t, int i) {
       return i < 4 ? t * 4 + (i & 3) : t * 4 + (i & 3) + 16;
     }},
};

TEST(Fragments, BOfEveryShape) {
  for (const ManualB &m : manualB)
    for (int lane = 0; lane < 32; ++lane)
      for (int i = 0; i < m.count; ++i) {
        Element e = getElementB(lane, i / m.perRegister, i % m.perRegister,
                                m.perRegister);
        EXPECT_EQ(e.row, m.row(lane % 4, i)) << "k" << m.k << " b" << i;
        EXPECT_EQ(e.column, lane >> 2) << "k" << m.k << " b" << i;
      }
}

TEST(Fragments, C) {
  for (int lane = 0; lane < 32; ++lane)
    for (int i = 0; i < 4; ++i) {
      Element e = getElementC(lane, i);
      EXPECT_EQ(e.row, i < 2 ? lane >> 2 : (lane >> 2) + 8);
      EXPECT_EQ(e.column, lane % 4 * 2 + (i & 1));
    }
}

/// f64 m8n8k4: one element of A and B, two of C.
TEST(Fragments, F64) {
  for (int lane = 0; lane < 32; ++lane) {
    EXPECT_EQ(getElementA8(lane, 0, 0, 1).row, lane >> 2);
    EXPECT_EQ(getElementA8(lane, 0, 0, 1).column, lane % 4);
    EXPECT_EQ(getElementB(lane, 0, 0, 1).row, lane % 4);
    EXPECT_EQ(getElementB(lane, 0, 0, 1).column, lane >> 2);
    for (int i = 0; i < 2; ++i)
      EXPECT_EQ(getElementC(lane, i).row, lane >> 2);
  }
}

/// wgmma D, figure "WGMMA .m64nNk16 register fragment layout for accumulator
/// matrix D": a warp has 16 rows, d0 d1 in row group, d2 d3 eight below, d4 on
/// eight columns further.
TEST(Fragments, WarpgroupAccumulator) {
  Element e = getElementD(0, 0);
  EXPECT_EQ(e.row, 0);
  EXPECT_EQ(e.column, 0);
  e = getElementD(1, 1);
  EXPECT_EQ(e.row, 0);
  EXPECT_EQ(e.column, 3);
  e = getElementD(4, 2);
  EXPECT_EQ(e.row, 9);
  EXPECT_EQ(e.column, 0);
  e = getElementD(32, 4);
  EXPECT_EQ(e.row, 16);
  EXPECT_EQ(e.column, 8);
  e = getElementD(127, 127);
  EXPECT_EQ(e.row, 63);
  EXPECT_EQ(e.column, 255);
}

/// Every element of D is some thread's, and only one's.
TEST(Fragments, WarpgroupAccumulatorIsAPermutation) {
  bool seen[64][256] = {};
  for (int thread = 0; thread < 128; ++thread)
    for (int i = 0; i < 128; ++i) {
      Element e = getElementD(thread, i);
      EXPECT_FALSE(seen[e.row][e.column]);
      seen[e.row][e.column] = true;
    }
}

/// ldmatrix: lane holds row lane / 4, elements lane % 4 * 2 and the next; with
/// .trans the matrix is transposed first.
TEST(Fragments, MatrixLoad) {
  for (int lane = 0; lane < 32; ++lane)
    for (int h = 0; h < 2; ++h) {
      Element e = getElement8x8(lane, h, false);
      EXPECT_EQ(e.row, lane / 4);
      EXPECT_EQ(e.column, lane % 4 * 2 + h);
      Element t = getElement8x8(lane, h, true);
      EXPECT_EQ(t.row, e.column);
      EXPECT_EQ(t.column, e.row);
    }
}

} // namespace
