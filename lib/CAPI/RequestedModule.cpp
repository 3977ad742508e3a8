//===- RequestedModule.cpp - A module that a caller sent ------------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RequestedModule.h"

#include "Registration.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "llvm/Support/MemoryBuffer.h"

#include <cstddef>
#include <mutex>

using namespace mlir;
using namespace mlir::amp;

// The layout that programs were compiled against: no hidden padding.
static_assert(sizeof(AmpCompilerRequest) == 48, "the ABI of version 1");
static_assert(offsetof(AmpCompilerRequest, flags) == 44,
              "the ABI of version 1");

static const DialectRegistry &getDialects() {
  static const DialectRegistry registry = [] {
    DialectRegistry known;
    registerKnownDialects(known);
    return known;
  }();
  return registry;
}

/// Passes are registered once in a process, whoever else uses libMLIR.
static void registerPassesOnce() {
  static std::once_flag once;
  std::call_once(once, registerKnownPasses);
}

/// The rule that the request breaks, or null.
static const char *findInvalidArgument(const AmpCompilerRequest *request,
                                       bool isLinked) {
  if (!request)
    return "expected a request, but got null";
  if (request->structSize != sizeof(AmpCompilerRequest))
    return "expected 'structSize' to be sizeof(AmpCompilerRequest)";
  if (!request->module)
    return "expected 'module' to be MLIR text or bytecode, but got null";
  if (request->outputFormat > AMP_COMPILER_BYTECODE)
    return "expected 'outputFormat' to be an AmpCompilerFormat";
  if (request->flags & ~uint32_t(AMP_COMPILER_PERF_MAP))
    return "expected 'flags' to be AmpCompilerFlags";
  if ((request->flags & AMP_COMPILER_PERF_MAP) && !isLinked)
    return "expected 'flags' to be 0: a module that is written out has no "
           "functions in memory";
  return nullptr;
}

RequestedModule::RequestedModule(llvm::raw_ostream &diagnostics)
    : diagnostics(diagnostics),
      context(getDialects(), MLIRContext::Threading::DISABLED),
      handler(sources, &context, diagnostics) {
  // An error on the module would print it all.
  context.printOpOnDiagnostic(false);
}

AmpCompilerStatus RequestedModule::prepare(const AmpCompilerRequest *request,
                                           bool isLinked) {
  if (const char *rule = findInvalidArgument(request, isLinked)) {
    diagnostics << "error: " << rule << "\n";
    return AMP_COMPILER_INVALID_ARGUMENT;
  }
  // A copy: the parser wants a zero at the end, bytecode wants alignment.
  sources.AddNewSourceBuffer(
      llvm::MemoryBuffer::getMemBufferCopy(
          StringRef(request->module, request->moduleSize),
          request->moduleName ? request->moduleName : "module"),
      llvm::SMLoc());
  module = parseSourceFile<ModuleOp>(sources, &context);
  if (!module)
    return AMP_COMPILER_INVALID_MODULE;
  if (request->pipeline && *request->pipeline)
    return runPipeline(request->pipeline);
  return AMP_COMPILER_OK;
}

AmpCompilerStatus RequestedModule::runPipeline(StringRef text) {
  registerPassesOnce();
  // Not parsePassPipeline(text, manager): that nests `builtin.module(...)` one
  // level down, where it runs on nothing.
  FailureOr<OpPassManager> pipeline = parsePassPipeline(text, diagnostics);
  if (failed(pipeline))
    return AMP_COMPILER_INVALID_PIPELINE;
  if (pipeline->getOpAnchorName() != ModuleOp::getOperationName()) {
    diagnostics
        << "error: expected a pipeline rooted at 'builtin.module', but got '"
        << pipeline->getOpAnchorName() << "'\n";
    return AMP_COMPILER_INVALID_PIPELINE;
  }
  PassManager manager(&context, ModuleOp::getOperationName());
  static_cast<OpPassManager &>(manager) = std::move(*pipeline);
  return succeeded(manager.run(*module)) ? AMP_COMPILER_OK
                                         : AMP_COMPILER_PASS_FAILED;
}
