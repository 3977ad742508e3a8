//===- RunFilesTest.cpp - One file under many names -----------------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "amp/Execution/RunFiles.h"
#include "TestFiles.h"

using namespace amp_test;
using namespace mlir::amp;
namespace fs = llvm::sys::fs;

namespace {

class RunFilesTest : public TemporaryFolderTest {
protected:
  /// What is said of an output at `written` beside an input at `read`.
  std::string check(const std::string &written, const std::string &read) {
    return withoutFolder(
        getText(checkRunFiles(RunFile{"--data", getPath(read)},
                              RunFile{"--save", getPath(written)})));
  }
  static std::string getRefusal(const std::string &written,
                                const std::string &read) {
    return "expected --save to name a file of its own, but 'FOLDER/" + written +
           "' is the file of --data, 'FOLDER/" + read + "'; name another file";
  }
};

} // namespace

TEST_F(RunFilesTest, NamesOfOneFileAreFound) {
  writeText("d.npz", "");
  ASSERT_FALSE(fs::create_directory(getPath("sub")));
  ASSERT_FALSE(fs::create_hard_link(getPath("d.npz"), getPath("hard")));
  ASSERT_FALSE(fs::create_link("d.npz", getPath("soft")));
  ASSERT_FALSE(fs::create_link("../soft", getPath("sub/far")));
  for (const char *name :
       {"d.npz", "hard", "soft", "sub/far", "./d.npz", "sub/../d.npz"})
    EXPECT_EQ(check(name, "d.npz"), getRefusal(name, "d.npz"));
  EXPECT_EQ(check("soft", "hard"), getRefusal("soft", "hard"));
}

TEST_F(RunFilesTest, EqualContentsAreTwoFiles) {
  writeText("a", "same");
  writeText("b", "same");
  EXPECT_EQ(check("a", "b"), "(success)");
}

TEST_F(RunFilesTest, FilesThatAreNotThereYetAreCompared) {
  ASSERT_FALSE(fs::create_directory(getPath("sub")));
  ASSERT_FALSE(fs::create_link("sub", getPath("folder")));
  ASSERT_FALSE(fs::create_link("sub/new", getPath("dangling")));
  auto compare = [&](const char *log, const char *save) {
    return withoutFolder(getText(checkRunFiles(
        {}, {{"--log", getPath(log)}, {"--save", getPath(save)}})));
  };
  for (const char *name : {"sub/new", "folder/new", "dangling", "sub/./new"})
    EXPECT_EQ(compare("sub/new", name),
              std::string("expected --save to name a file of its own, but "
                          "'FOLDER/") +
                  name +
                  "' is the file of --log, 'FOLDER/sub/new'; name another "
                  "file");
  EXPECT_EQ(compare("sub/new", "new"), "(success)");
  EXPECT_EQ(compare("sub/new", "sub/newer"), "(success)");
  // A folder that is missing is another error's business, and a chain of links
  // without an end is no file.
  EXPECT_EQ(compare("no/new", "no/new"), "(success)");
  ASSERT_FALSE(fs::create_link("loop", getPath("loop")));
  EXPECT_EQ(compare("loop", "sub/new"), "(success)");
}

TEST_F(RunFilesTest, AnOutputMayReplaceTheInputThatItNames) {
  writeText("s.npz", "");
  const std::string path = getPath("s.npz");
  EXPECT_EQ(
      getText(checkRunFiles({{"--init", path}}, {{"--save", path, "--init"}})),
      "(success)");
  EXPECT_EQ(
      withoutFolder(getText(checkRunFiles({{"--init", path}, {"--data", path}},
                                          {{"--save", path, "--init"}}))),
      getRefusal("s.npz", "s.npz"));
}

TEST_F(RunFilesTest, WhatIsNoFileMayBeNamedTwice) {
  EXPECT_EQ(
      getText(checkRunFiles({{"the module", "/dev/null"}},
                            {{"--log", "/dev/null"}, {"--save", "/dev/null"}})),
      "(success)");
  EXPECT_EQ(
      getText(checkRunFiles({{"--data", ""}}, {{"--log", ""}, {"--save", ""}})),
      "(success)");
}
