//===- GenerateConvolution.cpp - Convolutions as a pass -------------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Options become a convolution and a configuration; the rules are checked where
// the emitter's callers check them.
//
//===----------------------------------------------------------------------===//

#include "Config/ConvolutionConfig.h"
#include "Config/Im2col.h"
#include "KernelOptions.h"
#include "amp/Kernels/Modules.h"
#include "amp/Kernels/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinOps.h"

#define DEBUG_TYPE "amp-generate-convolution"

namespace mlir::amp {
#define GEN_PASS_DEF_GENERATECONVOLUTIONPASS
#include "amp/Kernels/Passes.h.inc"
} // namespace mlir::amp

using namespace mlir;
using namespace mlir::amp;

namespace {
struct GenerateConvolution
    : public amp::impl::GenerateConvolutionPassBase<GenerateConvolution> {
  using GenerateConvolutionPassBase::GenerateConvolutionPassBase;

  void runOnOperation() override {
    KernelOptions options(getOperation());
    ConvolutionProblem problem;
    GemmConfig config;
    auto emitError = [&] { return getOperation().emitError(); };
    if (failed(readProblem(options, problem)) ||
        failed(verifyConvolution(problem, emitError)) ||
        failed(readConfig(options, problem, config)) ||
        failed(verifyConvolutionConfig(problem, config, emitError)))
      return signalPassFailure();
    FailureOr<GemmEpilogue> region = options.readEpilogue(epilogue, problem.d);
    if (failed(region) ||
        failed(verifyConvolutionEpilogue(problem, *region, emitError)) ||
        failed(options.verifyName(name)))
      return signalPassFailure();
    auto builder = OpBuilder::atBlockEnd(getOperation().getBody());
    emitConvolution(builder, getOperation().getLoc(), name, problem, config,
                    *region);
    getOperation()->setAttr(gpu::GPUDialect::getContainerModuleAttrName(),
                            builder.getUnitAttr());
  }

private:
  LogicalResult readProblem(KernelOptions &options,
                            ConvolutionProblem &problem) {
    std::optional<ConvolutionKind> known = parseConvolutionKind(kind);
    if (!known)
      return options.refuse("kind", "forward, data-gradient or weight-gradient",
                            kind);
    problem.kind = *known;
    problem.batch = batch;
    problem.height = height;
    problem.width = width;
    problem.channels = channels;
    problem.filters = filters;
    problem.groups = groups;
    if (failed(options.readType("a-type", aType, problem.a)) ||
        failed(options.readType("d-type", dType, problem.d)) ||
        failed(options.readNumbers(
            "filter", "RxS", filter, 'x',
            {&problem.filterHeight, &problem.filterWidth})) ||
        failed(options.readNumbers(
            "stride", "HxW", stride, 'x',
            {&problem.strideHeight, &problem.strideWidth})) ||
        failed(options.readNumbers(
            "dilation", "HxW", dilation, 'x',
            {&problem.dilationHeight, &problem.dilationWidth})))
      return failure();
    problem.b = problem.a;
    StringRef form = "HxW or top,bottom,left,right";
    if (StringRef(padding).contains(','))
      return options.readNumbers("padding", form, padding, ',',
                                 {&problem.padTop, &problem.padBottom,
                                  &problem.padLeft, &problem.padRight});
    if (failed(options.readNumbers("padding", form, padding, 'x',
                                   {&problem.padTop, &problem.padLeft})))
      return failure();
    problem.padBottom = problem.padTop;
    problem.padRight = problem.padLeft;
    return success();
  }

  LogicalResult readConfig(KernelOptions &options,
                           const ConvolutionProblem &problem,
                           GemmConfig &config) {
    if (failed(options.readConfig(
            {chip, tile, stages, cluster, splitK, rasterGroup}, problem.a,
            config)))
      return failure();
    bool byTma = config.schedule->alignedLoad == MatrixAccess::Tma;
    if (access == "auto") {
      chooseConvolutionAccess(problem, config);
    } else if (access == "threads") {
      config.loadA = config.loadB = config.storeD = MatrixAccess::Threads;
    } else if (access == "async") {
      config.loadA = config.loadB = MatrixAccess::Async;
      config.storeD = MatrixAccess::Threads;
    } else if (access == "tma" && byTma) {
      config.loadA = config.loadB = MatrixAccess::Tma;
      config.storeD = chooseIm2colStore(problem);
    } else {
      return options.refuse("access",
                            byTma ? "auto, tma, async or threads"
                                  : "auto, async or threads",
                            access);
    }
    completeGemmConfig(getImplicitProduct(problem), config);
    return success();
  }
};
} // namespace
