//===- SpreadTensor.cpp - Elements that stand among zeros -----------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// From the outermost insertion inwards: what stands at o + s i in a tensor that
// stands at O + S j in the next stands at O + S o + S s i there. Values of
// blocks that nothing reaches may be made of themselves: each is followed once.
//
//===----------------------------------------------------------------------===//

#include "amp/Analysis/SpreadTensor.h"

#include "amp/Analysis/Fill.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::amp;

bool mlir::amp::isPlainTensor(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && tensor.hasStaticShape() && !tensor.getEncoding();
}

/// The insertion or pad that makes `tensor` of the elements of one operand and
/// zeros, as one step.
static std::optional<SpreadTensor> readStep(Value tensor) {
  if (auto insertion = tensor.getDefiningOp<tensor::InsertSliceOp>()) {
    if (insertion.getSourceType().getRank() !=
            insertion.getDestType().getRank() ||
        ShapedType::isDynamicShape(insertion.getStaticOffsets()) ||
        ShapedType::isDynamicShape(insertion.getStaticStrides()) ||
        !isPlainTensor(insertion.getSourceType()) ||
        llvm::any_of(insertion.getStaticStrides(),
                     [](int64_t stride) { return stride < 1; }) ||
        !isFilledWithZero(insertion.getDest()))
      return std::nullopt;
    return SpreadTensor{insertion.getSource(),
                        llvm::to_vector(insertion.getStaticOffsets()),
                        llvm::to_vector(insertion.getStaticStrides())};
  }
  auto pad = tensor.getDefiningOp<tensor::PadOp>();
  if (!pad || !isPlainTensor(pad.getSourceType()) ||
      ShapedType::isDynamicShape(pad.getStaticLow()) ||
      ShapedType::isDynamicShape(pad.getStaticHigh()))
    return std::nullopt;
  auto cutsOff = [](int64_t amount) { return amount < 0; };
  Value value = pad.getConstantPaddingValue();
  if (!value || !matchPattern(value, m_AnyZeroFloat()) ||
      llvm::any_of(pad.getStaticLow(), cutsOff) ||
      llvm::any_of(pad.getStaticHigh(), cutsOff))
    return std::nullopt;
  return SpreadTensor{pad.getSource(), llvm::to_vector(pad.getStaticLow()),
                      SmallVector<int64_t>(pad.getSourceType().getRank(), 1)};
}

SpreadTensor mlir::amp::getSpreadTensor(Value tensor) {
  int64_t rank = cast<RankedTensorType>(tensor.getType()).getRank();
  SpreadTensor spread{tensor, SmallVector<int64_t>(rank, 0),
                      SmallVector<int64_t>(rank, 1)};
  SmallPtrSet<Value, 4> seen;
  while (seen.insert(spread.elements).second) {
    std::optional<SpreadTensor> step = readStep(spread.elements);
    if (!step)
      break;
    spread.elements = step->elements;
    for (auto [offset, stride, inner, innerStride] : llvm::zip_equal(
             spread.offsets, spread.strides, step->offsets, step->strides)) {
      offset += stride * inner;
      stride *= innerStride;
    }
  }
  return spread;
}
