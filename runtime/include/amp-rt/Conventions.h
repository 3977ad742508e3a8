/*===-- amp-rt/Conventions.h - What all public headers share -------*- C -*-===
 *
 * Part of the mlir-amp project, under the Apache License v2.0 with LLVM
 * Exceptions. See LICENSE for license information.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===
 *
 * The rules that every header in this folder follows, and the macros for them.
 *
 * - Plain C. No C++ type, exception or allocation crosses the boundary.
 * - Functions that can fail return an AmpRtStatus (Status.h). Results go
 *   through pointers, and are left alone when the call fails.
 * - A pointer argument must not be null unless its comment says what null
 *   means; null is answered with AMP_RT_INVALID_ARGUMENT, not with a crash.
 * - A struct's first member is its size. The caller sets it to sizeof the
 *   struct before the call, for structs it receives as well. Structs grow at
 *   their end, and 0 in a new member means what was done before there was one:
 *   so a caller compiled against an older header has a smaller struct and is
 *   served, and so is one with a newer header, as long as it leaves at 0 what
 *   the library does not know yet; else AMP_RT_VERSION_MISMATCH. In structs
 *   that it receives, the caller finds 0 in members the library does not know.
 * - Create/Destroy pairs: the creator owns the object. Destroy of null does
 *   nothing.
 * - Names given to the library are copied.
 * - Functions called by compiled programs are marked "Program entry point".
 *   They take objects as int64_t handles, first among them that of the run,
 *   return no status, and record failures in the run (Run.h).
 *===----------------------------------------------------------------------===*/
#ifndef AMP_RT_CONVENTIONS_H
#define AMP_RT_CONVENTIONS_H

#ifdef __cplusplus
#define AMP_RT_BEGIN_DECLS extern "C" {
#define AMP_RT_END_DECLS }
#define AMP_RT_STATIC_ASSERT(condition, text) static_assert(condition, text)
#else
#define AMP_RT_BEGIN_DECLS
#define AMP_RT_END_DECLS
#define AMP_RT_STATIC_ASSERT(condition, text) _Static_assert(condition, text)
#endif

#define AMP_RT_API __attribute__((visibility("default")))

#endif /* AMP_RT_CONVENTIONS_H */
