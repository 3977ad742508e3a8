//===-- ProgramErrors.h - Recording errors of compiled programs -*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef AMP_RT_SRC_SUPPORT_PROGRAMERRORS_H
#define AMP_RT_SRC_SUPPORT_PROGRAMERRORS_H

namespace amp::rt {

/// What a program entry point calls where another function would return a
/// failing status: keeps the first text of this thread, counts the others.
void recordProgramError(const char *format, ...)
    __attribute__((format(printf, 1, 2)));

} // namespace amp::rt

#endif // AMP_RT_SRC_SUPPORT_PROGRAMERRORS_H
