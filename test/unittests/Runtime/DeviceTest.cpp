//===-- DeviceTest.cpp - The device interface on the host device ----------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "amp-rt/Device.h"
#include "amp-rt/Event.h"
#include "amp-rt/Kernel.h"

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <thread>
#include <vector>

namespace {

class HostDevice : public testing::Test {
protected:
  void SetUp() override {
    ASSERT_EQ(ampRtDeviceGet("host", &device), AMP_RT_OK);
    ASSERT_EQ(ampRtDeviceResetPeak(device), AMP_RT_OK);
  }
  AmpRtDeviceStatistics statistics() {
    AmpRtDeviceStatistics result;
    result.structSize = sizeof(result);
    EXPECT_EQ(ampRtDeviceGetStatistics(device, &result), AMP_RT_OK);
    return result;
  }
  void *allocate(int64_t bytes, int64_t alignment = 0) {
    void *pointer = nullptr;
    EXPECT_EQ(ampRtDeviceAllocate(device, bytes, alignment, &pointer),
              AMP_RT_OK)
        << ampRtStatusText();
    return pointer;
  }
  AmpRtDevice *device = nullptr;
};

AmpRtLaunch launchOf(AmpRtHostKernel kernel, void *const *arguments) {
  static const int64_t bytes[] = {sizeof(void *), sizeof(int)};
  return {sizeof(AmpRtLaunch), 0,
          {1, 1, 1},           {1, 1, 1},
          {0, 0, 0},           reinterpret_cast<void *>(kernel),
          arguments,           bytes,
          arguments ? 2 : 0,   0};
}

/// data[i, j, k] = 100 i + 10 j + k, in a 2 x 3 x 4 grid, counting calls.
void writeCoordinates(void *const *arguments, const int64_t *block) {
  int *data = *static_cast<int **>(arguments[0]);
  int *calls = static_cast<int *>(arguments[1]);
  data[(block[0] * 3 + block[1]) * 4 + block[2]] =
      int(100 * block[0] + 10 * block[1] + block[2]);
  ++*calls;
}

} // namespace

TEST(DeviceRegistry, HostIsOneDevice) {
  AmpRtDevice *first = nullptr, *second = nullptr;
  ASSERT_EQ(ampRtDeviceGet("host", &first), AMP_RT_OK);
  ASSERT_EQ(ampRtDeviceGet("host", &second), AMP_RT_OK);
  EXPECT_EQ(first, second);
  EXPECT_STREQ(ampRtDeviceName(first), "host");
  EXPECT_EQ(ampRtDeviceName(nullptr), nullptr);
}

TEST(DeviceRegistry, MissingDevicesAreOrdinaryStatuses) {
  AmpRtDevice *device = nullptr;
  setenv("AMP_RT_EMULATOR", "/nowhere/emulator.so", 1);
  EXPECT_EQ(ampRtDeviceGet("emulator", &device), AMP_RT_UNAVAILABLE);
  EXPECT_STREQ(ampRtStatusText(),
               "ampRtDeviceGet: device 'emulator': library "
               "'/nowhere/emulator.so' of AMP_RT_EMULATOR cannot be opened "
               "(/nowhere/emulator.so: cannot open shared object file: No such "
               "file or directory); name the library of this version by "
               "AMP_RT_EMULATOR, or use device 'host'");
  setenv("AMP_RT_EMULATOR", "libc.so.6", 1);
  EXPECT_EQ(ampRtDeviceGet("emulator", &device), AMP_RT_UNAVAILABLE);
  EXPECT_STREQ(ampRtStatusText(),
               "ampRtDeviceGet: device 'emulator': expected library "
               "'libc.so.6' of AMP_RT_EMULATOR to be an emulator of interface "
               "1, but got 0; name the library of this version by "
               "AMP_RT_EMULATOR, or use device 'host'");
  EXPECT_EQ(ampRtDeviceGet("tpu", &device), AMP_RT_NOT_FOUND);
  EXPECT_STREQ(ampRtStatusText(),
               "ampRtDeviceGet: device 'tpu': expected a known device, but "
               "there is none of that name; use device 'host'");
  EXPECT_EQ(ampRtDeviceGet(nullptr, &device), AMP_RT_INVALID_ARGUMENT);
  EXPECT_EQ(ampRtDeviceGet("host", nullptr), AMP_RT_INVALID_ARGUMENT);
  EXPECT_EQ(device, nullptr);
}

TEST_F(HostDevice, Properties) {
  AmpRtDeviceProperties properties;
  properties.structSize = sizeof(properties);
  ASSERT_EQ(ampRtDeviceGetProperties(device, &properties), AMP_RT_OK);
  EXPECT_EQ(properties.sharesHostMemory, 1);
  EXPECT_GT(properties.totalBytes, 0);
  EXPECT_GT(properties.processors, 0);
  EXPECT_EQ(properties.alignment, 64);
  EXPECT_EQ(properties.sharedBytesLimit, 0);
  EXPECT_EQ(properties.computeMajor, 0);
  EXPECT_STREQ(properties.model, "host");
}

TEST_F(HostDevice, AllocationsAreAlignedAndDistinct) {
  std::vector<void *> pointers;
  for (int64_t bytes : {0, 0, 1, 63, 64, 65, 4096, 1 << 20})
    for (int64_t alignment : {0, 1, 64, 256, 4096}) {
      void *pointer = allocate(bytes, alignment);
      EXPECT_EQ(reinterpret_cast<uintptr_t>(pointer) %
                    std::max<int64_t>(alignment, 64),
                0u);
      std::memset(pointer, 0xab, bytes); // for the sanitizer
      for (void *other : pointers)
        EXPECT_NE(pointer, other);
      pointers.push_back(pointer);
    }
  for (void *pointer : pointers)
    EXPECT_EQ(ampRtDeviceFree(device, pointer), AMP_RT_OK);
}

TEST_F(HostDevice, StatisticsCountWhatWasAskedFor) {
  AmpRtDeviceStatistics before = statistics();
  EXPECT_EQ(before.bytesPeak, before.bytesCurrent);
  void *a = allocate(1000), *b = allocate(24);
  EXPECT_EQ(statistics().bytesCurrent, before.bytesCurrent + 1024);
  ASSERT_EQ(ampRtDeviceFree(device, a), AMP_RT_OK);
  void *c = allocate(100);
  AmpRtDeviceStatistics now = statistics();
  EXPECT_EQ(now.bytesCurrent, before.bytesCurrent + 124);
  EXPECT_EQ(now.bytesPeak, before.bytesCurrent + 1024);
  EXPECT_EQ(now.allocations, before.allocations + 3);
  EXPECT_EQ(now.frees, before.frees + 1);
  ASSERT_EQ(ampRtDeviceResetPeak(device), AMP_RT_OK);
  EXPECT_EQ(statistics().bytesPeak, before.bytesCurrent + 124);
  ASSERT_EQ(ampRtDeviceFree(device, b), AMP_RT_OK);
  ASSERT_EQ(ampRtDeviceFree(device, c), AMP_RT_OK);
  EXPECT_EQ(statistics().bytesCurrent, before.bytesCurrent);
}

TEST_F(HostDevice, WrongFreesAreRefused) {
  void *pointer = allocate(10);
  int local = 0;
  EXPECT_EQ(ampRtDeviceFree(device, &local), AMP_RT_INVALID_ARGUMENT);
  EXPECT_EQ(std::string(ampRtStatusText())
                .rfind("ampRtDeviceFree: device 'host': expected a pointer "
                       "that this device allocated and that is not freed yet, "
                       "but got 0x",
                       0),
            0u);
  EXPECT_EQ(ampRtDeviceFree(device, static_cast<char *>(pointer) + 1),
            AMP_RT_INVALID_ARGUMENT);
  EXPECT_EQ(ampRtDeviceFree(device, pointer), AMP_RT_OK);
  EXPECT_EQ(ampRtDeviceFree(device, pointer), AMP_RT_INVALID_ARGUMENT);
  EXPECT_EQ(ampRtDeviceFree(device, nullptr), AMP_RT_OK);
}

TEST_F(HostDevice, ImpossibleAllocationsAreRefused) {
  void *pointer = nullptr;
  EXPECT_EQ(ampRtDeviceAllocate(device, -1, 0, &pointer),
            AMP_RT_INVALID_ARGUMENT);
  EXPECT_STREQ(ampRtStatusText(),
               "ampRtDeviceAllocate: device 'host': expected 'bytes' not to be "
               "negative, but got -1");
  for (int64_t alignment : {INT64_C(3), INT64_C(-64), INT64_C(1) << 40}) {
    EXPECT_EQ(ampRtDeviceAllocate(device, 8, alignment, &pointer),
              AMP_RT_INVALID_ARGUMENT);
    EXPECT_EQ(std::string(ampRtStatusText()),
              "ampRtDeviceAllocate: device 'host': expected 'alignment' to be "
              "a power of two up to 2^32, but got " +
                  std::to_string(alignment) + "; use 0 for the device's own");
  }
  EXPECT_EQ(ampRtDeviceAllocate(device, INT64_MAX, 0, &pointer),
            AMP_RT_OUT_OF_MEMORY);
  EXPECT_EQ(std::string(ampRtStatusText())
                .rfind("ampRtDeviceAllocate: device 'host': no memory left for "
                       "9223372036854775807 bytes, with ",
                       0),
            0u);
  EXPECT_EQ(pointer, nullptr);
}

TEST_F(HostDevice, CopiesGoBothWaysAndMayOverlap) {
  const int source[4] = {1, 2, 3, 4};
  int result[4] = {};
  int *memory = static_cast<int *>(allocate(sizeof(source)));
  ASSERT_EQ(ampRtDeviceCopy(device, memory, source, sizeof(source),
                            AMP_RT_COPY_TO_DEVICE),
            AMP_RT_OK);
  ASSERT_EQ(ampRtDeviceCopy(device, memory + 1, memory, 3 * sizeof(int),
                            AMP_RT_COPY_ON_DEVICE),
            AMP_RT_OK);
  ASSERT_EQ(ampRtDeviceCopy(device, result, memory, sizeof(result),
                            AMP_RT_COPY_FROM_DEVICE),
            AMP_RT_OK);
  ASSERT_EQ(ampRtDeviceSynchronize(device), AMP_RT_OK);
  const int expected[4] = {1, 1, 2, 3};
  EXPECT_EQ(std::memcmp(result, expected, sizeof(result)), 0);

  EXPECT_EQ(ampRtDeviceCopy(device, nullptr, nullptr, 0, AMP_RT_COPY_ON_DEVICE),
            AMP_RT_OK);
  EXPECT_EQ(ampRtDeviceCopy(device, nullptr, source, 4, AMP_RT_COPY_TO_DEVICE),
            AMP_RT_INVALID_ARGUMENT);
  EXPECT_EQ(ampRtDeviceCopy(device, memory, nullptr, 4, AMP_RT_COPY_TO_DEVICE),
            AMP_RT_INVALID_ARGUMENT);
  EXPECT_EQ(ampRtDeviceCopy(device, memory, source, -4, AMP_RT_COPY_TO_DEVICE),
            AMP_RT_INVALID_ARGUMENT);
  EXPECT_STREQ(ampRtStatusText(), "ampRtDeviceCopy: device 'host': expected "
                                  "'bytes' not to be negative, but got -4");
  EXPECT_EQ(ampRtDeviceCopy(device, memory, source, 4, AmpRtCopyKind(3)),
            AMP_RT_INVALID_ARGUMENT);
  EXPECT_STREQ(ampRtStatusText(), "ampRtDeviceCopy: device 'host': expected an "
                                  "AmpRtCopyKind, but got 3");
  ASSERT_EQ(ampRtDeviceFree(device, memory), AMP_RT_OK);
}

TEST_F(HostDevice, LaunchCallsTheKernelForEveryBlock) {
  std::vector<int> data(24, -1);
  int *pointer = data.data(), calls = 0;
  void *arguments[] = {&pointer, &calls};
  AmpRtLaunch launch = launchOf(writeCoordinates, arguments);
  launch.grid[0] = 2;
  launch.grid[1] = 3;
  launch.grid[2] = 4;
  ASSERT_EQ(ampRtDeviceLaunch(device, &launch), AMP_RT_OK);
  ASSERT_EQ(ampRtDeviceSynchronize(device), AMP_RT_OK);
  EXPECT_EQ(calls, 24);
  for (int i = 0; i < 24; ++i)
    EXPECT_EQ(data[i], 100 * (i / 12) + 10 * (i / 4 % 3) + i % 4);
  launch.grid[1] = 0;
  ASSERT_EQ(ampRtDeviceLaunch(device, &launch), AMP_RT_OK);
  EXPECT_EQ(calls, 24) << "an empty grid launches nothing";
}

TEST_F(HostDevice, LaunchRefusesWhatTheHostHasNot) {
  AmpRtLaunch launch = launchOf(writeCoordinates, nullptr);
  launch.threads[1] = 32;
  EXPECT_EQ(ampRtDeviceLaunch(device, &launch), AMP_RT_INVALID_ARGUMENT);
  EXPECT_STREQ(ampRtStatusText(),
               "ampRtDeviceLaunch: device 'host': expected blocks of one "
               "thread, but got 32; loop over threads inside the kernel");
  launch = launchOf(writeCoordinates, nullptr);
  launch.sharedBytes = 16;
  EXPECT_EQ(ampRtDeviceLaunch(device, &launch), AMP_RT_INVALID_ARGUMENT);
  EXPECT_STREQ(ampRtStatusText(),
               "ampRtDeviceLaunch: device 'host': expected no shared memory, "
               "but got 16 bytes; use local variables of the kernel");
  launch = launchOf(writeCoordinates, nullptr);
  launch.grid[2] = -1;
  EXPECT_EQ(ampRtDeviceLaunch(device, &launch), AMP_RT_INVALID_ARGUMENT);
  EXPECT_STREQ(ampRtStatusText(),
               "ampRtDeviceLaunch: device 'host': expected grid sizes of at "
               "least 0 and thread counts of at least 1, but got -1 and 1 in "
               "dimension 2");
  launch = launchOf(writeCoordinates, nullptr);
  launch.grid[0] = launch.cluster[0] = 2;
  EXPECT_EQ(ampRtDeviceLaunch(device, &launch), AMP_RT_INVALID_ARGUMENT);
  EXPECT_STREQ(ampRtStatusText(),
               "ampRtDeviceLaunch: device 'host': expected clusters of one "
               "block, but got 2; blocks run one after another here");
  launch.grid[0] = 3;
  EXPECT_EQ(ampRtDeviceLaunch(device, &launch), AMP_RT_INVALID_ARGUMENT);
  EXPECT_STREQ(
      ampRtStatusText(),
      "ampRtDeviceLaunch: device 'host': expected the cluster to divide "
      "the grid, but got 2 and 3 in dimension 0; round the grid up and "
      "let the kernel skip the rest");
  launch = launchOf(writeCoordinates, nullptr);
  launch.flags = 4;
  EXPECT_EQ(ampRtDeviceLaunch(device, &launch), AMP_RT_INVALID_ARGUMENT);
  EXPECT_STREQ(ampRtStatusText(),
               "ampRtDeviceLaunch: device 'host': expected flags of "
               "AMP_RT_LAUNCH_..., but got 0x4");
  launch = launchOf(nullptr, nullptr);
  EXPECT_EQ(ampRtDeviceLaunch(device, &launch), AMP_RT_INVALID_ARGUMENT);
  launch.structSize = 0;
  EXPECT_EQ(ampRtDeviceLaunch(device, &launch), AMP_RT_VERSION_MISMATCH);
  EXPECT_EQ(ampRtDeviceLaunch(device, nullptr), AMP_RT_INVALID_ARGUMENT);
}

TEST_F(HostDevice, LaunchWantsArgumentsWithSizes) {
  void *arguments[] = {nullptr};
  AmpRtLaunch launch = launchOf(writeCoordinates, arguments);
  EXPECT_EQ(ampRtDeviceLaunch(device, &launch), AMP_RT_INVALID_ARGUMENT);
  EXPECT_EQ(std::string(ampRtStatusText())
                .rfind("ampRtDeviceLaunch: device 'host': expected argument 0 "
                       "to have an address and a size of at least 1, but got ",
                       0),
            0u);
  launch.argumentBytes = nullptr;
  EXPECT_EQ(ampRtDeviceLaunch(device, &launch), AMP_RT_INVALID_ARGUMENT);
  launch.arguments = nullptr;
  EXPECT_EQ(ampRtDeviceLaunch(device, &launch), AMP_RT_INVALID_ARGUMENT);
  EXPECT_STREQ(
      ampRtStatusText(),
      "ampRtDeviceLaunch: expected 'launch->arguments' not to be null");
  launch.argumentCount = -1;
  EXPECT_EQ(ampRtDeviceLaunch(device, &launch), AMP_RT_INVALID_ARGUMENT);
  EXPECT_STREQ(ampRtStatusText(),
               "ampRtDeviceLaunch: device 'host': expected 'argumentCount' not "
               "to be negative, but got -1");
}

// The host runs functions of the process: nothing to load, nothing to time.
TEST_F(HostDevice, HasNoModulesTensorMapsAndEvents) {
  AmpRtModule *module = nullptr;
  EXPECT_EQ(ampRtModuleLoad(device, "m", "x", 1, &module), AMP_RT_UNAVAILABLE);
  EXPECT_STREQ(
      ampRtStatusText(),
      "ampRtModuleLoad: device 'host': expected a device with modules, "
      "but it has none; use device 'cuda'");
  AmpRtEvent *event = nullptr;
  EXPECT_EQ(ampRtEventCreate(device, &event), AMP_RT_UNAVAILABLE);
  AmpRtTensorMapDescription description = {};
  description.structSize = sizeof(description);
  description.rank = 1;
  description.address = reinterpret_cast<void *>(uintptr_t(4096));
  description.sizes[0] = description.box[0] = 16;
  description.elementSteps[0] = 1;
  AmpRtTensorMap map;
  EXPECT_EQ(ampRtTensorMapEncode(device, &description, &map),
            AMP_RT_UNAVAILABLE);
  void *stream = &map;
  EXPECT_EQ(ampRtDeviceNativeStream(device, &stream), AMP_RT_OK);
  EXPECT_EQ(stream, nullptr);
  EXPECT_EQ(ampRtDeviceClose(device), AMP_RT_OK) << "which only waits";
  EXPECT_EQ(ampRtDeviceFree(device, allocate(1)), AMP_RT_OK);
}

TEST_F(HostDevice, NullsAndVersionsAreChecked) {
  AmpRtDeviceProperties properties = {};
  AmpRtDeviceStatistics counts = {};
  void *pointer = nullptr;
  EXPECT_EQ(ampRtDeviceGetProperties(device, &properties),
            AMP_RT_VERSION_MISMATCH);
  EXPECT_EQ(ampRtDeviceGetStatistics(device, &counts), AMP_RT_VERSION_MISMATCH);
  EXPECT_EQ(ampRtDeviceGetProperties(device, nullptr), AMP_RT_INVALID_ARGUMENT);
  EXPECT_EQ(ampRtDeviceGetStatistics(device, nullptr), AMP_RT_INVALID_ARGUMENT);
  EXPECT_EQ(ampRtDeviceAllocate(device, 1, 0, nullptr),
            AMP_RT_INVALID_ARGUMENT);
  EXPECT_EQ(ampRtDeviceGetProperties(nullptr, &properties),
            AMP_RT_INVALID_ARGUMENT);
  EXPECT_EQ(ampRtDeviceGetStatistics(nullptr, &counts),
            AMP_RT_INVALID_ARGUMENT);
  EXPECT_EQ(ampRtDeviceAllocate(nullptr, 1, 0, &pointer),
            AMP_RT_INVALID_ARGUMENT);
  EXPECT_EQ(ampRtDeviceFree(nullptr, nullptr), AMP_RT_INVALID_ARGUMENT);
  EXPECT_EQ(
      ampRtDeviceCopy(nullptr, nullptr, nullptr, 0, AMP_RT_COPY_ON_DEVICE),
      AMP_RT_INVALID_ARGUMENT);
  EXPECT_EQ(ampRtDeviceResetPeak(nullptr), AMP_RT_INVALID_ARGUMENT);
  EXPECT_EQ(ampRtDeviceLaunch(nullptr, nullptr), AMP_RT_INVALID_ARGUMENT);
  EXPECT_EQ(ampRtDeviceSynchronize(nullptr), AMP_RT_INVALID_ARGUMENT);
  EXPECT_EQ(ampRtDeviceClose(nullptr), AMP_RT_INVALID_ARGUMENT);
  EXPECT_EQ(ampRtDeviceNativeStream(nullptr, &pointer),
            AMP_RT_INVALID_ARGUMENT);
  EXPECT_EQ(ampRtDeviceNativeStream(device, nullptr), AMP_RT_INVALID_ARGUMENT);
}

TEST_F(HostDevice, ThreadsMayAllocateAtOnce) {
  AmpRtDeviceStatistics before = statistics();
  auto work = [this] {
    std::vector<void *> held;
    for (int i = 0; i < 20000; ++i) {
      void *pointer = nullptr;
      ASSERT_EQ(ampRtDeviceAllocate(device, i % 97, 0, &pointer), AMP_RT_OK);
      held.push_back(pointer);
      if (i % 3 == 0) {
        ASSERT_EQ(ampRtDeviceFree(device, held.back()), AMP_RT_OK);
        held.pop_back();
      }
    }
    for (void *pointer : held)
      ASSERT_EQ(ampRtDeviceFree(device, pointer), AMP_RT_OK);
  };
  std::thread first(work), second(work);
  first.join();
  second.join();
  EXPECT_EQ(statistics().bytesCurrent, before.bytesCurrent);
  EXPECT_EQ(statistics().allocations - before.allocations, 40000);
  EXPECT_EQ(statistics().frees - before.frees, 40000);
}
