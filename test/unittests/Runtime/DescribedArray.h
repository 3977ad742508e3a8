//===-- DescribedArray.h - Arrays of a program, in tests --------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef AMP_TEST_UNITTESTS_RUNTIME_DESCRIBEDARRAY_H
#define AMP_TEST_UNITTESTS_RUNTIME_DESCRIBEDARRAY_H

#include "amp-rt/Program.h"

/// An argument or a result, as the compiler describes it.
inline AmpRtValue describeArray(const char *role, const char *name,
                                int32_t element, int32_t rank,
                                const int64_t *extents) {
  return {sizeof(AmpRtValue),
          AMP_RT_VALUE_ARRAY,
          role,
          name,
          "",
          "",
          element,
          rank,
          extents,
          nullptr,
          0};
}

#endif // AMP_TEST_UNITTESTS_RUNTIME_DESCRIBEDARRAY_H
