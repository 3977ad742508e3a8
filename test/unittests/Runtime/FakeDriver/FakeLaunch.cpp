//===-- FakeLaunch.cpp - Tensor maps and launches of the fake driver
//---------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FakeState.h"

#include <algorithm>
#include <cstring>

using namespace fakecuda;
using namespace amp::rt::cuda;

//===----------------------------------------------------------------------===//
// Tensor maps
//===----------------------------------------------------------------------===//

static const uint64_t elementBytes[] = {1, 2, 4, 4, 8, 8, 2, 4, 8, 2, 4, 4, 4};

/// The rules that both kinds share; they are the driver's documentation's, said
/// again apart from the runtime's own checks.
static bool isEncodable(void *map, int type, uint32_t rank, void *address,
                        const uint64_t *sizes, const uint64_t *strides,
                        const uint32_t *steps, uint64_t innerElements,
                        int interleave, int swizzle, int promotion, int fill) {
  bool isRight = reinterpret_cast<uintptr_t>(map) % 64 == 0 && type >= 0 &&
                 type <= 12 && rank >= 1 && rank <= 5;
  if (!isRight)
    return false;
  uint64_t alignment = interleave == 2 ? 32 : 16;
  isRight &= address && reinterpret_cast<uintptr_t>(address) % alignment == 0;
  isRight &= interleave >= 0 && interleave <= 2 && swizzle >= 0 &&
             swizzle <= 3 && promotion >= 0 && promotion <= 3;
  isRight &= interleave == 0 || rank >= 3;
  isRight &= interleave != 2 || swizzle == 1;
  for (uint32_t i = 0; i < rank; ++i) {
    isRight &= sizes[i] >= 1 && sizes[i] <= UINT64_C(1) << 32;
    isRight &= steps[i] >= 1 && steps[i] <= 8;
    if (i + 1 < rank)
      isRight &= strides[i] % alignment == 0 && strides[i] >> 40 == 0;
  }
  uint64_t inner = innerElements * elementBytes[type];
  if (interleave == 0)
    isRight &= inner % 16 == 0 && (swizzle == 0 || inner <= 16u << swizzle);
  return isRight && (fill == 0 || (fill == 1 && type >= 6));
}

static void encode(TensorMap *map, int type, uint32_t rank, void *address,
                   const uint64_t *sizes, const uint64_t *strides, int swizzle,
                   const uint32_t *box) {
  Map encoded = {};
  encoded.magic = kMapMagic;
  encoded.type = static_cast<uint8_t>(type);
  encoded.rank = static_cast<uint8_t>(rank);
  encoded.swizzle = static_cast<uint8_t>(swizzle);
  encoded.isIm2col = box == nullptr;
  encoded.address = reinterpret_cast<uint64_t>(address);
  for (uint32_t i = 0; i < rank; ++i) {
    encoded.sizes[i] = sizes[i];
    if (i + 1 < rank)
      encoded.strides[i] = strides[i];
    encoded.box[i] = box ? static_cast<uint16_t>(box[i]) : 0;
  }
  encoded.sequence = static_cast<uint16_t>(state().maps.size());
  std::memset(map, 0, sizeof(*map));
  std::memcpy(map, &encoded, sizeof(encoded));
  auto *bytes = reinterpret_cast<unsigned char *>(map);
  state().maps.emplace_back(bytes, bytes + sizeof(*map));
}

Result fakecuda::encodeTiled(TensorMap *map, int type, uint32_t rank,
                             void *address, const uint64_t *sizes,
                             const uint64_t *strides, const uint32_t *box,
                             const uint32_t *steps, int interleave, int swizzle,
                             int promotion, int fill) {
  bool isRight = isEncodable(map, type, rank, address, sizes, strides, steps,
                             box[0], interleave, swizzle, promotion, fill);
  for (uint32_t i = 0; isRight && i < rank; ++i)
    isRight = box[i] >= 1 && box[i] <= 256;
  if (Result result = require(isRight, "cuTensorMapEncodeTiled",
                              "expected a description within the rules"))
    return result;
  encode(map, type, rank, address, sizes, strides, swizzle, box);
  return kSuccess;
}

Result fakecuda::encodeIm2col(TensorMap *map, int type, uint32_t rank,
                              void *address, const uint64_t *sizes,
                              const uint64_t *strides, const int *lower,
                              const int *upper, uint32_t channels,
                              uint32_t pixels, const uint32_t *steps,
                              int interleave, int swizzle, int promotion,
                              int fill) {
  bool isRight = rank >= 3 &&
                 isEncodable(map, type, rank, address, sizes, strides, steps,
                             channels, interleave, swizzle, promotion, fill) &&
                 channels >= 1 && channels <= 256 && pixels >= 1 &&
                 pixels <= 1024;
  const int limits[] = {32768, 128, 16};
  for (uint32_t i = 0; isRight && i + 2 < rank; ++i) {
    int limit = limits[rank - 3];
    isRight = lower[i] >= -limit && lower[i] < limit && upper[i] >= -limit &&
              upper[i] < limit &&
              static_cast<int64_t>(sizes[i + 1]) + upper[i] - lower[i] >= 1;
  }
  if (Result result = require(isRight, "cuTensorMapEncodeIm2col",
                              "expected a description within the rules"))
    return result;
  encode(map, type, rank, address, sizes, strides, swizzle, nullptr);
  return kSuccess;
}

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

static bool isLiveMap(const unsigned char *bytes) {
  Map map;
  std::memcpy(&map, bytes, sizeof(map));
  if (map.magic != kMapMagic)
    return false;
  uint64_t last = 0;
  for (int i = 0; i + 1 < map.rank; ++i)
    last += (map.sizes[i + 1] - 1) * map.strides[i];
  return state().isLive(map.address,
                        last + map.sizes[0] * elementBytes[map.type]);
}

/// What is wrong with the addresses in an argument.
static std::string checkAddresses(const Parameter &parameter,
                                  const unsigned char *bytes) {
  State &s = state();
  if (parameter.isMap)
    return isLiveMap(bytes) ? "" : "a tensor map of live memory";
  for (size_t at = 0; at + 8 <= parameter.bytes; at += 8) {
    uint64_t word;
    std::memcpy(&word, bytes + at, sizeof(word));
    bool isAddress = parameter.isPointer || s.addresses.contains(word);
    if (isAddress && !s.isLive(word, 1))
      return parameter.bytes == 8 ? "live memory"
                                  : "live memory at byte " + std::to_string(at);
    if (parameter.isPointer && word % parameter.alignment != 0)
      return "a multiple of " + std::to_string(parameter.alignment);
  }
  return "";
}

static std::string checkArguments(const std::string &kernel,
                                  const std::vector<Parameter> &parameters,
                                  const Launch &launch) {
  for (size_t i = 0; i < launch.arguments.size(); ++i) {
    std::string rule =
        checkAddresses(parameters[i], launch.arguments[i].data());
    if (!rule.empty())
      return "expected argument " + std::to_string(i) + " of " + kernel +
             " to be " + rule;
  }
  return "";
}

static void readArguments(const Kernel &kernel, void **arguments,
                          Launch &launch) {
  launch.knowsArguments = kernel.hasParameters;
  for (size_t i = 0; i < kernel.parameters.size(); ++i) {
    auto *bytes = static_cast<const unsigned char *>(arguments[i]);
    launch.arguments.emplace_back(bytes, bytes + kernel.parameters[i].bytes);
  }
}

static std::string readAttributes(const LaunchConfig &config, Launch &launch) {
  for (unsigned i = 0; i < config.attributeCount; ++i) {
    const LaunchAttribute &attribute = config.attributes[i];
    if (attribute.id == kLaunchClusterDimension) {
      launch.cluster[0] = attribute.value.clusterDimension.x;
      launch.cluster[1] = attribute.value.clusterDimension.y;
      launch.cluster[2] = attribute.value.clusterDimension.z;
    } else if (attribute.id == kLaunchProgrammaticStreamSerialization) {
      launch.overlaps =
          attribute.value.programmaticStreamSerializationAllowed != 0;
    } else {
      return "expected a known attribute";
    }
  }
  return "";
}

static std::string checkShape(const Kernel &kernel, const Launch &launch) {
  unsigned threads = launch.block[0] * launch.block[1] * launch.block[2];
  unsigned blocks = launch.cluster[0] * launch.cluster[1] * launch.cluster[2];
  for (int i = 0; i < 3; ++i) {
    if (launch.grid[i] == 0 || launch.block[i] == 0)
      return "expected blocks and threads";
    if (launch.cluster[i] == 0 || launch.grid[i] % launch.cluster[i] != 0)
      return "expected the cluster to divide the grid";
    if (kernel.requiredCluster[0] &&
        launch.cluster[i] != static_cast<unsigned>(kernel.requiredCluster[i]))
      return "expected the cluster that the kernel requires";
  }
  if (threads > static_cast<unsigned>(kernel.maxThreads))
    return "expected fewer threads";
  if (launch.sharedBytes > static_cast<unsigned>(kernel.dynamicSharedLimit))
    return "expected the limit of shared memory to be raised to " +
           std::to_string(launch.sharedBytes) + " first";
  if (blocks > 8 && !kernel.allowsLargeClusters)
    return "expected clusters above 8 to be allowed first";
  return "";
}

static Kernel *findKernel(void *function) {
  for (auto &[handle, module] : state().modules)
    for (auto &[name, kernel] : module->kernels)
      if (kernel.get() == function)
        return kernel.get();
  return nullptr;
}

/// Blocks that have room on one multiprocessor. The driver keeps a kilobyte of
/// shared memory for each, and gives registers to warps by 256.
static int countResident(const Kernel &kernel, int threads, int64_t shared) {
  int warps = (threads + 31) / 32;
  int64_t own = 1024 + kernel.staticShared + shared;
  int byRegisters = 65536 / ((kernel.registers * 32 + 255) / 256 * 256 * warps);
  auto byMemory =
      static_cast<int>((state().setting("sharedBytes") + 1024) / own);
  return std::min({byRegisters, byMemory, 64 / warps, 32});
}

Result fakecuda::countBlocks(int *count, Function function, int threads,
                             size_t sharedBytes) {
  Kernel *kernel = findKernel(function);
  const char *name = "cuOccupancyMaxActiveBlocksPerMultiprocessor";
  if (Result result = require(kernel, name, "expected a live kernel"))
    return result;
  *count = countResident(*kernel, threads, static_cast<int64_t>(sharedBytes));
  return kSuccess;
}

Result fakecuda::countClusters(int *count, Function function,
                               const LaunchConfig *config) {
  const char *name = "cuOccupancyMaxActiveClusters";
  Kernel *kernel = findKernel(function);
  if (Result result = require(kernel, name, "expected a live kernel"))
    return result;
  Launch launch = {};
  for (int i = 0; i < 3; ++i) {
    launch.grid[i] = config->grid[i];
    launch.block[i] = config->block[i];
    launch.cluster[i] = 1;
  }
  launch.sharedBytes = config->sharedBytes;
  std::string text = readAttributes(*config, launch);
  if (text.empty())
    text = checkShape(*kernel, launch);
  if (Result result = require(text.empty(), name, text))
    return result;
  unsigned threads = launch.block[0] * launch.block[1] * launch.block[2];
  unsigned size = launch.cluster[0] * launch.cluster[1] * launch.cluster[2];
  int resident =
      countResident(*kernel, static_cast<int>(threads), launch.sharedBytes);
  int64_t processors = state().setting("clusterProcessors");
  *count = static_cast<int>(processors * resident / size);
  return kSuccess;
}

Result fakecuda::launchKernel(const LaunchConfig *config, Function function,
                              void **arguments, void **extra) {
  const char *name = "cuLaunchKernelEx";
  State &s = state();
  Kernel *kernel = findKernel(function);
  if (Result result = require(kernel && !extra, name, "expected a live kernel"))
    return result;
  if (Result result = require(s.streams.count(config->stream), name,
                              "expected a live stream"))
    return result;
  Launch launch = {};
  launch.kernel = kernel->name;
  for (int i = 0; i < 3; ++i) {
    launch.grid[i] = config->grid[i];
    launch.block[i] = config->block[i];
    launch.cluster[i] = 1;
  }
  launch.sharedBytes = config->sharedBytes;
  std::string text = readAttributes(*config, launch);
  if (text.empty())
    text = checkShape(*kernel, launch);
  readArguments(*kernel, arguments, launch);
  if (text.empty())
    text = checkArguments(kernel->name, kernel->parameters, launch);
  if (Result result = require(text.empty(), name, text))
    return result;
  s.perform(config->stream, [&s, launch, parameters = kernel->parameters] {
    // Memory of a captured launch may be gone when it is replayed.
    std::string now = checkArguments(launch.kernel, parameters, launch);
    if (require(now.empty(), "cuGraphLaunch", now))
      return;
    s.flush();
    s.launches.push_back(launch);
    s.clock += 1;
    auto body = s.bodies.find(launch.kernel);
    if (body != s.bodies.end())
      body->second(launch);
    else
      runBuiltIn(launch);
  });
  return kSuccess;
}
