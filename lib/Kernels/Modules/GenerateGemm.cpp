//===- GenerateGemm.cpp - Modules of products as a pass -------------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Options become a problem and a configuration; the rules are checked where the
// emitters' callers check them.
//
//===----------------------------------------------------------------------===//

#include "Epilogue/EpilogueOutputs.h"
#include "KernelOptions.h"
#include "amp/Kernels/Modules.h"
#include "amp/Kernels/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinOps.h"

#define DEBUG_TYPE "amp-generate-gemm"

namespace mlir::amp {
#define GEN_PASS_DEF_GENERATEGEMMPASS
#include "amp/Kernels/Passes.h.inc"
} // namespace mlir::amp

using namespace mlir;
using namespace mlir::amp;

namespace {
struct GenerateGemm : public amp::impl::GenerateGemmPassBase<GenerateGemm> {
  using GenerateGemmPassBase::GenerateGemmPassBase;

  void runOnOperation() override {
    KernelOptions options(getOperation());
    GemmProblem problem;
    GemmConfig config;
    if (failed(readProblem(options, problem)) ||
        failed(readConfig(options, problem, config)))
      return signalPassFailure();
    auto emitError = [&] { return getOperation().emitError(); };
    if (failed(verifyGemm(problem, config, emitError)))
      return signalPassFailure();
    FailureOr<GemmEpilogue> region = options.readEpilogue(epilogue, problem.d);
    if (failed(region) || failed(options.verifyName(name)))
      return signalPassFailure();
    if (problem.groups && hasSums(*region)) {
      emitError() << "expected an epilogue without sums for groups, whose rows "
                     "begin anywhere; add up D";
      return signalPassFailure();
    }
    auto builder = OpBuilder::atBlockEnd(getOperation().getBody());
    emitGemm(builder, getOperation().getLoc(), name, problem, config, *region);
    getOperation()->setAttr(gpu::GPUDialect::getContainerModuleAttrName(),
                            builder.getUnitAttr());
  }

private:
  LogicalResult readProblem(KernelOptions &options, GemmProblem &problem) {
    if (failed(options.readType("a-type", aType, problem.a)) ||
        failed(options.readType("b-type", bType, problem.b)) ||
        failed(options.readType("d-type", dType, problem.d)))
      return failure();
    StringRef text = layout;
    if (text.size() != 2 || text.find_first_not_of("nt") != StringRef::npos)
      return options.refuse("layout", "nn, nt, tn or tt", layout);
    problem.transposeA = text[0] == 't';
    problem.transposeB = text[1] == 't';
    problem.m = m;
    problem.n = n;
    problem.k = k;
    problem.batch = batch;
    problem.groups = groups;
    problem.lda = lda;
    problem.ldb = ldb;
    problem.ldd = ldd;
    llvm::append_range(problem.batchShape, batchShape);
    llvm::append_range(problem.batchStridesA, batchStridesA);
    llvm::append_range(problem.batchStridesB, batchStridesB);
    llvm::append_range(problem.batchStridesD, batchStridesD);
    return success();
  }

  LogicalResult readConfig(KernelOptions &options, const GemmProblem &problem,
                           GemmConfig &config) {
    if (failed(options.readConfig(
            {chip, tile, stages, cluster, splitK, rasterGroup}, problem.a,
            config)))
      return failure();
    const Schedule &schedule = *config.schedule;
    bool byTma = schedule.alignedLoad == MatrixAccess::Tma;
    config.loadA = config.loadB = schedule.alignedLoad;
    config.storeD = schedule.alignedStore();
    if (access == "auto")
      chooseGemmAccess(problem, config);
    else if (access == "threads")
      config.loadA = config.loadB = config.storeD = MatrixAccess::Threads;
    else if (access != (byTma ? "tma" : "async"))
      return options.refuse(
          "access", byTma ? "auto, tma or threads" : "auto, async or threads",
          access);
    completeGemmConfig(problem, config);
    return success();
  }
};
} // namespace
