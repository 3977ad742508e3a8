//===- OrReductionKernel.cpp - Bits that elements of many tensors have ----===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The tensors are cut into chunks (TensorChunks.h) of as many bytes, over which
// blocks walk: each block has its share of all elements, however they are
// divided among tensors. Chunks of one computation follow one another, so that
// a block finds the computation by comparing the chunk's number.
//
// A thread has two accesses of 16 bytes of a chunk on their way at once, and
// goes element by element at a tensor's end. Memory begins at multiples of 16
// bytes (amp-rt/Program.h), and chunks are multiples of that. It keeps its bits
// in a register over all chunks; then lanes of a warp or theirs, and one of
// them ors into memory, atomically, what is not 0: an integer, so each order of
// warps leaves the same.
//
// What is there before, a kernel of its own writes, as no block of a grid knows
// when the others begin; kernels of a launch run one after the other.
//
//===----------------------------------------------------------------------===//

#include "amp/Kernels/OrReductionKernel.h"

#include "Device/Sm80Instructions.h"
#include "Elements/ElementRules.h"
#include "Elements/GenericBody.h"
#include "Elements/TensorChunks.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::amp;

static constexpr int64_t kThreads = 256, kWarp = 32;
/// Accesses of a thread that are on their way at once. As 2048 threads of a
/// multiprocessor run, that is more than the latency of memory takes.
static constexpr int64_t kAccesses = 2;
/// All threads that a multiprocessor has.
static constexpr int64_t kBlocksPerMultiprocessor = 8;

int64_t OrReductionKernel::getMostTensors(int64_t bytes) {
  // Beside the address of the result.
  return std::max<int64_t>(0, bytes / kPointerBytes - 1);
}

/// The only element of a tensor, if it is known.
static std::optional<int64_t> getKnownElement(Value tensor) {
  if (auto fill = tensor.getDefiningOp<linalg::FillOp>())
    return getConstantIntValue(fill.getInputs()[0]);
  DenseIntElementsAttr elements;
  if (matchPattern(tensor, m_Constant(&elements)))
    return (*elements.begin()).getSExtValue();
  return std::nullopt;
}

OrReductionKernel::OrReductionKernel(ArrayRef<OrReduction> ored, Value begin)
    : start(getKnownElement(begin)) {
  SmallVector<SmallVector<OrReduction>> alike;
  for (const OrReduction &reduction : ored) {
    if (reduction.getCount() == 0)
      continue;
    auto *known =
        llvm::find_if(alike, [&](const SmallVector<OrReduction> &others) {
          return reduction.computesAs(others.front());
        });
    if (known == alike.end())
      known = &alike.emplace_back();
    known->push_back(reduction);
  }
  for (ArrayRef<OrReduction> others : alike)
    llvm::append_range(reductions, others);
  for (auto [i, reduction] : llvm::enumerate(reductions))
    inputs.push_back({"in" + std::to_string(i), reduction.getTensor()});
  if (!start)
    inputs.push_back({"start0", begin});
}

namespace {
class OrReductionEmitter {
public:
  OrReductionEmitter(DeviceBuilder &b, ArrayRef<OrReduction> reductions)
      : b(b), reductions(reductions) {
    for (auto [i, reduction] : llvm::enumerate(reductions)) {
      chunks.add(reduction.getCount(), getReader(reduction).getElements());
      if (i + 1 == reductions.size() ||
          !reduction.computesAs(reductions[i + 1]))
        computations.push_back({reduction, chunks.size()});
    }
  }

  void emit(StringRef name, ArrayRef<ElementKernel::Input> inputs,
            StringRef output);

private:
  using Values = SmallVector<Value>;

  /// Reductions that compute the same: one of them, and the first chunk behind
  /// theirs.
  struct Computation {
    OrReduction reduction;
    int64_t end;
  };

  static ChunkReader getReader(const OrReduction &reduction) {
    return {reduction.getElement(), kThreads, kAccesses};
  }

  /// `bits`, and those of chunk `chunk`, which is of `computations` or one
  /// behind them.
  Value emitChunk(ArrayRef<Computation> computations, Number chunk,
                  Number tensor, Value bits);
  /// The same of one of them.
  Value emitChunk(const OrReduction &reduction, Number chunk, Number tensor,
                  Value bits);

  DeviceBuilder &b;
  ArrayRef<OrReduction> reductions;
  TensorChunks chunks;
  SmallVector<Computation> computations;
  /// Addresses of the tensors.
  Value table;
  Number thread;
};
} // namespace

Value OrReductionEmitter::emitChunk(const OrReduction &reduction, Number chunk,
                                    Number tensor, Value bits) {
  return getReader(reduction).fold(
      b, chunks, table, tensor, chunk, thread, bits,
      [&](ArrayRef<Value> elements, Value soFar) {
        for (Value element : elements)
          soFar = reduction.emitElement(b, element, soFar);
        return soFar;
      });
}

Value OrReductionEmitter::emitChunk(ArrayRef<Computation> computations,
                                    Number chunk, Number tensor, Value bits) {
  const Computation &first = computations.front();
  if (computations.size() == 1)
    return emitChunk(first.reduction, chunk, tensor, bits);
  return b.either(
      chunk < first.end,
      [&]() -> Values {
        return {emitChunk(first.reduction, chunk, tensor, bits)};
      },
      [&]() -> Values {
        return {emitChunk(computations.drop_front(), chunk, tensor, bits)};
      })[0];
}

void OrReductionEmitter::emit(StringRef name,
                              ArrayRef<ElementKernel::Input> inputs,
                              StringRef output) {
  KernelSignature signature(b);
  signature.addBuffer(output, b.getI32Type(), 1);
  SmallVector<KernelSignature::TableEntry> entries;
  for (auto [input, reduction] : llvm::zip(inputs, reductions))
    entries.push_back({input.name, getStorage(reduction.getElement()),
                       reduction.getCount(), /*isConditional=*/false});
  signature.addTable("tensors", entries);
  auto func =
      signature.createKernel(name, {{chunks.size(), kBlocksPerMultiprocessor},
                                    kThreads,
                                    kBlocksPerMultiprocessor,
                                    /*cluster=*/1,
                                    /*sharedMemory=*/0,
                                    /*order=*/0});
  OpBuilder::InsertionGuard guard(b);
  Block *entry = func.addEntryBlock(b);
  b.setInsertionPointToStart(entry);
  chunks.emitTables(b, name);
  b.setInsertionPointToEnd(entry);
  table = entry->getArgument(1);
  thread = sm80::threadId(b);
  Values bits = b.loop(
      sm80::blockId(b), b.number(chunks.size()), sm80::blockCount(b),
      b.zero(b.getI32Type()), [&](Number chunk, ValueRange soFar) -> Values {
        return {emitChunk(computations, chunk, chunks.findTensor(b, chunk),
                          soFar[0])};
      });
  Number ofWarp = b.number(sm80::orOverWarp(b, bits[0]));
  b.branch(b.both(thread % kWarp == 0, b.number(0) < ofWarp), [&] {
    LLVM::AtomicRMWOp::create(b, LLVM::AtomicBinOp::_or, entry->getArgument(0),
                              ofWarp, LLVM::AtomicOrdering::monotonic);
  });
  LLVM::ReturnOp::create(b, ValueRange());
}

void OrReductionKernel::emitStart(OpBuilder &builder, StringRef name) const {
  DeviceBuilder b(reductions.front().getOperation().getLoc(), builder);
  KernelSignature signature(b);
  Type type = b.getI32Type();
  if (!start)
    signature.addBuffer(inputs.back().name, type, 1);
  signature.addBuffer(getOutputName(), type, 1);
  auto func = signature.createKernel(name, {{/*blocks=*/1},
                                            /*threads=*/1,
                                            /*minBlocks=*/1,
                                            /*cluster=*/1,
                                            /*sharedMemory=*/0,
                                            /*order=*/0});
  OpBuilder::InsertionGuard guard(b);
  Block *entry = func.addEntryBlock(b);
  b.setInsertionPointToStart(entry);
  Value first =
      start ? b.number(*start) : loadNumber(b, entry->getArgument(0), type);
  b.store(first, entry->getArguments().back(), getStorageBytes(type));
  LLVM::ReturnOp::create(b, ValueRange());
}

gpu::GPUModuleOp OrReductionKernel::emit(OpBuilder &builder,
                                         StringRef name) const {
  Location loc = reductions.front().getOperation().getLoc();
  auto module = gpu::GPUModuleOp::create(builder, loc, name);
  DeviceBuilder b(loc, builder);
  b.setInsertionPointToStart(module.getBody());
  emitStart(b, (name + "_start").str());
  b.setInsertionPointToEnd(module.getBody());
  OrReductionEmitter(b, reductions).emit(name, inputs, getOutputName());
  numberLaunches(module);
  return module;
}
