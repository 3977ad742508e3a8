//===-- CudaAbiTest.cpp - Our declarations of the driver against cuda.h
//---------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compiles to one skipped test where no toolkit is installed.
//
//===----------------------------------------------------------------------===//

#include "Device/Cuda/DriverAbi.h"
#include "amp-rt/Kernel.h"

#include <gtest/gtest.h>

#if __has_include(<cuda.h>) && __has_include(<cudaTypedefs.h>)

#include <cuda.h>
#include <cudaTypedefs.h>

#include <type_traits>

namespace ours = amp::rt::cuda;

namespace amp::rt::cuda {
namespace {

//===----------------------------------------------------------------------===//
// Functions: for each parameter of cuda.h's type, ours has the same size and
// passes in the same way.
//===----------------------------------------------------------------------===//

template <typename Ours, typename Theirs> constexpr bool isSameArgument() {
  if constexpr (std::is_pointer_v<Theirs>)
    return std::is_pointer_v<Ours>;
  else
    return std::is_integral_v<Ours> && !std::is_pointer_v<Ours> &&
           sizeof(Ours) == sizeof(Theirs);
}

template <typename Ours, typename Theirs> struct IsSameFunction {
  static constexpr bool value = false;
};
template <typename... Ours, typename... Theirs>
struct IsSameFunction<Result(Ours...), CUresult (*)(Theirs...)> {
  static constexpr bool value = [] {
    if constexpr (sizeof...(Ours) == sizeof...(Theirs))
      return (isSameArgument<Ours, Theirs>() && ...);
    else
      return false;
  }();
};

// The versions of cudaTypedefs.h are those at which the parameters changed,
// which are the ones we ask for.
#define CHECK_FUNCTION(name, version, parameters)                              \
  static_assert(                                                               \
      IsSameFunction<Result parameters, PFN_cu##name##_v##version>::value,     \
      "cu" #name " has other parameters");
AMP_RT_CUDA_FUNCTIONS(CHECK_FUNCTION)
AMP_RT_CUDA_OPTIONAL_FUNCTIONS(CHECK_FUNCTION)
#undef CHECK_FUNCTION

} // namespace
} // namespace amp::rt::cuda

//===----------------------------------------------------------------------===//
// Structs and numbers
//===----------------------------------------------------------------------===//

static_assert(sizeof(ours::DevicePointer) == sizeof(CUdeviceptr));
// Aligned to 64 by the headers of CUDA 12, to 128 by those of CUDA 13.
static_assert(sizeof(ours::TensorMap) == sizeof(CUtensorMap) &&
              alignof(ours::TensorMap) % alignof(CUtensorMap) == 0);
static_assert(sizeof(AmpRtTensorMap) == sizeof(CUtensorMap) &&
              alignof(AmpRtTensorMap) % alignof(CUtensorMap) == 0);

static_assert(sizeof(ours::LaunchConfig) == sizeof(CUlaunchConfig));
static_assert(offsetof(ours::LaunchConfig, block) ==
              offsetof(CUlaunchConfig, blockDimX));
static_assert(offsetof(ours::LaunchConfig, sharedBytes) ==
              offsetof(CUlaunchConfig, sharedMemBytes));
static_assert(offsetof(ours::LaunchConfig, stream) ==
              offsetof(CUlaunchConfig, hStream));
static_assert(offsetof(ours::LaunchConfig, attributes) ==
              offsetof(CUlaunchConfig, attrs));
static_assert(offsetof(ours::LaunchConfig, attributeCount) ==
              offsetof(CUlaunchConfig, numAttrs));

static_assert(sizeof(ours::LaunchAttribute) == sizeof(CUlaunchAttribute));
static_assert(offsetof(ours::LaunchAttribute, value) ==
              offsetof(CUlaunchAttribute, value));
static_assert(offsetof(ours::LaunchAttribute, value.clusterDimension.z) ==
              offsetof(CUlaunchAttribute, value.clusterDim.z));

static_assert(sizeof(ours::MemoryPoolProperties) == sizeof(CUmemPoolProps));
static_assert(offsetof(ours::MemoryPoolProperties, location) ==
              offsetof(CUmemPoolProps, location));
static_assert(offsetof(ours::MemoryPoolProperties, securityAttributes) ==
              offsetof(CUmemPoolProps, win32SecurityAttributes));
static_assert(offsetof(ours::MemoryPoolProperties, maxSize) ==
              offsetof(CUmemPoolProps, maxSize));
static_assert(offsetof(ours::MemoryPoolProperties, reserved) ==
              offsetof(CUmemPoolProps, reserved));

#define SAME(ours, theirs)                                                     \
  static_assert(static_cast<long long>(ours) ==                                \
                    static_cast<long long>(theirs),                            \
                #ours " is not " #theirs)
SAME(ours::kSuccess, CUDA_SUCCESS);
SAME(ours::kErrorInvalidValue, CUDA_ERROR_INVALID_VALUE);
SAME(ours::kErrorOutOfMemory, CUDA_ERROR_OUT_OF_MEMORY);
SAME(ours::kErrorNoDevice, CUDA_ERROR_NO_DEVICE);
SAME(ours::kErrorInvalidImage, CUDA_ERROR_INVALID_IMAGE);
SAME(ours::kErrorNoBinaryForGpu, CUDA_ERROR_NO_BINARY_FOR_GPU);
SAME(ours::kErrorInvalidPtx, CUDA_ERROR_INVALID_PTX);
SAME(ours::kErrorUnsupportedPtxVersion, CUDA_ERROR_UNSUPPORTED_PTX_VERSION);
SAME(ours::kErrorNotFound, CUDA_ERROR_NOT_FOUND);
SAME(ours::kErrorIllegalAddress, CUDA_ERROR_ILLEGAL_ADDRESS);
SAME(ours::kErrorLaunchFailed, CUDA_ERROR_LAUNCH_FAILED);
SAME(ours::kErrorLaunchTimeout, CUDA_ERROR_LAUNCH_TIMEOUT);
SAME(ours::kErrorAssert, CUDA_ERROR_ASSERT);
SAME(ours::kErrorHardwareStackError, CUDA_ERROR_HARDWARE_STACK_ERROR);
SAME(ours::kDeviceMultiprocessorCount,
     CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
SAME(ours::kDeviceL2CacheSize, CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE);
SAME(ours::kDeviceComputeCapabilityMajor,
     CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
SAME(ours::kDeviceComputeCapabilityMinor,
     CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
SAME(ours::kDeviceMaxSharedMemoryPerBlockOptin,
     CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
SAME(ours::kDeviceMemoryPoolsSupported,
     CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED);
SAME(ours::kFunctionMaxThreadsPerBlock,
     CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
SAME(ours::kFunctionSharedSizeBytes, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES);
SAME(ours::kFunctionLocalSizeBytes, CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES);
SAME(ours::kFunctionNumRegs, CU_FUNC_ATTRIBUTE_NUM_REGS);
SAME(ours::kFunctionMaxDynamicSharedSizeBytes,
     CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES);
SAME(ours::kFunctionRequiredClusterWidth,
     CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH);
SAME(ours::kFunctionRequiredClusterHeight,
     CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT);
SAME(ours::kFunctionRequiredClusterDepth,
     CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH);
SAME(ours::kFunctionNonPortableClusterSizeAllowed,
     CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED);
SAME(ours::kMemoryPoolReleaseThreshold, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD);
SAME(ours::kJitErrorLogBuffer, CU_JIT_ERROR_LOG_BUFFER);
SAME(ours::kJitErrorLogBufferSizeBytes, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES);
SAME(ours::kMemoryAllocationPinned, CU_MEM_ALLOCATION_TYPE_PINNED);
SAME(ours::kMemoryLocationDevice, CU_MEM_LOCATION_TYPE_DEVICE);
SAME(ours::kLaunchClusterDimension, CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION);
SAME(ours::kLaunchProgrammaticStreamSerialization,
     CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION);
SAME(ours::kStreamNonBlocking, CU_STREAM_NON_BLOCKING);
SAME(ours::kEventDefault, CU_EVENT_DEFAULT);
SAME(ours::kCaptureModeThreadLocal, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL);

SAME(AMP_RT_TENSOR_MAP_UINT8, CU_TENSOR_MAP_DATA_TYPE_UINT8);
SAME(AMP_RT_TENSOR_MAP_UINT16, CU_TENSOR_MAP_DATA_TYPE_UINT16);
SAME(AMP_RT_TENSOR_MAP_UINT32, CU_TENSOR_MAP_DATA_TYPE_UINT32);
SAME(AMP_RT_TENSOR_MAP_INT32, CU_TENSOR_MAP_DATA_TYPE_INT32);
SAME(AMP_RT_TENSOR_MAP_UINT64, CU_TENSOR_MAP_DATA_TYPE_UINT64);
SAME(AMP_RT_TENSOR_MAP_INT64, CU_TENSOR_MAP_DATA_TYPE_INT64);
SAME(AMP_RT_TENSOR_MAP_FLOAT16, CU_TENSOR_MAP_DATA_TYPE_FLOAT16);
SAME(AMP_RT_TENSOR_MAP_FLOAT32, CU_TENSOR_MAP_DATA_TYPE_FLOAT32);
SAME(AMP_RT_TENSOR_MAP_FLOAT64, CU_TENSOR_MAP_DATA_TYPE_FLOAT64);
SAME(AMP_RT_TENSOR_MAP_BFLOAT16, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16);
SAME(AMP_RT_TENSOR_MAP_FLOAT32_FLUSHED, CU_TENSOR_MAP_DATA_TYPE_FLOAT32_FTZ);
SAME(AMP_RT_TENSOR_MAP_TFLOAT32, CU_TENSOR_MAP_DATA_TYPE_TFLOAT32);
SAME(AMP_RT_TENSOR_MAP_TFLOAT32_FLUSHED, CU_TENSOR_MAP_DATA_TYPE_TFLOAT32_FTZ);
SAME(AMP_RT_TENSOR_MAP_INTERLEAVE_16B, CU_TENSOR_MAP_INTERLEAVE_16B);
SAME(AMP_RT_TENSOR_MAP_INTERLEAVE_32B, CU_TENSOR_MAP_INTERLEAVE_32B);
SAME(AMP_RT_TENSOR_MAP_SWIZZLE_32B, CU_TENSOR_MAP_SWIZZLE_32B);
SAME(AMP_RT_TENSOR_MAP_SWIZZLE_64B, CU_TENSOR_MAP_SWIZZLE_64B);
SAME(AMP_RT_TENSOR_MAP_SWIZZLE_128B, CU_TENSOR_MAP_SWIZZLE_128B);
SAME(AMP_RT_TENSOR_MAP_PROMOTE_64B, CU_TENSOR_MAP_L2_PROMOTION_L2_64B);
SAME(AMP_RT_TENSOR_MAP_PROMOTE_128B, CU_TENSOR_MAP_L2_PROMOTION_L2_128B);
SAME(AMP_RT_TENSOR_MAP_PROMOTE_256B, CU_TENSOR_MAP_L2_PROMOTION_L2_256B);
SAME(AMP_RT_TENSOR_MAP_FILL_NAN,
     CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA);

TEST(CudaAbi, AgreesWithTheToolkit) {
  // The assertions above were compiled.
  EXPECT_GE(CUDA_VERSION, 12000);
}

#else

TEST(CudaAbi, AgreesWithTheToolkit) { GTEST_SKIP() << "no CUDA toolkit here"; }

#endif
