//===- Fragments.h - Which lane holds which element of a matrix -*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The fragment layouts of the PTX manual ("Matrix Fragments for mma..." and
// "Register Fragments ... wgmma"), as functions. A register has 4 bytes (8 for
// f64) and so `perRegister` elements of the operand's type; `groupID` is
// lane / 4, `threadID_in_group` lane % 4. One rule serves all element types of
// m16n8k*: a register covers 4 * perRegister columns of K over the four threads
// of a group, registers come in pairs of rows g and g + 8.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_LIB_EMULATOR_MACHINE_FRAGMENTS_H
#define AMP_LIB_EMULATOR_MACHINE_FRAGMENTS_H

namespace amp::emu {

struct Element {
  int row, column;
};

/// A (M x K) of mma.sync, and of wgmma within the 16 rows of a warp.
inline Element getElementA(int lane, int reg, int part, int perRegister) {
  return {lane / 4 + 8 * (reg & 1),
          lane % 4 * perRegister + part + (reg >> 1) * 4 * perRegister};
}

/// As getElementA for a matrix of 8 rows (m8n8k*): registers advance along K.
inline Element getElementA8(int lane, int reg, int part, int perRegister) {
  return {lane / 4, lane % 4 * perRegister + part + reg * 4 * perRegister};
}

/// B (K x N) of mma.sync.
inline Element getElementB(int lane, int reg, int part, int perRegister) {
  return {lane % 4 * perRegister + part + reg * 4 * perRegister, lane / 4};
}

/// C and D of mma.sync (M x 8): element i of the lane.
inline Element getElementC(int lane, int i) {
  return {lane / 4 + 8 * (i >> 1), lane % 4 * 2 + (i & 1)};
}

/// D of wgmma (64 x N): element i of a thread of the warpgroup.
inline Element getElementD(int thread, int i) {
  int lane = thread % 32, warp = thread / 32;
  return {16 * warp + lane / 4 + 8 * (i >> 1 & 1),
          8 * (i >> 2) + lane % 4 * 2 + (i & 1)};
}

/// ldmatrix and stmatrix: half h (of 2) of a lane's register of an 8x8 matrix.
inline Element getElement8x8(int lane, int h, bool transposed) {
  int row = lane / 4, column = lane % 4 * 2 + h;
  return transposed ? Element{column, row} : Element{row, column};
}

} // namespace amp::emu

#endif // AMP_LIB_EMULATOR_MACHINE_FRAGMENTS_H
