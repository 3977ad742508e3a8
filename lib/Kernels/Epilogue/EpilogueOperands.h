//===- EpilogueOperands.h - Parameters of an epilogue -----------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What an epilogue reads, as parameters of the kernel that applies it: a
// pointer for each operand that is in memory, in the order of the operands,
// none for an index.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_LIB_KERNELS_EPILOGUE_EPILOGUEOPERANDS_H
#define AMP_LIB_KERNELS_EPILOGUE_EPILOGUEOPERANDS_H

#include "Device/KernelSignature.h"
#include "amp/Kernels/GemmEpilogue.h"

namespace mlir::amp {

/// Elements of an operand of an epilogue, by its kind.
struct EpilogueSizes {
  int64_t rows, columns, matrix;
};

/// Adds a parameter for each operand of an epilogue that is in memory; returns
/// the first's index.
unsigned addEpilogueOperands(KernelSignature &signature,
                             const GemmEpilogue &epilogue, EpilogueSizes sizes);
/// The pointers to them; null for an index, which has no parameter.
SmallVector<Value> readEpilogueOperands(Block *entry, unsigned first,
                                        const GemmEpilogue &epilogue);

} // namespace mlir::amp

#endif // AMP_LIB_KERNELS_EPILOGUE_EPILOGUEOPERANDS_H
