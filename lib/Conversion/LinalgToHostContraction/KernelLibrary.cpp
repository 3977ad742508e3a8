//===- KernelLibrary.cpp - One function per kind of kernel ----------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Creation of kernels on demand, and the one family too small for a file of its
// own: offset tables.
//
// Functions of an earlier run of the pass are not reused, even if they have the
// name: they may have been made for other vectors, with other panels. A new
// function gets a name of its own then.
//
//===----------------------------------------------------------------------===//

#include "KernelLibrary.h"

#include "mlir/Dialect/LLVMIR/LLVMAttrs.h"

using namespace mlir;
using namespace mlir::amp;

MemRefType amp::getFlatType(Type element) {
  return MemRefType::get({ShapedType::kDynamic}, element);
}

KernelLibrary::KernelLibrary(ModuleOp module, unsigned vectorBits)
    : module(module), symbols(module), tile(TileShape::get(vectorBits)) {}

func::FuncOp KernelLibrary::getKernel(
    const Twine &name, ArrayRef<Type> arguments,
    function_ref<void(KernelBuilder &, Block::BlockArgListType)> emit) {
  std::string symbol = ("amp_host_" + name).str();
  if (func::FuncOp known = kernels.lookup(symbol))
    return known;
  // Operations of a kernel stand for no line of the user's program.
  KernelBuilder b(UnknownLoc::get(module.getContext()), module.getContext());
  auto function =
      func::FuncOp::create(b, symbol, b.getFunctionType(arguments, {}));
  function.setPrivate();
  // Otherwise LLVM would keep an exported copy of what it inlines.
  function->setAttr("llvm.linkage",
                    LLVM::LinkageAttr::get(module.getContext(),
                                           LLVM::Linkage::Internal));
  symbols.insert(function);
  kernels[symbol] = function;
  b.setInsertionPointToStart(function.addEntryBlock());
  emit(b, function.getArguments());
  func::ReturnOp::create(b);
  return function;
}

//===----------------------------------------------------------------------===//
// Arguments of products
//===----------------------------------------------------------------------===//

SmallVector<Type> KernelLibrary::getProductTypes(Type aType, Type bType) {
  MLIRContext *context = module.getContext();
  Type index = IndexType::get(context);
  Type floats = getFlatType(Float32Type::get(context));
  SmallVector<Type> types = {getFlatType(aType), index, getFlatType(bType), index,
                             floats,             index, getFlatType(index)};
  types.append(9, index);
  types.append({floats, index});
  return types;
}

SmallVector<Value> ProductArguments::pack() const {
  return {a.buffer,  a.start,   b.buffer,       b.start,   c.buffer,
          c.start,   tables.buffer, tables.aM,  tables.cM, tables.aK,
          tables.bK, tables.bN, tables.cN,      m,         n,
          k,         scratch.buffer, scratch.start};
}

ProductArguments ProductArguments::unpack(KernelBuilder &b, ValueRange values) {
  auto at = [&](unsigned i) { return b.index(values[i]); };
  ProductArguments p;
  p.a = {values[0], at(1)};
  p.b = {values[2], at(3)};
  p.c = {values[4], at(5)};
  p.tables = {values[6], at(7), at(8), at(9), at(10), at(11), at(12)};
  p.m = at(13);
  p.n = at(14);
  p.k = at(15);
  p.scratch = {values[16], at(17)};
  return p;
}

//===----------------------------------------------------------------------===//
// Offset tables
//===----------------------------------------------------------------------===//

/// table[i] = i * stride, for two tables.
func::FuncOp KernelLibrary::getFillOffsets() {
  Type index = IndexType::get(module.getContext());
  SmallVector<Type> types(6, index);
  types.front() = getFlatType(index);
  return getKernel("fill_offsets", types, [&](KernelBuilder &b,
                                              Block::BlockArgListType arguments) {
    auto at = [&](unsigned i) { return b.index(arguments[i]); };
    Value tables = arguments[0];
    Index x = at(1), y = at(2), extent = at(3), xStride = at(4), yStride = at(5);
    b.loop(extent, 1, [&](Index i) {
      b.store(i * xStride, tables, x + i);
      b.store(i * yStride, tables, y + i);
    });
  });
}

/// table[i * count + j] = table[j] + i * stride, for two tables that have `count`
/// entries so far.
func::FuncOp KernelLibrary::getExtendOffsets() {
  Type index = IndexType::get(module.getContext());
  SmallVector<Type> types(7, index);
  types.front() = getFlatType(index);
  return getKernel("extend_offsets", types, [&](KernelBuilder &b,
                                                Block::BlockArgListType arguments) {
    auto at = [&](unsigned i) { return b.index(arguments[i]); };
    Value tables = arguments[0];
    Index x = at(1), y = at(2), count = at(3), extent = at(4);
    Index xStride = at(5), yStride = at(6);
    Index one = b.index(1);
    b.loop(one, extent, one, [&](Index i) {
      b.loop(count, 1, [&](Index j) {
        for (auto [table, stride] :
             {std::pair(x, xStride), std::pair(y, yStride)})
          b.store(b.loadIndex(tables, table + j) + i * stride, tables,
                  table + i * count + j);
      });
    });
  });
}

void KernelLibrary::callFillOffsets(KernelBuilder &b, Value tables, Index xStart,
                                    Index yStart, ArrayRef<Index> extents,
                                    ArrayRef<Index> xStrides,
                                    ArrayRef<Index> yStrides) {
  // A group without loops is one entry, 0.
  Index one = b.index(1), zero = b.index(0);
  bool none = extents.empty();
  Index count = none ? one : extents.back();
  func::CallOp::create(b, getFillOffsets(),
                       ValueRange{tables, xStart, yStart, count,
                                  none ? zero : xStrides.back(),
                                  none ? zero : yStrides.back()});
  for (size_t loop = none ? 0 : extents.size() - 1; loop-- > 0;) {
    func::CallOp::create(b, getExtendOffsets(),
                         ValueRange{tables, xStart, yStart, count, extents[loop],
                                    xStrides[loop], yStrides[loop]});
    count = count * extents[loop];
  }
}
