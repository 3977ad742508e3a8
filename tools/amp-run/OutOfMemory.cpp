//===- OutOfMemory.cpp - How amp-run ends without memory ------------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a step needs is compared with the limits before it is taken
// (MemoryLimits.h). What is left are allocations of the compiler, and limits
// that others used up meanwhile. LLVM's own handlers would abort and ask the
// user to report a bug of LLVM.
//
//===----------------------------------------------------------------------===//

#include "OutOfMemory.h"

#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/PrettyStackTrace.h"

#include <cstdio>
#include <unistd.h>

/// Ends the program. Allocates nothing.
static void end(const char *format, const char *reason) {
  char text[1024];
  int length = std::snprintf(text, sizeof(text), format, reason);
  if (length > 0) {
    ssize_t written = write(STDERR_FILENO, text, length);
    (void)written; // there is nobody left to tell
  }
  _exit(1);
}

/// LLVM ends so where it cannot go on, without a thread above all.
static void endWithoutLlvm(void *, const char *reason, bool) {
  end("amp-run: error: the compiler cannot go on (%s); raise the limits of "
      "memory and processes if it lacks either, and report it to mlir-amp "
      "otherwise\n",
      reason);
}

static void endWithoutMemory(void *, const char *reason, bool) {
  end("amp-run: error: there is no memory left (%s); use smaller batches or a "
      "smaller model, or raise the limit\n",
      reason);
}

void mlir::amp::installOutOfMemoryHandler() {
  llvm::install_bad_alloc_error_handler(endWithoutMemory);
  llvm::install_fatal_error_handler(endWithoutLlvm);
  llvm::setBugReportMsg("amp-run crashed: please report it to mlir-amp, with "
                        "the module and the command line.\n");
}
