//===-- CudaTensorMapTest.cpp - Tensor maps and their rules ---------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CudaFixture.h"

#include <cstring>
#include <functional>

namespace {

using Description = AmpRtTensorMapDescription;

class CudaTensorMapTest : public OpenCudaTest {
protected:
  void SetUp() override {
    OpenCudaTest::SetUp();
    memory = allocate(1 << 20);
  }
  void TearDown() override {
    free(memory);
    OpenCudaTest::TearDown();
  }
  /// 256 rows of 512 halves; a copy takes 128 rows of 64, swizzled.
  Description tiled() {
    Description result = {};
    result.structSize = sizeof(result);
    result.elementType = AMP_RT_TENSOR_MAP_BFLOAT16;
    result.rank = 2;
    result.swizzle = AMP_RT_TENSOR_MAP_SWIZZLE_128B;
    result.promotion = AMP_RT_TENSOR_MAP_PROMOTE_256B;
    result.address = memory;
    result.sizes[0] = 512;
    result.sizes[1] = 256;
    result.strides[0] = 1024;
    result.box[0] = 64;
    result.box[1] = 128;
    for (int &step : result.elementSteps)
      step = 1;
    return result;
  }
  /// A 3x3 filter, padded by 1, over two 16x16 images of 64 channels, NHWC.
  Description im2col() {
    Description result = tiled();
    result.kind = AMP_RT_TENSOR_MAP_IM2COL;
    result.rank = 4;
    const int64_t sizes[] = {64, 16, 16, 2};
    const int64_t strides[] = {128, 2048, 32768};
    std::memcpy(result.sizes, sizes, sizeof(sizes));
    std::memcpy(result.strides, strides, sizeof(strides));
    for (int i = 0; i < 2; ++i)
      result.lowerCorner[i] = result.upperCorner[i] = -1;
    result.channels = 64;
    result.pixels = 128;
    return result;
  }
  AmpRtStatus encode(const Description &description) {
    return ampRtTensorMapEncode(device, &description, &map);
  }
  void *memory = nullptr;
  AmpRtTensorMap map = {};
};

struct Rule {
  std::function<void(Description &)> change;
  const char *text;
};

} // namespace

TEST_F(CudaTensorMapTest, TiledMapsReachTheDriverAsTheyAre) {
  ASSERT_EQ(encode(tiled()), AMP_RT_OK) << ampRtStatusText();
  fakecuda::Map seen;
  std::memcpy(&seen, &map, sizeof(seen));
  EXPECT_EQ(seen.magic, fakecuda::kMapMagic);
  EXPECT_EQ(seen.type, AMP_RT_TENSOR_MAP_BFLOAT16);
  EXPECT_EQ(seen.rank, 2);
  EXPECT_EQ(seen.swizzle, AMP_RT_TENSOR_MAP_SWIZZLE_128B);
  EXPECT_EQ(seen.address, reinterpret_cast<uint64_t>(memory));
  EXPECT_EQ(seen.sizes[0], 512u);
  EXPECT_EQ(seen.sizes[1], 256u);
  EXPECT_EQ(seen.strides[0], 1024u);
  EXPECT_EQ(seen.box[0], 64);
  EXPECT_EQ(seen.box[1], 128);
}

TEST_F(CudaTensorMapTest, AllRanks) {
  for (int rank = 1; rank <= 5; ++rank) {
    Description description = tiled();
    description.rank = rank;
    for (int i = 0; i < 5; ++i) {
      description.sizes[i] = i ? 2 : 512;
      description.box[i] = i ? 2 : 64;
    }
    for (int i = 0; i < 4; ++i)
      description.strides[i] = 1024 << i;
    EXPECT_EQ(encode(description), AMP_RT_OK) << ampRtStatusText();
  }
  EXPECT_EQ(fakecuda::calls("cuTensorMapEncodeTiled"), 5);
}

TEST_F(CudaTensorMapTest, Im2colMaps) {
  ASSERT_EQ(encode(im2col()), AMP_RT_OK) << ampRtStatusText();
  EXPECT_EQ(fakecuda::calls("cuTensorMapEncodeIm2col"), 1);
  fakecuda::Map seen;
  std::memcpy(&seen, &map, sizeof(seen));
  EXPECT_EQ(seen.isIm2col, 1);
  EXPECT_EQ(seen.sizes[3], 2u);
}

//===----------------------------------------------------------------------===//
// The cache
//===----------------------------------------------------------------------===//

TEST_F(CudaTensorMapTest, EqualDescriptionsAreEncodedOnce) {
  ASSERT_EQ(encode(tiled()), AMP_RT_OK);
  AmpRtTensorMap first = map;
  std::memset(&map, 0, sizeof(map));
  Description same = tiled();
  // What the rank and the kind leave unused makes no difference.
  same.sizes[3] = 99;
  same.strides[1] = 5;
  same.box[4] = -1;
  same.elementSteps[2] = 100;
  same.channels = 1;
  same.lowerCorner[0] = 77;
  ASSERT_EQ(encode(same), AMP_RT_OK) << ampRtStatusText();
  EXPECT_EQ(std::memcmp(&first, &map, sizeof(map)), 0);
  EXPECT_EQ(fakecuda::calls("cuTensorMapEncodeTiled"), 1);
  Description other = tiled();
  other.box[1] = 64;
  ASSERT_EQ(encode(other), AMP_RT_OK);
  EXPECT_EQ(fakecuda::calls("cuTensorMapEncodeTiled"), 2);
}

TEST_F(CudaTensorMapTest, TheCacheKeepsTheLatest) {
  Description description = tiled();
  for (int i = 0; i < 5000; ++i) {
    description.address = static_cast<char *>(memory) + 16 * i;
    description.sizes[1] = 4;
    ASSERT_EQ(encode(description), AMP_RT_OK);
    AmpRtTensorMap first = map;
    ASSERT_EQ(encode(description), AMP_RT_OK);
    ASSERT_EQ(std::memcmp(&first, &map, sizeof(map)), 0);
  }
  EXPECT_EQ(fakecuda::calls("cuTensorMapEncodeTiled"), 5000);
}

TEST_F(CudaTensorMapTest, AFailureIsNotKept) {
  fakecuda::failCall("cuTensorMapEncodeTiled", 1);
  EXPECT_FAILS(
      encode(tiled()), AMP_RT_DEVICE_ERROR,
      "ampRtTensorMapEncode: device 'cuda': cuTensorMapEncodeTiled: "
      "invalid argument (CUDA_ERROR_INVALID_VALUE, 1); the description "
      "breaks a rule that libamp-rt does not know; see the driver API's "
      "documentation");
  EXPECT_EQ(encode(tiled()), AMP_RT_OK);
  fakecuda::failCall("cuTensorMapEncodeIm2col", 1);
  EXPECT_EQ(encode(im2col()), AMP_RT_DEVICE_ERROR);
  EXPECT_EQ(encode(im2col()), AMP_RT_OK);
}

//===----------------------------------------------------------------------===//
// Rules
//===----------------------------------------------------------------------===//

TEST_F(CudaTensorMapTest, RulesOfTiledMaps) {
  const Rule rules[] = {
      {[](Description &d) { d.kind = 2; },
       "'kind' to be from 0 to 1, but got 2"},
      {[](Description &d) { d.elementType = 13; },
       "'elementType' to be from 0 to 12, but got 13"},
      {[](Description &d) { d.interleave = 3; },
       "'interleave' to be from 0 to 2, but got 3"},
      {[](Description &d) { d.swizzle = 4; },
       "'swizzle' to be from 0 to 3, but got 4"},
      {[](Description &d) { d.promotion = -1; },
       "'promotion' to be from 0 to 3, but got -1"},
      {[](Description &d) { d.fill = 2; },
       "'fill' to be from 0 to 1, but got 2"},
      {[](Description &d) { d.rank = 0; },
       "'rank' to be from 1 to 5, but got 0"},
      {[](Description &d) { d.rank = 6; },
       "'rank' to be from 1 to 5, but got 6"},
      {[](Description &d) { d.interleave = 1; },
       "'rank' to be at least 3 for an interleaved layout, but got 2; add "
       "dimensions of size 1"},
      {[](Description &d) {
         d.interleave = 2;
         d.rank = 3;
       },
       "'swizzle' to be 32 bytes with an interleave of 32 bytes, but got 3; "
       "take AMP_RT_TENSOR_MAP_SWIZZLE_32B"},
      {[](Description &d) { d.address = reinterpret_cast<void *>(0x1008); },
       "'address' to be a multiple of 16, but got 0x1008; align the tensor"},
      {[](Description &d) { d.sizes[1] = 0; },
       "'sizes[1]' to be from 1 to 4294967296, but got 0"},
      {[](Description &d) { d.sizes[0] = (INT64_C(1) << 32) + 1; },
       "'sizes[0]' to be from 1 to 4294967296, but got 4294967297"},
      {[](Description &d) { d.strides[0] = 1000; },
       "'strides[0]' to be a multiple of 16, but got 1000; pad the rows, or "
       "use a kernel that copies by threads"},
      {[](Description &d) { d.strides[0] = INT64_C(1) << 40; },
       "'strides[0]' to be from 0 to 1099511627775, but got 1099511627776"},
      {[](Description &d) { d.elementSteps[1] = 9; },
       "'elementSteps[1]' to be from 1 to 8, but got 9"},
      {[](Description &d) { d.elementSteps[1] = 0; },
       "'elementSteps[1]' to be from 1 to 8, but got 0"},
      {[](Description &d) { d.elementSteps[0] = 2; },
       "'elementSteps[0]' to be 1 without interleave, but got 2; tensor maps "
       "take every element of the innermost dimension"},
      {[](Description &d) { d.box[1] = 257; },
       "'box[1]' to be from 1 to 256, but got 257"},
      {[](Description &d) { d.box[0] = 0; },
       "'box[0]' to be from 1 to 256, but got 0"},
      {[](Description &d) { d.box[0] = 12; },
       "'box[0]' to take a multiple of 16 bytes, but got 24; copy more "
       "elements"},
      {[](Description &d) { d.box[0] = 72; },
       "'box[0]' to take at most the 128 bytes of the swizzle, but got 144; "
       "split the box into several copies"},
      {[](Description &d) { d.swizzle = AMP_RT_TENSOR_MAP_SWIZZLE_64B; },
       "'box[0]' to take at most the 64 bytes of the swizzle, but got 128; "
       "split the box into several copies"},
      {[](Description &d) {
         d.elementType = AMP_RT_TENSOR_MAP_UINT8;
         d.fill = AMP_RT_TENSOR_MAP_FILL_NAN;
       },
       "'fill' to be zero for elements that are no floats, but got 0; take "
       "AMP_RT_TENSOR_MAP_FILL_ZERO"},
  };
  for (const Rule &rule : rules) {
    Description description = tiled();
    rule.change(description);
    EXPECT_EQ(encode(description), AMP_RT_INVALID_ARGUMENT) << rule.text;
    EXPECT_EQ(ampRtStatusText(),
              std::string("ampRtTensorMapEncode: device 'cuda': expected ") +
                  rule.text);
  }
  EXPECT_EQ(fakecuda::calls("cuTensorMapEncodeTiled"), 0)
      << "the driver is not asked";
}

TEST_F(CudaTensorMapTest, RulesOfIm2colMaps) {
  const Rule rules[] = {
      {[](Description &d) { d.rank = 2; },
       "'rank' to be at least 3 for im2col, but got 2; add dimensions of size "
       "1"},
      {[](Description &d) { d.lowerCorner[1] = -129; },
       "'lowerCorner[1]' to be from -128 to 127, but got -129"},
      {[](Description &d) { d.upperCorner[0] = 128; },
       "'upperCorner[0]' to be from -128 to 127, but got 128"},
      {[](Description &d) { d.upperCorner[0] = -17; },
       "the box between the corners to have pixels in dimension 1, but got 0; "
       "the filter is larger than the padded image"},
      {[](Description &d) { d.channels = 257; },
       "'channels' to be from 1 to 256, but got 257"},
      {[](Description &d) { d.channels = 4; },
       "'channels' to take a multiple of 16 bytes, but got 8; copy more "
       "elements"},
      {[](Description &d) { d.channels = 128; },
       "'channels' to take at most the 128 bytes of the swizzle, but got 256; "
       "split the box into several copies"},
      {[](Description &d) { d.pixels = 1025; },
       "'pixels' to be from 1 to 1024, but got 1025"},
      {[](Description &d) { d.pixels = 0; },
       "'pixels' to be from 1 to 1024, but got 0"},
      {[](Description &d) {
         d.rank = 5;
         d.sizes[4] = 1;
         d.strides[3] = 65536;
         d.lowerCorner[0] = -17;
       },
       "'lowerCorner[0]' to be from -16 to 15, but got -17"},
  };
  for (const Rule &rule : rules) {
    Description description = im2col();
    rule.change(description);
    EXPECT_EQ(encode(description), AMP_RT_INVALID_ARGUMENT) << rule.text;
    EXPECT_EQ(ampRtStatusText(),
              std::string("ampRtTensorMapEncode: device 'cuda': expected ") +
                  rule.text);
  }
  EXPECT_EQ(fakecuda::calls("cuTensorMapEncodeIm2col"), 0);
}

// The last that is still right, next to each rule above.
TEST_F(CudaTensorMapTest, NearMisses) {
  const std::function<void(Description &)> changes[] = {
      [](Description &d) { d.sizes[0] = INT64_C(1) << 32; },
      [](Description &d) { d.strides[0] = (INT64_C(1) << 40) - 16; },
      [](Description &d) { d.strides[0] = 0; },
      [](Description &d) { d.box[1] = 256; },
      [](Description &d) { d.box[0] = 8; },
      [](Description &d) { d.elementSteps[1] = 8; },
      [](Description &d) { d.fill = AMP_RT_TENSOR_MAP_FILL_NAN; },
      [](Description &d) {
        d.swizzle = AMP_RT_TENSOR_MAP_NOT_SWIZZLED;
        d.box[0] = 256;
      },
      [](Description &d) {
        d.rank = 3;
        d.sizes[2] = d.box[2] = 1;
        d.strides[1] = 32;
        d.interleave = AMP_RT_TENSOR_MAP_INTERLEAVE_32B;
        d.swizzle = AMP_RT_TENSOR_MAP_SWIZZLE_32B;
        d.box[0] = 3; // no multiple of 16 bytes is asked for
      }};
  for (const auto &change : changes) {
    Description description = tiled();
    change(description);
    EXPECT_EQ(encode(description), AMP_RT_OK) << ampRtStatusText();
  }
  Description description = im2col();
  description.lowerCorner[0] = -128;
  description.upperCorner[0] = 127;
  description.pixels = 1024;
  EXPECT_EQ(encode(description), AMP_RT_OK) << ampRtStatusText();
}

TEST_F(CudaTensorMapTest, NullsAndVersions) {
  Description description = tiled();
  EXPECT_EQ(ampRtTensorMapEncode(nullptr, &description, &map),
            AMP_RT_INVALID_ARGUMENT);
  EXPECT_EQ(ampRtTensorMapEncode(device, nullptr, &map),
            AMP_RT_INVALID_ARGUMENT);
  EXPECT_EQ(ampRtTensorMapEncode(device, &description, nullptr),
            AMP_RT_INVALID_ARGUMENT);
  description.address = nullptr;
  EXPECT_FAILS(
      encode(description), AMP_RT_INVALID_ARGUMENT,
      "ampRtTensorMapEncode: expected 'description->address' not to be "
      "null");
  description.structSize = 0;
  EXPECT_EQ(encode(description), AMP_RT_VERSION_MISMATCH);
}

TEST_F(CudaTest, OlderGpusHaveNoTensorMaps) {
  fakecuda::set("computeMajor", 8);
  ASSERT_EQ(open(), AMP_RT_OK);
  AmpRtTensorMapDescription description = {};
  description.structSize = sizeof(description);
  description.rank = 1;
  description.address = reinterpret_cast<void *>(uintptr_t(4096));
  description.sizes[0] = description.box[0] = 16;
  description.elementSteps[0] = 1;
  AmpRtTensorMap map;
  EXPECT_FAILS(ampRtTensorMapEncode(device, &description, &map),
               AMP_RT_UNAVAILABLE,
               "ampRtTensorMapEncode: device 'cuda': expected a GPU of compute "
               "capability 9.0 or later, but 'Fake GPU' has 8.0; use a kernel "
               "without tensor maps");
}

// Passed by value: the launch reads the map's bytes, whose tensor must be live
// then.
TEST_F(CudaTensorMapTest, MapsAreArgumentsOfKernels) {
  const char ptx[] = ".version 8.0\n.visible .entry mapped("
                     ".param .align 64 .b8 mapped_0[128])\n{ ret; }";
  AmpRtModule *module = nullptr;
  AmpRtKernel *kernel = nullptr;
  ASSERT_EQ(ampRtModuleLoad(device, "m", ptx, sizeof(ptx) - 1, &module),
            AMP_RT_OK);
  ASSERT_EQ(ampRtModuleGetKernel(module, "mapped", &kernel), AMP_RT_OK);
  ASSERT_EQ(encode(tiled()), AMP_RT_OK);
  void *arguments[] = {&map};
  const int64_t bytes[] = {sizeof(map)};
  AmpRtLaunch launch = {};
  launch.structSize = sizeof(launch);
  for (int i = 0; i < 3; ++i)
    launch.grid[i] = launch.threads[i] = 1;
  launch.kernel = kernel;
  launch.arguments = arguments;
  launch.argumentBytes = bytes;
  launch.argumentCount = 1;
  EXPECT_EQ(ampRtDeviceLaunch(device, &launch), AMP_RT_OK) << ampRtStatusText();
  EXPECT_EQ(ampRtModuleUnload(module), AMP_RT_OK);
}
