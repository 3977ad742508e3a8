//===- OptLevel.h - Optimization levels and their defaults ------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A level is a row of a table: a name, a sentence, and the defaults of the
// properties. Nothing else in the project asks which level it is at; it asks
// for the properties. O0 to O3 are NVIDIA Apex's (apex/amp/frontend.py, parent
// of commit cb65b8ed), O4 and O5 are those of ROCm's fork (revision daed8525),
// the bfloat16 forms of O1 and O2.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_POLICY_OPTLEVEL_H
#define AMP_POLICY_OPTLEVEL_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>

namespace mlir::amp {

/// A floating type that a policy can name.
enum class FloatKind { Float32, Float16, BFloat16 };

/// "float32", "float16", "bfloat16": the names of torch.dtype without "torch.".
llvm::StringRef stringifyFloatKind(FloatKind kind);

/// The factor on the loss: constant, or moved by the scaler after overflows.
class LossScale {
public:
  static constexpr LossScale dynamic() { return LossScale(true, 0.0); }
  static constexpr LossScale fixed(double scale) {
    return LossScale(false, scale);
  }

  constexpr bool isDynamic() const { return moves; }
  /// The constant factor; asserts on a dynamic scale, whose value is state of
  /// the scaler (for its start value see Properties::getInitialScale).
  double getFixed() const;
  /// "dynamic", or the factor as Python prints a float.
  std::string str() const;

  friend bool operator==(const LossScale &a, const LossScale &b) {
    return a.moves == b.moves && a.factor == b.factor;
  }
  friend bool operator!=(const LossScale &a, const LossScale &b) {
    return !(a == b);
  }

private:
  constexpr LossScale(bool moves, double factor)
      : moves(moves), factor(factor) {}

  bool moves;
  double factor;
};

enum class OptLevel { O0, O1, O2, O3, O4, O5 };

/// One row of the table of levels.
struct LevelDefaults {
  OptLevel level;
  /// "O2".
  llvm::StringLiteral name;
  /// Apex's `brief`, its trailing line break included where Apex has one.
  llvm::StringLiteral brief;
  /// Type that the model is cast to; none: it is not cast.
  std::optional<FloatKind> castModelType;
  /// Whether listed functions get casts. O5 has none where O0, O2 and O3 have
  /// false; the two act alike and print differently.
  std::optional<bool> patchTorchFunctions;
  /// Low type of patched functions. Apex knows only float16 and has no such
  /// property; ROCm has, and gives O1 float16.
  std::optional<FloatKind> patchTorchFunctionsType;
  std::optional<bool> keepBatchnormFP32;
  std::optional<bool> masterWeights;
  LossScale lossScale;
  /// Levels that an error about patch_torch_functions names: Apex's words for
  /// Apex's levels, with O4 added for ROCm's.
  llvm::StringLiteral patchingLevels;
  /// Levels that an error about cast_model_type names.
  llvm::StringLiteral castingLevels;
};

/// All levels, in order.
llvm::ArrayRef<LevelDefaults> getLevelTable();

/// The row of `level`.
const LevelDefaults &getLevelDefaults(OptLevel level);

/// "O2".
llvm::StringRef stringifyOptLevel(OptLevel level);

/// The level of exactly that name ("O2"; not "o2", "02" or "2"), else nothing.
std::optional<OptLevel> parseOptLevel(llvm::StringRef name);

/// Apex's error text for a name that parseOptLevel refuses, with the six levels
/// listed as ROCm does.
std::string getUnknownLevelText(llvm::StringRef name);

} // namespace mlir::amp

#endif // AMP_POLICY_OPTLEVEL_H
