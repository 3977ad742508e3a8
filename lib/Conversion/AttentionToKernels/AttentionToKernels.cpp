//===- AttentionToKernels.cpp - Attentions as launches of kernels ---------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each product of the module may be that of probabilities and V. If it is, the
// gradients are looked for among the other products of its block, and then
// everything that is computed from the scores has to end in one of the products
// that were found: probabilities that somebody else reads have to be there, and
// then nothing is won.
//
// The result of a forward launch takes the place of what read the product. What
// led to it is dead then, and erased.
//
//===----------------------------------------------------------------------===//

#include "AttentionMatch.h"
#include "amp/Conversion/Device/Passes.h"
#include "amp/Dialect/Amp/IR/AmpDialect.h"
#include "amp/Kernels/Chip.h"
#include "amp/Kernels/KernelCost.h"
#include "amp/Kernels/Modules.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/StringMap.h"

#define DEBUG_TYPE "convert-attention-to-kernels"

namespace mlir::amp {
#define GEN_PASS_DEF_CONVERTATTENTIONTOKERNELSPASS
#include "amp/Conversion/Device/Passes.h.inc"
} // namespace mlir::amp

using namespace mlir;
using namespace mlir::amp;

namespace {
/// The kernels of a module, those of equal problems once.
class AttentionModules {
public:
  AttentionModules(ModuleOp module, const Chip &chip)
      : module(module), chip(chip), symbols(module) {}

  gpu::GPUModuleOp get(Location loc, const AttentionProblem &problem);
  unsigned size() const { return kernels.size(); }

private:
  ModuleOp module;
  const Chip &chip;
  SymbolTable symbols;
  llvm::StringMap<gpu::GPUModuleOp> kernels;
};

struct ConvertAttentionToKernels
    : public amp::impl::ConvertAttentionToKernelsPassBase<
          ConvertAttentionToKernels> {
  using Base::Base;

  void runOnOperation() override;

private:
  LogicalResult convert(linalg::LinalgOp op,
                        ArrayRef<linalg::LinalgOp> products,
                        AttentionModules &modules, std::string &reason);
  bool isOnlyReader(const AttentionMatch &attention,
                    const AttentionGradients *gradients, std::string &reason);
};
} // namespace

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

/// All that the emitted code depends on.
static std::string getKey(const AttentionProblem &problem) {
  std::string key;
  llvm::raw_string_ostream stream(key);
  auto add = [&](auto... numbers) { ((stream << numbers << " "), ...); };
  add(int(problem.kind), problem.batch, problem.heads, problem.rows,
      problem.columns, problem.depth, problem.type,
      llvm::format_hex(llvm::bit_cast<uint32_t>(problem.scale), 8),
      int(problem.mask), problem.maskBatch, problem.maskHead, problem.maskRow,
      problem.maskColumn, problem.maskElements, problem.emptyRowsAreZero,
      problem.keepsSums, problem.joinsGradients);
  if (problem.maskType)
    add(problem.maskType);
  for (const HeadsLayout *layout :
       {&problem.q, &problem.k, &problem.v, &problem.o, &problem.oGradient,
        &problem.qGradient, &problem.kGradient, &problem.vGradient})
    add(layout->offset, layout->batchStride, layout->headStride,
        layout->rowStride, layout->elements);
  return key;
}

gpu::GPUModuleOp AttentionModules::get(Location loc,
                                       const AttentionProblem &problem) {
  gpu::GPUModuleOp &kernel = kernels[getKey(problem)];
  if (kernel)
    return kernel;
  std::string name;
  unsigned number = kernels.size() - 1;
  do
    name = "attention_" + std::to_string(number++);
  while (symbols.lookup(name));
  auto builder = OpBuilder::atBlockEnd(module.getBody());
  kernel = emitAttention(builder, loc, name, problem);
  kernel->setAttr("amp.cost", describeCost(builder, chip,
                                           estimateAttention(problem, chip)));
  symbols.insert(kernel);
  module->setAttr(gpu::GPUDialect::getContainerModuleAttrName(),
                  builder.getUnitAttr());
  return kernel;
}

//===----------------------------------------------------------------------===//
// Rewrite
//===----------------------------------------------------------------------===//

/// Whether all that is computed from the scores ends in products that become
/// launches.
bool ConvertAttentionToKernels::isOnlyReader(
    const AttentionMatch &attention, const AttentionGradients *gradients,
    std::string &reason) {
  SmallVector<Operation *> ends{attention.product.op};
  if (gradients)
    ends.append(
        {gradients->qProduct, gradients->kProduct, gradients->vProduct});
  Operation *scores = attention.scores.op;
  SmallVector<Operation *> left{scores};
  llvm::SmallPtrSet<Operation *, 16> seen{scores};
  while (!left.empty())
    for (Operation *user : left.pop_back_val()->getUsers()) {
      if (llvm::is_contained(ends, user) || !seen.insert(user).second)
        continue;
      auto op = dyn_cast<linalg::LinalgOp>(user);
      const bool isProduct = op && succeeded(matchContraction(op));
      if (user->getBlock() != scores->getBlock() || isProduct ||
          !(op || isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp,
                      tensor::ExtractSliceOp>(user))) {
        reason = "expected scores that no other operation needs";
        return false;
      }
      left.push_back(user);
    }
  return true;
}

/// An operand of a launch.
struct Operand {
  StringRef name;
  Value value;
};

static LaunchKernelsOp launch(OpBuilder &b, Location loc,
                              gpu::GPUModuleOp kernels,
                              ArrayRef<Operand> inputs,
                              ArrayRef<std::pair<StringRef, Type>> outputs) {
  SmallVector<StringRef> names;
  SmallVector<Value> read, written;
  for (const Operand &input : inputs) {
    names.push_back(input.name);
    read.push_back(input.value);
  }
  for (auto [name, type] : outputs) {
    auto tensor = cast<RankedTensorType>(type);
    names.push_back(name);
    written.push_back(tensor::EmptyOp::create(b, loc, tensor.getShape(),
                                              tensor.getElementType()));
  }
  kernels->setAttr(kContractionAttr, b.getStrArrayAttr(names));
  return LaunchKernelsOp::create(b, loc, kernels.getName(), names, read,
                                 written);
}

/// Whether an operation of the same block stands behind the value.
static bool isBehind(Operation *op, Value value) {
  Operation *def = value.getDefiningOp();
  return !def || def->getBlock() != op->getBlock() || def->isBeforeInBlock(op);
}

/// The gradient of the result as kernels read it: where it was rounded and
/// moved at a time, rounded where it lies, which may be part of what computes
/// it.
static Value readGradient(OpBuilder &b, const HeadsSource &source) {
  if (!source.wide)
    return source.tensor;
  Location loc = source.tensor.getLoc();
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(source.tensor.getDefiningOp());
  auto type = cast<RankedTensorType>(source.wide.getType())
                  .clone(getElementTypeOrSelf(source.tensor.getType()));
  Value init =
      tensor::EmptyOp::create(b, loc, type.getShape(), type.getElementType());
  AffineMap map = b.getMultiDimIdentityMap(type.getRank());
  SmallVector<utils::IteratorType> loops(type.getRank(),
                                         utils::IteratorType::parallel);
  return linalg::GenericOp::create(
             b, loc, type, source.wide, init, ArrayRef<AffineMap>{map, map},
             loops,
             [&](OpBuilder &nested, Location loc, ValueRange arguments) {
               Value rounded = arith::TruncFOp::create(
                   nested, loc, type.getElementType(), arguments[0]);
               linalg::YieldOp::create(nested, loc, rounded);
             })
      .getResult(0);
}

LogicalResult ConvertAttentionToKernels::convert(
    linalg::LinalgOp op, ArrayRef<linalg::LinalgOp> products,
    AttentionModules &modules, std::string &reason) {
  std::optional<AttentionMatch> attention = matchAttention(op, reason);
  if (!attention)
    return failure();
  std::optional<AttentionGradients> gradients =
      matchGradients(*attention, products);
  AttentionProblem problem = attention->problem;
  Operation *first = nullptr;
  if (gradients) {
    for (Operation *writer :
         {gradients->q.op.getOperation(), gradients->k.op.getOperation(),
          gradients->v.op.getOperation()})
      if (!first || writer->isBeforeInBlock(first))
        first = writer;
    if (!attention->result.op->isBeforeInBlock(first) ||
        !isBehind(first, gradients->resultGradient.tensor)) {
      reason = "expected gradients behind the result and its gradient";
      return failure();
    }
    if (gradients->joined)
      first = gradients->joined;
    problem.keepsSums = true;
    const HeadsSource &source = gradients->resultGradient;
    problem.oGradient = source.wide ? source.wideLayout : source.layout;
    problem.qGradient = gradients->q.layout;
    problem.kGradient = gradients->k.layout;
    problem.vGradient = gradients->v.layout;
  }
  if (!isOnlyReader(*attention, gradients ? &*gradients : nullptr, reason))
    return failure();
  AttentionProblem backward = problem;
  backward.kind = AttentionKind::Backward;
  backward.joinsGradients = gradients && gradients->joined;
  {
    ScopedDiagnosticHandler handler(&getContext(), [&](Diagnostic &diagnostic) {
      reason = diagnostic.str();
    });
    auto emit = [&] { return emitError(op.getLoc()); };
    if (failed(verifyAttention(problem, emit)) ||
        (gradients && failed(verifyAttention(backward, emit))))
      return failure();
  }

  Location loc = op.getLoc();
  Operation *writer = attention->result.op;
  OpBuilder b(writer);
  SmallVector<Operand> inputs = {{"q", attention->q.tensor},
                                 {"k", attention->k.tensor},
                                 {"v", attention->v.tensor}};
  if (attention->mask)
    inputs.push_back({"mask", attention->mask});
  auto sums = RankedTensorType::get(
      {problem.batch * problem.heads * problem.rows}, b.getF32Type());
  SmallVector<std::pair<StringRef, Type>> outputs = {
      {"o", writer->getResult(0).getType()}};
  if (problem.keepsSums)
    outputs.append({{"exponents", sums}, {"inverses", sums}});
  LaunchKernelsOp forward =
      launch(b, loc, modules.get(loc, problem), inputs, outputs);
  writer->getResult(0).replaceAllUsesWith(forward.getResult(0));
  ++numConverted;
  if (!gradients)
    return success();

  b.setInsertionPoint(first);
  inputs.append({{"o", forward.getResult(0)},
                 {"do", readGradient(b, gradients->resultGradient)},
                 {"exponents", forward.getResult(1)},
                 {"inverses", forward.getResult(2)}});
  SmallVector<Value> replaced;
  outputs.clear();
  if (gradients->joined) {
    replaced = {gradients->joined->getResult(0)};
    outputs = {{"dqkv", replaced[0].getType()}};
  } else {
    replaced = {gradients->q.op->getResult(0), gradients->k.op->getResult(0),
                gradients->v.op->getResult(0)};
    outputs = {{"dq", replaced[0].getType()},
               {"dk", replaced[1].getType()},
               {"dv", replaced[2].getType()}};
  }
  outputs.push_back({"delta", sums});
  LaunchKernelsOp launched =
      launch(b, gradients->vProduct.getLoc(), modules.get(loc, backward),
             inputs, outputs);
  for (auto [index, value] : llvm::enumerate(replaced))
    value.replaceAllUsesWith(launched.getResult(index));
  ++numGradients;
  return success();
}

//===----------------------------------------------------------------------===//
// Pass
//===----------------------------------------------------------------------===//

void ConvertAttentionToKernels::runOnOperation() {
  const Chip *target =
      readChip(chip, [&] { return getOperation().emitError(); });
  if (!target)
    return signalPassFailure();
  AttentionModules modules(getOperation(), *target);
  for (auto function : getOperation().getOps<func::FuncOp>()) {
    SmallVector<std::pair<Block *, SmallVector<linalg::LinalgOp>>> blocks;
    function.walk([&](Block *block) {
      SmallVector<linalg::LinalgOp> products;
      for (auto op : block->getOps<linalg::LinalgOp>())
        if (op.hasPureTensorSemantics() && succeeded(matchContraction(op)))
          products.push_back(op);
      if (!products.empty())
        blocks.push_back({block, products});
    });
    bool isChanged = false;
    for (auto &[block, products] : blocks)
      for (linalg::LinalgOp op : products) {
        std::string reason;
        if (succeeded(convert(op, products, modules, reason)))
          isChanged = true;
        else if (report)
          op.emitRemark("not an attention with a kernel: ") << reason;
      }
    // What led to what is launched now.
    IRRewriter rewriter(&getContext());
    if (isChanged)
      (void)runRegionDCE(rewriter, function->getRegions());
  }
  numKernels += modules.size();
}
