//===- NVVMInstructions.cpp - The operations of the NVVM dialect ----------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A table from names to opcodes, and the attributes of each operation. This is
// the only file that includes the NVVM headers, which cost most of the build.
//
//===----------------------------------------------------------------------===//

#include "Instructions.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::amp;
using ::amp::emu::FencedSpace;
using ::amp::emu::Format;
using ::amp::emu::MatchKind;
using ::amp::emu::Opcode;
using ::amp::emu::ReduceKind;
using ::amp::emu::Scope;
using ::amp::emu::ShuffleKind;
using ::amp::emu::VoteKind;

static std::optional<Opcode> getOpcode(StringRef name) {
  using Result = std::optional<Opcode>;
  return llvm::StringSwitch<Result>(name)
      .Case("ldmatrix", Opcode::LoadMatrix)
      .Case("stmatrix", Opcode::StoreMatrix)
      .Case("mma.sync", Opcode::MultiplyMatrix)
      .Case("shfl.sync", Opcode::Shuffle)
      .Case("vote.sync", Opcode::Vote)
      .Case("redux.sync", Opcode::Reduce)
      .Case("match.sync", Opcode::Match)
      .Case("bar.warp.sync", Opcode::SyncWarp)
      .Case("elect.sync", Opcode::Elect)
      .Case("wgmma.mma_async", Opcode::WarpgroupMultiply)
      .Case("wgmma.fence.aligned", Opcode::WarpgroupFence)
      .Case("wgmma.commit.group.sync.aligned", Opcode::WarpgroupCommit)
      .Case("wgmma.wait.group.sync.aligned", Opcode::WarpgroupWait)
      .Case("barrier0", Opcode::Barrier)
      .Case("barrier", Opcode::Barrier)
      .Case("barrier.arrive", Opcode::BarrierArrive)
      .Case("cluster.arrive", Opcode::ClusterArrive)
      .Case("cluster.arrive.relaxed", Opcode::ClusterArriveRelaxed)
      .Case("cluster.wait", Opcode::ClusterWait)
      .Case("mbarrier.init", Opcode::MBarrierInit)
      .Case("mbarrier.inval", Opcode::MBarrierInvalidate)
      .Case("mbarrier.arrive", Opcode::MBarrierArrive)
      .Case("mbarrier.arrive.nocomplete", Opcode::MBarrierArrive)
      .Case("mbarrier.arrive_drop", Opcode::MBarrierArrive)
      .Case("mbarrier.arrive.expect_tx", Opcode::MBarrierArriveExpectTx)
      .Case("mbarrier.arrive_drop.expect_tx", Opcode::MBarrierArriveExpectTx)
      .Case("mbarrier.expect_tx", Opcode::MBarrierExpectTx)
      .Case("mbarrier.complete_tx", Opcode::MBarrierCompleteTx)
      .Case("mbarrier.try_wait.parity", Opcode::MBarrierWait)
      .Case("mbarrier.try_wait", Opcode::MBarrierTryWait)
      .Case("mbarrier.test.wait", Opcode::MBarrierTestWait)
      .Case("cp.async.shared.global", Opcode::CopyAsync)
      .Case("cp.async.commit.group", Opcode::CopyCommit)
      .Case("cp.async.wait.group", Opcode::CopyWait)
      .Case("cp.async.mbarrier.arrive", Opcode::CopyArrive)
      .Case("cp.async.bulk.tensor.shared.cluster.global", Opcode::TensorLoad)
      .Case("cp.async.bulk.tensor.global.shared.cta", Opcode::TensorStore)
      .Case("cp.async.bulk.tensor.reduce", Opcode::TensorStore)
      .Case("cp.async.bulk.shared.cluster.global", Opcode::BulkLoad)
      .Case("cp.async.bulk.shared.cluster.shared.cta", Opcode::BulkLoadShared)
      .Case("cp.async.bulk.global.shared.cta", Opcode::BulkStore)
      .Case("cp.async.bulk.commit.group", Opcode::BulkCommit)
      .Case("cp.async.bulk.wait_group", Opcode::BulkWait)
      .Case("fence.proxy", Opcode::ProxyFence)
      .Case("fence.proxy.acquire", Opcode::TensorMapFence)
      .Case("fence.proxy.release", Opcode::TensorMapFence)
      .Case("fence.mbarrier.init", Opcode::MBarrierInitFence)
      .Case("memory.barrier", Opcode::Fence)
      .Case("fence.sc.cluster", Opcode::Fence)
      .Case("mapa", Opcode::MapToCluster)
      .Case("setmaxregister", Opcode::SetMaxRegisters)
      .Case("convert.float.to.tf32", Opcode::Convert)
      .Case("convert.f32x2.to.f8x2", Opcode::Convert)
      .Case("convert.f32x2.to.f16x2", Opcode::Convert)
      .Case("convert.f32x2.to.bf16x2", Opcode::Convert)
      .Case("convert.f16x2.to.f8x2", Opcode::Convert)
      .Case("convert.f8x2.to.f16x2", Opcode::Convert)
      .Case("prmt", Opcode::PermuteBytes)
      .Case("exit", Opcode::Exit)
      .Case("nanosleep", Opcode::Sleep)
      // Hints, and orders between kernels.
      .Case("prefetch", Opcode::Nothing)
      .Case("cp.async.bulk.prefetch", Opcode::Nothing)
      .Case("cp.async.bulk.tensor.prefetch", Opcode::Nothing)
      .Case("griddepcontrol", Opcode::Nothing)
      .Case("pmevent", Opcode::Nothing)
      .Default(std::nullopt);
}

int mlir::amp::getSpecialRegister(StringRef name) {
  // The order is that of Cluster::specialRegister.
  static constexpr StringLiteral axes[] = {
      "tid",       "ntid",       "ctaid",         "nctaid",
      "clusterid", "nclusterid", "cluster.ctaid", "cluster.nctaid"};
  static constexpr StringLiteral scalars[] = {"laneid",
                                              "warpid",
                                              "cluster.ctarank",
                                              "cluster.nctarank",
                                              "warpsize",
                                              "nwarpid",
                                              "smid",
                                              "nsmid",
                                              "dynamic.smem.size",
                                              "total.smem.size",
                                              "lanemask.eq",
                                              "lanemask.le",
                                              "lanemask.lt",
                                              "lanemask.ge",
                                              "lanemask.gt"};
  for (auto [i, scalar] : llvm::enumerate(scalars))
    if (name == scalar)
      return 24 + int(i);
  auto [base, axis] = name.rsplit('.');
  for (auto [i, known] : llvm::enumerate(axes))
    if (base == known && axis.size() == 1 && axis[0] >= 'x')
      return int(i) * 3 + (axis[0] - 'x');
  return name == "gridid" ? 39 : -1;
}

bool mlir::amp::isClock(StringRef name) {
  return name == "clock" || name == "clock64" || name == "globaltimer" ||
         name == "globaltimer.lo";
}

/// Index of the first operand of an optional group, or -1.
template <typename OpT> static int getOptional(OpT op, unsigned group) {
  auto [start, count] = op.getODSOperandIndexAndLength(group);
  return count ? int(start) : -1;
}

static std::string describeMma(NVVM::MmaOp op, Instruction &inst) {
  NVVM::MMAShapeAttr shape = op.getShape();
  auto nameOf = [](std::optional<NVVM::MMATypes> given, Value value,
                   bool isAccumulator) -> StringRef {
    if (!given)
      given = NVVM::MmaOp::inferOperandMMAType(value.getType(), isAccumulator);
    return given ? NVVM::stringifyMMATypes(*given) : "";
  };
  MatrixQualifiers given;
  given.m = shape.getM();
  given.n = shape.getN();
  given.k = shape.getK();
  given.a =
      nameOf(op.getMultiplicandAPtxType(), op.getOperandA().front(), false);
  given.b =
      nameOf(op.getMultiplicandBPtxType(), op.getOperandB().front(), false);
  given.d = nameOf(std::nullopt, op.getOperandC().front(), true);
  given.rowByColumn = op.getLayoutA() == NVVM::MMALayout::row &&
                      op.getLayoutB() == NVVM::MMALayout::col;
  given.saturates =
      op.getIntOverflowBehavior() == NVVM::MMAIntOverflow::satfinite;
  inst.firstB = op.getOperandA().size();
  inst.firstAccumulator = inst.firstB + op.getOperandB().size();
  return setMma(given, inst);
}

static std::string describeWgmma(NVVM::WgmmaMmaAsyncOp op, Instruction &inst) {
  NVVM::MMAShapeAttr shape = op.getShape();
  MatrixQualifiers given;
  given.m = shape.getM();
  given.n = shape.getN();
  given.k = shape.getK();
  given.d = NVVM::stringifyWGMMATypes(op.getTypeD());
  given.a = NVVM::stringifyWGMMATypes(op.getTypeA());
  given.b = NVVM::stringifyWGMMATypes(op.getTypeB());
  given.saturates = op.getSatfinite() == NVVM::MMAIntOverflow::satfinite;
  inst.transposedA = op.getLayoutA() == NVVM::MMALayout::col;
  inst.transposedB = op.getLayoutB() == NVVM::MMALayout::row; // col is K-major
  inst.zeroAccumulator = op.getScaleD() == NVVM::WGMMAScaleOut::zero;
  inst.negateA = op.getScaleA() == NVVM::WGMMAScaleIn::neg;
  inst.negateB = op.getScaleB() == NVVM::WGMMAScaleIn::neg;
  return setWgmma(given, inst);
}

static ReduceKind getReduction(NVVM::ReduxKind kind) {
  switch (kind) {
  case NVVM::ReduxKind::ADD:
    return ReduceKind::Add;
  case NVVM::ReduxKind::AND:
    return ReduceKind::And;
  case NVVM::ReduxKind::OR:
    return ReduceKind::Or;
  case NVVM::ReduxKind::XOR:
    return ReduceKind::Xor;
  case NVVM::ReduxKind::MIN:
    return ReduceKind::Min;
  case NVVM::ReduxKind::MAX:
    return ReduceKind::Max;
  case NVVM::ReduxKind::UMIN:
    return ReduceKind::UnsignedMin;
  case NVVM::ReduxKind::UMAX:
    return ReduceKind::UnsignedMax;
  case NVVM::ReduxKind::FMIN:
    return ReduceKind::FloatMin;
  case NVVM::ReduxKind::FMAX:
    return ReduceKind::FloatMax;
  default:
    return ReduceKind::None;
  }
}

static ReduceKind getReduction(NVVM::TMAReduxKind kind) {
  switch (kind) {
  case NVVM::TMAReduxKind::ADD:
    return ReduceKind::Add;
  case NVVM::TMAReduxKind::MIN:
    return ReduceKind::Min;
  case NVVM::TMAReduxKind::MAX:
    return ReduceKind::Max;
  case NVVM::TMAReduxKind::INC:
    return ReduceKind::Increment;
  case NVVM::TMAReduxKind::DEC:
    return ReduceKind::Decrement;
  case NVVM::TMAReduxKind::AND:
    return ReduceKind::And;
  case NVVM::TMAReduxKind::OR:
    return ReduceKind::Or;
  case NVVM::TMAReduxKind::XOR:
    return ReduceKind::Xor;
  }
  return ReduceKind::None;
}

/// The attributes of collectives of a warp.
static std::string describeWarp(Operation *op, Instruction &inst) {
  std::string unknown;
  llvm::TypeSwitch<Operation *>(op)
      .Case([&](NVVM::LdMatrixOp o) {
        inst.number = o.getNum();
        inst.transposed = o.getLayout() == NVVM::MMALayout::col;
        if (o.getEltType() != NVVM::LdStMatrixEltType::B16)
          unknown = "ldmatrix of elements other than b16";
      })
      .Case([&](NVVM::StMatrixOp o) {
        inst.number = o.getSources().size();
        inst.transposed = o.getLayout() == NVVM::MMALayout::col;
        if (o.getEltType() != NVVM::LdStMatrixEltType::B16)
          unknown = "stmatrix of elements other than b16";
      })
      .Case([&](NVVM::MmaOp o) { unknown = describeMma(o, inst); })
      .Case([&](NVVM::WgmmaMmaAsyncOp o) { unknown = describeWgmma(o, inst); })
      .Case([&](NVVM::WgmmaWaitGroupSyncOp o) { inst.number = o.getGroup(); })
      .Case([&](NVVM::ShflOp o) {
        switch (o.getKind()) {
        case NVVM::ShflKind::bfly:
          inst.kind = uint8_t(ShuffleKind::Butterfly);
          break;
        case NVVM::ShflKind::up:
          inst.kind = uint8_t(ShuffleKind::Up);
          break;
        case NVVM::ShflKind::down:
          inst.kind = uint8_t(ShuffleKind::Down);
          break;
        case NVVM::ShflKind::idx:
          inst.kind = uint8_t(ShuffleKind::Index);
          break;
        }
        inst.number = o.getReturnValueAndIsValid().value_or(false);
      })
      .Case([&](NVVM::VoteSyncOp o) {
        switch (o.getKind()) {
        case NVVM::VoteSyncKind::any:
          inst.kind = uint8_t(VoteKind::Any);
          break;
        case NVVM::VoteSyncKind::all:
          inst.kind = uint8_t(VoteKind::All);
          break;
        case NVVM::VoteSyncKind::ballot:
          inst.kind = uint8_t(VoteKind::Ballot);
          break;
        case NVVM::VoteSyncKind::uni:
          inst.kind = uint8_t(VoteKind::Uniform);
          break;
        }
      })
      .Case([&](NVVM::ReduxOp o) {
        inst.kind = uint8_t(getReduction(o.getKind()));
        if (o.getAbs() || o.getNan())
          unknown = "redux.sync with abs or nan";
      })
      .Case([&](NVVM::MatchSyncOp o) {
        inst.kind =
            uint8_t(o.getKind() == NVVM::MatchSyncKind::any ? MatchKind::Any
                                                            : MatchKind::All);
        inst.number = o.getVal().getType().isInteger(64) ? 8 : 4;
      })
      .Case([&](NVVM::ElectSyncOp o) {
        inst.optional[0] = o.getMembermask() ? 0 : -1;
      });
  return unknown;
}

static std::optional<Format> getFloat8(Type type) {
  if (isa<Float8E4M3FNType>(type))
    return Format::E4M3;
  if (isa<Float8E5M2Type>(type))
    return Format::E5M2;
  return std::nullopt;
}

/// f32x2 to f16x2 or bf16x2: to nearest, as the formats' model rounds.
template <typename OpT>
static std::string describePair(OpT op, Format format, Instruction &inst) {
  if (op.getRandomBits() || (op.getRnd() != NVVM::FPRoundingMode::NONE &&
                             op.getRnd() != NVVM::FPRoundingMode::RN))
    return "conversion that does not round to nearest";
  if (op.getSat() != NVVM::SaturationMode::NONE)
    return "conversion that saturates to this type";
  inst.number = 2;
  inst.formatA = Format::F32;
  inst.formatB = format;
  inst.relu = op.getRelu();
  return "";
}

/// The attributes of what a thread does for itself.
static std::string describeScalar(Operation *op, Instruction &inst) {
  std::string unknown;
  auto convert = [&](std::optional<Format> from, std::optional<Format> to,
                     bool relu) {
    inst.number = 2;
    inst.relu = relu;
    if (!from || !to)
      unknown = "conversion to this type";
    inst.formatA = from.value_or(Format::F32);
    inst.formatB = to.value_or(Format::F32);
  };
  llvm::TypeSwitch<Operation *>(op)
      .Case([&](NVVM::ConvertFloatToTF32Op) {
        inst.number = 1;
        inst.formatA = Format::F32;
        inst.formatB = Format::TF32;
      })
      .Case([&](NVVM::ConvertF32x2ToF8x2Op o) {
        convert(Format::F32, getFloat8(o.getDstTy()), o.getRelu());
      })
      // The second element lies in the upper half of both registers, as in PTX;
      // the dialect's text has it the other way round, its lowering has not.
      .Case([&](NVVM::ConvertF16x2ToF8x2Op o) {
        convert(Format::F16, getFloat8(o.getDstTy()), o.getRelu());
        inst.packed = true;
      })
      .Case([&](NVVM::ConvertF8x2ToF16x2Op o) {
        convert(getFloat8(o.getSrcType()), Format::F16, o.getRelu());
        inst.packed = true;
      })
      .Case([&](NVVM::ConvertF32x2ToF16x2Op o) {
        unknown = describePair(o, Format::F16, inst);
      })
      .Case([&](NVVM::ConvertF32x2ToBF16x2Op o) {
        unknown = describePair(o, Format::BF16, inst);
      })
      .Case([&](NVVM::SetMaxRegisterOp o) {
        inst.number = o.getRegCount();
        inst.kind = o.getAction() == NVVM::SetMaxRegisterAction::increase;
      })
      .Case([&](NVVM::PermuteOp o) {
        inst.number = op->getNumOperands();
        bool isDefault = o.getMode() == NVVM::PermuteMode::DEFAULT;
        unknown = setPermute(
            isDefault ? "" : NVVM::stringifyPermuteMode(o.getMode()), inst);
      });
  return unknown;
}

/// The attributes of barriers and fences.
static std::string describeBarrier(Operation *op, Instruction &inst) {
  std::string unknown;
  llvm::TypeSwitch<Operation *>(op)
      .Case([&](NVVM::BarrierOp o) {
        inst.optional[0] = getOptional(o, 0);
        inst.optional[1] = getOptional(o, 1);
        inst.optional[2] = getOptional(o, 2);
        if (auto reduction = o.getReductionOp())
          inst.kind = uint8_t(*reduction == NVVM::BarrierReduction::AND
                                  ? ReduceKind::And
                              : *reduction == NVVM::BarrierReduction::OR
                                  ? ReduceKind::Or
                                  : ReduceKind::PopulationCount);
      })
      .Case([&](NVVM::BarrierArriveOp o) {
        inst.optional[0] = getOptional(o, 0);
        inst.optional[1] = getOptional(o, 1);
      })
      .Case([&](NVVM::MBarrierInitOp o) { inst.predicate = getOptional(o, 2); })
      .Case([&](NVVM::MBarrierArriveExpectTxOp o) {
        inst.predicate = getOptional(o, 2);
        inst.number = op->getNumResults();
      })
      .Case([&](NVVM::MBarrierArriveDropExpectTxOp o) {
        inst.kind = 1;
        inst.number = op->getNumResults();
      })
      .Case([&](NVVM::MBarrierArriveOp o) {
        inst.optional[0] = getOptional(o, 1);
        inst.number = op->getNumResults();
      })
      .Case([&](NVVM::MBarrierArriveNocompleteOp o) {
        inst.optional[0] = 1;
        inst.number = op->getNumResults();
      })
      .Case([&](NVVM::MBarrierArriveDropOp o) {
        inst.optional[0] = getOptional(o, 1);
        inst.kind = 1;
        inst.number = op->getNumResults();
      })
      // `number` tells a state from a parity.
      .Case([&](NVVM::MBarrierTryWaitOp o) {
        inst.number = o.getStateOrPhase().getType().isInteger(64);
      })
      .Case([&](NVVM::MBarrierTestWaitOp o) {
        inst.number = o.getStateOrPhase().getType().isInteger(64);
      })
      // A synonym of fence.sc (PTX ISA, membar/fence).
      .Case([&](NVVM::MembarOp) {
        inst.order =
            ::amp::emu::Acquire | ::amp::emu::Release | ::amp::emu::Total;
      })
      .Case([&](NVVM::FenceScClusterOp) {
        inst.order =
            ::amp::emu::Acquire | ::amp::emu::Release | ::amp::emu::Total;
        inst.scope = Scope::Cluster;
      })
      .Case([&](NVVM::FenceProxyOp o) {
        switch (o.getKind()) {
        case NVVM::ProxyKind::async:
          inst.kind = uint8_t(FencedSpace::All);
          break;
        case NVVM::ProxyKind::async_global:
          inst.kind = uint8_t(FencedSpace::Global);
          break;
        case NVVM::ProxyKind::async_shared:
          inst.kind = uint8_t(o.getSpace() == NVVM::SharedSpace::shared_cluster
                                  ? FencedSpace::SharedCluster
                                  : FencedSpace::SharedBlock);
          break;
        default: // of aliases, which no address here has
          inst.opcode = Opcode::Nothing;
        }
      });
  return unknown;
}

/// The attributes of copies.
static std::string describeCopy(Operation *op, Instruction &inst) {
  std::string unknown;
  llvm::TypeSwitch<Operation *>(op)
      .Case([&](NVVM::CpAsyncOp o) {
        inst.number = o.getSize();
        inst.optional[0] = o.getCpSize() ? 2 : -1;
      })
      .Case([&](NVVM::CpAsyncWaitGroupOp o) { inst.number = o.getN(); })
      .Case([&](NVVM::CpAsyncMBarrierArriveOp o) { inst.kind = o.getNoinc(); })
      .Case([&](NVVM::CpAsyncBulkWaitGroupOp o) {
        inst.number = o.getGroup();
        inst.readOnly = o.getRead().value_or(false);
      })
      .Case([&](NVVM::CpAsyncBulkTensorGlobalToSharedClusterOp o) {
        inst.number = o.getCoordinates().size();
        inst.optional[0] = getOptional(o, 5);
        inst.predicate = getOptional(o, 7);
        inst.im2col = o.getMode() == NVVM::TMALoadMode::IM2COL;
        if (!inst.im2col && o.getMode() != NVVM::TMALoadMode::TILE)
          unknown = "tensor copy of this mode";
        if (o.getIsCTAOnly() || o.getGroup())
          unknown = "tensor copy with a cta group";
      })
      .Case([&](NVVM::CpAsyncBulkTensorSharedCTAToGlobalOp o) {
        inst.number = o.getCoordinates().size();
        inst.predicate = getOptional(o, 4);
        inst.im2col = o.getMode() == NVVM::TMAStoreMode::IM2COL;
        if (o.getMode() == NVVM::TMAStoreMode::TILE_SCATTER4)
          unknown = "tensor copy of this mode";
      })
      .Case([&](NVVM::CpAsyncBulkTensorReduceOp o) {
        inst.number = o.getCoordinates().size();
        inst.im2col = o.getMode() == NVVM::TMAStoreMode::IM2COL;
        inst.kind = uint8_t(getReduction(o.getRedKind()));
      })
      .Case([&](NVVM::CpAsyncBulkGlobalToSharedClusterOp o) {
        inst.optional[0] = getOptional(o, 4);
      })
      .Case([&](NVVM::CpAsyncBulkSharedCTAToGlobalOp o) {
        if (o.getByteMask())
          unknown = "bulk copy with a byte mask";
      });
  return unknown;
}

std::string mlir::amp::describeNVVM(Operation *op, Instruction &inst) {
  StringRef name = op->getName().stripDialect();
  std::optional<Opcode> opcode = getOpcode(name);
  if (!opcode)
    return "operation 'nvvm." + name.str() + "'";
  inst.opcode = *opcode;
  inst.name = name.str();
  if (auto scope = op->getAttrOfType<NVVM::MemScopeKindAttr>("scope"))
    inst.scope = scope.getValue() == NVVM::MemScopeKind::CTA ? Scope::Block
                 : scope.getValue() == NVVM::MemScopeKind::CLUSTER
                     ? Scope::Cluster
                     : Scope::Device;
  if (auto relaxed = op->getAttrOfType<BoolAttr>("relaxed");
      relaxed && relaxed.getValue())
    return "relaxed mbarrier operation";
  for (auto describe :
       {describeWarp, describeScalar, describeBarrier, describeCopy})
    if (std::string unknown = describe(op, inst); !unknown.empty())
      return unknown;
  return "";
}
