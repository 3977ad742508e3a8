//===- GenerateAttention.cpp - Modules of attentions as a pass ------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Options become a problem whose tensors lie in one of two ways.
//
//===----------------------------------------------------------------------===//

#include "KernelOptions.h"
#include "amp/Kernels/Modules.h"
#include "amp/Kernels/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinOps.h"

#define DEBUG_TYPE "amp-generate-attention"

namespace mlir::amp {
#define GEN_PASS_DEF_GENERATEATTENTIONPASS
#include "amp/Kernels/Passes.h.inc"
} // namespace mlir::amp

using namespace mlir;
using namespace mlir::amp;

namespace {
struct GenerateAttention
    : public amp::impl::GenerateAttentionPassBase<GenerateAttention> {
  using GenerateAttentionPassBase::GenerateAttentionPassBase;

  void runOnOperation() override {
    KernelOptions options(getOperation());
    AttentionProblem problem;
    if (failed(readProblem(options, problem)) ||
        failed(verifyAttention(problem,
                               [&] { return getOperation().emitError(); })) ||
        failed(options.verifyName(name)))
      return signalPassFailure();
    auto builder = OpBuilder::atBlockEnd(getOperation().getBody());
    emitAttention(builder, getOperation().getLoc(), name, problem);
    getOperation()->setAttr(gpu::GPUDialect::getContainerModuleAttrName(),
                            builder.getUnitAttr());
  }

private:
  LogicalResult readProblem(KernelOptions &options, AttentionProblem &problem) {
    if (kind != "forward" && kind != "backward")
      return options.refuse("kind", "forward or backward", kind);
    problem.kind =
        kind == "forward" ? AttentionKind::Forward : AttentionKind::Backward;
    problem.batch = batch;
    problem.heads = heads;
    problem.rows = rows;
    problem.columns = columns;
    problem.depth = depth;
    problem.scale = scale;
    problem.emptyRowsAreZero = emptyRows;
    problem.keepsSums = sums;
    if (failed(options.readType("type", type, problem.type)) ||
        failed(readMask(options, problem)))
      return failure();
    return readLayouts(options, problem);
  }

  LogicalResult readMask(KernelOptions &options, AttentionProblem &problem) {
    if (mask == "none")
      return success();
    if (mask == "causal") {
      problem.mask = AttentionMask::Causal;
      return success();
    }
    problem.mask = AttentionMask::Additive;
    problem.maskHead = rows * columns;
    problem.maskRow = columns;
    problem.maskColumn = 1;
    problem.maskElements = heads * rows * columns;
    return options.readType("mask", mask, problem.maskType);
  }

  LogicalResult readLayouts(KernelOptions &options, AttentionProblem &problem) {
    auto dense = [&](int64_t rows) {
      return HeadsLayout::getDense(batch, heads, rows, depth);
    };
    // Rows of all heads together, in tensors of `parts` times that; this is
    // part `part`.
    auto together = [&](int64_t rows, int64_t parts, int64_t part) {
      const int64_t row = heads * depth * parts;
      return HeadsLayout{part * heads * depth, rows * row, depth, row,
                         batch * rows * row};
    };
    if (layout != "heads" && layout != "rows")
      return options.refuse("layout", "heads or rows", layout);
    const bool isDense = layout == "heads";
    problem.q = isDense ? dense(rows) : together(rows, 3, 0);
    problem.k = isDense ? dense(columns) : together(columns, 3, 1);
    problem.v = isDense ? dense(columns) : together(columns, 3, 2);
    problem.o = isDense ? dense(rows) : together(rows, 1, 0);
    problem.oGradient = problem.qGradient = problem.o;
    problem.kGradient = problem.vGradient =
        isDense ? dense(columns) : together(columns, 1, 0);
    if (!isDense && rows == columns) {
      problem.joinsGradients = true;
      problem.qGradient = problem.q;
      problem.kGradient = problem.k;
      problem.vGradient = problem.v;
    }
    return success();
  }
};
} // namespace
