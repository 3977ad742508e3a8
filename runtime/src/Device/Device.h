//===-- Device.h - What a device implements ---------------------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The functions of amp-rt/Device.h, Kernel.h and Event.h check what does not
// depend on the device (nulls, versions, negative sizes, the rules of tensor
// maps) and then call these methods, one for each. A device with kernels
// overrides the methods below "Kernels"; the host keeps what is there, which
// refuses.
//
//===----------------------------------------------------------------------===//
#ifndef AMP_RT_SRC_DEVICE_DEVICE_H
#define AMP_RT_SRC_DEVICE_DEVICE_H

#include "amp-rt/Device.h"
#include "amp-rt/Event.h"
#include "amp-rt/Kernel.h"

struct AmpRtGraph;

struct AmpRtDevice {
  virtual const char *name() const = 0;
  virtual AmpRtStatus properties(AmpRtDeviceProperties &properties) const = 0;
  /// `bytes` is not negative; `alignment` is 0 or a power of two up to 2^32.
  virtual AmpRtStatus allocate(const char *call, int64_t bytes,
                               int64_t alignment, void *&pointer) = 0;
  /// `pointer` is not null.
  virtual AmpRtStatus free(const char *call, void *pointer) = 0;
  /// `bytes` is above 0, the pointers are not null.
  virtual AmpRtStatus copy(const char *call, void *target, const void *source,
                           int64_t bytes, AmpRtCopyKind kind) = 0;
  virtual void statistics(AmpRtDeviceStatistics &statistics) const = 0;
  virtual void resetPeak() = 0;
  /// The grid is not empty and no number in it negative; every number of the
  /// cluster is at least 1 and divides the grid's; arguments and sizes are
  /// there.
  virtual AmpRtStatus launch(const AmpRtLaunch &launch) = 0;
  /// How many blocks of a launch run at a time, whatever its grid says. Without
  /// an answer of the device's own they are not limited.
  virtual AmpRtStatus
  residentBlocks(const char *call, const AmpRtLaunch &launch, int64_t &blocks);
  virtual AmpRtStatus synchronize(const char *call) = 0;
  virtual AmpRtStatus close(const char *call) { return synchronize(call); }
  virtual void *nativeStream() { return nullptr; }

  // Kernels.

  /// Refuses a chip whose kernels the device cannot run; empty is that of
  /// kernels in text.
  virtual AmpRtStatus checkChip(const char *call, const char *chip) const;
  /// `bytes` is above 0.
  virtual AmpRtStatus loadModule(const char *call, const char *name,
                                 const void *image, int64_t bytes,
                                 AmpRtModule *&module);
  /// The description obeys every rule that is not of one device, and what its
  /// rank and kind leave unused is 0.
  virtual AmpRtStatus
  encodeTensorMap(const char *call,
                  const AmpRtTensorMapDescription &description,
                  AmpRtTensorMap &map);
  virtual AmpRtStatus createEvent(const char *call, AmpRtEvent *&event);

  // Graphs.

  /// From here on launches and copies that this thread asks for are noted and
  /// not done. What would wait, and memory, are refused.
  virtual AmpRtStatus beginCapture(const char *call);
  /// To here, whatever is returned.
  virtual AmpRtStatus endCapture(const char *call, AmpRtGraph *&graph);

protected:
  // Devices are the library's own and never deleted.
  ~AmpRtDevice() = default;

private:
  AmpRtStatus failNotOffered(const char *call, const char *what) const;
};

struct AmpRtModule {
  /// Unloads and deletes this.
  virtual AmpRtStatus unload(const char *call) = 0;
  virtual AmpRtStatus kernel(const char *call, const char *name,
                             AmpRtKernel *&kernel) = 0;

protected:
  ~AmpRtModule() = default;
};

struct AmpRtKernel {
  virtual AmpRtStatus attributes(AmpRtKernelAttributes &attributes) = 0;

protected:
  ~AmpRtKernel() = default;
};

struct AmpRtEvent {
  /// Deletes this.
  virtual AmpRtStatus destroy(const char *call) = 0;
  virtual AmpRtStatus record(const char *call) = 0;
  virtual AmpRtDevice &device() = 0;
  /// Of the same device, from `start` to this.
  virtual AmpRtStatus elapsed(const char *call, AmpRtEvent &start,
                              double &milliseconds) = 0;

protected:
  ~AmpRtEvent() = default;
};

/// What was noted between beginCapture and endCapture.
struct AmpRtGraph {
  /// Deletes this.
  virtual AmpRtStatus destroy(const char *call) = 0;
  /// Has all of it done, in its order, behind what was asked for before.
  virtual AmpRtStatus launch(const char *call) = 0;

protected:
  ~AmpRtGraph() = default;
};

namespace amp::rt {

/// The one host device of the process.
AmpRtDevice &hostDevice();

/// The one CUDA device of the process, opened if it is not.
AmpRtStatus openCudaDevice(const char *call, AmpRtDevice *&device);

/// The one emulator of the process, opened if it is not.
AmpRtStatus openEmulatorDevice(const char *call, AmpRtDevice *&device);

/// Refuses sizes and alignments that no device has.
AmpRtStatus checkAllocation(const char *call, const AmpRtDevice &device,
                            int64_t bytes, int64_t alignment);

/// Refuses a size that no copy has, and nulls unless there is nothing to copy.
AmpRtStatus checkCopy(const char *call, const AmpRtDevice &device,
                      const void *target, const void *source, int64_t bytes);

/// A copy that is checked so.
AmpRtStatus copyBytes(const char *call, AmpRtDevice &device, void *target,
                      const void *source, int64_t bytes, AmpRtCopyKind kind);

/// Checks a description against the rules that the CUDA driver documents for
/// tensor maps, and copies it without what its rank and kind leave unused.
AmpRtStatus checkTensorMap(const char *call, const char *device,
                           const AmpRtTensorMapDescription &description,
                           AmpRtTensorMapDescription &normal);

} // namespace amp::rt

#endif // AMP_RT_SRC_DEVICE_DEVICE_H
