//===-- KernelRun.h - A kernel and its tensors on a device -*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef AMP_TOOLS_AMP_KERNEL_BENCH_KERNELRUN_H
#define AMP_TOOLS_AMP_KERNEL_BENCH_KERNELRUN_H

#include "Problem.h"
#include "amp-rt/Device.h"
#include "amp-rt/Kernel.h"

#include <map>

namespace amp::bench {

/// Memory of one set of a problem's tensors, by name. Several sets keep a small
/// problem from being measured in the cache.
class TensorSet {
public:
  explicit TensorSet(AmpRtDevice *device) : device(device) {}
  TensorSet(const TensorSet &) = delete;
  ~TensorSet();

  /// Returns the failure's text, as all functions here. Asked for again with
  /// more bytes, a tensor moves and is empty.
  std::string allocate(const std::string &name, int64_t bytes);
  void *at(const std::string &name) const;
  int64_t bytesOf(const std::string &name) const;
  std::string write(const std::string &name,
                    const std::vector<unsigned char> &bytes);
  std::string read(const std::string &name,
                   std::vector<unsigned char> &bytes) const;

private:
  struct Memory {
    void *pointer;
    int64_t bytes;
  };
  AmpRtDevice *device;
  std::map<std::string, Memory> tensors;
};

/// A kernel's module and, for each set, its launches.
class KernelRun {
public:
  KernelRun(AmpRtDevice *device, const KernelEntry &kernel)
      : device(device), kernel(kernel) {}
  KernelRun(const KernelRun &) = delete;
  ~KernelRun() { ampRtModuleUnload(module); }

  std::string load(const std::string &folder);
  /// Allocates what the kernel needs besides the problem's tensors.
  std::string allocate(const Problem &problem, TensorSet &set) const;
  std::string addSet(const TensorSet &set);
  std::string launch(size_t set);

private:
  struct Prepared {
    AmpRtLaunch launch = {};
    std::vector<AmpRtTensorMap> maps;
    std::vector<void *> pointers;
    std::vector<int32_t> numbers;
    std::vector<void *> arguments;
    std::vector<int64_t> bytes;
  };
  std::string prepare(const Launch &launch, const TensorSet &set,
                      Prepared &prepared);
  std::string encodeMap(const Argument &argument, void *address,
                        AmpRtTensorMap &map);

  AmpRtDevice *device;
  const KernelEntry &kernel;
  AmpRtModule *module = nullptr;
  std::vector<std::vector<std::unique_ptr<Prepared>>> sets;
};

} // namespace amp::bench

#endif // AMP_TOOLS_AMP_KERNEL_BENCH_KERNELRUN_H
