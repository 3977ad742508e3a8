//===- MemoryLimitsTest.cpp - What memory a run may still take ------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "amp/Execution/MemoryLimits.h"
#include "FakeProgram.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include <gtest/gtest.h>

using namespace mlir::amp;

namespace {
/// Files below a folder that stands for the root of the system.
class FakeSystem : public testing::Test {
protected:
  void SetUp() override {
    ASSERT_FALSE(llvm::sys::fs::createUniqueDirectory("amp-limits", root));
  }
  void TearDown() override { llvm::sys::fs::remove_directories(root); }

  void write(llvm::StringRef path, llvm::StringRef text) {
    std::string full = (root + path).str();
    ASSERT_FALSE(
        llvm::sys::fs::create_directories(llvm::sys::path::parent_path(full)));
    std::error_code error;
    llvm::raw_fd_ostream(full, error) << text;
    ASSERT_FALSE(error);
  }
  MemoryLimit find(const ProcessLimits &process = {}) {
    std::optional<MemoryLimit> limit = findMemoryLimit(process, root);
    EXPECT_TRUE(limit);
    return limit.value_or(MemoryLimit{-1, ""});
  }
  llvm::SmallString<64> root;
};

MemoryEstimate makeEstimate() {
  return {int64_t(3) << 30, int64_t(1) << 30, int64_t(512) << 20,
          "param 'w', 65536x4096xf32"};
}
} // namespace

TEST_F(FakeSystem, NothingThereIsNoLimit) {
  EXPECT_FALSE(findMemoryLimit({}, root));
}

TEST_F(FakeSystem, Machine) {
  write("/proc/meminfo", "MemTotal:       8000 kB\nMemAvailable:   5000 kB\n"
                         "SwapTotal:      900 kB\nSwapFree:        100 kB\n");
  EXPECT_EQ(find().available, 5100 * 1024);
  EXPECT_EQ(find().origin, "the memory of the machine");
}

TEST_F(FakeSystem, ProcessLimits) {
  write("/proc/self/status", "VmPeak:\t 900 kB\nVmSize:\t 600 kB\n"
                             "VmData:\t 200 kB\n");
  ProcessLimits process;
  process.addressSpace = 1000 * 1024;
  EXPECT_EQ(find(process).available, 400 * 1024);
  EXPECT_EQ(find(process).origin,
            "the process's limit of address space (ulimit -v)");
  process.data = 300 * 1024;
  EXPECT_EQ(find(process).available, 100 * 1024);
  EXPECT_EQ(find(process).origin, "the process's limit of data (ulimit -d)");
  // More in use than allowed is no negative memory.
  process.data = 100;
  EXPECT_EQ(find(process).available, 0);
}

// The file cache of the group is not in use.
TEST_F(FakeSystem, Version2) {
  write("/proc/self/cgroup", "0::/jobs/mine\n");
  write("/sys/fs/cgroup/jobs/mine/memory.max", "10000\n");
  write("/sys/fs/cgroup/jobs/mine/memory.current", "9000\n");
  write("/sys/fs/cgroup/jobs/mine/memory.stat",
        "anon 5000\nfile 3500\ninactive_file 2000\nactive_file 1000\n"
        "slab_reclaimable 500\n");
  EXPECT_EQ(find().available, 10000 - 9000 + 3500);
  EXPECT_EQ(find().origin,
            "memory.max of control group /sys/fs/cgroup/jobs/mine");
}

// A group may have no limit and stand in one that has.
TEST_F(FakeSystem, Version2Nested) {
  write("/proc/self/cgroup", "0::/jobs/mine\n");
  write("/sys/fs/cgroup/jobs/mine/memory.max", "max\n");
  write("/sys/fs/cgroup/jobs/mine/memory.current", "10\n");
  write("/sys/fs/cgroup/jobs/memory.max", "800\n");
  write("/sys/fs/cgroup/jobs/memory.current", "100\n");
  EXPECT_EQ(find().available, 700);
  EXPECT_EQ(find().origin, "memory.max of control group /sys/fs/cgroup/jobs");
  // The tighter of both.
  write("/sys/fs/cgroup/jobs/mine/memory.max", "600\n");
  EXPECT_EQ(find().available, 590);
}

// In a container the path may be the host's.
TEST_F(FakeSystem, Version2InAContainer) {
  write("/proc/self/cgroup", "0::/docker/0123\n");
  write("/sys/fs/cgroup/memory.max", "5000\n");
  write("/sys/fs/cgroup/memory.current", "1000\n");
  EXPECT_EQ(find().available, 4000);
}

TEST_F(FakeSystem, Version1) {
  write("/proc/self/cgroup", "12:cpu,cpuacct:/a\n7:memory:/a/b\n0::/\n");
  write("/sys/fs/cgroup/memory/a/b/memory.limit_in_bytes",
        "9223372036854771712\n");
  write("/sys/fs/cgroup/memory/a/b/memory.usage_in_bytes", "100\n");
  write("/sys/fs/cgroup/memory/a/memory.limit_in_bytes", "4096\n");
  write("/sys/fs/cgroup/memory/a/memory.usage_in_bytes", "3000\n");
  write("/sys/fs/cgroup/memory/a/memory.stat",
        "inactive_file 1\ntotal_inactive_file 500\ntotal_active_file 300\n");
  EXPECT_EQ(find().available, 4096 - 3000 + 800);
  EXPECT_EQ(find().origin,
            "memory.limit_in_bytes of control group /sys/fs/cgroup/memory/a");
}

// A batch counts with the rows that it has: types may leave them open.
TEST(MemoryLimits, BatchesCountWithTheirRows) {
  amp_test::FakeProgram program((amp_test::FakeOptions()));
  const MemoryEstimate byType = estimateMemory(program, 1);
  const MemoryEstimate byRows = estimateMemory(program, 1, {5000, 700});
  EXPECT_EQ(byRows.arguments - byType.arguments,
            5000 + 700 - (4 * 6 * 4 + 4 * 8));
  EXPECT_EQ(byRows.results, byType.results);
  EXPECT_EQ(byRows.largest.rfind("batch 'x0'", 0), 0u) << byRows.largest;
  // Of start values there are two copies, of the batch never.
  EXPECT_EQ(estimateMemory(program, 2, {5000, 700}).arguments -
                byRows.arguments,
            byType.arguments - (4 * 6 * 4 + 4 * 8));
}

TEST(MemoryLimits, EstimateThatFits) {
  EXPECT_FALSE(checkMemory(makeEstimate(), std::nullopt));
  EXPECT_FALSE(checkMemory(makeEstimate(),
                           MemoryLimit{int64_t(9) << 29, "the machine"}));
}

TEST(MemoryLimits, EstimateThatDoesNot) {
  EXPECT_EQ(
      llvm::toString(checkMemory(
          makeEstimate(), MemoryLimit{(int64_t(9) << 29) - 1, "the machine"})),
      "expected a step to take no more memory than there is, but it takes 4.5 "
      "GiB: 3.0 GiB for arguments (the largest: param 'w', 65536x4096xf32), "
      "1.0 GiB for results and 512.0 MiB for values between them, and 4.5 GiB "
      "are left by the machine; use smaller batches or a smaller model, or "
      "raise the limit");
}

TEST(MemoryLimits, SumsDoNotWrap) {
  MemoryEstimate estimate = makeEstimate();
  estimate.results = INT64_MAX - 5;
  std::string text = llvm::toString(checkMemory(estimate, std::nullopt));
  EXPECT_NE(text.find("it takes 2^63 bytes or more"), std::string::npos);
  EXPECT_NE(text.find("no machine has that"), std::string::npos);
}
