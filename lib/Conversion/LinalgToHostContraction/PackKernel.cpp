//===- PackKernel.cpp - Copy part of a matrix into panels -----------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One kernel per element type packs A and B alike, for transposes, windows of a
// convolution and whatever else has linear maps: it looks at the offset tables
// to see what lies side by side in memory. Columns are moved in one of six
// ways, the best that their offsets allow. Groups of kGroupColumns, whatever
// the width of panels:
//
//   wide       the columns are neighbours: one long vector per row, which asks
//              for the next group's: hardware follows no row to the next page
//   squares    the rows are neighbours: squares as wide as a vector register,
//              turned in registers, so that a line of the cache is read once
//
// and blocks of kPackLanes of them, or what is left at the right:
//
//   row        the columns are neighbours: one vector per row
//   transpose  the rows are neighbours: a square
//   halves     the columns are two runs of four neighbours (images of width
//              4, 12, 20...): two short vectors per row
//   gather     anything else: element by element, but one store per row
//
// What does not fill a block goes element by element. The look costs a few
// instructions per kRowBlock rows. Panels whose width divides no group (6
// columns for AVX2), and whose columns are all neighbours, are written next to
// each other, a few words of each in turn: by whole panels each line of the
// source, which two or three of them share, would come from memory for each.
// f16 and bf16 are widened on the way (see PackElements); every f16 or bf16 is
// an f32, so no value changes.
//
// Where a word holds two halves of two rows, all this is done with pairs of
// rows: two vectors become one of words, and a transposed square is one of
// words as they lie in memory. A last row without a partner is paired with
// zeros, of which B's are negative: their product, -0, leaves every sum as it
// is.
//
// A panel may be narrower than kPackLanes (6 columns for AVX2). A vector then
// brings columns of the next panel along and stores them where the next row of
// this one will be; rows are written in ascending order, so they are
// overwritten by what belongs there, and the last row's surplus by the next
// panel.
//
//===----------------------------------------------------------------------===//

#include "PackElements.h"

using namespace mlir;
using namespace mlir::amp;

/// Words for which one look at a block's columns is valid. Words stay the outer
/// loop beyond that, so that a wide matrix is read and written in order; where
/// squares are turned, columns are, for the same reason.
static constexpr int64_t kRowBlock = 32;

/// Words of a panel before the next panel's, where panels share lines: their
/// rows may all lie in one set of a first-level cache, of eight lines.
static constexpr int64_t kSharedRows = 8;

/// Columns that are looked at together: a line of bf16, and whole panels of 8,
/// 16 and 32.
static constexpr int64_t kGroupColumns = 32;
static_assert(kGroupColumns == 2 * kAmxWords);

namespace {
/// The arguments of the kernel, and the ways to move one block.
struct PackEmitter {
  explicit PackEmitter(HostBuilder &b) : b(b) {}

  HostBuilder &b;
  MatrixBase source;
  Value tables;
  PanelParts target;
  Index rowTable, columnTable, width;
  /// Rows of a panel.
  Index words;
  /// Columns of a square.
  int64_t side;
  /// Rows of the source in a row of the panel.
  int64_t steps;
  /// Panels that an element goes into.
  int64_t parts;

  Index rowOffset(Index row) {
    return source.start + b.loadIndex(tables, rowTable + row);
  }
  Value load(Index at) { return asMoved(b, b.load(source.buffer, at)); }
  Value load(int64_t lanes, Index at) {
    return asMoved(b, b.loadVector(lanes, source.buffer, at));
  }
  Value widen(Value value) {
    Type type = source.buffer.getType();
    return amp::widen(b, cast<MemRefType>(type).getElementType(), value);
  }
  /// The words of one row of a panel, given those of the source's rows.
  Value makeWords(function_ref<Value(Index)> loadRow, Index word) {
    if (steps == 1)
      return widen(loadRow(word));
    return joinPairs(b, loadRow(word * 2), loadRow(word * 2 + 1));
  }
  /// Stores words, a scalar or a vector of neighbours.
  void store(Value words, Index panel, Index word, Index column) {
    storeWords(b, parts, words, target, panel + word * width + column);
  }
  /// Where each kPackLanes columns of a group begin, which starts with a panel.
  SmallVector<Index> getChunks(Index firstColumn);
  /// Words of neighbouring chunks.
  void storeChunks(Value vector, ArrayRef<Index> chunks, Index word);

  /// The offsets of the block's columns, and which of them are neighbours.
  struct Columns {
    Value offsets;
    Value neighbours;
    Value halves;
  };
  Columns look(Index at);

  /// Columns of one row of the source, as they are moved.
  Value loadRow(const Columns &columns, Index row);
  Value loadHalves(const Columns &columns, Index row);
  Value loadGather(const Columns &columns, Index row);
  /// `side` columns, whose offsets are given, by as many words.
  void packSquare(ArrayRef<Index> columns, ArrayRef<Index> chunks, Index word);
  /// True if the columns of a group are neighbours.
  Value areNeighbours(Index firstColumn);
  /// Asks for the lines of a group's columns in a row of the source.
  void prefetchGroup(Index at);
  /// Words from `word` to `end` of a group of columns that are neighbours, or
  /// whose rows are, all of them if `isRun` holds; by panels where neither is
  /// so.
  void packGroup(Index firstColumn, Index word, Index end, Value isRun);
  /// Words from `word` to `end` of the panels from `begin` to `endColumn`, of
  /// `columns` in all. A panel that is not full is filled with zeros before.
  void packPanels(Index begin, Index endColumn, Index columns, Index word,
                  Index end);
  /// All words, up to `end`, of the panels up to `endColumn`, which are full.
  /// Columns are neighbours, with as many behind as fill a last vector.
  void packShared(Index endColumn, Index end);
  /// The end of the panels for packShared, of `columns` columns in all.
  Index countShared(Index columns, Index end);
  /// Words from `word` to `end` of a block.
  void packBlock(Index at, Index panel, Index word, Index end, Index column);
  /// Words from `word` to `end` of columns that do not fill a block.
  void packRest(Index at, Index panel, Index word, Index end, Index column,
                Index valid);
  /// The last word of a panel whose last row, `row`, has `partner` for one.
  void packLast(Index at, Index panel, Index word, Index row, Index valid,
                Value partner);
  void fillWithZeros(Index panel, Index count);
};
} // namespace

PackEmitter::Columns PackEmitter::look(Index at) {
  Columns columns;
  columns.offsets = b.loadVector(kPackLanes, tables, at);
  columns.neighbours = b.areRuns(columns.offsets, kPackLanes);
  columns.halves = b.areRuns(columns.offsets, kPackLanes / 2);
  return columns;
}

Value PackEmitter::loadRow(const Columns &columns, Index row) {
  return load(kPackLanes, rowOffset(row) + b.extract(columns.offsets, 0));
}

Value PackEmitter::loadHalves(const Columns &columns, Index row) {
  Index at = rowOffset(row);
  constexpr int64_t half = kPackLanes / 2;
  Value low = load(half, at + b.extract(columns.offsets, 0));
  Value high = load(half, at + b.extract(columns.offsets, half));
  return vector::ShuffleOp::create(b, low, high,
                                   ArrayRef<int64_t>{0, 1, 2, 3, 4, 5, 6, 7});
}

Value PackEmitter::loadGather(const Columns &columns, Index row) {
  Index at = rowOffset(row);
  SmallVector<Value> elements;
  for (int64_t lane = 0; lane < kPackLanes; ++lane)
    elements.push_back(load(at + b.extract(columns.offsets, lane)));
  Type element = elements.front().getType();
  return vector::FromElementsOp::create(b, VectorType::get(kPackLanes, element),
                                        elements);
}

SmallVector<Index> PackEmitter::getChunks(Index firstColumn) {
  Index inPanel = b.number(0);
  SmallVector<Index> chunks{target.first.start + firstColumn * words};
  while (chunks.size() < kGroupColumns / kPackLanes) {
    Index next = inPanel + kPackLanes;
    Value isFull = next == width;
    chunks.push_back(b.select(isFull, chunks.back() - inPanel + width * words,
                              chunks.back() + kPackLanes));
    inPanel = b.select(isFull, b.number(0), next);
  }
  return chunks;
}

void PackEmitter::storeChunks(Value vector, ArrayRef<Index> chunks,
                              Index word) {
  if (width.getConstant() == kGroupColumns)
    return store(vector, chunks.front(), word, b.number(0));
  for (auto [at, chunk] : llvm::enumerate(chunks)) {
    Value part = vector::ExtractStridedSliceOp::create(
        b, vector, ArrayRef<int64_t>(at * kPackLanes),
        ArrayRef<int64_t>(kPackLanes), ArrayRef<int64_t>(1));
    store(part, chunk, word, b.number(0));
  }
}

void PackEmitter::packSquare(ArrayRef<Index> columns, ArrayRef<Index> chunks,
                             Index word) {
  Index at = rowOffset(word * steps);
  SmallVector<Value> square;
  for (Index column : columns) {
    Value rows = load(columns.size() * steps, at + column);
    square.push_back(steps == 1 ? widen(rows) : asWords(b, rows));
  }
  transposeInRegisters(b, square);
  for (auto [i, vector] : llvm::enumerate(square))
    storeChunks(vector, chunks, word + static_cast<int64_t>(i));
}

Value PackEmitter::areNeighbours(Index firstColumn) {
  Value offsets =
      b.loadVector(kGroupColumns, tables, columnTable + firstColumn);
  return b.areRuns(offsets, kGroupColumns);
}

void PackEmitter::prefetchGroup(Index at) {
  constexpr int64_t kLineBits = 512;
  Type element = cast<MemRefType>(source.buffer.getType()).getElementType();
  int64_t line = kLineBits / element.getIntOrFloatBitWidth();
  for (int64_t column = 0; column < kGroupColumns; column += line)
    b.prefetch(source.buffer, at + column, /*isWrite=*/false);
}

void PackEmitter::packGroup(Index firstColumn, Index word, Index end,
                            Value isRun) {
  SmallVector<Index> chunks = getChunks(firstColumn);
  Index at = columnTable + firstColumn, one = b.number(1);
  auto packWide = [&] {
    Index first = b.loadIndex(tables, at);
    auto loadRow = [&](Index row) {
      Index at = rowOffset(row) + first;
      prefetchGroup(at + kGroupColumns);
      return load(kGroupColumns, at);
    };
    b.loop(word, end, one,
           [&](Index w) { storeChunks(makeWords(loadRow, w), chunks, w); });
  };
  auto packSquares = [&](int64_t from, Index word) {
    SmallVector<Index> columns;
    for (int64_t lane = from; lane < from + side; ++lane)
      columns.push_back(b.loadIndex(tables, at + lane));
    packSquare(columns,
               ArrayRef(chunks).slice(from / kPackLanes, side / kPackLanes),
               word);
  };
  b.branch(areNeighbours(firstColumn), packWide, [&] {
    // All squares of `side` columns, one below the other, before the next ones:
    // rows of the source that begin at a multiple of 4 KiB share one set of a
    // first-level cache, whose eight lines those squares read to the end.
    Index whole = (end - word) / side * side;
    Index piece = b.select(isRun, max(whole, side), b.number(side));
    b.loop(word, end, piece, [&](Index word) {
      Index last = min(word + piece, end);
      Value areSquares = b.andThen(word + side <= last, [&] {
        int64_t rows = side * steps;
        return b.any(isRun, b.areRuns(b.loadVector(rows, tables,
                                                   rowTable + word * steps),
                                      rows));
      });
      b.branch(
          areSquares,
          [&] {
            for (int64_t from = 0; from < kGroupColumns; from += side)
              b.loop(word, last, b.number(side),
                     [&](Index word) { packSquares(from, word); });
          },
          [&] {
            Index endColumn = firstColumn + kGroupColumns;
            packPanels(firstColumn, endColumn, endColumn, word, last);
          });
    });
  });
}

void PackEmitter::packBlock(Index at, Index panel, Index word, Index end,
                            Index column) {
  Columns columns = look(at);
  Index one = b.number(1);
  auto packWords =
      [&](Index first, Index last,
          Value (PackEmitter::*loadColumns)(const Columns &, Index)) {
        b.loop(first, last, one, [&](Index w) {
          auto loadRow = [&](Index row) {
            return (this->*loadColumns)(columns, row);
          };
          store(makeWords(loadRow, w), panel, w, column);
        });
      };
  b.branch(
      columns.neighbours, [&] { packWords(word, end, &PackEmitter::loadRow); },
      [&] {
        b.loop(word, end, b.number(kPackLanes), [&](Index first) {
          Index last = min(first + kPackLanes, end);
          Value square = b.andThen(first + kPackLanes <= end, [&] {
            int64_t rows = kPackLanes * steps;
            return b.areRuns(
                b.loadVector(rows, tables, rowTable + first * steps), rows);
          });
          b.branch(
              square,
              [&] {
                SmallVector<Index> offsets;
                for (int64_t lane = 0; lane < kPackLanes; ++lane)
                  offsets.push_back(b.extract(columns.offsets, lane));
                packSquare(offsets, panel + column, first);
              },
              [&] {
                b.branch(
                    columns.halves,
                    [&] { packWords(first, last, &PackEmitter::loadHalves); },
                    [&] { packWords(first, last, &PackEmitter::loadGather); });
              });
        });
      });
}

void PackEmitter::packRest(Index at, Index panel, Index word, Index end,
                           Index column, Index valid) {
  Index one = b.number(1);
  b.loop(word, end, one, [&](Index w) {
    b.loop(b.number(0), valid, one, [&](Index j) {
      Index inRow = b.loadIndex(tables, at + j);
      auto loadRow = [&](Index row) { return load(rowOffset(row) + inRow); };
      store(makeWords(loadRow, w), panel, w, column + j);
    });
  });
}

void PackEmitter::packLast(Index at, Index panel, Index word, Index row,
                           Index valid, Value partner) {
  b.loop(valid, 1, [&](Index j) {
    Value last = load(rowOffset(row) + b.loadIndex(tables, at + j));
    store(joinPairs(b, last, partner), panel, word, j);
  });
}

void PackEmitter::packPanels(Index begin, Index endColumn, Index columns,
                             Index word, Index end) {
  b.loop(begin, endColumn, width, [&](Index p) {
    Index available = columns - p;
    Index valid = min(width, available);
    Index panel = target.first.start + p * words;
    b.branch(valid < width, [&] { fillWithZeros(panel, words * width); });
    b.loop(word, end, b.number(kRowBlock), [&](Index first) {
      Index last = min(first + kRowBlock, end);
      b.loop(valid, kPackLanes, [&](Index column) {
        Index from = columnTable + p + column;
        b.branch(
            column + kPackLanes <= available,
            [&] { packBlock(from, panel, first, last, column); },
            [&] {
              packRest(from, panel, first, last, column, valid - column);
            });
      });
    });
  });
}

Index PackEmitter::countShared(Index columns, Index end) {
  Index vectors = roundUp(width, kPackLanes);
  Value isPossible = b.both(b.number(0) < b.number(kGroupColumns) % width,
                            b.both(vectors <= columns, b.number(1) < end));
  Value isShared = b.andThen(isPossible, [&] {
    return b.areConsecutive(tables, columnTable, columns);
  });
  return b.select(isShared, ((columns - vectors) / width + 1) * width,
                  b.number(0));
}

void PackEmitter::packShared(Index endColumn, Index end) {
  Index one = b.number(1), first = b.loadIndex(tables, columnTable);
  auto getPanel = [&](Index p) { return target.first.start + p * words; };
  // What a row's last vector has too much of is the next row's, which is
  // written after it. The last row may have nothing too much.
  Index lastWord = end - 1;
  b.loop(lastWord, kSharedRows, [&](Index word) {
    Index last = min(word + kSharedRows, lastWord);
    b.loop(b.number(0), endColumn, width, [&](Index p) {
      b.loop(width, kPackLanes, [&](Index column) {
        auto loadRow = [&](Index row) {
          return load(kPackLanes, rowOffset(row) + first + p + column);
        };
        b.loop(word, last, one, [&](Index w) {
          store(makeWords(loadRow, w), getPanel(p), w, column);
        });
      });
    });
  });
  b.loop(b.number(0), endColumn, width, [&](Index p) {
    packRest(columnTable + p, getPanel(p), lastWord, end, b.number(0), width);
  });
}

void PackEmitter::fillWithZeros(Index panel, Index count) {
  Value zeros = b.splat(b.zero(b.getF32Type()), kPackLanes);
  b.loop(count, kPackLanes,
         [&](Index at) { storeWords(b, parts, zeros, target, panel + at); });
}

func::FuncOp KernelLibrary::getPack(const PackForm &form) {
  int64_t steps = form.steps;
  SmallVector<Type> types = getPackTypes(form);
  types.push_back(IndexType::get(module.getContext())); // the width
  if (steps > 1)
    types.push_back(IntegerType::get(module.getContext(), 16));
  std::string name;
  llvm::raw_string_ostream(name) << "pack_" << form.element
                                 << (form.wordMultiple > 1 ? "_amx"
                                     : steps == 1          ? ""
                                                           : "_pairs")
                                 << (form.parts > 1 ? "_parts" : "");
  int64_t side = std::clamp<int64_t>(machine.vectorBits / 32, kPackLanes, 16);
  Type type = form.element;
  bool hasNarrowPanels =
      kGroupColumns % MicroKernel::get(machine, type, type).rows != 0;
  auto emit = [form, steps, side, hasNarrowPanels](HostBuilder &b,
                                                   KernelArguments &arguments) {
    PackEmitter emitter(b);
    PackArguments pack = PackArguments::take(arguments, form.parts);
    Index width = arguments.takeIndex();
    Index usedWords = ceilDiv(pack.rows, steps), wholeWords = pack.rows / steps;
    Index words = roundUp(usedWords, form.wordMultiple);
    emitter.source = pack.source;
    emitter.tables = pack.tables;
    emitter.rowTable = pack.rowTable;
    emitter.columnTable = pack.columnTable;
    emitter.target = pack.target;
    // Tiles of AMX have one width, which makes addresses of panels constant.
    if (form.wordMultiple > 1)
      width = b.number(kGroupColumns);
    emitter.width = width;
    emitter.words = words;
    emitter.side = side;
    emitter.steps = steps;
    emitter.parts = form.parts;
    Value partner = steps > 1 ? arguments.takeValue() : Value();
    // Whole groups, if panels begin where groups do.
    Index grouped =
        b.select(b.number(kGroupColumns) % width == 0,
                 pack.columns - pack.columns % kGroupColumns, b.number(0));
    auto isRun = [&](Index word, Index end) {
      return b.areConsecutive(emitter.tables, emitter.rowTable + word * steps,
                              (end - word) * steps);
    };
    b.branch(b.number(0) < grouped, [&] {
      Value isWide = emitter.areNeighbours(b.number(0));
      Value areSquares = b.andThen(
          b.isFalse(isWide), [&] { return isRun(b.number(0), wholeWords); });
      Index block = b.select(areSquares, wholeWords, b.number(kRowBlock));
      b.loop(b.number(0), wholeWords, block, [&](Index word) {
        Index end = min(word + block, wholeWords);
        Value isBlockRun =
            b.orElse(areSquares, [&] { return isRun(word, end); });
        b.loop(grouped, kGroupColumns, [&](Index column) {
          emitter.packGroup(column, word, end, isBlockRun);
        });
      });
    });
    Index shared = b.number(0);
    if (hasNarrowPanels) {
      shared = emitter.countShared(pack.columns, wholeWords);
      b.branch(b.number(0) < shared,
               [&] { emitter.packShared(shared, wholeWords); });
    }
    emitter.packPanels(grouped + shared, pack.columns, pack.columns,
                       b.number(0), wholeWords);
    if (form.wordMultiple == 1 && steps == 1)
      return;
    b.loop(b.number(0), pack.columns, width, [&](Index p) {
      Index panel = pack.target.first.start + p * words;
      if (form.wordMultiple > 1)
        emitter.fillWithZeros(panel + usedWords * width,
                              (words - usedWords) * width);
      if (steps > 1)
        b.branch(wholeWords < usedWords, [&] {
          emitter.packLast(pack.columnTable + p, panel, wholeWords,
                           pack.rows - 1, min(width, pack.columns - p),
                           partner);
        });
    });
  };
  return getKernel(name, types, emit);
}

void KernelLibrary::callPack(HostBuilder &b, const PackForm &form,
                             const PackArguments &arguments, Index width,
                             bool isB) {
  SmallVector<Value> values = arguments.give(form.parts);
  values.push_back(width);
  if (form.steps > 1) // the bits of 0 or -0
    values.push_back(arith::ConstantOp::create(
        b, b.getI16IntegerAttr(isB ? int16_t(0x8000) : 0)));
  func::CallOp::create(b, getPack(form), values);
}
