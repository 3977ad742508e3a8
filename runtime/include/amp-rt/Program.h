/*===-- amp-rt/Program.h - Errors of compiled programs -------------*- C -*-===
 *
 * Part of the mlir-amp project, under the Apache License v2.0 with LLVM
 * Exceptions. See LICENSE for license information.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===
 *
 * Compiled code has no status to return: its functions have the signature of
 * the user's program. What goes wrong in it (a failed cf.assert, a wrong
 * handle, a tap that refused) is recorded for the thread that runs it, and the
 * host turns it into a status after the call:
 *
 *   ampRtProgramClearError();
 *   step(arguments);                       // compiled
 *   if (ampRtProgramTakeError() != AMP_RT_OK)
 *     report(ampRtStatusText());           // results of step are undefined
 *
 * The record is per thread, so programs on different threads do not see each
 * other's errors. A program must therefore report on the thread it was called
 * on; code that spreads its loops over threads of its own has to carry the
 * message back first.
 *===----------------------------------------------------------------------===*/
#ifndef AMP_RT_PROGRAM_H
#define AMP_RT_PROGRAM_H

#include "amp-rt/Conventions.h"
#include "amp-rt/Status.h"

#include <stdint.h>

AMP_RT_BEGIN_DECLS

/* A symbol that compiled code calls but this library does not export, for a
 * host that links code at run time to register. */
typedef struct AmpRtSymbol {
  const char *name;
  void *address;
} AmpRtSymbol;

AMP_RT_STATIC_ASSERT(sizeof(AmpRtSymbol) == 2 * sizeof(void *),
                     "AmpRtSymbol has no padding");

/* Forgets the errors recorded for this thread. */
AMP_RT_API void ampRtProgramClearError(void);

/* AMP_RT_OK if nothing was recorded on this thread since the last clear or
 * take. Otherwise AMP_RT_PROGRAM_ERROR with the first message, and how many
 * followed it, as status text; the record is then empty again. */
AMP_RT_API AmpRtStatus ampRtProgramTakeError(void);

/* Program entry point: a cf.assert failed. `message` is the text of the assert,
 * a string that ends with 0 and is copied; null means no text. The first
 * message is kept, later ones are counted. Returns to the program, which must
 * leave the function at once if anything after the assert relies on it. */
AMP_RT_API void ampRtReportAssert(const char *message);

AMP_RT_END_DECLS

#endif /* AMP_RT_PROGRAM_H */
