//===- ScheduleTest.cpp - Who does what in a main loop --------------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which schedule a chip has for which operands, and the threads and the memory
// that follow.
//
//===----------------------------------------------------------------------===//

#include "amp/Kernels/GemmConfig.h"

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/StringSet.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace mlir::amp;

namespace {
class ScheduleTest : public testing::Test {
protected:
  GemmConfig getConfig(StringRef chip, Type operand, Schedule::Tile tile) {
    GemmProblem problem;
    problem.a = problem.b = problem.d = operand;
    GemmConfig config;
    config.setChip(*getChip(chip), operand);
    config.tileM = tile.m;
    config.tileN = tile.n;
    chooseGemmAccess(problem, config);
    completeGemmConfig(problem, config);
    return config;
  }

  MLIRContext context;
  Type half = BFloat16Type::get(&context), f32 = Float32Type::get(&context);
};
} // namespace

TEST_F(ScheduleTest, ChipsHaveWhatTheirSchedulesNeed) {
  for (const Chip &chip : getChips())
    for (Type operand : {half, f32})
      EXPECT_TRUE(chip.has(getSchedule(chip, operand).needs))
          << chip.name.str();
}

TEST_F(ScheduleTest, OperandsChooseTheInstruction) {
  auto instruction = [](StringRef chip, Type operand) {
    return getSchedule(*getChip(chip), operand).instruction;
  };
  EXPECT_EQ(instruction("sm_90a", half), ProductInstruction::Wgmma);
  EXPECT_EQ(instruction("sm_90", half), ProductInstruction::MmaSync);
  EXPECT_EQ(instruction("sm_80", half), ProductInstruction::MmaSync);
  EXPECT_EQ(instruction("sm_80", f32), ProductInstruction::Fma);
  // What it does not take is an earlier chip's.
  const Chip &hopper = *getChip("sm_90a");
  EXPECT_FALSE(getSchedule(hopper, f32).takes(f32));
  EXPECT_TRUE(getSchedule(*getChip(hopper.earlier), f32).takes(f32));
}

TEST_F(ScheduleTest, EachTileHasItsThreads) {
  // One warpgroup for each 64 rows, and one that loads.
  EXPECT_EQ(getConfig("sm_90a", half, {128, 256}).threads(), 3 * 128);
  EXPECT_EQ(getConfig("sm_90a", half, {64, 128}).threads(), 2 * 128);
  // Two warps along M, one for each 32 columns.
  EXPECT_EQ(getConfig("sm_80", half, {128, 128}).threads(), 2 * 4 * 32);
  EXPECT_EQ(getConfig("sm_80", half, {64, 64}).threads(), 2 * 2 * 32);
  // A warp for each 32 x 64.
  EXPECT_EQ(getConfig("sm_80", f32, {128, 128}).threads(), 4 * 2 * 32);
  EXPECT_EQ(getConfig("sm_80", f32, {128, 64}).threads(), 4 * 1 * 32);
}

TEST_F(ScheduleTest, SharedMemoryHoldsWhatTheScheduleHas) {
  GemmProblem problem;
  problem.a = problem.b = problem.d = half;
  // Tiles and two barriers for each of four slots, two boxes of 8 KiB for each
  // of two warpgroups.
  EXPECT_EQ(
      getSharedMemoryBytes(problem, getConfig("sm_90a", half, {128, 256})),
      4 * (384 * 128 + 2 * 8) + 2 * 2 * 8192);
  // Tiles alone, in five slots.
  EXPECT_EQ(getSharedMemoryBytes(problem, getConfig("sm_80", half, {128, 128})),
            5 * 256 * 128);
}

TEST_F(ScheduleTest, NoTwoRowsAreAlike) {
  llvm::StringSet<> names;
  for (const Schedule *row : getSchedules())
    EXPECT_TRUE(names.insert(row->name).second) << row->name.str();
  EXPECT_EQ(names.size(), 3u);
}

TEST_F(ScheduleTest, ChipsChooseFromRowsOfOneInstruction) {
  for (const Chip &chip : getChips())
    for (Type operand : {half, f32}) {
      SmallVector<const Schedule *> all = getSchedules(chip, operand);
      ASSERT_FALSE(all.empty());
      EXPECT_EQ(all.front(), &getSchedule(chip, operand));
      for (const Schedule *row : all) {
        EXPECT_EQ(row->instruction, all.front()->instruction);
        EXPECT_TRUE(chip.has(row->needs));
      }
    }
}

// What a row says is all that there is to it: one that is in no table.
TEST_F(ScheduleTest, SizesFollowARowOfOnesOwn) {
  const Schedule &warps = getSchedule(*getChip("sm_80"), half);
  Schedule longer = warps;
  longer.name = "four rows of warps";
  longer.rows = {4, 0};
  longer.turns = 2;
  GemmConfig config = getConfig("sm_80", half, {128, 128});
  config.schedule = &longer;
  EXPECT_EQ(config.unitsM(), 4);
  EXPECT_EQ(config.threads(), 2 * 4 * 4 * 32);
}
