//===-- StructSizeTest.cpp - Callers with older and newer headers ---------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A caller compiled against another release has structs of another size. An
// older one stands here as today's struct with a smaller size and bytes behind
// it that are not its own, a newer one as a struct with a member more.
//
//===----------------------------------------------------------------------===//

#include "amp-rt/Blas.h"
#include "amp-rt/Device.h"
#include "amp-rt/Load.h"
#include "amp-rt/Scaler.h"
#include "amp-rt/Version.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstring>
#include <string>

namespace {
/// What a later release may make of a struct.
template <typename Struct> struct Newer {
  Struct known = {};
  int64_t added = 0;

  Newer() { known.structSize = sizeof(*this); }
};

/// A struct in memory that is full of 0xaa, of which the caller owns the first
/// `size` bytes.
template <typename Struct> struct Older {
  union {
    Struct known;
    unsigned char bytes[sizeof(Struct)];
  };
  uint32_t size;

  explicit Older(uint32_t size) : size(size) {
    std::memset(bytes, 0xaa, sizeof(bytes));
    known.structSize = size;
  }
  void expectRestUntouched() const {
    for (size_t i = size; i < sizeof(bytes); ++i)
      EXPECT_EQ(bytes[i], 0xaa) << "byte " << i;
  }
};

AmpRtDevice *host() {
  AmpRtDevice *device = nullptr;
  EXPECT_EQ(ampRtDeviceGet("host", &device), AMP_RT_OK);
  return device;
}

struct ScalerHolder {
  AmpRtScaler *scaler = nullptr;
  ScalerHolder() { EXPECT_EQ(ampRtScalerCreate("s", nullptr, &scaler), 0); }
  ~ScalerHolder() { ampRtScalerDestroy(scaler); }
};
} // namespace

//===----------------------------------------------------------------------===//
// What callers are given
//===----------------------------------------------------------------------===//

TEST(StructSize, OlderCallersGetWhatTheyKnow) {
  Older<AmpRtDeviceProperties> properties(
      offsetof(AmpRtDeviceProperties, sharedBytesLimit));
  ASSERT_EQ(ampRtDeviceGetProperties(host(), &properties.known), AMP_RT_OK);
  EXPECT_EQ(properties.known.structSize, properties.size);
  EXPECT_EQ(properties.known.alignment, 64);
  properties.expectRestUntouched();

  Older<AmpRtDeviceStatistics> statistics(
      offsetof(AmpRtDeviceStatistics, frees));
  ASSERT_EQ(ampRtDeviceGetStatistics(host(), &statistics.known), AMP_RT_OK);
  statistics.expectRestUntouched();

  ScalerHolder holder;
  Older<AmpRtScalerConfig> config(offsetof(AmpRtScalerConfig, hysteresis));
  ASSERT_EQ(ampRtScalerGetConfig(holder.scaler, &config.known), AMP_RT_OK);
  EXPECT_EQ(config.known.growthInterval, 2000);
  config.expectRestUntouched();
  Older<AmpRtScalerState> state(offsetof(AmpRtScalerState, steps));
  ASSERT_EQ(ampRtScalerGetState(holder.scaler, &state.known), AMP_RT_OK);
  EXPECT_EQ(state.known.scale, 65536);
  state.expectRestUntouched();
}

TEST(StructSize, InitialisersKeepToTheirCallersSize) {
  Older<AmpRtScalerConfig> config(offsetof(AmpRtScalerConfig, minScale));
  ampRtScalerConfigInitSized(&config.known, config.size);
  EXPECT_EQ(config.known.structSize, config.size);
  EXPECT_EQ(config.known.growthFactor, 2);
  config.expectRestUntouched();
  Older<AmpRtBlasOptions> options(offsetof(AmpRtBlasOptions, path));
  ampRtBlasOptionsInitSized(&options.known, options.size);
  EXPECT_EQ(options.known.threads, 1);
  options.expectRestUntouched();
  // Less than a size has room for: nothing but that is written.
  for (uint32_t size : {0u, 3u}) {
    config.known.growthFactor = 7;
    ampRtScalerConfigInitSized(&config.known, size);
    EXPECT_EQ(config.known.structSize, size);
    EXPECT_EQ(config.known.growthFactor, 7);
  }
}

TEST(StructSize, NewerCallersFindZeroInWhatIsNotKnown) {
  Newer<AmpRtDeviceStatistics> statistics;
  statistics.added = 7;
  ASSERT_EQ(ampRtDeviceGetStatistics(host(), &statistics.known), AMP_RT_OK);
  EXPECT_EQ(statistics.known.structSize, sizeof(statistics));
  EXPECT_EQ(statistics.added, 0);

  ScalerHolder holder;
  Newer<AmpRtScalerState> state;
  state.added = 7;
  ASSERT_EQ(ampRtScalerGetState(holder.scaler, &state.known), AMP_RT_OK);
  EXPECT_EQ(state.known.scale, 65536);
  EXPECT_EQ(state.added, 0);
}

//===----------------------------------------------------------------------===//
// What callers give
//===----------------------------------------------------------------------===//

TEST(StructSize, OlderCallersLeaveTheRestAtZero) {
  AmpRtBlas *blas = nullptr;
  Older<AmpRtBlasOptions> options(offsetof(AmpRtBlasOptions, path));
  ampRtBlasOptionsInitSized(&options.known, options.size);
  // Not its path: 0xaaaa... would be no address.
  ASSERT_EQ(ampRtBlasCreate(&options.known, &blas), AMP_RT_OK);
  ampRtBlasDestroy(blas);

  auto kernel = [](void *const *, const int64_t *) {};
  Older<AmpRtLaunch> launch(offsetof(AmpRtLaunch, arguments));
  launch.known.sharedBytes = 0;
  for (int i = 0; i < 3; ++i) {
    launch.known.grid[i] = launch.known.threads[i] = 1;
    launch.known.cluster[i] = 0;
  }
  launch.known.kernel = reinterpret_cast<void *>(+kernel);
  EXPECT_EQ(ampRtDeviceLaunch(host(), &launch.known), AMP_RT_OK)
      << ampRtStatusText();
}

// Before there were programs for a device: so this is one for the host,
// whatever stands behind it.
TEST(StructSize, OlderProgramsAreForTheHost) {
  AmpRtLoadedProgram *loaded = nullptr;
  Older<AmpRtProgram> program(offsetof(AmpRtProgram, chip));
  program.known.runtimeVersion = AMP_RT_VERSION;
  EXPECT_EQ(ampRtProgramLoad(&program.known, host(), &loaded),
            AMP_RT_INVALID_ARGUMENT);
  EXPECT_NE(std::strstr(ampRtStatusText(), "one for the host"), nullptr)
      << ampRtStatusText();
  Newer<AmpRtProgram> newer;
  newer.known.runtimeVersion = AMP_RT_VERSION;
  newer.added = 1;
  EXPECT_EQ(ampRtProgramLoad(&newer.known, host(), &loaded),
            AMP_RT_VERSION_MISMATCH);
  newer.known.structSize = 0;
  EXPECT_EQ(ampRtProgramLoad(&newer.known, host(), &loaded),
            AMP_RT_VERSION_MISMATCH);
  EXPECT_EQ(loaded, nullptr);
}

TEST(StructSize, NewerCallersAreServedWhileTheyAskNothingNew) {
  Newer<AmpRtScalerConfig> config;
  ampRtScalerConfigInitSized(&config.known, sizeof(config));
  EXPECT_EQ(config.known.structSize, sizeof(config));
  config.known.initialScale = 4;
  AmpRtScaler *scaler = nullptr;
  ASSERT_EQ(ampRtScalerCreate("newer", &config.known, &scaler), AMP_RT_OK);
  // What the library keeps has its own size.
  AmpRtScalerConfig kept;
  kept.structSize = sizeof(kept);
  ASSERT_EQ(ampRtScalerGetConfig(scaler, &kept), AMP_RT_OK);
  EXPECT_EQ(kept.initialScale, 4);
  ampRtScalerDestroy(scaler);

  scaler = nullptr;
  config.added = 1;
  EXPECT_EQ(ampRtScalerCreate("newer", &config.known, &scaler),
            AMP_RT_VERSION_MISMATCH);
  EXPECT_EQ(scaler, nullptr);
  EXPECT_STREQ(ampRtStatusText(),
               "ampRtScalerCreate: expected what follows the first 72 bytes of "
               "AmpRtScalerConfig to be 0, but byte 72 is not: this member is "
               "unknown to libamp-rt 0.1.0; leave it 0, or install a newer "
               "library");
}

// The old first member, a version of 1, and memory that nobody initialised.
TEST(StructSize, SizesThatNoReleaseHad) {
  ScalerHolder holder;
  for (uint32_t size : {0u, 1u, 7u, 4097u, ~0u}) {
    AmpRtScalerState state = {};
    state.structSize = size;
    EXPECT_EQ(ampRtScalerGetState(holder.scaler, &state),
              AMP_RT_VERSION_MISMATCH);
    EXPECT_EQ(ampRtScalerSetState(holder.scaler, &state),
              AMP_RT_VERSION_MISMATCH);
  }
  EXPECT_STREQ(ampRtStatusText(),
               "ampRtScalerSetState: expected AmpRtScalerState of 80 bytes, or "
               "as many as another release of libamp-rt has, but its member "
               "'structSize' is 4294967295; set it to sizeof(AmpRtScalerState) "
               "before the call");
}
