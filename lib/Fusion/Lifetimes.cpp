//===- Lifetimes.cpp - What a group would keep for a later time -----------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Contractions divide a step in parts that are far from each other in time: the
// forward pass of a layer is many of them before its backward pass. If an
// operation moved from behind a contraction to a group in front of it, what it
// gives would be kept for the time between, and what it takes would be kept all
// the same if somebody else reads it. It may move if nobody else reads what it
// takes, or if what it gives is little beside that: a bias's gradient, a check.
//
//===----------------------------------------------------------------------===//

#include "Lifetimes.h"

#include "TensorBytes.h"
#include "amp/Analysis/Contraction.h"

using namespace mlir;
using namespace mlir::amp;

Lifetimes::Lifetimes(const BlockGraph &graph) : graph(graph) {
  unsigned numContractions = 0;
  for (unsigned vertex = 0; vertex < graph.size(); ++vertex) {
    contractionsBefore.push_back(numContractions);
    auto structured = dyn_cast<linalg::LinalgOp>(graph.getOp(vertex));
    numContractions +=
        graph.getNode(vertex)
            ? graph.isProduct(vertex)
            : structured && succeeded(matchContraction(structured));
    contractionsThrough.push_back(numContractions);
  }
}

bool Lifetimes::mayJoin(const Candidate &a, const Candidate &b) const {
  auto getFirst = [](const Candidate &of) {
    return *llvm::min_element(of.vertices);
  };
  const Candidate &first = getFirst(a) < getFirst(b) ? a : b;
  const Candidate &second = &first == &a ? b : a;
  if (contractionsThrough[*llvm::max_element(first.vertices)] >=
      contractionsBefore[getFirst(second)])
    return true;
  auto isReadBySecond = [&](Value tensor) {
    return second.reads.contains(tensor);
  };
  auto isReadByOthers = [&](Value tensor) {
    return graph.isYielded(tensor) ||
           llvm::any_of(graph.getReaders(tensor), [&](unsigned reader) {
             return !llvm::is_contained(first.vertices, reader) &&
                    !llvm::is_contained(second.vertices, reader);
           });
  };
  int64_t taken = 0, left = 0;
  for (Value tensor : first.writes)
    if (isReadBySecond(tensor))
      taken += countTensorBytes(tensor);
  for (Value tensor : second.writes)
    left += countTensorBytes(tensor);
  return taken > 0 && (left * kSmallShare <= taken ||
                       llvm::none_of(first.writes, isReadByOthers));
}

bool Lifetimes::mayStay(unsigned product, unsigned reader,
                        const std::set<unsigned> &members) const {
  if (contractionsBefore[reader] <= contractionsThrough[product])
    return true;
  auto isMember = [&](unsigned vertex) { return members.count(vertex) != 0; };
  return llvm::all_of(
      graph.getNode(reader)->reads, [&](const TensorWalk &walk) {
        auto isWrite = [&](const TensorWalk &write) {
          return write.tensor == walk.tensor;
        };
        bool isWritten = llvm::any_of(members, [&](unsigned member) {
          return llvm::any_of(graph.getNode(member)->writes, isWrite);
        });
        // What leaves the block is kept anyway.
        return !isWritten ||
               llvm::all_of(graph.getReaders(walk.tensor), isMember);
      });
}
