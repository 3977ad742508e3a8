//===- VerifyOnceTest.cpp - When amp-verify-once verifies -----------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Passes that break a function and mend it show when a module is verified: a
// broken one between two passes is seen by a pass manager, and not by
// amp-verify-once; one that is left broken is seen by both.
//
//===----------------------------------------------------------------------===//

#include "amp/Dialect/Amp/Transforms/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassInstrumentation.h"
#include "mlir/Pass/PassManager.h"

#include "gtest/gtest.h"

using namespace mlir;
using namespace mlir::amp;

namespace {
/// Gives each function one result more, or less, than its body returns.
struct ChangeResults
    : public PassWrapper<ChangeResults, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ChangeResults)
  explicit ChangeResults(bool breaks) : breaks(breaks) {}
  StringRef getName() const override { return breaks ? "break" : "mend"; }

  void runOnOperation() override {
    auto i32 = IntegerType::get(&getContext(), 32);
    for (auto function : getOperation().getOps<func::FuncOp>())
      function.setType(FunctionType::get(
          &getContext(), {}, breaks ? TypeRange(i32) : TypeRange()));
  }

  bool breaks;
};

struct Fails : public PassWrapper<Fails, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(Fails)
  StringRef getName() const override { return "fails"; }
  void runOnOperation() override { signalPassFailure(); }
};

/// Writes down what it is told.
struct Recorder : public PassInstrumentation {
  explicit Recorder(std::vector<std::string> &events) : events(events) {}
  void runBeforePass(Pass *pass, Operation *) override {
    events.push_back("+" + pass->getName().str());
  }
  void runAfterPass(Pass *pass, Operation *) override {
    events.push_back("-" + pass->getName().str());
  }
  void runAfterPassFailed(Pass *pass, Operation *) override {
    events.push_back("!" + pass->getName().str());
  }
  std::vector<std::string> &events;
};

class VerifyOnceTest : public testing::Test {
protected:
  VerifyOnceTest() : manager(&context) {
    context.loadDialect<func::FuncDialect>();
    module = parseSourceString<ModuleOp>("func.func @f() { return }", &context);
  }

  /// Runs the manager; what it complains about is in `errors`.
  bool run() {
    ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
      errors += diagnostic.str();
      return success();
    });
    return succeeded(manager.run(*module));
  }

  static void addBreak(OpPassManager &pm) {
    pm.addPass(std::make_unique<ChangeResults>(true));
  }
  static void addBreakAndMend(OpPassManager &pm) {
    addBreak(pm);
    pm.addPass(std::make_unique<ChangeResults>(false));
  }

  MLIRContext context;
  PassManager manager;
  OwningOpRef<ModuleOp> module;
  std::string errors;
};
} // namespace

TEST_F(VerifyOnceTest, APassManagerVerifiesBetweenPasses) {
  addBreakAndMend(manager);
  EXPECT_FALSE(run());
  EXPECT_NE(errors.find("operands"), std::string::npos) << errors;
}

TEST_F(VerifyOnceTest, NothingIsVerifiedBetweenItsPasses) {
  manager.addPass(createVerifyOncePass(addBreakAndMend));
  EXPECT_TRUE(run()) << errors;
}

TEST_F(VerifyOnceTest, WhatComesOutIsVerified) {
  manager.addPass(createVerifyOncePass(addBreak));
  EXPECT_FALSE(run());
  EXPECT_NE(errors.find("operands"), std::string::npos) << errors;
}

TEST_F(VerifyOnceTest, TheManagerDecidesAboutWhatComesOut) {
  manager.enableVerifier(false);
  manager.addPass(createVerifyOncePass(addBreak));
  EXPECT_TRUE(run()) << errors;
}

TEST_F(VerifyOnceTest, InstrumentationsSeeEachPass) {
  std::vector<std::string> events;
  manager.addInstrumentation(std::make_unique<Recorder>(events));
  manager.addPass(createVerifyOncePass(addBreakAndMend));
  EXPECT_TRUE(run()) << errors;
  EXPECT_EQ(events,
            (std::vector<std::string>{"+VerifyOncePass", "+break", "-break",
                                      "+mend", "-mend", "-VerifyOncePass"}));
}

TEST_F(VerifyOnceTest, APassThatFailsEndsThePipeline) {
  std::vector<std::string> events;
  manager.addInstrumentation(std::make_unique<Recorder>(events));
  manager.addPass(createVerifyOncePass([](OpPassManager &pm) {
    pm.addPass(std::make_unique<Fails>());
    addBreakAndMend(pm);
  }));
  EXPECT_FALSE(run());
  EXPECT_EQ(events, (std::vector<std::string>{"+VerifyOncePass", "+fails",
                                              "!fails", "!VerifyOncePass"}));
}

TEST_F(VerifyOnceTest, ItRunsAgainAndAsACopy) {
  manager.addPass(createVerifyOncePass(addBreakAndMend));
  EXPECT_TRUE(run()) << errors;
  EXPECT_TRUE(run()) << errors;
  OpPassManager copy = manager;
  PassManager second(&context);
  static_cast<OpPassManager &>(second) = copy;
  EXPECT_TRUE(succeeded(second.run(*module)));
}
