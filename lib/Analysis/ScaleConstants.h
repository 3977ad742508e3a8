//===- ScaleConstants.h - Constants that scaled values meet -----*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the degree of a value is, depends on some constants: an exponent, the
// infinity that it is compared with, the largest finite number that it is
// clamped by, or that a maximum starts from.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_LIB_ANALYSIS_SCALECONSTANTS_H
#define AMP_LIB_ANALYSIS_SCALECONSTANTS_H

#include "amp/Analysis/ScaleDegree.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Value.h"

namespace mlir::amp {

/// The number that every element of `value` is, as a FloatAttr or an
/// IntegerAttr, seen through fills, broadcasts, movements and casts; null if
/// none is seen.
TypedAttr getUniformConstant(Value value);

/// The same without a look into functions that are called: their symbols are
/// searched for in the whole module.
TypedAttr getUniformConstantHere(Value value);

/// True if each element of a floating constant is 0, infinite or NaN, or of no
/// value at all.
bool isSameAtEveryScale(Attribute constant);

/// The exponent that `value` is in each element: the rational number with the
/// smallest denominator that its type rounds to it.
std::optional<Rational> getConstantExponent(Value value);

/// True if `op` compares with infinity or NaN, or tells NaN from numbers.
bool comparesWithInfinity(Operation *op);

/// True if `value` is NaN wherever `operand` is, of the same element, as far as
/// a few operations on the way tell.
bool isNaNWith(Value value, Value operand);

/// True if `division`, a quotient or a remainder, is infinite or NaN wherever
/// what it divides by is infinite, as far as a few operations on the way tell.
bool keepsInfinity(Operation *division);

/// True if `cast` is to a type of numbers alone, as f4E2M1FN, in which an
/// infinity and NaN become finite.
bool castsToNumbers(Operation *cast);

/// True if `select` chooses by a comparison, and what it takes where a number
/// that is compared is NaN, is NaN as well; and, where both numbers that are
/// compared `mayOverflow`, what it takes of two equal infinities is no number
/// either.
bool choosesNaN(arith::SelectOp select, function_ref<bool(Value)> mayOverflow);

/// True if `op` is a maximum, minimum or clamp with the largest finite number
/// of the type, of either sign, which an infinity becomes by it.
bool clampsInfinity(Operation *op);

/// True if `op` is a maximum, minimum or clamp of several values that
/// `mayOverflow`, or chooses the larger or smaller one of two: an infinity
/// becomes the other one. A maximum of what is not negative keeps it, and so
/// does one with what a loop or reduction carries, which has seen every
/// element.
bool boundsInfinity(Operation *op, function_ref<bool(Value)> mayOverflow);

/// True if result `number` of `loop` is infinite or NaN wherever an overflow
/// ends the loop early: where NaN is compared, the condition is false, and the
/// result is NaN with what `mayOverflow` of what was compared.
bool showsOverflow(scf::WhileOp loop, unsigned number,
                   function_ref<bool(Value)> mayOverflow);

/// True if something else than what `mayOverflow` ends `loop` as well: one of
/// the comparisons that all have to be true is of a number of rounds, which
/// counts by a constant towards what is the same in each of them.
bool endsWithOverflow(scf::WhileOp loop, function_ref<bool(Value)> mayOverflow);

/// The maxima (minima) that alone make use of `carried`, what the rounds of a
/// loop or reduction carry or a function is handed, if `start`, with which they
/// begin, is the lowest (highest) finite number: they are what else they are
/// taken of. Empty if `start` is another value, or makes a difference, as it
/// does where a loop may have no round or a reduction no element.
SmallVector<Operation *> findStartedExtrema(Value start, BlockArgument carried);

/// True if what a maximum (minimum) is taken of may be -inf (+inf) alone: one
/// that `findStartedExtrema` gives is finite then.
bool mayHideInfinity(Operation *extremum);

} // namespace mlir::amp

#endif // AMP_LIB_ANALYSIS_SCALECONSTANTS_H
