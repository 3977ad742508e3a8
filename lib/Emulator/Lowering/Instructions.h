//===- Instructions.h - From operations to instructions ---------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the lowering asks about single operations, and the rewrites of a
// function that come before it. The two describe functions fill in an
// instruction from an operation's attributes, and say what it is that has no
// model if they cannot.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_LIB_EMULATOR_LOWERING_INSTRUCTIONS_H
#define AMP_LIB_EMULATOR_LOWERING_INSTRUCTIONS_H

#include "amp/Emulator/Instruction.h"

#include "mlir/IR/Operation.h"

#include <string>

namespace mlir {
class DataLayout;
namespace LLVM {
class LLVMFuncOp;
} // namespace LLVM
} // namespace mlir

namespace mlir::amp {

struct LoweredKernel;

using ::amp::emu::Instruction;

/// A matrix multiply as PTX writes it: d is the accumulator's type.
struct MatrixQualifiers {
  int m = 0, n = 0, k = 0;
  StringRef d, a, b;
  bool rowByColumn = true, saturates = false;
};

// What an instruction is, whatever syntax it came in. Each returns what has no
// model, or an empty text. Operands are the readers' to count: of mma.sync the
// first of B and of the accumulator, of wgmma whether A is in registers.
std::string setMma(const MatrixQualifiers &given, Instruction &inst);
std::string setWgmma(const MatrixQualifiers &given, Instruction &inst);
/// `mode` as PTX writes it, without its dot.
std::string setPermute(StringRef mode, Instruction &inst);

/// Registers of a lane, of 32 bits (64 for f64).
struct MmaRegisters {
  unsigned a, b, accumulator;
};
MmaRegisters countMmaRegisters(const Instruction &inst);

/// An operation of the NVVM dialect that becomes one instruction. Empty on
/// success, else what has no model ("wgmma of type s8").
std::string describeNVVM(Operation *op, Instruction &inst);

/// Inline PTX that is one instruction without an operation of its own. Operand
/// i of `inst` is the inputs `operands[i]` of the assembly, packed; its offsets
/// are still to be filled in.
struct AssemblyInstruction {
  Instruction inst;
  SmallVector<SmallVector<unsigned>, 4> operands;
};

/// Reads the text of inline PTX and its constraints. Empty on success.
std::string describeInlineAssembly(StringRef text, StringRef constraints,
                                   unsigned numOutputs,
                                   AssemblyInstruction &assembly);

/// Index of a special register for ampEmuSpecialRegister, -1 if it has no
/// model. `name` comes without "nvvm.read.ptx.sreg.".
int getSpecialRegister(StringRef name);

/// Whether a special register is one of those that go on by themselves.
bool isClock(StringRef name);

/// Appends an instruction of that place to the kernel's; its index.
uint32_t addInstruction(LoweredKernel &kernel, Instruction inst,
                        Location location);

/// Bytes of a type; of more than 64 bits can count, as many as they can.
uint64_t countBytes(Type type, const DataLayout &layout);

/// Turns allocations on the stack into local memory of the machine.
void lowerLocalMemory(LLVM::LLVMFuncOp function, LoweredKernel &kernel);

/// Takes a step down in every block that a loop comes back to.
void countLoopRounds(LLVM::LLVMFuncOp function, LoweredKernel &kernel);

/// Whether the JIT has a definition of this device function (libdevice).
bool hasDeviceFunction(StringRef name);

} // namespace mlir::amp

#endif // AMP_LIB_EMULATOR_LOWERING_INSTRUCTIONS_H
