//===- PackRowsKernel.cpp - Copy part of A into tiles for AMX -------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tile of the left operand has a row of C in each row, and kAmxWords pairs of
// steps of the sum in it; a panel is a column of such tiles for each
// kAmxWords words (MicroKernel). One block, all rows of a panel and the words
// of one tile, is moved in one of three ways, the best that the offset tables
// allow:
//
//   row        the steps are neighbours: one vector per row
//   transpose  the rows are neighbours, or runs of four: kAmxRows of them are
//              read by steps and turned in registers, or all of the panel's
//              where they are a line of the cache
//   element    anything else
//
// What the last block has no steps for, and the last panel no rows, is zero.
//
//===----------------------------------------------------------------------===//

#include "PackElements.h"

using namespace mlir;
using namespace mlir::amp;

/// Rows of a panel, and steps of the sum in a row of a tile.
static constexpr int64_t kPanelRows = 2 * kAmxRows;
static constexpr int64_t kTileSteps = 2 * kAmxWords;

namespace {
/// The arguments of the kernel, and the ways to move one block.
struct PackRowsEmitter {
  HostBuilder &b;
  int64_t parts;
  MatrixBase source;
  Value tables;
  PanelParts target;
  /// Where the offsets of the panel's rows and of the block's steps begin.
  Index rowTable, stepTable;
  /// Where the block begins.
  Index block;

  Index row(Index r) {
    return source.start + b.loadIndex(tables, rowTable + r);
  }
  Index step(Index k) { return b.loadIndex(tables, stepTable + k); }
  Value load(Index at) { return asMoved(b, b.load(source.buffer, at)); }
  Value load(int64_t lanes, Index at) {
    return asMoved(b, b.loadVector(lanes, source.buffer, at));
  }
  void storeRow(Value words, Index r) {
    storeWords(b, parts, words, target, block + r * kAmxWords);
  }

  /// Steps are neighbours.
  void packRow(Index r);
  /// `rows` rows from `first` on, one or two tiles, are runs of `run`
  /// neighbours.
  void packTransposed(Index first, int64_t rows, int64_t run);
  /// Rows from `first` to `end`, of which `steps` steps are there.
  void packElements(Index first, Index end, Index steps);
  /// The same of rows that are no line, in one way for each tile.
  void packByTiles(Index count);
  /// Rows from 0 to `count` of which all steps are there.
  void packBlock(Index count);
};
} // namespace

void PackRowsEmitter::packRow(Index r) {
  storeRow(asWords(b, load(kTileSteps, row(r) + step(b.number(0)))), r);
}

void PackRowsEmitter::packTransposed(Index first, int64_t rows, int64_t run) {
  SmallVector<Index> runs;
  for (int64_t r = 0; r < rows; r += run)
    runs.push_back(row(first + r));
  auto loadStep = [&](Index k) {
    Index inRow = step(k);
    SmallVector<Value> pieces;
    for (Index begin : runs)
      pieces.push_back(load(run, begin + inRow));
    while (pieces.size() > 1) {
      SmallVector<Value> wider;
      for (size_t i = 0; i < pieces.size(); i += 2) {
        int64_t lanes =
            2 * cast<VectorType>(pieces[i].getType()).getNumElements();
        wider.push_back(vector::ShuffleOp::create(
            b, pieces[i], pieces[i + 1],
            llvm::to_vector(llvm::seq<int64_t>(0, lanes))));
      }
      pieces = std::move(wider);
    }
    return pieces.front();
  };
  SmallVector<SmallVector<Value>> squares(rows / kAmxRows);
  for (int64_t word = 0; word < kAmxWords; ++word) {
    Index k = b.number(word * 2);
    Value words = joinPairs(b, loadStep(k), loadStep(k + 1));
    for (auto [i, square] : llvm::enumerate(squares))
      square.push_back(vector::ExtractStridedSliceOp::create(
          b, words, ArrayRef<int64_t>(i * kAmxRows), ArrayRef(kAmxRows),
          ArrayRef<int64_t>(1)));
  }
  for (SmallVector<Value> &square : squares) {
    transposeInRegisters(b, square);
    for (Value words : square) {
      storeRow(words, first);
      first = first + 1;
    }
  }
}

void PackRowsEmitter::packElements(Index first, Index end, Index steps) {
  Index one = b.number(1);
  Value nothing = arith::ConstantOp::create(b, b.getI16IntegerAttr(0));
  b.loop(first, end, one, [&](Index r) {
    Index from = row(r), to = block + r * kAmxWords;
    b.loop(b.number(0), steps, b.number(2), [&](Index k) {
      Value lower = load(from + step(k));
      auto alone = [&]() -> SmallVector<Value> { return {nothing}; };
      auto paired = [&]() -> SmallVector<Value> {
        return {load(from + step(k + 1))};
      };
      Value upper = b.either(k + 1 < steps, paired, alone).front();
      storeWords(b, parts, joinPairs(b, lower, upper), target, to + k / 2);
    });
  });
}

void PackRowsEmitter::packByTiles(Index count) {
  b.loop(count, kAmxRows, [&](Index first) {
    Index end = min(first + kAmxRows, count);
    auto elements = [&] { packElements(first, end, b.number(kTileSteps)); };
    auto turned = [&] {
      Value rows = b.loadVector(kAmxRows, tables, rowTable + first);
      std::function<void(int64_t)> choose = [&](int64_t run) {
        if (run < 4)
          return elements();
        b.branch(
            b.areRuns(rows, run), [&] { packTransposed(first, kAmxRows, run); },
            [&] { choose(run / 2); });
      };
      choose(kAmxRows);
    };
    b.branch(first + kAmxRows <= count, turned, elements);
  });
}

void PackRowsEmitter::packBlock(Index count) {
  Value areNeighbours =
      b.areRuns(b.loadVector(kTileSteps, tables, stepTable), kTileSteps);
  b.branch(
      areNeighbours, [&] { b.loop(count, 1, [&](Index r) { packRow(r); }); },
      [&] {
        Value isLine = b.andThen(count == b.number(kPanelRows), [&] {
          return b.areRuns(b.loadVector(kPanelRows, tables, rowTable),
                           kPanelRows);
        });
        b.branch(
            isLine,
            [&] { packTransposed(b.number(0), kPanelRows, kPanelRows); },
            [&] { packByTiles(count); });
      });
}

func::FuncOp KernelLibrary::getPackRows(const PackForm &form) {
  std::string name;
  llvm::raw_string_ostream(name)
      << "pack_rows_" << form.element << (form.parts > 1 ? "_parts" : "");
  auto emit = [&](HostBuilder &b, KernelArguments &arguments) {
    PackArguments pack = PackArguments::take(arguments, form.parts);
    Index words = roundUp(ceilDiv(pack.columns, 2), kAmxWords);
    Value zeros = b.splat(b.zero(b.getF32Type()), kAmxWords);
    // As the source lies in memory: all words of a panel's rows where the steps
    // are neighbours, else all panels of the steps of a tile.
    Index numPanels = ceilDiv(pack.rows, kPanelRows),
          numTiles = words / kAmxWords;
    Value isByRows = b.andThen(b.number(0) < numTiles, [&] {
      return b.areEqual(b.loadIndex(pack.tables, pack.columnTable) + 1,
                        b.loadIndex(pack.tables, pack.columnTable +
                                                     min(pack.columns - 1, 1)));
    });
    b.loop(b.select(isByRows, numPanels, numTiles), 1, [&](Index outer) {
      b.loop(b.select(isByRows, numTiles, numPanels), 1, [&](Index inner) {
        Index p = b.select(isByRows, outer, inner) * kPanelRows;
        Index word = b.select(isByRows, inner, outer) * kAmxWords;
        Index count = min(pack.rows - p, kPanelRows);
        Index left = min(pack.columns - word * 2, kTileSteps);
        PackRowsEmitter emitter{b,
                                form.parts,
                                pack.source,
                                pack.tables,
                                pack.target,
                                pack.rowTable + p,
                                pack.columnTable + word * 2,
                                pack.target.first.start + p * words +
                                    word * kPanelRows};
        Value isWhole = left == b.number(kTileSteps);
        b.branch(
            b.both(isWhole, count == b.number(kPanelRows)), [] {},
            [&] {
              b.loop(b.number(kPanelRows), 1,
                     [&](Index r) { emitter.storeRow(zeros, r); });
            });
        b.branch(
            isWhole, [&] { emitter.packBlock(count); },
            [&] { emitter.packElements(b.number(0), count, left); });
      });
    });
  };
  return getKernel(name, getPackTypes(form), emit);
}

void KernelLibrary::callPackRows(HostBuilder &b, const PackForm &form,
                                 const PackArguments &arguments) {
  func::CallOp::create(b, getPackRows(form), arguments.give(form.parts));
}
