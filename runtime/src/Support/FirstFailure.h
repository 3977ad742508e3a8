//===-- FirstFailure.h - The first of several failures ----------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef AMP_RT_SRC_SUPPORT_FIRSTFAILURE_H
#define AMP_RT_SRC_SUPPORT_FIRSTFAILURE_H

#include "Support/Failure.h"

#include <cstdio>

namespace amp::rt {

/// Of a function that gives back several things and goes on where it fails: the
/// first failure is worth reading, with its own text.
class FirstFailure {
public:
  void add(AmpRtStatus next) {
    if (next == AMP_RT_OK || first != AMP_RT_OK)
      return;
    first = next;
    std::snprintf(text, sizeof(text), "%s", ampRtStatusText());
  }
  /// AMP_RT_OK if nothing failed.
  AmpRtStatus report() const {
    return first == AMP_RT_OK ? first : fail(first, "%s", text);
  }

private:
  AmpRtStatus first = AMP_RT_OK;
  char text[1024];
};

} // namespace amp::rt

#endif // AMP_RT_SRC_SUPPORT_FIRSTFAILURE_H
