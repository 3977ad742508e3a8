//===- ConvertKernelsToNVVM.cpp - Structured kernels to branches ----------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Upstream's patterns of arith, cf and math, applied inside a gpu.module:
// upstream's own pass for branches wants the host's module around it.
//
// A function that LLVM cannot select for NVPTX ends the process there, so it is
// refused here. Others become arithmetic first (ExpandFunctions.cpp names the
// errors), so that a kernel computes the same on the emulator and on a GPU; of
// the hardware's functions, which do not, HardwareFunctions.cpp has the errors.
//
//===----------------------------------------------------------------------===//

#include "Compilation/ExpandFunctions.h"
#include "amp/Kernels/DeviceFunctions.h"
#include "amp/Kernels/Passes.h"
#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Transforms/DialectConversion.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

#define DEBUG_TYPE "amp-convert-kernels-to-nvvm"

namespace mlir::amp {
#define GEN_PASS_DEF_CONVERTKERNELSTONVVMPASS
#include "amp/Kernels/Passes.h.inc"
} // namespace mlir::amp

using namespace mlir;
using namespace mlir::amp;

static LogicalResult expandFunctions(gpu::GPUModuleOp module,
                                     KernelFunctions functions) {
  RewritePatternSet patterns(module.getContext());
  populateExpandFunctionsPatterns(patterns, functions);
  // Divisions that round up or down: LLVM's round towards zero.
  arith::populateCeilFloorDivExpandOpsPatterns(patterns);
  if (failed(applyPatternsGreedily(module, std::move(patterns))))
    return failure();
  WalkResult walk = module.walk([](Operation *op) {
    if (!isa_and_nonnull<math::MathDialect>(op->getDialect()) ||
        hasInstructions(op))
      return WalkResult::advance();
    op->emitError() << "expected a function that kernels have code for ("
                    << listDeviceFunctions() << "), but got '" << op->getName()
                    << "' of " << op->getResult(0).getType()
                    << "; write it in terms of these";
    return WalkResult::interrupt();
  });
  return failure(walk.wasInterrupted());
}

namespace {
struct ConvertKernelsToNVVM
    : public amp::impl::ConvertKernelsToNVVMPassBase<ConvertKernelsToNVVM> {
  using Base::Base;

  void runOnOperation() override {
    if (failed(expandFunctions(getOperation(), functions)))
      return signalPassFailure();
    MLIRContext *context = &getContext();
    LLVMTypeConverter types(context);
    RewritePatternSet patterns(context);
    arith::populateArithToLLVMConversionPatterns(types, patterns);
    cf::populateControlFlowToLLVMConversionPatterns(types, patterns);
    populateMathToLLVMConversionPatterns(types, patterns);
    ConversionTarget target(*context);
    target.addIllegalDialect<arith::ArithDialect, cf::ControlFlowDialect,
                             math::MathDialect>();
    target.markUnknownOpDynamicallyLegal([](Operation *) { return true; });
    if (failed(applyPartialConversion(getOperation(), target,
                                      std::move(patterns))))
      signalPassFailure();
  }
};
} // namespace
