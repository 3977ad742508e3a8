//===-- CudaProgramFixture.h - A program on the fake driver -----*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef AMP_TEST_UNITTESTS_RUNTIME_CUDAPROGRAMFIXTURE_H
#define AMP_TEST_UNITTESTS_RUNTIME_CUDAPROGRAMFIXTURE_H

#include "CudaFixture.h"
#include "DeviceProgram.h"
#include "amp-rt/Load.h"

#include <cstring>
#include <utility>

/// Module 0 adds a number to elements and reads the sum by a tensor map; module
/// 1 has a kernel that walks over its work.
class CudaProgramTest : public OpenCudaTest {
protected:
  static constexpr const char *kSums = R"(//
.version 8.0
.target sm_90a
.visible .entry add(.param .u64 .ptr .global add_0,
                    .param .u64 .ptr .global add_1, .param .u32 add_2)
{ ret; }
.visible .entry copy(.param .align 64 .b8 copy_0[128],
                     .param .u64 .ptr .global copy_1)
{ ret; }
)";
  static constexpr const char *kWalks = R"(//
.version 8.0
.target sm_90a
.visible .entry walk(.param .u64 .ptr .global walk_0)
.maxntid 384
// fake: registers=168
{ ret; }
)";

  CudaProgramTest() : program("sm_90a") {
    description.structSize = sizeof(description);
    description.elementType = AMP_RT_TENSOR_MAP_FLOAT32;
    description.rank = 1;
    description.sizes[0] = 64;
    description.box[0] = 16;
    description.elementSteps[0] = 1;
    program.addModule("sums", kSums, 3);
    addition = &program.addLaunch("add", {DeviceProgram::pointer(0),
                                          DeviceProgram::pointer(1),
                                          DeviceProgram::number(7)});
    program.addLaunch("copy", {DeviceProgram::map(1, description),
                               DeviceProgram::pointer(2)});
    program.addModule("walks", kWalks, 1);
    walk = &program.addLaunch("walk", {DeviceProgram::pointer(0)});
    walk->grid[0] = 100000;
    walk->threads[0] = 384;
    walk->blocksPerProcessor = walk->gridMultiple = 1;
  }

  void SetUp() override {
    OpenCudaTest::SetUp();
    defineKernels();
  }
  void defineKernels() {
    // operand 1 = operand 0 + number, of 64 floats; then operand 2 = operand 1.
    fakecuda::define("add", [](const fakecuda::Launch &launch) {
      auto *from = argument<float *>(launch, 0);
      auto *to = argument<float *>(launch, 1);
      for (int i = 0; i < 64; ++i)
        to[i] = from[i] + static_cast<float>(argument<int32_t>(launch, 2));
    });
    fakecuda::define("copy", [](const fakecuda::Launch &launch) {
      auto map = argument<fakecuda::Map>(launch, 0);
      std::memcpy(argument<void *>(launch, 1),
                  reinterpret_cast<void *>(map.address), 256);
    });
  }
  void TearDown() override {
    ampRtRunDestroy(run);
    EXPECT_EQ(ampRtProgramUnload(loaded), AMP_RT_OK) << ampRtStatusText();
    OpenCudaTest::TearDown();
  }

  template <typename T>
  static T argument(const fakecuda::Launch &launch, size_t index) {
    T value;
    std::memcpy(&value, launch.arguments[index].data(), sizeof(T));
    return value;
  }

  /// The program, and a run in a call of it.
  void start() {
    ASSERT_EQ(ampRtProgramLoad(program.get(), device, &loaded), AMP_RT_OK)
        << ampRtStatusText();
    ASSERT_EQ(ampRtRunCreate(&run), AMP_RT_OK);
    ASSERT_EQ(ampRtRunSetProgram(run, loaded), AMP_RT_OK) << ampRtStatusText();
    handle = ampRtRunHandle(run);
    ASSERT_EQ(ampRtRunBegin(handle), AMP_RT_OK);
  }

  /// Ends the call and begins another. What the end returned, and its text.
  std::pair<AmpRtStatus, std::string> next() {
    AmpRtStatus status = ampRtRunEnd(handle);
    std::string text = status == AMP_RT_OK ? "" : ampRtStatusText();
    EXPECT_EQ(ampRtRunBegin(handle), AMP_RT_OK);
    return {status, text};
  }

  /// What an entry point returned, the thread's text and the call's: all say
  /// the same.
  void expectRecorded(AmpRtStatus got, AmpRtStatus status,
                      const std::string &text) {
    EXPECT_EQ(got, status);
    EXPECT_EQ(ampRtStatusText(), text);
    EXPECT_EQ(next(), std::make_pair(status, text));
  }

  AmpRtTensorMapDescription description = {};
  DeviceProgram program;
  AmpRtProgramLaunch *addition = nullptr, *walk = nullptr;
  AmpRtLoadedProgram *loaded = nullptr;
  AmpRtRun *run = nullptr;
  int64_t handle = 0;
};

#endif // AMP_TEST_UNITTESTS_RUNTIME_CUDAPROGRAMFIXTURE_H
