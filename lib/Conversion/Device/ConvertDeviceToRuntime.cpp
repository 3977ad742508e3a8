//===- ConvertDeviceToRuntime.cpp - What a host asks of a device ----------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All buffers but those on the stack are memory of the device, and the function
// around them runs on the host: it may compute addresses but touch no element.
// Launches, copies, loads, stores and constants become calls of the runtime
// with addresses; allocations already are such calls to be
// (finalize-memref-to-llvm), and a run knows whose memory it gives. Whatever
// else reads or writes a buffer is refused.
//
// A load waits for everything asked of the device before it.
//
//===----------------------------------------------------------------------===//

#include "amp/Analysis/BufferRoots.h"
#include "amp/Analysis/CopyOfBytes.h"
#include "amp/Conversion/Device/Passes.h"
#include "amp/Dialect/Amp/IR/AmpDialect.h"
#include "amp/Program/LaunchTable.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Builders.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

#define DEBUG_TYPE "convert-device-to-runtime"

namespace mlir::amp {
#define GEN_PASS_DEF_CONVERTDEVICETORUNTIMEPASS
#include "amp/Conversion/Device/Passes.h.inc"
#include "amp/Support/ShapedBytes.h"
} // namespace mlir::amp

using namespace mlir;
using namespace mlir::amp;

/// Become ampRtRunLaunch and its like of amp-rt/Run.h (amp-return-status).
static constexpr StringLiteral kLaunch = "ampRtLaunch", kCopy = "ampRtCopy",
                               kRead = "ampRtRead", kWrite = "ampRtWrite",
                               kConstant = "ampRtConstant";

/// Bytes of an element in memory; nothing for what has none of a fixed size.
static std::optional<int64_t> getElementBytes(Type element) {
  if (element.isIndex())
    return 8;
  if (!element.isIntOrFloat())
    return std::nullopt;
  return llvm::divideCeil(element.getIntOrFloatBitWidth(), 8);
}

namespace {
/// Rewrites one function.
class FunctionLowering {
public:
  FunctionLowering(func::FuncOp function, const LaunchTable &table)
      : function(function), table(table), b(function.getContext()),
        pointer(LLVM::LLVMPointerType::get(function.getContext())) {}

  LogicalResult run();

private:
  Value getI64(Location loc, Value index) {
    return arith::IndexCastOp::create(b, loc, b.getI64Type(), index);
  }
  Value getIndex(Location loc, int64_t value) {
    return arith::ConstantIndexOp::create(b, loc, value);
  }
  void call(Location loc, StringRef name, ValueRange arguments);
  /// Memory of the host for what calls take by address, of the whole function.
  Value getScratch(Location loc, Value &scratch, int64_t slots);
  /// The address of an element, of the first without indices.
  Value getAddress(Location loc, Value memref, ValueRange indices);
  Value getBytes(Location loc, Value memref);

  LogicalResult lower(LaunchKernelsOp op);
  LogicalResult lower(memref::CopyOp op);
  LogicalResult lower(memref::LoadOp op);
  LogicalResult lower(memref::StoreOp op);
  void lower(memref::GetGlobalOp op);
  LogicalResult verify(Operation *op);

  func::FuncOp function;
  const LaunchTable &table;
  OpBuilder b;
  Type pointer;
  /// For the addresses of a launch, and for a number.
  Value operands, number;
};
} // namespace

void FunctionLowering::call(Location loc, StringRef name,
                            ValueRange arguments) {
  auto module = function->getParentOfType<ModuleOp>();
  auto callee = module.lookupSymbol<func::FuncOp>(name);
  if (!callee) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(module.getBody());
    callee = func::FuncOp::create(b, module.getLoc(), name,
                                  b.getFunctionType(arguments.getTypes(), {}));
    callee.setPrivate();
  }
  func::CallOp::create(b, loc, callee, arguments);
}

Value FunctionLowering::getScratch(Location loc, Value &scratch,
                                   int64_t slots) {
  if (scratch)
    return scratch;
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(&function.front());
  Value count = LLVM::ConstantOp::create(b, loc, b.getI64IntegerAttr(slots));
  scratch = LLVM::AllocaOp::create(b, loc, pointer, b.getI64Type(), count,
                                   /*alignment=*/16);
  return scratch;
}

Value FunctionLowering::getAddress(Location loc, Value memref,
                                   ValueRange indices) {
  auto type = cast<MemRefType>(memref.getType());
  auto [strides, offset] = type.getStridesAndOffset();
  Value place;
  auto add = [&](Value more) {
    place = place ? arith::AddIOp::create(b, loc, place, more) : more;
  };
  memref::ExtractStridedMetadataOp metadata;
  auto getPart = [&](int64_t known, auto find) -> Value {
    if (!ShapedType::isDynamic(known))
      return getIndex(loc, known);
    if (!metadata)
      metadata = memref::ExtractStridedMetadataOp::create(b, loc, memref);
    return find();
  };
  if (offset != 0)
    add(getPart(offset, [&] { return metadata.getOffset(); }));
  for (auto [i, index] : llvm::enumerate(indices)) {
    Value stride =
        getPart(strides[i], [&, i = i] { return metadata.getStrides()[i]; });
    add(arith::MulIOp::create(b, loc, index, stride));
  }
  Value address =
      memref::ExtractAlignedPointerAsIndexOp::create(b, loc, memref);
  if (place)
    address = arith::AddIOp::create(
        b, loc, address,
        arith::MulIOp::create(
            b, loc, place,
            getIndex(loc, *getElementBytes(type.getElementType()))));
  return LLVM::IntToPtrOp::create(b, loc, pointer, getI64(loc, address));
}

Value FunctionLowering::getBytes(Location loc, Value memref) {
  auto type = cast<MemRefType>(memref.getType());
  const int64_t element = *getElementBytes(type.getElementType());
  if (type.hasStaticShape())
    return arith::ConstantOp::create(
        b, loc, b.getI64IntegerAttr(element * type.getNumElements()));
  Value bytes = getIndex(loc, element);
  for (int64_t i = 0; i < type.getRank(); ++i)
    bytes = arith::MulIOp::create(b, loc, bytes,
                                  memref::DimOp::create(b, loc, memref, i));
  return getI64(loc, bytes);
}

LogicalResult FunctionLowering::lower(LaunchKernelsOp op) {
  std::optional<unsigned> number = table.find(op.getKernels());
  if (!number)
    return op.emitOpError()
           << "expected '" << op.getKernels()
           << "' in 'amp.launches' of the module; run amp-record-launches";
  const LaunchTable::Module &module = table.getModules()[*number];
  Location loc = op.getLoc();
  // As many as any launch takes.
  int64_t most = 1;
  for (const LaunchTable::Module &other : table.getModules())
    most = std::max<int64_t>(most, other.operands.size());
  Value addresses = getScratch(loc, operands, most);
  for (auto [i, operand] : llvm::enumerate(op.getOperands())) {
    unsigned place = *module.findOperand(op.getOperandName(i));
    Value slot = LLVM::GEPOp::create(b, loc, pointer, pointer, addresses,
                                     LLVM::GEPArg(int32_t(place)));
    LLVM::StoreOp::create(b, loc, getAddress(loc, operand, {}), slot);
  }
  Value which = arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(*number));
  call(loc, kLaunch, {which, addresses});
  op.erase();
  return success();
}

LogicalResult FunctionLowering::lower(memref::CopyOp op) {
  if (!isCopyOfBytes(op))
    return op.emitOpError()
           << "expected buffers whose elements follow one another, but got "
           << op.getSource().getType() << " and " << op.getTarget().getType()
           << "; run convert-copies-to-kernels";
  Location loc = op.getLoc();
  call(loc, kCopy,
       {getAddress(loc, op.getTarget(), {}),
        getAddress(loc, op.getSource(), {}), getBytes(loc, op.getSource())});
  op.erase();
  return success();
}

static LogicalResult refuseElement(Operation *op, Type element) {
  return op->emitOpError() << "expected elements of a number, which can be "
                              "copied from a device, but got "
                           << element
                           << "; give its parts tensors of their own";
}

LogicalResult FunctionLowering::lower(memref::LoadOp op) {
  Location loc = op.getLoc();
  Type element = op.getType();
  std::optional<int64_t> bytes = getElementBytes(element);
  if (!bytes)
    return refuseElement(op, element);
  Value place = getScratch(loc, number, /*slots=*/2);
  Value size = arith::ConstantOp::create(b, loc, b.getI64IntegerAttr(*bytes));
  call(loc, kRead,
       {place, getAddress(loc, op.getMemRef(), op.getIndices()), size});
  Type stored = element.isIndex() ? Type(b.getI64Type()) : element;
  Value value = LLVM::LoadOp::create(b, loc, stored, place);
  if (element.isIndex())
    value = arith::IndexCastOp::create(b, loc, element, value);
  op.replaceAllUsesWith(value);
  op.erase();
  return success();
}

LogicalResult FunctionLowering::lower(memref::StoreOp op) {
  Location loc = op.getLoc();
  Value value = op.getValueToStore();
  std::optional<int64_t> bytes = getElementBytes(value.getType());
  if (!bytes)
    return refuseElement(op, value.getType());
  Value place = getScratch(loc, number, /*slots=*/2);
  Value size = arith::ConstantOp::create(b, loc, b.getI64IntegerAttr(*bytes));
  if (value.getType().isIndex())
    value = getI64(loc, value);
  LLVM::StoreOp::create(b, loc, value, place);
  call(loc, kWrite,
       {getAddress(loc, op.getMemRef(), op.getIndices()), place, size});
  op.erase();
  return success();
}

void FunctionLowering::lower(memref::GetGlobalOp op) {
  Location loc = op.getLoc();
  MemRefType type = op.getType();
  auto host = memref::GetGlobalOp::create(b, loc, type, op.getName());
  auto module = function->getParentOfType<ModuleOp>();
  auto callee = module.lookupSymbol<func::FuncOp>(kConstant);
  if (!callee) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(module.getBody());
    callee = func::FuncOp::create(
        b, module.getLoc(), kConstant,
        b.getFunctionType({pointer, b.getI64Type()}, pointer));
    callee.setPrivate();
  }
  Value address = func::CallOp::create(b, loc, callee,
                                       ValueRange{getAddress(loc, host, {}),
                                                  getBytes(loc, host)})
                      .getResult(0);
  // MLIR's descriptor of a memref, as finalize-memref-to-llvm has it.
  auto array = LLVM::LLVMArrayType::get(b.getI64Type(), type.getRank());
  SmallVector<Type> members = {pointer, pointer, b.getI64Type()};
  if (type.getRank() > 0)
    members.append({array, array});
  auto descriptorType =
      LLVM::LLVMStructType::getLiteral(b.getContext(), members);
  Value descriptor = LLVM::UndefOp::create(b, loc, descriptorType);
  auto insert = [&](Value value, ArrayRef<int64_t> place) {
    descriptor = LLVM::InsertValueOp::create(b, loc, descriptor, value, place);
  };
  auto getInt = [&](int64_t value) {
    return LLVM::ConstantOp::create(b, loc, b.getI64IntegerAttr(value));
  };
  insert(address, 0);
  insert(address, 1);
  insert(getInt(0), 2);
  int64_t stride = 1;
  for (int64_t i = type.getRank(); i-- > 0;) {
    insert(getInt(type.getDimSize(i)), {3, i});
    insert(getInt(stride), {4, i});
    stride *= type.getDimSize(i);
  }
  Value view =
      UnrealizedConversionCastOp::create(b, loc, TypeRange(type), descriptor)
          .getResult(0);
  op.replaceAllUsesWith(view);
  op.erase();
}

/// What gives views or passes buffers on touches no element.
LogicalResult FunctionLowering::verify(Operation *op) {
  if (isa<ViewLikeOpInterface, RegionBranchOpInterface, CallOpInterface,
          memref::AllocOp, memref::AllocaOp, memref::DeallocOp, memref::DimOp,
          memref::CastOp, memref::ExtractAlignedPointerAsIndexOp,
          memref::ExtractStridedMetadataOp, arith::SelectOp,
          UnrealizedConversionCastOp>(op) ||
      op->hasTrait<OpTrait::IsTerminator>())
    return success();
  for (Type type : op->getOperandTypes())
    if (isa<BaseMemRefType>(type))
      return op->emitOpError()
             << "expected an operation that leaves elements of buffers alone, "
                "as they are in a device's memory, but got it with "
             << type << "; lower it to kernels, or to loads and stores";
  return success();
}

LogicalResult FunctionLowering::run() {
  SmallVector<Operation *> ops;
  function.walk([&](Operation *op) { ops.push_back(op); });
  for (Operation *op : ops) {
    b.setInsertionPoint(op);
    LogicalResult lowered = success();
    if (auto launch = dyn_cast<LaunchKernelsOp>(op))
      lowered = lower(launch);
    else if (auto copy = dyn_cast<memref::CopyOp>(op))
      lowered = lower(copy);
    else if (auto load = dyn_cast<memref::LoadOp>(op))
      lowered = isOnStack(load.getMemRef()) ? success() : lower(load);
    else if (auto store = dyn_cast<memref::StoreOp>(op))
      lowered = isOnStack(store.getMemRef()) ? success() : lower(store);
    else if (auto global = dyn_cast<memref::GetGlobalOp>(op))
      lower(global);
    else if (op != function)
      lowered = verify(op);
    if (failed(lowered))
      return failure();
  }
  return success();
}

namespace {
struct ConvertDeviceToRuntime
    : public amp::impl::ConvertDeviceToRuntimePassBase<ConvertDeviceToRuntime> {
  void runOnOperation() override {
    LaunchTable table(getOperation());
    for (auto function : llvm::to_vector(getOperation().getOps<func::FuncOp>()))
      if (!function.isExternal() &&
          failed(FunctionLowering(function, table).run()))
        return signalPassFailure();
  }
};
} // namespace
