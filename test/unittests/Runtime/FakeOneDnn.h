//===-- FakeOneDnn.h - What the fake oneDNN has counted ---------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef AMP_TEST_UNITTESTS_RUNTIME_FAKEONEDNN_H
#define AMP_TEST_UNITTESTS_RUNTIME_FAKEONEDNN_H

/// What fakeOneDnnCounts() returns.
struct FakeOneDnnCounts {
  /// Objects and descriptors that were made and not destroyed.
  int live;
  /// Primitives that were made.
  int primitives;
  /// Products that were computed, and OpenMP's threads at the last one.
  int executions, threads;
};

#endif // AMP_TEST_UNITTESTS_RUNTIME_FAKEONEDNN_H
