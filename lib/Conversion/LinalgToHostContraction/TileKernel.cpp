//===- TileKernel.cpp - The micro-kernel and the loops around it ----------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The sums of a tile of C are in vector registers, panels of A and B pass by
// once, and the tile is added to what stands in C:
//
//   for each k, row r, vector v:
//     tile[r][v] += splat(aPanel[k][r]) * bPanel[k][v]
//
// The products of one block of the sum are added in order, from zero. A long
// sum is a sum of blocks then, not one chain: its rounding errors grow with the
// length of a block and the number of blocks, not with their product.
//
// Where a word holds two bf16, it is two products, of the upper halves first:
// the order of vdpbf16ps, which takes their place where there is one.
//
// With AMX the tile of C is two by two of the CPU's tiles, which begin as what
// stands in C, each multiplication one of theirs with 16 words of either
// operand:
//
//   for each k, row of tiles r, column of tiles v:
//     tile[r][v] += aTile[k][r] * bTile[k][v]
//
// A word is two bf16, or, where the CPU multiplies them (AMX-FP16), two f16.
// Tiles are loaded and stored in place where C's rows are at one distance too.
// Where an f16 is two bf16, the parts of A and of B stand in panels of their
// own, and each step multiplies all of them: C and the panels pass by once.
// Each of C's tiles takes one product, then each the next one: a tile's
// products wait for each other, 52 cycles each, where another's begins
// after 16.
//
// Tiles of C are far from each other in memory: while one is computed, the next
// one's lines are asked for, to be written. With AMX nothing is: what asks
// stands in the way of the loads of tiles. gpt_mid at O2 took 600 ms with lines
// of C and of B's next panel asked for beside the multiplications and 572
// without, at O5 339 and 333; C of 9 MiB, in resnet_mid, took 1.4 ms of 106
// more.
//
// Sums that start from zero are loaded too, from a row of zeros that all rows
// of the tile share: no second micro-kernel, and none of C's memory is read.
//
// A full tile whose columns are neighbours in C, vector by vector, is loaded
// and stored in place; its rows may be anywhere. Every other one (at the edge,
// or with an output that is transposed or cut into small images) is copied into
// a tile on the stack and back, through masks where its columns are neighbours
// and element by element where not. At the edge, kernels of half the rows and
// of fewer vectors save work on padding.
//
// Rows of A that lie in memory as the sum goes are multiplied there, without
// panels, where few columns would pay for packing them (ProductKernel.cpp), and
// so is A of which each word stands somewhere (ReadInPlace.cpp): a step loads
// one offset more. Its tiles may lie across C's rows, and are turned by squares
// then.
//
// The tile's shape: with 16 registers of 256 bits, 6 rows of 2 vectors leave 4
// registers for B's vectors and A's scalars (the shape of BLIS and OpenBLAS for
// Haswell). With 32 registers of 512 bits, see MicroKernel::get.
//
//===----------------------------------------------------------------------===//

#include "KernelLibrary.h"
#include "PackElements.h"

#include "mlir/Dialect/AMX/AMXDialect.h"
#include "mlir/Dialect/X86Vector/X86VectorDialect.h"

using namespace mlir;
using namespace mlir::amp;

MicroKernel MicroKernel::get(const HostMachine &machine, Type aType,
                             Type bType) {
  bool areBf16 = aType.isBF16() && bType.isBF16();
  bool areF16 = aType.isF16() && bType.isF16();
  bool areParts = areF16 && machine.f16 == F16Products::AmxParts;
  bool areF16Words = areF16 && machine.f16 == F16Products::Amx;
  if (areParts || areF16Words || (areBf16 && machine.bf16 == Bf16Products::Amx))
    return {kAmxWords,
            /*vectors=*/2,
            /*rows=*/2 * kAmxRows,
            Bf16Products::Amx,
            /*parts=*/areParts ? 2 : 1,
            areF16Words};
  Bf16Products products = areBf16 && machine.bf16 != Bf16Products::Auto
                              ? machine.bf16
                              : Bf16Products::Widened;
  int64_t lanes = machine.vectorBits / 32;
  // More rows would load fewer vectors for each multiplication, but two vectors
  // are loaded beside 16 multiplications as it is, and short tiles waste less
  // on matrices of 8, 16 and 32 rows.
  int64_t rows = machine.vectorBits >= 512 ? 8 : 6;
  return {lanes,    /*vectors=*/2, rows,
          products, /*parts=*/1,   /*hasF16Words=*/false};
}

namespace {
/// Columns of C behind one vector of the tile.
struct VectorColumns {
  /// How many of the lanes are columns of C, from 0 to all.
  Index count;
  /// True for those lanes.
  Value mask;
  /// The offset of the first one.
  Index first;
  /// Whether the others follow it without gaps.
  Value neighbours;
  /// Where their offsets stand in the tables.
  Index table;
};

/// Where the micro-kernel finds a tile: element (r, v * lanes) stands at
/// rows[r] + columns[v]. For AMX there are two rows, whose distance all others
/// have too.
struct TilePlace {
  Value buffer;
  SmallVector<Index> rows, columns;

  static int64_t countRows(const MicroKernel &shape) {
    return shape.usesAmx() ? 2 : shape.rows;
  }

  /// As results of a branch, and back.
  SmallVector<Value> give() const;
  static TilePlace take(HostBuilder &b, const MicroKernel &shape,
                        ValueRange values);
};

/// What a tile multiplies of A: a panel, or rows where they are, which begin at
/// `rows`, with the offsets of steps from `stepTable` on if they have any.
struct LeftRows {
  LeftPlace place;
  MatrixBase panel;
  SmallVector<Index> rows = {};
  Index stepTable = {};
};

struct TileEmitter {
  HostBuilder &b;
  MicroKernel shape;
  LeftPlace leftPlace;
  MatrixBase c;
  Value tables;
  /// Rows of the panels.
  Index words;
  /// From one part of an operand's panels to the next.
  Index aDistance, bDistance;
  /// Whether sums start from zero.
  Value fromZero;
  /// Memory for one tile, its rows one after the other.
  Value stackTile;
  /// A row of zeros.
  Value zeroRow;

  SmallVector<VectorColumns> look(Index table, Index count);
  TilePlace placeInC(ArrayRef<VectorColumns> columns, Index rowTable);
  TilePlace placeOnStack();
  /// Where the sums of the tile at `place` start from.
  TilePlace placeOfStart(const TilePlace &place);
  /// Copies `count` rows of C, offsets from `rowTable`, to the stack or back.
  void copyTile(ArrayRef<VectorColumns> columns, Index rowTable, Index count,
                bool toStack);
  /// The same for all rows of the tile, which are neighbours in C where columns
  /// are not: squares are turned.
  void copyTurned(ArrayRef<VectorColumns> columns, Index rowTable,
                  bool toStack);
  /// The same row by row.
  void copyRows(ArrayRef<VectorColumns> columns, Index rowTable, Index count,
                bool toStack);
  /// Asks for the lines of the tile whose rows have their offsets from
  /// `rowTable` on, to be written; those behind `lastRow` are that row again.
  void prefetchTile(ArrayRef<VectorColumns> columns, Index rowTable,
                    Index lastRow);
  /// The sum, and the products of two vectors of words.
  Value multiplyAdd(Value sum, Value aWords, Value bWords);
  /// The micro-kernel, for the first rows and vectors of a tile: from `start`
  /// to `place`.
  void multiply(int64_t rows, int64_t vectors, const TilePlace &start,
                const TilePlace &place, const LeftRows &left,
                MatrixBase bPanel);
  /// The rows of the tile from row `i` of `m` on.
  LeftRows placeLeft(const LeftOperand &left, Index i, Index m);
  /// Word `k` of the first rows.
  SmallVector<Value> loadLeft(const LeftRows &left, Index k, int64_t rows);
  /// The same by AMX.
  void multiplyTiles(int64_t rows, int64_t vectors, const TilePlace &start,
                     const TilePlace &place, MatrixBase aPanel,
                     MatrixBase bPanel);
  /// Whether a whole tile's rows can be reached in C.
  Value areRowsInPlace(Index rowTable, Index rowCount);
  /// The smallest micro-kernel that covers `rowCount` rows and `columnCount`
  /// columns.
  void multiplySome(Index rowCount, Index columnCount, const TilePlace &start,
                    const TilePlace &place, const LeftRows &left,
                    MatrixBase bPanel);
};
} // namespace

SmallVector<Value> TilePlace::give() const {
  SmallVector<Value> values{buffer};
  llvm::append_range(values, rows);
  llvm::append_range(values, columns);
  return values;
}

TilePlace TilePlace::take(HostBuilder &b, const MicroKernel &shape,
                          ValueRange values) {
  TilePlace place{values[0], {}, {}};
  for (Value row : values.slice(1, countRows(shape)))
    place.rows.push_back(b.number(row));
  for (Value column : values.drop_front(1 + countRows(shape)))
    place.columns.push_back(b.number(column));
  return place;
}

TilePlace TileEmitter::placeInC(ArrayRef<VectorColumns> columns,
                                Index rowTable) {
  TilePlace place{c.buffer, {}, {}};
  for (int64_t r = 0; r < TilePlace::countRows(shape); ++r)
    place.rows.push_back(c.start + b.loadIndex(tables, rowTable + r));
  for (const VectorColumns &vector : columns)
    place.columns.push_back(vector.first);
  return place;
}

TilePlace TileEmitter::placeOnStack() {
  TilePlace place{stackTile, {}, {}};
  for (int64_t r = 0; r < TilePlace::countRows(shape); ++r)
    place.rows.push_back(b.number(r * shape.columns()));
  for (int64_t v = 0; v < shape.vectors; ++v)
    place.columns.push_back(b.number(v * shape.lanes));
  return place;
}

TilePlace TileEmitter::placeOfStart(const TilePlace &place) {
  auto useZeros = [&] {
    TilePlace zeros{zeroRow, {}, {}};
    zeros.rows.assign(TilePlace::countRows(shape), b.number(0));
    for (int64_t v = 0; v < shape.vectors; ++v)
      zeros.columns.push_back(b.number(v * shape.lanes));
    return zeros.give();
  };
  auto usePlace = [&] { return place.give(); };
  return TilePlace::take(b, shape, b.either(fromZero, useZeros, usePlace));
}

SmallVector<VectorColumns> TileEmitter::look(Index table, Index count) {
  auto type = VectorType::get(shape.lanes, b.getIndexType());
  auto maskType = VectorType::get(shape.lanes, b.getI1Type());
  Value zeros = b.splat(b.number(0), shape.lanes);
  Value allLanes =
      b.splat(arith::ConstantOp::create(b, b.getBoolAttr(true)), shape.lanes);
  Value steps =
      b.indexVector(llvm::to_vector(llvm::seq<int64_t>(0, shape.lanes)));
  SmallVector<VectorColumns> result;
  for (int64_t v = 0; v < shape.vectors; ++v) {
    VectorColumns columns;
    columns.table = table + v * shape.lanes;
    columns.count = max(min(count - v * shape.lanes, shape.lanes), 0);
    columns.mask =
        vector::CreateMaskOp::create(b, maskType, ValueRange{columns.count});
    Value offsets = vector::MaskedLoadOp::create(
        b, type, tables, ValueRange{columns.table}, columns.mask, zeros);
    columns.first = b.extract(offsets, 0);
    Value expected =
        arith::AddIOp::create(b, b.splat(columns.first, shape.lanes), steps);
    Value absent = arith::XOrIOp::create(b, columns.mask, allLanes);
    columns.neighbours =
        b.all(arith::OrIOp::create(b, b.areEqual(offsets, expected), absent));
    result.push_back(columns);
  }
  return result;
}

Value TileEmitter::multiplyAdd(Value sum, Value aWords, Value bWords) {
  // Fused where the target can, so that one kernel serves targets with and
  // without FMA: vector.fma would be a library call on the latter.
  auto contract = arith::FastMathFlags::contract;
  auto add = [&](Value x, Value y) {
    Value product = arith::MulFOp::create(b, x, y, contract);
    sum = arith::AddFOp::create(b, sum, product, contract);
  };
  switch (shape.products) {
  case Bf16Products::Auto:
  case Bf16Products::Widened:
    add(aWords, bWords);
    return sum;
  case Bf16Products::Pairs: {
    auto bits = VectorType::get(shape.lanes, b.getI32Type());
    Type floats = sum.getType();
    auto splat = [&](int64_t number) {
      return b.splat(arith::ConstantOp::create(b, b.getI32IntegerAttr(number)),
                     shape.lanes);
    };
    Value mask = splat(int32_t(0xffff0000)), sixteen = splat(16);
    // A bf16 is the upper half of the f32 of the same value.
    auto upper = [&](Value words) -> Value {
      return arith::BitcastOp::create(
          b, floats,
          arith::AndIOp::create(b, arith::BitcastOp::create(b, bits, words),
                                mask));
    };
    auto lower = [&](Value words) -> Value {
      return arith::BitcastOp::create(
          b, floats,
          arith::ShLIOp::create(b, arith::BitcastOp::create(b, bits, words),
                                sixteen));
    };
    add(upper(aWords), upper(bWords));
    add(lower(aWords), lower(bWords));
    return sum;
  }
  case Bf16Products::Amx:
    break; // multiplyTiles
  case Bf16Products::Avx512: {
    auto pairs = VectorType::get(shape.lanes * 2, b.getBF16Type());
    return x86vector::DotBF16Op::create(
        b, sum.getType(), sum, vector::BitCastOp::create(b, pairs, aWords),
        vector::BitCastOp::create(b, pairs, bWords));
  }
  }
  llvm_unreachable("unknown Bf16Products");
}

void TileEmitter::multiply(int64_t rows, int64_t vectors,
                           const TilePlace &start, const TilePlace &place,
                           const LeftRows &left, MatrixBase bPanel) {
  auto at = [](const TilePlace &place, int64_t r, int64_t v) {
    return place.rows[r] + place.columns[v];
  };
  // -0 is what changes no sum, -0 included.
  Value nothing = arith::ConstantOp::create(b, b.getF32FloatAttr(-0.0f));
  SmallVector<Value> sums(rows * vectors, b.splat(nothing, shape.lanes));
  auto loop = scf::ForOp::create(
      b, b.number(0), words, b.number(1), sums,
      [&](OpBuilder &, Location, Value iv, ValueRange in) {
        Index k = b.number(iv);
        SmallVector<Value> out(in), bVectors;
        Index bRow = bPanel.start + k * shape.columns();
        for (int64_t v = 0; v < vectors; ++v)
          bVectors.push_back(
              b.loadVector(shape.lanes, bPanel.buffer, bRow + v * shape.lanes));
        for (auto [r, word] : llvm::enumerate(loadLeft(left, k, rows))) {
          Value a = b.splat(word, shape.lanes);
          for (int64_t v = 0; v < vectors; ++v) {
            Value &sum = out[r * vectors + v];
            sum = multiplyAdd(sum, a, bVectors[v]);
          }
        }
        scf::YieldOp::create(b, out);
      });
  for (int64_t r = 0; r < rows; ++r)
    for (int64_t v = 0; v < vectors; ++v) {
      Value before = b.loadVector(shape.lanes, start.buffer, at(start, r, v));
      Value sum = loop.getResult(r * vectors + v);
      b.storeVector(arith::AddFOp::create(b, before, sum), place.buffer,
                    at(place, r, v));
    }
}

LeftRows TileEmitter::placeLeft(const LeftOperand &left, Index i, Index m) {
  const MatrixBase &base = left.panels.first;
  if (left.place == LeftPlace::Panels)
    return {left.place, base.at(i * words)};
  LeftRows place{left.place, base, {}, left.stepTable};
  // Those behind the last row are that row again.
  for (int64_t r = 0; r < shape.rows; ++r)
    place.rows.push_back(
        base.start + b.loadIndex(tables, left.rowTable + min(i + r, m - 1)));
  return place;
}

SmallVector<Value> TileEmitter::loadLeft(const LeftRows &left, Index k,
                                         int64_t rows) {
  auto place = [&](int64_t r) {
    return left.place == LeftPlace::Panels
               ? left.panel.start + k * shape.rows + r
               : left.rows[r];
  };
  Index step = b.number(0);
  if (left.place == LeftPlace::Rows)
    step = k;
  if (left.place == LeftPlace::Elements)
    step = b.loadIndex(tables, left.stepTable + k * shape.steps());
  Value buffer = left.panel.buffer;
  bool isOfWords = cast<MemRefType>(buffer.getType()).getElementType().isF32();
  SmallVector<Value> loaded;
  for (int64_t r = 0; r < rows; ++r) {
    Index at = place(r) + step;
    loaded.push_back(
        isOfWords
            ? b.load(buffer, at)
            : vector::ExtractOp::create(
                  b, asWords(b, b.loadVector(shape.steps(), buffer, at)), 0));
  }
  return loaded;
}

void TileEmitter::multiplyTiles(int64_t rows, int64_t vectors,
                                const TilePlace &start, const TilePlace &place,
                                MatrixBase aPanel, MatrixBase bPanel) {
  auto sumType = amx::TileType::get({kAmxRows, kAmxWords}, b.getF32Type());
  Type half = shape.hasF16Words ? Type(b.getF16Type()) : b.getBF16Type();
  auto operandType = amx::TileType::get({kAmxRows, kAmxWords * 2}, half);
  auto load = [&](amx::TileType type, Value buffer, Index at, Index stride) {
    return amx::TileLoadOp::create(b, type, buffer, ValueRange{at}, stride);
  };
  int64_t rowsOfTiles = rows / kAmxRows;
  auto stride = [](const TilePlace &place) {
    return place.rows[1] - place.rows[0];
  };
  auto at = [&](const TilePlace &place, int64_t r, int64_t v) {
    return place.rows[0] + stride(place) * (r * kAmxRows) + place.columns[v];
  };
  SmallVector<Value> sums;
  for (int64_t r = 0; r < rowsOfTiles; ++r)
    for (int64_t v = 0; v < vectors; ++v)
      sums.push_back(
          load(sumType, start.buffer, at(start, r, v), stride(start)));

  auto loadA = [&](Index word, int64_t r, int64_t part) -> Value {
    return load(operandType, aPanel.buffer,
                aPanel.start + aDistance * part + word * shape.rows +
                    r * kAmxRows * kAmxWords,
                b.number(kAmxWords));
  };
  auto loadB = [&](Index word, int64_t v, int64_t part) -> Value {
    return load(operandType, bPanel.buffer,
                bPanel.start + bDistance * part + word * shape.columns() +
                    v * kAmxWords,
                b.number(shape.columns()));
  };
  auto addProduct = [&](Value &sum, Value aTile, Value bTile) {
    sum = amx::TileMulFOp::create(b, sumType, aTile, bTile, sum);
  };
  // Four sums, a row and a column of operands are the CPU's eight tiles.
  auto multiplyWhole = [&](Index word, MutableArrayRef<Value> out) {
    SmallVector<Value> bTiles;
    for (int64_t v = 0; v < vectors; ++v)
      bTiles.push_back(loadB(word, v, 0));
    for (int64_t r = 0; r < rowsOfTiles; ++r) {
      Value aTile = loadA(word, r, 0);
      for (int64_t v = 0; v < vectors; ++v)
        addProduct(out[r * vectors + v], aTile, bTiles[v]);
    }
  };
  // Of two parts, one operand's part stays from turn to turn: ten loads for
  // sixteen products. Fewer sums leave room for all parts of B.
  auto multiplyParts = [&](Index word, MutableArrayRef<Value> out) {
    constexpr std::pair<int64_t, int64_t> kTurns[] = {
        {0, 0}, {0, 1}, {1, 1}, {1, 0}};
    bool keepsAll = out.size() < 4;
    SmallVector<Value> aTiles[2], bTiles[2];
    for (auto [aPart, bPart] : kTurns) {
      for (int64_t r = aTiles[aPart].size(); r < rowsOfTiles; ++r)
        aTiles[aPart].push_back(loadA(word, r, aPart));
      for (int64_t v = bTiles[bPart].size(); v < vectors; ++v)
        bTiles[bPart].push_back(loadB(word, v, bPart));
      if (!keepsAll)
        bTiles[1 - bPart].clear();
      for (int64_t r = 0; r < rowsOfTiles; ++r)
        for (int64_t v = 0; v < vectors; ++v)
          addProduct(out[r * vectors + v], aTiles[aPart][r], bTiles[bPart][v]);
    }
  };
  auto loop =
      scf::ForOp::create(b, b.number(0), words, b.number(kAmxWords), sums,
                         [&](OpBuilder &, Location, Value iv, ValueRange in) {
                           SmallVector<Value> out(in);
                           Index word = b.number(iv);
                           if (shape.parts > 1)
                             multiplyParts(word, out);
                           else
                             multiplyWhole(word, out);
                           scf::YieldOp::create(b, out);
                         });
  for (int64_t r = 0; r < rowsOfTiles; ++r)
    for (int64_t v = 0; v < vectors; ++v)
      amx::TileStoreOp::create(b, place.buffer, ValueRange{at(place, r, v)},
                               loop.getResult(r * vectors + v), stride(place));
}

Value TileEmitter::areRowsInPlace(Index rowTable, Index rowCount) {
  Value areAll = rowCount == b.number(shape.rows);
  if (!shape.usesAmx())
    return areAll;
  return b.andThen(areAll, [&] {
    return b.areEvenlySpaced(b.loadVector(shape.rows, tables, rowTable));
  });
}

void TileEmitter::multiplySome(Index rowCount, Index columnCount,
                               const TilePlace &start, const TilePlace &place,
                               const LeftRows &left, MatrixBase bPanel) {
  std::function<void(int64_t, int64_t)> choose = [&](int64_t rows,
                                                     int64_t vectors) {
    auto enough = [&] {
      if (shape.usesAmx())
        multiplyTiles(rows, vectors, start, place, left.panel, bPanel);
      else
        multiply(rows, vectors, start, place, left, bPanel);
    };
    if (vectors == shape.vectors)
      return enough();
    b.branch(columnCount <= b.number(vectors * shape.lanes), enough,
             [&] { choose(rows, vectors + 1); });
  };
  b.branch(
      rowCount <= b.number(shape.rows / 2), [&] { choose(shape.rows / 2, 1); },
      [&] { choose(shape.rows, 1); });
}

void TileEmitter::copyTile(ArrayRef<VectorColumns> columns, Index rowTable,
                           Index count, bool toStack) {
  // Columns of what is packed are C's last dimension.
  if (leftPlace == LeftPlace::Panels)
    return copyRows(columns, rowTable, count, toStack);
  Value isTurned = b.andThen(
      b.both(count == b.number(shape.rows),
             b.isFalse(columns.front().neighbours)),
      [&] { return b.areConsecutive(tables, rowTable, b.number(shape.rows)); });
  b.branch(
      isTurned, [&] { copyTurned(columns, rowTable, toStack); },
      [&] { copyRows(columns, rowTable, count, toStack); });
}

void TileEmitter::copyTurned(ArrayRef<VectorColumns> columns, Index rowTable,
                             bool toStack) {
  Index first = c.start + b.loadIndex(tables, rowTable);
  Index count = b.number(0), columnTable = columns.front().table;
  for (const VectorColumns &vector : columns)
    count = count + vector.count;
  Index whole = count / kPackLanes * kPackLanes;
  auto inTile = [&](Index row, Index column) {
    return row * shape.columns() + column;
  };
  auto inC = [&](Index row, Index column) {
    return first + row + b.loadIndex(tables, columnTable + column);
  };
  // Rows of a square that are the tile's, as vectors that a register holds.
  SmallVector<std::pair<int64_t, int64_t>> pieces;
  int64_t side = std::min(shape.rows, kPackLanes);
  for (int64_t begin = 0; begin < side; begin += pieces.back().second)
    pieces.emplace_back(begin, llvm::bit_floor<uint64_t>(side - begin));
  auto loadColumn = [&](Index at) {
    Value column = b.splat(b.zero(b.getF32Type()), kPackLanes);
    for (auto [begin, size] : pieces)
      column = vector::InsertStridedSliceOp::create(
          b, b.loadVector(size, c.buffer, at + begin), column,
          ArrayRef<int64_t>{begin}, ArrayRef<int64_t>{1});
    return column;
  };
  auto storeColumn = [&](Value column, Index at) {
    for (auto [begin, size] : pieces)
      b.storeVector(vector::ExtractStridedSliceOp::create(
                        b, column, ArrayRef<int64_t>{begin},
                        ArrayRef<int64_t>{size}, ArrayRef<int64_t>{1}),
                    c.buffer, at + begin);
  };
  b.loop(b.number(shape.rows), kPackLanes, [&](Index row) {
    b.loop(whole, kPackLanes, [&](Index column) {
      SmallVector<Value> square;
      for (int64_t i = 0; i < kPackLanes; ++i)
        square.push_back(toStack ? loadColumn(inC(row, column + i))
                                 : b.loadVector(kPackLanes, stackTile,
                                                inTile(row + i, column)));
      transposeInRegisters(b, square);
      for (auto [i, vector] : llvm::enumerate(square))
        if (toStack)
          b.storeVector(vector, stackTile, inTile(row + i, column));
        else
          storeColumn(vector, inC(row, column + i));
    });
  });
  b.loop(whole, count, b.number(1), [&](Index column) {
    b.loop(b.number(shape.rows), 1, [&](Index row) {
      Index at = inC(row, column), onStack = inTile(row, column);
      if (toStack)
        b.store(b.load(c.buffer, at), stackTile, onStack);
      else
        b.store(b.load(stackTile, onStack), c.buffer, at);
    });
  });
}

void TileEmitter::copyRows(ArrayRef<VectorColumns> columns, Index rowTable,
                           Index count, bool toStack) {
  auto vectorType = VectorType::get(shape.lanes, b.getF32Type());
  auto copyVector = [&](const VectorColumns &lanes, Index inC, Index inTile) {
    if (toStack) {
      Value none = b.splat(b.zero(b.getF32Type()), shape.lanes);
      Value vector = vector::MaskedLoadOp::create(
          b, vectorType, c.buffer, ValueRange{inC}, lanes.mask, none);
      b.storeVector(vector, stackTile, inTile);
    } else {
      Value vector = b.loadVector(shape.lanes, stackTile, inTile);
      vector::MaskedStoreOp::create(b, c.buffer, ValueRange{inC}, lanes.mask,
                                    vector);
    }
  };
  auto copyElement = [&](Index inC, Index inTile) {
    if (toStack)
      b.store(b.load(c.buffer, inC), stackTile, inTile);
    else
      b.store(b.load(stackTile, inTile), c.buffer, inC);
  };
  b.loop(count, 1, [&](Index r) {
    Index row = c.start + b.loadIndex(tables, rowTable + r);
    Index inTile = r * shape.columns();
    for (const VectorColumns &lanes : columns) {
      b.branch(
          lanes.neighbours,
          [&] { copyVector(lanes, row + lanes.first, inTile); },
          [&] {
            b.loop(lanes.count, 1, [&](Index lane) {
              copyElement(row + b.loadIndex(tables, lanes.table + lane),
                          inTile + lane);
            });
          });
      inTile = inTile + shape.lanes;
    }
  });
}

void TileEmitter::prefetchTile(ArrayRef<VectorColumns> columns, Index rowTable,
                               Index lastRow) {
  for (int64_t r = 0; r < shape.rows; ++r) {
    Index row = c.start + b.loadIndex(tables, min(rowTable + r, lastRow));
    for (const VectorColumns &vector : columns)
      b.prefetch(c.buffer, row + vector.first, /*isWrite=*/true);
  }
}

func::FuncOp KernelLibrary::getTiles(const MicroKernel &tile, LeftPlace place,
                                     bool readsPartOfPanels) {
  MLIRContext *context = module.getContext();
  Type index = IndexType::get(context);
  Type floats = getFlatType(Float32Type::get(context));
  bool isOfPairs = place == LeftPlace::Elements && tile.steps() != 1;
  Type left = isOfPairs ? getFlatType(BFloat16Type::get(context)) : floats;
  SmallVector<Type> types = {left,
                             index,
                             floats,
                             index,
                             floats,
                             index,
                             getFlatType(index),
                             index,
                             index,
                             index,
                             index,
                             index,
                             IntegerType::get(context, 1)};
  bool hasParts = tile.parts > 1;
  if (hasParts)
    types.append(2, index);
  if (place != LeftPlace::Panels)
    types.push_back(index);
  if (place == LeftPlace::Elements)
    types.push_back(index);
  if (readsPartOfPanels)
    types.push_back(index);
  auto emit = [&](HostBuilder &b, KernelArguments &arguments) {
    LeftOperand left{place, {}};
    left.panels.first = arguments.takeMatrix();
    MatrixBase bPanels = arguments.takeMatrix();
    TileEmitter emitter{b,
                        tile,
                        place,
                        arguments.takeMatrix(),
                        arguments.takeBuffer(),
                        {},
                        {},
                        {},
                        {},
                        {},
                        {}};
    Index cM = arguments.takeIndex(), cN = arguments.takeIndex();
    Index m = arguments.takeIndex(), n = arguments.takeIndex();
    emitter.words = arguments.takeIndex();
    emitter.fromZero = arguments.takeValue();
    for (Index *distance : {&emitter.aDistance, &emitter.bDistance})
      *distance = hasParts ? arguments.takeIndex() : b.number(0);
    if (place != LeftPlace::Panels)
      left.rowTable = arguments.takeIndex();
    if (place == LeftPlace::Elements)
      left.stepTable = arguments.takeIndex();
    Index bLength = readsPartOfPanels ? arguments.takeIndex() : emitter.words;

    auto reserveZeros = [&](int64_t size) {
      auto type = MemRefType::get({size}, b.getF32Type());
      Value memory = memref::AllocaOp::create(b, type, b.getI64IntegerAttr(64));
      Value flat = memref::CastOp::create(b, floats, memory);
      Value zeros = b.splat(b.zero(b.getF32Type()), tile.lanes);
      b.loop(b.number(size), tile.lanes,
             [&](Index i) { b.storeVector(zeros, flat, i); });
      return flat;
    };
    // The rows of an edge tile that are not C's are multiplied too.
    emitter.stackTile =
        reserveZeros(llvm::alignTo(tile.rows, kPackLanes) * tile.columns());
    emitter.zeroRow = reserveZeros(tile.columns());

    b.loop(n, tile.columns(), [&](Index j) {
      Index columnCount = min(n - j, tile.columns());
      SmallVector<VectorColumns> columns = emitter.look(cN + j, columnCount);
      // All lanes of each vector that is used are neighbours in C.
      Value whole = columnCount == b.number(tile.columns());
      for (int64_t v = 1; v < tile.vectors; ++v)
        whole = b.any(whole, columnCount == b.number(v * tile.lanes));
      for (const VectorColumns &vector : columns)
        whole = b.both(whole, vector.neighbours);

      b.loop(m, tile.rows, [&](Index i) {
        Index rowCount = min(m - i, tile.rows), rowTable = cM + i;
        Value inPlace = b.andThen(
            whole, [&] { return emitter.areRowsInPlace(rowTable, rowCount); });
        auto useC = [&] { return emitter.placeInC(columns, rowTable).give(); };
        auto useStack = [&] {
          b.branch(
              emitter.fromZero, [] {},
              [&] {
                emitter.copyTile(columns, rowTable, rowCount, /*toStack=*/true);
              });
          return emitter.placeOnStack().give();
        };
        TilePlace place =
            TilePlace::take(b, tile, b.either(inPlace, useC, useStack));
        TilePlace start = emitter.placeOfStart(place);
        if (!tile.usesAmx()) {
          Index nextRow = rowTable + tile.rows, lastRow = cM + m - 1;
          emitter.prefetchTile(columns, nextRow, lastRow);
        }
        emitter.multiplySome(rowCount, columnCount, start, place,
                             emitter.placeLeft(left, i, m),
                             bPanels.at(j * bLength));
        b.branch(
            inPlace, [] {},
            [&] {
              emitter.copyTile(columns, rowTable, rowCount, /*toStack=*/false);
            });
      });
    });
  };
  return getKernel("tiles" + tile.suffix() + (hasParts ? "_parts" : "") +
                       (place == LeftPlace::Rows       ? "_of_rows"
                        : place == LeftPlace::Elements ? "_of_elements"
                                                       : "") +
                       (readsPartOfPanels ? "_of_panels" : ""),
                   types, emit);
}

void KernelLibrary::callTiles(HostBuilder &b, const MicroKernel &kernel,
                              const LeftOperand &left,
                              const PanelParts &bPanels, MatrixBase c,
                              Value tables, Index cM, Index cN, Index m,
                              Index n, Index words, Value fromZero) {
  SmallVector<Value> values{left.panels.first.buffer,
                            left.panels.first.start,
                            bPanels.first.buffer,
                            bPanels.first.start,
                            c.buffer,
                            c.start,
                            tables,
                            cM,
                            cN,
                            m,
                            n,
                            words,
                            fromZero};
  if (kernel.parts > 1)
    values.append({left.panels.distance, bPanels.distance});
  if (left.place != LeftPlace::Panels)
    values.push_back(left.rowTable);
  if (left.place == LeftPlace::Elements)
    values.push_back(left.stepTable);
  if (bPanels.length)
    values.push_back(*bPanels.length);
  func::CallOp::create(
      b, getTiles(kernel, left.place, bPanels.length.has_value()), values);
}
