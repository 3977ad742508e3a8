//===-- CudaDevice.h - A GPU through the CUDA driver -*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef AMP_RT_SRC_DEVICE_CUDA_CUDADEVICE_H
#define AMP_RT_SRC_DEVICE_CUDA_CUDADEVICE_H

#include "Device/Cuda/CudaMemory.h"
#include "Device/Cuda/Driver.h"
#include "Device/Device.h"
#include "Device/TensorMapCache.h"

#include <atomic>
#include <thread>

namespace amp::rt::cuda {

class CudaKernel;

/// What the driver says of the GPU.
struct CudaLimits {
  char model[128];
  size_t totalBytes;
  int processors;
  int cacheBytes;
  int computeMajor;
  int computeMinor;
  int sharedBytes;
};

class CudaDevice final : public AmpRtDevice {
public:
  AmpRtStatus open(const char *call);

  const char *name() const override { return "cuda"; }
  AmpRtStatus properties(AmpRtDeviceProperties &properties) const override;
  AmpRtStatus allocate(const char *call, int64_t bytes, int64_t alignment,
                       void *&pointer) override;
  AmpRtStatus free(const char *call, void *pointer) override;
  AmpRtStatus copy(const char *call, void *target, const void *source,
                   int64_t bytes, AmpRtCopyKind kind) override;
  void statistics(AmpRtDeviceStatistics &statistics) const override {
    memory.statistics(statistics);
  }
  void resetPeak() override { memory.resetPeak(); }
  AmpRtStatus launch(const AmpRtLaunch &launch) override;
  AmpRtStatus residentBlocks(const char *call, const AmpRtLaunch &launch,
                             int64_t &blocks) override;
  AmpRtStatus synchronize(const char *call) override;
  AmpRtStatus close(const char *call) override;
  void *nativeStream() override { return stream; }
  AmpRtStatus checkChip(const char *call, const char *chip) const override;
  AmpRtStatus loadModule(const char *call, const char *name, const void *image,
                         int64_t bytes, AmpRtModule *&module) override;
  AmpRtStatus encodeTensorMap(const char *call,
                              const AmpRtTensorMapDescription &description,
                              AmpRtTensorMap &map) override;
  AmpRtStatus createEvent(const char *call, AmpRtEvent *&event) override;
  AmpRtStatus beginCapture(const char *call) override;
  AmpRtStatus endCapture(const char *call, AmpRtGraph *&graph) override;

private:
  friend class Scope;
  friend class CudaModule;
  friend class CudaKernel;
  friend class CudaEvent;
  friend class CudaGraph;

  AmpRtStatus readLimits(const char *call);
  AmpRtStatus openContext(const char *call);
  AmpRtStatus failClosed(const char *call) const;
  bool isCapturing() const {
    return capturing.load() == std::this_thread::get_id();
  }
  /// Where this thread's launches and copies go.
  Stream currentStream() const {
    return isCapturing() ? captureStream : stream;
  }
  /// Ends a capture that could not be ended before: the driver refuses its
  /// thread memory and waits as long as it goes on.
  void dropCapture();
  /// Refuses what cannot be part of a graph.
  AmpRtStatus refuseInCapture(const char *call, const char *what) const;
  /// Refuses what is no kernel of this device.
  AmpRtStatus findKernel(const char *call, const AmpRtLaunch &launch,
                         CudaKernel *&kernel);

  Driver driver;
  CudaLimits limits = {};
  Device ordinal = 0;
  Context context = nullptr;
  Stream stream = nullptr;
  /// Of the thread that captures, or of none. Others go on with the stream.
  std::atomic<std::thread::id> capturing{};
  Stream captureStream = nullptr;
  std::atomic<Stream> abandoned{nullptr}; ///< of a capture not ended
  CudaMemory memory;
  TensorMapCache tensorMaps;
  /// Modules, events and graphs.
  std::atomic<int64_t> liveObjects{0};
  std::atomic<bool> isOpen{false};
  /// Of opening and closing.
  std::mutex mutex;
};

/// Makes the device's context current for a function, and then again what was
/// current before: other libraries of the thread may have their own.
class Scope {
public:
  Scope(CudaDevice &device, const char *call);
  ~Scope();
  Scope(const Scope &) = delete;

  /// Not AMP_RT_OK: the function has to return it.
  AmpRtStatus status;

private:
  CudaDevice &device;
};

} // namespace amp::rt::cuda

#endif // AMP_RT_SRC_DEVICE_CUDA_CUDADEVICE_H
