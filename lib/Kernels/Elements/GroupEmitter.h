//===- GroupEmitter.h - A plan for a tile as code ---------------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AMP_LIB_KERNELS_ELEMENTS_GROUPEMITTER_H
#define AMP_LIB_KERNELS_ELEMENTS_GROUPEMITTER_H

#include "Elements/GroupPlan.h"
#include "amp/Kernels/ElementKernel.h"

namespace mlir::amp {

/// Adds the kernel of a loop over tiles.
void emitGroup(DeviceBuilder &b, scf::ForallOp loop, const GroupPlan &plan,
               StringRef name, ArrayRef<ElementKernel::Input> inputs,
               ArrayRef<std::string> outputs);

} // namespace mlir::amp

#endif // AMP_LIB_KERNELS_ELEMENTS_GROUPEMITTER_H
