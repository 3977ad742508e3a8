//===- StoreBooleansAsBytes.cpp - i1 in memory is a byte ------------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A boolean takes a byte of memory, but a vector of i1 is packed bits to LLVM,
// which therefore loads booleans one by one and leaves their loop scalar. Loads
// and stores of bytes vectorise.
//
//===----------------------------------------------------------------------===//

#include "amp/Conversion/Host/Passes.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

#define DEBUG_TYPE "amp-store-booleans-as-bytes"

namespace mlir::amp {
#define GEN_PASS_DEF_STOREBOOLEANSASBYTESPASS
#include "amp/Conversion/Host/Passes.h.inc"
} // namespace mlir::amp

using namespace mlir;
using namespace mlir::amp;

namespace {
struct StoreBooleansAsBytes
    : public amp::impl::StoreBooleansAsBytesPassBase<StoreBooleansAsBytes> {
  void runOnOperation() override {
    OpBuilder builder(&getContext());
    Type byte = builder.getI8Type();
    getOperation()->walk([&](LLVM::LoadOp load) {
      Type boolean = load.getType();
      if (!boolean.isInteger(1))
        return;
      builder.setInsertionPointAfter(load);
      load.getResult().setType(byte);
      auto value = LLVM::TruncOp::create(builder, load.getLoc(), boolean, load);
      load.getResult().replaceAllUsesExcept(value, value);
    });
    getOperation()->walk([&](LLVM::StoreOp store) {
      if (!store.getValue().getType().isInteger(1))
        return;
      builder.setInsertionPoint(store);
      store.getValueMutable().assign(LLVM::ZExtOp::create(
          builder, store.getLoc(), byte, store.getValue()));
    });
  }
};
} // namespace
