//===- EmbedKernels.cpp - Kernels as images of a program ------------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An image is what a device loads: of a gpu.binary its only object, of a
// gpu.module its text in a module of its own, which the emulator reads. Both
// leave the module, whose own conversions must not meet them.
//
//===----------------------------------------------------------------------===//

#include "amp/Program/Passes.h"

#include "amp/Program/ProgramSignature.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/BuiltinOps.h"

#define DEBUG_TYPE "amp-embed-kernels"

namespace mlir::amp {
#define GEN_PASS_DEF_EMBEDKERNELSPASS
#include "amp/Program/Passes.h.inc"
} // namespace mlir::amp

using namespace mlir;
using namespace mlir::amp;

/// The text of a module with `kernels` alone.
static StringAttr getText(gpu::GPUModuleOp kernels) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  stream << "module attributes {"
         << gpu::GPUDialect::getContainerModuleAttrName() << "} {\n";
  kernels->print(stream, OpPrintingFlags().useLocalScope());
  stream << "\n}\n";
  return StringAttr::get(kernels.getContext(), text);
}

namespace {
struct EmbedKernels : public amp::impl::EmbedKernelsPassBase<EmbedKernels> {
  using Base::Base;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    NamedAttrList images;
    std::string embedded = chip;
    for (Operation &op : llvm::make_early_inc_range(*module.getBody())) {
      if (auto kernels = dyn_cast<gpu::GPUModuleOp>(op)) {
        images.set(kernels.getName(), getText(kernels));
        embedded = "";
      } else if (auto binary = dyn_cast<gpu::BinaryOp>(op)) {
        if (binary.getObjects().size() != 1) {
          binary.emitError() << "expected code for one chip, but got "
                             << binary.getObjects().size()
                             << " objects; compile for one target";
          return signalPassFailure();
        }
        images.set(binary.getName(),
                   cast<gpu::ObjectAttr>(binary.getObjects()[0]).getObject());
      } else {
        continue;
      }
      ++numImages;
      op.erase();
    }
    module->removeAttr(gpu::GPUDialect::getContainerModuleAttrName());
    module->setAttr(kImagesAttr, images.getDictionary(&getContext()));
    module->setAttr(kChipAttr, StringAttr::get(&getContext(), embedded));
  }
};
} // namespace
