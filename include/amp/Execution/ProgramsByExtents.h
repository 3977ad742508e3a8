//===- ProgramsByExtents.h - A step for each size of batch ------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kernels of a device are made for known extents. A run whose batches differ in
// size has a program for each size; together they are one that takes all.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_EXECUTION_PROGRAMSBYEXTENTS_H
#define AMP_EXECUTION_PROGRAMSBYEXTENTS_H

#include "amp/Execution/Program.h"

namespace mlir::amp {

/// Programs of one step, at least one, that differ in extents of their batch
/// arguments, as one program. A call of the train step is one of the program
/// whose extents the batch has; an extent that differs among them is unknown in
/// the signature. `evaluate` is the first one's. All use the scalers of the
/// first one (ProgramOptions::scalers). Memory that a program keeps for its
/// next call is given back when another one is called. It lists no kernels.
/// Fails if arguments or results differ in anything else, or two programs in
/// nothing.
llvm::Expected<std::unique_ptr<Program>>
joinByExtents(std::vector<std::unique_ptr<Program>> programs);

} // namespace mlir::amp

#endif // AMP_EXECUTION_PROGRAMSBYEXTENTS_H
