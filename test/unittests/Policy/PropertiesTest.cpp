//===- PropertiesTest.cpp - Tests of properties against Apex --------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every row of properties.csv and properties_rocm.csv: the overrides are handed
// over as the table spells them, and the outcome, each resulting property, the
// types of the model and the whole error text must be those of the recorded
// run. Then our own errors and remarks, each with the near miss beside it, and
// the printed selection.
//
//===----------------------------------------------------------------------===//

#include "amp/Policy/Properties.h"
#include "OracleFiles.h"

#include "llvm/ADT/StringExtras.h"

#include "gtest/gtest.h"

using namespace mlir::amp;
using namespace amp_test;
using llvm::StringRef;

//===----------------------------------------------------------------------===//
// Running initialize on texts
//===----------------------------------------------------------------------===//

using Given = std::vector<std::pair<StringRef, StringRef>>;
using Outcome = std::variant<Selection, PolicyError>;

static Outcome run(StringRef level, const Given &given) {
  PropertyOverrides overrides;
  for (auto [name, value] : given)
    if (std::optional<PolicyError> error = overrides.set(name, value))
      return *error;
  return initialize(level, overrides);
}

/// The error text, or "accepted".
static std::string getError(StringRef level, const Given &given) {
  Outcome outcome = run(level, given);
  const auto *error = std::get_if<PolicyError>(&outcome);
  return error ? error->str() : "accepted";
}

/// The selection; a refusal fails the test and gives an empty one.
static Selection getSelection(StringRef level, const Given &given) {
  Outcome outcome = run(level, given);
  if (auto *error = std::get_if<PolicyError>(&outcome)) {
    ADD_FAILURE() << error->str();
    return Selection();
  }
  return std::get<Selection>(outcome);
}

//===----------------------------------------------------------------------===//
// The recorded tables
//===----------------------------------------------------------------------===//

static std::string spellType(std::optional<FloatKind> kind) {
  return kind ? stringifyFloatKind(*kind).str() : "None";
}

static std::string spellBool(std::optional<bool> value) {
  return !value ? "None" : *value ? "True" : "False";
}

/// The `p_*` columns and `model_dtypes`, spelled as the tables spell them.
static Row spellResult(const Properties &properties) {
  Row row;
  row["p_cast_model_type"] = properties.castModelTypeIsFalse
                                 ? "False"
                                 : spellType(properties.castModelType);
  row["p_patch_torch_functions"] = spellBool(properties.patchTorchFunctions);
  row["p_patch_torch_functions_type"] =
      spellType(properties.patchTorchFunctionsType);
  row["p_keep_batchnorm_fp32"] = spellBool(properties.keepBatchnormFP32);
  row["p_master_weights"] = spellBool(properties.masterWeights);
  row["p_loss_scale"] = properties.lossScale.isDynamic()
                            ? "'dynamic'"
                            : printPythonFloat(properties.lossScale.getFixed());
  std::string model =
      spellType(properties.getModelCast().value_or(FloatKind::Float32));
  std::string batchNorm =
      properties.keepBatchnormFP32.value_or(false) ? "float32" : model;
  row["model_dtypes"] = "fc:" + model + " bn:" + batchNorm;
  return row;
}

/// Columns of the tables that are arguments of initialize.
static const char *const argumentColumns[] = {"cast_model_type",
                                              "patch_torch_functions",
                                              "patch_torch_functions_type",
                                              "keep_batchnorm_fp32",
                                              "master_weights",
                                              "loss_scale"};

/// Compares one row; `expectedError` is the text for its `error_id`.
static bool agrees(const Row &row, const std::string &expectedError) {
  PropertyOverrides overrides;
  for (const char *column : argumentColumns) {
    auto cell = row.find(column);
    if (cell == row.end())
      continue; // properties.csv has no patch_torch_functions_type
    if (std::optional<PolicyError> error =
            overrides.set(column, cell->second)) {
      ADD_FAILURE() << error->str();
      return false;
    }
  }
  Outcome outcome = initialize(row.at("opt_level"), overrides);

  if (const auto *error = std::get_if<PolicyError>(&outcome)) {
    EXPECT_EQ(row.at("outcome"), "rejected") << describe(row) << error->str();
    EXPECT_EQ(error->str(), expectedError) << describe(row);
    return row.at("outcome") == "rejected" && error->str() == expectedError;
  }
  EXPECT_EQ(row.at("outcome"), "accepted") << describe(row);
  bool agree = row.at("outcome") == "accepted";
  Row result = spellResult(std::get<Selection>(outcome).properties);
  for (const auto &[column, spelled] : result) {
    auto cell = row.find(column);
    if (cell == row.end())
      continue; // properties.csv has no p_patch_torch_functions_type
    EXPECT_EQ(spelled, cell->second) << column << " of " << describe(row);
    agree &= spelled == cell->second;
  }
  return agree;
}

TEST(Properties, EveryRowOfApex) {
  llvm::json::Object texts = readObject("properties_texts.json");
  const llvm::json::Object &errors = *texts.getObject("errors");
  std::vector<Row> rows = readTable("properties.csv");
  ASSERT_EQ(rows.size(), 3600u);
  size_t agreeing = 0;
  for (const Row &row : rows) {
    std::optional<StringRef> text = errors.getString(row.at("error_id"));
    agreeing += agrees(row, text ? text->str() : "");
  }
  reportAgreement("properties.csv", agreeing, rows.size());
  EXPECT_EQ(agreeing, rows.size());
}

/// ROCm's error, at the level where it was recorded, in our words: Apex's own
/// text at O0 to O3, and at O4 and O5 that text with the level put in.
static std::string wordRocmError(StringRef id, StringRef level,
                                 const llvm::json::Object &apexErrors) {
  auto apex = [&](StringRef apexId) {
    return apexErrors.getString(apexId)->str();
  };
  bool isApexLevel = level < "O4";
  if (id == "E0")
    return isApexLevel
               ? apex("E1")
               : "RuntimeError: It doesn't make sense to use master_weights "
                 "with O4. With O4, your model weights themselves should be "
                 "FP32.";
  if (id == "E1" || id == "E2") {
    if (isApexLevel)
      return apex(id == "E1" ? "E2" : "E3");
    return std::string("RuntimeError: With opt_level O4, batchnorm functions "
                       "are automatically patched to run in FP32, so "
                       "keep_batchnorm_fp32 should be None. "
                       "keep_batchnorm_fp32 was ") +
           (id == "E1" ? "True" : "False");
  }
  if (id == "E3")
    return "RuntimeError: patch_torch_functions_type should only be set to "
           "torch.bfloat16 for opt_level='O4'.";
  if (id == "E4" || id == "E5") {
    std::string type = id == "E4" ? "torch.float16" : "torch.bfloat16";
    if (isApexLevel)
      return llvm::StringRef(apex("E4")).rsplit(' ').first.str() + " " + type;
    return "RuntimeError: O4 inserts casts around Torch functions rather than "
           "model weights, so with O4, the model weights themselves should "
           "remain FP32. If you wish to cast the model to a different type, "
           "use opt_level='O2', 'O3' or 'O5'. cast_model_type was " +
           type;
  }
  if (id == "E6")
    return "RuntimeError: Currently, patch_torch_functions_type should only be "
           "set by selecting opt_level='O1' or 'O4'.";
  if (id == "E7")
    return isApexLevel ? apex("E0")
                       : "RuntimeError: Currently, patch_torch_functions=True "
                         "should only be set by selecting opt_level='O1' or "
                         "'O4'.";
  if (id == "E8")
    return "RuntimeError: patch_torch_functions_type should only be set to "
           "torch.float16 for opt_level='O1'.";
  return "";
}

TEST(Properties, EveryRowOfRocm) {
  llvm::json::Object apexTexts = readObject("properties_texts.json");
  llvm::json::Object rocmTexts = readObject("properties_rocm_texts.json");
  const llvm::json::Object &apexErrors = *apexTexts.getObject("errors");
  const llvm::json::Object &rocmErrors = *rocmTexts.getObject("errors");
  std::vector<Row> rows = readTable("properties_rocm.csv");
  ASSERT_EQ(rows.size(), 3022u);
  size_t agreeing = 0, verbatim = 0;
  for (const Row &row : rows) {
    std::string expected =
        wordRocmError(row.at("error_id"), row.at("opt_level"), apexErrors);
    ASSERT_EQ(expected.empty(), row.at("outcome") == "accepted");
    agreeing += agrees(row, expected);
    verbatim += !expected.empty() &&
                rocmErrors.getString(row.at("error_id")) == expected;
  }
  reportAgreement("properties_rocm.csv", agreeing, rows.size());
  RecordProperty("texts_as_in_rocm", static_cast<int>(verbatim));
  EXPECT_EQ(agreeing, rows.size());
}

/// Where ROCm's words are without slips and fit the level, ours are the same:
/// E4 at O1 and E7 at O5.
TEST(Properties, RocmTextsWithoutSlipsAreKept) {
  llvm::json::Object rocm = readObject("properties_rocm_texts.json");
  const llvm::json::Object &errors = *rocm.getObject("errors");
  EXPECT_EQ(getError("O1", {{"cast_model_type", "float16"}}),
            errors.getString("E4")->str());
  EXPECT_EQ(getError("O5", {{"patch_torch_functions", "True"}}),
            errors.getString("E7")->str());
}

//===----------------------------------------------------------------------===//
// Apex's checks beyond the tables
//===----------------------------------------------------------------------===//

TEST(Properties, KeepBatchnormMustBeBoolean) {
  EXPECT_EQ(getError("O2", {{"keep_batchnorm_fp32", "'true'"}}),
            "AssertionError: keep_batchnorm_fp32 must be a boolean, the string "
            "'True' or 'False', or None, found keep_batchnorm_fp32=true");
  EXPECT_EQ(getError("O2", {{"keep_batchnorm_fp32", "1"}}),
            "AssertionError: keep_batchnorm_fp32 must be a boolean, the string "
            "'True' or 'False', or None, found keep_batchnorm_fp32=1");
  EXPECT_EQ(getError("O2", {{"keep_batchnorm_fp32", "true"}}), "accepted");
}

TEST(Properties, JunkLossScaleGivesPythonsError) {
  EXPECT_EQ(getError("O2", {{"loss_scale", "junk"}}),
            "ValueError: could not convert string to float: 'junk'");
  EXPECT_EQ(getError("O2", {{"loss_scale", "'junk'"}}),
            "ValueError: could not convert string to float: 'junk'");
  EXPECT_EQ(getError("O2", {{"loss_scale", "'Dynamic'"}}),
            "ValueError: could not convert string to float: 'Dynamic'");
  EXPECT_EQ(getError("O2", {{"loss_scale", "float16"}}),
            "TypeError: float() argument must be a string or a real number, "
            "not 'torch.dtype'");
  EXPECT_EQ(getError("O2", {{"loss_scale", "' 1_024 '"}}), "accepted");
}

/// A string is truthy, and so is refused as True is; 0 is falsy.
TEST(Properties, PatchTorchFunctionsIsTestedForTruth) {
  EXPECT_EQ(getError("O2", {{"patch_torch_functions", "'False'"}}),
            "RuntimeError: Currently, patch_torch_functions=True should only "
            "be set by selecting opt_level='O1'.");
  EXPECT_EQ(getError("O2", {{"patch_torch_functions", "0"}}),
            "ValueError: expected 'patch_torch_functions' to be True, False or "
            "None, but got '0'; leave it out to take the default of the level");
}

/// Each check in turn is the first that fails.
TEST(Properties, FirstFailingCheckDecides) {
  Given given = {{"loss_scale", "junk"},
                 {"master_weights", "True"},
                 {"keep_batchnorm_fp32", "True"},
                 {"patch_torch_functions_type", "float16"},
                 {"cast_model_type", "bfloat16"},
                 {"enabled", "2"}};
  StringRef starts[] = {
      "ValueError: expected 'enabled'",
      "RuntimeError: O4 inserts casts",
      "RuntimeError: patch_torch_functions_type should only be set to "
      "torch.bfloat16",
      "RuntimeError: With opt_level O4, batchnorm",
      "RuntimeError: It doesn't make sense to use master_weights with O4.",
      "ValueError: could not convert"};
  for (StringRef start : starts) {
    std::string error = getError("O4", given);
    EXPECT_TRUE(StringRef(error).starts_with(start)) << error;
    given.pop_back();
  }
  EXPECT_EQ(getError("O4", given), "accepted");
}

/// A refusal of ours waits for all of Apex's.
TEST(Properties, ApexComesBeforeUs) {
  EXPECT_EQ(
      getError("O1", {{"patch_torch_functions", "1"}, {"loss_scale", "junk"}}),
      "ValueError: could not convert string to float: 'junk'");
}

TEST(Properties, UnexpectedOption) {
  PropertyOverrides overrides;
  EXPECT_EQ(overrides.set("fused_optimizer", "True")->str(),
            "ValueError: Tried to set unexpected option fused_optimizer");
  EXPECT_EQ(overrides.set("opt_level", "O2")->str(),
            "ValueError: Tried to set unexpected option opt_level");
}

TEST(Properties, NamesAsPassOptionsSpellThem) {
  PropertyOverrides overrides;
  EXPECT_FALSE(overrides.set("keep-batchnorm-fp32", "true"));
  EXPECT_EQ(overrides.keepBatchnormFP32.getBool(), true);
}

/// Apex returns before it looks at anything, the level included.
TEST(Properties, DisabledGivesBareProperties) {
  Selection selection =
      getSelection("O9", {{"enabled", "False"}, {"loss_scale", "junk"}});
  const Properties &bare = selection.properties;
  EXPECT_FALSE(bare.enabled);
  EXPECT_EQ(bare.optLevel, std::nullopt);
  EXPECT_EQ(bare.castModelType, std::nullopt);
  EXPECT_EQ(bare.patchTorchFunctions, false);
  EXPECT_EQ(bare.keepBatchnormFP32, std::nullopt);
  EXPECT_EQ(bare.masterWeights, std::nullopt);
  EXPECT_EQ(bare.lossScale, LossScale::fixed(1.0));
  EXPECT_EQ(getError("O2", {{"enabled", "True"}}), "accepted");
  // As Python tests it.
  EXPECT_FALSE(getSelection("O9", {{"enabled", "0"}}).properties.enabled);
  EXPECT_EQ(getError("O2", {{"enabled", "1"}}), "accepted");
}

TEST(Properties, DefaultsOfTheOtherArguments) {
  Properties properties = getSelection("O2", {}).properties;
  EXPECT_TRUE(properties.enabled);
  EXPECT_EQ(properties.optLevel, OptLevel::O2);
  EXPECT_EQ(properties.castModelOutputs, std::nullopt);
  EXPECT_EQ(properties.numLosses, 1);
  EXPECT_EQ(properties.minLossScale, std::nullopt);
  EXPECT_EQ(properties.maxLossScale, 16777216.0);
  EXPECT_EQ(properties.verbosity, 1);
}

TEST(Properties, OtherArgumentsAreTaken) {
  Properties properties = getSelection("O2", {{"cast_model_outputs", "bf16"},
                                              {"num_losses", "3"},
                                              {"min_loss_scale", "1"},
                                              {"max_loss_scale", "'1024.0'"},
                                              {"verbosity", "2"}})
                              .properties;
  EXPECT_EQ(properties.castModelOutputs, FloatKind::BFloat16);
  EXPECT_EQ(properties.numLosses, 3);
  EXPECT_EQ(properties.minLossScale, 1.0);
  EXPECT_EQ(properties.maxLossScale, 1024.0);
  EXPECT_EQ(properties.verbosity, 2);
  EXPECT_EQ(properties.getInitialScale(), 1024.0);
}

TEST(Properties, InitialScale) {
  EXPECT_EQ(getSelection("O2", {}).properties.getInitialScale(), 65536.0);
  EXPECT_EQ(getSelection("O3", {}).properties.getInitialScale(), 1.0);
  EXPECT_EQ(getSelection("O2", {{"loss_scale", "'128.0'"}})
                .properties.getInitialScale(),
            128.0);
}

TEST(Properties, WhatIsCast) {
  EXPECT_EQ(getSelection("O0", {}).properties.getModelCast(), std::nullopt);
  EXPECT_EQ(getSelection("O2", {}).properties.getModelCast(),
            FloatKind::Float16);
  EXPECT_EQ(getSelection("O5", {}).properties.getModelCast(),
            FloatKind::BFloat16);
  EXPECT_EQ(getSelection("O1", {}).properties.getFunctionCast(),
            FloatKind::Float16);
  EXPECT_EQ(getSelection("O4", {}).properties.getFunctionCast(),
            FloatKind::BFloat16);
  EXPECT_EQ(getSelection("O2", {}).properties.getFunctionCast(), std::nullopt);
  EXPECT_EQ(getSelection("O1", {{"patch_torch_functions", "False"}})
                .properties.getFunctionCast(),
            std::nullopt);
}

//===----------------------------------------------------------------------===//
// Our own errors
//===----------------------------------------------------------------------===//

TEST(PropertiesErrors, TypesOfValues) {
  EXPECT_EQ(getError("O2", {{"enabled", "'False'"}}),
            "ValueError: expected 'enabled' to be True, False or None, but got "
            "'False'; leave it out for True");
  EXPECT_EQ(getError("O2", {{"cast_model_type", "float64"}}),
            "ValueError: expected 'cast_model_type' to be float32, float16, "
            "bfloat16, False or None, but got 'torch.float64'; leave it out to "
            "take the default of the level");
  EXPECT_EQ(getError("O2", {{"cast_model_type", "True"}}),
            "ValueError: expected 'cast_model_type' to be float32, float16, "
            "bfloat16, False or None, but got 'True'; leave it out to take the "
            "default of the level");
  EXPECT_EQ(getError("O1", {{"patch_torch_functions", "'False'"}}),
            "ValueError: expected 'patch_torch_functions' to be True, False or "
            "None, but got 'False'; leave it out to take the default of the "
            "level");
  EXPECT_EQ(getError("O2", {{"master_weights", "'True'"}}),
            "ValueError: expected 'master_weights' to be True, False or None, "
            "but got 'True'; leave it out to take the default of the level");
  EXPECT_EQ(getError("O2", {{"cast_model_outputs", "False"}}),
            "ValueError: expected 'cast_model_outputs' to be float32, float16, "
            "bfloat16 or None, but got 'False'; leave it out for the usual "
            "type of the outputs");
}

TEST(PropertiesErrors, Counts) {
  EXPECT_EQ(getError("O2", {{"num_losses", "0"}}),
            "ValueError: expected 'num_losses' to be a whole number of at "
            "least 1, but got '0'; give the number of losses with a scale of "
            "their own");
  EXPECT_EQ(getError("O2", {{"num_losses", "1.5"}}),
            "ValueError: expected 'num_losses' to be a whole number of at "
            "least 1, but got '1.5'; give the number of losses with a scale of "
            "their own");
  EXPECT_EQ(getError("O2", {{"num_losses", "1"}}), "accepted");
  EXPECT_EQ(getError("O2", {{"verbosity", "loud"}}),
            "ValueError: expected 'verbosity' to be a whole number, but got "
            "'loud'; use 0 to print nothing");
  EXPECT_EQ(getError("O2", {{"verbosity", "0"}}), "accepted");
}

/// Zero, negative, infinite, NaN, and texts that come out as one of them.
TEST(PropertiesErrors, LossScaleOutOfRange) {
  for (StringRef value : {"0", "0.0", "-0.0", "-128.0", "inf", "-inf", "nan",
                          "'inf'", "'nan'", "1e999", "1e-999", "False"}) {
    std::string shown = OverrideValue::parse(value).str();
    EXPECT_EQ(getError("O2", {{"loss_scale", value}}),
              "ValueError: expected 'loss_scale' to be a finite number greater "
              "than 0, but got '" +
                  shown + "'; use a power of two such as 128.0, or 'dynamic'");
  }
  EXPECT_EQ(getError("O2", {{"loss_scale", "5e-324"}}), "accepted");
  EXPECT_EQ(getError("O2", {{"loss_scale", "1e308"}}), "accepted");
}

TEST(PropertiesErrors, Bounds) {
  for (StringRef value : {"-1.0", "inf", "nan", "low", "float16"}) {
    std::string shown = OverrideValue::parse(value).str();
    EXPECT_EQ(getError("O2", {{"min_loss_scale", value}}),
              "ValueError: expected 'min_loss_scale' to be a finite number of "
              "at least 0, but got '" +
                  shown + "'; leave it out for no floor");
  }
  for (StringRef value : {"-1.0", "0", "nan", "high"}) {
    std::string shown = OverrideValue::parse(value).str();
    EXPECT_EQ(getError("O2", {{"max_loss_scale", value}}),
              "ValueError: expected 'max_loss_scale' to be a number greater "
              "than 0, but got '" +
                  shown + "'; leave it out for 16777216.0");
  }
  EXPECT_EQ(getError("O2", {{"max_loss_scale", "inf"}}), "accepted");
}

TEST(PropertiesErrors, MinAboveMax) {
  Given given = {{"min_loss_scale", "32"}, {"max_loss_scale", "16"}};
  std::string text =
      "ValueError: expected 'min_loss_scale' to be at most 'max_loss_scale', "
      "but got 32.0 above 16.0; lower 'min_loss_scale' or raise "
      "'max_loss_scale'";
  EXPECT_EQ(getError("O2", given), text);
  EXPECT_EQ(getError("O0", given), text);
  EXPECT_EQ(
      getError("O2", {{"min_loss_scale", "16"}, {"max_loss_scale", "16"}}),
      "accepted");
}

TEST(PropertiesErrors, MinAboveInitialScale) {
  EXPECT_EQ(getError("O2", {{"min_loss_scale", "131072.0"}}),
            "ValueError: expected 'min_loss_scale' to be at most the initial "
            "loss scale, but got 131072.0 above 65536.0; lower "
            "'min_loss_scale' to 65536.0 or less");
  EXPECT_EQ(getError("O2", {{"min_loss_scale", "65536.0"}}), "accepted");
  EXPECT_EQ(getError("O2", {{"min_loss_scale", "256"}, {"loss_scale", "128"}}),
            "ValueError: expected 'min_loss_scale' to be at most the initial "
            "loss scale, but got 256.0 above 128.0; lower 'min_loss_scale' to "
            "128.0 or less");
}

/// A script that gives its floor at every level runs at O0 and O3 too.
TEST(PropertiesErrors, DefaultFixedScaleIsExempt) {
  EXPECT_EQ(getError("O0", {{"min_loss_scale", "128.0"}}), "accepted");
  EXPECT_EQ(getError("O3", {{"min_loss_scale", "128.0"}}), "accepted");
  EXPECT_EQ(
      getError("O3", {{"min_loss_scale", "128.0"}, {"loss_scale", "1.0"}}),
      "ValueError: expected 'min_loss_scale' to be at most the initial "
      "loss scale, but got 128.0 above 1.0; lower 'min_loss_scale' to "
      "1.0 or less");
}

//===----------------------------------------------------------------------===//
// Remarks
//===----------------------------------------------------------------------===//

static std::string getRemarks(StringRef level, const Given &given) {
  return llvm::join(getSelection(level, given).remarks, "\n");
}

TEST(PropertiesRemarks, NoneAtDefaults) {
  for (const LevelDefaults &level : getLevelTable())
    EXPECT_EQ(getRemarks(level.name, {}), "") << level.name.str();
}

TEST(PropertiesRemarks, PatchingSwitchedOff) {
  EXPECT_EQ(getRemarks("O1", {{"patch_torch_functions", "False"}}),
            "'patch_torch_functions=False' at opt_level 'O1' leaves every "
            "function in the type of its inputs; use opt_level 'O0' to say so");
  EXPECT_EQ(getRemarks("O4", {{"patch_torch_functions", "False"}}),
            "'patch_torch_functions=False' at opt_level 'O4' leaves every "
            "function in the type of its inputs; use opt_level 'O0' to say so");
  EXPECT_EQ(getRemarks("O1", {{"patch_torch_functions", "True"}}), "");
  EXPECT_EQ(getRemarks("O2", {{"patch_torch_functions", "False"}}), "");
}

TEST(PropertiesRemarks, MasterWeightsOfAnUncastModel) {
  EXPECT_EQ(getRemarks("O0", {{"master_weights", "True"}}),
            "'master_weights=True' at opt_level 'O0' makes no copies, because "
            "the model is not cast to half ('cast_model_type' is "
            "torch.float32)");
  EXPECT_EQ(getRemarks("O2", {{"cast_model_type", "float32"}}),
            "'master_weights=True' at opt_level 'O2' makes no copies, because "
            "the model is not cast to half ('cast_model_type' is "
            "torch.float32)");
  EXPECT_EQ(getRemarks("O3", {{"cast_model_type", "False"},
                              {"master_weights", "True"}}),
            "'master_weights=True' at opt_level 'O3' makes no copies, because "
            "the model is not cast to half ('cast_model_type' is False)");
  EXPECT_EQ(getRemarks("O0", {{"master_weights", "False"}}), "");
  EXPECT_EQ(getRemarks("O0", {{"master_weights", "True"},
                              {"cast_model_type", "float16"}}),
            "");
}

TEST(PropertiesRemarks, KeepBatchnormOfAnUncastModel) {
  EXPECT_EQ(getRemarks("O0", {{"keep_batchnorm_fp32", "True"}}),
            "'keep_batchnorm_fp32=True' at opt_level 'O0' has no effect, "
            "because the model is not cast to half ('cast_model_type' is "
            "torch.float32)");
  EXPECT_EQ(getRemarks("O0", {{"keep_batchnorm_fp32", "'False'"}}),
            "'keep_batchnorm_fp32=False' at opt_level 'O0' has no effect, "
            "because the model is not cast to half ('cast_model_type' is "
            "torch.float32)");
  EXPECT_EQ(getRemarks("O3", {{"keep_batchnorm_fp32", "True"}}), "");
}

TEST(PropertiesRemarks, IdleFloor) {
  EXPECT_EQ(getRemarks("O0", {{"min_loss_scale", "128.0"}}),
            "'min_loss_scale' 128.0 has no effect, because the loss scale is "
            "fixed at 1.0");
  EXPECT_EQ(getRemarks("O2", {{"min_loss_scale", "0.0"}}),
            "'min_loss_scale' 0.0 counts as no floor");
  EXPECT_EQ(
      getSelection("O2", {{"min_loss_scale", "0.0"}}).properties.minLossScale,
      std::nullopt);
  EXPECT_EQ(getRemarks("O2", {{"min_loss_scale", "1.0"}}), "");
}

TEST(PropertiesRemarks, IdleCeiling) {
  EXPECT_EQ(getRemarks("O3", {{"max_loss_scale", "128.0"}}),
            "'max_loss_scale' 128.0 has no effect, because the loss scale is "
            "fixed at 1.0");
  EXPECT_EQ(getRemarks("O2", {{"max_loss_scale", "128.0"}}), "");
}

//===----------------------------------------------------------------------===//
// Printing
//===----------------------------------------------------------------------===//

static std::string print(const Selection &selection) {
  std::string text;
  llvm::raw_string_ostream os(text);
  printSelection(os, selection);
  return text;
}

TEST(PrintSelection, AsApexPrints) {
  llvm::json::Object apex = readObject("special_cases.json");
  auto expect = [&](StringRef recorded, StringRef level, const Given &given) {
    EXPECT_EQ(print(getSelection(level, given)),
              findCase(apex, recorded).getString("printed")->str());
  };
  expect("print-O0", "O0", {});
  expect("print-O1", "O1", {});
  expect("print-O2", "O2", {});
  expect("print-O3", "O3", {});
  expect("print-O1-128", "O1", {{"loss_scale", "128.0"}});
  expect("print-O2-kbnFalse", "O2", {{"keep_batchnorm_fp32", "False"}});
  expect("enabled-False", "O2", {{"enabled", "False"}});
}

/// The line for the patch type belongs to O4 and O5, and to whoever gave one.
TEST(PrintSelection, AsRocmPrints) {
  llvm::json::Object rocm = readObject("properties_rocm_texts.json");
  auto expect = [&](StringRef recorded, StringRef level, const Given &given) {
    EXPECT_EQ(print(getSelection(level, given)),
              findCase(rocm, recorded).getString("printed")->str());
  };
  expect("print-O4", "O4", {});
  expect("print-O5", "O5", {});
  expect("print-O1", "O1", {{"patch_torch_functions_type", "float16"}});
}

/// What Apex prints with verbosity 0, and what is then in force.
TEST(HardOverride, WarnsInApexsWords) {
  Given given = {{"cast_model_type", "torch.float16"},
                 {"keep_batchnorm_fp32", "True"},
                 {"master_weights", "True"},
                 {"verbosity", "0"}};
  EXPECT_NE(getError("O1", given), "accepted");
  given.push_back({"hard_override", "True"});
  Selection selection = getSelection("O1", given);
  llvm::json::Object apex = readObject("special_cases.json");
  EXPECT_EQ(print(selection),
            findCase(apex, "hard_override").getString("printed")->str());
  EXPECT_EQ(selection.properties.getModelCast(), FloatKind::Float16);
  EXPECT_EQ(selection.properties.getFunctionCast(), FloatKind::Float16);
  EXPECT_EQ(selection.properties.keepBatchnormFP32, true);
  EXPECT_EQ(selection.properties.masterWeights, true);
}

TEST(HardOverride, OverridesRuntimeErrorsOnly) {
  EXPECT_NE(
      getError("O1", {{"hard_override", "False"}, {"master_weights", "True"}}),
      "accepted");
  for (StringRef level : {"O1", "O2"})
    EXPECT_EQ(getError(level, {{"hard_override", "True"},
                               {"keep_batchnorm_fp32", "5"}}),
              "AssertionError: keep_batchnorm_fp32 must be a boolean, the "
              "string 'True' or 'False', or None, found keep_batchnorm_fp32=5");
  EXPECT_NE(getError("O9", {{"hard_override", "True"}}), "accepted");
}

TEST(HardOverride, PatchesWithATypeOfTheLevel) {
  auto getType = [](StringRef level, Given given) {
    given.push_back({"hard_override", "True"});
    Selection selection = getSelection(level, given);
    EXPECT_EQ(selection.warnings.size(), 1u);
    return selection.properties.getFunctionCast();
  };
  EXPECT_EQ(getType("O2", {{"patch_torch_functions", "True"}}),
            FloatKind::Float16);
  EXPECT_EQ(getType("O0", {{"patch_torch_functions", "True"}}),
            FloatKind::Float16);
  EXPECT_EQ(getType("O5", {{"patch_torch_functions", "True"}}),
            FloatKind::BFloat16);
  // A refused type gives way to the level's, as in ROCm.
  EXPECT_EQ(getType("O4", {{"patch_torch_functions_type", "float16"}}),
            FloatKind::BFloat16);
  EXPECT_EQ(getType("O2", {{"patch_torch_functions_type", "float16"}}),
            std::nullopt);
}

TEST(PrintSelection, FalseIsNotNone) {
  std::string text = print(getSelection("O2", {{"cast_model_type", "False"}}));
  EXPECT_NE(text.find("cast_model_type        : False\n"), std::string::npos);
}

TEST(PrintSelection, VerbosityZeroIsSilent) {
  EXPECT_EQ(print(getSelection("O2", {{"verbosity", "0"}})), "");
  EXPECT_NE(print(getSelection("O2", {{"verbosity", "1"}})), "");
}
