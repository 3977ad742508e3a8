//===- Compiler.cpp - The compiler behind a flat C ABI --------------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Unpacks a request, runs the parser and the pass manager, packs the result.
// Each call has a context of its own, without threads: what one module leaves
// behind cannot reach another, and the host decides about threads.
//
//===----------------------------------------------------------------------===//

#include "amp-c/Compiler.h"

#include "amp/InitAllDialects.h"
#include "amp/InitAllPasses.h"
#include "mlir/Bytecode/BytecodeWriter.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/InitAllPasses.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

#include <cstddef>
#include <mutex>
#include <string>

using namespace mlir;

// The layout that programs were compiled against: no hidden padding.
static_assert(sizeof(AmpCompilerRequest) == 48, "the ABI of version 1");
static_assert(offsetof(AmpCompilerRequest, reserved) == 44,
              "the ABI of version 1");

struct AmpCompilerResult {
  AmpCompilerStatus status = AMP_COMPILER_OK;
  std::string output;
  std::string diagnostics;
};

/// Passes are registered once in a process, whoever else uses libMLIR.
static void registerPassesOnce() {
  static std::once_flag once;
  std::call_once(once, [] {
    mlir::registerAllPasses();
    amp::registerAllPasses();
  });
}

/// The rule that the request breaks, or null.
static const char *findInvalidArgument(const AmpCompilerRequest *request) {
  if (!request)
    return "expected a request, but got null";
  if (request->structSize != sizeof(AmpCompilerRequest))
    return "expected 'structSize' to be sizeof(AmpCompilerRequest)";
  if (!request->module)
    return "expected 'module' to be MLIR text or bytecode, but got null";
  if (request->outputFormat > AMP_COMPILER_BYTECODE)
    return "expected 'outputFormat' to be an AmpCompilerFormat";
  if (request->reserved)
    return "expected 'reserved' to be 0";
  return nullptr;
}

static AmpCompilerStatus run(const AmpCompilerRequest &request,
                             std::string &output, raw_ostream &diagnostics) {
  registerPassesOnce();
  DialectRegistry registry;
  mlir::registerAllDialects(registry);
  mlir::registerAllExtensions(registry);
  amp::registerAllDialects(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  context.printOpOnDiagnostic(
      false); // an error on the module would print it all

  // A copy: the parser wants a zero at the end, bytecode wants alignment.
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(
      llvm::MemoryBuffer::getMemBufferCopy(
          StringRef(request.module, request.moduleSize),
          request.moduleName ? request.moduleName : "module"),
      llvm::SMLoc());
  SourceMgrDiagnosticHandler handler(sources, &context, diagnostics);

  OwningOpRef<ModuleOp> module = parseSourceFile<ModuleOp>(sources, &context);
  if (!module)
    return AMP_COMPILER_INVALID_MODULE;

  if (request.pipeline && *request.pipeline) {
    // Not parsePassPipeline(text, manager): that nests `builtin.module(...)`
    // one level down, where it runs on nothing.
    FailureOr<OpPassManager> pipeline =
        parsePassPipeline(request.pipeline, diagnostics);
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
    if (failed(manager.run(*module)))
      return AMP_COMPILER_PASS_FAILED;
  }

  llvm::raw_string_ostream stream(output);
  switch (static_cast<AmpCompilerFormat>(request.outputFormat)) {
  case AMP_COMPILER_TEXT:
    module->print(stream);
    break;
  case AMP_COMPILER_TEXT_WITH_LOCATIONS:
    module->print(stream, OpPrintingFlags().enableDebugInfo());
    break;
  case AMP_COMPILER_BYTECODE:
    if (failed(writeBytecodeToFile(*module, stream)))
      return AMP_COMPILER_PASS_FAILED;
    break;
  }
  return AMP_COMPILER_OK;
}

uint32_t ampCompilerGetApiVersion(void) { return AMP_COMPILER_API_VERSION; }

const char *ampCompilerGetVersion(void) {
  return "mlir-amp " AMP_VERSION ", LLVM " LLVM_VERSION_STRING;
}

AmpCompilerResult *ampCompilerRun(const AmpCompilerRequest *request) {
  auto *result = new AmpCompilerResult();
  llvm::raw_string_ostream diagnostics(result->diagnostics);
  if (const char *rule = findInvalidArgument(request)) {
    diagnostics << "error: " << rule << "\n";
    result->status = AMP_COMPILER_INVALID_ARGUMENT;
    return result;
  }
  result->status = run(*request, result->output, diagnostics);
  if (result->status != AMP_COMPILER_OK)
    result->output.clear();
  return result;
}

AmpCompilerStatus ampCompilerResultGetStatus(const AmpCompilerResult *result) {
  return result ? result->status : AMP_COMPILER_INVALID_ARGUMENT;
}

const char *ampCompilerResultGetOutput(const AmpCompilerResult *result,
                                       size_t *size) {
  if (size)
    *size = result ? result->output.size() : 0;
  return result ? result->output.c_str() : "";
}

const char *ampCompilerResultGetDiagnostics(const AmpCompilerResult *result) {
  return result ? result->diagnostics.c_str() : "";
}

void ampCompilerResultDestroy(AmpCompilerResult *result) { delete result; }
