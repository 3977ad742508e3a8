//===- ReturnStatus.cpp - Programs that can be left -----------------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each function that calls the runtime, and each that calls such a function,
// takes the handle of the run as its first argument and returns a status as its
// last result:
//
//   llvm.func @f(%x)                      llvm.func @f(%run: i64, %x) -> i32
//     %p = call @..._alloc(%n)              %p = call @ampRtRunAllocate(%run,
//     %n)
//                                      ->   cond_br %p == 0, ^leave(5), ^bb1
//     call @g(%p)                         ^bb1: %s = call @g(%run, %p)
//                                           cond_br %s != 0, ^leave(%s), ^bb2
//     return                              ^bb2: return 0
//                                         ^leave(%status): return %status
//
// so a failed assertion in a loop of a kernel goes up to the entry point, one
// comparison for each call on the way, and the same in a shared object as under
// a JIT. What was allocated on the way needs no branches of its own: the run
// frees it. docs/Rationale/Runs.md has the alternatives.
//
// In the entry point, the C interface, the call begins and ends:
//
//   %refused = call @ampRtRunBegin(%run)     return it, unless it is 0
//   call @f(%run, ...)                       whose status the run knows too
//   return (call @ampRtRunEnd(%run))
//
// Functions behind an entry point take every field of every descriptor, more
// than a thousand for a step; once nobody else can call them, they are inlined
// there and only the addresses are left.
//
// A function that the runtime calls for a part of a loop has both in any case.
//
// Stands behind everything that creates calls, as names and signatures change.
//
//===----------------------------------------------------------------------===//

#include "EntryPoints.h"

#include "amp/Program/ParallelCalls.h"
#include "amp/Program/Passes.h"
#include "mlir/Dialect/LLVMIR/FunctionCallUtils.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/SetVector.h"

#define DEBUG_TYPE "amp-return-status"

namespace mlir::amp {
#define GEN_PASS_DEF_RETURNSTATUSPASS
#include "amp/Program/Passes.h.inc"
} // namespace mlir::amp

using namespace mlir;
using namespace mlir::amp;

namespace {
/// When a program leaves after a call of the runtime.
enum class Leave { Never, Always, OnNull, OnStatus };

/// A call as conversions write it, and the program entry point of amp-rt/Run.h
/// that it becomes.
struct RuntimeCall {
  StringLiteral name, entryPoint;
  Leave leave;
};
} // namespace

static constexpr RuntimeCall kRuntimeCalls[] = {
    {"ampRtReportAssert", "ampRtRunReportAssert", Leave::Always},
    {"_mlir_memref_to_llvm_alloc", "ampRtRunAllocate", Leave::OnNull},
    {"_mlir_memref_to_llvm_aligned_alloc", "ampRtRunAllocateAligned",
     Leave::OnNull},
    {"_mlir_memref_to_llvm_free", "ampRtRunFree", Leave::Never},
    {"ampRtScalerScale", "ampRtRunScale", Leave::Never},
    {"ampRtScalerUpdateFromProgram", "ampRtRunUpdateScale", Leave::Never},
    {"ampRtTap", "ampRtRunTap", Leave::Never},
    {"ampRtBlasSgemm", "ampRtRunSgemm", Leave::Never},
    {"ampRtBlasSbgemm", "ampRtRunSbgemm", Leave::Never},
    {"ampRtParallel", "ampRtRunParallel", Leave::OnStatus},
    {"ampRtLaunch", "ampRtRunLaunch", Leave::OnStatus},
    {"ampRtCopy", "ampRtRunCopy", Leave::OnStatus},
    {"ampRtRead", "ampRtRunRead", Leave::OnStatus},
    {"ampRtWrite", "ampRtRunWrite", Leave::OnStatus},
    {"ampRtConstant", "ampRtRunConstant", Leave::OnNull},
    {"ampRtReportViolation", "ampRtRunReportViolation", Leave::OnStatus},
    {"ampRtReadScaler", "ampRtRunReadScaler", Leave::OnStatus},
    {"ampRtWriteScaler", "ampRtRunWriteScaler", Leave::OnStatus},
    {"ampRtKernelBegin", "ampRtRunKernelBegin", Leave::Never},
    {"ampRtKernelEnd", "ampRtRunKernelEnd", Leave::Never},
};

/// Where a function that has a result of its own returns what.
static constexpr int64_t kValue[] = {0}, kStatus[] = {1};

/// AmpRtStatus of amp-rt/Status.h.
static constexpr int32_t kOutOfMemory = 5, kProgramError = 6;

static const RuntimeCall *findRuntimeCall(StringRef name) {
  for (const RuntimeCall &call : kRuntimeCalls)
    if (call.name == name)
      return &call;
  return nullptr;
}

static StringRef getCallee(LLVM::CallOp call) {
  std::optional<StringRef> callee = call.getCallee();
  return callee ? *callee : StringRef();
}

namespace {
/// Rewrites one function.
class Rewriter {
public:
  Rewriter(ModuleOp module, const llvm::SetVector<Operation *> &functions)
      : module(module), functions(functions), builder(module.getContext()) {}

  void rewriteFunction(LLVM::LLVMFuncOp function);
  void rewriteEntryPoint(LLVM::LLVMFuncOp interface, LLVM::LLVMFuncOp behind);

private:
  void addRun(LLVM::LLVMFuncOp function, Type result);
  Value rewriteCall(LLVM::CallOp call, Value run);
  LLVM::CallOp callRuntime(Location loc, StringRef name, TypeRange results,
                           ValueRange arguments);
  void leaveIf(Value condition, Value status);
  void leave(Value status);
  Value getInt(Location loc, Type type, int64_t value) {
    return LLVM::ConstantOp::create(builder, loc, type,
                                    builder.getIntegerAttr(type, value));
  }
  Value getStatus(Location loc, int32_t value) {
    return getInt(loc, builder.getI32Type(), value);
  }

  ModuleOp module;
  /// Those that take a run and return a status.
  const llvm::SetVector<Operation *> &functions;
  OpBuilder builder;
  /// Where the function at hand returns from early, with the status.
  Block *exit = nullptr;
};
} // namespace

LLVM::CallOp Rewriter::callRuntime(Location loc, StringRef name,
                                   TypeRange results, ValueRange arguments) {
  Type result = results.empty() ? LLVM::LLVMVoidType::get(module.getContext())
                                : results.front();
  (void)LLVM::lookupOrCreateFn(builder, module, name,
                               llvm::to_vector(arguments.getTypes()), result);
  return LLVM::CallOp::create(builder, loc, results, name, arguments);
}

/// The block of the insertion point ends here if `condition` holds.
void Rewriter::leaveIf(Value condition, Value status) {
  Block *block = builder.getInsertionBlock();
  Block *rest = block->splitBlock(builder.getInsertionPoint());
  builder.setInsertionPointToEnd(block);
  LLVM::CondBrOp::create(builder, status.getLoc(), condition, exit,
                         ValueRange(status), rest, ValueRange(),
                         std::pair(1u, 1000000u));
  builder.setInsertionPointToStart(rest);
}

/// The block of the insertion point ends here. What stood behind it is not
/// erased yet: it may define what other blocks, as unreachable, use.
void Rewriter::leave(Value status) {
  Block *block = builder.getInsertionBlock();
  block->splitBlock(builder.getInsertionPoint());
  builder.setInsertionPointToEnd(block);
  LLVM::BrOp::create(builder, status.getLoc(), ValueRange(status), exit);
}

/// Replaces `call` if it needs the run. The status of the call, or null if it
/// gives none.
Value Rewriter::rewriteCall(LLVM::CallOp call, Value run) {
  Location loc = call.getLoc();
  builder.setInsertionPoint(call);
  SmallVector<Value> arguments = {run};
  llvm::append_range(arguments, call.getArgOperands());
  if (const RuntimeCall *runtime = findRuntimeCall(getCallee(call))) {
    const bool hasStatus = runtime->leave == Leave::OnStatus;
    SmallVector<Type> results(call.getResultTypes());
    if (hasStatus)
      results.push_back(builder.getI32Type());
    LLVM::CallOp made =
        callRuntime(loc, runtime->entryPoint, results, arguments);
    if (!hasStatus)
      call.replaceAllUsesWith(made.getResults());
    call.erase();
    if (hasStatus)
      return made.getResult();
    builder.setInsertionPointAfter(made);
    if (runtime->leave == Leave::Always) {
      leave(getStatus(loc, kProgramError));
    } else if (runtime->leave == Leave::OnNull) {
      Value null =
          LLVM::ZeroOp::create(builder, loc, made.getResult().getType());
      Value isNull = LLVM::ICmpOp::create(builder, loc, LLVM::ICmpPredicate::eq,
                                          made.getResult(), null);
      leaveIf(isNull, getStatus(loc, kOutOfMemory));
    }
    return nullptr;
  }
  auto callee = module.lookupSymbol<LLVM::LLVMFuncOp>(getCallee(call));
  if (!callee || !functions.contains(callee))
    return nullptr;
  Type status = builder.getI32Type();
  Type result = status;
  if (call.getNumResults())
    result = LLVM::LLVMStructType::getLiteral(
        builder.getContext(), {call.getResult().getType(), status});
  auto made = LLVM::CallOp::create(builder, loc, TypeRange(result),
                                   getCallee(call), arguments);
  Value returned = made.getResult();
  if (call.getNumResults()) {
    Value value = LLVM::ExtractValueOp::create(builder, loc, returned, kValue);
    call.getResult().replaceAllUsesWith(value);
    returned = LLVM::ExtractValueOp::create(builder, loc, returned, kStatus);
  }
  call.erase();
  return returned;
}

/// A first argument more, and another result.
void Rewriter::addRun(LLVM::LLVMFuncOp function, Type result) {
  LLVM::LLVMFunctionType type = function.getFunctionType();
  SmallVector<Type> arguments = {builder.getI64Type()};
  llvm::append_range(arguments, type.getParams());
  function.setFunctionType(
      LLVM::LLVMFunctionType::get(result, arguments, type.isVarArg()));
  function.getBody().insertArgument(0u, builder.getI64Type(),
                                    function.getLoc());
  if (ArrayAttr attrs = function.getArgAttrsAttr()) {
    SmallVector<Attribute> shifted = {builder.getDictionaryAttr({})};
    llvm::append_range(shifted, attrs);
    function.setArgAttrsAttr(builder.getArrayAttr(shifted));
  }
  function.removeResAttrsAttr();
}

void Rewriter::rewriteFunction(LLVM::LLVMFuncOp function) {
  Location loc = function.getLoc();
  Type status = builder.getI32Type();
  Type value = function.getFunctionType().getReturnType();
  bool isVoid = isa<LLVM::LLVMVoidType>(value);
  Type result = isVoid ? status
                       : Type(LLVM::LLVMStructType::getLiteral(
                             builder.getContext(), {value, status}));
  addRun(function, result);
  Value run = function.getArgument(0);

  SmallVector<LLVM::CallOp> calls;
  function.walk([&](LLVM::CallOp call) { calls.push_back(call); });
  function.walk([&](LLVM::ReturnOp op) {
    builder.setInsertionPoint(op);
    Value returned = getStatus(loc, 0);
    if (!isVoid) {
      Value pair = LLVM::UndefOp::create(builder, loc, result);
      pair =
          LLVM::InsertValueOp::create(builder, loc, pair, op.getArg(), kValue);
      returned =
          LLVM::InsertValueOp::create(builder, loc, pair, returned, kStatus);
    }
    LLVM::ReturnOp::create(builder, op.getLoc(), returned);
    op.erase();
  });

  exit = new Block();
  function.getBody().push_back(exit);
  Value returned = exit->addArgument(status, loc);
  builder.setInsertionPointToStart(exit);
  if (!isVoid) {
    Value pair = LLVM::ZeroOp::create(builder, loc, result);
    returned =
        LLVM::InsertValueOp::create(builder, loc, pair, returned, kStatus);
  }
  LLVM::ReturnOp::create(builder, loc, returned);

  for (LLVM::CallOp call : calls) {
    Value failed = rewriteCall(call, run);
    if (!failed)
      continue;
    builder.setInsertionPointAfterValue(failed);
    Value isFailure = LLVM::ICmpOp::create(
        builder, loc, LLVM::ICmpPredicate::ne, failed, getStatus(loc, 0));
    leaveIf(isFailure, failed);
  }
  IRRewriter rewriter(builder);
  (void)eraseUnreachableBlocks(rewriter, function->getRegions());
}

void Rewriter::rewriteEntryPoint(LLVM::LLVMFuncOp interface,
                                 LLVM::LLVMFuncOp behind) {
  Location loc = interface.getLoc();
  Type status = builder.getI32Type();
  addRun(interface, status);
  Value run = interface.getArgument(0);

  SmallVector<LLVM::CallOp> calls;
  interface.walk([&](LLVM::CallOp call) { calls.push_back(call); });
  for (LLVM::CallOp call : calls)
    rewriteCall(call, run);
  interface.walk([&](LLVM::ReturnOp op) {
    builder.setInsertionPoint(op);
    Value end = callRuntime(loc, "ampRtRunEnd", status, run).getResult();
    LLVM::ReturnOp::create(builder, op.getLoc(), end);
    op.erase();
  });

  Block *entry = &interface.front();
  exit = new Block();
  interface.getBody().push_back(exit);
  Value refusal = exit->addArgument(status, loc);
  builder.setInsertionPointToStart(exit);
  LLVM::ReturnOp::create(builder, loc, refusal);
  builder.setInsertionPointToStart(entry);
  Value begin = callRuntime(loc, "ampRtRunBegin", status, run).getResult();
  Value isRefused = LLVM::ICmpOp::create(builder, loc, LLVM::ICmpPredicate::ne,
                                         begin, getStatus(loc, 0));
  leaveIf(isRefused, begin);

  behind.setLinkage(LLVM::Linkage::Internal);
  behind.setAlwaysInline(true);
}

namespace {
struct ReturnStatus : public amp::impl::ReturnStatusPassBase<ReturnStatus> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    SmallVector<std::pair<LLVM::LLVMFuncOp, LLVM::LLVMFuncOp>> entryPoints;
    llvm::SetVector<Operation *> functions;
    SmallVector<LLVM::LLVMFuncOp> others;
    for (auto function : module.getOps<LLVM::LLVMFuncOp>()) {
      if (function.isExternal())
        continue;
      auto interface = module.lookupSymbol<LLVM::LLVMFuncOp>(
          (kInterfacePrefix + function.getName()).str());
      if (interface && !interface.isExternal())
        entryPoints.emplace_back(interface, function);
      if (!function.getName().starts_with(kInterfacePrefix))
        others.push_back(function);
      // Those that the runtime calls have one signature.
      if (function->removeAttr(kParallelAttr))
        functions.insert(function);
    }
    for (bool changed = true; changed;) {
      changed = false;
      for (LLVM::LLVMFuncOp function : others)
        function.walk([&](LLVM::CallOp call) {
          auto callee = module.lookupSymbol<LLVM::LLVMFuncOp>(getCallee(call));
          if (findRuntimeCall(getCallee(call)) ||
              (callee && functions.contains(callee)))
            changed |= functions.insert(function);
        });
    }
    Rewriter rewriter(module, functions);
    // Entry points first: they are told by names and types that change.
    for (auto [interface, behind] : entryPoints)
      rewriter.rewriteEntryPoint(interface, behind);
    for (Operation *function : functions)
      rewriter.rewriteFunction(cast<LLVM::LLVMFuncOp>(function));
    for (const RuntimeCall &call : kRuntimeCalls)
      if (Operation *declaration = module.lookupSymbol(call.name))
        if (SymbolTable::symbolKnownUseEmpty(declaration, module))
          declaration->erase();
    numFunctions += functions.size();
    numEntryPoints += entryPoints.size();
  }
};
} // namespace
