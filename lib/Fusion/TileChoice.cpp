//===- TileChoice.cpp - How large the tiles of a group are ----------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tile begins as one point of each loop. It grows until what is read of each
// large tensor are whole runs of consecutive bytes, and has to fit what is
// close then. From there it grows, the innermost loop first, to what a
// first-level cache holds. A loop whose extent is known at run time only keeps
// a step of 1.
//
// A sum that goes along loops of the tile needs some elements of each, so that
// its parts are small beside what is summed; these loops grow first.
//
// With products, a tile has at least so many rows and columns of each as make
// packing its operands small beside multiplying them, and grows by columns and
// then by rows, as long as there are tiles enough for all who compute.
//
//===----------------------------------------------------------------------===//

#include "TileChoice.h"

#include "TensorBytes.h"
#include "amp/Support/ShapedBytes.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::amp;

static constexpr int kNoLoop = FusionGroup::kNoLoop;

/// Rows of a product in a tile, at least: kernels multiply as many at a time.
static constexpr int64_t kFewestRows = 32;

/// The least divisor of `extent` above `step`, or nothing.
static std::optional<int64_t> getNextStep(int64_t extent, int64_t step) {
  if (ShapedType::isDynamic(extent) || step >= extent)
    return std::nullopt;
  int64_t next = extent;
  for (int64_t divisor = 1; divisor <= extent / divisor; ++divisor) {
    if (extent % divisor != 0)
      continue;
    for (int64_t factor : {divisor, extent / divisor})
      if (factor > step)
        next = std::min(next, factor);
  }
  return next;
}

namespace {
/// A tile while it grows.
class Tile {
public:
  Tile(ArrayRef<int64_t> extents, ArrayRef<TilePart> parts)
      : extents(extents), parts(parts), steps(extents.size(), 1) {}

  /// Grows the loops that walk `part` until its runs have so many bytes; false
  /// if they never do.
  bool growRuns(const TilePart &part, int64_t runBytes);
  /// Grows all loops as long as the tile has at most so many bytes, and there
  /// are so many tiles.
  void growTo(int64_t bytes, int64_t tiles);
  /// Grows the loops of one side of a product until it is so long, or whole;
  /// false if it never is.
  bool growSide(const TileSide &side, int64_t length);
  /// Grows them as long as the tile fits, and there are so many tiles.
  void growSideTo(const TileSide &side, int64_t tiles,
                  llvm::function_ref<bool()> fits);
  /// How long one side of a product is in the tile.
  int64_t getLength(const TileSide &side) const;
  /// How many tiles there are; along a loop whose extent is not known, so many.
  int64_t countTiles(int64_t unknown) const;
  /// True if the tile has all of one side of a product.
  bool isWhole(const TileSide &side) const;

  int64_t countBytes() const;
  int64_t countBytes(const TilePart &part) const;
  ArrayRef<int64_t> getSteps() const { return steps; }

private:
  /// Grows one loop as long as the tile fits.
  void growLoop(int loop, llvm::function_ref<bool()> fits);
  int64_t getExtent(const TilePart &part, unsigned dim) const {
    int loop = part.loops[dim];
    return loop != kNoLoop
               ? steps[loop]
               : cast<RankedTensorType>(part.tensor.getType()).getDimSize(dim);
  }

  ArrayRef<int64_t> extents;
  ArrayRef<TilePart> parts;
  SmallVector<int64_t> steps;
};
} // namespace

int64_t Tile::countBytes(const TilePart &part) const {
  int64_t bytes = getElementBytes(part.tensor.getType());
  for (unsigned dim = 0; dim < part.loops.size(); ++dim)
    bytes *= getExtent(part, dim);
  return bytes;
}

int64_t Tile::countBytes() const {
  int64_t bytes = 0;
  for (const TilePart &part : parts)
    bytes += countBytes(part);
  return bytes;
}

bool Tile::growRuns(const TilePart &part, int64_t runBytes) {
  int64_t run = getElementBytes(part.tensor.getType());
  for (int dim = part.loops.size() - 1; dim >= 0; --dim) {
    int loop = part.loops[dim];
    while (loop != kNoLoop && run * steps[loop] < runBytes) {
      std::optional<int64_t> step = getNextStep(extents[loop], steps[loop]);
      if (!step)
        break;
      steps[loop] = *step;
    }
    run *= getExtent(part, dim);
    if (loop != kNoLoop && steps[loop] != extents[loop])
      break; // the next rows lie elsewhere
  }
  return run >= runBytes;
}

void Tile::growLoop(int loop, llvm::function_ref<bool()> fits) {
  while (std::optional<int64_t> step =
             getNextStep(extents[loop], steps[loop])) {
    int64_t before = steps[loop];
    steps[loop] = *step;
    if (fits())
      continue;
    steps[loop] = before;
    return;
  }
}

void Tile::growTo(int64_t bytes, int64_t tiles) {
  for (int loop = extents.size() - 1; loop >= 0; --loop)
    growLoop(loop, [&] {
      return countBytes() <= bytes && countTiles(tiles) >= tiles;
    });
}

int64_t Tile::countTiles(int64_t unknown) const {
  int64_t count = 1;
  for (auto [extent, step] : llvm::zip_equal(extents, steps))
    count *= ShapedType::isDynamic(extent) ? unknown : extent / step;
  return count;
}

int64_t Tile::getLength(const TileSide &side) const {
  int64_t length = 1;
  for (auto [loop, extent] : side)
    if (loop != kNoLoop)
      length *= steps[loop];
    else if (!ShapedType::isDynamic(extent))
      length *= extent;
  return length;
}

bool Tile::growSide(const TileSide &side, int64_t length) {
  for (auto [loop, extent] : llvm::reverse(side))
    while (loop != kNoLoop && getLength(side) < length) {
      std::optional<int64_t> step = getNextStep(extents[loop], steps[loop]);
      if (!step)
        break;
      steps[loop] = *step;
    }
  return getLength(side) >= length || isWhole(side);
}

bool Tile::isWhole(const TileSide &side) const {
  return llvm::all_of(side, [&](const std::pair<int, int64_t> &of) {
    return !ShapedType::isDynamic(of.second) &&
           (of.first == kNoLoop || steps[of.first] == of.second);
  });
}

void Tile::growSideTo(const TileSide &side, int64_t tiles,
                      llvm::function_ref<bool()> fits) {
  for (const std::pair<int, int64_t> &of : llvm::reverse(side))
    if (of.first != kNoLoop)
      growLoop(of.first, [&] { return fits() && countTiles(tiles) >= tiles; });
}

/// True if the extents are known that a tile has all of.
static bool hasSize(const TilePart &part) {
  return llvm::all_of_zip(
      part.loops, cast<RankedTensorType>(part.tensor.getType()).getShape(),
      [](int loop, int64_t extent) {
        return loop != kNoLoop || !ShapedType::isDynamic(extent);
      });
}

std::optional<SmallVector<int64_t>>
mlir::amp::chooseTile(ArrayRef<int64_t> extents, ArrayRef<TilePart> parts,
                      const FusionTarget &target,
                      ArrayRef<ProductSides> products, ArrayRef<TileSum> sums) {
  int64_t largest = 0;
  for (const TilePart &part : parts) {
    if (!hasSize(part))
      return std::nullopt;
    largest = std::max(largest, countTensorBytes(part.tensor));
  }
  for (const ProductSides &product : products)
    if (!hasSize(product.a) || !hasSize(product.b))
      return std::nullopt;
  Tile tile(extents, parts);
  for (const TileSum &sum : sums)
    if (!tile.growSide(sum.loops, sum.length))
      return std::nullopt;
  if (!products.empty()) {
    auto countAgain = [&] {
      int64_t bytes = 0;
      for (const ProductSides &product : products)
        if (!tile.isWhole(product.rows))
          bytes += tile.countBytes(product.b);
      return bytes;
    };
    auto fits = [&] {
      return tile.countBytes() <= target.productBytes &&
             countAgain() <= target.packedBytes;
    };
    for (const ProductSides &product : products)
      if (!tile.growSide(product.columns, target.productColumns))
        return std::nullopt;
    // A row of the results that is not written and read again, in f32, makes up
    // for so much of B that is read again.
    int64_t read = 0, saved = 0;
    for (const ProductSides &product : products) {
      read += tile.countBytes(product.b);
      saved += 2 * sizeof(float) * tile.getLength(product.columns);
    }
    int64_t rows = std::clamp<int64_t>(
        llvm::divideCeil(read, saved),
        std::min(kFewestRows, target.productRows), target.productRows);
    for (const ProductSides &product : products)
      if (!tile.growSide(product.rows, rows))
        return std::nullopt;
    if (!fits())
      return std::nullopt;
    for (const ProductSides &product : products)
      for (const TileSide &side : {product.columns, product.rows})
        tile.growSideTo(side, target.productTiles, fits);
    return SmallVector<int64_t>(tile.getSteps());
  }
  for (const TilePart &part : parts) {
    int64_t bytes = countTensorBytes(part.tensor);
    bool isLarge = bytes > target.tileBytes && bytes * kSmallShare > largest;
    if (isLarge && !tile.growRuns(part, target.runBytes))
      return std::nullopt;
  }
  if (tile.countBytes() > target.closeBytes)
    return std::nullopt;
  tile.growTo(std::min(target.tileBytes, target.closeBytes), target.tiles);
  return SmallVector<int64_t>(tile.getSteps());
}
