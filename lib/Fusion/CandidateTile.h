//===- CandidateTile.h - The tile of a group in the making ------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two groups become one only with a tile: the parts of all tensors in it fit
// what is close, and a product keeps as many tiles as there are to compute
// them.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_LIB_FUSION_CANDIDATETILE_H
#define AMP_LIB_FUSION_CANDIDATETILE_H

#include "Candidate.h"
#include "amp/Fusion/FusionTarget.h"

namespace mlir::amp {

/// Chooses the order of the loops of `candidate`, and their steps in a tile;
/// false if no tile fits.
bool chooseTile(Candidate &candidate, const FusionTarget &target);

/// Both in one group, with a tile: with whole sums rather than parts. Nothing
/// if they have no loops in common, or no tile fits.
std::optional<Candidate> joinInTiles(const Candidate &a, const Candidate &b,
                                     const FusionTarget &target);

} // namespace mlir::amp

#endif // AMP_LIB_FUSION_CANDIDATETILE_H
