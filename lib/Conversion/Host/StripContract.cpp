//===- StripContract.cpp - Remove the attributes of the contract ----------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Everything whose name begins with "amp." goes, wherever it stands; what a
// driver needs to call an entry point stays in one attribute of it, and what
// amp-describe-program says of all in two of the module.
//
//===----------------------------------------------------------------------===//

#include "amp/Conversion/Host/Passes.h"
#include "amp/Dialect/Amp/IR/AmpRoles.h"
#include "amp/Program/ProgramSignature.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

#define DEBUG_TYPE "amp-strip-contract"

namespace mlir::amp {
#define GEN_PASS_DEF_STRIPCONTRACTPASS
#include "amp/Conversion/Host/Passes.h.inc"
} // namespace mlir::amp

using namespace mlir;
using namespace mlir::amp;

static bool isContract(NamedAttribute attr) {
  StringRef name = attr.getName();
  return name.starts_with("amp.") && name != kSignatureAttr &&
         name != kScalersAttr && name != kCpuAttr;
}

/// `attrs` without the contract's.
static DictionaryAttr strip(MLIRContext *context,
                            ArrayRef<NamedAttribute> attrs) {
  SmallVector<NamedAttribute> kept;
  llvm::copy_if(attrs, std::back_inserter(kept),
                [](NamedAttribute attr) { return !isContract(attr); });
  return DictionaryAttr::get(context, kept);
}

/// An argument or a result as amp-describe-program wants it.
static Attribute describeValue(Type type, DictionaryAttr attrs) {
  Builder builder(type.getContext());
  SmallVector<NamedAttribute> fields = {
      builder.getNamedAttr("type", TypeAttr::get(type))};
  for (auto [key, name] :
       {std::pair("role", kRoleAttr), std::pair("name", kNameAttr),
        std::pair("kind", kKindAttr), std::pair("init", kInitAttr)})
    if (Attribute text = attrs ? attrs.get(name) : Attribute())
      fields.push_back(builder.getNamedAttr(key, text));
  return builder.getDictionaryAttr(fields);
}

/// The signature of an entry point, which its roles leave behind.
static void recordSignature(func::FuncOp function) {
  Builder builder(function.getContext());
  SmallVector<Attribute> arguments, results;
  for (unsigned i = 0, e = function.getNumArguments(); i != e; ++i)
    arguments.push_back(describeValue(function.getArgumentTypes()[i],
                                      function.getArgAttrDict(i)));
  for (unsigned i = 0, e = function.getNumResults(); i != e; ++i)
    results.push_back(describeValue(function.getResultTypes()[i],
                                    function.getResultAttrDict(i)));
  FunctionKind kind = getFunctionKind(function);
  StringRef text = kind == FunctionKind::TrainStep  ? "train_step"
                   : kind == FunctionKind::Evaluate ? "evaluate"
                                                    : "other";
  function->setAttr(
      kSignatureAttr,
      builder.getDictionaryAttr(
          {builder.getNamedAttr("kind", builder.getStringAttr(text)),
           builder.getNamedAttr("arguments", builder.getArrayAttr(arguments)),
           builder.getNamedAttr("results", builder.getArrayAttr(results))}));
}

namespace {
struct StripContract : public amp::impl::StripContractPassBase<StripContract> {
  void runOnOperation() override {
    MLIRContext *context = &getContext();
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (function->hasAttr(LLVM::LLVMDialect::getEmitCWrapperAttrName()))
        recordSignature(function);
    getOperation()->walk([&](Operation *op) {
      for (NamedAttribute attr : llvm::to_vector(op->getDiscardableAttrs()))
        if (isContract(attr))
          op->removeDiscardableAttr(attr.getName());
      auto function = dyn_cast<FunctionOpInterface>(op);
      if (!function)
        return;
      for (unsigned i = 0, e = function.getNumArguments(); i != e; ++i)
        function.setArgAttrs(i, strip(context, function.getArgAttrs(i)));
      for (unsigned i = 0, e = function.getNumResults(); i != e; ++i)
        function.setResultAttrs(i, strip(context, function.getResultAttrs(i)));
    });
  }
};
} // namespace
