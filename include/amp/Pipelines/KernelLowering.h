//===- KernelLowering.h - From generated kernels to code --------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What happens to a gpu.module after an emitter has written it.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_PIPELINES_KERNELLOWERING_H
#define AMP_PIPELINES_KERNELLOWERING_H

#include "amp/Kernels/DeviceFunctions.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassOptions.h"

namespace mlir::amp {

/// The option `functions` of amp-convert-kernels-to-nvvm.
struct KernelFunctionsOption
    : ::mlir::detail::PassOptions::Option<KernelFunctions> {
  explicit KernelFunctionsOption(::mlir::detail::PassOptions &options)
      : Option(options, "functions", llvm::cl::init(KernelFunctions::Hardware),
               llvm::cl::desc("how kernels compute exp, tanh, erf and "
                              "quotients for halves"),
               llvm::cl::values(
                   clEnumValN(KernelFunctions::Hardware, "hardware",
                              "by the hardware's approximations, within stated "
                              "errors"),
                   clEnumValN(KernelFunctions::Portable, "portable",
                              "by the host's polynomials, with the same bits "
                              "everywhere"))) {}
  using Option::operator=;
};

struct KernelsToNVVMOptions : public PassPipelineOptions<KernelsToNVVMOptions> {
  KernelFunctionsOption functions{*this};
};

struct KernelLoweringOptions
    : public PassPipelineOptions<KernelLoweringOptions> {
  Option<std::string> chip{*this, "chip", llvm::cl::init("sm_90a"),
                           llvm::cl::desc("what to compile for")};
  Option<std::string> format{
      *this, "format", llvm::cl::init("bin"),
      llvm::cl::desc("bin for a cubin (needs ptxas), isa for PTX, llvm for "
                     "LLVM bitcode")};
  Option<std::string> toolkit{
      *this, "toolkit",
      llvm::cl::desc("CUDA toolkit; without it, ptxas from PATH")};
  Option<std::string> cache{*this, "cache",
                            llvm::cl::desc("folder of compiled kernels")};
  KernelFunctionsOption functions{*this};
};

/// `amp-kernels-to-nvvm`: branches and LLVM's and NVVM's operations only. The
/// emulator runs this form.
void buildKernelsToNVVMPipeline(OpPassManager &pm,
                                const KernelsToNVVMOptions &options);

/// `amp-kernels-to-cubin`: from there to a gpu.binary.
void buildKernelsToCubinPipeline(OpPassManager &pm,
                                 const KernelLoweringOptions &options);

void registerKernelLoweringPipelines();

/// What the pipelines ask of other dialects: to be translated, and to be
/// compiled by ptxas.
void registerKernelInterfaces(DialectRegistry &registry);

} // namespace mlir::amp

#endif // AMP_PIPELINES_KERNELLOWERING_H
