//===- KernelProfileTest.cpp - Where the time of a step goes --------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "amp/Execution/KernelProfile.h"

#include "llvm/Support/JSON.h"
#include <gtest/gtest.h>

using namespace mlir::amp;

/// 100 GFLOP/s, 200 of bf16, and 10 GB/s.
static MachinePeak makePeak() {
  return {100e9, 200e9, [](int64_t) { return 10e9; }};
}

static std::string print(llvm::ArrayRef<KernelTime> times, int64_t steps,
                         unsigned most = 40) {
  std::string text;
  llvm::raw_string_ostream os(text);
  printKernelProfile(os, times, steps, /*seconds=*/2, makePeak(), most);
  return text;
}

TEST(KernelProfile, ShowsTheLongestFirst) {
  // Two steps: the copy is bound by memory, the product by arithmetic.
  std::vector<KernelTime> times = {
      {"k0", "copy", "step.mlir:7", 0, 1'000'000'000, 4, 0.5},
      {"k1", "product", "", 20'000'000'000, 1'000'000, 2, 1.0},
      {"k2", "never", "", 1, 1, 0, 0},
  };
  EXPECT_EQ(
      print(times, 2),
      "profile of 2 steps: 750 ms a step in 2 kernels, 1.00 s in all\n"
      "  share   ms/step  calls  GFLOP/s    GB/s  roofline\n"
      "  66.7%   500.000      1     40.0      0.0      40%  product (k1)\n"
      "  33.3%   250.000      2      0.0      8.0      80%  copy (k0, "
      "step.mlir:7)\n");
  EXPECT_EQ(
      print(times, 2, /*most=*/1),
      "profile of 2 steps: 750 ms a step in 2 kernels, 1.00 s in all\n"
      "  share   ms/step  calls  GFLOP/s    GB/s  roofline\n"
      "  66.7%   500.000      1     40.0      0.0      40%  product (k1)\n"
      "  33.3%   250.000        in 1 more\n");
}

TEST(KernelProfile, HoldsProductsOfBf16AgainstTheirPeak) {
  auto printOne = [](const char *what) {
    return print({{"k", what, "", 20'000'000'000, 1'000, 1, 0.5}}, 1);
  };
  EXPECT_NE(printOne("product 8x8x8 bf16 bf16").find("  20%  product"),
            std::string::npos);
  EXPECT_NE(
      printOne("product 8x8x8 bf16 bf16, product 8x8x4 bf16 bf16 in tiles "
               "16 by 8, 2 operations: extf truncf")
          .find("  20%  product"),
      std::string::npos);
  EXPECT_NE(printOne("product 8x8x8 bf16 bf16, product 8x8x4 f32 bf16 in tiles "
                     "16 by 8, 2 operations: extf truncf")
                .find("  40%  product"),
            std::string::npos);
  EXPECT_NE(printOne("product 8x8x8 bf16 f32").find("  40%  product"),
            std::string::npos);
  EXPECT_NE(printOne("loops 8x8 bf16 bf16").find("  40%  loops"),
            std::string::npos);
}

TEST(KernelProfile, SaysWhatIsNotKnown) {
  std::vector<KernelTime> times = {{"k0", "loops ?", "", -1, -1, 1, 0.5}};
  EXPECT_EQ(
      print(times, 1),
      "profile of 1 step: 500 ms a step in 1 kernels, 2.00 s in all\n"
      "  share   ms/step  calls  GFLOP/s    GB/s  roofline\n"
      " 100.0%   500.000      1        -        -        -  loops ? (k0)\n");
  EXPECT_EQ(print({}, 1), "profile: no kernel was called\n");
  EXPECT_EQ(print(times, 0), "profile: no kernel was called\n");
}

TEST(KernelProfile, MeasuresThisMachine) {
  MachinePeak peak = measureMachinePeak(2);
#ifdef __x86_64__
  EXPECT_GT(peak.operations, 1e9);
  EXPECT_GE(peak.bf16Operations, peak.operations);
#endif
  EXPECT_GT(peak.getBandwidth(100), 1e8);
  EXPECT_EQ(peak.getBandwidth(1 << 20), peak.getBandwidth((1 << 20) - 5));
}

TEST(KernelProfile, WritesEvents) {
  std::vector<KernelTime> times = {
      {"k0", "copy \"x\"", "a.mlir:1", 0, 64, 1, 1}};
  std::string text;
  llvm::raw_string_ostream os(text);
  writeTrace(os, times, {{0, 5500, 7000}, {0, 5000, 5250}});
  llvm::Expected<llvm::json::Value> value = llvm::json::parse(text);
  ASSERT_TRUE(bool(value)) << text;
  const llvm::json::Array &events =
      *value->getAsObject()->getArray("traceEvents");
  ASSERT_EQ(events.size(), 2u);
  EXPECT_EQ(value->getAsObject()->getObject("otherData")->getInteger("calls"),
            countCalls(times));
  const llvm::json::Object &event = *events[0].getAsObject();
  EXPECT_EQ(event.getString("name"), "copy \"x\"");
  EXPECT_EQ(event.getNumber("ts"), 0.5);
  EXPECT_EQ(event.getNumber("dur"), 1.5);
  EXPECT_EQ(event.getObject("args")->getString("source"), "a.mlir:1");
}
