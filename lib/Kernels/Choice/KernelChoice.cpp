//===- KernelChoice.cpp - Choose the kernel for a problem -----------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The candidates are few enough to estimate each: tiles times clusters times
// ways to split K. Candidates stand in order of preference, and a later one
// must be faster by more than noise, so that near ties go to the same
// configuration and equal kernels stay equal.
//
//===----------------------------------------------------------------------===//

#include "amp/Kernels/KernelChoice.h"

#include "Config/ConvolutionConfig.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace mlir;
using namespace mlir::amp;

/// A candidate is better if it takes less than this share of another's time.
static constexpr double kClearlyFaster = 0.98;
static constexpr int64_t kSplits[] = {1, 2, 3, 4, 6, 8, 12, 16, 24, 32};
/// Stages that each part of a split K has at least.
static constexpr int64_t kMinStagesOfPart = 4;

//===----------------------------------------------------------------------===//
// Table
//===----------------------------------------------------------------------===//

static std::string printType(Type type) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  type.print(stream);
  return text;
}

static std::string getKey(const GemmProblem &problem, StringRef chip) {
  return llvm::formatv("{0} {1} {2} {3} {4} {5}{6} {7} {8} {9}", chip,
                       problem.m, problem.n, problem.k, problem.batch,
                       problem.transposeA ? "t" : "n",
                       problem.transposeB ? "t" : "n", printType(problem.a),
                       printType(problem.b), printType(problem.d));
}

LogicalResult KernelTable::read(StringRef path,
                                function_ref<InFlightDiagnostic()> emitError) {
  auto file = llvm::MemoryBuffer::getFile(path, /*IsText=*/true);
  if (!file)
    return emitError() << "expected to read the table of kernels '" << path
                       << "', but got: " << file.getError().message();
  SmallVector<StringRef> lines;
  (*file)->getBuffer().split(lines, '\n');
  for (unsigned i = 0; i < lines.size(); ++i) {
    StringRef line = lines[i].split('#').first.trim();
    if (line.empty())
      continue;
    auto refuse = [&](const Twine &expected, StringRef found) {
      return emitError() << "expected " << expected << " in line " << i + 1
                         << " of '" << path << "', but got '" << found << "'";
    };
    SmallVector<StringRef> words;
    llvm::SplitString(line, words);
    if (words.size() != 13)
      return refuse("13 words: chip m n k batch layout a b d tile cluster "
                    "split-k raster-group",
                    line);
    GemmConfig config;
    if (!getChip(words[0]))
      return refuse("a chip that kernels are made for", words[0]);
    for (StringRef word : ArrayRef(words).slice(1, 4))
      if (int64_t size; word.getAsInteger(10, size))
        return refuse("a size", word);
    auto [tileM, tileN] = words[9].split('x');
    if (tileM.getAsInteger(10, config.tileM) ||
        tileN.getAsInteger(10, config.tileN))
      return refuse("a tile MxN", words[9]);
    for (auto [word, field] : {std::pair(words[10], &config.cluster),
                               {words[11], &config.splitK},
                               {words[12], &config.rasterGroup}})
      if (word.getAsInteger(10, *field))
        return refuse("a number", word);
    configs[llvm::join(ArrayRef(words).take_front(9), " ")] = config;
  }
  return success();
}

std::optional<GemmConfig> KernelTable::find(const GemmProblem &problem,
                                            const Chip &chip) const {
  // What was measured are matrices in order, with dense rows.
  if (!problem.batchShape.empty() || problem.lda || problem.ldb || problem.ldd)
    return std::nullopt;
  auto found = configs.find(getKey(problem, chip.name));
  if (found == configs.end())
    return std::nullopt;
  GemmConfig config = found->second;
  config.setChip(chip, problem.a);
  return config;
}

//===----------------------------------------------------------------------===//
// Choice
//===----------------------------------------------------------------------===//

static SmallVector<GemmConfig> getCandidates(const GemmProblem &problem,
                                             const Chip &chip) {
  SmallVector<GemmConfig> candidates;
  auto add = [&](const Schedule &schedule, int64_t stages) {
    for (auto [tileM, tileN] : schedule.tiles)
      for (int64_t cluster : {1, 2})
        for (int64_t split : kSplits) {
          GemmConfig config;
          config.setChip(chip, problem.a);
          config.schedule = &schedule;
          config.tileM = tileM;
          config.tileN = tileN;
          config.stages = stages;
          config.cluster = cluster;
          config.splitK = split;
          candidates.push_back(config);
        }
  };
  for (const Schedule *schedule : getSchedules(chip, problem.a)) {
    add(*schedule, /*stages=*/0);
    // With the longest ring a small tile has a multiprocessor for itself.
    // Threads that load and multiply would be too few then.
    if (!schedule->allLoad())
      add(*schedule, GemmConfig::kMaxStages);
  }
  return candidates;
}

/// Completes and verifies `config`; `reason` says what does not fit.
static LogicalResult fit(const GemmProblem &problem, GemmConfig &config,
                         std::string &reason) {
  // The kernels can copy operands themselves. In a step a copy is an operation
  // of its own, which others may share.
  GemmProblem read = getCopiedProblem(problem);
  if (read.transposeA != problem.transposeA ||
      read.transposeB != problem.transposeB) {
    reason = "expected layout 'nt' for operands of 8 bits, because wgmma reads "
             "them with K innermost only";
    return failure();
  }
  chooseGemmAccess(problem, config);
  completeGemmConfig(problem, config);
  MLIRContext *context = problem.a.getContext();
  ScopedDiagnosticHandler handler(
      context, [&](Diagnostic &diagnostic) { reason = diagnostic.str(); });
  return verifyGemm(problem, config,
                    [&] { return emitError(UnknownLoc::get(context)); });
}

/// `fit` completes and verifies a candidate for `problem`, or for what is
/// computed as this product.
static FailureOr<KernelChoice>
chooseOnChip(const GemmProblem &problem, const Chip &chip,
             const EpilogueWork &epilogue,
             function_ref<LogicalResult(GemmConfig &, std::string &)> fit,
             std::string &reason) {
  std::optional<KernelChoice> best;
  std::string refusal;
  for (GemmConfig &config : getCandidates(problem, chip)) {
    if (failed(fit(config, refusal))) {
      // The first candidate is the plainest: what it lacks, all lack.
      if (reason.empty())
        reason = refusal;
      continue;
    }
    // The second block of a cluster would have no rows.
    if (config.cluster > 1 && problem.m <= config.tileM)
      continue;
    int64_t stages = llvm::divideCeil(problem.k, config.tileK);
    if (config.splitK > 1 && stages / config.splitK < kMinStagesOfPart)
      continue;
    config.rasterGroup = chooseRasterGroup(problem, config);
    KernelCost cost = estimateGemm(problem, config, epilogue);
    if (!best || cost.seconds < kClearlyFaster * best->cost.seconds)
      best = KernelChoice{config, cost};
  }
  if (!best)
    return failure();
  return *best;
}

/// The same, or if `triesEarlier` on the earlier chip, whose kernels run on
/// this one too.
static FailureOr<KernelChoice>
chooseAmong(const GemmProblem &problem, const Chip &chip,
            const EpilogueWork &epilogue,
            function_ref<LogicalResult(GemmConfig &, std::string &)> fit,
            bool triesEarlier, std::string &reason) {
  FailureOr<KernelChoice> choice =
      chooseOnChip(problem, chip, epilogue, fit, reason);
  if (succeeded(choice) || chip.earlier.empty() || !triesEarlier)
    return choice;
  reason.clear();
  return chooseOnChip(problem, *getChip(chip.earlier), epilogue, fit, reason);
}

FailureOr<KernelChoice> mlir::amp::chooseGemm(const GemmProblem &problem,
                                              const Chip &chip,
                                              const EpilogueWork &epilogue,
                                              const KernelTable &table,
                                              std::string &reason) {
  if (std::optional<GemmConfig> config = table.find(problem, chip)) {
    if (failed(fit(problem, *config, reason)))
      return failure();
    return KernelChoice{*config, estimateGemm(problem, *config, epilogue)};
  }
  auto fitGemm = [&](GemmConfig &config, std::string &reason) {
    return fit(problem, config, reason);
  };
  // With tf32 whoever asks has copies of the operands to offer, for wgmma.
  return chooseAmong(problem, chip, epilogue, fitGemm,
                     /*triesEarlier=*/problem.a.isF32(), reason);
}

FailureOr<KernelChoice>
mlir::amp::chooseConvolution(const ConvolutionProblem &problem,
                             const Chip &chip, const EpilogueWork &epilogue,
                             std::string &reason) {
  MLIRContext *context = problem.a.getContext();
  auto fitConvolution = [&](GemmConfig &config, std::string &reason) {
    ScopedDiagnosticHandler handler(
        context, [&](Diagnostic &diagnostic) { reason = diagnostic.str(); });
    auto error = [&] { return emitError(UnknownLoc::get(context)); };
    if (failed(verifyConvolution(problem, error)))
      return failure();
    chooseConvolutionAccess(problem, config);
    completeGemmConfig(getImplicitProduct(problem), config);
    return verifyConvolutionConfig(problem, config, error);
  };
  if (problem.isDepthwise()) { // one kernel, which has no tiles
    GemmConfig config;
    config.setChip(chip, problem.a);
    if (failed(fitConvolution(config, reason)))
      return failure();
    return KernelChoice{config, estimateDepthwise(problem, chip, epilogue)};
  }
  // What wgmma does not read as tf32, mma.sync does.
  return chooseAmong(
      getImplicitProduct(problem), chip, epilogue, fitConvolution,
      /*triesEarlier=*/problem.a.isF32() || isa<FloatTF32Type>(problem.a),
      reason);
}
