//===- AttentionModule.cpp - The module of an attention -------------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A backward pass is two kernels: that of queries leaves what that of keys
// reads.
//
//===----------------------------------------------------------------------===//

#include "amp/Kernels/Modules.h"

#include "Attention/AttentionKernel.h"
#include "Device/KernelSignature.h"

using namespace mlir;
using namespace mlir::amp;

gpu::GPUModuleOp mlir::amp::emitAttention(OpBuilder &builder, Location loc,
                                          StringRef name,
                                          const AttentionProblem &problem) {
  auto module = gpu::GPUModuleOp::create(builder, loc, name);
  DeviceBuilder b(loc, builder);
  b.setInsertionPointToStart(module.getBody());
  if (problem.kind == AttentionKind::Forward) {
    emitAttentionForward(b, name, problem);
  } else {
    emitQueryGradient(b, (name + "_queries").str(), problem);
    emitKeyGradients(b, (name + "_keys").str(), problem);
  }
  numberLaunches(module);
  return module;
}
