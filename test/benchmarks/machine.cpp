//===- machine.cpp - How does this machine scale to two processes? --------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Question: how much more do two processes, each pinned to a CPU of its own, do
// than one: of f32 and bf16 arithmetic in registers, in AMX's tiles where the
// CPU has any, and of a triad in memory? No program with two threads can be
// expected to do better: two CPUs may be one core, and cores share memory.
//
//   machine-bench [--quick]
//
// One line each: what one process does, what two do together, and the ratio.
// Times are of the processor and medians, so that other processes on the same
// CPU count for little; what they take of caches and memory shows.
//
//===----------------------------------------------------------------------===//

#include "amp/Conversion/HostMachine.h"
#include "amp/Execution/Roofline.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <chrono>
#include <ctime>
#include <functional>
#include <sched.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace mlir::amp;

namespace {
/// Something that a CPU does at a rate.
struct Quantity {
  const char *name;
  const char *unit;
  std::function<double(Measure)> measure;
};

/// A process that measures on one CPU, and this end of a line to it. It sends a
/// byte once its memory is there, gets one when all are ready, and sends the
/// rate.
struct Worker {
  pid_t process;
  int line;
};
} // namespace

/// The CPUs that this process may use, two at most.
static llvm::SmallVector<int> getCpus() {
  llvm::SmallVector<int> cpus;
  cpu_set_t mask;
  CPU_ZERO(&mask);
  (void)::sched_getaffinity(0, sizeof(mask), &mask);
  for (int cpu = 0; cpu < CPU_SETSIZE && cpus.size() < 2; ++cpu)
    if (CPU_ISSET(cpu, &mask))
      cpus.push_back(cpu);
  return cpus;
}

/// Seconds that this process has computed.
static double getProcessorTime() {
  timespec time;
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return double(time.tv_sec) + 1e-9 * double(time.tv_nsec);
}

/// Calls `work` for so many seconds of the wall, in which the others measure
/// too. The median time of a call.
static double measureMedian(double seconds, llvm::function_ref<void()> work) {
  using Clock = std::chrono::steady_clock;
  llvm::SmallVector<double> times;
  const Clock::time_point start = Clock::now();
  do {
    const double before = getProcessorTime();
    work();
    times.push_back(getProcessorTime() - before);
  } while (std::chrono::duration<double>(Clock::now() - start).count() <
           seconds);
  std::nth_element(times.begin(), times.begin() + times.size() / 2,
                   times.end());
  return times[times.size() / 2];
}

/// The body of a worker.
static void work(const Quantity &quantity, int cpu, int line, double seconds) {
  cpu_set_t mask;
  CPU_ZERO(&mask);
  CPU_SET(cpu, &mask);
  if (::sched_setaffinity(0, sizeof(mask), &mask) != 0)
    ::_exit(1);
  const double rate = quantity.measure([&](llvm::function_ref<void()> call) {
    call(); // the first is not like others
    char go = 0;
    if (::write(line, &go, 1) != 1 || ::read(line, &go, 1) != 1)
      ::_exit(1);
    return measureMedian(seconds, call);
  });
  ::_exit(::write(line, &rate, sizeof(rate)) == sizeof(rate) ? 0 : 1);
}

/// The rate of one process on each of `cpus`, all at the same time, together;
/// negative if one of them did not come to its end.
static double measureTogether(const Quantity &quantity,
                              llvm::ArrayRef<int> cpus, double seconds) {
  llvm::SmallVector<Worker> workers;
  for (int cpu : cpus) {
    int ends[2];
    if (::socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0)
      return -1;
    const pid_t process = ::fork();
    if (process < 0)
      return -1;
    if (process == 0) {
      ::close(ends[0]);
      work(quantity, cpu, ends[1], seconds);
    }
    ::close(ends[1]);
    workers.push_back({process, ends[0]});
  }
  bool isWhole = true;
  char byte = 0;
  for (const Worker &worker : workers)
    isWhole &= ::read(worker.line, &byte, 1) == 1;
  double sum = 0;
  if (isWhole)
    for (const Worker &worker : workers)
      isWhole &= ::send(worker.line, &byte, 1, MSG_NOSIGNAL) == 1;
  for (const Worker &worker : workers) {
    double rate = 0;
    isWhole &=
        isWhole && ::read(worker.line, &rate, sizeof(rate)) == sizeof(rate);
    sum += rate;
    ::close(worker.line); // who waits for the others gives up
    ::waitpid(worker.process, nullptr, 0);
  }
  return isWhole ? sum : -1;
}

int main(int argc, char **argv) {
  double seconds = 1;
  for (llvm::StringRef argument : llvm::ArrayRef(argv + 1, argc - 1)) {
    if (argument != "--quick") {
      llvm::errs() << "expected --quick, but got '" << argument << "'\n";
      return 1;
    }
    seconds = 0.1;
  }
  const HostMachine machine = *HostMachine::get("native");
  llvm::SmallVector<Quantity> quantities = {
      {"f32 in registers", "GFLOP/s", measurePeak}};
  if (machine.hasAvx512Bf16)
    quantities.push_back({"bf16 by vdpbf16ps", "GFLOP/s", measureBf16Peak});
  if (machine.hasAmxBf16)
    quantities.push_back({"bf16 in tiles", "GFLOP/s", measureTilePeak});
  quantities.push_back({"triad in memory", "GB/s", [](Measure measure) {
                          return measureTriad(int64_t(256) << 20, measure);
                        }});

  const llvm::SmallVector<int> cpus = getCpus();
  llvm::outs() << machine.describe();
  if (cpus.size() < 2)
    llvm::outs() << "; one CPU for this process: two are not measured\n\n";
  else
    llvm::outs() << "; CPUs " << cpus[0] << " and " << cpus[1] << "\n\n";
  llvm::outs() << "| what | one process | two together | ratio |\n"
               << "| --- | --- | --- | --- |\n";
  for (const Quantity &quantity : quantities) {
    llvm::outs().flush(); // not by the workers once more
    const double one =
        measureTogether(quantity, llvm::ArrayRef(cpus).take_front(), seconds);
    const double two =
        cpus.size() < 2 ? 0 : measureTogether(quantity, cpus, seconds);
    if (one < 0 || two < 0) {
      llvm::outs().flush();
      llvm::errs() << "'" << quantity.name
                   << "' was not measured: a process ended before it was done, "
                      "or there was none to be had; is there enough memory?\n";
      return 1;
    }
    llvm::outs() << "| " << quantity.name << ", " << quantity.unit << " | "
                 << llvm::format("%.1f", one * 1e-9);
    if (cpus.size() < 2)
      llvm::outs() << " | - | - |\n";
    else
      llvm::outs() << llvm::format(" | %.1f | %.2f |\n", two * 1e-9, two / one);
  }
  return 0;
}
