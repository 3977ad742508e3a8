//===- MainLoop.cpp - The kernels that multiply ---------------------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The choice of a main loop, by what the schedule says.
//
//===----------------------------------------------------------------------===//

#include "MainLoop.h"

using namespace mlir;
using namespace mlir::amp;

void mlir::amp::emitMainLoop(DeviceBuilder &b, StringRef name,
                             Product &product) {
  const Schedule &schedule = *product.config.schedule;
  assert(schedule.turns == 1 && "main loops have one tile in work");
  switch (schedule.loop) {
  case MainLoopKind::Warpgroups:
    return emitWarpgroupLoop(b, name, product);
  case MainLoopKind::Warps:
    return emitWarpLoop(b, name, product);
  }
  llvm_unreachable("unknown main loop");
}
