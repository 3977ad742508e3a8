//===- StepLog.cpp - One JSON line for each step --------------------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "amp/Execution/StepLog.h"

#include <cmath>

using namespace mlir::amp;
using llvm::createStringError;
using llvm::Error;
using llvm::Expected;
using llvm::StringRef;
using llvm::Twine;

llvm::json::Value mlir::amp::toJson(double value) {
  if (std::isnan(value))
    return "nan";
  if (std::isinf(value))
    return value > 0 ? "inf" : "-inf";
  return value;
}

/// One field of the scalers: a plain value for one, an object for several.
static void writeScalerField(
    llvm::json::OStream &json, StringRef key, const StepRecord &record,
    llvm::function_ref<llvm::json::Value(const ScalerRecord &)> get) {
  if (record.scalers.size() == 1) {
    json.attribute(key, get(record.scalers.front()));
    return;
  }
  json.attributeObject(key, [&] {
    for (const ScalerRecord &scaler : record.scalers)
      json.attribute(llvm::json::fixUTF8(scaler.name), get(scaler));
  });
}

std::string mlir::amp::toJsonLine(const StepRecord &record,
                                  const BlasReport *blas) {
  std::string line;
  llvm::raw_string_ostream os(line);
  llvm::json::OStream json(os);
  json.object([&] {
    json.attribute("step", record.step);
    if (record.losses.size() == 1) {
      json.attribute("loss", toJson(record.losses.front().second));
    } else {
      json.attributeObject("loss", [&] {
        for (const auto &[name, loss] : record.losses)
          json.attribute(llvm::json::fixUTF8(name), toJson(loss));
      });
    }
    writeScalerField(json, "scale_before", record, [](const ScalerRecord &s) {
      return toJson(s.scaleBefore);
    });
    writeScalerField(json, "scale", record, [](const ScalerRecord &s) {
      return toJson(s.scaleAfter);
    });
    writeScalerField(json, "unskipped", record, [](const ScalerRecord &s) {
      return llvm::json::Value(s.unskipped);
    });
    writeScalerField(json, "skipped", record, [](const ScalerRecord &s) {
      return llvm::json::Value(s.skipped);
    });
    json.attribute("grad_norm", record.gradNorm ? toJson(*record.gradNorm)
                                                : llvm::json::Value(nullptr));
    if (blas)
      json.attribute("blas", toJson(*blas));
  });
  return line;
}

StepLog::StepLog(std::string path, std::unique_ptr<llvm::raw_fd_ostream> os,
                 std::optional<BlasReport> blas)
    : path(std::move(path)), os(std::move(os)), blas(std::move(blas)) {}

Expected<StepLog> StepLog::open(StringRef path,
                                std::optional<BlasReport> blas) {
  std::error_code code;
  auto os = std::make_unique<llvm::raw_fd_ostream>(path, code);
  if (code)
    return createStringError(Twine("cannot open log '") + path +
                             "': " + code.message());
  return StepLog(path.str(), std::move(os), std::move(blas));
}

Error StepLog::takeError() {
  const std::error_code code = os->error();
  if (!code)
    return Error::success();
  os->clear_error();
  return createStringError(Twine("cannot write log '") + path +
                           "': " + code.message() +
                           "; the run was stopped, lines before this one are "
                           "kept");
}

Error StepLog::write(const StepRecord &record) {
  *os << toJsonLine(record, blas ? &*blas : nullptr) << '\n';
  blas.reset();
  os->flush();
  return takeError();
}

Error StepLog::close() {
  if (path != "-")
    os->close();
  Error error = takeError();
  os.reset();
  return error;
}
