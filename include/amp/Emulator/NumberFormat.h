//===- NumberFormat.h - Number formats of matrix operands -------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Bits to float and back, for one number and for many. Every 8- and 16-bit
// format fits into f32 exactly; tf32 is f32 whose low 13 bits the hardware
// ignores.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_EMULATOR_NUMBERFORMAT_H
#define AMP_EMULATOR_NUMBERFORMAT_H

#include "amp/Emulator/Instruction.h"

#include <cstddef>

namespace amp::emu {

int getFormatBytes(Format format);
bool isInteger(Format format);

float loadNumber(Format format, const void *bits);
/// Rounds to nearest, ties to even; 8-bit floats saturate to their largest
/// finite number (as cvt.satfinite does), f16 and bf16 overflow to infinity.
void storeNumber(Format format, void *bits, float value);

/// `count` numbers that lie together.
void loadNumbers(Format format, const void *bits, float *values, size_t count);

} // namespace amp::emu

#endif // AMP_EMULATOR_NUMBERFORMAT_H
