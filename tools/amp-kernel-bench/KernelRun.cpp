//===-- KernelRun.cpp - A kernel and its tensors on a device ---------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelRun.h"

#include <algorithm>
#include <fstream>
#include <iterator>

using namespace amp::bench;

//===----------------------------------------------------------------------===//
// TensorSet
//===----------------------------------------------------------------------===//

TensorSet::~TensorSet() {
  for (auto &[name, memory] : tensors)
    ampRtDeviceFree(device, memory.pointer);
}

std::string TensorSet::allocate(const std::string &name, int64_t bytes) {
  auto found = tensors.find(name);
  if (found != tensors.end()) {
    if (found->second.bytes >= bytes)
      return "";
    ampRtDeviceFree(device, found->second.pointer);
    tensors.erase(found);
  }
  void *pointer = nullptr;
  if (ampRtDeviceAllocate(device, bytes, 1024, &pointer) != AMP_RT_OK)
    return ampRtStatusText();
  tensors[name] = {pointer, bytes};
  return "";
}

void *TensorSet::at(const std::string &name) const {
  auto found = tensors.find(name);
  return found == tensors.end() ? nullptr : found->second.pointer;
}

int64_t TensorSet::bytesOf(const std::string &name) const {
  auto found = tensors.find(name);
  return found == tensors.end() ? 0 : found->second.bytes;
}

std::string TensorSet::write(const std::string &name,
                             const std::vector<unsigned char> &bytes) {
  if (ampRtDeviceCopy(device, at(name), bytes.data(),
                      static_cast<int64_t>(bytes.size()),
                      AMP_RT_COPY_TO_DEVICE) != AMP_RT_OK ||
      ampRtDeviceSynchronize(device) != AMP_RT_OK)
    return ampRtStatusText();
  return "";
}

std::string TensorSet::read(const std::string &name,
                            std::vector<unsigned char> &bytes) const {
  bytes.resize(static_cast<size_t>(bytesOf(name)));
  if (ampRtDeviceCopy(device, bytes.data(), at(name), bytesOf(name),
                      AMP_RT_COPY_FROM_DEVICE) != AMP_RT_OK ||
      ampRtDeviceSynchronize(device) != AMP_RT_OK)
    return ampRtStatusText();
  return "";
}

//===----------------------------------------------------------------------===//
// KernelRun
//===----------------------------------------------------------------------===//

std::string KernelRun::load(const std::string &folder) {
  std::string path = folder + "/" + kernel.image;
  std::ifstream file(path, std::ios::binary);
  if (!file)
    return "cannot open the image '" + path + "'";
  std::string image((std::istreambuf_iterator<char>(file)), {});
  if (ampRtModuleLoad(device, kernel.image.c_str(), image.data(),
                      static_cast<int64_t>(image.size()), &module) != AMP_RT_OK)
    return ampRtStatusText();
  return "";
}

std::string KernelRun::allocate(const Problem &problem, TensorSet &set) const {
  for (const Launch &launch : kernel.launches)
    for (const Argument &argument : launch.arguments) {
      if (argument.kind == Argument::Kind::Number)
        continue;
      bool isTensor = argument.name == problem.output.name;
      for (const Tensor &input : problem.inputs)
        isTensor |= argument.name == input.name;
      if (isTensor)
        continue;
      int64_t bytes = argument.elements * typeBytes(argument.type);
      if (argument.kind != Argument::Kind::Buffer && !argument.strides.empty())
        bytes = argument.strides.back() *
                std::max<int64_t>(argument.shape.back(), 1);
      std::string failure = set.allocate(argument.name, bytes);
      if (failure.empty() && !argument.operand.empty())
        failure = set.write(argument.name, problem.fillOperand(argument));
      if (!failure.empty())
        return failure;
    }
  return "";
}

static int swizzleOf(int64_t bytes) {
  switch (bytes) {
  case 0:
    return AMP_RT_TENSOR_MAP_NOT_SWIZZLED;
  case 32:
    return AMP_RT_TENSOR_MAP_SWIZZLE_32B;
  case 64:
    return AMP_RT_TENSOR_MAP_SWIZZLE_64B;
  case 128:
    return AMP_RT_TENSOR_MAP_SWIZZLE_128B;
  default:
    return -1; // refused by the runtime
  }
}

static int mapTypeOf(Type type) {
  switch (type) {
  case Type::F16:
    return AMP_RT_TENSOR_MAP_FLOAT16;
  case Type::BF16:
    return AMP_RT_TENSOR_MAP_BFLOAT16;
  case Type::F32:
  case Type::TF32:
    return AMP_RT_TENSOR_MAP_FLOAT32;
  default:
    return AMP_RT_TENSOR_MAP_UINT8;
  }
}

std::string KernelRun::encodeMap(const Argument &argument, void *address,
                                 AmpRtTensorMap &map) {
  AmpRtTensorMapDescription description = {};
  description.structSize = sizeof(description);
  bool isTiled = argument.kind == Argument::Kind::TensorMap;
  description.kind =
      isTiled ? AMP_RT_TENSOR_MAP_TILED : AMP_RT_TENSOR_MAP_IM2COL;
  description.elementType = mapTypeOf(argument.type);
  description.rank = static_cast<int32_t>(argument.shape.size());
  description.swizzle = swizzleOf(argument.swizzle);
  description.promotion = AMP_RT_TENSOR_MAP_PROMOTE_256B;
  description.address = address;
  for (size_t i = 0; i < argument.shape.size(); ++i) {
    description.sizes[i] = std::max<int64_t>(argument.shape[i], 1);
    description.elementSteps[i] = static_cast<int32_t>(argument.steps[i]);
    if (i < argument.strides.size())
      description.strides[i] = argument.strides[i];
    if (isTiled)
      description.box[i] = static_cast<int32_t>(argument.box[i]);
  }
  for (size_t i = 0; i < argument.lower.size(); ++i) {
    description.lowerCorner[i] = static_cast<int32_t>(argument.lower[i]);
    description.upperCorner[i] = static_cast<int32_t>(argument.upper[i]);
  }
  description.channels = static_cast<int32_t>(argument.channels);
  description.pixels = static_cast<int32_t>(argument.pixels);
  if (ampRtTensorMapEncode(device, &description, &map) == AMP_RT_OK)
    return "";
  return "tensor map '" + argument.name + "': " + ampRtStatusText();
}

std::string KernelRun::prepare(const Launch &launch, const TensorSet &set,
                               Prepared &prepared) {
  AmpRtKernel *found = nullptr;
  if (ampRtModuleGetKernel(module, launch.kernel.c_str(), &found) != AMP_RT_OK)
    return ampRtStatusText();
  size_t count = launch.arguments.size();
  // Addresses of elements must not change below.
  prepared.maps.resize(count);
  prepared.pointers.resize(count);
  prepared.numbers.resize(count);
  for (size_t i = 0; i < count; ++i) {
    const Argument &argument = launch.arguments[i];
    auto *address = static_cast<char *>(set.at(argument.name));
    if (argument.kind == Argument::Kind::Number) {
      prepared.numbers[i] = static_cast<int32_t>(argument.value);
      prepared.arguments.push_back(&prepared.numbers[i]);
      prepared.bytes.push_back(sizeof(int32_t));
    } else if (argument.kind == Argument::Kind::Buffer) {
      if ((argument.offset < 0) ||
          argument.elements * typeBytes(argument.type) + argument.offset >
              set.bytesOf(argument.name))
        return "expected buffer '" + argument.name +
               "' to lie in the tensor's " +
               std::to_string(set.bytesOf(argument.name)) + " bytes";
      prepared.pointers[i] = address + argument.offset;
      prepared.arguments.push_back(static_cast<void *>(&prepared.pointers[i]));
      prepared.bytes.push_back(sizeof(void *));
    } else {
      std::string failure =
          encodeMap(argument, address + argument.offset, prepared.maps[i]);
      if (!failure.empty())
        return failure;
      prepared.arguments.push_back(&prepared.maps[i]);
      prepared.bytes.push_back(sizeof(AmpRtTensorMap));
    }
  }
  AmpRtLaunch &result = prepared.launch;
  result.structSize = sizeof(result);
  result.sharedBytes = static_cast<uint32_t>(launch.sharedBytes);
  for (size_t i = 0; i < 3; ++i) {
    result.grid[i] = launch.grid[i];
    result.threads[i] = launch.block[i];
    result.cluster[i] = launch.cluster[i];
  }
  result.kernel = found;
  result.arguments = prepared.arguments.data();
  result.argumentBytes = prepared.bytes.data();
  result.argumentCount = static_cast<int32_t>(count);
  if (launch.blocksPerMultiprocessor &&
      ampRtDeviceFitGrid(device, &result, launch.blocksPerMultiprocessor,
                         launch.gridMultiple) != AMP_RT_OK)
    return ampRtStatusText();
  return "";
}

std::string KernelRun::addSet(const TensorSet &set) {
  std::vector<std::unique_ptr<Prepared>> launches;
  for (const Launch &launch : kernel.launches) {
    launches.push_back(std::make_unique<Prepared>());
    std::string failure = prepare(launch, set, *launches.back());
    if (!failure.empty())
      return failure;
  }
  sets.push_back(std::move(launches));
  return "";
}

std::string KernelRun::launch(size_t set) {
  for (auto &prepared : sets[set])
    if (ampRtDeviceLaunch(device, &prepared->launch) != AMP_RT_OK)
      return ampRtStatusText();
  return "";
}
