//===- VerifyOnce.cpp - Passes with one verification ----------------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A dynamic pipeline (Pass::runPipeline) would verify as its parent does, so
// the passes run under a pass manager of their own that does not. It hands what
// its passes begin and end on to the outer manager's instrumentations: these
// see them as passes of a pipeline inside this one.
//
//===----------------------------------------------------------------------===//

#include "amp/Dialect/Amp/Transforms/Passes.h"

#include "mlir/Pass/PassInstrumentation.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"

namespace mlir::amp {
#define GEN_PASS_DEF_VERIFYONCEPASS
#include "amp/Dialect/Amp/Transforms/Passes.h.inc"
} // namespace mlir::amp

using namespace mlir;
using namespace mlir::amp;

namespace {
/// Tells `outer`, which outlives it, what happens.
class ForwardingInstrumentation : public PassInstrumentation {
public:
  explicit ForwardingInstrumentation(PassInstrumentor &outer) : outer(outer) {}

  void runBeforePipeline(std::optional<OperationName> name,
                         const PipelineParentInfo &parent) override {
    outer.runBeforePipeline(name, parent);
  }
  void runAfterPipeline(std::optional<OperationName> name,
                        const PipelineParentInfo &parent) override {
    outer.runAfterPipeline(name, parent);
  }
  void runBeforePass(Pass *pass, Operation *op) override {
    outer.runBeforePass(pass, op);
  }
  void runAfterPass(Pass *pass, Operation *op) override {
    outer.runAfterPass(pass, op);
  }
  void runAfterPassFailed(Pass *pass, Operation *op) override {
    outer.runAfterPassFailed(pass, op);
  }
  void runBeforeAnalysis(StringRef name, TypeID id, Operation *op) override {
    outer.runBeforeAnalysis(name, id, op);
  }
  void runAfterAnalysis(StringRef name, TypeID id, Operation *op) override {
    outer.runAfterAnalysis(name, id, op);
  }

private:
  PassInstrumentor &outer;
};

class VerifyOnce : public amp::impl::VerifyOncePassBase<VerifyOnce> {
public:
  using VerifyOncePassBase::VerifyOncePassBase;

  explicit VerifyOnce(llvm::function_ref<void(OpPassManager &)> populate) {
    populate(passes);
    // What a reproducer or --dump-pass-pipeline prints.
    std::string text;
    llvm::raw_string_ostream os(text);
    llvm::interleave(
        passes, [&](Pass &pass) { pass.printAsTextualPipeline(os); },
        [&] { os << ','; });
    pipeline = text;
  }

  LogicalResult initializeOptions(
      StringRef options,
      function_ref<LogicalResult(const Twine &)> errorHandler) override {
    if (failed(VerifyOncePassBase::initializeOptions(options, errorHandler)))
      return failure();
    std::string message;
    llvm::raw_string_ostream os(message);
    if (failed(parsePassPipeline(pipeline, passes, os)))
      return errorHandler("expected 'pipeline' to be passes over a module "
                          "separated by commas, but " +
                          message);
    return success();
  }

  void getDependentDialects(DialectRegistry &registry) const override {
    passes.getDependentDialects(registry);
  }

  void runOnOperation() override {
    PassManager manager(&getContext(), ModuleOp::getOperationName());
    manager.enableVerifier(false);
    static_cast<OpPassManager &>(manager) = passes;
    if (PassInstrumentor *outer = getAnalysisManager().getPassInstrumentor())
      manager.addInstrumentation(
          std::make_unique<ForwardingInstrumentation>(*outer));
    if (failed(manager.run(getOperation())))
      signalPassFailure();
  }

private:
  OpPassManager passes{ModuleOp::getOperationName()};
};
} // namespace

std::unique_ptr<Pass> mlir::amp::createVerifyOncePass(
    llvm::function_ref<void(OpPassManager &)> populate) {
  return std::make_unique<VerifyOnce>(populate);
}
