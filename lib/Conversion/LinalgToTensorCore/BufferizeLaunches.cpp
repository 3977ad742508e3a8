//===- BufferizeLaunches.cpp - Memory of kernel launches ------------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A launch writes its `outs` without reading them, and no element of them may
// be one of another operand's: both follow from what is said here to the
// analysis. An operand that became a part of a larger buffer is copied where
// its elements do not follow one another, or where TMA could not address its
// start.
//
//===----------------------------------------------------------------------===//

#include "amp/Conversion/LinalgToTensorCore.h"

#include "amp/Dialect/Amp/IR/AmpDialect.h"
#include "mlir/Dialect/Bufferization/IR/BufferizableOpInterface.h"
#include "mlir/Dialect/Bufferization/IR/DstBufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/MemRef/Utils/MemRefUtils.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace mlir::amp;
using namespace mlir::bufferization;

/// Tensor maps and asynchronous copies start at multiples of 16 bytes.
static constexpr int64_t kAlignment = 16;

/// True if a kernel can read or write a buffer of this type as it is.
static bool isReady(MemRefType type) {
  if (!memref::isStaticShapeAndContiguousRowMajor(type))
    return false;
  auto [strides, offset] = type.getStridesAndOffset();
  return !ShapedType::isDynamic(offset) &&
         offset * type.getElementTypeBitWidth() / 8 % kAlignment == 0;
}

namespace {
struct LaunchModel
    : public DstBufferizableOpInterfaceExternalModel<LaunchModel,
                                                     LaunchKernelsOp> {
  bool bufferizesToMemoryRead(Operation *op, OpOperand &operand,
                              const AnalysisState &) const {
    return cast<LaunchKernelsOp>(op).reads(operand);
  }
  bool bufferizesToMemoryWrite(Operation *op, OpOperand &operand,
                               const AnalysisState &) const {
    return cast<LaunchKernelsOp>(op).isDpsInit(&operand);
  }

  LogicalResult bufferize(Operation *op, RewriterBase &rewriter,
                          const BufferizationOptions &options,
                          BufferizationState &state) const {
    auto launch = cast<LaunchKernelsOp>(op);
    SmallVector<Value> inputs, outputs, results;
    for (OpOperand &operand : op->getOpOperands()) {
      FailureOr<Value> buffer =
          getBuffer(rewriter, operand.get(), options, state);
      if (failed(buffer))
        return failure();
      Value ready = *buffer;
      auto type = cast<MemRefType>(ready.getType());
      bool isInput = launch.isDpsInput(&operand);
      if (!isReady(type)) {
        auto plain = MemRefType::get(type.getShape(), type.getElementType());
        FailureOr<Value> copy =
            options.createAlloc(rewriter, op->getLoc(), plain, {});
        if (failed(copy))
          return failure();
        if (launch.reads(operand) &&
            failed(options.createMemCpy(rewriter, op->getLoc(), ready, *copy)))
          return failure();
        ready = *copy;
      }
      (isInput ? inputs : outputs).push_back(ready);
      if (!isInput)
        results.push_back(*buffer);
    }
    SmallVector<StringRef> names;
    for (unsigned i = 0; i < op->getNumOperands(); ++i)
      names.push_back(launch.getOperandName(i));
    auto onBuffers = LaunchKernelsOp::create(
        rewriter, op->getLoc(), launch.getKernels(), names, inputs, outputs);
    onBuffers.setPartialAttr(launch.getPartialAttr());
    for (auto [written, wanted] : llvm::zip(outputs, results))
      if (written != wanted &&
          failed(options.createMemCpy(rewriter, op->getLoc(), written, wanted)))
        return failure();
    replaceOpWithBufferizedValues(rewriter, op, results);
    return success();
  }
};
} // namespace

void mlir::amp::registerLaunchBufferization(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, AmpDialect *) {
    LaunchKernelsOp::attachInterface<LaunchModel>(*context);
    context->loadDialect<memref::MemRefDialect>();
  });
}
