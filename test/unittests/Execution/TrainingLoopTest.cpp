//===- TrainingLoopTest.cpp - Steps, skips and injections -----------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "amp/Execution/TrainingLoop.h"
#include "FakeProgram.h"
#include "TestFiles.h"

#include <cmath>
#include <limits>
#include <thread>

using namespace amp_test;
using namespace mlir::amp;

static constexpr ElementKind F32 = AMP_RT_ELEMENT_F32;

namespace {

/// Batches of the fake program, a different one each step.
class FakeBatches : public BatchSource {
public:
  explicit FakeBatches(std::optional<int64_t> numSteps = std::nullopt)
      : numSteps(numSteps) {}
  llvm::Expected<Batch> getBatch(int64_t step) override {
    Batch batch;
    batch.emplace_back(F32, llvm::ArrayRef<int64_t>{4, 6});
    batch.emplace_back(AMP_RT_ELEMENT_I64, llvm::ArrayRef<int64_t>{4});
    for (int64_t i = 0; i < 24; ++i)
      batch[0].setFromDouble(i, double((i * 7 + step * 3) % 11) / 11);
    for (int64_t i = 0; i < 4; ++i)
      batch[1].setFromDouble(i, double((i + step) % 3));
    return batch;
  }
  std::optional<int64_t> getNumSteps() const override { return numSteps; }
  llvm::Expected<BatchShapes> getBatchShapes(int64_t) override {
    return BatchShapes{{4, 6}, {4}};
  }
  std::vector<int64_t> getBatchBytes() override { return {96, 32}; }
  std::string describe() const override { return "'fake.npz'"; }

private:
  std::optional<int64_t> numSteps;
};

TrainingState makeState(Program &program) {
  return take(
      makeStartValues(program.getTrainStep().getArguments(), nullptr, 1));
}

/// A loop over a program and its own batches.
struct FakeRun {
  explicit FakeRun(FakeOptions options, int64_t numSteps,
                   std::vector<Injection> injections = {})
      : program(std::move(options)) {
    loop = take(TrainingLoop::create(program, batches, makeState(program),
                                     {numSteps, std::move(injections)}));
  }
  StepRecord step() { return take(loop->runStep()); }
  std::vector<double> get(const char *role, const char *name) {
    return getValues(loop->getState().at({role, name}));
  }

  FakeBatches batches;
  FakeProgram program;
  std::unique_ptr<TrainingLoop> loop;
};

FakeOptions withScaler(AmpRtScalerConfig config, bool hasMasters = false) {
  FakeOptions options;
  options.scaler = config;
  options.hasMasters = hasMasters;
  return options;
}

std::string getCreateError(FakeProgram &program,
                           std::vector<Injection> injections = {},
                           int64_t numSteps = 10) {
  FakeBatches batches;
  return getText(TrainingLoop::create(program, batches, makeState(program),
                                      {numSteps, std::move(injections)}));
}

const double kInf = std::numeric_limits<double>::infinity();

} // namespace

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

TEST(TrainingLoop, ResultsBecomeTheNextArguments) {
  FakeRun run(FakeOptions(), 20);
  const std::vector<double> before = run.get("param", "fc1.weight");
  double first = run.step().losses[0].second, last = 0;
  EXPECT_NE(run.get("param", "fc1.weight"), before);
  while (run.loop->getStep() < run.loop->getNumSteps())
    last = run.step().losses[0].second;
  EXPECT_LT(last, first);
  EXPECT_EQ(run.get("buffer", "calls"), std::vector<double>{20});
}

TEST(TrainingLoop, RecordsOfAProgramWithoutScaler) {
  FakeRun run(FakeOptions(), 3);
  (void)run.step();
  StepRecord record = run.step();
  EXPECT_EQ(record.step, 1);
  ASSERT_EQ(record.losses.size(), 1u);
  EXPECT_EQ(record.losses[0].first, "loss");
  ASSERT_EQ(record.scalers.size(), 1u);
  EXPECT_EQ(record.scalers[0].scaleBefore, 1);
  EXPECT_EQ(record.scalers[0].scaleAfter, 1);
  EXPECT_EQ(record.scalers[0].unskipped, 0);
  EXPECT_FALSE(record.isSkipped());
  EXPECT_GT(*record.gradNorm, 0);
}

// A slow file system makes no slow step.
TEST(TrainingLoop, SecondsAreOfTheCallAlone) {
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::milliseconds kBatch(20), kStep(5);
  struct SlowBatches : FakeBatches {
    llvm::Expected<Batch> getBatch(int64_t step) override {
      std::this_thread::sleep_for(kBatch);
      return FakeBatches::getBatch(step);
    }
  } batches;
  FakeProgram program((FakeOptions()));
  program.beforeStep = [&] {
    std::this_thread::sleep_for(kStep);
    return llvm::Error::success();
  };
  auto loop =
      take(TrainingLoop::create(program, batches, makeState(program), {1, {}}));
  const Clock::time_point start = Clock::now();
  const double seconds = take(loop->runStep()).seconds;
  const std::chrono::duration<double> all = Clock::now() - start;
  EXPECT_GE(seconds, std::chrono::duration<double>(kStep).count());
  EXPECT_LE(seconds, (all - kBatch).count());
}

TEST(TrainingLoop, RecordsOfAStaticScaler) {
  FakeRun run(withScaler(getStaticScaler(128)), 2);
  (void)run.step();
  StepRecord record = run.step();
  EXPECT_EQ(record.scalers[0].name, "loss");
  EXPECT_EQ(record.scalers[0].scaleBefore, 128);
  EXPECT_EQ(record.scalers[0].unskipped, 2);
}

TEST(TrainingLoop, TheScaleGrows) {
  AmpRtScalerConfig config = getDynamicScaler();
  config.growthInterval = 2;
  FakeRun run(withScaler(config), 2);
  EXPECT_EQ(run.step().scalers[0].scaleAfter, 65536);
  StepRecord record = run.step();
  EXPECT_EQ(record.scalers[0].scaleBefore, 65536);
  EXPECT_EQ(record.scalers[0].scaleAfter, 131072);
  EXPECT_EQ(record.scalers[0].unskipped, 0);
  EXPECT_FALSE(record.isSkipped());
}

// Scaling by powers of two changes no f32 value.
TEST(TrainingLoop, GradNormIsUnscaled) {
  FakeRun plain(FakeOptions(), 1), scaled(withScaler(getStaticScaler(1024)), 1);
  EXPECT_EQ(*plain.step().gradNorm, *scaled.step().gradNorm);
}

TEST(TrainingLoop, MastersAreCarriedBesideTheirCopies) {
  FakeRun run(withScaler(getStaticScaler(128), /*hasMasters=*/true), 3);
  (void)run.step();
  const HostArray &master = run.loop->getState().at({"master", "fc1.weight"});
  EXPECT_EQ(run.get("param", "fc1.weight"),
            getValues(master.convertTo(AMP_RT_ELEMENT_F16)));
  EXPECT_NE(run.get("param", "fc1.weight"), getValues(master));
}

TEST(TrainingLoop, ProgramsWithoutTapsHaveNoGradNorm) {
  FakeOptions options;
  options.hasTaps = false;
  FakeRun run(options, 1);
  EXPECT_EQ(run.step().gradNorm, std::nullopt);
}

TEST(TrainingLoop, AFailedStepChangesNothing) {
  FakeRun run(FakeOptions(), 2);
  (void)run.step();
  const std::vector<double> before = run.get("param", "fc1.weight");
  run.program.beforeStep = [] {
    return llvm::createStringError("an assertion of the program failed");
  };
  EXPECT_EQ(getText(run.loop->runStep()),
            "step 1 on 'fake.npz' failed: an assertion of the program failed; "
            "are the integers of 'x1' in range?");
  EXPECT_EQ(run.get("param", "fc1.weight"), before);
  EXPECT_EQ(run.loop->getStep(), 1);
}

//===----------------------------------------------------------------------===//
// Skips and injections
//===----------------------------------------------------------------------===//

TEST(TrainingLoop, AnInjectedInfinitySkipsTheStep) {
  FakeRun run(withScaler(getDynamicScaler()), 3, {{1, "fc1.weight", 3, kInf}});
  (void)run.step();
  const std::vector<double> weight = run.get("param", "fc1.weight");
  const std::vector<double> momentum =
      run.get("opt_state", "fc1.weight.momentum");
  StepRecord record = run.step();
  EXPECT_TRUE(record.isSkipped());
  EXPECT_EQ(record.scalers[0].scaleBefore, 65536);
  EXPECT_EQ(record.scalers[0].scaleAfter, 32768);
  EXPECT_EQ(record.scalers[0].unskipped, 0);
  EXPECT_EQ(record.gradNorm, std::nullopt);
  EXPECT_EQ(run.get("param", "fc1.weight"), weight);
  EXPECT_EQ(run.get("opt_state", "fc1.weight.momentum"), momentum);
  // The forward pass has been there all the same.
  EXPECT_EQ(run.get("buffer", "calls"), std::vector<double>{2});
  record = run.step();
  EXPECT_FALSE(record.isSkipped());
  EXPECT_EQ(record.scalers[0].unskipped, 1);
}

// As in Apex: nothing looks, and the infinity reaches the weights.
TEST(TrainingLoop, AStaticScaleSkipsNothing) {
  FakeRun run(withScaler(getStaticScaler(128)), 2, {{0, "fc2.bias", 0, -kInf}});
  StepRecord record = run.step();
  EXPECT_FALSE(record.isSkipped());
  EXPECT_EQ(*record.gradNorm, kInf);
  EXPECT_EQ(run.get("param", "fc2.bias")[0], kInf);
  EXPECT_TRUE(std::isnan(run.step().losses[0].second));
}

// The value is rounded to the gradient's type: 1e5 is infinite in f16.
TEST(TrainingLoop, InjectedValuesAreRounded) {
  FakeRun half(withScaler(getDynamicScaler(), /*hasMasters=*/true), 1,
               {{0, "fc1.bias", 0, 1e5}});
  EXPECT_TRUE(half.step().isSkipped());
  FakeRun full(withScaler(getDynamicScaler()), 1, {{0, "fc1.bias", 0, 1e5}});
  EXPECT_FALSE(full.step().isSkipped());
}

TEST(TrainingLoop, SeveralValuesMayBeInjected) {
  FakeRun run(withScaler(getDynamicScaler()), 2,
              {{0, "fc1.bias", 0, kInf},
               {0, "fc2.bias", 1, 1},
               {1, "fc1.bias", 0, std::nan("")}});
  EXPECT_TRUE(run.step().isSkipped());
  EXPECT_TRUE(run.step().isSkipped());
}

TEST(Injection, IsParsedFromBothEnds) {
  Injection plain = take(parseInjection("5:fc1.weight:3:inf"));
  EXPECT_EQ(plain.step, 5);
  EXPECT_EQ(plain.name, "fc1.weight");
  EXPECT_EQ(plain.index, 3);
  EXPECT_EQ(plain.value, kInf);
  EXPECT_EQ(take(parseInjection("0:a:b:0:-inf")).name, "a:b");
  EXPECT_EQ(take(parseInjection("0:w:0:-1e-3")).value, -1e-3);
  EXPECT_TRUE(std::isnan(take(parseInjection("0:w:0:nan")).value));
}

TEST(Injection, JunkIsRefused) {
  for (const char *text :
       {"", "5", "5:w", "5:w:3", "x:w:3:inf", "-1:w:3:inf", "5::3:inf",
        "5:w:-3:inf", "5:w:x:inf", "5:w:3:much", "5:w:3:"})
    EXPECT_EQ(getText(parseInjection(text)),
              std::string("expected an injection STEP:NAME:INDEX:VALUE such as "
                          "5:fc1.weight:3:inf, but got '") +
                  text + "'");
}

TEST(Injection, MustNameAStepAGradientAndAnElement) {
  FakeProgram program(withScaler(getDynamicScaler(), /*hasMasters=*/true));
  EXPECT_EQ(getCreateError(program, {{10, "fc1.bias", 0, 1}}),
            "expected the step of injection 'fc1.bias' to be below 10, the "
            "number of steps, but got 10");
  EXPECT_EQ(getCreateError(program, {{0, "fc3.bias", 0, 1}}),
            "expected an injection to name a trained parameter ('fc1.weight', "
            "'fc1.bias', 'fc2.weight', 'fc2.bias'), but got 'fc3.bias'");
  EXPECT_EQ(getCreateError(program, {{0, "fc1.weight", 30, 1}}),
            "expected the index of injection 'fc1.weight' to be below 30, the "
            "size of the gradient, but got 30");
}

// Extents come from the module, and their product need not fit.
TEST(Injection, SizesThatDoNotFitAreCompared) {
  FakeProgram program(withScaler(getDynamicScaler(), /*hasMasters=*/true));
  FakeBatches batches;
  auto check = [&](llvm::SmallVector<int64_t, 4> shape, int64_t index) {
    FunctionSignature step = program.getTrainStep().getSignature();
    for (auto *specs : {&step.arguments, &step.results})
      for (ValueSpec &spec : *specs)
        if (spec.name == "fc1.weight")
          spec.shape = shape;
    return getText(
        checkTrainStep(step, batches, {10, {{0, "fc1.weight", index, 1}}}));
  };
  const int64_t large = int64_t(1) << 62;
  EXPECT_EQ(check({large, large, 0}, 0),
            "expected the index of injection 'fc1.weight' to be below 0, the "
            "size of the gradient, but got 0");
  EXPECT_EQ(check({large, large}, large), "(success)");
  EXPECT_EQ(check({-1, 0}, 0), "(success)");
}

// A dynamic shape shows only when the gradient does.
TEST(Injection, IndexIsCheckedAgainWhenTheGradientIsThere) {
  FakeBatches batches;
  FakeProgram program(withScaler(getDynamicScaler()));
  TrainingState state = makeState(program);
  for (auto *specs : {&program.getTrainArguments(), &program.getTrainResults()})
    for (ValueSpec &spec : *specs)
      if (spec.role == "param" && spec.name == "fc1.bias")
        spec.shape = {-1};
  auto loop = take(TrainingLoop::create(program, batches, std::move(state),
                                        {1, {{0, "fc1.bias", 5, 1}}}));
  // The fake program would refuse the dynamic spec; give it back its own.
  for (auto *specs : {&program.getTrainArguments(), &program.getTrainResults()})
    for (ValueSpec &spec : *specs)
      if (spec.shape == llvm::ArrayRef<int64_t>{-1})
        spec.shape = {5};
  EXPECT_EQ(getText(loop->runStep()),
            "expected the index of injection 'fc1.bias' to be below 5, the "
            "size of the gradient, but got 5");
}

// Known before the first step, not when the step of the injection comes.
TEST(Injection, NeedsAScale) {
  FakeProgram program((FakeOptions()));
  EXPECT_EQ(getCreateError(program, {{9, "fc1.bias", 0, kInf}}),
            "expected a program that unscales gradients to inject 'fc1.bias' "
            "into, but it has no loss scale; set e.g. 'loss-scale=dynamic'");
}

TEST(Injection, NeedsAGradientThatIsShown) {
  FakeOptions options = withScaler(getDynamicScaler());
  options.hasTaps = false;
  FakeRun run(options, 1, {{0, "fc1.bias", 0, kInf}});
  EXPECT_EQ(getText(run.loop->runStep()),
            "expected the program to unscale the gradient 'fc1.bias' in step "
            "0, where a value was to be injected, but it did not; injection "
            "needs a loss scale, set e.g. 'loss-scale=dynamic'");
}

//===----------------------------------------------------------------------===//
// Programs that cannot be fed
//===----------------------------------------------------------------------===//

TEST(TrainingLoop, TooManySteps) {
  FakeProgram program((FakeOptions()));
  FakeBatches batches(3);
  EXPECT_EQ(getText(TrainingLoop::create(program, batches, makeState(program),
                                         {4, {}})),
            "expected at most 3 steps, as many as 'fake.npz' has batches for, "
            "but got 4");
}

TEST(TrainingLoop, UnknownRoles) {
  FakeProgram program((FakeOptions()));
  program.getTrainArguments().push_back(makeSpec("label", "y", F32, {1}));
  EXPECT_EQ(getCreateError(program),
            "expected the arguments of 'train_step' to have a role that can be "
            "fed (param, master, buffer, opt_state, batch, loss_seed, "
            "accumulator, rng or hyper), but argument 'y' has 'label'");
}

TEST(TrainingLoop, MissingStartValue) {
  FakeProgram program((FakeOptions()));
  FakeBatches batches;
  TrainingState state = makeState(program);
  state.erase({"param", "fc1.bias"});
  EXPECT_EQ(getText(TrainingLoop::create(program, batches, std::move(state),
                                         {1, {}})),
            "expected a start value for param 'fc1.bias'");
}

TEST(TrainingLoop, LossIsAScalar) {
  FakeProgram program((FakeOptions()));
  program.getTrainResults()[0].shape = {1};
  EXPECT_EQ(getCreateError(program),
            "expected loss 'loss' of 'train_step' to be a scalar, but got "
            "1xf32");
}

TEST(TrainingLoop, TypesOfArgumentAndResultAgree) {
  FakeProgram program((FakeOptions()));
  program.getTrainResults()[2].elementKind = AMP_RT_ELEMENT_F16;
  EXPECT_EQ(getCreateError(program),
            "expected param 'fc1.bias' of 'train_step' to have the type 5xf32 "
            "as argument and as result, but the result is 5xf16");
}

//===----------------------------------------------------------------------===//
// Runs
//===----------------------------------------------------------------------===//

TEST(RunTraining, ObservesEachStepAndSumsUp) {
  FakeRun run(withScaler(getDynamicScaler()), 4, {{2, "fc1.bias", 0, kInf}});
  std::vector<int64_t> steps;
  double lastSeconds = -1;
  RunSummary summary = take(runTraining(
      *run.loop, [&](const StepRecord &record, const RunSummary &soFar) {
        steps.push_back(record.step);
        EXPECT_EQ(soFar.steps, record.step + 1);
        EXPECT_GE(soFar.totalSeconds, lastSeconds);
        EXPECT_GE(soFar.totalSeconds,
                  soFar.firstStepSeconds + soFar.otherSeconds);
        lastSeconds = soFar.totalSeconds;
        return llvm::Error::success();
      }));
  EXPECT_EQ(steps, (std::vector<int64_t>{0, 1, 2, 3}));
  EXPECT_EQ(summary.steps, 4);
  EXPECT_EQ(summary.skipped, 1);
  EXPECT_EQ(summary.memory.peakBytes, 3 << 20);
  EXPECT_EQ(summary.peakBytes, (3 << 20) + 1536 + 100);
}

TEST(RunTraining, StopsWhereTheObserverFails) {
  FakeRun run(FakeOptions(), 4);
  EXPECT_EQ(getText(runTraining(*run.loop,
                                [](const StepRecord &, const RunSummary &) {
                                  return llvm::createStringError("disk full");
                                })),
            "disk full");
  EXPECT_EQ(run.loop->getStep(), 1);
}

TEST(RunTraining, StopsAfterTheStepThatIsRunning) {
  FakeRun run(FakeOptions(), 4);
  std::atomic<bool> stop(false);
  int64_t observed = 0;
  RunSummary summary = take(runTraining(
      *run.loop,
      [&](const StepRecord &record, const RunSummary &) {
        ++observed;
        stop = record.step == 1;
        return llvm::Error::success();
      },
      &stop));
  EXPECT_TRUE(summary.isStopped);
  EXPECT_EQ(summary.steps, 2);
  EXPECT_EQ(observed, 2);
  EXPECT_EQ(run.get("buffer", "calls"), std::vector<double>{2});
}

// Asked to stop during the last step, a run has nothing to leave out.
TEST(RunTraining, AWholeRunIsNotStopped) {
  FakeRun run(FakeOptions(), 2);
  std::atomic<bool> stop(false);
  RunSummary summary = take(runTraining(
      *run.loop,
      [&](const StepRecord &record, const RunSummary &) {
        stop = record.step == 1;
        return llvm::Error::success();
      },
      &stop));
  EXPECT_FALSE(summary.isStopped);
  EXPECT_EQ(summary.steps, 2);
}

TEST(RunSummary, SpeedLeavesTheFirstStepOut) {
  RunSummary summary;
  EXPECT_EQ(summary.getRateText(), "? steps/s");
  summary.steps = 1;
  summary.firstStepSeconds = 0.5;
  EXPECT_EQ(summary.getRateText(), "2.00 steps/s");
  summary.steps = 11;
  summary.otherSeconds = 2;
  EXPECT_EQ(summary.getRateText(), "5.00 steps/s");
  summary.otherSeconds = 700;
  EXPECT_EQ(summary.getRateText(), "70.0 s/step");
}

TEST(RunSummary, IsPrinted) {
  FakeProgram program((FakeOptions()));
  RunSummary summary;
  summary.steps = 11;
  summary.skipped = 2;
  summary.firstStepSeconds = 0.25;
  summary.otherSeconds = 2;
  summary.peakBytes = 5 << 20;
  summary.memory = program.getMemoryReport();
  std::string text;
  llvm::raw_string_ostream os(text);
  printSummary(os, summary, program);
  EXPECT_EQ(text, "11 steps, 2 skipped, 5.00 steps/s (first step 250 ms)\n"
                  "memory: intermediate buffers 3.0 MiB, arguments 1.5 KiB, "
                  "results 100 B; peak 5.0 MiB\n");
}

// The verdict's words are the runtime's; that it is shown is ours.
TEST(RunSummary, UnhealthyScalersAreMentioned) {
  FakeRun run(withScaler(getStaticScaler(128)), 1, {{0, "fc1.bias", 0, kInf}});
  (void)run.step();
  std::string text;
  llvm::raw_string_ostream os(text);
  printSummary(os, RunSummary(), run.program);
  EXPECT_TRUE(llvm::StringRef(text).contains("\nwarning: ")) << text;
  EXPECT_TRUE(llvm::StringRef(text).contains("'loss'")) << text;
}
