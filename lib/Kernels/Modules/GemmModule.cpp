//===- GemmModule.cpp - The module of a product ---------------------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Around the main loop stand the kernels that a product
// may need besides: what they make, the main kernel reads, and the other way
// round, so they run in the order in which they are emitted.
//
//===----------------------------------------------------------------------===//

#include "amp/Kernels/Modules.h"

#include "Device/KernelSignature.h"
#include "Epilogue/EpilogueOutputs.h"
#include "Epilogue/SplitKReduction.h"
#include "MainLoops/MainLoop.h"
#include "Operands/TransposedCopy.h"
#include "ProblemDescription.h"
#include "Products/GroupedProduct.h"

using namespace mlir;
using namespace mlir::amp;

gpu::GPUModuleOp mlir::amp::emitGemm(OpBuilder &builder, Location loc,
                                     StringRef name, const GemmProblem &problem,
                                     const GemmConfig &config,
                                     const GemmEpilogue &epilogue) {
  auto module = gpu::GPUModuleOp::create(builder, loc, name);
  module->setAttr("amp.problem",
                  describeGemm(builder, problem, config, epilogue));
  DeviceBuilder b(loc, builder);
  b.setInsertionPointToStart(module.getBody());
  emitTransposedCopies(b, name, problem);
  GemmProblem read = getCopiedProblem(problem);
  auto emit = [&](GemmProduct &product) {
    if (read.transposeA != problem.transposeA)
      product.nameOfA = "a_copy";
    if (read.transposeB != problem.transposeB)
      product.nameOfB = "b_copy";
    emitMainLoop(b, name, product);
  };
  if (problem.groups) {
    emitTilesOfGroups(b, (name + "_tiles").str(), problem, config);
    GroupedProduct product(b, read, config, epilogue);
    emit(product);
  } else {
    GemmProduct product(b, read, config, epilogue);
    emit(product);
  }
  if (config.splitK > 1)
    emitSplitKReduction(b, (name + "_reduce").str(), problem, config, epilogue);
  if (hasSums(epilogue))
    emitSumsOfParts(b, (name + "_sums").str(), problem, config, epilogue);
  numberLaunches(module);
  return module;
}
