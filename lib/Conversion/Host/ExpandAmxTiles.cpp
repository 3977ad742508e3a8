//===- ExpandAmxTiles.cpp - Multiply AMX's tiles by loops over vectors ----===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tile becomes a vector of rows: of f32, or of pairs of halves, each pair in
// a word of 32 bits. Loads and stores go row by row. A product writes its three
// tiles to memory of the function, and loops over the rows of the result:
//
//   even = odd = 0
//   for each word w:
//     even += lower(a[row][w]) * lower(b[w])
//     odd  += upper(a[row][w]) * upper(b[w])
//   c[row] = c[row] + (even + odd)
//
// which is what tdpbf16ps does, compared with it on random numbers, and what
// Intel's manual says of tdpfp16ps, but for subnormal numbers: the CPU takes
// those of f32 and of bf16 as zero, here they are what they are. A product of
// two bf16 or f16 is exact in f32, so it does not matter whether the addition
// is fused with it.
//
//===----------------------------------------------------------------------===//

#include "amp/Conversion/Host/Passes.h"

#include "mlir/Dialect/AMX/AMXDialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Transforms/Patterns.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Transforms/DialectConversion.h"

namespace mlir::amp {
#define GEN_PASS_DEF_EXPANDAMXTILESPASS
#include "amp/Conversion/Host/Passes.h.inc"
} // namespace mlir::amp

using namespace mlir;

/// Rows of a tile, and words in a row.
static constexpr int64_t kRows = 16;
static constexpr int64_t kWords = 16;

static bool isHalf(Type type) { return type.isBF16() || type.isF16(); }

/// Whether a tile is one of sixteen rows of words: f32, or pairs of halves.
static bool isTaken(amx::TileType tile) {
  if (tile.getElementType().isF32())
    return tile.getShape() == ArrayRef<int64_t>{kRows, kWords};
  return isHalf(tile.getElementType()) &&
         tile.getShape() == ArrayRef<int64_t>{kRows, 2 * kWords};
}

static VectorType getRowType(VectorType tile) {
  return VectorType::get(tile.getDimSize(1), tile.getElementType());
}

/// The index of row `row`'s first element, in a flat buffer.
static Value getRowIndex(ImplicitLocOpBuilder &b, Value start, Value stride,
                         int64_t row) {
  Value number = arith::ConstantIndexOp::create(b, row);
  Value offset = arith::MulIOp::create(b, stride, number);
  return arith::AddIOp::create(b, start, offset);
}

namespace {

struct ExpandLoad : OpConversionPattern<amx::TileLoadOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(amx::TileLoadOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto type = typeConverter->convertType<VectorType>(op.getType());
    if (!type || !op.getStride() || op.getIndices().size() != 1)
      return failure();
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    Type element = op.getMemRefType().getElementType();
    auto inMemory =
        VectorType::get(type.getDimSize(1) * type.getElementTypeBitWidth() /
                            element.getIntOrFloatBitWidth(),
                        element);
    Value tile = arith::ConstantOp::create(b, b.getZeroAttr(type));
    for (int64_t row = 0; row < kRows; ++row) {
      Value at = getRowIndex(b, adaptor.getIndices().front(),
                             adaptor.getStride(), row);
      Value elements =
          vector::LoadOp::create(b, inMemory, adaptor.getBase(), at);
      tile = vector::InsertOp::create(
          b, vector::BitCastOp::create(b, getRowType(type), elements), tile,
          row);
    }
    rewriter.replaceOp(op, tile);
    return success();
  }
};

struct ExpandStore : OpConversionPattern<amx::TileStoreOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(amx::TileStoreOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto type = dyn_cast<VectorType>(adaptor.getVal().getType());
    if (!type || !op.getStride() || op.getIndices().size() != 1 ||
        op.getMemRefType().getElementType() != type.getElementType())
      return failure();
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    for (int64_t row = 0; row < kRows; ++row) {
      Value at = getRowIndex(b, adaptor.getIndices().front(),
                             adaptor.getStride(), row);
      vector::StoreOp::create(
          b, vector::ExtractOp::create(b, adaptor.getVal(), row),
          adaptor.getBase(), at);
    }
    rewriter.eraseOp(op);
    return success();
  }
};

struct ExpandProduct : OpConversionPattern<amx::TileMulFOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(amx::TileMulFOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Type half = op.getLhsTileType().getElementType();
    if (!isHalf(half) || !isa<VectorType>(adaptor.getLhs().getType()))
      return failure();
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    auto words = VectorType::get(kWords, b.getI32Type());
    auto floats = VectorType::get(kWords, b.getF32Type());
    auto memory = [&](Type element) -> Value {
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(&op->getParentOfType<func::FuncOp>().front());
      return memref::AllocaOp::create(b,
                                      MemRefType::get({kRows, kWords}, element),
                                      b.getI64IntegerAttr(64));
    };
    Value a = memory(b.getI32Type()), bMemory = memory(b.getI32Type());
    Value c = memory(b.getF32Type());
    Value zero = arith::ConstantIndexOp::create(b, 0);
    Value one = arith::ConstantIndexOp::create(b, 1);
    auto store = [&](Value tile, Value to, VectorType type) {
      for (int64_t row = 0; row < kRows; ++row) {
        Value number = arith::ConstantIndexOp::create(b, row);
        Value elements = vector::ExtractOp::create(b, tile, row);
        vector::StoreOp::create(b, vector::BitCastOp::create(b, type, elements),
                                to, ValueRange{number, zero});
      }
    };
    store(adaptor.getLhs(), a, words);
    store(adaptor.getRhs(), bMemory, words);
    store(adaptor.getAcc(), c, floats);

    auto splat = [&](int32_t number) -> Value {
      return arith::ConstantOp::create(
          b, DenseElementsAttr::get(words, APInt(32, uint32_t(number))));
    };
    auto widenF16 = [&](Value pairs) -> Value {
      auto with = [&](Type element) {
        return VectorType::get(kWords, element);
      };
      Value bits = arith::TruncIOp::create(b, with(b.getI16Type()), pairs);
      Value halves = arith::BitcastOp::create(b, with(half), bits);
      return arith::ExtFOp::create(b, floats, halves);
    };
    // A bf16 is the upper half of the f32 of the same value.
    auto lower = [&](Value pairs) -> Value {
      if (half.isF16())
        return widenF16(pairs);
      return arith::BitcastOp::create(
          b, floats, arith::ShLIOp::create(b, pairs, splat(16)));
    };
    auto upper = [&](Value pairs) -> Value {
      if (half.isF16())
        return widenF16(arith::ShRUIOp::create(b, pairs, splat(16)));
      return arith::BitcastOp::create(
          b, floats, arith::AndIOp::create(b, pairs, splat(0xffff0000)));
    };
    auto add = [&](Value sum, Value x, Value y) -> Value {
      return arith::AddFOp::create(b, sum, arith::MulFOp::create(b, x, y));
    };
    Value end = arith::ConstantIndexOp::create(b, kRows);
    Value none = arith::ConstantOp::create(b, b.getZeroAttr(floats));
    scf::ForOp::create(
        b, zero, end, one, ValueRange{},
        [&](OpBuilder &, Location, Value row, ValueRange) {
          auto sums = scf::ForOp::create(
              b, zero, end, one, ValueRange{none, none},
              [&](OpBuilder &, Location, Value word, ValueRange in) {
                Value single =
                    memref::LoadOp::create(b, a, ValueRange{row, word});
                Value left = vector::BroadcastOp::create(b, words, single);
                Value right = vector::LoadOp::create(b, words, bMemory,
                                                     ValueRange{word, zero});
                Value even = add(in[0], lower(left), lower(right));
                Value odd = add(in[1], upper(left), upper(right));
                scf::YieldOp::create(b, ValueRange{even, odd});
              });
          Value sum =
              arith::AddFOp::create(b, sums.getResult(0), sums.getResult(1));
          Value before =
              vector::LoadOp::create(b, floats, c, ValueRange{row, zero});
          vector::StoreOp::create(b, arith::AddFOp::create(b, before, sum), c,
                                  ValueRange{row, zero});
          scf::YieldOp::create(b);
        });
    Value result = adaptor.getAcc();
    for (int64_t row = 0; row < kRows; ++row) {
      Value number = arith::ConstantIndexOp::create(b, row);
      Value elements =
          vector::LoadOp::create(b, floats, c, ValueRange{number, zero});
      result = vector::InsertOp::create(b, elements, result, row);
    }
    rewriter.replaceOp(op, result);
    return success();
  }
};

struct ExpandAmxTilesPass
    : public amp::impl::ExpandAmxTilesPassBase<ExpandAmxTilesPass> {
  void runOnOperation() override {
    MLIRContext *context = &getContext();
    TypeConverter converter;
    converter.addConversion([](Type type) { return type; });
    converter.addConversion([](amx::TileType tile) -> std::optional<Type> {
      if (!isTaken(tile))
        return std::nullopt;
      return VectorType::get(tile.getShape(), tile.getElementType());
    });

    RewritePatternSet patterns(context);
    patterns.add<ExpandLoad, ExpandStore, ExpandProduct>(converter, context);
    ConversionTarget target(*context);
    target.markUnknownOpDynamicallyLegal([](Operation *) { return true; });
    target.addIllegalDialect<amx::AMXDialect>();
    scf::populateSCFStructuralTypeConversionsAndLegality(converter, patterns,
                                                         target);
    if (failed(applyPartialConversion(getOperation(), target,
                                      std::move(patterns))))
      signalPassFailure();
  }
};

} // namespace
