//===- ReadInPlace.h - Products that pack one operand alone -----*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which products read A where it is, and which exchange their operands so that
// they can.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_LIB_CONVERSION_LINALGTOHOSTCONTRACTION_READINPLACE_H
#define AMP_LIB_CONVERSION_LINALGTOHOSTCONTRACTION_READINPLACE_H

#include "KernelLibrary.h"

#include "amp/Analysis/Contraction.h"

namespace mlir::amp {

/// True if elements of A are multiplied where they are (ProductForm::readsA):
/// C has few columns, a block of A lies in little memory, and words of `kernel`
/// are there. False for rows whose steps are neighbours, which a run finds.
bool readsAInPlace(const Contraction &product, const MicroKernel &kernel);

/// Exchanges A and B of `product`, and rows and columns of C, if what is packed
/// now has overlapping windows that can be read in place then.
void exchangeOperands(Contraction &product, const HostMachine &machine);

} // namespace mlir::amp

#endif // AMP_LIB_CONVERSION_LINALGTOHOSTCONTRACTION_READINPLACE_H
