//===- Im2colProduct.h - Load a convolution by TMA --------------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For sm_90a: the copy engine gathers the pixels that a tap meets. It walks the
// pixels of a box in an image, which leaves out what no place of the filter
// meets, in steps of the stride, and shifts each by an offset, which is the
// tap's. So a stage of K is 64 channels of one tap, and a tile of it is one
// copy:
//
//   kind            A                        B
//   Forward         pixels of x by channels  filters by channels of the tap
//   DataGradient    pixels of y by filters   filters of the tap by channels
//   WeightGradient  pixels of y by filters   pixels of x by channels of a tap
//
// Of these, pixels of x, and of y in a data gradient, are gathered; the others
// are boxes of y as a matrix and of filters as [filter][tap][channel]. Columns
// of a tile with M or N innermost are one copy for each 64.
//
// The last channels of a tap may be fewer than 64. The others are zeros,
// because they are outside the tensor; with groups there may be none, as the
// next group's follow. In a weight gradient they are columns that D does not
// have.
//
// A data gradient with strides has one map for all classes of pixels: the taps
// of a class differ in their offsets alone.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_LIB_KERNELS_PRODUCTS_IM2COLPRODUCT_H
#define AMP_LIB_KERNELS_PRODUCTS_IM2COLPRODUCT_H

#include "Config/Im2col.h"
#include "ConvolutionProduct.h"
#include "Epilogue/SplitKReduction.h"

namespace mlir::amp {

class Im2colProduct : public ConvolutionProduct {
public:
  Im2colProduct(DeviceBuilder &b, const ConvolutionProblem &convolution,
                const GemmConfig &config, const GemmEpilogue &epilogue);

  StageRange stagesOf(WorkItem item) override;
  void beginTile(WorkItem item, Number row, Number column, Number thread,
                 int64_t threads) override;
  void loadByTma(Side side, Value shared, Number stage, Value barrier,
                 Value multicast) override;

  /// Where the columns of D are in the workspace of a split K.
  WorkspaceColumns workspaceColumns() const;

protected:
  unsigned addOperand(KernelSignature &signature, Side side) override;
  unsigned addResult(KernelSignature &signature) override;
  ResultMatrix placeResult(WorkItem item) override;

private:
  /// The first pixel of a copy.
  struct Pixel {
    Number column, row, image;
  };
  /// A tap and the first of its channels in a stage.
  struct Tap {
    Number rowOffset, columnOffset;
    /// Its number in the filter.
    Number index;
    Number channel;
  };
  /// What the loads of the current tile have in common.
  struct Position {
    WorkItem item;
    Number group, row, column;
    /// That of the first row. Of a weight gradient it follows from the stage.
    Pixel pixel;
  };

  bool isWeightGradient() const {
    return convolution.kind == ConvolutionKind::WeightGradient;
  }
  /// D has fewer columns than the product.
  bool hasPaddedColumns() const { return problem.n != problem.strideOfD(); }

  unsigned addImage(KernelSignature &signature, StringRef name,
                    int64_t channels, int64_t pixels);
  Pixel locatePixel(Number place) const;
  Tap locateTap(Number block) const;
  Tap locateClassTap(Number stage);
  void loadPixels(Value shared, Value map, Number channel, const Pixel &pixel,
                  const Tap &tap, Value barrier, Value multicast);
  void loadOfWeights(Side side, Value shared, Number stage, Value barrier,
                     Value multicast);

  Im2colAxis rows, columns;
  /// Channels of a copy, and copies along the channels of a tap.
  int64_t depth, blocks;
  Position position = {};
};

} // namespace mlir::amp

#endif // AMP_LIB_KERNELS_PRODUCTS_IM2COLPRODUCT_H
