//===-- CudaGridTest.cpp - The CUDA device: grids that fit it ---------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One launch on several fake devices: how many blocks it has there.
//
//===----------------------------------------------------------------------===//

#include "CudaFixture.h"

// 384 threads of 168 registers fill a multiprocessor; 256 of 64 have room for
// four blocks, if shared memory has.
static const char ptx[] = R"(//
.version 8.0
.target sm_90a
.visible .entry large()
.maxntid 384
// fake: registers=168
{ ret; }
.visible .entry small()
.maxntid 256
// fake: registers=64
{ ret; }
.visible .entry pairs()
.maxntid 384
.reqnctapercluster 2, 1, 1
// fake: registers=168
{ ret; }
)";

namespace {

struct Shape {
  const char *kernel;
  int64_t tiles, blocksPerProcessor, multiple;
  int64_t threads = 384, cluster = 1;
  uint32_t sharedBytes = 0;
};

class CudaGridTest : public CudaTest {
protected:
  void TearDown() override {
    ampRtModuleUnload(module);
    CudaTest::TearDown();
  }
  void openDevice(int64_t processors, int64_t clusterProcessors) {
    fakecuda::set("processors", processors);
    fakecuda::set("clusterProcessors", clusterProcessors);
    ASSERT_EQ(open(), AMP_RT_OK) << ampRtStatusText();
    ASSERT_EQ(ampRtModuleLoad(device, "test", ptx, sizeof(ptx) - 1, &module),
              AMP_RT_OK)
        << ampRtStatusText();
  }
  AmpRtLaunch launchOf(const Shape &shape) {
    AmpRtKernel *kernel = nullptr;
    EXPECT_EQ(ampRtModuleGetKernel(module, shape.kernel, &kernel), AMP_RT_OK)
        << ampRtStatusText();
    AmpRtLaunch launch = {};
    launch.structSize = sizeof(launch);
    launch.grid[0] = shape.tiles;
    launch.threads[0] = shape.threads;
    launch.cluster[0] = shape.cluster;
    launch.grid[1] = launch.grid[2] = 1;
    launch.threads[1] = launch.threads[2] = 1;
    launch.sharedBytes = shape.sharedBytes;
    launch.kernel = kernel;
    return launch;
  }
  /// Of the launch that the driver then sees.
  int64_t blocksOf(const Shape &shape) {
    AmpRtLaunch launch = launchOf(shape);
    EXPECT_EQ(ampRtDeviceFitGrid(device, &launch, shape.blocksPerProcessor,
                                 shape.multiple),
              AMP_RT_OK)
        << ampRtStatusText();
    EXPECT_EQ(ampRtDeviceLaunch(device, &launch), AMP_RT_OK)
        << ampRtStatusText();
    return fakecuda::launches().back().grid[0];
  }
  AmpRtModule *module = nullptr;
};

const Shape many = {"large", 100000, 1, 1};
const Shape few = {"large", 100, 1, 1};
const Shape eights = {"large", 100000, 1, 8};
const Shape two = {"small", 100000, 2, 1, 256};
const Shape pairs = {"pairs", 100000, 1, 2, 384, 2};

} // namespace

// 132 multiprocessors, as an H100 SXM or an H200 has.
TEST_F(CudaGridTest, AsManyBlocksAsTheDeviceHasMultiprocessors) {
  openDevice(132, 132);
  EXPECT_EQ(blocksOf(many), 132);
  EXPECT_EQ(blocksOf(few), 100);
  EXPECT_EQ(blocksOf(eights), 128);
  EXPECT_EQ(blocksOf(two), 264);
  EXPECT_EQ(blocksOf(pairs), 132);
}

// 78 of them, an H20, on which six find no neighbour for a cluster.
TEST_F(CudaGridTest, FewerOnASmallerDevice) {
  openDevice(78, 72);
  EXPECT_EQ(blocksOf(many), 78);
  EXPECT_EQ(blocksOf(few), 78);
  EXPECT_EQ(blocksOf(eights), 72);
  EXPECT_EQ(blocksOf(two), 156);
  EXPECT_EQ(blocksOf(pairs), 72);
}

TEST_F(CudaGridTest, NoMoreThanTheDeviceHasRoomFor) {
  openDevice(10, 10);
  // The registers of one block leave none for a second.
  EXPECT_EQ(blocksOf({"large", 1000, 2, 1}), 10);
  EXPECT_EQ(blocksOf({"small", 1000, 8, 1, 256}), 40);
  // 227 KB and a kilobyte for each block: two of 113, not two of 114.
  EXPECT_EQ(blocksOf({"small", 1000, 8, 1, 256, 1, 113 << 10}), 20);
  EXPECT_EQ(blocksOf({"small", 1000, 8, 1, 256, 1, 114 << 10}), 10);
}

// A grid that the kernel can walk with, even where it does not fit at once.
TEST_F(CudaGridTest, AtLeastOneMultiple) {
  openDevice(4, 4);
  EXPECT_EQ(blocksOf({"large", 24, 1, 12}), 12);
  EXPECT_EQ(blocksOf({"large", 0, 1, 1}), 1) << "nothing to do";
  EXPECT_EQ(blocksOf({"pairs", 2, 1, 2, 384, 2}), 2);
}

TEST_F(CudaGridTest, RefusesWhatHasNoRoom) {
  openDevice(132, 0);
  AmpRtLaunch launch = launchOf(pairs);
  EXPECT_FAILS(
      ampRtDeviceFitGrid(device, &launch, 1, 2), AMP_RT_INVALID_ARGUMENT,
      "ampRtDeviceFitGrid: kernel 'pairs': expected the Fake GPU to have room "
      "for clusters of 2 blocks with 384 threads and 0 bytes of shared memory, "
      "but it has none; use smaller clusters, smaller tiles or fewer stages");
  launch = launchOf(many);
  launch.threads[0] = 385;
  EXPECT_FAILS(
      ampRtDeviceFitGrid(device, &launch, 1, 1), AMP_RT_INVALID_ARGUMENT,
      "ampRtDeviceFitGrid: kernel 'large': expected at most 384 threads in a "
      "block, as its 168 registers allow, but got 385; compile it for more "
      "threads");
  EXPECT_EQ(launch.grid[0], 100000) << "left as it was";
}

TEST_F(CudaGridTest, RefusesGridsThatItCannotCount) {
  openDevice(132, 132);
  AmpRtLaunch launch = launchOf(pairs);
  EXPECT_FAILS(
      ampRtDeviceFitGrid(device, &launch, 1, 3), AMP_RT_INVALID_ARGUMENT,
      "ampRtDeviceFitGrid: device 'cuda': expected 1 to 32 blocks for each "
      "multiprocessor and a multiple of the cluster's 2 blocks, but got 1 and "
      "3");
  EXPECT_EQ(ampRtDeviceFitGrid(device, &launch, 0, 2), AMP_RT_INVALID_ARGUMENT);
  EXPECT_EQ(ampRtDeviceFitGrid(device, &launch, 33, 2),
            AMP_RT_INVALID_ARGUMENT);
  EXPECT_EQ(ampRtDeviceFitGrid(device, &launch, 1, 0), AMP_RT_INVALID_ARGUMENT);
  EXPECT_EQ(ampRtDeviceFitGrid(nullptr, &launch, 1, 2),
            AMP_RT_INVALID_ARGUMENT);
  EXPECT_EQ(ampRtDeviceFitGrid(device, nullptr, 1, 2), AMP_RT_INVALID_ARGUMENT);
  launch.grid[1] = 3;
  EXPECT_FAILS(
      ampRtDeviceFitGrid(device, &launch, 1, 2), AMP_RT_INVALID_ARGUMENT,
      "ampRtDeviceFitGrid: device 'cuda': expected a grid of one dimension, "
      "but got 100000 x 3 x 1; launch it as it is");
}

TEST_F(CudaGridTest, FailuresOfTheDriver) {
  openDevice(132, 132);
  const struct {
    const char *function;
    Shape shape;
  } failures[] = {{"cuOccupancyMaxActiveClusters", pairs},
                  {"cuOccupancyMaxActiveBlocksPerMultiprocessor", many}};
  for (const auto &[function, shape] : failures) {
    AmpRtLaunch launch = launchOf(shape);
    fakecuda::failCall(function, 999);
    EXPECT_EQ(ampRtDeviceFitGrid(device, &launch, 1, shape.multiple),
              AMP_RT_DEVICE_ERROR);
    EXPECT_EQ(ampRtStatusText(),
              std::string("ampRtDeviceFitGrid: device 'cuda': ") + function +
                  ": unknown error (CUDA_ERROR_UNKNOWN, 999); see the driver's "
                  "log ('dmesg', 'nvidia-smi')");
  }
}
