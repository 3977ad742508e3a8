//===-- CudaCaptureTest.cpp - The CUDA device: calls as graphs ------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A function that launches, copies, writes a number, advances a scaler and
// reports is captured and replayed: what it does then, what it must not do, and
// each failure on the way.
//
//===----------------------------------------------------------------------===//

#include "CudaProgramFixture.h"
#include "amp-rt/Capture.h"
#include "amp-rt/Event.h"
#include "amp-rt/Scaler.h"
#include "amp-rt/Tap.h"

#include <functional>
#include <thread>

#ifdef __has_feature
#define AMP_TEST_FINDS_DEAD_MEMORY                                             \
  (__has_feature(address_sanitizer) || __has_feature(thread_sanitizer))
#else
#define AMP_TEST_FINDS_DEAD_MEMORY                                             \
  (defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__))
#endif

extern "C" int cuGetProcAddress_v2(const char *name, void **address,
                                   int version, uint64_t flags, int *status);

namespace {
/// What the captured function does, given the run's handle.
std::function<void(int64_t)> body;

AmpRtStatus call(int64_t run, void *const *) {
  if (AmpRtStatus status = ampRtRunBegin(run))
    return status;
  body(run);
  return ampRtRunEnd(run);
}

class CudaCaptureTest : public CudaProgramTest {
protected:
  void SetUp() override {
    CudaProgramTest::SetUp();
    start();
    ASSERT_EQ(ampRtRunEnd(handle), AMP_RT_OK);
    function.structSize = sizeof(function);
    function.name = "step";
    function.call = call;
    x = static_cast<float *>(allocate(256));
    y = static_cast<float *>(allocate(256));
    fill(x, 1);
    ASSERT_EQ(ampRtScalerCreate("loss", nullptr, &scaler), AMP_RT_OK);
    fakecuda::set("lateCopies", 1);
    // y = x + 7 by way of memory of the call's own.
    body = [this](int64_t run) {
      void *between = ampRtRunAllocate(run, 256);
      void *operands[] = {x, between, y};
      EXPECT_EQ(ampRtRunLaunch(run, 0, operands), AMP_RT_OK)
          << ampRtStatusText();
    };
  }
  void TearDown() override {
    EXPECT_EQ(ampRtCaptureDestroy(capture), AMP_RT_OK) << ampRtStatusText();
    ampRtScalerDestroy(scaler);
    free(x);
    free(y);
    body = nullptr;
    CudaProgramTest::TearDown();
  }
  void fill(float *target, float value) {
    float values[64];
    for (float &each : values)
      each = value;
    ASSERT_EQ(
        ampRtDeviceCopy(device, target, values, 256, AMP_RT_COPY_TO_DEVICE),
        AMP_RT_OK);
    ASSERT_EQ(ampRtDeviceSynchronize(device), AMP_RT_OK);
  }
  float first(const float *source) {
    float value = 0;
    EXPECT_EQ(
        ampRtDeviceCopy(device, &value, source, 4, AMP_RT_COPY_FROM_DEVICE),
        AMP_RT_OK);
    EXPECT_EQ(ampRtDeviceSynchronize(device), AMP_RT_OK);
    return value;
  }
  /// The call, and then its capture.
  void callAndCapture() {
    ASSERT_EQ(call(handle, nullptr), AMP_RT_OK) << ampRtStatusText();
    ASSERT_EQ(create(), AMP_RT_OK) << ampRtStatusText();
  }
  AmpRtStatus create() {
    void *none = nullptr;
    return ampRtCaptureCreate(run, &function, &none, &capture);
  }
  AmpRtStatus replay() { return ampRtCaptureReplay(capture); }

  AmpRtFunction function = {};
  float *x = nullptr, *y = nullptr;
  AmpRtScaler *scaler = nullptr;
  AmpRtCapture *capture = nullptr;
};

int waits() { return fakecuda::calls("cuStreamSynchronize"); }
int launches() { return fakecuda::calls("cuLaunchKernelEx"); }
} // namespace

TEST_F(CudaCaptureTest, AReplayIsTheCall) {
  callAndCapture();
  EXPECT_EQ(first(y), 8);
  fill(x, 2);
  EXPECT_EQ(first(y), 8) << "nothing is done while it is captured";
  int before = launches(), waited = waits();
  EXPECT_EQ(replay(), AMP_RT_OK) << ampRtStatusText();
  EXPECT_EQ(replay(), AMP_RT_OK) << ampRtStatusText();
  EXPECT_EQ(waits(), waited);
  EXPECT_EQ(launches(), before);
  EXPECT_EQ(fakecuda::calls("cuGraphLaunch"), 2);
  EXPECT_EQ(first(y), 9);
  fill(x, 5);
  EXPECT_EQ(replay(), AMP_RT_OK);
  EXPECT_EQ(first(y), 12) << "of what is in the buffers then";
  // The run goes on.
  fill(x, 6);
  EXPECT_EQ(call(handle, nullptr), AMP_RT_OK);
  EXPECT_EQ(first(y), 13);
}

TEST_F(CudaCaptureTest, TheFakeSeesMemoryThatIsGoneAtAReplay) {
  callAndCapture();
  auto *freed = static_cast<float *>(allocate(256));
  std::swap(freed, y);
  free(freed);
  EXPECT_EQ(replay(), AMP_RT_OK) << "the host cannot know";
  EXPECT_EQ(fakecuda::violations(),
            "cuGraphLaunch: expected argument 1 of copy to be live memory\n");
  fakecuda::reset();
}

// The runtime refuses what a graph cannot have before the driver sees it.
TEST_F(CudaCaptureTest, TheFakeSeesWhatAGraphCannotHave) {
  auto driver = [](const char *name) {
    void *address = nullptr;
    int status = 0;
    EXPECT_EQ(cuGetProcAddress_v2(name, &address, 11000, 0, &status), 0);
    return address;
  };
  auto *allocate =
      reinterpret_cast<int (*)(void **, size_t)>(driver("cuMemAlloc"));
  auto *wait = reinterpret_cast<int (*)(void *)>(driver("cuStreamSynchronize"));
  body = [&](int64_t) {
    void *memory = nullptr;
    EXPECT_EQ(allocate(&memory, 64), 900);
    EXPECT_EQ(wait(nullptr), 900);
  };
  EXPECT_EQ(create(), AMP_RT_OK) << ampRtStatusText();
  EXPECT_EQ(fakecuda::violations(),
            "cuMemAlloc: expected no such call while a stream is captured\n"
            "cuStreamSynchronize: expected no such call while a stream is "
            "captured\n");
  fakecuda::reset();
}

TEST_F(CudaCaptureTest, NumbersStayWhatTheyWere) {
  float number = 3;
  body = [&](int64_t run) {
    EXPECT_EQ(ampRtRunWrite(run, y, &number, 4), AMP_RT_OK);
  };
  callAndCapture();
  number = 4;
  EXPECT_EQ(ampRtRunBegin(handle), AMP_RT_OK);
  for (int i = 0; i < 5000; ++i) // all of the run's own slots
    EXPECT_EQ(ampRtRunWrite(handle, y, &number, 4), AMP_RT_OK);
  EXPECT_EQ(ampRtRunEnd(handle), AMP_RT_OK);
  EXPECT_EQ(first(y), 4);
  EXPECT_EQ(replay(), AMP_RT_OK);
  EXPECT_EQ(first(y), 3);
}

TEST_F(CudaCaptureTest, ChecksAreHeardOf) {
  body = [&](int64_t run) {
    EXPECT_EQ(ampRtRunReportViolation(run, x, "text", 4), AMP_RT_OK);
  };
  callAndCapture();
  EXPECT_EQ(ampRtRunSynchronize(run), AMP_RT_OK) << "of the call: no bit";
  uint8_t flag = 1;
  auto set = [&](uint8_t value) {
    flag = value;
    EXPECT_EQ(ampRtDeviceCopy(device, x, &flag, 1, AMP_RT_COPY_TO_DEVICE),
              AMP_RT_OK);
    EXPECT_EQ(ampRtDeviceSynchronize(device), AMP_RT_OK);
  };
  set(1);
  EXPECT_EQ(replay(), AMP_RT_OK);
  set(0);
  EXPECT_EQ(replay(), AMP_RT_OK);
  EXPECT_FAILS(ampRtRunSynchronize(run), AMP_RT_PROGRAM_ERROR,
               "assertion in the compiled program failed: text (1 calls ago)");
  EXPECT_EQ(replay(), AMP_RT_OK);
  EXPECT_EQ(ampRtRunSynchronize(run), AMP_RT_OK);
}

// The record is advanced by the graph: the host has to know whose it is.
TEST_F(CudaCaptureTest, ScalersMoveAsInTheCall) {
  int64_t number = ampRtScalerHandle(scaler);
  auto *record =
      static_cast<AmpRtScalerRecord *>(allocate(sizeof(AmpRtScalerRecord)));
  body = [&](int64_t run) {
    EXPECT_EQ(ampRtRunReadScaler(run, number, record), AMP_RT_OK)
        << ampRtStatusText();
    // The transition of this test: the scale becomes the first of y.
    EXPECT_EQ(ampRtRunCopy(run, record, y, 8), AMP_RT_OK);
    EXPECT_EQ(ampRtRunWriteScaler(run, number, record), AMP_RT_OK);
  };
  auto setNext = [&](double scale) {
    EXPECT_EQ(ampRtDeviceCopy(device, y, &scale, 8, AMP_RT_COPY_TO_DEVICE),
              AMP_RT_OK);
    EXPECT_EQ(ampRtDeviceSynchronize(device), AMP_RT_OK);
  };
  auto scale = [&] {
    float result = 0;
    EXPECT_EQ(ampRtScalerGetScale(scaler, &result), AMP_RT_OK)
        << ampRtStatusText();
    return result;
  };
  setNext(16);
  callAndCapture();
  EXPECT_EQ(scale(), 16);
  setNext(32);
  EXPECT_EQ(scale(), 16) << "nothing is done while it is captured";
  EXPECT_EQ(replay(), AMP_RT_OK);
  EXPECT_EQ(scale(), 32);
  // What the host changes goes there first.
  EXPECT_EQ(ampRtScalerLoad(scaler, 4, 77), AMP_RT_OK);
  setNext(64);
  EXPECT_EQ(replay(), AMP_RT_OK);
  EXPECT_EQ(scale(), 64);
  AmpRtScalerState state;
  state.structSize = sizeof(state);
  EXPECT_EQ(ampRtScalerGetState(scaler, &state), AMP_RT_OK);
  EXPECT_EQ(state.unskipped, 77);

#if !AMP_TEST_FINDS_DEAD_MEMORY // a sanitizer, which refuses to look there
  ampRtScalerDestroy(scaler);
  scaler = nullptr;
  EXPECT_FAILS(replay(), AMP_RT_INVALID_ARGUMENT,
               "ampRtCaptureReplay: expected the scalers of the captured call "
               "to live; destroy the capture before them");
  // One that gets the address is another.
  for (int i = 0; i < 64 && ampRtScalerHandle(scaler) != number; ++i)
    ASSERT_EQ(ampRtScalerCreate("new", nullptr, &scaler), AMP_RT_OK);
  if (ampRtScalerHandle(scaler) == number) {
    void *between = allocate(64); // which takes the old record's place
    EXPECT_EQ(replay(), AMP_RT_INVALID_ARGUMENT) << ampRtStatusText();
    free(between);
  }
#endif
  free(record);
}

// The graph works in memory that a call of the run holds.
TEST_F(CudaCaptureTest, NotInTheMiddleOfACall) {
  callAndCapture();
  EXPECT_EQ(ampRtRunBegin(handle), AMP_RT_OK);
  EXPECT_FAILS(replay(), AMP_RT_INVALID_ARGUMENT,
               "ampRtCaptureReplay: expected a run that no call uses; replay "
               "between calls");
  EXPECT_EQ(ampRtRunEnd(handle), AMP_RT_OK);
  EXPECT_EQ(replay(), AMP_RT_OK);
}

// Memory that a graph uses is not given back, and the run keeps its program.
TEST_F(CudaCaptureTest, MemoryStays) {
  callAndCapture();
  fakecuda::failCall("cuMemAllocFromPoolAsync", 2);
  EXPECT_EQ(ampRtRunBegin(handle), AMP_RT_OK);
  EXPECT_EQ(ampRtRunAllocate(handle, 1024), nullptr);
  EXPECT_EQ(ampRtRunEnd(handle), AMP_RT_OUT_OF_MEMORY);
  EXPECT_FAILS(ampRtRunSetProgram(run, nullptr), AMP_RT_INVALID_ARGUMENT,
               "ampRtRunSetProgram: expected a run without captures; destroy "
               "them before (ampRtCaptureDestroy)");
  EXPECT_EQ(replay(), AMP_RT_OK);
  EXPECT_EQ(first(y), 8);
  EXPECT_EQ(ampRtCaptureDestroy(capture), AMP_RT_OK);
  capture = nullptr;
  EXPECT_EQ(ampRtRunSetProgram(run, nullptr), AMP_RT_OK) << ampRtStatusText();
}

// Another thread asks for something while this one captures.
TEST_F(CudaCaptureTest, OtherThreadsGoOn) {
  ASSERT_EQ(call(handle, nullptr), AMP_RT_OK);
  fill(y, 0);
  auto whole = body;
  body = [&](int64_t run) {
    std::thread([&] {
      fill(x, 50);
      AmpRtRun *other = nullptr;
      ASSERT_EQ(ampRtRunCreate(&other), AMP_RT_OK);
      ASSERT_EQ(ampRtRunSetProgram(other, loaded), AMP_RT_OK);
      ASSERT_EQ(ampRtRunBegin(ampRtRunHandle(other)), AMP_RT_OK);
      whole(ampRtRunHandle(other));
      ASSERT_EQ(ampRtRunEnd(ampRtRunHandle(other)), AMP_RT_OK);
      ampRtRunDestroy(other);
    }).join();
    EXPECT_EQ(fakecuda::launches().size(), 4u) << "two calls of two";
    whole(run);
  };
  ASSERT_EQ(create(), AMP_RT_OK) << ampRtStatusText();
  EXPECT_EQ(first(y), 57);
  fill(x, 1);
  EXPECT_EQ(replay(), AMP_RT_OK);
  EXPECT_EQ(first(y), 8);
}

TEST_F(CudaCaptureTest, WhatNoGraphHas) {
  const char *remedy = "make the same call once before, or do not capture it";
  auto expectRefused = [&](std::function<void(int64_t)> asked,
                           const std::string &text) {
    body = std::move(asked);
    EXPECT_EQ(create(), AMP_RT_INVALID_ARGUMENT);
    EXPECT_EQ(ampRtStatusText(), text);
    EXPECT_EQ(capture, nullptr);
  };
  expectRefused([](int64_t run) { ampRtRunAllocate(run, 12345); },
                std::string("ampRtRunAllocate: device 'cuda': expected a call "
                            "that can be captured as a graph, but it asks for "
                            "memory of a new size; ") +
                    remedy);
  expectRefused(
      [&](int64_t run) {
        int32_t number = 0;
        ampRtRunRead(run, &number, x, 4);
      },
      "ampRtRunRead: device 'cuda': expected a call that can be captured as a "
      "graph, but the host goes on with a number that it reads; do not capture "
      "it");
  expectRefused(
      [&](int64_t run) {
        ampRtRunReadScaler(run, ampRtScalerHandle(scaler), x);
      },
      std::string("ampRtRunReadScaler: device 'cuda': expected a call that can "
                  "be captured as a graph, but it asks for memory of a new "
                  "size; ") +
          remedy);
  for (auto asked :
       {+[](int64_t run, int64_t scaler) { ampRtRunScale(run, scaler); },
        +[](int64_t run, int64_t scaler) {
          ampRtRunUpdateScale(run, scaler, 1);
        }}) {
    body = [&](int64_t run) { asked(run, ampRtScalerHandle(scaler)); };
    EXPECT_EQ(create(), AMP_RT_INVALID_ARGUMENT);
    EXPECT_NE(std::string(ampRtStatusText())
                  .find("but the host has a part in its loss scaling"),
              std::string::npos)
        << ampRtStatusText();
  }
  float scale = 0;
  EXPECT_EQ(ampRtScalerGetScale(scaler, &scale), AMP_RT_OK);
  EXPECT_EQ(scale, 65536.0f) << "nothing has moved";
  AmpRtEvent *event = nullptr;
  ASSERT_EQ(ampRtEventCreate(device, &event), AMP_RT_OK);
  body = [&](int64_t) {
    EXPECT_EQ(ampRtEventRecord(event), AMP_RT_INVALID_ARGUMENT);
  };
  EXPECT_EQ(create(), AMP_RT_OK);
  EXPECT_EQ(ampRtCaptureDestroy(capture), AMP_RT_OK);
  capture = nullptr;
  EXPECT_EQ(ampRtEventDestroy(event), AMP_RT_OK);
  AmpRtTap *tap = nullptr;
  ASSERT_EQ(ampRtTapCreate(&tap), AMP_RT_OK);
  auto see = [](void *, const AmpRtTapEvent *) { return AMP_RT_OK; };
  ASSERT_EQ(ampRtTapSet(tap, see, nullptr), AMP_RT_OK);
  body = [&](int64_t run) {
    ampRtRunTap(run, ampRtTapHandle(tap), "a", 1, "b", 1, x, AMP_RT_ELEMENT_F32,
                4);
  };
  EXPECT_EQ(create(), AMP_RT_INVALID_ARGUMENT) << ampRtStatusText();
  ampRtTapDestroy(tap);
  body = [&](int64_t run) {
    for (int i = 0; i < 1025; ++i)
      ampRtRunReportViolation(run, x, "text", 4);
  };
  EXPECT_EQ(create(), AMP_RT_INVALID_ARGUMENT);
  EXPECT_STREQ(ampRtStatusText(),
               "ampRtRunReportViolation: expected at most 1024 assertions in a "
               "call that is captured; do not capture it");
  // The run and the device are as before.
  body = [this](int64_t run) {
    void *operands[] = {x, y, y};
    ampRtRunLaunch(run, 1, operands);
  };
  EXPECT_EQ(call(handle, nullptr), AMP_RT_OK) << ampRtStatusText();
}

TEST_F(CudaCaptureTest, FailuresOfTheDevice) {
  body = [this](int64_t run) {
    void *operands[] = {x, ampRtRunAllocate(run, 256), y};
    ampRtRunLaunch(run, 0, operands);
  };
  ASSERT_EQ(call(handle, nullptr), AMP_RT_OK);
  for (const char *function :
       {"cuMemAllocFromPoolAsync", "cuStreamCreate", "cuStreamBeginCapture",
        "cuLaunchKernelEx", "cuStreamEndCapture",
        "cuGraphInstantiateWithFlags"}) {
    fakecuda::failCall(function, 999);
    EXPECT_EQ(create(), AMP_RT_DEVICE_ERROR) << function;
    EXPECT_NE(std::string(ampRtStatusText()).find(function), std::string::npos)
        << ampRtStatusText();
    EXPECT_EQ(capture, nullptr) << function;
  }
  // The thread does not capture for ever where even the end fails.
  body = [](int64_t) { fakecuda::failCall("cuCtxPushCurrent", 999); };
  EXPECT_EQ(create(), AMP_RT_DEVICE_ERROR);
  body = [this](int64_t run) {
    void *operands[] = {x, ampRtRunAllocate(run, 256), y};
    ampRtRunLaunch(run, 0, operands);
  };
  ASSERT_EQ(create(), AMP_RT_OK) << ampRtStatusText();
  fakecuda::failCall("cuGraphLaunch", 999);
  EXPECT_EQ(replay(), AMP_RT_DEVICE_ERROR);
  EXPECT_EQ(replay(), AMP_RT_OK);
  fakecuda::failCall("cuGraphExecDestroy", 999);
  EXPECT_EQ(ampRtCaptureDestroy(capture), AMP_RT_DEVICE_ERROR);
  capture = nullptr;
}

TEST_F(CudaCaptureTest, WhatIsNoCapture) {
  void *none = nullptr;
  EXPECT_FAILS(ampRtCaptureCreate(nullptr, &function, &none, &capture),
               AMP_RT_INVALID_ARGUMENT,
               "ampRtCaptureCreate: expected 'run' not to be null");
  EXPECT_FAILS(ampRtCaptureCreate(run, nullptr, &none, &capture),
               AMP_RT_INVALID_ARGUMENT,
               "ampRtCaptureCreate: expected 'function' not to be null");
  EXPECT_FAILS(ampRtCaptureCreate(run, &function, nullptr, &capture),
               AMP_RT_INVALID_ARGUMENT,
               "ampRtCaptureCreate: expected 'arguments' not to be null");
  EXPECT_FAILS(ampRtCaptureCreate(run, &function, &none, nullptr),
               AMP_RT_INVALID_ARGUMENT,
               "ampRtCaptureCreate: expected 'capture' not to be null");
  EXPECT_FAILS(ampRtCaptureReplay(nullptr), AMP_RT_INVALID_ARGUMENT,
               "ampRtCaptureReplay: expected 'capture' not to be null");
  EXPECT_EQ(ampRtCaptureDestroy(nullptr), AMP_RT_OK);
  EXPECT_EQ(ampRtRunBegin(handle), AMP_RT_OK);
  EXPECT_FAILS(create(), AMP_RT_INVALID_ARGUMENT,
               "ampRtCaptureCreate: expected a run that no call uses; set the "
               "capture before the call");
  EXPECT_EQ(ampRtRunEnd(handle), AMP_RT_OK);
  AmpRtRun *other = nullptr;
  ASSERT_EQ(ampRtRunCreate(&other), AMP_RT_OK);
  EXPECT_FAILS(ampRtCaptureCreate(other, &function, &none, &capture),
               AMP_RT_INVALID_ARGUMENT,
               "ampRtCaptureCreate: expected a run with a loaded program, but "
               "it has none; load the program on a device, and call "
               "ampRtRunSetProgram");
  ampRtRunDestroy(other);
}
