//===- KernelLibrary.h - The functions that contractions call ---*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A module gets each kernel once, when the first contraction asks for it. All
// sizes and strides are arguments, so kernels differ by element type alone:
//
//   fill_offsets    offset tables of one group of loops    (KernelLibrary.cpp)
//   extend_offsets
//   pack_<T>        part of a matrix of T into panels         (PackKernel.cpp)
//   pack_rows_<T>   the same into tiles of A for AMX      (PackRowsKernel.cpp)
//   tiles           C += panels of A * panels of B            (TileKernel.cpp)
//   tiles_of_rows   the same, of rows of A where they are
//   tiles_of_elements  the same, of A where it is
//   ..._of_panels   both, where a block of the sum is part of B's panels
//   ..._pairs       both, with two bf16 in a word of a panel
//   ..._amx         both, for AMX's tiles
//   ..._parts       all three, with each f16 as two bf16
//   ..._amx_f16     tiles, with two f16 in a word
//   product_<T>_<T> C += A * B, in blocks of the caches    (ProductKernel.cpp)
//   pack_kept_<T>   all panels of B, for several tiles     (ProductKernel.cpp)
//   kept_product_<T>_<T> C += A * B with such panels       (ProductKernel.cpp)
//   panel_product_<T>  C += A * B, B in panels in memory   (ProductKernel.cpp)
//   ..._in_place    all three, without panels of A
//   blas_...        C += A * B by a library                   (BlasKernel.cpp)
//   add_scattered   C += a plain matrix                       (BlasKernel.cpp)
//
// The kernels that add to C take a flag, fromZero, by which the sums start from
// zero and what stands in C is not read: a fill and a product in one pass over
// memory. It adds to +0 what it would add to C, so that the bits are the same
// as after a fill; a sum of nothing but -0 is +0 either way.
//
// Matrices are flat buffers addressed through offset tables: element (i, j)
// stands at base + row[i] + column[j], see Contraction.h. All tables of a
// contraction are one buffer; OffsetTables holds where each begins.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_LIB_CONVERSION_LINALGTOHOSTCONTRACTION_KERNELLIBRARY_H
#define AMP_LIB_CONVERSION_LINALGTOHOSTCONTRACTION_KERNELLIBRARY_H

#include "HostBuilder.h"

#include "amp/Conversion/HostMachine.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/SymbolTable.h"

namespace mlir::amp {

//===----------------------------------------------------------------------===//
// Sizes
//===----------------------------------------------------------------------===//

/// Columns that the pack kernel moves at once. Eight words are one AVX register
/// and the side of the square that is transposed in registers; two registers of
/// SSE or NEON.
constexpr int64_t kPackLanes = 8;

/// Rows and columns of the cache blocks of the generated product; how long a
/// block of the sum is, MicroKernel says.
constexpr int64_t kBlockM = 192;
constexpr int64_t kBlockN = 1024;

/// Columns of such a block where all rows of A are one block, and so are packed
/// once: few enough for the second-level cache to hold what is packed of B
/// until it is multiplied. At 32 rows of A and 1024x4096 of B, in rows of the
/// sum, a product took 4.2 ms on Zen 3 and 5.5 with kBlockN.
constexpr int64_t kFewRowsBlockN = 64;

/// Columns of C up to which rows of A are read where they are, if they can be:
/// packing them takes as long as multiplying them by some 20 columns does. The
/// probabilities of an attention, 1024x1024 for 64 columns.
constexpr int64_t kFewColumns = 128;

/// Columns of C up to which elements of A are read where they are, each from an
/// offset of its own, if they can be: windows of an image, which as panels are
/// several times as many as in memory. Half of it where packing goes by
/// squares. Where runs of elements are packed, 128 columns took 0.96 of the
/// time.
constexpr int64_t kFewColumnsOfWindows = 128;

/// Rows of one of AMX's tiles, and words in a row of it.
constexpr int64_t kAmxRows = 16;
constexpr int64_t kAmxWords = 16;

/// What a panel is filled with.
struct PackForm {
  Type element;
  /// Steps of the sum in a word.
  int64_t steps = 1;
  /// What words are filled up to a multiple of, with zeros.
  int64_t wordMultiple = 1;
  /// Panels that an element goes into: one, or of an f16 one for the bf16 that
  /// it begins with and one for the bf16 that is the rest.
  int64_t parts = 1;
};

/// What a word of a panel holds, and the part of C that is kept in registers
/// while panels pass by. Panels consist of words of 32 bits, whose type is f32
/// in signatures and in scratch memory: word (w, j) of a panel stands at
/// w * width + j. For AMX so does B's, while A's consists of tiles one below
/// the other, kAmxWords words of all rows and then the next: word w of row r
/// stands at ((w / kAmxWords) * rows + r) * kAmxWords + w % kAmxWords.
struct MicroKernel {
  /// Words of a vector register.
  int64_t lanes;
  /// Vectors in a row of the tile.
  int64_t vectors;
  /// Rows of the tile: the width of a panel of A.
  int64_t rows;
  /// How words are multiplied; never Auto.
  Bf16Products products;
  /// Panels that each operand is packed into; see PackForm.
  int64_t parts;
  /// Whether a word of AMX's panels is two f16 and not two bf16.
  bool hasF16Words;

  /// The width of a panel of B.
  int64_t columns() const { return lanes * vectors; }
  /// Steps of the sum in a word: an f32, or two halves, the first one in the
  /// lower half.
  int64_t steps() const { return products == Bf16Products::Widened ? 1 : 2; }
  bool usesAmx() const { return products == Bf16Products::Amx; }
  /// Whether rows of A may stay where they are, each step of the sum behind the
  /// last one.
  bool readsRows() const { return steps() == 1; }
  /// What the words of a panel are filled up to a multiple of.
  int64_t wordMultiple() const { return usesAmx() ? kAmxWords : 1; }
  /// Words of a panel in a block of the sum, at most.
  int64_t blockWords() const;
  /// Whether a BLAS, which knows f32 alone, has nothing to offer.
  bool beatsBlas() const {
    return usesAmx() || products == Bf16Products::Avx512;
  }
  /// How an operand is packed.
  PackForm getPackForm(Type element) const {
    return {element, steps(), wordMultiple(), parts};
  }
  /// What names of kernels on such panels end with.
  StringRef suffix() const {
    return hasF16Words    ? "_amx_f16"
           : usesAmx()    ? "_amx"
           : steps() == 1 ? ""
                          : "_pairs";
  }

  /// The micro-kernel of `machine` for operands of these types.
  static MicroKernel get(const HostMachine &machine, Type aType, Type bType);
};

/// What a product multiplies.
struct ProductForm {
  Type a, b;
  /// Whether elements of A stay where they are, without panels: f32, or two
  /// bf16 that are neighbours in memory for each word.
  bool readsA = false;
};

//===----------------------------------------------------------------------===//
// Arguments
//===----------------------------------------------------------------------===//

/// A flat buffer and the offset of element (0, 0) of a matrix in it.
struct MatrixBase {
  Value buffer;
  Index start;

  MatrixBase at(Index offset) const { return {buffer, start + offset}; }
};

/// The arguments of a kernel's function, in order.
class KernelArguments {
public:
  KernelArguments(HostBuilder &b, ValueRange values) : b(b), values(values) {}

  Value takeValue() { return values[next++]; }
  Value takeBuffer() { return takeValue(); }
  Index takeIndex() { return b.number(values[next++]); }
  MatrixBase takeMatrix() {
    Value buffer = takeBuffer();
    return {buffer, takeIndex()};
  }

private:
  HostBuilder &b;
  ValueRange values;
  unsigned next = 0;
};

/// Where each offset table begins in the buffer that holds all of them.
struct OffsetTables {
  Value buffer;
  Index aM, cM, aK, bK, bN, cN;
};

/// What a product kernel is called with.
struct ProductArguments {
  MatrixBase a, b, c;
  OffsetTables tables;
  Index m, n, k;
  MatrixBase scratch;
  /// An i1: C counts as zero, whatever stands there.
  Value fromZero;

  SmallVector<Value> give() const;
  static ProductArguments take(KernelArguments &arguments);
};

/// Panels of B that outlive a call.
struct KeptPanels {
  /// The columns that they have: a multiple of those in a panel.
  Index whole;
  /// The first one of a part, which a panel begins with.
  Index first;

  void give(SmallVectorImpl<Value> &values) const;
  static KeptPanels take(KernelArguments &arguments);
};

/// A part of C, and the steps of the sum that are added to it.
struct ProductBlock {
  Index row, rows, column, columns, step, steps;
};

/// Panels of each part of an operand: those of the next part stand `distance`
/// words behind. Where panels are longer than a block of the sum, `length` is
/// the words of one for each of its columns.
struct PanelParts {
  MatrixBase first;
  Index distance;
  std::optional<Index> length = std::nullopt;
};

/// How a micro-kernel finds words of A.
enum class LeftPlace {
  Panels,
  /// Rows where they are: words of one are neighbours.
  Rows,
  /// Each word at the sum of a row's offset and a step's.
  Elements
};

/// What the rows of C are made of: panels, or A where it is.
struct LeftOperand {
  LeftPlace place;
  PanelParts panels;
  /// If they are not panels, rows begin at the offsets of this table in
  /// `panels.first`, and their elements stand behind that at those of the other
  /// one.
  Index rowTable = {}, stepTable = {};
};

/// Part of a matrix, by its offset tables, and where its panels are put.
struct PackArguments {
  MatrixBase source;
  Value tables;
  Index rowTable, rows, columnTable, columns;
  PanelParts target;

  /// With the distance of panels where there are several `parts`.
  SmallVector<Value> give(int64_t parts = 1) const;
  static PackArguments take(KernelArguments &arguments, int64_t parts = 1);
};

/// memref<?xT>: all memory behind a memref, or scratch.
MemRefType getFlatType(Type element);

/// How an input reaches BLAS: as it lies in memory, if it is f32, or bf16, with
/// one unit stride and one other, else copied into such a matrix of f32.
struct BlasInput {
  Type elementType;
  bool inPlace;
  /// The matrix in memory, or the copy, is the transposed operand.
  bool transposed;
};

struct BlasForm {
  BlasInput a, b;
  /// Whether C is a plain matrix; otherwise products are added to it by way of
  /// a scratch matrix.
  bool cInPlace;

  bool isInPlace() const { return a.inPlace && b.inPlace && cInPlace; }
  /// Whether bf16 is multiplied as it is: it would be copied to be f32.
  bool isBf16() const { return a.inPlace && a.elementType.isBF16(); }
};

/// Distances of rows of the operands in place; the others are not read.
struct BlasStrides {
  Index lda, ldb, ldc;
};

/// An input inside a product's kernel.
struct BlasOperand {
  BlasInput input;
  MatrixBase base;
  /// The distance of its rows in memory, if it stays in place.
  Index stride;
  Index rowTable, columnTable;
  /// Where a block is copied to otherwise.
  MatrixBase copy;
};

/// A block as BLAS gets it: where it begins, the distance of its rows.
struct BlasMatrix {
  MatrixBase base;
  Index stride;
};

//===----------------------------------------------------------------------===//
// KernelLibrary
//===----------------------------------------------------------------------===//

class KernelLibrary {
public:
  KernelLibrary(ModuleOp module, const HostMachine &machine);

  /// Writes the tables of one group of loops: for the linear index over
  /// `extents` (the last one fastest), the sum of loop index times stride, for
  /// two operands at once, from `xStart` and `yStart`.
  void callFillOffsets(HostBuilder &b, Value tables, Index xStart, Index yStart,
                       ArrayRef<Index> extents, ArrayRef<Index> xStrides,
                       ArrayRef<Index> yStrides);

  /// target[start + p * words + w * width + j] =
  ///     the word of source[row[r] + column[p + j]] for the `steps` rows r from
  ///     w * steps on
  /// for panels p = 0, width, ... of `columns` columns, the last one and the
  /// last word filled up with zeros, so that products of A's and B's filling
  /// are -0. May write kPackLanes words past the end.
  void callPack(HostBuilder &b, const PackForm &form,
                const PackArguments &arguments, Index width, bool isB = false);

  /// Panels of A for AMX, whose columns are steps of the sum. What the last
  /// panel and the last tile have beyond them is zero.
  void callPackRows(HostBuilder &b, const PackForm &form,
                    const PackArguments &arguments);

  /// C += A * B for a block whose panels, of `words` words a row, stand in
  /// scratch memory; C = A * B if `fromZero` holds.
  void callTiles(HostBuilder &b, const MicroKernel &kernel,
                 const LeftOperand &left, const PanelParts &bPanels,
                 MatrixBase c, Value tables, Index cM, Index cN, Index m,
                 Index n, Index words, Value fromZero);

  /// C += A * B by generated kernels, or C = A * B. The latter writes nothing
  /// if k is 0.
  void callProduct(HostBuilder &b, const ProductForm &form,
                   const ProductArguments &arguments);
  /// Elements of scratch memory that callProduct needs.
  Index getProductScratch(HostBuilder &b, const ProductForm &form, Index m,
                          Index n, Index k);

  /// The same, with the panels of B in `kept`.
  void callKeptProduct(HostBuilder &b, const ProductForm &form,
                       const ProductArguments &arguments,
                       const KeptPanels &panels, Value kept);
  /// Elements of scratch memory that callKeptProduct needs.
  Index getKeptScratch(HostBuilder &b, const ProductForm &form, Index m,
                       Index k);
  /// Packs columns of B, which is all rows of `arguments`, from the first one
  /// of `panels` on; the target is where the panels of all begin.
  void callPackKept(HostBuilder &b, const ProductForm &form,
                    const PackArguments &arguments, const KeptPanels &panels);
  /// Elements of memory for the panels of `n` columns of B.
  Index getKeptWords(HostBuilder &b, const ProductForm &form, Index n, Index k);

  /// C += A * B, or C = A * B, where B lies in memory as f32 in panels for
  /// operands of `form`: all steps of the sum, `columns()` words of each, then
  /// the next panel. The first column is a panel's first one. Scratch memory as
  /// for callKeptProduct.
  void callPanelProduct(HostBuilder &b, const ProductForm &form,
                        const ProductArguments &arguments);

  /// The same by BLAS, or by generated kernels where BLAS refuses.
  void callBlasProduct(HostBuilder &b, const BlasForm &form,
                       const ProductArguments &arguments,
                       const BlasStrides &strides);
  /// Elements of scratch memory that callBlasProduct needs.
  Index getBlasScratch(HostBuilder &b, const BlasForm &form, Index m, Index n,
                       Index k);
  /// Declares the runtime's function for products of this form. Fails if the
  /// module has another symbol of its name.
  LogicalResult declareGemm(const BlasForm &form, Location loc);

  unsigned getNumKernels() const { return kernels.size(); }

private:
  MicroKernel getMicroKernel(const ProductForm &form) const {
    return MicroKernel::get(machine, form.a, form.b);
  }

  /// The function `amp_host_<name>`, created with `emit` as its body when asked
  /// for the first time.
  func::FuncOp
  getKernel(const Twine &name, ArrayRef<Type> arguments,
            function_ref<void(HostBuilder &, KernelArguments &)> emit);

  func::FuncOp getFillOffsets();
  func::FuncOp getExtendOffsets();
  func::FuncOp getPack(const PackForm &form);
  func::FuncOp getPackRows(const PackForm &form);
  /// Packs A for a block of C.
  void callPackA(HostBuilder &b, const MicroKernel &kernel, Type type,
                 const ProductArguments &arguments, const ProductBlock &block,
                 const PanelParts &panels);
  /// Calls `multiply` with the rows of A for a block of C, which are packed if
  /// they cannot be read where they are.
  void withLeftOperand(HostBuilder &b, const ProductForm &form,
                       const ProductArguments &arguments,
                       const PanelParts &aPanels, const ProductBlock &block,
                       function_ref<void(const LeftOperand &)> multiply);
  /// Adds what the panels have to a block of C.
  void callTiles(HostBuilder &b, const MicroKernel &kernel,
                 const ProductArguments &arguments, const LeftOperand &left,
                 const PanelParts &bPanels, const ProductBlock &block);
  /// Both of them.
  void callBlock(HostBuilder &b, const ProductForm &form,
                 const ProductArguments &arguments, const PanelParts &aPanels,
                 const PanelParts &bPanels, const ProductBlock &block);
  func::FuncOp getTiles(const MicroKernel &kernel, LeftPlace place,
                        bool readsPartOfPanels);
  func::FuncOp getProduct(const ProductForm &form);
  func::FuncOp getKeptProduct(const ProductForm &form);
  func::FuncOp getPanelProduct(const ProductForm &form);
  func::FuncOp getBlasProduct(const BlasForm &form);
  func::FuncOp getAddScattered();
  /// The block of an input that begins at (row, column), copied if it must be.
  BlasMatrix prepareBlock(HostBuilder &b, Value tables, BlasOperand operand,
                          Index row, Index column, Index rows, Index columns);

  /// The types of ProductArguments and of PackArguments.
  SmallVector<Type> getProductTypes(Type aType, Type bType);
  SmallVector<Type> getPackTypes(const PackForm &form);

  ModuleOp module;
  SymbolTable symbols;
  HostMachine machine;
  llvm::StringMap<func::FuncOp> kernels;
  /// The runtime's functions, of f32 and of bf16; null until they are declared.
  func::FuncOp sgemm, sbgemm;
};

} // namespace mlir::amp

#endif // AMP_LIB_CONVERSION_LINALGTOHOSTCONTRACTION_KERNELLIBRARY_H
