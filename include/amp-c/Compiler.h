/*===- amp-c/Compiler.h - The compiler behind a flat C ABI --------*- C -*-===*\
|*                                                                            *|
|* Part of the mlir-amp project, under the Apache License v2.0 with LLVM      *|
|* Exceptions. See LICENSE for license information.                           *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* A module goes in as MLIR text or bytecode, a pipeline runs, and a module   *|
|* comes out. No MLIR header or type is needed on the caller's side. The      *|
|* library knows every pass and dialect of mlir-amp and of MLIR itself.       *|
|*                                                                            *|
|*   AmpCompilerRequest request = {0};                                        *|
|*   request.structSize = sizeof request;                                     *|
|*   request.module = text;                                                   *|
|*   request.moduleSize = strlen(text);                                       *|
|*   request.pipeline = "builtin.module(canonicalize)";                       *|
|*   AmpCompilerResult *result = ampCompilerRun(&request);                    *|
|*   if (ampCompilerResultGetStatus(result) != AMP_COMPILER_OK)               *|
|*     fputs(ampCompilerResultGetDiagnostics(result), stderr);                *|
|*   ampCompilerResultDestroy(result);                                        *|
|*                                                                            *|
|* Threads: a call works on the caller's thread; several threads may be in    *|
|* ampCompilerRun at once. A result belongs to one thread at a time.          *|
|*                                                                            *|
|* Crossing this boundary: no exceptions, no allocator (what the library      *|
|* allocates it frees), and nothing is written to the standard streams except *|
|* by passes whose text says so.                                              *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#ifndef AMP_C_COMPILER_H
#define AMP_C_COMPILER_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(_WIN32)
#define AMP_COMPILER_EXPORT
#else
#define AMP_COMPILER_EXPORT __attribute__((visibility("default")))
#endif

/** Version of this interface. It grows when something is added; a program works
 * with every library of the version it was written for, or a later one. */
#define AMP_COMPILER_API_VERSION 3

/** How a call ended. */
typedef enum AmpCompilerStatus {
  AMP_COMPILER_OK = 0,
  /** The request itself: a null pointer, a size or an enum value. */
  AMP_COMPILER_INVALID_ARGUMENT = 1,
  /** The module does not parse or does not verify. */
  AMP_COMPILER_INVALID_MODULE = 2,
  /** The pipeline's text is wrong, or names an unknown pass or option. */
  AMP_COMPILER_INVALID_PIPELINE = 3,
  /** A pass refused the module. */
  AMP_COMPILER_PASS_FAILED = 4,
  /** What the pipeline left is no code for this CPU: Execution.h. */
  AMP_COMPILER_CODE_FAILED = 5
} AmpCompilerStatus;

/** Form of the module that comes out. */
typedef enum AmpCompilerFormat {
  AMP_COMPILER_TEXT = 0,
  /** Text with the location of each operation. */
  AMP_COMPILER_TEXT_WITH_LOCATIONS = 1,
  AMP_COMPILER_BYTECODE = 2
} AmpCompilerFormat;

/** What a request asks for besides; may be combined by `|`. */
typedef enum AmpCompilerFlag {
  /** Names of the program's functions are added to /tmp/perf-PID.map, where
   * Linux's perf looks for them: Execution.h. */
  AMP_COMPILER_PERF_MAP = 1
} AmpCompilerFlag;

/** What to do. Set everything to zero, then the members you need. The library
 * reads it during the call only. */
typedef struct AmpCompilerRequest {
  /** sizeof(AmpCompilerRequest): which version of this struct it is. */
  uint64_t structSize;
  /** MLIR text or bytecode, told apart by their first bytes; need not end with
   * a zero. Null is an invalid argument. */
  const char *module;
  uint64_t moduleSize;
  /** What diagnostics call the module, for example its file. Null: "module". */
  const char *moduleName;
  /** A pipeline as mlir-opt's --pass-pipeline takes it, rooted at
   * builtin.module. Null or empty: the module is parsed and verified only. */
  const char *pipeline;
  /** An AmpCompilerFormat. */
  uint32_t outputFormat;
  /** AmpCompilerFlags, or 0. Up to version 2 a reserved member, which was 0. */
  uint32_t flags;
} AmpCompilerRequest;

/** What came of a request; owned by the caller. */
typedef struct AmpCompilerResult AmpCompilerResult;

/** The AMP_COMPILER_API_VERSION that the library was built with. */
AMP_COMPILER_EXPORT uint32_t ampCompilerGetApiVersion(void);

/** The versions of the library and of LLVM, for people: "mlir-amp 0.1.0, LLVM
 * 22.1.8". A constant; do not free it. */
AMP_COMPILER_EXPORT const char *ampCompilerGetVersion(void);

/** Parses the module, runs the pipeline, and writes the module out. Never null:
 * what goes wrong stands in the result, a null request too. Pass the result to
 * ampCompilerResultDestroy. */
AMP_COMPILER_EXPORT AmpCompilerResult *
ampCompilerRun(const AmpCompilerRequest *request);

/** How the call ended; AMP_COMPILER_INVALID_ARGUMENT for null. */
AMP_COMPILER_EXPORT AmpCompilerStatus
ampCompilerResultGetStatus(const AmpCompilerResult *result);

/** The module that came out, with its size in bytes in *size where size is not
 * null. Empty, never null, unless the status is AMP_COMPILER_OK; a zero follows
 * the last byte. Belongs to the result. */
AMP_COMPILER_EXPORT const char *
ampCompilerResultGetOutput(const AmpCompilerResult *result, size_t *size);

/** Errors, warnings and remarks with their notes, as mlir-opt prints them:
 * `name:line:column: error: text`, then the line of the source. May be there
 * although the status is AMP_COMPILER_OK; empty, never null, if there are none.
 * Belongs to the result. */
AMP_COMPILER_EXPORT const char *
ampCompilerResultGetDiagnostics(const AmpCompilerResult *result);

/** Frees a result with its texts. Null is allowed. */
AMP_COMPILER_EXPORT void ampCompilerResultDestroy(AmpCompilerResult *result);

#ifdef __cplusplus
}
#endif

#endif /* AMP_C_COMPILER_H */
