//===- ComputeKind.cpp - What an operation computes -----------------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A linalg operation is judged by its iterators and body. Multiply-accumulate
// is a contraction only if some parallel dimension belongs to one factor alone:
// a sum of products over matching elements (a dot product, the gradient of a
// scale) has no such dimension, cannot use matrix units, and is a sum.
//
// Division by a sum is the one kind that is read off producers too. Those are
// judged by their bodies, not by their own kinds: asking for a kind there would
// cost exponential time in a chain of divisions.
//
//===----------------------------------------------------------------------===//

#include "amp/Analysis/ComputeKind.h"

#include "amp/Analysis/Contraction.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::amp;

bool mlir::amp::isCastableTensor(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && tensor.getElementType().isF32() && !tensor.getEncoding();
}

/// A bound for walks towards a definition, which keeps them linear: a sum
/// stands next to its division.
constexpr unsigned kMaxDepth = 8;

/// Functions whose results leave the range of half or lose its precision: the
/// op kinds behind Apex's FP32 list.
static bool isWideScalarOp(Operation *op) {
  return isa<math::ExpOp, math::Exp2Op, math::ExpM1Op, math::LogOp,
             math::Log2Op, math::Log10Op, math::Log1pOp, math::PowFOp,
             math::FPowIOp, math::RsqrtOp, math::TanOp, math::SinhOp,
             math::CoshOp, math::AsinOp, math::AcosOp, math::AsinhOp,
             math::AcoshOp, math::AtanhOp, math::ErfOp, math::ErfcOp>(op);
}

/// The block argument that `value` is, through a widening of the input.
static BlockArgument getBodyInput(Value value) {
  if (Operation *def = value.getDefiningOp())
    if (isa<arith::ExtFOp>(def))
      value = def->getOperand(0);
  return dyn_cast<BlockArgument>(value);
}

/// The two factors of a body that is exactly `yield out + a * b`, as operand
/// numbers; empty if the body is anything else.
static std::optional<std::pair<unsigned, unsigned>>
getMultiplyAccumulate(linalg::LinalgOp op) {
  if (op.getNumDpsInits() != 1 || op.getNumReductionLoops() == 0)
    return std::nullopt;
  Block *body = op.getBlock();
  Operation *yield = body->getTerminator();
  if (yield->getNumOperands() != 1)
    return std::nullopt;
  BlockArgument out = op.getMatchingBlockArgument(op.getDpsInitOperand(0));
  auto factors = matchMultiplyAdd(yield->getOperand(0), out);
  if (!factors)
    return std::nullopt;
  BlockArgument a = getBodyInput(factors->first);
  BlockArgument b = getBodyInput(factors->second);
  if (!a || !b || a.getOwner() != body || b.getOwner() != body || a == out ||
      b == out)
    return std::nullopt;
  return std::pair(a.getArgNumber(), b.getArgNumber());
}

/// True if some parallel dimension is used by one factor and not by the other.
static bool hasDimensionOfOneFactor(linalg::LinalgOp op, unsigned a,
                                    unsigned b) {
  auto usesDim = [&](unsigned operand, unsigned dim) {
    AffineMap map = op.getMatchingIndexingMap(&op->getOpOperand(operand));
    return map.isFunctionOfDim(dim);
  };
  SmallVector<unsigned> parallel;
  op.getParallelDims(parallel);
  return llvm::any_of(parallel, [&](unsigned dim) {
    return usesDim(a, dim) != usesDim(b, dim);
  });
}

static bool isContraction(linalg::LinalgOp op) {
  auto factors = getMultiplyAccumulate(op);
  return factors &&
         hasDimensionOfOneFactor(op, factors->first, factors->second);
}

bool mlir::amp::isContractionFactor(OpOperand &operand) {
  auto op = dyn_cast<linalg::LinalgOp>(operand.getOwner());
  if (!op)
    return false;
  auto factors = getMultiplyAccumulate(op);
  return factors && (operand.getOperandNumber() == factors->first ||
                     operand.getOperandNumber() == factors->second);
}

/// A sum or product over elements: a reduction loop whose body adds to or
/// multiplies the accumulator, or takes from it or divides it.
static bool isSumOrProduct(linalg::LinalgOp op) {
  if (op.getNumReductionLoops() == 0)
    return false;
  return llvm::any_of(
      op.getBlock()->without_terminator(), [&](Operation &inner) {
        if (isa<arith::AddFOp, arith::MulFOp, math::FmaOp>(inner))
          return true;
        if (!isa<arith::SubFOp, arith::DivFOp>(inner))
          return false;
        auto out = dyn_cast<BlockArgument>(inner.getOperand(0));
        return out && out.getOwner() == op.getBlock() &&
               out.getArgNumber() >= op.getNumDpsInputs();
      });
}

/// True if each yielded value is an input element, an element that the body
/// extracts from a tensor, or a constant, and nothing floating is computed.
static bool onlyMovesElements(linalg::LinalgOp op) {
  if (op.getNumReductionLoops() != 0 || op->getNumResults() != 1)
    return false;
  Block *body = op.getBlock();
  BlockArgument out = op.getMatchingBlockArgument(op.getDpsInitOperand(0));
  if (!out.use_empty())
    return false;
  for (Operation &inner : body->without_terminator()) {
    bool isFloating =
        llvm::any_of(inner.getResultTypes(), llvm::IsaPred<FloatType>);
    if (isFloating && !isa<tensor::ExtractOp>(inner))
      return false;
    if (llvm::any_of(inner.getOperandTypes(), llvm::IsaPred<FloatType>))
      return false;
  }
  return isa<FloatType>(body->getTerminator()->getOperand(0).getType());
}

SmallVector<Value> mlir::amp::getElementOperands(linalg::LinalgOp op) {
  SmallVector<Value> values = op.getDpsInputs();
  if (op.getNumReductionLoops() == 0)
    for (OpOperand &init : op.getDpsInitsMutable())
      if (op.payloadUsesValueFromOperand(&init))
        values.push_back(init.get());
  return values;
}

static unsigned countFloatInputs(Operation *op) {
  auto isFloatTensor = [](Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    return tensor && isa<FloatType>(tensor.getElementType());
  };
  if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op)) {
    unsigned count =
        llvm::count_if(getElementOperands(linalgOp), [&](Value operand) {
          return isFloatTensor(operand.getType());
        });
    // A tensor that the body gathers from is an operand in all but name.
    op->walk([&](tensor::ExtractOp extract) {
      count += isFloatTensor(extract.getTensor().getType());
    });
    return count;
  }
  return llvm::count_if(op->getOperandTypes(), isFloatTensor);
}

/// Moves the elements of tensors, whatever the dialect.
static bool isMovement(Operation *op) {
  if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op))
    return isa<linalg::CopyOp>(op) ||
           (countFloatInputs(op) != 0 && onlyMovesElements(linalgOp));
  return isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp, tensor::CastOp,
             tensor::ReshapeOp, tensor::ExtractSliceOp, tensor::InsertSliceOp,
             tensor::ConcatOp, tensor::PadOp, linalg::PackOp, linalg::UnPackOp>(
      op);
}

/// True if each element of `value` is the same constant, moved or not.
static bool isConstantTensor(Value value) {
  for (unsigned depth = 0; depth < kMaxDepth; ++depth) {
    Operation *def = value.getDefiningOp();
    if (!def)
      return false;
    if (isa<linalg::FillOp, tensor::SplatOp>(def) ||
        matchPattern(def, m_Constant()))
      return true;
    if (!isMovement(def) || def->getNumOperands() == 0)
      return false;
    value = def->getOperand(0);
  }
  return false;
}

/// The operand that `op` works on elementwise and with constants alone: a mean
/// (sum / n), a sum with an epsilon or a bound, its root. Null for all others.
static Value getScaledOperand(Operation *op) {
  auto keepsSize = [](Operation *scalar) {
    return isa<arith::AddFOp, arith::SubFOp, arith::MulFOp, arith::DivFOp,
               arith::NegFOp, arith::MaximumFOp, arith::MaxNumFOp,
               arith::MinimumFOp, arith::MinNumFOp, arith::ConstantOp,
               math::AbsFOp, math::FmaOp, math::SqrtOp, linalg::YieldOp>(
        scalar);
  };
  SmallVector<Value> inputs;
  if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op)) {
    if (linalgOp.getNumReductionLoops() != 0 ||
        !llvm::all_of(linalgOp.getBlock()->getOperations(),
                      [&](Operation &inner) { return keepsSize(&inner); }))
      return {};
    inputs = getElementOperands(linalgOp);
  } else if (keepsSize(op)) {
    inputs = op->getOperands();
  }
  Value only;
  for (Value input : inputs) {
    if (!isa<RankedTensorType>(input.getType()) || isConstantTensor(input))
      continue;
    if (only && only != input)
      return {};
    only = input;
  }
  return only;
}

/// True if `value` is a sum, looked at through operations that only move it or
/// work on it elementwise with constants.
static bool isSum(Value value) {
  for (unsigned depth = 0; depth < kMaxDepth; ++depth) {
    Operation *def = value.getDefiningOp();
    if (!def)
      return false;
    if (auto linalgOp = dyn_cast<linalg::LinalgOp>(def))
      if (isSumOrProduct(linalgOp) && !isContraction(linalgOp))
        return true;
    if (isMovement(def) && def->getNumOperands() != 0)
      value = def->getOperand(0);
    else
      value = getScaledOperand(def);
    if (!value)
      return false;
  }
  return false;
}

/// Division by a tensor of sums: the last step of a softmax or a mean over
/// weights, whose divisor does not fit in half.
static bool dividesBySum(Operation *op) {
  if (auto div = dyn_cast<arith::DivFOp>(op))
    return isSum(div.getRhs());
  auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
  if (!linalgOp)
    return false;
  for (Operation &inner : linalgOp.getBlock()->without_terminator()) {
    auto div = dyn_cast<arith::DivFOp>(inner);
    if (!div)
      continue;
    auto divisor = dyn_cast<BlockArgument>(div.getRhs());
    if (divisor && divisor.getOwner() == linalgOp.getBlock() &&
        isSum(op->getOperand(divisor.getArgNumber())))
      return true;
  }
  return false;
}

static ComputeKind classifyLinalg(linalg::LinalgOp op) {
  if (isa<linalg::FillOp>(op))
    return ComputeKind::Neutral;
  if (isMovement(op))
    return ComputeKind::Movement;
  if (countFloatInputs(op) == 0)
    return ComputeKind::Neutral;
  if (isContraction(op))
    return ComputeKind::Contraction;
  if (isSumOrProduct(op) || dividesBySum(op))
    return ComputeKind::Wide;
  WalkResult walk = op->walk([](Operation *inner) {
    return isWideScalarOp(inner) ? WalkResult::interrupt()
                                 : WalkResult::advance();
  });
  if (walk.wasInterrupted())
    return ComputeKind::Wide;
  bool selects =
      llvm::any_of(op.getBlock()->without_terminator(), [](Operation &inner) {
        return isa<arith::SelectOp, arith::CmpFOp, arith::MaximumFOp,
                   arith::MaxNumFOp, arith::MinimumFOp, arith::MinNumFOp>(
            inner);
      });
  bool computes =
      llvm::any_of(op.getBlock()->without_terminator(), [](Operation &inner) {
        return isa<arith::AddFOp, arith::SubFOp, arith::MulFOp, arith::DivFOp,
                   math::FmaOp>(inner);
      });
  if (countFloatInputs(op) > 1 && (computes || !selects))
    return ComputeKind::Promote;
  return ComputeKind::Follow;
}

ComputeKind mlir::amp::getComputeKind(Operation *op) {
  bool touchesFloat = llvm::any_of(op->getOperandTypes(), isCastableTensor) ||
                      llvm::any_of(op->getResultTypes(), isCastableTensor);
  if (isa<func::CallOp>(op) ||
      (op->getNumRegions() && !isa<linalg::LinalgOp>(op) &&
       !isa<tensor::PadOp, tensor::GenerateOp>(op)))
    return ComputeKind::Control;
  if (!touchesFloat)
    return ComputeKind::Other;
  if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op))
    return classifyLinalg(linalgOp);
  if (isa<linalg::SoftmaxOp>(op))
    return ComputeKind::Wide;
  if (matchPattern(op, m_Constant()))
    return ComputeKind::Neutral;
  if (isa<tensor::EmptyOp, tensor::SplatOp>(op))
    return ComputeKind::Neutral;
  if (isMovement(op))
    return ComputeKind::Movement;
  // No dialect: an operation that is not registered.
  if (isa_and_present<tensor::TensorDialect>(op->getDialect()) ||
      op->hasTrait<OpTrait::IsTerminator>())
    return ComputeKind::Other; // scalars in or out: tensor.extract, insert, dim
  if (isWideScalarOp(op) || dividesBySum(op))
    return ComputeKind::Wide;
  if (isa_and_present<arith::ArithDialect, math::MathDialect>(
          op->getDialect())) {
    if (isa<arith::CmpFOp, arith::SelectOp, arith::MaximumFOp,
            arith::MinimumFOp, arith::MaxNumFOp, arith::MinNumFOp>(op))
      return ComputeKind::Follow;
    return countFloatInputs(op) > 1 ? ComputeKind::Promote
                                    : ComputeKind::Follow;
  }
  return ComputeKind::Other;
}

std::string mlir::amp::describeComputeKind(Operation *op, ComputeKind kind) {
  switch (kind) {
  case ComputeKind::Contraction:
    return "contraction";
  case ComputeKind::Promote:
    return "elementwise on several operands";
  case ComputeKind::Follow:
    return "elementwise on one operand, or a choice between operands";
  case ComputeKind::Movement:
    return "moves elements";
  case ComputeKind::Neutral:
    return "constant";
  case ComputeKind::Control:
    return "control flow";
  case ComputeKind::Other:
    return "no floating tensor";
  case ComputeKind::Wide:
    break;
  }
  auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
  if (linalgOp && isSumOrProduct(linalgOp))
    return "sum or product over elements";
  if (dividesBySum(op))
    return "division by a sum";
  std::string text = op->getName().getStringRef().str();
  op->walk([&](Operation *inner) {
    if (isWideScalarOp(inner))
      text = "computes " + inner->getName().getStringRef().str();
  });
  return text;
}
