//===- PackElements.h - Elements on their way into a panel ------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the two kernels that fill panels (PackKernel, PackRowsKernel) do to
// scalars and vectors: take the bits of halves, widen them, cut f16 into parts,
// join two to a word, turn a square.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_LIB_CONVERSION_LINALGTOHOSTCONTRACTION_PACKELEMENTS_H
#define AMP_LIB_CONVERSION_LINALGTOHOSTCONTRACTION_PACKELEMENTS_H

#include "KernelLibrary.h"

#include <array>

namespace mlir::amp {

/// Halves are moved as the bits they consist of: LLVM has good code for loads
/// and conversions of types that a target does not compute with, not for values
/// of them.
Value asMoved(HostBuilder &b, Value value);

/// f32 of a scalar or vector of `element`, as it is moved.
Value widen(HostBuilder &b, Type element, Value value);

/// Words of neighbouring pairs in a vector of bits of bf16.
Value asWords(HostBuilder &b, Value pairs);

/// Words of two rows, as bits of bf16: scalars, or a vector of each.
Value joinPairs(HostBuilder &b, Value lower, Value upper);

/// Words of one part and of the other, of words that hold two f16 each: the
/// bf16 that each of them begins with, and the bf16 that is the rest. A scalar,
/// or a vector.
std::array<Value, 2> cutIntoParts(HostBuilder &b, Value words);

/// Stores words, a scalar or a vector, at `at` in the panels of `parts` parts.
void storeWords(HostBuilder &b, int64_t parts, Value words,
                const PanelParts &panels, Index at);

/// Transposes a square of `rows.size()` vectors, a power of two.
void transposeInRegisters(HostBuilder &b, MutableArrayRef<Value> rows);

} // namespace mlir::amp

#endif // AMP_LIB_CONVERSION_LINALGTOHOSTCONTRACTION_PACKELEMENTS_H
