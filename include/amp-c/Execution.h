/*===- amp-c/Execution.h - Compile and run behind a flat C ABI ----*- C -*-===*\
|*                                                                            *|
|* Part of the mlir-amp project, under the Apache License v2.0 with LLVM      *|
|* Exceptions. See LICENSE for license information.                           *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* A module goes in as for Compiler.h, with a pipeline that ends in           *|
|* amp-to-host; a program comes out, in this process, whose functions run on  *|
|* the caller's arrays. It has loss scalers of its own.                       *|
|*                                                                            *|
|*   request.pipeline = "builtin.module(amp-mixed-precision{opt-level=O2},"   *|
|*                      "amp-to-host)";                                       *|
|*   AmpProgram *program = ampProgramCompile(&request, 3);                    *|
|*   if (ampProgramGetStatus(program) != AMP_COMPILER_OK)                     *|
|*     fputs(ampProgramGetDiagnostics(program), stderr);                      *|
|*   const AmpRtProgram *is = ampProgramGetDescription(program);              *|
|*   AmpProgramArray x = {data}, y = {more};                                  *|
|*   if (ampProgramCall(program, 0, &x, 1, &y, 1) != AMP_RT_OK)               *|
|*     fputs(ampRtStatusText(), stderr);                                      *|
|*   ampProgramDestroy(program);                                              *|
|*                                                                            *|
|* Which functions there are, what they take and give, in which types and     *|
|* with which roles, says the description (amp-rt/Program.h).                 *|
|*                                                                            *|
|* Threads: any thread may use a program. Calls of one program wait for each  *|
|* other, for its scalers and its memory are one; those of two do not. It is  *|
|* destroyed after its last call has returned. After fork(), a child whose    *|
|* parent was in no call may go on with its copy.                             *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#ifndef AMP_C_EXECUTION_H
#define AMP_C_EXECUTION_H

#include "amp-c/Compiler.h"
#include "amp-rt/Pool.h"
#include "amp-rt/Program.h"
#include "amp-rt/Status.h"

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A compiled module, or what went wrong with it; owned by the caller. */
typedef struct AmpProgram AmpProgram;

/** Compiles the module of `request` for the CPU of this process. The request's
 * outputFormat is 0; optimizationLevel is LLVM's, 0 to 3. Never null: what goes
 * wrong stands in the program, a null request too. Beside the statuses of
 * ampCompilerRun there is AMP_COMPILER_CODE_FAILED: what the pipeline left is
 * no code for this CPU.
 *
 * With AMP_COMPILER_PERF_MAP in the request's flags, names of the program's
 * functions are added to /tmp/perf-PID.map, a line for each: start, size, name.
 * The first program of a process makes the file, and what an earlier process
 * left there goes; the file stays, and so do names of programs that were
 * destroyed. Kernels say what they compute where amp-to-host was told to
 * describe-kernels. AMP_COMPILER_CODE_FAILED if the file cannot be written. */
AMP_COMPILER_EXPORT AmpProgram *
ampProgramCompile(const AmpCompilerRequest *request,
                  uint32_t optimizationLevel);

/** How compiling ended; AMP_COMPILER_INVALID_ARGUMENT for null. */
AMP_COMPILER_EXPORT AmpCompilerStatus
ampProgramGetStatus(const AmpProgram *program);

/** As ampCompilerResultGetDiagnostics. Belongs to the program. */
AMP_COMPILER_EXPORT const char *
ampProgramGetDiagnostics(const AmpProgram *program);

/** The functions with their arguments and results, and the loss scalers. Null
 * unless the status is AMP_COMPILER_OK. Belongs to the program. Its functions
 * are called with ampProgramCall only. */
AMP_COMPILER_EXPORT const AmpRtProgram *
ampProgramGetDescription(const AmpProgram *program);

/** The loss scaler `index`, in the order of the description, for the functions
 * of amp-rt/Scaler.h between two calls; null if there is none. Belongs to the
 * program. */
AMP_COMPILER_EXPORT AmpRtScaler *ampProgramGetScaler(AmpProgram *program,
                                                     int32_t index);

/** Lets calls of the program use the threads of `pool`, which outlives them;
 * null: none. What a loop is divided into is decided when the program is
 * compiled, by the option `threads` of amp-to-host. AMP_RT_INVALID_ARGUMENT for
 * a program that did not compile. Waits for a call that runs. */
AMP_COMPILER_EXPORT AmpRtStatus ampProgramSetPool(AmpProgram *program,
                                                  AmpRtPool *pool);

/** An argument or a result in the caller's memory, of the element type that the
 * function describes. */
typedef struct AmpProgramArray {
  /** The first element; null where there are none. */
  void *data;
  /** As many as the described rank; null: those that are described, which are
   * all known then. */
  const int64_t *extents;
  /** Elements from one index to the next; null: row-major without gaps. */
  const int64_t *strides;
} AmpProgramArray;

/** Runs function `function` of the description. Of its arguments those that are
 * arrays are given, in their order; scalers the program has itself. Arguments
 * are only read, results are written completely.
 *
 * Memory on 64 bytes and row-major is used as it is, other memory is copied. So
 * is a result that overlaps an argument, which is how a state is updated in
 * place; two results must not overlap.
 *
 * AMP_RT_INVALID_ARGUMENT if a count, an extent or a pointer is not what is
 * described: then nothing was written. AMP_RT_PROGRAM_ERROR if an assertion of
 * the program failed, AMP_RT_OUT_OF_MEMORY without memory: then results that
 * overlap arguments are as before, and the others are undefined. The text is
 * ampRtStatusText()'s. */
AMP_COMPILER_EXPORT AmpRtStatus ampProgramCall(
    AmpProgram *program, int32_t function, const AmpProgramArray *arguments,
    int32_t argumentCount, const AmpProgramArray *results, int32_t resultCount);

/** Unloads the code, and frees scalers and texts. Null is allowed. */
AMP_COMPILER_EXPORT void ampProgramDestroy(AmpProgram *program);

#ifdef __cplusplus
}
#endif

#endif /* AMP_C_EXECUTION_H */
