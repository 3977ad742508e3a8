//===- CopiesToKernels.cpp - Copies between strides as kernels ------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A copy of bytes is one call of the runtime; any other would be made element
// by element by a host that waits for each. Here it becomes a launch, whose
// operands are views of one dimension: a buffer's elements from the first to
// the last, with those between them, of which the kernel touches none.
//
//===----------------------------------------------------------------------===//

#include "UniqueKernels.h"
#include "amp/Analysis/CopyOfBytes.h"
#include "amp/Conversion/Device/Passes.h"
#include "amp/Dialect/Amp/IR/AmpDialect.h"
#include "amp/Kernels/CopyKernel.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace mlir::amp {
#define GEN_PASS_DEF_CONVERTCOPIESTOKERNELSPASS
#include "amp/Conversion/Device/Passes.h.inc"
} // namespace mlir::amp

using namespace mlir;
using namespace mlir::amp;

namespace {
struct ConvertCopiesToKernels
    : public amp::impl::ConvertCopiesToKernelsPassBase<ConvertCopiesToKernels> {
  using Base::Base;

  void runOnOperation() override {
    UniqueKernels kernels(getOperation(), "copy");
    SmallVector<memref::CopyOp> copies;
    for (auto function : getOperation().getOps<func::FuncOp>())
      function.walk([&](memref::CopyOp copy) {
        if (!isCopyOfBytes(copy))
          copies.push_back(copy);
      });
    for (memref::CopyOp copy : copies)
      convert(copy, kernels);
    numKernels += kernels.size();
  }

  void convert(memref::CopyOp copy, UniqueKernels &kernels) {
    std::string reason;
    std::optional<CopyKernel> kernel =
        CopyKernel::match(cast<MemRefType>(copy.getSource().getType()),
                          cast<MemRefType>(copy.getTarget().getType()), reason);
    if (!kernel) {
      ++numDeclined;
      if (report)
        copy.emitRemark("not a kernel: ") << reason;
      return;
    }
    gpu::GPUModuleOp module =
        kernels.get([&](OpBuilder &builder, StringRef name) {
          return kernel->emit(builder, copy.getLoc(), name);
        });
    OpBuilder b(copy);
    Value from = getWindow(b, copy.getLoc(), copy.getSource()),
          to = getWindow(b, copy.getLoc(), copy.getTarget());
    LaunchKernelsOp::create(b, copy.getLoc(), module.getName(), {"in0", "out0"},
                            from, to);
    copy.erase();
    ++numConverted;
  }
};
} // namespace
