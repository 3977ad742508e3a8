//===- PerfMapTest.cpp - Names of compiled functions for perf -------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "amp/Execution/PerfMap.h"
#include "TestFiles.h"

#include <csignal>
#include <sys/resource.h>
#include <thread>
#include <unistd.h>

using namespace amp_test;
using namespace mlir::amp;

namespace {

class PerfMapTest : public TemporaryFolderTest {};

const std::vector<LinkedFunction> kFunctions = {{"f", 0x7f0000001000, 0x2a}};
constexpr const char *kLine = "7f0000001000 2a f\n";

std::string print(std::vector<LinkedFunction> functions,
                  std::vector<KernelTime> kernels = {}) {
  std::string text;
  llvm::raw_string_ostream os(text);
  printPerfMap(os, functions, kernels);
  return text;
}

KernelTime makeKernel(const char *name, const char *what) {
  KernelTime kernel;
  kernel.name = name;
  kernel.what = what;
  return kernel;
}

} // namespace

// Addresses of a large process, above 32 bits and above all that a double
// holds.
TEST_F(PerfMapTest, ALineIsStartSizeAndName) {
  EXPECT_EQ(print({}), "");
  EXPECT_EQ(print({{"a", 0x10, 1}, {"b", 0xfffffffffffffff0, 0x100000000}}),
            "10 1 a\nfffffffffffffff0 100000000 b\n");
}

TEST_F(PerfMapTest, KernelsAndTheirPartsHaveTitles) {
  EXPECT_EQ(print({{"amp_kernel_3", 16, 1},
                   {"amp_kernel_3_part", 17, 1},
                   {"amp_kernel_3_part_0", 18, 1}},
                  {makeKernel("amp_kernel_3", "product 8x8x8 f32 f32")}),
            "10 1 amp_kernel_3 product 8x8x8 f32 f32\n"
            "11 1 amp_kernel_3_part product 8x8x8 f32 f32\n"
            "12 1 amp_kernel_3_part_0 product 8x8x8 f32 f32\n");
  // Near misses: a name that begins as a kernel's, and one that only ends so.
  EXPECT_EQ(print({{"amp_kernel_30", 16, 1}, {"my_amp_kernel_3", 17, 1}},
                  {makeKernel("amp_kernel_3", "copy")}),
            "10 1 amp_kernel_30\n11 1 my_amp_kernel_3\n");
}

TEST_F(PerfMapTest, TheFileIsThatOfTheProcess) {
  EXPECT_EQ(getPerfMapPath(),
            "/tmp/perf-" + std::to_string(::getpid()) + ".map");
}

TEST_F(PerfMapTest, AnOldMapGoes) {
  const std::string path = writeText("perf-1.map", "1 1 something longer\n");
  EXPECT_EQ(getText(writePerfMap(path, kFunctions, {})), "(success)");
  EXPECT_EQ(readText("perf-1.map"), kLine);
}

// Who can write to the folder cannot have another file overwritten.
TEST_F(PerfMapTest, ALinkIsReplacedAndNotFollowed) {
  const std::string target = writeText("precious", "kept");
  const std::string path = getPath("perf-1.map");
  ASSERT_EQ(::symlink(target.c_str(), path.c_str()), 0);
  EXPECT_EQ(getText(writePerfMap(path, kFunctions, {})), "(success)");
  EXPECT_EQ(readText("perf-1.map"), kLine);
  EXPECT_EQ(readText("precious"), "kept");
}

// Programs of one process come one after the other, and from several threads.
TEST_F(PerfMapTest, LaterNamesAreAppended) {
  const std::string path = writeText("perf-1.map", "1 1 of another process\n");
  constexpr int kThreads = 4, kCalls = 50;
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i)
    threads.emplace_back([&] {
      for (int j = 0; j < kCalls; ++j)
        EXPECT_EQ(getText(writePerfMap(path, kFunctions, {})), "(success)");
    });
  for (std::thread &thread : threads)
    thread.join();
  std::string wanted;
  for (int i = 0; i < kThreads * kCalls; ++i)
    wanted += kLine;
  EXPECT_EQ(readText("perf-1.map"), wanted);
}

TEST_F(PerfMapTest, AMapThatWasTakenAwayIsBegunAnew) {
  const std::string path = getPath("perf-1.map");
  EXPECT_EQ(getText(writePerfMap(path, {{"old", 1, 1}}, {})), "(success)");
  ASSERT_EQ(::unlink(path.c_str()), 0);
  EXPECT_EQ(getText(writePerfMap(path, kFunctions, {})), "(success)");
  EXPECT_EQ(readText("perf-1.map"), kLine);
}

// Where a map was begun, a link in its place is somebody else's.
TEST_F(PerfMapTest, ALaterLinkIsRefused) {
  const std::string target = writeText("precious", "kept");
  const std::string path = getPath("perf-1.map");
  EXPECT_EQ(getText(writePerfMap(path, kFunctions, {})), "(success)");
  ASSERT_EQ(::unlink(path.c_str()), 0);
  ASSERT_EQ(::symlink(target.c_str(), path.c_str()), 0);
  EXPECT_EQ(withoutFolder(getText(writePerfMap(path, kFunctions, {}))),
            "cannot write 'FOLDER/perf-1.map', where perf looks for names: "
            "Too many levels of symbolic links");
  EXPECT_EQ(readText("precious"), "kept");
}

TEST_F(PerfMapTest, WhatCannotBeWrittenIsNamed) {
  EXPECT_EQ(
      withoutFolder(getText(writePerfMap(getPath("no/perf-1.map"), {}, {}))),
      "cannot write 'FOLDER/no/perf-1.map', where perf looks for names: "
      "No such file or directory");
  ASSERT_FALSE(llvm::sys::fs::create_directory(getPath("perf-1.map")));
  EXPECT_EQ(
      withoutFolder(getText(writePerfMap(getPath("perf-1.map"), {}, {}))),
      "cannot write 'FOLDER/perf-1.map', where perf looks for names: Is a "
      "directory");
}

// A limit on file sizes stands in for a full disk.
TEST_F(PerfMapTest, AFullDiskIsAnError) {
  auto handler = std::signal(SIGXFSZ, SIG_IGN);
  rlimit before;
  getrlimit(RLIMIT_FSIZE, &before);
  rlimit limit = before;
  limit.rlim_cur = 4;
  setrlimit(RLIMIT_FSIZE, &limit);
  const std::string error =
      getText(writePerfMap(getPath("perf-1.map"), kFunctions, {}));
  setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  EXPECT_EQ(withoutFolder(error),
            "cannot write 'FOLDER/perf-1.map', where perf looks for names: "
            "File too large");
}
