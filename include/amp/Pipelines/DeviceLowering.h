//===- DeviceLowering.h - The pipeline amp-to-gpu ---------------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// From a mixed-precision step on tensors to kernels of a GPU and a program in
// the LLVM dialect that asks the runtime to run them.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_PIPELINES_DEVICELOWERING_H
#define AMP_PIPELINES_DEVICELOWERING_H

#include "amp/Pipelines/KernelLowering.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassOptions.h"

namespace mlir::amp {

/// What becomes of kernels.
enum class KernelFormat {
  NVVM, /// text in the NVVM dialect, for the emulator
  PTX,  /// which a driver compiles
  Cubin /// by the ptxas of a CUDA toolkit
};

struct DeviceLoweringOptions
    : public PassPipelineOptions<DeviceLoweringOptions> {
  Option<std::string> chip{*this, "chip", llvm::cl::init("sm_90a"),
                           llvm::cl::desc("what kernels are made for: sm_80, "
                                          "sm_86, sm_87, sm_89, sm_90 or "
                                          "sm_90a")};
  Option<KernelFormat> format{
      *this, "format", llvm::cl::init(KernelFormat::Cubin),
      llvm::cl::desc("what becomes of kernels"),
      llvm::cl::values(
          clEnumValN(KernelFormat::NVVM, "nvvm",
                     "text in the NVVM dialect, for the emulator"),
          clEnumValN(KernelFormat::PTX, "ptx", "which a driver compiles"),
          clEnumValN(KernelFormat::Cubin, "cubin",
                     "by the ptxas of a CUDA toolkit"))};
  Option<std::string> toolkit{
      *this, "toolkit",
      llvm::cl::desc("CUDA toolkit; without it, ptxas from PATH or CUDA_HOME")};
  Option<std::string> cache{*this, "cache",
                            llvm::cl::desc("folder of compiled kernels")};
  Option<bool> tf32{
      *this, "tf32", llvm::cl::init(false),
      llvm::cl::desc("read f32 operands of matrix products and convolutions as "
                     "tf32, where that is expected to be faster")};
  KernelFunctionsOption functions{*this};
  Option<bool> countTraffic{
      *this, "count-traffic", llvm::cl::init(false),
      llvm::cl::desc("leave on the module the bytes that a train step has to "
                     "move and those that its launches and copies do")};
};

/// Second half of `amp-to-gpu`: from what buildHostPreparationPipeline leaves
/// to the LLVM dialect, with the kernels as data.
void buildDeviceLoweringPipeline(OpPassManager &pm,
                                 const DeviceLoweringOptions &options);

/// Makes `amp-to-gpu` known to the pipeline parser.
void registerDeviceLoweringPipeline();

} // namespace mlir::amp

#endif // AMP_PIPELINES_DEVICELOWERING_H
