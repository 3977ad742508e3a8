//===- ArrayBinding.h - Arrays that fit an argument -------------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a user's array must satisfy before compiled code sees it. The rules:
//
//  - Floating-point data goes to floating-point arguments of any width, rounded
//    to nearest; integers go to integers that hold all their values. Nothing
//    turns integers into floats or back: pixels that were never scaled, or
//    truncated labels, would train without a word.
//  - No NaN; in batches no infinity either. (A state may hold one: a mask of
//    -inf is a legitimate buffer.)
//  - No number becomes infinite by the rounding. One exception: a buffer that
//  an
//    opt level keeps in half, for PyTorch's .half() makes the -1e9 of a mask
//    infinite too, and means it.
//
// Shapes and kinds are checked on an array's header, so that one that does not
// fit is refused before its elements are read.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_EXECUTION_ARRAYBINDING_H
#define AMP_EXECUTION_ARRAYBINDING_H

#include "amp-rt/Program.h"
#include "amp/Execution/ArrayArchive.h"
#include "amp/Execution/Program.h"

#include "llvm/Support/Error.h"

namespace mlir::amp {

/// "param 'fc1.weight'", as errors name an argument.
std::string describeArgument(const ValueSpec &spec);

/// `spec` as the runtime describes values. Its texts are those of `spec`, which
/// has to live as long.
AmpRtValue toRuntimeValue(const ValueSpec &spec);

/// Fails unless elements of the kind of `type` may go to `spec`. `origin` names
/// the array in errors: "array 'x0' in 'digits.npz'".
llvm::Error checkElementKind(const ArrayType &type, const ValueSpec &spec,
                             llvm::StringRef origin);

/// Whether `shape` is that of `spec` (dynamic extents fit any).
bool fitsShape(const ValueSpec &spec, llvm::ArrayRef<int64_t> shape);

/// Fails unless the shape of `type` fits.
llvm::Error checkShape(const ArrayType &type, const ValueSpec &spec,
                       llvm::StringRef origin);

/// A copy of `array` with elements of the kind of `spec`.
llvm::Expected<HostArray> convertToArgument(const HostArray &array,
                                            const ValueSpec &spec,
                                            llvm::StringRef origin);

/// True if `value`, rounded to the elements of `spec`, is no number any more:
/// infinite where it was finite, or another integer.
bool overflows(double value, const ValueSpec &spec);

enum class NonFinite { AllowInfinity, Forbid };

/// Fails at the first element that is NaN or, if forbidden, infinite. Names the
/// element by its indices.
llvm::Error checkFinite(const HostArray &array, NonFinite rule,
                        llvm::StringRef origin);

/// The type of the array `name` of `archive`, whose elements are not read: the
/// rules above for shapes and kinds.
llvm::Expected<ArrayType> readArgumentType(const ArrayArchive &archive,
                                           llvm::StringRef name,
                                           const ValueSpec &spec);

/// The array `name` of `archive` as an argument: all of the rules above.
llvm::Expected<HostArray> readArgument(const ArrayArchive &archive,
                                       llvm::StringRef name,
                                       const ValueSpec &spec, NonFinite rule);

} // namespace mlir::amp

#endif // AMP_EXECUTION_ARRAYBINDING_H
