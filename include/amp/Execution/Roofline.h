//===- Roofline.h - What this machine can do at most ------------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One thread's limits, measured: arithmetic in registers (RegisterRates.h), and
// a triad (STREAM's: a = b + s c) over as much memory as a product touches,
// so that what fits a cache is held against that cache. A product can be no
// faster than the slower of its arithmetic and one pass over its operands.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_EXECUTION_ROOFLINE_H
#define AMP_EXECUTION_ROOFLINE_H

#include "amp/Support/RegisterRates.h"

#include <cstdint>

namespace mlir::amp {

/// Bytes a second of a triad whose three arrays take `bytes` together.
double measureTriad(int64_t bytes, Measure measure);

} // namespace mlir::amp

#endif // AMP_EXECUTION_ROOFLINE_H
