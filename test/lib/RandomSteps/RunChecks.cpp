//===- RunChecks.cpp - What holds of a step's numbers ---------------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Start values and batches are dyadic fractions of few bits, drawn from the
// number of the step and the value's role and name, so that they are the same
// for each program and in f64.
//
// A gradient that underflows in half loses bits at one scale and keeps them at
// another. The evaluator says where that cannot be; elsewhere a difference
// proves nothing and the step is counted as open.
//
// An infinity comes into a backward pass in one of two ways: at a tap, where
// one gradient is overwritten and nothing else is touched, or in the batch,
// where every value of the pass sees it. Without taps the compiled code is what
// users run.
//
//===----------------------------------------------------------------------===//

#include "RunChecks.h"

#include "KnownRefusals.h"
#include "PipelineChecks.h"
#include "Random.h"
#include "StepEvaluator.h"

#include "amp-rt/Scaler.h"
#include "amp/Dialect/Amp/IR/AmpRoles.h"
#include "amp/Execution/DeviceProgram.h"

#include <cmath>
#include <cstring>

using namespace mlir;
using namespace mlir::amp;

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

/// Elements of the argument with this role and name at call `number`. A master
/// is its parameter.
static std::vector<double> makeData(uint64_t seed, StringRef role,
                                    StringRef name, size_t count,
                                    unsigned number, bool isInteger) {
  if (role == "master")
    role = "param";
  uint64_t hash = 0xcbf29ce484222325 ^ seed;
  for (char c : (role + "/" + name + "/" + Twine(number)).str())
    hash = (hash ^ uint8_t(c)) * 0x100000001b3;
  Random random(hash);
  std::vector<double> data;
  for (size_t i = 0; i < count; ++i) {
    double sign = random.chance(50) ? 1 : -1;
    double value = 0;
    if (role == "loss_seed")
      value = 1;
    else if (role == "hyper")
      value = 0.125;
    else if (isInteger)
      value = random.below(role == "batch" ? 2 : 4);
    else if (role == "batch")
      value = sign * double(random.between(1, 16)) / 16;
    else if (name.starts_with("gamma") && role == "param")
      value = double(random.between(48, 80)) / 64;
    else if (name.starts_with("var") || name.ends_with("exp_avg_sq"))
      value = double(random.between(16, 48)) / 32;
    else if (name.ends_with(".step"))
      value = random.below(4);
    else
      value = sign * double(random.between(1, 32)) / 64;
    data.push_back(value);
  }
  return data;
}

namespace {
/// Arrays by role and name.
using States = std::map<std::string, HostArray>;

/// A program and what it needs to be run.
struct Runner {
  std::unique_ptr<Program> program;
  uint64_t seed;
  Report &report;
  /// Micro-batches, all of the same rows: what they train on is one of them.
  size_t parts = 1;

  /// One call: from `states`, or start values for what they lack. Batches are
  /// those of call `number`; `change` may write into the arguments.
  std::optional<States>
  run(const States &states, unsigned number, std::string &error,
      llvm::function_ref<void(const ValueSpec &, HostArray &)> change =
          nullptr);
  HostArray makeArgument(const ValueSpec &spec, unsigned number) const;
  /// What `run` starts from.
  States getStart() const;
  /// The flag `name` of the batch of call 0.
  bool makeFlag(const std::string &name) const {
    return makeData(seed, "batch", name, 1, 0, true)[0] != 0;
  }
  bool setScale(double scale);
  /// Overflows that the scalers have counted.
  int64_t getOverflows() const;
  bool skips(bool skipsStatic) const;
};
} // namespace

static std::string getKey(const ValueSpec &spec) {
  return spec.role + "/" + spec.name;
}

HostArray Runner::makeArgument(const ValueSpec &spec, unsigned number) const {
  HostArray array(spec.elementKind, spec.shape);
  bool isData = spec.role == "batch";
  size_t count = size_t(array.getNumElements());
  if (isData && !spec.shape.empty())
    count /= parts;
  std::vector<double> data =
      makeData(seed, spec.role, spec.name, count, isData ? number : 0,
               !isFloatKind(spec.elementKind));
  for (int64_t i = 0; i < array.getNumElements(); ++i)
    array.setFromDouble(i, data[size_t(i) % count]);
  return array;
}

States Runner::getStart() const {
  States states;
  for (const ValueSpec &spec : program->getTrainStep().getArguments())
    if (spec.role != "batch" && spec.role != "loss_seed")
      states[getKey(spec)] = makeArgument(spec, 0);
  return states;
}

std::optional<States>
Runner::run(const States &states, unsigned number, std::string &error,
            llvm::function_ref<void(const ValueSpec &, HostArray &)> change) {
  CompiledFunction &step = program->getTrainStep();
  std::vector<HostArray> arrays;
  for (const ValueSpec &spec : step.getArguments()) {
    auto it = states.find(getKey(spec));
    arrays.push_back(it == states.end() ? makeArgument(spec, number)
                                        : it->second.clone());
    if (change)
      change(spec, arrays.back());
  }
  SmallVector<const HostArray *> arguments;
  for (const HostArray &array : arrays)
    arguments.push_back(&array);
  SmallVector<HostArray> results;
  report.count("executions");
  if (llvm::Error failure = step.call(arguments, results)) {
    error = llvm::toString(std::move(failure));
    return std::nullopt;
  }
  States after;
  for (auto [spec, array] : llvm::zip_equal(step.getResults(), results))
    after[getKey(spec)] = std::move(array);
  return after;
}

bool Runner::setScale(double scale) {
  bool isSet = false;
  for (const Program::ScalerSlot &slot : program->getScalers()) {
    AmpRtScalerConfig config;
    config.structSize = sizeof(config);
    if (ampRtScalerGetConfig(slot.scaler, &config) != AMP_RT_OK)
      continue;
    if (config.mode == AMP_RT_SCALER_STATIC)
      scale = config.initialScale;
    else
      isSet = true;
    ampRtScalerLoad(slot.scaler, scale, 0);
  }
  return isSet;
}

int64_t Runner::getOverflows() const {
  int64_t overflows = 0;
  for (const Program::ScalerSlot &slot : program->getScalers()) {
    AmpRtScalerState state;
    state.structSize = sizeof(state);
    if (ampRtScalerGetState(slot.scaler, &state) == AMP_RT_OK)
      overflows += state.overflows;
  }
  return overflows;
}

/// True if an overflow keeps states: all scalers are dynamic, or `skipsStatic`.
bool Runner::skips(bool skipsStatic) const {
  if (program->getScalers().empty())
    return false;
  return skipsStatic ||
         llvm::all_of(program->getScalers(), [](const auto &slot) {
           AmpRtScalerConfig config;
           config.structSize = sizeof(config);
           return ampRtScalerGetConfig(slot.scaler, &config) == AMP_RT_OK &&
                  config.mode == AMP_RT_SCALER_DYNAMIC;
         });
}

static bool isSame(const HostArray &a, const HostArray &b) {
  return a.getKind() == b.getKind() && a.getNumBytes() == b.getNumBytes() &&
         std::memcmp(a.data(), b.data(), size_t(a.getNumBytes())) == 0;
}

static std::string describe(const HostArray &array) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  stream << "[";
  for (int64_t i = 0, e = std::min<int64_t>(array.getNumElements(), 4); i != e;
       ++i)
    stream << (i ? ", " : "") << llvm::format("%.9g", array.getAsDouble(i));
  stream << (array.getNumElements() > 4 ? ", ...]" : "]");
  return text;
}

/// Integers and flags of a device's results are those of the host's. So is
/// which numbers are finite, and no number is of another order.
static void compareWholes(const States &host, const States &device,
                          const std::string &level, Report &report) {
  for (const auto &[key, array] : host) {
    auto it = device.find(key);
    if (it == device.end() ||
        it->second.getNumElements() != array.getNumElements()) {
      report.fail("device", level + ": '" + key + "' has other extents");
      continue;
    }
    const HostArray &other = it->second;
    double largest = 0;
    for (int64_t i = 0, e = array.getNumElements(); i != e; ++i)
      if (std::isfinite(array.getAsDouble(i)))
        largest = std::max(largest, std::abs(array.getAsDouble(i)));
    for (int64_t i = 0, e = array.getNumElements(); i != e; ++i) {
      double a = array.getAsDouble(i), b = other.getAsDouble(i);
      bool isSame = isFloatKind(array.getKind())
                        ? std::isfinite(a) == std::isfinite(b) &&
                              (!std::isfinite(a) ||
                               std::abs(a - b) <= largest / 16 + 0x1p-10)
                        : a == b;
      if (isSame)
        continue;
      std::string text;
      llvm::raw_string_ostream(text)
          << level << ": '" << key << "' element " << i << " is "
          << llvm::format("%.9g on the host and %.9g on a device", a, b);
      report.fail("device", text);
      break;
    }
  }
}

/// What differs, or an empty string.
static std::string compareBits(const States &a, const States &b) {
  for (const auto &[key, array] : a) {
    auto it = b.find(key);
    if (it == b.end())
      return "'" + key + "' is given by one of them only";
    if (!isSame(array, it->second))
      return "'" + key + "' is " + describe(array) + " and " +
             describe(it->second);
  }
  return a.size() == b.size() ? "" : "numbers of results differ";
}

//===----------------------------------------------------------------------===//
// Compilation
//===----------------------------------------------------------------------===//

static std::optional<Runner>
compile(ModuleOp module, uint64_t seed,
        const std::map<std::string, std::string> &optionsByName,
        bool insertTaps, Report &report, unsigned threads = 1,
        const DeviceTarget *target = nullptr) {
  GeneratedStep changed;
  changed.options = optionsByName;
  const std::string name =
      (target ? target->chip + ", " : std::string()) + changed.getPipeline();
  report.beginPhase("compiler, " + name);
  ErrorCollector errors(module.getContext());
  MixedPrecisionOptions precision;
  setOptions(changed, precision);
  HostLoweringOptions lowering;
  lowering.blas = BlasUse::Off;
  lowering.vectorBits = 128;
  lowering.threads = threads;
  lowering.partWork = 1; // divides whatever can be divided
  JitOptions options;
  options.insertTaps = insertTaps;
  options.optimizationLevel = 0;
  OwningOpRef<ModuleOp> clone = module.clone();
  llvm::Expected<std::unique_ptr<Program>> program =
      target ? compileForDevice(*clone, precision, *target, options)
             : compileForHost(*clone, precision, lowering, options);
  if (!program && isKnownRefusal(errors.getText(), changed.getPipeline())) {
    llvm::consumeError(program.takeError());
    return std::nullopt;
  }
  if (!program) {
    report.fail("compile", name + ": " + llvm::toString(program.takeError()) +
                               ": " + errors.getText());
    return std::nullopt;
  }
  report.count(target ? "programs compiled for a device" : "programs compiled");
  report.beginPhase("program, " + name);
  Runner runner{std::move(*program), seed, report};
  if (std::string parts = changed.getOption("micro-batches"); !parts.empty())
    runner.parts = size_t(std::stoul(parts));
  return runner;
}

//===----------------------------------------------------------------------===//
// Bounds
//===----------------------------------------------------------------------===//

namespace {
/// What f64 gives for a step's first call.
struct Expected {
  std::map<std::string, NumberTensor> results;
  bool mayUnderflow = false;
};
} // namespace

static std::optional<Expected> evaluate(ModuleOp module, uint64_t seed,
                                        EvaluatorOptions options,
                                        Report &report) {
  report.beginPhase("evaluator");
  func::FuncOp step;
  for (auto function : module.getOps<func::FuncOp>())
    if (getFunctionKind(function) == FunctionKind::TrainStep)
      step = function;
  std::vector<NumberTensor> arguments;
  for (unsigned i = 0; i < step.getNumArguments(); ++i) {
    auto type = cast<RankedTensorType>(step.getArgumentTypes()[i]);
    RoleInfo info = getArgRole(step, i);
    NumberTensor tensor;
    tensor.shape.assign(type.getShape().begin(), type.getShape().end());
    for (double value : makeData(seed, stringifyRole(*info.role), info.name,
                                 size_t(type.getNumElements()), 0,
                                 !isa<FloatType>(type.getElementType())))
      tensor.elements.push_back({value, 0, false});
    arguments.push_back(std::move(tensor));
  }
  StepEvaluator evaluator(module, options);
  FailureOr<std::vector<NumberTensor>> results =
      evaluator.call(step, arguments);
  if (failed(results)) {
    report.fail("evaluator", "does not know " + evaluator.getUnknown());
    return std::nullopt;
  }
  Expected expected;
  for (auto [i, tensor] : llvm::enumerate(*results)) {
    RoleInfo info = getResultRole(step, unsigned(i));
    expected.results[(stringifyRole(*info.role) + "/" + info.name).str()] =
        tensor;
  }
  expected.mayUnderflow = evaluator.mayUnderflow();
  return expected;
}

/// Compares parameters and states with f64. The bounds are sharp if each
/// parameter moves somewhere by more than its bound, or may not move visibly. A
/// half parameter is its master, rounded.
static void checkBounds(const States &after, const States &before,
                        const Expected &expected, StringRef level, size_t parts,
                        Report &report) {
  bool isSharp = true;
  for (const auto &[key, array] : after) {
    auto [role, name] = StringRef(key).split('/');
    if (!llvm::is_contained({"param", "master", "opt_state", "buffer", "loss"},
                            role))
      continue;
    if (role == "buffer" && parts > 1)
      continue; // moved by each part
    if (role == "param" && after.count("master/" + name.str())) {
      // The half copy.
      const HostArray &master = after.at("master/" + name.str());
      if (!isSame(array, master.convertTo(array.getKind())))
        report.fail("masters", level + ": '" + key + "' is " + describe(array) +
                                   ", and its master " + describe(master));
      continue;
    }
    std::string wanted = role == "master" ? "param/" + name.str() : key;
    auto it = expected.results.find(wanted);
    if (it == expected.results.end()) {
      report.fail("bounds", level + ": '" + key + "' is given by no input");
      continue;
    }
    auto start = before.find(key);
    bool isMoved =
        start == before.end() || (role != "param" && role != "master");
    for (auto [i, number] : llvm::enumerate(it->second.elements)) {
      double got = array.getAsDouble(int64_t(i));
      double bound = 1.25 * number.error + 1e-30;
      if (!std::isfinite(number.value) || !std::isfinite(bound))
        continue;
      if (!(std::abs(got - number.value) <= bound)) {
        std::string text;
        llvm::raw_string_ostream(text)
            << level << ": '" << key << "' element " << i << " is "
            << llvm::format("%.9g, f64 gives %.9g within %.3g", got,
                            number.value, bound);
        report.fail("bounds", text);
        return;
      }
      if (!isMoved && bound < std::ldexp(std::abs(number.value), -9))
        isMoved = true;
      if (!isMoved && bound < std::abs(number.value -
                                       start->second.getAsDouble(int64_t(i))))
        isMoved = true;
    }
    isSharp &= isMoved;
  }
  report.count((isSharp ? "sharp bounds at " : "wide bounds at ") + level);
}

//===----------------------------------------------------------------------===//
// The guard
//===----------------------------------------------------------------------===//

/// Compares a run whose passes in `mask` overflowed with one without.
static void checkKept(const States &before, const States &clean,
                      const States &after, uint64_t mask, bool isAtTap,
                      const GeneratedStep &step, StringRef how,
                      llvm::function_ref<bool(const std::string &)> makeFlag,
                      Report &report) {
  auto check = [&](const std::string &key, bool isKept, bool isChanged) {
    auto it = after.find(key);
    if (it == after.end())
      return;
    const HostArray &now = it->second;
    if (isKept) {
      const HostArray &old = before.at(key);
      if (!isSame(now, old))
        report.fail("guard", how + ": '" + key + "' was " + describe(old) +
                                 ", has to be kept, and is " + describe(now));
    } else if (!isChanged) {
      const HostArray &wanted = clean.at(key);
      if (!isSame(now, wanted))
        report.fail("guard", how + ": '" + key + "' is " + describe(now) +
                                 " and not " + describe(wanted) +
                                 " as without the overflow");
    }
  };
  // A window that its step has ended begins with zeros, whatever overflowed;
  // with keep-finite-sums nothing that is not finite comes in.
  bool keepsFinite = step.getOption("keep-finite-sums") == "true";
  for (const StateRule &rule : step.states) {
    auto it = after.find("accumulator/" + rule.name);
    if (rule.role != "accumulator" || it == after.end() ||
        step.form == "twice" || !(rule.keptBy & mask))
      continue;
    bool isEnd = makeFlag(rule.flag);
    for (int64_t i = 0, e = it->second.getNumElements(); i != e; ++i) {
      double value = it->second.getAsDouble(i);
      if (keepsFinite ? std::isfinite(value) : !isEnd || value == 0)
        continue;
      report.fail("windows", how + ": 'accumulator/" + rule.name + "' is " +
                                 describe(it->second));
      break;
    }
  }
  // A state may be updated more than once.
  struct Outcome {
    bool isKept = false, isKeptAlways = true, isAlone = false,
         isChanged = false, isOpen = false;
  };
  std::map<std::string, Outcome> outcomes;
  for (const StateRule &rule : step.states) {
    if (rule.role == "accumulator")
      continue;
    if (rule.role == "buffer" && !isAtTap)
      continue; // what the forward pass makes of an infinite batch
    Outcome &outcome = outcomes[rule.role + "/" + rule.name];
    bool isKept = (rule.keptBy & mask) != 0;
    outcome.isKept |= isKept;
    outcome.isKeptAlways &= isKept;
    outcome.isAlone |= rule.isAlone;
    outcome.isChanged |= (rule.changedBy & mask) != 0;
    // What goes on with what was finite is not known here.
    outcome.isOpen |=
        rule.isOfWindow && step.getOption("keep-finite-sums") == "true";
  }
  for (const auto &[key, outcome] : outcomes) {
    if (outcome.isOpen)
      continue;
    bool isKept = outcome.isAlone ? outcome.isKeptAlways : outcome.isKept;
    check(key, isKept, outcome.isChanged);
    if (StringRef(key).starts_with("param/"))
      check("master" + key.substr(5), isKept, outcome.isChanged);
  }
}

static void checkGuard(Runner &runner, const States &start, const States &clean,
                       double scale, const GeneratedStep &step, bool hasTaps,
                       Report &report) {
  auto runs = [&](const PassRule &pass) {
    return pass.flag.empty() || runner.makeFlag(pass.flag) == pass.runsIf;
  };
  for (size_t pass = 0; pass < step.passes.size(); ++pass) {
    if (!runs(step.passes[pass]))
      continue;
    runner.setScale(scale);
    int64_t before = runner.getOverflows();
    std::string error, how;
    std::optional<States> after;
    uint64_t mask = uint64_t(1) << pass;
    if (hasTaps) {
      // Gradients of a name come in the order of the passes that have it.
      const std::string &name =
          step.passes[pass]
              .gradients[pass % step.passes[pass].gradients.size()];
      std::vector<size_t> order;
      for (size_t i = 0; i < step.passes.size(); ++i)
        if (llvm::is_contained(step.passes[i].gradients, name) &&
            runs(step.passes[i]))
          order.push_back(i);
      size_t seen = 0;
      runner.program->setTap([&](const Tap &tap) {
        if (tap.point != "scaled_grad" || tap.name != name)
          return;
        if (order[seen++ % order.size()] == pass && tap.numElements > 0)
          storeElement(tap.elementKind, tap.data, tap.numElements - 1,
                       std::numeric_limits<double>::infinity());
      });
      how = "inf in gradient '" + name + "' of pass " + std::to_string(pass);
      after = runner.run(start, 0, error);
      runner.program->setTap(nullptr);
    } else {
      const std::string &batch = step.passes[pass].batches[0];
      for (size_t i = 0; i < step.passes.size(); ++i)
        if (llvm::is_contained(step.passes[i].batches, batch))
          mask |= uint64_t(1) << i;
      how = "inf in batch '" + batch + "'";
      after = runner.run(
          start, 0, error, [&](const ValueSpec &spec, HostArray &array) {
            if (spec.role == "batch" && spec.name == batch)
              array.setFromDouble(0, std::numeric_limits<double>::infinity());
          });
    }
    if (!after) {
      report.fail("run", how + ": " + error);
      return;
    }
    if (runner.getOverflows() == before)
      report.fail("guard", how + ": no scaler has seen the overflow");
    checkKept(
        start, clean, *after, mask, hasTaps, step, how,
        [&](const std::string &flag) { return runner.makeFlag(flag); }, report);
    report.count("overflows injected");
  }
}

//===----------------------------------------------------------------------===//
// All of it
//===----------------------------------------------------------------------===//

/// True if a program that is accepted computes what was written.
static bool isMeant(const GeneratedStep &step) {
  return step.mistake.empty() || step.findsGradients;
}

static void checkO0(ModuleOp module, const GeneratedStep &step, uint64_t seed,
                    const DeviceTarget *target, Report &report) {
  // Overrides of the step's own level may change types at O0 too.
  std::map<std::string, std::string> options;
  if (std::string parts = step.getOption("micro-batches"); !parts.empty())
    options["micro-batches"] = parts;
  options["enabled"] = "False";
  std::optional<Runner> plain = compile(module, seed, options, false, report);
  options.erase("enabled");
  options["opt-level"] = "O0";
  options["verify-scaling"] = "off";
  std::optional<Runner> level =
      compile(module, seed, options, false, report, /*threads=*/3);
  std::optional<Runner> device =
      target ? compile(module, seed, options, false, report, 1, target)
             : std::nullopt;
  if (!plain || !level || (target && !device))
    return;
  States before = plain->getStart(), start;
  std::string error;
  for (unsigned call = 0; call < 2; ++call) {
    std::optional<States> a = plain->run(before, call, error);
    std::optional<States> b = level->run(before, call, error);
    if (!a || !b) {
      report.fail("run", error);
      return;
    }
    if (std::string text = compareBits(*a, *b); !text.empty()) {
      report.fail("o0-bits", text);
      return;
    }
    std::optional<States> c;
    if (device) {
      report.beginPhase("O0 on a device");
      if (!(c = device->run(before, call, error))) {
        report.fail("device-run", "O0: " + error);
        return;
      }
      compareWholes(*a, *c, "O0", report);
    }
    if (call == 0 && isMeant(step))
      if (std::optional<Expected> expected =
              evaluate(module, seed, getEvaluatorOptions("O0"), report)) {
        checkBounds(*a, before, *expected, "O0", plain->parts, report);
        if (c)
          checkBounds(*c, before, *expected, "device O0", plain->parts, report);
      }
    for (auto &[key, array] : *a)
      if (before.count(key))
        before[key] = std::move(array);
  }
  report.count("O0 the same bits");
}

/// With a target: of the step on it.
static void checkLevel(ModuleOp module, const GeneratedStep &step,
                       uint64_t seed, const DeviceTarget *target,
                       Report &report) {
  const std::string optLevel = step.getOption("opt-level");
  const std::string level = (target ? "device " : "") + optLevel;
  bool hasTaps = seed % 2 == 0;
  std::optional<Runner> runner =
      compile(module, seed, step.options, hasTaps, report, 1, target);
  if (!runner)
    return;
  const States start = runner->getStart();
  std::string error;
  // The largest of these scales at which nothing overflows.
  double scale = 1024;
  std::optional<States> clean;
  bool isScaled = false;
  for (; scale >= 1; scale /= 8) {
    isScaled = runner->setScale(scale);
    int64_t overflows = runner->getOverflows();
    clean = runner->run(start, 0, error);
    if (!clean) {
      report.fail("run", error);
      return;
    }
    if (runner->getOverflows() == overflows)
      break;
    clean.reset();
  }
  if (!clean) {
    report.count("overflow at each scale at " + level);
    return;
  }
  EvaluatorOptions options = getEvaluatorOptions(optLevel);
  const double other = scale / double(2u << (seed / 2 % 4));
  options.scale = std::min(scale, other);
  std::optional<Expected> expected;
  // At O3 the update rounds as well, and master-weights=False is like it.
  bool isComparable =
      optLevel != "O3" && step.getOption("master-weights").empty();
  if (isComparable)
    expected = evaluate(module, seed, options, report);
  if (expected)
    checkBounds(*clean, start, *expected, level, runner->parts, report);

  if (isScaled) {
    report.beginPhase("another scale at " + level);
    runner->setScale(other);
    std::optional<States> scaled = runner->run(start, 0, error);
    if (!scaled) {
      report.fail("run", error);
      return;
    }
    std::string difference = compareBits(*clean, *scaled);
    if (difference.empty())
      report.count("same bits at another scale at " + level);
    else if (!expected || expected->mayUnderflow)
      report.count("may underflow at " + level);
    else
      report.fail("scale-bits", level + ", scales " + std::to_string(scale) +
                                    " and " + std::to_string(other) + ": " +
                                    difference);
  }
  if (runner->skips(step.getOption("skip-on-overflow") == "true")) {
    report.beginPhase("overflow at " + level);
    checkGuard(*runner, start, *clean, scale, step, hasTaps, report);
  }
}

void mlir::amp::checkRuns(ModuleOp module, const GeneratedStep &step,
                          uint64_t seed, bool isAccepted,
                          const DeviceTarget *target, Report &report) {
  // What is wrong in its own scaling is refused at O0 as well.
  if (step.mistake.empty() || !StringRef(step.text).contains("amp.scaler"))
    checkO0(module, step, seed, target, report);
  if (!isAccepted || !isMeant(step) || step.getOption("opt-level") == "O0")
    return;
  checkLevel(module, step, seed, nullptr, report);
  if (target)
    checkLevel(module, step, seed, target, report);
}
