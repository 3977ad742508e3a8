//===- MemoryLimits.cpp - What memory a run may still take ----------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A control group counts the file cache that its processes filled. The kernel
// gives that back before it refuses anything, so cache is not in use here.
//
//===----------------------------------------------------------------------===//

#include "amp/Execution/MemoryLimits.h"

#include "amp/Execution/ArrayBinding.h"
#include "amp/Support/Quantities.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include <limits>
#include <sys/resource.h>

using namespace mlir::amp;
using llvm::createStringError;
using llvm::Error;
using llvm::StringRef;
using llvm::Twine;

static constexpr int64_t kMost = std::numeric_limits<int64_t>::max();

//===----------------------------------------------------------------------===//
// Files of the system
//===----------------------------------------------------------------------===//

static std::optional<std::string> readFile(const Twine &path) {
  // Files of /proc have no size.
  auto buffer = llvm::MemoryBuffer::getFileAsStream(path);
  if (!buffer)
    return std::nullopt;
  return (*buffer)->getBuffer().str();
}

/// The number that a file is; none for "max".
static std::optional<int64_t> readNumber(const Twine &path) {
  std::optional<std::string> text = readFile(path);
  uint64_t value;
  if (!text || StringRef(*text).trim().getAsInteger(10, value))
    return std::nullopt;
  return int64_t(std::min<uint64_t>(value, kMost));
}

/// The number behind `key` in lines of keys and numbers; 0 if there is none.
static int64_t findNumber(StringRef text, StringRef key) {
  for (StringRef line : llvm::split(text, '\n')) {
    if (!line.consume_front(key) || line.empty() || llvm::isAlnum(line[0]))
      continue;
    int64_t value = 0;
    StringRef digits = line.ltrim(": \t").take_while(llvm::isDigit);
    (void)digits.getAsInteger(10, value);
    return value;
  }
  return 0;
}

static int64_t subtract(int64_t limit, int64_t used) {
  return std::max<int64_t>(limit - used, 0);
}

//===----------------------------------------------------------------------===//
// Limits
//===----------------------------------------------------------------------===//

ProcessLimits ProcessLimits::get() {
  auto read = [](int resource) -> std::optional<int64_t> {
    rlimit limit;
    if (getrlimit(resource, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
      return std::nullopt;
    return int64_t(std::min<uint64_t>(limit.rlim_cur, kMost));
  };
  return {read(RLIMIT_AS), read(RLIMIT_DATA)};
}

namespace {
/// The tightest limit so far.
class Tightest {
public:
  void add(int64_t available, const Twine &origin) {
    if (!limit || available < limit->available)
      limit = MemoryLimit{available, origin.str()};
  }
  std::optional<MemoryLimit> limit;
};

/// Names of the files of one version of control groups.
struct GroupFiles {
  const char *folder, *limit, *usage;
  /// Of memory.stat: what is cache.
  llvm::SmallVector<StringRef, 3> cache;
};
} // namespace

static const GroupFiles &getVersion1() {
  static const GroupFiles files = {
      "/sys/fs/cgroup/memory",
      "memory.limit_in_bytes",
      "memory.usage_in_bytes",
      {"total_inactive_file", "total_active_file"}};
  return files;
}

static const GroupFiles &getVersion2() {
  static const GroupFiles files = {
      "/sys/fs/cgroup",
      "memory.max",
      "memory.current",
      {"inactive_file", "active_file", "slab_reclaimable"}};
  return files;
}

/// The group `path` and all that contain it. In a container the path may be the
/// host's, and only the folder itself be there.
static void addGroups(StringRef root, const GroupFiles &files, StringRef path,
                      Tightest &tightest) {
  for (path = path.rtrim('/');; path = path.rsplit('/').first) {
    const std::string folder = (Twine(files.folder) + path).str();
    const std::string prefix = (root + folder + "/").str();
    std::optional<int64_t> limit = readNumber(prefix + files.limit);
    std::optional<int64_t> usage = readNumber(prefix + files.usage);
    if (limit && usage) {
      const std::string stat = readFile(prefix + "memory.stat").value_or("");
      for (StringRef key : files.cache)
        *usage -= findNumber(stat, key);
      tightest.add(subtract(*limit, std::max<int64_t>(*usage, 0)),
                   Twine(files.limit) + " of control group " + folder);
    }
    if (path.empty())
      return;
  }
}

std::optional<MemoryLimit>
mlir::amp::findMemoryLimit(const ProcessLimits &process, StringRef root) {
  Tightest tightest;
  const std::string groups = readFile(root + "/proc/self/cgroup").value_or("");
  for (StringRef line : llvm::split(groups, '\n')) {
    auto [number, rest] = line.trim().split(':');
    auto [controllers, path] = rest.split(':');
    if (number == "0" && controllers.empty() && !path.empty())
      addGroups(root, getVersion2(), path, tightest);
    else if (llvm::is_contained(llvm::split(controllers, ','),
                                StringRef("memory")))
      addGroups(root, getVersion1(), path, tightest);
  }

  constexpr int64_t kKiB = 1024;
  const std::string status = readFile(root + "/proc/self/status").value_or("");
  if (process.addressSpace)
    tightest.add(
        subtract(*process.addressSpace, findNumber(status, "VmSize") * kKiB),
        "the process's limit of address space (ulimit -v)");
  if (process.data)
    tightest.add(subtract(*process.data, findNumber(status, "VmData") * kKiB),
                 "the process's limit of data (ulimit -d)");

  const std::string machine = readFile(root + "/proc/meminfo").value_or("");
  if (int64_t available = findNumber(machine, "MemAvailable"))
    tightest.add((available + findNumber(machine, "SwapFree")) * kKiB,
                 "the memory of the machine");
  return tightest.limit;
}

//===----------------------------------------------------------------------===//
// Estimates
//===----------------------------------------------------------------------===//

static int64_t saturatingAdd(int64_t a, int64_t b) {
  int64_t sum;
  return llvm::AddOverflow(a, b, sum) ? kMost : sum;
}

static int64_t getBytes(const ValueSpec &spec) {
  return getByteCount(spec.elementKind, spec.shape).value_or(kMost);
}

MemoryEstimate mlir::amp::estimateMemory(Program &program, int copies,
                                         llvm::ArrayRef<int64_t> batchBytes) {
  MemoryEstimate estimate;
  int64_t largest = -1;
  CompiledFunction &step = program.getTrainStep();
  for (const ValueSpec &spec : step.getArguments()) {
    const bool isBatch = spec.role == "batch";
    int64_t bytes = getBytes(spec);
    if (isBatch && !batchBytes.empty()) {
      bytes = batchBytes.front();
      batchBytes = batchBytes.drop_front();
    }
    for (int i = 0, e = isBatch ? 1 : copies; i < e; ++i)
      estimate.arguments = saturatingAdd(estimate.arguments, bytes);
    if (bytes > largest) {
      largest = bytes;
      estimate.largest = describeArgument(spec) + ", " +
                         getTypeString(spec.elementKind, spec.shape);
    }
  }
  for (const ValueSpec &spec : step.getResults())
    estimate.results = saturatingAdd(estimate.results, getBytes(spec));
  estimate.workspace = step.getWorkspaceBytes();
  if (CompiledFunction *evaluate = program.getEvaluate())
    estimate.workspace =
        std::max(estimate.workspace, evaluate->getWorkspaceBytes());
  return estimate;
}

std::optional<int64_t> MemoryEstimate::getTotal() const {
  int64_t total;
  if (llvm::AddOverflow(arguments, results, total) ||
      llvm::AddOverflow(total, workspace, total))
    return std::nullopt;
  return total;
}

Error mlir::amp::checkMemory(const MemoryEstimate &estimate,
                             const std::optional<MemoryLimit> &limit) {
  const std::optional<int64_t> total = estimate.getTotal();
  if (total && (!limit || *total <= limit->available))
    return Error::success();
  return createStringError(
      Twine("expected a step to take no more memory than there is, but it "
            "takes ") +
      (total ? formatBytes(*total) : "2^63 bytes or more") + ": " +
      formatBytes(estimate.arguments) +
      " for arguments (the largest: " + estimate.largest + "), " +
      formatBytes(estimate.results) + " for results and " +
      formatBytes(estimate.workspace) + " for values between them, and " +
      (limit ? formatBytes(limit->available) + " are left by " + limit->origin
             : "no machine has that") +
      "; use smaller batches or a smaller model, or raise the limit");
}
