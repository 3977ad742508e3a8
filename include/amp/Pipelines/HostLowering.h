//===- HostLowering.h - The pipeline amp-to-host ----------------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// From a mixed-precision step on tensors to the LLVM dialect for a CPU.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_PIPELINES_HOSTLOWERING_H
#define AMP_PIPELINES_HOSTLOWERING_H

#include "amp/Conversion/LinalgToHostContraction.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassOptions.h"

namespace mlir::amp {

struct HostLoweringOptions : public PassPipelineOptions<HostLoweringOptions> {
  Option<BlasUse> blas{
      *this, "blas", llvm::cl::init(BlasUse::Auto),
      llvm::cl::desc("whether large products may go to a BLAS library"),
      llvm::cl::values(
          clEnumValN(BlasUse::Auto, "auto",
                     "one that fits the CPU, or that AMP_BLAS names"),
          clEnumValN(BlasUse::Off, "off", "never"))};
  Option<int64_t> blasMinWork{
      *this, "blas-min-work", llvm::cl::init(kBlasMinWork),
      llvm::cl::desc(
          "multiplications from which a product of f32 matrices goes "
          "to BLAS")};
  Option<int64_t> blasMinBf16Work{
      *this, "blas-min-bf16-work", llvm::cl::init(kBlasNever),
      llvm::cl::desc("multiplications from which a product of bf16 matrices "
                     "goes to a library that multiplies bf16")};
  Option<bool> reference{
      *this, "reference", llvm::cl::init(false),
      llvm::cl::desc("no BLAS, no fusion, sums in the order of the loops: the "
                     "numerical oracle, slow")};
  Option<std::string> cpu{
      *this, "cpu", llvm::cl::init(""),
      llvm::cl::desc("the CPU that the step is compiled for: 'native', or what "
                     "LLVM calls it; empty: any of the target, with vectors of "
                     "256 bits")};
  Option<unsigned> vectorBits{
      *this, "vector-bits", llvm::cl::init(0),
      llvm::cl::desc("width of the vector registers: 128, 256 or 512; 0: the "
                     "CPU's")};
  Option<Bf16Products> bf16{
      *this, "bf16", llvm::cl::init(Bf16Products::Auto),
      llvm::cl::desc("how bf16 is multiplied by bf16"),
      llvm::cl::values(
          clEnumValN(Bf16Products::Auto, "auto", "what the CPU does fastest"),
          clEnumValN(Bf16Products::Widened, "widened",
                     "as f32, widened when it is packed"),
          clEnumValN(Bf16Products::Pairs, "pairs",
                     "packed in pairs, multiplied as f32"),
          clEnumValN(Bf16Products::Avx512, "avx512",
                     "packed in pairs, multiplied by vdpbf16ps"),
          clEnumValN(Bf16Products::Amx, "amx",
                     "in tiles, multiplied by tdpbf16ps"))};
  Option<F16Products> f16{
      *this, "f16", llvm::cl::init(F16Products::Auto),
      llvm::cl::desc("how f16 is multiplied by f16"),
      llvm::cl::values(
          clEnumValN(F16Products::Auto, "auto", "what the CPU does fastest"),
          clEnumValN(F16Products::Widened, "widened",
                     "as f32, widened when it is packed"),
          clEnumValN(F16Products::AmxParts, "amx-parts",
                     "as two bf16 each, in tiles, multiplied by tdpbf16ps"),
          clEnumValN(F16Products::Amx, "amx",
                     "in tiles, multiplied by tdpfp16ps"))};
  Option<bool> expandTiles{
      *this, "expand-tiles", llvm::cl::init(false),
      llvm::cl::desc("multiply AMX's tiles by loops over vectors, for CPUs "
                     "without them: the same numbers, slow")};
  Option<unsigned> threads{
      *this, "threads", llvm::cl::init(1),
      llvm::cl::desc("threads that the loops of the step are divided among; a "
                     "run gives them (amp-rt/Pool.h)")};
  Option<bool> updateInPlace{
      *this, "update-in-place", llvm::cl::init(false),
      llvm::cl::desc("let results have the memory of the states that they "
                     "update, for callers with one buffer for both; others pay "
                     "a copy")};
  Option<bool> profile{
      *this, "profile", llvm::cl::init(false),
      llvm::cl::desc("let each kernel say when it begins and ends "
                     "(amp-rt/Profile.h)")};
  Option<bool> countTraffic{
      *this, "count-traffic", llvm::cl::init(false),
      llvm::cl::desc("leave on the module how many bytes a train step moves, "
                     "and how many it has to")};
  Option<bool> describeKernels{
      *this, "describe-kernels", llvm::cl::init(false),
      llvm::cl::desc("list the kernels as 'profile' does, without their time")};
  Option<int64_t> partWork{
      *this, "part-work", llvm::cl::init(0),
      llvm::cl::desc("points of a loop that are worth a thread; 0: what each "
                     "pass knows of its own loops")};
  Option<bool> verifyEach{
      *this, "verify-each", llvm::cl::init(false),
      llvm::cl::desc("verify the module after each pass of the second half and "
                     "not only after the last; slower")};
};

/// Upstream's canonicalizer without a pattern that takes the insertion of what
/// is padded into what is filled for one of the unpadded tensor, and forgets
/// strides. `without` names others that are left out, by their classes in
/// upstream's anonymous namespaces.
void addCanonicalizer(OpPassManager &pm, ArrayRef<StringRef> without = {});

/// First half of `amp-to-host`: the step as functions on tensors that a host
/// can call, with the handles that they need as arguments. Roles are still
/// there for a driver to read.
void buildHostPreparationPipeline(OpPassManager &pm);

/// Second half: from there to the LLVM dialect.
void buildHostLoweringPipeline(OpPassManager &pm,
                               const HostLoweringOptions &options);

/// Of tensors, buffers of the same function, which the caller has for results;
/// and, when nothing more is allocated, what frees and counts them.
void buildBufferizationPipeline(OpPassManager &pm);
void buildDeallocationPipeline(OpPassManager &pm);

/// Its last stage: functions of loops on buffers, and calls of the runtime, to
/// a program in the LLVM dialect that describes itself. With `hasTiles`, loops
/// may be of AMX's tiles.
void buildHostProgramPipeline(OpPassManager &pm, bool hasTiles);

/// Makes `amp-to-host` known to the pipeline parser.
void registerHostLoweringPipeline();

} // namespace mlir::amp

#endif // AMP_PIPELINES_HOSTLOWERING_H
