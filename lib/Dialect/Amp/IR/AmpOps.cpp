//===- AmpOps.cpp - Text and verification of amp's operations -------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Custom type lists, verifiers and control-flow interfaces. Rule numbers are
// those of each operation's description; folds stand in AmpFolds.cpp.
//
//===----------------------------------------------------------------------===//

#include "amp/Dialect/Amp/IR/AmpDialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/TypeUtilities.h"

#include <cmath>
#include <limits>

using namespace mlir;
using namespace mlir::amp;

//===----------------------------------------------------------------------===//
// Types in text
//===----------------------------------------------------------------------===//

/// `: (gradient types) -> (unscaled types)`; accumulators have the latter.
static ParseResult parseUnscaleTypes(
    OpAsmParser &parser, ArrayRef<OpAsmParser::UnresolvedOperand> accumulators,
    SmallVectorImpl<Type> &gradients, SmallVectorImpl<Type> &accumulatorTypes,
    SmallVectorImpl<Type> &unscaled) {
  FunctionType type;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseColon() || parser.parseType(type))
    return failure();
  llvm::append_range(gradients, type.getInputs());
  llvm::append_range(unscaled, type.getResults());
  if (accumulators.empty())
    return success();
  if (accumulators.size() != unscaled.size())
    return parser.emitError(loc, "expected ")
           << unscaled.size() << " accumulators, one for each result, but got "
           << accumulators.size(); // Rule 2
  llvm::append_range(accumulatorTypes, type.getResults());
  return success();
}

static void printUnscaleTypes(OpAsmPrinter &printer, UnscaleOp op, OperandRange,
                              TypeRange gradients, TypeRange,
                              TypeRange unscaled) {
  printer << ": ";
  printer.printFunctionalType(gradients, unscaled);
}

/// `: types` of the results, which are those of the kept values.
static ParseResult parseKeptTypes(OpAsmParser &parser,
                                  SmallVectorImpl<Type> &kept,
                                  SmallVectorImpl<Type> &results) {
  if (failed(parser.parseOptionalColon()))
    return success();
  if (parser.parseTypeList(results))
    return failure();
  kept.assign(results.begin(), results.end());
  return success();
}

static void printKeptTypes(OpAsmPrinter &printer, ApplyIfFiniteOp op, TypeRange,
                           TypeRange results) {
  if (!results.empty())
    printer << ": " << results;
}

#define GET_OP_CLASSES
#include "amp/Dialect/Amp/IR/AmpOps.cpp.inc"

//===----------------------------------------------------------------------===//
// Symbol uses
//===----------------------------------------------------------------------===//

static LogicalResult verifyScalerSymbol(Operation *op, FlatSymbolRefAttr scaler,
                                        SymbolTableCollection &symbols) {
  if (symbols.lookupNearestSymbolFrom<ScalerOp>(op, scaler))
    return success();
  return op->emitOpError() << "expected '@" << scaler.getValue()
                           << "' to name an amp.scaler of the module";
}

LogicalResult ScaleLossOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return verifyScalerSymbol(*this, getScalerAttr(), symbols); // Rule 1
}

LogicalResult UnscaleOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return verifyScalerSymbol(*this, getScalerAttr(), symbols); // Rule 3
}

LogicalResult UpdateScaleOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return verifyScalerSymbol(*this, getScalerAttr(), symbols); // Rule 1
}

//===----------------------------------------------------------------------===//
// Verifiers
//===----------------------------------------------------------------------===//

LogicalResult ScalerOp::verify() {
  double initial = getInitialScale().convertToDouble();
  double growth = getGrowthFactor().convertToDouble();
  double backoff = getBackoffFactor().convertToDouble();
  double maximum = getMaxScale().convertToDouble();
  if (!std::isfinite(initial) || initial <= 0)
    return emitOpError(
               "expected 'initial_scale' to be finite and positive, but got ")
           << initial; // Rule 1
  if (initial > std::numeric_limits<float>::max())
    return emitOpError("expected 'initial_scale' to be finite in f32, in which "
                       "losses are scaled, but got ")
           << initial; // Rule 1
  if (!(growth > 1))
    return emitOpError("expected 'growth_factor' to be above 1, but got ")
           << growth; // Rule 2
  if (!(backoff > 0 && backoff < 1))
    return emitOpError(
               "expected 'backoff_factor' to be between 0 and 1, but got ")
           << backoff; // Rule 2
  auto interval = static_cast<int64_t>(getGrowthInterval());
  if (interval < 1)
    return emitOpError("expected 'growth_interval' to be at least 1, but got ")
           << interval; // Rule 3
  if (static_cast<int32_t>(getHysteresis()) < 1)
    return emitOpError("expected 'hysteresis' to be at least 1, but got ")
           << static_cast<int32_t>(getHysteresis()); // Rule 3
  if (!(maximum > 0))
    return emitOpError("expected 'max_scale' to be positive, but got ")
           << maximum; // Rule 5
  if (std::optional<APFloat> minScale = getMinScale()) {
    double minimum = minScale->convertToDouble();
    if (!std::isfinite(minimum) || minimum < 0)
      return emitOpError(
                 "expected 'min_scale' to be finite and at least 0, but got ")
             << minimum; // Rule 4
    if (minimum > maximum)
      return emitOpError("expected 'min_scale' to be at most 'max_scale' ")
             << maximum << ", but got " << minimum; // Rule 4
    if (minimum > initial)
      return emitOpError("expected 'min_scale' to be at most 'initial_scale' ")
             << initial << ", but got " << minimum; // Rule 4
  }
  return success();
}

LogicalResult UnscaleOp::verify() {
  if (getGradients().size() != getUnscaled().size())
    return emitOpError("expected as many results as gradients, but got ")
           << getUnscaled().size() << " for "
           << getGradients().size(); // Rule 1
  for (auto [index, pair] : llvm::enumerate(llvm::zip_equal(
           getGradients().getTypes(), getUnscaled().getTypes()))) {
    auto gradient = cast<RankedTensorType>(std::get<0>(pair));
    auto result = cast<RankedTensorType>(std::get<1>(pair));
    if (gradient.getShape() != result.getShape())
      return emitOpError("expected result ")
             << index << " to have the shape of its gradient " << gradient
             << ", but got " << result; // Rule 1
  }
  if (!getAccumulators().empty() &&
      getAccumulators().getTypes() != getUnscaled().getTypes())
    return emitOpError(
        "expected no accumulators, or one of the result's type for each gradient"); // Rule 2
  return success();
}

/// Rules 1 and 2 of operations with a region: it yields the operation's
/// results. Runs before the region is verified, so the end may be any
/// operation.
static LogicalResult verifyYield(Operation *op, Region &body) {
  Operation *end = &body.front().back();
  auto yield = dyn_cast<YieldOp>(end);
  if (!yield)
    return op->emitOpError(
               "expected the region to end with 'amp.yield', but got '")
           << end->getName() << "'"; // Rule 2
  if (yield.getValues().getTypes() != op->getResultTypes())
    return op->emitOpError(
               "expected the region to yield the results' types, but got ")
           << yield.getValues().getTypes(); // Rule 1
  return success();
}

LogicalResult ApplyIfFiniteOp::verify() {
  if (getKept().getTypes() != getResultTypes())
    return emitOpError("expected kept values of the results' types"); // Rule 1
  return verifyYield(*this, getBody());
}

LogicalResult AutocastOp::verify() {
  if (failed(verifyYield(*this, getBody())))
    return failure();
  if (PolicyAttr policy = getPolicyAttr(); policy && policy.castsModel())
    return emitOpError(
               "expected a policy that does not cast the model, but got level ")
           << policy.getLevelName()
           << "; use O1, O4 or O0 inside a region"; // Rule 3
  return success();
}

/// True if both are scalars, or tensors of the same shape.
static bool haveSameShape(Type a, Type b) {
  auto shapedA = dyn_cast<ShapedType>(a), shapedB = dyn_cast<ShapedType>(b);
  if (!shapedA || !shapedB)
    return !shapedA && !shapedB;
  return shapedA.getShape() == shapedB.getShape();
}

/// Rule 1, asked by the verifier of CastOpInterface.
bool CastOp::areCastCompatible(TypeRange inputs, TypeRange outputs) {
  if (inputs.size() != 1 || outputs.size() != 1)
    return false;
  auto isFloat = [](Type type) {
    Type element = getElementTypeOrSelf(type);
    return element.isF16() || element.isBF16() || element.isF32();
  };
  return isFloat(inputs[0]) && isFloat(outputs[0]) &&
         haveSameShape(inputs[0], outputs[0]) &&
         getElementTypeOrSelf(inputs[0]) != getElementTypeOrSelf(outputs[0]);
}

LogicalResult MasterCopyOp::verify() {
  if (haveSameShape(getMaster().getType(), getResult().getType()))
    return success();
  return emitOpError("expected the copy to have the shape of its master ")
         << getMaster().getType() << ", but got "
         << getResult().getType(); // Rule 1
}

//===----------------------------------------------------------------------===//
// Control flow
//===----------------------------------------------------------------------===//

// The kept values are a way around the region: an analysis that saw only the
// yielded ones would take a constant in the region for the result.

void ApplyIfFiniteOp::getSuccessorRegions(
    RegionBranchPoint point, SmallVectorImpl<RegionSuccessor> &regions) {
  if (point.isParent())
    regions.push_back(RegionSuccessor(&getBody()));
  regions.push_back(RegionSuccessor(getOperation(), getResults()));
}

OperandRange
ApplyIfFiniteOp::getEntrySuccessorOperands(RegionSuccessor successor) {
  return successor.isParent() ? OperandRange(getKept())
                              : OperandRange(getKept().end(), getKept().end());
}

void AutocastOp::getSuccessorRegions(
    RegionBranchPoint point, SmallVectorImpl<RegionSuccessor> &regions) {
  if (point.isParent())
    regions.push_back(RegionSuccessor(&getBody()));
  else
    regions.push_back(RegionSuccessor(getOperation(), getResults()));
}
