//===- Launch.h - Running a kernel on the emulator --------------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The machine's public side: what a launch needs and what comes back. Every GPU
// thread is a fiber; the blocks of a cluster run together, clusters on as many
// host threads as asked for. The same seed gives the same schedule of each
// cluster, whatever the number of host threads.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_EMULATOR_LAUNCH_H
#define AMP_EMULATOR_LAUNCH_H

#include "amp/Emulator/Instruction.h"
#include "amp/Emulator/TensorMap.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace amp::emu {

struct Dim3 {
  unsigned x = 1, y = 1, z = 1;
  unsigned count() const { return x * y * z; }
};

/// Global memory that a kernel may touch.
struct Buffer {
  std::string name;
  void *data = nullptr;
  size_t size = 0;
  /// Whether the host has written it; reading what nobody wrote is reported.
  bool initialised = true;
  bool readOnly = false;
};

struct Launch {
  /// The kernel: takes an array with the address of each argument.
  void (*entry)(void **) = nullptr;
  void **arguments = nullptr;
  /// Static and dynamic shared memory of a block, in bytes.
  unsigned sharedBytes = 0, dynamicSharedBytes = 0;
  /// That each thread begins with; 0: not known.
  unsigned registers = 0;
  Dim3 grid, block, cluster;
  std::vector<Buffer> buffers;
  /// The descriptors among the arguments; tensor copies know no others.
  std::vector<const TensorMap *> tensorMaps;
};

struct LaunchOptions {
  /// 0 is the plain order; others perturb threads and asynchronous copies.
  uint64_t seed = 0;
  /// Checks of every access against shadow memory.
  bool check = true;
  /// Counts bank conflicts and memory transactions of ordinary accesses too.
  bool countTransactions = false;
  /// Host threads.
  unsigned jobs = 1;
  /// What a thread may take before its loop counts as endless; 0: anything. A
  /// round of a loop is 1 step, a memory access 4, an instruction 64, and so is
  /// a read of the place that was read just before. Waiting for an atomic that
  /// does not change is none.
  uint64_t stepLimit = defaultStepLimit;
  static constexpr uint64_t defaultStepLimit = uint64_t(1) << 30;
  /// Where the kernel's printf goes; null discards it.
  void (*print)(const std::string &text) = nullptr;
};

/// One finding, with the place and the threads that it is about.
struct Report {
  std::string where;                    // "gemm.mlir:12:3"
  std::string message;                  // without where
  std::string otherWhere, otherMessage; // the other access, empty if none
  uint64_t cluster = 0;
  uint64_t times = 1; // how often it was found

  /// As a compiler prints it: "gemm.mlir:12:3: error: ...", and a note.
  std::string format() const;
};

struct Statistics {
  uint64_t fiberSwitches = 0, collectives = 0, sharedChecks = 0,
           globalChecks = 0;
  uint64_t mmaFlops = 0, wgmmaFlops = 0;
  /// Rows read or written by ldmatrix and stmatrix in one pass, and the passes
  /// that bank conflicts add.
  uint64_t matrixPasses = 0, matrixConflicts = 0;
  /// Ordinary shared accesses of warps: passes, and those added by conflicts.
  uint64_t sharedPasses = 0, sharedConflicts = 0;
  /// Global memory: accesses of warps, 32-byte sectors, bytes asked for.
  uint64_t globalRequests = 0, globalSectors = 0, globalBytes = 0;
  /// Tensor and bulk copies.
  uint64_t bulkBytes = 0;
  double seconds = 0;
  /// Of all host threads, without the time that others had their cores.
  double cpuSeconds = 0;

  void add(const Statistics &other);
};

struct Outcome {
  /// One per kind and place, in the order of clusters.
  std::vector<Report> reports;
  Statistics statistics;
};

/// Runs the kernel to its end, or until nothing can run any more (which is
/// reported). `instructions` belong to the lowered code behind `launch.entry`.
Outcome runLaunch(const Launch &launch,
                  const std::vector<Instruction> &instructions,
                  const LaunchOptions &options);

/// The first rule of the hardware that the launch breaks (a grid that is not a
/// multiple of the cluster, more than 1024 threads...), or an empty string.
std::string validateLaunch(const Launch &launch);

} // namespace amp::emu

// What lowered code calls. `instruction` is an index into the launch's table.
extern "C" {
void ampEmuExecute(int64_t instruction, char *arguments, char *result);
/// The same for a thread whenever it asks; the clock is not.
int32_t ampEmuSpecialRegister(int32_t which);
int64_t ampEmuClock();
/// Base of the block's shared memory.
void *ampEmuShared();
/// The address of a 32-bit shared address.
void *ampEmuSharedAddress(int32_t offset);
void ampEmuAccess(void *address, int32_t size, int64_t instruction);
void ampEmuAtomic(void *address, int32_t size, int64_t instruction);
void ampEmuAtomicDone(void *address, int64_t instruction);
/// Local memory: a new variable, and the end of those since a mark.
void *ampEmuLocal(int64_t bytes, int32_t alignment, int64_t instruction);
void *ampEmuLocalMark();
void ampEmuLocalRelease(void *mark);
/// The running thread's count of steps, which loops take down, and what they
/// call when it is below zero.
int64_t *ampEmuSteps();
void ampEmuStepsTaken(int64_t instruction);
int32_t ampEmuPrint(char *format, char *arguments);
void ampEmuAssert(char *message, char *file, int32_t line, char *function,
                  int64_t charSize);
}

#endif // AMP_EMULATOR_LAUNCH_H
