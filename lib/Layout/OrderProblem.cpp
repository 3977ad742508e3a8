//===- OrderProblem.cpp - Which storage orders move fewest bytes ----------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The source's side of the cut is Preferred. A copy of value v into order o is
// paid once however many nodes need it, so each (v, o) gets one auxiliary node
// between those that need it and the price:
//
//   produced in o if Preferred:  user -inf-> copy -bytes-> producer
//   produced in o if Written:    producer -bytes-> copy -inf-> user
//   never, needed if Preferred:  user -inf-> copy -bytes-> sink
//   never, needed if Written:    source -bytes-> copy -inf-> user
//
// A node that needs o under both of its choices leaves a price on the producer
// alone. What is missing are users and producers that agree by choosing
// differently (produced in o if Preferred, needed if Written): that price falls
// as choices come apart, which no cut can say. It arises only where a program
// transposes by itself against the convolutions' preference; such a user is
// priced as if its copy were always made. `solve` compares its result with the
// program as written, which is exact.
//
//===----------------------------------------------------------------------===//

#include "amp/Layout/OrderProblem.h"

#include "amp/Analysis/MinimumCut.h"
#include "llvm/ADT/STLExtras.h"
#include <cassert>

using namespace mlir::amp;

static constexpr unsigned kWritten = unsigned(OrderChoice::Written);
static constexpr unsigned kPreferred = unsigned(OrderChoice::Preferred);

unsigned OrderProblem::addNode(bool mayBeWritten, bool mayBePreferred) {
  allowed.push_back({mayBeWritten, mayBePreferred});
  return allowed.size() - 1;
}

void OrderProblem::addValue(int64_t bytes, unsigned producer, Orders orders,
                            llvm::ArrayRef<Demand> demands) {
  assert(bytes >= 0 && "a copy has a price");
  Value &value = values.emplace_back(Value{bytes, producer, orders, {}});
  value.demands.append(demands.begin(), demands.end());
}

/// `orders` as far as `node` may choose: a fixed node has one.
OrderProblem::Orders OrderProblem::restrict(unsigned node,
                                            Orders orders) const {
  if (!allowed[node][kWritten])
    orders[kWritten] = orders[kPreferred];
  if (!allowed[node][kPreferred])
    orders[kPreferred] = orders[kWritten];
  return orders;
}

llvm::SmallVector<OrderProblem::Need>
OrderProblem::getNeeds(const Value &value) const {
  Orders produced = restrict(value.producer, value.orders);
  llvm::SmallVector<Need> needs;
  auto getNeed = [&](int order) -> Need & {
    for (Need &need : needs)
      if (need.order == order)
        return need;
    Need &need = needs.emplace_back();
    need.order = order;
    need.isProduced = {produced[kWritten] == order,
                       produced[kPreferred] == order};
    return need;
  };
  for (const Demand &demand : value.demands) {
    Orders orders = restrict(demand.node, demand.orders);
    if (orders[kWritten] == orders[kPreferred]) {
      getNeed(orders[kWritten]).isAlways = true;
      continue;
    }
    for (unsigned choice : {kWritten, kPreferred})
      getNeed(orders[choice]).nodes[choice].push_back(demand.node);
  }
  return needs;
}

LayoutChanges
OrderProblem::evaluate(llvm::ArrayRef<OrderChoice> choices) const {
  LayoutChanges changes;
  for (const Value &value : values) {
    int produced = value.orders[unsigned(choices[value.producer])];
    llvm::SmallVector<int> copies;
    for (const Demand &demand : value.demands) {
      int needed = demand.orders[unsigned(choices[demand.node])];
      if (needed != produced && !llvm::is_contained(copies, needed))
        copies.push_back(needed);
    }
    changes.count += copies.size();
    changes.bytes += value.bytes * copies.size();
  }
  return changes;
}

llvm::SmallVector<OrderChoice> OrderProblem::getWritten() const {
  llvm::SmallVector<OrderChoice> choices;
  for (std::array<bool, 2> may : allowed)
    choices.push_back(may[kWritten] ? OrderChoice::Written
                                    : OrderChoice::Preferred);
  return choices;
}

bool OrderProblem::isExact() const {
  for (const Value &value : values)
    for (const Need &need : getNeeds(value)) {
      if (need.isAlways)
        continue;
      bool written = !need.nodes[kWritten].empty();
      bool preferred = !need.nodes[kPreferred].empty();
      if (need.isProduced[kWritten] && need.isProduced[kPreferred])
        continue;
      if ((need.isProduced[kWritten] && preferred) ||
          (need.isProduced[kPreferred] && written) || (written && preferred))
        return false;
    }
  return true;
}

llvm::SmallVector<OrderChoice> OrderProblem::solve() const {
  constexpr int64_t inf = MinimumCut::kUncuttable;
  MinimumCut cut;
  llvm::SmallVector<MinimumCut::Node> nodes;
  for (std::array<bool, 2> may : allowed) {
    nodes.push_back(cut.addNode());
    if (!may[kWritten])
      cut.addArc(cut.getSource(), nodes.back(), inf);
    if (!may[kPreferred])
      cut.addArc(nodes.back(), cut.getSink(), inf);
  }
  for (const Value &value : values) {
    MinimumCut::Node producer = nodes[value.producer];
    for (const Need &need : getNeeds(value)) {
      auto [ifWritten, ifPreferred] = need.isProduced;
      if (ifWritten && ifPreferred)
        continue;
      if (need.isAlways) {
        if (ifWritten)
          cut.addArc(producer, cut.getSink(), value.bytes);
        else if (ifPreferred)
          cut.addArc(cut.getSource(), producer, value.bytes);
        continue; // never produced: a price that no choice changes
      }
      if (!need.nodes[kPreferred].empty()) {
        MinimumCut::Node copy = cut.addNode();
        for (unsigned node : need.nodes[kPreferred])
          cut.addArc(nodes[node], copy, inf);
        cut.addArc(copy, ifPreferred ? producer : cut.getSink(), value.bytes);
      }
      if (!need.nodes[kWritten].empty()) {
        MinimumCut::Node copy = cut.addNode();
        for (unsigned node : need.nodes[kWritten])
          cut.addArc(copy, nodes[node], inf);
        cut.addArc(ifWritten ? producer : cut.getSource(), copy, value.bytes);
      }
    }
  }
  [[maybe_unused]] std::optional<int64_t> cost = cut.solve();
  assert(cost && "a node may neither be written nor preferred");
  llvm::SmallVector<OrderChoice> choices;
  for (MinimumCut::Node node : nodes)
    choices.push_back(cut.isOnSourceSide(node) ? OrderChoice::Preferred
                                               : OrderChoice::Written);
  llvm::SmallVector<OrderChoice> written = getWritten();
  return evaluate(choices).bytes < evaluate(written).bytes ? choices : written;
}
