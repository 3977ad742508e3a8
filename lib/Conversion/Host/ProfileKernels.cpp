//===- ProfileKernels.cpp - Kernels that say when they begin and end ------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each call of a kernel of amp-outline-kernels gets a call of the runtime
// before and behind it, with the kernel's number. What the numbers stand for is
// left on the module for amp-describe-program: while a kernel is one operation
// on buffers, or one loop over tiles of several, its text, work and memory can
// be read from it. A contraction with the fill of its output counts as the
// contraction, which is what becomes of the two. A kernel counts each element
// of the buffers that it is given once, whether a cache holds it or not, and
// each floating-point operation of a body for each point of its loops.
//
//===----------------------------------------------------------------------===//

#include "amp/Analysis/Fill.h"
#include "amp/Conversion/Host/Passes.h"
#include "amp/Conversion/LinalgToHostContraction.h"
#include "amp/Program/ProgramSignature.h"
#include "amp/Support/ShapedBytes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

#define DEBUG_TYPE "amp-profile-kernels"

namespace mlir::amp {
#define GEN_PASS_DEF_PROFILEKERNELSPASS
#include "amp/Conversion/Host/Passes.h.inc"
} // namespace mlir::amp

using namespace mlir;
using namespace mlir::amp;

/// Become ampRtRunKernelBegin and ampRtRunKernelEnd of amp-rt/Profile.h.
static constexpr StringLiteral kBegin = "ampRtKernelBegin",
                               kEnd = "ampRtKernelEnd";

/// Names of the body's operations that a description shows.
static constexpr unsigned kShownOperations = 8;

/// What is not known before run time.
static constexpr int64_t kUnknown = -1;

/// True if `fill` is what the product `op` starts from.
static bool isStart(Operation *fill, Operation &op) {
  auto product = dyn_cast<linalg::LinalgOp>(op);
  return product && isHostContraction(product) &&
         fillsWithZero(fill, product.getDpsInits()[0]);
}

/// The operation of a kernel, or null if it is none.
static Operation *getKernelOperation(func::FuncOp function) {
  if (!function || function.isExternal() || !function.isPrivate())
    return nullptr;
  Operation *found = nullptr;
  for (Operation &op : function.front().without_terminator()) {
    if (isa<linalg::LinalgOp, memref::CopyOp, scf::ForallOp>(op) &&
        (!found || isStart(found, op)))
      found = &op;
    else if (!isMemoryEffectFree(&op))
      return nullptr;
  }
  return found;
}

static bool isOnFloats(Operation &op) {
  return llvm::any_of(op.getOperandTypes(), llvm::IsaPred<FloatType>) &&
         isa_and_present<arith::ArithDialect, math::MathDialect>(
             op.getDialect()) &&
         !isa<arith::ExtFOp, arith::TruncFOp, arith::SelectOp>(op);
}

static int64_t getPoints(linalg::LinalgOp op) {
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  return ShapedType::isDynamicShape(ranges)
             ? kUnknown
             : ShapedType::getNumElements(ranges);
}

/// Tiles of `loop`, or iterations of one inside of a tile.
static int64_t countTiles(Operation *loop) {
  if (auto sequence = dyn_cast<scf::ForOp>(loop)) {
    std::optional<APInt> count = sequence.getStaticTripCount();
    return count ? count->getSExtValue() : kUnknown;
  }
  auto forall = cast<scf::ForallOp>(loop);
  int64_t tiles = 1;
  for (auto [end, step] :
       llvm::zip_equal(forall.getMixedUpperBound(), forall.getMixedStep())) {
    std::optional<int64_t> last = getConstantIntValue(end);
    if (!last)
      return kUnknown;
    tiles *= llvm::divideCeil(*last, *getConstantIntValue(step));
  }
  return tiles;
}

static int64_t countOperations(Operation *op) {
  if (isa<scf::ForallOp, scf::ForOp>(op)) {
    int64_t inTile = 0, tiles = countTiles(op);
    for (Operation &inner : op->getRegion(0).front())
      inTile += countOperations(&inner);
    return tiles == kUnknown ? kUnknown : inTile * tiles;
  }
  auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
  if (!linalgOp)
    return 0;
  int64_t points = getPoints(linalgOp);
  if (points == kUnknown)
    return kUnknown;
  return points * llvm::count_if(*linalgOp.getBlock(), isOnFloats);
}

/// Bytes of the buffers that `op` is given.
static int64_t countBytes(Operation *op) {
  llvm::SetVector<Value> buffers;
  buffers.insert_range(op->getOperands());
  getUsedValuesDefinedAbove(op->getRegions(), buffers);
  int64_t bytes = 0;
  for (Value buffer : buffers) {
    auto memref = dyn_cast<MemRefType>(buffer.getType());
    if (!memref)
      continue;
    if (!memref.hasStaticShape() || !memref.getElementType().isIntOrFloat())
      return kUnknown;
    bytes += memref.getNumElements() * getElementBytes(memref);
  }
  return bytes;
}

static void printExtents(llvm::raw_ostream &os, ArrayRef<int64_t> extents) {
  llvm::interleave(
      extents, os,
      [&](int64_t extent) {
        if (ShapedType::isDynamic(extent))
          os << '?';
        else
          os << extent;
      },
      "x");
}

/// "product 1024x512x256 f16 f16".
static void describeProduct(llvm::raw_ostream &os, linalg::LinalgOp product) {
  os << "product ";
  printExtents(os, product.getStaticLoopRanges());
  for (OpOperand *input : product.getDpsInputOperands())
    os << ' ' << getElementTypeOrSelf(input->get().getType());
}

/// The operations of the bodies in `op`, some of them; products are named
/// apart.
static void printBodies(llvm::raw_ostream &os, Operation *op) {
  llvm::SetVector<StringRef> names;
  op->walk([&](linalg::LinalgOp linalgOp) {
    if (isHostContraction(linalgOp))
      return; // described already
    for (Operation &inner : linalgOp.getBlock()->without_terminator())
      names.insert(inner.getName().stripDialect());
  });
  if (names.empty())
    return;
  os << ':';
  for (StringRef name : names.getArrayRef().take_front(kShownOperations))
    os << ' ' << name;
  if (names.size() > kShownOperations)
    os << " ...";
}

/// "tiles 4x256 by 1x8, 4 operations: ...": loops of a group. With products,
/// "product 1x8x64 f16 f16, product 1x64x8 f16 f16 in tiles ...": those of one
/// tile.
static void describeTiles(llvm::raw_ostream &os, scf::ForallOp loop) {
  SmallVector<int64_t> extents, steps;
  for (auto [end, step] :
       llvm::zip_equal(loop.getMixedUpperBound(), loop.getMixedStep())) {
    extents.push_back(getConstantIntValue(end).value_or(ShapedType::kDynamic));
    steps.push_back(*getConstantIntValue(step));
  }
  unsigned operations = 0;
  SmallVector<linalg::LinalgOp> products;
  loop.walk([&](linalg::LinalgOp op) {
    if (isHostContraction(op)) {
      products.push_back(op);
      return;
    }
    Operation *next = op->getNextNode();
    while (next && isMemoryEffectFree(next))
      next = next->getNextNode();
    operations += !next || !isStart(op, *next);
  });
  llvm::interleaveComma(products, os, [&](linalg::LinalgOp product) {
    describeProduct(os, product);
  });
  os << (products.empty() ? "tiles " : " in tiles ");
  printExtents(os, extents);
  os << " by ";
  printExtents(os, steps);
  os << ", " << operations << " operations";
  printBodies(os, loop);
}

/// "product 1024x512x256 f16 f16": what, over how many points, on which types;
/// then the operations of other bodies.
static std::string describe(Operation *op) {
  std::string text;
  llvm::raw_string_ostream os(text);
  if (auto loop = dyn_cast<scf::ForallOp>(op)) {
    describeTiles(os, loop);
    return text;
  }
  auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
  if (!linalgOp) {
    os << "copy " << op->getOperandTypes().front();
    return text;
  }
  if (isHostContraction(linalgOp)) {
    describeProduct(os, linalgOp);
    return text;
  }
  os << (linalgOp.getNumReductionLoops() ? "reduction " : "loops ");
  printExtents(os, linalgOp.getStaticLoopRanges());
  for (OpOperand *input : linalgOp.getDpsInputOperands())
    os << ' ' << getElementTypeOrSelf(input->get().getType());
  printBodies(os, op);
  return text;
}

/// The first file and line behind `loc`, or nothing.
static std::string getSource(Location loc) {
  std::string text;
  loc->walk([&](Location inner) {
    auto file = dyn_cast<FileLineColLoc>(inner);
    if (!file)
      return WalkResult::advance();
    llvm::raw_string_ostream(text)
        << file.getFilename().getValue() << ':' << file.getLine();
    return WalkResult::interrupt();
  });
  return text;
}

namespace {
struct ProfileKernels
    : public amp::impl::ProfileKernelsPassBase<ProfileKernels> {
  using ProfileKernelsPassBase::ProfileKernelsPassBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    SymbolTableCollection symbols;
    OpBuilder builder(module.getContext());
    llvm::MapVector<func::FuncOp, SmallVector<func::CallOp>> calls;
    module.walk([&](func::CallOp call) {
      auto callee = symbols.lookupNearestSymbolFrom<func::FuncOp>(
          call, call.getCalleeAttr());
      if (getKernelOperation(callee))
        calls[callee].push_back(call);
    });
    if (calls.empty())
      return;

    if (timed) {
      builder.setInsertionPointToStart(module.getBody());
      auto declare = [&](StringRef name, TypeRange inputs, TypeRange results) {
        auto type = builder.getFunctionType(inputs, results);
        func::FuncOp::create(builder, module.getLoc(), name, type).setPrivate();
      };
      declare(kBegin, {}, builder.getI64Type());
      declare(kEnd, {builder.getI64Type(), builder.getI64Type()}, {});
    }

    SmallVector<Attribute> kernels;
    for (auto &[kernel, callsOfIt] : calls) {
      if (timed)
        for (func::CallOp call : callsOfIt)
          time(call, kernels.size());
      Operation *op = getKernelOperation(kernel);
      auto add = [&](StringRef key, Attribute value) {
        return builder.getNamedAttr(key, value);
      };
      kernels.push_back(builder.getDictionaryAttr(
          {add("name", builder.getStringAttr(kernel.getName())),
           add("what", builder.getStringAttr(describe(op))),
           add("source", builder.getStringAttr(getSource(op->getLoc()))),
           add("operations", builder.getI64IntegerAttr(countOperations(op))),
           add("bytes", builder.getI64IntegerAttr(countBytes(op)))}));
    }
    module->setAttr(kKernelsAttr, builder.getArrayAttr(kernels));
  }

  /// call @k(...)  ->  %b = call @begin(); call @k(...); call @end(N, %b)
  void time(func::CallOp call, int64_t number) {
    OpBuilder builder(call);
    Location loc = call.getLoc();
    Value begin =
        func::CallOp::create(builder, loc, kBegin, builder.getI64Type())
            .getResult(0);
    builder.setInsertionPointAfter(call);
    Value constant = arith::ConstantOp::create(
        builder, loc, builder.getI64IntegerAttr(number));
    func::CallOp::create(builder, loc, kEnd, TypeRange(),
                         ValueRange{constant, begin});
    ++numCalls;
  }
};
} // namespace
