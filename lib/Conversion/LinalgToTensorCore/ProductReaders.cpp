//===- ProductReaders.cpp - What is planned with each product -------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A group also has what is made for its readers, a bias for each row, which a
// kernel takes for an operand if it is no better. The plan speaks of tensors,
// and reshapes are none. A kernel may end at one, so they are listed here.
//
//===----------------------------------------------------------------------===//

#include "ProductReaders.h"

using namespace mlir;
using namespace mlir::amp;

/// Adds the reshapes of what `op` gives.
static void addReshapes(Operation *op, SmallVectorImpl<Operation *> &reshapes) {
  for (Operation *user : op->getUsers()) {
    if (!isReshape(user) || user->getBlock() != op->getBlock())
      continue;
    reshapes.push_back(user);
    addReshapes(user, reshapes);
  }
}

ProductReaders::ProductReaders(ArrayRef<linalg::LinalgOp> contractions,
                               const FusionTarget &target) {
  llvm::SetVector<Block *> blocks;
  for (linalg::LinalgOp op : contractions) {
    blocks.insert(op->getBlock());
    addReshapes(op, readersOf[op]);
  }
  for (Block *block : blocks) {
    // The body of a module has no end that could say what is needed of it.
    if (!block->mightHaveTerminator())
      continue;
    for (const FusionGroup &group : FusionPlan::compute(*block, target).groups)
      add(group);
  }
}

void ProductReaders::add(const FusionGroup &group) {
  auto isProduct = [](const FusionNode &node) {
    return node.product.has_value();
  };
  assert(llvm::count_if(group.nodes, isProduct) <= 1 &&
         "products in registers share no group");
  auto product = llvm::find_if(group.nodes, isProduct);
  if (product == group.nodes.end())
    return;
  SmallVector<Operation *> &readers = readersOf[product->operation];
  llvm::DenseSet<Value> elements = {product->writes.front().tensor};
  auto isElements = [&](const TensorWalk &walk) {
    return elements.contains(walk.tensor);
  };
  for (const FusionNode &node :
       llvm::make_range(std::next(product), group.nodes.end())) {
    if (llvm::none_of(node.reads, isElements))
      continue;
    for (const TensorWalk &walk : node.writes)
      elements.insert(walk.tensor);
    readers.push_back(node.operation);
    addReshapes(node.operation, readers);
  }
  llvm::sort(readers,
             [](Operation *x, Operation *y) { return x->isBeforeInBlock(y); });
}

ArrayRef<Operation *> ProductReaders::get(Operation *contraction) const {
  auto found = readersOf.find(contraction);
  return found == readersOf.end() ? ArrayRef<Operation *>() : found->second;
}
