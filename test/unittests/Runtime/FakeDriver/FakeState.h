//===-- FakeState.h - What the fake driver remembers -*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef AMP_TEST_UNITTESTS_RUNTIME_FAKEDRIVER_FAKESTATE_H
#define AMP_TEST_UNITTESTS_RUNTIME_FAKEDRIVER_FAKESTATE_H

#include "Device/Cuda/DriverAbi.h"
#include "FakeDriver.h"

#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <thread>

namespace fakecuda {

using amp::rt::cuda::Result;

inline constexpr size_t kMapBytes = 128, kMapAlignment = 64;

struct Parameter {
  size_t bytes = 0;
  bool isPointer = false; ///< as far as the image says so
  bool isMap = false;     ///< a tensor map
  size_t alignment = 1;   ///< of what a pointer points to
};

struct Kernel {
  std::string name;
  /// Whether the image says what its parameters are.
  bool hasParameters = false;
  std::vector<Parameter> parameters;
  int maxThreads = 1024, staticShared = 0, registers = 32;
  int requiredCluster[3] = {0, 0, 0};
  int dynamicSharedLimit = 48 * 1024;
  bool allowsLargeClusters = false;
};

struct LoadedModule {
  int architecture = 0; ///< of a cubin that says so: 90 for sm_90 and sm_90a
  std::map<std::string, std::unique_ptr<Kernel>> kernels;
};

struct Allocation {
  size_t bytes;
  void *pool; ///< null: by cuMemAlloc
};

/// Addresses that are the device's alone, none of which is given out twice:
/// what points there and not to live memory is wrong.
class AddressRange {
public:
  /// Memory on which pages that nobody may touch follow; null if there is none.
  void *take(size_t bytes);
  static void giveBack(void *memory, size_t bytes);
  bool contains(uint64_t address) const {
    return address >= start && address < end;
  }

private:
  uintptr_t start = 0, next = 0, end = 0;
};

struct FakeEvent {
  bool isRecorded = false;
  double time = 0;
};

struct State {
  std::recursive_mutex mutex;
  // Behaviour.
  std::map<std::string, int64_t> settings;
  std::map<std::string, std::map<int, Result>> failures; ///< by nth call
  std::map<std::string, std::function<void(const Launch &)>> bodies;
  // Record.
  std::map<std::string, int> counts;
  std::string violations;
  std::vector<Launch> launches;
  // Live objects.
  bool isInitialised = false;
  int contextReferences = 0;
  std::set<void *> streams, pools;
  AddressRange addresses;
  std::map<uintptr_t, Allocation> allocations;
  std::map<void *, std::unique_ptr<LoadedModule>> modules;
  std::map<void *, FakeEvent> events;
  std::vector<std::vector<unsigned char>> maps;
  double clock = 0;                          ///< milliseconds
  std::vector<std::function<void()>> copies; ///< that have not happened yet
  using Work = std::vector<std::function<void()>>;
  std::map<void *, Work> captures;             ///< by stream
  std::map<void *, std::thread::id> capturers; ///< of each, its thread
  std::map<void *, Work> graphs, executables;

  int64_t setting(const char *name) const { return settings.at(name); }
  void restoreSettings();
  void complain(const std::string &text) { violations += text + "\n"; }
  void copy(uint64_t target, uint64_t source, size_t bytes);
  /// Whether the calling thread captures a stream.
  bool isCapturing() const;
  /// Does `work`, or notes it if the stream is captured. Complains if the
  /// thread captures another one: the work would be done now and in no replay.
  void perform(void *stream, std::function<void()> work);
  /// Lets copies happen that were asked for before.
  void flush();
  /// Whether the range lies inside of one live allocation.
  bool isLive(uint64_t address, uint64_t bytes) const;
};

State &state();

/// The contexts that this thread pushed.
std::vector<void *> &contexts();

/// Counts a call; not kSuccess if it is told to fail.
Result begin(const char *function);

/// Complains and returns kErrorInvalidValue unless `isRight`.
Result require(bool isRight, const char *function, const std::string &rule);

// FakeModules.cpp
/// False if the image cannot be read; `log` gets the compiler's message.
bool readImage(LoadedModule &module, const char *image, std::string &log);

// FakeLaunch.cpp
Result encodeTiled(amp::rt::cuda::TensorMap *, int, uint32_t, void *,
                   const uint64_t *, const uint64_t *, const uint32_t *,
                   const uint32_t *, int, int, int, int);
Result encodeIm2col(amp::rt::cuda::TensorMap *, int, uint32_t, void *,
                    const uint64_t *, const uint64_t *, const int *,
                    const int *, uint32_t, uint32_t, const uint32_t *, int, int,
                    int, int);
Result launchKernel(const amp::rt::cuda::LaunchConfig *,
                    amp::rt::cuda::Function, void **, void **);
Result countBlocks(int *, amp::rt::cuda::Function, int, size_t);
Result countClusters(int *, amp::rt::cuda::Function,
                     const amp::rt::cuda::LaunchConfig *);

// FakeKernels.cpp
/// Runs a kernel that the fake knows by its name; false if it does not.
bool runBuiltIn(const Launch &launch);

} // namespace fakecuda

#endif // AMP_TEST_UNITTESTS_RUNTIME_FAKEDRIVER_FAKESTATE_H
