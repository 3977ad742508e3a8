//===- RegisterRates.h - What arithmetic in registers takes -----*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One thread's multiplications with additions in registers, measured on the CPU
// that runs this: what a product can reach at most, and which of two kinds of
// arithmetic is the faster one.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_SUPPORT_REGISTERRATES_H
#define AMP_SUPPORT_REGISTERRATES_H

#include "llvm/ADT/STLFunctionalExtras.h"

namespace mlir::amp {

/// The best time of a call, in seconds.
using Measure = llvm::function_ref<double(llvm::function_ref<void()>)>;

/// f32 operations a second, with the CPU's widest vectors; 0 where no loop is
/// written for its architecture.
double measurePeak(Measure measure);

/// The same of products of bf16 with f32 sums, by vdpbf16ps; 0 where the CPU
/// has none.
double measureBf16Peak(Measure measure);

/// The same by tdpbf16ps on AMX's tiles, for a process that may use them
/// (HostMachine::hasAmxBf16).
double measureTilePeak(Measure measure);

/// How many times as fast as f32 arithmetic vdpbf16ps is; 0 where the CPU has
/// none. Takes about a millisecond. The best of many short loops of each, in
/// turns, so that other work on the machine changes it little: CPUs have one
/// half, one or two.
double measureBf16Gain();

} // namespace mlir::amp

#endif // AMP_SUPPORT_REGISTERRATES_H
