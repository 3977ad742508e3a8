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
// to see what lies side by side in memory. Blocks of kPackLanes columns are
// moved in one of four ways, the best that their offsets allow:
//
//   row        the columns are neighbours: one vector per row
//   transpose  the rows are neighbours: a square, turned in registers
//   halves     the columns are two runs of four neighbours (images of width
//              4, 12, 20...): two short vectors per row
//   gather     anything else: element by element, but one store per row
//
// What is left over at the right goes element by element. The look costs a few
// instructions per kRowBlock rows. f16 and bf16 are widened on the way (see
// PackElements); every f16 or bf16 is an f32, so no value changes.
//
// Where a word holds two bf16 of two rows, all this is done with pairs of rows:
// two vectors become one of words, and a transposed square is one of words as
// they lie in memory. A last row without a partner is paired with zeros, of
// which B's are negative: their product, -0, leaves every sum as it is.
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
/// loop beyond that, so that a wide matrix is read and written in order.
static constexpr int64_t kRowBlock = 32;

namespace {
/// The arguments of the kernel, and the ways to move one block.
struct PackEmitter {
  explicit PackEmitter(HostBuilder &b) : b(b) {}

  HostBuilder &b;
  MatrixBase source;
  Value tables, target;
  Index rowTable, width;
  /// Rows of the source in a row of the panel.
  int64_t steps;
  ElementPart part;

  Index rowOffset(Index row) {
    return source.start + b.loadIndex(tables, rowTable + row);
  }
  Value load(Index at) { return asMoved(b, part, b.load(source.buffer, at)); }
  Value load(int64_t lanes, Index at) {
    return asMoved(b, part, b.loadVector(lanes, source.buffer, at));
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
  void store(Value vector, Index panel, Index word, Index column) {
    b.storeVector(vector, target, panel + word * width + column);
  }

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
  void packTransposed(const Columns &columns, Index panel, Index word,
                      Index column);
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

void PackEmitter::packTransposed(const Columns &columns, Index panel,
                                 Index word, Index column) {
  Index at = rowOffset(word * steps);
  SmallVector<Value> square;
  for (int64_t lane = 0; lane < kPackLanes; ++lane) {
    Value rows =
        load(kPackLanes * steps, at + b.extract(columns.offsets, lane));
    square.push_back(steps == 1 ? widen(rows) : asWords(b, rows));
  }
  transposeInRegisters(b, square);
  for (auto [i, vector] : llvm::enumerate(square))
    store(vector, panel, word + static_cast<int64_t>(i), column);
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
              square, [&] { packTransposed(columns, panel, first, column); },
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
      b.store(makeWords(loadRow, w), target, panel + w * width + column + j);
    });
  });
}

void PackEmitter::packLast(Index at, Index panel, Index word, Index row,
                           Index valid, Value partner) {
  b.loop(valid, 1, [&](Index j) {
    Value last = load(rowOffset(row) + b.loadIndex(tables, at + j));
    b.store(joinPairs(b, last, partner), target, panel + word * width + j);
  });
}

void PackEmitter::fillWithZeros(Index panel, Index count) {
  Value zeros = b.splat(b.zero(b.getF32Type()), kPackLanes);
  b.loop(count, kPackLanes,
         [&](Index at) { b.storeVector(zeros, target, panel + at); });
}

func::FuncOp KernelLibrary::getPack(const PackForm &form) {
  int64_t steps = form.steps;
  SmallVector<Type> types = getPackTypes(form.element);
  types.push_back(IndexType::get(module.getContext())); // the width
  if (steps > 1)
    types.push_back(IntegerType::get(module.getContext(), 16));
  std::string name;
  llvm::raw_string_ostream(name) << "pack_" << form.element
                                 << (form.wordMultiple > 1 ? "_amx"
                                     : steps == 1          ? ""
                                                           : "_pairs")
                                 << getPartSuffix(form.part);
  auto emit = [form, steps](HostBuilder &b, KernelArguments &arguments) {
    PackEmitter emitter(b);
    PackArguments pack = PackArguments::take(arguments);
    Index width = arguments.takeIndex();
    emitter.source = pack.source;
    emitter.tables = pack.tables;
    emitter.rowTable = pack.rowTable;
    emitter.target = pack.target.buffer;
    emitter.width = width;
    emitter.steps = steps;
    emitter.part = form.part;
    Index usedWords = ceilDiv(pack.rows, steps), wholeWords = pack.rows / steps;
    Index words = roundUp(usedWords, form.wordMultiple);
    Value partner = steps > 1 ? arguments.takeValue() : Value();
    b.loop(b.number(0), pack.columns, width, [&](Index p) {
      Index available = pack.columns - p;
      Index valid = min(width, available);
      Index panel = pack.target.start + p * words;
      b.branch(valid < width,
               [&] { emitter.fillWithZeros(panel, words * width); });
      b.loop(wholeWords, kRowBlock, [&](Index word) {
        Index end = min(word + kRowBlock, wholeWords);
        b.loop(valid, kPackLanes, [&](Index column) {
          Index from = pack.columnTable + p + column;
          b.branch(
              column + kPackLanes <= available,
              [&] { emitter.packBlock(from, panel, word, end, column); },
              [&] {
                emitter.packRest(from, panel, word, end, column,
                                 valid - column);
              });
        });
      });
      if (form.wordMultiple > 1)
        emitter.fillWithZeros(panel + usedWords * width,
                              (words - usedWords) * width);
      if (steps > 1)
        b.branch(
            wholeWords < usedWords,
            [&] {
              emitter.packLast(pack.columnTable + p, panel, wholeWords,
                               pack.rows - 1, valid, partner);
            },
            [] {});
    });
  };
  return getKernel(name, types, emit);
}

void KernelLibrary::callPack(HostBuilder &b, const PackForm &form,
                             const PackArguments &arguments, Index width,
                             bool isB) {
  SmallVector<Value> values = arguments.give();
  values.push_back(width);
  if (form.steps > 1) // the bits of 0 or -0
    values.push_back(arith::ConstantOp::create(
        b, b.getI16IntegerAttr(isB ? int16_t(0x8000) : 0)));
  func::CallOp::create(b, getPack(form), values);
}
