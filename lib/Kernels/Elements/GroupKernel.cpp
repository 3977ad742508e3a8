//===- GroupKernel.cpp - A block of threads for each tile -----------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Blocks walk over the tiles; GroupPlan says who computes what of one, and
// GroupEmitter writes it. Here is what has a kernel, and what it is given.
//
//===----------------------------------------------------------------------===//

#include "amp/Kernels/GroupKernel.h"

#include "Elements/ElementRules.h"
#include "Elements/GroupEmitter.h"
#include "Elements/GroupParts.h"
#include "amp/Kernels/Chip.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mlir::amp;

//===----------------------------------------------------------------------===//
// What has a kernel
//===----------------------------------------------------------------------===//

static std::string checkGeneric(linalg::GenericOp op) {
  if (!op.hasPureTensorSemantics() || op.getNumResults() == 0)
    return "expected operations whose results are tensors, but got one without";
  for (Value operand : op->getOperands())
    if (std::string wrong = checkRead(operand); !wrong.empty())
      return wrong;
  if (std::string wrong = checkLoops(op); !wrong.empty())
    return wrong;
  double iterations = 1;
  for (int64_t size : op.getStaticLoopRanges())
    iterations *= double(size);
  if (iterations > INT32_MAX)
    return "expected operations of less than 2^31 iterations, but got more";
  for (Operation &inner : *op.getBody())
    if (!isScalarOperation(inner))
      return llvm::formatv("expected operations on numbers that kernels have "
                           "code for, but got '{0}'",
                           inner.getName());
  return "";
}

/// Arithmetic that says where a tile is.
static bool isArithmetic(Operation &op) {
  return isa<affine::AffineApplyOp>(op) ||
         (isa_and_present<arith::ArithDialect>(op.getDialect()) &&
          op.getNumResults() == 1 && op.getNumRegions() == 0 &&
          op.getResult(0).getType().isIntOrIndexOrFloat());
}

/// What is wrong with an operation of the loop, or nothing.
static std::string checkOperation(Operation &op) {
  if (auto generic = dyn_cast<linalg::GenericOp>(op))
    return checkGeneric(generic);
  if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op)) {
    if (llvm::is_contained(slice.getStaticStrides(), ShapedType::kDynamic))
      return "expected slices with strides that are known, but got another";
  }
  bool isOfTensors = isa<tensor::EmptyOp>(op) || isView(&op);
  if (isOfTensors && isStaticTensor(op.getResult(0).getType()))
    return "";
  if (isArithmetic(op))
    return "";
  return llvm::formatv("expected slices, other shapes, linalg.generic and "
                       "arithmetic of static sizes, but got '{0}'",
                       op.getName());
}

/// What is wrong with the loop itself, or nothing.
static std::string checkLoop(scf::ForallOp loop) {
  auto isStatic = [](ArrayRef<int64_t> numbers) {
    return !llvm::is_contained(numbers, ShapedType::kDynamic);
  };
  if (!isStatic(loop.getStaticLowerBound()) ||
      !isStatic(loop.getStaticUpperBound()) || !isStatic(loop.getStaticStep()))
    return "expected a loop of known bounds and steps, but got another";
  if (loop.getNumResults() == 0)
    return "expected a loop with results, but got one without";
  double tiles = 1;
  for (auto [begin, end, step] :
       llvm::zip_equal(loop.getStaticLowerBound(), loop.getStaticUpperBound(),
                       loop.getStaticStep())) {
    if (begin >= end || step <= 0)
      return "expected a loop with tiles, but got one without";
    if (begin < INT32_MIN || end > INT32_MAX || step > INT32_MAX)
      return "expected bounds and steps of 32 bits, but got larger ones";
    tiles *= double(llvm::divideCeil(end - begin, step));
  }
  if (tiles > kMostNumbered)
    return "expected at most 2^31 - 2^20 tiles, but got more";
  for (OpOperand &out : loop.getOutputsMutable()) {
    if (std::string wrong = checkRead(out.get()); !wrong.empty())
      return wrong;
    if (!out.get().getDefiningOp<tensor::EmptyOp>())
      return "expected results that are written whole, but got one that starts "
             "from a tensor";
  }
  for (BlockArgument argument : loop.getRegionOutArgs())
    for (OpOperand &use : argument.getUses())
      if (!isa<tensor::ParallelInsertSliceOp>(use.getOwner()) || isRead(use))
        return "expected results that are only written, but one is read";
  for (Operation &op : loop.getTerminator().getYieldingOps()) {
    auto insertion = dyn_cast<tensor::ParallelInsertSliceOp>(op);
    if (!insertion || !isStatic(insertion.getStaticSizes()) ||
        !isStatic(insertion.getStaticStrides()))
      return "expected results to be written in slices of known sizes, but got "
             "another";
  }
  return "";
}

GroupKernel::GroupKernel(scf::ForallOp loop)
    : loop(loop), plan(std::make_shared<GroupPlan>(loop)) {}

std::optional<GroupKernel>
GroupKernel::match(scf::ForallOp loop, const Chip &chip, std::string &reason) {
  auto refuse = [&](const Twine &text) {
    reason = text.str();
    return std::nullopt;
  };
  if (std::string wrong = checkLoop(loop); !wrong.empty())
    return refuse(wrong);
  for (Operation &op : loop.getBody()->without_terminator())
    if (std::string wrong = checkOperation(op); !wrong.empty())
      return refuse(wrong);
  GroupKernel kernel(loop);
  int64_t bytes = kernel.plan->exchangedBytes + kernel.plan->tileBytes;
  if (bytes > chip.limits.sharedMemory)
    return refuse(llvm::formatv(
        "expected a tile of {0} bytes at most, but got one of {1}",
        chip.limits.sharedMemory, bytes));

  llvm::SetVector<Value> read;
  loop.getRegion().walk<WalkOrder::PreOrder>([&](Operation *op) {
    for (OpOperand &use : op->getOpOperands()) {
      Value value = use.get();
      bool isTensor = isa<ShapedType>(value.getType());
      // Who reads a view reads what it views.
      if (isTensor && (isView(op) || !isRead(use)))
        continue;
      while (isTensor && isInside(loop, value) && isView(value.getDefiningOp()))
        value = value.getDefiningOp()->getOperand(0);
      if (!isInside(loop, value) && isTensor)
        value = getRoot(value);
      // What reads elements that are not there yet reads any number.
      if (value.getDefiningOp<tensor::EmptyOp>())
        continue;
      if (!isInside(loop, value) && !isConstant(value))
        read.insert(value);
    }
  });
  unsigned tensors = 0, numbers = 0;
  for (Value value : read) {
    if (std::string wrong = checkRead(value); !wrong.empty())
      return refuse(wrong);
    kernel.inputs.push_back({isa<ShapedType>(value.getType())
                                 ? "in" + std::to_string(tensors++)
                                 : "number" + std::to_string(numbers++),
                             value});
  }
  return kernel;
}

SmallVector<std::string> GroupKernel::getOutputNames() const {
  SmallVector<std::string> names;
  for (unsigned i = 0, e = scf::ForallOp(loop).getNumResults(); i < e; ++i)
    names.push_back("out" + std::to_string(i));
  return names;
}

gpu::GPUModuleOp GroupKernel::emit(OpBuilder &builder, StringRef name) const {
  scf::ForallOp forall = loop;
  auto module = gpu::GPUModuleOp::create(builder, forall.getLoc(), name);
  DeviceBuilder b(forall.getLoc(), builder);
  b.setInsertionPointToStart(module.getBody());
  emitGroup(b, forall, *plan, name, inputs, getOutputNames());
  numberLaunches(module);
  return module;
}
