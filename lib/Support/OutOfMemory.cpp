//===- OutOfMemory.cpp - How a tool ends without memory -------------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a training step needs is compared with the limits before it is taken
// (amp/Execution/MemoryLimits.h). What is left are allocations of the compiler,
// and limits that others used up meanwhile. LLVM's own handlers would abort and
// ask the user to report a bug of LLVM.
//
// Handlers of LLVM belong to the process, and so does what they say.
//
//===----------------------------------------------------------------------===//

#include "amp/Support/OutOfMemory.h"

#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/PrettyStackTrace.h"

#include <cstdio>
#include <unistd.h>

static const char *tool, *remedy;
static char bugReport[256];

/// Ends the program with "tool: error: what (reason); remedy". Allocates
/// nothing.
static void end(const char *what, const char *reason, const char *remedy) {
  char text[1024];
  const int length =
      std::snprintf(text, sizeof(text), "%s: error: %s (%.512s); %s\n", tool,
                    what, reason, remedy);
  if (length > 0) {
    ssize_t written = write(STDERR_FILENO, text, length);
    (void)written; // there is nobody left to tell
  }
  _exit(1);
}

/// LLVM ends so where it cannot go on, without a thread above all.
static void endWithoutLlvm(void *, const char *reason, bool) {
  end("the compiler cannot go on", reason,
      "raise the limits of memory and processes if it lacks either, and report "
      "it to mlir-amp otherwise");
}

static void endWithoutMemory(void *, const char *reason, bool) {
  end("there is no memory left", reason, remedy);
}

void mlir::amp::installOutOfMemoryHandler(const char *name,
                                          const char *howToNeedLess) {
  tool = name;
  remedy = howToNeedLess;
  llvm::install_bad_alloc_error_handler(endWithoutMemory);
  llvm::install_fatal_error_handler(endWithoutLlvm);
  std::snprintf(bugReport, sizeof(bugReport),
                "%s crashed: please report it to mlir-amp, with the module and "
                "the command line.\n",
                tool);
  llvm::setBugReportMsg(bugReport);
}
