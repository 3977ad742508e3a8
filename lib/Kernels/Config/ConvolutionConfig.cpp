//===- ConvolutionConfig.cpp - How a kernel computes a convolution --------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where TMA can gather the images (Im2col.h), it does. Elsewhere threads do, 16
// bytes at a time where a run of channels has as many. The product's own rules
// are checked last.
//
//===----------------------------------------------------------------------===//

#include "ConvolutionConfig.h"

#include "DepthwiseShape.h"
#include "Im2col.h"
#include "amp/Support/ShapedBytes.h"
#include "mlir/IR/BuiltinTypes.h"

using namespace mlir;
using namespace mlir::amp;

void mlir::amp::chooseConvolutionAccess(const ConvolutionProblem &problem,
                                        GemmConfig &config) {
  if (config.schedule->alignedLoad == MatrixAccess::Tma &&
      explainIm2colObstacle(problem).empty()) {
    config.loadA = config.loadB = MatrixAccess::Tma;
    config.storeD = chooseIm2colStore(problem);
    return;
  }
  auto choose = [&](int64_t run) {
    return isTmaStride(run, problem.a) ? MatrixAccess::Async
                                       : MatrixAccess::Threads;
  };
  config.loadA = choose(problem.runOfA());
  config.loadB = choose(problem.runOfB());
  config.storeD = MatrixAccess::Threads;
}

static LogicalResult
verifyAccess(const ConvolutionProblem &problem, const GemmConfig &config,
             function_ref<InFlightDiagnostic()> emitError) {
  if (config.loadA == MatrixAccess::Tma) {
    std::string obstacle = explainIm2colObstacle(problem);
    if (!obstacle.empty())
      return emitError() << "expected a convolution that TMA can gather, but "
                         << obstacle << "; use 'access=auto'";
    return success();
  }
  for (auto [name, access, run] :
       {std::tuple("A", config.loadA, problem.runOfA()),
        {"B", config.loadB, problem.runOfB()}})
    if (access != MatrixAccess::Threads && !isTmaStride(run, problem.a))
      return emitError()
             << "expected runs of channels or filters of a group in " << name
             << " to be multiples of 16 bytes for asynchronous copies, but got "
             << run * getElementBytes(problem.a)
             << " bytes; pad them, or use 'access=auto'";
  return success();
}

LogicalResult mlir::amp::verifyConvolutionConfig(
    const ConvolutionProblem &problem, const GemmConfig &config,
    function_ref<InFlightDiagnostic()> emitError) {
  if (problem.isDepthwise())
    return verifyDepthwiseKernels(problem, emitError);
  if (!config.schedule->takes(problem.a))
    return emitError() << "expected operands of type f16, bf16 or tf32 for "
                       << config.chip->name << ", but got " << problem.a
                       << "; cast them, or use 'chip=sm_90'";
  if (isa<FloatTF32Type>(problem.a) &&
      config.schedule->instruction == ProductInstruction::Wgmma &&
      problem.kind != ConvolutionKind::Forward)
    return emitError() << "expected a forward convolution for operands of type "
                          "tf32, because wgmma reads 32 bits with K innermost "
                          "only, but got a "
                       << stringifyConvolutionKind(problem.kind)
                       << "; use 'chip=sm_90'";
  bool isMatrix = problem.kind == ConvolutionKind::WeightGradient ||
                  (problem.groups == 1 && problem.classes() == 1);
  if (config.splitK > 1 && !isMatrix)
    return emitError() << "expected 'split-k' to be 1 for a convolution in "
                          "groups and for a data gradient with strides, but "
                          "got "
                       << config.splitK;
  if (failed(verifyAccess(problem, config, emitError)))
    return failure();
  if (config.loadA != MatrixAccess::Tma)
    return verifyGemm(getImplicitProduct(problem), config, emitError);
  // Columns that D does not have do not make its rows longer.
  GemmProblem product = getIm2colProduct(problem);
  product.ldd = std::max(product.ldd, product.n);
  return verifyGemm(product, config, emitError);
}
