//===- TensorSumKernel.cpp - The sums of many tensors as one launch -------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A block walks over chunks of 32 KiB, whatever tensors they are of. A thread
// adds up the elements that it reads, 16 bytes at once, in their order; a warp
// by shuffles, and one thread what warps have left in shared memory, in their
// order. Of each tensor a warp then adds up the chunks, each lane every 32nd in
// order, and again by shuffles.
//
//===----------------------------------------------------------------------===//

#include "amp/Kernels/TensorSumKernel.h"

#include "Device/Sm80Instructions.h"
#include "Elements/ElementRules.h"
#include "Elements/GenericBody.h"
#include "Elements/TensorChunks.h"
#include "Elements/WideAccess.h"

using namespace mlir;
using namespace mlir::amp;

static constexpr int64_t kThreads = 256, kWarp = 32, kWarps = kThreads / kWarp;
/// Accesses of a thread to a whole chunk.
static constexpr int64_t kAccesses = 8;
static constexpr int64_t kBlocksPerMultiprocessor = 4;

int64_t TensorSumKernel::getMostTensors(int64_t bytes, int64_t numbers) {
  // The first kernel has the addresses of the tensors beside those of the
  // numbers and of the sums of chunks; the second one for each result.
  return std::max<int64_t>(0, bytes / kPointerBytes - numbers - 1);
}

static ChunkReader getReader(const TensorSum &sum) {
  return {sum.getElement(), kThreads, kAccesses};
}

TensorSumKernel::TensorSumKernel(ArrayRef<TensorSum> sums) : sums(sums) {
  for (const TensorSum &sum : sums)
    numChunks += llvm::divideCeil(sum.getCount(), getReader(sum).getElements());
  for (auto [i, number] : llvm::enumerate(sums.front().getNumbers()))
    inputs.push_back({"number" + std::to_string(i), number});
  for (auto [i, sum] : llvm::enumerate(sums))
    inputs.push_back({"in" + std::to_string(i), sum.getTensor()});
}

namespace {
class TensorSumEmitter {
public:
  TensorSumEmitter(DeviceBuilder &b, ArrayRef<TensorSum> sums)
      : b(b), sums(sums), form(sums.front()), reader(getReader(form)) {
    for (const TensorSum &sum : sums)
      chunks.add(sum.getCount(), reader.getElements());
  }

  /// The kernel that adds up each chunk, and the one that adds up chunks.
  void emitParts(StringRef name, ArrayRef<ElementKernel::Input> inputs);
  void emitSums(StringRef name, ArrayRef<std::string> outputs);

private:
  using Values = SmallVector<Value>;

  Value sumOverWarp(Value sum) {
    for (int64_t bit = kWarp / 2; bit > 0; bit /= 2)
      sum = arith::AddFOp::create(b, sum, sm80::shuffleXor(b, sum, bit));
    return sum;
  }
  Value word(Value base, Number place) {
    return b.element(base, b.getF32Type(), b.number(0), b.number(0), place);
  }

  DeviceBuilder &b;
  ArrayRef<TensorSum> sums;
  /// One of them: what it computes of an element, all do.
  const TensorSum &form;
  ChunkReader reader;
  TensorChunks chunks;
  Values numbers;
  Number thread;
};
} // namespace

void TensorSumEmitter::emitParts(StringRef name,
                                 ArrayRef<ElementKernel::Input> inputs) {
  KernelSignature signature(b);
  const size_t count = form.getNumbers().size();
  for (const ElementKernel::Input &input : inputs.take_front(count))
    addMemory(signature, input.name, input.value.getType());
  signature.addPartSums("parts", chunks.size());
  SmallVector<KernelSignature::TableEntry> entries;
  for (auto [input, sum] : llvm::zip_equal(inputs.drop_front(count), sums))
    entries.push_back({input.name, getStorage(sum.getElement()), sum.getCount(),
                       /*isConditional=*/false});
  signature.addTable("tensors", entries);
  std::string symbol = (name + "_memory").str();
  LLVM::GlobalOp::create(b, LLVM::LLVMArrayType::get(b.getI8Type(), 0),
                         /*isConstant=*/false, LLVM::Linkage::External, symbol,
                         Attribute(), kWideBytes, /*addrSpace=*/3);
  auto func =
      signature.createKernel(name, {{chunks.size(), kBlocksPerMultiprocessor},
                                    kThreads,
                                    kBlocksPerMultiprocessor,
                                    /*cluster=*/1,
                                    /*sharedMemory=*/kWarps * 4,
                                    /*order=*/0});
  OpBuilder::InsertionGuard guard(b);
  Block *entry = func.addEntryBlock(b);
  b.setInsertionPointToStart(entry);
  chunks.emitTables(b, name);
  b.setInsertionPointToEnd(entry);
  Value memory = LLVM::AddressOfOp::create(b, b.pointer(3), symbol);
  thread = sm80::threadId(b);
  for (auto [number, argument] :
       llvm::zip(form.getNumbers(), entry->getArguments()))
    numbers.push_back(loadNumber(b, argument, number.getType()));
  Value parts = entry->getArgument(count),
        table = entry->getArgument(count + 1);
  Type f32 = b.getF32Type();
  b.loop(sm80::blockId(b), b.number(chunks.size()), sm80::blockCount(b),
         [&](Number chunk) {
           Number tensor = chunks.findTensor(b, chunk);
           Value ofWarp = sumOverWarp(
               reader.fold(b, chunks, table, tensor, chunk, thread, b.zero(f32),
                           [&](ArrayRef<Value> elements, Value sum) {
                             for (Value element : elements)
                               sum = form.emitElement(b, element, numbers, sum);
                             return sum;
                           }));
           b.branch(thread % kWarp == 0,
                    [&] { b.store(ofWarp, word(memory, thread / kWarp), 4); });
           sm80::blockBarrier(b);
           b.branch(thread == 0, [&] {
             Value sum = b.load(f32, word(memory, b.number(0)), 4);
             for (int64_t warp = 1; warp < kWarps; ++warp)
               sum = arith::AddFOp::create(
                   b, sum, b.load(f32, word(memory, b.number(warp)), 4));
             b.store(sum, word(parts, chunk), 4);
           });
           // The next chunk uses the same memory.
           sm80::blockBarrier(b);
         });
  LLVM::ReturnOp::create(b, ValueRange());
}

void TensorSumEmitter::emitSums(StringRef name, ArrayRef<std::string> outputs) {
  KernelSignature signature(b);
  signature.addPartSums("parts", chunks.size());
  SmallVector<KernelSignature::TableEntry> entries;
  for (const std::string &output : outputs)
    entries.push_back({output, b.getF32Type(), 1, /*isConditional=*/false});
  signature.addTable("sums", entries);
  const int64_t tensors = sums.size(),
                blocks = llvm::divideCeil(tensors, kWarps);
  auto func = signature.createKernel(name, {{blocks, kBlocksPerMultiprocessor},
                                            kThreads,
                                            kBlocksPerMultiprocessor,
                                            /*cluster=*/1,
                                            /*sharedMemory=*/0,
                                            /*order=*/1});
  OpBuilder::InsertionGuard guard(b);
  Block *entry = func.addEntryBlock(b);
  b.setInsertionPointToStart(entry);
  chunks.emitTables(b, name);
  b.setInsertionPointToEnd(entry);
  thread = sm80::threadId(b);
  Value parts = entry->getArgument(0), table = entry->getArgument(1);
  Type f32 = b.getF32Type();
  Number lane = thread % kWarp;
  // Warps stay together: all lanes of one have the same tensor.
  b.loop(sm80::blockId(b) * kWarps + thread / kWarp, b.number(tensors),
         sm80::blockCount(b) * kWarps, [&](Number tensor) {
           TensorChunks::Run run =
               chunks.getChunks(b, tensor, reader.getElements());
           Value ofLane = b.loop(
               lane, run.count, b.number(kWarp), b.zero(f32),
               [&](Number i, ValueRange soFar) -> Values {
                 return {arith::AddFOp::create(
                     b, soFar[0], b.load(f32, word(parts, run.first + i), 4))};
               })[0];
           Value sum = sumOverWarp(ofLane);
           b.branch(lane == 0, [&] {
             Value address = b.element(table, b.pointer(1), b.number(0),
                                       b.number(0), tensor);
             b.store(sum, b.load(b.pointer(1), address, kPointerBytes), 4);
           });
         });
  LLVM::ReturnOp::create(b, ValueRange());
}

SmallVector<std::string> TensorSumKernel::getOutputNames() const {
  SmallVector<std::string> names;
  for (size_t i = 0; i < sums.size(); ++i)
    names.push_back("out" + std::to_string(i));
  names.push_back("parts");
  return names;
}

SmallVector<Type> TensorSumKernel::getOutputTypes() const {
  SmallVector<Type> types;
  for (const TensorSum &sum : sums)
    types.push_back(sum.getOperation().getResult(0).getType());
  types.push_back(
      RankedTensorType::get({numChunks}, getElementTypeOrSelf(types.front())));
  return types;
}

gpu::GPUModuleOp TensorSumKernel::emit(OpBuilder &builder,
                                       StringRef name) const {
  Location loc = sums.front().getOperation().getLoc();
  auto module = gpu::GPUModuleOp::create(builder, loc, name);
  DeviceBuilder b(loc, builder);
  b.setInsertionPointToStart(module.getBody());
  TensorSumEmitter emitter(b, sums);
  emitter.emitParts((name + "_parts").str(), inputs);
  b.setInsertionPointToEnd(module.getBody());
  SmallVector<std::string> outputs = getOutputNames();
  emitter.emitSums(name, ArrayRef(outputs).drop_back());
  numberLaunches(module);
  return module;
}
