//===- StepLogTest.cpp - Lines of the log ---------------------------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "amp/Execution/StepLog.h"
#include "TestFiles.h"

#include <cmath>
#include <csignal>
#include <cstdio>
#include <fcntl.h>
#include <limits>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

using namespace amp_test;
using namespace mlir::amp;

/// What another run does in the moment before this one locks `pathOfOtherRun`.
static std::string pathOfOtherRun;
static int otherRun = -1;

extern "C" int flock(int fd, int operation) noexcept {
  if (!pathOfOtherRun.empty() && otherRun < 0) {
    otherRun = ::open(pathOfOtherRun.c_str(), O_RDWR | O_APPEND);
    ::syscall(SYS_flock, otherRun, LOCK_EX);
  }
  return int(::syscall(SYS_flock, fd, operation));
}

namespace {

class StepLogTest : public TemporaryFolderTest {};

StepRecord makeRecord() {
  StepRecord record;
  record.step = 3;
  record.losses = {{"loss", double(2.328971f)}};
  record.scalers = {{"loss", 65536, 32768, 0, true}};
  record.seconds = 0.25;
  record.peakBytes = INT64_C(5) << 30;
  return record;
}

} // namespace

TEST_F(StepLogTest, ALineHasAllFields) {
  EXPECT_EQ(toJsonLine(makeRecord()),
            R"({"step":3,"loss":2.3289709091186523,"scale_before":65536,)"
            R"("scale":32768,"unskipped":0,"skipped":true,"grad_norm":null,)"
            R"("seconds":0.25,"peak_bytes":5368709120})");
}

TEST_F(StepLogTest, SeveralLossesAndScalersAreObjects) {
  StepRecord record = makeRecord();
  record.losses = {{"d", 0.5}, {"g", 0.25}};
  record.scalers = {{"d", 4, 8, 0, false}, {"g", 2, 2, 7, false}};
  record.gradNorm = 1.5;
  EXPECT_EQ(toJsonLine(record),
            R"({"step":3,"loss":{"d":0.5,"g":0.25},)"
            R"("scale_before":{"d":4,"g":2},"scale":{"d":8,"g":2},)"
            R"("unskipped":{"d":0,"g":7},"skipped":{"d":false,"g":false},)"
            R"("grad_norm":1.5,"seconds":0.25,"peak_bytes":5368709120})");
}

TEST_F(StepLogTest, NonFiniteNumbersAreStrings) {
  StepRecord record = makeRecord();
  const double infinity = std::numeric_limits<double>::infinity();
  record.losses[0].second = std::nan("");
  record.scalers[0].scaleAfter = -infinity;
  record.gradNorm = infinity;
  const std::string line = toJsonLine(record);
  EXPECT_TRUE(llvm::StringRef(line).contains(R"("loss":"nan")"));
  EXPECT_TRUE(llvm::StringRef(line).contains(R"("scale":"-inf")"));
  EXPECT_TRUE(llvm::StringRef(line).contains(R"("grad_norm":"inf")"));
}

TEST_F(StepLogTest, NumbersComeBack) {
  for (double number : {double(0.1f), 0.1, 5e-324, 1.7e308, 65536.0}) {
    StepRecord record = makeRecord();
    record.losses[0].second = number;
    llvm::json::Value line = take(llvm::json::parse(toJsonLine(record)));
    EXPECT_EQ(*line.getAsObject()->getNumber("loss"), number);
  }
}

// Sums depend on who computes them; the first line says it.
TEST_F(StepLogTest, TheFirstLineSaysWhichBlas) {
  BlasReport blas;
  blas.library = BlasReport::Library{"/l/libblas.so", "Fast 1.2", "Zen", 2};
  blas.reason = "because";
  {
    StepLog log = take(StepLog::open(getPath("l.jsonl"), blas));
    ASSERT_EQ(getText(log.write(makeRecord())), "(success)");
    ASSERT_EQ(getText(log.write(makeRecord())), "(success)");
    EXPECT_EQ(getText(log.close()), "(success)");
  }
  const std::string line = toJsonLine(makeRecord());
  EXPECT_EQ(readText("l.jsonl"),
            line.substr(0, line.size() - 1) +
                R"(,"blas":{"config":"Fast 1.2","core":"Zen",)"
                R"("library":"/l/libblas.so","reason":"because","threads":2}})"
                "\n" +
                line + "\n");
  blas.library->core = "";
  EXPECT_TRUE(llvm::StringRef(toJsonLine(makeRecord(), &blas))
                  .contains(R"("core":null)"));
  blas.library.reset();
  EXPECT_TRUE(llvm::StringRef(toJsonLine(makeRecord(), &blas))
                  .ends_with(R"(,"blas":null})"));
}

TEST_F(StepLogTest, EachLineIsThereAtOnce) {
  StepLog log = take(StepLog::open(getPath("l.jsonl")));
  ASSERT_EQ(getText(log.write(makeRecord())), "(success)");
  EXPECT_EQ(readText("l.jsonl"), toJsonLine(makeRecord()) + "\n");
  ASSERT_EQ(getText(log.write(makeRecord())), "(success)");
  EXPECT_EQ(getText(log.close()), "(success)");
  EXPECT_EQ(readText("l.jsonl"),
            toJsonLine(makeRecord()) + "\n" + toJsonLine(makeRecord()) + "\n");
}

// Between the creation of a log and its lock another run may come: the log is
// that run's, and who is refused leaves it there.
TEST_F(StepLogTest, ALogThatAnotherRunLockedFirstStays) {
  otherRun = -1;
  pathOfOtherRun = getPath("l.jsonl");
  auto log = StepLog::open(pathOfOtherRun);
  pathOfOtherRun.clear();
  ASSERT_GE(otherRun, 0);
  EXPECT_TRUE(llvm::StringRef(getText(log.takeError()))
                  .contains("another run is writing to it"));
  EXPECT_EQ(::write(otherRun, "x\n", 2), 2);
  ::close(otherRun);
  EXPECT_EQ(readText("l.jsonl"), "x\n");
}

TEST_F(StepLogTest, LinesAreAppended) {
  for (int run = 0; run < 2; ++run) {
    StepLog log = take(StepLog::open(getPath("l.jsonl")));
    ASSERT_EQ(getText(log.write(makeRecord())), "(success)");
  }
  EXPECT_EQ(readText("l.jsonl"),
            toJsonLine(makeRecord()) + "\n" + toJsonLine(makeRecord()) + "\n");
}

// What a killed run left of its last line stays a line of its own.
TEST_F(StepLogTest, AnUnfinishedLineIsClosed) {
  writeText("l.jsonl", "{\"step\":0}\n{\"step\":1,\"lo");
  {
    StepLog log = take(StepLog::open(getPath("l.jsonl")));
    ASSERT_EQ(getText(log.write(makeRecord())), "(success)");
  }
  EXPECT_EQ(readText("l.jsonl"), "{\"step\":0}\n{\"step\":1,\"lo\n" +
                                     toJsonLine(makeRecord()) + "\n");
}

TEST_F(StepLogTest, OneRunAtATimeWritesALog) {
  const std::string path = getPath("l.jsonl");
  StepLog log = take(StepLog::open(path));
  ASSERT_FALSE(llvm::sys::fs::create_hard_link(path, getPath("other.jsonl")));
  for (const char *name : {"l.jsonl", "other.jsonl"})
    EXPECT_EQ(withoutFolder(getText(StepLog::open(getPath(name)))),
              std::string("cannot open log 'FOLDER/") + name +
                  "': another run is writing to it; name another file, or wait "
                  "for that run to end");
  EXPECT_EQ(getText(log.write(makeRecord())), "(success)");
  EXPECT_EQ(getText(log.close()), "(success)");
  // Near misses: it is free again; and devices can be shared.
  EXPECT_EQ(getText(StepLog::open(path)), "(success)");
  StepLog null = take(StepLog::open("/dev/null"));
  EXPECT_EQ(getText(StepLog::open("/dev/null")), "(success)");
}

TEST_F(StepLogTest, AnEmptyLogLeavesNoFile) {
  EXPECT_EQ(getText(StepLog::open(getPath("new.jsonl"))), "(success)");
  writeText("old.jsonl", "");
  EXPECT_EQ(getText(StepLog::open(getPath("old.jsonl"))), "(success)");
  EXPECT_EQ(getFiles(), std::vector<std::string>{"old.jsonl"});
}

// A limit on file sizes stands in for a full disk, met inside the third line.
TEST_F(StepLogTest, AFullDiskLeavesWholeLines) {
  const std::string line = toJsonLine(makeRecord()) + "\n";
  StepLog log = take(StepLog::open(getPath("l.jsonl")));
  auto handler = std::signal(SIGXFSZ, SIG_IGN);
  rlimit before;
  getrlimit(RLIMIT_FSIZE, &before);
  rlimit limit = before;
  limit.rlim_cur = 2 * line.size() + 10;
  setrlimit(RLIMIT_FSIZE, &limit);
  EXPECT_EQ(getText(log.write(makeRecord())), "(success)");
  EXPECT_EQ(getText(log.write(makeRecord())), "(success)");
  const std::string error = withoutFolder(getText(log.write(makeRecord())));
  setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  EXPECT_EQ(error, "cannot write log 'FOLDER/l.jsonl': File too large; the run "
                   "was stopped, lines before this one are kept");
  EXPECT_EQ(readText("l.jsonl"), line + line);
}

TEST_F(StepLogTest, NamesOfStandardOutput) {
  EXPECT_TRUE(StepLog::isStandardOutput("-"));
  EXPECT_FALSE(StepLog::isStandardOutput("/dev/null"));
  EXPECT_FALSE(StepLog::isStandardOutput(getPath("no.jsonl")));
  // Standard output as a file, which has several names then.
  const std::string path = writeText("out", "");
  std::fflush(stdout);
  const int saved = ::dup(STDOUT_FILENO);
  const int file = ::open(path.c_str(), O_WRONLY | O_APPEND);
  ::dup2(file, STDOUT_FILENO);
  ::close(file);
  EXPECT_TRUE(StepLog::isStandardOutput(path));
  EXPECT_TRUE(StepLog::isStandardOutput("/dev/stdout"));
  {
    StepLog log = take(StepLog::open(path));
    EXPECT_EQ(getText(log.write(makeRecord())), "(success)");
    EXPECT_EQ(getText(log.close()), "(success)");
  }
  EXPECT_EQ(::write(STDOUT_FILENO, "still open\n", 11), 11);
  ::dup2(saved, STDOUT_FILENO);
  ::close(saved);
  EXPECT_EQ(readText("out"), toJsonLine(makeRecord()) + "\nstill open\n");
}

TEST_F(StepLogTest, AnUnwritablePathIsNamed) {
  EXPECT_EQ(withoutFolder(getText(StepLog::open(getPath("no/l.jsonl")))),
            "cannot open log 'FOLDER/no/l.jsonl': No such file or directory");
}

TEST_F(StepLogTest, AFullDiskIsAnError) {
  auto log = StepLog::open("/dev/full");
  if (!log) {
    llvm::consumeError(log.takeError());
    GTEST_SKIP() << "no /dev/full on this system";
  }
  EXPECT_EQ(getText(log->write(makeRecord())),
            "cannot write log '/dev/full': No space left on device; the run "
            "was stopped, lines before this one are kept");
  EXPECT_EQ(getText(log->close()), "(success)");
}
