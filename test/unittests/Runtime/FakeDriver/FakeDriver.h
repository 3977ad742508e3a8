//===-- FakeDriver.h - A CUDA driver for machines without a GPU -*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A shared library with the driver's entry points that libamp-rt uses. Device
// memory is host memory, everything happens in the call, and each call is
// counted and its arguments checked as the driver API's documentation asks:
// context current, pointers live and ranges inside of them, limits raised
// before a launch needs them, clusters that divide the grid, tensor maps within
// their rules. What is wrong is kept as a line of fakeCudaViolations() and
// answered with an error.
//
// Modules are PTX texts or cubins, of which only names, parameters and a few
// directives are read. Of a launch's arguments, and of a captured launch's at
// each replay, each word that is an address of the device has to point to live
// memory, be it in a struct or a tensor map's. A thread that captures a stream
// does nothing else meanwhile: no memory, no module, no wait, no other stream.
// A kernel does nothing, except those of FakeKernels.cpp and those that a test
// defines.
//
// A process that only loads it by AMP_RT_CUDA_DRIVER speaks to it by variables:
//   FAKE_CUDA_FAIL=cuMemAlloc=2@3  the third call of cuMemAlloc returns 2
//   FAKE_CUDA_SET=pools=0,...      as fakeCudaSet
//   FAKE_CUDA_LOG=FILE             at the end: calls and their counts, what was
//                                  launched, violations, leaks
//
//===----------------------------------------------------------------------===//
#ifndef AMP_TEST_UNITTESTS_RUNTIME_FAKEDRIVER_FAKEDRIVER_H
#define AMP_TEST_UNITTESTS_RUNTIME_FAKEDRIVER_FAKEDRIVER_H

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace fakecuda {

/// What cuLaunchKernelEx was given.
struct Launch {
  std::string kernel;
  unsigned grid[3], block[3], cluster[3];
  unsigned sharedBytes;
  bool overlaps;
  bool knowsArguments; ///< the image says how many there are
  /// The bytes of each, if so.
  std::vector<std::vector<unsigned char>> arguments;
};

/// A tensor map as the fake encodes it: readable, for kernels.
struct Map {
  uint32_t magic;
  uint8_t type, rank, swizzle, isIm2col;
  uint64_t address;
  uint64_t sizes[5];
  uint64_t strides[4];
  uint16_t box[5];
  uint16_t sequence; ///< how many were encoded before
};
static_assert(sizeof(Map) <= 128, "a map is 128 bytes");

inline constexpr uint32_t kMapMagic = 0x70616d66;

#define FAKE_CUDA_API __attribute__((visibility("default")))

/// Forgets counts, failures, violations, launches and settings; live objects
/// stay.
FAKE_CUDA_API void reset();

/// The `nth` call of `function` from now on (1 is the next) returns `result`.
FAKE_CUDA_API void failCall(const char *function, int result, int nth = 1);

/// driverVersion, devices, pools, computeMajor, computeMinor, sharedBytes,
/// parameterInfo (0: the driver is too old to know parameters), processors,
/// clusterProcessors (those of them that clusters can be placed on), lateCopies
/// (1: copies happen when something else waits for them or comes after them,
/// not in the call), unwritten (what the bytes of new memory are; with 0 a
/// step whose kernels do nothing finds nothing to complain of).
FAKE_CUDA_API void set(const char *setting, int64_t value);

FAKE_CUDA_API int calls(const char *function);
/// Of all functions.
FAKE_CUDA_API std::vector<std::string> calledFunctions();
/// One line each.
FAKE_CUDA_API std::string violations();
/// What is live: "2 allocations, 1 stream"; empty for nothing.
FAKE_CUDA_API std::string leaks();
FAKE_CUDA_API std::vector<Launch> launches();

/// What kernels of that name do.
FAKE_CUDA_API void define(const char *kernel,
                          std::function<void(const Launch &)> body);

} // namespace fakecuda

#endif // AMP_TEST_UNITTESTS_RUNTIME_FAKEDRIVER_FAKEDRIVER_H
