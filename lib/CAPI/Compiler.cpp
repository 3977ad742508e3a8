//===- Compiler.cpp - The compiler behind a flat C ABI --------------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A requested module (RequestedModule.h), written out.
//
//===----------------------------------------------------------------------===//

#include "amp-c/Compiler.h"

#include "RequestedModule.h"
#include "mlir/Bytecode/BytecodeWriter.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/raw_ostream.h"

#include <string>

using namespace mlir;
using namespace mlir::amp;

struct AmpCompilerResult {
  AmpCompilerStatus status = AMP_COMPILER_OK;
  std::string output;
  std::string diagnostics;
};

static LogicalResult write(ModuleOp module, AmpCompilerFormat format,
                           llvm::raw_ostream &stream) {
  switch (format) {
  case AMP_COMPILER_TEXT:
    module.print(stream);
    return success();
  case AMP_COMPILER_TEXT_WITH_LOCATIONS:
    module.print(stream, OpPrintingFlags().enableDebugInfo());
    return success();
  case AMP_COMPILER_BYTECODE:
    return writeBytecodeToFile(module, stream);
  }
  return failure();
}

uint32_t ampCompilerGetApiVersion(void) { return AMP_COMPILER_API_VERSION; }

const char *ampCompilerGetVersion(void) {
  return "mlir-amp " AMP_VERSION ", LLVM " LLVM_VERSION_STRING;
}

AmpCompilerResult *ampCompilerRun(const AmpCompilerRequest *request) {
  auto *result = new AmpCompilerResult();
  llvm::raw_string_ostream diagnostics(result->diagnostics);
  RequestedModule module(diagnostics);
  result->status = module.prepare(request, /*isLinked=*/false);
  if (result->status != AMP_COMPILER_OK)
    return result;
  llvm::raw_string_ostream output(result->output);
  if (failed(write(module.get(),
                   static_cast<AmpCompilerFormat>(request->outputFormat),
                   output))) {
    result->status = AMP_COMPILER_PASS_FAILED;
    result->output.clear();
  }
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
