//===- BlasKernel.cpp - Products by an installed BLAS ---------------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// BLAS wants f32 matrices with one unit stride. Operands that are such matrices
// are passed in place, transposed or not; so are two of bf16, to a function of
// their own, if C is in place as well. The others are copied into scratch
// memory block by block (which widens halves, and lays out a convolution's
// windows), and a C that is not one gets the product of each block added to it.
// Where sums start from zero, the first block of the sum is stored (beta is 0),
// which BLAS takes as leave not to read C.
//
// Whether there is a BLAS is known when the program runs: the function then
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

/// The functions of amp-rt/Blas.h, of f32 and of bf16. Pointers and the handle
/// (0: the process's default BLAS) are passed as i64, which the C ABIs of our
/// targets allow.
static constexpr StringLiteral kSgemm = "ampRtBlasSgemm",
                               kSbgemm = "ampRtBlasSbgemm";

namespace {
/// Steps of the block loops, and what each block has in scratch memory.
struct BlasBlocks {
  Index m, n, k;
  Index aStart, bStart, cStart, productStart;
};
} // namespace

static BlasBlocks layoutBlocks(HostBuilder &b, const BlasForm &form, Index m,
                               Index n, Index k) {
  auto step = [](Index extent, bool whole) {
    return whole ? max(extent, 1) : min(max(extent, 1), kBlasBlock);
  };
  BlasBlocks blocks;
  blocks.m = step(m, form.a.inPlace && form.cInPlace);
  blocks.n = step(n, form.b.inPlace && form.cInPlace);
  blocks.k = step(k, form.a.inPlace && form.b.inPlace);
  Index end = b.number(0);
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

Index KernelLibrary::getBlasScratch(HostBuilder &b, const BlasForm &form,
                                    Index m, Index n, Index k) {
  BlasBlocks blocks = layoutBlocks(b, form, m, n, k);
  return blocks.productStart +
         getProductScratch(b, {form.a.elementType, form.b.elementType},
                           blocks.m, blocks.n, blocks.k);
}

LogicalResult KernelLibrary::declareGemm(const BlasForm &form, Location loc) {
  func::FuncOp &gemm = form.isBf16() ? sbgemm : sgemm;
  if (gemm)
    return success();
  StringRef name = form.isBf16() ? kSbgemm : kSgemm;
  Builder b(module.getContext());
  Type i32 = b.getI32Type(), i64 = b.getI64Type(), f32 = b.getF32Type();
  auto type = b.getFunctionType(
      {i64, i32, i32, i64, i64, i64, f32, i64, i64, i64, i64, f32, i64, i64},
      {i32});
  if (Operation *known = symbols.lookup(name)) {
    gemm = dyn_cast<func::FuncOp>(known);
    if (gemm && gemm.getFunctionType() == type)
      return success();
    auto diagnostic = known->emitOpError()
                      << "expected '" << name << "' to have type " << type
                      << ", which the runtime gives it";
    diagnostic.attachNote(loc) << "called by this contraction; set 'blas=off' "
                                  "or rename the function";
    gemm = {};
    return failure();
  }
  OpBuilder builder(module.getContext());
  gemm = func::FuncOp::create(builder, UnknownLoc::get(module.getContext()),
                              name, type);
  gemm.setPrivate();
  symbols.insert(gemm);
  return success();
}

/// The address of `matrix` as an i64.
static Value getAddress(HostBuilder &b, MatrixBase matrix) {
  auto type = cast<MemRefType>(matrix.buffer.getType());
  const int64_t bytes = type.getElementTypeBitWidth() / 8;
  Index address = b.number(
      memref::ExtractAlignedPointerAsIndexOp::create(b, matrix.buffer));
  return arith::IndexCastOp::create(b, b.getI64Type(),
                                    address + matrix.start * bytes);
}

/// status = gemm(...); true if it is 0.
static Value callGemm(HostBuilder &b, func::FuncOp gemm, const BlasForm &form,
                      Index m, Index n, Index k, const BlasMatrix &a,
                      const BlasMatrix &bMatrix, const BlasMatrix &c,
                      Value isStart) {
  auto i32 = [&](int32_t number) -> Value {
    return arith::ConstantOp::create(b, b.getI32IntegerAttr(number));
  };
  auto f32 = [&](float number) -> Value {
    return arith::ConstantOp::create(b, b.getF32FloatAttr(number));
  };
  auto i64 = [&](Index number) -> Value {
    return arith::IndexCastOp::create(b, b.getI64Type(), number);
  };
  Value beta = form.cInPlace
                   ? b.createOrFold<arith::SelectOp>(isStart, f32(0), f32(1))
                   : f32(0);
  auto call = func::CallOp::create(
      b, gemm,
      ValueRange{i64(b.number(0)), i32(form.a.transposed),
                 i32(form.b.transposed), i64(m), i64(n), i64(k), f32(1),
                 getAddress(b, a.base), i64(a.stride),
                 getAddress(b, bMatrix.base), i64(bMatrix.stride), beta,
                 getAddress(b, c.base), i64(c.stride)});
  return arith::CmpIOp::create(b, arith::CmpIPredicate::eq, call.getResult(0),
                               i32(0));
}

/// C[row[i] + column[j]] += product[i * columns + j]; at the start of a sum, to
/// zero instead of C.
func::FuncOp KernelLibrary::getAddScattered() {
  MLIRContext *context = module.getContext();
  Type index = IndexType::get(context);
  Type floats = getFlatType(Float32Type::get(context));
  SmallVector<Type> types = {
      floats, index, getFlatType(index),          index, index, index, index,
      floats, index, IntegerType::get(context, 1)};
  auto emit = [](HostBuilder &b, KernelArguments &arguments) {
    MatrixBase c = arguments.takeMatrix();
    Value tables = arguments.takeBuffer();
    Index cM = arguments.takeIndex(), rows = arguments.takeIndex();
    Index cN = arguments.takeIndex(), columns = arguments.takeIndex();
    MatrixBase product = arguments.takeMatrix();
    Value isStart = arguments.takeValue();
    Value zero = b.zero(b.getF32Type());
    auto start = [&](Value zeros, function_ref<Value()> load) {
      auto useZeros = [&]() -> SmallVector<Value> { return {zeros}; };
      auto useC = [&]() -> SmallVector<Value> { return {load()}; };
      return b.either(isStart, useZeros, useC).front();
    };
    b.loop(rows, 1, [&](Index i) {
      Index cRow = c.start + b.loadIndex(tables, cM + i);
      Index row = product.start + i * columns;
      auto addVector = [&](Index j) {
        Index to = cRow + b.loadIndex(tables, cN + j);
        Value old = start(b.splat(zero, kPackLanes), [&] {
          return b.loadVector(kPackLanes, c.buffer, to);
        });
        Value more = b.loadVector(kPackLanes, product.buffer, row + j);
        b.storeVector(arith::AddFOp::create(b, old, more), c.buffer, to);
      };
      auto addElement = [&](Index j) {
        Index to = cRow + b.loadIndex(tables, cN + j);
        Value old = start(zero, [&] { return b.load(c.buffer, to); });
        Value more = b.load(product.buffer, row + j);
        b.store(arith::AddFOp::create(b, old, more), c.buffer, to);
      };
      b.loop(columns, kPackLanes, [&](Index j) {
        Value neighbours = b.andThen(j + kPackLanes <= columns, [&] {
          return b.areRuns(b.loadVector(kPackLanes, tables, cN + j),
                           kPackLanes);
        });
        b.branch(
            neighbours, [&] { addVector(j); },
            [&] {
              b.loop(j, min(j + kPackLanes, columns), b.number(1), addElement);
            });
      });
    });
  };
  return getKernel("add_scattered", types, emit);
}

BlasMatrix KernelLibrary::prepareBlock(HostBuilder &b, Value tables,
                                       BlasOperand operand, Index row,
                                       Index column, Index rows,
                                       Index columns) {
  // From here on in terms of what lies in memory.
  if (operand.input.transposed) {
    std::swap(operand.rowTable, operand.columnTable);
    std::swap(row, column);
    std::swap(rows, columns);
  }
  if (operand.input.inPlace)
    return {operand.base.at(row * operand.stride + column), operand.stride};
  callPack(b, {operand.input.elementType},
           {operand.base,
            tables,
            operand.rowTable + row,
            rows,
            operand.columnTable + column,
            columns,
            {operand.copy, {}}},
           columns);
  return {operand.copy, columns};
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

  auto emit = [&](HostBuilder &b, KernelArguments &arguments) {
    ProductArguments p = ProductArguments::take(arguments);
    const OffsetTables &tables = p.tables;
    Index lda = arguments.takeIndex(), ldb = arguments.takeIndex();
    Index ldc = arguments.takeIndex();
    BlasBlocks blocks = layoutBlocks(b, form, p.m, p.n, p.k);
    BlasOperand a{form.a,    p.a,       lda,
                  tables.aM, tables.aK, p.scratch.at(blocks.aStart)};
    BlasOperand right{form.b,    p.b,       ldb,
                      tables.bK, tables.bN, p.scratch.at(blocks.bStart)};
    Index zero = b.number(0);
    b.loop(zero, p.k, blocks.k, [&](Index l) {
      Index depth = min(p.k - l, blocks.k);
      Value isStart = b.both(p.fromZero, l == 0);
      b.loop(zero, p.n, blocks.n, [&](Index j) {
        Index columns = min(p.n - j, blocks.n);
        BlasMatrix bBlock =
            prepareBlock(b, tables.buffer, right, l, j, depth, columns);
        b.loop(zero, p.m, blocks.m, [&](Index i) {
          Index rows = min(p.m - i, blocks.m);
          BlasMatrix aBlock =
              prepareBlock(b, tables.buffer, a, i, l, rows, depth);
          BlasMatrix cBlock{p.scratch.at(blocks.cStart), columns};
          if (form.cInPlace)
            cBlock = {p.c.at(i * ldc + j), ldc};
          Value done =
              callGemm(b, form.isBf16() ? sbgemm : sgemm, form, rows, columns,
                       depth, aBlock, bBlock, cBlock, isStart);
          auto addProduct = [&] {
            if (!form.cInPlace)
              func::CallOp::create(
                  b, getAddScattered(),
                  ValueRange{p.c.buffer, p.c.start, tables.buffer,
                             tables.cM + i, rows, tables.cN + j, columns,
                             cBlock.base.buffer, cBlock.base.start, isStart});
          };
          auto computeBlock = [&] {
            ProductArguments block = p;
            block.tables = {tables.buffer, tables.aM + i, tables.cM + i,
                            tables.aK + l, tables.bK + l, tables.bN + j,
                            tables.cN + j};
            block.m = rows;
            block.n = columns;
            block.k = depth;
            block.scratch = p.scratch.at(blocks.productStart);
            block.fromZero = isStart;
            callProduct(b, {form.a.elementType, form.b.elementType}, block);
          };
          b.branch(done, addProduct, computeBlock);
        });
      });
    });
  };
  return getKernel(name, types, emit);
}

void KernelLibrary::callBlasProduct(HostBuilder &b, const BlasForm &form,
                                    const ProductArguments &arguments,
                                    const BlasStrides &strides) {
  SmallVector<Value> values = arguments.give();
  values.append({strides.lda, strides.ldb, strides.ldc});
  func::CallOp::create(b, getBlasProduct(form), values);
}
