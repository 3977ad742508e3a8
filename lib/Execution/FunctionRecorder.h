//===- FunctionRecorder.h - Which functions were linked ---------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A plugin of JITLink that writes down where each function comes to lie. ORC
// itself answers for symbols that others may ask for, without their sizes; in
// the graph that is linked stand all of them, also those that stay in one part.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_LIB_EXECUTION_FUNCTIONRECORDER_H
#define AMP_LIB_EXECUTION_FUNCTIONRECORDER_H

#include "amp/Execution/LinkedFunction.h"

#include "llvm/ExecutionEngine/Orc/ObjectLinkingLayer.h"

#include <mutex>
#include <vector>

namespace mlir::amp {

class FunctionRecorder : public llvm::orc::ObjectLinkingLayer::Plugin {
public:
  void modifyPassConfig(llvm::orc::MaterializationResponsibility &part,
                        llvm::jitlink::LinkGraph &graph,
                        llvm::jitlink::PassConfiguration &passes) override;
  llvm::Error
  notifyFailed(llvm::orc::MaterializationResponsibility &) override {
    return llvm::Error::success();
  }
  llvm::Error notifyRemovingResources(llvm::orc::JITDylib &,
                                      llvm::orc::ResourceKey) override {
    return llvm::Error::success();
  }
  void notifyTransferringResources(llvm::orc::JITDylib &,
                                   llvm::orc::ResourceKey,
                                   llvm::orc::ResourceKey) override {}

  /// Those that were linked since the last call, by address.
  std::vector<LinkedFunction> take();

private:
  /// Parts are linked by several threads.
  std::mutex mutex;
  std::vector<LinkedFunction> functions;
};

} // namespace mlir::amp

#endif // AMP_LIB_EXECUTION_FUNCTIONRECORDER_H
