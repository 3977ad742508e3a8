//===- KeepScalersOnDevice.cpp - Loss scaling without the host ------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// convert-amp-to-runtime asks the host for the scale and tells it whether the
// step overflowed, for which it has to wait. Here both stay on the device:
//
//   %s = call @ampRtScalerScale(%h)
//   ->  %r = amp.read_scaler %h
//       %t = generic () { the scale of %r }
//       %s = tensor.extract %t[]
//
//   %f = tensor.extract %found[]
//   call @ampRtScalerUpdateFromProgram(%h, %f)
//   ->  %n = generic (d0) ins(%found[]) { member d0 of the next record }
//       amp.write_scaler %h, %n
//
// A record is read once for all that ask between two updates in a block.
//
//===----------------------------------------------------------------------===//

#include "ScalerTransition.h"

#include "amp/Analysis/NumberMemory.h"
#include "amp/Conversion/Device/Passes.h"
#include "amp/Dialect/Amp/IR/AmpDialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

#define DEBUG_TYPE "amp-keep-scalers-on-device"

namespace mlir::amp {
#define GEN_PASS_DEF_KEEPSCALERSONDEVICEPASS
#include "amp/Conversion/Device/Passes.h.inc"
} // namespace mlir::amp

using namespace mlir;
using namespace mlir::amp;

// What convert-amp-to-runtime calls.
static constexpr StringLiteral kScale = "ampRtScalerScale";
static constexpr StringLiteral kUpdate = "ampRtScalerUpdateFromProgram";

namespace {
struct KeepScalersOnDevice
    : public amp::impl::KeepScalersOnDevicePassBase<KeepScalersOnDevice> {
  void runOnOperation() override;

private:
  /// What is known of the scalers at a place of a block, by their handles.
  struct Known {
    Value record;
    /// Or null, as long as nobody asked.
    Value scale;
  };
  using Scalers = DenseMap<Value, Known>;

  void convert(Block &block);
  Known &read(OpBuilder &b, Location loc, Value handle, Scalers &scalers);
  void convertScale(func::CallOp call, Scalers &scalers);
  void convertUpdate(func::CallOp call, Scalers &scalers);
};
} // namespace

KeepScalersOnDevice::Known &KeepScalersOnDevice::read(OpBuilder &b,
                                                      Location loc,
                                                      Value handle,
                                                      Scalers &scalers) {
  Known &known = scalers[handle];
  if (!known.record)
    known.record = ReadScalerOp::create(b, loc, handle);
  return known;
}

void KeepScalersOnDevice::convertScale(func::CallOp call, Scalers &scalers) {
  OpBuilder b(call);
  Location loc = call.getLoc();
  Known &known = read(b, loc, call.getOperand(0), scalers);
  if (!known.scale) {
    Value empty =
        tensor::EmptyOp::create(b, loc, ArrayRef<int64_t>(), b.getF32Type());
    known.scale = linalg::GenericOp::create(
                      b, loc, empty.getType(), ValueRange(), empty,
                      ArrayRef(AffineMap::get(b.getContext())),
                      ArrayRef<utils::IteratorType>(),
                      [&](OpBuilder &body, Location loc, ValueRange) {
                        Value scale =
                            createProgramScale(body, loc, known.record);
                        linalg::YieldOp::create(body, loc, scale);
                      })
                      .getResult(0);
  }
  Value scale = tensor::ExtractOp::create(b, loc, known.scale, ValueRange());
  call.replaceAllUsesWith(ValueRange(scale));
  call.erase();
  ++numScales;
}

void KeepScalersOnDevice::convertUpdate(func::CallOp call, Scalers &scalers) {
  OpBuilder b(call);
  Location loc = call.getLoc();
  Value handle = call.getOperand(0);
  Value record = read(b, loc, handle, scalers).record;
  Value found = getOrMakeNumberMemory(b, call.getOperand(1));
  auto type = cast<RankedTensorType>(record.getType());
  Value empty =
      tensor::EmptyOp::create(b, loc, type.getShape(), type.getElementType());
  auto next = linalg::GenericOp::create(
      b, loc, type, found, empty,
      ArrayRef{getNumberMap(found, 1), b.getMultiDimIdentityMap(1)},
      utils::IteratorType::parallel,
      [&](OpBuilder &body, Location loc, ValueRange arguments) {
        SmallVector<Value> fields =
            createTransition(body, loc, record, arguments[0]);
        Value place = linalg::IndexOp::create(body, loc, 0);
        Value chosen = fields.front();
        for (size_t i = 1; i < fields.size(); ++i) {
          Value here = arith::ConstantIndexOp::create(body, loc, i);
          Value isHere = arith::CmpIOp::create(
              body, loc, arith::CmpIPredicate::eq, place, here);
          chosen =
              arith::SelectOp::create(body, loc, isHere, fields[i], chosen);
        }
        linalg::YieldOp::create(body, loc, chosen);
      });
  WriteScalerOp::create(b, loc, handle, next.getResult(0));
  call.erase();
  // Another handle may be the same scaler's.
  scalers.clear();
  ++numUpdates;
}

/// Whether an operation may change a scaler, as a call, by a tap's callback or
/// in its regions. Those may have been converted.
static bool mayUpdate(Operation &op) {
  return op
      .walk([](Operation *inner) {
        return isa<CallOpInterface, TapOp, WriteScalerOp>(inner)
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

void KeepScalersOnDevice::convert(Block &block) {
  Scalers scalers;
  for (Operation &op : llvm::make_early_inc_range(block)) {
    auto call = dyn_cast<func::CallOp>(op);
    Builder b(op.getContext());
    if (call && call.getCallee() == kScale &&
        call.getCalleeType() ==
            b.getFunctionType(b.getI64Type(), b.getF32Type()))
      convertScale(call, scalers);
    else if (call && call.getCallee() == kUpdate &&
             call.getCalleeType() ==
                 b.getFunctionType({b.getI64Type(), b.getI1Type()}, {}))
      convertUpdate(call, scalers);
    else if (mayUpdate(op))
      scalers.clear();
  }
}

void KeepScalersOnDevice::runOnOperation() {
  SmallVector<Block *> blocks;
  getOperation().walk([&](Block *block) { blocks.push_back(block); });
  for (Block *block : blocks)
    convert(*block);
}
