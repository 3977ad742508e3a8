//===- MultiTensorKernel.cpp - One kernel for many tensors ----------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The tensors of all loops, one behind the other, are cut into chunks, none of
// which has elements of two loops. Blocks walk over the chunks. Where a chunk
// lies, a block finds by halving in a constant table of each loop's first
// chunk; the addresses of the loop's tensors it takes from the kernel's
// parameters, which are a table too.
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
                         kAccessBytes = 16, kMostLanes = 8, kPointerBytes = 8;

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
    int64_t narrowest = kAccessBytes;
    auto look = [&](Type element) {
      narrowest = std::min(narrowest, getBytes(element));
    };
    for (const ElementwiseLoop::Column &column : loops[0].getColumns())
      if (!column.isNumber)
        look(column.getElement());
    for (Type type : loops[0].getOperation()->getResultTypes())
      look(getElementTypeOrSelf(type));
    lanes = std::min(kMostLanes, kAccessBytes / narrowest);
  }

  void emit(StringRef name, ArrayRef<ElementKernel::Input> inputs,
            ArrayRef<std::string> outputs);

private:
  using Values = SmallVector<Value>;

  static int64_t getBytes(Type element) {
    return llvm::divideCeil(getStorage(element).getIntOrFloatBitWidth(), 8);
  }
  /// A constant table of numbers.
  Value addTable(const Twine &name, ArrayRef<int32_t> numbers);
  Number lookUp(Value table, Number index) {
    return b.number(b.load(
        b.getI32Type(),
        b.element(table, b.getI32Type(), b.number(0), b.number(0), index),
        /*alignment=*/4));
  }
  /// The last loop whose first chunk is not behind `chunk`.
  Number findLoop(Value firstChunks, Number chunk);
  /// `count` elements from `place` on, one access for each 16 bytes; zeros
  /// without an access unless `condition` holds, if there is one.
  Values load(Value base, Type element, Number place, int64_t count,
              Value condition);
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

Value MultiTensorEmitter::addTable(const Twine &name,
                                   ArrayRef<int32_t> numbers) {
  OpBuilder::InsertionGuard guard(b);
  auto kernel = b.getBlock()->getParent()->getParentOfType<LLVM::LLVMFuncOp>();
  b.setInsertionPoint(kernel);
  auto type = RankedTensorType::get(numbers.size(), b.getI32Type());
  auto table = LLVM::GlobalOp::create(
      b, LLVM::LLVMArrayType::get(b.getI32Type(), numbers.size()),
      /*isConstant=*/true, LLVM::Linkage::Internal, name.str(),
      DenseElementsAttr::get(type, numbers), /*alignment=*/4, /*addrSpace=*/4);
  b.setInsertionPointToStart(&kernel.front());
  return LLVM::AddressOfOp::create(b, b.pointer(4), table.getSymName());
}

Number MultiTensorEmitter::findLoop(Value firstChunks, Number chunk) {
  Number found = b.number(0);
  for (int64_t step = llvm::PowerOf2Ceil(loops.size()) / 2; step > 0;
       step /= 2) {
    Number next = found + step;
    found = b.select(lookUp(firstChunks, next) <= chunk, next, found);
  }
  return found;
}

Value MultiTensorEmitter::getCondition(const ElementwiseLoop::Column &column) {
  if (!column.condition)
    return {};
  Value number = columns[*column.condition];
  if (column.isWanted)
    return number;
  Value yes = arith::ConstantOp::create(b, b.getBoolAttr(true));
  return arith::XOrIOp::create(b, number, yes);
}

MultiTensorEmitter::Values MultiTensorEmitter::load(Value base, Type element,
                                                    Number place, int64_t count,
                                                    Value condition) {
  Type storage = getStorage(element);
  const int64_t bytes = getBytes(element),
                width = std::min(count, kAccessBytes / bytes);
  Values values;
  for (int64_t i = 0; i < count; i += width) {
    Value address =
        b.element(base, storage, b.number(0), b.number(0), place + i);
    Type type = width == 1 ? storage : VectorType::get(width, storage);
    Value vector = condition ? b.loadIf(condition, type, address, width * bytes)
                             : b.load(type, address, width * bytes);
    for (int64_t lane = 0; lane < width; ++lane)
      values.push_back(fromStorage(
          b, width == 1 ? vector : b.extract(vector, lane), element));
  }
  return values;
}

void MultiTensorEmitter::store(ArrayRef<Value> values, Value base,
                               Number place) {
  const int64_t count = values.size(), bytes = getBytes(values[0].getType()),
                width = std::min(count, kAccessBytes / bytes);
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
    read.push_back(column.isNumber ? Values(count, value)
                                   : load(value, column.getElement(), place,
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
  SmallVector<int32_t> firstChunks, counts;
  int64_t chunks = 0;
  for (auto [i, loop] : llvm::enumerate(loops)) {
    for (auto [input, conditional] :
         llvm::zip_equal(inputs.slice(shared + i * ins, ins), isConditional))
      addEntry(input.name, input.value.getType(), conditional);
    for (auto [out, type] :
         llvm::zip_equal(outputs.slice(i * outs, outs),
                         loop.getOperation()->getResultTypes()))
      addEntry(out, type, /*isConditional=*/false);
    firstChunks.push_back(chunks);
    counts.push_back(loop.getCount());
    chunks += llvm::divideCeil(loop.getCount(), kChunk);
  }
  // What is looked up behind the last loop is behind each chunk.
  firstChunks.resize(llvm::PowerOf2Ceil(loops.size()), chunks);
  signature.addTable("tensors", entries);
  auto func = signature.createKernel(name, {{chunks, kBlocksPerMultiprocessor},
                                            kThreads,
                                            kResidentBlocks,
                                            /*cluster=*/1,
                                            /*sharedMemory=*/0,
                                            /*order=*/0});
  OpBuilder::InsertionGuard guard(b);
  Block *entry = func.addEntryBlock(b);
  b.setInsertionPointToStart(entry);
  Value chunkTable = addTable(name + "_chunks", firstChunks),
        countTable = addTable(name + "_counts", counts);
  b.setInsertionPointToEnd(entry);
  Value tensors = entry->getArgument(shared);
  Number thread = sm80::threadId(b);
  Values sharedNumbers;
  for (auto [input, argument] :
       llvm::zip(inputs.take_front(shared), entry->getArguments()))
    sharedNumbers.push_back(
        loadNumber(b, argument, getElementTypeOrSelf(input.value.getType())));

  b.loop(sm80::blockId(b), b.number(chunks), sm80::blockCount(b),
         [&](Number chunk) {
           Number loop = findLoop(chunkTable, chunk),
                  begin = (chunk - lookUp(chunkTable, loop)) * kChunk,
                  size = min(lookUp(countTable, loop) - begin, kChunk),
                  row = loop * (ins + outs);
           int64_t place = 0;
           auto getPointer = [&] {
             return b.load(b.pointer(1),
                           b.element(tensors, b.pointer(1), b.number(0),
                                     b.number(0), row + place++),
                           kPointerBytes);
           };
           auto getChunk = [&](Type element) -> Value {
             return b.element(getPointer(), getStorage(element), b.number(0),
                              b.number(0), begin);
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
           Number whole = lanes == 1 ? b.number(0) : size / lanes;
           if (lanes > 1)
             b.loop(thread, whole, b.number(kThreads),
                    [&](Number group) { emitElements(group * lanes, lanes); });
           b.loop(whole * lanes + thread, size, b.number(kThreads),
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
