//===- MinimumCutTest.cpp - Cuts against exhaustive search ----------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Small random networks have so few cuts that all of them can be tried.
//
//===----------------------------------------------------------------------===//

#include "amp/Analysis/MinimumCut.h"
#include "llvm/ADT/ArrayRef.h"
#include "gtest/gtest.h"
#include <random>

using namespace mlir::amp;

namespace {
struct TestArc {
  unsigned from, to;
  int64_t capacity;
};

/// What the cut with the nodes of `side` (bits) on the source's side costs.
int64_t getCost(llvm::ArrayRef<TestArc> arcs, unsigned side) {
  int64_t cost = 0;
  for (const TestArc &arc : arcs)
    if (side >> arc.from & 1 && !(side >> arc.to & 1))
      cost += arc.capacity;
  return cost;
}

TEST(MinimumCut, EqualsExhaustiveSearch) {
  std::mt19937 random(1);
  for (int round = 0; round < 2000; ++round) {
    unsigned numNodes = 2 + random() % 7;
    MinimumCut cut;
    for (unsigned i = 2; i < numNodes; ++i)
      cut.addNode();
    llvm::SmallVector<TestArc> arcs;
    for (unsigned i = 0, e = random() % 20; i < e; ++i) {
      TestArc arc{unsigned(random() % numNodes), unsigned(random() % numNodes),
                  int64_t(random() % 10)};
      arcs.push_back(arc);
      cut.addArc(arc.from, arc.to, arc.capacity);
    }
    int64_t best = INT64_MAX;
    unsigned smallestSide = 0;
    for (unsigned side = 0; side < 1u << numNodes; ++side) {
      if ((side & 3) != 1) // the source on its side, the sink not
        continue;
      int64_t cost = getCost(arcs, side);
      if (cost < best) {
        best = cost;
        smallestSide = side;
      } else if (cost == best) {
        smallestSide &= side; // smallest cuts are closed under intersection
      }
    }
    ASSERT_EQ(cut.solve(), best) << "round " << round;
    for (unsigned i = 0; i < numNodes; ++i)
      ASSERT_EQ(cut.isOnSourceSide(i), bool(smallestSide >> i & 1))
          << "round " << round << ", node " << i;
  }
}

TEST(MinimumCut, ATieKeepsNodesFromTheSource) {
  MinimumCut cut;
  MinimumCut::Node node = cut.addNode();
  cut.addArc(cut.getSource(), node, 3);
  cut.addArc(node, cut.getSink(), 3);
  EXPECT_EQ(cut.solve(), 3);
  EXPECT_FALSE(cut.isOnSourceSide(node));
}

TEST(MinimumCut, NothingToCut) {
  MinimumCut cut;
  EXPECT_EQ(cut.solve(), 0);
  EXPECT_TRUE(cut.isOnSourceSide(cut.getSource()));
  EXPECT_FALSE(cut.isOnSourceSide(cut.getSink()));
}

TEST(MinimumCut, AContradictionHasNoCut) {
  MinimumCut cut;
  MinimumCut::Node node = cut.addNode();
  cut.addArc(cut.getSource(), node, MinimumCut::kUncuttable);
  cut.addArc(node, cut.getSink(), MinimumCut::kUncuttable);
  EXPECT_EQ(cut.solve(), std::nullopt);
}

TEST(MinimumCut, BytesOfLargeModelsDoNotOverflow) {
  MinimumCut cut;
  int64_t tebibyte = int64_t(1) << 40;
  for (int i = 0; i < 1000; ++i) {
    MinimumCut::Node node = cut.addNode();
    cut.addArc(cut.getSource(), node, tebibyte);
    cut.addArc(node, cut.getSink(), tebibyte + 1);
  }
  EXPECT_EQ(cut.solve(), 1000 * tebibyte);
}

/// A chain as long as a large program: no recursion.
TEST(MinimumCut, LongChain) {
  MinimumCut cut;
  MinimumCut::Node last = cut.getSource();
  for (int i = 0; i < 200000; ++i) {
    MinimumCut::Node node = cut.addNode();
    cut.addArc(last, node, i == 150000 ? 5 : 7);
    last = node;
  }
  cut.addArc(last, cut.getSink(), 9);
  EXPECT_EQ(cut.solve(), 5);
  EXPECT_TRUE(cut.isOnSourceSide(150000));
  EXPECT_FALSE(cut.isOnSourceSide(last));
}
} // namespace
