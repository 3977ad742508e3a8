//===-- VendorLibrary.cpp - Finding the vendor's libraries ---------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Baseline.h"

#include <cstdlib>
#include <dlfcn.h>
#include <glob.h>
#include <unistd.h>

using namespace amp::bench;

static std::string environment(const char *variable) {
  const char *value = std::getenv(variable);
  return value ? value : "";
}

/// Of the first `python3` on the PATH: a virtual environment's points
/// elsewhere, so it is not resolved.
static std::string pythonPrefix() {
  std::string path = environment("PATH") + ":";
  for (size_t at = 0, colon; (colon = path.find(':', at)) != std::string::npos;
       at = colon + 1) {
    std::string folder = path.substr(at, colon - at);
    if (!folder.empty() && access((folder + "/python3").c_str(), X_OK) == 0)
      return folder + "/..";
  }
  return "";
}

static std::vector<std::string> expand(const std::string &pattern) {
  glob_t found;
  std::vector<std::string> result;
  if (glob(pattern.c_str(), 0, nullptr, &found) == 0)
    for (size_t i = 0; i < found.gl_pathc; ++i)
      result.push_back(found.gl_pathv[i]);
  globfree(&found);
  return result;
}

void *amp::bench::openVendorLibrary(const char *variable,
                                    const std::vector<std::string> &sonames,
                                    const std::vector<std::string> &folders,
                                    const char *package, std::string &reason) {
  // Global, because cuDNN's parts look for symbols of cuBLAS.
  int flags = RTLD_NOW | RTLD_GLOBAL;
  std::string named = environment(variable);
  if (!named.empty()) {
    void *handle = dlopen(named.c_str(), flags);
    if (!handle)
      reason = "library '" + named + "' of " + variable +
               " cannot be opened (" + dlerror() + ")";
    return handle;
  }
  std::vector<std::string> candidates = sonames;
  for (std::string prefix : {environment("VIRTUAL_ENV"), pythonPrefix()}) {
    if (prefix.empty())
      continue;
    prefix += "/lib/python3*/site-packages/nvidia/";
    for (const std::string &folder : folders)
      for (const std::string &soname : sonames) {
        std::string pattern = prefix;
        pattern.append(folder).append("/lib/").append(soname);
        for (const std::string &path : expand(pattern))
          candidates.push_back(path);
      }
  }
  for (const std::string &candidate : candidates)
    if (void *handle = dlopen(candidate.c_str(), flags))
      return handle;
  reason = "library '" + sonames[0] +
           "' not found; install it (PyPI: " + package + "), or set " +
           variable + " to its path";
  return nullptr;
}

std::string Workspace::reserve(int64_t needed) {
  if (needed <= bytes)
    return "";
  ampRtDeviceFree(device, pointer);
  pointer = nullptr;
  bytes = 0;
  if (ampRtDeviceAllocate(device, needed, 1024, &pointer) != AMP_RT_OK)
    return ampRtStatusText();
  bytes = needed;
  return "";
}
