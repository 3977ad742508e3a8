//===- BlasReport.h - Which BLAS computes a run's products ------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The last bits of a sum depend on who computes it, so a run says it: on the
// screen, and in its log. The choice itself is the runtime's (amp-rt/Blas.h).
//
//===----------------------------------------------------------------------===//

#ifndef AMP_EXECUTION_BLASREPORT_H
#define AMP_EXECUTION_BLASREPORT_H

#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdint>
#include <limits>
#include <optional>
#include <string>

namespace mlir::amp {

struct BlasReport {
  struct Library {
    /// The file.
    std::string path;
    /// What it says of its version and build.
    std::string config;
    /// Whose kernels it uses; empty if it does not say.
    std::string core;
    int32_t threads;
    /// Multiplications from which products go to it.
    int64_t f32MinWork = 0, bf16MinWork = std::numeric_limits<int64_t>::max();
  };
  /// None: generated kernels compute everything.
  std::optional<Library> library;
  /// Why this one, or why none.
  std::string reason;
};

/// What compiled programs of this process use. `library` is a name or a file
/// that `origin` asks for; empty: AMP_BLAS decides. An error: a library that
/// was named cannot be used.
llvm::Expected<BlasReport> chooseBlas(llvm::StringRef library = "",
                                      llvm::StringRef origin = "");

/// One line for people.
void printBlas(llvm::raw_ostream &os, const BlasReport &blas);

/// After the steps: a line that says so if the library failed to compute a
/// product, which generated kernels then did.
void printBlasFailure(llvm::raw_ostream &os);

/// The library as an object; null if there is none.
llvm::json::Value toJson(const BlasReport &blas);

} // namespace mlir::amp

#endif // AMP_EXECUTION_BLASREPORT_H
