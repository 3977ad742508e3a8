//===-- KernelIndex.cpp - The folder of kernels to measure ---------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelIndex.h"

#include <fstream>

using namespace amp::bench;
using nlohmann::json;

//===----------------------------------------------------------------------===//
// ObjectReader
//===----------------------------------------------------------------------===//

ObjectReader::ObjectReader(const json &object, std::string place,
                           std::string &failure)
    : object(object), place(std::move(place)), failure(failure) {
  if (!object.is_object())
    fail("", "an object");
}

void ObjectReader::fail(const std::string &key, const std::string &rule) {
  if (!failure.empty())
    return;
  std::string got = "nothing";
  if (object.is_object() && object.contains(key))
    got = object[key].dump();
  else if (!object.is_object())
    got = object.dump();
  failure = place + (key.empty() ? "" : "." + key) + ": expected " + rule +
            ", but got " + got.substr(0, 60);
}

std::string ObjectReader::text(const char *key) {
  if (object.is_object() && object.contains(key) && object[key].is_string())
    return object[key];
  fail(key, "a text");
  return "";
}

std::string ObjectReader::text(const char *key, const std::string &otherwise) {
  return object.is_object() && !object.contains(key) ? otherwise : text(key);
}

int64_t ObjectReader::number(const char *key) {
  if (object.is_object() && object.contains(key) &&
      object[key].is_number_integer())
    return object[key];
  fail(key, "an integer");
  return 0;
}

int64_t ObjectReader::number(const char *key, int64_t otherwise) {
  return object.is_object() && !object.contains(key) ? otherwise : number(key);
}

std::vector<int64_t> ObjectReader::numbers(const char *key, size_t least,
                                           size_t most) {
  std::vector<int64_t> result;
  bool isRight = object.is_object() && object.contains(key) &&
                 object[key].is_array() && object[key].size() >= least &&
                 object[key].size() <= most;
  if (isRight)
    for (const json &value : object[key]) {
      isRight &= value.is_number_integer();
      result.push_back(isRight ? value.get<int64_t>() : 0);
    }
  if (!isRight)
    fail(key, least == most ? std::to_string(least) + " integers"
                            : std::to_string(least) + " to " +
                                  std::to_string(most) + " integers");
  return result;
}

Type ObjectReader::type(const char *key) {
  Type type = Type::F32;
  if (!parseType(text(key), type))
    fail(key, "one of f16, bf16, f32, f8E4M3FN, f8E5M2, tf32");
  return type;
}

const json *ObjectReader::array(const char *key) {
  if (object.is_object() && object.contains(key) && object[key].is_array())
    return &object[key];
  fail(key, "an array");
  return nullptr;
}

//===----------------------------------------------------------------------===//
// The index
//===----------------------------------------------------------------------===//

static Argument readArgument(const json &object, const std::string &place,
                             std::string &failure) {
  ObjectReader reader(object, place, failure);
  Argument argument;
  std::string kind = reader.text("kind");
  if (kind != "tensor-map" && kind != "im2col-map" && kind != "buffer" &&
      kind != "number")
    reader.fail("kind", "one of tensor-map, im2col-map, buffer, number");
  argument.name = reader.text("name");
  if (kind == "number") {
    argument.kind = Argument::Kind::Number;
    argument.value = reader.number("value");
    if (argument.value != static_cast<int32_t>(argument.value))
      reader.fail("value", "a number of 32 bits");
    return argument;
  }
  argument.type = reader.type("type");
  argument.offset = reader.number("offset", 0);
  if (kind == "buffer") {
    argument.kind = Argument::Kind::Buffer;
    argument.elements = reader.number("elements");
    argument.operand = reader.text("operand", "");
    return argument;
  }
  argument.kind = kind == "im2col-map" ? Argument::Kind::Im2colMap
                                       : Argument::Kind::TensorMap;
  argument.shape = reader.numbers("shape", 1, 5);
  size_t rank = argument.shape.size();
  argument.strides = reader.numbers("strides", rank - 1, rank - 1);
  argument.swizzle = reader.number("swizzle", 0);
  argument.steps = reader.has("steps") ? reader.numbers("steps", rank, rank)
                                       : std::vector<int64_t>(rank, 1);
  if (kind == "tensor-map") {
    argument.box = reader.numbers("box", rank, rank);
    return argument;
  }
  size_t corners = rank < 3 ? 1 : rank - 2;
  argument.lower = reader.numbers("lower", corners, corners);
  argument.upper = reader.numbers("upper", corners, corners);
  argument.channels = reader.number("channels");
  argument.pixels = reader.number("pixels");
  return argument;
}

static Launch readLaunch(const json &object, const std::string &place,
                         std::string &failure) {
  ObjectReader reader(object, place, failure);
  Launch launch;
  launch.kernel = reader.text("kernel");
  launch.grid = reader.numbers("grid", 3, 3);
  launch.block = reader.numbers("block", 3, 3);
  launch.cluster = reader.has("cluster") ? reader.numbers("cluster", 3, 3)
                                         : std::vector<int64_t>(3, 1);
  launch.sharedBytes = reader.number("shared_memory");
  launch.blocksPerMultiprocessor =
      reader.number("blocks_per_multiprocessor", 0);
  launch.gridMultiple = reader.number("grid_multiple", 1);
  if (const json *arguments = reader.array("arguments"))
    for (size_t i = 0; i < arguments->size(); ++i)
      launch.arguments.push_back(readArgument(
          (*arguments)[i], place + ".arguments[" + std::to_string(i) + "]",
          failure));
  return launch;
}

static EpilogueStep readStep(const json &object, const std::string &place,
                             std::string &failure) {
  ObjectReader reader(object, place, failure);
  std::string op = reader.text("op");
  if (op == "relu")
    return {EpilogueStep::Op::Relu, ""};
  if (op != "add" && op != "mul")
    reader.fail("op", "one of add, mul, relu");
  return {op == "mul" ? EpilogueStep::Op::Mul : EpilogueStep::Op::Add,
          reader.text("operand")};
}

static KernelEntry readKernel(const json &object, const std::string &place,
                              std::string &failure) {
  ObjectReader reader(object, place, failure);
  KernelEntry kernel;
  kernel.name = reader.text("name");
  kernel.image = reader.text("image");
  kernel.family = reader.text("family");
  if (kernel.family != "gemm" && kernel.family != "convolution")
    reader.fail("family", "one of gemm, convolution");
  if (reader.has("problem"))
    kernel.problem = object["problem"];
  else
    reader.fail("problem", "an object");
  if (reader.has("tile"))
    kernel.tile = reader.numbers("tile", 1, 3);
  if (reader.has("epilogue"))
    if (const json *steps = reader.array("epilogue"))
      for (size_t i = 0; i < steps->size(); ++i)
        kernel.epilogue.push_back(
            readStep((*steps)[i],
                     place + ".epilogue[" + std::to_string(i) + "]", failure));
  if (const json *launches = reader.array("launches"))
    for (size_t i = 0; i < launches->size(); ++i)
      kernel.launches.push_back(
          readLaunch((*launches)[i],
                     place + ".launches[" + std::to_string(i) + "]", failure));
  return kernel;
}

std::string amp::bench::readKernelIndex(const std::string &folder,
                                        std::vector<KernelEntry> &kernels) {
  std::string path = folder + "/index.json";
  std::ifstream file(path);
  if (!file)
    return "cannot open '" + path + "'; name a folder with an index.json";
  json index = json::parse(file, nullptr, /*allow_exceptions=*/false);
  if (index.is_discarded())
    return "'" + path + "' is not JSON";
  std::string failure;
  ObjectReader reader(index, path, failure);
  if (reader.number("version") != 1)
    reader.fail("version", "1");
  if (const json *entries = reader.array("kernels"))
    for (size_t i = 0; i < entries->size() && failure.empty(); ++i)
      kernels.push_back(
          readKernel((*entries)[i],
                     path + ": kernels[" + std::to_string(i) + "]", failure));
  return failure;
}
