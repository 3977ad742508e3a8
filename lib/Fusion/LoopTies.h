//===- LoopTies.h - Which loops of two groups walk the same -----*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two groups can have a loop in common if one of its loops walks, in every
// tensor that ties them, what one loop of the other walks. Ties are added one
// by one; a loop that is tied to two, or to none, is closed for good.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_LIB_FUSION_LOOPTIES_H
#define AMP_LIB_FUSION_LOOPTIES_H

#include "amp/Fusion/FusionGroup.h"

namespace mlir::amp {

/// Loops of two groups that walk the same.
class LoopTies {
public:
  LoopTies(unsigned numA, unsigned numB) : ofA(numA, kOpen), ofB(numB, kOpen) {}

  /// One walks with `a` (of the first group, or FusionGroup::kNoLoop) what the
  /// other walks with `b`. A loop cannot be common if it walks with two.
  void tie(int a, int b) {
    if (a == FusionGroup::kNoLoop && b == FusionGroup::kNoLoop)
      return;
    if (a == FusionGroup::kNoLoop || b == FusionGroup::kNoLoop) {
      if (a != FusionGroup::kNoLoop)
        closeA(a);
      if (b != FusionGroup::kNoLoop)
        closeB(b);
      return;
    }
    if (ofA[a] == b && ofB[b] == a)
      return;
    if (ofA[a] == kOpen && ofB[b] == kOpen) {
      ofA[a] = b;
      ofB[b] = a;
      return;
    }
    closeA(a);
    closeB(b);
  }

  /// True if neither is tied to another loop, or closed.
  bool areFree(int a, int b) const {
    return a != FusionGroup::kNoLoop && b != FusionGroup::kNoLoop &&
           (ofA[a] == kOpen || ofA[a] == b) && (ofB[b] == kOpen || ofB[b] == a);
  }

  /// The loop of the second group, or FusionGroup::kNoLoop.
  int getB(unsigned a) const {
    return ofA[a] < 0 ? FusionGroup::kNoLoop : ofA[a];
  }

private:
  void closeA(int a) {
    if (ofA[a] >= 0)
      ofB[ofA[a]] = kClosed;
    ofA[a] = kClosed;
  }
  void closeB(int b) {
    if (ofB[b] >= 0)
      ofA[ofB[b]] = kClosed;
    ofB[b] = kClosed;
  }

  static constexpr int kOpen = -1, kClosed = -2;
  SmallVector<int> ofA, ofB;
};

} // namespace mlir::amp

#endif // AMP_LIB_FUSION_LOOPTIES_H
