/*===-- amp-rt/Device.h - Memory and launches of one device --------*- C -*-===
 *
 * Part of the mlir-amp project, under the Apache License v2.0 with LLVM
 * Exceptions. See LICENSE for license information.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===
 *
 * One interface for every place a step can run. Devices are found by name:
 * "host" is in every build. "cuda" is an NVIDIA GPU: the driver is opened when
 * the device is first asked for, and a machine without one answers with
 * AMP_RT_UNAVAILABLE. "emulator" runs kernels in MLIR's NVVM dialect on the
 * CPU and checks them.
 *
 * The CUDA device is the first GPU that CUDA_VISIBLE_DEVICES leaves. Its driver
 * is the file that the environment variable AMP_RT_CUDA_DRIVER names, else
 * libcuda.so.1. It works in the GPU's primary context, which it shares with
 * other libraries of the process, on one stream of its own.
 *
 * The emulator is the file that AMP_RT_EMULATOR names, else
 * libAmpEmulatorDevice.so in the folder of this library; without it, the device
 * is AMP_RT_UNAVAILABLE. A race, a bad access, a loop without end (by
 * AMP_RT_EMULATOR_STEP_LIMIT, see docs/Emulator.md) and the like makes a launch
 * AMP_RT_DEVICE_ERROR, with the place in the text. AMP_RT_EMULATOR_SEED, read
 * at each launch, is the schedule's number; 0 is plain, the others perturb it.
 *
 * Copies and launches of one device happen in the order of the calls, and may
 * still be under way when a call returns; ampRtDeviceSynchronize waits for all
 * of them and reports what went wrong on the way. The host and the emulator do
 * everything before they return. All functions may be called by several
 * threads.
 *===----------------------------------------------------------------------===*/
#ifndef AMP_RT_DEVICE_H
#define AMP_RT_DEVICE_H

#include "amp-rt/Conventions.h"
#include "amp-rt/Status.h"

#include <stdint.h>

AMP_RT_BEGIN_DECLS

typedef struct AmpRtDevice AmpRtDevice;

/* The device of that name. It belongs to the library and lives as long as it;
 * asking again gives the same one. If it could not be opened, asking again
 * tries again. */
AMP_RT_API AmpRtStatus ampRtDeviceGet(const char *name, AmpRtDevice **device);

/* Waits for the device's work and gives back what the library holds of it
 * (stream, memory pool, context). Refused while memory, modules or events of it
 * are live, and no other thread may use the device meanwhile. Afterwards every
 * call with it is AMP_RT_UNAVAILABLE until ampRtDeviceGet has opened it again.
 * Nothing need be closed before the process ends. The host and the emulator
 * stay open. */
AMP_RT_API AmpRtStatus ampRtDeviceClose(AmpRtDevice *device);

/* The name it was found by; null for null. */
AMP_RT_API const char *ampRtDeviceName(const AmpRtDevice *device);

/*===----------------------------------------------------------------------===
 * Properties
 *===----------------------------------------------------------------------===*/

typedef struct AmpRtDeviceProperties {
  uint32_t structSize;      /* sizeof this struct */
  int32_t sharesHostMemory; /* 1 if the host may use its pointers, else 0 */
  int64_t totalBytes;       /* memory of the device */
  int64_t processors;       /* cores, or multiprocessors */
  int64_t alignment;        /* every allocation is aligned to this at least */
  int64_t sharedBytesLimit; /* shared memory a block may have; 0 on the host */
  int64_t cacheBytes;       /* last cache before the memory; 0 if unknown */
  int32_t computeMajor;     /* compute capability; 0 on the host */
  int32_t computeMinor;
  const char *model; /* e.g. "NVIDIA H200"; lives as long as the device */
} AmpRtDeviceProperties;

AMP_RT_STATIC_ASSERT(sizeof(AmpRtDeviceProperties) == 56 + sizeof(char *),
                     "AmpRtDeviceProperties has no padding");

AMP_RT_API AmpRtStatus ampRtDeviceGetProperties(
    const AmpRtDevice *device, AmpRtDeviceProperties *properties);

/*===----------------------------------------------------------------------===
 * Memory
 *===----------------------------------------------------------------------===*/

/* Allocates `bytes` (0 gives an address of its own, too). `alignment` is a
 * power of two, or 0 for the device's own. The memory is not initialised; the
 * caller frees it on the same device. */
AMP_RT_API AmpRtStatus ampRtDeviceAllocate(AmpRtDevice *device, int64_t bytes,
                                           int64_t alignment, void **pointer);

/* Frees what ampRtDeviceAllocate gave. Null does nothing. Another pointer,
 * one freed before, or on the host one of a run (Run.h) is
 * AMP_RT_INVALID_ARGUMENT. What a run has on other devices is not to be freed
 * here. */
AMP_RT_API AmpRtStatus ampRtDeviceFree(AmpRtDevice *device, void *pointer);

typedef enum AmpRtCopyKind {
  AMP_RT_COPY_TO_DEVICE = 0,   /* from host memory to the device's */
  AMP_RT_COPY_FROM_DEVICE = 1, /* from the device's memory to the host's */
  AMP_RT_COPY_ON_DEVICE = 2
} AmpRtCopyKind;

/* Copies `bytes`. Source and target may overlap only on the host device. The
 * host memory must stay as it is until the next synchronize. */
AMP_RT_API AmpRtStatus ampRtDeviceCopy(AmpRtDevice *device, void *target,
                                       const void *source, int64_t bytes,
                                       AmpRtCopyKind kind);

/* What was asked for, without the device's own overhead. The last two are of
 * the host device; 0 elsewhere. */
typedef struct AmpRtDeviceStatistics {
  uint32_t structSize; /* sizeof this struct */
  uint32_t reserved;
  int64_t bytesCurrent;
  int64_t bytesPeak; /* largest bytesCurrent since the peak was last reset */
  int64_t allocations;
  int64_t frees;
  /* With what is kept for later allocations, and the overhead of blocks. */
  int64_t bytesReserved;
  /* How many allocations were not served from what was kept. */
  int64_t systemAllocations;
} AmpRtDeviceStatistics;

AMP_RT_STATIC_ASSERT(sizeof(AmpRtDeviceStatistics) == 56,
                     "AmpRtDeviceStatistics has no padding");

AMP_RT_API AmpRtStatus ampRtDeviceGetStatistics(
    const AmpRtDevice *device, AmpRtDeviceStatistics *statistics);

/* Sets bytesPeak to bytesCurrent. Before a step, and bytesPeak after it is the
 * memory of the step. */
AMP_RT_API AmpRtStatus ampRtDeviceResetPeak(AmpRtDevice *device);

/*===----------------------------------------------------------------------===
 * Work
 *===----------------------------------------------------------------------===*/

/* A kernel of the host device: called once for each block of the grid, with the
 * launch's arguments and the block's three coordinates. */
typedef void (*AmpRtHostKernel)(void *const *arguments, const int64_t *block);

/* Flags of a launch. */
enum {
  /* The kernel may start before the one in front of it has ended, and waits for
   * it itself (programmatic dependent launch). The host ignores it. */
  AMP_RT_LAUNCH_OVERLAPS = 1
};

typedef struct AmpRtLaunch {
  uint32_t structSize;  /* sizeof this struct */
  uint32_t sharedBytes; /* dynamic shared memory of a block; 0 on the host */
  int64_t grid[3];      /* blocks, each at least 0; a 0 launches nothing */
  int64_t threads[3];   /* threads of a block, each at least 1; 1 on the host */
  int64_t cluster[3]; /* blocks of a cluster, each divides the grid; 0 means 1,
                         and only 1 is possible on the host */
  void *kernel;       /* an AmpRtKernel (Kernel.h); host: an AmpRtHostKernel */
  void *const *arguments; /* addresses of the arguments */
  const int64_t
      *argumentBytes;    /* their sizes, as the device cannot guess them */
  int32_t argumentCount; /* at least 0; with 0, the two above may be null */
  uint32_t flags;        /* AMP_RT_LAUNCH_... or 0 */
} AmpRtLaunch;

AMP_RT_STATIC_ASSERT(sizeof(AmpRtLaunch) == 88 + 3 * sizeof(void *),
                     "AmpRtLaunch has no padding");

/* Runs a kernel. The arguments are read before the call returns; the memory
 * they point to is used until the next synchronize. */
AMP_RT_API AmpRtStatus ampRtDeviceLaunch(AmpRtDevice *device,
                                         const AmpRtLaunch *launch);

/* Gives `launch`, which is not launched, the grid that fits the device, for
 * kernels that walk over their work and are right with any number of blocks.
 * Before, grid[0] is the most blocks that have work, and grid[1] and grid[2]
 * are
 * 1. Afterwards grid[0] is no more than that, than `blocksPerProcessor` for
 * each multiprocessor, and than the device has room for at a time, given the
 * kernel's registers, its shared memory and its clusters (of which a device may
 * hold fewer than its multiprocessors suggest). It is a multiple of `multiple`,
 * which the cluster divides, and at least that. The answer for one kernel and
 * device stays the same, so it can be kept. */
AMP_RT_API AmpRtStatus ampRtDeviceFitGrid(AmpRtDevice *device,
                                          AmpRtLaunch *launch,
                                          int64_t blocksPerProcessor,
                                          int64_t multiple);

/* Waits until everything asked of the device has happened. */
AMP_RT_API AmpRtStatus ampRtDeviceSynchronize(AmpRtDevice *device);

/* What libraries of the device's vendor take to work in order with its copies
 * and launches: on CUDA its CUstream. Null where there is no such thing. */
AMP_RT_API AmpRtStatus ampRtDeviceNativeStream(AmpRtDevice *device,
                                               void **stream);

AMP_RT_END_DECLS

#endif /* AMP_RT_DEVICE_H */
