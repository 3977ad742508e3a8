//===- KernelSignature.cpp - What a launcher has to fill ------------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A parameter is one dictionary of `amp.launch` and one argument of the
// function, both added by the same call, so that they cannot differ in number
// or order. What lies in memory has the type that the launcher sees: tf32 is
// f32 there.
//
//===----------------------------------------------------------------------===//

#include "KernelSignature.h"

#include "Sm80Instructions.h"
#include "Sm90Instructions.h"

using namespace mlir;
using namespace mlir::amp;

unsigned KernelSignature::add(Type type, ArrayRef<NamedAttribute> attributes) {
  types.push_back(type);
  descriptions.push_back(b.getDictionaryAttr(attributes));
  return types.size() - 1;
}

/// What lies in memory. tf32 is how a matrix instruction reads f32.
static TypeAttr getStorage(Type type) {
  return TypeAttr::get(
      isa<FloatTF32Type>(type) ? Float32Type::get(type.getContext()) : type);
}

unsigned KernelSignature::addTensorMap(StringRef name, Type type,
                                       ArrayRef<int64_t> shape,
                                       ArrayRef<int64_t> strides,
                                       ArrayRef<int64_t> box,
                                       std::optional<int64_t> elements) {
  // Of a matrix without elements no byte is read, but drivers take no stride of
  // less.
  auto legal = llvm::map_to_vector(
      strides, [](int64_t stride) { return std::max<int64_t>(stride, 16); });
  SmallVector<NamedAttribute> attributes{
      named("kind", b.getStringAttr("tensor-map")),
      named("name", b.getStringAttr(name)),
      named("type", getStorage(type)),
      named("shape", b.getDenseI64ArrayAttr(shape)),
      named("strides", b.getDenseI64ArrayAttr(legal)),
      named("box", b.getDenseI64ArrayAttr(box)),
      named("swizzle", b.getI64IntegerAttr(128))};
  if (elements)
    attributes.push_back(named("elements", b.getI64IntegerAttr(*elements)));
  unsigned index = add(b.pointer(0), attributes);
  tensorMaps.push_back(index);
  return index;
}

unsigned KernelSignature::addIm2colMap(StringRef name, Type type,
                                       ArrayRef<int64_t> shape,
                                       ArrayRef<int64_t> strides,
                                       const Im2colBox &box) {
  unsigned index =
      add(b.pointer(0), {named("kind", b.getStringAttr("im2col-map")),
                         named("name", b.getStringAttr(name)),
                         named("type", getStorage(type)),
                         named("shape", b.getDenseI64ArrayAttr(shape)),
                         named("strides", b.getDenseI64ArrayAttr(strides)),
                         named("lower", b.getDenseI64ArrayAttr(box.lower)),
                         named("upper", b.getDenseI64ArrayAttr(box.upper)),
                         named("steps", b.getDenseI64ArrayAttr(box.steps)),
                         named("channels", b.getI64IntegerAttr(box.channels)),
                         named("pixels", b.getI64IntegerAttr(box.pixels)),
                         named("swizzle", b.getI64IntegerAttr(128))});
  tensorMaps.push_back(index);
  return index;
}

unsigned KernelSignature::addBuffer(StringRef name, Type type, int64_t elements,
                                    std::optional<int64_t> accessed) {
  SmallVector<NamedAttribute> attributes{
      named("kind", b.getStringAttr("buffer")),
      named("name", b.getStringAttr(name)), named("type", getStorage(type)),
      named("elements", b.getI64IntegerAttr(elements))};
  if (accessed && *accessed < elements)
    attributes.push_back(named("accessed", b.getI64IntegerAttr(*accessed)));
  return add(b.pointer(1), attributes);
}

unsigned KernelSignature::addOperand(StringRef name, StringRef kind, Type type,
                                     int64_t elements) {
  return add(b.pointer(1), {named("kind", b.getStringAttr("buffer")),
                            named("name", b.getStringAttr(name)),
                            named("operand", b.getStringAttr(kind)),
                            named("type", getStorage(type)),
                            named("elements", b.getI64IntegerAttr(elements))});
}

unsigned KernelSignature::addOutput(StringRef name, StringRef kind, Type type,
                                    int64_t elements,
                                    std::optional<int64_t> initial) {
  SmallVector<NamedAttribute> attributes{
      named("kind", b.getStringAttr("buffer")),
      named("name", b.getStringAttr(name)),
      named("output", b.getStringAttr(kind)),
      named("type", TypeAttr::get(type)),
      named("elements", b.getI64IntegerAttr(elements))};
  if (initial)
    attributes.push_back(named("initial", b.getI64IntegerAttr(*initial)));
  return add(b.pointer(1), attributes);
}

unsigned KernelSignature::addTable(StringRef name,
                                   ArrayRef<TableEntry> entries) {
  auto described =
      llvm::map_to_vector(entries, [&](const TableEntry &entry) -> Attribute {
        SmallVector<NamedAttribute> attributes{
            named("name", b.getStringAttr(entry.name)),
            named("type", getStorage(entry.type)),
            named("elements", b.getI64IntegerAttr(entry.elements))};
        if (entry.isConditional)
          attributes.push_back(named("conditional", b.getUnitAttr()));
        return b.getDictionaryAttr(attributes);
      });
  unsigned index =
      add(b.pointer(0), {named("kind", b.getStringAttr("table")),
                         named("name", b.getStringAttr(name)),
                         named("entries", b.getArrayAttr(described))});
  tables.push_back({index, int64_t(entries.size())});
  return index;
}

unsigned KernelSignature::addNumber(StringRef name, int64_t value,
                                    int64_t multiple) {
  return add(b.getI32Type(),
             {named("kind", b.getStringAttr("number")),
              named("name", b.getStringAttr(name)),
              named("value", b.getI64IntegerAttr(value)),
              named("multiple", b.getI64IntegerAttr(multiple))});
}

LLVM::LLVMFuncOp KernelSignature::createKernel(StringRef name,
                                               const Launch &launch) {
  auto type = LLVM::LLVMFunctionType::get(
      LLVM::LLVMVoidType::get(b.getContext()), types);
  auto func = LLVM::LLVMFuncOp::create(b, name, type);
  sm80::markAsKernel(b, func, launch.threads, launch.minBlocks);
  if (launch.cluster > 1)
    sm90::markAsCluster(b, func, launch.cluster);
  for (unsigned index : tensorMaps)
    sm90::markAsTensorMap(b, func, index);
  for (auto [index, count] : tables)
    sm80::markAsTable(b, func, index, count);
  auto along = [&](int64_t x) { return b.getDenseI64ArrayAttr({x, 1, 1}); };
  auto number = [&](int64_t x) { return b.getI64IntegerAttr(x); };
  const Grid &grid = launch.grid;
  SmallVector<NamedAttribute> attributes{
      named("order", number(launch.order)),
      named("grid", along(std::max(grid.blocks, grid.multiple))),
      named("block", along(launch.threads)),
      named("cluster", along(launch.cluster)),
      named("shared_memory", number(launch.sharedMemory)),
      named("arguments", b.getArrayAttr(descriptions))};
  if (grid.perMultiprocessor) {
    attributes.push_back(
        named("blocks_per_multiprocessor", number(grid.perMultiprocessor)));
    attributes.push_back(named("grid_multiple", number(grid.multiple)));
  }
  func->setAttr("amp.launch", b.getDictionaryAttr(attributes));
  return func;
}

void mlir::amp::numberLaunches(gpu::GPUModuleOp module) {
  Builder b(module.getContext());
  int64_t order = 0;
  for (auto func : module.getOps<LLVM::LLVMFuncOp>()) {
    NamedAttrList launch(func->getAttrOfType<DictionaryAttr>("amp.launch"));
    launch.set("order", b.getI64IntegerAttr(order++));
    func->setAttr("amp.launch", launch.getDictionary(b.getContext()));
  }
}
