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
// other in order, and each continues from what the last one left in C.
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

namespace {
/// Where the panels of one block stand in a product's scratch memory.
struct PanelLayout {
  Index bStart, aStart, end;
};
} // namespace

/// B's panels come first: packing may write kPackLanes elements past the end of
/// a region, and A is packed after B.
static PanelLayout layoutPanels(HostBuilder &b, const MicroKernel &kernel,
                                Index m, Index n, Index k) {
  Index words = min(ceilDiv(k, kernel.steps()), kBlockK);
  PanelLayout layout;
  layout.bStart = b.number(0);
  layout.aStart = roundUp(min(n, kBlockN), kernel.columns()) * words;
  layout.end = layout.aStart + roundUp(min(m, kBlockM), kernel.rows) * words +
               kPackLanes;
  return layout;
}

Index KernelLibrary::getProductScratch(HostBuilder &b, Type aType, Type bType,
                                       Index m, Index n, Index k) {
  return layoutPanels(b, MicroKernel::get(machine, aType, bType), m, n, k).end;
}

func::FuncOp KernelLibrary::getProduct(Type aType, Type bType) {
  std::string name;
  llvm::raw_string_ostream(name) << "product_" << aType << "_" << bType;
  MicroKernel kernel = MicroKernel::get(machine, aType, bType);
  int64_t blockK = kBlockK * kernel.steps();
  auto emit = [&](HostBuilder &b, KernelArguments &arguments) {
    ProductArguments p = ProductArguments::take(arguments);
    const OffsetTables &tables = p.tables;
    PanelLayout layout = layoutPanels(b, kernel, p.m, p.n, p.k);
    MatrixBase bPanels = p.scratch.at(layout.bStart);
    MatrixBase aPanels = p.scratch.at(layout.aStart);
    b.loop(p.n, kBlockN, [&](Index j) {
      Index columns = min(p.n - j, kBlockN);
      b.loop(p.k, blockK, [&](Index l) {
        Index depth = min(p.k - l, blockK);
        callPack(b, bType, p.b, tables.buffer, tables.bK + l, depth,
                 tables.bN + j, columns, bPanels, b.number(kernel.columns()),
                 kernel.steps(), /*isB=*/true);
        b.loop(p.m, kBlockM, [&](Index i) {
          Index rows = min(p.m - i, kBlockM);
          callPack(b, aType, p.a, tables.buffer, tables.aK + l, depth,
                   tables.aM + i, rows, aPanels, b.number(kernel.rows),
                   kernel.steps());
          callTiles(b, kernel, aPanels, bPanels, p.c, tables.buffer,
                    tables.cM + i, tables.cN + j, rows, columns,
                    ceilDiv(depth, kernel.steps()));
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
