//===- EmulatorProgramTest.cpp - Loaded programs on the emulator ----------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Runtime/DeviceProgram.h"
#include "amp-rt/Load.h"

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <thread>
#include <vector>

// y += n, a thread for each of its elements.
static const char image[] = R"(gpu.module @m {
  llvm.func @add(%n: i32, %y: !llvm.ptr<1>) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 32>} {
    %c32 = llvm.mlir.constant(32 : i32) : i32
    %block = nvvm.read.ptx.sreg.ctaid.x : i32
    %thread = nvvm.read.ptx.sreg.tid.x : i32
    %first = llvm.mul %block, %c32 : i32
    %i = llvm.add %first, %thread : i32
    %yi = llvm.getelementptr %y[%i] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    %v = llvm.load %yi : !llvm.ptr<1> -> i32
    %s = llvm.add %v, %n : i32
    llvm.store %s, %yi : i32, !llvm.ptr<1>
    llvm.return
  }
}
)";

// Adds the first element of the first operand to that of the second, by a table
// of their addresses; if `%n` is no 0, writes the table instead.
static const char tableImage[] = R"(gpu.module @m {
  llvm.func @add(%n: i32, %t: !llvm.ptr {llvm.byval = !llvm.array<2 x ptr<1>>, nvvm.grid_constant})
      attributes {nvvm.kernel, nvvm.reqntid = array<i32: 1>} {
    %c0 = llvm.mlir.constant(0 : i32) : i32
    %from = llvm.load %t : !llvm.ptr -> !llvm.ptr<1>
    %place = llvm.getelementptr %t[8] : (!llvm.ptr) -> !llvm.ptr, i8
    %to = llvm.load %place : !llvm.ptr -> !llvm.ptr<1>
    %writes = llvm.icmp "ne" %n, %c0 : i32
    llvm.cond_br %writes, ^write, ^add
  ^write:
    llvm.store %from, %place : !llvm.ptr<1>, !llvm.ptr
    llvm.return
  ^add:
    %x = llvm.load %from : !llvm.ptr<1> -> i32
    %y = llvm.load %to : !llvm.ptr<1> -> i32
    %s = llvm.add %x, %y : i32
    llvm.store %s, %to : i32, !llvm.ptr<1>
    llvm.return
  }
}
)";

namespace {
class EmulatorProgram : public testing::Test {
protected:
  EmulatorProgram() : program("") {
    program.addModule("additions", image, 1);
    // The second one begins with what the first one left.
    for (int32_t number : {5, 30})
      program
          .addLaunch("add",
                     {DeviceProgram::number(number), DeviceProgram::pointer(0)})
          .grid[0] = 2;
    for (int32_t writes : {0, 1}) {
      program.addModule(writes ? "written" : "tables", tableImage, 2);
      program
          .addLaunch("add", {DeviceProgram::number(writes),
                             DeviceProgram::table(0, 2)})
          .threads[0] = 1;
    }
  }
  void SetUp() override {
    ASSERT_EQ(ampRtDeviceGet("emulator", &device), AMP_RT_OK)
        << ampRtStatusText();
    ASSERT_EQ(ampRtProgramLoad(program.get(), device, &loaded), AMP_RT_OK)
        << ampRtStatusText();
  }
  void TearDown() override {
    EXPECT_EQ(ampRtProgramUnload(loaded), AMP_RT_OK);
    EXPECT_EQ(ampRtDeviceClose(device), AMP_RT_OK) << ampRtStatusText();
  }
  AmpRtRun *createRun() {
    AmpRtRun *run = nullptr;
    EXPECT_EQ(ampRtRunCreate(&run), AMP_RT_OK);
    EXPECT_EQ(ampRtRunSetProgram(run, loaded), AMP_RT_OK);
    return run;
  }
  /// What a program of ours does: 64 numbers from a constant, of which the
  /// first is `first`, through the launches. The last two of the sums.
  std::vector<int32_t> call(AmpRtRun *run, int32_t first);

  DeviceProgram program;
  AmpRtDevice *device = nullptr;
  AmpRtLoadedProgram *loaded = nullptr;
};
} // namespace

std::vector<int32_t> EmulatorProgram::call(AmpRtRun *run, int32_t first) {
  static const std::vector<int32_t> numbers(64, 100);
  int64_t handle = ampRtRunHandle(run);
  std::vector<int32_t> result(64);
  EXPECT_EQ(ampRtRunBegin(handle), AMP_RT_OK);
  void *constant = ampRtRunConstant(handle, numbers.data(), 256);
  void *sums = ampRtRunAllocate(handle, 256);
  EXPECT_EQ(ampRtRunCopy(handle, sums, constant, 256), AMP_RT_OK);
  EXPECT_EQ(ampRtRunWrite(handle, sums, &first, 4), AMP_RT_OK);
  EXPECT_EQ(ampRtRunLaunch(handle, 0, &sums), AMP_RT_OK) << ampRtStatusText();
  EXPECT_EQ(ampRtRunRead(handle, result.data(), sums, 256), AMP_RT_OK);
  EXPECT_EQ(ampRtRunEnd(handle), AMP_RT_OK) << ampRtStatusText();
  return result;
}

TEST_F(EmulatorProgram, RunsCalls) {
  AmpRtRun *run = createRun();
  for (int32_t first : {1, 2}) {
    std::vector<int32_t> expected(64, 135);
    expected[0] = first + 35;
    EXPECT_EQ(call(run, first), expected);
  }
  ampRtRunDestroy(run);
}

TEST_F(EmulatorProgram, RunsOnTwoThreads) {
  auto work = [this](int32_t from) {
    AmpRtRun *run = createRun();
    for (int32_t first = from; first < from + 20; ++first)
      EXPECT_EQ(call(run, first)[0], first + 35);
    ampRtRunDestroy(run);
  };
  std::thread first(work, 0), second(work, 1000);
  first.join();
  second.join();
}

// What a table points to is memory that was given; the table itself is not.
TEST_F(EmulatorProgram, Tables) {
  AmpRtRun *run = createRun();
  int64_t handle = ampRtRunHandle(run);
  EXPECT_EQ(ampRtRunBegin(handle), AMP_RT_OK);
  void *operands[] = {ampRtRunAllocate(handle, 4), ampRtRunAllocate(handle, 4)};
  int32_t first = 5, second = 30, sum = 0;
  EXPECT_EQ(ampRtRunWrite(handle, operands[0], &first, 4), AMP_RT_OK);
  EXPECT_EQ(ampRtRunWrite(handle, operands[1], &second, 4), AMP_RT_OK);
  EXPECT_EQ(ampRtRunLaunch(handle, 1, operands), AMP_RT_OK)
      << ampRtStatusText();
  EXPECT_EQ(ampRtRunRead(handle, &sum, operands[1], 4), AMP_RT_OK);
  EXPECT_EQ(sum, 35);
  EXPECT_EQ(ampRtRunLaunch(handle, 2, operands), AMP_RT_DEVICE_ERROR);
  EXPECT_NE(std::string(ampRtStatusText())
                .find("write to constant memory: 'argument 1'"),
            std::string::npos)
      << ampRtStatusText();
  EXPECT_EQ(ampRtRunEnd(handle), AMP_RT_DEVICE_ERROR);
  ampRtRunDestroy(run);
}

TEST_F(EmulatorProgram, FindingsNameTheKernel) {
  AmpRtRun *run = createRun();
  int64_t handle = ampRtRunHandle(run);
  EXPECT_EQ(ampRtRunBegin(handle), AMP_RT_OK);
  void *operand = ampRtRunAllocate(handle, 256);
  EXPECT_EQ(ampRtRunLaunch(handle, 0, &operand), AMP_RT_DEVICE_ERROR);
  EXPECT_EQ(ampRtRunEnd(handle), AMP_RT_DEVICE_ERROR);
  EXPECT_EQ(std::string(ampRtStatusText())
                .rfind("ampRtRunLaunch: module 'additions': kernel 'add': "
                       "ampRtDeviceLaunch: kernel 'add': additions:9:10: read "
                       "of uninitialised global",
                       0),
            0u)
      << ampRtStatusText();
  ampRtRunDestroy(run);
}

TEST_F(EmulatorProgram, TextOnly) {
  AmpRtLoadedProgram *other = nullptr;
  program.get()->chip = "sm_90a";
  EXPECT_EQ(ampRtProgramLoad(program.get(), device, &other),
            AMP_RT_UNAVAILABLE);
  EXPECT_STREQ(ampRtStatusText(),
               "ampRtProgramLoad: device 'emulator': expected kernels as text, "
               "but the program's are compiled for 'sm_90a'; compile it for "
               "the emulator, or use device 'cuda'");
  EXPECT_EQ(other, nullptr);
}
