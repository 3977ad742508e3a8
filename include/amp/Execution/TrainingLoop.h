//===- TrainingLoop.h - Steps of a compiled program -------------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Calls a program's train step again and again. Arguments are bound by role and
// name; each result with the role and name of an argument becomes that argument
// of the next step. The program itself scales, unscales, skips and updates: the
// loop only watches, through the scalers' state and the program's taps.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_EXECUTION_TRAININGLOOP_H
#define AMP_EXECUTION_TRAININGLOOP_H

#include "amp/Execution/BatchSource.h"
#include "amp/Execution/Program.h"
#include "amp/Execution/StartValues.h"

#include <atomic>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace mlir::amp {

//===----------------------------------------------------------------------===//
// Records
//===----------------------------------------------------------------------===//

/// What happened to one loss scaler in one step.
struct ScalerRecord {
  std::string name;
  double scaleBefore = 1;
  double scaleAfter = 1;
  /// Clean steps since the scale last changed.
  int64_t unskipped = 0;
  /// The optimizer step was left out.
  bool skipped = false;
};

/// What happened in one step.
struct StepRecord {
  int64_t step = 0;
  /// Unscaled losses by name, in the order of the results.
  std::vector<std::pair<std::string, double>> losses;
  /// One for each scaler. A program without scalers has one record of scale 1,
  /// as Apex reports it.
  std::vector<ScalerRecord> scalers;
  /// L2 norm over the unscaled FP32 gradients. None if a scaler skipped the
  /// step, or if the program does not show its gradients.
  std::optional<double> gradNorm;
  /// Of the step's call by a clock that only goes on: its batch was there
  /// before, and what observes it comes after.
  double seconds = 0;
  /// The most memory that the call held at one time (Program.h).
  int64_t peakBytes = 0;

  bool isSkipped() const;
};

//===----------------------------------------------------------------------===//
// Injection
//===----------------------------------------------------------------------===//

/// A value that is put into a gradient before it is unscaled.
struct Injection {
  int64_t step;
  /// Name of the parameter whose gradient it is.
  std::string name;
  /// Flat index of the element.
  int64_t index;
  double value;
};

/// Parses STEP:NAME:INDEX:VALUE. NAME may contain colons.
llvm::Expected<Injection> parseInjection(llvm::StringRef text);

//===----------------------------------------------------------------------===//
// Loop
//===----------------------------------------------------------------------===//

class TrainingLoop {
public:
  struct Options {
    /// Steps that will be run; known before the first one so that a source that
    /// is too short, or an injection that is too late, fails early.
    int64_t numSteps = 0;
    std::vector<Injection> injections;
  };

  /// Checks that the step can be fed, checkTrainStep's rules first. `program`
  /// and `batches` must outlive the loop.
  static llvm::Expected<std::unique_ptr<TrainingLoop>>
  create(Program &program, BatchSource &batches, TrainingState state,
         Options options);
  ~TrainingLoop();

  /// Runs the next step. After an error the state is that before the step.
  llvm::Expected<StepRecord> runStep();

  int64_t getNumSteps() const { return options.numSteps; }
  /// Number of steps that have been run.
  int64_t getStep() const { return nextStep; }
  const TrainingState &getState() const { return state; }
  Program &getProgram() const { return program; }

private:
  /// Where an argument comes from.
  struct ArgumentSource {
    enum Kind { State, BatchArray, Seed } kind;
    /// State: its place in `state`.
    HostArray *value = nullptr;
    /// BatchArray: its number among the batch arguments.
    size_t batchIndex = 0;
  };

  TrainingLoop(Program &program, BatchSource &batches, TrainingState state,
               Options options);
  llvm::Error bindArguments();
  void bindResults();
  void onTap(const Tap &tap);
  llvm::Error explainFailure(llvm::Error error) const;
  llvm::Error takeTapErrors();

  Program &program;
  BatchSource &batches;
  TrainingState state;
  Options options;
  int64_t nextStep = 0;

  std::vector<ArgumentSource> arguments;
  /// Ones for the loss_seed arguments, in order.
  std::vector<HostArray> seeds;
  /// Where each result goes; null for those that are not carried on.
  std::vector<HostArray *> carried;

  // What the taps of the current step have seen.
  /// Sum of squares by gradient. A gradient that is shown twice, because a
  /// second loss was accumulated into it, counts as it was last.
  std::map<std::string, double> squares;
  /// True for each injection that has been made.
  std::vector<bool> injected;
  /// First complaint of a tap; a callback cannot fail.
  std::string tapError;
};

/// Fails if a loop could not run `trainStep` on `batches`: for want of batches,
/// or of roles and types that can be fed, or because an injection would meet
/// nothing. For a signature that is still to be compiled.
llvm::Error checkTrainStep(const FunctionSignature &trainStep,
                           const BatchSource &batches,
                           const TrainingLoop::Options &options);

//===----------------------------------------------------------------------===//
// A whole run
//===----------------------------------------------------------------------===//

/// Time and memory of a run, or of what of it is done.
struct RunSummary {
  int64_t steps = 0;
  int64_t skipped = 0;
  /// It was asked to stop before its last step.
  bool isStopped = false;
  /// The first step touches memory for the first time and is kept apart.
  double firstStepSeconds = 0;
  double otherSeconds = 0;
  /// Since the run began, with all that happened between the steps.
  double totalSeconds = 0;
  /// Of the step that took most.
  int64_t peakBytes = 0;
  /// Once the run has ended.
  Program::MemoryReport memory;

  /// "2733 steps/s": over all steps but the first, if there are others.
  std::string getRateText() const;
};

/// Told of each step, and of the run up to it.
using RunObserver =
    llvm::function_ref<llvm::Error(const StepRecord &, const RunSummary &)>;

/// Runs all steps. An error that `observe` returns ends the run. So does
/// `stop`, after the step that is running: it may be set by another thread or a
/// signal handler, and the state is that after the last step that was observed.
llvm::Expected<RunSummary> runTraining(TrainingLoop &loop, RunObserver observe,
                                       const std::atomic<bool> *stop = nullptr);

/// Prints steps, speed and memory, and what the scalers' health verdicts say
/// unless they are healthy.
void printSummary(llvm::raw_ostream &os, const RunSummary &summary,
                  Program &program);

} // namespace mlir::amp

#endif // AMP_EXECUTION_TRAININGLOOP_H
