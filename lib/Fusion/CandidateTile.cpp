//===- CandidateTile.cpp - The tile of a group in the making --------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Says of a group what TileChoice.h has to know: which part of each tensor is
// in a tile, rows and columns of its products, and how much of each sum a tile
// needs so that the parts are small beside what is summed. A tensor that
// several walk alike is there once; elements that are read by computed indices,
// operands that a product packs, and what fills the start of a product's sum
// are not.
//
// Where whole sums leave no tile, or too few tiles of a product, sums in parts
// are tried.
//
//===----------------------------------------------------------------------===//

#include "CandidateTile.h"

#include "LoopOrder.h"
#include "TensorBytes.h"
#include "TileChoice.h"

using namespace mlir;
using namespace mlir::amp;

/// Parts of a sum that tiles write are this part of what is summed, at most.
static constexpr int64_t kPartsShare = 8;

/// What a tile of `candidate` has parts of.
static SmallVector<TilePart> getParts(const Candidate &candidate) {
  SmallVector<TilePart> parts;
  llvm::SmallDenseMap<Value, SmallVector<unsigned, 2>> partsOf;
  llvm::SmallDenseSet<Value, 2> starts;
  const BlockGraph &graph = candidate.getGraph();
  for (unsigned vertex : candidate.vertices)
    if (graph.isProduct(vertex))
      starts.insert(graph.getProductStart(vertex));
  candidate.forEachWalk([&](const FusionNode &, ArrayRef<int> loops,
                            const TensorWalk &walk, bool isWrite) {
    // What fills the start of a product's sum has the memory of the sum.
    if (walk.isGathered || walk.isPacked ||
        (isWrite && starts.contains(walk.tensor)))
      return;
    // What comes from outside is read in the shape that the reader sees.
    bool isInside = candidate.writes.contains(walk.tensor);
    TilePart part{isInside ? walk.tensor : walk.value,
                  getGroupLoops(isInside ? walk.dims : walk.valueDims, loops)};
    SmallVector<unsigned, 2> &known = partsOf[part.tensor];
    if (llvm::any_of(known, [&](unsigned number) {
          return parts[number].loops == part.loops;
        }))
      return;
    known.push_back(parts.size());
    parts.push_back(std::move(part));
  });
  return parts;
}

/// The sides of each product of `candidate`.
static std::vector<ProductSides> getProductSides(const Candidate &candidate) {
  std::vector<ProductSides> sides;
  for (auto [vertex, loops] :
       llvm::zip_equal(candidate.vertices, candidate.loops)) {
    const FusionNode &node = *candidate.getGraph().getNode(vertex);
    if (!node.product)
      continue;
    auto getSide = [&, loops = ArrayRef(loops)](ArrayRef<unsigned> ofProduct) {
      TileSide side;
      for (unsigned loop : ofProduct)
        side.emplace_back(loops[loop], node.extents[loop]);
      return side;
    };
    auto getPart = [&, loops = ArrayRef(loops)](const TensorWalk &walk) {
      return TilePart{walk.value, getGroupLoops(walk.valueDims, loops)};
    };
    sides.push_back({getSide(node.product->rows),
                     getSide(node.product->columns), getPart(node.product->a),
                     getPart(node.product->b)});
  }
  return sides;
}

/// The sums that each tile gives a part of; nothing if the parts are not small
/// beside what is summed.
static std::optional<std::vector<TileSum>> getSums(const Candidate &candidate) {
  std::vector<TileSum> sums;
  for (auto [vertex, loops] :
       llvm::zip_equal(candidate.vertices, candidate.loops)) {
    const FusionNode &node = *candidate.getGraph().getNode(vertex);
    SmallVector<int> summed = getSummedLoops(node, loops);
    if (summed.empty())
      continue;
    TileSum sum;
    int64_t length = 1, written = 0, read = 1;
    for (int loop : summed) {
      sum.loops.emplace_back(loop, candidate.extents[loop]);
      length *= candidate.extents[loop];
    }
    for (const TensorWalk &walk : node.writes)
      written += countTensorBytes(walk.tensor);
    for (const TensorWalk &walk : node.reads)
      read = std::max(read, countTensorBytes(walk.tensor));
    sum.length = llvm::divideCeil(kPartsShare * written * length, read);
    if (sum.length > length)
      return std::nullopt;
    sums.push_back(std::move(sum));
  }
  return sums;
}

bool mlir::amp::chooseTile(Candidate &candidate, const FusionTarget &target) {
  candidate.tile.clear();
  orderLoops(candidate);
  std::vector<ProductSides> products = getProductSides(candidate);
  std::optional<std::vector<TileSum>> sums = getSums(candidate);
  if (!sums)
    return false;
  std::optional<SmallVector<int64_t>> tile = chooseTile(
      candidate.extents, getParts(candidate), target, products, *sums);
  if (!tile)
    return false;
  candidate.tile = *tile;
  if (!products.empty())
    orderProductLoops(candidate, products);
  return true;
}

std::optional<Candidate> mlir::amp::joinInTiles(const Candidate &a,
                                                const Candidate &b,
                                                const FusionTarget &target) {
  // Who joins a product leaves it as many tiles as it had, or enough.
  int64_t fewest = 1;
  for (const Candidate *of : {&a, &b})
    if (of->hasProduct() && !of->tile.empty())
      fewest =
          std::max(fewest, std::min(of->countTiles(), target.productTiles));
  auto tryToJoin = [&](bool inParts) {
    std::optional<Candidate> joined = Candidate::join(a, b, inParts);
    if (joined &&
        (!chooseTile(*joined, target) || joined->countTiles() < fewest))
      joined.reset();
    return joined;
  };
  std::optional<Candidate> whole = tryToJoin(/*inParts=*/false);
  bool hasTiles = whole && (!whole->hasProduct() ||
                            whole->countTiles() >= target.productTiles);
  if (hasTiles || (!a.hasSums() && !b.hasSums()))
    return whole;
  std::optional<Candidate> parts = tryToJoin(/*inParts=*/true);
  if (!whole || (parts && parts->countTiles() > whole->countTiles()))
    return parts;
  return whole;
}
