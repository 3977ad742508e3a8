/* Programs through the C ABI: a call, in place and on strides, and refusals.
 * RUN: amp-capi-execution-test | FileCheck %s
 */

#include "amp-c/Execution.h"

#include <stdio.h>
#include <string.h>

static const char subtract[] =
    "func.func @f(%x: tensor<2x3xf32> {amp.role = \"batch\", amp.name = \"x\"},\n"
    "             %y: tensor<2x3xf32> {amp.role = \"batch\", amp.name = \"y\"})\n"
    "    -> (tensor<2x3xf32> {amp.role = \"output\", amp.name = \"z\"}) {\n"
    "  %0 = arith.subf %x, %y : tensor<2x3xf32>\n"
    "  return %0 : tensor<2x3xf32>\n"
    "}\n";

static AmpProgram *compile(const char *module, const char *pipeline,
                           uint32_t level) {
  AmpCompilerRequest request;
  memset(&request, 0, sizeof request);
  request.structSize = sizeof request;
  request.module = module;
  request.moduleSize = strlen(module);
  request.pipeline = pipeline;
  return ampProgramCompile(&request, level);
}

/* Prints how compiling ended and frees the program. */
static void show(const char *title, AmpProgram *program) {
  printf("%s: status %d, %s\n%s", title, (int)ampProgramGetStatus(program),
         ampProgramGetDescription(program) ? "program" : "no program",
         ampProgramGetDiagnostics(program));
  ampProgramDestroy(program);
}

static void report(const char *title, AmpRtStatus status) {
  printf("%s: %s\n", title, status ? ampRtStatusText() : "ok");
}

/* Counts the parts that it is given. */
static void runInOrder(void *user, int64_t count, AmpRtPoolTask task,
                       void *context) {
  *(int64_t *)user += count;
  for (int64_t i = 0; i < count; ++i)
    task(context, i);
}

/* A program for three threads on the threads of the caller, and on none. */
static void usePool(void) {
  const char *host = "builtin.module(amp-to-host{threads=3 part-work=1})";
  static const char scale[] =
      "func.func @f(%x: tensor<200x100xf32> {amp.role = \"batch\", amp.name = \"x\"})\n"
      "    -> (tensor<200x100xf32> {amp.role = \"output\", amp.name = \"z\"}) {\n"
      "  %0 = arith.addf %x, %x : tensor<200x100xf32>\n"
      "  return %0 : tensor<200x100xf32>\n"
      "}\n";
  static float x[20000], z[20000];
  AmpProgram *program = compile(scale, host, 2);
  AmpProgramArray argument = {x, NULL, NULL}, result = {z, NULL, NULL};
  int64_t parts = 0;
  AmpRtPoolFunctions functions = {sizeof functions, 3, runInOrder, &parts};
  AmpRtPool *pool = NULL;
  for (int i = 0; i < 20000; ++i)
    x[i] = (float)i;
  report("pool", ampRtPoolCreateFrom(&functions, &pool));
  report("set", ampProgramSetPool(program, pool));
  report("call", ampProgramCall(program, 0, &argument, 1, &result, 1));
  printf("%d parts, %g %g %g\n", (int)parts, z[1], z[9999], z[19999]);
  report("unset", ampProgramSetPool(program, NULL));
  memset(z, 0, sizeof z);
  report("alone", ampProgramCall(program, 0, &argument, 1, &result, 1));
  printf("%d parts, %g %g %g\n", (int)parts, z[1], z[9999], z[19999]);
  ampProgramDestroy(program);
  ampRtPoolDestroy(pool);
  report("no program", ampProgramSetPool(NULL, NULL));
}

int main(void) {
  const char *host = "builtin.module(amp-to-host)";
  AmpProgram *program = compile(subtract, host, 3);
  const AmpRtProgram *description = ampProgramGetDescription(program);
  const AmpRtFunction *function = description->functions[0];
  float x[6] = {1, 2, 3, 4, 5, 6}, y[6] = {1, 1, 1, 1, 1, 1}, wide[12] = {0};
  const int64_t extents[2] = {2, 3}, strides[2] = {6, 2}, wrong[2] = {3, 2};
  AmpProgramArray arguments[2], result;

  /* CHECK: functions 1, scalers 0: f, 2 arguments, 1 results, f32 z
   */
  printf("functions %d, scalers %d: %s, %d arguments, %d results, %s %s\n",
         description->functionCount, description->scalerCount, function->name,
         function->argumentCount, function->resultCount,
         ampRtElementKindName(function->results[0]->elementKind),
         function->results[0]->name);

  /* CHECK: in place: ok
   * CHECK-NEXT: 0 1 2 3 4 5
   */
  memset(arguments, 0, sizeof arguments);
  memset(&result, 0, sizeof result);
  arguments[0].data = x;
  arguments[1].data = y;
  result.data = x;
  report("in place", ampProgramCall(program, 0, arguments, 2, &result, 1));
  printf("%g %g %g %g %g %g\n", x[0], x[1], x[2], x[3], x[4], x[5]);

  /* CHECK: strides: ok
   * CHECK-NEXT: -1 0 0 0 1 0 2 0 3 0 4 0
   */
  result.data = wide;
  result.extents = extents;
  result.strides = strides;
  report("strides", ampProgramCall(program, 0, arguments, 2, &result, 1));
  printf("%g %g %g %g %g %g %g %g %g %g %g %g\n", wide[0], wide[1], wide[2],
         wide[3], wide[4], wide[5], wide[6], wide[7], wide[8], wide[9],
         wide[10], wide[11]);

  /* CHECK: extents: call of 'f': result 0, 'z' (output): expected f32[2,3]
   * CHECK-SAME: but got extents [3,2]
   */
  result.extents = wrong;
  report("extents", ampProgramCall(program, 0, arguments, 2, &result, 1));
  result.extents = NULL;
  result.strides = NULL;
  /* CHECK: count: call of 'f': expected 2 arguments and 1 results
   */
  report("count", ampProgramCall(program, 0, arguments, 1, &result, 1));
  /* CHECK: null: call of 'f': argument 1, 'y' (batch): {{.*}} address null
   */
  arguments[1].data = NULL;
  report("null", ampProgramCall(program, 0, arguments, 2, &result, 1));
  /* CHECK: function: {{.*}}null
   * CHECK: program: {{.*}}null
   */
  report("function", ampProgramCall(program, 1, arguments, 2, &result, 1));
  report("program", ampProgramCall(NULL, 0, arguments, 2, &result, 1));
  /* CHECK: scaler: none
   */
  printf("scaler: %s\n", ampProgramGetScaler(program, 0) ? "one" : "none");
  ampProgramDestroy(program);

  /* CHECK: module: status 2, no program
   * CHECK-NEXT: module:1:1: error:
   */
  show("module", compile("func.", host, 3));
  /* CHECK: pipeline: status 3, no program
   */
  show("pipeline", compile(subtract, "builtin.module(nothing)", 3));
  /* CHECK: pass: status 4, no program
   * CHECK-NEXT: module:0:0: error: expected a function whose arguments have 'amp.role'
   */
  show("pass", compile("func.func @f() { return }", host, 3));
  /* CHECK: code: status 5, no program
   * CHECK-NEXT: error: expected a module that amp-to-host has lowered; let the
   * CHECK-SAME: pipeline end with it
   */
  show("code", compile(subtract, "", 3));
  /* CHECK: level: status 1, no program
   * CHECK-NEXT: error: expected 'optimizationLevel' to be 0 to 3
   */
  show("level", compile(subtract, host, 4));
  /* CHECK: request: status 1, no program
   * CHECK-NEXT: error: expected a request, but got null
   */
  show("request", ampProgramCompile(NULL, 3));
  /* CHECK: nothing: status 1, no program
   */
  show("nothing", NULL);
  /* CHECK: pool: ok
   * CHECK-NEXT: set: ok
   * CHECK-NEXT: call: ok
   * CHECK-NEXT: 12 parts, 2 19998 39998
   * CHECK-NEXT: unset: ok
   * CHECK-NEXT: alone: ok
   * CHECK-NEXT: 12 parts, 2 19998 39998
   * CHECK-NEXT: no program: ampRtRunSetPool: {{.*}}null
   */
  usePool();
  return 0;
}
