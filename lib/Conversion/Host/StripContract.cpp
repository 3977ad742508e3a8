//===- StripContract.cpp - Remove the attributes of the contract ----------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Everything whose name begins with "amp." goes, wherever it stands.
//
//===----------------------------------------------------------------------===//

#include "amp/Conversion/Passes.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

#define DEBUG_TYPE "amp-strip-contract"

namespace mlir::amp {
#define GEN_PASS_DEF_STRIPCONTRACTPASS
#include "amp/Conversion/Passes.h.inc"
} // namespace mlir::amp

using namespace mlir;
using namespace mlir::amp;

static bool isContract(NamedAttribute attr) {
  return attr.getName().strref().starts_with("amp.");
}

/// `attrs` without the contract's.
static DictionaryAttr strip(MLIRContext *context,
                            ArrayRef<NamedAttribute> attrs) {
  SmallVector<NamedAttribute> kept;
  llvm::copy_if(attrs, std::back_inserter(kept),
                [](NamedAttribute attr) { return !isContract(attr); });
  return DictionaryAttr::get(context, kept);
}

namespace {
struct StripContract : public amp::impl::StripContractPassBase<StripContract> {
  void runOnOperation() override {
    MLIRContext *context = &getContext();
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
