//===-- CudaRunTest.cpp - The CUDA device: calls of programs --------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Memory, copies and taps of a run with a loaded program. Where it matters when
// a copy happens, the driver is told to do it as late as it may.
//
//===----------------------------------------------------------------------===//

#include "CudaProgramFixture.h"
#include "amp-rt/Tap.h"

#include <functional>
#include <vector>

namespace {
class CudaRunTest : public CudaProgramTest {
protected:
  void SetUp() override {
    CudaProgramTest::SetUp();
    start();
  }
  AmpRtRunMemory memory() {
    AmpRtRunMemory result;
    result.structSize = sizeof(result);
    EXPECT_EQ(ampRtRunGetMemory(run, &result), AMP_RT_OK);
    return result;
  }
  int64_t bytesOnDevice() {
    AmpRtDeviceStatistics statistics;
    statistics.structSize = sizeof(statistics);
    EXPECT_EQ(ampRtDeviceGetStatistics(device, &statistics), AMP_RT_OK);
    return statistics.bytesCurrent;
  }
};

int allocations() { return fakecuda::calls("cuMemAllocFromPoolAsync"); }
int waits() { return fakecuda::calls("cuStreamSynchronize"); }
} // namespace

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

TEST_F(CudaRunTest, MemoryIsTheDevices) {
  void *block = ampRtRunAllocate(handle, 1000);
  EXPECT_EQ(bytesOnDevice(), 1000);
  float number = 2;
  EXPECT_EQ(ampRtRunWrite(handle, block, &number, 4), AMP_RT_OK)
      << ampRtStatusText();
  void *aligned = ampRtRunAllocateAligned(handle, 4096, 1000);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(aligned) % 4096, 0u);
  EXPECT_NE(ampRtRunAllocate(handle, 0), nullptr);
  AmpRtDevice *host = nullptr;
  ASSERT_EQ(ampRtDeviceGet("host", &host), AMP_RT_OK);
  EXPECT_EQ(ampRtDeviceFree(host, block), AMP_RT_INVALID_ARGUMENT);
}

// A step asks for the same each time, and the device's own allocator is not
// asked again.
TEST_F(CudaRunTest, FreedBlocksServeTheNextCall) {
  void *arena = ampRtRunAllocateAligned(handle, 64, 1 << 20);
  void *small = ampRtRunAllocate(handle, 64);
  ampRtRunFree(handle, arena);
  EXPECT_EQ(ampRtRunAllocateAligned(handle, 64, 1 << 20), arena)
      << "also in the same call";
  ampRtRunFree(handle, arena);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(next().second, "");
    EXPECT_EQ(ampRtRunAllocateAligned(handle, 64, 1 << 20), arena);
    EXPECT_EQ(ampRtRunAllocate(handle, 64), small) << "which the end freed";
  }
  EXPECT_EQ(allocations(), 2);
  EXPECT_EQ(fakecuda::calls("cuMemFreeAsync"), 0);
}

// The near misses: equal in one of the two only, and live.
TEST_F(CudaRunTest, OtherRequestsGetOtherBlocks) {
  void *block = ampRtRunAllocateAligned(handle, 64, 1024);
  ampRtRunFree(handle, block);
  EXPECT_NE(ampRtRunAllocateAligned(handle, 128, 1024), block);
  EXPECT_NE(ampRtRunAllocateAligned(handle, 64, 1023), block);
  EXPECT_NE(ampRtRunAllocateAligned(handle, 64, 1025), block);
  EXPECT_EQ(ampRtRunAllocateAligned(handle, 64, 1024), block);
  EXPECT_NE(ampRtRunAllocateAligned(handle, 64, 1024), block);
  EXPECT_EQ(allocations(), 5);
}

TEST_F(CudaRunTest, CallsAreCounted) {
  void *a = ampRtRunAllocate(handle, 100), *b = ampRtRunAllocate(handle, 50);
  ampRtRunFree(handle, a);
  a = ampRtRunAllocate(handle, 30);
  ampRtRunFree(handle, b);
  EXPECT_EQ(next().second, "");
  EXPECT_EQ(memory().bytesPeak, 0) << "of the call that has begun";
  EXPECT_EQ(memory().leaks, 1);
  ampRtRunAllocate(handle, 100);
  ampRtRunAllocate(handle, 30);
  ampRtRunAllocate(handle, 20);
  EXPECT_EQ(ampRtRunEnd(handle), AMP_RT_OK);
  EXPECT_EQ(memory().bytesPeak, 150);
  EXPECT_EQ(memory().allocations, 3);
  EXPECT_EQ(memory().leaks, 3);
  // What is kept is none of the call's.
  EXPECT_EQ(bytesOnDevice(), 200);
  EXPECT_EQ(ampRtRunBegin(handle), AMP_RT_OK);
  void *block = ampRtRunAllocate(handle, 100);
  ampRtRunFree(handle, block);
  EXPECT_EQ(ampRtRunEnd(handle), AMP_RT_OK);
  EXPECT_EQ(memory().bytesPeak, 100);
  EXPECT_EQ(memory().allocations, 1);
  EXPECT_EQ(memory().leaks, 0);
}

TEST_F(CudaRunTest, WhatIsKeptGoesBack) {
  ampRtRunAllocate(handle, 100);
  EXPECT_EQ(ampRtRunEnd(handle), AMP_RT_OK);
  EXPECT_EQ(bytesOnDevice(), 100);
  EXPECT_EQ(ampRtRunSetProgram(run, loaded), AMP_RT_OK);
  EXPECT_EQ(bytesOnDevice(), 0);

  EXPECT_EQ(ampRtRunBegin(handle), AMP_RT_OK);
  ampRtRunAllocate(handle, 100);
  EXPECT_EQ(ampRtRunEnd(handle), AMP_RT_OK);
  EXPECT_EQ(ampRtRunSetProgram(run, nullptr), AMP_RT_OK);
  EXPECT_EQ(bytesOnDevice(), 0);
  EXPECT_EQ(memory().bytesPeak, 100) << "of the call before";

  // On the host again.
  EXPECT_EQ(ampRtRunBegin(handle), AMP_RT_OK);
  *static_cast<int *>(ampRtRunAllocate(handle, 10)) = 1;
  EXPECT_EQ(ampRtRunEnd(handle), AMP_RT_OK);
  EXPECT_EQ(memory().bytesPeak, 10);
  EXPECT_EQ(bytesOnDevice(), 0);

  // And with the run, in the middle of a call, after its program.
  EXPECT_EQ(ampRtRunSetProgram(run, loaded), AMP_RT_OK);
  EXPECT_EQ(ampRtRunBegin(handle), AMP_RT_OK);
  ampRtRunFree(handle, ampRtRunAllocate(handle, 100));
  ampRtRunAllocate(handle, 200);
  EXPECT_EQ(bytesOnDevice(), 300);
  EXPECT_EQ(ampRtProgramUnload(loaded), AMP_RT_OK);
  loaded = nullptr;
  ampRtRunDestroy(run);
  run = nullptr;
  EXPECT_EQ(bytesOnDevice(), 0);
}

TEST_F(CudaRunTest, WhatIsKeptGoesBeforeARequestIsRefused) {
  ampRtRunFree(handle, ampRtRunAllocate(handle, 100));
  ampRtRunFree(handle, ampRtRunAllocate(handle, 200));
  fakecuda::failCall("cuMemAllocFromPoolAsync", 2);
  EXPECT_NE(ampRtRunAllocate(handle, 300), nullptr) << ampRtStatusText();
  EXPECT_EQ(bytesOnDevice(), 300);
  EXPECT_EQ(waits(), 1) << "before the memory is free";
  EXPECT_EQ(next().second, "");
  EXPECT_EQ(ampRtRunAllocate(handle, 300) != nullptr, true);

  // Nothing is kept any more: the first refusal stands.
  fakecuda::failCall("cuMemAllocFromPoolAsync", 2);
  EXPECT_EQ(ampRtRunAllocate(handle, 400), nullptr);
  EXPECT_EQ(waits(), 1);
  EXPECT_EQ(next(),
            std::make_pair(AMP_RT_OUT_OF_MEMORY,
                           std::string("ampRtRunAllocate: device 'cuda': "
                                       "cuMemAllocFromPoolAsync of 400 bytes: "
                                       "out of memory "
                                       "(CUDA_ERROR_OUT_OF_MEMORY, 2); use "
                                       "smaller batches, or free memory of "
                                       "other processes")));
  EXPECT_EQ(ampRtRunAllocateAligned(handle, 3, 4), nullptr);
  EXPECT_EQ(next().second,
            "ampRtRunAllocateAligned: device 'cuda': expected 'alignment' to "
            "be a power of two up to 2^32, but got 3; use 0 for the device's "
            "own");
}

// Other failures are not ones of memory, and what is kept stays.
TEST_F(CudaRunTest, WhatIsKeptStaysWhereTheDeviceFails) {
  ampRtRunFree(handle, ampRtRunAllocate(handle, 100));
  fakecuda::failCall("cuMemAllocFromPoolAsync", 999);
  EXPECT_EQ(ampRtRunAllocate(handle, 300), nullptr);
  EXPECT_EQ(next().first, AMP_RT_DEVICE_ERROR);
  EXPECT_EQ(bytesOnDevice(), 100);
}

TEST_F(CudaRunTest, WrongFreesAreRecorded) {
  AmpRtRun *other = nullptr;
  ASSERT_EQ(ampRtRunCreate(&other), AMP_RT_OK);
  ASSERT_EQ(ampRtRunSetProgram(other, loaded), AMP_RT_OK);
  ASSERT_EQ(ampRtRunBegin(ampRtRunHandle(other)), AMP_RT_OK);
  void *freed = ampRtRunAllocate(handle, 64);
  ampRtRunFree(handle, freed);
  void *others = ampRtRunAllocate(ampRtRunHandle(other), 64);
  void *devices = allocate(64);
  int local = 0;
  for (void *pointer : {freed, others, devices, static_cast<void *>(&local)}) {
    ampRtRunFree(handle, pointer);
    auto [status, text] = next();
    EXPECT_EQ(status, AMP_RT_PROGRAM_ERROR);
    EXPECT_EQ(text.rfind("ampRtRunFree: device 'cuda': expected a pointer that "
                         "this run allocated and that is not freed yet, but "
                         "got 0x",
                         0),
              0u)
        << text;
  }
  ampRtRunFree(handle, nullptr);
  EXPECT_EQ(next().second, "");
  free(devices);
  EXPECT_EQ(ampRtRunEnd(ampRtRunHandle(other)), AMP_RT_OK);
  ampRtRunDestroy(other);
}

//===----------------------------------------------------------------------===//
// The program of a run
//===----------------------------------------------------------------------===//

TEST_F(CudaRunTest, TheProgramIsSetBetweenCalls) {
  EXPECT_FAILS(ampRtRunSetProgram(run, nullptr), AMP_RT_INVALID_ARGUMENT,
               "ampRtRunSetProgram: expected a run that no call uses; set the "
               "program before the call");
  EXPECT_NE(ampRtRunConstant(handle, kSums, 4), nullptr) << "it has it still";
}

TEST_F(CudaRunTest, AProgramIsSetThoughGivingBackFails) {
  ampRtRunAllocate(handle, 100);
  ampRtRunAllocate(handle, 200);
  int32_t number = 1;
  EXPECT_EQ(ampRtRunWrite(handle, ampRtRunAllocate(handle, 4), &number, 4),
            AMP_RT_OK);
  EXPECT_EQ(ampRtRunEnd(handle), AMP_RT_OK);
  fakecuda::failCall("cuMemFreeAsync", 999, 2);
  EXPECT_FAILS(ampRtRunSetProgram(run, nullptr), AMP_RT_DEVICE_ERROR,
               "ampRtRunSetProgram: device 'cuda': cuMemFreeAsync: unknown "
               "error (CUDA_ERROR_UNKNOWN, 999); see the driver's log "
               "('dmesg', 'nvidia-smi')");
  EXPECT_EQ(bytesOnDevice(), 0);
  EXPECT_EQ(ampRtRunBegin(handle), AMP_RT_OK);
  EXPECT_EQ(ampRtRunConstant(handle, kSums, 4), nullptr);
  EXPECT_EQ(next().first, AMP_RT_INVALID_ARGUMENT);
}

TEST_F(CudaRunTest, AScalerThatNoProgramMovedIsTheHosts) {
  AmpRtScaler *scaler = nullptr;
  ASSERT_EQ(ampRtScalerCreate("loss", nullptr, &scaler), AMP_RT_OK);
  ampRtRunUpdateScale(handle, ampRtScalerHandle(scaler), 1);
  EXPECT_EQ(ampRtRunScale(handle, ampRtScalerHandle(scaler)), 32768.0f);
  EXPECT_EQ(next().second, "");
  ampRtScalerDestroy(scaler);
}

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

TEST_F(CudaRunTest, CopiesAreInOrder) {
  fakecuda::set("lateCopies", 1);
  void *a = ampRtRunAllocate(handle, 16), *b = ampRtRunAllocate(handle, 16);
  double number = 1.5, result = 0;
  EXPECT_EQ(ampRtRunWrite(handle, a, &number, 8), AMP_RT_OK);
  EXPECT_EQ(ampRtRunCopy(handle, b, a, 16), AMP_RT_OK);
  number = 2.5; // free to change
  EXPECT_EQ(ampRtRunWrite(handle, a, &number, 8), AMP_RT_OK);
  EXPECT_EQ(waits(), 0);
  EXPECT_EQ(ampRtRunRead(handle, &result, b, 8), AMP_RT_OK);
  EXPECT_EQ(result, 1.5);
  EXPECT_EQ(waits(), 1);
  EXPECT_EQ(ampRtRunRead(handle, &result, a, 8), AMP_RT_OK);
  EXPECT_EQ(result, 2.5);
  EXPECT_EQ(next().second, "");
}

// 4096 numbers may be on their way; the next one waits for them, once.
TEST_F(CudaRunTest, ManyNumbersAreOnTheirWay) {
  fakecuda::set("lateCopies", 1);
  auto *block = static_cast<char *>(ampRtRunAllocate(handle, 16 * 10000));
  std::vector<int64_t> result(20000);
  for (int64_t i = 0; i < 10000; ++i) {
    int64_t number[2] = {i, ~i};
    ASSERT_EQ(ampRtRunWrite(handle, block + 16 * i, number, 16), AMP_RT_OK);
    EXPECT_EQ(waits(), i / 4096) << i;
  }
  EXPECT_EQ(ampRtRunRead(handle, result.data(), block, 16 * 10000), AMP_RT_OK);
  for (int64_t i = 0; i < 10000; ++i) {
    ASSERT_EQ(result[static_cast<size_t>(2 * i)], i);
    ASSERT_EQ(result[static_cast<size_t>(2 * i + 1)], ~i);
  }
}

// They are in the run's memory, which must not go before they have arrived.
TEST_F(CudaRunTest, NumbersArriveBeforeTheRunGoes) {
  fakecuda::set("lateCopies", 1);
  auto *block = static_cast<int32_t *>(allocate(8));
  int32_t number = 5;
  EXPECT_EQ(ampRtRunWrite(handle, block, &number, 4), AMP_RT_OK);
  EXPECT_EQ(next().second, "");
  EXPECT_EQ(waits(), 0);
  ampRtRunDestroy(run);
  run = nullptr;
  EXPECT_EQ(waits(), 1);
  EXPECT_EQ(*block, 5);
  free(block);
}

TEST_F(CudaRunTest, NothingIsCopiedOfNothing) {
  EXPECT_EQ(ampRtRunCopy(handle, nullptr, nullptr, 0), AMP_RT_OK);
  EXPECT_EQ(ampRtRunRead(handle, nullptr, nullptr, 0), AMP_RT_OK);
  EXPECT_EQ(ampRtRunWrite(handle, nullptr, nullptr, 0), AMP_RT_OK);
  EXPECT_EQ(next().second, "");
}

TEST_F(CudaRunTest, CopiesThatAreNone) {
  using Copy = AmpRtStatus (*)(int64_t, void *, const void *, int64_t);
  const std::pair<std::string, Copy> copies[] = {
      {"ampRtRunCopy", ampRtRunCopy},
      {"ampRtRunRead", ampRtRunRead},
      {"ampRtRunWrite", ampRtRunWrite}};
  int64_t number = 0;
  for (const auto &[name, copy] : copies) {
    expectRecorded(copy(handle, &number, &number, -1), AMP_RT_INVALID_ARGUMENT,
                   name + ": device 'cuda': expected 'bytes' not to be "
                          "negative, but got -1");
    expectRecorded(copy(handle, nullptr, &number, 8), AMP_RT_INVALID_ARGUMENT,
                   name + ": expected 'target' not to be null");
    expectRecorded(copy(handle, &number, nullptr, 8), AMP_RT_INVALID_ARGUMENT,
                   name + ": expected 'source' not to be null");
  }
  char large[17] = {};
  void *block = ampRtRunAllocate(handle, 17);
  EXPECT_EQ(ampRtRunWrite(handle, block, large, 16), AMP_RT_OK);
  expectRecorded(ampRtRunWrite(handle, block, large, 17),
                 AMP_RT_INVALID_ARGUMENT,
                 "ampRtRunWrite: device 'cuda': expected a number of at most "
                 "16 bytes, but got 17; copy larger values before the call");
}

TEST_F(CudaRunTest, CopiesThatTheDriverRefuses) {
  const std::string rest = ": unknown error (CUDA_ERROR_UNKNOWN, 999); see the "
                           "driver's log ('dmesg', 'nvidia-smi')";
  int32_t number = 0;
  void *a = allocate(4), *b = allocate(4);
  fakecuda::failCall("cuMemcpyDtoDAsync", 999);
  expectRecorded(ampRtRunCopy(handle, a, b, 4), AMP_RT_DEVICE_ERROR,
                 "ampRtRunCopy: device 'cuda': cuMemcpyDtoDAsync" + rest);
  fakecuda::failCall("cuMemcpyHtoDAsync", 999);
  expectRecorded(ampRtRunWrite(handle, a, &number, 4), AMP_RT_DEVICE_ERROR,
                 "ampRtRunWrite: device 'cuda': cuMemcpyHtoDAsync" + rest);
  fakecuda::failCall("cuMemcpyDtoHAsync", 999);
  expectRecorded(ampRtRunRead(handle, &number, a, 4), AMP_RT_DEVICE_ERROR,
                 "ampRtRunRead: device 'cuda': cuMemcpyDtoHAsync" + rest);
  fakecuda::failCall("cuStreamSynchronize", 999);
  expectRecorded(ampRtRunRead(handle, &number, a, 4), AMP_RT_DEVICE_ERROR,
                 "ampRtRunRead: device 'cuda': cuStreamSynchronize" + rest);
  free(a);
  free(b);
}

// Without a program, outside of a call, and of no run.
TEST_F(CudaRunTest, EntryPointsWantAProgramInACall) {
  int64_t number = 0;
  const struct {
    const char *name;
    std::function<bool(int64_t)> call;
  } entries[] = {
      {"ampRtRunLaunch",
       [&](int64_t to) { return ampRtRunLaunch(to, 0, nullptr) != 0; }},
      {"ampRtRunCopy",
       [&](int64_t to) { return ampRtRunCopy(to, &number, &number, 8) != 0; }},
      {"ampRtRunRead",
       [&](int64_t to) { return ampRtRunRead(to, &number, &number, 8) != 0; }},
      {"ampRtRunWrite",
       [&](int64_t to) { return ampRtRunWrite(to, &number, &number, 8) != 0; }},
      {"ampRtRunConstant", [&](int64_t to) {
         return ampRtRunConstant(to, &number, 8) == nullptr;
       }}};
  ASSERT_EQ(ampRtRunEnd(handle), AMP_RT_OK);
  for (const auto &[name, call] : entries) {
    EXPECT_TRUE(call(handle));
    EXPECT_EQ(ampRtStatusText(), std::string(name) +
                                     ": expected a run with a call that has "
                                     "begun; call ampRtRunBegin before, and "
                                     "ampRtRunEnd once after it");
    EXPECT_TRUE(call(8));
    EXPECT_EQ(ampRtStatusText(), std::string(name) +
                                     ": expected the handle of a run, but got "
                                     "0x8; pass what ampRtRunHandle gave, and "
                                     "destroy the run after the program");
  }
  ASSERT_EQ(ampRtRunSetProgram(run, nullptr), AMP_RT_OK);
  ASSERT_EQ(ampRtRunBegin(handle), AMP_RT_OK);
  for (const auto &[name, call] : entries) {
    EXPECT_TRUE(call(handle));
    std::string text = std::string(name) +
                       ": expected a run with a loaded program, but it has "
                       "none; load the program on a device, and call "
                       "ampRtRunSetProgram before the program";
    EXPECT_EQ(ampRtStatusText(), text);
    EXPECT_EQ(next(), std::make_pair(AMP_RT_INVALID_ARGUMENT, text));
  }
}

//===----------------------------------------------------------------------===//
// Taps
//===----------------------------------------------------------------------===//

namespace {
/// Doubles what it sees.
struct Doubling {
  Doubling() {
    EXPECT_EQ(ampRtTapCreate(&tap), AMP_RT_OK);
    EXPECT_EQ(ampRtTapSet(tap, see, this), AMP_RT_OK);
  }
  ~Doubling() { ampRtTapDestroy(tap); }
  static AmpRtStatus see(void *user, const AmpRtTapEvent *event) {
    auto *self = static_cast<Doubling *>(user);
    auto *data = static_cast<float *>(event->data);
    EXPECT_EQ(std::string(event->name, event->nameLength), "w");
    EXPECT_EQ(std::string(event->point, event->pointLength), "grad");
    EXPECT_EQ(event->elementKind, AMP_RT_ELEMENT_F32);
    self->seen.assign(data, data + event->elementCount);
    for (int64_t i = 0; i < event->elementCount; ++i)
      data[i] *= 2;
    ++self->calls;
    return self->answer;
  }
  void tapInto(int64_t run, void *data, int64_t count) {
    ampRtRunTap(run, ampRtTapHandle(tap), "w", 1, "grad", 4, data,
                AMP_RT_ELEMENT_F32, count);
  }
  AmpRtTap *tap = nullptr;
  std::vector<float> seen;
  int calls = 0;
  AmpRtStatus answer = AMP_RT_OK;
};
} // namespace

TEST_F(CudaRunTest, ATapSeesAndChangesTheDevicesElements) {
  fakecuda::set("lateCopies", 1);
  Doubling doubling;
  auto *block = static_cast<float *>(ampRtRunAllocate(handle, 16));
  const float numbers[] = {1, 2, 3, 4};
  float result[4];
  EXPECT_EQ(ampRtRunWrite(handle, block, numbers, 16), AMP_RT_OK);
  doubling.tapInto(handle, block, 3);
  EXPECT_EQ(doubling.seen, (std::vector<float>{1, 2, 3}));
  EXPECT_EQ(ampRtRunRead(handle, result, block, 16), AMP_RT_OK);
  EXPECT_EQ(std::vector<float>(result, result + 4),
            (std::vector<float>{2, 4, 6, 4}));
  // A tap without a callback costs no copy.
  int copies = fakecuda::calls("cuMemcpyDtoHAsync");
  ASSERT_EQ(ampRtTapSet(doubling.tap, nullptr, nullptr), AMP_RT_OK);
  doubling.tapInto(handle, block, 3);
  ampRtRunTap(handle, 0, "w", 1, "grad", 4, block, AMP_RT_ELEMENT_F32, 3);
  EXPECT_EQ(fakecuda::calls("cuMemcpyDtoHAsync"), copies);
  EXPECT_EQ(next().second, "");
}

TEST_F(CudaRunTest, ATapOfNothing) {
  Doubling doubling;
  doubling.tapInto(handle, nullptr, 0);
  doubling.tapInto(handle, ampRtRunAllocate(handle, 0), 0);
  EXPECT_EQ(doubling.calls, 2);
  EXPECT_EQ(next().second, "");
}

TEST_F(CudaRunTest, ATapThatRefuses) {
  Doubling doubling;
  doubling.answer = AMP_RT_INVALID_ARGUMENT;
  auto *block = static_cast<float *>(ampRtRunAllocate(handle, 4));
  float number = 3;
  EXPECT_EQ(ampRtRunWrite(handle, block, &number, 4), AMP_RT_OK);
  doubling.tapInto(handle, block, 1);
  EXPECT_EQ(ampRtRunRead(handle, &number, block, 4), AMP_RT_OK);
  EXPECT_EQ(number, 6) << "as on the host, what it wrote stays";
  EXPECT_EQ(next(),
            std::make_pair(AMP_RT_PROGRAM_ERROR,
                           std::string("ampRtRunTap: callback refused tensor "
                                       "'w' at 'grad': invalid argument")));
}

TEST_F(CudaRunTest, ATapWhoseCopiesFail) {
  Doubling doubling;
  void *block = ampRtRunAllocate(handle, 4);
  const struct {
    const char *function;
    int nth, calls;
  } failures[] = {{"cuMemcpyDtoHAsync", 1, 0},
                  {"cuStreamSynchronize", 1, 0},
                  {"cuMemcpyHtoDAsync", 1, 1},
                  {"cuStreamSynchronize", 2, 1}};
  for (auto [function, nth, calls] : failures) {
    doubling.calls = 0;
    fakecuda::failCall(function, 999, nth);
    doubling.tapInto(handle, block, 1);
    EXPECT_EQ(doubling.calls, calls);
    EXPECT_EQ(
        next(),
        std::make_pair(AMP_RT_DEVICE_ERROR,
                       std::string("ampRtRunTap: device 'cuda': ") + function +
                           ": unknown error (CUDA_ERROR_UNKNOWN, 999); see "
                           "the driver's log ('dmesg', 'nvidia-smi') "
                           "(tensor 'w' at 'grad')"));
    block = ampRtRunAllocate(handle, 4);
  }
  for (int64_t count : {INT64_MAX / 4, INT64_MAX / 2}) {
    doubling.tapInto(handle, block, count);
    auto [status, text] = next();
    EXPECT_EQ(status, AMP_RT_OUT_OF_MEMORY);
    EXPECT_EQ(text.rfind("ampRtRunTap: device 'host': no memory left for ", 0),
              0u)
        << text;
  }
}
