//===- StopSignals.cpp - Signals that end a run in good order -------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The handlers touch nothing but lock-free atomics, sigaction, signal, write
// and _exit, all safe where a signal may come, and LLVM's own removal of files
// and ours of folders, which are made for it. What they put back are LLVM's
// handlers, which remove temporary files before the default action.
//
//===----------------------------------------------------------------------===//

#include "StopSignals.h"

#include "amp/Execution/TemporaryFolder.h"
#include "llvm/Support/Signals.h"

#include <cstddef>
#include <cstring>
#include <iterator>
#include <unistd.h>

using namespace mlir::amp;

namespace {

/// A signal that asks a run to stop.
struct StopSignal {
  int number;
  const char *name;
};

/// From the keyboard, from a batch system, with the terminal, and at the limit
/// of processor time.
constexpr StopSignal kStopSignals[] = {{SIGINT, "SIGINT"},
                                       {SIGTERM, "SIGTERM"},
                                       {SIGHUP, "SIGHUP"},
                                       {SIGXCPU, "SIGXCPU"}};

} // namespace

//===----------------------------------------------------------------------===//
// Signals that are ignored
//===----------------------------------------------------------------------===//

IgnoredSignals::IgnoredSignals() {
  sigemptyset(&ignored);
  for (const StopSignal &signal : kStopSignals) {
    struct sigaction action;
    if (sigaction(signal.number, nullptr, &action) == 0 &&
        action.sa_handler == SIG_IGN)
      sigaddset(&ignored, signal.number);
  }
}

void IgnoredSignals::restore() const {
  for (const StopSignal &signal : kStopSignals)
    if (sigismember(&ignored, signal.number))
      std::signal(signal.number, SIG_IGN);
}

FailingWrites::FailingWrites(bool outlivesReaders) {
  struct sigaction ignore = {};
  sigemptyset(&ignore.sa_mask);
  ignore.sa_handler = SIG_IGN;
  sigaction(SIGXFSZ, &ignore, &fileSize);
  sigaction(SIGPIPE, outlivesReaders ? &ignore : nullptr, &pipe);
}

FailingWrites::~FailingWrites() {
  sigaction(SIGXFSZ, &fileSize, nullptr);
  sigaction(SIGPIPE, &pipe, nullptr);
}

//===----------------------------------------------------------------------===//
// Signals that stop a run
//===----------------------------------------------------------------------===//

// Signal handlers have no argument to carry state.
static struct sigaction previousStops[std::size(kStopSignals)];
static std::atomic<bool> request;
static std::atomic<int> received;
static_assert(std::atomic<bool>::is_always_lock_free &&
                  std::atomic<int>::is_always_lock_free,
              "a signal handler must not wait for a lock");

static void restoreStops() {
  for (size_t i = 0; i < std::size(kStopSignals); ++i) {
    // The system sends this one again for each second of processor time until
    // the hard limit: the second is nobody's wish.
    if (kStopSignals[i].number == SIGXCPU && received != 0)
      std::signal(SIGXCPU, SIG_IGN);
    else
      sigaction(kStopSignals[i].number, &previousStops[i], nullptr);
  }
}

/// All that restoreStops puts back is there before the first handler is.
static void installStops(void (*handler)(int), int flags) {
  for (size_t i = 0; i < std::size(kStopSignals); ++i)
    sigaction(kStopSignals[i].number, nullptr, &previousStops[i]);
  struct sigaction action = {};
  sigemptyset(&action.sa_mask);
  action.sa_flags = flags;
  action.sa_handler = handler;
  for (size_t i = 0; i < std::size(kStopSignals); ++i)
    if (previousStops[i].sa_handler != SIG_IGN)
      sigaction(kStopSignals[i].number, &action, nullptr);
}

static void say(const char *text) {
  const ssize_t written = write(STDERR_FILENO, text, std::strlen(text));
  (void)written; // there is nobody left to tell
}

static void onEarlySignal(int signal) {
  llvm::sys::RunInterruptHandlers();
  removeTemporaryFolders();
  say("amp-run: stopped by ");
  for (const StopSignal &known : kStopSignals)
    if (known.number == signal)
      say(known.name);
  say(" before the first step; nothing was written\n");
  _exit(128 + signal); // as a shell has it
}

StopBeforeSteps::StopBeforeSteps() { installStops(onEarlySignal, 0); }

StopBeforeSteps::~StopBeforeSteps() { restoreStops(); }

HeldSignals::HeldSignals() {
  sigset_t held;
  sigemptyset(&held);
  for (const StopSignal &signal : kStopSignals)
    sigaddset(&held, signal.number);
  sigprocmask(SIG_BLOCK, &held, &before);
}

HeldSignals::~HeldSignals() { sigprocmask(SIG_SETMASK, &before, nullptr); }

static void onStopSignal(int signal) {
  received = signal;
  request = true;
  restoreStops();
}

StopSignals::StopSignals() {
  request = false;
  received = 0;
  installStops(onStopSignal, SA_RESTART); // reads and writes of a step go on
}

StopSignals::~StopSignals() { restoreStops(); }

std::atomic<bool> &StopSignals::getRequest() { return request; }

int StopSignals::getSignal() const { return received; }

std::string StopSignals::getName(int signal) {
  for (const StopSignal &known : kStopSignals)
    if (known.number == signal)
      return known.name;
  return "signal " + std::to_string(signal);
}
