//===- CpuFeatures.h - What a program needs of a CPU ------------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A program that is compiled ahead of time says which instructions its code may
// use, so that the runtime can ask the CPU for them (amp-rt/Cpu.h).
//
//===----------------------------------------------------------------------===//

#ifndef AMP_EXECUTION_CPUFEATURES_H
#define AMP_EXECUTION_CPUFEATURES_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <cstdint>
#include <string>
#include <vector>

namespace mlir::amp {

/// What code may use beyond what every CPU of the architecture has, as sets of
/// amp-rt/Cpu.h: `tiles` where it has AMX's tiles.
struct CpuFeatures {
  uint64_t plain = 0, tiles = 0;
};

/// Of code for `cpu`, "native" or what LLVM calls it. Fails for a CPU of that
/// name with instructions that the runtime cannot ask for; of this one they are
/// findUnaskedFeatures, which code is to do without.
llvm::Expected<CpuFeatures> getCpuFeatures(llvm::StringRef cpu);

/// What this CPU has and the runtime cannot ask another one for, by LLVM's
/// names.
std::vector<std::string> findUnaskedFeatures();

/// Fails if there is one that no CPU would be given: a CPU takes the first of
/// `cpus` that it can run. `option` is what errors call the list.
llvm::Error checkCpuOrder(llvm::ArrayRef<std::string> cpus,
                          llvm::StringRef option);

} // namespace mlir::amp

#endif // AMP_EXECUTION_CPUFEATURES_H
