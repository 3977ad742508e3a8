//===- DeviceNumbers.h - Numbers that follow from a device's ----*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which numbers of a host's program follow from what is in the memory of its
// device, elements of tensors or of buffers, so that the host would wait to
// know them.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_ANALYSIS_DEVICENUMBERS_H
#define AMP_ANALYSIS_DEVICENUMBERS_H

#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

namespace mlir::amp {

/// Whether there is one block in each region of `op`, if it has any, and of all
/// that is in it, so that it is known what comes before what.
bool hasOneBlockEach(Operation *op);

class DeviceNumbers {
public:
  /// Of all that is in `function`.
  explicit DeviceNumbers(Operation *function);

  /// Whether a number follows from elements of the device's memory. What a
  /// branch or a loop that launches kernels decides does not follow from its
  /// condition, which the host has to know anyway.
  bool contains(Value number) const { return numbers.contains(number); }

  /// Whether a buffer is the device's: not one of the stack, and not one that
  /// only the host loads and stores, nothing of the device's in it.
  bool isOfDevice(Value buffer) const;

private:
  void add(Value value);
  void addAll(ValueRange values) {
    for (Value value : values)
      add(value);
  }
  void follow(OpOperand &use);

  llvm::DenseSet<Value> numbers;
  /// Allocations that may be kept on the host, and the loads of each.
  llvm::DenseMap<Value, SmallVector<Value>> ofHost;
  SmallVector<Value> left;
};

} // namespace mlir::amp

#endif // AMP_ANALYSIS_DEVICENUMBERS_H
