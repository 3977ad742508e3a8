//===- LoopKernel.cpp - Loops of numbers as one thread --------------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The operation is copied into the kernel as it is, and its loads and stores
// become those of device code. One thread runs it, in the order of the text: it
// is for what has no better kernel, so that no host waits for single elements.
//
//===----------------------------------------------------------------------===//

#include "amp/Kernels/LoopKernel.h"

#include "Device/Sm80Instructions.h"
#include "Elements/ElementRules.h"
#include "Elements/GenericBody.h"
#include "amp/Kernels/CopyKernel.h"
#include "amp/Kernels/DeviceFunctions.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mlir::amp;

static constexpr int64_t kThreads = 32;

/// Whether device code has an operation of the region.
static bool isKnown(Operation *op) {
  if (isa<scf::ForOp, scf::IfOp, scf::WhileOp, scf::YieldOp, scf::ConditionOp,
          memref::LoadOp, memref::StoreOp>(op) ||
      hasDeviceCode(op))
    return true;
  return isa_and_present<arith::ArithDialect>(op->getDialect()) &&
         op->getNumResults() == 1 &&
         op->getResult(0).getType().isIntOrIndexOrFloat();
}

/// What is wrong with a value from outside, or nothing.
static std::string checkOutside(Value value) {
  if (auto buffer = dyn_cast<MemRefType>(value.getType())) {
    std::string reason;
    (void)CopyKernel::match(buffer, buffer, reason);
    return reason;
  }
  return value.getType().isIndex() ? std::string() : checkRead(value);
}

std::optional<LoopKernel> LoopKernel::match(Operation *op,
                                            std::string &reason) {
  auto refuse = [&](const Twine &text) {
    reason = text.str();
    return std::nullopt;
  };
  if (op->getNumResults() != 0)
    return refuse("expected a loop or a branch without results, but got some");
  Operation *unknown = nullptr;
  llvm::SetVector<Value> outside, written;
  op->walk([&](Operation *inner) {
    if (!isKnown(inner))
      unknown = inner;
    if (auto store = dyn_cast<memref::StoreOp>(inner))
      written.insert(store.getMemRef());
  });
  if (unknown)
    return refuse(llvm::formatv("expected operations on numbers that kernels "
                                "have code for, but got '{0}'",
                                unknown->getName()));
  outside.insert_range(op->getOperands());
  getUsedValuesDefinedAbove(op->getRegions(), outside);
  LoopKernel kernel(op);
  for (Value value : outside) {
    if (isConstant(value))
      continue;
    if (std::string wrong = checkOutside(value); !wrong.empty())
      return refuse(wrong);
    SmallVector<Value> &list = !isa<MemRefType>(value.getType())
                                   ? kernel.numbers
                               : written.contains(value) ? kernel.writes
                                                         : kernel.reads;
    list.push_back(value);
  }
  return kernel;
}

namespace {
/// Replaces loads and stores of buffers by those of device code.
class Accesses {
public:
  explicit Accesses(DeviceBuilder &b) : b(b) {}

  void place(Value buffer, Value pointer) {
    places[buffer] =
        placeBuffer(b, pointer, cast<MemRefType>(buffer.getType()));
  }

  void rewrite(Operation *access) {
    b.setInsertionPoint(access);
    if (auto load = dyn_cast<memref::LoadOp>(access)) {
      Value value = loadElement(b, places.lookup(load.getMemRef()),
                                getIndices(load.getIndices()));
      load.replaceAllUsesWith(value);
    } else {
      auto store = cast<memref::StoreOp>(access);
      storeElement(b, store.getValueToStore(), places.lookup(store.getMemRef()),
                   getIndices(store.getIndices()));
    }
    access->erase();
  }

private:
  SmallVector<Number> getIndices(ValueRange indices) {
    return llvm::map_to_vector(indices, [&](Value index) {
      return b.number(
          b.createOrFold<arith::IndexCastOp>(b.getI32Type(), index));
    });
  }

  DeviceBuilder &b;
  llvm::DenseMap<Value, Place> places;
};
} // namespace

gpu::GPUModuleOp LoopKernel::emit(OpBuilder &builder, StringRef name) const {
  Location loc = op->getLoc();
  auto module = gpu::GPUModuleOp::create(builder, loc, name);
  DeviceBuilder b(loc, builder);
  b.setInsertionPointToStart(module.getBody());
  KernelSignature signature(b);
  auto addBuffers = [&](StringRef prefix, ArrayRef<Value> buffers) {
    for (auto [i, buffer] : llvm::enumerate(buffers)) {
      auto type = cast<MemRefType>(buffer.getType());
      signature.addBuffer((prefix + Twine(i)).str(),
                          getStorage(type.getElementType()), getSpan(type));
    }
  };
  auto getNumberType = [&](Value number) {
    return number.getType().isIndex() ? Type(b.getI64Type()) : number.getType();
  };
  addBuffers("in", reads);
  for (auto [i, number] : llvm::enumerate(numbers))
    signature.addBuffer(("number" + Twine(i)).str(),
                        getStorage(getNumberType(number)), 1);
  addBuffers("out", writes);
  auto func = signature.createKernel(name, {{/*blocks=*/1},
                                            kThreads,
                                            /*minBlocks=*/1,
                                            /*cluster=*/1,
                                            /*sharedMemory=*/0,
                                            /*order=*/0});
  Block *entry = func.addEntryBlock(b);
  b.setInsertionPointToStart(entry);
  Accesses accesses(b);
  IRMapping mapping;
  unsigned argument = 0;
  for (Value buffer : reads)
    accesses.place(buffer, entry->getArgument(argument++));
  for (Value number : numbers) {
    Type type = getNumberType(number);
    Value value = loadNumber(b, entry->getArgument(argument++), type);
    if (number.getType().isIndex())
      value = arith::IndexCastOp::create(b, b.getIndexType(), value);
    mapping.map(number, value);
  }
  for (Value buffer : writes)
    accesses.place(buffer, entry->getArgument(argument++));
  llvm::SetVector<Value> outside;
  outside.insert_range(op->getOperands());
  getUsedValuesDefinedAbove(op->getRegions(), outside);
  for (Value value : outside)
    if (isConstant(value))
      mapping.map(value, b.clone(*value.getDefiningOp())->getResult(0));
  b.branch(sm80::threadId(b) == 0, [&] {
    Operation *copy = b.clone(*op, mapping);
    SmallVector<Operation *> loadsAndStores;
    copy->walk([&](Operation *inner) {
      if (isa<memref::LoadOp, memref::StoreOp>(inner))
        loadsAndStores.push_back(inner);
    });
    for (Operation *access : loadsAndStores)
      accesses.rewrite(access);
    b.setInsertionPointAfter(copy);
  });
  b.setInsertionPointToEnd(entry);
  LLVM::ReturnOp::create(b, ValueRange());
  numberLaunches(module);
  return module;
}
