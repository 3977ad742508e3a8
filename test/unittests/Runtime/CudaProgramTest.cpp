//===-- CudaProgramTest.cpp - The CUDA device: loaded programs ------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the driver sees of a program: its images, launches and constants, and
// how often.
//
//===----------------------------------------------------------------------===//

#include "CudaProgramFixture.h"

#include <array>
#include <atomic>
#include <functional>
#include <iterator>
#include <set>
#include <thread>
#include <vector>

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

TEST_F(CudaProgramTest, LaunchesReachTheDriverAsTheyAreDescribed) {
  addition->grid[0] = 4;
  addition->grid[1] = 3;
  addition->grid[2] = 2;
  addition->threads[0] = 64;
  addition->threads[1] = 2;
  addition->cluster[0] = 2;
  addition->sharedBytes = 512;
  start();
  void *operands[] = {allocate(256), allocate(256), allocate(256)};
  ASSERT_EQ(ampRtRunLaunch(handle, 0, operands), AMP_RT_OK)
      << ampRtStatusText();
  std::vector<fakecuda::Launch> seen = fakecuda::launches();
  ASSERT_EQ(seen.size(), 2u);

  EXPECT_EQ(seen[0].kernel, "add");
  EXPECT_EQ(seen[0].grid[0], 4u);
  EXPECT_EQ(seen[0].grid[1], 3u);
  EXPECT_EQ(seen[0].grid[2], 2u);
  EXPECT_EQ(seen[0].block[0], 64u);
  EXPECT_EQ(seen[0].block[1], 2u);
  EXPECT_EQ(seen[0].block[2], 1u);
  EXPECT_EQ(seen[0].cluster[0], 2u);
  EXPECT_EQ(seen[0].sharedBytes, 512u);
  EXPECT_FALSE(seen[0].overlaps);
  ASSERT_EQ(seen[0].arguments.size(), 3u);
  EXPECT_EQ(argument<void *>(seen[0], 0), operands[0]);
  EXPECT_EQ(argument<void *>(seen[0], 1), operands[1]);
  EXPECT_EQ(argument<int32_t>(seen[0], 2), 7);

  EXPECT_EQ(seen[1].kernel, "copy");
  EXPECT_EQ(seen[1].grid[0], 1u);
  EXPECT_EQ(seen[1].cluster[0], 1u);
  auto map = argument<fakecuda::Map>(seen[1], 0);
  EXPECT_EQ(map.magic, fakecuda::kMapMagic);
  EXPECT_EQ(map.address, reinterpret_cast<uint64_t>(operands[1]));
  EXPECT_EQ(map.sizes[0], 64u);
  EXPECT_EQ(map.box[0], 16u);
  EXPECT_EQ(argument<void *>(seen[1], 1), operands[2]);
  for (void *operand : operands)
    free(operand);
}

TEST_F(CudaProgramTest, ACallIsNotWaitedFor) {
  start();
  void *operands[] = {allocate(256), allocate(256), allocate(256)};
  int32_t number = 1;
  EXPECT_EQ(ampRtRunLaunch(handle, 0, operands), AMP_RT_OK);
  EXPECT_EQ(ampRtRunCopy(handle, operands[0], operands[2], 256), AMP_RT_OK);
  EXPECT_EQ(ampRtRunWrite(handle, operands[0], &number, 4), AMP_RT_OK);
  EXPECT_NE(ampRtRunConstant(handle, kSums, 16), nullptr);
  EXPECT_NE(ampRtRunAllocate(handle, 100), nullptr);
  EXPECT_EQ(next().second, "");
  EXPECT_EQ(fakecuda::calls("cuStreamSynchronize"), 0);
  for (void *operand : operands)
    free(operand);
}

// An image that no launch needs costs nothing.
TEST_F(CudaProgramTest, ImagesAreLoadedAtTheirFirstLaunch) {
  start();
  EXPECT_EQ(fakecuda::calls("cuModuleLoadDataEx"), 0);
  void *operands[] = {allocate(256), allocate(256), allocate(256)};
  for (int i = 0; i < 3; ++i)
    EXPECT_EQ(ampRtRunLaunch(handle, 0, operands), AMP_RT_OK);
  EXPECT_EQ(fakecuda::calls("cuModuleLoadDataEx"), 1);
  EXPECT_EQ(fakecuda::calls("cuModuleGetFunction"), 2);
  EXPECT_EQ(ampRtRunLaunch(handle, 1, operands), AMP_RT_OK);
  EXPECT_EQ(fakecuda::calls("cuModuleLoadDataEx"), 2);
  EXPECT_EQ(fakecuda::calls("cuModuleGetFunction"), 3);
  for (void *operand : operands)
    free(operand);
}

TEST_F(CudaProgramTest, TheGridThatFitsIsAskedForOnce) {
  start();
  void *operand = allocate(256);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(ampRtRunLaunch(handle, 1, &operand), AMP_RT_OK);
    EXPECT_EQ(fakecuda::launches().back().grid[0], 132u);
  }
  EXPECT_EQ(fakecuda::calls("cuOccupancyMaxActiveBlocksPerMultiprocessor"), 1);
  free(operand);
}

// The near miss: it is launched as it is described.
TEST_F(CudaProgramTest, AGridThatNeedNotFitStaysAsItIs) {
  walk->blocksPerProcessor = 0;
  start();
  void *operand = allocate(256);
  EXPECT_EQ(ampRtRunLaunch(handle, 1, &operand), AMP_RT_OK);
  EXPECT_EQ(fakecuda::launches().back().grid[0], 100000u);
  EXPECT_EQ(fakecuda::calls("cuOccupancyMaxActiveBlocksPerMultiprocessor"), 0);
  free(operand);
}

TEST_F(CudaProgramTest, TensorMapsFollowTheirOperand) {
  start();
  void *from = allocate(256), *to = allocate(256);
  void *first = allocate(256), *second = allocate(256);
  const struct {
    void *operand;
    int encodings;
  } runs[] = {{first, 1}, {first, 1}, {second, 2}, {first, 2}};
  for (auto [operand, encodings] : runs) {
    void *operands[] = {from, operand, to};
    EXPECT_EQ(ampRtRunLaunch(handle, 0, operands), AMP_RT_OK);
    EXPECT_EQ(argument<fakecuda::Map>(fakecuda::launches().back(), 0).address,
              reinterpret_cast<uint64_t>(operand));
    EXPECT_EQ(fakecuda::calls("cuTensorMapEncodeTiled"), encodings);
  }
  for (void *pointer : {from, to, first, second})
    free(pointer);
}

// One parameter of a kernel has the addresses of several operands, those of
// this launch.
TEST_F(CudaProgramTest, TablesAreTheirOperands) {
  program.addModule("tables", R"(//
.version 8.0
.target sm_90a
.visible .entry many(.param .u64 .ptr .global many_0,
                     .param .align 8 .b8 many_1[24])
{ ret; }
)",
                    4);
  program.addLaunch("many",
                    {DeviceProgram::pointer(3), DeviceProgram::table(0, 3)});
  fakecuda::define("many", [](const fakecuda::Launch &) {});
  start();
  void *operands[] = {allocate(16), allocate(16), allocate(16), allocate(16)};
  for (int i = 0; i < 2; ++i) {
    ASSERT_EQ(ampRtRunLaunch(handle, 2, operands), AMP_RT_OK)
        << ampRtStatusText();
    fakecuda::Launch seen = fakecuda::launches().back();
    ASSERT_EQ(seen.arguments.size(), 2u);
    EXPECT_EQ(argument<void *>(seen, 0), operands[3]);
    ASSERT_EQ(seen.arguments[1].size(), 3 * sizeof(void *));
    auto table = argument<std::array<void *, 3>>(seen, 1);
    for (int entry = 0; entry < 3; ++entry)
      EXPECT_EQ(table[entry], operands[entry]);
    std::swap(operands[0], operands[2]);
  }
  for (void *operand : operands)
    free(operand);
}

TEST_F(CudaProgramTest, ConstantsAreCopiedOnce) {
  start();
  AmpRtRun *other = nullptr;
  ASSERT_EQ(ampRtRunCreate(&other), AMP_RT_OK);
  ASSERT_EQ(ampRtRunSetProgram(other, loaded), AMP_RT_OK);
  ASSERT_EQ(ampRtRunBegin(ampRtRunHandle(other)), AMP_RT_OK);
  const float numbers[] = {1, 2, 3, 4};
  void *constant = ampRtRunConstant(handle, numbers, 16);
  ASSERT_NE(constant, nullptr);
  EXPECT_EQ(std::memcmp(constant, numbers, 16), 0);
  EXPECT_EQ(ampRtRunConstant(handle, numbers, 16), constant);
  EXPECT_EQ(ampRtRunConstant(ampRtRunHandle(other), numbers, 16), constant);
  EXPECT_EQ(fakecuda::calls("cuMemcpyHtoDAsync"), 1);
  EXPECT_NE(ampRtRunConstant(handle, numbers + 1, 12), constant);
  EXPECT_EQ(fakecuda::calls("cuMemcpyHtoDAsync"), 2);
  void *empty = ampRtRunConstant(handle, numbers, 0);
  EXPECT_NE(empty, nullptr);
  EXPECT_NE(empty, constant) << "empty constants may lie where others begin";
  EXPECT_EQ(ampRtRunConstant(handle, nullptr, 0),
            ampRtRunConstant(handle, nullptr, 0));
  EXPECT_EQ(fakecuda::calls("cuMemcpyHtoDAsync"), 2);
  // They are the program's, not the call's.
  EXPECT_EQ(next().second, "");
  EXPECT_EQ(ampRtRunConstant(handle, numbers, 16), constant);
  EXPECT_EQ(std::memcmp(constant, numbers, 16), 0);
  EXPECT_EQ(ampRtRunEnd(ampRtRunHandle(other)), AMP_RT_OK);
  ampRtRunDestroy(other);
}

// More than the table has buckets.
TEST_F(CudaProgramTest, ManyConstants) {
  start();
  std::vector<int32_t> numbers(1000);
  std::vector<void *> constants;
  for (size_t i = 0; i < numbers.size(); ++i) {
    numbers[i] = static_cast<int32_t>(i);
    constants.push_back(ampRtRunConstant(handle, &numbers[i], 4));
  }
  for (size_t i = 0; i < numbers.size(); ++i) {
    EXPECT_EQ(ampRtRunConstant(handle, &numbers[i], 4), constants[i]);
    EXPECT_EQ(*static_cast<int32_t *>(constants[i]), static_cast<int32_t>(i));
  }
}

// Each has operands of its own; what is prepared is shared.
TEST_F(CudaProgramTest, RunsOnTwoThreads) {
  start();
  std::atomic<int> waiting{2};
  auto work = [&](float value) {
    AmpRtRun *mine = nullptr;
    ASSERT_EQ(ampRtRunCreate(&mine), AMP_RT_OK);
    ASSERT_EQ(ampRtRunSetProgram(mine, loaded), AMP_RT_OK);
    int64_t context = ampRtRunHandle(mine);
    for (--waiting; waiting > 0;)
      std::this_thread::yield();
    for (int i = 0; i < 300; ++i) {
      ASSERT_EQ(ampRtRunBegin(context), AMP_RT_OK);
      void *operands[3];
      for (void *&operand : operands)
        operand = ampRtRunAllocate(context, 256);
      void *constant = ampRtRunConstant(context, kSums, 16);
      for (int j = 0; j < 64; ++j)
        ASSERT_EQ(ampRtRunWrite(context, static_cast<float *>(operands[0]) + j,
                                &value, 4),
                  AMP_RT_OK);
      ASSERT_EQ(ampRtRunLaunch(context, 0, operands), AMP_RT_OK)
          << ampRtStatusText();
      ASSERT_EQ(ampRtRunLaunch(context, 1, &constant), AMP_RT_OK);
      float result = 0;
      ASSERT_EQ(ampRtRunRead(context, &result,
                             static_cast<float *>(operands[2]) + 63, 4),
                AMP_RT_OK);
      ASSERT_EQ(result, value + 7);
      value += 1;
      ASSERT_EQ(ampRtRunEnd(context), AMP_RT_OK) << ampRtStatusText();
    }
    ampRtRunDestroy(mine);
  };
  std::thread first(work, 100.0f), second(work, 2000.0f);
  first.join();
  second.join();
  EXPECT_EQ(fakecuda::calls("cuModuleLoadDataEx"), 2);
  EXPECT_EQ(fakecuda::calls("cuModuleGetFunction"), 3);
  EXPECT_EQ(fakecuda::calls("cuOccupancyMaxActiveBlocksPerMultiprocessor"), 1);
  EXPECT_EQ(fakecuda::calls("cuMemcpyHtoDAsync"), 1 + 2 * 300 * 64);
  // Three blocks for each run, and the constant.
  EXPECT_EQ(fakecuda::calls("cuMemAllocFromPoolAsync"), 7);
}

//===----------------------------------------------------------------------===//
// Refusals of launches and constants
//===----------------------------------------------------------------------===//

TEST_F(CudaProgramTest, ModulesThatAreNone) {
  start();
  void *operand = allocate(256);
  for (int32_t module : {-1, 2})
    expectRecorded(ampRtRunLaunch(handle, module, &operand),
                   AMP_RT_INVALID_ARGUMENT,
                   "ampRtRunLaunch: device 'cuda': expected a module of the 2 "
                   "that the loaded program has, but got " +
                       std::to_string(module) +
                       "; set the run's program to the one that is called");
  free(operand);
}

TEST_F(CudaProgramTest, OperandsThatAreNone) {
  start();
  expectRecorded(ampRtRunLaunch(handle, 0, nullptr), AMP_RT_INVALID_ARGUMENT,
                 "ampRtRunLaunch: expected 'operands' not to be null");
  void *operands[] = {allocate(256), nullptr, nullptr};
  expectRecorded(ampRtRunLaunch(handle, 0, operands), AMP_RT_INVALID_ARGUMENT,
                 "ampRtRunLaunch: module 'sums': expected operand 1 not to be "
                 "null; give memory of the device, to arrays without elements "
                 "too");
  EXPECT_EQ(fakecuda::calls("cuModuleLoadDataEx"), 0);
  free(operands[0]);
}

TEST_F(CudaProgramTest, ConstantsThatAreNone) {
  start();
  const struct {
    const void *source;
    int64_t bytes;
    const char *text;
  } constants[] = {
      {nullptr, 4, "ampRtRunConstant: expected 'source' not to be null"},
      {kSums, -4,
       "ampRtRunConstant: device 'cuda': expected 'bytes' not to "
       "be negative, but got -4"}};
  for (auto [source, bytes, text] : constants) {
    EXPECT_EQ(ampRtRunConstant(handle, source, bytes), nullptr);
    EXPECT_EQ(next(),
              std::make_pair(AMP_RT_INVALID_ARGUMENT, std::string(text)));
  }
  EXPECT_EQ(ampRtRunConstant(handle, kSums, INT64_C(1) << 40), nullptr);
  EXPECT_EQ(next(), std::make_pair(
                        AMP_RT_OUT_OF_MEMORY,
                        std::string("ampRtRunConstant: device 'cuda': "
                                    "cuMemAllocFromPoolAsync of 1099511627776 "
                                    "bytes: out of memory "
                                    "(CUDA_ERROR_OUT_OF_MEMORY, 2); use "
                                    "smaller batches, or free memory of other "
                                    "processes")));
}

// The module and the kernel, and then what the device said.
TEST_F(CudaProgramTest, ErrorsOfALaunchNameTheKernel) {
  start();
  void *operands[] = {allocate(256), allocate(256), allocate(256)};
  const std::string unknown = ": unknown error (CUDA_ERROR_UNKNOWN, 999); see "
                              "the driver's log ('dmesg', 'nvidia-smi')";
  fakecuda::failCall("cuModuleLoadDataEx", 999);
  expectRecorded(ampRtRunLaunch(handle, 0, operands), AMP_RT_DEVICE_ERROR,
                 "ampRtRunLaunch: module 'sums': ampRtModuleLoad: device "
                 "'cuda': module 'sums': cuModuleLoadDataEx" +
                     unknown);
  fakecuda::failCall("cuModuleGetFunction", 500, 2);
  expectRecorded(ampRtRunLaunch(handle, 0, operands), AMP_RT_NOT_FOUND,
                 "ampRtRunLaunch: module 'sums': kernel 'copy': "
                 "ampRtModuleGetKernel: module 'sums': expected a kernel "
                 "'copy', but there is none of that name; see the names with "
                 "'cuobjdump -elf'");
  EXPECT_TRUE(fakecuda::launches().empty()) << "nor of those before it";
  fakecuda::failCall("cuTensorMapEncodeTiled", 999);
  expectRecorded(ampRtRunLaunch(handle, 0, operands), AMP_RT_DEVICE_ERROR,
                 "ampRtRunLaunch: module 'sums': kernel 'copy': "
                 "ampRtTensorMapEncode: device 'cuda': cuTensorMapEncodeTiled: "
                 "unknown error (CUDA_ERROR_UNKNOWN, 999); the description "
                 "breaks a rule that libamp-rt does not know; see the driver "
                 "API's documentation");
  fakecuda::failCall("cuLaunchKernelEx", 999, 2);
  expectRecorded(ampRtRunLaunch(handle, 0, operands), AMP_RT_DEVICE_ERROR,
                 "ampRtRunLaunch: module 'sums': kernel 'copy': "
                 "ampRtDeviceLaunch: device 'cuda': kernel 'copy': "
                 "cuLaunchKernelEx" +
                     unknown);
  fakecuda::failCall("cuOccupancyMaxActiveBlocksPerMultiprocessor", 999);
  expectRecorded(ampRtRunLaunch(handle, 1, operands), AMP_RT_DEVICE_ERROR,
                 "ampRtRunLaunch: module 'walks': kernel 'walk': "
                 "ampRtDeviceFitGrid: device 'cuda': "
                 "cuOccupancyMaxActiveBlocksPerMultiprocessor" +
                     unknown);
  // All of it is tried again.
  EXPECT_EQ(ampRtRunLaunch(handle, 0, operands), AMP_RT_OK)
      << ampRtStatusText();
  EXPECT_EQ(ampRtRunLaunch(handle, 1, operands), AMP_RT_OK);
  EXPECT_EQ(fakecuda::calls("cuModuleLoadDataEx"), 3);
  for (void *operand : operands)
    free(operand);
}

//===----------------------------------------------------------------------===//
// Loading and unloading
//===----------------------------------------------------------------------===//

TEST_F(CudaProgramTest, ChipsThatTheDeviceRuns) {
  const struct {
    int major, minor;
    const char *chip;
    bool runs;
  } chips[] = {{9, 0, "sm_90a", true},    {9, 0, "sm_90", true},
               {9, 0, "sm_80", false},    {8, 0, "sm_80", true},
               {8, 9, "sm_80", true},     {8, 6, "sm_89", false},
               {8, 6, "sm_86a", true},    {8, 9, "sm_86a", false},
               {10, 0, "sm_90a", false},  {10, 0, "sm_100a", true},
               {10, 3, "sm_100a", false}, {10, 3, "sm_100f", true},
               {12, 0, "sm_100f", false}};
  for (const auto &[major, minor, chip, runs] : chips) {
    ASSERT_EQ(ampRtDeviceClose(device), AMP_RT_OK);
    fakecuda::set("computeMajor", major);
    fakecuda::set("computeMinor", minor);
    ASSERT_EQ(open(), AMP_RT_OK);
    program.get()->chip = chip;
    AmpRtStatus status = ampRtProgramLoad(program.get(), device, &loaded);
    EXPECT_EQ(status, runs ? AMP_RT_OK : AMP_RT_UNAVAILABLE)
        << chip << " on " << major << "." << minor;
    EXPECT_EQ(ampRtProgramUnload(loaded), AMP_RT_OK);
    loaded = nullptr;
  }
}

TEST_F(CudaProgramTest, ChipsThatItDoesNotSaySo) {
  program.get()->chip = "sm_80";
  EXPECT_FAILS(ampRtProgramLoad(program.get(), device, &loaded),
               AMP_RT_UNAVAILABLE,
               "ampRtProgramLoad: device 'cuda': expected kernels for the Fake "
               "GPU of compute capability 9.0, but the program's are compiled "
               "for 'sm_80'; compile it for sm_90a");
  program.get()->chip = "";
  EXPECT_FAILS(ampRtProgramLoad(program.get(), device, &loaded),
               AMP_RT_UNAVAILABLE,
               "ampRtProgramLoad: device 'cuda': expected compiled kernels, "
               "but the program's are text; compile it for sm_90a, or use "
               "device 'emulator'");
  for (const char *chip : {"gfx942", "sm_", "sm_9", "sm_-90", "sm_ 90",
                           "sm_90b", "sm_90aa", "SM_90"}) {
    program.get()->chip = chip;
    EXPECT_EQ(ampRtProgramLoad(program.get(), device, &loaded),
              AMP_RT_INVALID_ARGUMENT);
    EXPECT_EQ(ampRtStatusText(),
              "ampRtProgramLoad: device 'cuda': expected the program's chip to "
              "be one like 'sm_90a', but got '" +
                  std::string(chip) + "'; compile it for sm_90a");
  }
  ASSERT_EQ(ampRtDeviceClose(device), AMP_RT_OK);
  EXPECT_FAILS(ampRtProgramLoad(program.get(), device, &loaded),
               AMP_RT_UNAVAILABLE,
               "ampRtProgramLoad: device 'cuda': expected an open device, but "
               "it was closed; ask ampRtDeviceGet for it again");
  EXPECT_EQ(loaded, nullptr);
  device = nullptr;
}

// Programs that no compiler of ours writes.
TEST_F(CudaProgramTest, ProgramsThatContradictThemselves) {
  auto expect = [&](DeviceProgram &wrong, const char *text) {
    EXPECT_FAILS(ampRtProgramLoad(wrong.get(), device, &loaded),
                 AMP_RT_INVALID_ARGUMENT, text);
    EXPECT_EQ(loaded, nullptr);
  };
  const std::function<void(AmpRtProgramModule &)> changes[] = {
      [](AmpRtProgramModule &module) { module.name = nullptr; },
      [](AmpRtProgramModule &module) { module.image = nullptr; },
      [](AmpRtProgramModule &module) { module.imageBytes = 0; },
      [](AmpRtProgramModule &module) { module.operandCount = -1; },
      [](AmpRtProgramModule &module) { module.launchCount = -1; },
      [](AmpRtProgramModule &module) { module.launchCount = 1; }};
  const char *const starts[] = {
      "ampRtProgramLoad: expected 'module->name' not to be null",
      "ampRtProgramLoad: module 'm': expected an image, but got 2 bytes at ",
      "ampRtProgramLoad: module 'm': expected an image, but got 0 bytes at ",
      "ampRtProgramLoad: module 'm': expected a list of launches and a count "
      "of operands, but got 0 launches at (nil) and -1 operands; compile the "
      "program again",
      "ampRtProgramLoad: module 'm': expected a list of launches and a count "
      "of operands, but got -1 launches at ",
      "ampRtProgramLoad: module 'm': expected a list of launches and a count "
      "of operands, but got 1 launches at "};
  for (size_t i = 0; i < std::size(changes); ++i) {
    DeviceProgram wrong("sm_90a");
    changes[i](wrong.addModule("m", "//", 1));
    EXPECT_EQ(ampRtProgramLoad(wrong.get(), device, &loaded),
              AMP_RT_INVALID_ARGUMENT);
    EXPECT_EQ(std::string(ampRtStatusText()).rfind(starts[i], 0), 0u)
        << ampRtStatusText();
  }

  AmpRtProgramArgument noMap = DeviceProgram::map(0, description);
  noMap.map = nullptr;
  AmpRtProgramArgument noKind = DeviceProgram::pointer(0);
  noKind.kind = 4;
  for (const AmpRtProgramArgument &argument :
       {DeviceProgram::pointer(1), DeviceProgram::pointer(-1),
        DeviceProgram::map(1, description), noMap, noKind,
        DeviceProgram::table(-1, 1), DeviceProgram::table(0, 0),
        DeviceProgram::table(0, 2), DeviceProgram::table(0, INT32_MIN)}) {
    DeviceProgram wrong("sm_90a");
    wrong.addModule("m", "//", 1);
    wrong.addLaunch("k", {DeviceProgram::number(1), argument});
    expect(wrong,
           ("ampRtProgramLoad: module 'm': kernel 'k': expected argument 1 to "
            "be a number, the address or a described tensor map of one of 1 "
            "operands, or the addresses of several, but got kind " +
            std::to_string(argument.kind) + " of operand " +
            std::to_string(argument.operand) + " and number " +
            std::to_string(argument.number) + "; compile the program again")
               .c_str());
  }

  DeviceProgram noKernel("sm_90a");
  noKernel.addModule("m", "//", 1);
  noKernel.addLaunch(nullptr, {});
  expect(noKernel, "ampRtProgramLoad: expected 'launch->kernel' not to be "
                   "null");
  DeviceProgram noArguments("sm_90a");
  noArguments.addModule("m", "//", 1);
  noArguments.addLaunch("k", {}).argumentCount = -1;
  EXPECT_EQ(ampRtProgramLoad(noArguments.get(), device, &loaded),
            AMP_RT_INVALID_ARGUMENT);
  EXPECT_EQ(std::string(ampRtStatusText())
                .rfind("ampRtProgramLoad: module 'm': kernel 'k': expected a "
                       "list of arguments, but got -1 of them at ",
                       0),
            0u)
      << ampRtStatusText();

  // Lists with holes, and no list at all.
  const AmpRtProgramModule *noModule = nullptr;
  DeviceProgram holes("sm_90a");
  holes.get()->modules = &noModule;
  AmpRtProgram copy = *holes.get();
  copy.modules = &noModule;
  copy.moduleCount = 1;
  EXPECT_FAILS(ampRtProgramLoad(&copy, device, &loaded),
               AMP_RT_INVALID_ARGUMENT,
               "ampRtProgramLoad: expected 'program->modules[...]' not to be "
               "null");
  copy.modules = nullptr;
  EXPECT_FAILS(ampRtProgramLoad(&copy, device, &loaded),
               AMP_RT_INVALID_ARGUMENT,
               "ampRtProgramLoad: expected the program to have a list of "
               "modules, but got 1 of them at (nil); compile it again");
  const AmpRtProgramLaunch *noLaunch = nullptr;
  DeviceProgram launchHoles("sm_90a");
  AmpRtProgramModule &module = launchHoles.addModule("m", "//", 1);
  module.launches = &noLaunch;
  module.launchCount = 1;
  expect(launchHoles,
         "ampRtProgramLoad: expected 'module->launches[...]' not to be null");
  const AmpRtProgramArgument *noArgument = nullptr;
  DeviceProgram argumentHoles("sm_90a");
  argumentHoles.addModule("m", "//", 1);
  AmpRtProgramLaunch &launch = argumentHoles.addLaunch("k", {});
  launch.arguments = &noArgument;
  launch.argumentCount = 1;
  expect(argumentHoles,
         "ampRtProgramLoad: expected 'launch->arguments[...]' not to be null");
}

TEST_F(CudaProgramTest, UnloadingGivesEverythingBackThoughItFails) {
  const struct {
    const char *function;
    int nth;
  } failures[] = {{"cuStreamSynchronize", 1},
                  {"cuMemFreeAsync", 1},
                  {"cuMemFreeAsync", 2},
                  {"cuModuleUnload", 1},
                  {"cuModuleUnload", 2}};
  void *operands[] = {allocate(256), allocate(256), allocate(256)};
  for (auto [function, nth] : failures) {
    start();
    EXPECT_EQ(ampRtRunLaunch(handle, 0, operands), AMP_RT_OK);
    EXPECT_EQ(ampRtRunLaunch(handle, 1, operands), AMP_RT_OK);
    EXPECT_NE(ampRtRunConstant(handle, kSums, 16), nullptr);
    EXPECT_NE(ampRtRunConstant(handle, kWalks, 16), nullptr);
    EXPECT_EQ(ampRtRunEnd(handle), AMP_RT_OK);
    ampRtRunDestroy(run);
    run = nullptr;
    // One behind it has another text, which is not the one worth reading.
    fakecuda::failCall("cuModuleUnload", 1, 2);
    fakecuda::failCall(function, 999, nth);
    EXPECT_EQ(ampRtProgramUnload(loaded), AMP_RT_DEVICE_ERROR);
    loaded = nullptr;
    EXPECT_NE(std::strstr(ampRtStatusText(), function), nullptr)
        << ampRtStatusText();
    EXPECT_NE(std::strstr(ampRtStatusText(), "999"), nullptr)
        << ampRtStatusText();
  }
  EXPECT_EQ(ampRtProgramUnload(nullptr), AMP_RT_OK);
  for (void *operand : operands)
    free(operand);
  // TearDown sees that nothing of it is live.
}

//===----------------------------------------------------------------------===//
// Failures at every place
//===----------------------------------------------------------------------===//

namespace {
/// What a program does from its loading on; whatever fails, it leaves.
struct Step {
  AmpRtDevice *device;
  const AmpRtProgram *program;
  /// The operands of the caller.
  void *const *operands;
  AmpRtStatus status = AMP_RT_OK;
  std::string text = {};

  bool check(AmpRtStatus next) {
    if (next != AMP_RT_OK && status == AMP_RT_OK) {
      status = next;
      text = ampRtStatusText();
    }
    return next == AMP_RT_OK;
  }
  void call(int64_t run) {
    if (!check(ampRtRunBegin(run)))
      return;
    work(run);
    check(ampRtRunEnd(run));
  }
  void work(int64_t run) {
    void *arena = ampRtRunAllocateAligned(run, 512, 1024);
    void *constant = ampRtRunConstant(run, "constant", 8);
    float number = 3;
    if (!arena || !constant || ampRtRunCopy(run, arena, constant, 8) ||
        ampRtRunWrite(run, arena, &number, 4) ||
        ampRtRunLaunch(run, 0, operands) || ampRtRunLaunch(run, 1, operands) ||
        ampRtRunRead(run, &number, arena, 4))
      return;
    EXPECT_EQ(number, 3);
    ampRtRunFree(run, arena);
  }
  void operator()() {
    AmpRtLoadedProgram *loaded = nullptr;
    AmpRtRun *run = nullptr;
    if (!check(ampRtProgramLoad(program, device, &loaded)))
      return;
    if (check(ampRtRunCreate(&run)) && check(ampRtRunSetProgram(run, loaded))) {
      call(ampRtRunHandle(run));
      call(ampRtRunHandle(run));
      check(ampRtRunSetProgram(run, nullptr));
    }
    ampRtRunDestroy(run);
    check(ampRtProgramUnload(loaded));
  }
};
} // namespace

TEST_F(CudaProgramTest, WhateverFailsIsReportedAndNothingLeaks) {
  // Without a current context nothing can be given back either; and what only
  // asks for more checks may fail.
  const std::set<std::string> others = {"cuCtxPushCurrent", "cuCtxPopCurrent",
                                        "cuFuncGetParamInfo"};
  void *operands[] = {allocate(256), allocate(4096), allocate(256)};
  std::string before = fakecuda::leaks();
  AmpRtDeviceStatistics statistics;
  statistics.structSize = sizeof(statistics);
  int failures = 0;
  std::vector<std::string> functions;
  {
    Step step{device, program.get(), operands};
    step();
    ASSERT_EQ(step.status, AMP_RT_OK) << step.text;
    functions = fakecuda::calledFunctions();
  }
  for (const std::string &function : functions) {
    if (others.count(function))
      continue;
    for (int nth = 1;; ++nth) {
      int calls = fakecuda::calls(function.c_str());
      fakecuda::failCall(function.c_str(), 999, nth);
      ++description.sizes[0]; // so that no earlier step has encoded the map
      Step step{device, program.get(), operands};
      step();
      bool hasFailed = fakecuda::calls(function.c_str()) - calls >= nth;
      // Of the attributes the last three are ones that older drivers lack.
      if (function != "cuFuncGetAttribute")
        EXPECT_EQ(step.status != AMP_RT_OK, hasFailed)
            << function << " " << nth << ": " << step.text;
      if (step.status != AMP_RT_OK) {
        EXPECT_EQ(step.status, AMP_RT_DEVICE_ERROR);
        EXPECT_NE(step.text.find(function), std::string::npos) << step.text;
      }
      ASSERT_EQ(fakecuda::leaks(), before) << function << " " << nth;
      ASSERT_EQ(ampRtDeviceGetStatistics(device, &statistics), AMP_RT_OK);
      ASSERT_EQ(statistics.bytesCurrent, 256 + 4096 + 256)
          << function << " " << nth;
      failures += hasFailed;
      if (!hasFailed)
        break;
    }
    fakecuda::reset();
    defineKernels();
  }
  EXPECT_GT(failures, 50);
  for (void *operand : operands)
    free(operand);
}
