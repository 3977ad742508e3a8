//===- LowerKernel.cpp - From a gpu.module to host code -------------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The kernel and what it calls are copied into a module of their own and
// rewritten in place:
//
//   shared variables     offsets into the block's window, static ones first and
//                        dynamic memory after them, as the driver lays them out
//   special registers    calls
//   stack variables      local memory of the machine (LocalMemory.cpp)
//   loops                a count of their rounds (LoopRounds.cpp)
//   loads and stores     a check in front of each
//   memory moves         a check of both ranges in front of each
//   atomics              a call before (bounds, release) and after (acquire)
//   instructions         operands stored to an argument block, then
//                        ampEmuExecute(index, arguments, result)
//   wgmma results        a check in front of their first use in each basic
//                        block: registers that a wgmma in flight still owns
//
// The argument and result blocks are one allocation per function. Whatever is
// neither host code nor in this list is an error at its location, never a
// no-op.
//
//===----------------------------------------------------------------------===//

#include "Instructions.h"

#include "amp/Emulator/Kernel.h"

#include "mlir/Dialect/DLTI/DLTI.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/DataLayoutInterfaces.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::amp;
using ::amp::emu::Dim3;
using ::amp::emu::Opcode;
using ::amp::emu::Scope;
using ::amp::emu::StopKind;

/// What lowered code calls begins with it.
static constexpr StringLiteral kMachinePrefix = "ampEmu";

/// "gemm.mlir:12:3": the first place in a file that a location has.
static std::string getPlace(Location location) {
  std::string text;
  llvm::raw_string_ostream os(text);
  location->walk([&](Location part) {
    auto file = dyn_cast<FileLineColLoc>(part);
    if (!file)
      return WalkResult::advance();
    os << file.getFilename().getValue() << ':' << file.getLine() << ':'
       << file.getColumn();
    return WalkResult::interrupt();
  });
  if (text.empty())
    os << "<unknown>";
  return text;
}

uint32_t mlir::amp::addInstruction(LoweredKernel &kernel, Instruction inst,
                                   Location location) {
  inst.where = getPlace(location);
  kernel.instructions.push_back(std::move(inst));
  return kernel.instructions.size() - 1;
}

static bool isKernel(LLVM::LLVMFuncOp function) {
  return !function.isExternal() &&
         (function->hasAttr("nvvm.kernel") || function->hasAttr("gpu.kernel"));
}

/// The bytes that an access touches: three words are not four.
static unsigned getAccessBytes(Type type, const DataLayout &layout) {
  if (auto vector = dyn_cast<VectorType>(type))
    return unsigned(llvm::divideCeil(
        vector.getNumElements() *
            layout.getTypeSizeInBits(vector.getElementType()).getFixedValue(),
        8));
  return unsigned(layout.getTypeSize(type));
}

/// What the hardware wants the address of an access to be a multiple of: of the
/// whole access, at most 16 bytes. Less where the operation promises less, for
/// then the compiler takes the access apart.
static unsigned getAccessAlignment(Type type, std::optional<uint64_t> declared,
                                   const DataLayout &layout) {
  uint64_t natural = layout.getTypeABIAlignment(type);
  if (type.isIntOrFloat() || isa<VectorType, LLVM::LLVMPointerType>(type))
    natural = llvm::PowerOf2Ceil(layout.getTypeSize(type));
  return unsigned(std::min<uint64_t>(declared.value_or(natural), 16));
}

static bool isWgmma(Operation *op) {
  if (op->getName().getStringRef() == "nvvm.wgmma.mma_async")
    return true;
  auto assembly = dyn_cast<LLVM::InlineAsmOp>(op);
  return assembly && assembly.getAsmString().contains("wgmma.mma_async");
}

/// The wgmmas whose result a value may be, through block arguments.
static llvm::SetVector<Operation *> findMultiplies(Value value) {
  llvm::SetVector<Operation *> found;
  llvm::SetVector<Value> values;
  values.insert(value);
  for (size_t i = 0; i < values.size(); ++i) {
    Value v = values[i];
    if (Operation *def = v.getDefiningOp()) {
      if (isWgmma(def))
        found.insert(def);
      else if (auto select = dyn_cast<LLVM::SelectOp>(def)) {
        values.insert(select.getTrueValue());
        values.insert(select.getFalseValue());
      }
      continue;
    }
    auto argument = cast<BlockArgument>(v);
    Block *block = argument.getOwner();
    if (block->isEntryBlock())
      continue;
    for (auto it = block->pred_begin(); it != block->pred_end(); ++it) {
      auto branch = cast<BranchOpInterface>((*it)->getTerminator());
      SuccessorOperands operands =
          branch.getSuccessorOperands(it.getSuccessorIndex());
      if (Value passed = operands[argument.getArgNumber()])
        values.insert(passed);
    }
  }
  return found;
}

namespace {
class KernelLowering {
public:
  KernelLowering(LoweredKernel &kernel)
      : kernel(kernel), top(*kernel.module), builder(top.getContext()),
        location(top.getLoc()), layout(top) {}

  LogicalResult run() {
    if (failed(checkNames()) || failed(checkSizes()))
      return failure();
    declareMachine();
    layOutShared();
    SmallVector<LLVM::LLVMFuncOp> functions(top.getOps<LLVM::LLVMFuncOp>());
    for (LLVM::LLVMFuncOp function : functions)
      if (!function.isExternal() && failed(lowerFunction(function)))
        return failure();
    for (auto global : llvm::make_early_inc_range(top.getOps<LLVM::GlobalOp>()))
      if (global.getAddrSpace() == 3)
        global.erase();
    return success();
  }

private:
  static constexpr unsigned blockBytes = 4096;

  void declareMachine();
  void layOutShared();
  LogicalResult checkNames();
  LogicalResult checkSizes();
  LogicalResult lowerFunction(LLVM::LLVMFuncOp function);
  LogicalResult lowerOperation(Operation *op);
  LogicalResult lowerInstruction(Operation *op);
  LogicalResult lowerAssembly(LLVM::InlineAsmOp op);
  LogicalResult lowerCall(LLVM::CallOp op);
  /// Reports and ends the thread in front of the operation, the second only
  /// where the condition holds; the builder stays in front of the operation.
  LogicalResult stop(Operation *op, StopKind kind);
  LogicalResult stopIf(Operation *op, Value condition, StopKind kind);
  LogicalResult checkDivision(Operation *op);
  LogicalResult checkMove(Operation *op, Value target, Value source,
                          Value size);
  LogicalResult lowerAtomic(Operation *op, Value address, Type type, bool reads,
                            bool writes, LLVM::AtomicOrdering order,
                            std::optional<StringRef> scope);
  template <typename AccessOp>
  void checkAccess(AccessOp op, Type type, bool writes);
  void checkAccumulators(LLVM::LLVMFuncOp function);

  uint32_t addInstruction(Instruction inst) {
    return mlir::amp::addInstruction(kernel, std::move(inst), location);
  }
  Value constant(Type type, int64_t value) {
    return LLVM::ConstantOp::create(builder, location, type,
                                    builder.getIntegerAttr(type, value));
  }
  Value generic(Value pointer) {
    if (pointer.getType() == ptr)
      return pointer;
    return LLVM::AddrSpaceCastOp::create(builder, location, ptr, pointer);
  }
  Value at(Value base, unsigned offset) {
    return LLVM::GEPOp::create(builder, location, base.getType(), i8, base,
                               ArrayRef<LLVM::GEPArg>{int32_t(offset)});
  }
  /// Stores operands to the argument block and calls the machine.
  LogicalResult emitExecute(Operation *op, Instruction inst,
                            ValueRange operands);

  LoweredKernel &kernel;
  ModuleOp top;
  OpBuilder builder;
  Location location;
  DataLayout layout;
  Type i8 = builder.getI8Type(), i32 = builder.getI32Type(),
       i64 = builder.getI64Type();
  Type ptr = LLVM::LLVMPointerType::get(builder.getContext());
  Type ptr3 = LLVM::LLVMPointerType::get(builder.getContext(), 3);
  LLVM::LLVMFuncOp execute, specialRegister, clock, shared, sharedAddress,
      access, atomic, atomicDone;
  llvm::StringMap<unsigned> sharedOffsets;
  Value arguments, results; // of the current function
  llvm::DenseMap<Operation *, uint32_t> multiplies;
  /// Accumulator checks and the wgmmas they are about, until all are numbered.
  std::vector<std::pair<uint32_t, llvm::SetVector<Operation *>>> accumulators;
};
} // namespace

/// The machine's names are no kernel's, or it could be called behind its back.
LogicalResult KernelLowering::checkNames() {
  for (auto symbol : top.getOps<SymbolOpInterface>())
    if (symbol.getName().starts_with(kMachinePrefix))
      return symbol->emitError("expected no name that begins with '")
             << kMachinePrefix << "', as the emulator's own do, but got '"
             << symbol.getName() << "'";
  return success();
}

/// How many numbers a value is made of.
static uint64_t countElements(Type type) {
  if (auto array = dyn_cast<LLVM::LLVMArrayType>(type))
    return llvm::SaturatingMultiply(countElements(array.getElementType()),
                                    uint64_t(array.getNumElements()));
  if (auto vector = dyn_cast<VectorType>(type))
    return uint64_t(vector.getNumElements());
  uint64_t count = 1;
  if (auto structure = dyn_cast<LLVM::LLVMStructType>(type)) {
    count = 0;
    for (Type member : structure.getBody())
      count = llvm::SaturatingAdd(count, countElements(member));
  }
  return count;
}

/// Whether a global variable is another module's: any without a value is
/// zeros else.
static bool isDeclaration(LLVM::GlobalOp global) {
  return !global.getValueOrNull() && global.getInitializer().empty() &&
         (global.getLinkage() == LLVM::Linkage::External ||
          global.getLinkage() == LLVM::Linkage::ExternWeak);
}

/// Global variables have to lie where the host's code reaches them, and a value
/// is taken apart into its elements, for which LLVM takes more than linear
/// time.
LogicalResult KernelLowering::checkSizes() {
  constexpr uint64_t mostBytes = uint64_t(1) << 30, mostElements = 1024;
  uint64_t bytes = 0;
  for (auto global : top.getOps<LLVM::GlobalOp>()) {
    if (global.getAddrSpace() == 3)
      continue;
    if (isDeclaration(global))
      return global.emitError("the emulator has no model of global variables "
                              "of another module, such as '")
             << global.getSymName() << "'";
    uint64_t size = countBytes(global.getGlobalType(), layout);
    bytes = llvm::SaturatingAdd(bytes, size);
    if (bytes > mostBytes)
      return global.emitError("expected at most ")
             << mostBytes << " bytes of global variables, but '"
             << global.getSymName() << "' has " << size
             << "; pass large memory as an argument";
  }
  WalkResult walked = top.walk([&](Operation *op) {
    for (Type type : op->getResultTypes())
      if (uint64_t count = countElements(type); count > mostElements) {
        op->emitError("the emulator has no model of values of more than ")
            << mostElements << " elements, but this has " << count
            << "; move them one by one, or with 'llvm.intr.memcpy'";
        return WalkResult::interrupt();
      }
    return WalkResult::advance();
  });
  return failure(walked.wasInterrupted());
}

void KernelLowering::declareMachine() {
  builder.setInsertionPointToStart(top.getBody());
  Type none = LLVM::LLVMVoidType::get(builder.getContext());
  auto declare = [&](StringRef name, Type result, ArrayRef<Type> inputs) {
    return LLVM::LLVMFuncOp::create(
        builder, location, name, LLVM::LLVMFunctionType::get(result, inputs));
  };
  execute = declare("ampEmuExecute", none, {i64, ptr, ptr});
  specialRegister = declare("ampEmuSpecialRegister", i32, {i32});
  // What does not change is read once, however often a loop asks for it.
  SmallVector<LLVM::ModRefInfo, 6> untouched(6, LLVM::ModRefInfo::NoModRef);
  specialRegister.setMemoryEffectsAttr(
      builder.getAttr<LLVM::MemoryEffectsAttr>(ArrayRef(untouched)));
  specialRegister.setPassthroughAttr(builder.getStrArrayAttr({"speculatable"}));
  specialRegister.setWillReturn(true);
  specialRegister.setNoUnwind(true);
  clock = declare("ampEmuClock", i64, {});
  shared = declare("ampEmuShared", ptr3, {});
  sharedAddress = declare("ampEmuSharedAddress", ptr3, {i32});
  access = declare("ampEmuAccess", none, {ptr, i32, i64});
  atomic = declare("ampEmuAtomic", none, {ptr, i32, i64});
  atomicDone = declare("ampEmuAtomicDone", none, {ptr, i64});
}

void KernelLowering::layOutShared() {
  // Of more than a device has, the machine says so; sums must not wrap.
  constexpr uint64_t most = 1u << 31;
  uint64_t bytes = 0;
  for (bool dynamic : {false, true})
    for (auto global : top.getOps<LLVM::GlobalOp>()) {
      if (global.getAddrSpace() != 3)
        continue;
      Type type = global.getGlobalType();
      auto array = dyn_cast<LLVM::LLVMArrayType>(type);
      if ((array && array.getNumElements() == 0) != dynamic)
        continue;
      uint64_t alignment =
          global.getAlignment().value_or(layout.getTypeABIAlignment(type));
      bytes = llvm::alignTo(bytes, alignment);
      sharedOffsets[global.getSymName()] = bytes;
      if (dynamic)
        kernel.usesDynamicShared = true;
      else
        bytes = std::min(most,
                         llvm::SaturatingAdd(bytes, countBytes(type, layout)));
    }
  kernel.staticShared = unsigned(bytes);
  for (auto global : top.getOps<LLVM::GlobalOp>()) {
    if (global.getAddrSpace() == 3)
      continue;
    if (!global.getValueOrNull() && global.getInitializer().empty()) {
      // As device memory begins; external, it would be a declaration.
      builder.createBlock(&global.getInitializer());
      Type type = global.getGlobalType();
      LLVM::ReturnOp::create(
          builder, location,
          LLVM::ZeroOp::create(builder, location, type).getResult());
    }
    global.setLinkage(LLVM::Linkage::External); // so that the JIT finds it
    kernel.globals.push_back(
        {global.getSymName().str(),
         size_t(layout.getTypeSize(global.getGlobalType())),
         global.getConstant()});
  }
}

/// Puts a check in front of the first use of each wgmma result in each block.
/// Handing an accumulator on to the next wgmma is no use.
void KernelLowering::checkAccumulators(LLVM::LLVMFuncOp function) {
  SmallVector<LLVM::ExtractValueOp> uses;
  llvm::DenseSet<std::pair<Block *, Value>> seen;
  function.walk([&](LLVM::ExtractValueOp op) {
    bool handedOn = !op->use_empty() &&
                    llvm::all_of(op->getUsers(),
                                 [](Operation *user) { return isWgmma(user); });
    if (!handedOn && seen.insert({op->getBlock(), op.getContainer()}).second)
      uses.push_back(op);
  });
  for (LLVM::ExtractValueOp op : uses) {
    llvm::SetVector<Operation *> found = findMultiplies(op.getContainer());
    if (found.empty())
      continue;
    location = op.getLoc();
    builder.setInsertionPoint(op);
    Instruction inst;
    inst.opcode = Opcode::AccumulatorRead;
    uint32_t id = addInstruction(std::move(inst));
    LLVM::CallOp::create(builder, location, execute,
                         ValueRange{constant(i64, id), arguments, results});
    accumulators.push_back({id, std::move(found)});
  }
}

LogicalResult KernelLowering::lowerFunction(LLVM::LLVMFuncOp function) {
  for (NamedAttribute attribute :
       llvm::to_vector(function->getDiscardableAttrs()))
    function->removeDiscardableAttr(attribute.getName());
  for (unsigned i = 0; i < function.getNumArguments(); ++i)
    function.setArgAttrs(i, ArrayRef<NamedAttribute>{});
  countLoopRounds(function, kernel);
  lowerLocalMemory(function, kernel);
  SmallVector<Operation *> operations;
  function.getBody().walk([&](Operation *op) { operations.push_back(op); });

  location = function.getLoc();
  builder.setInsertionPointToStart(&function.getBody().front());
  Value size = constant(i32, blockBytes);
  arguments = LLVM::AllocaOp::create(builder, location, ptr, i8, size, 16);
  results = LLVM::AllocaOp::create(builder, location, ptr, i8, size, 16);

  if (function.getName() != kernel.name) { // which may call itself
    Instruction frame;
    frame.opcode = Opcode::LocalVariable;
    Value none = LLVM::ZeroOp::create(builder, location, ptr);
    Value id = constant(i64, addInstruction(std::move(frame)));
    LLVM::CallOp::create(builder, location, execute,
                         ValueRange{id, none, none});
  }

  multiplies.clear();
  accumulators.clear();
  checkAccumulators(function);
  for (Operation *op : operations) {
    location = op->getLoc();
    builder.setInsertionPoint(op);
    if (failed(lowerOperation(op)))
      return failure();
  }
  for (auto &[id, found] : accumulators)
    for (Operation *op : found)
      kernel.instructions[id].sources.push_back(multiplies.lookup(op));
  return success();
}

static bool isSharedPointer(Value pointer) {
  unsigned space =
      cast<LLVM::LLVMPointerType>(pointer.getType()).getAddressSpace();
  return space == 3 || space == 7;
}

template <typename AccessOp>
void KernelLowering::checkAccess(AccessOp op, Type type, bool writes) {
  Instruction inst;
  inst.opcode = Opcode::Access;
  inst.writes = writes;
  inst.bytes = getAccessBytes(type, layout);
  inst.alignment = getAccessAlignment(type, op.getAlignment(), layout);
  inst.isShared = isSharedPointer(op.getAddr());
  op.setAlignment(inst.alignment); // the host's vectors are no stricter
  LLVM::CallOp::create(
      builder, location, access,
      ValueRange{generic(op.getAddr()), constant(i32, inst.bytes),
                 constant(i64, addInstruction(std::move(inst)))});
}

/// Order and scope of an atomic or a fence, as the NVPTX target names them.
static LogicalResult setOrder(Operation *op, Instruction &inst,
                              LLVM::AtomicOrdering order,
                              std::optional<StringRef> scope) {
  bool both = order == LLVM::AtomicOrdering::acq_rel ||
              order == LLVM::AtomicOrdering::seq_cst;
  if (both || order == LLVM::AtomicOrdering::acquire)
    inst.order |= ::amp::emu::Acquire;
  if (both || order == LLVM::AtomicOrdering::release)
    inst.order |= ::amp::emu::Release;
  if (order == LLVM::AtomicOrdering::seq_cst)
    inst.order |= ::amp::emu::Total;
  auto known = llvm::StringSwitch<std::optional<Scope>>(scope.value_or(""))
                   .Cases({"", "device"}, Scope::Device) // "": the whole system
                   .Case("cluster", Scope::Cluster)
                   .Case("block", Scope::Block)
                   .Default(std::nullopt);
  if (!known)
    return op->emitError("the emulator has no model of synchronization scope '")
           << *scope << "'";
  inst.scope = *known;
  return success();
}

LogicalResult KernelLowering::lowerAtomic(Operation *op, Value address,
                                          Type type, bool reads, bool writes,
                                          LLVM::AtomicOrdering order,
                                          std::optional<StringRef> scope) {
  Instruction inst;
  inst.opcode = Opcode::Atomic;
  inst.writes = writes;
  inst.number = reads && writes;
  auto rmw = dyn_cast<LLVM::AtomicRMWOp>(op);
  bool replaces = rmw && rmw.getBinOp() == LLVM::AtomicBinOp::xchg;
  inst.needsOld = reads && writes && !(replaces && op->use_empty());
  inst.bytes = getAccessBytes(type, layout);
  inst.alignment = getAccessAlignment(type, std::nullopt, layout);
  inst.isShared = isSharedPointer(address);
  inst.isVolatile = isa<LLVM::LoadOp, LLVM::StoreOp>(op) &&
                    order == LLVM::AtomicOrdering::not_atomic;
  if (failed(setOrder(op, inst, order, scope)))
    return failure();
  Value pointer = generic(address), size = constant(i32, inst.bytes);
  Value id = constant(i64, addInstruction(std::move(inst)));
  LLVM::CallOp::create(builder, location, atomic,
                       ValueRange{pointer, size, id});
  builder.setInsertionPointAfter(op);
  LLVM::CallOp::create(builder, location, atomicDone, ValueRange{pointer, id});
  return success();
}

/// Operations that tell a compiler or a debugger something and do nothing.
static bool isHint(Operation *op) {
  return isa<LLVM::Prefetch, LLVM::DbgDeclareOp, LLVM::DbgValueOp,
             LLVM::DbgLabelOp, LLVM::NoAliasScopeDeclOp, LLVM::InvariantStartOp,
             LLVM::InvariantEndOp>(op);
}

LogicalResult KernelLowering::lowerOperation(Operation *op) {
  auto unknown = [&](const Twine &what) {
    return op->emitError() << "the emulator has no model of " << what;
  };
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](LLVM::AddressOfOp addressOf) {
        auto it = sharedOffsets.find(addressOf.getGlobalName());
        if (it == sharedOffsets.end())
          return success();
        Value base =
            LLVM::CallOp::create(builder, location, shared, ValueRange{})
                .getResult();
        addressOf.replaceAllUsesWith(at(base, it->second));
        addressOf.erase();
        return success();
      })
      .Case([&](LLVM::IntToPtrOp cast) {
        // A shared address is 32 bits wide on the device.
        auto type = dyn_cast<LLVM::LLVMPointerType>(cast.getType());
        Value number = cast.getArg();
        if (!type || type.getAddressSpace() != 3 || number.getType() != i32)
          return success();
        cast.replaceAllUsesWith(LLVM::CallOp::create(builder, location,
                                                     sharedAddress,
                                                     ValueRange{number})
                                    .getResult());
        cast.erase();
        return success();
      })
      .Case([&](LLVM::LoadOp load) {
        if (load.getVolatile_() ||
            load.getOrdering() != LLVM::AtomicOrdering::not_atomic)
          return lowerAtomic(op, load.getAddr(), load.getType(), true, false,
                             load.getOrdering(), load.getSyncscope());
        checkAccess(load, load.getType(), false);
        return success();
      })
      .Case([&](LLVM::StoreOp store) {
        Type type = store.getValue().getType();
        if (store.getVolatile_() ||
            store.getOrdering() != LLVM::AtomicOrdering::not_atomic)
          return lowerAtomic(op, store.getAddr(), type, false, true,
                             store.getOrdering(), store.getSyncscope());
        checkAccess(store, type, true);
        return success();
      })
      .Case([&](LLVM::AtomicRMWOp rmw) {
        LogicalResult result =
            lowerAtomic(op, rmw.getPtr(), rmw.getVal().getType(), true, true,
                        rmw.getOrdering(), rmw.getSyncscope());
        rmw.setSyncscope(std::nullopt);
        return result;
      })
      .Case([&](LLVM::AtomicCmpXchgOp exchange) {
        LogicalResult result = lowerAtomic(
            op, exchange.getPtr(), exchange.getVal().getType(), true, true,
            exchange.getSuccessOrdering(), exchange.getSyncscope());
        exchange.setSyncscope(std::nullopt);
        return result;
      })
      .Case([&](LLVM::FenceOp fence) {
        Instruction inst;
        inst.opcode = Opcode::Fence;
        if (failed(
                setOrder(op, inst, fence.getOrdering(), fence.getSyncscope())))
          return failure();
        LogicalResult result = emitExecute(op, std::move(inst), {});
        fence.erase();
        return result;
      })
      .Case<LLVM::Trap, LLVM::DebugTrap, LLVM::UBSanTrap>([&](Operation *trap) {
        LogicalResult result = stop(op, StopKind::Trap);
        trap->erase();
        return result;
      })
      .Case(
          [&](LLVM::UnreachableOp) { return stop(op, StopKind::Unreachable); })
      .Case([&](LLVM::AssumeOp assume) {
        Value isFalse = LLVM::XOrOp::create(builder, location, assume.getCond(),
                                            constant(builder.getI1Type(), 1));
        LogicalResult result = stopIf(op, isFalse, StopKind::FalseAssumption);
        assume.erase();
        return result;
      })
      .Case<LLVM::UDivOp, LLVM::URemOp, LLVM::SDivOp, LLVM::SRemOp>(
          [&](Operation *division) { return checkDivision(division); })
      .Case([&](LLVM::InlineAsmOp assembly) { return lowerAssembly(assembly); })
      .Case([&](LLVM::CallOp call) { return lowerCall(call); })
      .Case([&](LLVM::MemcpyOp move) {
        return checkMove(op, move.getDst(), move.getSrc(), move.getLen());
      })
      .Case([&](LLVM::MemcpyInlineOp move) {
        return checkMove(op, move.getDst(), move.getSrc(),
                         constant(i64, move.getLen().getZExtValue()));
      })
      .Case([&](LLVM::MemmoveOp move) {
        return checkMove(op, move.getDst(), move.getSrc(), move.getLen());
      })
      .Case([&](LLVM::MemsetOp set) {
        return checkMove(op, set.getDst(), Value(), set.getLen());
      })
      .Case([&](LLVM::CallIntrinsicOp call) -> LogicalResult {
        if (call.getIntrin() != "llvm.nvvm.div.full")
          return unknown("operation '" + op->getName().getStringRef() + "'");
        // Within 2 units in the last place there, rounded right here.
        OpBuilder b(op);
        op->replaceAllUsesWith(LLVM::FDivOp::create(
            b, op->getLoc(), call.getArgs()[0], call.getArgs()[1]));
        op->erase();
        return success();
      })
      .Default([&](Operation *op) -> LogicalResult {
        StringRef name = op->getName().getStringRef();
        if (name.starts_with("nvvm."))
          return lowerInstruction(op);
        if (!isa<LLVM::LLVMDialect>(op->getDialect()))
          return unknown("operation '" + name +
                         "'; lower the kernel to the llvm and nvvm dialects");
        // What touches memory must not do so behind the machine's back.
        if (!isMemoryEffectFree(op) && !isHint(op))
          return unknown("operation '" + name + "'");
        // Of lanes that a mask switches off nothing is known: a division by
        // theirs would be the host's.
        if (name.starts_with("llvm.intr.vp."))
          return unknown("operation '" + name + "'");
        return success();
      });
}

LogicalResult KernelLowering::stop(Operation *op, StopKind kind) {
  Instruction inst;
  inst.opcode = Opcode::Trap;
  inst.kind = uint8_t(kind);
  return emitExecute(op, std::move(inst), {});
}

LogicalResult KernelLowering::stopIf(Operation *op, Value condition,
                                     StopKind kind) {
  Block *before = op->getBlock();
  Block *after = before->splitBlock(op);
  Block *stopped = builder.createBlock(after);
  LogicalResult result = stop(op, kind);
  LLVM::UnreachableOp::create(builder, location);
  builder.setInsertionPointToEnd(before);
  LLVM::CondBrOp::create(builder, location, condition, stopped, after);
  builder.setInsertionPoint(op);
  return result;
}

/// Where a quotient does not exist, the host's processor raises a signal.
LogicalResult KernelLowering::checkDivision(Operation *op) {
  Value dividend = op->getOperand(0), divisor = op->getOperand(1);
  Type type = divisor.getType();
  bool isSigned = isa<LLVM::SDivOp, LLVM::SRemOp>(op);
  APInt known;
  bool isKnown = matchPattern(divisor, m_ConstantInt(&known));
  if (isKnown && !known.isZero() && !(isSigned && known.isAllOnes()))
    return success();
  auto number = [&](const APInt &value) -> Value {
    Attribute attribute =
        builder.getIntegerAttr(getElementTypeOrSelf(type), value);
    if (auto vector = dyn_cast<ShapedType>(type))
      attribute = DenseElementsAttr::get(vector, attribute);
    return LLVM::ConstantOp::create(builder, location, type,
                                    cast<TypedAttr>(attribute));
  };
  auto equals = [&](Value value, const APInt &to) -> Value {
    return LLVM::ICmpOp::create(builder, location, LLVM::ICmpPredicate::eq,
                                value, number(to));
  };
  auto inAnyLane = [&](Value lanes) -> Value {
    if (!isa<VectorType>(lanes.getType()))
      return lanes;
    return LLVM::vector_reduce_or::create(builder, location,
                                          builder.getI1Type(), lanes);
  };
  unsigned bits = getElementTypeOrSelf(type).getIntOrFloatBitWidth();
  if (failed(stopIf(op, inAnyLane(equals(divisor, APInt::getZero(bits))),
                    StopKind::DivisionByZero)))
    return failure();
  if (!isSigned)
    return success();
  Value overflows = LLVM::AndOp::create(
      builder, location, equals(dividend, APInt::getSignedMinValue(bits)),
      equals(divisor, APInt::getAllOnes(bits)));
  return stopIf(op, inAnyLane(overflows), StopKind::DivisionOverflow);
}

/// The move itself is the host's; its ranges are checked before.
LogicalResult KernelLowering::checkMove(Operation *op, Value target,
                                        Value source, Value size) {
  Instruction inst;
  inst.opcode = Opcode::MoveMemory;
  inst.readOnly = isa<LLVM::MemmoveOp>(op); // places may overlap
  if (size.getType() != i64)
    size = LLVM::ZExtOp::create(builder, location, i64, size);
  SmallVector<Value> operands = {generic(target), size};
  if (source)
    operands.push_back(generic(source));
  inst.number = operands.size();
  return emitExecute(op, std::move(inst), operands);
}

LogicalResult KernelLowering::lowerCall(LLVM::CallOp call) {
  std::optional<StringRef> callee = call.getCallee();
  if (!callee)
    return call.emitError("the emulator has no model of indirect calls");
  auto function = top.lookupSymbol<LLVM::LLVMFuncOp>(*callee);
  if (function && !function.isExternal())
    return success();
  if (callee->starts_with(kMachinePrefix)) // of the rewrites before
    return success();
  if (!hasDeviceFunction(*callee))
    return call.emitError("the emulator has no model of function '")
           << *callee << "'";
  Instruction inst; // for the place of what the function reports
  inst.opcode = Opcode::Nothing;
  return emitExecute(call, std::move(inst), {});
}

LogicalResult KernelLowering::emitExecute(Operation *op, Instruction inst,
                                          ValueRange operands) {
  if (inst.offsets.empty()) {
    unsigned offset = 0;
    for (Value operand : operands) {
      uint64_t size = layout.getTypeSize(operand.getType());
      offset = llvm::alignTo(offset, size > 4 ? 8 : 4);
      inst.offsets.push_back(offset);
      LLVM::StoreOp::create(builder, location, operand, at(arguments, offset));
      offset += size;
    }
    assert(offset <= blockBytes && "no instruction takes as much");
  }
  uint32_t id = addInstruction(std::move(inst));
  multiplies[op] = id;
  LLVM::CallOp::create(builder, location, execute,
                       ValueRange{constant(i64, id), arguments, results});
  return success();
}

LogicalResult KernelLowering::lowerInstruction(Operation *op) {
  StringRef name = op->getName().stripDialect();
  if (name.consume_front("read.ptx.sreg.")) {
    if (isClock(name)) {
      Value value = LLVM::CallOp::create(builder, location, clock, ValueRange{})
                        .getResult();
      if (Type type = op->getResult(0).getType(); type != i64)
        value = LLVM::TruncOp::create(builder, location, type, value);
      op->replaceAllUsesWith(ValueRange{value});
      op->erase();
      return success();
    }
    int which = getSpecialRegister(name);
    if (which < 0)
      return op->emitError("the emulator has no model of special register '")
             << name << "'";
    Value value = LLVM::CallOp::create(builder, location, specialRegister,
                                       ValueRange{constant(i32, which)})
                      .getResult();
    op->replaceAllUsesWith(ValueRange{value});
    op->erase();
    return success();
  }
  if (name == "rcp.approx.ftz.f") {
    Value one = LLVM::ConstantOp::create(
        builder, location, builder.getF32Type(), builder.getF32FloatAttr(1));
    op->replaceAllUsesWith(
        LLVM::FDivOp::create(builder, location, one, op->getOperand(0)));
    op->erase();
    return success();
  }
  Instruction inst;
  if (std::string unknown = describeNVVM(op, inst); !unknown.empty())
    return op->emitError("the emulator has no model of ") << unknown;
  if (failed(emitExecute(op, std::move(inst), op->getOperands())))
    return failure();
  if (op->getNumResults())
    op->getResult(0).replaceAllUsesWith(LLVM::LoadOp::create(
        builder, location, op->getResult(0).getType(), results));
  op->erase();
  return success();
}

LogicalResult KernelLowering::lowerAssembly(LLVM::InlineAsmOp op) {
  unsigned outputs = 0;
  if (op.getNumResults()) {
    auto type = dyn_cast<LLVM::LLVMStructType>(op.getResult(0).getType());
    outputs = type ? type.getBody().size() : 1;
  }
  AssemblyInstruction assembly;
  std::string unknown = describeInlineAssembly(
      op.getAsmString(), op.getConstraints(), outputs, assembly);
  for (ArrayRef<unsigned> inputs : assembly.operands)
    for (unsigned input : inputs)
      if (unknown.empty() && input >= op.getNumOperands())
        unknown = "inline PTX with more operands than it is given";
  if (!unknown.empty())
    return op.emitError("the emulator has no model of ") << unknown;
  Instruction inst = std::move(assembly.inst);
  unsigned offset = 0;
  for (ArrayRef<unsigned> inputs : assembly.operands) {
    offset = llvm::alignTo(offset, 8);
    inst.offsets.push_back(offset);
    for (unsigned input : inputs) {
      Value value = op.getOperand(input);
      LLVM::StoreOp::create(builder, location, value, at(arguments, offset));
      offset += layout.getTypeSize(value.getType());
    }
  }
  if (failed(emitExecute(op, std::move(inst), {})))
    return failure();
  op.getResult(0).replaceAllUsesWith(LLVM::LoadOp::create(
      builder, location, op.getResult(0).getType(), results));
  op.erase();
  return success();
}

//===----------------------------------------------------------------------===//
// Finding the kernel
//===----------------------------------------------------------------------===//

static SmallVector<LLVM::LLVMFuncOp> findKernels(ModuleOp module) {
  SmallVector<LLVM::LLVMFuncOp> kernels;
  module.walk([&](LLVM::LLVMFuncOp function) {
    if (isKernel(function))
      kernels.push_back(function);
  });
  return kernels;
}

std::vector<std::string> mlir::amp::getKernelNames(ModuleOp module) {
  std::vector<std::string> names;
  for (LLVM::LLVMFuncOp function : findKernels(module))
    names.push_back(function.getName().str());
  return names;
}

static FailureOr<LLVM::LLVMFuncOp> findKernel(ModuleOp module, StringRef name) {
  SmallVector<LLVM::LLVMFuncOp> kernels = findKernels(module);
  std::string known;
  for (LLVM::LLVMFuncOp function : kernels)
    known += (known.empty() ? "'" : ", '") + function.getName().str() + "'";
  if (kernels.empty()) {
    InFlightDiagnostic diagnostic =
        module.emitError("expected a kernel in the NVVM dialect: an llvm.func "
                         "with the attribute 'nvvm.kernel' in a gpu.module");
    module.walk([&](gpu::GPUFuncOp function) {
      diagnostic.attachNote(function.getLoc())
          << "this is a gpu.func; lower it with 'convert-gpu-to-nvvm' first";
      return WalkResult::interrupt();
    });
    return diagnostic;
  }
  if (name.empty()) {
    if (kernels.size() > 1)
      return module.emitError("expected '--kernel' to name one of ") << known;
    return kernels.front();
  }
  for (LLVM::LLVMFuncOp function : kernels)
    if (function.getName() == name)
      return function;
  return module.emitError("found no kernel '")
         << name << "'; the module has " << known;
}

/// Copies the kernel and all that it refers to into a module of its own.
static OwningOpRef<ModuleOp> isolate(LLVM::LLVMFuncOp kernel) {
  OwningOpRef<ModuleOp> module = ModuleOp::create(kernel.getLoc());
  Operation *table = SymbolTable::getNearestSymbolTable(kernel->getParentOp());
  llvm::SetVector<Operation *> needed;
  needed.insert(kernel);
  for (size_t i = 0; i < needed.size(); ++i)
    needed[i]->walk([&](Operation *op) {
      for (NamedAttribute attribute : op->getAttrs())
        attribute.getValue().walk([&](FlatSymbolRefAttr symbol) {
          if (Operation *target = SymbolTable::lookupSymbolIn(table, symbol))
            needed.insert(target);
        });
    });
  OpBuilder builder = OpBuilder::atBlockEnd(module->getBody());
  // In the order of the module, which decides where shared variables lie.
  for (Operation &op : table->getRegion(0).front())
    if (needed.contains(&op))
      builder.clone(op);
  return module;
}

/// Types lie as on the device, where integers are aligned to their size.
static void setDataLayout(ModuleOp module) {
  Builder builder(module.getContext());
  module.getContext()->getOrLoadDialect<DLTIDialect>();
  SmallVector<DataLayoutEntryInterface> entries;
  for (int bits : {8, 16, 32, 64})
    entries.push_back(DataLayoutEntryAttr::get(
        builder.getIntegerType(bits), builder.getI64VectorAttr({bits, bits})));
  module->setAttr(DLTIDialect::kDataLayoutAttrName,
                  DataLayoutSpecAttr::get(module.getContext(), entries));
}

static std::optional<Dim3> getDim3(LLVM::LLVMFuncOp function, StringRef name) {
  auto array = function->getAttrOfType<DenseI32ArrayAttr>(name);
  if (!array)
    return std::nullopt;
  ArrayRef<int32_t> sizes = array.asArrayRef();
  Dim3 dim;
  dim.x = !sizes.empty() ? sizes[0] : 1;
  dim.y = sizes.size() > 1 ? sizes[1] : 1;
  dim.z = sizes.size() > 2 ? sizes[2] : 1;
  return dim;
}

static KernelParameter describeParameter(LLVM::LLVMFuncOp function,
                                         unsigned index) {
  KernelParameter parameter;
  Type type = function.getArgument(index).getType();
  llvm::raw_string_ostream(parameter.type) << type;
  if (isa<LLVM::LLVMPointerType>(type)) {
    bool byValue = function.getArgAttr(index, "llvm.byval") ||
                   function.getArgAttr(index, "nvvm.grid_constant");
    parameter.kind =
        byValue ? KernelParameter::ByValue : KernelParameter::Pointer;
  } else {
    parameter.kind = isa<FloatType>(type) ? KernelParameter::Float
                                          : KernelParameter::Integer;
    parameter.bits = type.isIntOrFloat() ? type.getIntOrFloatBitWidth() : 0;
  }
  return parameter;
}

/// See LoweredKernel::registers. The compiler has 65536 for a multiprocessor,
/// and gives them out in eights; a thread that could have 256 or more has what
/// it needs, which is not known.
static unsigned countRegisters(LLVM::LLVMFuncOp function,
                               const std::optional<Dim3> &block) {
  if (auto given = function->getAttrOfType<IntegerAttr>("nvvm.maxnreg"))
    return given.getInt();
  bool changes = false;
  function.walk([&](Operation *op) {
    changes |= op->getName().getStringRef() == "nvvm.setmaxregister";
  });
  if (!changes || !block || block->count() == 0)
    return 0;
  unsigned blocks = 1;
  if (auto given = function->getAttrOfType<IntegerAttr>("nvvm.minctasm"))
    blocks = std::max<unsigned>(1, given.getInt());
  unsigned each = 65536 / (block->count() * blocks) / 8 * 8;
  return each < 256 ? each : 0;
}

FailureOr<LoweredKernel> mlir::amp::lowerKernel(ModuleOp module,
                                                StringRef name) {
  FailureOr<LLVM::LLVMFuncOp> function = findKernel(module, name);
  if (failed(function))
    return failure();
  LoweredKernel kernel;
  kernel.name = function->getName().str();
  kernel.block = getDim3(*function, "nvvm.reqntid");
  if (!kernel.block) // what upstream's outlining knows of a launch
    kernel.block = getDim3(*function, "gpu.known_block_size");
  if (!kernel.block && (kernel.block = getDim3(*function, "nvvm.maxntid")))
    kernel.blockIsMaximum = true;
  kernel.registers = countRegisters(*function, kernel.block);
  kernel.cluster = getDim3(*function, "nvvm.cluster_dim");
  kernel.grid = getDim3(*function, "gpu.known_grid_size");
  for (unsigned i = 0; i < function->getNumArguments(); ++i) {
    KernelParameter parameter = describeParameter(*function, i);
    if (parameter.bits == 0 || parameter.bits > 64)
      return function->emitError("expected parameters that are pointers, "
                                 "integers or floats, but got ")
             << parameter.type;
    kernel.parameters.push_back(std::move(parameter));
  }
  kernel.module = isolate(*function);
  setDataLayout(*kernel.module);
  if (failed(KernelLowering(kernel).run()))
    return failure();
  // The host's own is not the same.
  (*kernel.module)->removeAttr(DLTIDialect::kDataLayoutAttrName);
  return kernel;
}
