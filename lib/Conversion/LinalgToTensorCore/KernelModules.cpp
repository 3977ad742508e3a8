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

#include "amp/Kernels/Modules.h"

using namespace mlir;
using namespace mlir::amp;

/// The parts of a key that are common to all kernels.
static void addConfig(raw_ostream &stream, const GemmConfig &config,
                      func::FuncOp epilogue) {
  auto add = [&](auto... numbers) { ((stream << numbers << " "), ...); };
  add(config.chip->name, config.schedule->name, config.tileM, config.tileN,
      config.tileK, config.stages, config.cluster, config.splitK,
      config.rasterGroup, int(config.loadA), int(config.loadB),
      int(config.storeD));
  if (epilogue)
    epilogue.print(stream, OpPrintingFlags().useLocalScope());
}

/// All that the emitted code depends on.
static std::string getKey(const GemmProblem &problem, const GemmConfig &config,
                          func::FuncOp epilogue) {
  std::string key = "gemm ";
  llvm::raw_string_ostream stream(key);
  auto add = [&](auto... numbers) { ((stream << numbers << " "), ...); };
  add(problem.m, problem.n, problem.k, problem.batch, problem.a, problem.b,
      problem.d, problem.transposeA, problem.transposeB, problem.lda,
      problem.ldb, problem.ldd);
  for (ArrayRef<int64_t> numbers :
       {ArrayRef(problem.batchShape), ArrayRef(problem.batchStridesA),
        ArrayRef(problem.batchStridesB), ArrayRef(problem.batchStridesD)}) {
    llvm::interleave(numbers, stream, ",");
    stream << " ";
  }
  addConfig(stream, config, epilogue);
  return key;
}

static std::string getKey(const ConvolutionProblem &problem,
                          const GemmConfig &config, func::FuncOp epilogue) {
  std::string key = "convolution ";
  llvm::raw_string_ostream stream(key);
  auto add = [&](auto... numbers) { ((stream << numbers << " "), ...); };
  add(int(problem.kind), problem.batch, problem.height, problem.width,
      problem.channels, problem.filters, problem.filterHeight,
      problem.filterWidth, problem.strideHeight, problem.strideWidth,
      problem.dilationHeight, problem.dilationWidth, problem.padTop,
      problem.padBottom, problem.padLeft, problem.padRight, problem.groups,
      problem.a, problem.b, problem.d);
  addConfig(stream, config, epilogue);
  return key;
}

static FailureOr<GemmEpilogue> readEpilogue(func::FuncOp epilogue, Type type) {
  if (!epilogue)
    return GemmEpilogue();
  return readGemmEpilogue(epilogue, type);
}

gpu::GPUModuleOp KernelModules::add(
    StringRef prefix,
    function_ref<gpu::GPUModuleOp(OpBuilder &, StringRef)> emit) {
  std::string name;
  unsigned number = kernels.size() - 1;
  do {
    name = (prefix + Twine(number++)).str();
  } while (symbols.lookup(name));
  OpBuilder builder(module.getContext());
  builder.setInsertionPointToEnd(module.getBody());
  gpu::GPUModuleOp kernel = emit(builder, name);
  symbols.insert(kernel);
  module->setAttr(gpu::GPUDialect::getContainerModuleAttrName(),
                  builder.getUnitAttr());
  return kernel;
}

FailureOr<gpu::GPUModuleOp> KernelModules::getGemm(Location loc,
                                                   const GemmProblem &problem,
                                                   const GemmConfig &config,
                                                   func::FuncOp epilogue) {
  FailureOr<GemmEpilogue> body = readEpilogue(epilogue, problem.d);
  if (failed(body))
    return failure();
  gpu::GPUModuleOp &kernel = kernels[getKey(problem, config, epilogue)];
  if (!kernel)
    kernel = add("gemm_", [&](OpBuilder &builder, StringRef name) {
      return emitGemm(builder, loc, name, problem, config, *body);
    });
  return kernel;
}

FailureOr<gpu::GPUModuleOp>
KernelModules::getConvolution(Location loc, const ConvolutionProblem &problem,
                              const GemmConfig &config, func::FuncOp epilogue,
                              std::string &reason) {
  FailureOr<GemmEpilogue> body = readEpilogue(epilogue, problem.d);
  if (failed(body))
    return failure();
  {
    ScopedDiagnosticHandler handler(
        module.getContext(),
        [&](Diagnostic &diagnostic) { reason = diagnostic.str(); });
    if (failed(verifyConvolutionEpilogue(problem, *body,
                                         [&] { return emitError(loc); })))
      return failure();
  }
  gpu::GPUModuleOp &kernel = kernels[getKey(problem, config, epilogue)];
  if (!kernel)
    kernel = add("convolution_", [&](OpBuilder &builder, StringRef name) {
      return emitConvolution(builder, loc, name, problem, config, *body);
    });
  return kernel;
}
