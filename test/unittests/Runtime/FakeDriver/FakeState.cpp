//===-- FakeState.cpp - What the fake driver remembers, and its control
//---------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FakeState.h"

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>
#include <sys/mman.h>

using namespace fakecuda;

void State::restoreSettings() {
  settings = {{"driverVersion", 13000},
              {"devices", 1},
              {"pools", 1},
              {"computeMajor", 9},
              {"computeMinor", 0},
              {"sharedBytes", 232448},
              {"parameterInfo", 1},
              {"processors", 132},
              {"clusterProcessors", 132},
              {"lateCopies", 0},
              {"unwritten", 0xcdcdcdcd}};
}

static constexpr size_t kPage = 4096;
/// Within its first page: a multiple of 256 as the driver's memory, and of no
/// more.
static constexpr size_t kFirst = 256;

static size_t pagesOf(size_t bytes) {
  return (kFirst + bytes + kPage - 1) / kPage * kPage;
}

void *AddressRange::take(size_t bytes) {
  constexpr size_t reserved = size_t(1) << 38;
  if (!start) {
    void *range = mmap(nullptr, reserved, PROT_NONE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (range == MAP_FAILED)
      return nullptr;
    start = next = reinterpret_cast<uintptr_t>(range);
    end = start + reserved;
  }
  size_t pages = pagesOf(bytes);
  if (pages + kPage > end - next)
    return nullptr;
  auto *memory = reinterpret_cast<char *>(next);
  if (mprotect(memory, pages, PROT_READ | PROT_WRITE))
    return nullptr;
  next += pages + kPage;
  return memory + kFirst;
}

void AddressRange::giveBack(void *memory, size_t bytes) {
  char *first = static_cast<char *>(memory) - kFirst;
  madvise(first, pagesOf(bytes), MADV_DONTNEED);
  mprotect(first, pagesOf(bytes), PROT_NONE);
}

void State::copy(uint64_t target, uint64_t source, size_t bytes) {
  copies.push_back([=] {
    std::memcpy(reinterpret_cast<void *>(target),
                reinterpret_cast<const void *>(source), bytes);
  });
  if (!setting("lateCopies"))
    flush();
}

bool State::isCapturing() const {
  for (auto &[stream, thread] : capturers)
    if (thread == std::this_thread::get_id())
      return true;
  return false;
}

void State::perform(void *stream, std::function<void()> work) {
  auto capture = captures.find(stream);
  if (capture != captures.end()) {
    capture->second.push_back(std::move(work));
    return;
  }
  if (isCapturing())
    complain("expected work of the stream that is captured");
  work();
}

void State::flush() {
  for (const std::function<void()> &copy : copies)
    copy();
  copies.clear();
}

bool State::isLive(uint64_t address, uint64_t bytes) const {
  auto next = allocations.upper_bound(address);
  if (next == allocations.begin())
    return false;
  auto &[start, allocation] = *std::prev(next);
  return address - start <= allocation.bytes &&
         bytes <= allocation.bytes - (address - start);
}

/// "name=value,name=value"; a value may be "result@nth".
static void readFailures(State &state, const char *text) {
  std::stringstream stream(text);
  for (std::string entry; std::getline(stream, entry, ',');) {
    size_t equals = entry.find('='), at = entry.find('@');
    int nth = at == std::string::npos ? 1 : std::atoi(&entry[at + 1]);
    if (equals != std::string::npos)
      state.failures[entry.substr(0, equals)][nth] =
          std::atoi(&entry[equals + 1]);
  }
}

static void writeLog() {
  const char *path = std::getenv("FAKE_CUDA_LOG");
  if (!path)
    return;
  std::ofstream log(path);
  for (auto &[function, count] : state().counts)
    log << function << " " << count << "\n";
  for (const Launch &launch : state().launches)
    log << "launch " << launch.kernel << " grid " << launch.grid[0] << "x"
        << launch.grid[1] << "x" << launch.grid[2] << " shared "
        << launch.sharedBytes << " arguments "
        << (launch.knowsArguments ? std::to_string(launch.arguments.size())
                                  : "unknown")
        << "\n";
  log << "violations:\n" << state().violations << "leaks: " << leaks() << "\n";
}

State &fakecuda::state() {
  // Never destroyed: the process may use the driver while it exits.
  static State *state = [] {
    auto *result = new State;
    result->restoreSettings();
    if (const char *text = std::getenv("FAKE_CUDA_FAIL"))
      readFailures(*result, text);
    if (const char *text = std::getenv("FAKE_CUDA_SET")) {
      std::stringstream stream(text);
      for (std::string entry; std::getline(stream, entry, ',');)
        if (size_t equals = entry.find('='); equals != std::string::npos)
          result->settings[entry.substr(0, equals)] =
              std::atoll(&entry[equals + 1]);
    }
    std::atexit(writeLog);
    return result;
  }();
  return *state;
}

std::vector<void *> &fakecuda::contexts() {
  static thread_local std::vector<void *> stack;
  return stack;
}

/// What a thread must not call while it captures: it is refused by the driver,
/// or happens beside the graph, whose replays go without it.
static bool isForbiddenInCapture(const std::string &function) {
  static const std::set<std::string> functions = {
      "cuMemAlloc",          "cuMemFree",          "cuMemAllocFromPoolAsync",
      "cuMemFreeAsync",      "cuModuleLoadDataEx", "cuModuleUnload",
      "cuStreamSynchronize", "cuEventSynchronize"};
  return functions.count(function);
}

Result fakecuda::begin(const char *function) {
  State &s = state();
  ++s.counts[function];
  if (s.isCapturing() && isForbiddenInCapture(function)) {
    s.complain(std::string(function) +
               ": expected no such call while a stream is captured");
    return 900; // stream capture unsupported
  }
  auto failures = s.failures.find(function);
  if (failures == s.failures.end())
    return 0;
  // The keys count from the call that is next when they were set.
  std::map<int, Result> rest;
  Result result = 0;
  for (auto [nth, failure] : failures->second)
    if (nth == 1)
      result = failure;
    else
      rest[nth - 1] = failure;
  failures->second = rest;
  return result;
}

Result fakecuda::require(bool isRight, const char *function,
                         const std::string &rule) {
  if (isRight)
    return 0;
  state().complain(std::string(function) + ": " + rule);
  return amp::rt::cuda::kErrorInvalidValue;
}

//===----------------------------------------------------------------------===//
// Control
//===----------------------------------------------------------------------===//

#define LOCK std::lock_guard<std::recursive_mutex> lock(state().mutex)

void fakecuda::reset() {
  LOCK;
  State &s = state();
  s.restoreSettings();
  s.failures.clear();
  s.bodies.clear();
  s.counts.clear();
  s.violations.clear();
  s.launches.clear();
}

void fakecuda::failCall(const char *function, int result, int nth) {
  LOCK;
  state().failures[function][nth] = result;
}

void fakecuda::set(const char *setting, int64_t value) {
  LOCK;
  state().settings.at(setting) = value;
}

int fakecuda::calls(const char *function) {
  LOCK;
  auto found = state().counts.find(function);
  return found == state().counts.end() ? 0 : found->second;
}

std::vector<std::string> fakecuda::calledFunctions() {
  LOCK;
  std::vector<std::string> result;
  for (auto &[function, count] : state().counts)
    result.push_back(function);
  return result;
}

std::string fakecuda::violations() {
  LOCK;
  return state().violations;
}

std::string fakecuda::leaks() {
  LOCK;
  State &s = state();
  const std::pair<size_t, const char *> live[] = {
      {s.allocations.size(), "allocations"},
      {s.modules.size(), "modules"},
      {s.events.size(), "events"},
      {s.streams.size(), "streams"},
      {s.graphs.size() + s.executables.size(), "graphs"},
      {s.pools.size(), "pools"},
      {static_cast<size_t>(s.contextReferences), "contexts"},
      {contexts().size(), "pushed contexts"}};
  std::string result;
  for (auto [count, what] : live)
    if (count)
      result +=
          (result.empty() ? "" : ", ") + std::to_string(count) + " " + what;
  return result;
}

std::vector<Launch> fakecuda::launches() {
  LOCK;
  return state().launches;
}

void fakecuda::define(const char *kernel,
                      std::function<void(const Launch &)> body) {
  LOCK;
  state().bodies[kernel] = std::move(body);
}
