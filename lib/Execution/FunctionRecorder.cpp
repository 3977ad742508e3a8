//===- FunctionRecorder.cpp - Which functions were linked -----------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FunctionRecorder.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ExecutionEngine/JITLink/JITLink.h"

#include <utility>

using namespace mlir::amp;

void FunctionRecorder::modifyPassConfig(
    llvm::orc::MaterializationResponsibility &, llvm::jitlink::LinkGraph &,
    llvm::jitlink::PassConfiguration &passes) {
  // Addresses are those of memory by then, and nothing is removed any more.
  passes.PostFixupPasses.push_back([this](llvm::jitlink::LinkGraph &graph) {
    std::lock_guard<std::mutex> lock(mutex);
    for (const llvm::jitlink::Symbol *symbol : graph.defined_symbols())
      if (symbol->isCallable() && symbol->hasName() && symbol->getSize() > 0)
        functions.push_back({(*symbol->getName()).str(),
                             symbol->getAddress().getValue(),
                             symbol->getSize()});
    return llvm::Error::success();
  });
}

std::vector<LinkedFunction> FunctionRecorder::take() {
  std::lock_guard<std::mutex> lock(mutex);
  llvm::sort(functions, [](const LinkedFunction &a, const LinkedFunction &b) {
    return a.address < b.address;
  });
  return std::exchange(functions, {});
}
