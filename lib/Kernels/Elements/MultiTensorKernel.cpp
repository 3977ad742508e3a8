//===- MultiTensorKernel.cpp - One kernel for many tensors ----------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The tensors of all loops are cut into chunks (TensorChunks.h), over which
// blocks walk. The addresses of a loop's tensors a block takes from the
// kernel's parameters, which are a table too.
//
// A thread takes as many elements as 16 bytes have of the narrowest type, and
// at most 8, reads and writes them by 128 bits, and computes one after the
// other; what is left at a tensor's end goes element by element. Memory begins
// at multiples of 16 bytes (amp-rt/Program.h), and chunks are multiples of
// that. No thread knows of another: there is nothing to wait for. What a
// skipped step alone reads is loaded in such a step alone.
//
//===----------------------------------------------------------------------===//

#include "amp/Kernels/MultiTensorKernel.h"

#include "Device/Sm80Instructions.h"
#include "Elements/ElementRules.h"
#include "Elements/GenericBody.h"
#include "Elements/TensorChunks.h"
#include "Elements/WideAccess.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::amp;

/// Elements of a chunk: some rounds of a block, so that finding it is little
/// beside them, and few enough that small models have work for many blocks.
static constexpr int64_t kChunk = 4096;
/// Blocks for which a multiprocessor has to have registers: one reads while the
/// other computes.
static constexpr int64_t kResidentBlocks = 2;
static constexpr int64_t kThreads = 256, kBlocksPerMultiprocessor = 8,
                         kMostLanes = 8;

/// Columns that are one number for all loops.
static SmallVector<bool> findShared(ArrayRef<ElementwiseLoop> loops) {
  SmallVector<bool> isShared;
  for (unsigned i = 0, e = loops[0].getColumns().size(); i < e; ++i) {
    const ElementwiseLoop::Column &first = loops[0].getColumns()[i];
    isShared.push_back(first.isNumber &&
                       llvm::all_of(loops, [&](const ElementwiseLoop &loop) {
                         return loop.getColumns()[i].value == first.value;
                       }));
  }
  return isShared;
}

int64_t MultiTensorKernel::getMostLoops(ArrayRef<ElementwiseLoop> loops,
                                        int64_t bytes) {
  SmallVector<bool> isShared = findShared(loops);
  const int64_t shared = llvm::count(isShared, true),
                each = isShared.size() - shared +
                       loops[0].getOperation()->getNumResults();
  return std::max<int64_t>(0, bytes / kPointerBytes - shared) / each;
}

MultiTensorKernel::MultiTensorKernel(ArrayRef<ElementwiseLoop> loops)
    : loops(loops), isShared(findShared(loops)) {
  for (auto [i, column] : llvm::enumerate(loops[0].getColumns()))
    if (isShared[i])
      inputs.push_back(
          {llvm::formatv("shared{0}", inputs.size()).str(), column.value});
  for (auto [number, loop] : llvm::enumerate(loops)) {
    unsigned in = 0;
    for (auto [i, column] : llvm::enumerate(loop.getColumns()))
      if (!isShared[i])
        inputs.push_back(
            {llvm::formatv("in{0}_{1}", number, in++).str(), column.value});
    for (unsigned out = 0, e = loop.getOperation()->getNumResults(); out < e;
         ++out)
      outputs.push_back(llvm::formatv("out{0}_{1}", number, out).str());
  }
}

namespace {
class MultiTensorEmitter {
public:
  MultiTensorEmitter(DeviceBuilder &b, ArrayRef<ElementwiseLoop> loops,
                     ArrayRef<bool> isShared)
      : b(b), loops(loops), isShared(isShared) {
    int64_t narrowest = kWideBytes;
    auto look = [&](Type element) {
      narrowest = std::min(narrowest, getStorageBytes(element));
    };
    for (const ElementwiseLoop::Column &column : loops[0].getColumns())
      if (!column.isNumber)
        look(column.getElement());
    for (Type type : loops[0].getOperation()->getResultTypes())
      look(getElementTypeOrSelf(type));
    lanes = std::min(kMostLanes, kWideBytes / narrowest);
  }

  void emit(StringRef name, ArrayRef<ElementKernel::Input> inputs,
            ArrayRef<std::string> outputs);

private:
  using Values = SmallVector<Value>;

  /// Whether elements of a column matter; null if they always do.
  Value getCondition(const ElementwiseLoop::Column &column);
  void store(ArrayRef<Value> values, Value base, Number place);
  /// Elements of the chunk from `place` on: `count` of them.
  void emitElements(Number place, int64_t count);

  DeviceBuilder &b;
  ArrayRef<ElementwiseLoop> loops;
  ArrayRef<bool> isShared;
  /// Elements that a thread takes at once.
  int64_t lanes;
  /// Of each column: a number, or the address where the chunk begins; and the
  /// addresses of results.
  Values columns, results;
};
} // namespace

Value MultiTensorEmitter::getCondition(const ElementwiseLoop::Column &column) {
  if (!column.condition)
    return {};
  Value number = columns[*column.condition];
  if (column.isWanted)
    return number;
  Value yes = arith::ConstantOp::create(b, b.getBoolAttr(true));
  return arith::XOrIOp::create(b, number, yes);
}

void MultiTensorEmitter::store(ArrayRef<Value> values, Value base,
                               Number place) {
  const int64_t count = values.size(),
                bytes = getStorageBytes(values[0].getType()),
                width = std::min(count, kWideBytes / bytes);
  Type storage = getStorage(values[0].getType());
  for (int64_t i = 0; i < count; i += width) {
    Values stored;
    for (Value value : values.slice(i, width))
      stored.push_back(toStorage(b, value));
    Value address =
        b.element(base, storage, b.number(0), b.number(0), place + i);
    b.store(width == 1 ? stored[0] : b.gather(stored), address, width * bytes);
  }
}

void MultiTensorEmitter::emitElements(Number place, int64_t count) {
  SmallVector<Values> read;
  for (auto [column, value] : llvm::zip_equal(loops[0].getColumns(), columns))
    read.push_back(column.isNumber
                       ? Values(count, value)
                       : loadElements(b, value, column.getElement(), place,
                                      count, getCondition(column)));
  SmallVector<Values> written(results.size());
  for (int64_t lane = 0; lane < count; ++lane) {
    auto elements =
        llvm::map_to_vector(read, [&](const Values &of) { return of[lane]; });
    for (auto [list, value] :
         llvm::zip_equal(written, loops[0].emitElement(b, elements)))
      list.push_back(value);
  }
  for (auto [values, base] : llvm::zip_equal(written, results))
    store(values, base, place);
}

void MultiTensorEmitter::emit(StringRef name,
                              ArrayRef<ElementKernel::Input> inputs,
                              ArrayRef<std::string> outputs) {
  const ElementwiseLoop &first = loops[0];
  KernelSignature signature(b);
  const int64_t shared = llvm::count(isShared, true);
  for (const ElementKernel::Input &input : inputs.take_front(shared))
    addMemory(signature, input.name, input.value.getType());
  // Of each loop what it reads and what it writes.
  SmallVector<KernelSignature::TableEntry> entries;
  auto addEntry = [&](StringRef entry, Type type, bool isConditional) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    entries.push_back({entry.str(), getStorage(getElementTypeOrSelf(type)),
                       tensor ? tensor.getNumElements() : 1, isConditional});
  };
  SmallVector<bool> isConditional; // of what is read of each loop
  for (auto [column, isShared] : llvm::zip_equal(first.getColumns(), isShared))
    if (!isShared)
      isConditional.push_back(column.condition.has_value());
  const int64_t ins = isShared.size() - shared,
                outs = first.getOperation()->getNumResults();
  TensorChunks chunks;
  for (auto [i, loop] : llvm::enumerate(loops)) {
    for (auto [input, conditional] :
         llvm::zip_equal(inputs.slice(shared + i * ins, ins), isConditional))
      addEntry(input.name, input.value.getType(), conditional);
    for (auto [out, type] :
         llvm::zip_equal(outputs.slice(i * outs, outs),
                         loop.getOperation()->getResultTypes()))
      addEntry(out, type, /*isConditional=*/false);
    chunks.add(loop.getCount(), kChunk);
  }
  signature.addTable("tensors", entries);
  auto func =
      signature.createKernel(name, {{chunks.size(), kBlocksPerMultiprocessor},
                                    kThreads,
                                    kResidentBlocks,
                                    /*cluster=*/1,
                                    /*sharedMemory=*/0,
                                    /*order=*/0});
  OpBuilder::InsertionGuard guard(b);
  Block *entry = func.addEntryBlock(b);
  b.setInsertionPointToStart(entry);
  chunks.emitTables(b, name);
  b.setInsertionPointToEnd(entry);
  Value tensors = entry->getArgument(shared);
  Number thread = sm80::threadId(b);
  Values sharedNumbers;
  for (auto [input, argument] :
       llvm::zip(inputs.take_front(shared), entry->getArguments()))
    sharedNumbers.push_back(
        loadNumber(b, argument, getElementTypeOrSelf(input.value.getType())));

  b.loop(sm80::blockId(b), b.number(chunks.size()), sm80::blockCount(b),
         [&](Number chunk) {
           Number loop = chunks.findTensor(b, chunk);
           TensorChunks::Part part = chunks.getPart(b, loop, chunk, kChunk);
           Number row = loop * (ins + outs);
           int64_t place = 0;
           auto getPointer = [&] {
             return b.load(b.pointer(1),
                           b.element(tensors, b.pointer(1), b.number(0),
                                     b.number(0), row + place++),
                           kPointerBytes);
           };
           auto getChunk = [&](Type element) -> Value {
             return b.element(getPointer(), getStorage(element), b.number(0),
                              b.number(0), part.first);
           };
           columns.clear();
           results.clear();
           const Value *next = sharedNumbers.begin();
           for (auto [column, isShared] :
                llvm::zip_equal(first.getColumns(), isShared))
             columns.push_back(
                 isShared ? *next++
                 : column.isNumber
                     ? loadNumber(b, getPointer(), column.getElement())
                     : getChunk(column.getElement()));
           for (Type type : first.getOperation()->getResultTypes())
             results.push_back(getChunk(getElementTypeOrSelf(type)));
           Number whole = lanes == 1 ? b.number(0) : part.count / lanes;
           if (lanes > 1)
             b.loop(thread, whole, b.number(kThreads),
                    [&](Number group) { emitElements(group * lanes, lanes); });
           b.loop(whole * lanes + thread, part.count, b.number(kThreads),
                  [&](Number element) { emitElements(element, 1); });
         });
  LLVM::ReturnOp::create(b, ValueRange());
}

gpu::GPUModuleOp MultiTensorKernel::emit(OpBuilder &builder,
                                         StringRef name) const {
  Location loc = loops[0].getOperation()->getLoc();
  auto module = gpu::GPUModuleOp::create(builder, loc, name);
  DeviceBuilder b(loc, builder);
  b.setInsertionPointToStart(module.getBody());
  MultiTensorEmitter(b, loops, isShared).emit(name, inputs, outputs);
  numberLaunches(module);
  return module;
}
