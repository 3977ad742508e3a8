//===- BlasKernel.cpp - Products by an installed BLAS ---------------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// BLAS wants f32 matrices with one unit stride. Operands that are such matrices
// are passed in place, transposed or not. The others are copied into scratch
// memory block by block (which widens halves, and lays out a convolution's
// windows), and a C that is not one gets the product of each block added to it.
//
// Whether there is a BLAS is known when the program runs: ampRtBlasSgemm then
// says so with each call, and the block is computed by the generated kernels
// instead. A refusal for any other reason takes the same way.
//
//===----------------------------------------------------------------------===//

#include "KernelLibrary.h"

using namespace mlir;
using namespace mlir::amp;

/// Rows, columns and depth of a block that is copied: large enough that BLAS
/// runs at full speed inside, 4 MiB of scratch at most for each operand.
static constexpr int64_t kBlasBlock = 1024;

/// The function of amp-rt/Blas.h. Pointers and the handle (0: the process's
/// default BLAS) are passed as i64, which the C ABIs of our targets allow.
static constexpr StringLiteral kSgemm = "ampRtBlasSgemm";

namespace {
/// Steps of the block loops, and what each block has in scratch memory.
struct BlasBlocks {
  Index m, n, k;
  Index aStart, bStart, cStart, productStart;
};
} // namespace

static BlasBlocks layoutBlocks(KernelBuilder &b, const BlasForm &form, Index m,
                               Index n, Index k) {
  auto step = [](Index extent, bool whole) {
    return whole ? max(extent, 1) : min(max(extent, 1), kBlasBlock);
  };
  BlasBlocks blocks;
  blocks.m = step(m, form.a.inPlace && form.cInPlace);
  blocks.n = step(n, form.b.inPlace && form.cInPlace);
  blocks.k = step(k, form.a.inPlace && form.b.inPlace);
  Index end = b.index(0);
  auto reserve = [&](bool needed, Index count) {
    Index start = end;
    if (needed)
      end = roundUp(end + count, 16); // keeps lines of the cache apart
    return start;
  };
  blocks.aStart = reserve(!form.a.inPlace, blocks.m * blocks.k);
  blocks.bStart = reserve(!form.b.inPlace, blocks.k * blocks.n);
  blocks.cStart = reserve(!form.cInPlace, blocks.m * blocks.n);
  blocks.productStart = end;
  return blocks;
}

Index KernelLibrary::getBlasScratch(KernelBuilder &b, const BlasForm &form,
                                    Index m, Index n, Index k) {
  BlasBlocks blocks = layoutBlocks(b, form, m, n, k);
  return blocks.productStart +
         getProductScratch(b, blocks.m, blocks.n, blocks.k);
}

LogicalResult KernelLibrary::declareSgemm(Location loc) {
  if (sgemm)
    return success();
  Builder b(module.getContext());
  Type i32 = b.getI32Type(), i64 = b.getI64Type(), f32 = b.getF32Type();
  auto type = b.getFunctionType({i64, i32, i32, i64, i64, i64, f32, i64, i64, i64,
                                 i64, f32, i64, i64},
                                {i32});
  if (Operation *known = symbols.lookup(kSgemm)) {
    sgemm = dyn_cast<func::FuncOp>(known);
    if (sgemm && sgemm.getFunctionType() == type)
      return success();
    auto diagnostic = known->emitOpError()
                      << "expected '" << kSgemm << "' to have type " << type
                      << ", which the runtime gives it";
    diagnostic.attachNote(loc) << "called by this contraction; set 'blas=off' "
                                  "or rename the function";
    sgemm = {};
    return failure();
  }
  OpBuilder builder(module.getContext());
  sgemm = func::FuncOp::create(builder, UnknownLoc::get(module.getContext()),
                               kSgemm, type);
  sgemm.setPrivate();
  symbols.insert(sgemm);
  return success();
}

namespace {
/// A block as BLAS gets it: where it begins, the distance of its rows.
struct BlasMatrix {
  MatrixBase base;
  Index stride;
};
} // namespace

/// The address of `matrix` as an i64.
static Value getAddress(KernelBuilder &b, MatrixBase matrix) {
  Index address = b.index(
      memref::ExtractAlignedPointerAsIndexOp::create(b, matrix.buffer));
  return arith::IndexCastOp::create(
      b, b.getI64Type(), address + matrix.start * int64_t(sizeof(float)));
}

/// status = ampRtBlasSgemm(...); true if it is 0.
static Value callSgemm(KernelBuilder &b, func::FuncOp sgemm, const BlasForm &form,
                       Index m, Index n, Index k, const BlasMatrix &a,
                       const BlasMatrix &bMatrix, const BlasMatrix &c) {
  auto i32 = [&](int32_t number) -> Value {
    return arith::ConstantOp::create(b, b.getI32IntegerAttr(number));
  };
  auto f32 = [&](float number) -> Value {
    return arith::ConstantOp::create(b, b.getF32FloatAttr(number));
  };
  auto i64 = [&](Index number) -> Value {
    return arith::IndexCastOp::create(b, b.getI64Type(), number);
  };
  auto call = func::CallOp::create(
      b, sgemm,
      ValueRange{i64(b.index(0)), i32(form.a.transposed), i32(form.b.transposed),
                 i64(m), i64(n), i64(k), f32(1), getAddress(b, a.base),
                 i64(a.stride), getAddress(b, bMatrix.base), i64(bMatrix.stride),
                 f32(form.cInPlace ? 1 : 0), getAddress(b, c.base),
                 i64(c.stride)});
  return arith::CmpIOp::create(b, arith::CmpIPredicate::eq, call.getResult(0),
                               i32(0));
}

/// C[row[i] + column[j]] += product[i * columns + j].
func::FuncOp KernelLibrary::getAddScattered() {
  MLIRContext *context = module.getContext();
  Type index = IndexType::get(context);
  Type floats = getFlatType(Float32Type::get(context));
  SmallVector<Type> types = {floats, index, getFlatType(index), index, index,
                             index,  index, floats,             index};
  return getKernel("add_scattered", types, [&](KernelBuilder &b,
                                               Block::BlockArgListType arguments) {
    auto at = [&](unsigned i) { return b.index(arguments[i]); };
    Value c = arguments[0], tables = arguments[2], product = arguments[7];
    Index cStart = at(1), cM = at(3), rows = at(4), cN = at(5), columns = at(6);
    Index start = at(8);
    b.loop(rows, 1, [&](Index r) {
      Index row = cStart + b.loadIndex(tables, cM + r);
      Index from = start + r * columns;
      auto addOneByOne = [&](Index first, Index last) {
        b.loop(first, last, b.index(1), [&](Index j) {
          Index to = row + b.loadIndex(tables, cN + j);
          Value sum = arith::AddFOp::create(b, b.load(c, to),
                                            b.load(product, from + j));
          b.store(sum, c, to);
        });
      };
      b.loop(columns, kPackLanes, [&](Index j) {
        Index last = min(j + kPackLanes, columns);
        SmallVector<Value> neighbours = b.choose(
            j + kPackLanes <= columns,
            [&]() -> SmallVector<Value> {
              return {b.areRuns(b.loadVector(kPackLanes, tables, cN + j),
                                kPackLanes)};
            },
            [&]() -> SmallVector<Value> {
              return {arith::ConstantOp::create(b, b.getBoolAttr(false))};
            });
        b.branch(
            neighbours.front(),
            [&] {
              Index to = row + b.loadIndex(tables, cN + j);
              Value sum = arith::AddFOp::create(
                  b, b.loadVector(kPackLanes, c, to),
                  b.loadVector(kPackLanes, product, from + j));
              b.storeVector(sum, c, to);
            },
            [&] { addOneByOne(j, last); });
      });
    });
  });
}

func::FuncOp KernelLibrary::getBlasProduct(const BlasForm &form) {
  std::string name = "blas";
  llvm::raw_string_ostream stream(name);
  for (const BlasInput &input : {form.a, form.b})
    stream << (input.inPlace ? "_" : "_copied_") << input.elementType
           << (input.transposed ? "t" : "");
  stream << (form.cInPlace ? "" : "_scattered");
  SmallVector<Type> types =
      getProductTypes(form.a.elementType, form.b.elementType);
  types.append(3, IndexType::get(module.getContext()));

  return getKernel(name, types, [&](KernelBuilder &b,
                                    Block::BlockArgListType arguments) {
    ProductArguments p = ProductArguments::unpack(b, arguments);
    auto stride = [&](unsigned i) {
      return b.index(arguments[arguments.size() - 3 + i]);
    };
    Index lda = stride(0), ldb = stride(1), ldc = stride(2);
    BlasBlocks blocks = layoutBlocks(b, form, p.m, p.n, p.k);
    const OffsetTables &tables = p.tables;
    auto inScratch = [&](Index at) {
      return MatrixBase{p.scratch.buffer, p.scratch.start + at};
    };
    /// The block of an input that begins at (row, column), copied if it must be.
    auto prepare = [&](const BlasInput &input, MatrixBase base, Index ld,
                       Index rowTable, Index columnTable, Index row, Index column,
                       Index rows, Index columns, Index copy) -> BlasMatrix {
      // From here on in terms of what lies in memory.
      if (input.transposed) {
        std::swap(rowTable, columnTable);
        std::swap(row, column);
        std::swap(rows, columns);
      }
      if (input.inPlace)
        return {{base.buffer, base.start + row * ld + column}, ld};
      callPack(b, input.elementType, base, tables.buffer, rowTable + row, rows,
               columnTable + column, columns, inScratch(copy), columns);
      return {inScratch(copy), columns};
    };

    b.loop(b.index(0), p.k, blocks.k, [&](Index l) {
      Index depth = min(p.k - l, blocks.k);
      b.loop(b.index(0), p.n, blocks.n, [&](Index j) {
        Index columns = min(p.n - j, blocks.n);
        BlasMatrix right = prepare(form.b, p.b, ldb, tables.bK, tables.bN, l, j,
                                   depth, columns, blocks.bStart);
        b.loop(b.index(0), p.m, blocks.m, [&](Index i) {
          Index rows = min(p.m - i, blocks.m);
          BlasMatrix left = prepare(form.a, p.a, lda, tables.aM, tables.aK, i, l,
                                    rows, depth, blocks.aStart);
          BlasMatrix out =
              form.cInPlace
                  ? BlasMatrix{{p.c.buffer, p.c.start + i * ldc + j}, ldc}
                  : BlasMatrix{inScratch(blocks.cStart), columns};
          b.branch(
              callSgemm(b, sgemm, form, rows, columns, depth, left, right, out),
              [&] {
                if (!form.cInPlace)
                  func::CallOp::create(
                      b, getAddScattered(),
                      ValueRange{p.c.buffer, p.c.start, tables.buffer,
                                 tables.cM + i, rows, tables.cN + j, columns,
                                 out.base.buffer, out.base.start});
              },
              [&] {
                ProductArguments block = p;
                block.tables.aM = tables.aM + i;
                block.tables.cM = tables.cM + i;
                block.tables.aK = tables.aK + l;
                block.tables.bK = tables.bK + l;
                block.tables.bN = tables.bN + j;
                block.tables.cN = tables.cN + j;
                block.m = rows;
                block.n = columns;
                block.k = depth;
                block.scratch = inScratch(blocks.productStart);
                callProduct(b, form.a.elementType, form.b.elementType, block);
              });
        });
      });
    });
  });
}

void KernelLibrary::callBlasProduct(KernelBuilder &b, const BlasForm &form,
                                    const ProductArguments &arguments,
                                    const BlasStrides &strides) {
  SmallVector<Value> values = arguments.pack();
  values.append({strides.lda, strides.ldb, strides.ldc});
  func::CallOp::create(b, getBlasProduct(form), values);
}
