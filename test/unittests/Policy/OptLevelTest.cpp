//===- OptLevelTest.cpp - Tests of the table of levels --------------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Names, and the refusal of names. The defaults in the table are compared with
// Apex row by row in PropertiesTest.cpp.
//
//===----------------------------------------------------------------------===//

#include "amp/Policy/OptLevel.h"
#include "OracleFiles.h"
#include "amp/Policy/Properties.h"

#include "gtest/gtest.h"

using namespace mlir::amp;
using namespace amp_test;
using llvm::StringRef;

TEST(OptLevel, NamesRoundTrip) {
  ASSERT_EQ(getLevelTable().size(), 6u);
  for (const LevelDefaults &row : getLevelTable()) {
    EXPECT_EQ(parseOptLevel(row.name), row.level);
    EXPECT_EQ(stringifyOptLevel(row.level), row.name);
    EXPECT_EQ(&getLevelDefaults(row.level), &row);
  }
}

/// The letter is a capital O, not a zero, and nothing stands around it.
TEST(OptLevel, NearNamesAreUnknown) {
  for (StringRef name : {"", "O", "O6", "o2", "02", "2", " O2", "O2 ", "None"})
    EXPECT_EQ(parseOptLevel(name), std::nullopt) << name.str();
}

/// ROCm's own texts, which list the six levels.
TEST(OptLevel, UnknownLevelTextOfRocm) {
  llvm::json::Object rocm = readObject("properties_rocm_texts.json");
  for (auto [recorded, name] :
       {std::pair<StringRef, StringRef>{"opt_level='O6'", "O6"},
        {"opt_level='04'", "04"},
        {"opt_level=4", "4"},
        {"opt_level=None", "None"},
        {"opt_level='o4'", "o4"}}) {
    const llvm::json::Object &known = findCase(rocm, recorded);
    EXPECT_EQ(getUnknownLevelText(name), known.getString("text")->str());
    auto result = initialize(name, PropertyOverrides());
    const auto *error = std::get_if<PolicyError>(&result);
    ASSERT_NE(error, nullptr) << name.str();
    EXPECT_EQ(
        error->str(),
        (*known.getString("outcome") + ": " + *known.getString("text")).str());
  }
}

/// Apex's texts, once its list of four levels is put for our list of six.
TEST(OptLevel, UnknownLevelTextOfApex) {
  llvm::json::Object apex = readObject("special_cases.json");
  for (auto [recorded, name] :
       {std::pair<StringRef, StringRef>{"opt_level='00'", "00"},
        {"opt_level='02'", "02"},
        {"opt_level=1", "1"},
        {"opt_level=None", "None"},
        {"opt_level='o1'", "o1"},
        {"opt_level=''", ""}}) {
    std::string text = getUnknownLevelText(name);
    std::string more = ", 'O4', 'O5'";
    size_t at = text.find(more);
    ASSERT_NE(at, std::string::npos);
    EXPECT_EQ(text.erase(at, more.size()),
              findCase(apex, recorded).getString("text")->str());
  }
}

TEST(OptLevel, LossScalePrintsAsInPython) {
  EXPECT_EQ(LossScale::dynamic().str(), "dynamic");
  EXPECT_EQ(LossScale::fixed(128).str(), "128.0");
  EXPECT_EQ(LossScale::fixed(128), LossScale::fixed(128));
  EXPECT_NE(LossScale::fixed(128), LossScale::fixed(64));
  EXPECT_NE(LossScale::fixed(1), LossScale::dynamic());
}
