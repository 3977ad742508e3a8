//===- KernelModules.cpp - The kernels of a module, equal ones once -------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Emitters are deterministic, so what goes in decides what comes out, and it is
// compared instead of the code: no kernel is emitted to find out that it is
// there.
//
//===----------------------------------------------------------------------===//

#include "KernelModules.h"

#include "amp/Kernels/GemmEpilogue.h"
#include "amp/Kernels/Sm80Gemm.h"
#include "amp/Kernels/Sm90Gemm.h"

using namespace mlir;
using namespace mlir::amp;

/// All that the emitted code depends on.
static std::string getKey(const GemmProblem &problem, const GemmConfig &config,
                          func::FuncOp epilogue) {
  std::string key;
  llvm::raw_string_ostream stream(key);
  auto add = [&](auto... numbers) { ((stream << numbers << " "), ...); };
  stream << config.chip->name << " ";
  add(problem.m, problem.n, problem.k, problem.batch, problem.a, problem.b,
      problem.d, problem.transposeA, problem.transposeB, problem.lda,
      problem.ldb, problem.ldd);
  add(config.tileM, config.tileN, config.tileK, config.stages, config.cluster,
      config.splitK, config.rasterGroup, int(config.loadA), int(config.loadB),
      int(config.storeD));
  if (epilogue)
    epilogue.print(stream, OpPrintingFlags().useLocalScope());
  return key;
}

FailureOr<gpu::GPUModuleOp> KernelModules::getGemm(Location loc,
                                                   const GemmProblem &problem,
                                                   const GemmConfig &config,
                                                   func::FuncOp epilogue) {
  gpu::GPUModuleOp &kernel = kernels[getKey(problem, config, epilogue)];
  if (kernel)
    return kernel;
  GemmEpilogue body;
  if (epilogue) {
    FailureOr<GemmEpilogue> read = readGemmEpilogue(epilogue, problem.d);
    if (failed(read))
      return failure();
    body = *read;
  }
  std::string name;
  unsigned number = kernels.size() - 1;
  do {
    name = ("gemm_" + Twine(number++)).str();
  } while (symbols.lookup(name));
  OpBuilder builder(module.getContext());
  builder.setInsertionPointToEnd(module.getBody());
  auto emit = config.chip->wgmma ? emitSm90Gemm : emitSm80Gemm;
  kernel = emit(builder, loc, name, problem, config, body,
                config.chip->multiprocessors);
  symbols.insert(kernel);
  module->setAttr(gpu::GPUDialect::getContainerModuleAttrName(),
                  builder.getUnitAttr());
  return kernel;
}
