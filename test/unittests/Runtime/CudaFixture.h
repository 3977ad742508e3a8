//===-- CudaFixture.h - The CUDA device on the fake driver ---------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef AMP_TEST_UNITTESTS_RUNTIME_CUDAFIXTURE_H
#define AMP_TEST_UNITTESTS_RUNTIME_CUDAFIXTURE_H

#include "FakeDriver/FakeDriver.h"
#include "amp-rt/Device.h"
#include "amp-rt/Event.h"
#include "amp-rt/Kernel.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

/// Each test opens the device and closes it; whatever a test does, the driver
/// must have been used rightly and everything given back.
class CudaTest : public testing::Test {
protected:
  void SetUp() override {
    setenv("AMP_RT_CUDA_DRIVER", FAKE_CUDA_DRIVER, 1);
    fakecuda::reset();
  }
  void TearDown() override {
    if (device)
      EXPECT_EQ(ampRtDeviceClose(device), AMP_RT_OK) << ampRtStatusText();
    EXPECT_EQ(fakecuda::leaks(), "");
    EXPECT_EQ(fakecuda::violations(), "");
  }
  AmpRtStatus open() { return ampRtDeviceGet("cuda", &device); }
  void *allocate(int64_t bytes, int64_t alignment = 0) {
    void *pointer = nullptr;
    EXPECT_EQ(ampRtDeviceAllocate(device, bytes, alignment, &pointer),
              AMP_RT_OK)
        << ampRtStatusText();
    return pointer;
  }
  void free(void *pointer) {
    EXPECT_EQ(ampRtDeviceFree(device, pointer), AMP_RT_OK) << ampRtStatusText();
  }
  AmpRtDevice *device = nullptr;
};

class OpenCudaTest : public CudaTest {
protected:
  void SetUp() override {
    CudaTest::SetUp();
    ASSERT_EQ(open(), AMP_RT_OK) << ampRtStatusText();
  }
};

#define EXPECT_FAILS(call, status, text)                                       \
  do {                                                                         \
    EXPECT_EQ(call, status);                                                   \
    EXPECT_STREQ(ampRtStatusText(), text);                                     \
  } while (0)

#endif // AMP_TEST_UNITTESTS_RUNTIME_CUDAFIXTURE_H
