//===-- BlasLibrary.cpp - Finding and opening a library -------------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A library that was named is taken as it is. One that was searched for has to
// be faster than the code that would compute in its place, which is compiled
// for this CPU: it must say whose kernels it uses, and these must fit. The
// reference BLAS, whose loops are written for no CPU, does not say. Of oneDNN,
// which chooses by what the CPU has and so fits any, a stored measurement says
// whether it is faster; where it is not, nobody opens it.
//
// As soon as it is opened, OpenBLAS starts its threads, and each asks for its
// buffer until it gets one: under a limit that leaves no room for them the
// process would never end. So room is looked for before, for any library, as
// none says what it is before it is opened; but for oneDNN by its name, whose
// threads start when they are used.
//
//===----------------------------------------------------------------------===//

#include "Library/BlasLibrary.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <sys/resource.h>
#include <unistd.h>
#include <utility>

using namespace amp::rt;

/// Sonames, in order. What the second is, a system's administrator decides.
static const char *const candidates[] = {"libopenblas.so.0", "libblas.so.3"};

/// Sonames of oneDNN, the newest first.
static const char *const oneDnnSonames[] = {"libdnnl.so.3", "libdnnl.so.2"};

template <typename Function>
static void resolve(void *handle, const char *name, Function *&function) {
  function = reinterpret_cast<Function *>(dlsym(handle, name));
}

static const char *findFile(void *address) {
  Dl_info info;
  return dladdr(address, &info) != 0 ? info.dli_fname : "unknown";
}

/// Fills the table from an open library; false if it has no CBLAS.
static bool resolveAll(void *handle, BlasLibrary &library) {
  resolve(handle, "cblas_sgemm", library.sgemm);
  if (!library.sgemm)
    return false;
  resolve(handle, "openblas_set_num_threads", library.setThreads);
  resolve(handle, "openblas_get_num_threads", library.getThreads);
  resolve(handle, "openblas_get_config", library.getConfig);
  const char *(*getCore)();
  resolve(handle, "openblas_get_corename", getCore);
  library.core = getCore ? getCore() : nullptr;
  library.path = findFile(reinterpret_cast<void *>(library.sgemm));
  return true;
}

/// Bytes that OpenBLAS takes with one thread: a buffer of up to 128 MiB, a
/// stack and a heap of the thread, and its code.
static constexpr long long kBytesPerThread = 256ll << 20;

/// Threads that OpenBLAS starts: one for each CPU, or as many as the first of
/// its variables with a number says, if these are fewer.
static long long countThreads() {
  const long long most = std::max(sysconf(_SC_NPROCESSORS_ONLN), 1l);
  for (const char *name :
       {"OPENBLAS_NUM_THREADS", "GOTO_NUM_THREADS", "OMP_NUM_THREADS"}) {
    const char *text = std::getenv(name);
    const long long number = text ? std::strtoll(text, nullptr, 10) : 0;
    if (number > 0)
      return std::min(number, most);
  }
  return most;
}

/// Whether limits of the process leave room for the threads of OpenBLAS; says
/// in `choice` why not. `named`: the library that `origin` asked for, or null.
static bool hasRoom(const char *named, const char *origin, BlasChoice &choice) {
  rlimit space, data;
  if (getrlimit(RLIMIT_AS, &space) != 0 || getrlimit(RLIMIT_DATA, &data) != 0)
    return true;
  const rlim_t limit = std::min(space.rlim_cur, data.rlim_cur);
  if (limit == RLIM_INFINITY)
    return true;
  // In pages: all that is mapped.
  long long pages = 0;
  if (FILE *file = std::fopen("/proc/self/statm", "r")) {
    if (std::fscanf(file, "%lld", &pages) != 1)
      pages = 0;
    std::fclose(file);
  }
  const long long threads = countThreads();
  const long long wanted = threads * kBytesPerThread;
  const long long used = pages * sysconf(_SC_PAGESIZE);
  if (limit >= rlim_t(used) && limit - rlim_t(used) >= rlim_t(wanted))
    return true;
  choice.status = AMP_RT_UNAVAILABLE;
  const int length =
      named ? std::snprintf(choice.reason, sizeof(choice.reason),
                            "library '%s' of %s is not opened: ", named, origin)
            : 0;
  const size_t start =
      std::min<size_t>(std::max(length, 0), sizeof(choice.reason) - 1);
  std::snprintf(
      choice.reason + start, sizeof(choice.reason) - start,
      "OpenBLAS may take %lld MiB for %lld %s, which the limits of "
      "the process do not leave; raise them (ulimit -v, ulimit -d), "
      "set OPENBLAS_NUM_THREADS to fewer threads, or set AMP_BLAS=off",
      wanted >> 20, threads, threads == 1 ? "thread" : "threads");
  return false;
}

/// Takes the oneDNN behind `handle`; false if it cannot be used, and `reason`
/// goes on after the library's name.
static bool takeOneDnn(void *handle, BlasChoice &choice, char *reason,
                       size_t size) {
  BlasLibrary &library = choice.library;
  library.oneDnn = OneDnn::open(handle, reason, size);
  if (!library.oneDnn)
    return false;
  library.path = findFile(library.oneDnn->getAddress());
  choice.status = AMP_RT_OK;
  return true;
}

/// The CBLAS behind `handle`, which `name` of `origin` named.
static void takeNamedCblas(void *handle, const char *name, const char *origin,
                           CpuClass cpu, BlasChoice &choice) {
  BlasLibrary &library = choice.library;
  if (!resolveAll(handle, library)) {
    dlclose(handle);
    std::snprintf(choice.reason, sizeof(choice.reason),
                  "library '%s' of %s has no symbol 'cblas_sgemm'; name a "
                  "library with the CBLAS interface, e.g. libopenblas.so.0",
                  name, origin);
    return;
  }
  choice.status = AMP_RT_OK;
  choice.f32MinWork = 0;
  char fitting[128];
  listFittingCores(cpu, fitting, sizeof(fitting));
  if (!library.core)
    std::snprintf(choice.reason, sizeof(choice.reason),
                  "named by %s; it does not say for which CPU its kernels are",
                  origin);
  else if (doesCoreFit(library.core, cpu))
    std::snprintf(choice.reason, sizeof(choice.reason),
                  "named by %s; its core '%s' fits this CPU (%s)", origin,
                  library.core, getCpuClassName(cpu));
  else
    std::snprintf(choice.reason, sizeof(choice.reason),
                  "named by %s, though its core '%s' does not fit this CPU "
                  "(%s), which needs %s",
                  origin, library.core, getCpuClassName(cpu), fitting);
}

/// The oneDNN behind `handle`, which `name` of `origin` named.
static void takeNamedOneDnn(void *handle, const char *name, const char *origin,
                            CpuClass cpu, OneDnnRatios ratios,
                            BlasChoice &choice) {
  char reason[256];
  if (!takeOneDnn(handle, choice, reason, sizeof(reason))) {
    dlclose(handle);
    std::snprintf(choice.reason, sizeof(choice.reason), "library '%s' of %s %s",
                  name, origin, reason);
    return;
  }
  const OneDnn &library = *choice.library.oneDnn;
  choice.f32MinWork = 0;
  if (library.hasBf16())
    choice.bf16MinWork = 0;
  char measured[192];
  describeRatios(ratios, cpu, library.getMajor(), measured, sizeof(measured));
  std::snprintf(choice.reason, sizeof(choice.reason), "named by %s; %s, %s%s",
                origin, library.getName(), measured,
                library.hasBf16() ? ""
                                  : "; it does not multiply bf16 on this CPU");
}

/// What `name` of `origin` names, taken as it is.
static void takeNamed(const char *name, const char *origin, CpuClass cpu,
                      OneDnnRatios ratios, BlasChoice &choice) {
  choice.wasNamed = true;
  choice.status = AMP_RT_NOT_FOUND;
  const bool isOneDnn = std::strcmp(name, "onednn") == 0;
  const bool isOpenBlas = std::strcmp(name, "openblas") == 0;
  if (!isOneDnn && !isOpenBlas && !std::strchr(name, '/') &&
      !std::strstr(name, ".so")) {
    std::snprintf(choice.reason, sizeof(choice.reason),
                  "expected %s to be 'auto', 'off', 'openblas', 'onednn' or "
                  "the file of a library, but got '%s'",
                  origin, name);
    return;
  }
  if (!isOneDnn && !hasRoom(name, origin, choice))
    return;
  void *handle = nullptr;
  if (isOneDnn) {
    for (const char *soname : oneDnnSonames)
      if (!handle)
        handle = dlopen(soname, RTLD_NOW | RTLD_LOCAL);
  } else {
    handle = dlopen(isOpenBlas ? candidates[0] : name, RTLD_NOW | RTLD_LOCAL);
  }
  if (handle) {
    if (isOneDnn || dlsym(handle, "dnnl_version"))
      takeNamedOneDnn(handle, name, origin, cpu, ratios, choice);
    else
      takeNamedCblas(handle, name, origin, cpu, choice);
    return;
  }
  const char *error = dlerror();
  std::snprintf(
      choice.reason, sizeof(choice.reason),
      "library '%s' of %s cannot be opened (%s); %s", name, origin,
      error ? error : "not found",
      isOneDnn ? "install oneDNN (Debian and Ubuntu: libdnnl2 or libdnnl3), or "
                 "leave it unset"
               : "name an installed BLAS, or leave it unset to search for one");
}

/// A oneDNN that wins on this CPU; false if there is none. `refused` says which
/// one could not be used, and why.
static bool searchOneDnn(CpuClass cpu, OneDnnRatios ratios, BlasChoice &choice,
                         char *refused, size_t size) {
  if (!isAnythingWon(ratios, cpu))
    return false;
  for (const char *soname : oneDnnSonames) {
    void *handle = dlopen(soname, RTLD_NOW | RTLD_LOCAL);
    if (!handle)
      continue;
    char reason[256];
    BlasChoice found;
    if (!takeOneDnn(handle, found, reason, sizeof(reason))) {
      dlclose(handle);
      std::snprintf(refused, size, "; library '%s' %s", soname, reason);
      continue;
    }
    const OneDnn &library = *found.library.oneDnn;
    const int major = library.getMajor();
    found.f32MinWork = getWonWork(ratios, cpu, major, ProductType::F32);
    if (library.hasBf16())
      found.bf16MinWork = getWonWork(ratios, cpu, major, ProductType::Bf16);
    if (found.f32MinWork == AMP_RT_BLAS_NEVER &&
        found.bf16MinWork == AMP_RT_BLAS_NEVER)
      continue;
    char measured[192];
    describeRatios(ratios, cpu, major, measured, sizeof(measured));
    std::snprintf(found.reason, sizeof(found.reason), "%s, %s",
                  library.getName(), measured);
    choice = std::move(found);
    return true;
  }
  return false;
}

/// The first candidate that fits. Of several that do not, the first is
/// reported.
static void searchCblas(CpuClass cpu, BlasChoice &choice) {
  if (!hasRoom(nullptr, nullptr, choice))
    return;
  char fitting[128];
  listFittingCores(cpu, fitting, sizeof(fitting));
  for (const char *candidate : candidates) {
    void *handle = dlopen(candidate, RTLD_NOW | RTLD_LOCAL);
    if (!handle)
      continue;
    BlasLibrary library;
    if (!resolveAll(handle, library)) {
      dlclose(handle);
      continue;
    }
    if (library.core && doesCoreFit(library.core, cpu)) {
      choice.status = AMP_RT_OK;
      choice.library = std::move(library);
      choice.f32MinWork = 0;
      std::snprintf(choice.reason, sizeof(choice.reason),
                    "its core '%s' fits this CPU (%s)", choice.library.core,
                    getCpuClassName(cpu));
      return;
    }
    if (*choice.reason)
      continue;
    choice.status = AMP_RT_UNAVAILABLE;
    if (library.core)
      std::snprintf(choice.reason, sizeof(choice.reason),
                    "library '%s' takes this CPU (%s) for '%s', and would be "
                    "slow; install one that knows it, set OPENBLAS_CORETYPE to "
                    "%s, or set AMP_BLAS=%s to use it as it is",
                    candidate, getCpuClassName(cpu), library.core, fitting,
                    candidate);
    else
      std::snprintf(choice.reason, sizeof(choice.reason),
                    "library '%s' does not say for which CPU its kernels are; "
                    "install OpenBLAS, or set AMP_BLAS=%s to use it as it is",
                    candidate, candidate);
  }
  if (*choice.reason)
    return;
  choice.status = AMP_RT_NOT_FOUND;
  std::snprintf(choice.reason, sizeof(choice.reason),
                "library 'libopenblas.so.0' not found, nor another CBLAS; "
                "install OpenBLAS (Debian and Ubuntu: libopenblas0, Fedora: "
                "openblas), or set AMP_BLAS to the path of one");
}

/// oneDNN where it wins, or a CBLAS.
static void search(CpuClass cpu, OneDnnRatios ratios, BlasChoice &choice) {
  char refused[384] = {};
  if (searchOneDnn(cpu, ratios, choice, refused, sizeof(refused)))
    return;
  searchCblas(cpu, choice);
  const size_t length = std::strlen(choice.reason);
  std::snprintf(choice.reason + length, sizeof(choice.reason) - length, "%s",
                refused);
}

void amp::rt::chooseBlas(const char *library, const char *origin, CpuClass cpu,
                         OneDnnRatios ratios, BlasChoice &choice) {
  choice = BlasChoice();
  if (!library) {
    library = std::getenv("AMP_BLAS");
    origin = "AMP_BLAS";
  }
  if (!library || !*library || std::strcmp(library, "auto") == 0)
    return search(cpu, ratios, choice);
  if (std::strcmp(library, "off") != 0)
    return takeNamed(library, origin, cpu, ratios, choice);
  choice.status = AMP_RT_UNAVAILABLE;
  std::snprintf(choice.reason, sizeof(choice.reason),
                "BLAS is switched off by %s=off; unset it, or set it to "
                "'auto', to let one be searched for",
                origin);
}
