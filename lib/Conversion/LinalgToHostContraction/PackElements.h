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

namespace mlir::amp {

/// Halves are moved as the bits they consist of: LLVM has good code for loads
/// and conversions of types that a target does not compute with, not for values
/// of them. Of an element in parts, the bits of that part.
Value asMoved(HostBuilder &b, ElementPart part, Value value);

/// What names of kernels that pack `part` end with.
StringRef getPartSuffix(ElementPart part);

/// f32 of a scalar or vector of `element`, as it is moved.
Value widen(HostBuilder &b, Type element, Value value);

/// Words of neighbouring pairs in a vector of bits of bf16.
Value asWords(HostBuilder &b, Value pairs);

/// Words of two rows, as bits of bf16: scalars, or a vector of each.
Value joinPairs(HostBuilder &b, Value lower, Value upper);

/// Transposes a square of `rows.size()` vectors, a power of two.
void transposeInRegisters(HostBuilder &b, MutableArrayRef<Value> rows);

} // namespace mlir::amp

#endif // AMP_LIB_CONVERSION_LINALGTOHOSTCONTRACTION_PACKELEMENTS_H
