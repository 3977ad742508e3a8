//===- ConvolutionModule.cpp - The module of a convolution ----------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The module of a convolution: its product in the main loop of its schedule,
// loaded by TMA or by threads, and the kernel that adds the parts of a split K;
// or, where groups are single channels, the depthwise kernels. Which epilogues
// have a place in it is checked here.
//
//===----------------------------------------------------------------------===//

#include "amp/Kernels/Modules.h"

#include "Depthwise/DepthwiseKernels.h"
#include "Epilogue/SplitKReduction.h"
#include "MainLoops/MainLoop.h"
#include "ProblemDescription.h"
#include "Products/Im2colProduct.h"

using namespace mlir;
using namespace mlir::amp;

LogicalResult mlir::amp::verifyConvolutionEpilogue(
    const ConvolutionProblem &problem, const GemmEpilogue &epilogue,
    function_ref<InFlightDiagnostic()> emitError) {
  // Rows of the product are not always rows of a tensor, in their order.
  if (llvm::any_of(epilogue.outputs, isSum) ||
      llvm::any_of(epilogue.operands,
                   [](auto &operand) { return operand.isIndex(); }))
    return emitError() << "expected an epilogue without sums and indices for a "
                          "convolution; reduce its result";
  if (!epilogue.outputs.empty() && problem.isDepthwise())
    return emitError() << "expected an epilogue of one result for a depthwise "
                          "convolution; reduce its result";
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
  module->setAttr("amp.problem",
                  describeConvolution(builder, problem, config, epilogue));
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
