//===-- DriverAbi.h - What we use of the CUDA driver's ABI -*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Own declarations of the driver's binary interface, CUDA 12.0 and later, so
// that no toolkit is needed to build. Names and numbers are cuda.h's without
// the prefix; the unit tests compare them with cuda.h where a toolkit is
// installed.
//
//===----------------------------------------------------------------------===//
#ifndef AMP_RT_SRC_DEVICE_CUDA_DRIVERABI_H
#define AMP_RT_SRC_DEVICE_CUDA_DRIVERABI_H

#include <cstddef>
#include <cstdint>

namespace amp::rt::cuda {

using Result = int;
using Device = int;
using DevicePointer = unsigned long long;
using Context = struct ContextObject *;
using Stream = struct StreamObject *;
using Event = struct EventObject *;
using Module = struct ModuleObject *;
using Function = struct FunctionObject *;
using MemoryPool = struct MemoryPoolObject *;
using Graph = struct GraphObject *;
using GraphExec = struct GraphExecObject *;

enum : Result {
  kSuccess = 0,
  kErrorInvalidValue = 1,
  kErrorOutOfMemory = 2,
  kErrorNoDevice = 100,
  kErrorInvalidImage = 200,
  kErrorNoBinaryForGpu = 209,
  kErrorInvalidPtx = 218,
  kErrorUnsupportedPtxVersion = 222,
  kErrorNotFound = 500,
  kErrorIllegalAddress = 700,
  kErrorLaunchTimeout = 702,
  kErrorAssert = 710,
  kErrorHardwareStackError = 714,
  kErrorLaunchFailed = 719
};

enum : int {
  // CUdevice_attribute
  kDeviceMultiprocessorCount = 16,
  kDeviceL2CacheSize = 38,
  kDeviceComputeCapabilityMajor = 75,
  kDeviceComputeCapabilityMinor = 76,
  kDeviceMaxSharedMemoryPerBlockOptin = 97,
  kDeviceMemoryPoolsSupported = 115,
  // CUfunction_attribute
  kFunctionMaxThreadsPerBlock = 0,
  kFunctionSharedSizeBytes = 1,
  kFunctionLocalSizeBytes = 3,
  kFunctionNumRegs = 4,
  kFunctionMaxDynamicSharedSizeBytes = 8,
  kFunctionRequiredClusterWidth = 11,
  kFunctionRequiredClusterHeight = 12,
  kFunctionRequiredClusterDepth = 13,
  kFunctionNonPortableClusterSizeAllowed = 14,
  // CUmemPool_attribute
  kMemoryPoolReleaseThreshold = 4,
  // CUjit_option
  kJitErrorLogBuffer = 5,
  kJitErrorLogBufferSizeBytes = 6,
  // CUmemAllocationType, CUmemLocationType
  kMemoryAllocationPinned = 1,
  kMemoryLocationDevice = 1,
  // CUlaunchAttributeID
  kLaunchClusterDimension = 4,
  kLaunchProgrammaticStreamSerialization = 6
};

enum : unsigned { kStreamNonBlocking = 1, kEventDefault = 0 };
enum { kCaptureModeThreadLocal = 1 };

struct MemoryPoolProperties {
  int allocationType;
  int handleTypes;
  struct {
    int type;
    int id;
  } location;
  void *securityAttributes;
  size_t maxSize;
  unsigned short usage;
  unsigned char reserved[54];
};

struct LaunchAttribute {
  int id;
  char padding[4];
  union {
    char bytes[64];
    struct {
      unsigned x, y, z;
    } clusterDimension;
    int programmaticStreamSerializationAllowed;
  } value;
};

struct LaunchConfig {
  unsigned grid[3];
  unsigned block[3];
  unsigned sharedBytes;
  Stream stream;
  LaunchAttribute *attributes;
  unsigned attributeCount;
};

struct TensorMap {
  alignas(128) uint64_t opaque[16];
};

/// Every entry point that we call: its name without `cu`, the CUDA version from
/// which on it has these parameters, and the parameters.
#define AMP_RT_CUDA_FUNCTIONS(X)                                               \
  X(Init, 2000, (unsigned flags))                                              \
  X(DriverGetVersion, 2020, (int *version))                                    \
  X(GetErrorName, 6000, (Result, const char **text))                           \
  X(GetErrorString, 6000, (Result, const char **text))                         \
  X(DeviceGetCount, 2000, (int *count))                                        \
  X(DeviceGet, 2000, (Device *, int ordinal))                                  \
  X(DeviceGetName, 2000, (char *name, int length, Device))                     \
  X(DeviceTotalMem, 3020, (size_t *bytes, Device))                             \
  X(DeviceGetAttribute, 2000, (int *value, int attribute, Device))             \
  X(DevicePrimaryCtxRetain, 7000, (Context *, Device))                         \
  X(DevicePrimaryCtxRelease, 11000, (Device))                                  \
  X(CtxPushCurrent, 4000, (Context))                                           \
  X(CtxPopCurrent, 4000, (Context *))                                          \
  X(StreamCreate, 2000, (Stream *, unsigned flags))                            \
  X(StreamDestroy, 4000, (Stream))                                             \
  X(StreamSynchronize, 2000, (Stream))                                         \
  X(StreamBeginCapture, 10010, (Stream, int mode))                             \
  X(StreamEndCapture, 10000, (Stream, Graph *))                                \
  X(GraphInstantiateWithFlags, 11040, (GraphExec *, Graph, uint64_t flags))    \
  X(GraphLaunch, 10000, (GraphExec, Stream))                                   \
  X(GraphExecDestroy, 10000, (GraphExec))                                      \
  X(GraphDestroy, 10000, (Graph))                                              \
  X(MemAlloc, 3020, (DevicePointer *, size_t bytes))                           \
  X(MemFree, 3020, (DevicePointer))                                            \
  X(MemAllocFromPoolAsync, 11020,                                              \
    (DevicePointer *, size_t bytes, MemoryPool, Stream))                       \
  X(MemFreeAsync, 11020, (DevicePointer, Stream))                              \
  X(MemPoolCreate, 11020, (MemoryPool *, const MemoryPoolProperties *))        \
  X(MemPoolSetAttribute, 11020, (MemoryPool, int attribute, void *value))      \
  X(MemPoolDestroy, 11020, (MemoryPool))                                       \
  X(MemcpyHtoDAsync, 3020,                                                     \
    (DevicePointer, const void *, size_t bytes, Stream))                       \
  X(MemcpyDtoHAsync, 3020, (void *, DevicePointer, size_t bytes, Stream))      \
  X(MemcpyDtoDAsync, 3020,                                                     \
    (DevicePointer, DevicePointer, size_t bytes, Stream))                      \
  X(ModuleLoadDataEx, 2010,                                                    \
    (Module *, const void *image, unsigned optionCount, int *options,          \
     void **optionValues))                                                     \
  X(ModuleUnload, 2000, (Module))                                              \
  X(ModuleGetFunction, 2000, (Function *, Module, const char *name))           \
  X(FuncGetAttribute, 2020, (int *value, int attribute, Function))             \
  X(FuncSetAttribute, 9000, (Function, int attribute, int value))              \
  X(OccupancyMaxActiveBlocksPerMultiprocessor, 6050,                           \
    (int *count, Function, int threads, size_t sharedBytes))                   \
  X(OccupancyMaxActiveClusters, 11070,                                         \
    (int *count, Function, const LaunchConfig *))                              \
  X(LaunchKernelEx, 11060,                                                     \
    (const LaunchConfig *, Function, void **arguments, void **extra))          \
  X(EventCreate, 2000, (Event *, unsigned flags))                              \
  X(EventDestroy, 4000, (Event))                                               \
  X(EventRecord, 2000, (Event, Stream))                                        \
  X(EventSynchronize, 2000, (Event))                                           \
  X(EventElapsedTime, 2000, (float *milliseconds, Event start, Event end))     \
  X(TensorMapEncodeTiled, 12000,                                               \
    (TensorMap *, int type, uint32_t rank, void *address,                      \
     const uint64_t *sizes, const uint64_t *strides, const uint32_t *box,      \
     const uint32_t *steps, int interleave, int swizzle, int promotion,        \
     int fill))                                                                \
  X(TensorMapEncodeIm2col, 12000,                                              \
    (TensorMap *, int type, uint32_t rank, void *address,                      \
     const uint64_t *sizes, const uint64_t *strides, const int *lowerCorner,   \
     const int *upperCorner, uint32_t channels, uint32_t pixels,               \
     const uint32_t *steps, int interleave, int swizzle, int promotion,        \
     int fill))

/// The same for those that a driver of the oldest version need not have.
#define AMP_RT_CUDA_OPTIONAL_FUNCTIONS(X)                                      \
  X(FuncGetParamInfo, 12040,                                                   \
    (Function, size_t index, size_t *offset, size_t *bytes))

/// cuGetProcAddress of CUDA 12: the address in `function`.
using GetProcAddress = Result (*)(const char *name, void **function,
                                  int version, uint64_t flags,
                                  int *symbolStatus);

} // namespace amp::rt::cuda

#endif // AMP_RT_SRC_DEVICE_CUDA_DRIVERABI_H
