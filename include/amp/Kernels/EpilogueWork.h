//===- EpilogueWork.h - What an epilogue adds to a product ------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AMP_KERNELS_EPILOGUEWORK_H
#define AMP_KERNELS_EPILOGUEWORK_H

#include "mlir/IR/Region.h"

namespace mlir::amp {

struct EpilogueWork {
  /// Bytes that it reads, and writes besides D, over the whole of D.
  int64_t bytes = 0;
  /// Instructions for each element of D. One of f64 counts as two.
  double instructions = 0;
};

/// Instructions that a thread takes for the operations of `body`, scalar and
/// elementwise, as ptxas makes them of what convert-kernels-to-nvvm leaves
/// where functions are the hardware's.
double countElementInstructions(Region &body);

} // namespace mlir::amp

#endif // AMP_KERNELS_EPILOGUEWORK_H
