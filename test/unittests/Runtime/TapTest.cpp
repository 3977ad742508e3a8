//===-- TapTest.cpp - Looking into a running program ----------------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "amp-rt/Tap.h"
#include "OpenRun.h"
#include "amp-rt/Half.h"
#include "amp-rt/Scaler.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

namespace {

struct Seen {
  std::string name, point;
  int32_t kind;
  int64_t count;
};

struct Recorder {
  std::vector<Seen> seen;
  AmpRtStatus answer = AMP_RT_OK;
};

AmpRtStatus record(void *user, const AmpRtTapEvent *event) {
  auto *recorder = static_cast<Recorder *>(user);
  EXPECT_EQ(event->structSize, sizeof(AmpRtTapEvent));
  recorder->seen.push_back({std::string(event->name, event->nameLength),
                            std::string(event->point, event->pointLength),
                            event->elementKind, event->elementCount});
  return recorder->answer;
}

/// Writes an infinity over the first element of the gradient named by `user`.
AmpRtStatus injectInf(void *user, const AmpRtTapEvent *event) {
  const std::string &target = *static_cast<std::string *>(user);
  if (std::string(event->name, event->nameLength) != target)
    return AMP_RT_OK;
  if (event->elementKind == AMP_RT_ELEMENT_F32)
    *static_cast<float *>(event->data) = std::numeric_limits<float>::infinity();
  else if (event->elementKind == AMP_RT_ELEMENT_F16)
    *static_cast<uint16_t *>(event->data) = 0x7c00;
  else
    return AMP_RT_INVALID_ARGUMENT;
  return AMP_RT_OK;
}

/// What a compiled step does: two gradients, tapped, then a finite test.
bool stepFindsInf(int64_t run, int64_t tap) {
  float w[3] = {1, 2, 3};
  uint16_t b[2] = {0x3c00, 0x4000};
  ampRtRunTap(run, tap, "w|b", 1, "grad", 4, w, AMP_RT_ELEMENT_F32, 3);
  ampRtRunTap(run, tap, "b", 1, "grad", 4, b, AMP_RT_ELEMENT_F16, 2);
  bool found = false;
  for (float value : w)
    found |= !std::isfinite(value);
  for (uint16_t value : b)
    found |= !std::isfinite(ampRtHalfF32FromF16(value));
  return found;
}

class Tap : public testing::Test {
protected:
  void SetUp() override { ASSERT_EQ(ampRtTapCreate(&tap), AMP_RT_OK); }
  void TearDown() override {
    ampRtTapDestroy(tap);
    EXPECT_EQ(run.takeError(), "");
  }
  std::string takeError() { return run.takeError(); }
  OpenRun run;
  AmpRtTap *tap = nullptr;
};

} // namespace

TEST_F(Tap, WithoutHandleOrCallbackNothingHappens) {
  EXPECT_FALSE(stepFindsInf(run.handle(), 0));
  EXPECT_FALSE(stepFindsInf(run.handle(), ampRtTapHandle(tap)));
  EXPECT_EQ(ampRtTapHandle(nullptr), 0);
}

TEST_F(Tap, CallbackSeesEveryValue) {
  Recorder recorder;
  ASSERT_EQ(ampRtTapSet(tap, record, &recorder), AMP_RT_OK);
  EXPECT_FALSE(stepFindsInf(run.handle(), ampRtTapHandle(tap)));
  ASSERT_EQ(recorder.seen.size(), 2u);
  EXPECT_EQ(recorder.seen[0].name, "w") << "lengths count, not a 0";
  EXPECT_EQ(recorder.seen[0].point, "grad");
  EXPECT_EQ(recorder.seen[0].kind, AMP_RT_ELEMENT_F32);
  EXPECT_EQ(recorder.seen[0].count, 3);
  EXPECT_EQ(recorder.seen[1].name, "b");
  EXPECT_EQ(recorder.seen[1].kind, AMP_RT_ELEMENT_F16);
  ASSERT_EQ(ampRtTapSet(tap, nullptr, nullptr), AMP_RT_OK);
  stepFindsInf(run.handle(), ampRtTapHandle(tap));
  EXPECT_EQ(recorder.seen.size(), 2u);
}

TEST_F(Tap, CallbackMayOverwrite) {
  for (std::string target : {"w", "b"}) {
    ASSERT_EQ(ampRtTapSet(tap, injectInf, &target), AMP_RT_OK);
    EXPECT_TRUE(stepFindsInf(run.handle(), ampRtTapHandle(tap))) << target;
  }
  std::string absent = "absent";
  ASSERT_EQ(ampRtTapSet(tap, injectInf, &absent), AMP_RT_OK);
  EXPECT_FALSE(stepFindsInf(run.handle(), ampRtTapHandle(tap)));
}

// Two taps at once: nothing is global.
TEST_F(Tap, TapsAreIndependent) {
  AmpRtTap *other = nullptr;
  ASSERT_EQ(ampRtTapCreate(&other), AMP_RT_OK);
  Recorder mine, theirs;
  ASSERT_EQ(ampRtTapSet(tap, record, &mine), AMP_RT_OK);
  ASSERT_EQ(ampRtTapSet(other, record, &theirs), AMP_RT_OK);
  stepFindsInf(run.handle(), ampRtTapHandle(tap));
  EXPECT_EQ(mine.seen.size(), 2u);
  EXPECT_EQ(theirs.seen.size(), 0u);
  ampRtTapDestroy(other);
}

TEST_F(Tap, RefusalIsAProgramError) {
  Recorder recorder;
  recorder.answer = AMP_RT_UNAVAILABLE;
  ASSERT_EQ(ampRtTapSet(tap, record, &recorder), AMP_RT_OK);
  stepFindsInf(run.handle(), ampRtTapHandle(tap));
  EXPECT_EQ(takeError(), "ampRtRunTap: callback refused tensor 'w' at 'grad': "
                         "unavailable (and 1 more errors after it)");
}

TEST_F(Tap, WrongArgumentsAreProgramErrors) {
  Recorder recorder;
  ASSERT_EQ(ampRtTapSet(tap, record, &recorder), AMP_RT_OK);
  int64_t handle = ampRtTapHandle(tap);
  float data[1] = {0};
  ampRtRunTap(run.handle(), handle, "x", 1, "p", 1, data, 99, 1);
  EXPECT_EQ(
      takeError(),
      "ampRtRunTap: tensor 'x': expected an AmpRtElementKind, but got 99");
  ampRtRunTap(run.handle(), handle, "x", -1, "p", 1, data, AMP_RT_ELEMENT_F32,
              1);
  EXPECT_EQ(takeError(), "ampRtRunTap: expected lengths and count not to be "
                         "negative, but got -1, 1 and 1");
  ampRtRunTap(run.handle(), handle, "x", 1, "p", -2, data, AMP_RT_ELEMENT_F32,
              1);
  EXPECT_EQ(takeError(), "ampRtRunTap: expected lengths and count not to be "
                         "negative, but got 1, -2 and 1");
  ampRtRunTap(run.handle(), handle, "x", 1, "p", 1, data, AMP_RT_ELEMENT_F32,
              -3);
  EXPECT_EQ(takeError(), "ampRtRunTap: expected lengths and count not to be "
                         "negative, but got 1, 1 and -3");
  ampRtRunTap(run.handle(), handle, nullptr, 1, "p", 1, data,
              AMP_RT_ELEMENT_F32, 1);
  EXPECT_EQ(takeError(),
            "ampRtRunTap: expected 'name', 'point' and 'data' not to "
            "be null where their lengths are not 0");
  ampRtRunTap(run.handle(), handle, "x", 1, nullptr, 1, data,
              AMP_RT_ELEMENT_F32, 1);
  EXPECT_NE(takeError().find("'point' and 'data' not to be null"),
            std::string::npos);
  ampRtRunTap(run.handle(), handle, "x", 1, "p", 1, nullptr, AMP_RT_ELEMENT_F32,
              1);
  EXPECT_NE(takeError().find("'point' and 'data' not to be null"),
            std::string::npos);
  EXPECT_TRUE(recorder.seen.empty());
  // An empty tensor has no data.
  ampRtRunTap(run.handle(), handle, "x", 1, "p", 1, nullptr, AMP_RT_ELEMENT_F32,
              0);
  EXPECT_EQ(recorder.seen.size(), 1u);

  AmpRtScaler *scaler = nullptr;
  ASSERT_EQ(ampRtScalerCreate("s", nullptr, &scaler), AMP_RT_OK);
  ampRtRunTap(run.handle(), ampRtScalerHandle(scaler), "x", 1, "p", 1, data,
              AMP_RT_ELEMENT_F32, 1);
  std::string text = takeError();
  EXPECT_EQ(
      text.rfind("ampRtRunTap: expected the handle of a tap or 0, but got 0x",
                 0),
      0u)
      << text;
  EXPECT_NE(text.find("; pass what ampRtTapHandle gave, and destroy the tap "
                      "after the program"),
            std::string::npos);
  ampRtScalerDestroy(scaler);
}

TEST_F(Tap, NullsAreRefused) {
  EXPECT_EQ(ampRtTapCreate(nullptr), AMP_RT_INVALID_ARGUMENT);
  EXPECT_EQ(ampRtTapSet(nullptr, record, nullptr), AMP_RT_INVALID_ARGUMENT);
  ampRtTapDestroy(nullptr);
}

TEST(ElementKind, Sizes) {
  const int64_t sizes[] = {2, 2, 4, 8, 1, 1, 2, 4, 8};
  for (int32_t kind = 0; kind < 9; ++kind)
    EXPECT_EQ(ampRtElementKindSize(kind), sizes[kind]) << kind;
  EXPECT_STREQ(ampRtElementKindName(AMP_RT_ELEMENT_BF16), "bf16");
  EXPECT_STREQ(ampRtElementKindName(AMP_RT_ELEMENT_I64), "i64");
  EXPECT_EQ(ampRtElementKindName(9), nullptr);
  EXPECT_EQ(ampRtElementKindSize(9), 0);
  EXPECT_EQ(ampRtElementKindSize(-1), 0);
}
