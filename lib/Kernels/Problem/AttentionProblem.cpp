//===- AttentionProblem.cpp - What attentions kernels compute -------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The rules of a problem; the pass amp-generate-attention has them in words.
//
//===----------------------------------------------------------------------===//

#include "amp/Kernels/AttentionProblem.h"

#include "amp/Kernels/GemmProblem.h"
#include "llvm/ADT/STLExtras.h"

#include <cmath>

using namespace mlir;
using namespace mlir::amp;

/// Whether each row begins at a multiple of 16 bytes and lies in the tensor.
static bool isReadable(const AttentionProblem &problem,
                       const HeadsLayout &layout, int64_t rows) {
  const int64_t last = layout.offset +
                       (problem.batch - 1) * layout.batchStride +
                       (problem.heads - 1) * layout.headStride +
                       (rows - 1) * layout.rowStride + problem.depth;
  return llvm::all_of(
             ArrayRef<int64_t>{layout.offset, layout.batchStride,
                               layout.headStride, layout.rowStride},
             [](int64_t step) { return step >= 0 && step % 8 == 0; }) &&
         last <= layout.elements && layout.elements <= INT32_MAX;
}

LogicalResult
mlir::amp::verifyAttention(const AttentionProblem &problem,
                           function_ref<InFlightDiagnostic()> emitError) {
  if (!problem.type.isF16() && !problem.type.isBF16())
    return emitError() << "expected tensors of f16 or bf16, but got "
                       << problem.type; // Rule 1
  if (!llvm::is_contained({16, 32, 64, 128}, problem.depth))
    return emitError() << "expected heads of 16, 32, 64 or 128 elements, but "
                          "got "
                       << problem.depth; // Rule 2
  for (int64_t size :
       {problem.batch, problem.heads, problem.rows, problem.columns})
    if (size < 1 || size > INT32_MAX)
      return emitError() << "expected sizes of at least 1, but got "
                         << size; // Rule 3
  const int64_t blocks = problem.batch * problem.heads *
                         (std::max(problem.rows, problem.columns) / 64 + 1);
  if (blocks > INT32_MAX)
    return emitError() << "expected less than 2^31 blocks, but got "
                       << blocks; // Rule 3
  if (!(problem.scale > 0) || std::isinf(problem.scale))
    return emitError() << "expected a scale above 0, but got "
                       << problem.scale; // Rule 4
  if (problem.mask == AttentionMask::Additive &&
      (!problem.maskType ||
       (!problem.maskType.isF16() && !problem.maskType.isBF16() &&
        !problem.maskType.isF32())))
    return emitError() << "expected a mask of f16, bf16 or f32, but got "
                       << problem.maskType; // Rule 5
  SmallVector<std::pair<const HeadsLayout *, int64_t>> layouts = {
      {&problem.q, problem.rows},
      {&problem.k, problem.columns},
      {&problem.v, problem.columns},
      {&problem.o, problem.rows}};
  if (problem.kind == AttentionKind::Backward)
    layouts.append({{&problem.oGradient, problem.rows},
                    {&problem.qGradient, problem.rows},
                    {&problem.kGradient, problem.columns},
                    {&problem.vGradient, problem.columns}});
  for (auto [layout, rows] : layouts)
    if (!isReadable(problem, *layout, rows))
      return emitError() << "expected rows that begin at multiples of 8 "
                            "elements, inside of their tensors"; // Rule 6
  return success();
}
