//===- SharedBody.cpp - Elementwise operations in one body ----------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Upstream's fusion computes a producer once for each reader, and once for each
// operand that reads it. Here an operation that others read too gives what it
// computes as a result of the shared operation: one body, several results, and
// an input that several read is there once.
//
//   %m = f(%g)  %v = h(%g)  %p = k(%m, %v)   ->   %m, %v, %p = generic ins(%g)
//
// An operation joins one that reads it if nobody else reads it before.
//
//===----------------------------------------------------------------------===//

#include "SharedBody.h"
#include "amp/Conversion/LinalgToHostContraction.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace mlir::amp;

/// Results of products that one body reads, at most.
static constexpr int64_t kMostProducts = 4;

/// True if `value` is the result of a product, or that in another type.
static bool isProduct(Value value) {
  auto op = value.getDefiningOp<linalg::LinalgOp>();
  if (!op || isHostContraction(op))
    return op != nullptr;
  bool onlyConverts =
      op.getNumDpsInputs() == 1 &&
      llvm::all_of(op.getBlock()->without_terminator(),
                   llvm::IsaPred<arith::TruncFOp, arith::ExtFOp>);
  return onlyConverts && isProduct(op.getDpsInputs().front());
}

bool amp::readManyProducts(linalg::LinalgOp writer, linalg::LinalgOp reader) {
  int64_t count = 0;
  for (linalg::LinalgOp op : {writer, reader})
    count += llvm::count_if(op.getDpsInputs(), isProduct);
  return count > kMostProducts;
}

/// True if `writer` and `reader` visit the same points in the same order, what
/// one reads of the other it reads where it was written, and who else reads it
/// stands behind.
static bool canShareBody(linalg::GenericOp writer, linalg::GenericOp reader) {
  if (writer->getBlock() != reader->getBlock() ||
      writer.getNumParallelLoops() != writer.getNumLoops() ||
      reader.getNumParallelLoops() != reader.getNumLoops() ||
      writer.getStaticLoopRanges() != reader.getStaticLoopRanges() ||
      readManyProducts(writer, reader))
    return false;
  for (OpOperand &use : reader->getOpOperands())
    if (use.get().getDefiningOp() == writer &&
        (reader.isDpsInit(&use) ||
         reader.getMatchingIndexingMap(&use) !=
             writer.getIndexingMapMatchingResult(cast<OpResult>(use.get()))))
      return false;
  auto usesInit = [](linalg::GenericOp op) {
    return llvm::any_of(op.getDpsInitsMutable(), [&](OpOperand &init) {
      return op.payloadUsesValueFromOperand(&init);
    });
  };
  return !usesInit(writer) && !usesInit(reader) &&
         llvm::all_of(writer->getUsers(), [&](Operation *user) {
           Operation *here = reader->getBlock()->findAncestorOpInBlock(*user);
           return here == reader || reader->isBeforeInBlock(here);
         });
}

/// One operation for both, with the results of both, in place of `reader`.
static linalg::GenericOp shareBody(linalg::GenericOp writer,
                                   linalg::GenericOp reader,
                                   RewriterBase &rewriter) {
  SmallVector<Value> inputs, inits;
  SmallVector<AffineMap> inputMaps, initMaps;
  // The body's argument that stands for each of the old ones, by number.
  SmallVector<std::pair<BlockArgument, unsigned>> arguments;
  auto addInputs = [&](linalg::GenericOp op) {
    for (OpOperand *use : op.getDpsInputOperands()) {
      if (use->get().getDefiningOp() == writer)
        continue;
      AffineMap map = op.getMatchingIndexingMap(use);
      unsigned number = 0;
      while (number < inputs.size() &&
             (inputs[number] != use->get() || inputMaps[number] != map))
        ++number;
      if (number == inputs.size()) {
        inputs.push_back(use->get());
        inputMaps.push_back(map);
      }
      arguments.emplace_back(op.getMatchingBlockArgument(use), number);
    }
  };
  addInputs(writer);
  addInputs(reader);
  // What only the reader reads is no result any more.
  SmallVector<OpResult> results;
  for (linalg::GenericOp op : {writer, reader})
    for (OpResult result : op->getResults()) {
      bool isKept =
          op == reader || llvm::any_of(result.getUsers(), [&](Operation *user) {
            return user != reader;
          });
      if (!isKept)
        continue;
      OpOperand *init = op.getDpsInitOperand(result.getResultNumber());
      results.push_back(result);
      inits.push_back(init->get());
      initMaps.push_back(op.getMatchingIndexingMap(init));
    }
  SmallVector<AffineMap> maps = inputMaps;
  maps.append(initMaps);
  rewriter.setInsertionPoint(reader);
  auto shared = linalg::GenericOp::create(
      rewriter, rewriter.getFusedLoc({writer.getLoc(), reader.getLoc()}),
      ValueRange(inits).getTypes(), inputs, inits, maps,
      reader.getIteratorTypesArray(),
      [&](OpBuilder &builder, Location loc, ValueRange given) {
        IRMapping mapping;
        for (auto [argument, number] : arguments)
          mapping.map(argument, given[number]);
        auto cloneBody = [&](linalg::GenericOp op) {
          for (Operation &inner : op.getBody()->without_terminator())
            builder.clone(inner, mapping);
        };
        auto getYielded = [&](OpResult result) {
          auto op = cast<linalg::GenericOp>(result.getOwner());
          return mapping.lookupOrDefault(
              op.getBody()->getTerminator()->getOperand(
                  result.getResultNumber()));
        };
        cloneBody(writer);
        for (OpOperand *use : reader.getDpsInputOperands())
          if (use->get().getDefiningOp() == writer)
            mapping.map(reader.getMatchingBlockArgument(use),
                        getYielded(cast<OpResult>(use->get())));
        cloneBody(reader);
        SmallVector<Value> yielded = llvm::map_to_vector(results, getYielded);
        linalg::YieldOp::create(builder, loc, yielded);
      });
  for (auto [old, result] : llvm::zip_equal(results, shared.getResults()))
    rewriter.replaceAllUsesWith(old, result);
  rewriter.eraseOp(reader);
  rewriter.eraseOp(writer);
  return shared;
}

void mlir::amp::shareBodies(Block &block, RewriterBase &rewriter) {
  SmallVector<linalg::GenericOp> ops(block.getOps<linalg::GenericOp>());
  for (linalg::GenericOp op : ops) {
    bool changed = true;
    while (changed) {
      changed = false;
      for (Value input : op.getDpsInputs()) {
        auto writer = input.getDefiningOp<linalg::GenericOp>();
        if (!writer || !canShareBody(writer, op))
          continue;
        op = shareBody(writer, op, rewriter);
        changed = true;
        break;
      }
    }
  }
}
