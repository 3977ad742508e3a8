//===- amp-random-steps.cpp - Random training steps through everything ----===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Makes a training step from each number of a range, runs amp-mixed-precision
// on it and checks what has to hold of any step (PipelineChecks, RunChecks).
//
// Checks run in a child process, some hundred steps in each: one that crashes,
// or does not end, is named like any other failure and the next child goes on
// behind it. The last line says how many there were of what; the exit status is
// 1 where anything failed.
//
//===----------------------------------------------------------------------===//

#include "PipelineChecks.h"
#include "RunChecks.h"
#include "StepGenerator.h"

#include "amp/InitAllDialects.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/MemoryBuffer.h"

#include <chrono>
#include <cstring>
#include <sys/wait.h>
#include <unistd.h>

using namespace mlir;
using namespace mlir::amp;
namespace cl = llvm::cl;

static cl::opt<std::string> seeds("seeds", cl::desc("numbers of steps"),
                                  cl::value_desc("FIRST:COUNT"),
                                  cl::init("0:100"));
static cl::opt<unsigned>
    execute("execute", cl::value_desc("N"), cl::init(0),
            cl::desc("compile and run each Nth step as well; 0 for none"));
static cl::opt<std::string>
    device("device", cl::value_desc("NAME"),
           cl::desc("run what is executed on this device as well"));
static cl::opt<std::string>
    chip("chip", cl::desc("what kernels are made for (sm_90a and sm_80 in "
                          "turn)"));
static cl::opt<std::string>
    stepFile("file", cl::value_desc("PRINTED"),
             cl::desc("check the text of this step, as --print gave it, and "
                      "not one of --seeds: generators change"));
static cl::opt<bool> printOnly("print",
                               cl::desc("print the steps and check nothing"));
static cl::opt<unsigned>
    shown("show", cl::desc("failures to print of each property"), cl::init(10));
static cl::opt<unsigned> patience("patience",
                                  cl::desc("seconds that a step may take"),
                                  cl::init(120));

static cl::opt<unsigned> seconds("seconds", cl::init(0),
                                 cl::desc("begin nothing after so many; 0: no "
                                          "end but that of --seeds"));

/// Steps that one child checks.
constexpr uint64_t kStepsPerChild = 500;

static bool isLate() {
  static const auto start = std::chrono::steady_clock::now();
  return seconds != 0 && std::chrono::steady_clock::now() - start >=
                             std::chrono::seconds(seconds);
}

void Report::send(const Twine &line) {
  std::string text;
  for (char c : line.str())
    text += c == '\n' ? ' ' : c;
  text += '\n';
  for (size_t done = 0; done < text.size();) {
    ssize_t count = write(pipe, text.data() + done, text.size() - done);
    if (count <= 0)
      _exit(3); // nobody reads
    done += size_t(count);
  }
}

//===----------------------------------------------------------------------===//
// The child
//===----------------------------------------------------------------------===//

/// A step that was printed: its options stand in its second line.
static GeneratedStep readStep() {
  GeneratedStep step;
  auto buffer = llvm::MemoryBuffer::getFile(stepFile);
  if (!buffer) {
    llvm::errs() << "amp-random-steps: cannot read '" << stepFile << "'\n";
    exit(2);
  }
  step.text = (*buffer)->getBuffer().str();
  StringRef options = StringRef(step.text).split('{').second.split('}').first;
  SmallVector<StringRef> parts;
  options.split(parts, ' ');
  for (StringRef part : parts)
    if (auto [name, value] = part.split('='); name != "verbosity")
      step.options[name.str()] = value.str();
  return step;
}

static void checkSteps(uint64_t first, uint64_t end, Report &report) {
  DialectRegistry registry;
  mlir::registerAllDialects(registry);
  registerAllExtensions(registry);
  mlir::amp::registerAllDialects(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  context.printOpOnDiagnostic(false);
  for (uint64_t seed = first; seed != end && !isLate(); ++seed) {
    report.beginSeed(seed);
    report.beginPhase("generator");
    alarm(patience);
    GeneratedStep step = stepFile.empty() ? generateStep(seed) : readStep();
    report.count("steps");
    report.count("form " + step.form);
    report.beginPhase("parser");
    OwningOpRef<ModuleOp> module = parseStep(&context, step, report);
    if (!module)
      continue;
    Verdict verdict = checkPipeline(*module, step, report);
    if (!execute || seed % execute != 0)
      continue;
    DeviceTarget target;
    target.device = device;
    target.chip = chip.empty() ? seed / 7 % 4 == 3 ? "sm_80" : "sm_90a"
                               : std::string(chip);
    checkRuns(*module, step, seed, verdict == Verdict::Accepted,
              device.empty() ? nullptr : &target, report);
  }
  alarm(0);
  report.end();
}

//===----------------------------------------------------------------------===//
// The parent
//===----------------------------------------------------------------------===//

namespace {
/// What the children told.
struct Tally {
  std::map<std::string, uint64_t> counters, refusals, failures;
  uint64_t seed = 0;
  std::string phase;
  bool hasEnded = false;

  void fail(const std::string &property, const std::string &text);
  void take(StringRef line);
  void print() const;
};
} // namespace

void Tally::fail(const std::string &property, const std::string &text) {
  if (++failures[property] > shown)
    return;
  llvm::outs() << "seed " << seed << ": " << property << ": " << text
               << "\n  amp-random-steps --seeds=" << seed << ":1"
               << (execute ? " --execute=1" : "")
               << (device.empty() ? "" : " --device=" + device)
               << "   (--print shows the step)\n";
  llvm::outs().flush();
}

/// Without names and numbers, so that equal refusals are counted as such.
static std::string generalize(StringRef text) {
  std::string general;
  bool isQuoted = false;
  for (char c : text) {
    if (c == '\'') {
      isQuoted = !isQuoted;
      general += c;
    } else if (!isQuoted) {
      if (!llvm::isDigit(c))
        general += c;
      else if (general.empty() || general.back() != 'N')
        general += 'N';
    }
  }
  return general;
}

void Tally::take(StringRef line) {
  auto [kind, rest] = line.split('\t');
  if (kind == "S") {
    rest.getAsInteger(10, seed);
  } else if (kind == "P") {
    phase = rest.str();
  } else if (kind == "C") {
    ++counters[rest.str()];
  } else if (kind == "R") {
    ++refusals[generalize(rest)];
  } else if (kind == "F") {
    auto [property, text] = rest.split('\t');
    fail(property.str(), text.str());
  } else if (kind == "E") {
    hasEnded = true;
  }
}

void Tally::print() const {
  for (const auto &[name, count] : counters)
    llvm::outs() << count << " " << name << "\n";
  for (const auto &[text, count] : refusals)
    llvm::outs() << count << " refused: " << text << "\n";
  for (const auto &[property, count] : failures)
    llvm::outs() << count << " failed: " << property << "\n";
  uint64_t failed = 0;
  for (const auto &[property, count] : failures)
    failed += count;
  auto get = [&](const std::string &name) {
    auto it = counters.find(name);
    return it == counters.end() ? 0 : it->second;
  };
  llvm::outs() << get("steps") << " steps, " << get("executions")
               << " executions, " << failed << " failures\n";
}

/// Checks the steps from `first` on in a child; the first that is left.
static uint64_t runChild(uint64_t first, uint64_t end, Tally &tally) {
  int ends[2];
  if (pipe(ends) != 0) {
    llvm::errs() << "amp-random-steps: no pipe: " << strerror(errno) << "\n";
    exit(2);
  }
  llvm::outs().flush();
  pid_t child = fork();
  if (child < 0) {
    llvm::errs() << "amp-random-steps: no process: " << strerror(errno) << "\n";
    exit(2);
  }
  if (child == 0) {
    close(ends[0]);
    Report report(ends[1]);
    checkSteps(first, end, report);
    _exit(0);
  }
  close(ends[1]);
  tally.hasEnded = false;
  tally.seed = first;
  std::string left;
  char buffer[4096];
  while (ssize_t count = read(ends[0], buffer, sizeof(buffer))) {
    if (count < 0)
      break;
    left.append(buffer, size_t(count));
    size_t start = 0;
    for (size_t at; (at = left.find('\n', start)) != std::string::npos;
         start = at + 1)
      tally.take(StringRef(left).slice(start, at));
    left.erase(0, start);
  }
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  if (tally.hasEnded)
    return end;
  if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM)
    tally.fail("ends", "no end within " + std::to_string(patience) +
                           " s in: " + tally.phase);
  else if (WIFSIGNALED(status))
    tally.fail("crash", std::string(strsignal(WTERMSIG(status))) +
                            " in: " + tally.phase);
  else
    tally.fail("crash", "exit status " + std::to_string(WEXITSTATUS(status)) +
                            " in: " + tally.phase);
  return tally.seed + 1;
}

int main(int argc, char **argv) {
  cl::ParseCommandLineOptions(argc, argv, "random training steps\n");
  uint64_t first = 0, count = 0;
  auto [firstText, countText] = StringRef(seeds).split(':');
  if (firstText.getAsInteger(10, first) || countText.getAsInteger(10, count)) {
    llvm::errs() << "amp-random-steps: expected --seeds=FIRST:COUNT, but got '"
                 << seeds << "'\n";
    return 2;
  }
  if (printOnly) {
    for (uint64_t seed = first; seed != first + count; ++seed) {
      GeneratedStep step = generateStep(seed);
      llvm::outs() << "// seed " << seed << ", " << step.form
                   << (step.mistake.empty() ? "" : ", wrong by ")
                   << step.mistake
                   << "\n// amp-opt --pass-pipeline='builtin.module("
                   << step.getPipeline() << ")'\n"
                   << step.text;
    }
    return 0;
  }
  if (!device.empty()) {
    DeviceTarget target;
    target.device = device;
    target.chip = chip;
    if (llvm::Error error = completeTarget(target)) {
      llvm::errs() << "amp-random-steps: " << llvm::toString(std::move(error))
                   << "\n";
      return 2;
    }
  }
  (void)isLate(); // the clock starts before the first child
  Tally tally;
  for (uint64_t seed = first; seed != first + count && !isLate();)
    seed =
        runChild(seed, std::min(seed + kStepsPerChild, first + count), tally);
  tally.print();
  return tally.failures.empty() ? 0 : 1;
}
