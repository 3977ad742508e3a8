//===-- FakeDriver.cpp - The fake driver's entry points ---------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// As in the real library, two symbols are found by name and the others through
// cuGetProcAddress, which does not know a function of a later version.
//
//===----------------------------------------------------------------------===//

#include "FakeState.h"

#include <cstdlib>
#include <cstring>

using namespace fakecuda;
using namespace amp::rt::cuda;

// Each entry point begins with it.
#define FAKE_BEGIN(name)                                                       \
  static const char *const function = "cu" #name;                              \
  std::lock_guard<std::recursive_mutex> lock(state().mutex);                   \
  [[maybe_unused]] State &s = state();                                         \
  if (Result failure = begin(function))                                        \
  return failure

// For what gives something back: it is gone even where it is told to fail, as
// with the driver, which reports errors of earlier work then.
#define FAKE_BEGIN_RELEASE(name)                                               \
  static const char *const function = "cu" #name;                              \
  std::lock_guard<std::recursive_mutex> lock(state().mutex);                   \
  State &s = state();                                                          \
  const Result told = begin(function)

#define FAKE_REQUIRE(condition, rule)                                          \
  if (Result failure = require(condition, function, rule))                     \
  return failure

#define FAKE_REQUIRE_CONTEXT                                                   \
  FAKE_REQUIRE(!contexts().empty() && s.contextReferences > 0,                 \
               "expected a current context")

static char theContext;

static void *newHandle() { return std::malloc(1); }

namespace {

//===----------------------------------------------------------------------===//
// Devices and contexts
//===----------------------------------------------------------------------===//

Result Init(unsigned flags) {
  FAKE_BEGIN(Init);
  FAKE_REQUIRE(flags == 0, "expected no flags");
  if (s.setting("devices") == 0)
    return kErrorNoDevice;
  s.isInitialised = true;
  return kSuccess;
}

Result DriverGetVersion(int *version) {
  *version = static_cast<int>(state().setting("driverVersion"));
  return kSuccess;
}

struct ErrorText {
  Result result;
  const char *name, *text;
};
const ErrorText errorTexts[] = {
    {kSuccess, "CUDA_SUCCESS", "no error"},
    {kErrorInvalidValue, "CUDA_ERROR_INVALID_VALUE", "invalid argument"},
    {kErrorOutOfMemory, "CUDA_ERROR_OUT_OF_MEMORY", "out of memory"},
    {kErrorNoDevice, "CUDA_ERROR_NO_DEVICE",
     "no CUDA-capable device is detected"},
    {kErrorInvalidImage, "CUDA_ERROR_INVALID_IMAGE",
     "device kernel image is invalid"},
    {kErrorNoBinaryForGpu, "CUDA_ERROR_NO_BINARY_FOR_GPU",
     "no kernel image is available for execution on the device"},
    {kErrorInvalidPtx, "CUDA_ERROR_INVALID_PTX",
     "a PTX JIT compilation failed"},
    {kErrorNotFound, "CUDA_ERROR_NOT_FOUND", "named symbol not found"},
    {kErrorIllegalAddress, "CUDA_ERROR_ILLEGAL_ADDRESS",
     "an illegal memory access was encountered"},
    {999, "CUDA_ERROR_UNKNOWN", "unknown error"}};

Result GetErrorName(Result result, const char **text) {
  for (const ErrorText &entry : errorTexts)
    if (entry.result == result) {
      *text = entry.name;
      return kSuccess;
    }
  *text = nullptr;
  return kErrorInvalidValue;
}

Result GetErrorString(Result result, const char **text) {
  for (const ErrorText &entry : errorTexts)
    if (entry.result == result) {
      *text = entry.text;
      return kSuccess;
    }
  *text = nullptr;
  return kErrorInvalidValue;
}

Result DeviceGetCount(int *count) {
  FAKE_BEGIN(DeviceGetCount);
  FAKE_REQUIRE(s.isInitialised, "expected cuInit first");
  *count = static_cast<int>(s.setting("devices"));
  if (*count < 0) // the driver answers, and has none
    *count = 0;
  return kSuccess;
}

Result DeviceGet(Device *device, int ordinal) {
  FAKE_BEGIN(DeviceGet);
  FAKE_REQUIRE(ordinal >= 0 && ordinal < s.setting("devices"),
               "expected a device of the machine");
  *device = ordinal;
  return kSuccess;
}

Result DeviceGetName(char *name, int length, Device) {
  FAKE_BEGIN(DeviceGetName);
  FAKE_REQUIRE(length > 8, "expected room for the name");
  std::strcpy(name, "Fake GPU");
  return kSuccess;
}

Result DeviceTotalMem(size_t *bytes, Device) {
  FAKE_BEGIN(DeviceTotalMem);
  *bytes = size_t(1) << 36;
  return kSuccess;
}

Result DeviceGetAttribute(int *value, int attribute, Device) {
  FAKE_BEGIN(DeviceGetAttribute);
  const std::pair<int, int64_t> values[] = {
      {kDeviceMultiprocessorCount, s.setting("processors")},
      {kDeviceL2CacheSize, 60 << 20},
      {kDeviceComputeCapabilityMajor, s.setting("computeMajor")},
      {kDeviceComputeCapabilityMinor, s.setting("computeMinor")},
      {kDeviceMaxSharedMemoryPerBlockOptin, s.setting("sharedBytes")},
      {kDeviceMemoryPoolsSupported, s.setting("pools")}};
  for (auto [number, answer] : values)
    if (number == attribute) {
      *value = static_cast<int>(answer);
      return kSuccess;
    }
  FAKE_REQUIRE(false, "expected a known attribute");
  return kSuccess;
}

Result DevicePrimaryCtxRetain(Context *context, Device) {
  FAKE_BEGIN(DevicePrimaryCtxRetain);
  ++s.contextReferences;
  *context = reinterpret_cast<Context>(&theContext);
  return kSuccess;
}

Result DevicePrimaryCtxRelease(Device) {
  FAKE_BEGIN_RELEASE(DevicePrimaryCtxRelease);
  FAKE_REQUIRE(s.contextReferences > 0, "expected a retained context");
  --s.contextReferences;
  return told;
}

Result CtxPushCurrent(Context context) {
  FAKE_BEGIN(CtxPushCurrent);
  FAKE_REQUIRE(static_cast<void *>(context) == &theContext &&
                   s.contextReferences > 0,
               "expected a live context");
  contexts().push_back(context);
  return kSuccess;
}

Result CtxPopCurrent(Context *context) {
  FAKE_BEGIN(CtxPopCurrent);
  FAKE_REQUIRE(!contexts().empty(), "expected a pushed context");
  *context = static_cast<Context>(contexts().back());
  contexts().pop_back();
  return kSuccess;
}

//===----------------------------------------------------------------------===//
// Streams and events
//===----------------------------------------------------------------------===//

Result StreamCreate(Stream *stream, unsigned flags) {
  FAKE_BEGIN(StreamCreate);
  FAKE_REQUIRE_CONTEXT;
  FAKE_REQUIRE(flags == kStreamNonBlocking,
               "expected a stream that does not wait for the default one");
  void *handle = newHandle();
  s.streams.insert(handle);
  *stream = static_cast<Stream>(handle);
  return kSuccess;
}

Result StreamBeginCapture(Stream stream, int mode) {
  FAKE_BEGIN(StreamBeginCapture);
  FAKE_REQUIRE_CONTEXT;
  FAKE_REQUIRE(s.streams.count(stream) && !s.captures.count(stream),
               "expected a live stream that is not captured");
  FAKE_REQUIRE(mode == kCaptureModeThreadLocal,
               "expected other threads to go on");
  s.captures[stream];
  s.capturers[stream] = std::this_thread::get_id();
  return kSuccess;
}

Result StreamEndCapture(Stream stream, Graph *graph) {
  FAKE_BEGIN_RELEASE(StreamEndCapture);
  FAKE_REQUIRE_CONTEXT;
  FAKE_REQUIRE(s.captures.count(stream), "expected a stream that is captured");
  State::Work work = s.captures[stream];
  s.captures.erase(stream);
  s.capturers.erase(stream);
  *graph = nullptr;
  if (told != kSuccess)
    return told;
  void *handle = newHandle();
  s.graphs[handle] = work;
  *graph = static_cast<Graph>(handle);
  return kSuccess;
}

Result GraphInstantiateWithFlags(GraphExec *executable, Graph graph,
                                 uint64_t flags) {
  FAKE_BEGIN(GraphInstantiateWithFlags);
  FAKE_REQUIRE_CONTEXT;
  FAKE_REQUIRE(s.graphs.count(graph) && flags == 0, "expected a live graph");
  void *handle = newHandle();
  s.executables[handle] = s.graphs[graph];
  *executable = static_cast<GraphExec>(handle);
  return kSuccess;
}

Result GraphLaunch(GraphExec executable, Stream stream) {
  FAKE_BEGIN(GraphLaunch);
  FAKE_REQUIRE_CONTEXT;
  FAKE_REQUIRE(s.executables.count(executable) && s.streams.count(stream) &&
                   !s.captures.count(stream),
               "expected a live graph, and a stream that is not captured");
  for (const auto &work : s.executables[executable])
    work();
  return kSuccess;
}

Result GraphExecDestroy(GraphExec executable) {
  FAKE_BEGIN_RELEASE(GraphExecDestroy);
  FAKE_REQUIRE_CONTEXT;
  FAKE_REQUIRE(s.executables.erase(executable), "expected a live graph");
  std::free(executable);
  return told;
}

Result GraphDestroy(Graph graph) {
  FAKE_BEGIN_RELEASE(GraphDestroy);
  FAKE_REQUIRE_CONTEXT;
  FAKE_REQUIRE(s.graphs.erase(graph), "expected a live graph");
  std::free(graph);
  return told;
}

Result StreamDestroy(Stream stream) {
  FAKE_BEGIN_RELEASE(StreamDestroy);
  FAKE_REQUIRE_CONTEXT;
  FAKE_REQUIRE(s.streams.erase(stream), "expected a live stream");
  std::free(stream);
  return told;
}

Result StreamSynchronize(Stream stream) {
  FAKE_BEGIN(StreamSynchronize);
  FAKE_REQUIRE_CONTEXT;
  FAKE_REQUIRE(s.streams.count(stream), "expected a live stream");
  s.flush();
  return kSuccess;
}

Result EventCreate(Event *event, unsigned flags) {
  FAKE_BEGIN(EventCreate);
  FAKE_REQUIRE_CONTEXT;
  FAKE_REQUIRE(flags == 0, "expected an event with times");
  void *handle = newHandle();
  s.events[handle] = {};
  *event = static_cast<Event>(handle);
  return kSuccess;
}

Result EventDestroy(Event event) {
  FAKE_BEGIN_RELEASE(EventDestroy);
  FAKE_REQUIRE_CONTEXT;
  FAKE_REQUIRE(s.events.erase(event), "expected a live event");
  std::free(event);
  return told;
}

Result EventRecord(Event event, Stream stream) {
  FAKE_BEGIN(EventRecord);
  FAKE_REQUIRE_CONTEXT;
  FAKE_REQUIRE(s.events.count(event) && s.streams.count(stream),
               "expected a live event and a live stream");
  s.events[event] = {true, s.clock};
  s.clock += 0.25; // so that no time is 0
  return kSuccess;
}

Result EventSynchronize(Event event) {
  FAKE_BEGIN(EventSynchronize);
  FAKE_REQUIRE_CONTEXT;
  FAKE_REQUIRE(s.events.count(event), "expected a live event");
  return kSuccess;
}

Result EventElapsedTime(float *milliseconds, Event start, Event end) {
  FAKE_BEGIN(EventElapsedTime);
  FAKE_REQUIRE_CONTEXT;
  FAKE_REQUIRE(s.events.count(start) && s.events.count(end) &&
                   s.events[start].isRecorded && s.events[end].isRecorded,
               "expected recorded events");
  *milliseconds = static_cast<float>(s.events[end].time - s.events[start].time);
  return kSuccess;
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

Result take(DevicePointer *pointer, size_t bytes, void *pool) {
  if (bytes > size_t(1) << 34)
    return kErrorOutOfMemory;
  size_t total = (bytes + 255) / 256 * 256;
  void *memory = state().addresses.take(total);
  if (!memory)
    return kErrorOutOfMemory;
  std::fill_n(static_cast<uint32_t *>(memory), total / 4,
              static_cast<uint32_t>(state().setting("unwritten")));
  *pointer = reinterpret_cast<DevicePointer>(memory);
  state().allocations[static_cast<uintptr_t>(*pointer)] = {bytes, pool};
  return kSuccess;
}

Result MemAlloc(DevicePointer *pointer, size_t bytes) {
  FAKE_BEGIN(MemAlloc);
  FAKE_REQUIRE_CONTEXT;
  FAKE_REQUIRE(bytes > 0, "expected a size above 0");
  return take(pointer, bytes, nullptr);
}

Result MemFree(DevicePointer pointer) {
  FAKE_BEGIN_RELEASE(MemFree);
  FAKE_REQUIRE_CONTEXT;
  auto found = s.allocations.find(static_cast<uintptr_t>(pointer));
  FAKE_REQUIRE(found != s.allocations.end() && !found->second.pool,
               "expected memory of cuMemAlloc");
  s.flush();
  AddressRange::giveBack(reinterpret_cast<void *>(pointer),
                         found->second.bytes);
  s.allocations.erase(found);
  return told;
}

Result MemAllocFromPoolAsync(DevicePointer *pointer, size_t bytes,
                             MemoryPool pool, Stream stream) {
  FAKE_BEGIN(MemAllocFromPoolAsync);
  FAKE_REQUIRE_CONTEXT;
  FAKE_REQUIRE(bytes > 0, "expected a size above 0");
  FAKE_REQUIRE(s.pools.count(pool) && s.streams.count(stream),
               "expected a live pool and a live stream");
  return take(pointer, bytes, pool);
}

Result MemFreeAsync(DevicePointer pointer, Stream stream) {
  FAKE_BEGIN_RELEASE(MemFreeAsync);
  FAKE_REQUIRE_CONTEXT;
  FAKE_REQUIRE(s.streams.count(stream), "expected a live stream");
  auto found = s.allocations.find(static_cast<uintptr_t>(pointer));
  FAKE_REQUIRE(found != s.allocations.end() && found->second.pool,
               "expected memory of a pool");
  s.flush();
  AddressRange::giveBack(reinterpret_cast<void *>(pointer),
                         found->second.bytes);
  s.allocations.erase(found);
  return told;
}

Result MemPoolCreate(MemoryPool *pool, const MemoryPoolProperties *properties) {
  FAKE_BEGIN(MemPoolCreate);
  FAKE_REQUIRE(properties->allocationType == kMemoryAllocationPinned &&
                   properties->location.type == kMemoryLocationDevice &&
                   properties->handleTypes == 0 &&
                   !properties->securityAttributes,
               "expected pinned memory of a device");
  for (unsigned char byte : properties->reserved)
    FAKE_REQUIRE(byte == 0, "expected reserved members to be 0");
  void *handle = newHandle();
  s.pools.insert(handle);
  *pool = static_cast<MemoryPool>(handle);
  return kSuccess;
}

Result MemPoolSetAttribute(MemoryPool pool, int attribute, void *value) {
  FAKE_BEGIN(MemPoolSetAttribute);
  FAKE_REQUIRE(s.pools.count(pool) && value &&
                   attribute == kMemoryPoolReleaseThreshold,
               "expected a live pool and its threshold");
  return kSuccess;
}

Result MemPoolDestroy(MemoryPool pool) {
  FAKE_BEGIN_RELEASE(MemPoolDestroy);
  for (auto &[address, allocation] : s.allocations)
    FAKE_REQUIRE(allocation.pool != pool, "expected an empty pool");
  FAKE_REQUIRE(s.pools.erase(pool), "expected a live pool");
  std::free(pool);
  return told;
}

Result MemcpyHtoDAsync(DevicePointer target, const void *source, size_t bytes,
                       Stream stream) {
  FAKE_BEGIN(MemcpyHtoDAsync);
  FAKE_REQUIRE_CONTEXT;
  FAKE_REQUIRE(s.streams.count(stream), "expected a live stream");
  FAKE_REQUIRE(s.isLive(target, bytes) &&
                   !s.isLive(reinterpret_cast<uint64_t>(source), 1),
               "expected a host's source and a device's target");
  s.perform(stream, [=, &s] {
    s.copy(target, reinterpret_cast<uint64_t>(source), bytes);
  });
  return kSuccess;
}

Result MemcpyDtoHAsync(void *target, DevicePointer source, size_t bytes,
                       Stream stream) {
  FAKE_BEGIN(MemcpyDtoHAsync);
  FAKE_REQUIRE_CONTEXT;
  FAKE_REQUIRE(s.streams.count(stream), "expected a live stream");
  FAKE_REQUIRE(s.isLive(source, bytes) &&
                   !s.isLive(reinterpret_cast<uint64_t>(target), 1),
               "expected a device's source and a host's target");
  s.perform(stream, [=, &s] {
    s.copy(reinterpret_cast<uint64_t>(target), source, bytes);
  });
  return kSuccess;
}

Result MemcpyDtoDAsync(DevicePointer target, DevicePointer source, size_t bytes,
                       Stream stream) {
  FAKE_BEGIN(MemcpyDtoDAsync);
  FAKE_REQUIRE_CONTEXT;
  FAKE_REQUIRE(s.streams.count(stream), "expected a live stream");
  FAKE_REQUIRE(s.isLive(target, bytes) && s.isLive(source, bytes),
               "expected two ranges of the device");
  FAKE_REQUIRE(target + bytes <= source || source + bytes <= target,
               "expected ranges that do not overlap");
  s.perform(stream, [=, &s] { s.copy(target, source, bytes); });
  return kSuccess;
}

//===----------------------------------------------------------------------===//
// Modules and kernels
//===----------------------------------------------------------------------===//

Result ModuleLoadDataEx(Module *module, const void *image, unsigned optionCount,
                        int *options, void **values) {
  FAKE_BEGIN(ModuleLoadDataEx);
  FAKE_REQUIRE_CONTEXT;
  char *log = nullptr;
  size_t room = 0;
  for (unsigned i = 0; i < optionCount; ++i) {
    if (options[i] == kJitErrorLogBuffer)
      log = static_cast<char *>(values[i]);
    else if (options[i] == kJitErrorLogBufferSizeBytes)
      room = reinterpret_cast<uintptr_t>(values[i]);
    else
      FAKE_REQUIRE(false, "expected known options");
  }
  auto loaded = std::make_unique<LoadedModule>();
  std::string text;
  if (!readImage(*loaded, static_cast<const char *>(image), text)) {
    if (log && room > text.size())
      std::strcpy(log, text.c_str());
    return kErrorInvalidPtx;
  }
  // The code of a cubin is for one major version, and for no earlier minor one.
  int64_t major = s.setting("computeMajor"), minor = s.setting("computeMinor");
  if (loaded->architecture &&
      (loaded->architecture / 10 != major || loaded->architecture % 10 > minor))
    return kErrorNoBinaryForGpu;
  *module = reinterpret_cast<Module>(loaded.get());
  s.modules[loaded.get()] = std::move(loaded);
  return kSuccess;
}

Result ModuleUnload(Module module) {
  FAKE_BEGIN_RELEASE(ModuleUnload);
  FAKE_REQUIRE_CONTEXT;
  FAKE_REQUIRE(s.modules.erase(module), "expected a live module");
  return told;
}

Result ModuleGetFunction(Function *result, Module module, const char *name) {
  FAKE_BEGIN(ModuleGetFunction);
  FAKE_REQUIRE_CONTEXT;
  auto found = s.modules.find(module);
  FAKE_REQUIRE(found != s.modules.end(), "expected a live module");
  auto kernel = found->second->kernels.find(name);
  if (kernel == found->second->kernels.end())
    return kErrorNotFound;
  *result = reinterpret_cast<Function>(kernel->second.get());
  return kSuccess;
}

Kernel *kernelOf(Function function) {
  for (auto &[handle, module] : state().modules)
    for (auto &[name, kernel] : module->kernels)
      if (static_cast<void *>(kernel.get()) == function)
        return kernel.get();
  return nullptr;
}

Result FuncGetAttribute(int *value, int attribute, Function handle) {
  FAKE_BEGIN(FuncGetAttribute);
  Kernel *kernel = kernelOf(handle);
  FAKE_REQUIRE(kernel, "expected a live kernel");
  const std::pair<int, int> values[] = {
      {kFunctionMaxThreadsPerBlock, kernel->maxThreads},
      {kFunctionSharedSizeBytes, kernel->staticShared},
      {kFunctionLocalSizeBytes, 0},
      {kFunctionNumRegs, kernel->registers},
      {kFunctionRequiredClusterWidth, kernel->requiredCluster[0]},
      {kFunctionRequiredClusterHeight, kernel->requiredCluster[1]},
      {kFunctionRequiredClusterDepth, kernel->requiredCluster[2]}};
  for (auto [number, answer] : values)
    if (number == attribute) {
      *value = answer;
      return kSuccess;
    }
  FAKE_REQUIRE(false, "expected a known attribute");
  return kSuccess;
}

Result FuncSetAttribute(Function handle, int attribute, int value) {
  FAKE_BEGIN(FuncSetAttribute);
  Kernel *kernel = kernelOf(handle);
  FAKE_REQUIRE(kernel, "expected a live kernel");
  if (attribute == kFunctionMaxDynamicSharedSizeBytes) {
    FAKE_REQUIRE(value + kernel->staticShared <= s.setting("sharedBytes"),
                 "expected no more shared memory than the device has");
    kernel->dynamicSharedLimit = value;
    return kSuccess;
  }
  FAKE_REQUIRE(attribute == kFunctionNonPortableClusterSizeAllowed,
               "expected a known attribute");
  kernel->allowsLargeClusters = value != 0;
  return kSuccess;
}

Result FuncGetParamInfo(Function handle, size_t index, size_t *offset,
                        size_t *bytes) {
  FAKE_BEGIN(FuncGetParamInfo);
  Kernel *kernel = kernelOf(handle);
  FAKE_REQUIRE(kernel, "expected a live kernel");
  if (!kernel->hasParameters)
    return 801; // not supported
  if (index >= kernel->parameters.size())
    return kErrorInvalidValue;
  *offset = 0; // which the runtime does not ask for
  *bytes = kernel->parameters[index].bytes;
  return kSuccess;
}

Result OccupancyMaxActiveBlocksPerMultiprocessor(int *count, Function kernel,
                                                 int threads,
                                                 size_t sharedBytes) {
  FAKE_BEGIN(OccupancyMaxActiveBlocksPerMultiprocessor);
  FAKE_REQUIRE_CONTEXT;
  return countBlocks(count, kernel, threads, sharedBytes);
}

Result OccupancyMaxActiveClusters(int *count, Function kernel,
                                  const LaunchConfig *config) {
  FAKE_BEGIN(OccupancyMaxActiveClusters);
  FAKE_REQUIRE_CONTEXT;
  return countClusters(count, kernel, config);
}

Result LaunchKernelEx(const LaunchConfig *config, Function kernel,
                      void **arguments, void **extra) {
  FAKE_BEGIN(LaunchKernelEx);
  FAKE_REQUIRE_CONTEXT;
  return launchKernel(config, kernel, arguments, extra);
}

Result TensorMapEncodeTiled(TensorMap *map, int type, uint32_t rank,
                            void *address, const uint64_t *sizes,
                            const uint64_t *strides, const uint32_t *box,
                            const uint32_t *steps, int interleave, int swizzle,
                            int promotion, int fill) {
  FAKE_BEGIN(TensorMapEncodeTiled);
  return encodeTiled(map, type, rank, address, sizes, strides, box, steps,
                     interleave, swizzle, promotion, fill);
}

Result TensorMapEncodeIm2col(TensorMap *map, int type, uint32_t rank,
                             void *address, const uint64_t *sizes,
                             const uint64_t *strides, const int *lower,
                             const int *upper, uint32_t channels,
                             uint32_t pixels, const uint32_t *steps,
                             int interleave, int swizzle, int promotion,
                             int fill) {
  FAKE_BEGIN(TensorMapEncodeIm2col);
  return encodeIm2col(map, type, rank, address, sizes, strides, lower, upper,
                      channels, pixels, steps, interleave, swizzle, promotion,
                      fill);
}

struct EntryPoint {
  const char *name;
  int version;
  void *address;
};
const EntryPoint entryPoints[] = {
#define FAKE_ENTRY(name, version, parameters)                                  \
  {"cu" #name, version, reinterpret_cast<void *>(&name)},
    AMP_RT_CUDA_FUNCTIONS(FAKE_ENTRY) AMP_RT_CUDA_OPTIONAL_FUNCTIONS(FAKE_ENTRY)
#undef FAKE_ENTRY
};

} // namespace

extern "C" {

FAKE_CUDA_API Result cuDriverGetVersion(int *version) {
  return DriverGetVersion(version);
}

FAKE_CUDA_API Result cuGetProcAddress_v2(const char *name, void **address,
                                         int version, uint64_t flags,
                                         int *symbolStatus) {
  std::lock_guard<std::recursive_mutex> lock(state().mutex);
  // A failure by the name of what is looked for, not of this function.
  if (Result failure = begin((std::string("cuGetProcAddress ") + name).c_str()))
    return failure;
  int known = static_cast<int>(state().setting("driverVersion"));
  for (const EntryPoint &entry : entryPoints)
    if (std::strcmp(entry.name, name) == 0 && entry.version <= known &&
        version <= known && flags == 0) {
      bool isHidden = std::strcmp(name, "cuFuncGetParamInfo") == 0 &&
                      !state().setting("parameterInfo");
      *address = isHidden ? nullptr : entry.address;
      *symbolStatus = isHidden ? 1 : 0;
      return isHidden ? kErrorNotFound : kSuccess;
    }
  *address = nullptr;
  *symbolStatus = 1;
  return kErrorNotFound;
}
}
