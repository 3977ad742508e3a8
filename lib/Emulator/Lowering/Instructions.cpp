//===- Instructions.cpp - Instructions that several syntaxes have ---------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which qualifiers an instruction may have, and what it becomes with them. The
// readers (NVVMInstructions.cpp, InlineAssembly.cpp) know how a syntax writes
// qualifiers and where its operands are, and ask here for the rest, so that an
// instruction is judged and done alike whatever it came in as.
//
//===----------------------------------------------------------------------===//

#include "Instructions.h"

#include "amp/Emulator/NumberFormat.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace mlir::amp;
using ::amp::emu::Format;
using ::amp::emu::getFormatBytes;
using ::amp::emu::Opcode;
using ::amp::emu::PermuteKind;

static std::optional<Format> getFormat(StringRef name) {
  using Result = std::optional<Format>;
  return llvm::StringSwitch<Result>(name)
      .Case("f16", Format::F16)
      .Case("bf16", Format::BF16)
      .Case("tf32", Format::TF32)
      .Case("f32", Format::F32)
      .Case("f64", Format::F64)
      .Case("e4m3", Format::E4M3)
      .Case("e5m2", Format::E5M2)
      .Case("s8", Format::S8)
      .Case("u8", Format::U8)
      .Case("s32", Format::S32)
      .Default(std::nullopt);
}

namespace {
struct MatrixFormats {
  Format a, b, accumulator;
};
} // namespace

/// Nothing if one of them is none that a matrix has.
static std::optional<MatrixFormats> getFormats(const MatrixQualifiers &given) {
  auto a = getFormat(given.a), b = getFormat(given.b), d = getFormat(given.d);
  if (!a || !b || !d)
    return std::nullopt;
  return MatrixFormats{*a, *b, *d};
}

/// What every multiply has, once its qualifiers are known to be legal.
static void setMatrices(Opcode opcode, StringRef name,
                        const MatrixQualifiers &given,
                        const MatrixFormats &formats, Instruction &inst) {
  inst.opcode = opcode;
  inst.name = name.str();
  inst.m = given.m;
  inst.n = given.n;
  inst.k = given.k;
  inst.formatA = formats.a;
  inst.formatB = formats.b;
  inst.formatAccumulator = formats.accumulator;
}

static bool isByte(Format f) { return f == Format::S8 || f == Format::U8; }
static bool isHalf(Format f) { return f == Format::F16 || f == Format::BF16; }
static bool isFloat8(Format f) {
  return f == Format::E4M3 || f == Format::E5M2;
}

/// Bytes of K that mma.sync takes at once: 8 or 16, of f64 32, of two bytes and
/// less also 32.
static bool isMmaShape(int m, int k, const MatrixFormats &formats) {
  auto [a, b, d] = formats;
  if (a == Format::F64)
    return m == 8 && k == 4 && b == a && d == a;
  if (isByte(a))
    return isByte(b) && d == Format::S32 &&
           ((m == 16 && (k == 16 || k == 32)) || (m == 8 && k == 16));
  if (m != 16 || (d != Format::F32 && d != Format::F16))
    return false;
  if (isFloat8(a))
    return isFloat8(b) && (k == 32 || k == 16);
  if (a == Format::TF32)
    return b == a && d == Format::F32 && (k == 4 || k == 8);
  return isHalf(a) && b == a && (k == 8 || k == 16) &&
         (a == Format::F16 || d == Format::F32);
}

/// 32 bytes of K; columns in eights, of integers beyond 32 in sixteens.
static bool isWgmmaShape(int n, int k, const MatrixFormats &formats) {
  auto [a, b, d] = formats;
  if (n < 8 || n > 256 || n % 8 || k * getFormatBytes(a) != 32)
    return false;
  if (isByte(a))
    return isByte(b) && d == Format::S32 && (n <= 32 || n % 16 == 0);
  if (isFloat8(a))
    return isFloat8(b) && (d == Format::F32 || d == Format::F16);
  return b == a && (d == Format::F32 || (d == a && a == Format::F16)) &&
         (isHalf(a) || a == Format::TF32);
}

std::string mlir::amp::setMma(const MatrixQualifiers &given,
                              Instruction &inst) {
  std::optional<MatrixFormats> formats = getFormats(given);
  if (!given.rowByColumn)
    return "mma.sync of layouts other than row.col";
  if (!formats)
    return "mma.sync of these operand types";
  if (given.saturates)
    return "mma.sync that saturates";
  if (given.m == 8 && given.k == 4 && formats->a == Format::F16)
    return "mma.sync m8n8k4 of f16";
  if (given.n != 8 || !isMmaShape(given.m, given.k, *formats))
    return "mma.sync of this shape and these types";
  setMatrices(Opcode::MultiplyMatrix, "mma.sync", given, *formats, inst);
  return "";
}

MmaRegisters mlir::amp::countMmaRegisters(const Instruction &inst) {
  auto count = [](int elements, Format format) {
    int bytes = getFormatBytes(format);
    return unsigned(elements * bytes / std::max(bytes, 4) / 32);
  };
  return {count(inst.m * inst.k, inst.formatA),
          count(inst.k * inst.n, inst.formatB),
          count(inst.m * inst.n, inst.formatAccumulator)};
}

std::string mlir::amp::setWgmma(const MatrixQualifiers &given,
                                Instruction &inst) {
  std::optional<MatrixFormats> formats = getFormats(given);
  if (!formats)
    return "wgmma of these types";
  if (given.saturates)
    return "wgmma that saturates";
  if (given.m != 64 || !isWgmmaShape(given.n, given.k, *formats))
    return "wgmma of this shape and these types";
  setMatrices(Opcode::WarpgroupMultiply, "wgmma.mma_async", given, *formats,
              inst);
  inst.firstB = 2; // after the accumulator and A
  return "";
}

std::string mlir::amp::setPermute(StringRef mode, Instruction &inst) {
  auto kind = llvm::StringSwitch<std::optional<PermuteKind>>(mode)
                  .Case("", PermuteKind::Index)
                  .Case("f4e", PermuteKind::Forward4)
                  .Case("b4e", PermuteKind::Backward4)
                  .Case("rc8", PermuteKind::Replicate8)
                  .Case("ecl", PermuteKind::ClampLeft)
                  .Case("ecr", PermuteKind::ClampRight)
                  .Case("rc16", PermuteKind::Replicate16)
                  .Default(std::nullopt);
  if (!kind)
    return "prmt.b32 of mode '" + mode.str() + "'";
  inst.opcode = Opcode::PermuteBytes;
  inst.name = "prmt";
  inst.kind = uint8_t(*kind);
  return "";
}
