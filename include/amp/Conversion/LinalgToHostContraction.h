//===- LinalgToHostContraction.h - Matrix products for a CPU ----*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The conversion behind `convert-linalg-to-host-contraction`, for passes that
// compose it, and the question which operations it takes, for passes that must
// leave them alone until then (fusion, vectorization).
//
//===----------------------------------------------------------------------===//

#ifndef AMP_CONVERSION_LINALGTOHOSTCONTRACTION_H
#define AMP_CONVERSION_LINALGTOHOSTCONTRACTION_H

#include "amp/Conversion/HostMachine.h"
#include "mlir/Support/LLVM.h"

#include <cstdint>
#include <limits>

namespace mlir {
class MLIRContext;
class ModuleOp;
namespace linalg {
class LinalgOp;
} // namespace linalg
namespace scf {
class ParallelOp;
} // namespace scf
} // namespace mlir

namespace mlir::amp {

/// Whether compiled code may call a BLAS library.
enum class BlasUse { Auto, Off };

/// Multiplications from which a product goes to BLAS: where all operands are
/// f32 matrices in memory, and where some must be copied into one first.
/// Measured by test/benchmarks/contraction.cpp with OpenBLAS 0.3.21 on Zen 4,
/// with its kernels and ours of 256 and of 512 bits. In place BLAS is as fast
/// from 32 x 64 x 64 on, and faster by up to a fifth at that size. Copied, it
/// was never faster: 0.92 to 0.96 of the generated kernel's speed at 1024^3 and
/// 2048^3. Where OpenBLAS knows a CPU better than our kernels do it will be, so
/// the largest products go there all the same.
constexpr int64_t kBlasMinWork = int64_t(1) << 17;
constexpr int64_t kBlasMinCopiedWork = int64_t(1) << 33;
/// No product has as many. Products of bf16 go nowhere by themselves: a library
/// that has them was not measured to win (amp-rt/Blas.h).
constexpr int64_t kBlasNever = std::numeric_limits<int64_t>::max();

/// Multiplications that are worth a thread: some ten microseconds of them,
/// where waking a thread takes as long.
constexpr int64_t kHostPartWork = int64_t(1) << 20;

/// Pieces of a loop for each thread: more are shared more evenly.
constexpr int64_t kPiecesPerThread = 4;

struct HostContractionOptions {
  BlasUse blas = BlasUse::Auto;
  int64_t blasMinWork = kBlasMinWork;
  int64_t blasMinCopiedWork = kBlasMinCopiedWork;
  int64_t blasMinBf16Work = kBlasNever;
  HostMachine machine;
  /// Threads among which generated products are divided.
  unsigned threads = 1;
  int64_t partWork = kHostPartWork;
};

/// Refuses what no pass that divides work among threads can do.
LogicalResult checkThreadOptions(MLIRContext *context, unsigned threads,
                                 int64_t partWork);

/// Whether iterations of `loop`, if it is inside no other such loop, become
/// calls that threads share (amp-outline-parallel-loops): they have one index,
/// from 0 on, and reduce nothing.
bool isSharedByThreads(scf::ParallelOp loop);

/// What `convertLinalgToHostContraction` did.
struct HostContractionCounts {
  unsigned converted = 0;
  unsigned blas = 0;
  /// Products that took the place of a fill, too.
  unsigned fromZero = 0;
  unsigned kernels = 0;
};

/// True if the conversion would take `op` once it is on buffers: the rules of
/// the pass on body, maps and element types hold.
bool isHostContraction(linalg::LinalgOp op);

/// True if the conversion can let the host contraction `op` start from zero in
/// place of an output that is filled with zeros: whatever sizes are not known,
/// its sums have steps, it writes all of the output, and that is no input.
bool overwritesOutput(linalg::LinalgOp op);

/// True if all operands of `op` are memrefs in the default memory space with a
/// strided layout.
bool isOnStridedBuffers(linalg::LinalgOp op);

/// Erases the fill of the output by 0.0 that stands in front of the host
/// contraction `op`, with nothing but operations free of memory effects between
/// them, if `op` can start from zero in its place. True if there was one.
bool eraseFillInFront(linalg::LinalgOp op);

/// Replaces each host contraction of `module` on buffers by calls of private
/// functions, which are added to `module`. Fails with a diagnostic if the
/// module uses the name of one of the runtime's BLAS functions for something
/// else.
FailureOr<HostContractionCounts>
convertLinalgToHostContraction(ModuleOp module,
                               const HostContractionOptions &options);

} // namespace mlir::amp

#endif // AMP_CONVERSION_LINALGTOHOSTCONTRACTION_H
