//===- LinalgToHostContraction.cpp - Matrix products for a CPU ------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each contraction becomes: one table of offsets for rows, columns and sums,
// scratch memory, and a loop over its batch around one call of a product
// kernel. Everything that is particular to an operation (maps, strides, order
// of dimensions) is in the tables, so a convolution of a transposed image costs
// the program a call and not a kernel. Tables are as long as the matrix's
// sides; filling them takes about as many cycles as they have entries.
//
// Where one operand can be multiplied as it lies, it becomes A, and C is taken
// for its transpose (ReadInPlace.cpp).
//
// A product that a fill with zeros stands in front of starts its sums from zero
// itself, and the fill goes: C is written once and not read, unless the sum has
// several blocks. That is only the same where the product writes each element
// of C, which it does not without any step of the sum.
//
// For several threads, a generated product is divided where that costs least:
// its batch if there is one, else the longer side of C. Each part packs for
// itself, and each element of C is the same sum as before.
//
// In a loop over tiles (TileLoop) tables are filled in front of the loop, and B
// is packed there by all threads, where tiles read columns of one matrix.
// Elsewhere (tiles of a batch) it is packed where the part that is read begins
// elsewhere than in the iteration before.
//
// The decision for BLAS stands at the call: at compile time where the sizes are
// known, else as a branch on their product. It has two thresholds, because
// copying for BLAS costs as much as packing does, and BLAS packs once more.
// Products of bf16 matrices as they lie in memory have a function and a
// threshold of their own; others of bf16 are copied, and so f32.
// Whether an operand is one matrix in memory is a question of strides, asked
// conservatively in asPlainMatrix: where strides are dynamic, only loops over
// neighbouring dimensions of a contiguous buffer count as one. An overlapping
// matrix (a convolution's windows seen as rows) must never pass as plain.
//
//===----------------------------------------------------------------------===//

#include "amp/Conversion/LinalgToHostContraction.h"
#include "KernelLibrary.h"
#include "ReadInPlace.h"
#include "TileLoop.h"
#include "amp/Analysis/Contraction.h"
#include "amp/Analysis/Fill.h"
#include "amp/Conversion/Host/Passes.h"

#include "mlir/Dialect/AMX/AMXDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/X86Vector/X86VectorDialect.h"

#define DEBUG_TYPE "convert-linalg-to-host-contraction"

namespace mlir::amp {
#define GEN_PASS_DEF_CONVERTLINALGTOHOSTCONTRACTIONPASS
#include "amp/Conversion/Host/Passes.h.inc"
} // namespace mlir::amp

using namespace mlir;
using namespace mlir::amp;

/// Rows or columns that make what the others cost to pack for each part small
/// beside the multiplications with them.
static constexpr int64_t kPartSide = 256;

/// Words of panels that are kept in a loop over tiles, at most: 16 MiB.
static constexpr int64_t kMostKeptWords = int64_t(1) << 22;

namespace {

/// An operand as one stride per loop.
struct StridedOperand {
  MatrixBase base;
  /// By loop; a constant 0 where the loop does not index the operand.
  SmallVector<Index> strides;
};

/// A matrix with one unit stride, as it lies in memory.
struct PlainMatrix {
  /// Columns of the operand lie in order, not its rows.
  bool transposed;
  /// The distance of the rows that lie in order.
  Index leadingDimension;
};

/// From `begin` on `size` of something, of which no part has more than `most`.
struct Slice {
  Index begin, size, most;
};

/// Replaces one contraction.
class ContractionEmitter {
public:
  ContractionEmitter(Contraction &view, std::optional<TileLoop> tiles,
                     KernelLibrary &library,
                     const HostContractionOptions &options)
      : view(view), tiles(tiles), library(library), options(options),
        kernel(MicroKernel::get(options.machine, view.a.getElementType(),
                                view.b.getElementType())),
        form{view.a.getElementType(), view.b.getElementType(),
             readsAInPlace(view, kernel)},
        b(view.op.getLoc(), view.op) {}

  /// Emits the calls. Sets `usesBlas` if some may be calls of BLAS, and
  /// `startsFromZero` if they do the work of a fill, which is erased.
  LogicalResult emit(bool &usesBlas, bool &startsFromZero);

private:
  StridedOperand makeStrided(const ContractionOperand &operand);
  Index getExtent(ArrayRef<unsigned> loops);
  /// Tables of all loops; of the columns of B, those of `wholeB` if it is
  /// there.
  OffsetTables fillTables(const ColumnsOfMatrix *wholeB = nullptr);

  std::optional<Index> collapse(const ContractionOperand &operand,
                                const StridedOperand &strided,
                                ArrayRef<unsigned> loops);
  /// Nothing unless the elements are of type `element`.
  std::optional<PlainMatrix> asPlainMatrix(Type element,
                                           const ContractionOperand &operand,
                                           const StridedOperand &strided,
                                           ArrayRef<unsigned> rows,
                                           ArrayRef<unsigned> columns);
  /// How the operands reach BLAS, as matrices of `element`.
  BlasForm chooseBlasForm(Type element, BlasStrides &strides);
  /// The same as matrices of bf16 in memory, or, where that cannot be or is not
  /// asked for, of f32; and multiplications from which that is worth it.
  BlasForm chooseBlasForm(BlasStrides &strides, int64_t &minWork);

  /// True if B lies in memory as panels that need no packing.
  bool isBInPanels();

  /// memref<?xT>, allocated with static size if `count` is a constant.
  Value allocate(Type element, Index count);
  /// A part of the product: of its batch, counted through all loops of it, of
  /// its rows and of its columns.
  struct Part {
    Slice batch, rows, columns;
  };
  /// What one thread computes.
  Part getWhole();
  /// Calls `emitPart` in a loop whose iterations threads share, or once.
  void divide(function_ref<void(const Part &)> emitPart);

  /// Scratch memory, and the loop over the batch with one `call` in it.
  void emitBatch(Index scratchSize, const OffsetTables &tables,
                 const Part &part,
                 function_ref<void(const ProductArguments &)> call);

  /// The product in a loop over tiles; false if it keeps no panels.
  bool emitInTileLoop();
  /// Packs `size` columns of B by several threads.
  void packWhole(PackArguments arguments, const KeptPanels &panels,
                 int64_t size);
  /// An i1: whether B begins elsewhere than in the iteration before, which is
  /// remembered in `memory`.
  Value hasMoved(Value memory);

  Contraction &view;
  std::optional<TileLoop> tiles;
  KernelLibrary &library;
  const HostContractionOptions &options;
  const MicroKernel kernel;
  const ProductForm form;
  HostBuilder b;
  SmallVector<Index> extents;
  StridedOperand a, bOperand, c;
  Index m, n, k;
  /// An i1: whether sums start from zero.
  Value fromZero;
};

} // namespace

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

StridedOperand
ContractionEmitter::makeStrided(const ContractionOperand &operand) {
  auto type = cast<MemRefType>(operand.value.getType());
  auto metadata = memref::ExtractStridedMetadataOp::create(b, operand.value);
  auto [staticStrides, staticOffset] = type.getStridesAndOffset();
  auto known = [&](int64_t number, Value value) {
    return ShapedType::isDynamic(number) ? b.number(value) : b.number(number);
  };
  StridedOperand result;
  result.strides.assign(view.op.getNumLoops(), b.number(0));
  Index start = known(staticOffset, metadata.getOffset());
  Index size = start + 1;
  result.base.start = start;
  for (unsigned dim = 0; dim < type.getRank(); ++dim) {
    Index stride = known(staticStrides[dim], metadata.getStrides()[dim]);
    Index extent = known(type.getDimSize(dim), metadata.getSizes()[dim]);
    size = size + (extent - 1) * stride;
    LinearExpr index = operand.getIndex(dim);
    result.base.start = result.base.start + stride * index.constant;
    for (unsigned loop = 0; loop < result.strides.size(); ++loop)
      if (int64_t coefficient = index.coefficients[loop])
        result.strides[loop] = result.strides[loop] + stride * coefficient;
  }
  result.base.buffer = memref::ReinterpretCastOp::create(
      b, getFlatType(type.getElementType()), metadata.getBaseBuffer(),
      OpFoldResult(b.getIndexAttr(0)),
      ArrayRef<OpFoldResult>{Value(max(size, 0))},
      ArrayRef<OpFoldResult>{b.getIndexAttr(1)});
  return result;
}

Index ContractionEmitter::getExtent(ArrayRef<unsigned> loops) {
  Index extent = b.number(1);
  for (unsigned loop : loops)
    extent = extent * extents[loop];
  return extent;
}

/// The one stride of the linear index over `loops`; nothing if there is none
/// that can be proved. For a single position, 1.
std::optional<Index>
ContractionEmitter::collapse(const ContractionOperand &operand,
                             const StridedOperand &strided,
                             ArrayRef<unsigned> loops) {
  auto type = cast<MemRefType>(operand.value.getType());
  auto dimension = [&](unsigned loop) {
    return operand.map.getResultPosition(
        getAffineDimExpr(loop, operand.map.getContext()));
  };
  std::optional<unsigned> inner;
  Index stride = b.number(1), extent = b.number(1);
  for (unsigned loop : llvm::reverse(loops)) {
    if (extents[loop].getConstant() == 1)
      continue;
    std::optional<unsigned> dim = dimension(loop);
    if (!dim)
      return std::nullopt; // broadcast, or part of a sum
    if (!inner) {
      stride = strided.strides[loop];
    } else {
      Index expected = stride * extent;
      bool equal =
          expected.getConstant() &&
          expected.getConstant() == strided.strides[loop].getConstant();
      bool contiguous = type.getLayout().isIdentity() && *dim + 1 == *inner;
      if (!equal && !contiguous)
        return std::nullopt;
    }
    extent = extent * extents[loop];
    inner = dim;
  }
  return stride;
}

std::optional<PlainMatrix> ContractionEmitter::asPlainMatrix(
    Type element, const ContractionOperand &operand,
    const StridedOperand &strided, ArrayRef<unsigned> rows,
    ArrayRef<unsigned> columns) {
  if (operand.getElementType() != element ||
      !operand.map.isProjectedPermutation(/*allowZeroInResults=*/true))
    return std::nullopt;
  std::optional<Index> rowStride = collapse(operand, strided, rows);
  std::optional<Index> columnStride = collapse(operand, strided, columns);
  if (!rowStride || !columnStride)
    return std::nullopt;
  // BLAS wants a leading dimension of at least a row even if there is one row.
  auto plain = [&](bool transposed, Index leading, ArrayRef<unsigned> outer,
                   ArrayRef<unsigned> inner) -> std::optional<PlainMatrix> {
    Index least = max(getExtent(inner), 1);
    if (getExtent(outer).getConstant() == 1)
      return PlainMatrix{transposed, least};
    if (leading.getConstant() && least.getConstant() &&
        *leading.getConstant() < *least.getConstant())
      return std::nullopt;
    return PlainMatrix{transposed, leading};
  };
  if (columnStride->getConstant() == 1)
    return plain(false, *rowStride, rows, columns);
  if (rowStride->getConstant() == 1)
    return plain(true, *columnStride, columns, rows);
  return std::nullopt;
}

bool ContractionEmitter::isBInPanels() {
  if (kernel.steps() != 1 || !view.b.getElementType().isF32() ||
      view.n.size() != 2)
    return false;
  unsigned panel = view.n.front(), column = view.n.back();
  std::optional<Index> step = collapse(view.b, bOperand, view.k);
  Index words = k * kernel.columns();
  return extents[column].getConstant() == kernel.columns() &&
         bOperand.strides[column].getConstant() == 1 && step &&
         (k.getConstant() == 1 || step->getConstant() == kernel.columns()) &&
         words.getConstant() &&
         bOperand.strides[panel].getConstant() == words.getConstant();
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

Value ContractionEmitter::allocate(Type element, Index count) {
  // Lines of the cache, and the widest vector.
  IntegerAttr alignment = b.getI64IntegerAttr(64);
  MemRefType flat = getFlatType(element);
  std::optional<int64_t> constant = count.getConstant();
  if (!constant)
    return memref::AllocOp::create(b, flat, ValueRange{count}, alignment);
  Value buffer = memref::AllocOp::create(
      b, MemRefType::get({*constant}, element), alignment);
  return memref::CastOp::create(b, flat, buffer);
}

/// Frees what `allocate` gave.
static void deallocate(HostBuilder &b, Value buffer) {
  if (auto cast = buffer.getDefiningOp<memref::CastOp>())
    buffer = cast.getSource();
  memref::DeallocOp::create(b, buffer);
}

OffsetTables ContractionEmitter::fillTables(const ColumnsOfMatrix *wholeB) {
  Index columns = wholeB ? b.number(wholeB->size()) : n;
  OffsetTables tables;
  tables.buffer = allocate(b.getIndexType(), (m + k) * 2 + columns + n);
  tables.aM = b.number(0);
  tables.cM = m;
  tables.aK = m * 2;
  tables.bK = tables.aK + k;
  tables.bN = tables.bK + k;
  tables.cN = tables.bN + columns;
  auto getExtents = [&](ArrayRef<unsigned> loops) {
    return llvm::map_to_vector(loops,
                               [&](unsigned loop) { return extents[loop]; });
  };
  auto fill = [&](ArrayRef<unsigned> loops, ArrayRef<Index> extentsOfLoops,
                  Index xTable, const StridedOperand &x, Index yTable,
                  const StridedOperand &y) {
    SmallVector<Index> sizes, xStrides, yStrides;
    for (auto [loop, extent] : llvm::zip_equal(loops, extentsOfLoops)) {
      if (extent.getConstant() == 1)
        continue;
      sizes.push_back(extent);
      xStrides.push_back(x.strides[loop]);
      yStrides.push_back(y.strides[loop]);
    }
    library.callFillOffsets(b, tables.buffer, xTable, yTable, sizes, xStrides,
                            yStrides);
  };
  fill(view.m, getExtents(view.m), tables.aM, a, tables.cM, c);
  fill(view.k, getExtents(view.k), tables.aK, a, tables.bK, bOperand);
  if (wholeB)
    fill(view.n,
         llvm::map_to_vector(wholeB->extents,
                             [&](int64_t extent) { return b.number(extent); }),
         tables.bN, bOperand, tables.bN, bOperand);
  fill(view.n, getExtents(view.n), wholeB ? tables.cN : tables.bN,
       wholeB ? c : bOperand, tables.cN, c);
  return tables;
}

ContractionEmitter::Part ContractionEmitter::getWhole() {
  Index zero = b.number(0);
  Index batch = getExtent(view.batch);
  return {{zero, batch, batch}, {zero, m, m}, {zero, n, n}};
}

void ContractionEmitter::divide(function_ref<void(const Part &)> emitPart) {
  Part whole = getWhole();
  if (options.threads == 1 || view.op->getParentOfType<scf::ParallelOp>())
    return emitPart(whole);
  int64_t most = options.threads;
  Index batchWork = whole.batch.size * m * n * k;
  if (std::optional<int64_t> work = batchWork.getConstant())
    most = std::min(most, *work / options.partWork);

  // What is unknown counts as long.
  auto getLength = [](Index extent) {
    return extent.getConstant().value_or(std::numeric_limits<int64_t>::max());
  };
  Slice Part::*divided = &Part::batch;
  int64_t unit = 1;
  if (!view.batch.empty() && getLength(whole.batch.size) >= most) {
    // Parts of a batch cost nothing more, and many are shared more evenly.
    most = std::min(most * kPiecesPerThread, getLength(whole.batch.size));
  } else {
    bool byRows = getLength(m) > getLength(n);
    divided = byRows ? &Part::rows : &Part::columns;
    unit = byRows ? kernel.rows : kernel.columns();
    int64_t length = getLength(byRows ? m : n);
    bool canShareEvenly = length / kPartSide >= most * 2;
    most = std::min<int64_t>(canShareEvenly ? most * 2 : most,
                             llvm::divideCeil(length, unit));
  }
  if (most < 2)
    return emitPart(whole);

  Index extent = (whole.*divided).size;
  Index length = roundUp(ceilDiv(extent, most), unit);
  Index one = b.number(1);
  scf::ParallelOp::create(
      b, ValueRange{b.number(0)}, ValueRange{b.number(most)}, ValueRange{one},
      [&](OpBuilder &, Location, ValueRange iv) {
        Part part = whole;
        Index begin = min(b.number(iv.front()) * length, extent);
        part.*divided = {begin, min(extent - begin, length), length};
        emitPart(part);
      });
}

void ContractionEmitter::emitBatch(
    Index scratchSize, const OffsetTables &tables, const Part &part,
    function_ref<void(const ProductArguments &)> call) {
  ProductArguments arguments;
  arguments.tables = tables;
  arguments.tables.aM = tables.aM + part.rows.begin;
  arguments.tables.cM = tables.cM + part.rows.begin;
  arguments.tables.bN = tables.bN + part.columns.begin;
  arguments.tables.cN = tables.cN + part.columns.begin;
  arguments.m = part.rows.size;
  arguments.n = part.columns.size;
  arguments.k = k;
  arguments.scratch = {allocate(b.getF32Type(), scratchSize), b.number(0)};
  arguments.fromZero = fromZero;

  arguments.a = a.base;
  arguments.b = bOperand.base;
  arguments.c = c.base;
  auto callAt = [&](Index position) {
    // The last loop counts fastest.
    for (unsigned loop : llvm::reverse(view.batch)) {
      bool isOutermost = loop == view.batch.front();
      Index index = isOutermost ? position : position % extents[loop];
      position = isOutermost ? position : position / extents[loop];
      arguments.a = arguments.a.at(index * a.strides[loop]);
      arguments.b = arguments.b.at(index * bOperand.strides[loop]);
      arguments.c = arguments.c.at(index * c.strides[loop]);
    }
    call(arguments);
  };
  if (view.batch.empty())
    call(arguments);
  else
    b.loop(part.batch.size, 1,
           [&](Index iv) { callAt(part.batch.begin + iv); });
  deallocate(b, arguments.scratch.buffer);
}

/// True if neighbours in the linear index over `loops` are known to be
/// neighbours in memory.
static bool hasUnitStride(const StridedOperand &strided,
                          ArrayRef<unsigned> loops) {
  return !loops.empty() && strided.strides[loops.back()].getConstant() == 1;
}

BlasForm ContractionEmitter::chooseBlasForm(Type element,
                                            BlasStrides &strides) {
  std::optional<PlainMatrix> plainA =
      asPlainMatrix(element, view.a, a, view.m, view.k);
  std::optional<PlainMatrix> plainB =
      asPlainMatrix(element, view.b, bOperand, view.k, view.n);
  std::optional<PlainMatrix> plainC =
      asPlainMatrix(b.getF32Type(), view.c, c, view.m, view.n);
  if (plainC && plainC->transposed)
    plainC.reset();

  // A copy keeps what lies in order in order.
  BlasForm form;
  form.a = {view.a.getElementType(), plainA.has_value(),
            plainA ? plainA->transposed
                   : hasUnitStride(a, view.m) && !hasUnitStride(a, view.k)};
  form.b = {view.b.getElementType(), plainB.has_value(),
            plainB ? plainB->transposed
                   : hasUnitStride(bOperand, view.k) &&
                         !hasUnitStride(bOperand, view.n)};
  form.cInPlace = plainC.has_value();
  auto leading = [&](const std::optional<PlainMatrix> &plain) {
    return plain ? plain->leadingDimension : b.number(0);
  };
  strides = {leading(plainA), leading(plainB), leading(plainC)};
  return form;
}

BlasForm ContractionEmitter::chooseBlasForm(BlasStrides &strides,
                                            int64_t &minWork) {
  if (options.blasMinBf16Work != kBlasNever) {
    BlasForm form = chooseBlasForm(b.getBF16Type(), strides);
    minWork = options.blasMinBf16Work;
    if (form.isInPlace())
      return form;
  }
  BlasForm form = chooseBlasForm(b.getF32Type(), strides);
  minWork = form.isInPlace() ? options.blasMinWork : options.blasMinCopiedWork;
  // BLAS would multiply bf16 as f32.
  if (kernel.beatsBlas())
    minWork = kBlasNever;
  return form;
}

Value ContractionEmitter::hasMoved(Value memory) {
  Index zero = b.number(0);
  Value isElsewhere = arith::CmpIOp::create(
      b, arith::CmpIPredicate::ne, b.load(memory, zero), bOperand.base.start);
  b.store(bOperand.base.start, memory, zero);
  return isElsewhere;
}

void ContractionEmitter::packWhole(PackArguments arguments,
                                   const KeptPanels &panels, int64_t size) {
  int64_t width = kernel.columns();
  int64_t parts =
      std::min<int64_t>(options.threads, llvm::divideCeil(size, width));
  // One of several threads, in a loop inside of theirs.
  bool isShared = tiles->outer->getParentOfType<scf::ParallelOp>() != nullptr;
  if (parts < 2 || isShared)
    return library.callPackKept(b, form, arguments, panels);
  int64_t length = llvm::alignTo(llvm::divideCeil(size, parts), width);
  scf::ParallelOp::create(
      b, ValueRange{b.number(0)}, ValueRange{b.number(parts)},
      ValueRange{b.number(1)}, [&](OpBuilder &, Location, ValueRange iv) {
        KeptPanels part = panels;
        part.first = min(b.number(iv.front()) * length, size);
        arguments.columns = min(b.number(size) - part.first, length);
        library.callPackKept(b, form, arguments, part);
      });
}

bool ContractionEmitter::emitInTileLoop() {
  SmallVector<Index *> numbers = {&m, &n, &k};
  for (Index &extent : extents)
    numbers.push_back(&extent);
  for (StridedOperand *operand : {&a, &bOperand, &c})
    for (Index &stride : operand->strides)
      numbers.push_back(&stride);
  if (!tiles || getExtent(view.batch).getConstant() != 1 ||
      !llvm::all_of(numbers, [](Index *number) {
        return number->getConstant().has_value();
      }))
    return false;
  bool isInPanels = isBInPanels();
  std::optional<ColumnsOfMatrix> whole;
  if (!isInPanels)
    whole = findWholeB(view, *tiles, kernel.columns());
  bool isPackedInLoop = !isInPanels && !whole;
  Index columns = whole ? b.number(whole->size()) : n;
  Index words = library.getKeptWords(b, form, columns, k);
  if (!isInPanels && *words.getConstant() > kMostKeptWords)
    return false;

  // In front of the loop, and of those that share its iterations.
  OpBuilder::InsertPoint inLoop = b.saveInsertionPoint();
  b.setInsertionPoint(tiles->outer);
  columns = b.number(*columns.getConstant());
  words = b.number(*words.getConstant());
  for (Index *number : numbers)
    *number = b.number(*number->getConstant());
  Value kept = whole ? allocate(b.getF32Type(), words) : Value();
  KeptPanels panels{roundUp(columns, kernel.columns()), b.number(0)};
  ProductArguments arguments;
  arguments.m = m;
  arguments.n = n;
  arguments.k = k;
  arguments.tables = fillTables(whole ? &*whole : nullptr);
  const OffsetTables &tables = arguments.tables;
  PackArguments pack{bOperand.base,
                     tables.buffer,
                     tables.bK,
                     k,
                     tables.bN,
                     columns,
                     {{kept, b.number(0)}, {}}};
  if (whole) {
    pack.source = makeStrided(whole->whole).base;
    packWhole(pack, panels, whole->size());
  }
  Value memory;
  b.setInsertionPoint(tiles->loop);
  Value scratch =
      allocate(b.getF32Type(), library.getKeptScratch(b, form, m, k));
  if (isPackedInLoop) {
    kept = allocate(b.getF32Type(), words);
    memory = allocate(b.getIndexType(), b.number(1));
    b.store(b.number(-1), memory, b.number(0));
  }

  b.restoreInsertionPoint(inLoop);
  arguments.a = a.base;
  arguments.b = bOperand.base;
  arguments.c = c.base;
  arguments.fromZero = fromZero;
  if (whole) {
    for (auto [offset, columnsOfStep] : whole->offsets)
      panels.first =
          panels.first +
          b.number(getValueOrCreateConstantIndexOp(b, b.getLoc(), offset)) *
              columnsOfStep;
  } else if (isPackedInLoop) {
    pack.target.first = {kept, b.number(0)};
    b.branch(hasMoved(memory),
             [&] { library.callPackKept(b, form, pack, panels); });
  }
  arguments.scratch = {scratch, b.number(0)};
  if (isInPanels)
    library.callPanelProduct(b, form, arguments);
  else
    library.callKeptProduct(b, form, arguments, panels, kept);
  b.setInsertionPointAfter(tiles->loop);
  deallocate(b, scratch);
  if (isPackedInLoop) {
    deallocate(b, kept);
    deallocate(b, memory);
  }
  b.setInsertionPointAfter(tiles->outer);
  if (whole)
    deallocate(b, kept);
  deallocate(b, tables.buffer);
  return true;
}

LogicalResult ContractionEmitter::emit(bool &usesBlas, bool &startsFromZero) {
  startsFromZero = eraseFillInFront(view.op);
  fromZero = arith::ConstantOp::create(b, b.getBoolAttr(startsFromZero));
  for (Range range : view.op.createLoopRanges(b, b.getLoc()))
    extents.push_back(
        b.number(getValueOrCreateConstantIndexOp(b, b.getLoc(), range.size)));
  a = makeStrided(view.a);
  bOperand = makeStrided(view.b);
  c = makeStrided(view.c);
  m = getExtent(view.m);
  n = getExtent(view.n);
  k = getExtent(view.k);
  if (emitInTileLoop())
    return success();
  if (isBInPanels()) {
    OffsetTables tables = fillTables();
    divide([&](const Part &part) {
      Index scratch = library.getKeptScratch(b, form, part.rows.most, k);
      emitBatch(scratch, tables, part, [&](const ProductArguments &arguments) {
        library.callPanelProduct(b, form, arguments);
      });
    });
    deallocate(b, tables.buffer);
    return success();
  }

  BlasStrides strides;
  int64_t minWork;
  BlasForm blasForm = chooseBlasForm(strides, minWork);
  Index work = m * n * k;
  std::optional<int64_t> knownWork = work.getConstant();
  usesBlas = options.blas == BlasUse::Auto && minWork != kBlasNever &&
             (!knownWork || *knownWork >= minWork);
  if (usesBlas && failed(library.declareGemm(blasForm, b.getLoc())))
    return failure();

  OffsetTables tables = fillTables();
  auto emitGenerated = [&] {
    divide([&](const Part &part) {
      Index scratch = library.getProductScratch(b, form, part.rows.most,
                                                part.columns.most, k);
      emitBatch(scratch, tables, part, [&](const ProductArguments &arguments) {
        library.callProduct(b, form, arguments);
      });
    });
  };
  auto emitBlas = [&] {
    // A library has threads of its own.
    emitBatch(library.getBlasScratch(b, blasForm, m, n, k), tables, getWhole(),
              [&](const ProductArguments &arguments) {
                library.callBlasProduct(b, blasForm, arguments, strides);
              });
  };
  if (!usesBlas)
    emitGenerated();
  else if (knownWork)
    emitBlas();
  else
    b.branch(work < b.number(minWork), emitGenerated, emitBlas);
  deallocate(b, tables.buffer);
  return success();
}

//===----------------------------------------------------------------------===//
// Conversion
//===----------------------------------------------------------------------===//

/// Rules 2 to 5.
static FailureOr<Contraction> matchHostContraction(linalg::LinalgOp op) {
  FailureOr<Contraction> view = matchContraction(op);
  if (failed(view) || !view->c.getElementType().isF32()) // Rule 3
    return failure();
  for (const ContractionOperand &input : {view->a, view->b}) {
    Type type = input.getElementType();
    if (!type.isF32() && !type.isF16() && !type.isBF16())
      return failure(); // Rule 2
  }
  return view;
}

bool amp::isHostContraction(linalg::LinalgOp op) {
  return succeeded(matchHostContraction(op));
}

bool amp::overwritesOutput(linalg::LinalgOp op) {
  FailureOr<Contraction> view = matchHostContraction(op);
  if (failed(view) || view->a.value == view->c.value ||
      view->b.value == view->c.value)
    return false;
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  bool hasSteps = llvm::all_of(view->k, [&](unsigned loop) {
    return !ShapedType::isDynamic(ranges[loop]) && ranges[loop] > 0;
  });
  // A dimension that no loop walks has one position.
  auto type = cast<ShapedType>(view->c.value.getType());
  return hasSteps && llvm::all_of_zip(view->c.map.getResults(), type.getShape(),
                                      [](AffineExpr index, int64_t extent) {
                                        return isa<AffineDimExpr>(index) ||
                                               extent == 1;
                                      });
}

bool amp::eraseFillInFront(linalg::LinalgOp op) {
  if (!overwritesOutput(op))
    return false;
  Operation *before = op->getPrevNode();
  while (before && isMemoryEffectFree(before))
    before = before->getPrevNode();
  if (!before || !fillsWithZero(before, op.getDpsInits().front()))
    return false;
  before->erase();
  return true;
}

/// Rule 1.
bool amp::isOnStridedBuffers(linalg::LinalgOp op) {
  return op.hasPureBufferSemantics() &&
         llvm::all_of(op->getOperands(), [](Value operand) {
           auto type = dyn_cast<MemRefType>(operand.getType());
           return type && type.isStrided() && !type.getMemorySpace();
         });
}

FailureOr<HostContractionCounts>
amp::convertLinalgToHostContraction(ModuleOp module,
                                    const HostContractionOptions &options) {
  std::vector<Contraction> contractions;
  module.walk<WalkOrder::PreOrder>([&](Operation *op) {
    // A nested symbol table could not call our functions.
    if (op != module && op->hasTrait<OpTrait::SymbolTable>())
      return WalkResult::skip();
    auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
    if (!linalgOp || !isOnStridedBuffers(linalgOp))
      return WalkResult::advance();
    if (FailureOr<Contraction> view = matchHostContraction(linalgOp);
        succeeded(view))
      contractions.push_back(std::move(*view));
    return WalkResult::advance();
  });

  HostContractionCounts counts;
  KernelLibrary library(module, options.machine);
  for (Contraction &view : contractions)
    exchangeOperands(view, options.machine);
  // Before any of them is a call.
  SmallVector<std::optional<TileLoop>> loops;
  for (const Contraction &view : contractions)
    loops.push_back(TileLoop::find(view));
  for (auto [view, tiles] : llvm::zip_equal(contractions, loops)) {
    bool usesBlas = false, startsFromZero = false;
    if (failed(ContractionEmitter(view, tiles, library, options)
                   .emit(usesBlas, startsFromZero)))
      return failure();
    view.op->erase();
    ++counts.converted;
    counts.blas += usesBlas;
    counts.fromZero += startsFromZero;
  }
  counts.kernels = library.getNumKernels();
  return counts;
}

bool amp::isSharedByThreads(scf::ParallelOp loop) {
  return loop.getNumLoops() == 1 && loop.getNumReductions() == 0 &&
         isConstantIntValue(loop.getLowerBound().front(), 0) &&
         isConstantIntValue(loop.getStep().front(), 1);
}

LogicalResult amp::checkThreadOptions(MLIRContext *context, unsigned threads,
                                      int64_t partWork) {
  if (threads == 0)
    return emitError(UnknownLoc::get(context))
           << "expected 'threads' to be at least 1, but got 0";
  if (partWork < 1)
    return emitError(UnknownLoc::get(context))
           << "expected 'part-work' to be at least 1, but got " << partWork;
  return success();
}

//===----------------------------------------------------------------------===//
// Pass
//===----------------------------------------------------------------------===//

namespace {
struct ConvertLinalgToHostContractionPass
    : public amp::impl::ConvertLinalgToHostContractionPassBase<
          ConvertLinalgToHostContractionPass> {
  using Base::Base;

  LogicalResult initialize(MLIRContext *context) override {
    if (failed(checkThreadOptions(context, threads, partWork)) ||
        failed(machine.choose(context, cpu, vectorBits)))
      return failure();
    if (!cpu.empty() && bf16 == Bf16Products::Avx512 && !machine.hasAvx512Bf16)
      return emitError(UnknownLoc::get(context))
             << "expected a CPU with AVX512-BF16 for 'bf16=avx512', but '"
             << cpu.getValue() << "' has none; leave 'bf16' to the CPU";
    if (!cpu.empty() && !expandTiles && failed(checkTiles(context)))
      return failure();
    machine.setProducts(bf16, f16);
    if (machine.bf16 != Bf16Products::Avx512 || machine.vectorBits == 512)
      return success();
    return emitError(UnknownLoc::get(context))
           << "expected 'vector-bits' to be 512 for 'bf16=avx512', but got "
           << machine.vectorBits;
  }

  void runOnOperation() override {
    if (reference)
      return;
    HostContractionOptions options{
        blas,    blasMinWork, blasMinCopiedWork, blasMinBf16Work,
        machine, threads,     partWork};
    FailureOr<HostContractionCounts> counts =
        convertLinalgToHostContraction(getOperation(), options);
    if (failed(counts))
      return signalPassFailure();
    numConverted += counts->converted;
    numBlas += counts->blas;
    numFromZero += counts->fromZero;
    numKernels += counts->kernels;
  }

  /// Fails if tiles are asked for that the CPU has not.
  LogicalResult checkTiles(MLIRContext *context) {
    auto refuse = [&](StringRef feature, StringRef option) {
      return emitError(UnknownLoc::get(context))
             << "expected a CPU with " << feature
             << ", and a system that lets it be used, for '" << option
             << "', but '" << cpu.getValue()
             << "' has none; leave it to the CPU, or set 'expand-tiles'"
             << (machine.hasAmxBf16 ? " or 'f16=amx-parts'" : "");
    };
    if (bf16 == Bf16Products::Amx && !machine.hasAmxBf16)
      return refuse("AMX-BF16", "bf16=amx");
    if (f16 == F16Products::AmxParts && !machine.hasAmxBf16)
      return refuse("AMX-BF16", "f16=amx-parts");
    if (f16 == F16Products::Amx && !machine.hasAmxFp16)
      return refuse("AMX-FP16", "f16=amx");
    return success();
  }

  HostMachine machine;
};
} // namespace
