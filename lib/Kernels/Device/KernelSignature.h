//===- KernelSignature.h - What a launcher has to fill ----------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Collects the parameters of a kernel, each with what a launcher must know to
// fill it, and makes the function and its `amp.launch` attribute from them. The
// pass amp-generate-gemm documents the attribute.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_LIB_KERNELS_DEVICE_KERNELSIGNATURE_H
#define AMP_LIB_KERNELS_DEVICE_KERNELSIGNATURE_H

#include "DeviceBuilder.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace mlir::amp {

class KernelSignature {
public:
  explicit KernelSignature(DeviceBuilder &b) : b(b) {}

  /// A tensor map, swizzled by 128 bytes, zeros outside. `shape` innermost
  /// first; `strides`, in bytes, of all dimensions but the first. `elements` is
  /// what lies between the first and the last, unless the last dimension spans
  /// it. Returns the parameter's index.
  unsigned addTensorMap(StringRef name, Type type, ArrayRef<int64_t> shape,
                        ArrayRef<int64_t> strides, ArrayRef<int64_t> box,
                        std::optional<int64_t> elements = std::nullopt);
  /// What an im2col map has beside its shape, as amp-rt/Kernel.h says.
  struct Im2colBox {
    SmallVector<int64_t> lower, upper, steps;
    int64_t channels, pixels;
  };
  /// The same, for copies that gather pixels.
  unsigned addIm2colMap(StringRef name, Type type, ArrayRef<int64_t> shape,
                        ArrayRef<int64_t> strides, const Im2colBox &box);
  /// A pointer to `elements` elements, of which the kernel reads or writes
  /// `accessed`, or all.
  unsigned addBuffer(StringRef name, Type type, int64_t elements,
                     std::optional<int64_t> accessed = std::nullopt);
  /// A pointer to an operand of the epilogue.
  unsigned addOperand(StringRef name, StringRef kind, Type type,
                      int64_t elements);
  /// A pointer to an output of the epilogue. The kernel adds to what is there,
  /// so the launcher leaves `initial` there, if there is one.
  unsigned addOutput(StringRef name, StringRef kind, Type type,
                     int64_t elements, std::optional<int64_t> initial);
  /// Pointers, passed by value one behind the other, so that a kernel can find
  /// one by its number.
  struct TableEntry {
    std::string name;
    Type type;
    int64_t elements;
    /// Of what a step that is not skipped does not read.
    bool isConditional;
  };
  unsigned addTable(StringRef name, ArrayRef<TableEntry> entries);
  /// A pointer to sums of parts, f32.
  unsigned addPartSums(StringRef name, int64_t elements) {
    return addBuffer(name, b.getF32Type(), elements);
  }
  /// A 32-bit number. At another launch it may be another multiple of
  /// `multiple`.
  unsigned addNumber(StringRef name, int64_t value, int64_t multiple = 1);

  /// How many blocks a launch has. The kernels that walk over their work are
  /// right with any multiple of `multiple`; how many of them there shall be,
  /// the device says that runs them.
  struct Grid {
    /// The most that have work.
    int64_t blocks;
    /// At most so many for each multiprocessor; 0 if there must be `blocks`.
    int64_t perMultiprocessor = 0;
    int64_t multiple = 1;
  };
  struct Launch {
    Grid grid;
    int64_t threads, minBlocks, cluster, sharedMemory;
    /// Place among the kernels of the module, which run one after the other.
    int64_t order;
  };
  LLVM::LLVMFuncOp createKernel(StringRef name, const Launch &launch);

private:
  unsigned add(Type type, ArrayRef<NamedAttribute> attributes);
  NamedAttribute named(StringRef name, Attribute value) {
    return b.getNamedAttr(name, value);
  }

  DeviceBuilder &b;
  SmallVector<Type> types;
  SmallVector<Attribute> descriptions;
  SmallVector<unsigned> tensorMaps;
  /// Of tables: the parameter, and how many pointers it has.
  SmallVector<std::pair<unsigned, int64_t>> tables;
};

/// Gives the kernels of a module the order in which they stand there.
void numberLaunches(gpu::GPUModuleOp module);

} // namespace mlir::amp

#endif // AMP_LIB_KERNELS_DEVICE_KERNELSIGNATURE_H
