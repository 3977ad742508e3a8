//===- RowKernel.cpp - Kernels that put one tensor into another -----------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A loop over all rows of the target, a grid of threads apart. What a row is
// made of is the caller's.
//
//===----------------------------------------------------------------------===//

#include "Elements/RowKernel.h"

#include "Device/KernelSignature.h"
#include "Device/Sm80Instructions.h"
#include "Elements/ElementRules.h"
#include "Elements/WideAccess.h"
#include "amp/Support/ShapedBytes.h"

using namespace mlir;
using namespace mlir::amp;

static constexpr int64_t kThreads = 256, kBlocksPerMultiprocessor = 8;

unsigned mlir::amp::getInnermost(ArrayRef<int64_t> extents) {
  unsigned inner = 0;
  for (auto [i, extent] : llvm::enumerate(extents))
    inner = extent > 1 ? i : inner;
  return inner;
}

int64_t mlir::amp::chooseRowWidth(Type element,
                                  function_ref<bool(int64_t width)> fits) {
  int64_t width = kWideBytes / getElementBytes(element);
  while (width > 1 && !fits(width))
    width /= 2;
  return width;
}

gpu::GPUModuleOp
mlir::amp::emitRowKernel(OpBuilder &builder, Location loc, StringRef name,
                         const RowKernel &kernel,
                         function_ref<void(DeviceBuilder &b, Value source,
                                           Value target, Numbers indices)>
                             body) {
  auto module = gpu::GPUModuleOp::create(builder, loc, name);
  DeviceBuilder b(loc, builder);
  b.setInsertionPointToStart(module.getBody());
  SmallVector<int64_t> extents(kernel.extents);
  const unsigned inner = getInnermost(extents);
  if (kernel.width > 1)
    extents[inner] /= kernel.width;
  const int64_t count = llvm::product_of(extents),
                blocks = llvm::divideCeil(count, kThreads);
  KernelSignature signature(b);
  signature.addBuffer("in0", getStorage(kernel.element), kernel.read);
  signature.addBuffer("out0", getStorage(kernel.element), kernel.written);
  auto func = signature.createKernel(name, {{blocks, kBlocksPerMultiprocessor},
                                            kThreads,
                                            /*minBlocks=*/1,
                                            /*cluster=*/1,
                                            /*sharedMemory=*/0,
                                            /*order=*/0});
  Block *entry = func.addEntryBlock(b);
  b.setInsertionPointToStart(entry);
  Number first = sm80::blockId(b) * kThreads + sm80::threadId(b),
         step = sm80::blockCount(b) * kThreads;
  b.loop(first, b.number(count), step, [&](Number number) {
    SmallVector<Number> indices = delinearize(b, extents, number);
    if (kernel.width > 1)
      indices[inner] = indices[inner] * kernel.width;
    body(b, entry->getArgument(0), entry->getArgument(1), indices);
  });
  LLVM::ReturnOp::create(b, ValueRange());
  numberLaunches(module);
  return module;
}
