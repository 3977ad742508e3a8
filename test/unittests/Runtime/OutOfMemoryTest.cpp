//===-- OutOfMemoryTest.cpp - Objects that no memory is left for ----------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A process of its own, whose `operator new`, `strdup` and `posix_memalign`
// take the place of the C++ and the C library's and give nothing where a test
// says so. A call that fails says what for, and leaves its result as it was.
//
//===----------------------------------------------------------------------===//

#include "CudaProgramFixture.h"
#include "amp-rt/Blas.h"
#include "amp-rt/Device.h"
#include "amp-rt/Run.h"
#include "amp-rt/Scaler.h"
#include "amp-rt/Status.h"
#include "amp-rt/Tap.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <new>

static bool newFails = false, strdupFails = false;
/// How many calls of posix_memalign are refused from now on.
static int memalignRefusals = 0;

void *operator new(std::size_t size, const std::nothrow_t &) noexcept {
  return newFails ? nullptr : ::operator new(size);
}

extern "C" char *strdup(const char *text) {
  if (strdupFails)
    return nullptr;
  std::size_t size = std::strlen(text) + 1;
  void *copy = std::malloc(size);
  return copy ? static_cast<char *>(std::memcpy(copy, text, size)) : nullptr;
}

extern "C" int posix_memalign(void **pointer, std::size_t alignment,
                              std::size_t size) {
  if (memalignRefusals > 0) {
    --memalignRefusals;
    return ENOMEM;
  }
  *pointer = std::aligned_alloc(alignment,
                                (size + alignment - 1) / alignment * alignment);
  return *pointer ? 0 : ENOMEM;
}

/// `call` fails with AMP_RT_OUT_OF_MEMORY and `text` while `what` is set, and
/// then does not.
static void expectFails(bool &what, const char *text,
                        const std::function<AmpRtStatus()> &call) {
  what = true;
  AmpRtStatus status = call();
  what = false;
  EXPECT_EQ(status, AMP_RT_OUT_OF_MEMORY);
  EXPECT_STREQ(ampRtStatusText(), text);
  EXPECT_EQ(call(), AMP_RT_OK) << "the same with memory";
}

TEST(OutOfMemory, Tap) {
  AmpRtTap *tap = nullptr;
  expectFails(newFails,
              "ampRtTapCreate: no memory left for a tap; destroy objects that "
              "are no longer used",
              [&] {
                EXPECT_EQ(tap, nullptr);
                return ampRtTapCreate(&tap);
              });
  ampRtTapDestroy(tap);
}

TEST(OutOfMemory, Run) {
  AmpRtRun *run = nullptr;
  expectFails(newFails,
              "ampRtRunCreate: no memory left for a run; destroy objects that "
              "are no longer used",
              [&] {
                EXPECT_EQ(run, nullptr);
                return ampRtRunCreate(&run);
              });
  ampRtRunDestroy(run);
}

TEST(OutOfMemory, Scaler) {
  AmpRtScaler *scaler = nullptr;
  auto create = [&] {
    EXPECT_EQ(scaler, nullptr);
    return ampRtScalerCreate("s", nullptr, &scaler);
  };
  expectFails(newFails,
              "ampRtScalerCreate: no memory left for a scaler; destroy objects "
              "that are no longer used",
              create);
  ampRtScalerDestroy(scaler);
  scaler = nullptr;
  expectFails(strdupFails,
              "ampRtScalerCreate: no memory left for the name of a scaler; "
              "destroy objects that are no longer used",
              create);
  ampRtScalerDestroy(scaler);
}

TEST(OutOfMemory, Blas) {
  AmpRtBlasOptions options;
  ampRtBlasOptionsInit(&options);
  options.path = "nowhere";
  AmpRtBlas *blas = nullptr;
  auto create = [&] {
    EXPECT_EQ(blas, nullptr);
    return ampRtBlasCreate(&options, &blas);
  };
  expectFails(newFails,
              "ampRtBlasCreate: no memory left for a BLAS object; destroy "
              "objects that are no longer used",
              create);
  ampRtBlasDestroy(blas);
  blas = nullptr;
  expectFails(
      strdupFails,
      "ampRtBlasCreate: no memory left for a path; destroy objects that "
      "are no longer used",
      create);
  ampRtBlasDestroy(blas);
}

// A block is memory and its record; without the record the memory goes back.
TEST(OutOfMemory, RecordOfABlock) {
  AmpRtDevice *device = nullptr;
  ASSERT_EQ(ampRtDeviceGet("host", &device), AMP_RT_OK);
  void *pointer = nullptr;
  newFails = true;
  EXPECT_EQ(ampRtDeviceAllocate(device, 4096 + 64, 64, &pointer),
            AMP_RT_OUT_OF_MEMORY);
  newFails = false;
  EXPECT_EQ(pointer, nullptr);
  ASSERT_EQ(ampRtDeviceAllocate(device, 4096 + 64, 64, &pointer), AMP_RT_OK);
  EXPECT_EQ(ampRtDeviceFree(device, pointer), AMP_RT_OK);
}

// What was kept for later goes back before a program is refused memory.
TEST(OutOfMemory, KeptBlocksGoFirst) {
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
  GTEST_SKIP() << "blocks are not kept under AddressSanitizer";
#endif
#endif
  AmpRtDevice *device = nullptr;
  ASSERT_EQ(ampRtDeviceGet("host", &device), AMP_RT_OK);
  void *large = nullptr, *small = nullptr, *other = nullptr;
  ASSERT_EQ(ampRtDeviceAllocate(device, 1 << 20, 64, &large), AMP_RT_OK);
  ASSERT_EQ(ampRtDeviceAllocate(device, 1 << 16, 64, &small), AMP_RT_OK);
  ASSERT_EQ(ampRtDeviceFree(device, large), AMP_RT_OK);
  ASSERT_EQ(ampRtDeviceFree(device, small), AMP_RT_OK);
  memalignRefusals = 1;
  EXPECT_EQ(ampRtDeviceAllocate(device, 1 << 15, 64, &other), AMP_RT_OK);
  EXPECT_EQ(memalignRefusals, 0);
  AmpRtDeviceStatistics statistics;
  statistics.structSize = sizeof(statistics);
  ASSERT_EQ(ampRtDeviceGetStatistics(device, &statistics), AMP_RT_OK);
  EXPECT_EQ(statistics.bytesReserved, 1 << 15) << "nothing is kept any more";
  EXPECT_EQ(ampRtDeviceFree(device, other), AMP_RT_OK);
  // Nothing is left to give back.
  void *none = nullptr;
  memalignRefusals = 9;
  EXPECT_EQ(ampRtDeviceAllocate(device, 1 << 14, 64, &none),
            AMP_RT_OUT_OF_MEMORY);
  EXPECT_EQ(none, nullptr);
  memalignRefusals = 0;
}

namespace {
/// The fake driver says at the end what was not given back.
using CudaOutOfMemory = OpenCudaTest;
} // namespace

static const char ptx[] = R"(
.version 8.0
.target sm_90a
.visible .entry scale(.param .u32 scale_0)
{ ret; }
)";

TEST_F(CudaOutOfMemory, Event) {
  AmpRtEvent *event = nullptr;
  expectFails(newFails,
              "ampRtEventCreate: no memory left for an event; destroy objects "
              "that are no longer used",
              [&] {
                EXPECT_EQ(event, nullptr);
                return ampRtEventCreate(device, &event);
              });
  EXPECT_EQ(ampRtEventDestroy(event), AMP_RT_OK);
}

TEST_F(CudaOutOfMemory, Allocation) {
  void *pointer = nullptr;
  expectFails(newFails,
              "ampRtDeviceAllocate: no memory left for an allocation's record; "
              "destroy objects that are no longer used",
              [&] {
                EXPECT_EQ(pointer, nullptr);
                return ampRtDeviceAllocate(device, 64, 0, &pointer);
              });
  free(pointer);
}

TEST_F(CudaOutOfMemory, ModuleAndKernel) {
  AmpRtModule *module = nullptr;
  const char *text = "ampRtModuleLoad: no memory left for a module; destroy "
                     "objects that are no longer used";
  auto load = [&] {
    EXPECT_EQ(module, nullptr);
    return ampRtModuleLoad(device, "m", ptx, sizeof(ptx) - 1, &module);
  };
  expectFails(newFails, text, load);
  ASSERT_EQ(ampRtModuleUnload(module), AMP_RT_OK);
  module = nullptr;
  expectFails(strdupFails, text, load);

  AmpRtKernel *kernel = nullptr;
  text = "ampRtModuleGetKernel: no memory left for a kernel; destroy objects "
         "that are no longer used";
  auto get = [&] {
    EXPECT_EQ(kernel, nullptr);
    return ampRtModuleGetKernel(module, "scale", &kernel);
  };
  strdupFails = true;
  EXPECT_EQ(get(), AMP_RT_OUT_OF_MEMORY);
  strdupFails = false;
  expectFails(newFails, text, get);
  EXPECT_EQ(ampRtModuleUnload(module), AMP_RT_OK);
}

namespace {
/// Of what the library itself needs for a program and its calls.
using CudaProgramOutOfMemory = CudaProgramTest;
} // namespace

TEST_F(CudaProgramOutOfMemory, ProgramAndNumbers) {
  expectFails(newFails,
              "ampRtProgramLoad: no memory left for a program; destroy objects "
              "that are no longer used",
              [&] {
                EXPECT_EQ(loaded, nullptr);
                return ampRtProgramLoad(program.get(), device, &loaded);
              });
  ASSERT_EQ(ampRtRunCreate(&run), AMP_RT_OK);
  expectFails(newFails,
              "ampRtRunSetProgram: no memory left for numbers on their way to "
              "a device; destroy objects that are no longer used",
              [&] { return ampRtRunSetProgram(run, loaded); });
}

// A step that was done once is done again without a new object.
TEST_F(CudaProgramOutOfMemory, LaterCallsNeedNothing) {
  start();
  void *operands[] = {allocate(256), allocate(256), nullptr};
  for (bool isLater : {false, true}) {
    int32_t number = 1;
    newFails = strdupFails = isLater;
    operands[2] = ampRtRunAllocate(handle, 256);
    void *constant = ampRtRunConstant(handle, kSums, 16);
    AmpRtStatus launched = ampRtRunLaunch(handle, 0, operands);
    AmpRtStatus walked = ampRtRunLaunch(handle, 1, operands);
    AmpRtStatus written = ampRtRunWrite(handle, operands[0], &number, 4);
    // The near misses: of another size, and another constant.
    void *larger = isLater ? ampRtRunAllocate(handle, 512) : nullptr;
    void *other = isLater ? ampRtRunConstant(handle, kSums, 8) : nullptr;
    newFails = strdupFails = false;
    EXPECT_NE(operands[2], nullptr);
    EXPECT_NE(constant, nullptr);
    EXPECT_EQ(launched, AMP_RT_OK);
    EXPECT_EQ(walked, AMP_RT_OK);
    EXPECT_EQ(written, AMP_RT_OK);
    EXPECT_EQ(larger, nullptr);
    EXPECT_EQ(other, nullptr);
    EXPECT_EQ(next().first, isLater ? AMP_RT_OUT_OF_MEMORY : AMP_RT_OK);
  }
  free(operands[0]);
  free(operands[1]);
}
