//===-- CudaKernel.cpp - Launches and what they check first ---------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The driver answers most mistakes of a launch with the same "invalid
// argument", and some only when the kernel has run into them. What can be known
// before is checked before.
//
//===----------------------------------------------------------------------===//

#include "Device/Cuda/CudaModule.h"
#include "Support/Failure.h"

#include <cstdio>

using namespace amp::rt;
using namespace amp::rt::cuda;

// Of every GPU since compute capability 3.0.
static constexpr int64_t kGridLimits[] = {INT32_MAX, 65535, 65535};
static constexpr int64_t kThreadLimits[] = {1024, 1024, 64};
// Up to 8 blocks a cluster runs on every GPU that has clusters.
static constexpr int64_t kPortableCluster = 8, kLargestCluster = 16;

const Driver &CudaKernel::driver() const { return module.device.driver; }

int64_t CudaKernel::sharedLimit() const {
  return module.device.limits.sharedBytes - staticSharedBytes;
}

//===----------------------------------------------------------------------===//
// What the driver knows of a kernel
//===----------------------------------------------------------------------===//

AmpRtStatus CudaKernel::read(const char *call) {
  const struct {
    int attribute;
    int *value;
  } attributes[] = {{kFunctionMaxThreadsPerBlock, &threadsLimit},
                    {kFunctionSharedSizeBytes, &staticSharedBytes},
                    {kFunctionLocalSizeBytes, &localBytes},
                    {kFunctionNumRegs, &registers}};
  for (const auto &entry : attributes) {
    Result result =
        driver().FuncGetAttribute(entry.value, entry.attribute, function);
    if (result != kSuccess)
      return driver().fail(result, call, "cuFuncGetAttribute");
  }
  // Later than the oldest driver; without an answer the launch is the check.
  for (int i = 0; i < 3; ++i)
    if (driver().FuncGetAttribute(&requiredCluster[i],
                                  kFunctionRequiredClusterWidth + i,
                                  function) != kSuccess)
      requiredCluster[i] = 0;
  readArguments();
  return AMP_RT_OK;
}

void CudaKernel::readArguments() {
  if (!driver().FuncGetParamInfo)
    return;
  for (int i = 0; i < kMaxArguments; ++i) {
    size_t offset = 0;
    Result result = driver().FuncGetParamInfo(function, static_cast<size_t>(i),
                                              &offset, &argumentBytes[i]);
    if (result == kErrorInvalidValue) { // behind the last one
      argumentCount = i;
      return;
    }
    if (result != kSuccess)
      return;
  }
  // Too many to check.
}

AmpRtStatus CudaKernel::attributes(AmpRtKernelAttributes &attributes) {
  attributes.registers = registers;
  attributes.threadsLimit = threadsLimit;
  attributes.argumentCount = argumentCount;
  attributes.staticSharedBytes = staticSharedBytes;
  attributes.localBytes = localBytes;
  attributes.sharedBytesLimit = sharedLimit();
  return AMP_RT_OK;
}

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

AmpRtStatus CudaKernel::checkThreads(const char *call,
                                     const AmpRtLaunch &launch) const {
  for (int i = 0; i < 3; ++i)
    if (launch.grid[i] > kGridLimits[i] || launch.threads[i] > kThreadLimits[i])
      return fail(AMP_RT_INVALID_ARGUMENT,
                  "%s: kernel '%s': expected at most %lld blocks and %lld "
                  "threads in dimension %d, but got %lld and %lld; move the "
                  "rest to another dimension",
                  call, name, static_cast<long long>(kGridLimits[i]),
                  static_cast<long long>(kThreadLimits[i]), i,
                  static_cast<long long>(launch.grid[i]),
                  static_cast<long long>(launch.threads[i]));
  int64_t threads = launch.threads[0] * launch.threads[1] * launch.threads[2];
  if (threads > threadsLimit)
    return fail(AMP_RT_INVALID_ARGUMENT,
                "%s: kernel '%s': expected at most %d threads in a block, as "
                "its %d registers allow, but got %lld; compile it for more "
                "threads",
                call, name, threadsLimit, registers,
                static_cast<long long>(threads));
  if (launch.sharedBytes > sharedLimit())
    return fail(AMP_RT_INVALID_ARGUMENT,
                "%s: kernel '%s': expected at most %lld bytes of dynamic "
                "shared memory on the %s, but got %u; use smaller tiles or "
                "fewer stages",
                call, name, static_cast<long long>(sharedLimit()),
                module.device.limits.model, launch.sharedBytes);
  return AMP_RT_OK;
}

AmpRtStatus CudaKernel::checkCluster(const char *call,
                                     const AmpRtLaunch &launch) const {
  const int64_t *cluster = launch.cluster;
  int64_t blocks = cluster[0] * cluster[1] * cluster[2];
  const CudaLimits &limits = module.device.limits;
  if (blocks > 1 && limits.computeMajor < 9)
    return fail(AMP_RT_UNAVAILABLE,
                "%s: kernel '%s': expected a GPU of compute capability 9.0 or "
                "later for clusters, but '%s' has %d.%d; use a kernel without "
                "clusters",
                call, name, limits.model, limits.computeMajor,
                limits.computeMinor);
  if (blocks > kLargestCluster)
    return fail(AMP_RT_INVALID_ARGUMENT,
                "%s: kernel '%s': expected at most %lld blocks in a cluster, "
                "but got %lld; use smaller clusters",
                call, name, static_cast<long long>(kLargestCluster),
                static_cast<long long>(blocks));
  if (requiredCluster[0] == 0)
    return AMP_RT_OK;
  for (int i = 0; i < 3; ++i)
    if (cluster[i] != requiredCluster[i])
      return fail(AMP_RT_INVALID_ARGUMENT,
                  "%s: kernel '%s': expected clusters of %d x %d x %d blocks, "
                  "for which it is compiled, but got %lld x %lld x %lld",
                  call, name, requiredCluster[0], requiredCluster[1],
                  requiredCluster[2], static_cast<long long>(cluster[0]),
                  static_cast<long long>(cluster[1]),
                  static_cast<long long>(cluster[2]));
  return AMP_RT_OK;
}

AmpRtStatus CudaKernel::checkArguments(const char *call,
                                       const AmpRtLaunch &launch) const {
  if (argumentCount < 0)
    return AMP_RT_OK;
  if (launch.argumentCount != argumentCount)
    return fail(AMP_RT_INVALID_ARGUMENT,
                "%s: kernel '%s': expected %d arguments, but got %d", call,
                name, argumentCount, launch.argumentCount);
  for (int i = 0; i < argumentCount; ++i)
    if (static_cast<size_t>(launch.argumentBytes[i]) != argumentBytes[i])
      return fail(AMP_RT_INVALID_ARGUMENT,
                  "%s: kernel '%s': expected argument %d to have %llu bytes, "
                  "but got %lld",
                  call, name, i,
                  static_cast<unsigned long long>(argumentBytes[i]),
                  static_cast<long long>(launch.argumentBytes[i]));
  return AMP_RT_OK;
}

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

AmpRtStatus CudaKernel::raise(const char *call, int attribute, int value,
                              std::atomic<int> &current) {
  // The last of two threads that both tell the driver must tell the larger
  // value.
  static std::mutex mutex;
  if (value <= current.load(std::memory_order_acquire))
    return AMP_RT_OK;
  std::lock_guard<std::mutex> lock(mutex);
  if (value <= current.load(std::memory_order_relaxed))
    return AMP_RT_OK;
  Result result = driver().FuncSetAttribute(function, attribute, value);
  if (result != kSuccess)
    return driver().fail(result, call, "cuFuncSetAttribute");
  current.store(value, std::memory_order_release);
  return AMP_RT_OK;
}

AmpRtStatus CudaKernel::prepare(const char *call, const AmpRtLaunch &launch) {
  AmpRtStatus status =
      raise(call, kFunctionMaxDynamicSharedSizeBytes,
            static_cast<int>(launch.sharedBytes), dynamicSharedBytes);
  int64_t blocks = launch.cluster[0] * launch.cluster[1] * launch.cluster[2];
  if (status == AMP_RT_OK && blocks > kPortableCluster)
    status = raise(call, kFunctionNonPortableClusterSizeAllowed, 1,
                   mayHaveLargeClusters);
  return status;
}

namespace {
/// A launch as the driver takes it, which points into itself.
struct DriverLaunch {
  DriverLaunch(const AmpRtLaunch &launch, Stream stream);
  DriverLaunch(const DriverLaunch &) = delete;

  LaunchConfig config = {};
  LaunchAttribute attributes[2] = {};
};
} // namespace

DriverLaunch::DriverLaunch(const AmpRtLaunch &launch, Stream stream) {
  for (int i = 0; i < 3; ++i) {
    config.grid[i] = static_cast<unsigned>(launch.grid[i]);
    config.block[i] = static_cast<unsigned>(launch.threads[i]);
  }
  config.sharedBytes = launch.sharedBytes;
  config.stream = stream;
  config.attributes = attributes;
  const int64_t *cluster = launch.cluster;
  if (cluster[0] * cluster[1] * cluster[2] > 1) {
    LaunchAttribute &attribute = attributes[config.attributeCount++];
    attribute.id = kLaunchClusterDimension;
    attribute.value.clusterDimension = {static_cast<unsigned>(cluster[0]),
                                        static_cast<unsigned>(cluster[1]),
                                        static_cast<unsigned>(cluster[2])};
  }
  if (launch.flags & AMP_RT_LAUNCH_OVERLAPS) {
    LaunchAttribute &attribute = attributes[config.attributeCount++];
    attribute.id = kLaunchProgrammaticStreamSerialization;
    attribute.value.programmaticStreamSerializationAllowed = 1;
  }
}

AmpRtStatus CudaKernel::launch(const char *call, const AmpRtLaunch &launch) {
  AmpRtStatus status = checkThreads(call, launch);
  if (status == AMP_RT_OK)
    status = checkCluster(call, launch);
  if (status == AMP_RT_OK)
    status = checkArguments(call, launch);
  if (status == AMP_RT_OK)
    status = prepare(call, launch);
  if (status != AMP_RT_OK)
    return status;
  DriverLaunch driverLaunch(launch, module.device.currentStream());
  Result result =
      driver().LaunchKernelEx(&driverLaunch.config, function,
                              const_cast<void **>(launch.arguments), nullptr);
  if (result == kSuccess)
    return AMP_RT_OK;
  char text[300];
  std::snprintf(text, sizeof(text), "kernel '%.200s': cuLaunchKernelEx", name);
  return driver().fail(result, call, text);
}

AmpRtStatus CudaKernel::residentBlocks(const char *call,
                                       const AmpRtLaunch &launch,
                                       int64_t &blocks) {
  // The grid is what is asked for: one cluster stands for it.
  AmpRtLaunch one = launch;
  for (int i = 0; i < 3; ++i)
    one.grid[i] = launch.cluster[i];
  AmpRtStatus status = checkThreads(call, one);
  if (status == AMP_RT_OK)
    status = checkCluster(call, one);
  if (status == AMP_RT_OK)
    status = prepare(call, one);
  if (status != AMP_RT_OK)
    return status;
  int count = 0;
  int64_t cluster = one.cluster[0] * one.cluster[1] * one.cluster[2];
  int64_t threads = one.threads[0] * one.threads[1] * one.threads[2];
  if (cluster > 1) {
    // The multiprocessors of a cluster are neighbours, and how many neighbours
    // there are differs from one chip of a product to the next.
    DriverLaunch driverLaunch(one, module.device.stream);
    Result result = driver().OccupancyMaxActiveClusters(&count, function,
                                                        &driverLaunch.config);
    if (result != kSuccess)
      return driver().fail(result, call, "cuOccupancyMaxActiveClusters");
    blocks = count * cluster;
  } else {
    Result result = driver().OccupancyMaxActiveBlocksPerMultiprocessor(
        &count, function, static_cast<int>(threads), one.sharedBytes);
    if (result != kSuccess)
      return driver().fail(result, call,
                           "cuOccupancyMaxActiveBlocksPerMultiprocessor");
    blocks = int64_t(count) * module.device.limits.processors;
  }
  if (blocks > 0)
    return AMP_RT_OK;
  return fail(AMP_RT_INVALID_ARGUMENT,
              "%s: kernel '%s': expected the %s to have room for clusters of "
              "%lld blocks with %lld threads and %u bytes of shared memory, "
              "but it has none; use smaller clusters, smaller tiles or fewer "
              "stages",
              call, name, module.device.limits.model,
              static_cast<long long>(cluster), static_cast<long long>(threads),
              one.sharedBytes);
}

AmpRtStatus CudaDevice::findKernel(const char *call, const AmpRtLaunch &launch,
                                   CudaKernel *&kernel) {
  kernel = static_cast<CudaKernel *>(static_cast<AmpRtKernel *>(launch.kernel));
  if (kernel->tag == CudaKernel::kTag && &kernel->module.device == this)
    return AMP_RT_OK;
  return fail(AMP_RT_INVALID_ARGUMENT,
              "%s: device 'cuda': expected 'launch->kernel' to be a kernel of "
              "a loaded module, but got %p",
              call, launch.kernel);
}

AmpRtStatus CudaDevice::launch(const AmpRtLaunch &launch) {
  const char *call = "ampRtDeviceLaunch";
  Scope scope(*this, call);
  CudaKernel *kernel = nullptr;
  AmpRtStatus status = scope.status;
  if (status == AMP_RT_OK)
    status = findKernel(call, launch, kernel);
  return status == AMP_RT_OK ? kernel->launch(call, launch) : status;
}

AmpRtStatus CudaDevice::residentBlocks(const char *call,
                                       const AmpRtLaunch &launch,
                                       int64_t &blocks) {
  Scope scope(*this, call);
  CudaKernel *kernel = nullptr;
  AmpRtStatus status = scope.status;
  if (status == AMP_RT_OK)
    status = findKernel(call, launch, kernel);
  return status == AMP_RT_OK ? kernel->residentBlocks(call, launch, blocks)
                             : status;
}
