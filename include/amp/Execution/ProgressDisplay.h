//===- ProgressDisplay.h - How a run is going -------------------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// On a terminal: one line that is drawn over, with a bar. Elsewhere: a plain
// line every so many steps, for files and pipes.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_EXECUTION_PROGRESSDISPLAY_H
#define AMP_EXECUTION_PROGRESSDISPLAY_H

#include "amp/Execution/TrainingLoop.h"

#include "llvm/Support/raw_ostream.h"

namespace mlir::amp {

class ProgressDisplay {
public:
  struct Style {
    /// Draw over one line; otherwise write plain lines.
    bool isTerminal = false;
    /// Use colours; only on a terminal.
    bool hasColor = false;
    /// Columns of the terminal.
    unsigned width = 80;
    /// Steps from one plain line to the next.
    int64_t lineInterval = 1;
    /// Least time from one drawing to the next, so that fast steps are not
    /// slowed down by the terminal.
    double secondsPerDrawing = 0.1;

    /// Style for standard output: by what it is, TERM (dumb is no terminal),
    /// NO_COLOR and the terminal's width. About twenty plain lines for
    /// `numSteps` steps.
    static Style detect(int64_t numSteps);
  };

  ProgressDisplay(llvm::raw_ostream &os, Style style, int64_t numSteps);
  /// Leaves the cursor on a fresh line, also when the run ended with an error.
  ~ProgressDisplay();

  /// Shows a step, and from the second on the rate of the run so far.
  void update(const StepRecord &record, const RunSummary &soFar);

private:
  void draw(const StepRecord &record, const RunSummary &soFar);
  void writeLine(const StepRecord &record, const RunSummary &soFar);

  llvm::raw_ostream &os;
  Style style;
  int64_t numSteps;
  int64_t skipped = 0;
  double lastDrawing = -1;
  bool isLineOpen = false;
};

} // namespace mlir::amp

#endif // AMP_EXECUTION_PROGRESSDISPLAY_H
