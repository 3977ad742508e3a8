//===- FlagRules.h - What makes a flag surely true --------------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The closed list of operations by which a flag stays true: disjunctions,
// choices of which all ways are true, movements, and reductions that join. An
// integer is true where it is not 0, a floating-point number where it is larger
// than 0, a tensor where one of its elements is.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_LIB_DIALECT_AMP_TRANSFORMS_FLAGRULES_H
#define AMP_LIB_DIALECT_AMP_TRANSFORMS_FLAGRULES_H

#include "mlir/IR/Value.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#include <optional>
#include <utility>

namespace mlir::amp {

/// A flag, or with 1 the negation of it: one of its elements is 0.
using FlagPart = std::pair<Value, unsigned>;

/// Tells which parts hold.
using HoldingParts = function_ref<bool(FlagPart)>;

/// True for i1 and for tensors of it.
bool isFlagType(Type type);

/// True if `part` is a constant that holds anywhere.
bool isConstantFlag(FlagPart part);

/// What `part` is told by alone, where that is made by an operation on one
/// value and a constant that keeps its truth or negates it.
std::optional<FlagPart> getKeptFlag(FlagPart part);

/// True if `part`, a result of an operation without regions or of a
/// linalg operation, surely holds where those of its operands (and of the
/// values that its body captures) hold which `holds` tells. Neither calls nor
/// amp operations that have a state are looked into.
bool isImplied(FlagPart part, HoldingParts holds);

/// Appends what surely holds where `part`, of one element, does, of the values
/// that it is computed from.
void addNecessary(FlagPart part, SmallVectorImpl<FlagPart> &parts);

/// Appends the operands of the operation of `part`, and their negations, each
/// of which implies `part` by itself.
void addSufficient(FlagPart part, SmallVectorImpl<FlagPart> &parts);

} // namespace mlir::amp

#endif // AMP_LIB_DIALECT_AMP_TRANSFORMS_FLAGRULES_H
