//===- OptLevel.cpp - Optimization levels and their defaults --------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The table of levels and its lookups. The table is constexpr, so a row that
// stands out of the order of the enum does not compile.
//
//===----------------------------------------------------------------------===//

#include "amp/Policy/OptLevel.h"
#include "amp/Policy/OverrideValue.h"

#include "llvm/ADT/Twine.h"

#include <cassert>

using namespace mlir::amp;

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

constexpr FloatKind f32 = FloatKind::Float32;
constexpr FloatKind f16 = FloatKind::Float16;
constexpr FloatKind bf16 = FloatKind::BFloat16;
constexpr std::nullopt_t none = std::nullopt;

// O0-O3: apex/amp/frontend.py, classes O0 to O3, at the parent of cb65b8ed; the
// patch type of O1 as in ROCm. O4, O5: the same file of ROCm's fork, daed8525.
// clang-format off
static constexpr LevelDefaults levelTable[] = {
    {OptLevel::O0, "O0", "O0:  Pure FP32 training.\n",
     f32,  false, none, none,  false, LossScale::fixed(1.0),
     "'O1'", "'O2' or 'O3'"},
    {OptLevel::O1, "O1", "O1:  Insert automatic casts around Pytorch functions and Tensor methods.\n",
     none, true,  f16,  none,  none,  LossScale::dynamic(),
     "'O1'", "'O2' or 'O3'"},
    {OptLevel::O2, "O2", "O2:  FP16 training with FP32 batchnorm and FP32 master weights.\n",
     f16,  false, none, true,  true,  LossScale::dynamic(),
     "'O1'", "'O2' or 'O3'"},
    {OptLevel::O3, "O3", "O3:  Pure FP16 training.",
     f16,  false, none, false, false, LossScale::fixed(1.0),
     "'O1'", "'O2' or 'O3'"},
    {OptLevel::O4, "O4", "O4:  Insert automatic casts around Pytorch functions and Tensor methods.\n",
     none, true,  bf16, none,  none,  LossScale::fixed(1.0),
     "'O1' or 'O4'", "'O2', 'O3' or 'O5'"},
    {OptLevel::O5, "O5", "O5:  BFLOAT16 training with FP32 batchnorm and FP32 master weights.\n",
     bf16, none,  none, true,  true,  LossScale::fixed(1.0),
     "'O1' or 'O4'", "'O2', 'O3' or 'O5'"},
};
// clang-format on

/// True if each level's row stands where its enumerator points.
static constexpr bool isInEnumOrder() {
  int position = 0;
  for (const LevelDefaults &row : levelTable)
    if (static_cast<int>(row.level) != position++)
      return false;
  return true;
}
static_assert(isInEnumOrder(), "rows of the level table follow the enum");

//===----------------------------------------------------------------------===//
// Lookups
//===----------------------------------------------------------------------===//

llvm::ArrayRef<LevelDefaults> mlir::amp::getLevelTable() { return levelTable; }

const LevelDefaults &mlir::amp::getLevelDefaults(OptLevel level) {
  return levelTable[static_cast<int>(level)];
}

llvm::StringRef mlir::amp::stringifyOptLevel(OptLevel level) {
  return getLevelDefaults(level).name;
}

std::optional<OptLevel> mlir::amp::parseOptLevel(llvm::StringRef name) {
  for (const LevelDefaults &row : levelTable)
    if (row.name == name)
      return row.level;
  return std::nullopt;
}

std::string mlir::amp::getUnknownLevelText(llvm::StringRef name) {
  return ("Unexpected optimization level " + name +
          ". Options are 'O0', 'O1', 'O2', 'O3', 'O4', 'O5'.  Note that in "
          "`O0`, `O1`, etc., the prefix O is the letter O, not the number "
          "zero.")
      .str();
}

llvm::StringRef mlir::amp::stringifyFloatKind(FloatKind kind) {
  switch (kind) {
  case FloatKind::Float32:
    return "float32";
  case FloatKind::Float16:
    return "float16";
  case FloatKind::BFloat16:
    return "bfloat16";
  }
  assert(false && "every kind has a name");
  return "";
}

double LossScale::getFixed() const {
  assert(!moves && "a dynamic scale has no constant value");
  return factor;
}

std::string LossScale::str() const {
  return moves ? "dynamic" : printPythonFloat(factor);
}
