//===- ProgressDisplay.cpp - How a run is going ---------------------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "amp/Execution/ProgressDisplay.h"
#include "amp/Support/Quantities.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/Process.h"

#include <algorithm>
#include <cstdlib>

using namespace mlir::amp;
using llvm::StringRef;

ProgressDisplay::Style ProgressDisplay::Style::detect(int64_t numSteps) {
  Style style;
  const char *terminal = std::getenv("TERM");
  style.isTerminal = llvm::sys::Process::StandardOutIsDisplayed() && terminal &&
                     StringRef(terminal) != "dumb";
  // no-color.org: any value but the empty one switches colours off.
  const char *noColor = std::getenv("NO_COLOR");
  style.hasColor = style.isTerminal && !(noColor && *noColor) &&
                   llvm::sys::Process::StandardOutHasColors();
  if (unsigned columns = llvm::sys::Process::StandardOutColumns())
    style.width = columns;
  style.lineInterval = std::max<int64_t>(1, numSteps / 20);
  return style;
}

ProgressDisplay::ProgressDisplay(llvm::raw_ostream &os, Style style,
                                 int64_t numSteps)
    : os(os), style(style), numSteps(numSteps) {}

ProgressDisplay::~ProgressDisplay() {
  if (isLineOpen)
    os << '\n';
  os.flush();
}

/// "loss 0.6246", or "d 0.31 g 1.20" for losses of those names.
static std::string getLossText(const StepRecord &record) {
  std::string text;
  llvm::raw_string_ostream os(text);
  for (const auto &[name, loss] : record.losses)
    os << (text.empty() ? "" : " ") << name << ' '
       << llvm::format("%.4f", loss);
  return text;
}

static std::string getScaleText(const StepRecord &record) {
  std::string text = "scale";
  llvm::raw_string_ostream os(text);
  for (const ScalerRecord &scaler : record.scalers)
    os << ' ' << llvm::format("%g", scaler.scaleAfter);
  return text;
}

/// The rate as the summary will have it; none after the first step, which takes
/// longer than others.
static std::string getRateText(const RunSummary &soFar) {
  return soFar.steps > 1 ? soFar.getRateText() : "";
}

void ProgressDisplay::update(const StepRecord &record,
                             const RunSummary &soFar) {
  skipped += record.isSkipped();
  const bool isLast = record.step + 1 == numSteps;
  if (!style.isTerminal) {
    if (isLast || record.step % style.lineInterval == 0)
      writeLine(record, soFar);
    return;
  }
  const double seconds = soFar.totalSeconds;
  const bool isDue =
      lastDrawing < 0 || seconds - lastDrawing >= style.secondsPerDrawing;
  if (isLast || isDue) {
    draw(record, soFar);
    lastDrawing = seconds;
  }
}

void ProgressDisplay::writeLine(const StepRecord &record,
                                const RunSummary &soFar) {
  os << "step " << record.step << ": " << getLossText(record) << ", "
     << getScaleText(record) << ", skipped " << skipped;
  if (const std::string rate = getRateText(soFar); !rate.empty())
    os << ", " << rate;
  os << '\n';
  os.flush();
}

void ProgressDisplay::draw(const StepRecord &record, const RunSummary &soFar) {
  const int64_t done = record.step + 1;
  const std::string count =
      std::to_string(done) + "/" + std::to_string(numSteps);
  const std::string skippedText = "skipped " + std::to_string(skipped);

  // A narrow terminal loses the bar first and then the fields from the right;
  // a line that wraps could not be drawn over.
  const size_t columns = style.width > 1 ? style.width - 1 : 1;
  std::string text = count;
  size_t skippedAt = std::string::npos;
  for (const std::string &field : {getLossText(record), getScaleText(record),
                                   skippedText, getRateText(soFar)}) {
    if (field.empty())
      continue;
    if (text.size() + 2 + field.size() > columns)
      break;
    text += "  ";
    if (field == skippedText)
      skippedAt = text.size();
    text += field;
  }

  os << '\r';
  constexpr size_t kSmallestBar = 10, kLargestBar = 40;
  const size_t room = columns > text.size() ? columns - text.size() : 0;
  if (room >= kSmallestBar + 3) {
    const size_t size = std::min(room - 3, kLargestBar);
    const size_t filled = numSteps > 0 ? size_t(size * done / numSteps) : size;
    os << '[' << std::string(filled, '#') << std::string(size - filled, '.')
       << "] ";
  }
  const bool highlight =
      style.hasColor && skipped > 0 && skippedAt != std::string::npos;
  if (highlight) {
    constexpr llvm::StringLiteral kYellow("\x1b[33m"), kPlain("\x1b[0m");
    os << StringRef(text).take_front(skippedAt) << kYellow << skippedText
       << kPlain << StringRef(text).drop_front(skippedAt + skippedText.size());
  } else {
    os << text;
  }
  os << "\x1b[K"; // clears what a longer line left behind
  os.flush();
  isLineOpen = true;
}
