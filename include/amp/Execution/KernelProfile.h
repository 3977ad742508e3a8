//===- KernelProfile.h - Where the time of a step goes ----------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A table of kernels by the time that they took, and a picture of the calls for
// a viewer, of a program that was compiled to be profiled (amp-rt/Profile.h).
//
//===----------------------------------------------------------------------===//

#ifndef AMP_EXECUTION_KERNELPROFILE_H
#define AMP_EXECUTION_KERNELPROFILE_H

#include "amp/Execution/Program.h"

#include "llvm/Support/raw_ostream.h"

namespace mlir::amp {

/// What the machine does at most (Roofline.h).
struct MachinePeak {
  /// f32 operations a second, of all threads together; 0 if not known.
  double operations = 0;
  /// The same of products of bf16 by bf16, in what form is faster.
  double bf16Operations = 0;
  /// Bytes a second of a kernel whose operands have so many bytes.
  std::function<double(int64_t bytes)> getBandwidth;
};

/// The peak of `threads` threads, as if each had what one has: arithmetic is
/// measured now, memory when it is asked for.
MachinePeak measureMachinePeak(int32_t threads);

/// Writes a line for each of the `most` kernels that took longest: the share of
/// all kernels, milliseconds and calls a step, GFLOP/s, GB/s, and how much of
/// what the slower of arithmetic and memory allows was reached. `steps` are
/// those that were profiled, which took `seconds`.
void printKernelProfile(llvm::raw_ostream &os, llvm::ArrayRef<KernelTime> times,
                        int64_t steps, double seconds, const MachinePeak &peak,
                        unsigned most = 40);

/// Calls of all kernels, also those that were not kept one by one.
int64_t countCalls(llvm::ArrayRef<KernelTime> times);

/// Writes the calls as events of the Chrome trace format, which Perfetto shows;
/// microseconds from the first of them. `otherData` has how many there were
/// (`calls`). A call is one event, though several threads computed its parts.
void writeTrace(llvm::raw_ostream &os, llvm::ArrayRef<KernelTime> times,
                llvm::ArrayRef<KernelCall> calls);

} // namespace mlir::amp

#endif // AMP_EXECUTION_KERNELPROFILE_H
