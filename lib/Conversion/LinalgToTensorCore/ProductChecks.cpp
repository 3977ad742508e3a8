//===- ProductChecks.cpp - Checks of what products store ------------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Checks are a chain, as convert-or-reductions-to-multi-tensor-kernels has it:
// each begins with the result of the one before, which nothing else reads. The
// order of an or is of no matter, so a check leaves its chain when its product
// is converted. The launches have a number of their own, which they or into one
// after the other: in the order of the block, which need not be that of the
// checks. It is ored in behind the last check, where all launches are done.
//
// One number for each chain, as there is one for each loss scale.
//
//===----------------------------------------------------------------------===//

#include "ProductChecks.h"

#include "ElementMovement.h"
#include "amp/Kernels/OrReduction.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::amp;

linalg::GenericOp ProductChecks::find(Value result) {
  SmallVector<Value> same = {result};
  while (!same.empty()) {
    Value value = same.pop_back_val();
    for (OpOperand &use : value.getUses()) {
      if (use.getOwner()->getBlock() != result.getParentBlock())
        continue;
      auto generic = dyn_cast<linalg::GenericOp>(use.getOwner());
      std::string reason;
      if (generic && OrReduction::match(generic, reason) &&
          generic.isDpsInput(&use))
        return generic;
      // In another order they have the same bits together.
      TensorWalks order;
      Value moved = followReader(use, order);
      if (moved && !moved.getDefiningOp<tensor::InsertSliceOp>() &&
          getElementTypeOrSelf(moved) == getElementTypeOrSelf(value))
        same.push_back(moved);
    }
  }
  return {};
}

/// The check that begins with the result of `check`, which nothing else reads.
static linalg::GenericOp getNext(linalg::GenericOp check) {
  Value bits = check.getResult(0);
  auto next = bits.use_empty()
                  ? linalg::GenericOp()
                  : dyn_cast<linalg::GenericOp>(*bits.user_begin());
  return next && OrReduction::follows(next, check) ? next : linalg::GenericOp();
}

/// An operation behind `last` that ors `bits` into its result.
static linalg::GenericOp createOr(OpBuilder &b, linalg::GenericOp last,
                                  Value bits) {
  b.setInsertionPointAfter(last);
  SmallVector<AffineMap> maps(2, b.getMultiDimIdentityMap(0));
  return linalg::GenericOp::create(
      b, last.getLoc(), last.getResultTypes(), bits, last.getResult(0), maps,
      ArrayRef<utils::IteratorType>(),
      [](OpBuilder &inner, Location loc, ValueRange numbers) {
        Value both = arith::OrIOp::create(inner, loc, numbers[1], numbers[0]);
        linalg::YieldOp::create(inner, loc, both);
      });
}

linalg::GenericOp ProductChecks::getEnd(linalg::GenericOp check) {
  linalg::GenericOp last = check;
  while (linalg::GenericOp next = getNext(last))
    last = next;
  if (launchesOf.contains(last))
    return last;
  OpBuilder b(last);
  // Until it is known what the launches found.
  Value nothing = tensor::EmptyOp::create(b, last.getLoc(), ArrayRef<int64_t>(),
                                          b.getI32Type());
  linalg::GenericOp end = createOr(b, last, nothing);
  last.getResult(0).replaceAllUsesExcept(end.getResult(0), end);
  launchesOf[end] = {};
  return end;
}

void ProductChecks::add(linalg::GenericOp check, LaunchKernelsOp launch,
                        unsigned output) {
  Operation *end = getEnd(check);
  launchesOf[end].push_back({launch, output});
  check.getResult(0).replaceAllUsesWith(check.getDpsInitOperand(0)->get());
  check.erase();
}

void ProductChecks::finish() {
  for (auto &[end, launches] : launchesOf) {
    llvm::sort(launches, [](const Launch &x, const Launch &y) {
      return LaunchKernelsOp(x.op)->isBeforeInBlock(LaunchKernelsOp(y.op));
    });
    LaunchKernelsOp first = launches.front().op;
    OpBuilder b(first);
    Location loc = end->getLoc();
    Value empty =
        tensor::EmptyOp::create(b, loc, ArrayRef<int64_t>(), b.getI32Type());
    Value zero = arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(0));
    Value bits = linalg::FillOp::create(b, loc, zero, empty).getResult(0);
    for (Launch &launch : launches) {
      launch.op.getOutputsMutable()[launch.output].set(bits);
      bits = launch.op.getResult(launch.output);
    }
    cast<linalg::GenericOp>(end).getDpsInputOperand(0)->set(bits);
  }
  launchesOf.clear();
}
