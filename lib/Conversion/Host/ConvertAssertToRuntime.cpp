//===- ConvertAssertToRuntime.cpp - Assertions as errors of the call ------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   cf.assert %c, "text"  ->  scf.if !%c { call @ampRtReportAssert(&"text") }
//
// Runs on loops, where a region for the failing case can stand.
//
//===----------------------------------------------------------------------===//

#include "amp/Conversion/Host/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"

#define DEBUG_TYPE "convert-assert-to-runtime"

namespace mlir::amp {
#define GEN_PASS_DEF_CONVERTASSERTTORUNTIMEPASS
#include "amp/Conversion/Host/Passes.h.inc"
} // namespace mlir::amp

using namespace mlir;
using namespace mlir::amp;

/// Program entry point of the runtime: amp-rt/Program.h.
static constexpr StringLiteral kReportAssert = "ampRtReportAssert";

namespace {
struct ConvertAssertToRuntime
    : public amp::impl::ConvertAssertToRuntimePassBase<ConvertAssertToRuntime> {
  void runOnOperation() override {
    SmallVector<cf::AssertOp> asserts;
    getOperation().walk([&](cf::AssertOp op) { asserts.push_back(op); });
    for (cf::AssertOp op : asserts)
      lower(op);
  }

  void lower(cf::AssertOp op) {
    OpBuilder builder(op);
    Location loc = op.getLoc();
    Value yes =
        arith::ConstantOp::create(builder, loc, builder.getBoolAttr(true));
    Value failed = arith::XOrIOp::create(builder, loc, op.getArg(), yes);
    auto branch =
        scf::IfOp::create(builder, loc, failed, /*withElseRegion=*/false);
    builder.setInsertionPointToStart(branch.thenBlock());
    Value text = LLVM::AddressOfOp::create(
        builder, loc, LLVM::LLVMPointerType::get(&getContext()), getText(op));
    func::CallOp::create(builder, loc, getReport(text.getType()), text);
    op.erase();
  }

  /// Symbol of the zero-terminated message.
  StringRef getText(cf::AssertOp op) {
    StringAttr &symbol = texts[op.getMsgAttr()];
    if (symbol)
      return symbol;
    symbol =
        StringAttr::get(&getContext(), "amp_assert_" + Twine(texts.size() - 1));
    OpBuilder builder = OpBuilder::atBlockBegin(getOperation().getBody());
    std::string text = op.getMsg().str();
    text.push_back('\0');
    auto type = LLVM::LLVMArrayType::get(builder.getI8Type(), text.size());
    LLVM::GlobalOp::create(builder, op.getLoc(), type, /*isConstant=*/true,
                           LLVM::Linkage::Internal, symbol,
                           builder.getStringAttr(text));
    return symbol;
  }

  func::FuncOp getReport(Type pointer) {
    if (auto function =
            getOperation().lookupSymbol<func::FuncOp>(kReportAssert))
      return function;
    OpBuilder builder = OpBuilder::atBlockBegin(getOperation().getBody());
    auto function =
        func::FuncOp::create(builder, getOperation().getLoc(), kReportAssert,
                             builder.getFunctionType(pointer, {}));
    function.setPrivate();
    return function;
  }

  llvm::DenseMap<Attribute, StringAttr> texts;
};
} // namespace
