//===- ReplayTolerances.cpp - How far a replay may be off -----------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A misspelt fact would never be met and a misspelt quantity never be judged,
// so both are errors.
//
//===----------------------------------------------------------------------===//

#include "amp/Execution/ReplayTolerances.h"

#include "JsonFile.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir::amp;
using llvm::Expected;
using llvm::StringRef;
namespace json = llvm::json;

/// What conditions may ask for; replayed files know "module" and "opt_level",
/// recorded runs the others.
static constexpr llvm::StringLiteral kFacts[] = {
    "module", "id",    "model",         "optimizer", "opt_level",
    "seed",   "batch", "micro_batches", "loss_scale"};

static constexpr llvm::StringLiteral kQuantities[] = {
    quantity::kFirstLoss,    quantity::kFirstTenLosses, quantity::kLosses,
    quantity::kGradNorm,     quantity::kMasterNorm,     quantity::kTestOutputs,
    quantity::kTestAccuracy, quantity::kTestLoss,       quantity::kUpdates,
    quantity::kWorstUpdate,  quantity::kBufferUpdates,
};

std::optional<std::string> mlir::amp::getScalarText(const json::Value &value) {
  if (std::optional<StringRef> text = value.getAsString())
    return text->str();
  if (std::optional<bool> flag = value.getAsBoolean())
    return *flag ? "true" : "false";
  std::optional<double> number = value.getAsNumber();
  if (!number)
    return std::nullopt;
  std::string text;
  llvm::raw_string_ostream(text) << llvm::format("%.17g", *number);
  return text;
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

namespace {

/// The value of a condition: one, or any of several.
struct ConditionValues {
  std::vector<std::string> texts;
};

// llvm::json finds these by the namespace of their types.

bool fromJSON(const json::Value &value, ConditionValues &out, json::Path path) {
  const json::Array *several = value.getAsArray();
  const json::Array one =
      several ? json::Array() : json::Array{json::Value(value)};
  for (const json::Value &entry : several ? *several : one) {
    std::optional<std::string> text = getScalarText(entry);
    if (!text) {
      path.report("expected a string, a boolean or a number, or an array of "
                  "them");
      return false;
    }
    out.texts.push_back(std::move(*text));
  }
  return true;
}

/// The object of a condition, by the facts it names.
struct Condition {
  std::map<std::string, std::vector<std::string>> values;
};

bool fromJSON(const json::Value &value, Condition &out, json::Path path) {
  const json::Object *object = value.getAsObject();
  if (!object) {
    path.report("expected object");
    return false;
  }
  for (const auto &[fact, wanted] : *object) {
    ConditionValues values;
    if (!llvm::is_contained(kFacts, StringRef(fact))) {
      path.field(fact).report(
          "expected a fact: module, id, model, optimizer, opt_level, seed, "
          "batch, micro_batches or loss_scale");
      return false;
    }
    if (!fromJSON(wanted, values, path.field(fact)))
      return false;
    out.values[StringRef(fact).str()] = std::move(values.texts);
  }
  return true;
}

struct Row {
  ToleranceRow row;
};

bool fromJSON(const json::Value &value, Row &out, json::Path path) {
  json::ObjectMapper mapper(value, path);
  ToleranceRow &row = out.row;
  if (!mapper || !mapper.map("name", row.name) ||
      !mapper.map("limits", row.limits) ||
      !mapper.mapOptional("caveat", row.caveat) ||
      !mapper.mapOptional("noise", row.noise))
    return false;
  // The path keeps no names of its own: those of the file live on.
  for (const auto &[key, limit] : *value.getAsObject()->getObject("limits")) {
    const StringRef quantity = key;
    if (!llvm::is_contained(kQuantities, quantity)) {
      path.field("limits").field(quantity).report(
          "expected a quantity as replays print them: 'loss, all steps', say");
      return false;
    }
    if (!(*limit.getAsNumber() >= 0)) {
      path.field("limits").field(quantity).report(
          "expected a distance of at least 0");
      return false;
    }
  }
  const json::Value *conditions = value.getAsObject()->get("for");
  if (!conditions)
    return true; // any run
  std::vector<Condition> several;
  if (conditions->kind() == json::Value::Array) {
    if (!json::fromJSON(*conditions, several, path.field("for")))
      return false;
  } else if (!fromJSON(*conditions, several.emplace_back(),
                       path.field("for"))) {
    return false;
  }
  for (Condition &condition : several)
    row.conditions.push_back(std::move(condition.values));
  return true;
}

} // namespace

bool mlir::amp::fromJSON(const json::Value &value, ToleranceTable &table,
                         json::Path path) {
  std::vector<Row> rows;
  if (!json::fromJSON(value, rows, path))
    return false;
  for (Row &row : rows)
    table.rows.push_back(std::move(row.row));
  return true;
}

Expected<ToleranceTable> ToleranceTable::load(StringRef path) {
  Expected<json::Value> value = readJsonFile(path);
  if (!value)
    return value.takeError();
  ToleranceTable table;
  json::Path::Root root("file");
  json::ObjectMapper mapper(*value, root);
  if (!mapper || !mapper.map("tolerances", table))
    return makeJsonContentError(path, "tolerances", root);
  return table;
}

//===----------------------------------------------------------------------===//
// Finding
//===----------------------------------------------------------------------===//

bool ToleranceRow::applies(const RunFacts &facts) const {
  return conditions.empty() ||
         llvm::any_of(conditions, [&](const auto &condition) {
           return llvm::all_of(condition, [&](const auto &wanted) {
             auto found = facts.find(wanted.first);
             return found != facts.end() &&
                    llvm::is_contained(wanted.second, found->second);
           });
         });
}

std::optional<double> ToleranceRow::getLimit(StringRef quantity) const {
  auto found = limits.find(quantity.str());
  if (found == limits.end())
    return std::nullopt;
  return found->second;
}

const ToleranceRow *ToleranceTable::find(const RunFacts &facts) const {
  const auto *found = llvm::find_if(rows, [&](const ToleranceRow &row) {
                        return row.applies(facts);
                      }).base();
  return found == rows.data() + rows.size() ? nullptr : found;
}
