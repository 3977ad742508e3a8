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
// each reads and writes C once more.
//
// Where all rows of A are one block, B's panels are read a few times each, and
// what they cost is to be brought and packed. A is packed first then, for each
// block of the sum, and B in narrow blocks that are multiplied while they are
// close.
//
// A product that stands in a loop over tiles finds B again, for each tile of
// rows. All of it is packed by a function of its own, into memory that outlives
// the call; the kept product multiplies a part of it, and has the sum as the
// innermost loop of blocks, so that C, which is a tile, stays close until it is
// done. A's blocks are packed as before: they have to be in the second-level
// cache, where packing leaves them.
//
// B may lie in memory as panels (amp-pack-shared-operands), of all steps of the
// sum; it is read where it is then.
//
// Where C has few columns, packing A takes as long as multiplying it. Rows of
// f32 whose steps of the sum are neighbours are read where they are then, and
// windows of an image (ReadInPlace.cpp).
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
static_assert(kBlockUnit % kAmxWords == 0);

/// Of A, kBlockM rows of such a block are 288 KiB, inside the second-level
/// cache of 512 KiB to 2 MiB, and of B kBlockN columns 1.5 MiB, a core's share
/// of the third. Of 128, 192, 256 and 384 words, the last was fastest at 1024^3
/// on Zen 4 (97 to 99 against 87 to 97 GFLOP/s): C is read and written less
/// often, and that a panel of B (48 KiB at 32 columns) comes from the second
/// level does not show.
///
/// CPUs with AMX have 2 MiB of second-level cache. What they read and write of
/// C is most of what they wait for, and 768 KiB of A in it leave room for B's
/// panel. In these loops written in C, at 2048^3, bf16 had 785 GFLOP/s with 384
/// words and 938 with 1024, and f16, whose words come twice, 312 with 192, 356
/// with 384 and 365 with 512.
int64_t MicroKernel::blockWords() const {
  if (!usesAmx())
    return 384;
  return 1024 / parts;
}

namespace {
/// Where the panels of one block stand in a product's scratch memory: those of
/// each part of B, then those of each part of A.
struct PanelLayout {
  Index bSize, aStart, aSize, end;

  PanelParts placeB(const MatrixBase &scratch) const {
    return {scratch, bSize};
  }
  PanelParts placeA(const MatrixBase &scratch) const {
    return {scratch.at(aStart), aSize};
  }
};
} // namespace

/// Words of a panel for so many steps of the sum.
static Index countWords(const MicroKernel &kernel, Index steps) {
  return roundUp(ceilDiv(steps, kernel.steps()), kernel.wordMultiple());
}

/// Packing may write kPackLanes elements past the end of a region if panels are
/// narrower than that: A's may be, and come last.
static PanelLayout layoutPanels(HostBuilder &b, const MicroKernel &kernel,
                                bool readsA, Index m, Index n, Index k) {
  Index words = min(countWords(kernel, k), kernel.blockWords());
  PanelLayout layout;
  layout.bSize = roundUp(min(n, kBlockN), kernel.columns()) * words;
  layout.aStart = layout.bSize * kernel.parts;
  layout.aSize =
      readsA ? b.number(0) : roundUp(min(m, kBlockM), kernel.rows) * words;
  layout.end = layout.aStart + layout.aSize * kernel.parts + kPackLanes;
  return layout;
}

Index KernelLibrary::getProductScratch(HostBuilder &b, const ProductForm &form,
                                       Index m, Index n, Index k) {
  return layoutPanels(b, getMicroKernel(form), form.readsA, m, n, k).end;
}

void KernelLibrary::callPackA(HostBuilder &b, const MicroKernel &kernel,
                              Type type, const ProductArguments &p,
                              const ProductBlock &block,
                              const PanelParts &panels) {
  PackForm form = kernel.getPackForm(type);
  Value tables = p.tables.buffer;
  Index aK = p.tables.aK + block.step, aM = p.tables.aM + block.row;
  if (kernel.usesAmx())
    callPackRows(b, form,
                 {p.a, tables, aM, block.rows, aK, block.steps, panels});
  else
    callPack(b, form, {p.a, tables, aK, block.steps, aM, block.rows, panels},
             b.number(kernel.rows));
}

/// Steps of a block of the sum.
static Index getStepsOfBlock(HostBuilder &b, const MicroKernel &kernel,
                             Index k) {
  int64_t most = kernel.blockWords() * kernel.steps();
  Index numBlocks = max(ceilDiv(k, most), 1);
  Index steps = (k + numBlocks - 1) / numBlocks;
  return max(roundUp(steps, kBlockUnit * kernel.steps()), 1);
}

void KeptPanels::give(SmallVectorImpl<Value> &values) const {
  values.append({whole, first});
}

KeptPanels KeptPanels::take(KernelArguments &arguments) {
  KeptPanels panels;
  for (Index *index : {&panels.whole, &panels.first})
    *index = arguments.takeIndex();
  return panels;
}

/// Where the panel of column `at` begins, for the block of the sum from `step`
/// on: blocks stand one after the other, each with all panels.
static Index getPlace(const MicroKernel &kernel, const KeptPanels &panels,
                      Index at, Index step, Index steps) {
  return panels.whole * (step / kernel.steps()) +
         at * countWords(kernel, steps);
}

/// From the panels of one part to those of the next.
static Index getPartDistance(const MicroKernel &kernel,
                             const KeptPanels &panels, Index k) {
  return panels.whole * countWords(kernel, k);
}

void KernelLibrary::callTiles(HostBuilder &b, const MicroKernel &kernel,
                              const ProductArguments &p,
                              const LeftOperand &left,
                              const PanelParts &bPanels,
                              const ProductBlock &block) {
  callTiles(b, kernel, left, bPanels, p.c, p.tables.buffer,
            p.tables.cM + block.row, p.tables.cN + block.column, block.rows,
            block.columns, countWords(kernel, block.steps),
            b.both(p.fromZero, block.step == 0));
}

void KernelLibrary::withLeftOperand(
    HostBuilder &b, const ProductForm &form, const ProductArguments &p,
    const PanelParts &aPanels, const ProductBlock &block,
    function_ref<void(const LeftOperand &)> multiply) {
  MicroKernel kernel = getMicroKernel(form);
  Index rowTable = p.tables.aM + block.row;
  Index stepTable = p.tables.aK + block.step;
  if (form.readsA)
    return multiply({LeftPlace::Elements, {p.a, {}}, rowTable, stepTable});
  auto inPanels = [&] {
    callPackA(b, kernel, form.a, p, block, aPanels);
    multiply({LeftPlace::Panels, aPanels});
  };
  if (!kernel.readsRows() || !form.a.isF32())
    return inPanels();
  Value isInPlace = b.andThen(p.n <= b.number(kFewColumns), [&] {
    return b.areConsecutive(p.tables.buffer, stepTable, block.steps);
  });
  auto inPlace = [&] {
    Index step = b.loadIndex(p.tables.buffer, stepTable);
    multiply({LeftPlace::Rows, {p.a.at(step), {}}, rowTable});
  };
  b.branch(isInPlace, inPlace, inPanels);
}

void KernelLibrary::callBlock(HostBuilder &b, const ProductForm &form,
                              const ProductArguments &p,
                              const PanelParts &aPanels,
                              const PanelParts &bPanels,
                              const ProductBlock &block) {
  withLeftOperand(b, form, p, aPanels, block, [&](const LeftOperand &left) {
    callTiles(b, getMicroKernel(form), p, left, bPanels, block);
  });
}

/// What names of kernels that read A where it is end with.
static StringRef getSuffix(const ProductForm &form) {
  return form.readsA ? "_in_place" : "";
}

func::FuncOp KernelLibrary::getProduct(const ProductForm &form) {
  std::string name;
  llvm::raw_string_ostream(name)
      << "product_" << form.a << "_" << form.b << getSuffix(form);
  MicroKernel kernel = getMicroKernel(form);
  auto emit = [&](HostBuilder &b, KernelArguments &arguments) {
    ProductArguments p = ProductArguments::take(arguments);
    PanelLayout layout = layoutPanels(b, kernel, form.readsA, p.m, p.n, p.k);
    PanelParts bPanels = layout.placeB(p.scratch);
    PanelParts aPanels = layout.placeA(p.scratch);
    Index stepsOfBlock = getStepsOfBlock(b, kernel, p.k);
    auto packB = [&](Index j, Index columns, Index l, Index depth) {
      callPack(b, kernel.getPackForm(form.b),
               {p.b, p.tables.buffer, p.tables.bK + l, depth, p.tables.bN + j,
                columns, bPanels},
               b.number(kernel.columns()), /*isB=*/true);
    };
    auto inFewRows = [&] {
      b.loop(b.number(0), p.k, stepsOfBlock, [&](Index l) {
        Index depth = min(p.k - l, stepsOfBlock);
        auto multiply = [&](const LeftOperand &left) {
          b.loop(p.n, kFewRowsBlockN, [&](Index j) {
            Index columns = min(p.n - j, kFewRowsBlockN);
            packB(j, columns, l, depth);
            callTiles(b, kernel, p, left, bPanels,
                      {b.number(0), p.m, j, columns, l, depth});
          });
        };
        withLeftOperand(b, form, p, aPanels,
                        {b.number(0), p.m, b.number(0), p.n, l, depth},
                        multiply);
      });
    };
    auto inBlocks = [&] {
      b.loop(p.n, kBlockN, [&](Index j) {
        Index columns = min(p.n - j, kBlockN);
        b.loop(b.number(0), p.k, stepsOfBlock, [&](Index l) {
          Index depth = min(p.k - l, stepsOfBlock);
          packB(j, columns, l, depth);
          b.loop(p.m, kBlockM, [&](Index i) {
            Index rows = min(p.m - i, kBlockM);
            callBlock(b, form, p, aPanels, bPanels,
                      {i, rows, j, columns, l, depth});
          });
        });
      });
    };
    b.branch(p.m <= b.number(kBlockM), inFewRows, inBlocks);
  };
  return getKernel(name, getProductTypes(form.a, form.b), emit);
}

void KernelLibrary::callPackKept(HostBuilder &b, const ProductForm &form,
                                 const PackArguments &arguments,
                                 const KeptPanels &panels) {
  MicroKernel kernel = getMicroKernel(form);
  auto emit = [&](HostBuilder &b, KernelArguments &arguments) {
    PackArguments pack = PackArguments::take(arguments);
    KeptPanels panels = KeptPanels::take(arguments);
    Index k = pack.rows, stepsOfBlock = getStepsOfBlock(b, kernel, k);
    b.loop(b.number(0), k, stepsOfBlock, [&](Index l) {
      Index depth = min(k - l, stepsOfBlock);
      Index place = getPlace(kernel, panels, panels.first, l, depth);
      callPack(
          b, kernel.getPackForm(form.b),
          {pack.source,
           pack.tables,
           pack.rowTable + l,
           depth,
           pack.columnTable + panels.first,
           pack.columns,
           {pack.target.first.at(place), getPartDistance(kernel, panels, k)}},
          b.number(kernel.columns()), /*isB=*/true);
    });
  };
  std::string name;
  llvm::raw_string_ostream(name) << "pack_kept_" << form.b << kernel.suffix();
  SmallVector<Type> types = getPackTypes({form.b});
  types.append(2, IndexType::get(module.getContext()));
  SmallVector<Value> values = arguments.give();
  panels.give(values);
  func::CallOp::create(b, getKernel(name, types, emit), values);
}

Index KernelLibrary::getKeptWords(HostBuilder &b, const ProductForm &form,
                                  Index n, Index k) {
  MicroKernel kernel = getMicroKernel(form);
  return roundUp(n, kernel.columns()) * countWords(kernel, k) * kernel.parts;
}

Index KernelLibrary::getKeptScratch(HostBuilder &b, const ProductForm &form,
                                    Index m, Index k) {
  return layoutPanels(b, getMicroKernel(form), form.readsA, m, b.number(0), k)
      .end;
}

func::FuncOp KernelLibrary::getKeptProduct(const ProductForm &form) {
  std::string name;
  llvm::raw_string_ostream(name)
      << "kept_product_" << form.a << "_" << form.b << getSuffix(form);
  MicroKernel kernel = getMicroKernel(form);
  auto emit = [&](HostBuilder &b, KernelArguments &arguments) {
    ProductArguments p = ProductArguments::take(arguments);
    KeptPanels panels = KeptPanels::take(arguments);
    Value kept = arguments.takeBuffer();
    PanelLayout layout =
        layoutPanels(b, kernel, form.readsA, p.m, b.number(0), p.k);
    PanelParts aPanels = layout.placeA(p.scratch);
    Index stepsOfBlock = getStepsOfBlock(b, kernel, p.k);
    b.loop(p.n, kBlockN, [&](Index j) {
      Index columns = min(p.n - j, kBlockN);
      b.loop(p.m, kBlockM, [&](Index i) {
        Index rows = min(p.m - i, kBlockM);
        b.loop(b.number(0), p.k, stepsOfBlock, [&](Index l) {
          Index depth = min(p.k - l, stepsOfBlock);
          PanelParts bPanels{
              {kept, getPlace(kernel, panels, panels.first + j, l, depth)},
              getPartDistance(kernel, panels, p.k)};
          callBlock(b, form, p, aPanels, bPanels,
                    {i, rows, j, columns, l, depth});
        });
      });
    });
  };
  SmallVector<Type> types = getProductTypes(form.a, form.b);
  types.append(2, IndexType::get(module.getContext()));
  types.push_back(getFlatType(Float32Type::get(module.getContext())));
  return getKernel(name, types, emit);
}

void KernelLibrary::callKeptProduct(HostBuilder &b, const ProductForm &form,
                                    const ProductArguments &arguments,
                                    const KeptPanels &panels, Value kept) {
  SmallVector<Value> values = arguments.give();
  panels.give(values);
  values.push_back(kept);
  func::CallOp::create(b, getKeptProduct(form), values);
}

func::FuncOp KernelLibrary::getPanelProduct(const ProductForm &form) {
  std::string name;
  llvm::raw_string_ostream(name)
      << "panel_product_" << form.a << getSuffix(form);
  MicroKernel kernel = getMicroKernel(form);
  auto emit = [&](HostBuilder &b, KernelArguments &arguments) {
    ProductArguments p = ProductArguments::take(arguments);
    PanelLayout layout =
        layoutPanels(b, kernel, form.readsA, p.m, b.number(0), p.k);
    PanelParts aPanels = layout.placeA(p.scratch);
    Index stepsOfBlock = getStepsOfBlock(b, kernel, p.k);
    MatrixBase bStart = p.b.at(b.loadIndex(p.tables.buffer, p.tables.bN));
    b.loop(p.m, kBlockM, [&](Index i) {
      Index rows = min(p.m - i, kBlockM);
      b.loop(b.number(0), p.k, stepsOfBlock, [&](Index l) {
        Index depth = min(p.k - l, stepsOfBlock);
        PanelParts bPanels{bStart.at(l * kernel.columns()), b.number(0), p.k};
        callBlock(b, form, p, aPanels, bPanels,
                  {i, rows, b.number(0), p.n, l, depth});
      });
    });
  };
  return getKernel(name, getProductTypes(form.a, form.b), emit);
}

void KernelLibrary::callPanelProduct(HostBuilder &b, const ProductForm &form,
                                     const ProductArguments &arguments) {
  func::CallOp::create(b, getPanelProduct(form), arguments.give());
}

void KernelLibrary::callProduct(HostBuilder &b, const ProductForm &form,
                                const ProductArguments &arguments) {
  func::CallOp::create(b, getProduct(form), arguments.give());
}
