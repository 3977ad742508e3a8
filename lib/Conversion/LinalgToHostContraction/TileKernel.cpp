//===- TileKernel.cpp - The micro-kernel and the loops around it ----------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tile of C is loaded into vector registers, panels of A and B pass by once,
// and the tile goes back:
//
//   for each k: for each row r, vector v:
//     tile[r][v] += splat(aPanel[k * rows + r]) * bPanel[k * columns + v * lanes]
//
// The sum thus starts from what stands in C and takes the products in order;
// there is no partial sum that would round differently.
//
// A full tile whose columns are neighbours in C, vector by vector, is loaded and
// stored in place; its rows may be anywhere. Every other one (at the edge, or
// with an output that is transposed or cut into small images) is copied into a
// tile on the stack and back, through masks where its columns are neighbours and
// element by element where not. At the edge, kernels of half the rows and of
// fewer vectors save work on padding.
//
// The tile's shape: with 16 registers of 256 bits, 6 rows of 2 vectors leave 4
// registers for B's vectors and A's scalars (the shape of BLIS and OpenBLAS for
// Haswell). With 32 registers of 512 bits, see TileShape::get.
//
//===----------------------------------------------------------------------===//

#include "KernelLibrary.h"

using namespace mlir;
using namespace mlir::amp;

TileShape TileShape::get(unsigned vectorBits) {
  int64_t lanes = vectorBits / 32;
  // More rows would load fewer vectors for each multiplication, but two vectors
  // are loaded beside 16 multiplications as it is, and short tiles waste less
  // on matrices of 8, 16 and 32 rows.
  if (vectorBits >= 512)
    return {lanes, /*vectors=*/2, /*rows=*/8};
  return {lanes, /*vectors=*/2, /*rows=*/6};
}

namespace {
struct TileEmitter {
  KernelBuilder &b;
  TileShape shape;
  MatrixBase c;
  Value tables;

  /// Columns of C behind one vector of the tile.
  struct VectorColumns {
    /// How many of the lanes are columns of C, from 0 to `shape.lanes`.
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
  SmallVector<VectorColumns> look(Index table, Index count);

  /// Where the micro-kernel finds a tile: element (r, v * lanes) stands at
  /// rows[r] + columns[v].
  struct Place {
    Value buffer;
    SmallVector<Index> rows, columns;
  };
  void multiply(int64_t rows, int64_t vectors, const Place &place,
                MatrixBase aPanel, MatrixBase bPanel, Index depth);
  /// Copies `count` rows of C, offsets from `rowTable`, to the tile or back.
  void copyTile(Value tile, ArrayRef<VectorColumns> columns, Index rowTable,
                Index count, bool toTile);
};
} // namespace

SmallVector<TileEmitter::VectorColumns> TileEmitter::look(Index table,
                                                          Index count) {
  auto type = VectorType::get(shape.lanes, b.getIndexType());
  auto maskType = VectorType::get(shape.lanes, b.getI1Type());
  Value zeros = b.splat(b.index(0), shape.lanes);
  Value allLanes = b.splat(
      arith::ConstantOp::create(b, b.getBoolAttr(true)), shape.lanes);
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
    columns.neighbours = b.all(
        arith::OrIOp::create(b, b.areEqual(offsets, expected), absent));
    result.push_back(columns);
  }
  return result;
}

void TileEmitter::multiply(int64_t rows, int64_t vectors, const Place &place,
                           MatrixBase aPanel, MatrixBase bPanel, Index depth) {
  auto at = [&](int64_t r, int64_t v) { return place.rows[r] + place.columns[v]; };
  SmallVector<Value> sums;
  for (int64_t r = 0; r < rows; ++r)
    for (int64_t v = 0; v < vectors; ++v)
      sums.push_back(b.loadVector(shape.lanes, place.buffer, at(r, v)));

  // Fused where the target can, so that one kernel serves targets with and
  // without FMA: vector.fma would be a library call on the latter.
  auto contract = arith::FastMathFlags::contract;
  auto loop = scf::ForOp::create(
      b, b.index(0), depth, b.index(1), sums,
      [&](OpBuilder &, Location, Value iv, ValueRange in) {
        Index k = b.index(iv);
        SmallVector<Value> out(in), bVectors;
        Index bRow = bPanel.start + k * shape.columns();
        Index aRow = aPanel.start + k * shape.rows;
        for (int64_t v = 0; v < vectors; ++v)
          bVectors.push_back(
              b.loadVector(shape.lanes, bPanel.buffer, bRow + v * shape.lanes));
        for (int64_t r = 0; r < rows; ++r) {
          Value a = b.splat(b.load(aPanel.buffer, aRow + r), shape.lanes);
          for (int64_t v = 0; v < vectors; ++v) {
            Value &sum = out[r * vectors + v];
            Value product = arith::MulFOp::create(b, a, bVectors[v], contract);
            sum = arith::AddFOp::create(b, sum, product, contract);
          }
        }
        scf::YieldOp::create(b, out);
      });
  for (int64_t r = 0; r < rows; ++r)
    for (int64_t v = 0; v < vectors; ++v)
      b.storeVector(loop.getResult(r * vectors + v), place.buffer, at(r, v));
}

void TileEmitter::copyTile(Value tile, ArrayRef<VectorColumns> columns,
                           Index rowTable, Index count, bool toTile) {
  auto vectorType = VectorType::get(shape.lanes, b.getF32Type());
  b.loop(count, 1, [&](Index r) {
    Index row = c.start + b.loadIndex(tables, rowTable + r);
    for (auto [v, vector] : llvm::enumerate(columns)) {
      const VectorColumns &lanes = vector;
      Index inTile = r * shape.columns() + static_cast<int64_t>(v) * shape.lanes;
      b.branch(
          lanes.neighbours,
          [&] {
            Index inC = row + lanes.first;
            if (toTile) {
              Value zeros = b.splat(
                  arith::ConstantOp::create(b, b.getF32FloatAttr(0)), shape.lanes);
              b.storeVector(vector::MaskedLoadOp::create(b, vectorType, c.buffer,
                                                         ValueRange{inC},
                                                         lanes.mask, zeros),
                            tile, inTile);
            } else {
              vector::MaskedStoreOp::create(b, c.buffer, ValueRange{inC},
                                            lanes.mask,
                                            b.loadVector(shape.lanes, tile, inTile));
            }
          },
          [&] {
            b.loop(lanes.count, 1, [&](Index lane) {
              Index inC = row + b.loadIndex(tables, lanes.table + lane);
              if (toTile)
                b.store(b.load(c.buffer, inC), tile, inTile + lane);
              else
                b.store(b.load(tile, inTile + lane), c.buffer, inC);
            });
          });
    }
  });
}

func::FuncOp KernelLibrary::getTiles() {
  MLIRContext *context = module.getContext();
  Type index = IndexType::get(context);
  Type floats = getFlatType(Float32Type::get(context));
  SmallVector<Type> types = {floats, index, index, floats, index, getFlatType(index),
                             index,  index, index, index,  index};
  return getKernel("tiles", types, [&](KernelBuilder &b,
                                       Block::BlockArgListType arguments) {
    auto at = [&](unsigned i) { return b.index(arguments[i]); };
    MatrixBase aPanels{arguments[0], at(1)}, bPanels{arguments[0], at(2)};
    TileEmitter emitter{b, tile, {arguments[3], at(4)}, arguments[5]};
    Index cM = at(6), cN = at(7), m = at(8), n = at(9), depth = at(10);

    int64_t tileSize = tile.rows * tile.columns();
    Value scratch = memref::AllocaOp::create(
        b, MemRefType::get({tileSize}, b.getF32Type()), b.getI64IntegerAttr(64));
    scratch = memref::CastOp::create(b, floats, scratch);
    // The rows of an edge tile that are not C's are multiplied too.
    Value zeros = b.splat(arith::ConstantOp::create(b, b.getF32FloatAttr(0)),
                          tile.lanes);
    b.loop(b.index(tileSize), tile.lanes,
           [&](Index i) { b.storeVector(zeros, scratch, i); });

    b.loop(n, tile.columns(), [&](Index j) {
      Index columnCount = min(n - j, tile.columns());
      auto columns = emitter.look(cN + j, columnCount);
      Value whole = columnCount == b.index(tile.columns());
      for (int64_t v = 1; v < tile.vectors; ++v)
        whole = b.either(whole, columnCount == b.index(v * tile.lanes));
      for (const auto &vector : columns)
        whole = b.both(whole, vector.neighbours);

      b.loop(m, tile.rows, [&](Index i) {
        Index rowCount = min(m - i, tile.rows);
        Value inPlace = b.both(whole, rowCount == b.index(tile.rows));
        SmallVector<Value> values = b.choose(
            inPlace,
            [&] {
              SmallVector<Value> values{emitter.c.buffer};
              for (int64_t r = 0; r < tile.rows; ++r)
                values.push_back(emitter.c.start +
                                 b.loadIndex(emitter.tables, cM + i + r));
              for (const auto &vector : columns)
                values.push_back(vector.first);
              return values;
            },
            [&] {
              emitter.copyTile(scratch, columns, cM + i, rowCount,
                               /*toTile=*/true);
              SmallVector<Value> values{scratch};
              for (int64_t r = 0; r < tile.rows; ++r)
                values.push_back(b.index(r * tile.columns()));
              for (int64_t v = 0; v < tile.vectors; ++v)
                values.push_back(b.index(v * tile.lanes));
              return values;
            });
        TileEmitter::Place place{values[0], {}, {}};
        for (Value row : ArrayRef(values).slice(1, tile.rows))
          place.rows.push_back(b.index(row));
        for (Value column : ArrayRef(values).drop_front(1 + tile.rows))
          place.columns.push_back(b.index(column));

        MatrixBase aPanel{aPanels.buffer, aPanels.start + i * depth};
        MatrixBase bPanel{bPanels.buffer, bPanels.start + j * depth};
        // Kernels for 1, 2... vectors, the first that covers all columns.
        std::function<void(int64_t, int64_t)> multiply = [&](int64_t rows,
                                                             int64_t vectors) {
          if (vectors == tile.vectors)
            return emitter.multiply(rows, vectors, place, aPanel, bPanel, depth);
          b.branch(
              columnCount <= b.index(vectors * tile.lanes),
              [&] {
                emitter.multiply(rows, vectors, place, aPanel, bPanel, depth);
              },
              [&] { multiply(rows, vectors + 1); });
        };
        b.branch(
            rowCount <= b.index(tile.rows / 2),
            [&] { multiply(tile.rows / 2, 1); }, [&] { multiply(tile.rows, 1); });

        b.branch(
            inPlace, [] {},
            [&] {
              emitter.copyTile(scratch, columns, cM + i, rowCount,
                               /*toTile=*/false);
            });
      });
    });
  });
}

void KernelLibrary::callTiles(KernelBuilder &b, MatrixBase aPanels,
                              MatrixBase bPanels, MatrixBase c, Value tables,
                              Index cM, Index cN, Index m, Index n, Index k) {
  assert(aPanels.buffer == bPanels.buffer && "panels share scratch memory");
  func::CallOp::create(b, getTiles(),
                       ValueRange{aPanels.buffer, aPanels.start, bPanels.start,
                                  c.buffer, c.start, tables, cM, cN, m, n, k});
}
