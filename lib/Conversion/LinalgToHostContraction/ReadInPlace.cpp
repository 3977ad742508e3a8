//===- ReadInPlace.cpp - Products that pack one operand alone -------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What is packed of the windows of an image is as many times as large as they
// overlap, and is read once or twice where the other operand has few columns:
// packing takes as long as multiplying. The micro-kernel needs a splat of each
// element of A, which may stand anywhere, and a vector of B. So an image is A
// and stays where it is, and the filters, which are small, are packed.
//
// An image with channels innermost is A by itself, as the channels of C are its
// columns. One with pixels innermost is B, and is exchanged with A; columns of
// C are far from each other then, and the micro-kernel turns each tile
// (TileKernel.cpp).
//
//===----------------------------------------------------------------------===//

#include "ReadInPlace.h"

using namespace mlir;
using namespace mlir::amp;

/// Bytes of memory that a block of A may touch. What is more is read better row
/// by row, as packing does.
static constexpr int64_t kNearBytes = 128 * 1024;

/// Multiplications of a product that are worth kernels of their own, which take
/// a tenth of a second to compile: a fifth of them costs 5 us.
static constexpr int64_t kLeastWork = int64_t(1) << 20;

/// Steps of the sum that make turning a tile of C small beside computing it.
static constexpr int64_t kStepsOfTurnedTile = 64;

/// Of how many columns one may fill up a vector register.
static constexpr int64_t kMostFilling = 8;

namespace {
/// An operand's strides by loop.
struct OperandStrides {
  SmallVector<int64_t> extents, strides;

  /// Nothing unless the strides are known.
  static std::optional<OperandStrides> get(const Contraction &product,
                                           const ContractionOperand &operand);

  /// How many of the first positions over `loops` are neighbours.
  int64_t getRun(ArrayRef<unsigned> loops) const;
};
} // namespace

std::optional<OperandStrides>
OperandStrides::get(const Contraction &product,
                    const ContractionOperand &operand) {
  auto type = cast<MemRefType>(operand.value.getType());
  auto [strides, offset] = type.getStridesAndOffset();
  if (llvm::any_of(strides, ShapedType::isDynamic))
    return std::nullopt;
  linalg::LinalgOp op = product.op;
  OperandStrides result{op.getStaticLoopRanges(),
                        SmallVector<int64_t>(op.getNumLoops(), 0)};
  for (unsigned dim = 0; dim < type.getRank(); ++dim)
    for (auto [stride, coefficient] :
         llvm::zip_equal(result.strides, operand.getIndex(dim).coefficients))
      stride += coefficient * strides[dim];
  return result;
}

int64_t OperandStrides::getRun(ArrayRef<unsigned> loops) const {
  int64_t run = 1;
  for (unsigned loop : llvm::reverse(loops)) {
    if (extents[loop] == 1)
      continue;
    if (strides[loop] != run || ShapedType::isDynamic(extents[loop]))
      break;
    run *= extents[loop];
  }
  return run;
}

/// The positions of `loops`; nothing if they are not known.
static std::optional<int64_t> countPositions(const OperandStrides &operand,
                                             ArrayRef<unsigned> loops) {
  int64_t positions = 1;
  for (unsigned loop : loops) {
    if (ShapedType::isDynamic(operand.extents[loop]))
      return std::nullopt;
    positions *= operand.extents[loop];
  }
  return positions;
}

/// Elements of the box in which `operand` has what the first positions over two
/// lists of loops touch, so many of each.
static int64_t
countTouched(const ContractionOperand &operand, ArrayRef<int64_t> extents,
             ArrayRef<std::pair<ArrayRef<unsigned>, int64_t>> blocks) {
  SmallVector<int64_t> positions(extents.size(), 1);
  for (auto [loops, count] : blocks)
    for (unsigned loop : llvm::reverse(loops)) {
      int64_t extent = ShapedType::isDynamic(extents[loop])
                           ? count
                           : std::max<int64_t>(extents[loop], 1);
      positions[loop] = std::min(extent, count);
      count = llvm::divideCeil(count, extent);
    }
  int64_t elements = 1;
  for (unsigned dim = 0; dim < operand.map.getNumResults(); ++dim) {
    auto [least, greatest] = operand.getIndex(dim).getRange(positions);
    elements *= greatest - least + 1;
  }
  return elements;
}

/// True if several positions of the loops read the same element.
static bool hasWindows(const Contraction &product,
                       const ContractionOperand &operand) {
  linalg::LinalgOp op = product.op;
  SmallVector<int64_t> extents = op.getStaticLoopRanges();
  auto isWindow = [&](unsigned dim) {
    LinearExpr index = operand.getIndex(dim);
    return llvm::count_if(llvm::zip_equal(index.coefficients, extents),
                          [](auto loop) {
                            auto [coefficient, extent] = loop;
                            return coefficient != 0 && extent != 1;
                          }) > 1;
  };
  return llvm::any_of(llvm::seq(operand.map.getNumResults()), isWindow);
}

/// True if loops of these extents are work enough for kernels of their own.
static bool isWorthKernels(ArrayRef<int64_t> extents) {
  int64_t work = 1;
  for (int64_t extent : extents)
    work = std::min(kLeastWork, work * (ShapedType::isDynamic(extent)
                                            ? kLeastWork
                                            : std::min(extent, kLeastWork)));
  return work == kLeastWork;
}

/// Where words of A come from, as far as it is known before a run.
static LeftPlace placeLeft(const Contraction &product,
                           const MicroKernel &kernel) {
  Type element = product.a.getElementType();
  bool isOfWords = kernel.steps() == 1 ? element.isF32() : element.isBF16();
  std::optional<OperandStrides> a = OperandStrides::get(product, product.a);
  if (kernel.usesAmx() || !isOfWords || !a)
    return LeftPlace::Panels;
  std::optional<int64_t> columns = countPositions(*a, product.n),
                         steps = countPositions(*a, product.k);
  if (!columns || !steps)
    return LeftPlace::Panels;
  int64_t run = a->getRun(product.k);
  if (run == *steps)
    return kernel.readsRows() && *columns <= kFewColumns ? LeftPlace::Rows
                                                         : LeftPlace::Panels;
  // Steps that are neighbours: two of them are a word, and many are packed by
  // squares.
  bool isPackedFast = run >= kPackLanes || !hasWindows(product, product.a);
  if (run % kernel.steps() != 0 ||
      *columns >
          (isPackedFast ? kFewColumnsOfWindows / 2 : kFewColumnsOfWindows))
    return LeftPlace::Panels;
  if (!isWorthKernels(a->extents))
    return LeftPlace::Panels;
  int64_t stepsOfBlock = std::min(*steps, kernel.blockWords() * kernel.steps());
  int64_t touched = countTouched(
      product.a, a->extents, {{product.m, kBlockM}, {product.k, stepsOfBlock}});
  return touched * element.getIntOrFloatBitWidth() / 8 <= kNearBytes
             ? LeftPlace::Elements
             : LeftPlace::Panels;
}

bool amp::readsAInPlace(const Contraction &product, const MicroKernel &kernel) {
  return placeLeft(product, kernel) == LeftPlace::Elements;
}

void amp::exchangeOperands(Contraction &product, const HostMachine &machine) {
  MicroKernel kernel = MicroKernel::get(machine, product.a.getElementType(),
                                        product.b.getElementType());
  Contraction exchanged = product;
  std::swap(exchanged.a, exchanged.b);
  std::swap(exchanged.m, exchanged.n);
  LeftPlace place = placeLeft(exchanged, kernel);
  if (placeLeft(product, kernel) != LeftPlace::Panels ||
      place == LeftPlace::Panels)
    return;
  // Known where A is read in place.
  OperandStrides b = *OperandStrides::get(product, product.b);
  int64_t steps = *countPositions(b, exchanged.k),
          columns = *countPositions(b, exchanged.n);
  std::optional<OperandStrides> c = OperandStrides::get(product, product.c);
  bool isTurnedBySquares = c && c->getRun(exchanged.m) > 1;
  int64_t padded = llvm::alignTo(columns, kernel.lanes);
  bool fillsVectors = padded * kMostFilling <= columns * (kMostFilling + 1);
  // A panel that is a run in memory is packed as fast as it is read.
  bool isPackedFast =
      b.getRun(product.n) >= kernel.columns() &&
      (columns > kernel.lanes || !hasWindows(product, product.b));
  bool isFew = place != LeftPlace::Rows || columns <= kernel.columns();
  if (isTurnedBySquares && fillsVectors && isFew && !isPackedFast &&
      steps >= kStepsOfTurnedTile)
    product = std::move(exchanged);
}
