//===- ConvolutionProduct.h - Load a convolution by threads -----*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The product that a convolution is (ConvolutionProblem.h), its images and
// filters loaded by threads, pixel by pixel. Of its sizes the batch is a
// parameter of the kernel, all others are constants: pixels are found by
// dividing by them.
//
// A work item's batch is its class times the number of groups, plus its group.
// In a data gradient with strides the classes differ in what they sum and where
// it goes; which taps they meet is chosen among constants when a tile begins.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_LIB_KERNELS_PRODUCTS_CONVOLUTIONPRODUCT_H
#define AMP_LIB_KERNELS_PRODUCTS_CONVOLUTIONPRODUCT_H

#include "Operands/GatheredTile.h"
#include "Product.h"
#include "amp/Kernels/ConvolutionProblem.h"

namespace mlir::amp {

class ConvolutionProduct : public Product {
public:
  /// `product` is the matrix product, as getImplicitProduct gives it.
  ConvolutionProduct(DeviceBuilder &b, const GemmProblem &product,
                     const ConvolutionProblem &convolution,
                     const GemmConfig &config, const GemmEpilogue &epilogue);

  StageRange stagesOf(WorkItem item) override;
  void beginTile(WorkItem item, Number row, Number column, Number thread,
                 int64_t threads) override;
  void loadByThreads(Side side, Value shared, Number stage) override;
  void loadByTma(Side side, Value shared, Number stage, Value barrier,
                 Value multicast) override;

protected:
  /// A class of pixels of a data gradient, along one dimension.
  struct ClassTaps {
    /// Of its pixels, modulo the stride.
    Number residue;
    /// As in TapSequence.
    Number first, count, origin;
    int64_t step, outputStep, mostTaps;
  };

  void addParameters(KernelSignature &signature) override;
  void readParameters(Block *entry) override;
  ResultMatrix placeResult(WorkItem item) override;

  /// Adds the parameter of an operand, or of D; returns its index.
  virtual unsigned addOperand(KernelSignature &signature, Side side);
  virtual unsigned addResult(KernelSignature &signature);

  Number groupOf(WorkItem item);
  ClassTaps rowTapsOf(WorkItem item);
  ClassTaps columnTapsOf(WorkItem item);

  const ConvolutionProblem &convolution;
  /// The operands, or their tensor maps.
  Value pointerA, pointerB;
  /// For images as A, the channels that follow one another.
  Number run;

private:
  /// Indices of the kernel's parameters.
  struct Parameters {
    unsigned a, b, operands, outputs, batch, run;
  };
  using Operand = std::unique_ptr<PixelMatrix>;

  ClassTaps findTaps(Number residue, int64_t stride, int64_t dilation,
                     int64_t padding, int64_t filter);
  TapOrder allTaps();
  TapOrder classTaps(const ClassTaps &rows, const ClassTaps &columns);

  Operand makeImage(Value pointer, Number group);
  Operand makeGradient(Value pointer, WorkItem item, Number group);
  Operand makeFilters(Value pointer, Number group);
  Operand makeClassFilters(Value pointer, WorkItem item, Number group);
  Operand makeOutputColumns(Value pointer, Number group);

  Parameters index = {};
  /// The batch.
  Number images;
  GatheredTile gatheredA, gatheredB;
};

} // namespace mlir::amp

#endif // AMP_LIB_KERNELS_PRODUCTS_CONVOLUTIONPRODUCT_H
