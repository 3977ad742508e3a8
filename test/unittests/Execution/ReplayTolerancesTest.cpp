//===- ReplayTolerancesTest.cpp - Rows, conditions, misspellings ----------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "amp/Execution/ReplayTolerances.h"
#include "TestFiles.h"

using namespace amp_test;
using namespace mlir::amp;
using llvm::StringRef;

namespace {
class TolerancesTest : public TemporaryFolderTest {
protected:
  ToleranceTable load(StringRef rows) const {
    return take(ToleranceTable::load(write(rows)));
  }
  std::string getError(StringRef rows) const {
    return withoutFolder(getText(ToleranceTable::load(write(rows))));
  }
  std::string write(StringRef rows) const {
    return writeText("t.json", ("{\"tolerances\": " + rows + "}").str());
  }
};

std::string findName(const ToleranceTable &table, const RunFacts &facts) {
  const ToleranceRow *row = table.find(facts);
  return row ? row->name : "(none)";
}
} // namespace

TEST_F(TolerancesTest, TheFirstRowThatAppliesIsTaken) {
  ToleranceTable table = load(R"([
    {"name": "half", "for": {"opt_level": ["O1", "O2"], "model": "mlp"}, "limits": {}},
    {"name": "either", "for": [{"loss_scale": 128}, {"seed": 2, "model": "cnn"}],
     "limits": {}},
    {"name": "gpt", "for": {"model": "gpt"}, "limits": {}}])");
  EXPECT_EQ(findName(table, {{"opt_level", "O1"}, {"model", "mlp"}}), "half");
  EXPECT_EQ(findName(table, {{"opt_level", "O0"}, {"model", "mlp"}}), "(none)");
  // A fact that is not known is not met.
  EXPECT_EQ(findName(table, {{"opt_level", "O1"}}), "(none)");
  EXPECT_EQ(findName(table, {{"loss_scale", "128"}, {"model", "gpt"}}),
            "either");
  EXPECT_EQ(findName(table, {{"seed", "2"}, {"model", "gpt"}}), "gpt");
  EXPECT_EQ(findName(table, {{"seed", "2"}, {"model", "cnn"}}), "either");
  EXPECT_EQ(findName(load(R"([{"name": "any", "limits": {}}])"), {}), "any");
}

TEST_F(TolerancesTest, WhatHasNoLimitIsNotJudged) {
  ToleranceTable table = load(
      R"([{"name": "", "limits": {"loss, step 0": 0, "test accuracy": 0.02},
           "noise": ["key.bias"], "measured": {"loss, step 0": 0}}])");
  const ToleranceRow *row = table.find({});
  ASSERT_TRUE(row);
  EXPECT_EQ(row->getLimit("loss, step 0"), 0.0);
  EXPECT_EQ(row->getLimit("test accuracy"), 0.02);
  EXPECT_EQ(row->getLimit("loss, all steps"), std::nullopt);
  EXPECT_EQ(row->noise, std::vector<std::string>{"key.bias"});
}

TEST_F(TolerancesTest, MisspeltRowsAreRefused) {
  const std::string begin = "expected 'FOLDER/t.json' to hold tolerances: ";
  EXPECT_EQ(getError(R"([{"name": "a", "limits": {"loss": 1}}])"),
            begin + "expected a quantity as replays print them: 'loss, all "
                    "steps', say at file.tolerances[0].limits.loss");
  EXPECT_EQ(getError(R"([{"name": "a", "limits": {"test loss": -1}}])"),
            begin + "expected a distance of at least 0 at "
                    "file.tolerances[0].limits.test loss");
  EXPECT_EQ(
      getError(R"([{"name": "a", "limits": {}, "for": {"level": "O1"}}])"),
      begin + "expected a fact: module, id, model, optimizer, opt_level, seed, "
              "batch, micro_batches or loss_scale at "
              "file.tolerances[0].for.level");
  EXPECT_EQ(getError(R"([{"name": "a", "limits": {}, "for": {"seed": {}}}])"),
            begin + "expected a string, a boolean or a number, or an array of "
                    "them at file.tolerances[0].for.seed");
  EXPECT_EQ(getError(R"([{"name": "a"}])"),
            begin + "missing value at file.tolerances[0].limits");
}

TEST_F(TolerancesTest, OtherFilesAreRefused) {
  EXPECT_EQ(withoutFolder(getText(ToleranceTable::load(getPath("no.json")))),
            "cannot open 'FOLDER/no.json': No such file or directory");
  EXPECT_EQ(withoutFolder(
                getText(ToleranceTable::load(writeText("t.json", "module")))),
            "expected 'FOLDER/t.json' to be JSON: [1:1, byte=1]: Invalid JSON "
            "value");
  EXPECT_EQ(
      withoutFolder(getText(ToleranceTable::load(writeText("t.json", "{}")))),
      "expected 'FOLDER/t.json' to hold tolerances: missing value at "
      "file.tolerances");
}
