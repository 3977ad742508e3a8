//===- ProductKernel.cpp - Cache blocks around packing and tiles ----------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The loop order of Goto and van de Geijn (Anatomy of High-Performance Matrix
// Multiplication, 2008): for a block of columns, for a block of the sum, pack
// B; for a block of rows, pack A and multiply. Blocks of the sum follow each
// other in order, and each continues from what the last one left in C; the
// first one from zero, where that is asked for. They are of one size, because
// each reads and writes C once more. f16 in two parts multiplies
// each block several times, of which only the first starts.
//
// Small products are one block of each kind and run through the same code. At
// 32 x 64 x 128 packing takes a fifth of the time; a second micro-kernel, for
// operands that are not packed, would win part of that for f32 alone and would
// have to be compiled into each program.
//
//===----------------------------------------------------------------------===//

#include "KernelLibrary.h"

using namespace mlir;
using namespace mlir::amp;

/// Words of a panel that a block of the sum is a multiple of: those of a tile
/// of AMX, of the squares that packing turns, and of a line of bf16.
static constexpr int64_t kBlockUnit = 32;
static_assert(kBlockK % kBlockUnit == 0 && kBlockUnit % kAmxWords == 0);

namespace {
/// Where the panels of one block stand in a product's scratch memory: those of
/// each part of B, then those of each part of A.
struct PanelLayout {
  Index bSize, aStart, aSize, end;
};
} // namespace

/// Words of a panel for so many steps of the sum.
static Index countWords(const MicroKernel &kernel, Index steps) {
  return roundUp(ceilDiv(steps, kernel.steps()), kernel.wordMultiple());
}

/// B's panels come first: packing may write kPackLanes elements past the end of
/// a region, and A is packed after B.
static PanelLayout layoutPanels(HostBuilder &b, const MicroKernel &kernel,
                                Index m, Index n, Index k) {
  Index words = min(countWords(kernel, k), kBlockK);
  int64_t parts = kernel.parts.size();
  PanelLayout layout;
  layout.bSize = roundUp(min(n, kBlockN), kernel.columns()) * words;
  layout.aStart = layout.bSize * parts;
  layout.aSize = roundUp(min(m, kBlockM), kernel.rows) * words;
  layout.end = layout.aStart + layout.aSize * parts + kPackLanes;
  return layout;
}

Index KernelLibrary::getProductScratch(HostBuilder &b, Type aType, Type bType,
                                       Index m, Index n, Index k) {
  return layoutPanels(b, MicroKernel::get(machine, aType, bType), m, n, k).end;
}

void KernelLibrary::callPackA(HostBuilder &b, const MicroKernel &kernel,
                              Type type, ElementPart part,
                              const ProductArguments &p, Index step,
                              Index steps, Index row, Index rows,
                              MatrixBase panels) {
  Value tables = p.tables.buffer;
  Index aK = p.tables.aK + step, aM = p.tables.aM + row;
  if (kernel.usesAmx())
    callPackRows(b, type, part, {p.a, tables, aM, rows, aK, steps, panels});
  else
    callPack(b, kernel.getPackForm(type, part),
             {p.a, tables, aK, steps, aM, rows, panels}, b.number(kernel.rows));
}

func::FuncOp KernelLibrary::getProduct(Type aType, Type bType) {
  std::string name;
  llvm::raw_string_ostream(name) << "product_" << aType << "_" << bType;
  MicroKernel kernel = MicroKernel::get(machine, aType, bType);
  int64_t blockK = kBlockK * kernel.steps();
  int64_t stepUnit = kBlockUnit * kernel.steps();
  auto emit = [&](HostBuilder &b, KernelArguments &arguments) {
    ProductArguments p = ProductArguments::take(arguments);
    const OffsetTables &tables = p.tables;
    PanelLayout layout = layoutPanels(b, kernel, p.m, p.n, p.k);
    auto bPanels = [&](size_t part) {
      return p.scratch.at(layout.bSize * part);
    };
    auto aPanels = [&](size_t part) {
      return p.scratch.at(layout.aStart + layout.aSize * part);
    };
    Index numBlocks = max(ceilDiv(p.k, blockK), 1);
    Index stepsOfBlock = roundUp((p.k + numBlocks - 1) / numBlocks, stepUnit);
    b.loop(p.n, kBlockN, [&](Index j) {
      Index columns = min(p.n - j, kBlockN);
      b.loop(b.number(0), p.k, max(stepsOfBlock, 1), [&](Index l) {
        Index depth = min(p.k - l, stepsOfBlock);
        Value isStart = b.both(p.fromZero, l == 0);
        Value isNoStart = b.zero(b.getI1Type());
        for (auto [at, part] : llvm::enumerate(kernel.parts))
          callPack(b, kernel.getPackForm(bType, part),
                   {p.b, tables.buffer, tables.bK + l, depth, tables.bN + j,
                    columns, bPanels(at)},
                   b.number(kernel.columns()), /*isB=*/true);
        b.loop(p.m, kBlockM, [&](Index i) {
          Index rows = min(p.m - i, kBlockM);
          for (auto [at, part] : llvm::enumerate(kernel.parts))
            callPackA(b, kernel, aType, part, p, l, depth, i, rows,
                      aPanels(at));
          for (size_t aPart = 0; aPart < kernel.parts.size(); ++aPart)
            for (size_t bPart = 0; bPart < kernel.parts.size(); ++bPart)
              callTiles(b, kernel, aPanels(aPart), bPanels(bPart), p.c,
                        tables.buffer, tables.cM + i, tables.cN + j, rows,
                        columns, countWords(kernel, depth),
                        aPart == 0 && bPart == 0 ? isStart : isNoStart);
        });
      });
    });
  };
  return getKernel(name, getProductTypes(aType, bType), emit);
}

void KernelLibrary::callProduct(HostBuilder &b, Type aType, Type bType,
                                const ProductArguments &arguments) {
  func::CallOp::create(b, getProduct(aType, bType), arguments.give());
}
