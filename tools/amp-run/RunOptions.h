//===- RunOptions.h - The command line of amp-run ---------------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AMP_TOOLS_AMP_RUN_RUNOPTIONS_H
#define AMP_TOOLS_AMP_RUN_RUNOPTIONS_H

#include "amp/Execution/DeviceProgram.h"
#include "amp/Pipelines/HostLowering.h"
#include "llvm/Support/Error.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace mlir::amp {

/// What a run is for. Exactly one of the options of these names is given.
enum Mode : unsigned { Train = 1, Replaying = 2, Comparing = 4 };

/// Who multiplies halves in tiles: the CPU if it can, nobody, or loops.
enum class TileUse {
  Auto,
  Off,
  /// By loops, as a CPU with AMX-BF16 does.
  Expanded,
  /// By loops, as a CPU with AMX-FP16 too does.
  ExpandedFp16
};

/// What the command line asks for. An empty file name or an empty optional: not
/// asked for.
struct RunOptions {
  Mode mode = Train;
  std::string inputFile;
  /// The input is a program that was compiled before, and no module.
  bool isProgram = false;
  /// The file of the mode: --data, --replay or --oracle.
  std::string sourceFile;
  std::string testFile, initFile, saveFile;
  /// "-": standard output, under whatever name.
  std::string logFile;
  /// Whether the log has the norm of all gradients.
  bool logsGradNorm = true;
  std::optional<int64_t> numSteps;
  /// Rows of a batch whose extent is dynamic; 0: not given.
  int64_t batchSize = 0;
  uint64_t seed = 0;
  std::vector<std::string> injections;
  std::optional<double> tolerance;
  std::string tolerances, oracleData, oracleRun;
  bool quiet = false;

  /// Options of the pipeline amp-mixed-precision that were given, as name and
  /// value.
  std::vector<std::pair<std::string, std::string>> precision;

  /// Where the step runs: "host", or a device of amp-rt/Device.h.
  DeviceTarget target;
  bool isOnHost() const { return target.device == "host"; }

  /// "auto", "off", or what the runtime is asked for (amp-rt/Blas.h).
  std::string blas = "auto";
  TileUse tiles = TileUse::Auto;
  bool reference = false, timing = false;
  int32_t threads = 1;
  /// Show where the time goes; a file for the calls, or empty.
  bool profile = false;
  std::string traceFile;
  /// Name compiled functions for perf.
  bool perfMap = false;

  /// True if the run leaves more than what it prints.
  bool leavesFiles() const {
    return !saveFile.empty() || (!logFile.empty() && logFile != "-");
  }
  /// True if progress and summary are shown: the log may have the screen.
  bool showsProgress() const { return !quiet && logFile != "-"; }
};

/// Reads the command line; ends the program for --help and for what cannot be
/// parsed. An error: options that do not go together.
llvm::Expected<RunOptions> parseRunOptions(int argc, char **argv);

} // namespace mlir::amp

#endif // AMP_TOOLS_AMP_RUN_RUNOPTIONS_H
