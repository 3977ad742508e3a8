//===-- EmulatorLibrary.cpp - The emulator, opened at run time ------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Device/Emulator/EmulatorLibrary.h"

#include "Support/Failure.h"

#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>

using namespace amp::rt;
using namespace amp::rt::emulator;

static const char *const kRemedy =
    "name the library of this version by AMP_RT_EMULATOR, or use device 'host'";

/// In the folder of the library that this function is in.
static void findBeside(char *path, size_t size) {
  Dl_info info;
  const char *end = nullptr;
  if (dladdr(reinterpret_cast<void *>(&openLibrary), &info) && info.dli_fname)
    end = std::strrchr(info.dli_fname, '/');
  int length = end ? static_cast<int>(end + 1 - info.dli_fname) : 0;
  std::snprintf(path, size, "%.*slibAmpEmulatorDevice.so", length,
                length ? info.dli_fname : "");
}

AmpRtStatus amp::rt::emulator::openLibrary(const char *call,
                                           const Functions *&functions) {
  char beside[PATH_MAX];
  const char *path = std::getenv("AMP_RT_EMULATOR");
  const char *origin = "AMP_RT_EMULATOR";
  if (!path || !*path) {
    findBeside(beside, sizeof(beside));
    path = beside;
    origin = "libamp-rt's folder";
  }
  void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!library)
    return fail(AMP_RT_UNAVAILABLE,
                "%s: device 'emulator': library '%s' of %s cannot be opened "
                "(%s); %s",
                call, path, origin, dlerror(), kRemedy);
  auto entry = reinterpret_cast<Entry>(dlsym(library, kEntryName));
  const Functions *found = entry ? entry() : nullptr;
  if (!found || found->version != kAbiVersion) {
    AmpRtStatus status = fail(
        AMP_RT_UNAVAILABLE,
        "%s: device 'emulator': expected library '%s' of %s to be an "
        "emulator of interface %u, but got %u; %s",
        call, path, origin, kAbiVersion, found ? found->version : 0, kRemedy);
    dlclose(library);
    return status;
  }
  functions = found;
  return AMP_RT_OK;
}
