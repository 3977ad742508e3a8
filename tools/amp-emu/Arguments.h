//===- Arguments.h - Kernel arguments from the command line -----*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What --arg and --buffer say, as memory and as the values that a kernel takes.
//
//   [NAME=]i32:5                     a scalar (i1 i8 i16 i32 i64 index f16 bf16
//                                    f32 f64)
//   [NAME=]f16:128x64:int            a buffer: type, shape and what is in it:
//                                    zero, uninit, nan, iota, a number,
//                                    int (integers from -3 to 3, whose sums are
//                                    exact) or random (from -1 to 1), both
//                                    seeded by the name; types also e4m3, e5m2
//   [NAME=]in.npy                    a buffer with an array's contents
//   NAME                             the address of a buffer given before
//   memref:BUFFER                    a memref: two pointers, an offset, sizes
//                                    and strides
//   tma:BUFFER,box=64x64,swizzle=128 a TMA descriptor for a buffer; boxes, like
//                                    all shapes here, outermost dimension
//                                    first. Also steps=1x2; for im2col
//                                    lower=0x0,upper=-2x-2,channels=64,pixels=128;
//                                    shape=60x64 for a part of the buffer;
//                                    view=8x16x64,strides=2048x128 (bytes, not
//                                    of the innermost) for another tensor in it
//   table:A,B,C                      the addresses of buffers that have these
//                                    names, as a struct that is passed by value
//
// Where BUFFER stands, any of the forms above it may stand too. Without a name
// a buffer is called after its place: arg0, arg1...
//
//===----------------------------------------------------------------------===//

#ifndef AMP_TOOLS_AMPEMU_ARGUMENTS_H
#define AMP_TOOLS_AMPEMU_ARGUMENTS_H

#include "amp/Emulator/Kernel.h"
#include "amp/Emulator/NumberFormat.h"
#include "amp/Execution/HostArray.h"

#include <map>

namespace mlir::amp {

/// Global memory of the run: an array, and the 8-bit float format that NumPy
/// does not know, in which case the array is of bytes.
struct DeviceArray {
  std::string name;
  HostArray array;
  std::optional<::amp::emu::Format> smallFloat;
  bool initialised = true;

  double get(int64_t index) const;
  void set(int64_t index, double value);
  /// Rounds to the element type.
  double round(double value) const;
};

/// The arguments of one launch.
class GivenArguments {
public:
  /// Adds a buffer that is not an argument itself.
  llvm::Error addBuffer(StringRef text);
  /// Adds the next argument (several values for a memref).
  llvm::Error addArgument(StringRef text);

  /// Fails unless the values are what the kernel takes.
  llvm::Error check(const LoweredKernel &kernel) const;

  /// The addresses of the values, in order; valid until the next call.
  void **getPointers();
  std::vector<::amp::emu::Buffer> getBuffers();
  std::vector<const ::amp::emu::TensorMap *> getTensorMaps() const;
  DeviceArray *find(StringRef name);

  /// Puts the contents of the buffers back to what they were at the beginning.
  void reset();

private:
  struct Value {
    KernelParameter::Kind kind;
    unsigned bits;
    uint64_t data = 0;
  };
  llvm::Error addValue(StringRef text, StringRef name);
  llvm::Expected<DeviceArray *> getBuffer(StringRef text, StringRef name);
  llvm::Error addTensorMap(StringRef text, StringRef name);
  llvm::Error addTable(StringRef text);

  std::vector<std::unique_ptr<DeviceArray>> arrays;
  std::vector<HostArray> initial;
  std::vector<std::unique_ptr<::amp::emu::TensorMap>> maps;
  std::vector<std::vector<uint64_t>> tables;
  std::vector<Value> values;
  std::vector<void *> pointers;
  unsigned count = 0;
};

} // namespace mlir::amp

#endif // AMP_TOOLS_AMPEMU_ARGUMENTS_H
