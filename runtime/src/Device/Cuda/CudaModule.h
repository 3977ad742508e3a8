//===-- CudaModule.h - Device code and its kernels -*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef AMP_RT_SRC_DEVICE_CUDA_CUDAMODULE_H
#define AMP_RT_SRC_DEVICE_CUDA_CUDAMODULE_H

#include "Device/Cuda/CudaDevice.h"

namespace amp::rt::cuda {

class CudaModule;

/// A kernel with what a launch checks, asked of the driver once.
class CudaKernel final : public AmpRtKernel {
public:
  static constexpr uint32_t kTag = 0x6b726e6c; // "krnl"

  CudaKernel(CudaModule &module, Function function)
      : module(module), function(function) {}

  AmpRtStatus read(const char *call);
  AmpRtStatus attributes(AmpRtKernelAttributes &attributes) override;
  AmpRtStatus launch(const char *call, const AmpRtLaunch &launch);
  AmpRtStatus residentBlocks(const char *call, const AmpRtLaunch &launch,
                             int64_t &blocks);

  /// Of live kernels, for launches that are given something else.
  uint32_t tag = kTag;
  CudaModule &module;
  char *name = nullptr;
  CudaKernel *next = nullptr;

private:
  void readArguments();
  AmpRtStatus checkThreads(const char *call, const AmpRtLaunch &launch) const;
  AmpRtStatus checkCluster(const char *call, const AmpRtLaunch &launch) const;
  AmpRtStatus checkArguments(const char *call, const AmpRtLaunch &launch) const;
  AmpRtStatus prepare(const char *call, const AmpRtLaunch &launch);
  AmpRtStatus raise(const char *call, int attribute, int value,
                    std::atomic<int> &current);
  int64_t sharedLimit() const;
  const Driver &driver() const;

  static constexpr int kMaxArguments = 64;

  Function function;
  int threadsLimit = 0;
  int staticSharedBytes = 0;
  int localBytes = 0;
  int registers = 0;
  int requiredCluster[3] = {0, 0, 0};
  /// -1: the driver cannot say.
  int argumentCount = -1;
  size_t argumentBytes[kMaxArguments] = {};
  /// What the driver was last told; launches may come from several threads.
  std::atomic<int> dynamicSharedBytes{48 * 1024};
  std::atomic<int> mayHaveLargeClusters{0};
};

class CudaModule final : public AmpRtModule {
public:
  CudaModule(CudaDevice &device, Module module)
      : device(device), module(module) {
    ++device.liveObjects;
  }
  ~CudaModule();

  AmpRtStatus unload(const char *call) override;
  AmpRtStatus kernel(const char *call, const char *name,
                     AmpRtKernel *&kernel) override;

  CudaDevice &device;
  char *name = nullptr;

private:
  AmpRtStatus create(const char *call, const char *name, CudaKernel *&kernel);

  Module module;
  std::mutex mutex;
  CudaKernel *kernels = nullptr;
};

} // namespace amp::rt::cuda

#endif // AMP_RT_SRC_DEVICE_CUDA_CUDAMODULE_H
