//===- HostMachine.cpp - What kernels need to know of a CPU ---------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM knows which instructions a CPU has; which of them are worth using is in
// a table here, by measurement, and is measured once by a process that runs on
// a CPU which the table does not have. Tiles are worth it wherever they are: on
// Sapphire Rapids (2.1 GHz) a core does 2,050 GFLOP/s of bf16 in them, and of
// f16 in two parts a quarter of that, where f32 arithmetic does 185.
//
// Linux lets a process use the tiles' 8 KiB of registers once it has asked, and
// may refuse.
//
//===----------------------------------------------------------------------===//

#include "amp/Conversion/HostMachine.h"
#include "amp/Support/RegisterRates.h"

#include "mlir/IR/Diagnostics.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/X86TargetParser.h"

#ifdef __linux__
#include <sys/syscall.h>
#include <unistd.h>
#endif

using namespace mlir;
using namespace mlir::amp;

namespace {
/// What a core does in registers, in GFLOP/s.
struct Bf16Rates {
  StringLiteral cpu;
  double f32, vdpbf16ps;
};
} // namespace

/// As measureBf16Gain has them. The second is of 2.1 GHz.
static constexpr Bf16Rates kBf16Rates[] = {{"znver4", 116, 232},
                                           {"sapphirerapids", 185, 93}};

/// How many times as fast as f32 arithmetic vdpbf16ps has to be to be used.
/// Half panels pay from 1 on; what was measured is one half, one or two, and a
/// measurement that other work disturbs stays the same choice.
static constexpr double kLeastBf16Gain = 1.5;

/// That of `cpu` by the table; 0 for CPUs that it does not have.
static double findBf16Gain(StringRef cpu) {
  for (const Bf16Rates &rates : kBf16Rates)
    if (rates.cpu == cpu)
      return rates.vdpbf16ps / rates.f32;
  return 0;
}

/// Asks the system for AMX's tiles, for all threads of this process: as the
/// runtime does (CpuFeatures.cpp), which a library of passes does not need.
static bool requestTiles() {
#if defined(__linux__) && defined(__x86_64__)
  constexpr int kRequestPermission = 0x1023; // ARCH_REQ_XCOMP_PERM
  constexpr int kTileData = 18;              // XFEATURE_XTILEDATA
  return syscall(SYS_arch_prctl, kRequestPermission, kTileData) == 0;
#else
  return false;
#endif
}

static HostMachine makeMachine(StringRef cpu,
                               function_ref<bool(StringRef)> hasFeature) {
  HostMachine machine;
  if (hasFeature("avx512f"))
    machine.vectorBits = 512;
  else if (!hasFeature("avx2"))
    machine.vectorBits = 128;
  machine.hasAvx512Bf16 = hasFeature("avx512bf16");
  if (machine.hasAvx512Bf16 && findBf16Gain(cpu) >= kLeastBf16Gain)
    machine.bf16 = Bf16Products::Avx512;
  machine.hasAmxBf16 =
      hasFeature("avx512f") && hasFeature("amx-tile") && hasFeature("amx-bf16");
  if (machine.hasAmxBf16) {
    machine.bf16 = Bf16Products::Amx;
    machine.hasAmxFp16 = hasFeature("amx-fp16");
    machine.f16 = machine.hasAmxFp16 ? F16Products::Amx : F16Products::AmxParts;
  }
  return machine;
}

/// Of this process: compilers of a step ask more than once, and get one answer.
static double measureGainOnce() {
  static const double gain = measureBf16Gain();
  return gain;
}

void HostMachine::chooseByGain(double gain) {
  measuredBf16Gain = gain;
  bf16 = gain >= kLeastBf16Gain ? Bf16Products::Avx512 : Bf16Products::Widened;
}

std::optional<HostMachine> HostMachine::get(StringRef cpu) {
  if (cpu == "native") {
    llvm::StringMap<bool> features = llvm::sys::getHostCPUFeatures();
    if (features.lookup("amx-tile") && !requestTiles())
      features["amx-tile"] = false;
    const StringRef name = llvm::sys::getHostCPUName();
    HostMachine machine = makeMachine(
        name, [&](StringRef feature) { return features.lookup(feature); });
    if (machine.hasAvx512Bf16 && !machine.hasAmxBf16 && findBf16Gain(name) == 0)
      machine.chooseByGain(measureGainOnce());
    return machine;
  }
  if (llvm::X86::parseArchX86(cpu, /*Only64Bit=*/true) == llvm::X86::CK_None)
    return std::nullopt;
  SmallVector<StringRef> features;
  llvm::X86::getFeaturesForCPU(cpu, features);
  return makeMachine(
      cpu, [&](StringRef name) { return llvm::is_contained(features, name); });
}

LogicalResult HostMachine::choose(MLIRContext *context, StringRef cpu,
                                  unsigned vectorBits) {
  if (!cpu.empty()) {
    std::optional<HostMachine> known = get(cpu);
    if (!known)
      return emitError(UnknownLoc::get(context))
             << "expected 'cpu' to be 'native' or an x86-64 CPU that LLVM "
                "knows, such as 'znver4', but got '"
             << cpu << "'";
    *this = *known;
  }
  if (vectorBits == 0)
    return success();
  if (vectorBits != 128 && vectorBits != 256 && vectorBits != 512)
    return emitError(UnknownLoc::get(context))
           << "expected 'vector-bits' to be 128, 256 or 512, but got "
           << vectorBits;
  setVectorBits(vectorBits);
  return success();
}

void HostMachine::setProducts(Bf16Products ofBf16, F16Products ofF16) {
  if (ofBf16 != Bf16Products::Auto)
    bf16 = ofBf16;
  if (ofF16 != F16Products::Auto)
    f16 = ofF16;
}

void HostMachine::setVectorBits(unsigned bits) {
  vectorBits = bits;
  if (bits >= 512)
    return;
  bf16 = Bf16Products::Widened;
  f16 = F16Products::Widened;
}

static StringRef describe(Bf16Products products) {
  switch (products) {
  case Bf16Products::Auto:
  case Bf16Products::Widened:
    return "bf16 widened to f32";
  case Bf16Products::Pairs:
    return "bf16 in pairs, multiplied as f32";
  case Bf16Products::Avx512:
    return "bf16 by vdpbf16ps";
  case Bf16Products::Amx:
    return "bf16 by tdpbf16ps";
  }
  llvm_unreachable("unknown Bf16Products");
}

static StringRef describe(F16Products products) {
  switch (products) {
  case F16Products::Auto:
  case F16Products::Widened:
    return "f16 widened to f32";
  case F16Products::AmxParts:
    return "f16 in two parts by tdpbf16ps";
  case F16Products::Amx:
    return "f16 by tdpfp16ps";
  }
  llvm_unreachable("unknown F16Products");
}

std::string HostMachine::describe() const {
  std::string text;
  llvm::raw_string_ostream stream(text);
  stream << "vectors of " << vectorBits << " bits, " << ::describe(bf16);
  if (measuredBf16Gain)
    stream << " (" << (bf16 == Bf16Products::Avx512 ? "" : "vdpbf16ps ")
           << llvm::format("measured: %.1f times f32)", *measuredBf16Gain);
  stream << ", " << ::describe(f16);
  return text;
}
