//===- KernelProfile.cpp - Where the time of a step goes ------------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "amp/Execution/KernelProfile.h"

#include "amp/Execution/Roofline.h"
#include "amp/Support/Quantities.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MathExtras.h"

#include <chrono>

using namespace mlir::amp;
using llvm::ArrayRef;

/// Calls of a measurement, of which the best counts.
static constexpr int kRounds = 5;

/// Below this a triad tells of calls and clocks; above, of the same memory.
static constexpr int64_t kLeastTriad = 1 << 14, kMostTriad = 1 << 28;

static double measureBest(llvm::function_ref<void()> work) {
  using Clock = std::chrono::steady_clock;
  double best = 1e9;
  for (int round = 0; round < kRounds; ++round) {
    const Clock::time_point start = Clock::now();
    work();
    const std::chrono::duration<double> taken = Clock::now() - start;
    best = std::min(best, taken.count());
  }
  return best;
}

MachinePeak mlir::amp::measureMachinePeak(int32_t threads) {
  MachinePeak peak;
  peak.operations = threads * measurePeak(measureBest);
  peak.bf16Operations =
      std::max(peak.operations, threads * measureBf16Peak(measureBest));
  auto known = std::make_shared<llvm::DenseMap<int64_t, double>>();
  peak.getBandwidth = [known, threads](int64_t bytes) {
    int64_t size = int64_t(llvm::PowerOf2Ceil(
        uint64_t(std::clamp(bytes, kLeastTriad, kMostTriad))));
    auto [it, isNew] = known->try_emplace(size);
    if (isNew)
      it->second = threads * measureTriad(size, measureBest);
    return it->second;
  };
  return peak;
}

/// True if all that a kernel multiplies is bf16, by what amp-profile-kernels
/// says of it: "product ... bf16 bf16, product ... in tiles ...".
static bool multipliesBf16(llvm::StringRef what) {
  llvm::SmallVector<llvm::StringRef> products;
  what.split(" in tiles ").first.split(products, ", ");
  return llvm::all_of(products, [](llvm::StringRef product) {
    return product.starts_with("product ") && product.ends_with(" bf16 bf16");
  });
}

/// Seconds that a call of the kernel takes at least; 0 if not known.
static double getFloor(const KernelTime &kernel, const MachinePeak &peak) {
  if (kernel.operations < 0 || kernel.bytes < 0)
    return 0;
  const double rate =
      multipliesBf16(kernel.what) ? peak.bf16Operations : peak.operations;
  if (rate <= 0)
    return 0;
  return std::max(double(kernel.operations) / rate,
                  double(kernel.bytes) / peak.getBandwidth(kernel.bytes));
}

void mlir::amp::printKernelProfile(llvm::raw_ostream &os,
                                   ArrayRef<KernelTime> times, int64_t steps,
                                   double seconds, const MachinePeak &peak,
                                   unsigned most) {
  llvm::SmallVector<const KernelTime *> sorted;
  double all = 0;
  for (const KernelTime &kernel : times) {
    all += kernel.seconds;
    if (kernel.calls > 0)
      sorted.push_back(&kernel);
  }
  llvm::sort(sorted, [](const KernelTime *a, const KernelTime *b) {
    return a->seconds != b->seconds ? a->seconds > b->seconds : a < b;
  });
  if (steps == 0 || sorted.empty()) {
    os << "profile: no kernel was called\n";
    return;
  }
  os << "profile of " << steps << (steps == 1 ? " step" : " steps") << ": "
     << formatSeconds(all / double(steps)) << " a step in " << sorted.size()
     << " kernels, " << formatSeconds(seconds / double(steps)) << " in all\n"
     << "  share   ms/step  calls  GFLOP/s    GB/s  roofline\n";
  for (const KernelTime *kernel : llvm::ArrayRef(sorted).take_front(most)) {
    const double perCall = kernel->seconds / double(kernel->calls);
    os << llvm::format("%6.1f%% %9.3f %6.4g", 100 * kernel->seconds / all,
                       1000 * kernel->seconds / double(steps),
                       double(kernel->calls) / double(steps));
    auto showRate = [&](int64_t count) {
      if (count < 0)
        os << "        -";
      else
        os << llvm::format(" %8.1f", double(count) / perCall * 1e-9);
    };
    showRate(kernel->operations);
    showRate(kernel->bytes);
    const double floor = getFloor(*kernel, peak);
    if (floor > 0)
      os << llvm::format(" %7.0f%%", 100 * floor / perCall);
    else
      os << "        -";
    os << "  " << kernel->what << " (" << kernel->name;
    if (!kernel->source.empty())
      os << ", " << kernel->source;
    os << ")\n";
  }
  if (sorted.size() > most) {
    double rest = 0;
    for (const KernelTime *kernel : llvm::ArrayRef(sorted).drop_front(most))
      rest += kernel->seconds;
    os << llvm::format("%6.1f%% %9.3f        in %u more\n", 100 * rest / all,
                       1000 * rest / double(steps),
                       unsigned(sorted.size() - most));
  }
}

int64_t mlir::amp::countCalls(ArrayRef<KernelTime> times) {
  int64_t calls = 0;
  for (const KernelTime &kernel : times)
    calls += kernel.calls;
  return calls;
}

void mlir::amp::writeTrace(llvm::raw_ostream &os, ArrayRef<KernelTime> times,
                           ArrayRef<KernelCall> calls) {
  int64_t start = calls.empty() ? 0 : calls.front().begin;
  for (const KernelCall &call : calls)
    start = std::min(start, call.begin);
  auto getMicroseconds = [](int64_t nanoseconds) {
    return double(nanoseconds) / 1000;
  };
  llvm::json::OStream json(os);
  json.objectBegin();
  json.attribute("displayTimeUnit", "ms");
  json.attributeObject("otherData",
                       [&] { json.attribute("calls", countCalls(times)); });
  json.attributeArray("traceEvents", [&] {
    for (const KernelCall &call : calls) {
      const KernelTime &kernel = times[call.kernel];
      json.object([&] {
        json.attribute("name", kernel.what);
        json.attribute("cat", "kernel");
        json.attribute("ph", "X");
        json.attribute("pid", 1);
        json.attribute("tid", 1);
        json.attribute("ts", getMicroseconds(call.begin - start));
        json.attribute("dur", getMicroseconds(call.end - call.begin));
        json.attributeObject("args", [&] {
          json.attribute("kernel", kernel.name);
          json.attribute("source", kernel.source);
          json.attribute("operations", kernel.operations);
          json.attribute("bytes", kernel.bytes);
        });
      });
    }
  });
  json.objectEnd();
  os << '\n';
}
