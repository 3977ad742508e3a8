//===- OrderProblemTest.cpp - Storage orders against exhaustive search ----===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Costs are restated here as what a program would do: walk the values, and note
// each order in which somebody reads one and nobody made it.
//
//===----------------------------------------------------------------------===//

#include "amp/Layout/OrderProblem.h"
#include "gtest/gtest.h"
#include <random>
#include <set>

using namespace mlir::amp;

namespace {
constexpr OrderChoice Written = OrderChoice::Written;
constexpr OrderChoice Preferred = OrderChoice::Preferred;

struct TestValue {
  int64_t bytes;
  unsigned producer;
  OrderProblem::Orders orders;
  llvm::SmallVector<OrderProblem::Demand> demands;
};

/// A problem together with what it was made from.
struct TestProblem {
  OrderProblem problem;
  llvm::SmallVector<std::set<OrderChoice>> nodes;
  llvm::SmallVector<TestValue> values;

  unsigned add(std::set<OrderChoice> allowed) {
    nodes.push_back(allowed);
    return allowed.size() == 2 ? problem.addNode()
                               : problem.addFixedNode(*allowed.begin());
  }
  void add(TestValue value) {
    problem.addValue(value.bytes, value.producer, value.orders, value.demands);
    values.push_back(std::move(value));
  }
  LayoutChanges walk(llvm::ArrayRef<OrderChoice> choices) const {
    LayoutChanges changes;
    for (const TestValue &value : values) {
      std::set<int> forms = {value.orders[unsigned(choices[value.producer])]};
      for (const OrderProblem::Demand &demand : value.demands)
        if (forms.insert(demand.orders[unsigned(choices[demand.node])])
                .second) {
          ++changes.count;
          changes.bytes += value.bytes;
        }
    }
    return changes;
  }
  /// The least bytes over all choices.
  int64_t search() const {
    int64_t best = INT64_MAX;
    for (unsigned bits = 0; bits < 1u << nodes.size(); ++bits) {
      llvm::SmallVector<OrderChoice> choices;
      bool isAllowed = true;
      for (unsigned i = 0; i < nodes.size(); ++i) {
        choices.push_back(bits >> i & 1 ? Preferred : Written);
        isAllowed &= nodes[i].count(choices.back()) != 0;
      }
      if (!isAllowed)
        continue;
      LayoutChanges changes = walk(choices);
      EXPECT_EQ(problem.evaluate(choices), changes);
      best = std::min(best, changes.bytes);
    }
    return best;
  }
};

/// A random graph. Orders 0 and 1 are those of the producer; others are what a
/// transposition in the program asks for. `isOrderly` keeps them apart.
TestProblem makeRandom(std::mt19937 &random, bool isOrderly) {
  TestProblem test;
  unsigned numNodes = 1 + random() % 9;
  for (unsigned i = 0; i < numNodes; ++i)
    switch (random() % 6) {
    case 0:
      test.add({Written});
      break;
    case 1:
      test.add({Preferred});
      break;
    default:
      test.add({Written, Preferred});
    }
  for (unsigned i = 0, e = 1 + random() % 8; i < e; ++i) {
    TestValue value{int64_t(1 + random() % 9),
                    unsigned(random() % numNodes),
                    {0, random() % 5 ? 1 : 0},
                    {}};
    for (unsigned j = 0, n = random() % 5; j < n; ++j) {
      OrderProblem::Demand demand{unsigned(random() % numNodes), {0, 1}};
      if (!isOrderly)
        demand.orders = {int(random() % 4), int(random() % 4)};
      else if (random() % 4 == 0)
        demand.orders[0] = 2;
      else if (random() % 4 == 0)
        demand.orders[1] = 3;
      value.demands.push_back(demand);
    }
    test.add(std::move(value));
  }
  return test;
}

TEST(OrderProblem, EqualsExhaustiveSearch) {
  std::mt19937 random(7);
  int exact = 0;
  for (int round = 0; round < 1500; ++round) {
    TestProblem test = makeRandom(random, /*isOrderly=*/true);
    exact += test.problem.isExact();
    llvm::SmallVector<OrderChoice> choices = test.problem.solve();
    for (unsigned i = 0; i < choices.size(); ++i)
      ASSERT_TRUE(test.nodes[i].count(choices[i]));
    if (test.problem.isExact()) {
      ASSERT_EQ(test.walk(choices).bytes, test.search()) << "round " << round;
    }
  }
  EXPECT_GT(exact, 1000); // most of them tested what they should
}

/// Where a cut cannot state the costs, the result is still a legal choice, no
/// more expensive than the program as written.
TEST(OrderProblem, NeverWorseThanWritten) {
  std::mt19937 random(11);
  int inexact = 0, optimal = 0;
  for (int round = 0; round < 1500; ++round) {
    TestProblem test = makeRandom(random, /*isOrderly=*/false);
    inexact += !test.problem.isExact();
    int64_t cost = test.walk(test.problem.solve()).bytes;
    int64_t best = test.search();
    ASSERT_LE(cost, test.walk(test.problem.getWritten()).bytes);
    ASSERT_GE(cost, best);
    if (test.problem.isExact()) {
      ASSERT_EQ(cost, best);
    }
    optimal += cost == best;
  }
  EXPECT_GT(inexact, 500);
  EXPECT_GT(optimal, 1000);
}

/// conv -> relu -> conv: the relu goes along, and nothing moves between them.
TEST(OrderProblem, WhatStandsBetweenGoesAlong) {
  TestProblem test;
  unsigned boundary = test.add({Written});
  unsigned first = test.add({Preferred}), second = test.add({Preferred});
  unsigned relu = test.add({Written, Preferred});
  test.add({10, boundary, {0, 0}, {{first, {0, 1}}}});
  test.add({20, first, {0, 1}, {{relu, {0, 1}}}});
  test.add({20, relu, {0, 1}, {{second, {0, 1}}}});
  test.add({30, second, {0, 1}, {{boundary, {0, 0}}}});
  llvm::SmallVector<OrderChoice> choices = test.problem.solve();
  EXPECT_EQ(choices[relu], Preferred);
  EXPECT_EQ(test.problem.evaluate(test.problem.getWritten()),
            (LayoutChanges{4, 80}));
  EXPECT_EQ(test.problem.evaluate(choices), (LayoutChanges{2, 40}));
}

/// The change is made where the value is smallest: behind a cast to half.
TEST(OrderProblem, ChangesTheSmallerValue) {
  TestProblem test;
  unsigned boundary = test.add({Written});
  unsigned cast = test.add({Written, Preferred});
  unsigned conv = test.add({Preferred});
  test.add({40, boundary, {0, 0}, {{cast, {0, 1}}}});
  test.add({20, cast, {0, 1}, {{conv, {0, 1}}}});
  llvm::SmallVector<OrderChoice> choices = test.problem.solve();
  EXPECT_EQ(choices[cast], Written);
  EXPECT_EQ(test.problem.evaluate(choices), (LayoutChanges{1, 20}));
}

/// Ten users of a copy pay for one.
TEST(OrderProblem, OneCopyForAllUsers) {
  TestProblem test;
  unsigned boundary = test.add({Written});
  llvm::SmallVector<OrderProblem::Demand> users;
  for (int i = 0; i < 10; ++i)
    users.push_back({test.add({Preferred}), {0, 1}});
  test.add({8, boundary, {0, 0}, users});
  EXPECT_EQ(test.problem.evaluate(test.problem.solve()), (LayoutChanges{1, 8}));
}

/// Nothing prefers anything: the program stays as it is.
TEST(OrderProblem, ATieStaysAsWritten) {
  TestProblem test;
  unsigned first = test.add({Written, Preferred});
  unsigned second = test.add({Written, Preferred});
  test.add({8, first, {0, 1}, {{second, {0, 1}}}});
  EXPECT_EQ(test.problem.solve(), test.problem.getWritten());
}
} // namespace
