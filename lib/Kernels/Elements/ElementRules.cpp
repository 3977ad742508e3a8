//===- ElementRules.cpp - What kernels of elements can compute ------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Offsets have 32 bits, and each result's element belongs to one iteration of
// the parallel loops.
//
//===----------------------------------------------------------------------===//

#include "Elements/ElementRules.h"

#include "amp/Kernels/DeviceFunctions.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mlir::amp;

/// Whether elements of a type are in memory as kernels read them.
static bool isElementType(Type type) {
  return type.isF16() || type.isBF16() || type.isF32() || type.isF64() ||
         type.isInteger(1) || type.isInteger(8) || type.isInteger(16) ||
         type.isInteger(32) || type.isInteger(64);
}

std::string mlir::amp::checkTensor(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || !tensor.hasStaticShape() || tensor.getEncoding() ||
      !isElementType(tensor.getElementType()))
    return llvm::formatv("expected tensors of static shape with elements of "
                         "f16, bf16, f32, f64, i1, i8, i16, i32 or i64, but "
                         "got {0}",
                         type);
  if (tensor.getNumElements() > kMostNumbered)
    return llvm::formatv(
        "expected tensors of at most 2^31 - 2^20 elements, but got {0}", type);
  return "";
}

bool mlir::amp::isConstant(Value value) {
  return value.getType().isIntOrIndexOrFloat() &&
         matchPattern(value, m_Constant());
}

std::string mlir::amp::checkRead(Value value) {
  Type type = value.getType();
  if (isa<ShapedType>(type))
    return checkTensor(type);
  if (isConstant(value) || isElementType(type))
    return "";
  return llvm::formatv("expected numbers of f16, bf16, f32, f64, i1, i8, i16, "
                       "i32 or i64, but got one of {0}",
                       type);
}

Value mlir::amp::getWhole(Value tensor) {
  while (auto *reshape = tensor.getDefiningOp()) {
    if (!isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(reshape))
      break;
    tensor = reshape->getOperand(0);
  }
  return tensor;
}

std::string mlir::amp::checkWhole(Value tensor) {
  Operation *source = getWhole(tensor).getDefiningOp();
  if (isa_and_present<tensor::ExtractSliceOp>(source))
    return "expected tensors whose elements follow one another in memory, but "
           "got a slice of one";
  if (isa_and_present<tensor::EmptyOp>(source))
    return "expected tensors with elements, but got a tensor.empty";
  return "";
}

/// Sums and products of loops, without quotients: what does not depend on
/// signs.
static bool isSumOfLoops(AffineExpr expression) {
  bool isSum = true;
  expression.walk([&](AffineExpr part) {
    isSum &= part.getKind() == AffineExprKind::Add ||
             part.getKind() == AffineExprKind::Mul ||
             part.getKind() == AffineExprKind::Constant ||
             part.getKind() == AffineExprKind::DimId;
  });
  return isSum;
}

bool mlir::amp::isScalarOperation(Operation &op) {
  if (isa<linalg::YieldOp, linalg::IndexOp, tensor::ExtractOp>(op))
    return true;
  if (op.getNumResults() != 1 || op.getNumRegions() != 0)
    return false;
  return hasDeviceCode(&op) ||
         (isa_and_present<arith::ArithDialect>(op.getDialect()) &&
          op.getResult(0).getType().isIntOrIndexOrFloat());
}

std::string mlir::amp::checkReadsOneTensor(linalg::GenericOp op) {
  if (op.getNumDpsInputs() != 1 ||
      !op.getIndexingMapsArray()[0].isPermutation())
    return "expected one tensor whose dimensions are the loops";
  Value tensor = op.getDpsInputOperand(0)->get();
  if (std::string wrong = checkTensor(tensor.getType()); !wrong.empty())
    return wrong;
  if (std::string wrong = checkWhole(tensor); !wrong.empty())
    return wrong;
  for (Operation &inner : op.getBody()->without_terminator()) {
    if (isa<linalg::IndexOp, tensor::ExtractOp>(inner))
      return "expected elements that depend on elements with their number, but "
             "got ones that depend on indices";
    if (!isScalarOperation(inner))
      return llvm::formatv("expected a body of operations that kernels have "
                           "code for, but got '{0}'",
                           inner.getName());
  }
  return "";
}

std::string mlir::amp::checkLoops(linalg::GenericOp op) {
  SmallVector<int64_t> sizes = op.getStaticLoopRanges();
  double iterations = 1;
  for (int64_t size : sizes)
    iterations *= double(size);
  if (iterations == 0)
    return "expected loops with iterations, but one has none";
  for (OpOperand &operand : op->getOpOperands()) {
    AffineMap map = op.getMatchingIndexingMap(&operand);
    for (AffineExpr expression : map.getResults())
      if (!isSumOfLoops(expression))
        return "expected indices that are sums of loops, but got quotients";
  }
  SmallVector<utils::IteratorType> types = op.getIteratorTypesArray();
  unsigned parallel = 0;
  double elements = 1;
  for (auto [size, type] : llvm::zip(sizes, types))
    if (type == utils::IteratorType::parallel && size > 1) {
      ++parallel;
      elements *= double(size);
    }
  if (elements > kMostNumbered)
    return "expected at most 2^31 - 2^20 elements of a result, but got more";
  for (OpOperand &init : op.getDpsInitsMutable()) {
    llvm::SmallSetVector<unsigned, 4> loops;
    bool isEach = true;
    for (AffineExpr expression :
         op.getMatchingIndexingMap(&init).getResults()) {
      if (auto loop = dyn_cast<AffineDimExpr>(expression)) {
        isEach &= types[loop.getPosition()] == utils::IteratorType::parallel;
        if (sizes[loop.getPosition()] > 1)
          isEach &= loops.insert(loop.getPosition());
      } else {
        isEach &= isa<AffineConstantExpr>(expression);
      }
    }
    if (!isEach || loops.size() != parallel)
      return "expected each parallel loop to be a dimension of each result, "
             "but one is not";
  }
  return "";
}
