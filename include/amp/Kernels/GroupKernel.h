//===- GroupKernel.h - A block of threads for each tile ---------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kernels of what shares a pass over memory: an scf.forall over tiles of
// tensors, as amp-tile-fusion-groups writes it.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_KERNELS_GROUPKERNEL_H
#define AMP_KERNELS_GROUPKERNEL_H

#include "amp/Kernels/ElementKernel.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include <memory>

namespace mlir::amp {

struct Chip;
struct GroupPlan;

/// A loop over tiles as a kernel sees it.
class GroupKernel {
public:
  /// Views a loop whose tiles `chip` can hold; or says in `reason` why it has
  /// no kernel: "expected ..., but got ...".
  static std::optional<GroupKernel> match(scf::ForallOp loop, const Chip &chip,
                                          std::string &reason);

  /// The kernel's arguments that are read: `in0` and on for tensors, `number0`
  /// for numbers, which are memory of one element. A tensor may be larger than
  /// what the loop names: the one that it is a part or another shape of.
  ArrayRef<ElementKernel::Input> getInputs() const { return inputs; }
  /// The results of the loop, `out0` and on.
  SmallVector<std::string> getOutputNames() const;

  /// Adds a gpu.module `name` with a kernel of that name at the builder's
  /// insertion point.
  gpu::GPUModuleOp emit(OpBuilder &builder, StringRef name) const;

private:
  explicit GroupKernel(scf::ForallOp loop);

  scf::ForallOp loop;
  /// Who computes what.
  std::shared_ptr<const GroupPlan> plan;
  SmallVector<ElementKernel::Input> inputs;
};

} // namespace mlir::amp

#endif // AMP_KERNELS_GROUPKERNEL_H
