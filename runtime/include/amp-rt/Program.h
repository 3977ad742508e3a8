/*===-- amp-rt/Program.h - What a compiled program says of itself --*- C -*-===
 *
 * Part of the mlir-amp project, under the Apache License v2.0 with LLVM
 * Exceptions. See LICENSE for license information.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===
 *
 * A program compiled by amp-to-host carries a constant of the type
 * AmpRtProgram under the name `ampProgram`: its functions with their arguments
 * and results, its loss scalers, and how to call it. A driver needs nothing
 * else, no MLIR above all:
 *
 *   const AmpRtProgram *program = dlsym(library, AMP_RT_PROGRAM_SYMBOL);
 *   status = ampRtProgramChoose(program, &program);
 *   const AmpRtFunction *step = program->functions[0];
 *   status = step->call(ampRtRunHandle(run), arguments);
 *
 * All of it belongs to the program and lives as long as its code. Arrays are
 * arrays of pointers, so that the structs can grow; a reader takes members that
 * its structSize does not cover as 0.
 *===----------------------------------------------------------------------===*/
#ifndef AMP_RT_PROGRAM_H
#define AMP_RT_PROGRAM_H

#include "amp-rt/Conventions.h"
#include "amp-rt/Element.h"
#include "amp-rt/Kernel.h"
#include "amp-rt/Scaler.h"
#include "amp-rt/Status.h"

#include <stdint.h>

AMP_RT_BEGIN_DECLS

/* A symbol that compiled code calls but this library does not export, for a
 * host that links code at run time to register. Never grows. */
typedef struct AmpRtSymbol {
  const char *name;
  void *address;
} AmpRtSymbol;

AMP_RT_STATIC_ASSERT(sizeof(AmpRtSymbol) == 2 * sizeof(void *),
                     "AmpRtSymbol has no padding");

/* The name of the constant. */
#define AMP_RT_PROGRAM_SYMBOL "ampProgram"

typedef enum AmpRtValueKind {
  AMP_RT_VALUE_ARRAY = 0,
  AMP_RT_VALUE_SCALER = 1, /* an ampRtScalerHandle; `name` says of which */
  AMP_RT_VALUE_TAP = 2,    /* an ampRtTapHandle, or 0 for none */
  AMP_RT_VALUE_OTHER = 3   /* what no role has: see the program's source */
} AmpRtValueKind;

/* An argument or a result. Texts end with 0 and are empty, never null. */
typedef struct AmpRtValue {
  uint32_t structSize;
  int32_t kind;      /* an AmpRtValueKind */
  const char *role;  /* "param", "batch", ...: Dialect.md */
  const char *name;  /* unique inside a role */
  const char *label; /* `amp.kind`: "batch_norm", or empty */
  const char *init;  /* `amp.init`: how to make a start value, or empty */
  /* Arrays; the others have rank 0. */
  int32_t elementKind;    /* an AmpRtElementKind; -1 if it is none */
  int32_t rank;           /* at least 0 */
  const int64_t *extents; /* `rank` of them; -1 where the caller chooses */
  /* Elements from one index to the next; -1 where that follows from extents
   * that the caller chooses. Row-major without gaps in this release. */
  const int64_t *strides;
  /* Of a result: 1 + the number of the argument whose memory it may have, of
   * exactly its bytes, as a parameter that the function updates; 0: none. The
   * function is right, and a copy slower, if it has memory of its own. */
  int64_t overwrites;
} AmpRtValue;

AMP_RT_STATIC_ASSERT(sizeof(AmpRtValue) == 24 + 6 * sizeof(void *),
                     "AmpRtValue has no padding");

typedef enum AmpRtFunctionKind {
  AMP_RT_FUNCTION_OTHER = 0,
  AMP_RT_FUNCTION_TRAIN_STEP = 1,
  AMP_RT_FUNCTION_EVALUATE = 2
} AmpRtFunctionKind;

/* Calls a function with the handle of a run (Run.h). `arguments` are addresses
 * of the function's arguments and then of its results. Of an array it is the
 * address of MLIR's memref descriptor,
 *
 *   struct { T *allocated, *aligned; int64_t offset, sizes[], strides[]; }
 *
 * with `aligned` on 64 bytes, offset 0 and strides row-major without gaps; of a
 * handle that of an int64_t. Results are written where their descriptors say;
 * they must not overlap anything else but the argument that they overwrite. All of it is checked first, by
 * ampRtProgramCheckArguments. `allocated` is not read, and of an array without
 * elements neither is `aligned`. What a call that fails later wrote is
 * undefined. The entry point behind it, _mlir_ciface_<name>, checks nothing,
 * the CPU neither; that name is the last version's of a program that has
 * several. */
typedef AmpRtStatus (*AmpRtFunctionCall)(int64_t run, void *const *arguments);

typedef struct AmpRtFunction {
  uint32_t structSize;
  int32_t kind; /* an AmpRtFunctionKind */
  const char *name;
  int32_t argumentCount;
  int32_t resultCount;
  const AmpRtValue *const *arguments;
  const AmpRtValue *const *results;
  AmpRtFunctionCall call;
  /* Memory that a call takes besides its arguments and results, as far as it is
   * known when the program is compiled: buffers of sizes that the caller
   * chooses are not in it. */
  int64_t workspaceBytes;
  uint64_t cpuFeatures; /* of its program */
} AmpRtFunction;

AMP_RT_STATIC_ASSERT(sizeof(AmpRtFunction) == 32 + 4 * sizeof(void *),
                     "AmpRtFunction has no padding");

/* Program entry point: compares the `count` addresses in `arguments` with what
 * the function describes, before they are used. AMP_RT_INVALID_ARGUMENT, with
 * the function and the value in the text, for a null address, and for an array
 * with other extents, strides, offset or alignment than AmpRtFunctionCall says,
 * or a result that overlaps another value. The memory itself is not touched.
 * AMP_RT_UNAVAILABLE where the CPU lacks what the function was compiled for. */
AMP_RT_API AmpRtStatus ampRtProgramCheckArguments(const AmpRtFunction *function,
                                                  void *const *arguments,
                                                  int32_t count);

/* A loss scaler that the program wants: ampRtScalerCreate(name, config). */
typedef struct AmpRtProgramScaler {
  uint32_t structSize;
  uint32_t reserved;
  const char *name;
  const AmpRtScalerConfig *config;
} AmpRtProgramScaler;

AMP_RT_STATIC_ASSERT(sizeof(AmpRtProgramScaler) == 8 + 2 * sizeof(void *),
                     "AmpRtProgramScaler has no padding");

/* A kernel of a program that was compiled to be profiled (Profile.h), or to
 * have them listed. */
typedef struct AmpRtProgramKernel {
  uint32_t structSize;
  uint32_t reserved;
  const char *name;   /* as profilers of the machine show it */
  const char *what;   /* "matmul 1024x512x2048 f16", "loops 1024x512: addf" */
  const char *source; /* where the operation was written, or empty */
  int64_t operations; /* floating-point operations of a call; -1: not known */
  int64_t bytes;      /* of its operands, each once; -1: not known */
} AmpRtProgramKernel;

AMP_RT_STATIC_ASSERT(sizeof(AmpRtProgramKernel) == 24 + 3 * sizeof(void *),
                     "AmpRtProgramKernel has no padding");

/*===----------------------------------------------------------------------===
 * Kernels of a device
 *
 * A program for a device has its kernels as images (ampRtModuleLoad), and says
 * how they are launched. Its functions take the device's memory: the `aligned`
 * of their descriptors are addresses there. Load.h runs it.
 *===----------------------------------------------------------------------===*/

typedef enum AmpRtArgumentKind {
  AMP_RT_ARGUMENT_POINTER = 0,    /* the address of an operand */
  AMP_RT_ARGUMENT_TENSOR_MAP = 1, /* a tensor map of an operand */
  AMP_RT_ARGUMENT_NUMBER = 2,     /* an int32_t */
  AMP_RT_ARGUMENT_TABLE = 3       /* addresses of operands, one struct */
} AmpRtArgumentKind;

/* What a launch gives to a kernel. */
typedef struct AmpRtProgramArgument {
  uint32_t structSize;
  int32_t kind;    /* an AmpRtArgumentKind */
  int32_t operand; /* its place among the module's; -1 for a number */
  int32_t number;  /* of a table: how many operands, from that one on */
  const AmpRtTensorMapDescription *map; /* without the address; or null */
} AmpRtProgramArgument;

AMP_RT_STATIC_ASSERT(sizeof(AmpRtProgramArgument) == 16 + sizeof(void *),
                     "AmpRtProgramArgument has no padding");

/* A launch of one kernel: what of an AmpRtLaunch is known before. */
typedef struct AmpRtProgramLaunch {
  uint32_t structSize;
  uint32_t sharedBytes;
  int64_t grid[3], threads[3], cluster[3];
  /* What ampRtDeviceFitGrid takes; with 0 the grid stays as it is. */
  int64_t blocksPerProcessor, gridMultiple;
  const char *kernel;
  const AmpRtProgramArgument *const *arguments;
  int32_t argumentCount;
  int32_t reserved;
} AmpRtProgramLaunch;

AMP_RT_STATIC_ASSERT(sizeof(AmpRtProgramLaunch) == 104 + 2 * sizeof(void *),
                     "AmpRtProgramLaunch has no padding");

/* An image, and the launches that follow one another when it is run. */
typedef struct AmpRtProgramModule {
  uint32_t structSize;
  int32_t operandCount; /* addresses that ampRtRunLaunch takes for it */
  const char *name;
  const void *image;
  int64_t imageBytes;
  const AmpRtProgramLaunch *const *launches;
  int32_t launchCount;
  int32_t reserved;
} AmpRtProgramModule;

AMP_RT_STATIC_ASSERT(sizeof(AmpRtProgramModule) == 24 + 3 * sizeof(void *),
                     "AmpRtProgramModule has no padding");

typedef struct AmpRtProgram AmpRtProgram;

struct AmpRtProgram {
  uint32_t structSize;
  uint32_t runtimeVersion; /* AMP_RT_VERSION that it calls; ampRtVersionCheck */
  int32_t functionCount;
  int32_t scalerCount;
  const AmpRtFunction *const *functions;
  const AmpRtProgramScaler *const *scalers; /* in the order of declaration */
  int32_t kernelCount;                      /* 0 unless compiled to list them */
  int32_t reserved;
  const AmpRtProgramKernel *const *kernels;
  /* Of a program for a device: the chip that its kernels were compiled for
   * ("sm_90a"), or empty if they are text for the emulator. Null: for the host.
   */
  const char *chip;
  const AmpRtProgramModule *const *modules;
  int32_t moduleCount;
  int32_t reserved2;
  const char *cpu;      /* compiled for ("znver4"), or null: this one */
  uint64_t cpuFeatures; /* that its code needs: a set of Cpu.h */
  /* The same program for CPUs that can do more, each compiled for its own; a
   * CPU takes the first that it can run, and this one if there is none. They
   * have the same functions, scalers and kernels of a device, by number. */
  const AmpRtProgram *const *versions;
  int32_t versionCount;
  int32_t reserved3;
};

AMP_RT_STATIC_ASSERT(sizeof(AmpRtProgram) == 48 + 7 * sizeof(void *),
                     "AmpRtProgram has no padding");

/* The version of `program` for this CPU, which may be the program itself. For
 * those that use AMX's tiles the system is asked (Cpu.h); where it refuses, a
 * later one is taken. AMP_RT_UNAVAILABLE if this CPU can run none, with what it
 * lacks for the last; AMP_RT_VERSION_MISMATCH if it was compiled for another
 * libamp-rt (Version.h). What no driver has chosen runs too, and a call of it says
 * if the CPU cannot. */
AMP_RT_API AmpRtStatus ampRtProgramChoose(const AmpRtProgram *program,
                                          const AmpRtProgram **chosen);

AMP_RT_END_DECLS

#endif /* AMP_RT_PROGRAM_H */
