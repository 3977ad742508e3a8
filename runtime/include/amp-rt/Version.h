/*===-- amp-rt/Version.h - Version of the runtime library ----------*- C -*-===
 *
 * Part of the mlir-amp project, under the Apache License v2.0 with LLVM
 * Exceptions. See LICENSE for license information.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===
 *
 * The version of libamp-rt.
 *===----------------------------------------------------------------------===*/
#ifndef AMP_RT_VERSION_H
#define AMP_RT_VERSION_H

#include "amp-rt/Status.h"

#include <stdint.h>

#define AMP_RT_VERSION_MAJOR 0
#define AMP_RT_VERSION_MINOR 1
#define AMP_RT_VERSION_PATCH 0

/* One number to compare: 0x00MMmmpp. */
#define AMP_RT_VERSION                                                         \
  ((uint32_t)((AMP_RT_VERSION_MAJOR << 16) | (AMP_RT_VERSION_MINOR << 8) |     \
              AMP_RT_VERSION_PATCH))

AMP_RT_BEGIN_DECLS

/* The AMP_RT_VERSION that the loaded library was built with. */
AMP_RT_API uint32_t ampRtVersionGet(void);

/* The same as text, "0.1.0"; lives as long as the library. */
AMP_RT_API const char *ampRtVersionText(void);

/* Whether the loaded library can serve a caller compiled against `version`, to
 * be called with AMP_RT_VERSION: the same major number, and for major number 0
 * the same minor number too. AMP_RT_VERSION_MISMATCH otherwise. */
AMP_RT_API AmpRtStatus ampRtVersionCheck(uint32_t version);

AMP_RT_END_DECLS

#endif /* AMP_RT_VERSION_H */
