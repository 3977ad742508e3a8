//===-- Baseline.h - What a kernel is compared with -*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The vendor's libraries, opened at run time. They work on the device's own
// stream and in its primary context, so that their times and ours are measured
// alike.
//
//===----------------------------------------------------------------------===//
#ifndef AMP_TOOLS_AMP_KERNEL_BENCH_BASELINE_H
#define AMP_TOOLS_AMP_KERNEL_BENCH_BASELINE_H

#include "KernelRun.h"

namespace amp::bench {

class Baseline {
public:
  virtual ~Baseline() = default;
  virtual const char *name() const = 0;
  /// Chooses an algorithm for the problem. Returns why there is none, or an
  /// empty text.
  virtual std::string prepare(const Problem &problem) = 0;
  /// Computes the problem without its epilogue, after prepare.
  virtual std::string run(const TensorSet &set) = 0;
};

/// Each opens its library; null, and why, if there is none. The object serves
/// one problem after another.
std::unique_ptr<Baseline> createCublasLt(AmpRtDevice *device,
                                         std::string &reason);
std::unique_ptr<Baseline> createCudnn(AmpRtDevice *device, std::string &reason);

/// Opens a library: the file that the environment variable names and no other;
/// else the first of the sonames that the system finds, or that lies in one of
/// the folders of a Python's site-packages (of VIRTUAL_ENV, and of the
/// `python3` on the PATH).
void *openVendorLibrary(const char *variable,
                        const std::vector<std::string> &sonames,
                        const std::vector<std::string> &folders,
                        const char *package, std::string &reason);

/// Memory for algorithms, freed with its owner.
class Workspace {
public:
  explicit Workspace(AmpRtDevice *device) : device(device) {}
  Workspace(const Workspace &) = delete;
  ~Workspace() { ampRtDeviceFree(device, pointer); }
  std::string reserve(int64_t bytes);
  void *get() const { return pointer; }
  int64_t size() const { return bytes; }

private:
  AmpRtDevice *device;
  void *pointer = nullptr;
  int64_t bytes = 0;
};

} // namespace amp::bench

#endif // AMP_TOOLS_AMP_KERNEL_BENCH_BASELINE_H
