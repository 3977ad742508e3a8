//===- ConvolutionKernel.cpp - Kernels of convolutions --------------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The module: a convolution's product in the main loop of its chip, and what it
// computes as an attribute, under the names that amp-kernel-bench knows.
//
//===----------------------------------------------------------------------===//

#include "amp/Kernels/ConvolutionKernel.h"

#include "DepthwiseKernels.h"
#include "GemmDescription.h"
#include "Im2colProduct.h"
#include "MainLoop.h"
#include "SplitKReduction.h"

using namespace mlir;
using namespace mlir::amp;

static DictionaryAttr describe(Builder &b, const ConvolutionProblem &problem,
                               const GemmConfig &config,
                               const GemmEpilogue &epilogue) {
  NamedAttrList result;
  auto numbers = [&](StringRef name, ArrayRef<int64_t> values) {
    result.set(name, b.getDenseI64ArrayAttr(values));
  };
  result.set("family", b.getStringAttr("convolution"));
  result.set("direction",
             b.getStringAttr(stringifyConvolutionKind(problem.kind)));
  result.set("format", b.getStringAttr("nhwc"));
  for (auto [name, value] : {std::pair("n", problem.batch),
                             {"h", problem.height},
                             {"w", problem.width},
                             {"c", problem.channels},
                             {"k", problem.filters},
                             {"r", problem.filterHeight},
                             {"s", problem.filterWidth},
                             {"groups", problem.groups}})
    result.set(name, b.getI64IntegerAttr(value));
  numbers("stride", {problem.strideHeight, problem.strideWidth});
  numbers("dilation", {problem.dilationHeight, problem.dilationWidth});
  if (problem.padTop == problem.padBottom &&
      problem.padLeft == problem.padRight)
    numbers("padding", {problem.padTop, problem.padLeft});
  else
    numbers("padding", {problem.padTop, problem.padLeft, problem.padBottom,
                        problem.padRight});
  ConvolutionNames names = getTensorNames(problem.kind);
  result.set(names.a, TypeAttr::get(problem.a));
  result.set(names.b, TypeAttr::get(problem.b));
  result.set(names.d, TypeAttr::get(problem.d));
  if (!problem.isDepthwise())
    numbers("tile", {config.tileM, config.tileN, config.tileK});
  if (epilogue.body)
    result.set("epilogue", describeEpilogue(b, *epilogue.body));
  return result.getDictionary(b.getContext());
}

LogicalResult mlir::amp::verifyConvolutionEpilogue(
    const ConvolutionProblem &problem, const GemmEpilogue &epilogue,
    function_ref<InFlightDiagnostic()> emitError) {
  // Rows of the product are not always rows of a tensor, in their order.
  if (!epilogue.outputs.empty() ||
      llvm::any_of(epilogue.operands,
                   [](auto &operand) { return operand.isIndex(); }))
    return emitError() << "expected an epilogue of one result and without "
                          "indices for a convolution; reduce its result";
  bool hasRows = llvm::any_of(epilogue.operands, [](auto &operand) {
    return operand.kind == EpilogueOperand::Kind::Row;
  });
  if (hasRows && problem.kind == ConvolutionKind::WeightGradient &&
      problem.groups > 1)
    return emitError() << "expected an epilogue without an operand of kind "
                          "\"row\" for a weight gradient in groups; use one "
                          "of kind \"matrix\"";
  return success();
}

gpu::GPUModuleOp mlir::amp::emitConvolution(OpBuilder &builder, Location loc,
                                            StringRef name,
                                            const ConvolutionProblem &problem,
                                            const GemmConfig &config,
                                            const GemmEpilogue &epilogue) {
  auto module = gpu::GPUModuleOp::create(builder, loc, name);
  module->setAttr("amp.problem", describe(builder, problem, config, epilogue));
  DeviceBuilder b(loc, builder);
  b.setInsertionPointToStart(module.getBody());
  if (problem.isDepthwise()) {
    emitDepthwiseKernels(b, name, problem, epilogue,
                         config.chip->rates.multiprocessors);
    return module;
  }
  WorkspaceColumns columns;
  std::unique_ptr<ConvolutionProduct> product;
  if (config.loadA == MatrixAccess::Tma) {
    auto gathered =
        std::make_unique<Im2colProduct>(b, problem, config, epilogue);
    columns = gathered->workspaceColumns();
    product = std::move(gathered);
  } else {
    product = std::make_unique<ConvolutionProduct>(
        b, getImplicitProduct(problem), problem, config, epilogue);
  }
  emitMainLoop(b, name, *product);
  if (config.splitK > 1)
    emitSplitKReduction(b, (name + "_reduce").str(), product->problem, config,
                        epilogue, getTensorNames(problem.kind).d, columns);
  return module;
}
