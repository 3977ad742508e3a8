//===- ExtentRefinement.h - What follows from known extents -----*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A value whose extents have become known keeps its type for those who read it
// by a cast that forgets them. Readers look behind it.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_LIB_DIALECT_AMP_TRANSFORMS_EXTENTREFINEMENT_H
#define AMP_LIB_DIALECT_AMP_TRANSFORMS_EXTENTREFINEMENT_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Operation.h"

namespace mlir::amp {

/// What `value` is a cast of, if that says more of its extents; else `value`.
Value getRefined(Value value);

/// The type that has what either says; null where they contradict each other.
RankedTensorType join(RankedTensorType a, RankedTensorType b);

/// Gives `value`, which may be the argument of a block, the type `refined`, and
/// its readers, by a cast behind it, the one that it had.
void refineInPlace(Value value, Type refined);

/// The types that all of `ends`, which end regions with values of `types`,
/// could give: where each has a cast of one type, that type.
SmallVector<Type> findRefined(ArrayRef<Operation *> ends, TypeRange types);

/// Leaves out the casts in front of what `end` gives, where `types` has what
/// they are of.
void giveRefined(Operation *end, TypeRange types);

/// Gives each operation of `region` the extents that follow from those of its
/// operands. No extent is taken for known because the program would be wrong
/// otherwise: what an operation asks of its operands stays to be checked, and
/// an operation that known extents contradict stays as it is.
void refineExtents(Region &region);

/// Erases casts that forget extents, and that nobody reads.
void eraseForgetting(Region &region);

} // namespace mlir::amp

#endif // AMP_LIB_DIALECT_AMP_TRANSFORMS_EXTENTREFINEMENT_H
