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

KernelLibrary::KernelLibrary(ModuleOp module, const HostMachine &machine)
    : module(module), symbols(module), machine(machine) {}

func::FuncOp KernelLibrary::getKernel(
    const Twine &name, ArrayRef<Type> arguments,
    function_ref<void(HostBuilder &, KernelArguments &)> emit) {
  std::string symbol = ("amp_host_" + name).str();
  if (func::FuncOp known = kernels.lookup(symbol))
    return known;
  // Operations of a kernel stand for no line of the user's program.
  HostBuilder b(UnknownLoc::get(module.getContext()), module.getContext());
  auto function =
      func::FuncOp::create(b, symbol, b.getFunctionType(arguments, {}));
  function.setPrivate();
  // One copy in the program: none exported, none inlined.
  function->setAttr(
      "llvm.linkage",
      LLVM::LinkageAttr::get(module.getContext(), LLVM::Linkage::Internal));
  function->setAttr("passthrough", b.getStrArrayAttr({"noinline"}));
  function.setNoInline(true);
  symbols.insert(function);
  kernels[symbol] = function;
  b.setInsertionPointToStart(function.addEntryBlock());
  KernelArguments values(b, function.getArguments());
  emit(b, values);
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
  SmallVector<Type> types = {
      getFlatType(aType), index, getFlatType(bType), index, floats, index,
      getFlatType(index)};
  types.append(9, index);
  types.append({floats, index, IntegerType::get(context, 1)});
  return types;
}

SmallVector<Value> ProductArguments::give() const {
  return {a.buffer,  a.start,        b.buffer,      b.start,   c.buffer,
          c.start,   tables.buffer,  tables.aM,     tables.cM, tables.aK,
          tables.bK, tables.bN,      tables.cN,     m,         n,
          k,         scratch.buffer, scratch.start, fromZero};
}

ProductArguments ProductArguments::take(KernelArguments &arguments) {
  ProductArguments p;
  p.a = arguments.takeMatrix();
  p.b = arguments.takeMatrix();
  p.c = arguments.takeMatrix();
  p.tables.buffer = arguments.takeBuffer();
  for (Index *index : {&p.tables.aM, &p.tables.cM, &p.tables.aK, &p.tables.bK,
                       &p.tables.bN, &p.tables.cN, &p.m, &p.n, &p.k})
    *index = arguments.takeIndex();
  p.scratch = arguments.takeMatrix();
  p.fromZero = arguments.takeValue();
  return p;
}

//===----------------------------------------------------------------------===//
// Arguments of packing
//===----------------------------------------------------------------------===//

SmallVector<Type> KernelLibrary::getPackTypes(const PackForm &form) {
  MLIRContext *context = module.getContext();
  Type index = IndexType::get(context);
  SmallVector<Type> types = {getFlatType(form.element), index,
                             getFlatType(index)};
  types.append(4, index);
  types.append({getFlatType(Float32Type::get(context)), index});
  if (form.parts > 1)
    types.push_back(index);
  return types;
}

SmallVector<Value> PackArguments::give(int64_t parts) const {
  const MatrixBase &first = target.first;
  SmallVector<Value> values{source.buffer, source.start, tables,
                            rowTable,      rows,         columnTable,
                            columns,       first.buffer, first.start};
  if (parts > 1)
    values.push_back(target.distance);
  return values;
}

PackArguments PackArguments::take(KernelArguments &arguments, int64_t parts) {
  PackArguments p;
  p.source = arguments.takeMatrix();
  p.tables = arguments.takeBuffer();
  for (Index *index : {&p.rowTable, &p.rows, &p.columnTable, &p.columns})
    *index = arguments.takeIndex();
  p.target.first = arguments.takeMatrix();
  if (parts > 1)
    p.target.distance = arguments.takeIndex();
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
  auto emit = [](HostBuilder &b, KernelArguments &arguments) {
    Value tables = arguments.takeBuffer();
    Index x = arguments.takeIndex(), y = arguments.takeIndex();
    Index extent = arguments.takeIndex();
    Index xStride = arguments.takeIndex(), yStride = arguments.takeIndex();
    b.loop(extent, 1, [&](Index i) {
      b.store(i * xStride, tables, x + i);
      b.store(i * yStride, tables, y + i);
    });
  };
  return getKernel("fill_offsets", types, emit);
}

/// table[i * count + j] = table[j] + i * stride, for two tables that have
/// `count` entries so far.
func::FuncOp KernelLibrary::getExtendOffsets() {
  Type index = IndexType::get(module.getContext());
  SmallVector<Type> types(7, index);
  types.front() = getFlatType(index);
  auto emit = [](HostBuilder &b, KernelArguments &arguments) {
    Value tables = arguments.takeBuffer();
    Index x = arguments.takeIndex(), y = arguments.takeIndex();
    Index count = arguments.takeIndex(), extent = arguments.takeIndex();
    Index xStride = arguments.takeIndex(), yStride = arguments.takeIndex();
    auto extend = [&](Index table, Index stride, Index i, Index j) {
      Index offset = b.loadIndex(tables, table + j) + i * stride;
      b.store(offset, tables, table + i * count + j);
    };
    Index one = b.number(1);
    b.loop(one, extent, one, [&](Index i) {
      b.loop(count, 1, [&](Index j) {
        extend(x, xStride, i, j);
        extend(y, yStride, i, j);
      });
    });
  };
  return getKernel("extend_offsets", types, emit);
}

void KernelLibrary::callFillOffsets(HostBuilder &b, Value tables, Index xStart,
                                    Index yStart, ArrayRef<Index> extents,
                                    ArrayRef<Index> xStrides,
                                    ArrayRef<Index> yStrides) {
  // A group without loops is one entry, 0.
  Index one = b.number(1), zero = b.number(0);
  bool none = extents.empty();
  Index count = none ? one : extents.back();
  func::CallOp::create(b, getFillOffsets(),
                       ValueRange{tables, xStart, yStart, count,
                                  none ? zero : xStrides.back(),
                                  none ? zero : yStrides.back()});
  for (size_t loop = none ? 0 : extents.size() - 1; loop-- > 0;) {
    func::CallOp::create(b, getExtendOffsets(),
                         ValueRange{tables, xStart, yStart, count,
                                    extents[loop], xStrides[loop],
                                    yStrides[loop]});
    count = count * extents[loop];
  }
}
