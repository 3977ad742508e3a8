//===- CountTraffic.cpp - Bytes that a step moves, and has to -------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two numbers for each train step, left on the module. On tensors, before
// anything is fused: the bytes that no plan can do without
// (amp/Fusion/StepTraffic.h). On buffers, when each kernel is a function of its
// own: what kernels read and write, in the order in which they do. Of a buffer
// counts
//
//   read      its bytes, if a kernel reads it before it has written it
//   written   its bytes, if a kernel writes it
//   gathered  an element for each point of the loops, at most all of it
//
// What a kernel wrote and reads again is close (a tile), and so is what a
// product packs. A kernel in a loop counts for each round, if their number is
// known, and of branches the one that moves most: a step that is taken.
//
// On a device kernels are no functions, and say only which buffers they are
// given: each of them counts once for each launch, but for those that only a
// skipped step reads. Where a kernel says that it accesses a part, that counts.
// What a contraction's kernel reads and writes for the contraction is known
// there (kContractionAttr): the rest is what memory binds.
//
//===----------------------------------------------------------------------===//

#include "amp/Analysis/BufferRoots.h"
#include "amp/Conversion/Host/Passes.h"
#include "amp/Dialect/Amp/IR/AmpDialect.h"
#include "amp/Fusion/StepTraffic.h"
#include "amp/Program/ProgramSignature.h"
#include "amp/Support/ShapedBytes.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/StringSet.h"

#include <numeric>

#define DEBUG_TYPE "amp-count-traffic"

namespace mlir::amp {
#define GEN_PASS_DEF_COUNTLEASTTRAFFICPASS
#define GEN_PASS_DEF_COUNTKERNELTRAFFICPASS
#define GEN_PASS_DEF_COUNTLAUNCHTRAFFICPASS
#include "amp/Conversion/Host/Passes.h.inc"
} // namespace mlir::amp

using namespace mlir;
using namespace mlir::amp;

namespace {
/// What a kernel does to the buffers that it is given.
class KernelTraffic {
public:
  explicit KernelTraffic(func::FuncOp kernel) {
    kernel.walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (auto copy = dyn_cast<memref::CopyOp>(op)) {
        read(copy.getSource());
        write(copy.getTarget());
      } else if (auto structured = dyn_cast<linalg::LinalgOp>(op)) {
        addStructured(structured);
        return WalkResult::skip();
      }
      return WalkResult::advance();
    });
  }

  int64_t countBytes() const {
    int64_t bytes = gathered;
    for (Value buffer : readFirst)
      bytes += countBufferBytes(buffer);
    for (Value buffer : written)
      bytes += countBufferBytes(buffer);
    return bytes;
  }

private:
  /// The argument that `buffer` is a view of; null for the kernel's own.
  static Value getGiven(Value buffer) {
    buffer = getBufferRoot(buffer);
    return isa<BlockArgument>(buffer) && isa<MemRefType>(buffer.getType())
               ? buffer
               : Value();
  }
  void read(Value buffer) {
    Value given = getGiven(buffer);
    if (given && !written.contains(given))
      readFirst.insert(given);
  }
  void write(Value buffer) {
    if (Value given = getGiven(buffer))
      written.insert(given);
  }

  void addStructured(linalg::LinalgOp op) {
    for (OpOperand &operand : op->getOpOperands())
      if (isa<MemRefType>(operand.get().getType()) &&
          op.payloadUsesValueFromOperand(&operand))
        read(operand.get());
    for (OpOperand &output : op.getDpsInitsMutable())
      write(output.get());
    SmallVector<int64_t> ranges = op.getStaticLoopRanges();
    int64_t points = ShapedType::isDynamicShape(ranges)
                         ? 0
                         : ShapedType::getNumElements(ranges);
    for (auto forall = op->getParentOfType<scf::ForallOp>(); forall;
         forall = forall->getParentOfType<scf::ForallOp>())
      for (auto [end, step] :
           llvm::zip_equal(forall.getMixedUpperBound(), forall.getMixedStep()))
        points *= llvm::divideCeil(getConstantIntValue(end).value_or(0),
                                   getConstantIntValue(step).value_or(1));
    op->walk([&](memref::LoadOp load) {
      if (Value given = getGiven(load.getMemRef()))
        gathered += std::min(countBufferBytes(given),
                             points * getElementBytes(load.getType()));
    });
  }

  llvm::SetVector<Value> readFirst, written;
  int64_t gathered = 0;
};
} // namespace

/// The train step, or null.
static func::FuncOp findTrainStep(ModuleOp module) {
  for (auto function : module.getOps<func::FuncOp>())
    if (isTrainStep(function))
      return function;
  return {};
}

namespace {
/// Bytes that are moved, and those of them that no contraction has to move.
struct Bytes {
  int64_t all = 0, memoryBound = 0;

  Bytes operator+(const Bytes &other) const {
    return {all + other.all, memoryBound + other.memoryBound};
  }
  Bytes operator*(int64_t times) const {
    return {all * times, memoryBound * times};
  }
  bool operator<(const Bytes &other) const { return all < other.all; }
};

/// Bytes that a step moves, of what its operations move.
class StepBytes {
public:
  virtual ~StepBytes() = default;

  Bytes countBytes(Region &region) {
    Bytes bytes;
    for (Operation &op : region.getOps())
      bytes = bytes + countBytes(op);
    return bytes;
  }

protected:
  /// Those that `op` moves besides what its regions do.
  virtual Bytes countOwn(Operation &op) = 0;

private:
  Bytes countBytes(Operation &op) {
    SmallVector<Bytes> regions{Bytes()};
    for (Region &region : op.getRegions())
      regions.push_back(countBytes(region));
    if (isa<scf::IfOp, scf::IndexSwitchOp>(op))
      return *llvm::max_element(regions);
    Bytes bytes = std::accumulate(regions.begin(), regions.end(), countOwn(op));
    auto loop = dyn_cast<scf::ForOp>(op);
    std::optional<llvm::APInt> rounds =
        loop ? loop.getStaticTripCount() : std::nullopt;
    return rounds ? bytes * rounds->getSExtValue() : bytes;
  }
};

/// Of kernels that are functions; what of it contractions have to move is not
/// asked.
class StepKernels : public StepBytes {
  Bytes countOwn(Operation &op) override {
    auto call = dyn_cast<func::CallOp>(op);
    auto callee = call ? symbols.lookupNearestSymbolFrom<func::FuncOp>(
                             call, call.getCalleeAttr())
                       : func::FuncOp();
    if (!callee || callee.isExternal())
      return {};
    auto [known, isNew] = bytesOf.try_emplace(callee, 0);
    if (isNew)
      known->second = KernelTraffic(callee).countBytes();
    return {known->second, 0};
  }

  SymbolTableCollection symbols;
  llvm::DenseMap<func::FuncOp, int64_t> bytesOf;
};

/// Of launches and copies.
class StepLaunches : public StepBytes {
  Bytes countOwn(Operation &op) override {
    if (!isa<LaunchKernelsOp, memref::CopyOp>(op))
      return {};
    auto launch = dyn_cast<LaunchKernelsOp>(op);
    llvm::StringMap<int64_t> accessed;
    llvm::StringSet<> ofContraction;
    if (launch)
      if (Operation *kernels = symbols.lookupNearestSymbolFrom(
              launch, launch.getKernelsAttr())) {
        accessed = getAccessedBytes(kernels);
        for (StringRef name : getConditionalMemory(kernels))
          accessed[name] = 0;
        if (auto own = kernels->getAttrOfType<ArrayAttr>(kContractionAttr))
          for (auto name : own.getAsRange<StringAttr>())
            ofContraction.insert(name);
      }
    // A buffer of which a launch reads several parts is one operand for each.
    llvm::SmallMapVector<Value, Bytes, 8> buffers;
    for (OpOperand &operand : op.getOpOperands()) {
      if (!isa<MemRefType>(operand.get().getType()))
        continue;
      const StringRef name =
          launch ? launch.getOperandName(operand.getOperandNumber())
                 : StringRef();
      int64_t bytes = countViewedBytes(operand.get());
      if (auto some = accessed.find(name); some != accessed.end())
        bytes = std::min(bytes, some->second);
      Bytes &most = buffers[operand.get()];
      most.all = std::max(most.all, bytes);
      if (!ofContraction.contains(name))
        most.memoryBound = std::max(most.memoryBound, bytes);
    }
    Bytes bytes;
    for (auto [buffer, ofBuffer] : buffers)
      bytes = bytes + ofBuffer;
    return bytes;
  }

  SymbolTableCollection symbols;
};
} // namespace

/// Leaves a number of bytes on `module`.
static void setBytes(ModuleOp module, StringRef name, int64_t bytes) {
  module->setAttr(name, Builder(module.getContext()).getI64IntegerAttr(bytes));
}

namespace {
struct CountLeastTraffic
    : public amp::impl::CountLeastTrafficPassBase<CountLeastTraffic> {
  void runOnOperation() override {
    func::FuncOp step = findTrainStep(getOperation());
    if (!step || step.isExternal())
      return;
    auto results = step->getAttrOfType<DictionaryAttr>(kSignatureAttr)
                       .getAs<ArrayAttr>("results");
    SmallVector<unsigned> losses;
    for (unsigned number = 0, e = step.getNumResults();
         results && number < std::min<size_t>(e, results.size()); ++number) {
      auto role =
          cast<DictionaryAttr>(results[number]).getAs<StringAttr>("role");
      if (role && role == "loss")
        losses.push_back(number);
    }
    const LeastTraffic least = countLeastTraffic(step, losses);
    setBytes(getOperation(), kLeastTrafficAttr, least.bytes);
    setBytes(getOperation(), kLeastMemoryBoundAttr, least.memoryBound);
  }
};

struct CountKernelTraffic
    : public amp::impl::CountKernelTrafficPassBase<CountKernelTraffic> {
  void runOnOperation() override {
    if (func::FuncOp step = findTrainStep(getOperation()))
      setBytes(getOperation(), kKernelTrafficAttr,
               StepKernels().countBytes(step.getBody()).all);
  }
};

struct CountLaunchTraffic
    : public amp::impl::CountLaunchTrafficPassBase<CountLaunchTraffic> {
  void runOnOperation() override {
    func::FuncOp step = findTrainStep(getOperation());
    if (!step)
      return;
    const Bytes bytes = StepLaunches().countBytes(step.getBody());
    setBytes(getOperation(), kKernelTrafficAttr, bytes.all);
    setBytes(getOperation(), kKernelMemoryBoundAttr, bytes.memoryBound);
  }
};
} // namespace
