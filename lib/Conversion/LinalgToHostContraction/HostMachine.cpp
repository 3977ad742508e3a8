//===- HostMachine.cpp - What kernels need to know of a CPU ---------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM knows which instructions a CPU has; which of them are worth using is in
// a table here, by measurement.
//
//===----------------------------------------------------------------------===//

#include "amp/Conversion/HostMachine.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/X86TargetParser.h"

using namespace mlir;
using namespace mlir::amp;

/// CPUs on which vdpbf16ps is faster than f32 arithmetic on twice the words:
/// GFLOP/s of one core in registers, f32 and vdpbf16ps.
///
///   Zen 4                         116   232
///   Sapphire Rapids (2.1 GHz)     185    93
static constexpr StringLiteral kFastBf16Dot[] = {"znver4"};

static HostMachine makeMachine(StringRef cpu,
                               function_ref<bool(StringRef)> hasFeature) {
  HostMachine machine;
  if (hasFeature("avx512f"))
    machine.vectorBits = 512;
  else if (!hasFeature("avx2"))
    machine.vectorBits = 128;
  machine.hasAvx512Bf16 = hasFeature("avx512bf16");
  if (machine.hasAvx512Bf16 && llvm::is_contained(kFastBf16Dot, cpu))
    machine.bf16 = Bf16Products::Avx512;
  return machine;
}

std::optional<HostMachine> HostMachine::get(StringRef cpu) {
  if (cpu == "native") {
    llvm::StringMap<bool> features = llvm::sys::getHostCPUFeatures();
    return makeMachine(llvm::sys::getHostCPUName(),
                       [&](StringRef name) { return features.lookup(name); });
  }
  if (llvm::X86::parseArchX86(cpu, /*Only64Bit=*/true) == llvm::X86::CK_None)
    return std::nullopt;
  SmallVector<StringRef> features;
  llvm::X86::getFeaturesForCPU(cpu, features);
  return makeMachine(
      cpu, [&](StringRef name) { return llvm::is_contained(features, name); });
}

void HostMachine::setVectorBits(unsigned bits) {
  vectorBits = bits;
  if (bits < 512)
    bf16 = Bf16Products::Widened;
}

std::string HostMachine::describe() const {
  std::string text = "vectors of " + std::to_string(vectorBits) + " bits";
  switch (bf16) {
  case Bf16Products::Auto:
  case Bf16Products::Widened:
    return text + ", bf16 widened to f32";
  case Bf16Products::Pairs:
    return text + ", bf16 in pairs, multiplied as f32";
  case Bf16Products::Avx512:
    return text + ", bf16 by vdpbf16ps";
  }
  llvm_unreachable("unknown Bf16Products");
}
