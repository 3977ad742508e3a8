//===-- Driver.h - The CUDA driver, opened at run time -*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef AMP_RT_SRC_DEVICE_CUDA_DRIVER_H
#define AMP_RT_SRC_DEVICE_CUDA_DRIVER_H

#include "Device/Cuda/DriverAbi.h"
#include "amp-rt/Status.h"

namespace amp::rt::cuda {

/// The driver's functions under their names without `cu`.
struct Driver {
// NOLINTBEGIN(bugprone-macro-parentheses): a list of parameters has its own
#define AMP_RT_CUDA_MEMBER(name, version, parameters)                          \
  Result(*name) parameters = nullptr;
  AMP_RT_CUDA_FUNCTIONS(AMP_RT_CUDA_MEMBER)
  AMP_RT_CUDA_OPTIONAL_FUNCTIONS(AMP_RT_CUDA_MEMBER)
#undef AMP_RT_CUDA_MEMBER
  // NOLINTEND(bugprone-macro-parentheses)

  /// Opens the library, fills the table and initialises the driver; a failure
  /// is AMP_RT_UNAVAILABLE. The library stays open for the life of the process.
  AmpRtStatus open(const char *call);

  /// The status and the text for a result other than kSuccess of `function`:
  /// "<call>: device 'cuda': <function>: <the driver's words>; <remedy>". Null
  /// remedy: what helps against the result in general.
  AmpRtStatus fail(Result result, const char *call, const char *function,
                   const char *remedy = nullptr) const;

private:
  AmpRtStatus resolve(const char *call, const char *path,
                      GetProcAddress getProcAddress);
};

} // namespace amp::rt::cuda

#endif // AMP_RT_SRC_DEVICE_CUDA_DRIVER_H
