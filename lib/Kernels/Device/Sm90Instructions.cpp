//===- Sm90Instructions.cpp - Instructions of Hopper ----------------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// As Sm80Instructions.cpp: operations of NVVM, whose header few files include.
// The descriptions of wgmma's operands are constants of the instruction and
// made here.
//
//===----------------------------------------------------------------------===//

#include "Sm90Instructions.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace mlir::amp;

//===----------------------------------------------------------------------===//
// Where a thread is
//===----------------------------------------------------------------------===//

Number sm90::rankInCluster(DeviceBuilder &b) {
  return b.number(NVVM::ClusterId::create(b, b.getI32Type()));
}

Number sm90::warpgroupId(DeviceBuilder &b) {
  Number everyLane = b.number(-1), firstLane = b.number(0);
  return b.number(NVVM::ShflOp::create(
      b, b.getI32Type(), everyLane, threadId(b) / 128, firstLane, b.number(31),
      NVVM::ShflKind::idx, UnitAttr()));
}

//===----------------------------------------------------------------------===//
// Barriers
//===----------------------------------------------------------------------===//

void sm90::clusterBarrier(DeviceBuilder &b) {
  NVVM::ClusterArriveOp::create(b, UnitAttr());
  NVVM::ClusterWaitOp::create(b, UnitAttr());
}
void sm90::clusterBarrierAfterInit(DeviceBuilder &b) {
  NVVM::ClusterArriveRelaxedOp::create(b, b.getUnitAttr());
  NVVM::ClusterWaitOp::create(b, b.getUnitAttr());
}

void sm90::initBarrier(DeviceBuilder &b, Value barrier, int64_t arrivals) {
  NVVM::MBarrierInitOp::create(b, barrier, b.number(arrivals), Value());
}
void sm90::fenceBarrierInit(DeviceBuilder &b) {
  NVVM::FenceMbarrierInitOp::create(b);
}

void sm90::arrive(DeviceBuilder &b, Value barrier) {
  NVVM::MBarrierArriveOp::create(b, b.getI64Type(), barrier, Value());
}

void sm90::arriveAt(DeviceBuilder &b, Value barrier, Number rank) {
  Value remote = NVVM::MapaOp::create(b, b.pointer(7), barrier, rank);
  NVVM::MBarrierArriveOp::create(b, Type(), remote, Value(),
                                 NVVM::MemScopeKind::CTA);
}

void sm90::arriveAndExpect(DeviceBuilder &b, Value barrier, int64_t bytes) {
  NVVM::MBarrierArriveExpectTxOp::create(b, Type(), barrier, b.number(bytes),
                                         NVVM::MemScopeKind::CTA,
                                         /*relaxed=*/false, Value());
}

void sm90::expect(DeviceBuilder &b, Value barrier, int64_t bytes) {
  NVVM::MBarrierExpectTxOp::create(b, barrier, b.number(bytes));
}

/// A hint, in nanoseconds, of how long one attempt may sleep.
static constexpr int64_t kWaitTicks = 10000000;

void sm90::wait(DeviceBuilder &b, Value barrier, Number parity) {
  NVVM::MBarrierTryWaitParityOp::create(b, barrier, parity,
                                        b.number(kWaitTicks));
}

//===----------------------------------------------------------------------===//
// The copy engine
//===----------------------------------------------------------------------===//

void sm90::loadBox(DeviceBuilder &b, Value shared, Value map,
                   ArrayRef<Value> coordinates, Value barrier,
                   Value multicast) {
  Value destination = LLVM::AddrSpaceCastOp::create(b, b.pointer(7), shared);
  NVVM::CpAsyncBulkTensorGlobalToSharedClusterOp::create(
      b, destination, map, coordinates, barrier, ValueRange(), multicast,
      /*l2CacheHint=*/Value(), NVVM::TMALoadMode::TILE, /*isCTAOnly=*/false,
      NVVM::CTAGroupKindAttr(), /*predicate=*/Value());
}

void sm90::loadPixels(DeviceBuilder &b, Value shared, Value map,
                      ArrayRef<Value> coordinates, ArrayRef<Number> offsets,
                      Value barrier, Value multicast) {
  Value destination = LLVM::AddrSpaceCastOp::create(b, b.pointer(7), shared);
  SmallVector<Value> halves;
  for (Number offset : offsets)
    halves.push_back(arith::TruncIOp::create(b, b.getI16Type(), offset));
  NVVM::CpAsyncBulkTensorGlobalToSharedClusterOp::create(
      b, destination, map, coordinates, barrier, halves, multicast,
      /*l2CacheHint=*/Value(), NVVM::TMALoadMode::IM2COL, /*isCTAOnly=*/false,
      NVVM::CTAGroupKindAttr(), /*predicate=*/Value());
}

void sm90::storeBox(DeviceBuilder &b, Value map, Value shared,
                    ArrayRef<Value> coordinates) {
  NVVM::CpAsyncBulkTensorSharedCTAToGlobalOp::create(
      b, map, shared, coordinates, /*l2CacheHint=*/Value(),
      NVVM::TMAStoreMode::TILE, /*predicate=*/Value());
}

void sm90::commitStores(DeviceBuilder &b) {
  NVVM::CpAsyncBulkCommitGroupOp::create(b);
}

void sm90::waitStores(DeviceBuilder &b, int64_t pending, bool read) {
  NVVM::CpAsyncBulkWaitGroupOp::create(b, pending,
                                       read ? b.getUnitAttr() : UnitAttr());
}

void sm90::fenceForAsyncProxy(DeviceBuilder &b) {
  NVVM::FenceProxyOp::create(
      b, NVVM::ProxyKind::async_shared,
      NVVM::SharedSpaceAttr::get(b.getContext(),
                                 NVVM::SharedSpace::shared_cta));
}

//===----------------------------------------------------------------------===//
// The Tensor Cores
//===----------------------------------------------------------------------===//

Type sm90::accumulatorType(DeviceBuilder &b, int64_t n) {
  SmallVector<Type> types(n / 2, b.getF32Type());
  return LLVM::LLVMStructType::getLiteral(b.getContext(), types);
}

void sm90::wgmmaFence(DeviceBuilder &b) {
  NVVM::WgmmaFenceAlignedOp::create(b);
}
void sm90::wgmmaCommit(DeviceBuilder &b) {
  NVVM::WgmmaGroupSyncAlignedOp::create(b);
}
void sm90::wgmmaWait(DeviceBuilder &b, int64_t pending) {
  NVVM::WgmmaWaitGroupSyncOp::create(b, pending);
}

static NVVM::WGMMATypes getWgmmaType(Type type) {
  if (type.isF16())
    return NVVM::WGMMATypes::f16;
  if (type.isBF16())
    return NVVM::WGMMATypes::bf16;
  if (isa<FloatTF32Type>(type))
    return NVVM::WGMMATypes::tf32;
  return isa<Float8E4M3FNType>(type) ? NVVM::WGMMATypes::e4m3
                                     : NVVM::WGMMATypes::e5m2;
}

Value sm90::wgmma(DeviceBuilder &b, const WgmmaShape &shape, Value descriptorA,
                  Value descriptorB, Value accumulators) {
  // A is K-major as "row", B as "col".
  return NVVM::WgmmaMmaAsyncOp::create(
      b, accumulators.getType(), accumulators, descriptorA, descriptorB,
      NVVM::MMAShapeAttr::get(b.getContext(), 64, shape.n, shape.k),
      getWgmmaType(shape.a), getWgmmaType(shape.b), NVVM::WGMMATypes::f32,
      NVVM::WGMMAScaleOut::one, NVVM::WGMMAScaleIn::one,
      NVVM::WGMMAScaleIn::one,
      shape.transposeA ? NVVM::MMALayout::col : NVVM::MMALayout::row,
      shape.transposeB ? NVVM::MMALayout::row : NVVM::MMALayout::col,
      NVVM::MMAIntOverflowAttr());
}

void sm90::storeMatrices(DeviceBuilder &b, Value address,
                         ArrayRef<Value> registers) {
  NVVM::StMatrixOp::create(b, address, registers, NVVM::MMALayout::row,
                           NVVM::LdStMatrixShapeAttr::get(b.getContext(), 8, 8),
                           NVVM::LdStMatrixEltType::B16);
}

void sm90::decreaseRegisters(DeviceBuilder &b, int64_t count) {
  NVVM::SetMaxRegisterOp::create(b, count,
                                 NVVM::SetMaxRegisterAction::decrease);
}
void sm90::increaseRegisters(DeviceBuilder &b, int64_t count) {
  NVVM::SetMaxRegisterOp::create(b, count,
                                 NVVM::SetMaxRegisterAction::increase);
}

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

void sm90::markAsCluster(DeviceBuilder &b, LLVM::LLVMFuncOp func,
                         int64_t cluster) {
  func->setAttr(NVVM::NVVMDialect::getClusterDimAttrName(),
                b.getDenseI32ArrayAttr({static_cast<int32_t>(cluster), 1, 1}));
}

void sm90::markAsTensorMap(DeviceBuilder &b, LLVM::LLVMFuncOp func,
                           unsigned arg) {
  func.setArgAttr(arg, LLVM::LLVMDialect::getByValAttrName(),
                  TypeAttr::get(LLVM::LLVMArrayType::get(b.getI64Type(), 16)));
  func.setArgAttr(arg, LLVM::LLVMDialect::getAlignAttrName(),
                  b.getI64IntegerAttr(64));
  func.setArgAttr(arg, NVVM::NVVMDialect::getGridConstantAttrName(),
                  b.getUnitAttr());
}
