//===- Product.cpp - What a kernel multiplies, and where it is ------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What is the same for every product: the function, its memory and the
// workspace of a split K.
//
//===----------------------------------------------------------------------===//

#include "Product.h"

#include "Epilogue/SplitKReduction.h"
#include "amp/Support/ShapedBytes.h"

using namespace mlir;
using namespace mlir::amp;

Product::~Product() = default;

void Product::enterKernel(StringRef name) {
  memory = (name + "_memory").str();
  LLVM::GlobalOp::create(b, LLVM::LLVMArrayType::get(b.getI8Type(), 0),
                         /*isConstant=*/false, LLVM::Linkage::External, memory,
                         Attribute(), /*alignment=*/1024, /*addrSpace=*/3);
  KernelSignature signature(b);
  addParameters(signature);
  int64_t resident = config.blocksPerMultiprocessor();
  auto func = signature.createKernel(
      name, {{getWorkItems(problem, config) * config.cluster, resident,
              config.cluster},
             config.threads(),
             /*minBlocks=*/resident,
             config.cluster,
             getSharedMemoryBytes(problem, config),
             order});
  Block *entry = func.addEntryBlock(b);
  b.setInsertionPointToStart(entry);
  result = entry->getArgument(resultIndex);
  readParameters(entry);
}

void Product::addWorkspace(KernelSignature &signature) {
  int64_t rows = getWorkspaceRows(problem, config);
  int64_t columns = getWorkspaceColumns(problem);
  Type f32 = b.getF32Type();
  if (!storesByTma()) {
    resultIndex = signature.addBuffer("workspace", f32, rows * columns);
    return;
  }
  resultIndex =
      signature.addTensorMap("workspace", f32, {problem.n, rows},
                             {columns * getElementBytes(f32)}, {32, 64});
}

ResultMatrix Product::resultOf(WorkItem item) {
  if (!split()) {
    ResultMatrix matrix = placeResult(item);
    if (batched() && matrix.mapCoordinates.empty())
      matrix.mapCoordinates = {item.batch};
    return matrix;
  }
  // The parts of a batch lie one below the other.
  int64_t rowsPerTile = config.tileM * config.cluster;
  Number part = item.batch * config.splitK + item.part;
  Number firstRow = part * (ceilDiv(m, rowsPerTile) * rowsPerTile);
  EpilogueShape shape{m, n, firstRow, problem.n % 2 == 0};
  return {shape, result, ceilDiv(n, 4) * 4, /*evenStride=*/true};
}
