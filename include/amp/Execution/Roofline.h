//===- Roofline.h - What this machine can do at most ------------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One thread's limits, measured: multiplications with additions in registers,
// and a triad (STREAM's: a = b + s c) over as much memory as a product touches,
// so that what fits a cache is held against that cache. A product can be no
// faster than the slower of its arithmetic and one pass over its operands.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_EXECUTION_ROOFLINE_H
#define AMP_EXECUTION_ROOFLINE_H

#include "llvm/ADT/STLFunctionalExtras.h"

#include <cstdint>

namespace mlir::amp {

/// The best time of a call, in seconds.
using Measure = llvm::function_ref<double(llvm::function_ref<void()>)>;

/// f32 operations a second in registers, with the CPU's widest vectors; 0 where
/// no loop is written for its architecture.
double measurePeak(Measure measure);

/// The same of products of bf16 with f32 sums, by vdpbf16ps; 0 where the CPU
/// has none.
double measureBf16Peak(Measure measure);

/// The same by tdpbf16ps on AMX's tiles, for a process that may use them
/// (HostMachine::hasAmxBf16).
double measureTilePeak(Measure measure);

/// Bytes a second of a triad whose three arrays take `bytes` together.
double measureTriad(int64_t bytes, Measure measure);

} // namespace mlir::amp

#endif // AMP_EXECUTION_ROOFLINE_H
