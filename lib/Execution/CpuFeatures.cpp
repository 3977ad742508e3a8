//===- CpuFeatures.cpp - What a program needs of a CPU --------------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM's list of a CPU's features in three parts: those that the runtime asks
// the CPU for, those that code has only where a program names an instruction,
// which no step does, and others, of which nobody would know whether the CPU
// that runs the program has them.
//
//===----------------------------------------------------------------------===//

#include "amp/Execution/CpuFeatures.h"

#include "amp-rt/Cpu.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/Twine.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/X86TargetParser.h"

using namespace mlir::amp;
using llvm::createStringError;
using llvm::Error;
using llvm::Expected;
using llvm::SmallVector;
using llvm::StringLiteral;
using llvm::StringRef;
using llvm::Twine;

/// What every x86-64 CPU has, and what LLVM generates for intrinsics alone.
static constexpr StringLiteral kNotAskedFor[] = {
    // Of every one.
    "64bit", "cmov", "cx8", "fxsr", "mmx", "sse", "sse2", "x87",
    // No instructions of their own: names for others, and advice.
    "avx10.1", "evex512", "vzeroupper",
    // By intrinsics.
    "adx", "aes", "amx-complex", "amx-int8", "avx5124fmaps", "avx5124vnniw",
    "avx512vp2intersect", "cldemote", "clflushopt", "clwb", "clzero", "crc32",
    "enqcmd", "fsgsbase", "hreset", "invpcid", "kl", "lwp", "movdir64b",
    "movdiri", "mwaitx", "pclmul", "pconfig", "pku", "prefetchi", "ptwrite",
    "rdpid", "rdpru", "rdrnd", "rdseed", "rtm", "serialize", "sgx", "sha",
    "sha512", "shstk", "sm3", "sm4", "tsxldtrk", "uintr", "usermsr", "vaes",
    "vpclmulqdq", "waitpkg", "wbnoinvd", "widekl", "xsave", "xsavec",
    "xsaveopt", "xsaves"};

namespace {
/// The first part of a list, and the last.
struct DividedFeatures {
  CpuFeatures known;
  std::vector<std::string> others;
};
} // namespace

/// What `features` has that is true.
static DividedFeatures divide(const llvm::StringMap<bool> &features) {
  DividedFeatures divided;
  for (const auto &[name, isThere] : features) {
    if (!isThere)
      continue;
    int32_t number = ampRtCpuFindFeature(name.str().c_str());
    if (number >= 0)
      (name.starts_with("amx-") ? divided.known.tiles : divided.known.plain) |=
          uint64_t(1) << number;
    else if (!llvm::is_contained(kNotAskedFor, name))
      divided.others.push_back(name.str());
  }
  return divided;
}

/// Of the CPU that runs this process.
static DividedFeatures divideNative() {
  return divide(llvm::sys::getHostCPUFeatures());
}

std::vector<std::string> mlir::amp::findUnaskedFeatures() {
#ifdef __x86_64__
  return divideNative().others;
#else
  return {};
#endif
}

Expected<CpuFeatures> mlir::amp::getCpuFeatures(StringRef cpu) {
  CpuFeatures none;
#ifdef __x86_64__
  if (cpu == "native") {
    CpuFeatures features = divideNative().known;
    features.tiles = ampRtCpuGetFeatures(features.tiles);
    return features;
  }
  if (llvm::X86::parseArchX86(cpu, /*Only64Bit=*/true) == llvm::X86::CK_None)
    return none;
  SmallVector<StringRef> listed;
  llvm::X86::getFeaturesForCPU(cpu, listed);
  llvm::StringMap<bool> features;
  // LLVM leaves out what others imply, as avx of avxvnni.
  for (StringRef name : listed) {
    features[name] = true;
    llvm::X86::updateImpliedFeatures(name, /*Enabled=*/true, features);
  }
  DividedFeatures divided = divide(features);
  if (divided.others.empty())
    return divided.known;
  return createStringError(
      Twine("code for '") + cpu + "' may use '" + divided.others.front() +
      "', for which the runtime cannot ask a CPU; name an older one");
#else
  return none;
#endif
}

Error mlir::amp::checkCpuOrder(llvm::ArrayRef<std::string> cpus,
                               StringRef option) {
  SmallVector<uint64_t> before;
  for (const std::string &cpu : cpus) {
    if (llvm::is_contained(cpus.take_front(before.size()), cpu))
      return createStringError(Twine("expected ") + option +
                               " to name each CPU once, but got '" + cpu +
                               "' twice");
    Expected<CpuFeatures> needed = getCpuFeatures(cpu);
    if (!needed)
      return needed.takeError();
    const uint64_t all = needed->plain | needed->tiles;
    for (auto [earlier, features] : llvm::zip(cpus, before)) {
      if (features & ~all)
        continue;
      const std::string other =
          features == all ? "" : "put '" + cpu + "' before it, or ";
      return createStringError(
          Twine("expected ") + option +
          " to name first what can do most, but a CPU that can run the code "
          "for '" +
          cpu + "' can run that for '" + earlier +
          "' too, and would take it; " + other + "leave one out");
    }
    before.push_back(all);
  }
  return Error::success();
}
