//===- KernelLowering.cpp - From generated kernels to code ----------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Everything inside a gpu.module is lowered there, so that kernels in several
// modules are lowered in parallel and host code beside them stays as it is.
//
//===----------------------------------------------------------------------===//

#include "amp/Pipelines/KernelLowering.h"

#include "amp/Kernels/Passes.h"
#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/GPU/Transforms/Passes.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Target/LLVM/NVVM/Target.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/GPU/GPUToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/NVVM/NVVMToLLVMIRTranslation.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace mlir::amp;

void mlir::amp::registerKernelInterfaces(DialectRegistry &registry) {
  NVVM::registerNVVMTargetInterfaceExternalModels(registry);
  registerBuiltinDialectTranslation(registry);
  registerGPUDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
  registerNVVMDialectTranslation(registry);
}

void mlir::amp::buildKernelsToNVVMPipeline(
    OpPassManager &pm, const KernelsToNVVMOptions &options) {
  OpPassManager &kernels = pm.nest<gpu::GPUModuleOp>();
  // While loops are loops: what an emitter wrote once per use is one value, and
  // what does not change leaves the loop.
  kernels.addPass(createCanonicalizerPass());
  kernels.addPass(createCSEPass());
  kernels.addPass(createLoopInvariantCodeMotionPass());
  kernels.addPass(createSCFToControlFlowPass());
  ConvertKernelsToNVVMPassOptions convert;
  convert.functions = options.functions;
  kernels.addPass(createConvertKernelsToNVVMPass(convert));
  kernels.addPass(createReconcileUnrealizedCastsPass());
  kernels.addPass(createCanonicalizerPass());
  kernels.addPass(createCSEPass());
}

void mlir::amp::buildKernelsToCubinPipeline(
    OpPassManager &pm, const KernelLoweringOptions &options) {
  GpuNVVMAttachTargetOptions target;
  target.chip = options.chip;
  target.features = "+ptx80";
  target.optLevel = 3;
  pm.addPass(createGpuNVVMAttachTarget(target));
  pm.addPass(createRecordLaunchesPass());
  KernelsToNVVMOptions code;
  code.functions = options.functions;
  buildKernelsToNVVMPipeline(pm, code);
  OpPassManager &kernels = pm.nest<gpu::GPUModuleOp>();
  // What LLVM has no intrinsic for becomes inline PTX.
  kernels.addPass(createConvertNVVMToLLVMPass());
  kernels.addPass(createReconcileUnrealizedCastsPass());
  CompileKernelsPassOptions compile;
  compile.toolkit = options.toolkit;
  compile.format = options.format;
  compile.cache = options.cache;
  pm.addPass(createCompileKernelsPass(compile));
}

void mlir::amp::registerKernelLoweringPipelines() {
  PassPipelineRegistration<KernelsToNVVMOptions>(
      "amp-kernels-to-nvvm",
      "Lower generated kernels to the LLVM and NVVM dialects",
      buildKernelsToNVVMPipeline);
  PassPipelineRegistration<KernelLoweringOptions>(
      "amp-kernels-to-cubin",
      "Compile generated kernels, in the module's gpu.modules, for a chip",
      buildKernelsToCubinPipeline);
}
