//===- Sm80Instructions.cpp - What every chip since sm_80 has -------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each function builds its NVVM operation and takes the results apart into
// values of their own, so that no emitter sees a type of NVVM: this file
// includes its header, as few do.
//
//===----------------------------------------------------------------------===//

#include "Sm80Instructions.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace mlir::amp;

//===----------------------------------------------------------------------===//
// Where a thread is, barriers
//===----------------------------------------------------------------------===//

Number sm80::threadId(DeviceBuilder &b) {
  return b.number(NVVM::ThreadIdXOp::create(b, b.getI32Type()));
}
Number sm80::blockId(DeviceBuilder &b) {
  return b.number(NVVM::BlockIdXOp::create(b, b.getI32Type()));
}
Number sm80::blockCount(DeviceBuilder &b) {
  return b.number(NVVM::GridDimXOp::create(b, b.getI32Type()));
}

bool sm80::readsBlockIdsAlone(Operation *code) {
  return !code->walk([](Operation *op) {
                bool isOther =
                    op->getName().getStringRef().starts_with(
                        "nvvm.read.ptx.sreg.") &&
                    !isa<NVVM::ThreadIdXOp, NVVM::BlockIdXOp, NVVM::GridDimXOp>(
                        op);
                return isOther ? WalkResult::interrupt()
                               : WalkResult::advance();
              })
              .wasInterrupted();
}

void sm80::replaceBlockIds(Operation *code, Value id, Value count) {
  code->walk([&](Operation *op) {
    if (!isa<NVVM::BlockIdXOp, NVVM::GridDimXOp>(op))
      return;
    op->getResult(0).replaceAllUsesWith(isa<NVVM::BlockIdXOp>(op) ? id : count);
    op->erase();
  });
}

void sm80::blockBarrier(DeviceBuilder &b) { NVVM::Barrier0Op::create(b); }

void sm80::namedBarrier(DeviceBuilder &b, int64_t barrier, int64_t threads) {
  NVVM::BarrierOp::create(b, Type(), b.number(barrier), b.number(threads),
                          NVVM::BarrierReductionAttr(), Value());
}

void sm80::warpBarrier(DeviceBuilder &b) {
  NVVM::SyncWarpOp::create(b, b.number(-1));
}

//===----------------------------------------------------------------------===//
// Exchange between lanes
//===----------------------------------------------------------------------===//

Value sm80::shuffleXor(DeviceBuilder &b, Value value, int64_t bit) {
  return NVVM::ShflOp::create(b, value.getType(), b.number(-1), value,
                              b.number(bit), b.number(31), NVVM::ShflKind::bfly,
                              UnitAttr());
}

Value sm80::maxOverWarp(DeviceBuilder &b, Value value) {
  return NVVM::ReduxOp::create(b, value.getType(), value, NVVM::ReduxKind::UMAX,
                               b.number(-1));
}

Value sm80::orOverWarp(DeviceBuilder &b, Value value) {
  return NVVM::ReduxOp::create(b, value.getType(), value, NVVM::ReduxKind::OR,
                               b.number(-1));
}

Number sm80::ballot(DeviceBuilder &b, Value condition) {
  return b.number(NVVM::VoteSyncOp::create(
      b, b.getI32Type(), b.number(-1), condition, NVVM::VoteSyncKind::ballot));
}

//===----------------------------------------------------------------------===//
// Asynchronous copies
//===----------------------------------------------------------------------===//

void sm80::copyAsync(DeviceBuilder &b, Value shared, Value global,
                     Value bytes) {
  NVVM::CpAsyncOp::create(b, shared, global, 16,
                          NVVM::LoadCacheModifierKind::CG, bytes);
}
void sm80::commitCopies(DeviceBuilder &b) {
  NVVM::CpAsyncCommitGroupOp::create(b);
}
void sm80::waitCopies(DeviceBuilder &b, int64_t pending) {
  NVVM::CpAsyncWaitGroupOp::create(b, pending);
}

//===----------------------------------------------------------------------===//
// The Tensor Cores
//===----------------------------------------------------------------------===//

static SmallVector<Value> unpack(DeviceBuilder &b, Value structure,
                                 int64_t size) {
  SmallVector<Value> parts;
  for (int64_t i = 0; i < size; ++i)
    parts.push_back(LLVM::ExtractValueOp::create(b, structure, i));
  return parts;
}

SmallVector<Value> sm80::loadMatrices(DeviceBuilder &b, Value address,
                                      bool transpose) {
  SmallVector<Type> types(4, b.getI32Type());
  Value loaded = NVVM::LdMatrixOp::create(
      b, LLVM::LLVMStructType::getLiteral(b.getContext(), types), address, 4,
      transpose ? NVVM::MMALayout::col : NVVM::MMALayout::row,
      NVVM::LdStMatrixShapeAttr::get(b.getContext(), 8, 8),
      NVVM::LdStMatrixEltType::B16);
  return unpack(b, loaded, 4);
}

Value sm80::roundToTf32(DeviceBuilder &b, Value word) {
  return NVVM::ConvertFloatToTF32Op::create(b, b.getI32Type(),
                                            b.bitcast(b.getF32Type(), word),
                                            NVVM::FPRoundingMode::RNA);
}

SmallVector<Value> sm80::multiply(DeviceBuilder &b, Type type,
                                  ArrayRef<Value> a, ArrayRef<Value> bs,
                                  ArrayRef<Value> sums) {
  bool tf32 = isa<FloatTF32Type>(type);
  // The operation takes pairs of f16 as such, others as words.
  auto convert = [&](Value word) -> Value {
    return type.isF16() ? b.bitcast(VectorType::get(2, type), word) : word;
  };
  auto registers = [&](ArrayRef<Value> words) {
    return llvm::map_to_vector(words, convert);
  };
  NVVM::MMATypes element = tf32           ? NVVM::MMATypes::tf32
                           : type.isF16() ? NVVM::MMATypes::f16
                                          : NVVM::MMATypes::bf16;
  SmallVector<Type> types(4, b.getF32Type());
  Value result = NVVM::MmaOp::create(
      b, LLVM::LLVMStructType::getLiteral(b.getContext(), types), registers(a),
      registers(bs), sums, std::array<int64_t, 3>{16, 8, tf32 ? 8 : 16},
      std::nullopt, std::nullopt,
      std::array<NVVM::MMATypes, 2>{element, element},
      std::array<NVVM::MMALayout, 2>{NVVM::MMALayout::row,
                                     NVVM::MMALayout::col});
  return unpack(b, result, 4);
}

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

void sm80::markAsKernel(DeviceBuilder &b, LLVM::LLVMFuncOp func,
                        int64_t threads, int64_t minBlocks) {
  func->setAttr(gpu::GPUDialect::getKernelFuncAttrName(), b.getUnitAttr());
  func->setAttr(NVVM::NVVMDialect::getKernelFuncAttrName(), b.getUnitAttr());
  func->setAttr(NVVM::NVVMDialect::getReqntidAttrName(),
                b.getDenseI32ArrayAttr({static_cast<int32_t>(threads), 1, 1}));
  func->setAttr(NVVM::NVVMDialect::getMinctasmAttrName(),
                b.getI32IntegerAttr(minBlocks));
}

void sm80::markAsTable(DeviceBuilder &b, LLVM::LLVMFuncOp func, unsigned arg,
                       int64_t count) {
  func.setArgAttr(arg, LLVM::LLVMDialect::getByValAttrName(),
                  TypeAttr::get(LLVM::LLVMArrayType::get(b.pointer(1), count)));
  func.setArgAttr(arg, LLVM::LLVMDialect::getAlignAttrName(),
                  b.getI64IntegerAttr(8));
  func.setArgAttr(arg, NVVM::NVVMDialect::getGridConstantAttrName(),
                  b.getUnitAttr());
}
