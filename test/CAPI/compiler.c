/* The compiler through its C ABI: text and bytecode, diagnostics, refusals.
 * RUN: amp-capi-test | FileCheck %s
 */

#include "amp-c/Compiler.h"

#include <stdio.h>
#include <string.h>

static AmpCompilerResult *run(const char *module, size_t size,
                              const char *pipeline, AmpCompilerFormat format) {
  AmpCompilerRequest request;
  memset(&request, 0, sizeof request);
  request.structSize = sizeof request;
  request.module = module;
  request.moduleSize = size;
  request.moduleName = "step.mlir";
  request.pipeline = pipeline;
  request.outputFormat = format;
  return ampCompilerRun(&request);
}

/* Prints a result under a title and frees it. */
static void show(const char *title, AmpCompilerResult *result) {
  size_t size = 0;
  const char *output = ampCompilerResultGetOutput(result, &size);
  printf("== %s: status %d, %s\n%s%s", title,
         (int)ampCompilerResultGetStatus(result),
         size == strlen(output) ? "text" : "bytes", output,
         ampCompilerResultGetDiagnostics(result));
  ampCompilerResultDestroy(result);
}

static const char casts[] =
    "func.func @f(%x: tensor<4xf16>) -> tensor<4xf16> {\n"
    "  %0 = amp.cast %x : tensor<4xf16> to tensor<4xf32>\n"
    "  %1 = amp.cast %0 : tensor<4xf32> to tensor<4xf16>\n"
    "  return %1 : tensor<4xf16>\n"
    "}\n";

int main(void) {
  const char *canonicalize = "builtin.module(canonicalize)";
  const char *bytes;
  size_t size;
  AmpCompilerResult *bytecode;
  AmpCompilerRequest request;

  /* CHECK: api 3, mlir-amp {{[0-9.]+}}, LLVM 22.{{.*}}
   */
  printf("api %u, %s\n", (unsigned)ampCompilerGetApiVersion(),
         ampCompilerGetVersion());

  /* CHECK-LABEL: == parse only: status 0, text
   * CHECK: amp.cast
   */
  show("parse only", run(casts, strlen(casts), NULL, AMP_COMPILER_TEXT));

  /* CHECK-LABEL: == canonicalize: status 0, text
   * CHECK-NOT: amp.cast
   * CHECK: return %arg0 : tensor<4xf16>
   */
  show("canonicalize",
       run(casts, strlen(casts), canonicalize, AMP_COMPILER_TEXT));

  /* CHECK-LABEL: == locations: status 0, text
   * CHECK: loc("step.mlir":1:{{[0-9]+}})
   */
  show("locations", run(casts, strlen(casts), canonicalize,
                        AMP_COMPILER_TEXT_WITH_LOCATIONS));

  /* Bytecode out, and in again.
   * CHECK-LABEL: == from bytecode: status 0, text
   * CHECK: amp.cast
   */
  bytecode = run(casts, strlen(casts), "", AMP_COMPILER_BYTECODE);
  bytes = ampCompilerResultGetOutput(bytecode, &size);
  show("from bytecode", run(bytes, size, NULL, AMP_COMPILER_TEXT));
  show("truncated bytecode", run(bytes, size / 2, NULL, AMP_COMPILER_TEXT));
  ampCompilerResultDestroy(bytecode);

  /* CHECK-LABEL: == truncated bytecode: status 2, text
   * CHECK-NEXT: step.mlir:0:0: error: {{.+}}
   */

  /* Only moduleSize bytes are read: no zero follows them.
   * CHECK-LABEL: == part of a text: status 0, text
   * CHECK: module {
   */
  show("part of a text",
       run("module {}###", strlen("module {}"), NULL, AMP_COMPILER_TEXT));

  /* CHECK-LABEL: == no module: status 2, text
   * CHECK-NEXT: step.mlir:1:1: error: {{.+}}
   * CHECK-NEXT: This is not MLIR
   */
  show("no module",
       run("This is not MLIR", 16, canonicalize, AMP_COMPILER_TEXT));

  /* The operation stands in the source line, and is not printed once more.
   * CHECK-LABEL: == invalid module: status 2, text
   * CHECK-NEXT: step.mlir:1:1: error: 'amp.scaler' op expected 'initial_scale' to be finite and positive, but got 0.000000e+00
   * CHECK-NEXT: amp.scaler @s
   * CHECK-NOT: note:
   */
  show("invalid module", run("amp.scaler @s {initial_scale = 0.0 : f64}", 41,
                             NULL, AMP_COMPILER_TEXT));

  /* CHECK-LABEL: == unknown pass: status 3, text
   * CHECK-NEXT: error: 'no-such-pass' does not refer to a registered pass or pass pipeline
   */
  show("unknown pass", run(casts, strlen(casts), "builtin.module(no-such-pass)",
                           AMP_COMPILER_TEXT));

  /* CHECK-LABEL: == wrong root: status 3, text
   * CHECK-NEXT: error: expected a pipeline rooted at 'builtin.module', but got 'func.func'
   */
  show("wrong root",
       run(casts, strlen(casts), "func.func(canonicalize)", AMP_COMPILER_TEXT));

  /* CHECK-LABEL: == a pass that refuses: status 4, text
   * CHECK-NEXT: step.mlir:0:0: error: Unexpected optimization level O7.
   */
  show("a pass that refuses",
       run(casts, strlen(casts),
           "builtin.module(amp-initialize-opt-level{opt-level=O7})",
           AMP_COMPILER_TEXT));

  /* Requests that are none.
   * CHECK-LABEL: == null request: status 1, text
   * CHECK-NEXT: error: expected a request, but got null
   */
  show("null request", ampCompilerRun(NULL));
  memset(&request, 0, sizeof request);
  /* CHECK-LABEL: == no size: status 1, text
   * CHECK-NEXT: error: expected 'structSize' to be sizeof(AmpCompilerRequest)
   */
  show("no size", ampCompilerRun(&request));
  request.structSize = sizeof request;
  /* CHECK-LABEL: == null module: status 1, text
   * CHECK-NEXT: error: expected 'module' to be MLIR text or bytecode, but got null
   */
  show("null module", ampCompilerRun(&request));
  request.module = casts;
  request.moduleSize = strlen(casts);
  request.outputFormat = 7;
  /* CHECK-LABEL: == unknown format: status 1, text
   * CHECK-NEXT: error: expected 'outputFormat' to be an AmpCompilerFormat
   */
  show("unknown format", ampCompilerRun(&request));
  request.outputFormat = AMP_COMPILER_TEXT;
  request.flags = 2;
  /* CHECK-LABEL: == flags: status 1, text
   * CHECK-NEXT: error: expected 'flags' to be AmpCompilerFlags
   */
  show("flags", ampCompilerRun(&request));
  request.flags = AMP_COMPILER_PERF_MAP;
  /* CHECK-LABEL: == perf: status 1, text
   * CHECK-NEXT: error: expected 'flags' to be 0: a module that is written out has no functions in memory
   */
  show("perf", ampCompilerRun(&request));

  /* CHECK-LABEL: == null result: status 1, text
   */
  show("null result", NULL);
  return 0;
}
