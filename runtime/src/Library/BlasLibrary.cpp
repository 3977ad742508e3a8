//===-- BlasLibrary.cpp - Finding and opening a CBLAS ---------------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Library/BlasLibrary.h"

#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>

using namespace amp::rt;

/// Sonames, in order. The second may be the reference BLAS: slow but right.
static const char *const candidates[] = {"libopenblas.so.0", "libblas.so.3"};

template <typename Function>
static void resolve(void *handle, const char *name, Function *&function) {
  function = reinterpret_cast<Function *>(dlsym(handle, name));
}

/// Fills the table from an open library; false if it has no CBLAS.
static bool resolveAll(void *handle, BlasLibrary &library) {
  resolve(handle, "cblas_sgemm", library.sgemm);
  if (!library.sgemm)
    return false;
  resolve(handle, "openblas_set_num_threads", library.setThreads);
  resolve(handle, "openblas_get_num_threads", library.getThreads);
  resolve(handle, "openblas_get_config", library.getConfig);
  Dl_info info;
  library.path = dladdr(reinterpret_cast<void *>(library.sgemm), &info) != 0
                     ? info.dli_fname
                     : "unknown";
  return true;
}

AmpRtStatus amp::rt::openBlasLibrary(const char *path, BlasLibrary &library,
                                     char *failure, size_t failureSize) {
  const char *origin = "AmpRtBlasOptions.path";
  if (!path) {
    origin = "AMP_BLAS";
    path = std::getenv("AMP_BLAS");
    if (path && !*path)
      path = nullptr;
  }
  if (path) {
    void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!handle) {
      std::snprintf(failure, failureSize,
                    "library '%s' of %s cannot be opened (%s); name an "
                    "installed BLAS, or leave it unset to search for one",
                    path, origin, dlerror());
      return AMP_RT_NOT_FOUND;
    }
    if (resolveAll(handle, library))
      return AMP_RT_OK;
    dlclose(handle);
    std::snprintf(failure, failureSize,
                  "library '%s' of %s has no symbol 'cblas_sgemm'; name a "
                  "library with the CBLAS interface, e.g. libopenblas.so.0",
                  path, origin);
    return AMP_RT_NOT_FOUND;
  }
  for (const char *candidate : candidates) {
    void *handle = dlopen(candidate, RTLD_NOW | RTLD_LOCAL);
    if (!handle)
      continue;
    if (resolveAll(handle, library))
      return AMP_RT_OK;
    dlclose(handle);
  }
  std::snprintf(failure, failureSize,
                "library 'libopenblas.so.0' not found, nor another CBLAS; "
                "install OpenBLAS (Debian and Ubuntu: libopenblas0, Fedora: "
                "openblas), or set AMP_BLAS to the path of one");
  return AMP_RT_NOT_FOUND;
}
