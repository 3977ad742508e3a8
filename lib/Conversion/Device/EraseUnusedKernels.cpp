//===- EraseUnusedKernels.cpp - Kernels that nothing launches -------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A launch whose results nobody needs goes with the tensors, and its module of
// kernels stays: other functions may name it. Here every user is known, for
// nothing outside a program launches its kernels. One walk finds all of them.
//
//===----------------------------------------------------------------------===//

#include "amp/Conversion/Device/Passes.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/SymbolTable.h"

#define DEBUG_TYPE "amp-erase-unused-kernels"

namespace mlir::amp {
#define GEN_PASS_DEF_ERASEUNUSEDKERNELSPASS
#include "amp/Conversion/Device/Passes.h.inc"
} // namespace mlir::amp

using namespace mlir;
using namespace mlir::amp;

namespace {
struct EraseUnusedKernels
    : public amp::impl::EraseUnusedKernelsPassBase<EraseUnusedKernels> {
  void runOnOperation() override {
    SymbolTableCollection symbols;
    SymbolUserMap users(symbols, getOperation());
    for (auto kernels :
         llvm::make_early_inc_range(getOperation().getOps<gpu::GPUModuleOp>()))
      if (users.useEmpty(kernels)) {
        kernels.erase();
        ++numErased;
      }
  }
};
} // namespace
