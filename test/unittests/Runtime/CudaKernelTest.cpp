//===-- CudaKernelTest.cpp - The CUDA device: modules and launches
//---------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CubinImage.h"
#include "CudaFixture.h"

#include <cstring>
#include <thread>
#include <vector>

static const char ptx[] = R"(//
.version 8.0
.target sm_90a
.visible .entry scale(.param .u64 .ptr .global .align 16 scale_0,
                      .param .u32 scale_1)
.maxntid 384
// fake: static_shared=1024 registers=168
{ ret; }
.visible .entry mapped(.param .align 64 .b8 mapped_0[128])
{ ret; }
.visible .entry pairs()
.reqnctapercluster 2, 1, 1
{ ret; }
)";

namespace {

class CudaKernelTest : public OpenCudaTest {
protected:
  void SetUp() override {
    OpenCudaTest::SetUp();
    ASSERT_EQ(ampRtModuleLoad(device, "test", ptx, sizeof(ptx) - 1, &module),
              AMP_RT_OK)
        << ampRtStatusText();
    scale = kernel("scale");
    memory = allocate(64);
  }
  void TearDown() override {
    free(memory);
    if (module)
      EXPECT_EQ(ampRtModuleUnload(module), AMP_RT_OK) << ampRtStatusText();
    OpenCudaTest::TearDown();
  }
  AmpRtKernel *kernel(const char *name) {
    AmpRtKernel *result = nullptr;
    EXPECT_EQ(ampRtModuleGetKernel(module, name, &result), AMP_RT_OK)
        << ampRtStatusText();
    return result;
  }
  /// Of `scale`, with one block of 32 threads.
  AmpRtLaunch launchOfScale() {
    AmpRtLaunch launch = {};
    launch.structSize = sizeof(launch);
    launch.grid[0] = launch.grid[1] = launch.grid[2] = 1;
    launch.threads[0] = 32;
    launch.threads[1] = launch.threads[2] = 1;
    launch.kernel = scale;
    launch.arguments = arguments;
    launch.argumentBytes = bytes;
    launch.argumentCount = 2;
    return launch;
  }
  AmpRtModule *module = nullptr;
  AmpRtKernel *scale = nullptr;
  void *memory = nullptr;
  int32_t factor = 7;
  void *arguments[2] = {&memory, &factor};
  int64_t bytes[2] = {8, 4};
};

} // namespace

//===----------------------------------------------------------------------===//
// Modules
//===----------------------------------------------------------------------===//

TEST_F(CudaKernelTest, KernelsAreFoundByNameOnce) {
  EXPECT_EQ(kernel("scale"), scale);
  EXPECT_NE(kernel("pairs"), scale);
  EXPECT_EQ(fakecuda::calls("cuModuleGetFunction"), 2);
  AmpRtKernel *missing = nullptr;
  EXPECT_FAILS(
      ampRtModuleGetKernel(module, "scales", &missing), AMP_RT_NOT_FOUND,
      "ampRtModuleGetKernel: module 'test': expected a kernel 'scales', "
      "but there is none of that name; see the names with 'cuobjdump "
      "-elf'");
  EXPECT_EQ(missing, nullptr);
}

TEST_F(CudaKernelTest, AttributesOfAKernel) {
  AmpRtKernelAttributes attributes;
  attributes.structSize = sizeof(attributes);
  ASSERT_EQ(ampRtKernelGetAttributes(scale, &attributes), AMP_RT_OK);
  EXPECT_EQ(attributes.registers, 168);
  EXPECT_EQ(attributes.threadsLimit, 384);
  EXPECT_EQ(attributes.argumentCount, 2);
  EXPECT_EQ(attributes.staticSharedBytes, 1024);
  EXPECT_EQ(attributes.localBytes, 0);
  EXPECT_EQ(attributes.sharedBytesLimit, 232448 - 1024);
  attributes.structSize = 7;
  EXPECT_EQ(ampRtKernelGetAttributes(scale, &attributes),
            AMP_RT_VERSION_MISMATCH);
}

TEST_F(CudaKernelTest, ImagesThatAreNone) {
  AmpRtModule *other = nullptr;
  EXPECT_FAILS(ampRtModuleLoad(device, "text", "int main() {}", 13, &other),
               AMP_RT_INVALID_ARGUMENT,
               "ampRtModuleLoad: module 'text': expected a cubin, a fatbin or "
               "PTX text, but the image is none; compile it for the GPU first");
  EXPECT_FAILS(
      ampRtModuleLoad(device, "none", ptx, 0, &other), AMP_RT_INVALID_ARGUMENT,
      "ampRtModuleLoad: module 'none': expected 'bytes' to be at least "
      "1, but got 0");
  // A PTX text with a zero in it was cut out of something.
  EXPECT_EQ(ampRtModuleLoad(device, "zero", ptx, sizeof(ptx), &other),
            AMP_RT_INVALID_ARGUMENT);
  EXPECT_EQ(fakecuda::calls("cuModuleLoadDataEx"), 1);
  EXPECT_EQ(other, nullptr);
}

TEST_F(CudaKernelTest, CubinsMustBeWhole) {
  CubinImage made;
  made.addKernel("first");
  made.addKernel("second");
  std::string image = made.make();
  AmpRtModule *cubin = nullptr;
  auto size = static_cast<int64_t>(image.size());
  EXPECT_FAILS(ampRtModuleLoad(device, "cut", image.data(), size - 1, &cubin),
               AMP_RT_INVALID_ARGUMENT,
               ("ampRtModuleLoad: module 'cut': expected a whole cubin, but "
                "its " +
                std::to_string(size - 1) +
                " bytes end before its sections do; build it again")
                   .c_str());
  EXPECT_EQ(ampRtModuleLoad(device, "cut", image.data(), 40, &cubin),
            AMP_RT_INVALID_ARGUMENT);
  ASSERT_EQ(ampRtModuleLoad(device, "whole", image.data(), size, &cubin),
            AMP_RT_OK)
      << ampRtStatusText();
  AmpRtKernel *first = nullptr;
  ASSERT_EQ(ampRtModuleGetKernel(cubin, "first", &first), AMP_RT_OK);
  AmpRtKernelAttributes attributes;
  attributes.structSize = sizeof(attributes);
  ASSERT_EQ(ampRtKernelGetAttributes(first, &attributes), AMP_RT_OK);
  EXPECT_EQ(attributes.argumentCount, -1) << "the driver cannot say";
  AmpRtLaunch launch = launchOfScale();
  launch.kernel = first;
  EXPECT_EQ(ampRtDeviceLaunch(device, &launch), AMP_RT_OK) << "so not checked";
  EXPECT_EQ(ampRtModuleUnload(cubin), AMP_RT_OK);
}

TEST_F(CudaKernelTest, FatbinsMustBeWhole) {
  std::string image("\x50\xed\x55\xba\x01\x00\x10\x00\x30\0\0\0\0\0\0\0", 16);
  AmpRtModule *other = nullptr;
  EXPECT_FAILS(
      ampRtModuleLoad(device, "cut", image.data(), 16, &other),
      AMP_RT_INVALID_ARGUMENT,
      "ampRtModuleLoad: module 'cut': expected a whole fatbin, but its "
      "16 bytes end before its code does; build it again");
  EXPECT_EQ(ampRtModuleLoad(device, "cut", image.data(), 8, &other),
            AMP_RT_INVALID_ARGUMENT);
  image.append(0x30, 'x');
  EXPECT_EQ(ampRtModuleLoad(device, "whole", image.data(), 64, &other),
            AMP_RT_OK);
  EXPECT_EQ(ampRtModuleUnload(other), AMP_RT_OK);
}

TEST_F(CudaKernelTest, ImagesThatTheDriverRefuses) {
  AmpRtModule *other = nullptr;
  const char text[] = ".version 8.0\n.target sm_90a\nnot ptx";
  EXPECT_FAILS(
      ampRtModuleLoad(device, "bad", text, sizeof(text) - 1, &other),
      AMP_RT_INVALID_ARGUMENT,
      "ampRtModuleLoad: device 'cuda': module 'bad': "
      "cuModuleLoadDataEx: ptxas application ptx input, line 3; fatal "
      ": Parsing error near 'not': syntax error: a PTX JIT compilation "
      "failed (CUDA_ERROR_INVALID_PTX, 218); compile for the Fake GPU, "
      "sm_90 or sm_90a, with a toolkit that is not newer than the "
      "driver");
  fakecuda::failCall("cuModuleLoadDataEx", 209);
  EXPECT_FAILS(
      ampRtModuleLoad(device, "old", ptx, sizeof(ptx) - 1, &other),
      AMP_RT_INVALID_ARGUMENT,
      "ampRtModuleLoad: device 'cuda': module 'old': "
      "cuModuleLoadDataEx: no kernel image is available for execution "
      "on the device (CUDA_ERROR_NO_BINARY_FOR_GPU, 209); compile for "
      "the Fake GPU, sm_90 or sm_90a, with a toolkit that is not newer "
      "than the driver");
  fakecuda::failCall("cuModuleLoadDataEx", 2);
  EXPECT_FAILS(
      ampRtModuleLoad(device, "big", ptx, sizeof(ptx) - 1, &other),
      AMP_RT_OUT_OF_MEMORY,
      "ampRtModuleLoad: device 'cuda': module 'big': "
      "cuModuleLoadDataEx: out of memory (CUDA_ERROR_OUT_OF_MEMORY, 2); "
      "use smaller batches, or free memory of other processes");
}

TEST_F(CudaKernelTest, UnloadingWaitsForTheKernels) {
  EXPECT_EQ(ampRtModuleUnload(module), AMP_RT_OK);
  module = nullptr;
  EXPECT_EQ(fakecuda::calls("cuStreamSynchronize"), 1);
  EXPECT_EQ(ampRtModuleUnload(nullptr), AMP_RT_OK);
}

TEST_F(CudaKernelTest, UnloadingUnloadsThoughItFails) {
  for (const char *function : {"cuStreamSynchronize", "cuModuleUnload"}) {
    AmpRtModule *other = nullptr;
    ASSERT_EQ(ampRtModuleLoad(device, "m", ptx, sizeof(ptx) - 1, &other),
              AMP_RT_OK);
    fakecuda::failCall(function, 999);
    EXPECT_EQ(ampRtModuleUnload(other), AMP_RT_DEVICE_ERROR);
    EXPECT_EQ(ampRtStatusText(),
              std::string("ampRtModuleUnload: device 'cuda': ") + function +
                  ": unknown error (CUDA_ERROR_UNKNOWN, 999); see the driver's "
                  "log ('dmesg', 'nvidia-smi')");
  }
}

TEST_F(CudaKernelTest, FailuresOfReadingAKernel) {
  AmpRtKernel *pairs = nullptr;
  for (const char *function : {"cuModuleGetFunction", "cuFuncGetAttribute"}) {
    fakecuda::failCall(function, 999);
    EXPECT_EQ(ampRtModuleGetKernel(module, "pairs", &pairs),
              AMP_RT_DEVICE_ERROR);
    EXPECT_EQ(ampRtStatusText(),
              std::string("ampRtModuleGetKernel: device 'cuda': ") + function +
                  ": unknown error (CUDA_ERROR_UNKNOWN, 999); see the driver's "
                  "log ('dmesg', 'nvidia-smi')");
  }
  EXPECT_EQ(pairs, nullptr);
}

TEST_F(CudaKernelTest, Nulls) {
  AmpRtModule *other = nullptr;
  AmpRtKernel *found = nullptr;
  AmpRtKernelAttributes attributes;
  EXPECT_EQ(ampRtModuleLoad(nullptr, "m", ptx, 1, &other),
            AMP_RT_INVALID_ARGUMENT);
  EXPECT_EQ(ampRtModuleLoad(device, nullptr, ptx, 1, &other),
            AMP_RT_INVALID_ARGUMENT);
  EXPECT_EQ(ampRtModuleLoad(device, "m", nullptr, 1, &other),
            AMP_RT_INVALID_ARGUMENT);
  EXPECT_EQ(ampRtModuleLoad(device, "m", ptx, 1, nullptr),
            AMP_RT_INVALID_ARGUMENT);
  EXPECT_EQ(ampRtModuleGetKernel(nullptr, "k", &found),
            AMP_RT_INVALID_ARGUMENT);
  EXPECT_EQ(ampRtModuleGetKernel(module, nullptr, &found),
            AMP_RT_INVALID_ARGUMENT);
  EXPECT_EQ(ampRtModuleGetKernel(module, "k", nullptr),
            AMP_RT_INVALID_ARGUMENT);
  EXPECT_EQ(ampRtKernelGetAttributes(nullptr, &attributes),
            AMP_RT_INVALID_ARGUMENT);
  EXPECT_EQ(ampRtKernelGetAttributes(scale, nullptr), AMP_RT_INVALID_ARGUMENT);
}

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

TEST_F(CudaKernelTest, ALaunchReachesTheDriverAsItIs) {
  AmpRtLaunch launch = launchOfScale();
  launch.grid[0] = 12;
  launch.grid[1] = 3;
  launch.threads[0] = 128;
  launch.threads[1] = 3;
  launch.cluster[0] = 4;
  launch.sharedBytes = 512;
  launch.flags = AMP_RT_LAUNCH_OVERLAPS;
  bool wasRun = false;
  fakecuda::define("scale", [&](const fakecuda::Launch &) { wasRun = true; });
  ASSERT_EQ(ampRtDeviceLaunch(device, &launch), AMP_RT_OK) << ampRtStatusText();
  EXPECT_TRUE(wasRun);
  ASSERT_EQ(fakecuda::launches().size(), 1u);
  fakecuda::Launch seen = fakecuda::launches()[0];
  EXPECT_EQ(seen.kernel, "scale");
  EXPECT_EQ(seen.grid[0], 12u);
  EXPECT_EQ(seen.grid[1], 3u);
  EXPECT_EQ(seen.grid[2], 1u);
  EXPECT_EQ(seen.block[0], 128u);
  EXPECT_EQ(seen.block[1], 3u);
  EXPECT_EQ(seen.cluster[0], 4u);
  EXPECT_EQ(seen.cluster[1], 1u);
  EXPECT_EQ(seen.sharedBytes, 512u);
  EXPECT_TRUE(seen.overlaps);
  ASSERT_EQ(seen.arguments.size(), 2u);
  EXPECT_EQ(std::memcmp(seen.arguments[0].data(), &memory, 8), 0);
  EXPECT_EQ(std::memcmp(seen.arguments[1].data(), &factor, 4), 0);
  EXPECT_EQ(fakecuda::calls("cuFuncSetAttribute"), 0) << "nothing to raise";
}

TEST_F(CudaKernelTest, AnEmptyGridLaunchesNothing) {
  AmpRtLaunch launch = launchOfScale();
  launch.grid[1] = 0;
  EXPECT_EQ(ampRtDeviceLaunch(device, &launch), AMP_RT_OK);
  EXPECT_EQ(fakecuda::calls("cuLaunchKernelEx"), 0);
}

// Up to 48 KB need nothing; above, the limit is raised once and never lowered.
TEST_F(CudaKernelTest, SharedMemoryAbove48KilobytesIsAskedFor) {
  AmpRtLaunch launch = launchOfScale();
  const struct {
    uint32_t bytes;
    int calls;
  } launches[] = {{49152, 0}, {49153, 1},  {1000, 1},
                  {49153, 1}, {231424, 2}, {100000, 2}};
  for (auto [sharedBytes, calls] : launches) {
    launch.sharedBytes = sharedBytes;
    EXPECT_EQ(ampRtDeviceLaunch(device, &launch), AMP_RT_OK)
        << ampRtStatusText();
    EXPECT_EQ(fakecuda::calls("cuFuncSetAttribute"), calls) << sharedBytes;
  }
  launch.sharedBytes = 231425;
  EXPECT_FAILS(
      ampRtDeviceLaunch(device, &launch), AMP_RT_INVALID_ARGUMENT,
      "ampRtDeviceLaunch: kernel 'scale': expected at most 231424 "
      "bytes of dynamic shared memory on the Fake GPU, but got 231425; "
      "use smaller tiles or fewer stages");
}

// Whichever thread is first, the limit ends at the largest.
TEST_F(CudaKernelTest, ThreadsMayLaunchAtOnce) {
  auto work = [this](uint32_t first) {
    AmpRtLaunch launch = launchOfScale();
    for (uint32_t i = 0; i < 500; ++i) {
      launch.sharedBytes = 49000 + (first + i * 37) % 1000;
      ASSERT_EQ(ampRtDeviceLaunch(device, &launch), AMP_RT_OK)
          << ampRtStatusText();
    }
  };
  std::thread first(work, 0), second(work, 500);
  first.join();
  second.join();
  EXPECT_EQ(fakecuda::calls("cuLaunchKernelEx"), 1000);
}

TEST_F(CudaKernelTest, ALimitThatCannotBeRaised) {
  AmpRtLaunch launch = launchOfScale();
  launch.sharedBytes = 60000;
  fakecuda::failCall("cuFuncSetAttribute", 1);
  EXPECT_FAILS(ampRtDeviceLaunch(device, &launch), AMP_RT_DEVICE_ERROR,
               "ampRtDeviceLaunch: device 'cuda': cuFuncSetAttribute: invalid "
               "argument (CUDA_ERROR_INVALID_VALUE, 1); see the driver's log "
               "('dmesg', 'nvidia-smi')");
  EXPECT_EQ(ampRtDeviceLaunch(device, &launch), AMP_RT_OK) << "tried again";
}

TEST_F(CudaKernelTest, ThreadsAndBlocksHaveLimits) {
  AmpRtLaunch launch = launchOfScale();
  launch.threads[0] = 385;
  EXPECT_FAILS(
      ampRtDeviceLaunch(device, &launch), AMP_RT_INVALID_ARGUMENT,
      "ampRtDeviceLaunch: kernel 'scale': expected at most 384 threads "
      "in a block, as its 168 registers allow, but got 385; compile it "
      "for more threads");
  launch.threads[0] = 384;
  EXPECT_EQ(ampRtDeviceLaunch(device, &launch), AMP_RT_OK);
  launch.threads[0] = 1;
  launch.threads[2] = 65;
  EXPECT_FAILS(
      ampRtDeviceLaunch(device, &launch), AMP_RT_INVALID_ARGUMENT,
      "ampRtDeviceLaunch: kernel 'scale': expected at most 65535 blocks "
      "and 64 threads in dimension 2, but got 1 and 65; move the rest "
      "to another dimension");
  launch.threads[2] = 64;
  launch.grid[1] = 65536;
  EXPECT_EQ(ampRtDeviceLaunch(device, &launch), AMP_RT_INVALID_ARGUMENT);
  launch.grid[1] = 65535;
  EXPECT_EQ(ampRtDeviceLaunch(device, &launch), AMP_RT_OK);
  launch.grid[0] = INT64_C(1) << 31;
  EXPECT_EQ(ampRtDeviceLaunch(device, &launch), AMP_RT_INVALID_ARGUMENT);
}

TEST_F(CudaKernelTest, ClustersDivideTheGrid) {
  AmpRtLaunch launch = launchOfScale();
  launch.grid[0] = 6;
  launch.cluster[0] = 4;
  EXPECT_FAILS(
      ampRtDeviceLaunch(device, &launch), AMP_RT_INVALID_ARGUMENT,
      "ampRtDeviceLaunch: device 'cuda': expected the cluster to divide "
      "the grid, but got 4 and 6 in dimension 0; round the grid up and "
      "let the kernel skip the rest");
  launch.grid[0] = 34;
  launch.cluster[0] = 17;
  EXPECT_FAILS(ampRtDeviceLaunch(device, &launch), AMP_RT_INVALID_ARGUMENT,
               "ampRtDeviceLaunch: kernel 'scale': expected at most 16 blocks "
               "in a cluster, but got 17; use smaller clusters");
  launch.grid[0] = 32;
  launch.cluster[0] = 8;
  EXPECT_EQ(ampRtDeviceLaunch(device, &launch), AMP_RT_OK);
  EXPECT_EQ(fakecuda::calls("cuFuncSetAttribute"), 0);
  launch.cluster[0] = 16;
  EXPECT_EQ(ampRtDeviceLaunch(device, &launch), AMP_RT_OK);
  EXPECT_EQ(ampRtDeviceLaunch(device, &launch), AMP_RT_OK);
  EXPECT_EQ(fakecuda::calls("cuFuncSetAttribute"), 1) << "more than 8";
}

TEST_F(CudaKernelTest, AKernelMayRequireItsCluster) {
  AmpRtLaunch launch = launchOfScale();
  launch.kernel = kernel("pairs");
  launch.argumentCount = 0;
  launch.grid[0] = 4;
  EXPECT_FAILS(
      ampRtDeviceLaunch(device, &launch), AMP_RT_INVALID_ARGUMENT,
      "ampRtDeviceLaunch: kernel 'pairs': expected clusters of 2 x 1 x "
      "1 blocks, for which it is compiled, but got 1 x 1 x 1");
  launch.cluster[0] = 2;
  EXPECT_EQ(ampRtDeviceLaunch(device, &launch), AMP_RT_OK) << ampRtStatusText();
}

TEST_F(CudaKernelTest, ArgumentsAreCountedAndMeasured) {
  AmpRtLaunch launch = launchOfScale();
  launch.argumentCount = 1;
  EXPECT_FAILS(ampRtDeviceLaunch(device, &launch), AMP_RT_INVALID_ARGUMENT,
               "ampRtDeviceLaunch: kernel 'scale': expected 2 arguments, but "
               "got 1");
  launch.argumentCount = 2;
  bytes[1] = 8;
  EXPECT_FAILS(ampRtDeviceLaunch(device, &launch), AMP_RT_INVALID_ARGUMENT,
               "ampRtDeviceLaunch: kernel 'scale': expected argument 1 to have "
               "4 bytes, but got 8");
}

TEST_F(CudaKernelTest, WhatIsNoKernelIsRefused) {
  AmpRtLaunch launch = launchOfScale();
  alignas(16) char other[256] = {};
  launch.kernel = other;
  EXPECT_EQ(ampRtDeviceLaunch(device, &launch), AMP_RT_INVALID_ARGUMENT);
  EXPECT_EQ(
      std::string(ampRtStatusText())
          .rfind("ampRtDeviceLaunch: device 'cuda': expected "
                 "'launch->kernel' to be a kernel of a loaded module, but "
                 "got 0x",
                 0),
      0u);
}

TEST_F(CudaKernelTest, ALaunchThatTheDriverRefuses) {
  AmpRtLaunch launch = launchOfScale();
  fakecuda::failCall("cuLaunchKernelEx", 999);
  EXPECT_FAILS(ampRtDeviceLaunch(device, &launch), AMP_RT_DEVICE_ERROR,
               "ampRtDeviceLaunch: device 'cuda': kernel 'scale': "
               "cuLaunchKernelEx: unknown error (CUDA_ERROR_UNKNOWN, 999); see "
               "the driver's log ('dmesg', 'nvidia-smi')");
}

// A driver before CUDA 12.4 does not say what a kernel's parameters are.
TEST_F(CudaTest, OlderDriversCannotCheckArguments) {
  fakecuda::set("parameterInfo", 0);
  ASSERT_EQ(open(), AMP_RT_OK) << ampRtStatusText();
  AmpRtModule *module = nullptr;
  AmpRtKernel *kernel = nullptr;
  ASSERT_EQ(ampRtModuleLoad(device, "m", ptx, sizeof(ptx) - 1, &module),
            AMP_RT_OK);
  ASSERT_EQ(ampRtModuleGetKernel(module, "scale", &kernel), AMP_RT_OK);
  AmpRtKernelAttributes attributes;
  attributes.structSize = sizeof(attributes);
  ASSERT_EQ(ampRtKernelGetAttributes(kernel, &attributes), AMP_RT_OK);
  EXPECT_EQ(attributes.argumentCount, -1);
  EXPECT_EQ(ampRtModuleUnload(module), AMP_RT_OK);
}

TEST_F(CudaTest, OlderGpusHaveNoClusters) {
  fakecuda::set("computeMajor", 8);
  ASSERT_EQ(open(), AMP_RT_OK);
  AmpRtModule *module = nullptr;
  AmpRtKernel *kernel = nullptr;
  ASSERT_EQ(ampRtModuleLoad(device, "m", ptx, sizeof(ptx) - 1, &module),
            AMP_RT_OK);
  ASSERT_EQ(ampRtModuleGetKernel(module, "scale", &kernel), AMP_RT_OK);
  AmpRtLaunch launch = {};
  launch.structSize = sizeof(launch);
  for (int i = 0; i < 3; ++i)
    launch.grid[i] = launch.threads[i] = launch.cluster[i] = i == 0 ? 2 : 1;
  launch.kernel = kernel;
  EXPECT_FAILS(ampRtDeviceLaunch(device, &launch), AMP_RT_UNAVAILABLE,
               "ampRtDeviceLaunch: kernel 'scale': expected a GPU of compute "
               "capability 9.0 or later for clusters, but 'Fake GPU' has 8.0; "
               "use a kernel without clusters");
  EXPECT_EQ(ampRtModuleUnload(module), AMP_RT_OK);
}

//===----------------------------------------------------------------------===//
// The fake itself: it sees what the runtime does not
//===----------------------------------------------------------------------===//

TEST_F(CudaKernelTest, TheFakeSeesUseAfterFree) {
  AmpRtLaunch launch = launchOfScale();
  void *freed = allocate(64), *live = memory;
  free(freed);
  memory = freed;
  EXPECT_EQ(ampRtDeviceLaunch(device, &launch), AMP_RT_DEVICE_ERROR);
  EXPECT_EQ(
      fakecuda::violations(),
      "cuLaunchKernelEx: expected argument 0 of scale to be live memory\n");
  memory = live;
  char host[128];
  EXPECT_EQ(ampRtDeviceCopy(device, memory, host, 128, AMP_RT_COPY_TO_DEVICE),
            AMP_RT_DEVICE_ERROR)
      << "past the end";
  EXPECT_EQ(ampRtDeviceCopy(device, host, memory, 8, AMP_RT_COPY_TO_DEVICE),
            AMP_RT_DEVICE_ERROR)
      << "the wrong way round";
  fakecuda::reset();
}

namespace {
/// A cubin's kernel: a pointer, a number, two words by value and a tensor map.
class CudaCubinTest : public OpenCudaTest {
protected:
  void SetUp() override {
    OpenCudaTest::SetUp();
    CubinImage made;
    made.addKernel("sums", {{8, 0, 16}, {4, 8}, {16, 16}, {128, 64}}, 384);
    made.addKernel("none", {}, 1024);
    std::string image = made.make();
    ASSERT_EQ(ampRtModuleLoad(device, "test", image.data(),
                              static_cast<int64_t>(image.size()), &module),
              AMP_RT_OK)
        << ampRtStatusText();
    ASSERT_EQ(ampRtModuleGetKernel(module, "sums", &sums), AMP_RT_OK)
        << ampRtStatusText();
    memory = words[1] = allocate(256);
    encode(memory);
  }
  void TearDown() override {
    free(memory);
    EXPECT_EQ(ampRtModuleUnload(module), AMP_RT_OK) << ampRtStatusText();
    OpenCudaTest::TearDown();
  }
  void encode(void *address) {
    AmpRtTensorMapDescription description = {};
    description.structSize = sizeof(description);
    description.elementType = AMP_RT_TENSOR_MAP_FLOAT32;
    description.rank = 1;
    description.address = address;
    description.sizes[0] = 64;
    description.box[0] = 16;
    description.elementSteps[0] = 1;
    ASSERT_EQ(ampRtTensorMapEncode(device, &description, &map), AMP_RT_OK)
        << ampRtStatusText();
  }
  AmpRtStatus launch(AmpRtKernel *kernel, int count) {
    void *arguments[] = {&pointer, &number, words, &map};
    int64_t bytes[] = {8, numberBytes, 16, 128};
    AmpRtLaunch launch = {};
    launch.structSize = sizeof(launch);
    for (int i = 0; i < 3; ++i)
      launch.grid[i] = launch.threads[i] = 1;
    launch.kernel = kernel;
    launch.arguments = arguments;
    launch.argumentBytes = bytes;
    launch.argumentCount = count;
    return ampRtDeviceLaunch(device, &launch);
  }
  /// What the fake complains of.
  std::string launchWrongly() {
    EXPECT_EQ(launch(sums, 4), AMP_RT_DEVICE_ERROR);
    std::string result = fakecuda::violations();
    fakecuda::reset();
    return result;
  }
  AmpRtModule *module = nullptr;
  AmpRtKernel *sums = nullptr;
  void *memory = nullptr, *pointer = nullptr;
  void *words[2] = {};
  int32_t number = 3;
  int64_t numberBytes = 4;
  AmpRtTensorMap map = {};
};
} // namespace

TEST_F(CudaCubinTest, ParametersAreKnown) {
  AmpRtKernelAttributes attributes;
  attributes.structSize = sizeof(attributes);
  ASSERT_EQ(ampRtKernelGetAttributes(sums, &attributes), AMP_RT_OK);
  EXPECT_EQ(attributes.argumentCount, 4);
  EXPECT_EQ(attributes.threadsLimit, 384);
  pointer = memory;
  EXPECT_EQ(launch(sums, 4), AMP_RT_OK) << ampRtStatusText();
  ASSERT_EQ(fakecuda::launches().size(), 1u);
  fakecuda::Launch seen = fakecuda::launches()[0];
  EXPECT_TRUE(seen.knowsArguments);
  ASSERT_EQ(seen.arguments.size(), 4u);
  EXPECT_EQ(std::memcmp(seen.arguments[2].data(), words, 16), 0);
  EXPECT_EQ(launch(sums, 3), AMP_RT_INVALID_ARGUMENT);
  EXPECT_STREQ(ampRtStatusText(), "ampRtDeviceLaunch: kernel 'sums': expected "
                                  "4 arguments, but got 3");
  numberBytes = 8;
  EXPECT_FAILS(launch(sums, 4), AMP_RT_INVALID_ARGUMENT,
               "ampRtDeviceLaunch: kernel 'sums': expected argument 1 to have "
               "4 bytes, but got 8");
  AmpRtKernel *none = nullptr;
  ASSERT_EQ(ampRtModuleGetKernel(module, "none", &none), AMP_RT_OK);
  EXPECT_EQ(launch(none, 0), AMP_RT_OK) << ampRtStatusText();
  EXPECT_FAILS(launch(none, 1), AMP_RT_INVALID_ARGUMENT,
               "ampRtDeviceLaunch: kernel 'none': expected 0 arguments, but "
               "got 1");
}

TEST_F(CudaCubinTest, TheFakeRefusesCodeOfAnotherGpu) {
  const struct {
    uint32_t architecture;
    bool isRight;
  } images[] = {{80, false}, {90, true}, {91, false}, {100, false}};
  for (auto [architecture, isRight] : images) {
    CubinImage made(architecture);
    made.addKernel("none", {}, 1024);
    std::string image = made.make();
    AmpRtModule *other = nullptr;
    AmpRtStatus status =
        ampRtModuleLoad(device, "other", image.data(),
                        static_cast<int64_t>(image.size()), &other);
    EXPECT_EQ(status == AMP_RT_OK, isRight) << architecture;
    if (!isRight)
      EXPECT_NE(std::string(ampRtStatusText()).find("NO_BINARY_FOR_GPU"),
                std::string::npos)
          << ampRtStatusText();
    EXPECT_EQ(ampRtModuleUnload(other), AMP_RT_OK);
  }
}

TEST_F(CudaCubinTest, TheFakeSeesAddressesThatAreNotLive) {
  void *freed = allocate(256);
  encode(freed);
  free(freed);
  pointer = memory;
  EXPECT_EQ(launchWrongly(), "cuLaunchKernelEx: expected argument 3 of sums to "
                             "be a tensor map of live memory\n");
  encode(memory);
  char host[16];
  for (void *wrong :
       {freed, static_cast<void *>(host), static_cast<void *>(nullptr),
        static_cast<void *>(static_cast<char *>(memory) + 256)}) {
    pointer = wrong;
    EXPECT_EQ(launchWrongly(), "cuLaunchKernelEx: expected argument 0 of sums "
                               "to be live memory\n");
  }
  pointer = static_cast<char *>(memory) + 8;
  EXPECT_EQ(launchWrongly(), "cuLaunchKernelEx: expected argument 0 of sums to "
                             "be a multiple of 16\n");
  pointer = static_cast<char *>(memory) + 16;
  EXPECT_EQ(launch(sums, 4), AMP_RT_OK) << ampRtStatusText();
  // Of two words by value nothing says that they are pointers.
  words[1] = freed;
  EXPECT_EQ(launchWrongly(), "cuLaunchKernelEx: expected argument 2 of sums to "
                             "be live memory at byte 8\n");
  words[1] = host;
  EXPECT_EQ(launch(sums, 4), AMP_RT_OK) << ampRtStatusText();
  std::memset(&map, 0, sizeof(map));
  EXPECT_EQ(launchWrongly(), "cuLaunchKernelEx: expected argument 3 of sums to "
                             "be a tensor map of live memory\n");
}
