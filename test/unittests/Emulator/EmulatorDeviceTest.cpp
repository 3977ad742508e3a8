//===- EmulatorDeviceTest.cpp - The emulator as a device of the runtime ---===//
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

#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

// y += a * x, one thread each; and threads that read what the first has just
// put into shared memory.
static const char kernels[] = R"(gpu.module @m {
  llvm.mlir.global external @tile() {addr_space = 3 : i32} : !llvm.array<64 x i32>
  llvm.func @saxpy(%a: f32, %x: !llvm.ptr<1>, %y: !llvm.ptr<1>) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 32>} {
    %c32 = llvm.mlir.constant(32 : i32) : i32
    %block = nvvm.read.ptx.sreg.ctaid.x : i32
    %thread = nvvm.read.ptx.sreg.tid.x : i32
    %first = llvm.mul %block, %c32 : i32
    %i = llvm.add %first, %thread : i32
    %xi = llvm.getelementptr %x[%i] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
    %yi = llvm.getelementptr %y[%i] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
    %u = llvm.load %xi : !llvm.ptr<1> -> f32
    %v = llvm.load %yi : !llvm.ptr<1> -> f32
    %p = llvm.fmul %a, %u : f32
    %s = llvm.fadd %p, %v : f32
    llvm.store %s, %yi : f32, !llvm.ptr<1>
    llvm.return
  }
  llvm.func @race(%out: !llvm.ptr<1>) attributes {nvvm.kernel, nvvm.maxntid = array<i32: 64>} {
    %tile = llvm.mlir.addressof @tile : !llvm.ptr<3>
    %thread = nvvm.read.ptx.sreg.tid.x : i32
    %mine = llvm.getelementptr %tile[%thread] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
    llvm.store %thread, %mine : i32, !llvm.ptr<3>
    %v = llvm.load %tile : !llvm.ptr<3> -> i32
    %to = llvm.getelementptr %out[%thread] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    llvm.store %v, %to : i32, !llvm.ptr<1>
    llvm.return
  }
  llvm.func @pair(%out: !llvm.ptr<1>) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 32>, nvvm.cluster_dim = array<i32: 2, 1, 1>} {
    llvm.return
  }
  llvm.func @tickets(%next: !llvm.ptr<1>, %out: !llvm.ptr<1>) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 32>} {
    %one = llvm.mlir.constant(1 : i32) : i32
    %thread = nvvm.read.ptx.sreg.tid.x : i32
    %ticket = llvm.atomicrmw add %next, %one monotonic : !llvm.ptr<1>, i32
    %to = llvm.getelementptr %out[%thread] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    llvm.store %ticket, %to : i32, !llvm.ptr<1>
    llvm.return
  }
  llvm.func @unknown(%map: !llvm.ptr) attributes {nvvm.kernel} {
    llvm.inline_asm has_side_effects "bar.what 1;", "" : () -> ()
    llvm.return
  }
  llvm.func @count(%n: i32) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 1>} {
    %zero = llvm.mlir.constant(0 : i32) : i32
    %one = llvm.mlir.constant(1 : i32) : i32
    llvm.br ^loop(%zero : i32)
  ^loop(%i: i32):
    %j = llvm.add %i, %one : i32
    %more = llvm.icmp "ult" %j, %n : i32
    llvm.cond_br %more, ^loop(%j : i32), ^done
  ^done:
    llvm.return
  }
}
)";

namespace {
class EmulatorDevice : public testing::Test {
protected:
  void SetUp() override {
    ASSERT_EQ(ampRtDeviceGet("emulator", &device), AMP_RT_OK)
        << ampRtStatusText();
    ASSERT_EQ(ampRtModuleLoad(device, "kernels.mlir", kernels,
                              sizeof(kernels) - 1, &module),
              AMP_RT_OK)
        << ampRtStatusText();
  }
  void TearDown() override {
    for (void *pointer : pointers)
      EXPECT_EQ(ampRtDeviceFree(device, pointer), AMP_RT_OK);
    EXPECT_EQ(ampRtModuleUnload(module), AMP_RT_OK);
    EXPECT_EQ(ampRtDeviceClose(device), AMP_RT_OK) << ampRtStatusText();
  }

  void *allocate(int64_t bytes) {
    void *pointer = nullptr;
    EXPECT_EQ(ampRtDeviceAllocate(device, bytes, 0, &pointer), AMP_RT_OK);
    pointers.push_back(pointer);
    return pointer;
  }
  void *allocate(const std::vector<float> &values) {
    auto bytes = static_cast<int64_t>(4 * values.size());
    void *pointer = allocate(bytes);
    EXPECT_EQ(ampRtDeviceCopy(device, pointer, values.data(), bytes,
                              AMP_RT_COPY_TO_DEVICE),
              AMP_RT_OK);
    return pointer;
  }
  AmpRtKernel *kernel(const char *name) {
    AmpRtKernel *found = nullptr;
    EXPECT_EQ(ampRtModuleGetKernel(module, name, &found), AMP_RT_OK)
        << ampRtStatusText();
    return found;
  }
  template <typename... Values>
  AmpRtStatus launch(const char *name, int64_t blocks, int64_t threads,
                     Values... values) {
    void *arguments[] = {static_cast<void *>(&values)...};
    int64_t bytes[] = {static_cast<int64_t>(sizeof(values))...};
    description.structSize = sizeof(description);
    description.kernel = kernel(name);
    for (int i = 0; i < 3; ++i)
      description.grid[i] = description.threads[i] = 1;
    description.grid[0] = blocks;
    description.threads[0] = threads;
    description.arguments = arguments;
    description.argumentBytes = bytes;
    description.argumentCount = sizeof...(values);
    return ampRtDeviceLaunch(device, &description);
  }

  AmpRtDevice *device = nullptr;
  AmpRtModule *module = nullptr;
  AmpRtLaunch description = {};
  std::vector<void *> pointers;
};
} // namespace

#define EXPECT_FAILS(call, status, text)                                       \
  do {                                                                         \
    EXPECT_EQ(call, status);                                                   \
    EXPECT_STREQ(ampRtStatusText(), text);                                     \
  } while (0)

TEST_F(EmulatorDevice, RunsAKernel) {
  std::vector<float> x(64), y(64, 1), result(64);
  for (int i = 0; i < 64; ++i)
    x[static_cast<size_t>(i)] = static_cast<float>(i);
  void *deviceX = allocate(x), *deviceY = allocate(y);
  ASSERT_EQ(launch("saxpy", 2, 32, 2.0f, deviceX, deviceY), AMP_RT_OK)
      << ampRtStatusText();
  ASSERT_EQ(ampRtDeviceSynchronize(device), AMP_RT_OK);
  ASSERT_EQ(ampRtDeviceCopy(device, result.data(), deviceY, 256,
                            AMP_RT_COPY_FROM_DEVICE),
            AMP_RT_OK);
  for (size_t i = 0; i < 64; ++i)
    EXPECT_EQ(result[i], 2 * static_cast<float>(i) + 1);
}

TEST_F(EmulatorDevice, SaysWhatItIs) {
  EXPECT_STREQ(ampRtDeviceName(device), "emulator");
  AmpRtDeviceProperties properties;
  properties.structSize = sizeof(properties);
  ASSERT_EQ(ampRtDeviceGetProperties(device, &properties), AMP_RT_OK);
  EXPECT_STREQ(properties.model, "emulator of sm_90a");
  EXPECT_EQ(properties.computeMajor, 9);
  EXPECT_EQ(properties.sharesHostMemory, 0);
  EXPECT_EQ(properties.sharedBytesLimit, 232448);
  AmpRtKernelAttributes attributes;
  attributes.structSize = sizeof(attributes);
  ASSERT_EQ(ampRtKernelGetAttributes(kernel("race"), &attributes), AMP_RT_OK);
  EXPECT_EQ(attributes.threadsLimit, 64);
  EXPECT_EQ(attributes.argumentCount, 1);
  EXPECT_EQ(attributes.staticSharedBytes, 256);
  EXPECT_EQ(kernel("race"), kernel("race"));
}

TEST_F(EmulatorDevice, CountsMemory) {
  allocate(100);
  AmpRtDeviceStatistics statistics;
  statistics.structSize = sizeof(statistics);
  ASSERT_EQ(ampRtDeviceGetStatistics(device, &statistics), AMP_RT_OK);
  EXPECT_EQ(statistics.bytesCurrent, 100);
}

TEST_F(EmulatorDevice, ReportsFindings) {
  EXPECT_FAILS(
      launch("race", 1, 64, allocate(256)), AMP_RT_DEVICE_ERROR,
      "ampRtDeviceLaunch: kernel 'race': kernels.mlir:23:10: race: read of "
      "shared memory that is not ordered after its write (thread 1 of block "
      "(0,0,0)); kernels.mlir:22:5: the write is here (thread 0 of block "
      "(0,0,0)) (finding 1 of 1; see all with amp-emu)");
  void *x = allocate(std::vector<float>(32)), *y = allocate(128);
  EXPECT_EQ(launch("saxpy", 1, 32, 2.0f, x, y), AMP_RT_DEVICE_ERROR);
  EXPECT_NE(std::strstr(ampRtStatusText(), "read of uninitialised global"),
            nullptr)
      << ampRtStatusText();
  // From now on it may be written.
  EXPECT_EQ(launch("saxpy", 1, 32, 2.0f, x, y), AMP_RT_OK);
  EXPECT_EQ(launch("saxpy", 2, 32, 2.0f, x, y), AMP_RT_DEVICE_ERROR);
  EXPECT_NE(std::strstr(ampRtStatusText(),
                        "access outside of global memory: byte 128 of "
                        "'argument 1' with 128"),
            nullptr)
      << ampRtStatusText();
}

/// A limit on loops comes from the environment at each launch.
TEST_F(EmulatorDevice, StepsHaveALimit) {
  EXPECT_EQ(launch("count", 1, 1, 1000000), AMP_RT_OK) << ampRtStatusText();
  setenv("AMP_RT_EMULATOR_STEP_LIMIT", "1000", 1);
  EXPECT_EQ(launch("count", 1, 1, 900), AMP_RT_OK) << ampRtStatusText();
  EXPECT_EQ(launch("count", 1, 1, 1000000), AMP_RT_DEVICE_ERROR);
  EXPECT_NE(std::strstr(ampRtStatusText(),
                        "loop without end: the thread has taken 1000 steps; if "
                        "it is meant to, raise the step limit"),
            nullptr)
      << ampRtStatusText();
  setenv("AMP_RT_EMULATOR_STEP_LIMIT", "few", 1);
  EXPECT_FAILS(launch("count", 1, 1, 900), AMP_RT_INVALID_ARGUMENT,
               "ampRtDeviceLaunch: kernel 'count': expected "
               "AMP_RT_EMULATOR_STEP_LIMIT to be a number, but got 'few'");
  unsetenv("AMP_RT_EMULATOR_STEP_LIMIT");
}

/// Which thread draws which ticket is the schedule.
TEST_F(EmulatorDevice, SeedsAreReplayed) {
  auto draw = [&] {
    std::vector<int32_t> tickets(32);
    void *next = allocate(std::vector<float>(1)), *out = allocate(128);
    EXPECT_EQ(launch("tickets", 1, 32, next, out), AMP_RT_OK)
        << ampRtStatusText();
    EXPECT_EQ(ampRtDeviceCopy(device, tickets.data(), out, 128,
                              AMP_RT_COPY_FROM_DEVICE),
              AMP_RT_OK);
    return tickets;
  };
  std::vector<int32_t> plain = draw();
  setenv("AMP_RT_EMULATOR_SEED", "7", 1);
  std::vector<int32_t> seventh = draw();
  EXPECT_NE(seventh, plain);
  EXPECT_EQ(draw(), seventh);
  EXPECT_EQ(launch("race", 1, 64, allocate(256)), AMP_RT_DEVICE_ERROR);
  EXPECT_NE(std::strstr(ampRtStatusText(), "; see all with amp-emu --seed=7)"),
            nullptr)
      << ampRtStatusText();
  setenv("AMP_RT_EMULATOR_SEED", "8", 1);
  EXPECT_NE(draw(), seventh);
  setenv("AMP_RT_EMULATOR_SEED", "many", 1);
  EXPECT_FAILS(launch("race", 1, 64, allocate(256)), AMP_RT_INVALID_ARGUMENT,
               "ampRtDeviceLaunch: kernel 'race': expected "
               "AMP_RT_EMULATOR_SEED to be a number, but got 'many'");
  unsetenv("AMP_RT_EMULATOR_SEED");
  EXPECT_EQ(draw(), plain);
}

TEST_F(EmulatorDevice, RefusesLaunches) {
  void *x = allocate(std::vector<float>(32));
  EXPECT_FAILS(launch("saxpy", 1, 64, 2.0f, x, x), AMP_RT_INVALID_ARGUMENT,
               "ampRtDeviceLaunch: kernel 'saxpy': expected blocks of 32 x 1 x "
               "1 threads ('nvvm.reqntid'), but got 64 x 1 x 1");
  EXPECT_FAILS(launch("race", 1, 65, x), AMP_RT_INVALID_ARGUMENT,
               "ampRtDeviceLaunch: kernel 'race': expected at most 64 threads "
               "in a block ('nvvm.maxntid'), but got 65 x 1 x 1");
  EXPECT_FAILS(launch("race", 1, 2000, x), AMP_RT_INVALID_ARGUMENT,
               "ampRtDeviceLaunch: kernel 'race': expected at most 2147483647 "
               "blocks and 1024 threads in dimension 0, but got 1 and 2000");
  EXPECT_FAILS(launch("pair", 2, 32, x), AMP_RT_INVALID_ARGUMENT,
               "ampRtDeviceLaunch: kernel 'pair': expected clusters of 2 x 1 x "
               "1 blocks ('nvvm.cluster_dim'), but got 1 x 1 x 1");
  EXPECT_FAILS(launch("saxpy", 1, 32, 2.0f, x), AMP_RT_INVALID_ARGUMENT,
               "ampRtDeviceLaunch: kernel 'saxpy': expected 3 arguments, but "
               "got 2");
  EXPECT_FAILS(launch("saxpy", 1, 32, 2.0, x, x), AMP_RT_INVALID_ARGUMENT,
               "ampRtDeviceLaunch: kernel 'saxpy': expected argument 0 to have "
               "4 bytes, but got 8");
  description.sharedBytes = 232448;
  EXPECT_FAILS(launch("race", 1, 64, x), AMP_RT_INVALID_ARGUMENT,
               "ampRtDeviceLaunch: kernel 'race': expected at most 232448 "
               "bytes of shared memory (sm_90), but got 232704");
  // No kernel at all.
  struct {
    void *table = nullptr;
    uint32_t tag = 0;
  } other;
  description.sharedBytes = 0;
  description.argumentCount = 0;
  description.threads[0] = 32;
  description.kernel = &other;
  EXPECT_EQ(ampRtDeviceLaunch(device, &description), AMP_RT_INVALID_ARGUMENT);
  EXPECT_NE(std::strstr(ampRtStatusText(), "expected 'launch->kernel' to be a "
                                           "kernel of a loaded module"),
            nullptr);
}

TEST_F(EmulatorDevice, RefusesModulesAndKernels) {
  AmpRtModule *other = nullptr;
  EXPECT_FAILS(ampRtModuleLoad(device, "x.mlir", "what", 4, &other),
               AMP_RT_INVALID_ARGUMENT,
               "ampRtModuleLoad: module 'x.mlir': expected a module in the "
               "NVVM dialect, but x.mlir:1:1: custom op 'what' is unknown "
               "(tried 'builtin.what' as well); export it after "
               "--amp-kernels-to-nvvm");
  EXPECT_EQ(other, nullptr);
  AmpRtKernel *found = nullptr;
  EXPECT_FAILS(
      ampRtModuleGetKernel(module, "none", &found), AMP_RT_NOT_FOUND,
      "ampRtModuleGetKernel: module 'kernels.mlir': expected a kernel "
      "'none', but there are 'saxpy', 'race', 'pair', 'tickets', 'unknown', "
      "'count'");
  EXPECT_FAILS(ampRtModuleGetKernel(module, "unknown", &found),
               AMP_RT_INVALID_ARGUMENT,
               "ampRtModuleGetKernel: module 'kernels.mlir': "
               "kernels.mlir:40:5: the emulator has no model of inline PTX "
               "other than wgmma with A in registers, mma.sync and prmt.b32");
  const char *empty = "module {}";
  ASSERT_EQ(ampRtModuleLoad(device, "e", empty, 9, &other), AMP_RT_OK);
  EXPECT_FAILS(ampRtModuleGetKernel(other, "k", &found), AMP_RT_NOT_FOUND,
               "ampRtModuleGetKernel: module 'e': expected a kernel 'k', but "
               "there is none with 'nvvm.kernel'");
  EXPECT_EQ(ampRtModuleUnload(other), AMP_RT_OK);
}

TEST_F(EmulatorDevice, RefusesWrongMemory) {
  char host[64];
  void *pointer = allocate(64);
  EXPECT_EQ(ampRtDeviceFree(device, host), AMP_RT_INVALID_ARGUMENT);
  EXPECT_NE(std::strstr(ampRtStatusText(),
                        "ampRtDeviceFree: device 'emulator': expected a "
                        "pointer that this device allocated"),
            nullptr);
  EXPECT_EQ(ampRtDeviceCopy(device, pointer, host, 65, AMP_RT_COPY_TO_DEVICE),
            AMP_RT_INVALID_ARGUMENT);
  EXPECT_NE(std::strstr(ampRtStatusText(), "expected the target to lie in "
                                           "memory of this device, but got 65"),
            nullptr);
  EXPECT_EQ(ampRtDeviceCopy(device, pointer, host, 1, AMP_RT_COPY_ON_DEVICE),
            AMP_RT_INVALID_ARGUMENT);
  EXPECT_NE(std::strstr(ampRtStatusText(), "expected the source to lie in "
                                           "memory of this device, but got 1"),
            nullptr);
  EXPECT_EQ(ampRtDeviceAllocate(device, INT64_MAX, 0, &pointer),
            AMP_RT_OUT_OF_MEMORY);
  EXPECT_STREQ(ampRtStatusText(),
               "ampRtDeviceAllocate: device 'emulator': no memory left for "
               "9223372036854775807 bytes; use smaller batches");
  EXPECT_FAILS(ampRtDeviceClose(device), AMP_RT_INVALID_ARGUMENT,
               "ampRtDeviceClose: device 'emulator': expected nothing of it to "
               "be live, but there are 1 allocations, 1 modules and 0 events; "
               "free them first");
}

/// Times are of the host that emulates.
TEST_F(EmulatorDevice, EventsMeasureTheEmulation) {
  AmpRtEvent *start = nullptr, *end = nullptr;
  ASSERT_EQ(ampRtEventCreate(device, &start), AMP_RT_OK);
  ASSERT_EQ(ampRtEventCreate(device, &end), AMP_RT_OK);
  double milliseconds = -1;
  EXPECT_FAILS(ampRtEventElapsed(start, end, &milliseconds),
               AMP_RT_INVALID_ARGUMENT,
               "ampRtEventElapsed: device 'emulator': expected events that are "
               "recorded, but 'start' is not; call ampRtEventRecord first");
  ASSERT_EQ(ampRtEventRecord(start), AMP_RT_OK);
  EXPECT_FAILS(ampRtEventElapsed(start, end, &milliseconds),
               AMP_RT_INVALID_ARGUMENT,
               "ampRtEventElapsed: device 'emulator': expected events that are "
               "recorded, but 'end' is not; call ampRtEventRecord first");
  void *x = allocate(std::vector<float>(32)),
       *y = allocate(std::vector<float>(32));
  ASSERT_EQ(launch("saxpy", 1, 32, 2.0f, x, y), AMP_RT_OK);
  ASSERT_EQ(ampRtEventRecord(end), AMP_RT_OK);
  ASSERT_EQ(ampRtEventElapsed(start, end, &milliseconds), AMP_RT_OK);
  EXPECT_GT(milliseconds, 0);
  double backwards = 0;
  ASSERT_EQ(ampRtEventElapsed(end, start, &backwards), AMP_RT_OK);
  EXPECT_EQ(backwards, -milliseconds);
  EXPECT_EQ(ampRtEventDestroy(start), AMP_RT_OK);
  EXPECT_EQ(ampRtDeviceClose(device), AMP_RT_INVALID_ARGUMENT);
  EXPECT_NE(std::strstr(ampRtStatusText(), "1 modules and 1 events"), nullptr);
  EXPECT_EQ(ampRtEventDestroy(end), AMP_RT_OK);
}

TEST_F(EmulatorDevice, RefusesWhatHasNoModel) {
  AmpRtTensorMapDescription map = {};
  map.structSize = sizeof(map);
  map.rank = 1;
  map.elementType = AMP_RT_TENSOR_MAP_UINT16;
  map.address = allocate(64);
  map.sizes[0] = 32;
  map.elementSteps[0] = 1;
  map.box[0] = 32;
  AmpRtTensorMap encoded;
  EXPECT_FAILS(ampRtTensorMapEncode(device, &map, &encoded), AMP_RT_UNAVAILABLE,
               "ampRtTensorMapEncode: device 'emulator': expected a tensor map "
               "without interleave, of bytes, 32-bit integers or floats, but "
               "got interleave 0 and type 1; use device 'cuda'");
  map.elementType = AMP_RT_TENSOR_MAP_FLOAT16;
  EXPECT_EQ(ampRtTensorMapEncode(device, &map, &encoded), AMP_RT_OK);
}

// The other device is CUDA's, on a driver of our own.
TEST_F(EmulatorDevice, EventsOfTwoDevices) {
  ASSERT_EQ(setenv("AMP_RT_CUDA_DRIVER", FAKE_CUDA_FILE, /*overwrite=*/1), 0);
  AmpRtDevice *cuda = nullptr;
  ASSERT_EQ(ampRtDeviceGet("cuda", &cuda), AMP_RT_OK) << ampRtStatusText();
  AmpRtEvent *here = nullptr, *there = nullptr;
  ASSERT_EQ(ampRtEventCreate(device, &here), AMP_RT_OK);
  ASSERT_EQ(ampRtEventCreate(cuda, &there), AMP_RT_OK);
  ASSERT_EQ(ampRtEventRecord(here), AMP_RT_OK);
  ASSERT_EQ(ampRtEventRecord(there), AMP_RT_OK);
  double milliseconds = -1;
  EXPECT_FAILS(ampRtEventElapsed(here, there, &milliseconds),
               AMP_RT_INVALID_ARGUMENT,
               "ampRtEventElapsed: expected events of one device, but got "
               "'emulator' and 'cuda'");
  EXPECT_FAILS(ampRtEventElapsed(there, here, &milliseconds),
               AMP_RT_INVALID_ARGUMENT,
               "ampRtEventElapsed: expected events of one device, but got "
               "'cuda' and 'emulator'");
  EXPECT_EQ(milliseconds, -1);
  EXPECT_EQ(ampRtEventElapsed(here, here, &milliseconds), AMP_RT_OK);
  EXPECT_EQ(ampRtEventDestroy(here), AMP_RT_OK);
  EXPECT_EQ(ampRtEventDestroy(there), AMP_RT_OK);
  EXPECT_EQ(ampRtDeviceClose(cuda), AMP_RT_OK) << ampRtStatusText();
}
