//===- CpuFeaturesTest.cpp - What a program needs of a CPU ----------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "amp/Execution/CpuFeatures.h"

#include "amp-rt/Cpu.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/X86TargetParser.h"

#include <gtest/gtest.h>

#include <set>

using namespace mlir::amp;
using llvm::StringRef;

#ifdef __x86_64__

static uint64_t getBit(StringRef name) {
  int32_t number = ampRtCpuFindFeature(name.str().c_str());
  return number < 0 ? 0 : uint64_t(1) << number;
}

/// All that there is a name for.
static uint64_t getKnown() {
  uint64_t known = 0;
  for (int32_t number = 0; ampRtCpuFeatureName(number); ++number)
    known |= uint64_t(1) << number;
  return known;
}

/// What code with AMX's tiles needs beside.
static uint64_t getTiles() {
  return getBit("amx-tile") | getBit("amx-bf16") | getBit("amx-fp16");
}

// The runtime asks this CPU by a table of its own; LLVM has another.
TEST(CpuFeatures, OfThisCpuAreLlvms) {
  llvm::StringMap<bool> theirs = llvm::sys::getHostCPUFeatures();
  const uint64_t ours = ampRtCpuGetFeatures(getKnown());
  // For tiles the system may refuse what the CPU has.
  const bool hasTiles = ours & getBit("amx-tile");
  for (int32_t number = 0; const char *name = ampRtCpuFeatureName(number);
       ++number) {
    ASSERT_TRUE(theirs.contains(name)) << name << " is no name of LLVM's";
    if (!hasTiles && StringRef(name).starts_with("amx-"))
      continue;
    EXPECT_EQ(bool(ours >> number & 1), theirs.lookup(name)) << name;
  }
  llvm::Expected<CpuFeatures> native = getCpuFeatures("native");
  ASSERT_TRUE(bool(native));
  EXPECT_EQ(native->plain | native->tiles, ours);
  EXPECT_EQ(native->plain & getTiles(), 0u);
  // Code is to do without what nobody can ask for.
  for (const std::string &name : findUnaskedFeatures()) {
    EXPECT_TRUE(theirs.lookup(name)) << name;
    EXPECT_EQ(getBit(name), 0u) << name;
  }
}

// Every feature of every CPU is asked for, or known not to be needed; or code
// for the CPU is refused.
TEST(CpuFeatures, OfAllCpus) {
  llvm::SmallVector<StringRef> cpus;
  llvm::X86::fillValidCPUArchList(cpus, /*Only64Bit=*/true);
  std::set<std::string> refused;
  for (StringRef cpu : cpus) {
    llvm::Expected<CpuFeatures> features = getCpuFeatures(cpu);
    if (!features) {
      refused.insert(cpu.str());
      EXPECT_NE(llvm::toString(features.takeError()).find("name an older one"),
                std::string::npos);
      continue;
    }
    EXPECT_EQ((features->plain | features->tiles) & ~getKnown(), 0u)
        << cpu.str();
    EXPECT_EQ(features->plain & getTiles(), 0u) << cpu.str();
    EXPECT_EQ(features->tiles & ~getTiles(), 0u) << cpu.str();
  }
  EXPECT_EQ(refused, (std::set<std::string>{"diamondrapids", "novalake"}));
}

TEST(CpuFeatures, OfSomeCpus) {
  auto get = [](StringRef cpu) { return llvm::cantFail(getCpuFeatures(cpu)); };
  const uint64_t avx2 = getBit("avx2") | getBit("fma") | getBit("f16c"),
                 tiles = getBit("amx-tile") | getBit("amx-bf16");
  ASSERT_TRUE(getBit("avx2") && getBit("amx-tile") && getBit("amx-fp16"));
  EXPECT_EQ(get("x86-64").plain, 0u);
  EXPECT_EQ(get("x86-64-v2").plain & avx2, 0u);
  EXPECT_EQ(get("x86-64-v3").plain & avx2, avx2);
  EXPECT_EQ(get("x86-64-v3").plain & getBit("avx512f"), 0u);
  EXPECT_NE(get("znver4").plain & getBit("avx512bf16"), 0u);
  // What LLVM's lists leave out, as it is implied.
  EXPECT_NE(get("alderlake").plain & getBit("avx2"), 0u);
  EXPECT_NE(get("sierraforest").plain & getBit("avx"), 0u);
  EXPECT_NE(get("x86-64-v3").plain & getBit("sse4.1"), 0u);
  EXPECT_EQ(get("znver4").tiles, 0u);
  EXPECT_EQ(get("sapphirerapids").tiles, tiles);
  EXPECT_EQ(get("graniterapids").tiles, tiles | getBit("amx-fp16"));
}

TEST(CpuFeatures, Order) {
  auto check = [](std::vector<std::string> cpus) {
    return llvm::toString(checkCpuOrder(cpus, "--cpu"));
  };
  EXPECT_EQ(check({"native"}), "");
  EXPECT_EQ(check({"graniterapids", "sapphirerapids", "x86-64-v3", "x86-64"}),
            "");
  // Each has what the other has not.
  EXPECT_EQ(check({"znver4", "skylake-avx512"}), "");
  EXPECT_EQ(check({"x86-64-v3", "znver4"}),
            "expected --cpu to name first what can do most, but a CPU that can "
            "run the code for 'znver4' can run that for 'x86-64-v3' too, and "
            "would take it; put 'znver4' before it, or leave one out");
  EXPECT_EQ(check({"znver4", "znver3", "znver4"}),
            "expected --cpu to name each CPU once, but got 'znver4' twice");
  for (std::vector<std::string> cpus :
       {std::vector<std::string>{"haswell", "alderlake"},
        {"core2", "x86-64-v4"},
        {"nehalem", "x86-64-v3"},
        {"x86-64-v3", "sierraforest"}})
    EXPECT_NE(check(cpus).find("put '" + cpus.back() + "' before it"),
              std::string::npos)
        << cpus.front();
  // Two names for the same.
  EXPECT_EQ(check({"emeraldrapids", "sapphirerapids"}),
            "expected --cpu to name first what can do most, but a CPU that can "
            "run the code for 'sapphirerapids' can run that for "
            "'emeraldrapids' too, and would take it; leave one out");
  EXPECT_NE(check({"diamondrapids"}).find("for which the runtime cannot ask"),
            std::string::npos);
}

#endif
