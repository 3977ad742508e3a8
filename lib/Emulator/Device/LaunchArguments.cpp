//===- LaunchArguments.cpp - A launch's arguments for the machine ---------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LaunchArguments.h"

#include <cstring>

using namespace mlir;
using namespace mlir::amp;
using namespace ::amp::rt::emulator;
using ::amp::emu::Format;

static std::pair<Format, int> getFormat(int type) {
  switch (type) {
  case AMP_RT_TENSOR_MAP_FLOAT16:
    return {Format::F16, 2};
  case AMP_RT_TENSOR_MAP_BFLOAT16:
    return {Format::BF16, 2};
  case AMP_RT_TENSOR_MAP_FLOAT32:
    return {Format::F32, 4};
  case AMP_RT_TENSOR_MAP_TFLOAT32:
    return {Format::TF32, 4};
  case AMP_RT_TENSOR_MAP_FLOAT64:
    return {Format::F64, 8};
  case AMP_RT_TENSOR_MAP_UINT32:
  case AMP_RT_TENSOR_MAP_INT32:
    return {Format::S32, 4};
  default:
    return {Format::U8, 1};
  }
}

static ::amp::emu::TensorMap unpack(const PackedTensorMap &packed) {
  ::amp::emu::TensorMap map;
  map.base = reinterpret_cast<char *>(uintptr_t(packed.address));
  map.rank = packed.rank;
  std::tie(map.format, map.elementSize) = getFormat(packed.elementType);
  map.im2col = packed.kind == AMP_RT_TENSOR_MAP_IM2COL;
  for (int d = 0; d < map.rank; ++d) {
    map.sizes[d] = int64_t(packed.lastIndices[d]) + 1;
    map.strides[d] = d ? int64_t(packed.strides[d - 1]) : map.elementSize;
    map.stepSizes[d] = packed.elementSteps[d];
    if (!map.im2col)
      map.box[d] = packed.box[d];
  }
  for (int d = 0; d < 3; ++d) {
    map.lower[d] = packed.lowerCorner[d];
    map.upper[d] = packed.upperCorner[d];
  }
  map.channels = packed.channels;
  map.pixels = packed.pixels;
  map.swizzle = packed.swizzle ? 16 << packed.swizzle : 0;
  map.fillNaN = packed.fill == AMP_RT_TENSOR_MAP_FILL_NAN;
  return map;
}

void LaunchArguments::readStruct(const void *argument, int64_t bytes,
                                 size_t index) {
  PackedTensorMap packed = {};
  if (bytes == sizeof(packed))
    std::memcpy(&packed, argument, sizeof(packed));
  if (packed.magic != PackedTensorMap::kMagic) {
    addresses.push_back(argument);
    ::amp::emu::Buffer buffer;
    buffer.name = "argument " + std::to_string(index);
    buffer.data = const_cast<void *>(argument);
    buffer.size = size_t(bytes);
    buffer.initialised = buffer.readOnly = true;
    structs.push_back(std::move(buffer));
  } else {
    maps.push_back(unpack(packed));
    addresses.push_back(&maps.back());
    targets[index] = uintptr_t(packed.address);
  }
  pointers.push_back(&addresses.back());
}

std::string LaunchArguments::read(const LoweredKernel &kernel,
                                  const AmpRtLaunch &launch) {
  size_t count = kernel.parameters.size();
  if (size_t(launch.argumentCount) != count)
    return "expected " + std::to_string(count) + " arguments, but got " +
           std::to_string(launch.argumentCount);
  targets.resize(count);
  for (size_t i = 0; i < count; ++i) {
    const KernelParameter &parameter = kernel.parameters[i];
    void *argument = launch.arguments[i];
    int64_t bytes = launch.argumentBytes[i];
    if (parameter.kind == KernelParameter::ByValue) {
      readStruct(argument, bytes, i);
      continue;
    }
    int64_t wanted = (parameter.bits + 7) / 8;
    if (bytes != wanted)
      return "expected argument " + std::to_string(i) + " to have " +
             std::to_string(wanted) + " bytes, but got " +
             std::to_string(bytes);
    if (parameter.kind == KernelParameter::Pointer)
      std::memcpy(&targets[i], argument, sizeof(uintptr_t));
    pointers.push_back(argument);
  }
  return "";
}

std::vector<const ::amp::emu::TensorMap *>
LaunchArguments::getTensorMaps() const {
  std::vector<const ::amp::emu::TensorMap *> result;
  for (const ::amp::emu::TensorMap &map : maps)
    result.push_back(&map);
  return result;
}

std::string LaunchArguments::nameBuffer(const MemoryRange &range) const {
  auto begin = reinterpret_cast<uintptr_t>(range.data);
  for (size_t i = 0; i < targets.size(); ++i)
    if (targets[i] && targets[i] >= begin &&
        targets[i] - begin < uintptr_t(range.bytes))
      return "argument " + std::to_string(i);
  char text[32];
  std::snprintf(text, sizeof(text), "%p", range.data);
  return text;
}
