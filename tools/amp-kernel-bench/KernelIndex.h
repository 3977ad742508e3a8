//===-- KernelIndex.h - The folder of kernels to measure -*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A folder, as amp-kernel-export writes it, holds images (cubins, or text in
// the NVVM dialect for the emulator) and index.json:
//
//   {"version": 1,
//    "kernels": [
//      {"name": "gemm-nt-bf16-8192",       how tables and --filter call it
//       "image": "gemm-nt-bf16-8192.cubin", in the folder
//       "family": "gemm",                   or "convolution"
//       "problem": {...}, "tile": [128, 256, 64],
//       "epilogue": [{"op": "add", "operand": "operand0"}, {"op": "relu"}],
//       "launches": [
//         {"kernel": "gemm", "grid": [2048, 1, 1],
//          "blocks_per_multiprocessor": 1, "grid_multiple": 2,
//          "block": [384, 1, 1], "cluster": [2, 1, 1],
//          "shared_memory": 229376, "arguments": [...]}]}]}
//
// Launches happen in their order. Each is the attribute `amp.launch` of a
// kernel that the compiler generates, said in JSON, and so are its arguments:
//
//   {"kind": "tensor-map", "name": "a", "type": "bf16", "shape": [64, 128],
//    "strides": [128], "box": [64, 64], "swizzle": 128}
//   {"kind": "im2col-map", "name": "x", "type": "bf16", "shape": [64, 16, 16,
//   2],
//    "strides": [128, 2048, 32768], "lower": [-1, -1], "upper": [-1, -1],
//    "channels": 64, "pixels": 128, "steps": [1, 1, 1, 1], "swizzle": 128}
//   {"kind": "buffer", "name": "d", "type": "bf16", "elements": 16384}
//   {"kind": "buffer", "name": "operand0", "operand": "column", "type": "f32",
//    "elements": 128}
//   {"kind": "number", "name": "m", "value": 128}                  (32 bits)
//
// With "blocks_per_multiprocessor" the grid is the most that has work, and the
// launch takes of it what fits the device, a multiple of "grid_multiple" (1).
//
// Arrays are innermost first, sizes in elements, strides and swizzles in bytes,
// a size of 0 is passed as 1. `cluster`, `steps` (ones) and `swizzle` (none)
// may be left out, and "offset", in bytes from the tensor's begin, may be added
// to a map or a buffer. Arguments with one name share memory. Names that the
// problem knows are its tensors; others, like "workspace", are memory of the
// kernel's own.
//
// A gemm is D[M][N] = A * B for each of `batch` matrices:
//   {"m": 8192, "n": 8192, "k": 8192, "batch": 1, "a": "bf16", "b": "bf16",
//    "d": "bf16", "layout": "nt", "lda": 0, "ldb": 0, "ldd": 0}
// `layout` says for A and B whether they are stored as said ('n') or transposed
// ('t'); a row stride of 0 is that of dense rows. Its tensors are a, b, d.
//
// A convolution correlates x (n images of h x w pixels with c channels) with k
// filters w of r x s pixels:
//   {"direction": "forward", "format": "nhwc", "n": 32, "h": 56, "w": 56, "c":
//   64,
//    "k": 64, "r": 3, "s": 3, "stride": [1, 1], "padding": [1, 1],
//    "dilation": [1, 1], "groups": 1, "x": "bf16", "f": "bf16", "y": "bf16"}
// or "data-gradient" (x from y and f) or "weight-gradient" (f from x and y).
// `format` nhwc stores filters as [k][r][s][c], nchw as [k][c][r][s]. `padding`
// is [height, width], or of each side [top, left, bottom, right]. Its tensors
// are x, f, y.
//
// An epilogue's steps change the sum, in their order and before it is rounded:
// "add" and "mul" by an operand of the launches ("column", "row", "matrix" or
// "scalar"), and "relu".
//
//===----------------------------------------------------------------------===//
#ifndef AMP_TOOLS_AMP_KERNEL_BENCH_KERNELINDEX_H
#define AMP_TOOLS_AMP_KERNEL_BENCH_KERNELINDEX_H

#include "Elements.h"

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace amp::bench {

struct Argument {
  enum class Kind { TensorMap, Im2colMap, Buffer, Number };
  Kind kind;
  std::string name;
  Type type = Type::F32;
  std::vector<int64_t> shape, strides, box, lower, upper, steps;
  int64_t channels = 0, pixels = 0, swizzle = 0, offset = 0;
  int64_t elements = 0; ///< buffers
  std::string operand;  ///< of the epilogue; empty for other buffers
  int64_t value = 0;    ///< numbers
};

struct Launch {
  std::string kernel;
  std::vector<int64_t> grid, block, cluster;
  int64_t sharedBytes = 0;
  int64_t blocksPerMultiprocessor = 0; ///< 0: the grid is as it is
  int64_t gridMultiple = 1;
  std::vector<Argument> arguments;
};

struct EpilogueStep {
  enum class Op { Add, Mul, Relu };
  Op op;
  std::string operand; ///< empty for relu
};

struct KernelEntry {
  std::string name, image, family;
  nlohmann::json problem;
  std::vector<int64_t> tile;
  std::vector<EpilogueStep> epilogue;
  std::vector<Launch> launches;
};

/// Reads FOLDER/index.json. Returns what is wrong with it, with its place, or
/// an empty text.
std::string readKernelIndex(const std::string &folder,
                            std::vector<KernelEntry> &kernels);

/// Reads members of a JSON object and keeps the first thing that is wrong.
class ObjectReader {
public:
  ObjectReader(const nlohmann::json &object, std::string place,
               std::string &failure);

  bool has(const char *key) const { return object.contains(key); }
  std::string text(const char *key);
  std::string text(const char *key, const std::string &otherwise);
  int64_t number(const char *key);
  int64_t number(const char *key, int64_t otherwise);
  std::vector<int64_t> numbers(const char *key, size_t least, size_t most);
  Type type(const char *key);
  /// Null if it is not there or no array.
  const nlohmann::json *array(const char *key);
  void fail(const std::string &key, const std::string &rule);

private:
  const nlohmann::json &object;
  std::string place;
  std::string &failure;
};

} // namespace amp::bench

#endif // AMP_TOOLS_AMP_KERNEL_BENCH_KERNELINDEX_H
