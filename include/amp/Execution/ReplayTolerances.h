//===- ReplayTolerances.h - How far a replay may be off ---------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A replay compares numbers that are equal in exact arithmetic and drift apart
// by rounding. How far they may drift depends on model, level and length, so
// whoever records a run says it, in the recording or in a file of its own:
//
//   {"tolerances": [
//     {"name": "O1, O2, mlp",
//      "for": {"opt_level": ["O1", "O2"], "model": "mlp"},
//      "limits": {"loss, step 0": 1e-3, "loss, all steps": 5e-3}},
//     {"name": "O1, O2, cnn, dynamic scale",
//      "for": [{"opt_level": "O1", "model": "cnn", "loss_scale": "dynamic"},
//      ...], "limits": {"loss, step 0": 1e-3}, "caveat": "one gradient is right
//      at the limit of f16"}]}
//
// The first row whose conditions a run meets is the run's: all facts of one of
// the objects in "for", each equal to the value or to one of the values given.
// A quantity without a limit is shown and not judged. A row with a caveat says
// why a run may be outside once its scale has moved.
//
// "noise" lists parameters whose true gradient is zero, or as good as zero:
// their updates are rounding noise (Adam makes steps of it) and are left out.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_EXECUTION_REPLAYTOLERANCES_H
#define AMP_EXECUTION_REPLAYTOLERANCES_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace mlir::amp {

/// What a replay measures, as files and reports call it.
namespace quantity {
constexpr llvm::StringLiteral kFirstLoss = "loss, step 0";
constexpr llvm::StringLiteral kFirstTenLosses = "loss, steps 0 to 9";
constexpr llvm::StringLiteral kLosses = "loss, all steps";
constexpr llvm::StringLiteral kGradNorm = "gradient norm, relative";
constexpr llvm::StringLiteral kMasterNorm = "master norm, relative";
constexpr llvm::StringLiteral kTestOutputs = "first test outputs";
constexpr llvm::StringLiteral kTestAccuracy = "test accuracy";
constexpr llvm::StringLiteral kTestLoss = "test loss";
constexpr llvm::StringLiteral kUpdates = "updates, relative";
constexpr llvm::StringLiteral kWorstUpdate = "worst update, relative";
constexpr llvm::StringLiteral kBufferUpdates = "buffer updates, relative";
} // namespace quantity

/// What is known of a run, as conditions name it: {"opt_level", "O2"}. Numbers
/// are written as getScalarText writes them.
using RunFacts = std::map<std::string, std::string>;

/// A row of a file.
struct ToleranceRow {
  std::string name;
  /// Conditions, of which a run must meet one: by fact, the values it may have.
  std::vector<std::map<std::string, std::vector<std::string>>> conditions;
  /// By quantity.
  std::map<std::string, double> limits;
  std::string caveat;
  /// Parameters whose updates are not compared.
  std::vector<std::string> noise;

  bool applies(const RunFacts &facts) const;
  /// None where the quantity is not judged.
  std::optional<double> getLimit(llvm::StringRef quantity) const;
};

/// The rows of a file, in their order.
class ToleranceTable {
public:
  /// Reads the "tolerances" of a JSON file, which must have some.
  static llvm::Expected<ToleranceTable> load(llvm::StringRef path);

  /// The first row that applies, or null.
  const ToleranceRow *find(const RunFacts &facts) const;
  bool empty() const { return rows.empty(); }

  std::vector<ToleranceRow> rows;
};

/// For llvm::json: an array of rows.
bool fromJSON(const llvm::json::Value &value, ToleranceTable &table,
              llvm::json::Path path);

/// A string, boolean or number of a JSON file as text ("true", "128"), or none.
std::optional<std::string> getScalarText(const llvm::json::Value &value);

} // namespace mlir::amp

#endif // AMP_EXECUTION_REPLAYTOLERANCES_H
