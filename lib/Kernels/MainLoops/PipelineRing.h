//===- PipelineRing.h - Slots between a producer and consumers --*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A ring of slots in shared memory. Each slot has two barriers: `full`
// completes when the producer's data have arrived, `empty` when every consumer,
// in a cluster every consumer of every block, is done with them. Both alternate
// between parity 0 and 1; a walker of the ring carries its slot and the parity
// that it waits for, and flips the parity each time it comes round. Consumers
// begin with parity 0. The producer begins with parity 1, which a fresh barrier
// reports as complete, so that it fills the ring without waiting.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_LIB_KERNELS_MAINLOOPS_PIPELINERING_H
#define AMP_LIB_KERNELS_MAINLOOPS_PIPELINERING_H

#include "Device/Sm90Instructions.h"

namespace mlir::amp {

class PipelineRing {
public:
  /// Where a walker is. Loops carry it as two values.
  struct Position {
    Number slot, parity;
  };

  /// `barriers` points to room for 2 * stages barriers of 8 bytes.
  PipelineRing(DeviceBuilder &b, Value barriers, int64_t stages,
               int64_t cluster)
      : b(b), barriers(barriers), stages(stages), cluster(cluster) {}

  /// By one thread, before the first barrier of the block or cluster.
  void initialise(int64_t producers, int64_t consumers) {
    b.loop(b.number(stages), [&](Number slot) {
      sm90::initBarrier(b, full(slot), producers);
      sm90::initBarrier(b, empty(slot), consumers * cluster);
    });
    sm90::fenceBarrierInit(b);
  }

  SmallVector<Value> producerStart() { return {b.number(0), b.number(1)}; }
  SmallVector<Value> consumerStart() { return {b.number(0), b.number(0)}; }
  Position at(ValueRange carried) {
    return {b.number(carried[0]), b.number(carried[1])};
  }
  SmallVector<Value> next(Position position) {
    Number slot = position.slot + 1;
    Value wraps = slot == stages;
    return {b.select(wraps, b.number(0), slot),
            b.select(wraps, position.parity ^ 1, position.parity)};
  }

  Value full(Number slot) { return b.advance(barriers, slot * 8); }
  void waitUntilFull(Position position) {
    sm90::wait(b, full(position.slot), position.parity);
  }
  void waitUntilEmpty(Position position) {
    sm90::wait(b, empty(position.slot), position.parity);
  }

  /// By the first `cluster` threads of a consumer, each for one block's
  /// producer.
  void release(Number slot, Number thread) {
    if (cluster > 1)
      sm90::arriveAt(b, empty(slot), thread);
    else
      sm90::arrive(b, empty(slot));
  }

private:
  Value empty(Number slot) {
    return b.advance(barriers, slot * 8 + 8 * stages);
  }

  DeviceBuilder &b;
  Value barriers;
  int64_t stages, cluster;
};

} // namespace mlir::amp

#endif // AMP_LIB_KERNELS_MAINLOOPS_PIPELINERING_H
