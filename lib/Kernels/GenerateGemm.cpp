//===- GenerateGemm.cpp - The emitters as a pass --------------------------===//
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

#include "amp/Kernels/Passes.h"
#include "amp/Kernels/Sm80Gemm.h"
#include "amp/Kernels/Sm90Gemm.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
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
    GemmProblem problem;
    GemmConfig config;
    if (failed(readProblem(problem)) || failed(readConfig(problem, config)))
      return signalPassFailure();
    auto emitError = [&] { return getOperation().emitError(); };
    if (failed(verifyGemm(problem, config, emitError)))
      return signalPassFailure();
    FailureOr<GemmEpilogue> region = readEpilogue(problem);
    if (failed(region))
      return signalPassFailure();
    if (getOperation().lookupSymbol(name)) {
      emitError() << "expected a new name for the kernel, but '" << name
                  << "' is in use; set 'name'";
      return signalPassFailure();
    }
    auto builder = OpBuilder::atBlockEnd(getOperation().getBody());
    auto emit = config.chip->wgmma ? emitSm90Gemm : emitSm80Gemm;
    emit(builder, getOperation().getLoc(), name, problem, config, *region,
         multiprocessors);
    getOperation()->setAttr(gpu::GPUDialect::getContainerModuleAttrName(),
                            builder.getUnitAttr());
  }

private:
  InFlightDiagnostic refuse(StringRef option, StringRef expected,
                            StringRef value) {
    return getOperation().emitError()
           << "expected '" << option << "' to be " << expected << ", but got '"
           << value << "'";
  }

  LogicalResult readType(StringRef option, StringRef text, Type &type) {
    {
      // The parser's own message would point into the option.
      ScopedDiagnosticHandler quiet(&getContext(), [](Diagnostic &) {});
      type = parseType(text, &getContext());
    }
    if (type && type.isIntOrFloat())
      return success();
    return refuse(option, "the name of a number's type", text);
  }

  LogicalResult readProblem(GemmProblem &problem) {
    if (failed(readType("a-type", aType, problem.a)) ||
        failed(readType("b-type", bType, problem.b)) ||
        failed(readType("d-type", dType, problem.d)))
      return failure();
    StringRef text = layout;
    if (text.size() != 2 || text.find_first_not_of("nt") != StringRef::npos)
      return refuse("layout", "nn, nt, tn or tt", layout);
    problem.transposeA = text[0] == 't';
    problem.transposeB = text[1] == 't';
    problem.m = m;
    problem.n = n;
    problem.k = k;
    problem.batch = batch;
    problem.lda = lda;
    problem.ldb = ldb;
    problem.ldd = ldd;
    return success();
  }

  LogicalResult readConfig(const GemmProblem &problem, GemmConfig &config) {
    config.chip = getGemmChip(chip);
    if (!config.chip) {
      std::string names;
      for (const GemmChip &known : getGemmChips())
        names += (names.empty() ? "" : ", ") + known.name.str();
      return refuse("chip", "one of " + names, chip);
    }
    if (multiprocessors == 0)
      multiprocessors = config.chip->multiprocessors;
    SmallVector<StringRef> sizes;
    StringRef(tile).split(sizes, 'x');
    bool wellFormed = sizes.size() == 2 || sizes.size() == 3;
    if (!wellFormed || sizes[0].getAsInteger(10, config.tileM) ||
        sizes[1].getAsInteger(10, config.tileN) ||
        (sizes.size() == 3 && sizes[2].getAsInteger(10, config.tileK)))
      return refuse("tile", "MxN or MxNxK", tile);
    if (multiprocessors < std::max<int64_t>(cluster, 1) ||
        multiprocessors > 4096)
      return refuse("multiprocessors", "from the cluster's size to 4096",
                    std::to_string(multiprocessors));
    config.stages = stages;
    config.cluster = cluster;
    config.splitK = splitK;
    config.rasterGroup = rasterGroup;
    if (access == "auto")
      chooseGemmAccess(problem, config);
    else if (access == "threads")
      config.loadA = config.loadB = config.storeD = MatrixAccess::Threads;
    else if (access == "async" && !config.chip->wgmma)
      config.loadA = config.loadB = MatrixAccess::Async;
    else if (access != "tma" || !config.chip->wgmma)
      return refuse("access",
                    config.chip->wgmma ? "auto, tma or threads"
                                       : "auto, async or threads",
                    access);
    if (!config.chip->wgmma)
      config.storeD = MatrixAccess::Threads;
    completeGemmConfig(problem, config);
    return success();
  }

  FailureOr<GemmEpilogue> readEpilogue(const GemmProblem &problem) {
    if (epilogue.empty())
      return GemmEpilogue();
    auto func = getOperation().lookupSymbol<func::FuncOp>(epilogue);
    if (!func)
      return refuse("epilogue", "a function of the module", epilogue),
             failure();
    return readGemmEpilogue(func, problem.d);
  }
};
} // namespace
