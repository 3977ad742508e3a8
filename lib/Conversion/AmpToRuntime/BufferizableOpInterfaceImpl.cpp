//===- BufferizableOpInterfaceImpl.cpp - Tensors that the runtime is given ===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tap works in place: the callback gets the address of the value's own
// buffer, and what it leaves there is the result. Bufferization copies first
// where somebody else still reads the old value. The record of a scaler is
// copied by the runtime, to a buffer and from one, and it reads the flag of an
// assertion.
//
//===----------------------------------------------------------------------===//

#include "amp/Conversion/AmpToRuntime.h"

#include "amp/Dialect/Amp/IR/AmpDialect.h"
#include "amp/Program/ElementKind.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/BufferizableOpInterface.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace mlir::amp;
using namespace mlir::bufferization;

// Program entry points of the runtime: amp-rt/Run.h.
static constexpr StringLiteral kTap = "ampRtTap";
static constexpr StringLiteral kReportViolation = "ampRtReportViolation";
static constexpr StringLiteral kReadScaler = "ampRtReadScaler";
static constexpr StringLiteral kWriteScaler = "ampRtWriteScaler";

static constexpr StringLiteral kTextPrefix = "amp_text_";

/// Sets the insertion point to where `module` gets a text of this name: by
/// name, since functions are not always bufferized in the same order.
static void setTextInsertionPoint(OpBuilder &b, ModuleOp module,
                                  StringRef name) {
  b.setInsertionPointToStart(module.getBody());
  for (auto global : module.getOps<LLVM::GlobalOp>()) {
    if (!global.getName().starts_with(kTextPrefix))
      continue;
    if (name < global.getName())
      return b.setInsertionPoint(global);
    b.setInsertionPointAfter(global);
  }
}

/// Address of a constant with the characters of `text`.
static Value getText(RewriterBase &rewriter, Operation *op, StringRef text) {
  auto module = op->getParentOfType<ModuleOp>();
  Location loc = op->getLoc();
  std::string name = (kTextPrefix + text).str();
  if (!module.lookupSymbol(name)) {
    OpBuilder::InsertionGuard guard(rewriter);
    setTextInsertionPoint(rewriter, module, name);
    auto type = LLVM::LLVMArrayType::get(rewriter.getI8Type(), text.size());
    LLVM::GlobalOp::create(rewriter, loc, type, /*isConstant=*/true,
                           LLVM::Linkage::Internal, name,
                           rewriter.getStringAttr(text));
  }
  return LLVM::AddressOfOp::create(
      rewriter, loc, LLVM::LLVMPointerType::get(rewriter.getContext()), name);
}

static Value getPointer(RewriterBase &rewriter, Location loc, Value memref) {
  Value index =
      memref::ExtractAlignedPointerAsIndexOp::create(rewriter, loc, memref);
  Value address =
      arith::IndexCastOp::create(rewriter, loc, rewriter.getI64Type(), index);
  return LLVM::IntToPtrOp::create(
      rewriter, loc, LLVM::LLVMPointerType::get(rewriter.getContext()),
      address);
}

/// The elements of `buffer` one after another, as the runtime is given them:
/// those of a view are copied.
static FailureOr<Value> getDense(RewriterBase &rewriter, Location loc,
                                 Value buffer,
                                 const BufferizationOptions &options) {
  auto type = cast<MemRefType>(buffer.getType());
  if (type.getLayout().isIdentity())
    return buffer;
  SmallVector<Value> sizes;
  for (int64_t i = 0; i < type.getRank(); ++i)
    if (type.isDynamicDim(i))
      sizes.push_back(memref::DimOp::create(rewriter, loc, buffer, i));
  FailureOr<Value> dense = options.createAlloc(
      rewriter, loc, MemRefType::get(type.getShape(), type.getElementType()),
      sizes);
  if (succeeded(dense))
    memref::CopyOp::create(rewriter, loc, buffer, *dense);
  return dense;
}

/// The address of the elements of a tensor that an operation reads.
static FailureOr<Value> getElements(RewriterBase &rewriter, Operation *op,
                                    Value tensor,
                                    const BufferizationOptions &options,
                                    BufferizationState &state) {
  FailureOr<Value> buffer = getBuffer(rewriter, tensor, options, state);
  if (failed(buffer))
    return failure();
  FailureOr<Value> dense = getDense(rewriter, op->getLoc(), *buffer, options);
  if (failed(dense))
    return failure();
  return getPointer(rewriter, op->getLoc(), *dense);
}

static void callRuntime(RewriterBase &rewriter, Operation *op, StringRef name,
                        ValueRange operands) {
  auto module = op->getParentOfType<ModuleOp>();
  auto function = module.lookupSymbol<func::FuncOp>(name);
  if (!function) {
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPointToStart(module.getBody());
    function =
        func::FuncOp::create(rewriter, op->getLoc(), name,
                             rewriter.getFunctionType(operands.getTypes(), {}));
    function.setPrivate();
  }
  func::CallOp::create(rewriter, op->getLoc(), function, operands);
}

namespace {
struct TapModel
    : public BufferizableOpInterface::ExternalModel<TapModel, TapOp> {
  bool bufferizesToMemoryRead(Operation *op, OpOperand &operand,
                              const AnalysisState &) const {
    return isa<RankedTensorType>(operand.get().getType());
  }
  bool bufferizesToMemoryWrite(Operation *op, OpOperand &operand,
                               const AnalysisState &) const {
    return isa<RankedTensorType>(operand.get().getType());
  }
  AliasingValueList getAliasingValues(Operation *op, OpOperand &operand,
                                      const AnalysisState &) const {
    if (!isa<RankedTensorType>(operand.get().getType()))
      return {};
    return {{op->getResult(0), BufferRelation::Equivalent}};
  }

  LogicalResult bufferize(Operation *op, RewriterBase &rewriter,
                          const BufferizationOptions &options,
                          BufferizationState &state) const {
    auto tap = cast<TapOp>(op);
    if (!tap.getHandle())
      return op->emitOpError(
          "expected a handle; run convert-amp-to-runtime before bufferization");
    FailureOr<Value> buffer =
        getBuffer(rewriter, tap.getValue(), options, state);
    if (failed(buffer))
      return failure();
    auto type = cast<MemRefType>(buffer->getType());
    std::optional<AmpRtElementKind> kind =
        getElementKind(type.getElementType());
    if (!kind)
      return op->emitOpError(
                 "expected elements of a type that the runtime knows, but got ")
             << type.getElementType();
    Location loc = op->getLoc();
    FailureOr<Value> dense = getDense(rewriter, loc, *buffer, options);
    if (failed(dense))
      return failure();
    Value pointer = getPointer(rewriter, loc, *dense);
    Value count = arith::ConstantIndexOp::create(rewriter, loc, 1);
    for (int64_t i = 0; i < type.getRank(); ++i) {
      Value extent = memref::DimOp::create(rewriter, loc, *buffer, i);
      count = arith::MulIOp::create(rewriter, loc, count, extent);
    }
    count =
        arith::IndexCastOp::create(rewriter, loc, rewriter.getI64Type(), count);
    auto length = [&](StringRef text) {
      return arith::ConstantOp::create(rewriter, loc,
                                       rewriter.getI64IntegerAttr(text.size()));
    };
    Value kindValue = arith::ConstantOp::create(
        rewriter, loc, rewriter.getI32IntegerAttr(*kind));
    SmallVector<Value> operands = {tap.getHandle(),
                                   getText(rewriter, op, tap.getName()),
                                   length(tap.getName()),
                                   getText(rewriter, op, tap.getPoint()),
                                   length(tap.getPoint()),
                                   pointer,
                                   kindValue,
                                   count};
    callRuntime(rewriter, op, kTap, operands);
    // Which the callback may have written.
    if (*dense != *buffer)
      memref::CopyOp::create(rewriter, loc, *dense, *buffer);
    replaceOpWithBufferizedValues(rewriter, op, *buffer);
    return success();
  }
};

struct ReadScalerModel
    : public BufferizableOpInterface::ExternalModel<ReadScalerModel,
                                                    ReadScalerOp> {
  bool bufferizesToAllocation(Operation *, Value) const { return true; }

  LogicalResult bufferize(Operation *op, RewriterBase &rewriter,
                          const BufferizationOptions &options,
                          BufferizationState &) const {
    auto read = cast<ReadScalerOp>(op);
    auto type = cast<RankedTensorType>(read.getRecord().getType());
    FailureOr<Value> buffer = options.createAlloc(
        rewriter, op->getLoc(),
        MemRefType::get(type.getShape(), type.getElementType()), {});
    if (failed(buffer))
      return failure();
    callRuntime(
        rewriter, op, kReadScaler,
        {read.getHandle(), getPointer(rewriter, op->getLoc(), *buffer)});
    replaceOpWithBufferizedValues(rewriter, op, *buffer);
    return success();
  }
};

/// Of an operation that only reads its tensor and has no result.
template <typename Model, typename Op>
struct ReaderModel : public BufferizableOpInterface::ExternalModel<Model, Op> {
  bool bufferizesToMemoryRead(Operation *, OpOperand &,
                              const AnalysisState &) const {
    return true;
  }
  bool bufferizesToMemoryWrite(Operation *, OpOperand &,
                               const AnalysisState &) const {
    return false;
  }
  AliasingValueList getAliasingValues(Operation *, OpOperand &,
                                      const AnalysisState &) const {
    return {};
  }
};

struct WriteScalerModel : public ReaderModel<WriteScalerModel, WriteScalerOp> {
  LogicalResult bufferize(Operation *op, RewriterBase &rewriter,
                          const BufferizationOptions &options,
                          BufferizationState &state) const {
    auto write = cast<WriteScalerOp>(op);
    FailureOr<Value> record =
        getElements(rewriter, op, write.getRecord(), options, state);
    if (failed(record))
      return failure();
    callRuntime(rewriter, op, kWriteScaler, {write.getHandle(), *record});
    rewriter.eraseOp(op);
    return success();
  }
};

struct ReportViolationModel
    : public ReaderModel<ReportViolationModel, ReportViolationOp> {
  LogicalResult bufferize(Operation *op, RewriterBase &rewriter,
                          const BufferizationOptions &options,
                          BufferizationState &state) const {
    auto report = cast<ReportViolationOp>(op);
    FailureOr<Value> flag =
        getElements(rewriter, op, report.getViolated(), options, state);
    if (failed(flag))
      return failure();
    Value length = arith::ConstantOp::create(
        rewriter, op->getLoc(),
        rewriter.getI64IntegerAttr(report.getMessage().size()));
    callRuntime(rewriter, op, kReportViolation,
                {*flag, getText(rewriter, op, report.getMessage()), length});
    rewriter.eraseOp(op);
    return success();
  }
};
} // namespace

void mlir::amp::registerBufferizableOpInterfaceExternalModels(
    DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, AmpDialect *) {
    TapOp::attachInterface<TapModel>(*context);
    ReadScalerOp::attachInterface<ReadScalerModel>(*context);
    WriteScalerOp::attachInterface<WriteScalerModel>(*context);
    ReportViolationOp::attachInterface<ReportViolationModel>(*context);
    context->loadDialect<LLVM::LLVMDialect, func::FuncDialect,
                         memref::MemRefDialect>();
  });
}
